//! Rows that are mostly zero: only the other values are kept, and products touch nothing else.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Float, Metric, SparseRows};

/// Rows of fewer values are not worth it.
const LONG: usize = 512;
/// Rows are compressed if at most one value in so many is not zero.
const SPARSE: usize = 16;

/// The values of some rows that are not zero, with their columns, which ascend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Compressed<T> {
    /// Where the values of each row begin; one more than there are rows.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<T>,
}

/// True if rows of `features` values of which `count` are not zero are better compressed.
pub(crate) fn is_sparse(count: usize, rows: usize, features: usize) -> bool {
    is_long(features) && count <= rows * features / SPARSE
}

/// True if rows of so many values may be compressed at all.
pub(crate) fn is_long(features: usize) -> bool {
    (LONG..=u32::MAX as usize).contains(&features)
}

impl<T: Float> Compressed<T> {
    pub fn empty() -> Self {
        Compressed { starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Takes all rows out.
    pub fn clear(&mut self) {
        self.starts.truncate(1);
        self.columns.clear();
        self.values.clear();
    }

    /// The number of values that are not zero.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True if these are `count` rows of `features` values, in order.
    pub fn fits(&self, count: usize, features: usize) -> bool {
        let (starts, total) = (&self.starts, self.values.len());
        let ends = starts.first() == Some(&0) && starts.last() == Some(&total) && starts.is_sorted();
        ends && starts.len() - 1 == count
            && self.columns.len() == total
            && starts.windows(2).all(|pair| {
                let row = &self.columns[pair[0]..pair[1]];
                row.windows(2).all(|pair| pair[0] < pair[1])
                    && row.last().is_none_or(|&last| (last as usize) < features)
            })
    }

    /// Some of the rows without an origin, of which the entries that are not zero are given.
    pub fn shifted<U: Float>(&self, rows: Range<usize>, origin: &[(usize, f64)]) -> Compressed<U> {
        let mut shifted = Compressed::empty();
        rows.for_each(|row| shifted.push_entries(self.shifted_row(row, origin)));
        shifted
    }

    /// The entries of a row without an origin.
    pub fn shifted_row<U: Float>(&self, row: usize, origin: &[(usize, f64)]) -> impl Iterator<Item = (usize, U)> {
        let own = self.row(row).map(|(column, value)| (column, value.to_f64()));
        let entries = differences(own, origin.iter().copied()).map(|(column, value)| (column, U::from_f64(value)));
        entries.filter(|(_, value)| *value != U::from_f64(0.0))
    }

    /// Adds a row; zeros are left out.
    pub fn push(&mut self, row: impl Iterator<Item = T>) {
        let zero = T::from_f64(0.0);
        self.push_entries(row.enumerate().filter(|(_, value)| *value != zero));
    }

    /// Adds a row of columns and values that are not zero.
    pub fn push_entries(&mut self, row: impl Iterator<Item = (usize, T)>) {
        for (column, value) in row {
            self.columns.push(column as u32);
            self.values.push(value);
        }
        self.starts.push(self.values.len());
    }

    /// The columns and values of a row that are not zero.
    pub fn row(&self, at: usize) -> impl Iterator<Item = (usize, T)> {
        let range = self.starts[at]..self.starts[at + 1];
        self.columns[range.clone()].iter().map(|&column| column as usize).zip(self.values[range].iter().copied())
    }

    /// The columns as rows.
    pub fn transposed(&self, features: usize) -> Self {
        let mut starts = vec![0; features + 1];
        self.columns.iter().for_each(|&column| starts[column as usize + 1] += 1);
        (0..features).for_each(|column| starts[column + 1] += starts[column]);
        let mut next = starts.clone();
        let mut columns = vec![0; self.columns.len()];
        let mut values = vec![T::from_f64(0.0); self.values.len()];
        for row in 0..self.rows() {
            for (column, value) in self.row(row) {
                columns[next[column]] = row as u32;
                values[next[column]] = value;
                next[column] += 1;
            }
        }
        Compressed { starts, columns, values }
    }

    /// The products of a row with all the rows that these are the columns of.
    pub fn products(&self, row: impl Iterator<Item = (usize, T)>, products: &mut [T]) {
        self.sums(row, products, |x, y| x * y);
    }

    /// Sums over the columns that a row shares with each of the rows that these are the columns of.
    pub fn sums(&self, row: impl Iterator<Item = (usize, T)>, sums: &mut [T], term: impl Fn(T, T) -> T) {
        sums.fill(T::from_f64(0.0));
        for (column, x) in row {
            let range = self.starts[column]..self.starts[column + 1];
            for (&other, &y) in self.columns[range.clone()].iter().zip(&self.values[range]) {
                sums[other as usize] += term(x, y);
            }
        }
    }

    /// The size of a row by a metric: the squared length, or the sum of the absolute values.
    pub fn size(&self, row: usize, metric: Metric) -> f64 {
        let values = self.row(row).map(|(_, value)| value.to_f64());
        if metric == Metric::Manhattan { values.map(f64::abs).sum() } else { values.map(|x| x * x).sum() }
    }

    /// The squared distance of two rows, in `f64`.
    pub fn squared_distance<U: Float>(&self, row: usize, other: &Compressed<U>, at: usize, metric: Metric) -> f64 {
        let own = self.row(row).map(|(column, value)| (column, value.to_f64()));
        let others = other.row(at).map(|(column, value)| (column, value.to_f64()));
        squared_size(differences(own, others).map(|entry| entry.1), metric)
    }

    /// The rows as a table borrows them.
    pub fn as_sparse(&self) -> SparseRows<'_, T> {
        SparseRows { starts: &self.starts, columns: &self.columns, values: &self.values }
    }
}

/// The squared size of a difference by a metric.
pub(crate) fn squared_size(difference: impl Iterator<Item = f64>, metric: Metric) -> f64 {
    if metric == Metric::Manhattan {
        let sum: f64 = difference.map(f64::abs).sum();
        return sum * sum;
    }
    difference.map(|difference| difference * difference).sum()
}

/// What two entries of a column add to the distance of their rows, besides what each has on its own.
pub(crate) fn shared_difference<T: Float>(x: T, y: T) -> T {
    (x - y).size() - (x.size() + y.size())
}

/// The entries of a - b; both ascend by column.
fn differences(
    a: impl Iterator<Item = (usize, f64)>,
    b: impl Iterator<Item = (usize, f64)>,
) -> impl Iterator<Item = (usize, f64)> {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    std::iter::from_fn(move || {
        let column = match (a.peek(), b.peek()) {
            (Some(a), Some(b)) => a.0.min(b.0),
            (Some(one), None) | (None, Some(one)) => one.0,
            (None, None) => return None,
        };
        let x = a.next_if(|entry| entry.0 == column).map_or(0.0, |entry| entry.1);
        let y = b.next_if(|entry| entry.0 == column).map_or(0.0, |entry| entry.1);
        Some((column, x - y))
    })
}

/// The entries of an origin that are not zero.
pub(crate) fn entries_of(origin: &[f64]) -> Vec<(usize, f64)> {
    origin.iter().copied().enumerate().filter(|(_, value)| *value != 0.0).collect()
}
