//! What columns without types are turned into where a format has them.

use crate::chunks::{Frame, Kind, Want};
use crate::field;
use crate::field::Field;
use crate::formats::npy;
use crate::number_stats::Numbers;
use crate::source::{Part, Source};

/// What a column is turned into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Whole numbers.
    Int,
    /// Whole numbers, too large for a sign.
    Uint,
    /// Numbers.
    Float,
    /// Numbers of single precision.
    Single,
    /// true and false.
    Truth,
    /// Text.
    Text,
}

/// The types of all columns; only what was read whole is trusted.
pub fn of(source: &Source, frame: &Frame, wants: &[Want]) -> Vec<Type> {
    if let Some(kind) = of_arrays(source) {
        return vec![kind; wants.len()];
    }
    let of = |column: usize| match (wants[column], frame.seen[column].kind()) {
        (Want::Numbers, Kind::Number) => frame.numbers[column].kind(),
        (Want::Codes, Kind::Number) => {
            let mut numbers = Numbers::default();
            frame.dictionaries[column].names.iter().for_each(|name| numbers.add(&[number(name)]));
            numbers.kind()
        }
        (Want::Numbers | Want::Codes, Kind::Truth) => Type::Truth,
        _ => Type::Text,
    };
    (0..wants.len()).map(of).collect()
}

fn number(text: &str) -> f64 {
    match field::read(text.as_bytes()) {
        Field::Number(value) => value,
        _ => f64::NAN,
    }
}

/// The type that all arrays fit into; none if the files are no arrays.
pub fn of_arrays(source: &Source) -> Option<Type> {
    let kinds = source.parts.iter().map(|part| match part {
        Part::Array(array) => Some(match array.kind() {
            npy::Kind::Float(4) => Type::Single,
            npy::Kind::Float(_) => Type::Float,
            npy::Kind::Bool => Type::Truth,
            npy::Kind::Uint(8) => Type::Uint,
            npy::Kind::Int(_) | npy::Kind::Uint(_) => Type::Int,
        }),
        _ => None,
    });
    let kinds: Vec<Type> = kinds.collect::<Option<_>>()?;
    let first = *kinds.first()?;
    Some(if kinds.iter().all(|kind| *kind == first) { first } else { Type::Float })
}
