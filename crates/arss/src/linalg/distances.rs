//! Some rows of the table, and the distances between them by block products.

use std::ops::Range;
use std::sync::OnceLock;

use faer::{MatMut, MatRef};

use super::compressed::{self, Compressed};
use super::manhattan;
use super::row_values::RowValues;
use super::simd::vectorised;
use crate::exec::{PointRows, RowAccess};
use crate::{Float, Metric, linalg};

/// Rows that can be read by position, how they are compared, and a point amid them.
///
/// The origin is subtracted from rows before they are multiplied. Distances do not depend on it, but their rounding
/// errors do. Metrics without products have zeros.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    pub rows: &'a dyn RowAccess,
    pub origin: &'a [f64],
    pub metric: Metric,
}

/// Rows ready for distances.
pub(crate) struct Rows<'a, T> {
    features: usize,
    metric: Metric,
    store: Store<'a, T>,
    /// The squared length of each row, or the sum of its absolute values, where a metric uses it; as many as there are rows.
    sizes: Vec<T>,
}

/// How rows are kept: products of compressed ones take time only for what is not zero.
enum Store<'a, T> {
    /// One behind the other, without the origin.
    Dense(Vec<T>),
    /// The same by columns is made when it is needed first.
    Sparse { rows: Compressed<T>, by_column: OnceLock<Compressed<T>> },
    /// By their positions in a table of distances, and the table where two of them are compared.
    Items(Vec<usize>, Option<&'a dyn RowAccess>),
    /// The distances to the rows that they are compared with, a line each.
    Measured(Vec<T>),
}

impl<T: Float> Store<'_, T> {
    fn sparse(rows: Compressed<T>) -> Self {
        Store::Sparse { rows, by_column: OnceLock::new() }
    }
}

impl<'a, T: Float> Rows<'a, T> {
    /// No rows yet.
    pub fn empty() -> Self {
        Rows { features: 0, metric: Metric::Euclidean, store: Store::Dense(Vec::new()), sizes: Vec::new() }
    }

    /// The listed items.
    pub fn of(table: &Table<'a>, items: &[usize]) -> Self {
        match table.metric {
            Metric::Precomputed => Rows::of_items(items.to_vec(), Some(table.rows)),
            _ => PointRows::read(table, items).rows(table.origin),
        }
    }

    /// Rows of a table of distances.
    pub fn of_items(items: Vec<usize>, table: Option<&'a dyn RowAccess>) -> Self {
        let sizes = vec![T::from_f64(0.0); items.len()];
        Rows { features: 0, metric: Metric::Precomputed, store: Store::Items(items, table), sizes }
    }

    /// Rows of which only the entries that are not zero are given.
    pub fn of_entries(rows: &Compressed<f64>, origin: &[f64], metric: Metric) -> Self {
        let mut found = Rows { metric, ..Rows::empty() };
        found.keep(rows.shifted(0..rows.rows(), &compressed::entries_of(origin)), origin.len());
        found
    }

    /// Rows like these to compare them with. Of a table of distances `values` are the distances to them.
    pub fn fill_like(&mut self, others: &Rows<'_, T>, values: &RowValues<'_, T>, origin: &[f64]) {
        match values {
            RowValues::Dense(values) if others.metric == Metric::Precomputed => {
                let count = values.len() / others.len();
                self.store = Store::Measured(values.to_vec());
                (self.metric, self.sizes) = (Metric::Precomputed, vec![T::from_f64(0.0); count]);
            }
            RowValues::Dense(values) => self.fill(values, origin, others.metric),
            RowValues::Sparse(all, rows) => {
                let shifted = all.shifted(rows.clone(), &compressed::entries_of(origin));
                self.metric = others.metric;
                if compressed::is_sparse(shifted.len(), rows.len(), origin.len()) {
                    self.keep(shifted, origin.len());
                } else {
                    self.fill(values.dense(origin.len(), &mut Vec::new()), origin, others.metric);
                }
            }
        }
    }

    /// Takes other rows.
    pub fn fill<U: Float>(&mut self, rows: &[U], origin: &[f64], metric: Metric) {
        let features = origin.len();
        let count = rows.len() / features;
        self.metric = metric;
        if compressed::is_long(features) && compressed::is_sparse(count_nonzeros(rows, origin), count, features) {
            let mut store = Compressed::empty();
            rows.chunks_exact(features).for_each(|row| store.push(shifted(row, origin)));
            self.keep(store, features);
            return;
        }
        self.features = features;
        let mut values = match std::mem::replace(&mut self.store, Store::Measured(Vec::new())) {
            Store::Dense(values) => values,
            _ => Vec::new(),
        };
        shift_rows(rows, origin, &mut values);
        self.sizes.clear();
        match metric {
            Metric::Manhattan => self.sizes.resize(count, T::from_f64(0.0)),
            _ => vectorised(
                #[inline(always)]
                || self.sizes.extend(values.chunks_exact(features).map(|row| T::from_f64(dot(row, row)))),
            ),
        }
        self.store = Store::Dense(values);
    }

    fn keep(&mut self, rows: Compressed<T>, features: usize) {
        self.sizes.clear();
        self.sizes.extend((0..rows.rows()).map(|row| T::from_f64(rows.size(row, self.metric))));
        self.features = features;
        self.store = Store::sparse(rows);
    }

    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// True if distances are straight lines.
    pub fn is_euclidean(&self) -> bool {
        self.metric.by_products()
    }

    /// Puts row `from` of `other` in the place of row `at`.
    pub fn replace(&mut self, at: usize, other: &Rows<'_, T>, from: usize) {
        let features = self.features;
        self.sizes[at] = other.sizes[from];
        match (&mut self.store, &other.store) {
            (Store::Items(items, _), Store::Items(others, _)) => items[at] = others[from],
            (Store::Dense(values), _) => other.expand(from, &mut values[at * features..(at + 1) * features]),
            (Store::Sparse { rows, .. }, store) => {
                let mut kept = Compressed::empty();
                for row in 0..rows.rows() {
                    match store {
                        Store::Sparse { rows: others, .. } if row == at => kept.push_entries(others.row(from)),
                        Store::Dense(values) if row == at => {
                            kept.push(values[from * features..(from + 1) * features].iter().copied());
                        }
                        _ => kept.push_entries(rows.row(row)),
                    }
                }
                self.store = Store::sparse(kept);
            }
            _ => unreachable!("rows are replaced by rows of their table"),
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
            Store::Items(..) | Store::Measured(_) => unreachable!("distances have no values"),
        }
    }

    /// The squared distances of the rows `range` to all of `others`, a row each.
    pub fn squared(&self, range: Range<usize>, others: &Rows<'_, T>, squared: &mut Vec<T>) {
        let zero = T::from_f64(0.0);
        let (rows, count, features) = (range.len(), others.len(), self.features);
        squared.resize(rows * count, zero);
        match (&others.store, &self.store) {
            (Store::Items(others, _), _) => return self.look_up(range, others, squared),
            (Store::Sparse { rows: others, by_column }, store) => {
                let by_column = by_column.get_or_init(|| others.transposed(features));
                for (line, at) in squared.chunks_exact_mut(count).zip(range.clone()) {
                    match store {
                        Store::Dense(values) => {
                            let row = &values[at * features..(at + 1) * features];
                            let entries = row.iter().copied().enumerate().filter(|(_, x)| *x != zero);
                            shared_parts(by_column, entries, self.metric, line);
                        }
                        Store::Sparse { rows, .. } => shared_parts(by_column, rows.row(at), self.metric, line),
                        _ => unreachable!("both are rows of one table"),
                    }
                }
            }
            (Store::Dense(others), Store::Dense(values)) => {
                let values = &values[range.start * features..range.end * features];
                if self.metric == Metric::Manhattan {
                    return manhattan::squared(values, others, features, squared);
                }
                dense_products(values, others, features, squared);
            }
            (Store::Dense(others), _) => {
                let mut values = vec![zero; rows * features];
                let lines = values.chunks_exact_mut(features).zip(range.clone());
                lines.for_each(|(line, at)| self.expand(at, line));
                if self.metric == Metric::Manhattan {
                    return manhattan::squared(&values, others, features, squared);
                }
                dense_products(&values, others, features, squared);
            }
            (Store::Measured(_), _) => unreachable!("nothing is compared with measured rows"),
        }
        for (line, &size) in squared.chunks_exact_mut(count).zip(&self.sizes[range]) {
            for (value, &other) in line.iter_mut().zip(&others.sizes) {
                let distance = *value + (size + other);
                *value = if distance > zero { distance } else { zero };
            }
            if self.metric == Metric::Manhattan {
                line.iter_mut().for_each(|value| *value = *value * *value);
            }
        }
    }

    /// The same where distances are given.
    fn look_up(&self, range: Range<usize>, others: &[usize], squared: &mut [T]) {
        let mut found = Vec::new();
        for (line, at) in squared.chunks_exact_mut(others.len()).zip(range) {
            let distances: &mut dyn Iterator<Item = f64> = match &self.store {
                Store::Measured(values) => {
                    &mut values[at * others.len()..(at + 1) * others.len()].iter().map(|value| value.to_f64())
                }
                Store::Items(items, Some(table)) => {
                    found.clear();
                    table.push_distances(items[at], others, &mut found);
                    &mut found.iter().copied()
                }
                _ => unreachable!("distances are measured or looked up"),
            };
            line.iter_mut().zip(distances).for_each(|(value, distance)| *value = T::from_f64(distance * distance));
        }
    }
}

impl Rows<'_, f64> {
    /// The squared distance of row `at` and row `other` of `others`.
    pub fn squared_distance(&self, at: usize, others: &Rows<'_, f64>, other: usize) -> f64 {
        match (&self.store, &others.store) {
            (Store::Items(items, Some(table)), Store::Items(others, _)) => {
                let mut found = Vec::with_capacity(1);
                table.push_distances(items[at], &others[other..=other], &mut found);
                found[0] * found[0]
            }
            (Store::Dense(values), Store::Dense(others)) => {
                let row = |at: usize| at * self.features..(at + 1) * self.features;
                squared_by(self.metric, &values[row(at)], &others[row(other)])
            }
            (Store::Sparse { rows, .. }, Store::Sparse { rows: others, .. }) => {
                rows.squared_distance(at, others, other, self.metric)
            }
            _ => {
                let (mut a, mut b) = (vec![0.0; self.features], vec![0.0; self.features]);
                self.expand(at, &mut a);
                others.expand(other, &mut b);
                squared_by(self.metric, &a, &b)
            }
        }
    }
}

/// What a row shares with others: -2 times the products, or what equal columns take off the sum of the sizes.
fn shared_parts<T: Float>(
    by_column: &Compressed<T>,
    row: impl Iterator<Item = (usize, T)>,
    metric: Metric,
    line: &mut [T],
) {
    if metric == Metric::Manhattan {
        by_column.sums(row, line, compressed::shared_difference);
        return;
    }
    by_column.products(row, line);
    line.iter_mut().for_each(|product| *product = T::from_f64(-2.0) * *product);
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
    shifted.resize(rows.len(), U::from_f64(0.0));
    vectorised(
        #[inline(always)]
        || {
            for (row, shifted) in rows.chunks_exact(origin.len()).zip(shifted.chunks_exact_mut(origin.len())) {
                let cells = row.iter().zip(origin).zip(shifted);
                cells.for_each(|((x, o), shifted)| *shifted = U::from_f64(x.to_f64() - o));
            }
        },
    );
}

/// The squared distance of two rows by a metric, in `f64`.
#[inline(always)]
pub(crate) fn squared_by<T: Float>(metric: Metric, a: &[T], b: &[f64]) -> f64 {
    if metric == Metric::Manhattan {
        let distance = manhattan::distance(a, b);
        return distance * distance;
    }
    squared_distance(a, b)
}

/// |a - b|^2, in `f64`.
#[inline(always)]
pub(crate) fn squared_distance<T: Float>(a: &[T], b: &[f64]) -> f64 {
    sum_of(a, b, |x, y| (x - y) * (x - y))
}

/// a.b, in `f64`.
#[inline(always)]
pub(crate) fn dot<T: Float, U: Float>(a: &[T], b: &[U]) -> f64 {
    sum_of(a, b, |x, y| x * y)
}

/// Adds up `term` over the pairs in eight lanes: fast, and always in the same order.
#[inline(always)]
pub(crate) fn sum_of<T: Float, U: Float>(a: &[T], b: &[U], term: impl Fn(f64, f64) -> f64) -> f64 {
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
