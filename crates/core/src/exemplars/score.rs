//! How strange each row is: what a Gaussian process on some landmarks leaves unexplained of it.

use crate::baselines::distance::Table;
use crate::kernel::Landmarks;
use crate::{Error, Float, Kernel, Run, linalg};

/// The least that a row counts where rows are covered.
const LEAST: f64 = 1e-3;

/// What a row of this strangeness counts where rows are covered: as much as the others explain of it.
///
/// Strangeness has the ridge in it, which is nothing by default (.01); with a ridge near 1 all rows count alike.
///
/// Picking a row that nobody resembles covers one row, itself; with many picks that is as good as what is left to
/// gain elsewhere, and strangers just within the gate would be chosen (docs/exemplars.md has the measurements).
pub(super) fn explained(strange: f64) -> f64 {
    (1.0 - strange).max(LEAST)
}

/// The strangeness of every item, from `ridge` (amid others) to 1 + `ridge` (alone), and whether the
/// callback stopped it; items that were not reached have NaN then.
///
/// With k(x, y) = exp(-|x - y|^2 / h2) over the landmarks J it is 1 + ridge - k_n' (K_JJ + ridge I)^-1 k_n,
/// which is 1 + ridge minus the squared length of the mapped row; a landmark is measured by the others:
/// 1 / ((K_JJ + ridge I)^-1)_jj.
pub(super) fn strangeness<T: Float>(
    kernel: &Kernel,
    table: &Table<'_, T>,
    run: &mut Run<'_>,
) -> Result<(Vec<f64>, bool), Error> {
    let (items, ridge) = (table.samples.items(), kernel.ridge);
    let landmarks = Landmarks::new(kernel, table);
    let mut strange = vec![f64::NAN; items];
    let stopped = landmarks.pass(table, (&mut strange, 1), run, |row, own| {
        own[0] = 1.0 + ridge - linalg::norm_squared(row);
    })?;
    for (j, &landmark) in landmarks.items.iter().enumerate() {
        strange[landmark] = 1.0 / landmarks.inverse[(j, j)];
    }
    strange.iter_mut().for_each(|v| *v = v.clamp(0.5 * ridge, 1.0 + ridge));
    Ok((strange, stopped))
}

#[cfg(test)]
mod tests {
    use faer::Mat;
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
            let kernel = Kernel { seed: 3, landmarks: count, ridge: 0.01 };
            let (found, stopped) = strangeness(&kernel, &table, &mut Run::default()).unwrap();
            assert!(!stopped);
            let (landmarks, h2) = crate::kernel::tests::drawn(&table, 3, count);
            let expected = dense(&rows, &landmarks, h2, 0.01);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-9, "{count}: {found} {expected}");
            }
        }
    }
}
