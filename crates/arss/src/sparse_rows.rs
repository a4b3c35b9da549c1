//! Tables that are mostly zero.

use std::ops::Range;

use crate::linalg::compressed::Compressed;
use crate::row_view::RowView;
use crate::{Error, Float};

/// Rows of a table that is mostly zero (CSR): the values that are not, with their columns.
///
/// ```
/// use arss::{Samples, SparseRows};
///
/// // Two rows: 0 5 0 7 and 0 0 9 0.
/// let rows = SparseRows { starts: &[0, 2, 3], columns: &[1, 3, 2], values: &[5.0, 7.0, 9.0] };
/// let samples = Samples::sparse(rows, 4)?;
/// assert_eq!((samples.items(), samples.get(0, 3), samples.get(1, 0)), (2, 7.0, 0.0));
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SparseRows<'a, T> {
    /// Where the values of each row begin; the last one is their number.
    pub starts: &'a [usize],
    /// The column of each value, ascending in each row.
    pub columns: &'a [u32],
    /// The values.
    pub values: &'a [T],
}

impl<'a, T: Float> SparseRows<'a, T> {
    /// The columns and values of a row.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, T)> + use<'a, T> {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().map(|&column| column as usize).zip(self.values[range].iter().copied())
    }

    /// Some rows as they are seen, zeros left out.
    pub(crate) fn collect(&self, rows: Range<usize>, view: &RowView, entries: &mut Compressed<T>) {
        entries.clear();
        for row in rows {
            let factor = if view.is_plain() { 1.0 } else { view.factor(self.values_of(row)) };
            let seen = self.row(row).map(|(column, value)| (column, T::from_f64(value.to_f64() * factor)));
            entries.push_entries(seen.filter(|(_, value)| *value != T::from_f64(0.0)));
        }
    }

    /// The values of a row.
    pub(crate) fn values_of(&self, row: usize) -> &'a [T] {
        &self.values[self.starts[row]..self.starts[row + 1]]
    }

    pub(crate) fn get(&self, row: usize, column: usize) -> T {
        self.find(row, column).unwrap_or(T::from_f64(0.0))
    }

    /// The value at a place, if it is held.
    pub(crate) fn find(&self, row: usize, column: usize) -> Option<T> {
        let range = self.starts[row]..self.starts[row + 1];
        let found = self.columns[range.clone()].binary_search_by(|&other| (other as usize).cmp(&column));
        found.ok().map(|at| self.values[range.start + at])
    }

    /// `Ok` if the lists fit each other and a table of `features` columns.
    pub(crate) fn check(&self, features: usize) -> Result<(), Error> {
        let (starts, count) = (self.starts, self.values.len());
        let wrong = |what: &'static str| Err(Error::NotSparseRows { what });
        if starts.is_empty() || starts[0] != 0 || !starts.is_sorted() || starts[starts.len() - 1] != count {
            return wrong("the starts do not ascend from 0 to the number of values");
        }
        if self.columns.len() != count {
            return wrong("there are not as many columns as values");
        }
        let rows = starts.windows(2).map(|pair| &self.columns[pair[0]..pair[1]]);
        let ascend = |row: &[u32]| row.windows(2).all(|pair| pair[0] < pair[1]);
        let fits = |row: &[u32]| row.last().is_none_or(|&last| (last as usize) < features);
        match rows.map(|row| (ascend(row), fits(row))).find(|row| *row != (true, true)) {
            None => Ok(()),
            Some((false, _)) => wrong("the columns of a row do not ascend"),
            Some(_) => wrong("a column lies outside of the table"),
        }
    }
}
