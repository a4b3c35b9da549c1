//! An open file of a sparse matrix, whatever its format.

use std::io::{self, Write};

use crate::chunks::{Chunk, ChunkedTable, ColumnChunk, ColumnValues, ReadAs};
use crate::formats::column_name;
use crate::formats::file_format::{Progress, RowCount, TableFile};
use crate::output_types::OutputType;
use crate::source::Source;
use crate::sparse_matrix::SparseMatrix;
use crate::{DenseMatrix, Matrix, TableError};

/// Values of rows that are made dense at a time.
const CHUNK: usize = 1 << 20;

/// A sparse matrix that was read.
#[derive(Debug)]
pub struct SparseFile {
    pub(super) matrix: SparseMatrix,
    /// Keep it sparse whatever it looks like: what it does not hold is not zero.
    pub(super) is_graph: bool,
    pub(super) origin: crate::byte_source::ByteSource,
}

impl SparseFile {
    fn chunk(&self, rows: std::ops::Range<usize>, read_as: &[ReadAs]) -> Chunk {
        let dense: Vec<Vec<f64>> = rows.clone().map(|row| self.matrix.dense_row(row)).collect();
        let mut columns: Vec<ColumnChunk> = read_as.iter().map(|&read_as| ColumnChunk::new(read_as)).collect();
        let wanted = columns.iter_mut().zip(read_as).enumerate().filter(|(_, (_, how))| **how != ReadAs::Nothing);
        for (column, (cells, _)) in wanted {
            let numbers: Vec<f64> = dense.iter().filter_map(|row| row.get(column)).copied().collect();
            cells.seen.numbers = numbers.len();
            match &mut cells.values {
                ColumnValues::None | ColumnValues::Vectors(_) => {}
                ColumnValues::Numbers(own) => *own = numbers,
                ColumnValues::Codes(codes, dictionary) | ColumnValues::Categories(codes, dictionary) => {
                    codes.extend(numbers.iter().map(|value| dictionary.code(&value.to_string())));
                }
            }
        }
        Chunk { rows: rows.len(), columns }
    }
}

impl TableFile for SparseFile {
    fn headings(&self) -> Vec<String> {
        (0..self.matrix.shape().1).map(column_name).collect()
    }

    fn has_names(&self) -> bool {
        false
    }

    fn element_type(&self) -> Option<OutputType> {
        Some(OutputType::Float)
    }

    fn sample(&self) -> Result<ChunkedTable, TableError> {
        Ok(ChunkedTable::new(self.matrix.shape().1))
    }

    fn row_count(&self, _: &ChunkedTable, _: &[ReadAs]) -> Option<RowCount> {
        Some(RowCount { rows: self.matrix.shape().0 as u64, exact: true, held: 0, values: None })
    }

    fn read(&mut self, read_as: &[ReadAs], table: &mut ChunkedTable, progress: Progress<'_>) -> Result<(), TableError> {
        let (rows, columns) = self.matrix.shape();
        table.all_single(read_as.iter().map(|_| false));
        let step = (CHUNK / columns).max(1);
        for first in (0..rows).step_by(step) {
            progress(first as u64, rows as u64);
            table.add(self.chunk(first..(first + step).min(rows), read_as))?;
        }
        Ok(())
    }

    fn dense(&self, _: Progress<'_>) -> Result<Option<Matrix>, TableError> {
        if self.is_sparse() {
            return Ok(Some(Matrix::Sparse(self.matrix.clone())));
        }
        let (rows, columns) = self.matrix.shape();
        let data = (0..rows).flat_map(|row| self.matrix.dense_row(row)).collect();
        Ok(Some(Matrix::F64(DenseMatrix { data, rows, columns, by_column: false })))
    }

    fn is_sparse(&self) -> bool {
        self.is_graph || self.matrix.is_worth_it()
    }

    fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        let text = |value: f64| crate::number_text::number(value);
        Ok(rows.iter().map(|&row| self.matrix.dense_row(row).into_iter().map(text).collect()).collect())
    }

    fn check_unchanged(&self) -> Result<(), TableError> {
        self.origin.check_unchanged()
    }
}

/// Writes rows of sparse files as a Matrix Market file; `None` if the files are others.
pub(super) fn write_rows(source: &Source, out: &mut dyn Write, rows: &[usize]) -> Option<io::Result<()>> {
    let files: Vec<&SparseFile> = source.all_of()?;
    let place = |&row: &usize| {
        let (file, own) = source.file_of(&files, row);
        (&file.matrix, own)
    };
    let count: usize = rows.iter().map(place).map(|(matrix, own)| matrix.row(own).count()).sum();
    let columns = files.first().map_or(0, |file| file.matrix.shape().1);
    let write = |out: &mut dyn Write| -> io::Result<()> {
        writeln!(out, "%%MatrixMarket matrix coordinate real general")?;
        writeln!(out, "{} {columns} {count}", rows.len())?;
        for (at, (matrix, own)) in rows.iter().map(place).enumerate() {
            for (column, value) in matrix.row(own) {
                writeln!(out, "{} {} {value:?}", at + 1, column + 1)?;
            }
        }
        Ok(())
    };
    Some(write(out))
}
