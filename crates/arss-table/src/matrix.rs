//! Values in memory, in one of two layouts and two precisions.

use arss::{Float, Samples};

use crate::TableError;
use crate::disk_matrix::DiskMatrix;

/// Values in one of the two layouts.
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
    /// The table as the core takes it, checked to be finite and not empty.
    pub fn samples(&self) -> Result<Samples<'_, T>, arss::Error> {
        if self.by_column {
            Samples::strided(&self.data, self.rows, self.columns, 1, self.rows)
        } else {
            Samples::new(&self.data, self.rows, self.columns)
        }
    }

    /// Where the value of a cell stands in `data`.
    pub fn position(&self, row: usize, column: usize) -> usize {
        if self.by_column { column * self.rows + row } else { row * self.columns + column }
    }

    /// The value of a cell.
    pub fn get(&self, row: usize, column: usize) -> T {
        self.data[self.position(row, column)]
    }
}

/// The values that choosing works on.
#[derive(Debug)]
pub enum Matrix {
    /// Single precision.
    F32(DenseMatrix<f32>),
    /// Double precision.
    F64(DenseMatrix<f64>),
    /// Single precision, in a file.
    Disk32(DiskMatrix<f32>),
    /// Double precision, in a file.
    Disk64(DiskMatrix<f64>),
}

impl Matrix {
    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Matrix::F32(grid) => (grid.rows, grid.columns),
            Matrix::F64(grid) => (grid.rows, grid.columns),
            Matrix::Disk32(rows) => rows.shape(),
            Matrix::Disk64(rows) => rows.shape(),
        }
    }

    /// True if they are in a file.
    pub fn in_file(&self) -> bool {
        matches!(self, Matrix::Disk32(_) | Matrix::Disk64(_))
    }

    /// Bytes of a value.
    pub fn element(&self) -> u64 {
        if matches!(self, Matrix::F32(_) | Matrix::Disk32(_)) { 4 } else { 8 }
    }

    /// The values in memory.
    pub fn loaded(self) -> Result<Matrix, TableError> {
        Ok(match self {
            Matrix::Disk32(rows) => Matrix::F32(rows.loaded()?),
            Matrix::Disk64(rows) => Matrix::F64(rows.loaded()?),
            here => here,
        })
    }

    /// What is wrong, if the table is empty or a value is not finite.
    pub fn check(&self) -> Result<Option<arss::Error>, TableError> {
        match self {
            Matrix::F32(grid) => Ok(grid.samples().err()),
            Matrix::F64(grid) => Ok(grid.samples().err()),
            Matrix::Disk32(rows) => rows.check(),
            Matrix::Disk64(rows) => rows.check(),
        }
    }
}
