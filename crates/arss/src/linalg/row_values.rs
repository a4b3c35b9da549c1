//! Rows as a step sees them: all their values, or those that are not zero.

use std::ops::Range;

use super::compressed::Compressed;
use crate::Float;

/// Some rows.
pub(crate) enum RowValues<'a, T> {
    /// One behind the other.
    Dense(&'a [T]),
    /// Some rows of which only what is not zero is held.
    Sparse(&'a Compressed<T>, Range<usize>),
}

impl<'a, T: Float> RowValues<'a, T> {
    /// Some of the rows, which have `features` values each.
    pub fn part(&self, rows: Range<usize>, features: usize) -> RowValues<'a, T> {
        match self {
            RowValues::Dense(values) => RowValues::Dense(&values[rows.start * features..rows.end * features]),
            RowValues::Sparse(all, own) => RowValues::Sparse(all, own.start + rows.start..own.start + rows.end),
        }
    }

    /// All values, expanded into `buffer` if need be.
    pub fn dense<'b>(&self, features: usize, buffer: &'b mut Vec<T>) -> &'b [T]
    where
        'a: 'b,
    {
        match self {
            RowValues::Dense(values) => values,
            RowValues::Sparse(all, rows) => {
                buffer.clear();
                buffer.resize(rows.len() * features, T::from_f64(0.0));
                for (line, row) in buffer.chunks_exact_mut(features).zip(rows.clone()) {
                    all.row(row).for_each(|(column, value)| line[column] = value);
                }
                buffer
            }
        }
    }

    /// The columns and values of a single row that are not zero.
    pub fn entries(&self) -> Box<dyn Iterator<Item = (usize, T)> + 'a> {
        match self {
            RowValues::Dense(values) => {
                let zero = T::from_f64(0.0);
                Box::new(values.iter().copied().enumerate().filter(move |(_, value)| *value != zero))
            }
            RowValues::Sparse(all, rows) => Box::new(all.row(rows.start)),
        }
    }
}
