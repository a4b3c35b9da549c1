//! Parquet files: columns read in parallel, chosen rows brought back with all their columns.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue};
use parquet::file::properties::WriterProperties;
use rayon::prelude::*;

use crate::TableError;
use crate::byte_source::ByteSource;
use crate::chunks::{Chunk, ChunkedTable, ColumnChunk, ReadAs};
use crate::formats::arrow_columns;
use crate::formats::file_format::{FileFormat, Progress, RowCount, TableFile};
use crate::formats::parquet_bytes::Shared;
use crate::formats::parquet_columns::{keeps_order, widths};
use crate::output_types::OutputType;
use crate::read::ReadContext;
use crate::source::Source;
use crate::untrusted::catch_panic::guarded;
use crate::untrusted::limit::MemoryLimit;
use crate::untrusted::parquet_check;

/// What the pages of a column take while it is read (measured: 64 columns as pyarrow writes them take 150 MB).
const PAGES: u64 = 5 << 19;
/// Rows per batch, at most and at least.
const BATCH: usize = 1 << 16;
const LEAST: usize = 1024;
/// Bytes of the reader itself.
const READER: u64 = 8 << 20;
/// Readers of a row group: a column each, or several where there are more. Each looks at the whole schema.
const READERS: usize = 256;
/// Readers that each thread gets before progress is told: in a wide file all of them together take long.
const TURN: usize = 4;
/// Steps of progress in a row group.
const STEPS: u64 = 1000;

/// A Parquet file.
#[derive(Debug)]
pub struct ParquetFile {
    store: Shared,
    path: PathBuf,
    metadata: ArrowReaderMetadata,
    limit: MemoryLimit,
    rows: usize,
    /// The columns.
    schema: SchemaRef,
    /// About how many numbers a row of each has.
    widths: Vec<u64>,
}

/// The readers of a row group, each with its columns; opened when they are first read.
struct GroupReaders {
    group: usize,
    rows_at_once: usize,
    readers: Vec<(Vec<usize>, Option<ParquetRecordBatchReader>)>,
}

impl ParquetFile {
    /// Reads the description of the file.
    fn open(store: ByteSource, path: &Path, limit: MemoryLimit) -> Result<ParquetFile, TableError> {
        parquet_check::description(&store, limit).map_err(|what| broken(path, &what))?;
        let store = Shared(Arc::new(store));
        let load = || -> ParquetResult<_> {
            let metadata = ArrowReaderMetadata::load(&store, ArrowReaderOptions::new())?;
            let rows = parquet_check::rows(metadata.metadata()).map_err(ParquetError::General)?;
            Ok((metadata, rows))
        };
        let (metadata, rows) = caught(load).map_err(|error| broken(path, &error))?;
        let (schema, widths) = (metadata.schema().clone(), widths(&metadata, rows));
        Ok(ParquetFile { store, path: path.to_owned(), metadata, limit, rows, schema, widths })
    }

    fn builder(&self) -> ParquetRecordBatchReaderBuilder<Shared> {
        let rows = self.rows.clamp(1, BATCH);
        ParquetRecordBatchReaderBuilder::new_with_metadata(self.store.clone(), self.metadata.clone())
            .with_batch_size(rows)
    }

    fn projection(&self, columns: &[usize]) -> ProjectionMask {
        ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied())
    }

    /// Reads a row group batch by batch, the columns of a batch at once: no more than a batch is in memory. `tell` gets how
    /// many [`STEPS`] are done.
    fn read_group(
        &self,
        group: usize,
        read_as: &[ReadAs],
        table: &mut ChunkedTable,
        tell: &mut dyn FnMut(u64),
    ) -> Result<(), TableError> {
        let failed = |error| broken(&self.path, &error);
        let announced = self.announced(group).map_err(failed)?;
        let rows_at_once = self.rows_at_once(read_as);
        let wanted: Vec<usize> = wanted(read_as).collect();
        let together: Vec<&[usize]> = wanted.chunks(wanted.len().div_ceil(READERS).max(1)).collect();
        let readers = together.iter().map(|columns| (columns.to_vec(), None)).collect();
        let mut readers = GroupReaders { group, rows_at_once, readers };
        let mut rows = 0;
        loop {
            let share = |part: f64| rows as f64 + part * rows_at_once.min(announced - rows) as f64;
            let step = |part: f64| (STEPS as f64 * share(part) / announced.max(1) as f64) as u64;
            let batch = self.next_batch(&mut readers, read_as, &mut |part| tell(step(part))).map_err(failed)?;
            let found = batch.iter().flatten().map(ColumnChunk::len).max().unwrap_or_default();
            rows += found;
            let short = batch.iter().zip(read_as).filter(|(_, read_as)| **read_as != ReadAs::Nothing);
            let short =
                short.map(|(cells, _)| cells.as_ref().map_or(0, ColumnChunk::len)).find(|&length| length < found);
            if let Some(short) = short {
                return Err(failed(uneven(rows - found + short, rows)));
            }
            if rows > announced || (found == 0 && rows < announced && !wanted.is_empty()) {
                return Err(failed(uneven(rows, announced)));
            }
            if found == 0 {
                return Ok(());
            }
            let cells = batch
                .into_iter()
                .zip(read_as)
                .map(|(cells, &read_as)| cells.unwrap_or_else(|| ColumnChunk::new(read_as)));
            table.add(Chunk { rows: found, columns: cells.collect() })?;
        }
    }

    /// The next rows of all columns that are read; `tell` gets the share of the columns that is done.
    fn next_batch(
        &self,
        of: &mut GroupReaders,
        read_as: &[ReadAs],
        tell: &mut dyn FnMut(f64),
    ) -> ParquetResult<Vec<Option<ColumnChunk>>> {
        let mut batch: Vec<Option<ColumnChunk>> = (0..read_as.len()).map(|_| None).collect();
        let (group, rows_at_once, all) = (of.group, of.rows_at_once, of.readers.len());
        let turn = TURN * rayon::current_num_threads();
        for (number, readers) in of.readers.chunks_mut(turn).enumerate() {
            tell((number * turn) as f64 / all as f64);
            let cells = readers.par_iter_mut().map(|(columns, reader)| {
                let mut own = match reader.take() {
                    Some(reader) => reader,
                    None => self.reader(group, columns, rows_at_once)?,
                };
                let cells = next_cells(&mut own, columns, read_as, keeps_order(self.metadata.metadata()))?;
                *reader = Some(own);
                Ok(cells)
            });
            let cells: Vec<Vec<ColumnChunk>> = cells.collect::<ParquetResult<_>>()?;
            for ((columns, _), cells) in readers.iter().zip(cells) {
                for (&column, cells) in columns.iter().zip(cells) {
                    if let Some(place) = batch.get_mut(column) {
                        *place = Some(cells);
                    }
                }
            }
        }
        Ok(batch)
    }

    /// Rows of a batch: Arrow's values and ours, of all columns, in an eighth of what may be used.
    fn rows_at_once(&self, read_as: &[ReadAs]) -> usize {
        let rows = self.limit.bytes / 8 / (16 * self.values_of(read_as).max(1));
        usize::try_from(rows).unwrap_or(BATCH).clamp(LEAST, BATCH).min(self.rows.max(1))
    }

    /// How many values a row has in the columns that are read.
    fn values_of(&self, read_as: &[ReadAs]) -> u64 {
        wanted(read_as).filter_map(|column| self.widths.get(column)).sum()
    }

    /// Bytes of the pages that are unpacked at once: a dictionary and a page a column, of the usual size or all there is.
    fn pages(&self, read_as: &[ReadAs]) -> u64 {
        let of = |chunk: &ColumnChunkMetaData| u64::try_from(chunk.uncompressed_size()).unwrap_or(PAGES).min(PAGES);
        let groups = self.metadata.metadata().row_groups().iter();
        let most = groups.map(|group| group.columns().iter().map(of).sum::<u64>()).max().unwrap_or_default();
        let wanted = read_as.iter().filter(|read_as| **read_as != ReadAs::Nothing).count() as u64;
        most * wanted / (read_as.len() as u64).max(1)
    }

    /// The rows that a row group is said to have.
    fn announced(&self, group: usize) -> ParquetResult<usize> {
        Ok(usize::try_from(self.metadata.metadata().row_group(group).num_rows())?)
    }

    /// A reader of some columns of a row group.
    fn reader(&self, group: usize, columns: &[usize], rows: usize) -> ParquetResult<ParquetRecordBatchReader> {
        let projection = self.projection(columns);
        self.check_pages(group, &projection)?;
        let builder = self.builder().with_batch_size(rows);
        caught(|| builder.with_row_groups(vec![group]).with_projection(projection).build())
    }

    /// Fails if a length in these columns of a row group is broken.
    fn check_pages(&self, group: usize, columns: &ProjectionMask) -> ParquetResult<()> {
        let chunks = self.metadata.metadata().row_group(group).columns();
        let mut chunks = chunks.iter().enumerate().filter(|(leaf, _)| columns.leaf_included(*leaf));
        let check = |(_, chunk)| parquet_check::pages(&self.store.0, chunk, self.limit);
        chunks.try_for_each(check).map_err(ParquetError::General)
    }

    /// These rows with all columns, in this order.
    fn rows_of(&self, rows: &[usize]) -> io::Result<RecordBatch> {
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
        arrow_columns::reordered(&found, &sorted, rows)
    }

    /// What the file says about itself besides its schema.
    fn key_values(&self) -> Option<Vec<KeyValue>> {
        let all = self.metadata.metadata().file_metadata().key_value_metadata()?;
        Some(all.iter().filter(|pair| pair.key != "ARROW:schema").cloned().collect())
    }

    /// How the first column is packed.
    fn compression(&self) -> parquet::basic::Compression {
        let metadata = self.metadata.metadata();
        let first = metadata.row_groups().first().and_then(|group| group.columns().first());
        first.map_or(parquet::basic::Compression::SNAPPY, |column| column.compression())
    }
}

impl TableFile for ParquetFile {
    fn headings(&self) -> Vec<String> {
        arrow_columns::headings(&self.schema)
    }

    fn schema(&self) -> Option<&Schema> {
        Some(&self.schema)
    }

    fn sample(&self) -> Result<ChunkedTable, TableError> {
        Ok(arrow_columns::schema_counts(&self.schema))
    }

    fn row_count(&self, _: &ChunkedTable, read_as: &[ReadAs]) -> Option<RowCount> {
        Some(RowCount {
            rows: self.rows as u64,
            exact: true,
            // Pages as they are packed and unpacked, and the reader itself.
            held: 2 * self.pages(read_as) + READER,
            values: Some(self.values_of(read_as)),
        })
    }

    fn read(&mut self, read_as: &[ReadAs], table: &mut ChunkedTable, progress: Progress<'_>) -> Result<(), TableError> {
        let fits = self.limit.check_values(self.rows as u64, self.values_of(read_as) as usize);
        fits.map_err(|what| TableError::in_file(&self.path, what))?;
        table.expected = table.rows + self.rows;
        table.all_single(self.schema.fields().iter().map(|field| arrow_columns::is_single(field)));
        let groups = self.metadata.metadata().num_row_groups();
        for group in 0..groups {
            let before = group as u64 * STEPS;
            self.read_group(group, read_as, table, &mut |done| progress(before + done, groups as u64 * STEPS))?;
        }
        self.store.0.check_unchanged()
    }

    fn batches(
        &self,
        columns: &[usize],
        take: &mut dyn FnMut(&RecordBatch) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let failed = |error| broken(&self.path, &error);
        let of = |column: usize| if columns.contains(&column) { ReadAs::Vectors } else { ReadAs::Nothing };
        let read_as: Vec<ReadAs> = (0..self.schema.fields().len()).map(of).collect();
        for group in 0..self.metadata.metadata().num_row_groups() {
            let mut reader = self.reader(group, columns, self.rows_at_once(&read_as)).map_err(failed)?;
            while let Some(batch) = caught(|| Ok(reader.next().transpose()?)).map_err(failed)? {
                take(&batch)?;
            }
        }
        self.store.0.check_unchanged()
    }

    fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        arrow_columns::rows(&self.rows_of(rows)?)
    }

    fn batch(&self, rows: &[usize], _: &[String], _: &[OutputType]) -> io::Result<RecordBatch> {
        self.rows_of(rows)
    }

    fn check_unchanged(&self) -> Result<(), TableError> {
        self.store.0.check_unchanged()
    }
}

/// Parquet.
#[derive(Debug)]
pub struct Parquet;

impl FileFormat for Parquet {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn help(&self) -> &'static str {
        "Parquet"
    }

    fn extensions(&self) -> &[&'static str] {
        &["parquet"]
    }

    fn other_extensions(&self) -> &[&'static str] {
        &["pq"]
    }

    fn magic(&self) -> &'static [&'static [u8]] {
        &[b"PAR1"]
    }

    fn open(
        &self,
        bytes: ByteSource,
        path: &Path,
        context: &ReadContext<'_>,
        _: Progress<'_>,
    ) -> Result<Box<dyn TableFile>, TableError> {
        Ok(Box::new(ParquetFile::open(bytes, path, context.limit)?))
    }

    /// Compression and metadata are those of the first file, if that is Parquet.
    fn write_batch(&self, source: &Source, out: &mut dyn Write, batch: &RecordBatch) -> io::Result<()> {
        let properties = WriterProperties::builder();
        let files = source.all_of::<ParquetFile>();
        let properties = match files.as_ref().and_then(|files| files.first()) {
            Some(first) => properties.set_compression(first.compression()).set_key_value_metadata(first.key_values()),
            None => properties.set_compression(parquet::basic::Compression::SNAPPY),
        };
        // Categories are written as they come.
        let batch = &arrow_columns::without_order(batch).map_err(io::Error::other)?;
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build()))?;
        writer.write(batch)?;
        writer.close()?;
        out.write_all(&bytes)
    }
}

/// The columns that are read.
fn wanted(read_as: &[ReadAs]) -> impl Iterator<Item = usize> + '_ {
    read_as.iter().enumerate().filter(|(_, how)| **how != ReadAs::Nothing).map(|(column, _)| column)
}

/// The next cells of some columns; none at their end.
fn next_cells(
    reader: &mut ParquetRecordBatchReader,
    columns: &[usize],
    read_as: &[ReadAs],
    order: bool,
) -> ParquetResult<Vec<ColumnChunk>> {
    caught(|| {
        let Some(batch) = reader.next().transpose()? else { return Ok(Vec::new()) };
        let how = |&column: &usize| read_as.get(column).copied().unwrap_or(ReadAs::Nothing);
        Ok(arrow_columns::batch_cells(batch, columns.iter().map(how), order)?.1)
    })
}

/// A panic of the reader is an error like the others.
fn caught<T>(read: impl FnOnce() -> ParquetResult<T>) -> ParquetResult<T> {
    guarded(read).unwrap_or_else(|what| Err(ParquetError::General(what)))
}

fn uneven(found: usize, announced: usize) -> ParquetError {
    ParquetError::General(format!("a column has {found} rows or more, but {announced} are announced"))
}

fn broken(path: &Path, error: &dyn std::fmt::Display) -> TableError {
    TableError::in_file(path, not_whole(error))
}

fn not_whole(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    let what = ["External: ", "Parquet argument error: ", "Parquet error: ", "EOF: "];
    let what = what.iter().fold(text.as_str(), |text, start| text.trim_start_matches(start));
    format!("is no whole Parquet file: {what}")
}
