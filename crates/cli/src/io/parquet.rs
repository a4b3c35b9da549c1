//! Parquet files: columns read in parallel, chosen rows brought back with all their columns.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::KeyValue;
use parquet::file::reader::{ChunkReader, Length};
use rayon::prelude::*;

use super::frame::{Cells, Frame, Piece, Want};
use super::guard::guarded;
use super::store::{At, Limit, Store};
use super::{arrow, parquet_check};
use crate::failure::Failure;

/// Rows a batch.
const BATCH: usize = 1 << 16;

/// A Parquet file.
#[derive(Debug)]
pub struct Parquet {
    store: Shared,
    path: PathBuf,
    metadata: ArrowReaderMetadata,
    limit: Limit,
    pub rows: usize,
    /// The columns.
    pub schema: SchemaRef,
}

/// The bytes, as the reader takes them; threads do not disturb each other.
#[derive(Debug, Clone)]
struct Shared(Arc<Store>);

impl Length for Shared {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for Shared {
    type T = io::BufReader<At>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(io::BufReader::new(At { store: self.0.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let end = start.checked_add(length as u64).filter(|&end| end <= self.0.len());
        let Some(end) = end else { return Err(ParquetError::EOF("it is cut off".to_owned())) };
        Ok(Bytes::from(self.0.slice(start, end)?))
    }
}

impl Parquet {
    /// Reads the description of the file.
    pub fn open(store: Store, path: &Path, limit: Limit) -> Result<Parquet, Failure> {
        parquet_check::description(&store, limit).map_err(|what| broken(path, &what))?;
        let store = Shared(Arc::new(store));
        let load = || -> ParquetResult<_> {
            let metadata = ArrowReaderMetadata::load(&store, ArrowReaderOptions::new())?;
            let rows = parquet_check::rows(metadata.metadata()).map_err(ParquetError::General)?;
            Ok((metadata, rows))
        };
        let (metadata, rows) = caught(load).map_err(|error| broken(path, &error))?;
        let schema = metadata.schema().clone();
        Ok(Parquet { store, path: path.to_owned(), metadata, limit, rows, schema })
    }

    fn builder(&self) -> ParquetRecordBatchReaderBuilder<Shared> {
        let rows = self.rows.clamp(1, BATCH);
        ParquetRecordBatchReaderBuilder::new_with_metadata(self.store.clone(), self.metadata.clone())
            .with_batch_size(rows)
    }

    fn projection(&self, columns: &[usize]) -> ProjectionMask {
        ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied())
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

    /// Reads what is wanted of each column: row group by row group, the columns of one at once.
    pub fn read(&self, wants: &[Want], tell: &mut dyn FnMut(u64, u64)) -> Result<Frame, Failure> {
        let wanted = wants.iter().filter(|want| **want != Want::Nothing).count();
        let fits = self.limit.check_values(self.rows as u64, wanted);
        fits.map_err(|what| Failure::in_file(&self.path, what))?;
        let mut frame = Frame::new(wants.len());
        frame.single = self.schema.fields().iter().map(|field| arrow::is_single(field)).collect();
        let groups = self.metadata.metadata().num_row_groups();
        for group in 0..groups {
            tell(group as u64, groups as u64);
            let columns: Result<Vec<Vec<Cells>>, Failure> = (0..wants.len())
                .into_par_iter()
                .map(|column| self.column(group, column, wants[column]).map_err(|error| broken(&self.path, &error)))
                .collect();
            add_pieces(&mut frame, columns?, wants).map_err(|error| broken(&self.path, &error))?;
        }
        self.store.0.check_unchanged()?;
        Ok(frame)
    }

    /// One column of a row group, batch by batch.
    fn column(&self, group: usize, column: usize, want: Want) -> ParquetResult<Vec<Cells>> {
        if want == Want::Nothing {
            return Ok(Vec::new());
        }
        let projection = self.projection(&[column]);
        self.check_pages(group, &projection)?;
        let announced = usize::try_from(self.metadata.metadata().row_group(group).num_rows())?;
        caught(|| {
            let reader = self.builder().with_row_groups(vec![group]).with_projection(projection).build()?;
            let (mut pieces, mut rows) = (Vec::new(), 0);
            for batch in reader {
                let batch = batch?;
                rows += batch.num_rows();
                if rows > announced {
                    break;
                }
                pieces.push(arrow::cells(batch.column(0), want)?);
            }
            if rows == announced { Ok(pieces) } else { Err(uneven(rows, announced)) }
        })
    }

    /// Fails if a length in these columns of a row group is broken.
    fn check_pages(&self, group: usize, columns: &ProjectionMask) -> ParquetResult<()> {
        let chunks = self.metadata.metadata().row_group(group).columns();
        let mut chunks = chunks.iter().enumerate().filter(|(leaf, _)| columns.leaf_included(*leaf));
        let check = |(_, chunk)| parquet_check::pages(&self.store.0, chunk, self.limit);
        chunks.try_for_each(check).map_err(ParquetError::General)
    }

    /// These rows with all columns, in this order.
    pub fn batch(&self, rows: &[usize]) -> io::Result<RecordBatch> {
        let failed = |error| io::Error::other(format!("{} {}", self.path.display(), not_whole(&error)));
        let mut sorted = rows.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        for group in 0..self.metadata.metadata().num_row_groups() {
            self.check_pages(group, &ProjectionMask::all()).map_err(failed)?;
        }
        let read = || -> ParquetResult<Vec<RecordBatch>> {
            let ranges = sorted.iter().map(|&row| row..row + 1);
            let selection = RowSelection::from_consecutive_ranges(ranges, self.rows);
            let reader = self.builder().with_row_selection(selection).build()?;
            Ok(reader.collect::<Result<_, _>>()?)
        };
        let batches = caught(read).map_err(failed)?;
        let found = arrow_select::concat::concat_batches(&self.schema, &batches).map_err(io::Error::other)?;
        super::arrow_file::reordered(&found, &sorted, rows)
    }

    /// What the file says about itself besides its schema.
    pub fn key_values(&self) -> Option<Vec<KeyValue>> {
        let all = self.metadata.metadata().file_metadata().key_value_metadata()?;
        Some(all.iter().filter(|pair| pair.key != "ARROW:schema").cloned().collect())
    }

    /// How the first column is packed.
    pub fn compression(&self) -> parquet::basic::Compression {
        let metadata = self.metadata.metadata();
        let first = metadata.row_groups().first().and_then(|group| group.columns().first());
        first.map_or(parquet::basic::Compression::SNAPPY, |column| column.compression())
    }

    /// Fails if the file is not what it was.
    pub fn check_unchanged(&self) -> Result<(), Failure> {
        self.store.0.check_unchanged()
    }
}

/// Turns columns in batches into pieces; columns that were not read have no batches.
fn add_pieces(frame: &mut Frame, columns: Vec<Vec<Cells>>, wants: &[Want]) -> ParquetResult<()> {
    let count = columns.iter().map(Vec::len).max().unwrap_or_default();
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    for _ in 0..count {
        let cells: Vec<Cells> = columns
            .iter_mut()
            .zip(wants)
            .map(|(column, &want)| column.next().unwrap_or_else(|| Cells::new(want)))
            .collect();
        let rows = cells.iter().map(Cells::len).max().unwrap_or_default();
        if let Some((odd, _)) =
            cells.iter().zip(wants).find(|(cells, want)| **want != Want::Nothing && cells.len() < rows)
        {
            return Err(uneven(odd.len(), rows));
        }
        frame.add(Piece { rows, columns: cells });
    }
    Ok(())
}

/// A panic of the reader is an error like the others.
fn caught<T>(read: impl FnOnce() -> ParquetResult<T>) -> ParquetResult<T> {
    guarded(read).unwrap_or_else(|what| Err(ParquetError::General(what)))
}

fn uneven(found: usize, announced: usize) -> ParquetError {
    ParquetError::General(format!("a column has {found} rows or more, but {announced} are announced"))
}

fn broken(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::in_file(path, not_whole(error))
}

fn not_whole(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    let what = ["External: ", "Parquet argument error: ", "Parquet error: ", "EOF: "];
    let what = what.iter().fold(text.as_str(), |text, start| text.trim_start_matches(start));
    format!("is no whole Parquet file: {what}")
}
