//! Flags whose values are named by the library.

use arss_table::ByName;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Takes the names of `T` and gives its values; the help lists what each name means.
pub fn by_name<T: ByName + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let names = T::all().into_iter().map(|(name, _, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).try_map(|name| T::by_name(&name).ok_or("there is no such value"))
}
