//! Rows that others are compared with, as steps and models hold them: without their zeros where most values are.

use serde::{Deserialize, Serialize};

use super::wire::damaged;
use crate::linalg::compressed::{self, Compressed};
use crate::linalg::distances::{Rows, Table};
use crate::linalg::nearest::Points;
use crate::linalg::row_values::RowValues;
use crate::{Error, Float, Metric};

/// Some rows of `features` values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PointRows {
    count: usize,
    features: usize,
    /// How rows are compared with them.
    metric: Metric,
    store: PointStore,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum PointStore {
    /// One behind the other.
    Dense(Vec<f64>),
    Sparse(Compressed<f64>),
    /// Columns of a table of distances.
    Items(Vec<usize>),
}

impl PointRows {
    /// The rows in `values`, one behind the other.
    pub fn new(values: Vec<f64>, features: usize, metric: Metric) -> Self {
        let count = values.len() / features.max(1);
        let nonzeros = values.iter().filter(|value| **value != 0.0).count();
        let store = if compressed::is_sparse(nonzeros, count, features) {
            let mut rows = Compressed::empty();
            values.chunks_exact(features).for_each(|row| rows.push(row.iter().copied()));
            PointStore::Sparse(rows)
        } else {
            PointStore::Dense(values)
        };
        PointRows { count, features, metric, store }
    }

    /// Rows of a table of distances between `features` rows.
    pub fn of_items(items: Vec<usize>, features: usize) -> Self {
        PointRows { count: items.len(), features, metric: Metric::Precomputed, store: PointStore::Items(items) }
    }

    /// The listed rows of a table.
    pub fn read(table: &Table<'_>, items: &[usize]) -> Self {
        let Table { rows, metric, origin } = *table;
        let features = origin.len();
        if metric == Metric::Precomputed {
            return PointRows::of_items(items.to_vec(), features);
        }
        let mut entries = Vec::new();
        let mut store = Compressed::empty();
        for &item in items {
            if !rows.read_entries(item, &mut entries) {
                break;
            }
            store.push_entries(entries.iter().copied().filter(|(_, value)| *value != 0.0));
        }
        if store.rows() == items.len() && compressed::is_sparse(store.len(), items.len(), features) {
            return PointRows { count: items.len(), features, metric, store: PointStore::Sparse(store) };
        }
        let mut values = Vec::new();
        rows.read(items, &mut values);
        PointRows::new(values, features, metric)
    }

    /// `Ok` if rows are compared with them by this metric.
    pub fn check_metric(&self, metric: Metric) -> Result<(), Error> {
        if self.metric == metric { Ok(()) } else { Err(damaged()) }
    }

    /// Their columns in a table of distances; none where rows have values.
    pub fn columns(&self) -> &[usize] {
        match &self.store {
            PointStore::Items(items) => items,
            _ => &[],
        }
    }

    /// A point amid the rows: the first of them; zeros where the metric needs none.
    pub fn origin(&self) -> Vec<f64> {
        let mut origin = vec![0.0; self.features];
        match &self.store {
            PointStore::Dense(values) if self.metric.by_products() => origin.copy_from_slice(&values[..self.features]),
            PointStore::Sparse(rows) if self.metric.by_products() => {
                rows.row(0).for_each(|(column, value)| origin[column] = value);
            }
            _ => (),
        }
        origin
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.count
    }

    /// `Ok` if there are `count` rows of `features` values.
    pub fn check(&self, count: usize, features: usize) -> Result<(), Error> {
        let fits = match &self.store {
            PointStore::Dense(values) => Some(values.len()) == count.checked_mul(features),
            PointStore::Sparse(rows) => rows.fits(count, features),
            PointStore::Items(items) => items.len() == count && items.iter().all(|&item| item < features),
        };
        let fits = fits && (self.metric == Metric::Precomputed) == matches!(self.store, PointStore::Items(_));
        if fits && (self.count, self.features) == (count, features) { Ok(()) } else { Err(damaged()) }
    }

    /// The values row by row; none of rows of a table of distances.
    pub fn row_major(&self) -> Vec<f64> {
        match &self.store {
            PointStore::Items(_) => Vec::new(),
            PointStore::Dense(values) => values.clone(),
            PointStore::Sparse(rows) => {
                let mut values = vec![0.0; self.count * self.features];
                for (at, line) in values.chunks_exact_mut(self.features).enumerate() {
                    rows.row(at).for_each(|(column, value)| line[column] = value);
                }
                values
            }
        }
    }

    /// True if row `at` equals `row`; in a table of distances, if its distance is zero.
    pub fn equals<T: Float>(&self, at: usize, row: &RowValues<'_, T>) -> bool {
        let zero = T::from_f64(0.0);
        match (&self.store, row) {
            (PointStore::Items(_), RowValues::Dense(distances)) => distances[at] == zero,
            (PointStore::Items(_), RowValues::Sparse(..)) => unreachable!("distances are not held without zeros"),
            (PointStore::Dense(values), _) => {
                let own = &values[at * self.features..(at + 1) * self.features];
                row.dense(self.features, &mut Vec::new()).iter().zip(own).all(|(a, b)| *a == T::from_f64(*b))
            }
            (PointStore::Sparse(rows), _) => {
                let own = rows.row(at).map(|(column, value)| (column, T::from_f64(value)));
                row.entries().eq(own.filter(|(_, value)| *value != zero))
            }
        }
    }

    /// The rows ready for distances.
    pub fn rows<T: Float>(&self, origin: &[f64]) -> Rows<'static, T> {
        match &self.store {
            PointStore::Dense(values) => {
                let mut rows = Rows::empty();
                rows.fill(values, origin, self.metric);
                rows
            }
            PointStore::Sparse(entries) => Rows::of_entries(entries, origin, self.metric),
            PointStore::Items(items) => Rows::of_items(items.clone(), None),
        }
    }

    /// The rows as points that the nearest is found of.
    pub fn points<T: Float>(&self, origin: &[f64]) -> Points<T> {
        match &self.store {
            PointStore::Dense(values) => Points::new(values.clone(), origin, self.metric),
            PointStore::Sparse(entries) => Points::of_entries(entries, origin, self.metric),
            PointStore::Items(items) => Points::of_columns(items.len()),
        }
    }
}
