//! The kernel map: rows as a bounded similarity to some landmarks sees them.

use std::ops::Range;

use crate::exemplars::landmarks::{BLOCK, Landmarks, Scratch};
use crate::linalg::nearest::{NearestTable, rows_within};
use crate::{Error, Float, Progress, RunOptions, Samples};

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
/// use arss::{Kernel, RunOptions, Samples, Selector, Ted};
///
/// let samples = Samples::new(&[0.0, 0.1, 7.0, 7.1, 900.0], 5, 1)?;
/// let kernel = Kernel { landmarks: 5, ..Kernel::default() };
/// let mapped = kernel.map(&samples, &mut RunOptions::default())?;
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

/// A table after the kernel map: one row per item, one column per landmark.
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
    pub fn map<T: Float>(&self, samples: &Samples<'_, T>, run: &mut RunOptions<'_>) -> Result<Mapped<T>, Error> {
        self.validate()?;
        T::map(self, samples, run)
    }

    pub(crate) fn run<T: Float>(&self, samples: &Samples<'_, T>, run: &mut RunOptions<'_>) -> Result<Mapped<T>, Error> {
        let table = NearestTable::new(samples, run)?;
        let (items, features) = (samples.items(), samples.features());
        let sample = Landmarks::draw(self, items);
        let landmarks = Landmarks::new(self, &table.by_position(), &sample);
        let landmarks = landmarks.ready::<T>(features);
        let count = landmarks.len();
        let mut values = vec![T::from_f64(0.0); items * count];
        let most = rows_within(BLOCK_VALUES, features.max(count)).min(BLOCK);
        let block = if run.block > 0 { run.block } else { most };
        let stretch = rows_within(STRETCH, (features + count) * count).max(block);
        for (at, own) in values.chunks_mut(stretch * count).enumerate() {
            let (first, rows) = (at * stretch, own.len() / count);
            let partition = table.partition.sharing_threads(rows, features, block);
            let visit = |(scratch, gathered): &mut (Scratch<T>, Vec<T>), range: Range<usize>, own: &mut [T]| {
                let rows = table.samples.block_in(first + range.start..first + range.end, gathered);
                own.copy_from_slice(landmarks.map(rows, scratch));
            };
            partition.fold_mut(own, count, Default::default, visit, |_, _| ());
            if run.tell(&Progress::count("prepare", first + rows, items)) {
                return Ok(Mapped { values, items, complete: false });
            }
        }
        Ok(Mapped { values, items, complete: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_products_of_mapped_rows_are_the_kernel() {
        let data: Vec<f64> = (0..120).map(|i| (f64::from(i) * 12.9898).sin() * 43758.5453 % 1.0 + 7.0).collect();
        let samples = Samples::new(&data, 40, 3).unwrap();
        let kernel = Kernel { landmarks: 40, ridge: 1e-6, ..Kernel::default() };
        let mapped = kernel.map(&samples, &mut RunOptions::default()).unwrap();
        let mapped = mapped.samples().unwrap();
        let table = NearestTable::new(&samples, &RunOptions::default()).unwrap();
        let h2 = Landmarks::new(&kernel, &table.by_position(), &Landmarks::draw(&kernel, 40)).h2;
        for i in 0..40 {
            for j in 0..40 {
                let squared: f64 = (0..3).map(|l| (samples.get(i, l) - samples.get(j, l)).powi(2)).sum();
                let product: f64 = (0..40).map(|l| mapped.get(i, l) * mapped.get(j, l)).sum();
                assert!((product - (-squared / h2).exp()).abs() < 1e-5, "{i} {j}: {product}");
            }
        }
    }
}
