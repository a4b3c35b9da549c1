//! What a pass returns.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use faer::Mat;
use serde::{Deserialize, Serialize};

use super::wire::{Symmetric, damaged, decode, encode};
use crate::Error;

/// The sums of a pass, or of a part of the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PassResult {
    /// A symmetric L x L sum; 0 x 0 if the step has none.
    gram: Symmetric,
    pub sums: Vec<f64>,
    pub maxima: Vec<f64>,
    pub rows: TopRows,
}

/// How many numbers of each kind a step returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct OutputShape {
    /// Rows and columns of the symmetric sum.
    pub gram: usize,
    /// The symmetric sum is made in `f64` whatever the rows are.
    pub wide: bool,
    pub sums: usize,
    pub maxima: usize,
    /// The best rows that are kept; 0 keeps all.
    pub keep: usize,
    /// Numbers that come with each returned row.
    pub row: usize,
}

impl PassResult {
    pub fn new(gram: Mat<f64>, sums: Vec<f64>, maxima: Vec<f64>, rows: TopRows) -> Self {
        PassResult { gram: Symmetric(gram), sums, maxima, rows }
    }

    /// The symmetric sum.
    pub fn gram(self) -> Mat<f64> {
        self.gram.0
    }

    /// The sums, by position.
    #[expect(clippy::indexing_slicing, reason = "`check` compared their number with what the step gives")]
    pub fn sums<const N: usize>(&self) -> [f64; N] {
        std::array::from_fn(|at| self.sums[at])
    }

    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        encode(self)
    }

    /// A result in some bytes. Its parts may still be of another size than the step's: see [`PassResult::check`].
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        decode(bytes)
    }

    /// `Ok` if this is a result of a step with this output over `items` rows. Values were scaled, so sums of squares are
    /// finite.
    pub fn check(self, shape: &OutputShape, items: usize) -> Result<Self, Error> {
        let rows = self.rows.list.iter().all(|row| row.values.len() == shape.row && row.index < items);
        let sizes = (self.gram.0.ncols(), self.sums.len(), self.maxima.len());
        let numbers = self.sums.iter().chain(&self.maxima).all(|value| !value.is_nan());
        let finite = numbers && self.gram.0.col_iter().all(|column| column.iter().all(|value| value.is_finite()));
        if rows && finite && sizes == (shape.gram, shape.sums, shape.maxima) { Ok(self) } else { Err(damaged()) }
    }

    /// Adds the result of the rows that follow.
    pub fn merge(&mut self, other: PassResult) -> Result<(), Error> {
        let sizes = |result: &PassResult| (result.gram.0.ncols(), result.sums.len(), result.maxima.len());
        if sizes(self) != sizes(&other) {
            return Err(damaged());
        }
        self.gram.0 += other.gram.0;
        self.sums.iter_mut().zip(other.sums).for_each(|(total, part)| *total += part);
        self.maxima.iter_mut().zip(other.maxima).for_each(|(total, part)| *total = total.max(part));
        self.rows.append(other.rows);
        Ok(())
    }
}

/// A row that a pass brings back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TopRow {
    pub index: usize,
    /// What it is ranked by.
    pub key: f64,
    /// Its values, and what else the step says about it.
    pub values: Vec<f64>,
}

impl TopRow {
    /// Larger key first; equal keys by index, the smaller first.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        other.key.total_cmp(&self.key).then(self.index.cmp(&other.index))
    }
}

/// Rows that a pass brings back: the best `keep`, or all in the order of the table if that is 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct TopRows {
    pub keep: usize,
    pub list: Vec<TopRow>,
    /// The key that a row has to beat, once there are `keep`.
    #[serde(skip)]
    least: Option<f64>,
}

impl TopRows {
    /// Room for the best `keep`.
    pub fn best(keep: usize) -> Self {
        TopRows { keep, ..TopRows::default() }
    }

    /// Offers a row that comes after all others in the table; `values` is called only if the row is kept.
    #[inline(always)]
    pub fn offer(&mut self, index: usize, key: f64, values: impl FnOnce() -> Vec<f64>) {
        if self.least.is_none_or(|least| key > least) {
            self.list.push(TopRow { index, key, values: values() });
            if self.list.len() >= self.keep.saturating_mul(2) {
                self.cut();
            }
        }
    }

    /// Adds a row where all are kept.
    pub fn push(&mut self, index: usize, key: f64, values: Vec<f64>) {
        self.list.push(TopRow { index, key, values });
    }

    /// Adds the rows of a later part of the table.
    pub fn append(&mut self, mut other: TopRows) {
        self.keep = self.keep.max(other.keep);
        self.list.append(&mut other.list);
        if self.keep > 0 {
            self.cut();
        }
    }

    /// Takes all rows out; the best come first.
    pub fn take(&mut self) -> TopRows {
        self.cut();
        self.least = None;
        TopRows { keep: self.keep, list: std::mem::take(&mut self.list), least: None }
    }

    fn cut(&mut self) {
        if self.keep == 0 {
            return;
        }
        self.list.sort_unstable_by(TopRow::order);
        self.list.truncate(self.keep);
        self.least = self.list.get(self.keep - 1).map(|last| last.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_kept_and_ties_go_to_the_smaller_index() {
        let keys = [1.0, 3.0, 3.0, 2.0, 3.0, 0.5, 2.0];
        for cut in 0..=keys.len() {
            let part = |range: std::ops::Range<usize>| {
                let mut rows = TopRows::best(4);
                keys.iter()
                    .enumerate()
                    .skip(range.start)
                    .take(range.len())
                    .for_each(|(i, &key)| rows.offer(i, key, Vec::new));
                rows.take()
            };
            let mut all = part(0..cut);
            all.append(part(cut..keys.len()));
            let found: Vec<usize> = all.take().list.iter().map(|row| row.index).collect();
            assert_eq!(found, [1, 2, 4, 3], "cut at {cut}");
        }
    }

    #[test]
    fn parts_of_different_sizes_are_not_merged() {
        let result = |dim, sums| PassResult::new(Mat::zeros(dim, dim), vec![1.0; sums], vec![], TopRows::default());
        assert!(result(2, 3).merge(result(2, 3)).is_ok());
        assert!(result(2, 3).merge(result(3, 3)).is_err());
        assert!(result(2, 3).merge(result(2, 2)).is_err());
    }
}
