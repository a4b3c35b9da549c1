//! The table: a borrowed view whose rows are the items to choose from.

mod entries;

use std::borrow::Cow;
use std::ops::Range;

use crate::block::Block;
use crate::row_view::RowView;
use crate::{Error, Float, HalfKind, Metric, SparseRows, magnitude};

/// A borrowed table whose rows are the items to choose from.
///
/// It is finite and not empty, checked once when it is made; nothing is
/// copied. [`transposed`](Samples::transposed) makes the columns the items: that is
/// feature selection.
///
/// ```
/// use arss::Samples;
///
/// let table = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let samples = Samples::new(&table, 3, 2)?; // three rows of two
/// assert_eq!((samples.items(), samples.features()), (3, 2));
/// assert_eq!(samples.get(2, 1), 6.0);
/// assert_eq!(samples.transposed().get(1, 2), 6.0);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Samples<'a, T> {
    cells: Cells<'a, T>,
    items: usize,
    features: usize,
    max_abs: f64,
    view: RowView,
}

/// Where the values stand.
#[derive(Debug, Clone, Copy)]
enum Cells<'a, T> {
    /// Value (i, j) at `i * item_stride + j * feature_stride`.
    Strided { data: &'a [T], item_stride: usize, feature_stride: usize },
    /// One slice per feature.
    Features(&'a [&'a [T]]),
    /// As `Strided`, of 16 bits each; widened where they are used.
    Half { bits: &'a [u16], kind: HalfKind, item_stride: usize, feature_stride: usize },
    /// One slice per item: the transpose of [`Features`](Cells::Features).
    Items(&'a [&'a [T]]),
    /// Only the values that are not zero; the transpose if `by_feature`.
    Sparse { rows: SparseRows<'a, T>, by_feature: bool },
}

impl<T: Float> Cells<'_, T> {
    #[inline]
    fn get(&self, item: usize, feature: usize) -> T {
        match *self {
            Cells::Half { bits, kind, item_stride, feature_stride } => {
                T::from_f64(kind.widened(bits[item * item_stride + feature * feature_stride]))
            }
            Cells::Strided { data, item_stride, feature_stride } => data[item * item_stride + feature * feature_stride],
            Cells::Features(slices) => slices[feature][item],
            Cells::Items(slices) => slices[item][feature],
            Cells::Sparse { rows, by_feature: false } => rows.get(item, feature),
            Cells::Sparse { rows, by_feature: true } => rows.get(feature, item),
        }
    }
}

impl<'a, T: Float> Samples<'a, T> {
    /// A row-major table: `items` rows of `features` values each.
    ///
    /// # Errors
    /// If the table is empty, the slice has another length, or a value is NaN or infinite.
    pub fn new(data: &'a [T], items: usize, features: usize) -> Result<Self, Error> {
        if items > 0 && features > 0 && items.checked_mul(features) != Some(data.len()) {
            let needed = items.saturating_mul(features);
            return Err(Error::Shape { rows: items, columns: features, needed, found: data.len() });
        }
        Self::strided(data, items, features, features, 1)
    }

    /// A table with any layout: value (i, j) stands at `i * item_stride + j * feature_stride`.
    ///
    /// A column-major table of n rows is `strided(data, n, l, 1, n)`; every second row of
    /// a row-major one is `strided(data, n / 2, l, 2 * l, 1)`.
    ///
    /// # Errors
    /// If the table is empty, reaches beyond the slice, or holds NaN or infinity.
    pub fn strided(
        data: &'a [T],
        items: usize,
        features: usize,
        item_stride: usize,
        feature_stride: usize,
    ) -> Result<Self, Error> {
        let needed = span(items, features, item_stride, feature_stride)?;
        if needed > data.len() {
            return Err(Error::Shape { rows: items, columns: features, needed, found: data.len() });
        }
        Self::checked(Cells::Strided { data, item_stride, feature_stride }, items, features)
    }

    /// A table of 16-bit numbers in any layout, which stay as they are: blocks are widened while they are worked on.
    ///
    /// `shape` is items and features, `strides` those of [`strided`](Samples::strided).
    ///
    /// # Errors
    /// As for [`strided`](Samples::strided).
    pub fn half(
        bits: &'a [u16],
        kind: HalfKind,
        (items, features): (usize, usize),
        (item_stride, feature_stride): (usize, usize),
    ) -> Result<Self, Error> {
        let needed = span(items, features, item_stride, feature_stride)?;
        if needed > bits.len() {
            return Err(Error::Shape { rows: items, columns: features, needed, found: bits.len() });
        }
        Self::checked(Cells::Half { bits, kind, item_stride, feature_stride }, items, features)
    }

    /// A table of which only the values that are not zero are held (CSR). Nothing is made dense but the block of rows that
    /// is worked on.
    ///
    /// # Errors
    /// If the table is empty, its lists do not fit each other, or a value is NaN or infinite.
    pub fn sparse(rows: SparseRows<'a, T>, features: usize) -> Result<Self, Error> {
        rows.check(features)?;
        let items = rows.starts.len() - 1;
        if items == 0 || features == 0 {
            return Err(Error::Empty { rows: items, columns: features });
        }
        Self::checked(Cells::Sparse { rows, by_feature: false }, items, features)
    }

    /// As [`strided`](Samples::strided), but the values are not looked at: for rows that were checked before.
    ///
    /// # Errors
    /// If the table is empty or reaches beyond the slice.
    pub(crate) fn trusted(
        data: &'a [T],
        (items, features): (usize, usize),
        (item_stride, feature_stride): (usize, usize),
        view: RowView,
    ) -> Result<Self, Error> {
        let needed = span(items, features, item_stride, feature_stride)?;
        if needed > data.len() {
            return Err(Error::Shape { rows: items, columns: features, needed, found: data.len() });
        }
        let cells = Cells::Strided { data, item_stride, feature_stride };
        Ok(Samples { cells, items, features, max_abs: f64::NAN, view })
    }

    /// A table whose columns stand apart, as data frames keep them: one slice per column.
    ///
    /// ```
    /// use arss::Samples;
    ///
    /// let (height, width) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
    /// let columns = [&height[..], &width[..]];
    /// let samples = Samples::columns(&columns)?;
    /// assert_eq!((samples.items(), samples.features(), samples.get(2, 0)), (3, 2, 3.0));
    /// # Ok::<(), arss::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the table is empty, the columns differ in length, or a value is NaN or infinite.
    pub fn columns(columns: &'a [&'a [T]]) -> Result<Self, Error> {
        let (items, features) = (columns.first().map_or(0, |column| column.len()), columns.len());
        if let Some(other) = columns.iter().find(|column| column.len() != items) {
            return Err(Error::Shape { rows: items, columns: features, needed: items, found: other.len() });
        }
        if items == 0 {
            return Err(Error::Empty { rows: items, columns: features });
        }
        Self::checked(Cells::Features(columns), items, features)
    }

    /// The table once its values are known to be finite.
    fn checked(cells: Cells<'a, T>, items: usize, features: usize) -> Result<Self, Error> {
        let mut samples = Samples { cells, items, features, max_abs: 0.0, view: RowView::PLAIN };
        samples.max_abs = samples.largest_finite()?;
        Ok(samples)
    }

    /// The number of rows: the items to choose from (N in the paper).
    pub fn items(&self) -> usize {
        self.items
    }

    /// The number of columns: the features of an item (L in the paper).
    pub fn features(&self) -> usize {
        self.features
    }

    /// The value of feature `feature` of item `item`.
    ///
    /// # Panics
    /// If either index is out of range.
    pub fn get(&self, item: usize, feature: usize) -> T {
        assert!(item < self.items && feature < self.features, "index out of range");
        self.cells.get(item, feature)
    }

    /// The same table with rows and columns exchanged, without copying: its items are the features.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let cells = match self.cells {
            Cells::Strided { data, item_stride, feature_stride } => {
                Cells::Strided { data, item_stride: feature_stride, feature_stride: item_stride }
            }
            Cells::Half { bits, kind, item_stride, feature_stride } => {
                Cells::Half { bits, kind, item_stride: feature_stride, feature_stride: item_stride }
            }
            Cells::Features(slices) => Cells::Items(slices),
            Cells::Items(slices) => Cells::Features(slices),
            Cells::Sparse { rows, by_feature } => Cells::Sparse { rows, by_feature: !by_feature },
        };
        Samples { cells, items: self.features, features: self.items, ..*self }
    }

    /// The largest absolute value.
    pub fn max_abs(&self) -> f64 {
        self.max_abs
    }

    /// Largest absolute value, or where the first value that is not finite stands.
    fn largest_finite(&self) -> Result<f64, Error> {
        let mut max = 0.0f64;
        if let Cells::Sparse { rows, .. } = self.cells {
            for row in 0..self.items {
                for (column, value) in rows.row(row).map(|(column, value)| (column, value.to_f64())) {
                    if !value.is_finite() {
                        return Err(Error::NotFinite { row, column, value });
                    }
                    max = max.max(value.abs());
                }
            }
            return Ok(max);
        }
        // The usual case, where all values stand together: no rows have to be looked for.
        let together = match self.cells {
            Cells::Strided { data, item_stride, feature_stride }
                if (item_stride, feature_stride) == (self.features, 1)
                    || (item_stride, feature_stride) == (1, self.items) =>
            {
                magnitude::largest(&data[..self.items * self.features])
            }
            _ => None,
        };
        if let Some(max) = together {
            return Ok(max);
        }
        let mut values = Vec::new();
        for row in 0..self.items {
            values.clear();
            self.push_item(&mut values, row);
            // The bits of positive numbers are ordered as they are, with whatever is not finite behind them.
            let mut largest = 0;
            for bits in values.iter().map(|value| value.to_f64().abs().to_bits()) {
                largest = if bits > largest { bits } else { largest };
            }
            let largest = f64::from_bits(largest);
            if !largest.is_finite() {
                let mut cells = values.iter().map(|value| value.to_f64()).enumerate();
                let (column, value) = cells.find(|(_, value)| !value.is_finite()).unwrap_or((0, largest));
                return Err(Error::NotFinite { row, column, value });
            }
            max = max.max(largest);
        }
        Ok(max)
    }

    /// The error for a table without any non-zero value.
    pub(crate) fn require_nonzero(&self) -> Result<(), Error> {
        if self.max_abs > 0.0 {
            return Ok(());
        }
        Err(Error::AllZero { rows: self.items, columns: self.features })
    }

    /// The view the solvers work on: values so large or small that their squares would
    /// overflow or vanish are multiplied by a power of two, block by block.
    pub(crate) fn in_safe_range(&self) -> Self {
        Samples { view: RowView { scale: safe_scale(self.max_abs, T::SAFE), ..self.view }, ..*self }
    }

    /// The rows multiplied by a power of two.
    pub(crate) fn with_scale(&self, scale: f64) -> Self {
        Samples { view: RowView { scale, ..self.view }, ..*self }
    }

    /// How the solvers see the rows.
    pub(crate) fn view(&self) -> RowView {
        self.view
    }

    /// The rows as a metric sees them. Nothing is copied: blocks are, while they are worked on.
    pub(crate) fn seen_by(&self, metric: Metric) -> Result<Self, Error> {
        let seen = Samples { view: RowView { metric, ..self.view }, ..*self };
        if metric != Metric::Cosine {
            return Ok(seen);
        }
        let mut row = Vec::new();
        let is_zero = |item: &usize| {
            row.clear();
            if self.held_values(*item).is_none() {
                self.push_item(&mut row, *item);
            }
            self.held_values(*item).unwrap_or(&row).iter().all(|value| value.to_f64() == 0.0)
        };
        let mut zeros = (0..self.items).filter(is_zero);
        match zeros.next() {
            Some(row) => Err(Error::NoDirection { row, others: zeros.count() }),
            None => Ok(seen),
        }
    }

    /// The rows with their lengths.
    pub(crate) fn with_lengths(&self) -> Self {
        Samples { view: RowView { metric: Metric::Euclidean, ..self.view }, ..*self }
    }

    /// How rows are compared.
    pub(crate) fn metric(&self) -> Metric {
        self.view.metric
    }

    /// The listed values of one row of a table of distances; pairs that a graph does not hold are far apart.
    pub(crate) fn push_distances(&self, item: usize, columns: &[usize], values: &mut Vec<T>) {
        let seen =
            |value: T| if self.view.scale == 1.0 { value } else { T::from_f64(value.to_f64() * self.view.scale) };
        match self.cells {
            Cells::Sparse { rows, by_feature: false } => {
                let far = T::from_f64(2.0 * self.max_abs);
                values.extend(columns.iter().map(|&column| seen(rows.find(item, column).unwrap_or(far))));
            }
            cells => values.extend(columns.iter().map(|&column| seen(cells.get(item, column)))),
        }
    }

    /// What lengths and distances have been multiplied by: 1, or a power of two.
    pub(crate) fn scale(&self) -> f64 {
        self.view.distance_scale()
    }

    /// True if only the values of its rows that are not zero are held.
    pub(crate) fn is_sparse(&self) -> bool {
        matches!(self.cells, Cells::Sparse { by_feature: false, .. })
    }

    /// True if only the directions of the rows count.
    pub(crate) fn has_directions(&self) -> bool {
        self.view.is_unit()
    }

    /// Items `range` as a row-major block: borrowed where the layout allows it, gathered otherwise.
    pub(crate) fn block(&self, range: Range<usize>) -> Block<'a, T> {
        let (rows, columns) = (range.len(), self.features);
        if let Some(values) = self.contiguous(range.clone()) {
            return Block { values: Cow::Borrowed(values), rows, columns };
        }
        let mut values = Vec::new();
        self.block_in(range, &mut values);
        Block { values: Cow::Owned(values), rows, columns }
    }

    /// Items `range` row by row: borrowed where the layout allows it, otherwise gathered into `buffer`.
    pub(crate) fn block_in<'b>(&'b self, range: Range<usize>, buffer: &'b mut Vec<T>) -> &'b [T] {
        if let Some(values) = self.contiguous(range.clone()) {
            return values;
        }
        buffer.clear();
        buffer.reserve(range.len() * self.features);
        range.for_each(|item| self.extend_with_item(buffer, item));
        buffer
    }

    /// Items `range` where they stand one behind the other in memory.
    fn contiguous(&self, range: Range<usize>) -> Option<&'a [T]> {
        match self.cells {
            Cells::Strided { data, item_stride, feature_stride: 1 }
                if item_stride == self.features && self.view.is_plain() =>
            {
                Some(&data[range.start * self.features..range.end * self.features])
            }
            _ => None,
        }
    }

    /// The listed items as a row-major block.
    pub(crate) fn gather(&self, items: &[usize]) -> Block<'a, T> {
        let mut values = Vec::with_capacity(items.len() * self.features);
        for &item in items {
            self.extend_with_item(&mut values, item);
        }
        Block { values: Cow::Owned(values), rows: items.len(), columns: self.features }
    }

    /// One item as `f64`.
    pub(crate) fn item(&self, item: usize) -> Vec<f64> {
        self.item_values(item).collect()
    }

    /// The values of one item as `f64`.
    pub(crate) fn item_values(&self, item: usize) -> impl Iterator<Item = f64> {
        let mut row = Vec::with_capacity(self.features);
        self.push_item(&mut row, item);
        let factor = self.view.factor(self.held_values(item).unwrap_or(&row));
        row.into_iter().map(move |value| value.to_f64() * factor)
    }

    /// Adds one item as it is seen.
    fn extend_with_item(&self, values: &mut Vec<T>, item: usize) {
        let start = values.len();
        self.push_item(values, item);
        let row = &mut values[start..];
        match self.held_values(item) {
            Some(held) if !self.view.is_plain() => {
                let factor = self.view.factor(held);
                row.iter_mut().for_each(|value| *value = T::from_f64(value.to_f64() * factor));
            }
            _ => self.view.apply(row, self.features),
        }
    }

    /// Adds one item as it stands in the table.
    fn push_item(&self, values: &mut Vec<T>, item: usize) {
        let features = 0..self.features;
        match self.cells {
            Cells::Strided { data, item_stride, feature_stride: 1 } => {
                values.extend_from_slice(&data[item * item_stride..item * item_stride + self.features]);
            }
            Cells::Strided { data, item_stride, feature_stride } => {
                values.extend(features.map(|j| data[item * item_stride + j * feature_stride]));
            }
            Cells::Sparse { rows, by_feature: false } => {
                let start = values.len();
                values.resize(start + self.features, T::from_f64(0.0));
                rows.row(item).for_each(|(column, value)| values[start + column] = value);
            }
            Cells::Half { bits, kind, item_stride, feature_stride: 1 } => {
                kind.widen_all(&bits[item * item_stride..item * item_stride + self.features], values);
            }
            Cells::Half { .. } | Cells::Sparse { .. } => values.extend(features.map(|j| self.cells.get(item, j))),
            Cells::Features(slices) => values.extend(slices.iter().map(|column| column[item])),
            Cells::Items(slices) => values.extend_from_slice(slices[item]),
        }
    }
}

/// The power of two that brings values of at most `max_abs` into the safe range; 1 if they are.
pub(crate) fn safe_scale(max_abs: f64, (low, high): (f64, f64)) -> f64 {
    let extreme = max_abs > 0.0 && !(low..=high).contains(&max_abs);
    if extreme { (-max_abs.log2().ceil()).clamp(-1022.0, 1022.0).exp2() } else { 1.0 }
}

/// The values that a strided table reaches over.
fn span(items: usize, features: usize, item_stride: usize, feature_stride: usize) -> Result<usize, Error> {
    if items == 0 || features == 0 {
        return Err(Error::Empty { rows: items, columns: features });
    }
    let last = |count: usize, stride: usize| (count - 1).checked_mul(stride);
    Ok(last(items, item_stride)
        .zip(last(features, feature_stride))
        .and_then(|(a, b)| a.checked_add(b)?.checked_add(1))
        .unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_of_the_cells_is_not_seen() {
        let (rows, columns) = (7, 3);
        for size in [1.0, 1e200] {
            let table: Vec<f64> = (0..rows * columns).map(|i| (i as f64 * 1.7).sin() * size).collect();
            let by_column: Vec<f64> = (0..rows * columns).map(|i| table[i % rows * columns + i / rows]).collect();
            let slices: Vec<&[f64]> = by_column.chunks(rows).collect();
            let plain = Samples::new(&table, rows, columns).unwrap();
            let others = [
                Samples::strided(&by_column, rows, columns, 1, rows).unwrap(),
                Samples::columns(&slices).unwrap(),
                Samples::columns(&slices).unwrap().transposed().transposed(),
            ];
            for other in others {
                for (a, b) in [(plain, other), (plain.transposed(), other.transposed())] {
                    let (a, b) = (a.in_safe_range(), b.in_safe_range());
                    assert_eq!((a.items(), a.features(), a.max_abs()), (b.items(), b.features(), b.max_abs()));
                    assert_eq!(a.block(1..3).values, b.block(1..3).values);
                    assert_eq!(a.gather(&[2, 0]).values, b.gather(&[2, 0]).values);
                    assert_eq!(a.item(1), b.item(1));
                    assert_eq!(a.get(0, 2), b.get(0, 2));
                }
            }
        }
    }

    #[test]
    fn columns_that_are_no_table() {
        let (long, short) = ([1.0, 2.0], [f64::NAN]);
        assert!(matches!(Samples::columns(&[&long[..], &short[..]]), Err(Error::Shape { .. })));
        assert!(matches!(Samples::columns(&[&short[..]]), Err(Error::NotFinite { row: 0, column: 0, .. })));
        assert!(matches!(Samples::columns(&[&long[..0]]), Err(Error::Empty { rows: 0, columns: 1 })));
        assert!(matches!(Samples::<f64>::columns(&[]), Err(Error::Empty { rows: 0, columns: 0 })));
    }
}
