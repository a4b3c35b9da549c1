//! Some rows of the table, and the distances between them by block products.

use std::ops::Range;
use std::sync::OnceLock;

use faer::{MatMut, MatRef};

use super::compressed::{self, Compressed};
use crate::exec::{PointRows, RowAccess};
use crate::linalg::simd::vectorised;
use crate::{Float, linalg};

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
    features: usize,
    store: Store<T>,
    norms: Vec<T>,
}

/// How rows are kept: products of compressed ones take time only for what is not zero.
enum Store<T> {
    /// One behind the other.
    Dense(Vec<T>),
    /// The same by columns is made when it is needed first.
    Sparse { rows: Compressed<T>, by_column: OnceLock<Compressed<T>> },
}

impl<T: Float> Store<T> {
    fn sparse(rows: Compressed<T>) -> Self {
        Store::Sparse { rows, by_column: OnceLock::new() }
    }
}

impl<T: Float> Rows<T> {
    /// No rows yet.
    pub fn empty() -> Self {
        Rows { features: 0, store: Store::Dense(Vec::new()), norms: Vec::new() }
    }

    /// The listed items.
    pub fn of(table: &Table<'_>, items: &[usize]) -> Self {
        PointRows::read(table.rows, items, table.origin.len()).rows(table.origin)
    }

    /// Rows of which only the entries that are not zero are given.
    pub fn of_entries(rows: &Compressed<f64>, origin: &[f64]) -> Self {
        let mut found = Rows::empty();
        found.keep(rows.shifted(&compressed::entries_of(origin)), origin.len());
        found
    }

    /// Takes other rows.
    pub fn fill<U: Float>(&mut self, rows: &[U], origin: &[f64]) {
        let features = origin.len();
        let count = rows.len() / features;
        if compressed::is_long(features) && compressed::is_sparse(count_nonzeros(rows, origin), count, features) {
            let mut store = Compressed::empty();
            rows.chunks_exact(features).for_each(|row| store.push(shifted(row, origin)));
            self.keep(store, features);
            return;
        }
        self.features = features;
        if let Store::Sparse { .. } = self.store {
            self.store = Store::Dense(Vec::new());
        }
        if let Store::Dense(values) = &mut self.store {
            shift_rows(rows, origin, values);
            self.norms.clear();
            self.norms.extend(values.chunks_exact(features).map(|row| T::from_f64(dot(row, row))));
        }
    }

    fn keep(&mut self, rows: Compressed<T>, features: usize) {
        let norm = |row: usize| T::from_f64(rows.row(row).map(|(_, x)| x.to_f64() * x.to_f64()).sum());
        self.norms.clear();
        self.norms.extend((0..rows.rows()).map(norm));
        self.features = features;
        self.store = Store::sparse(rows);
    }

    pub fn len(&self) -> usize {
        self.norms.len()
    }

    /// Puts row `from` of `other` in the place of row `at`.
    pub fn replace(&mut self, at: usize, other: &Rows<T>, from: usize) {
        let features = self.features;
        self.norms[at] = other.norms[from];
        match (&mut self.store, &other.store) {
            (Store::Dense(values), _) => other.expand(from, &mut values[at * features..(at + 1) * features]),
            (Store::Sparse { rows, .. }, store) => {
                let mut kept = Compressed::empty();
                for row in 0..rows.rows() {
                    match store {
                        _ if row != at => kept.push_entries(rows.row(row)),
                        Store::Sparse { rows: others, .. } => kept.push_entries(others.row(from)),
                        Store::Dense(values) => {
                            kept.push(values[from * features..(from + 1) * features].iter().copied());
                        }
                    }
                }
                self.store = Store::sparse(kept);
            }
        }
    }

    /// Writes a row, without the origin, to `values`.
    fn expand(&self, at: usize, values: &mut [T]) {
        match &self.store {
            Store::Dense(all) => values.copy_from_slice(&all[at * self.features..(at + 1) * self.features]),
            Store::Sparse { rows, .. } => {
                values.fill(T::from_f64(0.0));
                rows.row(at).for_each(|(column, value)| values[column] = value);
            }
        }
    }

    /// The squared distances of the rows `range` to all of `others`, a row each.
    pub fn squared(&self, range: Range<usize>, others: &Rows<T>, squared: &mut Vec<T>) {
        let zero = T::from_f64(0.0);
        let (rows, count, features) = (range.len(), others.len(), self.features);
        squared.resize(rows * count, zero);
        match (&others.store, &self.store) {
            (Store::Sparse { rows: others, by_column }, store) => {
                let by_column = by_column.get_or_init(|| others.transposed(features));
                for (line, at) in squared.chunks_exact_mut(count).zip(range.clone()) {
                    match store {
                        Store::Sparse { rows, .. } => by_column.products(rows.row(at), line),
                        Store::Dense(values) => {
                            let row = &values[at * features..(at + 1) * features];
                            by_column.products(row.iter().copied().enumerate().filter(|(_, x)| *x != zero), line);
                        }
                    }
                    line.iter_mut().for_each(|product| *product = T::from_f64(-2.0) * *product);
                }
            }
            (Store::Dense(others), Store::Dense(values)) => {
                dense_products(&values[range.start * features..range.end * features], others, features, squared);
            }
            (Store::Dense(others), Store::Sparse { .. }) => {
                let mut values = vec![zero; rows * features];
                let lines = values.chunks_exact_mut(features).zip(range.clone());
                lines.for_each(|(line, at)| self.expand(at, line));
                dense_products(&values, others, features, squared);
            }
        }
        vectorised(
            #[inline(always)]
            || {
                for (line, &norm) in squared.chunks_exact_mut(count).zip(&self.norms[range]) {
                    for (value, &other) in line.iter_mut().zip(&others.norms) {
                        let distance = *value + (norm + other);
                        *value = if distance > zero { distance } else { zero };
                    }
                }
            },
        );
    }
}

impl Rows<f64> {
    /// |a - b|^2 of row `at` and row `other` of `others`.
    pub fn squared_distance(&self, at: usize, others: &Rows<f64>, other: usize) -> f64 {
        match (&self.store, &others.store) {
            (Store::Dense(values), Store::Dense(others)) => {
                let row = |at: usize| at * self.features..(at + 1) * self.features;
                squared_distance(&values[row(at)], &others[row(other)])
            }
            (Store::Sparse { rows, .. }, Store::Sparse { rows: others, .. }) => {
                rows.squared_distance(at, others, other)
            }
            _ => {
                let (mut a, mut b) = (vec![0.0; self.features], vec![0.0; self.features]);
                self.expand(at, &mut a);
                others.expand(other, &mut b);
                squared_distance(&a, &b)
            }
        }
    }
}

/// -2 times the products of some rows with others.
fn dense_products<T: Float>(rows: &[T], others: &[T], features: usize, products: &mut [T]) {
    let (count, others_count) = (rows.len() / features, others.len() / features);
    let lhs = MatRef::from_row_major_slice(rows, count, features);
    let rhs = MatRef::from_row_major_slice(others, others_count, features).transpose();
    linalg::product(MatMut::from_row_major_slice_mut(products, count, others_count), lhs, rhs, -2.0);
}

/// A row without the origin.
fn shifted<T: Float, U: Float>(row: &[U], origin: &[f64]) -> impl Iterator<Item = T> {
    row.iter().zip(origin).map(|(x, o)| T::from_f64(x.to_f64() - o))
}

/// How many values of some rows differ from the origin.
fn count_nonzeros<T: Float>(rows: &[T], origin: &[f64]) -> usize {
    let differs = |(x, o): (&T, &f64)| x.to_f64() != *o;
    rows.chunks_exact(origin.len()).map(|row| row.iter().zip(origin).filter(|&pair| differs(pair)).count()).sum()
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
