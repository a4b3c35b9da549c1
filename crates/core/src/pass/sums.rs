//! What a pass adds up.

use faer::Mat;

/// The sums of a pass, or of a part of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sums {
    /// A symmetric sum of L x L, both halves; 0 x 0 if the step has none.
    pub gram: Mat<f64>,
    pub add: Vec<f64>,
    pub max: Vec<f64>,
    pub records: Records,
}

impl Sums {
    /// Adds the sums of the rows that follow.
    pub fn merge(&mut self, other: Sums) {
        if self.gram.ncols() == 0 {
            self.gram = other.gram;
        } else if other.gram.ncols() > 0 {
            self.gram += other.gram;
        }
        merge(&mut self.add, &other.add, |a, b| a + b);
        merge(&mut self.max, &other.max, f64::max);
        self.records.append(other.records);
    }
}

/// Joins two lists number by number; an empty one is nothing.
pub(crate) fn merge(total: &mut Vec<f64>, part: &[f64], join: impl Fn(f64, f64) -> f64) {
    if total.is_empty() {
        total.extend_from_slice(part);
    } else {
        total.iter_mut().zip(part).for_each(|(total, &part)| *total = join(*total, part));
    }
}

/// A row that a pass brings back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub index: usize,
    /// What it is ranked by.
    pub key: f64,
    /// Its values, and what else the step tells of it.
    pub row: Vec<f64>,
}

impl Record {
    /// Larger key first; equal keys by index, the smaller first.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        other.key.total_cmp(&self.key).then(self.index.cmp(&other.index))
    }
}

/// Rows that a pass brings back: the best `keep`, or all in order if that is 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Records {
    pub keep: usize,
    pub list: Vec<Record>,
    /// The key that a row has to beat, once there are `keep`.
    pub(super) least: Option<f64>,
}

impl Records {
    /// Room for the best `keep`.
    pub fn best(keep: usize) -> Self {
        Records { keep, ..Records::default() }
    }

    /// Offers a row that comes after all others in the table; `row` is called only if it is kept.
    #[inline(always)]
    pub fn offer(&mut self, index: usize, key: f64, row: impl FnOnce() -> Vec<f64>) {
        if self.least.is_none_or(|least| key > least) {
            self.list.push(Record { index, key, row: row() });
            if self.list.len() >= 2 * self.keep {
                self.cut();
            }
        }
    }

    /// Adds a record where all are kept.
    pub fn push(&mut self, index: usize, key: f64, row: Vec<f64>) {
        self.list.push(Record { index, key, row });
    }

    /// Adds the records of the rows that follow.
    pub fn append(&mut self, mut other: Records) {
        self.keep = self.keep.max(other.keep);
        self.list.append(&mut other.list);
        if self.keep > 0 {
            self.cut();
        }
    }

    /// Takes all records out; the best come first.
    pub fn take(&mut self) -> Records {
        self.cut();
        self.least = None;
        Records { keep: self.keep, list: std::mem::take(&mut self.list), least: None }
    }

    fn cut(&mut self) {
        if self.keep == 0 {
            return;
        }
        self.list.sort_unstable_by(Record::order);
        self.list.truncate(self.keep);
        self.least = (self.list.len() == self.keep).then(|| self.list[self.keep - 1].key);
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
                let mut records = Records::best(4);
                range.for_each(|i| records.offer(i, keys[i], Vec::new));
                records.take()
            };
            let mut all = part(0..cut);
            all.append(part(cut..keys.len()));
            let found: Vec<usize> = all.take().list.iter().map(|record| record.index).collect();
            assert_eq!(found, [1, 2, 4, 3], "cut at {cut}");
        }
    }
}
