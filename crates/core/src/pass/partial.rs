//! What a step sees of a block, and what it gathers.

use faer::MatRef;

use super::{Records, Sums};
use crate::Float;
use crate::linalg::GramSum;

/// Some rows in a row, row-major.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'a, T> {
    pub values: &'a [T],
    /// Position of the first of them in the table.
    pub first: usize,
    pub rows: usize,
    pub features: usize,
}

impl<'a, T: Float> Batch<'a, T> {
    pub fn mat(&self) -> MatRef<'a, T> {
        self.matrix_of(self.values)
    }

    /// Other values of these rows as a matrix.
    pub fn matrix_of<'b, U: Float>(&self, values: &'b [U]) -> MatRef<'b, U> {
        MatRef::from_row_major_slice(values, self.rows, self.features)
    }

    /// A row as `f64`.
    pub fn row(&self, at: usize) -> Vec<f64> {
        self.lines().nth(at).expect("a row of the block").iter().map(|value| value.to_f64()).collect()
    }

    /// The rows one by one.
    pub fn lines(&self) -> std::slice::ChunksExact<'a, T> {
        self.values.chunks_exact(self.features)
    }
}

/// The state of these rows: one value an entry, and some numbers a row. What a step does not look at is empty.
pub(crate) struct Own<'a, T> {
    pub values: &'a mut [T],
    pub numbers: &'a mut [f64],
}

/// What a step does with a part of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It is not looked at.
    None,
    /// It is read.
    Read,
    /// It is read and changed.
    Change,
}

/// A step on a block of rows.
pub(crate) trait Visit<T: Float>: Sync {
    /// What becomes of the values, and of the numbers.
    fn access(&self) -> (Access, Access);
    /// The sums before the first block.
    fn start(&self, features: usize) -> Partial<T>;
    /// Looks at a block, changes its state, adds to the sums. Blocks of a chunk come in order.
    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>);
}

/// The sums of a chunk, and scratch space that serves one block after the other.
pub(crate) struct Partial<T> {
    pub gram: GramSum<T>,
    /// Where a step adds up in `f64` whatever the data is.
    pub wide: GramSum<f64>,
    pub add: Vec<f64>,
    pub max: Vec<f64>,
    pub records: Records,
    pub scratch: Vec<T>,
    pub long: (Vec<f64>, Vec<f64>),
}

impl<T: Float> Partial<T> {
    /// So many sums and largest values.
    pub fn new(add: usize, max: usize) -> Self {
        Partial {
            gram: GramSum::new(0),
            wide: GramSum::new(0),
            add: vec![0.0; add],
            max: vec![0.0; max],
            records: Records::default(),
            scratch: Vec::new(),
            long: (Vec::new(), Vec::new()),
        }
    }

    /// With a sum of products of rows, too.
    pub fn with_gram(self, features: usize) -> Self {
        Partial { gram: GramSum::new(features), ..self }
    }

    /// With the best `keep` rows, too.
    pub fn with_best(self, keep: usize) -> Self {
        Partial { records: Records::best(keep), ..self }
    }

    /// Adds the sums of the chunk that follows and empties them.
    pub fn merge(&mut self, other: &mut Self) {
        self.gram.merge(&mut other.gram);
        self.wide.merge(&mut other.wide);
        self.add.iter_mut().zip(&mut other.add).for_each(|(total, part)| *total += std::mem::take(part));
        for (total, part) in self.max.iter_mut().zip(&mut other.max) {
            *total = total.max(std::mem::take(part));
        }
        self.records.append(other.records.take());
    }

    /// The sums alone.
    pub fn finish(mut self) -> Sums {
        let gram = if self.wide.dim() > 0 { self.wide.finish() } else { self.gram.finish() };
        Sums { gram, add: self.add, max: self.max, records: self.records.take() }
    }
}
