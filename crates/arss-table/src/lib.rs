//! Tables from files: formats, column roles, encoding, missing values, scaling, matrices in memory or on disk.
//!
//! The command line and the Python package both read and write their tables through this crate. It knows nothing of
//! terminals: errors are values with a one-line message, and progress goes to a function that the caller passes in.

// What comes from outside ends in an error, never in a panic. An index that stays has its reason beside it.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]

mod by_name;
pub mod byte_size;
mod byte_source;
pub mod checkpoint;
#[expect(clippy::indexing_slicing, reason = "columns are numbered by the table, whose lists have one entry for each")]
mod checks;
pub mod checksum;
#[expect(
    clippy::indexing_slicing,
    reason = "columns are numbered by the table, rows by the chunk, and codes by the dictionary that gave them"
)]
mod chunks;
mod column_kinds;
#[expect(clippy::indexing_slicing, reason = "blocks and rows are cut by the shape of the matrix")]
mod column_measures;
mod column_roles;
#[expect(clippy::indexing_slicing, reason = "codes are numbers of names, and there is a count for each name")]
mod dictionary;
#[expect(clippy::indexing_slicing, reason = "blocks and rows are cut by the shape of the matrix")]
mod disk_matrix;
#[expect(clippy::indexing_slicing, reason = "columns are numbered by the table, whose lists have one entry for each")]
mod disk_writer;
#[expect(
    clippy::indexing_slicing,
    reason = "columns are numbered by the table, and codes by the dictionary that gave them"
)]
mod encode;
mod error;
#[expect(clippy::indexing_slicing, reason = "columns are numbered by the table, whose lists have one entry for each")]
mod feature_plan;
mod field;
mod file_state;
mod formats;
mod formula_cells;
pub mod free_memory;
#[doc(hidden)]
#[expect(clippy::panic, clippy::indexing_slicing, reason = "a fuzz target says what it found by a panic")]
pub mod fuzzing;
mod given;
mod input_paths;
mod limited_copy;
#[expect(clippy::indexing_slicing, reason = "blocks and rows are cut by the shape of the matrix")]
mod matrix;
#[expect(clippy::indexing_slicing, reason = "rows and columns are those of the matrix")]
mod missing;
mod model_file;
mod multi_file;
#[expect(
    clippy::indexing_slicing,
    reason = "columns are numbered by the table, whose lists have one entry for each; rows are cut by their number"
)]
mod number_rows;
#[expect(clippy::indexing_slicing, reason = "places within a block of a fixed size, or of values that are not empty")]
mod number_stats;
pub mod number_text;
pub mod numeric_view;
pub mod option_values;
mod options;
#[expect(clippy::indexing_slicing, reason = "columns are numbered by the table, whose lists have one entry for each")]
mod output_types;
mod partitioned;
#[expect(
    clippy::indexing_slicing,
    reason = "a model has as many columns as its preparation (`ModelFile::from_bytes`), and a table as many as it says"
)]
mod preparation;
pub mod private_files;
#[expect(clippy::indexing_slicing, reason = "columns are numbered by the table, whose lists have one entry for each")]
mod read;
#[expect(clippy::indexing_slicing, reason = "columns are numbered by the table, whose lists have one entry for each")]
mod read_column;
#[expect(clippy::indexing_slicing, reason = "blocks and rows are cut by the shape of the matrix")]
mod row_lengths;
#[expect(clippy::indexing_slicing, reason = "blocks and rows are cut by the shape of the matrix")]
mod scaling;
#[expect(clippy::indexing_slicing, reason = "columns are numbered by the table, whose lists have one entry for each")]
mod schema;
pub mod scratch;
#[expect(clippy::indexing_slicing, reason = "columns are numbered by the table, whose lists have one entry for each")]
mod shape_probe;
mod source;
mod sparse_matrix;
#[expect(clippy::indexing_slicing, reason = "columns are numbered by the table, whose lists have one entry for each")]
mod table;
mod text;
mod text_column;
mod untrusted;
#[expect(clippy::indexing_slicing, reason = "rows and places lie within what `push` and `pad` made")]
mod vectors;
mod whole_file;
#[expect(clippy::indexing_slicing, reason = "columns are numbered by the table, whose lists have one entry for each")]
mod write;
mod written_number;
mod zip_member;

pub use by_name::ByName;
pub use byte_source::STDIN;
pub use column_roles::{ColumnInfo, ColumnRole};
pub use disk_matrix::DiskMatrix;
pub use encode::Encode;
pub use error::TableError;
pub use formats::file_format::Progress;
pub use formats::npy::write_indices;
pub use formats::text_encoding::TextEncoding;
pub use formats::{Format, OutputFormat, read_extensions};
pub use formula_cells::without_formula;
pub use given::CellsOf;
pub use input_paths::is_same;
pub use matrix::{DenseMatrix, Matrix, MatrixValues};
pub use missing::{Missing, median};
pub use model_file::{About, ModelFile};
pub use options::ReadOptions;
pub use preparation::{Encoding, Preparation, PreparedColumn};
pub use read::{open, open_with_progress, read_bytes};
pub use read_column::open_column;
pub use row_lengths::unit_rows;
pub use scaling::{ColumnScale, Scale, rescale_values, scale, scale_values};
pub use shape_probe::{TableShape, probe_shape};
pub use sparse_matrix::SparseMatrix;
pub use table::{Categories, Picks, SideColumns, Table};
pub use text::counted;
pub use text_column::{WrittenAs, WrittenNumbers};
pub use untrusted::catch_panic::guarded;
pub use whole_file::{read_at_most, read_whole};
pub use write::{ExtraColumns, ExtraValues};
