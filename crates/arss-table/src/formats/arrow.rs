//! Arrow IPC: files (Feather version 2) and streams.

use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Schema, SchemaRef};

use crate::TableError;
use crate::byte_source::{ByteReader, ByteSource};
use crate::chunks::{Chunk, ChunkedTable, ReadAs};
use crate::formats::arrow_columns;
use crate::formats::file_format::{FileFormat, Progress, RowCount, TableFile};
use crate::output_types::OutputType;
use crate::read::ReadContext;
use crate::source::Source;
use crate::untrusted::arrow_check;
use crate::untrusted::catch_panic::guarded;
use crate::untrusted::limit::MemoryLimit;

/// The first bytes of an Arrow file; streams have no mark of their own.
pub const MAGIC: &[u8] = b"ARROW1";
/// The first bytes of a stream: a length that says "look behind".
const STREAM: &[u8] = b"\xff\xff\xff\xff";

/// An Arrow file or stream.
#[derive(Debug)]
pub struct ArrowFile {
    store: Arc<ByteSource>,
    path: PathBuf,
    is_file: bool,
    /// The columns.
    schema: SchemaRef,
    /// The number of rows that the batches announce.
    rows: u64,
    limit: MemoryLimit,
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

impl ArrowFile {
    /// Reads the description of the file.
    fn open(store: ByteSource, path: &Path, limit: MemoryLimit) -> Result<ArrowFile, TableError> {
        let start = store.start(MAGIC.len()).unwrap_or_default();
        if start.starts_with(b"FEA1") {
            let what = "is a Feather file of version 1, which is not read; write it again with a newer pyarrow";
            return Err(TableError::in_file(path, what));
        }
        let is_file = start == MAGIC;
        let checked = if is_file { arrow_check::file(&store, limit) } else { arrow_check::stream(&store, limit) };
        let rows = checked.map_err(|what| broken(path, &what))?;
        let schema = Arc::new(arrow_schema::Schema::empty());
        let mut file = ArrowFile { store: Arc::new(store), path: path.to_owned(), is_file, schema, rows, limit };
        let schema = || -> Result<SchemaRef, ArrowError> {
            Ok(if is_file {
                FileReader::try_new(file.reader(), None)?.schema()
            } else {
                StreamReader::try_new(file.reader(), None)?.schema()
            })
        };
        file.schema = caught(schema).map_err(|error| file.broken(&error))?;
        Ok(file)
    }

    fn reader(&self) -> BufReader<ByteReader> {
        BufReader::with_capacity(1 << 20, ByteReader { store: self.store.clone(), at: 0 })
    }

    /// All batches, with these columns only.
    fn readers(&self, columns: Option<Vec<usize>>) -> Result<Batches, ArrowError> {
        Ok(if self.is_file {
            Box::new(FileReader::try_new(self.reader(), columns)?)
        } else {
            Box::new(StreamReader::try_new(self.reader(), columns)?)
        })
    }

    /// These rows with all columns, in this order.
    fn rows_of(&self, rows: &[usize]) -> io::Result<RecordBatch> {
        let mut sorted = rows.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let found = caught(|| self.taken(&sorted))
            .map_err(|error| io::Error::other(format!("{} cannot be read: {error}", self.path.display())))?;
        arrow_columns::reordered(&found, &sorted, rows)
    }

    /// These rows, which are sorted.
    fn taken(&self, sorted: &[usize]) -> Result<RecordBatch, ArrowError> {
        let (mut found, mut start, mut left) = (Vec::new(), 0, sorted);
        for batch in self.readers(None)? {
            let batch = batch?;
            let end = start + batch.num_rows();
            let (inside, behind) = left.split_at(left.partition_point(|&row| row < end));
            let own = UInt64Array::from_iter_values(inside.iter().map(|&row| (row - start) as u64));
            found.push(arrow_select::take::take_record_batch(&batch, &own)?);
            (left, start) = (behind, end);
        }
        arrow_select::concat::concat_batches(&self.schema, &found)
    }

    fn broken(&self, error: &ArrowError) -> TableError {
        let text = error.to_string();
        broken(&self.path, text.split_once(": ").map_or(text.as_str(), |(_, what)| what))
    }
}

impl TableFile for ArrowFile {
    fn headings(&self) -> Vec<String> {
        arrow_columns::headings(&self.schema)
    }

    fn schema(&self) -> Option<&Schema> {
        Some(&self.schema)
    }

    fn sample(&self) -> Result<ChunkedTable, TableError> {
        Ok(arrow_columns::schema_counts(&self.schema))
    }

    fn row_count(&self, _: &ChunkedTable, _: &[ReadAs]) -> Option<RowCount> {
        None
    }

    fn read(&mut self, read_as: &[ReadAs], table: &mut ChunkedTable, progress: Progress<'_>) -> Result<(), TableError> {
        let wanted = read_as.iter().filter(|read_as| **read_as != ReadAs::Nothing).count();
        let fits = self.limit.check_values(self.rows, wanted);
        fits.map_err(|what| TableError::in_file(&self.path, what))?;
        table.expected = table.rows + usize::try_from(self.rows).unwrap_or_default();
        table.all_single(self.schema.fields().iter().map(|field| arrow_columns::is_single(field)));
        let (mut batches, mut refused) = (0, Ok(()));
        let read = || -> Result<(), ArrowError> {
            for batch in self.readers(None)? {
                let batch = batch?;
                batches += 1;
                progress(batches, 0);
                let limit = MemoryLimit { disk: false, ..self.limit };
                refused = limit
                    .check_values(batch.num_rows() as u64, wanted)
                    .map_err(|what| TableError::in_file(&self.path, format_args!("a batch of {what}")));
                if refused.is_err() {
                    break;
                }
                let (rows, columns) = arrow_columns::batch_cells(batch, read_as.iter().copied(), true)?;
                refused = table.add(Chunk { rows, columns });
                if refused.is_err() {
                    break;
                }
            }
            Ok(())
        };
        caught(read).map_err(|error| self.broken(&error))?;
        refused?;
        self.store.check_unchanged()
    }

    fn batches(
        &self,
        columns: &[usize],
        take: &mut dyn FnMut(&RecordBatch) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let mut refused = Ok(());
        let read = || -> Result<(), ArrowError> {
            for batch in self.readers(Some(columns.to_vec()))? {
                refused = take(&batch?);
                if refused.is_err() {
                    break;
                }
            }
            Ok(())
        };
        caught(read).map_err(|error| self.broken(&error))?;
        refused?;
        self.store.check_unchanged()
    }

    fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        arrow_columns::rows(&self.rows_of(rows)?)
    }

    fn batch(&self, rows: &[usize], _: &[String], _: &[OutputType]) -> io::Result<RecordBatch> {
        self.rows_of(rows)
    }

    fn check_unchanged(&self) -> Result<(), TableError> {
        self.store.check_unchanged()
    }
}

/// Arrow IPC.
#[derive(Debug)]
pub struct Arrow;

impl FileFormat for Arrow {
    fn name(&self) -> &'static str {
        "arrow"
    }

    fn help(&self) -> &'static str {
        "Arrow IPC, Feather version 2"
    }

    fn extensions(&self) -> &[&'static str] {
        &["arrow", "feather"]
    }

    fn other_extensions(&self) -> &[&'static str] {
        &["ipc", "arrows"]
    }

    fn magic(&self) -> &'static [&'static [u8]] {
        &[MAGIC, STREAM]
    }

    fn is_probed(&self) -> bool {
        false
    }

    fn open(
        &self,
        bytes: ByteSource,
        path: &Path,
        context: &ReadContext<'_>,
        _: Progress<'_>,
    ) -> Result<Box<dyn TableFile>, TableError> {
        Ok(Box::new(ArrowFile::open(bytes, path, context.limit)?))
    }

    fn write_batch(&self, _: &Source, out: &mut dyn Write, batch: &RecordBatch) -> io::Result<()> {
        let mut writer = FileWriter::try_new(out, &batch.schema()).map_err(io::Error::other)?;
        writer.write(batch).and_then(|()| writer.finish()).map_err(io::Error::other)
    }
}

/// A panic of the reader is an error like the others.
fn caught<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    guarded(read).unwrap_or_else(|what| Err(ArrowError::IpcError(what)))
}

fn broken(path: &Path, what: &str) -> TableError {
    TableError::in_file(path, format_args!("is no whole Arrow file: {what}"))
}
