//! How strange each row is: what a Gaussian process on some landmarks leaves unexplained of it.

use std::ops::Range;

use faer::{Mat, MatRef};

use super::rows::{Rows, median_squared, sample};
use crate::baselines::distance::{Table, rows_within};
use crate::baselines::random::generator;
use crate::blocks::Team;
use crate::{Error, Float, Run, linalg};

/// Rows that the width of the kernel is measured on.
const SCALE_ROWS: usize = 2048;
/// Rows a block: the block of similarities stays in the cache.
const BLOCK: usize = 256;
/// Most values of one block.
const BLOCK_VALUES: usize = 1 << 21;

/// The settings of the score.
pub(super) struct Score {
    pub seed: u64,
    pub landmarks: usize,
    pub ridge: f64,
}

/// The rows that explain the others, and the width of the kernel.
struct Landmarks<T> {
    rows: Rows<T>,
    h2: f64,
}

impl Score {
    /// The strangeness of every item, from `ridge` (amid others) to 1 + `ridge` (alone).
    ///
    /// With k(x, y) = exp(-|x - y|^2 / h2) and C C' = K_JJ + ridge I over the landmarks J it is
    /// 1 + ridge - |C^-1 k_n|^2; a landmark is measured by the others: 1 / ((K_JJ + ridge I)^-1)_jj.
    pub fn strangeness<T: Float>(&self, table: &Table<'_, T>, run: &Run<'_>) -> Result<Vec<f64>, Error> {
        let all: Vec<usize> = (0..table.samples.items()).collect();
        let mut generator = generator(self.seed);
        let items = sample(&mut generator, &all, self.landmarks);
        let h2 = median_squared(table, &sample(&mut generator, &all, SCALE_ROWS), &items);
        let inverse = self.inverse(&Rows::of(table, &items), h2);
        let landmarks = Landmarks { rows: Rows::of(table, &items), h2 };
        let mut strange = self.pass(table, &landmarks, &inverse, run)?;
        for (j, &landmark) in items.iter().enumerate() {
            strange[landmark] = 1.0 / inverse[(j, j)];
        }
        strange.iter_mut().for_each(|v| *v = v.clamp(0.5 * self.ridge, 1.0 + self.ridge));
        Ok(strange)
    }

    /// (K_JJ + ridge I)^-1. Its condition is at most (landmarks + ridge) / ridge.
    fn inverse(&self, landmarks: &Rows<f64>, h2: f64) -> Mat<f64> {
        let count = landmarks.len();
        let mut squared = Vec::new();
        landmarks.squared(0..count, landmarks, &mut squared);
        let entry = |i: usize, j: usize| if i == j { 1.0 } else { (-squared[i * count + j] / h2).exp() };
        // Both halves from the lower one, so that rounding cannot make them differ.
        let kernel = Mat::from_fn(count, count, |i, j| entry(i.max(j), i.min(j)));
        let inverse = linalg::inverse_of_shifted(kernel.as_ref(), 1.0 / self.ridge);
        Mat::from_fn(count, count, |i, j| inverse[(i, j)] / self.ridge)
    }

    /// 1 + ridge - k_n' inverse k_n for every item, block by block.
    fn pass<T: Float>(
        &self,
        table: &Table<'_, T>,
        landmarks: &Landmarks<T>,
        inverse: &Mat<f64>,
        run: &Run<'_>,
    ) -> Result<Vec<f64>, Error> {
        let (items, features, count) = (table.samples.items(), table.origin.len(), landmarks.rows.len());
        let most = rows_within(BLOCK_VALUES, features.max(count)).min(BLOCK);
        let block = if run.block > 0 { run.block } else { most };
        let team = Team::new(&Run { block, ..Run::default() }, items, features)?;
        let root = linalg::cast::<T>(linalg::lower_root(inverse.as_ref()).as_ref());
        let visit = |(rows, kernel, scratch): &mut (Rows<T>, Vec<T>, Vec<T>), range: Range<usize>, own: &mut [f64]| {
            let block = table.samples.block(range);
            rows.fill(&block.values, &table.origin);
            rows.squared(0..block.rows, &landmarks.rows, kernel);
            kernel.iter_mut().for_each(|value| *value = T::from_f64((-value.to_f64() / landmarks.h2).exp()));
            let kernel = MatRef::from_row_major_slice(kernel, block.rows, count);
            linalg::times_lower(kernel, root.as_ref(), scratch);
            for (strange, row) in own.iter_mut().zip(scratch.chunks_exact(count)) {
                *strange = 1.0 + self.ridge - linalg::norm_squared(row);
            }
        };
        let mut strange = vec![0.0; items];
        let start = || (Rows::empty(), Vec::new(), Vec::new());
        table.team.install(|| team.fold_mut(&mut strange, 1, start, visit, |_, _| ()));
        Ok(strange)
    }
}

#[cfg(test)]
mod tests {
    use faer::prelude::Solve;

    use super::*;
    use crate::Samples;

    /// Strangeness by the textbook: for each row a dense solve with all landmarks but itself.
    fn dense(rows: &[&[f64]], landmarks: &[usize], h2: f64, ridge: f64) -> Vec<f64> {
        let squared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
        let kernel = |a: usize, b: usize| (-squared(rows[a], rows[b]) / h2).exp();
        let one = |n: usize| {
            let others: Vec<usize> = landmarks.iter().copied().filter(|&j| j != n).collect();
            let lift = |i: usize, j: usize| if i == j { ridge } else { 0.0 };
            let matrix = Mat::from_fn(others.len(), others.len(), |i, j| kernel(others[i], others[j]) + lift(i, j));
            let right = Mat::from_fn(others.len(), 1, |i, _| kernel(others[i], n));
            let solved = matrix.partial_piv_lu().solve(&right);
            1.0 + ridge - (0..others.len()).map(|i| right[(i, 0)] * solved[(i, 0)]).sum::<f64>()
        };
        (0..rows.len()).map(one).collect()
    }

    #[test]
    fn strangeness_is_the_dense_formula_with_each_landmark_left_out() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
        };
        let data: Vec<f64> = (0..150 * 3).map(|_| next() + 40.0).collect();
        let rows: Vec<&[f64]> = data.chunks(3).collect();
        for count in [20, 150, 500] {
            let table = Table::new(&Samples::new(&data, 150, 3).unwrap(), &Run::default()).unwrap();
            let score = Score { seed: 3, landmarks: count, ridge: 0.01 };
            let found = score.strangeness(&table, &Run::default()).unwrap();
            let all: Vec<usize> = (0..150).collect();
            let mut generator = generator(3);
            let landmarks = sample(&mut generator, &all, count);
            let some = sample(&mut generator, &all, SCALE_ROWS);
            let h2 = median_squared(&table, &some, &landmarks);
            let expected = dense(&rows, &landmarks, h2, 0.01);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-9, "{count}: {found} {expected}");
            }
        }
    }
}
