//! Values in memory, in one of two layouts and two precisions.

use arss::{Float, Samples};

use crate::TableError;
use crate::disk_matrix::Spilled;

/// Values in one of the two layouts.
#[derive(Debug)]
pub struct Grid<T> {
    /// The values, row by row or column by column.
    pub data: Vec<T>,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// True if the values stand column by column (Fortran order).
    pub by_column: bool,
}

impl<T: Float> Grid<T> {
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
pub enum Values {
    /// Single precision.
    F32(Grid<f32>),
    /// Double precision.
    F64(Grid<f64>),
    /// Single precision, in a file.
    File32(Spilled<f32>),
    /// Double precision, in a file.
    File64(Spilled<f64>),
}

impl Values {
    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Values::F32(grid) => (grid.rows, grid.columns),
            Values::F64(grid) => (grid.rows, grid.columns),
            Values::File32(rows) => rows.shape(),
            Values::File64(rows) => rows.shape(),
        }
    }

    /// True if they are in a file.
    pub fn in_file(&self) -> bool {
        matches!(self, Values::File32(_) | Values::File64(_))
    }

    /// Bytes of a value.
    pub fn element(&self) -> u64 {
        if matches!(self, Values::F32(_) | Values::File32(_)) { 4 } else { 8 }
    }

    /// The values in memory.
    pub fn loaded(self) -> Result<Values, TableError> {
        Ok(match self {
            Values::File32(rows) => Values::F32(rows.loaded()?),
            Values::File64(rows) => Values::F64(rows.loaded()?),
            here => here,
        })
    }

    /// What is wrong, if the table is empty or a value is not finite.
    pub fn check(&self) -> Result<Option<arss::Error>, TableError> {
        match self {
            Values::F32(grid) => Ok(grid.samples().err()),
            Values::F64(grid) => Ok(grid.samples().err()),
            Values::File32(rows) => rows.check(),
            Values::File64(rows) => rows.check(),
        }
    }
}
