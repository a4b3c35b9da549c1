//! Rows that others are compared with, as steps and models hold them: without their zeros where most values are.

use serde::{Deserialize, Serialize};

use super::RowAccess;
use super::wire::damaged;
use crate::linalg::compressed::{self, Compressed};
use crate::linalg::distances::Rows;
use crate::linalg::nearest::Points;
use crate::{Error, Float};

/// Some rows of `features` values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PointRows {
    count: usize,
    features: usize,
    store: PointStore,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum PointStore {
    /// One behind the other.
    Dense(Vec<f64>),
    Sparse(Compressed<f64>),
}

impl PointRows {
    /// The rows in `values`, one behind the other.
    pub fn new(values: Vec<f64>, features: usize) -> Self {
        let count = values.len() / features.max(1);
        let nonzeros = values.iter().filter(|value| **value != 0.0).count();
        let store = if compressed::is_sparse(nonzeros, count, features) {
            let mut rows = Compressed::empty();
            values.chunks_exact(features).for_each(|row| rows.push(row.iter().copied()));
            PointStore::Sparse(rows)
        } else {
            PointStore::Dense(values)
        };
        PointRows { count, features, store }
    }

    /// The listed rows of a table.
    pub fn read(rows: &dyn RowAccess, items: &[usize], features: usize) -> Self {
        let mut entries = Vec::new();
        let mut store = Compressed::empty();
        for &item in items {
            if !rows.read_entries(item, &mut entries) {
                break;
            }
            store.push_entries(entries.iter().copied().filter(|(_, value)| *value != 0.0));
        }
        if store.rows() == items.len() && compressed::is_sparse(store.len(), items.len(), features) {
            return PointRows { count: items.len(), features, store: PointStore::Sparse(store) };
        }
        let mut values = Vec::new();
        rows.read(items, &mut values);
        PointRows::new(values, features)
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
        };
        if fits && (self.count, self.features) == (count, features) { Ok(()) } else { Err(damaged()) }
    }

    /// The values row by row.
    pub fn row_major(&self) -> Vec<f64> {
        match &self.store {
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

    /// True if row `at` equals `row`.
    pub fn equals<T: Float>(&self, at: usize, row: &[T]) -> bool {
        match &self.store {
            PointStore::Dense(values) => {
                let own = &values[at * self.features..(at + 1) * self.features];
                row.iter().zip(own).all(|(a, b)| *a == T::from_f64(*b))
            }
            PointStore::Sparse(rows) => {
                let zero = T::from_f64(0.0);
                let others = row.iter().copied().enumerate().filter(|(_, value)| *value != zero);
                let own = rows.row(at).map(|(column, value)| (column, T::from_f64(value)));
                others.eq(own.filter(|(_, value)| *value != zero))
            }
        }
    }

    /// The rows ready for distances.
    pub fn rows<T: Float>(&self, origin: &[f64]) -> Rows<T> {
        match &self.store {
            PointStore::Dense(values) => {
                let mut rows = Rows::empty();
                rows.fill(values, origin);
                rows
            }
            PointStore::Sparse(entries) => Rows::of_entries(entries, origin),
        }
    }

    /// The rows as points that the nearest is found of.
    pub fn points<T: Float>(&self, origin: &[f64]) -> Points<T> {
        match &self.store {
            PointStore::Dense(values) => Points::new(values.clone(), origin),
            PointStore::Sparse(entries) => Points::of_entries(entries, origin),
        }
    }
}
