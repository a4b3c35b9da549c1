//! The table: a borrowed view whose rows are the items to choose from.

use std::borrow::Cow;
use std::ops::Range;

use faer::MatRef;

use crate::{Error, Float};

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
    data: &'a [T],
    items: usize,
    features: usize,
    item_stride: usize,
    feature_stride: usize,
    max_abs: f64,
    /// Power of two that blocks are multiplied by; 1 unless the values are extreme.
    scale: f64,
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
        if items == 0 || features == 0 {
            return Err(Error::Empty { rows: items, columns: features });
        }
        let last = |count: usize, stride: usize| (count - 1).checked_mul(stride);
        let needed = last(items, item_stride)
            .zip(last(features, feature_stride))
            .and_then(|(a, b)| a.checked_add(b)?.checked_add(1))
            .unwrap_or(usize::MAX);
        if needed > data.len() {
            return Err(Error::Shape { rows: items, columns: features, needed, found: data.len() });
        }
        let mut samples = Samples { data, items, features, item_stride, feature_stride, max_abs: 0.0, scale: 1.0 };
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
        self.data[item * self.item_stride + feature * self.feature_stride]
    }

    /// The same table with rows and columns exchanged, without copying: its items are the features.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Samples {
            items: self.features,
            features: self.items,
            item_stride: self.feature_stride,
            feature_stride: self.item_stride,
            ..*self
        }
    }

    /// The largest absolute value.
    pub fn max_abs(&self) -> f64 {
        self.max_abs
    }

    /// Largest absolute value, or where the first value that is not finite stands.
    fn largest_finite(&self) -> Result<f64, Error> {
        let mut max = 0.0f64;
        for row in 0..self.items {
            let start = row * self.item_stride;
            for column in 0..self.features {
                let value = self.data[start + column * self.feature_stride].to_f64();
                if !value.is_finite() {
                    return Err(Error::NotFinite { row, column, value });
                }
                max = max.max(value.abs());
            }
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
        let (low, high) = T::SAFE;
        let extreme = self.max_abs > 0.0 && !(low..=high).contains(&self.max_abs);
        let scale = if extreme { (-self.max_abs.log2().ceil()).clamp(-1022.0, 1022.0).exp2() } else { 1.0 };
        Samples { scale, ..*self }
    }

    /// What the blocks are multiplied by: 1, or a power of two.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Items `range` as a row-major block: borrowed where the layout allows it, gathered otherwise.
    pub(crate) fn block(&self, range: Range<usize>) -> Block<'a, T> {
        let rows = range.len();
        if self.feature_stride == 1 && self.item_stride == self.features && self.scale == 1.0 {
            let values = &self.data[range.start * self.features..range.end * self.features];
            return Block { values: Cow::Borrowed(values), rows, columns: self.features };
        }
        let mut values = Vec::with_capacity(rows * self.features);
        for item in range {
            self.extend_with_item(&mut values, item);
        }
        Block { values: Cow::Owned(values), rows, columns: self.features }
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
        let start = item * self.item_stride;
        (0..self.features).map(|j| self.data[start + j * self.feature_stride].to_f64() * self.scale).collect()
    }

    fn extend_with_item(&self, values: &mut Vec<T>, item: usize) {
        let start = item * self.item_stride;
        if self.scale == 1.0 && self.feature_stride == 1 {
            values.extend_from_slice(&self.data[start..start + self.features]);
        } else if self.scale == 1.0 {
            values.extend((0..self.features).map(|j| self.data[start + j * self.feature_stride]));
        } else {
            let scaled = |j: usize| T::from_f64(self.data[start + j * self.feature_stride].to_f64() * self.scale);
            values.extend((0..self.features).map(scaled));
        }
    }
}

/// Some items as a contiguous row-major matrix.
pub(crate) struct Block<'a, T: Clone> {
    pub values: Cow<'a, [T]>,
    pub rows: usize,
    pub columns: usize,
}

impl<T: Float> Block<'_, T> {
    pub fn mat(&self) -> MatRef<'_, T> {
        MatRef::from_row_major_slice(&self.values, self.rows, self.columns)
    }

    pub fn row(&self, row: usize) -> &[T] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }
}
