//! The kernel map: rows as a bounded similarity to some landmarks sees them.

use std::ops::Range;

use faer::{Mat, MatRef};

use crate::baselines::distance::{Table, rows_within};
use crate::baselines::random::generator;
use crate::blocks::Team;
use crate::lanes::exponentials;
use crate::rows::{Rows, median_squared, positions};
use crate::{Error, Float, Progress, Run, Samples, linalg};

/// Rows that the width of the kernel is measured on.
const SCALE_ROWS: usize = 2048;
/// Rows a block: the block of similarities stays in the cache.
const BLOCK: usize = 256;
/// Most values of one block.
const BLOCK_VALUES: usize = 1 << 21;
/// Multiplications between two calls of the callback: a fraction of a second.
const STRETCH: usize = 1 << 30;

/// The RBF kernel k(x, y) = exp(-|x - y|^2 / h2) on landmarks (Nystroem): each row becomes
/// R' k_J(x) with R R' = (K_JJ + ridge I)^-1, so that inner products of mapped rows are about k(x, y).
///
/// The landmarks J are a seeded sample of the rows, h2 is the median of the squared distances to them.
/// A setting of [`Arss`](crate::Arss), [`Rrss`](crate::Rrss) and [`Ted`](crate::Ted): they then choose among
/// the mapped rows, where a row far from all others is short instead of long. Or map by hand:
///
/// ```
/// use arss::{Kernel, Run, Samples, Ted};
///
/// let samples = Samples::new(&[0.0, 0.1, 7.0, 7.1, 900.0], 5, 1)?;
/// let kernel = Kernel { landmarks: 5, ..Kernel::default() };
/// let mapped = kernel.map(&samples, &mut Run::default())?;
/// assert_eq!((mapped.samples()?.items(), mapped.samples()?.features()), (5, 5));
/// let settings = Ted { kernel: Some(kernel), ..Ted::default() };
/// assert_eq!(settings.select(&samples, 2)?.indices, Ted::default().select(&mapped.samples()?, 2)?.indices);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kernel {
    /// Rows that the others are compared with, at least 1: the columns of the mapped table. Default 256.
    pub landmarks: usize,
    /// Seed of the landmarks. Default 0.
    pub seed: u64,
    /// Ridge, larger than 0 and at most 1. Default .01.
    pub ridge: f64,
}

impl Default for Kernel {
    fn default() -> Self {
        Kernel { landmarks: 256, seed: 0, ridge: 0.01 }
    }
}

/// A table after the kernel map: one row an item, one column a landmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapped<T> {
    values: Vec<T>,
    items: usize,
    /// False if the callback stopped the map; the rows that are missing are zero.
    pub(crate) complete: bool,
}

impl<T: Float> Mapped<T> {
    /// The mapped rows.
    ///
    /// # Errors
    /// Never for a table that was mapped: the values are finite.
    pub fn samples(&self) -> Result<Samples<'_, T>, Error> {
        Samples::new(&self.values, self.items, self.values.len() / self.items)
    }
}

impl Kernel {
    /// `Ok` if every setting lies in its range.
    ///
    /// # Errors
    /// Names the first setting that does not.
    pub fn validate(&self) -> Result<(), Error> {
        Error::check("landmarks", self.landmarks as f64, self.landmarks > 0, "at least 1")?;
        Error::check("ridge", self.ridge, self.ridge > 0.0 && self.ridge <= 1.0, "larger than 0 and at most 1")
    }

    /// Maps a table: N x min(N, landmarks) values of memory.
    ///
    /// # Errors
    /// If a setting is out of range, or a thread pool cannot be started.
    pub fn map<T: Float>(&self, samples: &Samples<'_, T>, run: &mut Run<'_>) -> Result<Mapped<T>, Error> {
        self.validate()?;
        T::map(self, samples, run)
    }

    /// The landmarks, and the rows that the width is measured on.
    pub(crate) fn draw(&self, items: usize) -> (Vec<usize>, Vec<usize>) {
        let mut generator = generator(self.seed);
        let landmarks = positions(&mut generator, items, self.landmarks);
        (landmarks, positions(&mut generator, items, SCALE_ROWS))
    }

    pub(crate) fn run<T: Float>(&self, samples: &Samples<'_, T>, run: &mut Run<'_>) -> Result<Mapped<T>, Error> {
        let table = Table::new(samples, run)?;
        let landmarks = Landmarks::new(self, &table);
        let (items, columns) = (samples.items(), landmarks.items.len());
        let mut values = vec![T::from_f64(0.0); items * columns];
        let stopped = landmarks.pass(&table, (&mut values, columns), run, |mapped, own| own.copy_from_slice(mapped))?;
        Ok(Mapped { values, items, complete: !stopped })
    }
}

/// The landmarks of a table, and the map that they make.
pub(crate) struct Landmarks<T> {
    /// Which rows they are.
    pub items: Vec<usize>,
    /// (K_JJ + ridge I)^-1. Its condition is at most (landmarks + ridge) / ridge.
    pub inverse: Mat<f64>,
    rows: Rows<T>,
    h2: f64,
    /// R.
    root: Mat<T>,
}

/// Buffers of one chunk.
pub(crate) struct Scratch<T> {
    rows: Rows<T>,
    kernel: Vec<T>,
    /// The mapped rows.
    pub mapped: Vec<T>,
}

impl<T: Float> Default for Scratch<T> {
    fn default() -> Self {
        Scratch { rows: Rows::empty(), kernel: Vec::new(), mapped: Vec::new() }
    }
}

impl<T: Float> Landmarks<T> {
    pub fn new(kernel: &Kernel, table: &Table<'_, T>) -> Self {
        let (items, some) = kernel.draw(table.samples.items());
        Self::of(kernel, table, items, &some)
    }

    /// From the positions of the landmarks, and of the rows that the width is measured on.
    pub fn of(kernel: &Kernel, table: &Table<'_, T>, items: Vec<usize>, some: &[usize]) -> Self {
        let h2 = median_squared(table, some, &items);
        let inverse = inverse(&Rows::of(table, &items), h2, kernel.ridge);
        let root = linalg::cast::<T>(linalg::lower_root(inverse.as_ref()).as_ref());
        Landmarks { rows: Rows::of(table, &items), items, inverse, h2, root }
    }

    /// From the landmarks' rows, the width and R: enough to map other rows.
    pub fn from_parts(items: Vec<usize>, rows: &[f64], origin: &[f64], (h2, root): (f64, Mat<T>)) -> Self {
        let mut shifted = Rows::empty();
        shifted.fill(rows, origin);
        Landmarks { items, inverse: Mat::new(), rows: shifted, h2, root }
    }

    /// The width, and R.
    pub fn parts(&self) -> (f64, &Mat<T>) {
        (self.h2, &self.root)
    }

    /// Calls `visit` with each mapped row and its `width` values of `state`; true if the callback stopped it.
    pub fn pass<S: Send>(
        &self,
        table: &Table<'_, T>,
        (state, width): (&mut [S], usize),
        run: &mut Run<'_>,
        visit: impl Fn(&[T], &mut [S]) + Sync,
    ) -> Result<bool, Error> {
        let (items, features, count) = (table.samples.items(), table.origin.len(), self.items.len());
        let most = rows_within(BLOCK_VALUES, features.max(count)).min(BLOCK);
        let block = if run.block > 0 { run.block } else { most };
        let stretch = rows_within(STRETCH, (features + count) * count).max(block);
        let start = Scratch::default;
        for (at, own) in state.chunks_mut(stretch * width).enumerate() {
            let (first, rows) = (at * stretch, own.len() / width);
            let team = Team::new(&Run { block, ..Run::default() }, rows, features)?;
            let block = |scratch: &mut Scratch<T>, range: Range<usize>, own: &mut [S]| {
                let rows = table.samples.block(first + range.start..first + range.end);
                self.map(&rows.values, &table.origin, scratch);
                scratch
                    .mapped
                    .chunks_exact(count)
                    .zip(own.chunks_exact_mut(width))
                    .for_each(|(row, own)| visit(row, own));
            };
            table.team.install(|| team.fold_mut(own, width, start, block, |_, _| ()));
            if run.tell(&Progress::count("prepare", first + rows, items)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Maps some rows into `scratch.mapped`.
    pub fn map(&self, values: &[T], origin: &[f64], scratch: &mut Scratch<T>) {
        let Scratch { rows, kernel, mapped } = scratch;
        rows.fill(values, origin);
        rows.squared(0..rows.len(), &self.rows, kernel);
        exponentials(kernel, -1.0 / self.h2);
        let kernel = MatRef::from_row_major_slice(kernel, rows.len(), self.items.len());
        linalg::times_lower(kernel, self.root.as_ref(), mapped);
    }
}

/// (K_JJ + ridge I)^-1.
fn inverse(landmarks: &Rows<f64>, h2: f64, ridge: f64) -> Mat<f64> {
    let count = landmarks.len();
    let mut similar = Vec::new();
    landmarks.squared(0..count, landmarks, &mut similar);
    exponentials(&mut similar, -1.0 / h2);
    let entry = |i: usize, j: usize| if i == j { 1.0 } else { similar[i * count + j] };
    // Both halves from the lower one, so that rounding cannot make them differ.
    let kernel = Mat::from_fn(count, count, |i, j| entry(i.max(j), i.min(j)));
    let inverse = linalg::inverse_of_shifted(kernel.as_ref(), 1.0 / ridge);
    Mat::from_fn(count, count, |i, j| inverse[(i, j)] / ridge)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The landmarks and the width that a seed gives, for the slow references.
    pub fn drawn(table: &Table<'_, f64>, seed: u64, count: usize) -> (Vec<usize>, f64) {
        let kernel = Kernel { seed, landmarks: count, ..Kernel::default() };
        let (landmarks, some) = kernel.draw(table.samples.items());
        let h2 = median_squared(table, &some, &landmarks);
        (landmarks, h2)
    }

    #[test]
    fn inner_products_of_mapped_rows_are_the_kernel() {
        let data: Vec<f64> = (0..120).map(|i| (f64::from(i) * 12.9898).sin() * 43758.5453 % 1.0 + 7.0).collect();
        let samples = Samples::new(&data, 40, 3).unwrap();
        let kernel = Kernel { landmarks: 40, ridge: 1e-6, ..Kernel::default() };
        let mapped = kernel.map(&samples, &mut Run::default()).unwrap();
        let mapped = mapped.samples().unwrap();
        let table = Table::new(&samples, &Run::default()).unwrap();
        let h2 = drawn(&table, 0, 40).1;
        for i in 0..40 {
            for j in 0..40 {
                let squared: f64 = (0..3).map(|l| (samples.get(i, l) - samples.get(j, l)).powi(2)).sum();
                let product: f64 = (0..40).map(|l| mapped.get(i, l) * mapped.get(j, l)).sum();
                assert!((product - (-squared / h2).exp()).abs() < 1e-5, "{i} {j}: {product}");
            }
        }
    }
}
