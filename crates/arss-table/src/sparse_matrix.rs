//! A matrix that is mostly zero: only the other values are held.

use arss::{Samples, SparseRows};

use crate::byte_size;
use crate::untrusted::limit::MemoryLimit;

/// Fewer columns are held dense.
const WIDE: usize = 512;
/// A matrix is sparse if at most one value in so many is not zero.
const SPARSE: usize = 16;
/// Bytes of a value with its places while a file is read, of a row, and of the name of a column.
const VALUE: u64 = 32;
const ROW: u64 = 16;
const NAME: u64 = 64;

/// The values of a matrix that are not zero, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseMatrix {
    rows: usize,
    columns: usize,
    /// Where the values of each row begin; the last one is their number.
    starts: Vec<usize>,
    /// The column of each value, ascending in each row.
    places: Vec<u32>,
    values: Vec<f64>,
}

/// A value and where it stands.
pub type Entry = (usize, usize, f64);

impl SparseMatrix {
    /// True if no value is other than zero.
    pub(crate) fn is_zero(&self) -> bool {
        self.values.iter().all(|value| *value == 0.0)
    }

    /// Fails if a matrix of this shape with so many values does not fit.
    pub(crate) fn check_size((rows, columns): (u64, u64), values: u64, limit: MemoryLimit) -> Result<(), String> {
        if rows == 0 || columns == 0 {
            return Err(format!("is an empty matrix: {rows} x {columns}"));
        }
        if columns > u64::from(u32::MAX) {
            return Err(format!("has {columns} columns, but at most {} are read", u32::MAX));
        }
        let parts = [values.checked_mul(VALUE), rows.checked_mul(ROW), columns.checked_mul(NAME)];
        let needed = parts.into_iter().try_fold(0u64, |sum, part| sum.checked_add(part?)).unwrap_or(u64::MAX);
        if needed <= limit.bytes {
            return Ok(());
        }
        let (needed, most) = (byte_size::shown(needed), byte_size::shown(limit.bytes));
        let what = format!("{rows} x {columns} with {values} values that are not zero takes {needed} of memory");
        Err(format!("{what}, but the limit is {most}; raise --memory, or keep fewer rows"))
    }

    /// From entries in any order; places must lie in the matrix, and none may come twice.
    #[expect(clippy::indexing_slicing, reason = "rows and columns are checked first, and starts count the entries")]
    pub(crate) fn from_entries((rows, columns): (usize, usize), entries: &[Entry]) -> Result<Self, String> {
        let mut starts = vec![0; rows + 1];
        for &(row, column, value) in entries {
            if row >= rows || column >= columns {
                return Err(format!(
                    "row {row}, column {column} (from 0) lies outside of the {rows} x {columns} matrix"
                ));
            }
            if !value.is_finite() {
                return Err(format!("row {row}, column {column} (from 0) holds {value}, which is not a finite number"));
            }
            starts[row + 1] += 1;
        }
        (0..rows).for_each(|row| starts[row + 1] += starts[row]);
        let mut next = starts.clone();
        let mut sorted = vec![(0u32, 0.0f64); entries.len()];
        for &(row, column, value) in entries {
            sorted[next[row]] = (column as u32, value);
            next[row] += 1;
        }
        for row in 0..rows {
            let own = &mut sorted[starts[row]..starts[row + 1]];
            own.sort_by_key(|entry| entry.0);
            if let Some(twice) = own.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(format!("row {row}, column {} (from 0) comes twice", twice[0].0));
            }
        }
        let (places, values) = sorted.into_iter().unzip();
        Ok(SparseMatrix { rows, columns, starts, places, values })
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The number of values that are held.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True if no value is held.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// True if it is better held like this than dense.
    pub fn is_worth_it(&self) -> bool {
        self.columns >= WIDE && self.values.len() <= self.rows.saturating_mul(self.columns) / SPARSE
    }

    /// The columns and values of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (places, values) = self.held_in(row);
        places.iter().map(|&place| place as usize).zip(values.iter().copied())
    }

    /// The columns of a row that are held, ascending, and their values.
    #[expect(clippy::indexing_slicing, reason = "rows are those of the matrix, and `from_entries` made the starts")]
    fn held_in(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.places[range.clone()], &self.values[range])
    }

    /// The value of a cell.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let (places, values) = self.held_in(row);
        let found = places.binary_search_by(|&place| (place as usize).cmp(&column)).ok();
        found.and_then(|at| values.get(at)).copied().unwrap_or(0.0)
    }

    /// All values of a row.
    #[expect(clippy::indexing_slicing, reason = "`from_entries` refuses places that lie outside")]
    pub fn dense_row(&self, row: usize) -> Vec<f64> {
        let mut values = vec![0.0; self.columns];
        self.row(row).for_each(|(column, value)| values[column] = value);
        values
    }

    /// The values that are held, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The matrix as the library takes it.
    ///
    /// # Errors
    /// If it is empty.
    pub fn samples(&self) -> Result<Samples<'_, f64>, arss::Error> {
        let rows = SparseRows { starts: &self.starts, columns: &self.places, values: &self.values };
        Samples::sparse(rows, self.columns)
    }
}
