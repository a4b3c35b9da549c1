//! Arrays saved by numpy.

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};

use crate::byte_source::{ByteReader, ByteSource, unreadable};
use crate::chunks::{Chunk, ChunkedTable, ColumnChunk, ColumnValues, ReadAs};
use crate::column_kinds::ColumnKind;
use crate::formats::file_format::{FileFormat, Progress, RowCount, TableFile};
use crate::formats::npy_values::{array, as_text, half, to_f64};
use crate::formats::{arrow_columns, column_name};
use crate::number_text::number;
use crate::output_types::{OutputType, typed_batch};
use crate::read::ReadContext;
use crate::source::Source;
use crate::untrusted::limit::MemoryLimit;
use crate::untrusted::npy_header::{self, ElementType};
use crate::write::ExtraColumns;
use crate::{DenseMatrix, DiskMatrix, Matrix, TableError};

/// Bytes that are read at a time.
const CHUNK: usize = 8 << 20;

/// An array in a file: its values stay where they are.
#[derive(Debug)]
pub struct NpyFile {
    store: ByteSource,
    path: PathBuf,
    kind: ElementType,
    by_column: bool,
    /// Where the values begin.
    data: u64,
    /// Number of rows.
    rows: usize,
    /// Number of columns.
    columns: usize,
}

impl NpyFile {
    /// Reads the description of the array.
    pub(super) fn open(store: ByteSource, path: &Path, limit: MemoryLimit) -> Result<NpyFile, TableError> {
        let store = Arc::new(store);
        let mut reader = ByteReader { store: store.clone(), at: 0 };
        let header = npy_header::read(&mut reader).map_err(|what| TableError::in_file(path, what))?;
        let data = reader.at;
        drop(reader);
        let &[rows, columns] = header.shape.as_slice() else {
            let shape = format!("{:?}", header.shape)
                .replace('[', "(")
                .replace(']', if header.shape.len() == 1 { ",)" } else { ")" });
            let what = format!("has shape {shape}, but a table needs 2 dimensions: rows and columns");
            return Err(TableError::in_file(path, what));
        };
        // What the header claims is believed only if it is there.
        let size = header.kind.size();
        let needed = rows.checked_mul(columns).and_then(|count| count.checked_mul(size));
        let there = store.len().saturating_sub(data);
        if needed.is_none_or(|needed| needed as u64 > there) {
            let what =
                format!("is cut off: {rows} x {columns} values of {size} bytes are announced, {there} bytes are there");
            return Err(TableError::in_file(path, what));
        }
        limit.check_values(rows as u64, columns).map_err(|what| TableError::in_file(path, what))?;
        let store = Arc::try_unwrap(store).map_err(|_| TableError::in_file(path, "is still being read"))?;
        Ok(NpyFile {
            store,
            path: path.to_owned(),
            kind: header.kind,
            by_column: header.by_column,
            data,
            rows,
            columns,
        })
    }

    fn converted<T>(&self, convert: impl Fn(&[u8]) -> T, progress: Progress<'_>) -> Result<Vec<T>, TableError> {
        let size = self.kind.size();
        let count = self.rows * self.columns;
        let mut values = Vec::with_capacity(count);
        let mut buffer = vec![0; (count * size).min(CHUNK / size * size)];
        while values.len() < count {
            let at = (values.len() * size) as u64;
            progress(at, (count * size) as u64);
            buffer.truncate((count - values.len()) * size);
            let found = self.store.read_at(&mut buffer, self.data + at);
            match found.map_err(|error| unreadable(&self.path, &error))? {
                found if found == buffer.len() => values.extend(buffer.chunks_exact(size).map(&convert)),
                _ => return Err(unreadable(&self.path, &"it became shorter while it was read")),
            }
        }
        self.store.check_unchanged()?;
        Ok(values)
    }

    /// What is wanted of some rows.
    fn chunk(&self, rows: Range<usize>, read_as: &[ReadAs]) -> io::Result<Chunk> {
        let size = self.kind.size();
        let slice =
            |from: usize, to: usize| self.store.slice(self.data + (from * size) as u64, self.data + (to * size) as u64);
        let all = if self.by_column { Vec::new() } else { slice(rows.start * self.columns, rows.end * self.columns)? };
        let mut columns: Vec<ColumnChunk> = read_as.iter().map(|&read_as| ColumnChunk::new(read_as)).collect();
        let wanted = columns.iter_mut().zip(read_as).enumerate().filter(|(_, (_, how))| **how != ReadAs::Nothing);
        for (column, (cells, _)) in wanted {
            let own = column * self.rows;
            let bytes = if self.by_column { slice(own + rows.start, own + rows.end)? } else { Vec::new() };
            let numbers: Vec<f64> = if self.by_column {
                bytes.chunks_exact(size).map(|bytes| to_f64(self.kind, bytes)).collect()
            } else {
                let values = all.chunks_exact(size).skip(column).step_by(self.columns);
                values.map(|bytes| to_f64(self.kind, bytes)).collect()
            };
            cells.seen.numbers = numbers.len();
            match &mut cells.values {
                ColumnValues::None | ColumnValues::Vectors(_) => {}
                ColumnValues::Numbers(own) => *own = numbers,
                ColumnValues::Codes(codes, dictionary) | ColumnValues::Categories(codes, dictionary) => {
                    codes.extend(numbers.iter().map(|value| dictionary.code(&value.to_string())));
                }
            }
        }
        Ok(Chunk { rows: rows.len(), columns })
    }

    /// The bytes of one value.
    fn value(&self, row: usize, column: usize) -> io::Result<Vec<u8>> {
        let at = if self.by_column { column * self.rows + row } else { row * self.columns + column };
        let (at, size) = (self.data + (at * self.kind.size()) as u64, self.kind.size() as u64);
        self.store.slice(at, at + size)
    }

    /// The bytes of row `row`.
    fn row(&self, row: usize) -> io::Result<Vec<u8>> {
        if self.by_column {
            return Ok((0..self.columns)
                .map(|column| self.value(row, column))
                .collect::<io::Result<Vec<_>>>()?
                .concat());
        }
        let length = (self.columns * self.kind.size()) as u64;
        let at = self.data + row as u64 * length;
        self.store.slice(at, at + length)
    }

    /// The values of these rows, each as `text` writes it.
    fn texts(&self, rows: &[usize], text: impl Fn(&[u8]) -> String) -> io::Result<Vec<Vec<String>>> {
        let size = self.kind.size();
        rows.iter().map(|&row| Ok(self.row(row)?.chunks_exact(size).map(&text).collect())).collect()
    }

    /// Writes these columns of row `row`.
    fn write_row(&self, out: &mut dyn Write, row: usize, columns: &[usize]) -> io::Result<()> {
        let (bytes, size) = (self.row(row)?, self.kind.size());
        let value = |&column: &usize| bytes.get(column * size..(column + 1) * size);
        columns.iter().filter_map(value).try_for_each(|value| out.write_all(value))
    }
}

impl TableFile for NpyFile {
    fn headings(&self) -> Vec<String> {
        (0..self.columns).map(column_name).collect()
    }

    fn has_names(&self) -> bool {
        false
    }

    fn element_type(&self) -> Option<OutputType> {
        Some(match self.kind {
            ElementType::Float(2 | 4) => OutputType::Single,
            ElementType::Float(_) => OutputType::Float,
            ElementType::Bool => OutputType::Truth,
            ElementType::Uint(8) => OutputType::Uint,
            ElementType::Int(_) | ElementType::Uint(_) => OutputType::Int,
        })
    }

    fn sample(&self) -> Result<ChunkedTable, TableError> {
        Ok(ChunkedTable::new(self.columns))
    }

    fn row_count(&self, _: &ChunkedTable, _: &[ReadAs]) -> Option<RowCount> {
        Some(RowCount { rows: self.rows as u64, exact: true, held: 0, values: None })
    }

    fn read(&mut self, read_as: &[ReadAs], table: &mut ChunkedTable, progress: Progress<'_>) -> Result<(), TableError> {
        table.all_single(read_as.iter().map(|_| matches!(self.kind, ElementType::Float(2 | 4))));
        let step = (CHUNK / 8 / self.columns.max(1)).max(1);
        for first in (0..self.rows).step_by(step) {
            progress(first as u64, self.rows as u64);
            let rows = first..(first + step).min(self.rows);
            table.add(self.chunk(rows, read_as).map_err(|error| unreadable(&self.path, &error))?)?;
        }
        self.store.check_unchanged()
    }

    fn dense(&self, progress: Progress<'_>) -> Result<Option<Matrix>, TableError> {
        let (rows, columns, by_column) = (self.rows, self.columns, self.by_column);
        if self.kind == ElementType::Float(4) {
            let data = self.converted(|bytes| f32::from_le_bytes(array(bytes)), progress)?;
            return Ok(Some(Matrix::F32(DenseMatrix { data, rows, columns, by_column })));
        }
        if self.kind == ElementType::Float(2) {
            let data = self.converted(|bytes| half(u16::from_le_bytes(array(bytes))) as f32, progress)?;
            return Ok(Some(Matrix::F32(DenseMatrix { data, rows, columns, by_column })));
        }
        let data = self.converted(|bytes| to_f64(self.kind, bytes), progress)?;
        Ok(Some(Matrix::F64(DenseMatrix { data, rows, columns, by_column })))
    }

    fn on_disk(&self, folder: &Path) -> Result<Option<Matrix>, TableError> {
        let ByteSource::File { file: Some(file), path, .. } = &self.store else { return Ok(None) };
        if self.stored_bytes().is_none() {
            return Ok(None);
        }
        let failed = |error: io::Error| unreadable(&self.path, &error);
        let (file, shape) = (file.try_clone().map_err(failed)?, (self.rows, self.columns));
        let folder = folder.to_owned();
        Ok(Some(match self.kind {
            ElementType::Float(8) => {
                let rows = DiskMatrix::of_file(file, path, (self.data, false), shape).map_err(failed)?;
                Matrix::Disk64(rows.with_folder(folder))
            }
            kind => {
                let half = kind == ElementType::Float(2);
                let rows = DiskMatrix::of_file(file, path, (self.data, half), shape).map_err(failed)?;
                Matrix::Disk32(rows.with_folder(folder))
            }
        }))
    }

    fn stored_bytes(&self) -> Option<u64> {
        let in_file = matches!(self.store, ByteSource::File { .. });
        (in_file && !self.by_column && matches!(self.kind, ElementType::Float(_))).then_some(self.kind.size() as u64)
    }

    /// Floats with a few digits.
    fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        self.texts(rows, |bytes| match self.kind {
            ElementType::Float(_) => number(to_f64(self.kind, bytes)),
            _ => as_text(self.kind, bytes),
        })
    }

    fn batch(&self, rows: &[usize], headings: &[String], types: &[OutputType]) -> io::Result<RecordBatch> {
        typed_batch(headings, types, &self.texts(rows, |bytes| as_text(self.kind, bytes))?)
    }

    fn check_unchanged(&self) -> Result<(), TableError> {
        self.store.check_unchanged()
    }
}

/// Arrays saved by numpy.
#[derive(Debug)]
pub struct Npy;

impl FileFormat for Npy {
    fn name(&self) -> &'static str {
        "npy"
    }

    fn help(&self) -> &'static str {
        "An array saved by numpy"
    }

    fn extensions(&self) -> &[&'static str] {
        &["npy"]
    }

    fn magic(&self) -> &'static [&'static [u8]] {
        &[b"\x93NUMPY"]
    }

    fn open(
        &self,
        bytes: ByteSource,
        path: &Path,
        context: &ReadContext<'_>,
        _: Progress<'_>,
    ) -> Result<Box<dyn TableFile>, TableError> {
        Ok(Box::new(NpyFile::open(bytes, path, context.limit)?))
    }

    fn refuses(&self, kind: ColumnKind) -> Option<&'static str> {
        match kind {
            ColumnKind::Number | ColumnKind::Truth => None,
            ColumnKind::Nested | ColumnKind::Vector => {
                Some("holds lists or structures; write .parquet, .arrow or .jsonl")
            }
            ColumnKind::Text | ColumnKind::Code => Some("holds text, and .npy holds numbers only"),
            ColumnKind::Date | ColumnKind::Empty => Some("holds no numbers, and .npy holds numbers only"),
        }
    }

    fn copy_rows(
        &self,
        source: &Source,
        out: &mut dyn Write,
        rows: &[usize],
        extra: &ExtraColumns,
    ) -> Option<io::Result<()>> {
        let files = same_element_type(source).filter(|_| extra.columns.is_empty())?;
        let first = files.first()?;
        let all: Vec<usize> = (0..first.columns).collect();
        let header = npy_header::bytes(first.kind, &[rows.len(), all.len()]);
        Some(out.write_all(&header).and_then(|()| {
            rows.iter().try_for_each(|&row| {
                let (file, own) = source.file_of(&files, row);
                file.write_row(out, own, &all)
            })
        }))
    }

    fn copy_columns(&self, source: &Source, out: &mut dyn Write, columns: &[usize]) -> Option<io::Result<()>> {
        let files = same_element_type(source)?;
        let header = npy_header::bytes(files.first()?.kind, &[source.rows(), columns.len()]);
        Some(out.write_all(&header).and_then(|()| {
            let write = |file: &&NpyFile| (0..file.rows).try_for_each(|row| file.write_row(out, row, columns));
            files.iter().try_for_each(write)
        }))
    }

    fn write_batch(&self, _: &Source, out: &mut dyn Write, batch: &RecordBatch) -> io::Result<()> {
        let numbers = |array: &ArrayRef| arrow_columns::numbers(array, arrow_columns::kind(array.data_type()));
        let columns: Vec<Vec<f64>> =
            batch.columns().iter().map(numbers).collect::<Result<_, _>>().map_err(io::Error::other)?;
        out.write_all(&npy_header::bytes(ElementType::Float(8), &[batch.num_rows(), columns.len()]))?;
        for row in 0..batch.num_rows() {
            for column in &columns {
                out.write_all(&column.get(row).copied().unwrap_or(f64::NAN).to_le_bytes())?;
            }
        }
        Ok(())
    }
}

/// The files of the source, if all are arrays of one element type.
fn same_element_type(source: &Source) -> Option<Vec<&NpyFile>> {
    let files: Vec<&NpyFile> = source.all_of()?;
    let kind = files.first()?.kind;
    files.iter().all(|file| file.kind == kind).then_some(files)
}

/// Writes numbers of rows as an array of one dimension.
///
/// # Errors
/// If they cannot be written.
pub fn write_indices(out: &mut dyn Write, indices: &[usize]) -> io::Result<()> {
    out.write_all(&npy_header::bytes(ElementType::Int(8), &[indices.len()]))?;
    indices.iter().try_for_each(|&index| out.write_all(&(index as i64).to_le_bytes()))
}
