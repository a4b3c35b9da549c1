//! Items as the products take them: contiguous and row-major.

use std::borrow::Cow;

use faer::MatRef;

use crate::Float;

/// Some items as a contiguous row-major matrix.
pub(crate) struct Block<'a, T: Clone> {
    pub values: Cow<'a, [T]>,
    pub rows: usize,
    pub columns: usize,
}

impl<T: Float> Block<'_, T> {
    pub fn mat(&self) -> MatRef<'_, T> {
        MatRef::from_row_major_slice(&self.values, self.rows, self.columns)
    }

    pub fn row(&self, row: usize) -> &[T] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }
}
