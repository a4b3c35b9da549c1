//! What a step sees of a block of rows, and what it adds up.

use std::ops::Range;

use faer::MatRef;

use super::{OutputShape, PassResult, TopRows};
use crate::exemplars::landmarks;
use crate::exemplars::nearest_few::NearestFew;
use crate::linalg::GramSum;
use crate::linalg::compressed::Compressed;
use crate::linalg::nearest::{self, Near};
use crate::linalg::row_values::RowValues;
use crate::models::row_sums;
use crate::{Error, Float};

/// What the caller knows of each row besides its values: the weight of the row, and its group.
///
/// ```
/// use arss::distributed::RowAttributes;
///
/// let weights = [1.0, 2.0];
/// let attributes = RowAttributes { weights: Some(&weights), ..RowAttributes::default() };
/// assert!(attributes.groups.is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RowAttributes<'a> {
    /// How much each row counts; all alike if not given.
    pub weights: Option<&'a [f64]>,
    /// The group of each row, counted from 0.
    pub groups: Option<&'a [usize]>,
}

impl<'a> RowAttributes<'a> {
    /// The attributes of some of the rows.
    pub(super) fn slice(&self, rows: Range<usize>) -> Self {
        RowAttributes {
            weights: self.weights.map(|weights| &weights[rows.clone()]),
            groups: self.groups.map(|groups| &groups[rows]),
        }
    }

    /// `Ok` if there is one of each for each of `items` rows.
    pub(crate) fn check(&self, items: usize) -> Result<(), Error> {
        if let Some(weights) = self.weights.filter(|weights| weights.len() != items) {
            return Err(Error::WeightCount { found: weights.len(), expected: items });
        }
        match self.groups.filter(|groups| groups.len() != items) {
            Some(groups) => Err(Error::GroupCount { found: groups.len(), expected: items }),
            None => Ok(()),
        }
    }
}

/// Consecutive rows, row-major. For a step that does not look at the rows `values` is empty.
#[derive(Clone, Copy)]
pub(crate) struct RowBlock<'a, T> {
    pub values: &'a [T],
    /// The rows without their zeros instead, where a table holds no others and the step takes them so.
    pub entries: Option<&'a Compressed<T>>,
    /// Position of the first of them in the table.
    pub first: usize,
    pub rows: usize,
    pub features: usize,
    pub attributes: RowAttributes<'a>,
}

impl<'a, T: Float> RowBlock<'a, T> {
    pub fn mat(&self) -> MatRef<'a, T> {
        self.matrix_of(self.values)
    }

    /// Other values of these rows as a matrix.
    pub fn matrix_of<'b, U: Float>(&self, values: &'b [U]) -> MatRef<'b, U> {
        MatRef::from_row_major_slice(values, self.rows, self.features)
    }

    /// The rows, with their zeros or without.
    pub fn seen(&self) -> RowValues<'a, T> {
        match self.entries {
            Some(entries) => RowValues::Sparse(entries, 0..self.rows),
            None => RowValues::Dense(self.values),
        }
    }

    /// A row as `f64`.
    pub fn row(&self, at: usize) -> Vec<f64> {
        let row = self.seen().part(at..at + 1, self.features);
        row.dense(self.features, &mut Vec::new()).iter().map(|value| value.to_f64()).collect()
    }

    /// The rows one by one.
    pub fn lines(&self) -> std::slice::ChunksExact<'a, T> {
        self.values.chunks_exact(self.features)
    }

    /// How much a row counts.
    #[inline(always)]
    pub fn weight(&self, at: usize) -> f64 {
        self.attributes.weights.map_or(1.0, |weights| weights[at])
    }

    /// The group of a row; all are in group 0 if there are none.
    #[inline(always)]
    pub fn group(&self, at: usize) -> usize {
        self.attributes.groups.map_or(0, |groups| groups[at])
    }
}

/// The state of these rows: one value per entry, and some numbers per row. What a step does not use is empty.
pub(crate) struct BlockState<'a, T> {
    pub values: &'a mut [T],
    pub numbers: &'a mut [f64],
}

/// A step on a block of rows.
pub(crate) trait BlockStep<T: Float>: Sync {
    /// Reads a block, changes its state, adds to the sums. The blocks of a chunk come in order.
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>);
}

/// The sums of a chunk, and scratch space that serves one block after the other.
pub(crate) struct Accumulator<T> {
    pub gram: GramSum<T>,
    /// For steps that add up in `f64` whatever the rows are.
    pub wide_gram: GramSum<f64>,
    pub sums: Vec<f64>,
    pub maxima: Vec<f64>,
    pub rows: TopRows,
    pub scratch: Scratch<T>,
}

/// Buffers that are allocated once per chunk, not once per block.
pub(crate) struct Scratch<T> {
    /// Rows that had to be gathered, because they are not contiguous in memory.
    pub gathered: Vec<T>,
    /// The same without their zeros.
    pub entries: Compressed<T>,
    pub values: Vec<T>,
    pub wide: Vec<f64>,
    pub product: Vec<f64>,
    pub landmarks: landmarks::Scratch<T>,
    pub nearest: nearest::Scratch<T>,
    pub near: Vec<Near>,
    /// Places of some rows in their block.
    pub places: Vec<usize>,
    pub few: NearestFew,
    /// The landmark that each row is itself.
    pub owns: Vec<Option<usize>>,
    /// The columns of some rows that they are judged by.
    pub judged: Vec<T>,
    /// Rows whose sums are in question, and what is measured of them.
    pub open: Vec<T>,
    pub ranking: row_sums::steps::Space,
    /// Rows counted so far, for steps that number the rows.
    pub counted: [usize; 2],
}

impl<T: Float> Accumulator<T> {
    /// Nothing added up yet.
    pub fn new(shape: &OutputShape) -> Self {
        let OutputShape { gram, wide, sums, maxima, keep, .. } = *shape;
        Accumulator {
            gram: GramSum::new(if wide { 0 } else { gram }),
            wide_gram: GramSum::new(if wide { gram } else { 0 }),
            sums: vec![0.0; sums],
            maxima: vec![0.0; maxima],
            rows: TopRows::best(keep),
            scratch: Scratch {
                gathered: Vec::new(),
                entries: Compressed::empty(),
                values: Vec::new(),
                wide: Vec::new(),
                product: Vec::new(),
                landmarks: landmarks::Scratch::default(),
                nearest: nearest::Scratch::default(),
                near: Vec::new(),
                places: Vec::new(),
                few: NearestFew::default(),
                owns: Vec::new(),
                judged: Vec::new(),
                open: Vec::new(),
                ranking: row_sums::steps::Space::default(),
                counted: [0; 2],
            },
        }
    }

    /// Adds the sums of the chunk that follows and empties them.
    pub fn merge(&mut self, other: &mut Self) {
        self.gram.merge(&mut other.gram);
        self.wide_gram.merge(&mut other.wide_gram);
        self.sums.iter_mut().zip(&mut other.sums).for_each(|(total, part)| *total += std::mem::take(part));
        for (total, part) in self.maxima.iter_mut().zip(&mut other.maxima) {
            *total = total.max(std::mem::take(part));
        }
        self.rows.append(other.rows.take());
    }

    /// The sums without the scratch space.
    pub fn finish(mut self) -> PassResult {
        let gram = if self.wide_gram.dim() > 0 { self.wide_gram.finish() } else { self.gram.finish() };
        PassResult::new(gram, self.sums, self.maxima, self.rows.take())
    }
}
