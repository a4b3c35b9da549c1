//! Tables from files: formats, column roles, encoding, missing values, scaling, matrices in memory or on disk.
//!
//! The command line and the Python package both read and write their tables through this crate. It knows nothing of
//! terminals: errors are values with a one-line message, and progress goes to a function that the caller passes in.

mod by_name;
pub mod byte_size;
mod byte_source;
pub mod checkpoint;
pub mod checksum;
mod chunks;
mod disk_matrix;
mod disk_writer;
mod encode;
mod error;
mod field;
mod formats;
pub mod free_memory;
#[doc(hidden)]
pub mod fuzzing;
mod input_paths;
mod matrix;
mod missing;
mod multi_file;
mod number_stats;
pub mod number_text;
pub mod numeric_view;
mod output_types;
mod read;
mod scaling;
mod schema;
pub mod scratch;
mod shape_probe;
mod source;
mod table;
mod untrusted;
mod write;

pub use by_name::ByName;
pub use byte_source::{MemoryLimit, STDIN};
pub use disk_matrix::DiskMatrix;
pub use encode::Encode;
pub use error::TableError;
pub use formats::csv_dialect::Options as TextOptions;
pub use formats::{Format, OutputFormat};
pub use input_paths::is_same;
pub use matrix::{DenseMatrix, Matrix};
pub use missing::{Missing, median};
pub use read::{read, read_bytes};
pub use scaling::{Scale, columns as scale};
pub use shape_probe::{TableShape, probe_shape};
pub use table::{Categories, Picks, SideColumns, Table};
pub use write::{ExtraColumns, ExtraValues};

use std::path::{Path, PathBuf};

/// Rows that tell what the columns of a file hold, before it is read whole.
const SAMPLE: usize = 1000;
/// Names in a message before it says "and so many more".
const NAMES_SHOWN: usize = 8;
/// Longest cell in a message.
const LONGEST: usize = 40;

/// Which columns are used, and how.
#[derive(Debug, Clone, Default)]
pub struct ColumnOptions {
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
#[derive(Debug, Clone, Default)]
pub struct ReadOptions<'a> {
    /// The files.
    pub inputs: &'a [PathBuf],
    /// Their format, if it is told.
    pub format: Option<Format>,
    /// What is told about text files.
    pub text: TextOptions,
    /// The array of an archive of arrays.
    pub array: Option<&'a str>,
    /// How much may be unpacked.
    pub limit: MemoryLimit,
    /// The folder for what does not fit into memory; none if everything has to.
    pub scratch: Option<&'a Path>,
    /// The columns.
    pub choice: ColumnOptions,
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
fn seen_of(data_type: &arrow_schema::DataType) -> chunks::KindCounts {
    let kind = formats::arrow_columns::kind(data_type);
    let mut seen = chunks::KindCounts { nested: kind == chunks::ColumnKind::Nested, ..chunks::KindCounts::default() };
    match kind {
        chunks::ColumnKind::Number => seen.numbers = 1,
        chunks::ColumnKind::Truth => seen.truths = 1,
        chunks::ColumnKind::Date => seen.dates = 1,
        chunks::ColumnKind::Text => seen.texts = 1,
        chunks::ColumnKind::Empty | chunks::ColumnKind::Nested => {}
    }
    seen
}
