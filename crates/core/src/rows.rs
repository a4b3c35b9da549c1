//! Some rows of the table, and the distances between them by block products.

use std::ops::Range;

use faer::{MatMut, MatRef};
use rand_chacha::ChaCha8Rng;

use crate::baselines::distance::{Table, dot, shift_rows};
use crate::baselines::random::uniform;
use crate::{Float, linalg};

/// Rows a product where only their distances count.
const BLOCK: usize = 64;
/// Distances below this share of the largest one count as zero.
const ZERO: f64 = 1e-12;

/// Rows without the origin, and their squared norms.
pub(crate) struct Rows<T> {
    values: Vec<T>,
    norms: Vec<T>,
}

impl<T: Float> Rows<T> {
    /// No rows yet.
    pub fn empty() -> Self {
        Rows { values: Vec::new(), norms: Vec::new() }
    }

    /// The listed items.
    pub fn of<U: Float>(table: &Table<'_, U>, items: &[usize]) -> Self {
        let mut rows = Rows::empty();
        rows.fill(&table.samples.gather(items).values, &table.origin);
        rows
    }

    /// Takes other rows.
    pub fn fill<U: Float>(&mut self, rows: &[U], origin: &[f64]) {
        shift_rows(rows, origin, &mut self.values);
        self.norms.clear();
        self.norms.extend(self.values.chunks_exact(origin.len()).map(|row| T::from_f64(dot(row, row))));
    }

    pub fn len(&self) -> usize {
        self.norms.len()
    }

    /// The squared distances of the rows `range` to all of `others`, a row each.
    pub fn squared(&self, range: Range<usize>, others: &Rows<T>, squared: &mut Vec<T>) {
        let zero = T::from_f64(0.0);
        let (rows, count, features) = (range.len(), others.len(), self.values.len() / self.len());
        squared.resize(rows * count, zero);
        let values = &self.values[range.start * features..range.end * features];
        let lhs = MatRef::from_row_major_slice(values, rows, features);
        let rhs = MatRef::from_row_major_slice(&others.values, count, features).transpose();
        linalg::product(MatMut::from_row_major_slice_mut(squared, rows, count), lhs, rhs, -2.0);
        for (line, &norm) in squared.chunks_exact_mut(count).zip(&self.norms[range]) {
            for (value, &other) in line.iter_mut().zip(&others.norms) {
                let distance = *value + (norm + other);
                *value = if distance > zero { distance } else { zero };
            }
        }
    }
}

/// `count` of the listed items, or all if there are no more, in order.
pub(crate) fn sample(generator: &mut ChaCha8Rng, items: &[usize], count: usize) -> Vec<usize> {
    positions(generator, items.len(), count).into_iter().map(|position| items[position]).collect()
}

/// `count` positions below `items`, or all if there are no more, in order; memory for `count` of them.
pub(crate) fn positions(generator: &mut ChaCha8Rng, items: usize, count: usize) -> Vec<usize> {
    if items <= count {
        return (0..items).collect();
    }
    // The `count` largest keys; of equal ones the first.
    let mut best: Vec<(f64, usize)> = Vec::with_capacity(2 * count);
    let mut least = f64::NEG_INFINITY;
    for position in 0..items {
        let key = uniform(generator);
        if key > least {
            best.push((key, position));
            if best.len() == 2 * count {
                best.select_nth_unstable_by(count - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                best.truncate(count);
                least = best[count - 1].0;
            }
        }
    }
    best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut drawn: Vec<usize> = best[..count].iter().map(|&(_, position)| position).collect();
    drawn.sort_unstable();
    drawn
}

/// The median of the squared distances between two lists of items, zeros left out; 1 if there are no others.
pub(crate) fn median_squared<T: Float>(table: &Table<'_, T>, some: &[usize], others: &[usize]) -> f64 {
    let others = Rows::<f64>::of(table, others);
    let (mut all, mut part) = (Vec::with_capacity(some.len() * others.len()), Vec::new());
    for items in some.chunks(BLOCK) {
        let rows = Rows::<f64>::of(table, items);
        rows.squared(0..rows.len(), &others, &mut part);
        all.extend_from_slice(&part);
    }
    let largest = all.iter().copied().fold(1e-300, f64::max);
    all.retain(|&squared| squared > ZERO * largest);
    if all.is_empty() { 1.0 } else { median(&mut all) }
}

/// The median; the mean of the middle two where their number is even.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if below.len() == middle && values.len() % 2 == 1 {
        return upper;
    }
    let lower = values[..middle].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    0.5 * (lower + upper)
}
