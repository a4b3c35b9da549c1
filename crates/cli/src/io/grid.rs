//! Values in memory, in one of two layouts and two precisions.

use arss::{Float, Samples};

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

    /// The column of the value at position `at` of `data`.
    pub fn column_of(&self, at: usize) -> usize {
        if self.by_column { at / self.rows } else { at % self.columns }
    }

    /// The values of one column.
    fn column(&self, column: usize) -> Vec<f64> {
        (0..self.rows).map(|row| self.get(row, column).to_f64()).collect()
    }
}

/// The values that choosing works on.
#[derive(Debug)]
pub enum Values {
    /// Single precision.
    F32(Grid<f32>),
    /// Double precision.
    F64(Grid<f64>),
}

impl Values {
    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Values::F32(grid) => (grid.rows, grid.columns),
            Values::F64(grid) => (grid.rows, grid.columns),
        }
    }

    /// The values of one column.
    pub fn column(&self, column: usize) -> Vec<f64> {
        match self {
            Values::F32(grid) => grid.column(column),
            Values::F64(grid) => grid.column(column),
        }
    }

    /// Fails if the table is empty or a value is not finite.
    pub fn check(&self) -> Result<(), arss::Error> {
        match self {
            Values::F32(grid) => grid.samples().map(drop),
            Values::F64(grid) => grid.samples().map(drop),
        }
    }
}
