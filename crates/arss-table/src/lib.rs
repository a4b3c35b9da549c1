//! Tables from files: formats, column roles, encoding, missing values, scaling, matrices in memory or on disk.
//!
//! The command line and the Python package both read and write their tables through this crate. It knows nothing of
//! terminals: errors are values with a one-line message, and progress goes to a function that the caller passes in.

// What comes from outside ends in an error, never in a panic. Indices remain: they are bounded by what was checked before.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo)
)]

mod by_name;
pub mod byte_size;
mod byte_source;
pub mod checkpoint;
mod checks;
pub mod checksum;
mod chunks;
mod column_kinds;
mod column_measures;
mod column_roles;
mod dictionary;
mod disk_matrix;
mod disk_writer;
mod encode;
mod error;
mod feature_plan;
mod field;
mod file_state;
mod formats;
mod formula_cells;
pub mod free_memory;
#[doc(hidden)]
#[expect(clippy::panic, reason = "a fuzz target says what it found by a panic")]
pub mod fuzzing;
mod given;
mod input_paths;
mod limited_copy;
mod matrix;
mod missing;
mod model_file;
mod multi_file;
mod number_rows;
mod number_stats;
pub mod number_text;
pub mod numeric_view;
pub mod option_values;
mod options;
mod output_types;
mod partitioned;
mod preparation;
pub mod private_files;
mod read;
mod read_column;
mod row_lengths;
mod scaling;
mod schema;
pub mod scratch;
mod shape_probe;
mod source;
mod sparse_matrix;
mod table;
mod text;
mod text_column;
mod untrusted;
mod vectors;
mod whole_file;
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
