//! What a format has to do: open a file, and write rows and columns.

use std::any::Any;
use std::fmt::Debug;
use std::io::{self, Write};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use crate::byte_source::ByteSource;
use crate::chunks::{ChunkedTable, ReadAs};
use crate::column_kinds::ColumnKind;
use crate::output_types::{OutputType, typed_batch};
use crate::read::ReadContext;
use crate::source::Source;
use crate::write::ExtraColumns;
use crate::{Matrix, TableError};

/// Called with how much has been read and how much there is; a total of 0 means that it is not known.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// A format: how it is recognised, read and written.
pub trait FileFormat: Debug + Sync {
    /// The name by which `--format` chooses it.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn help(&self) -> &'static str;

    /// Extensions in lower case, those that messages name.
    fn extensions(&self) -> &[&'static str];

    /// Further extensions, which messages leave out.
    fn other_extensions(&self) -> &[&'static str] {
        &[]
    }

    /// Bytes that a file of this format begins with, if it has such a mark.
    fn magic(&self) -> &'static [&'static [u8]] {
        &[]
    }

    /// True if a file without any mark that begins with `start` is probably of this format.
    fn looks_like(&self, _start: &[u8]) -> bool {
        false
    }

    /// True if reading the start of a file tells about how many rows it has.
    fn is_probed(&self) -> bool {
        true
    }

    /// The options of reading that mean something in such files and not in all: see [`ReadOptions::of_some_formats`].
    ///
    /// [`ReadOptions::of_some_formats`]: crate::ReadOptions::of_some_formats
    fn reads_by(&self) -> &'static [&'static str] {
        &[]
    }

    /// True if files of this format are zip archives.
    fn is_archive(&self) -> bool {
        false
    }

    /// Opens the file `path`, whose bytes are `bytes`.
    fn open(
        &self,
        bytes: ByteSource,
        path: &Path,
        context: &ReadContext<'_>,
        progress: Progress<'_>,
    ) -> Result<Box<dyn TableFile>, TableError>;

    /// Why files of this format are not written, if they are not.
    fn not_written(&self) -> Option<&'static str> {
        None
    }

    /// The same format with cells that no spreadsheet takes for formulas, where its files are opened by spreadsheets.
    fn without_formulas(&self) -> Option<&'static dyn FileFormat> {
        None
    }

    /// Why a column that holds `kind` cannot be written, if it cannot.
    fn refuses(&self, _kind: ColumnKind) -> Option<&'static str> {
        None
    }

    /// Writes rows as they stand in files of this format; `None` if the files are of another one, or cannot be mixed.
    fn copy_rows(
        &self,
        _source: &Source,
        _out: &mut dyn Write,
        _rows: &[usize],
        _extra: &ExtraColumns,
    ) -> Option<io::Result<()>> {
        None
    }

    /// As [`copy_rows`](FileFormat::copy_rows), for columns of all rows.
    fn copy_columns(&self, _source: &Source, _out: &mut dyn Write, _columns: &[usize]) -> Option<io::Result<()>> {
        None
    }

    /// Writes a batch of typed columns; `source` is where they came from.
    fn write_batch(&self, source: &Source, out: &mut dyn Write, batch: &RecordBatch) -> io::Result<()>;
}

/// About how many rows a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowCount {
    /// The rows.
    pub rows: u64,
    /// False if they are an estimate.
    pub exact: bool,
    /// Bytes that reading keeps in memory besides the values.
    pub held: u64,
    /// Values of a row in the columns that are read, if it is not one a column.
    pub values: Option<u64>,
}

/// An open file of some format. Rows are counted from 0 within the file.
pub trait TableFile: Debug + Any {
    /// The names of all columns.
    fn headings(&self) -> Vec<String>;

    /// True if the file names its columns.
    fn has_names(&self) -> bool {
        true
    }

    /// The schema, where the format has one.
    fn schema(&self) -> Option<&Schema> {
        None
    }

    /// The type of all values, where the file is an array of numbers.
    fn element_type(&self) -> Option<OutputType> {
        None
    }

    /// The type of a column without a schema, where the file knows it without reading on.
    fn column_type(&self, _column: usize) -> Option<OutputType> {
        None
    }

    /// The names of columns that other files of the table may lack: all files get the names of all.
    fn optional_columns(&mut self) -> Option<&mut Vec<String>> {
        None
    }

    /// What a sample of the rows holds, or what the schema says about all of them.
    fn sample(&self) -> Result<ChunkedTable, TableError>;

    /// How many rows the file has; `None` if it has to be read to know.
    fn row_count(&self, sample: &ChunkedTable, read_as: &[ReadAs]) -> Option<RowCount>;

    /// Reads what is wanted of each column into `table`.
    fn read(&mut self, read_as: &[ReadAs], table: &mut ChunkedTable, progress: Progress<'_>) -> Result<(), TableError>;

    /// All values at once, where the file is an array of numbers.
    fn dense(&self, _progress: Progress<'_>) -> Result<Option<Matrix>, TableError> {
        Ok(None)
    }

    /// All values where they lie in the file, where it is an array of numbers that can be read row by row; new rows that are
    /// made of them go to `folder`.
    fn on_disk(&self, _folder: &Path) -> Result<Option<Matrix>, TableError> {
        Ok(None)
    }

    /// Bytes of a value that is read where it lies, if [`on_disk`](TableFile::on_disk) gives all of them.
    fn stored_bytes(&self) -> Option<u64> {
        None
    }

    /// True if all values at once are a sparse matrix.
    fn is_sparse(&self) -> bool {
        false
    }

    /// Calls `take` with all rows of these columns, ascending, some rows at a time, where the file has a schema.
    fn batches(
        &self,
        _columns: &[usize],
        _take: &mut dyn FnMut(&RecordBatch) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        Ok(())
    }

    /// The cells of these rows as text for people.
    fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>>;

    /// These rows with all columns, in this order. Columns without a type in the file get those of `types`.
    fn batch(&self, rows: &[usize], headings: &[String], types: &[OutputType]) -> io::Result<RecordBatch> {
        typed_batch(headings, types, &self.cells(rows)?)
    }

    /// Where a row stands, in words.
    fn place(&self, row: usize) -> String {
        format!("row {row} (from 0)")
    }

    /// What was found out about the file and may be wrong, such as whether its first line holds names.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Fails if the file changed since it was opened.
    fn check_unchanged(&self) -> Result<(), TableError>;
}
