//! The values of a table that are not zero, where it holds no others.

use std::ops::Range;

use super::{Cells, Samples};
use crate::Float;
use crate::linalg::compressed::{self, Compressed};

impl<'a, T: Float> Samples<'a, T> {
    /// Items `range` without their zeros, as they are seen; false where the table holds more, or rows are short.
    pub(crate) fn entries_in(&self, range: Range<usize>, entries: &mut Compressed<T>) -> bool {
        let Cells::Sparse { rows, by_feature: false } = self.cells else { return false };
        let long = compressed::is_long(self.features);
        if long {
            rows.collect(range, &self.view, entries);
        }
        long
    }

    /// The columns and values of one item, zeros left out, where only these are held.
    pub(crate) fn item_entries(&self, item: usize) -> Option<impl Iterator<Item = (usize, f64)>> {
        let Cells::Sparse { rows, by_feature: false } = self.cells else { return None };
        let factor = self.view.factor(rows.values_of(item));
        Some(rows.row(item).map(move |(column, value)| (column, value.to_f64() * factor)))
    }

    /// The values of one item that are not zero, where only these are held.
    pub(super) fn held_values(&self, item: usize) -> Option<&'a [T]> {
        match self.cells {
            Cells::Sparse { rows, by_feature: false } => Some(rows.values_of(item)),
            _ => None,
        }
    }
}
