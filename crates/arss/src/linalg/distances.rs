//! Some rows of the table, and the distances between them by block products.

use std::ops::Range;

use faer::{MatMut, MatRef};

use crate::exec::RowAccess;
use crate::{Float, linalg};

/// Rows per product where only their distances count.
const BLOCK: usize = 64;
/// Distances below this share of the largest one count as zero.
const ZERO: f64 = 1e-12;

/// Rows that can be read by position, and a point amid them.
///
/// The origin is subtracted from rows before they are multiplied. Distances do not depend on it, but their rounding
/// errors do.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    pub rows: &'a dyn RowAccess,
    pub origin: &'a [f64],
}

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
    pub fn of(table: &Table<'_>, items: &[usize]) -> Self {
        let (mut rows, mut values) = (Rows::empty(), Vec::new());
        table.rows.read(items, &mut values);
        rows.fill(&values, table.origin);
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

    /// A row, without the origin.
    pub fn row(&self, at: usize) -> &[T] {
        let features = self.values.len() / self.len();
        &self.values[at * features..(at + 1) * features]
    }

    /// All rows, one behind the other, without the origin.
    pub fn into_values(self) -> Vec<T> {
        self.values
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

/// The median of the squared distances between two samples_drawn of items, zeros left out; 1 if there are no others.
pub(crate) fn median_squared(table: &Table<'_>, some: &[usize], others: &[usize]) -> f64 {
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

/// `rows` without the origin, as another type if need be.
pub(crate) fn shift_rows<T: Float, U: Float>(rows: &[T], origin: &[f64], shifted: &mut Vec<U>) {
    shifted.clear();
    for row in rows.chunks_exact(origin.len()) {
        shifted.extend(row.iter().zip(origin).map(|(x, o)| U::from_f64(x.to_f64() - o)));
    }
}

/// |a - b|^2, in `f64`.
pub(crate) fn squared_distance<T: Float>(a: &[T], b: &[f64]) -> f64 {
    sum_of(a, b, |x, y| (x - y) * (x - y))
}

/// a.b, in `f64`.
pub(crate) fn dot<T: Float, U: Float>(a: &[T], b: &[U]) -> f64 {
    sum_of(a, b, |x, y| x * y)
}

/// Adds up `term` over the pairs in eight lanes: fast, and always in the same order.
fn sum_of<T: Float, U: Float>(a: &[T], b: &[U], term: impl Fn(f64, f64) -> f64) -> f64 {
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest = a.remainder().iter().zip(b.remainder());
    let rest: f64 = rest.map(|(x, y)| term(x.to_f64(), y.to_f64())).sum();
    let mut lanes = [0.0; 8];
    for (a, b) in a.zip(b) {
        for lane in 0..8 {
            lanes[lane] += term(a[lane].to_f64(), b[lane].to_f64());
        }
    }
    lanes.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(count: u32) -> Vec<f64> {
        (0..count).map(|i| (f64::from(i) * 12.9898).sin() * 43758.5453 % 1.0 + 1000.0).collect()
    }

    #[test]
    fn sums_of_any_length_are_right() {
        for count in [1, 7, 8, 9, 31] {
            let (a, b) = (values(count), values(2 * count).split_off(count as usize));
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert!((dot(&a, &b) / plain - 1.0).abs() < 1e-14);
            assert_eq!(squared_distance(&a, &a), 0.0);
        }
    }
}
