//! The outlier score of each row: what a Gaussian process on some landmarks leaves unexplained of it.
//!
//! With k(x, y) = exp(-|x - y|^2 / h2) over the landmarks J it is v_n = 1 + ridge - k_n' (K_JJ + ridge I)^-1 k_n, which
//! is 1 + ridge minus the squared length of the mapped row. A landmark is scored by the others: 1 / ((K_JJ + ridge
//! I)^-1)_jj. The score lies between the ridge (amid others) and 1 + ridge (alone).

use super::gate;
use super::landmarks::Landmarks;
use super::solver::RowCache;
use super::steps::{RadixCount, ScoreStep};
use crate::exec::{Matrix, RowBackend, Step};
use crate::linalg::distances::Table;
use crate::{Error, Kernel, Progress, RunOptions};

/// The least that a row counts where rows are covered.
const LEAST: f64 = 1e-3;
/// Bits of the score that the first count looks at, and each one after it.
const RADIX_BITS: (u32, u32) = (16, 4);

/// What a row with this score counts where rows are covered: as much as the others explain of it.
///
/// Choosing a row that resembles no other covers one row, itself. With many picks that is as much as there is left to
/// gain elsewhere, and outliers just within the gate would be chosen (benchmarks/quality/NOTES.md has the
/// measurements). The score includes the ridge, which is small by default (.01); with a ridge near 1 all rows count
/// alike.
pub(super) fn explained(score: f64) -> f64 {
    (1.0 - score).max(LEAST)
}

/// Scores the rows. How many were scored: all, unless the callback stopped it.
pub(super) fn score_rows(
    kernel: &Kernel,
    rows: &mut dyn RowBackend,
    origin: &[f64],
    run: &mut RunOptions<'_>,
) -> Result<(usize, bool), Error> {
    let (items, features) = (rows.items(), rows.features());
    let mut step = score_step(kernel, rows, origin)?;
    let count = step.landmarks.len();
    let stretch = rows.stretch((features + count) * count);
    for start in (0..items).step_by(stretch) {
        let end = (start + stretch).min(items);
        step.rows = (stretch < items).then_some((start, end));
        let scoring = Step::ExemplarsScore(step);
        rows.pass(&scoring)?;
        if run.tell(&Progress::count("prepare", end, items)) {
            return Ok((end, true));
        }
        let Step::ExemplarsScore(again) = scoring else { unreachable!("the step was made above") };
        step = again;
    }
    Ok((items, false))
}

/// The step that scores rows by the landmarks of a table.
fn score_step(kernel: &Kernel, rows: &mut dyn RowBackend, origin: &[f64]) -> Result<ScoreStep, Error> {
    let sample = Landmarks::draw(kernel, rows.items());
    let cache = RowCache::fetch(rows, sample.landmarks.iter().chain(&sample.scale).copied().collect())?;
    let landmarks = Landmarks::new(kernel, &Table { rows: cache.access(rows), origin }, &sample);
    let (count, features) = (landmarks.items.len(), rows.features());
    Ok(ScoreStep {
        rows: None,
        h2: landmarks.h2,
        ridge: kernel.ridge,
        origin: origin.to_vec(),
        own_scores: (0..count).map(|j| 1.0 / landmarks.inverse[(j, j)]).collect(),
        root: landmarks.root(),
        values: Matrix(faer::Mat::from_fn(count, features, |i, j| landmarks.rows[i * features + j])),
        landmarks: landmarks.items,
    })
}

/// The scores that stand for all: those at [`gate::quantiles`] of the `scored` rows.
pub(super) fn quantiles(rows: &mut dyn RowBackend, scored: usize) -> Result<Vec<f64>, Error> {
    // For each prefix of bits the ranks, among the rows that begin so, that are looked for.
    let mut open: Vec<(u64, Vec<usize>)> = vec![(0, gate::quantiles(scored))];
    let (mut remaining, mut bits) = (64, RADIX_BITS.0);
    while remaining > 0 {
        remaining -= bits;
        let prefixes = open.iter().map(|(prefix, _)| *prefix).collect();
        let counts = rows.pass(&Step::ExemplarsRadixCount(RadixCount { bits, remaining, prefixes }))?.sums;
        let mut next: Vec<(u64, Vec<usize>)> = Vec::new();
        for ((prefix, ranks), counts) in open.into_iter().zip(counts.chunks_exact(1 << bits)) {
            let (mut before, mut ranks) = (0, ranks.into_iter().peekable());
            for (digit, &count) in counts.iter().enumerate() {
                let mut here = Vec::new();
                while let Some(rank) = ranks.next_if(|&rank| rank < before + count as usize) {
                    here.push(rank - before);
                }
                if !here.is_empty() {
                    next.push(((prefix << bits) | digit as u64, here));
                }
                before += count as usize;
            }
        }
        (open, bits) = (next, RADIX_BITS.1);
    }
    Ok(open.into_iter().flat_map(|(bits, ranks)| vec![f64::from_bits(bits); ranks.len()]).collect())
}

#[cfg(test)]
mod tests {
    use faer::Mat;
    use faer::prelude::Solve;

    use super::*;
    use crate::Samples;
    use crate::exec::{InMemory, RowAttributes};
    use crate::exemplars::steps::SCORE;
    use crate::linalg::nearest::NearestTable;
    use crate::parallel::Partition;

    /// Scores by the textbook: for each row a dense solve with all landmarks but itself.
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
    fn scores_are_the_dense_formula_with_each_landmark_left_out() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
        };
        let data: Vec<f64> = (0..150 * 3).map(|_| next() + 40.0).collect();
        let rows: Vec<&[f64]> = data.chunks(3).collect();
        for count in [20, 150, 500] {
            let samples = Samples::new(&data, 150, 3).unwrap();
            let table = NearestTable::new(&samples, &RunOptions::default()).unwrap();
            let kernel = Kernel { seed: 3, landmarks: count, ridge: 0.01 };
            let partition = Partition::new(&RunOptions::default(), 150, 3).unwrap();
            let mut backend = InMemory::new(&samples, &partition, RowAttributes::default());
            let scored = score_rows(&kernel, &mut backend, &table.origin, &mut RunOptions::default()).unwrap();
            assert_eq!(scored, (150, false));
            let found = backend.column(SCORE).unwrap().unwrap();
            let mut sorted = found.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            assert_eq!(quantiles(&mut backend, 150).unwrap(), sorted);
            let sample = Landmarks::draw(&kernel, 150);
            let h2 = Landmarks::new(&kernel, &table.by_position(), &sample).h2;
            let landmarks = sample.landmarks;
            let expected = dense(&rows, &landmarks, h2, 0.01);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-9, "{count}: {found} {expected}");
            }
        }
    }
}
