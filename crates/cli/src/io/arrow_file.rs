//! Arrow IPC: files (Feather version 2) and streams.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};

use super::arrow;
use super::frame::{Frame, Piece, Want};
use super::store::{At, Store};
use crate::failure::Failure;

/// The first bytes of an Arrow file; streams have no mark of their own.
pub const MAGIC: &[u8] = b"ARROW1";
/// The first bytes of a stream: a length that says "look behind".
pub const STREAM: &[u8] = b"\xff\xff\xff\xff";

/// An Arrow file or stream.
#[derive(Debug)]
pub struct ArrowFile {
    store: Arc<Store>,
    path: PathBuf,
    is_file: bool,
    /// The columns.
    pub schema: SchemaRef,
    /// Rows of each batch, once they were read.
    batches: Vec<usize>,
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

impl ArrowFile {
    /// Reads the description of the file.
    pub fn open(store: Store, path: &Path) -> Result<ArrowFile, Failure> {
        let start = store.start(MAGIC.len()).unwrap_or_default();
        if start.starts_with(b"FEA1") {
            let what = "is a Feather file of version 1, which is not read; write it again with a newer pyarrow";
            return Err(Failure::in_file(path, what));
        }
        let is_file = start == MAGIC;
        let empty = Arc::new(arrow_schema::Schema::empty());
        let mut file =
            ArrowFile { store: Arc::new(store), path: path.to_owned(), is_file, schema: empty, batches: Vec::new() };
        let reader = |at: BufReader<At>| -> Result<SchemaRef, ArrowError> {
            Ok(if is_file {
                FileReader::try_new(at, None)?.schema()
            } else {
                StreamReader::try_new(at, None)?.schema()
            })
        };
        file.schema = reader(file.reader()).map_err(|error| file.broken(&error))?;
        Ok(file)
    }

    fn reader(&self) -> BufReader<At> {
        BufReader::with_capacity(1 << 20, At { store: self.store.clone(), at: 0 })
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
    pub fn sample(&self) -> Frame {
        let mut frame = Frame::new(self.schema.fields().len());
        for (column, field) in self.schema.fields().iter().enumerate() {
            frame.seen[column] = super::seen_of(field.data_type());
            frame.single[column] = arrow::is_single(field);
        }
        frame
    }

    /// Reads what is wanted of each column.
    pub fn read(&mut self, wants: &[Want], tell: &mut dyn FnMut(u64, u64)) -> Result<Frame, Failure> {
        let mut frame = Frame::new(wants.len());
        frame.single = self.schema.fields().iter().map(|field| arrow::is_single(field)).collect();
        let mut batches = Vec::new();
        let mut read = || -> Result<(), ArrowError> {
            for batch in self.batches(None)? {
                let batch = batch?;
                tell(batches.len() as u64, 0);
                let columns = batch.columns().iter().zip(wants).map(|(array, &want)| arrow::cells(array, want));
                let columns = columns.collect::<Result<_, _>>()?;
                batches.push(batch.num_rows());
                frame.add(Piece { rows: batch.num_rows(), columns });
            }
            Ok(())
        };
        read().map_err(|error| self.broken(&error))?;
        self.store.check_unchanged()?;
        self.batches = batches;
        Ok(frame)
    }

    /// These rows with all columns, in this order.
    pub fn batch(&self, rows: &[usize]) -> io::Result<RecordBatch> {
        let mut sorted = rows.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
        for batch in self.batches(None).map_err(io::Error::other)? {
            let batch = batch.map_err(io::Error::other)?;
            let end = start + batch.num_rows();
            let count = sorted[at..].partition_point(|&row| row < end);
            let own = UInt64Array::from_iter_values(sorted[at..at + count].iter().map(|&row| (row - start) as u64));
            found.push(arrow_select::take::take_record_batch(&batch, &own).map_err(io::Error::other)?);
            (at, start) = (at + count, end);
        }
        let found = arrow_select::concat::concat_batches(&self.schema, &found).map_err(io::Error::other)?;
        reordered(&found, &sorted, rows)
    }

    fn broken(&self, error: &ArrowError) -> Failure {
        let text = error.to_string();
        let what = text.split_once(": ").map_or(text.as_str(), |(_, what)| what);
        Failure::in_file(&self.path, format_args!("is no whole Arrow file: {what}"))
    }

    /// Fails if the file is not what it was.
    pub fn check_unchanged(&self) -> Result<(), Failure> {
        self.store.check_unchanged()
    }
}

/// The rows of `found`, which are those of `sorted`, in the order of `rows`.
pub fn reordered(found: &RecordBatch, sorted: &[usize], rows: &[usize]) -> io::Result<RecordBatch> {
    let place = |row: &usize| sorted.binary_search(row).map(|at| at as u64);
    let places: Result<Vec<u64>, usize> = rows.iter().map(place).collect();
    let places = places.map_err(|_| io::Error::other("a row is gone"))?;
    arrow_select::take::take_record_batch(found, &UInt64Array::from(places)).map_err(io::Error::other)
}
