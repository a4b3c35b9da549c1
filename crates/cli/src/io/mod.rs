//! Tables from files: one file a format, one place for what they share.

mod archive;
mod arrow;
mod arrow_check;
mod arrow_file;
mod assemble;
mod columns;
mod csv;
mod dialect;
mod extent;
mod fields;
mod format;
mod frame;
mod grid;
mod guard;
mod inputs;
mod jsonl;
mod missing;
mod npy;
mod npy_header;
mod npz;
mod numbers;
mod parquet;
mod parquet_check;
mod parquet_types;
mod read;
mod records;
mod same;
mod source;
mod spill;
mod spilled;
mod store;
mod table;
mod thrift;
mod types;
mod write;

pub use dialect::Options as TextOptions;
pub use extent::{Extent, extents};
pub use format::{Format, Target};
pub use grid::{Grid, Values};
pub use inputs::is_same;
pub use missing::median;
pub use read::{read, read_bytes};
pub use spilled::Spilled;
pub use store::{Limit, STDIN};
pub use table::{Aside, Codes, Picks, Table};
pub use write::{Added, Extra};

use std::path::{Path, PathBuf};

pub use crate::args_input::{Encode, Missing};

/// Rows that tell what the columns of a file hold, before it is read whole.
const SAMPLE: usize = 1000;
/// Names in a message before it says "and so many more".
const NAMES_SHOWN: usize = 8;
/// Longest cell in a message.
const LONGEST: usize = 40;

/// Which columns are used, and how.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Only these.
    pub columns: Option<Vec<String>>,
    /// Not these.
    pub exclude: Vec<String>,
    /// The one that names rows.
    pub id: Option<String>,
    /// The one that holds labels.
    pub label: Option<String>,
    /// The one that holds groups.
    pub group: Option<String>,
    /// The one that says how much rows count.
    pub weights: Option<String>,
    /// How text becomes numbers.
    pub encode: Option<Encode>,
    /// True if true and false are numbers.
    pub truths: bool,
    /// True if dates are numbers.
    pub dates: bool,
}

/// What is read, and how.
#[derive(Debug, Clone)]
pub struct Reading<'a> {
    /// The files.
    pub inputs: &'a [PathBuf],
    /// Their format, if it is told.
    pub format: Option<Format>,
    /// What is told about text files.
    pub text: TextOptions,
    /// The array of an archive of arrays.
    pub array: Option<&'a str>,
    /// How much may be unpacked.
    pub limit: Limit,
    /// The folder for what does not fit into memory; none if everything has to.
    pub scratch: Option<&'a Path>,
    /// The columns.
    pub choice: Choice,
    /// What is done about missing values.
    pub missing: Missing,
}

/// The name of column `column` where the file has none.
pub fn heading(column: usize) -> String {
    format!("f{column}")
}

/// The first names, and how many there are besides.
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let shown = names.len().min(NAMES_SHOWN);
    let more = if names.len() > shown { format!(" and {} more", names.len() - shown) } else { String::new() };
    let first: Vec<String> = names[..shown].iter().map(|name| cut(name.as_ref())).collect();
    format!("{}{more}", first.join(", "))
}

/// Text for people, cut if it is long.
fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}

/// The extension without that of a packer, in lower case.
fn bare_extension(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let bare = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    Some(bare.rsplit_once('.')?.1.to_owned())
}

/// What counting the values of a typed column would tell about its kind.
fn seen_of(data_type: &arrow_schema::DataType) -> frame::Seen {
    let kind = arrow::kind(data_type);
    let mut seen = frame::Seen { nested: kind == frame::Kind::Nested, ..frame::Seen::default() };
    match kind {
        frame::Kind::Number => seen.numbers = 1,
        frame::Kind::Truth => seen.truths = 1,
        frame::Kind::Date => seen.dates = 1,
        frame::Kind::Text => seen.texts = 1,
        frame::Kind::Empty | frame::Kind::Nested => {}
    }
    seen
}
