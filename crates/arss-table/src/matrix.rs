//! The numbers that choosing works on: in memory or on disk, in single or double precision.

use arss::{Float, Samples};
use rayon::prelude::*;

use crate::disk_matrix::DiskMatrix;
use crate::{SparseMatrix, TableError};

/// Columns that are taken out of rows at once, and the most values of them.
const NEIGHBOURS: usize = 8;
const TOGETHER: usize = 1 << 21;

/// The cell behind `cell` where rows stand one after the other.
#[inline]
pub fn next_in_row((row, column): (usize, usize), columns: usize) -> (usize, usize) {
    if column + 1 == columns { (row + 1, 0) } else { (row, column + 1) }
}

/// A matrix in memory.
#[derive(Debug)]
pub struct DenseMatrix<T> {
    /// The values, row by row or column by column.
    pub data: Vec<T>,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// True if the values stand column by column (Fortran order).
    pub by_column: bool,
}

impl<T: Float> DenseMatrix<T> {
    /// The matrix as the library takes it, checked to be finite and not empty.
    ///
    /// # Errors
    /// If it is empty, or a value is not finite.
    pub fn samples(&self) -> Result<Samples<'_, T>, arss::Error> {
        if self.by_column {
            Samples::strided(&self.data, self.rows, self.columns, 1, self.rows)
        } else {
            Samples::new(&self.data, self.rows, self.columns)
        }
    }

    /// Values that stand together: those of a row, or of a column.
    fn line(&self) -> usize {
        if self.by_column { self.rows } else { self.columns }.max(1)
    }

    /// The value of a cell.
    pub fn get(&self, row: usize, column: usize) -> T {
        self.data[if self.by_column { column * self.rows + row } else { row * self.columns + column }]
    }
}

/// True if all are finite: whatever is not, times zero, is not zero.
fn all_finite<T: Float>(values: &[T]) -> bool {
    let mut odd = [0.0; NEIGHBOURS];
    let (groups, rest) = values.as_chunks::<NEIGHBOURS>();
    for group in groups {
        group.iter().zip(&mut odd).for_each(|(value, odd)| *odd += value.to_f64() * 0.0);
    }
    odd.iter().all(|odd| *odd == 0.0) && rest.iter().all(|value| value.to_f64().is_finite())
}

/// Values in memory or on disk that are looked at, changed or dropped alike.
///
/// Values of a column always come in the order of the rows, so that sums have the same bits wherever they are.
pub trait MatrixValues<T>: Sized {
    /// Rows and columns.
    fn shape(&self) -> (usize, usize);

    /// Row and column of the value at a position.
    fn cell(&self, position: usize) -> (usize, usize);

    /// Row and column of the value behind that at `cell`.
    fn next_cell(&self, cell: (usize, usize)) -> (usize, usize);

    /// Calls `visit` with values and the position of the first of them, until all have been seen.
    fn visit(&self, visit: &mut dyn FnMut(usize, &[T])) -> Result<(), TableError>;

    /// Calls `visit` with row and column of each value, and the value.
    fn each_value(&self, visit: &mut impl FnMut((usize, usize), f64)) -> Result<(), TableError>
    where
        T: Float,
    {
        self.visit(&mut |first, values| {
            let mut cell = self.cell(first);
            for value in values {
                visit(cell, value.to_f64());
                cell = self.next_cell(cell);
            }
        })
    }

    /// Calls `visit` with each of these columns.
    fn each_column(&self, which: &[usize], visit: &mut dyn FnMut(usize, Vec<f64>)) -> Result<(), TableError>;

    /// True if `is` is for any value.
    fn any(&self, is: impl Fn(f64) -> bool + Sync) -> Result<bool, TableError>;

    /// True if all values are finite: the usual case, told quickly.
    fn is_finite(&self) -> Result<bool, TableError> {
        Ok(!self.any(|value| !value.is_finite())?)
    }

    /// The matrix with each value replaced by what `change` makes of its row and column and of it.
    fn map(self, change: impl Fn((usize, usize), T) -> T) -> Result<Self, TableError>;

    /// The matrix with those rows only for which `kept` is true.
    fn keep_rows(self, kept: &[bool]) -> Result<Self, TableError>;
}

impl<T: Float> MatrixValues<T> for DenseMatrix<T> {
    fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    fn cell(&self, position: usize) -> (usize, usize) {
        if self.by_column {
            (position % self.rows, position / self.rows)
        } else {
            (position / self.columns, position % self.columns)
        }
    }

    #[inline]
    fn next_cell(&self, (row, column): (usize, usize)) -> (usize, usize) {
        if self.by_column {
            if row + 1 == self.rows { (0, column + 1) } else { (row + 1, column) }
        } else {
            next_in_row((row, column), self.columns)
        }
    }

    fn visit(&self, visit: &mut dyn FnMut(usize, &[T])) -> Result<(), TableError> {
        visit(0, &self.data);
        Ok(())
    }

    fn each_column(&self, which: &[usize], visit: &mut dyn FnMut(usize, Vec<f64>)) -> Result<(), TableError> {
        // Neighbours stand in the same lines of memory, so that several are taken at once.
        let together = (TOGETHER / self.rows.max(1)).clamp(1, NEIGHBOURS);
        for group in which.chunks(if self.by_column { 1 } else { together }) {
            let mut columns = vec![Vec::with_capacity(self.rows); group.len()];
            if self.by_column {
                columns[0].extend((0..self.rows).map(|row| self.get(row, group[0]).to_f64()));
            } else {
                for row in self.data.chunks_exact(self.columns) {
                    columns.iter_mut().zip(group).for_each(|(values, &at)| values.push(row[at].to_f64()));
                }
            }
            group.iter().zip(columns).for_each(|(&at, values)| visit(at, values));
        }
        Ok(())
    }

    fn is_finite(&self) -> Result<bool, TableError> {
        Ok(self.data.par_chunks(1 << 16).all(all_finite))
    }

    fn any(&self, is: impl Fn(f64) -> bool + Sync) -> Result<bool, TableError> {
        Ok(self.data.par_chunks(1 << 16).any(|values| values.iter().any(|value| is(value.to_f64()))))
    }

    fn each_value(&self, visit: &mut impl FnMut((usize, usize), f64)) -> Result<(), TableError> {
        for (line, values) in self.data.chunks_exact(self.line()).enumerate() {
            for (at, value) in values.iter().enumerate() {
                visit(if self.by_column { (at, line) } else { (line, at) }, value.to_f64());
            }
        }
        Ok(())
    }

    fn map(mut self, change: impl Fn((usize, usize), T) -> T) -> Result<Self, TableError> {
        let (line, by_column) = (self.line(), self.by_column);
        for (line, values) in self.data.chunks_exact_mut(line).enumerate() {
            for (at, value) in values.iter_mut().enumerate() {
                *value = change(if by_column { (at, line) } else { (line, at) }, *value);
            }
        }
        Ok(self)
    }

    fn keep_rows(mut self, kept: &[bool]) -> Result<Self, TableError> {
        let (rows, columns, by_column) = (self.rows, self.columns, self.by_column);
        let mut at = 0;
        self.data.retain(|_| {
            let row = if by_column { at % rows } else { at / columns };
            at += 1;
            kept[row]
        });
        self.rows = kept.iter().filter(|kept| **kept).count();
        Ok(self)
    }
}

/// The numbers that choosing works on.
#[derive(Debug)]
pub enum Matrix {
    /// Single precision.
    F32(DenseMatrix<f32>),
    /// Double precision.
    F64(DenseMatrix<f64>),
    /// Single precision, on disk.
    Disk32(DiskMatrix<f32>),
    /// Double precision, on disk.
    Disk64(DiskMatrix<f64>),
    /// In memory, mostly zero.
    Sparse(SparseMatrix),
}

impl Matrix {
    /// No values: what is left where a matrix was taken away.
    pub const EMPTY: Matrix = Matrix::F64(DenseMatrix { data: Vec::new(), rows: 0, columns: 0, by_column: false });

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Matrix::F32(matrix) => matrix.shape(),
            Matrix::F64(matrix) => matrix.shape(),
            Matrix::Disk32(matrix) => matrix.shape(),
            Matrix::Disk64(matrix) => matrix.shape(),
            Matrix::Sparse(matrix) => matrix.shape(),
        }
    }

    /// True if the values are on disk.
    pub fn is_on_disk(&self) -> bool {
        matches!(self, Matrix::Disk32(_) | Matrix::Disk64(_))
    }

    /// The same; on disk, columns that are looked at whole take a quarter of `limit`.
    pub(crate) fn within(self, limit: u64) -> Matrix {
        let room = (limit / 4).max(1 << 20);
        match self {
            Matrix::Disk32(matrix) => Matrix::Disk32(matrix.with_room(room)),
            Matrix::Disk64(matrix) => Matrix::Disk64(matrix.with_room(room)),
            in_memory => in_memory,
        }
    }

    /// True if all values in memory are zero; what is on disk is not looked at.
    pub fn is_zero(&self) -> bool {
        match self {
            Matrix::F32(matrix) => matrix.data.iter().all(|value| *value == 0.0),
            Matrix::F64(matrix) => matrix.data.iter().all(|value| *value == 0.0),
            Matrix::Sparse(matrix) => matrix.is_zero(),
            Matrix::Disk32(_) | Matrix::Disk64(_) => false,
        }
    }

    /// Bytes of a value.
    pub fn element_bytes(&self) -> u64 {
        if matches!(self, Matrix::F32(_) | Matrix::Disk32(_)) { 4 } else { 8 }
    }

    /// The matrix in memory.
    ///
    /// # Errors
    /// If the scratch file cannot be read.
    pub fn into_memory(self) -> Result<Matrix, TableError> {
        Ok(match self {
            Matrix::Disk32(matrix) => Matrix::F32(matrix.to_dense()?),
            Matrix::Disk64(matrix) => Matrix::F64(matrix.to_dense()?),
            in_memory => in_memory,
        })
    }

    /// What is wrong, if the matrix is empty or a value is not finite.
    pub(crate) fn check(&self) -> Result<Option<arss::Error>, TableError> {
        match self {
            Matrix::F32(matrix) => Ok(matrix.samples().err()),
            Matrix::F64(matrix) => Ok(matrix.samples().err()),
            Matrix::Disk32(matrix) => matrix.check(),
            Matrix::Disk64(matrix) => matrix.check(),
            Matrix::Sparse(matrix) => Ok(matrix.samples().err()),
        }
    }

    /// The first column of a double-precision matrix whose first value is NaN.
    pub(crate) fn first_row_nan(&self) -> Result<Option<usize>, TableError> {
        let (rows, columns) = self.shape();
        let first: Vec<f64> = match self {
            _ if rows == 0 => Vec::new(),
            Matrix::F64(matrix) => (0..columns).map(|column| matrix.get(0, column)).collect(),
            Matrix::Disk64(matrix) => matrix.row(0)?,
            // Sparse matrices are finite.
            Matrix::F32(_) | Matrix::Disk32(_) | Matrix::Sparse(_) => Vec::new(),
        };
        Ok(first.iter().position(|value| value.is_nan()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_noticed_anywhere() {
        for length in 1..20 {
            let values: Vec<f64> = (0..length).map(f64::from).collect();
            assert!(all_finite(&values));
            for at in 0..values.len() {
                for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let mut values = values.clone();
                    values[at] = odd;
                    assert!(!all_finite(&values), "{values:?}");
                }
            }
        }
    }
}
