//! Arrow IPC: files (Feather version 2) and streams.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};

use crate::TableError;
use crate::byte_source::{ByteReader, ByteSource, MemoryLimit};
use crate::chunks::{Chunk, ChunkedTable, ReadAs};
use crate::formats::arrow_columns;
use crate::untrusted::arrow_check;
use crate::untrusted::catch_panic::guarded;

/// The first bytes of an Arrow file; streams have no mark of their own.
pub const MAGIC: &[u8] = b"ARROW1";
/// The first bytes of a stream: a length that says "look behind".
pub const STREAM: &[u8] = b"\xff\xff\xff\xff";

/// An Arrow file or stream.
#[derive(Debug)]
pub struct ArrowFile {
    store: Arc<ByteSource>,
    path: PathBuf,
    is_file: bool,
    /// The columns.
    pub schema: SchemaRef,
    /// The number of rows that the batches announce.
    rows: u64,
    limit: MemoryLimit,
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

impl ArrowFile {
    /// Reads the description of the file.
    pub fn open(store: ByteSource, path: &Path, limit: MemoryLimit) -> Result<ArrowFile, TableError> {
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
    pub fn batches(&self, columns: Option<Vec<usize>>) -> Result<Batches, ArrowError> {
        Ok(if self.is_file {
            Box::new(FileReader::try_new(self.reader(), columns)?)
        } else {
            Box::new(StreamReader::try_new(self.reader(), columns)?)
        })
    }

    /// What the types of the columns tell.
    pub fn sample(&self) -> ChunkedTable {
        let mut frame = ChunkedTable::new(self.schema.fields().len());
        for (column, field) in self.schema.fields().iter().enumerate() {
            frame.seen[column] = crate::seen_of(field.data_type());
            frame.single[column] = arrow_columns::is_single(field);
        }
        frame
    }

    /// Reads what is wanted of each column into `frame`.
    pub fn read(
        &self,
        wants: &[ReadAs],
        frame: &mut ChunkedTable,
        tell: &mut dyn FnMut(u64, u64),
    ) -> Result<(), TableError> {
        let wanted = wants.iter().filter(|want| **want != ReadAs::Nothing).count();
        let fits = self.limit.check_values(self.rows, wanted);
        fits.map_err(|what| TableError::in_file(&self.path, what))?;
        frame.all_single(self.schema.fields().iter().map(|field| arrow_columns::is_single(field)));
        let (mut batches, mut refused) = (0, Ok(()));
        let read = || -> Result<(), ArrowError> {
            for batch in self.batches(None)? {
                let batch = batch?;
                batches += 1;
                tell(batches, 0);
                let limit = MemoryLimit { disk: false, ..self.limit };
                refused = limit
                    .check_values(batch.num_rows() as u64, wanted)
                    .map_err(|what| TableError::in_file(&self.path, format_args!("a batch of {what}")));
                if refused.is_err() {
                    break;
                }
                let columns = batch.columns().iter().zip(wants).map(|(array, &want)| arrow_columns::cells(array, want));
                let columns = columns.collect::<Result<_, _>>()?;
                refused = frame.add(Chunk { rows: batch.num_rows(), columns });
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

    /// These rows with all columns, in this order.
    pub fn batch(&self, rows: &[usize]) -> io::Result<RecordBatch> {
        let mut sorted = rows.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let found = caught(|| self.taken(&sorted))
            .map_err(|error| io::Error::other(format!("{} cannot be read: {error}", self.path.display())))?;
        reordered(&found, &sorted, rows)
    }

    /// These rows, which are sorted.
    fn taken(&self, sorted: &[usize]) -> Result<RecordBatch, ArrowError> {
        let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
        for batch in self.batches(None)? {
            let batch = batch?;
            let end = start + batch.num_rows();
            let count = sorted[at..].partition_point(|&row| row < end);
            let own = UInt64Array::from_iter_values(sorted[at..at + count].iter().map(|&row| (row - start) as u64));
            found.push(arrow_select::take::take_record_batch(&batch, &own)?);
            (at, start) = (at + count, end);
        }
        arrow_select::concat::concat_batches(&self.schema, &found)
    }

    fn broken(&self, error: &ArrowError) -> TableError {
        let text = error.to_string();
        broken(&self.path, text.split_once(": ").map_or(text.as_str(), |(_, what)| what))
    }

    /// Fails if the file is not what it was.
    pub fn check_unchanged(&self) -> Result<(), TableError> {
        self.store.check_unchanged()
    }
}

/// A panic of the reader is an error like the others.
fn caught<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    guarded(read).unwrap_or_else(|what| Err(ArrowError::IpcError(what)))
}

fn broken(path: &Path, what: &str) -> TableError {
    TableError::in_file(path, format_args!("is no whole Arrow file: {what}"))
}

/// The rows of `found`, which are those of `sorted`, in the order of `rows`.
pub fn reordered(found: &RecordBatch, sorted: &[usize], rows: &[usize]) -> io::Result<RecordBatch> {
    let place = |row: &usize| sorted.binary_search(row).map(|at| at as u64);
    let places: Result<Vec<u64>, usize> = rows.iter().map(place).collect();
    let places = places.map_err(|_| io::Error::other("a row is gone"))?;
    arrow_select::take::take_record_batch(found, &UInt64Array::from(places)).map_err(io::Error::other)
}
