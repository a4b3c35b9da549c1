//! Two populations of a measure: a mixture of two Gaussians.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::linalg::simd::exponentials;

/// Shares of the lower population that EM starts from.
const STARTS: [f64; 3] = [0.5, 0.7, 0.9];
const ITERATIONS: usize = 100;
/// Quantiles that stand for the rows.
const QUANTILES: usize = 2048;
/// Points between the two means among which the threshold is found.
const GRID: usize = 513;

/// Two populations of a measure.
pub(super) struct Populations {
    /// Share of the upper one.
    pub share: f64,
    /// Where the odds are even.
    pub limit: f64,
    /// Deviation of the lower one.
    pub sd: f64,
    /// The least density between the two peaks, relative to the lower peak: 1 means none, 0 empty.
    pub valley: f64,
    /// Which of the two a value belongs to.
    pub odds: Odds,
}

/// The odds that a value belongs to the upper of two populations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Odds {
    shares: [f64; 2],
    means: [f64; 2],
    sds: [f64; 2],
}

impl Odds {
    /// How far the means are apart, in mean deviations (Ashman's D).
    pub fn apart(&self) -> f64 {
        let [a, b] = self.sds.map(|sd| sd * sd);
        (self.means[1] - self.means[0]) / (0.5 * (a + b)).sqrt()
    }

    /// The probability of the upper population, which never falls as the value grows.
    pub fn upper(&self, value: f64) -> f64 {
        let Odds { shares: p, means: m, sds: s } = self;
        // Where the wider of the two would take over again, on the far side of the narrower one, the odds stay.
        let precision = s.map(|sd| 1.0 / (sd * sd));
        let turn = (m[1] * precision[1] - m[0] * precision[0]) / (precision[1] - precision[0]);
        let value = match precision[1].partial_cmp(&precision[0]) {
            Some(Ordering::Greater) => value.min(turn),
            Some(Ordering::Less) => value.max(turn),
            _ => value,
        };
        let log = |c: usize| p[c].ln() - s[c].ln() - 0.5 * ((value - m[c]) / s[c]).powi(2);
        1.0 / (1.0 + (log(0) - log(1)).min(700.0).exp())
    }
}

pub(super) fn populations(values: &[f64]) -> Populations {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let sorted: Vec<f64> = quantiles(sorted.len()).into_iter().map(|at| sorted[at]).collect();
    let Mixture { shares: p, means: m, sds: s, .. } = mixture(&sorted);
    let density = |t: f64, c: usize| p[c] / s[c] * (-0.5 * ((t - m[c]) / s[c]).powi(2)).exp();
    let step = (m[1] - m[0]) / (GRID - 1) as f64;
    let points: Vec<[f64; 2]> =
        (0..GRID).map(|i| m[0] + i as f64 * step).map(|t| [density(t, 0), density(t, 1)]).collect();
    let beyond = points.iter().position(|[lower, upper]| upper > lower).unwrap_or(GRID - 1);
    let total = |at: usize| points[at][0] + points[at][1];
    let least = (0..GRID).map(total).fold(f64::INFINITY, f64::min);
    Populations {
        share: p[1],
        limit: m[0] + (beyond as f64 - 0.5) * step,
        sd: s[0].max(1e-6),
        valley: least / total(0).min(total(GRID - 1)).max(1e-300),
        odds: Odds { shares: p, means: m, sds: s },
    }
}

/// Which of so many sorted values stand for all.
fn quantiles(count: usize) -> Vec<usize> {
    if count <= QUANTILES {
        return (0..count).collect();
    }
    (0..QUANTILES).map(|q| ((q as f64 + 0.5) * count as f64 / QUANTILES as f64) as usize).collect()
}

/// Two Gaussians, the one with the lower mean first.
struct Mixture {
    shares: [f64; 2],
    means: [f64; 2],
    sds: [f64; 2],
    likelihood: f64,
}

/// The likeliest mixture over all starts; `z` is sorted.
fn mixture(z: &[f64]) -> Mixture {
    let mut best: Option<Mixture> = None;
    for start in STARTS {
        let found = expectation_maximisation(z, start);
        if best.as_ref().is_none_or(|best| found.likelihood > best.likelihood + 1e-9) {
            best = Some(found);
        }
    }
    best.expect("there is more than one start")
}

fn expectation_maximisation(z: &[f64], start: f64) -> Mixture {
    let n = z.len();
    let sd = mean_and_sd(z).1;
    let floor = 1e-3 * sd + 1e-12;
    let cut = ((start * n as f64) as usize).clamp(1, n - 1);
    let (low, high) = (mean_and_sd(&z[..cut]), mean_and_sd(&z[cut..]));
    let (mut p, mut m, mut s) = ([start, 1.0 - start], [low.0, high.0], [low.1 + floor, high.1 + floor]);
    let mut likelihood = 0.0;
    let mut of_high = vec![0.0; n];
    for iteration in 1..=ITERATIONS {
        let heights = [0, 1].map(|c| p[c].ln() - s[c].ln());
        let log = |z: f64| [0, 1].map(|c| heights[c] - 0.5 * ((z - m[c]) / s[c]).powi(2));
        if iteration == ITERATIONS {
            likelihood = z.iter().map(|&z| log(z)).map(|[a, b]| a.max(b) + (-(a - b).abs()).exp().ln_1p()).sum();
        }
        for (share, &z) in of_high.iter_mut().zip(z) {
            let [a, b] = log(z);
            *share = (a - b).min(700.0);
        }
        exponentials(&mut of_high, 1.0);
        of_high.iter_mut().for_each(|odds| *odds = 1.0 / (1.0 + *odds));
        // Sums of both side by side: each addition waits for the one before it.
        let shares = || of_high.iter().zip(z).map(|(&high, &z)| ([1.0 - high, high], z));
        let (mut q, mut sums, mut squares) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        for (share, z) in shares() {
            for c in 0..2 {
                q[c] += share[c];
                sums[c] += share[c] * z;
            }
        }
        q = q.map(|q| q + 1e-9);
        p = q.map(|q0| q0 / (q[0] + q[1]));
        m = [0, 1].map(|c| sums[c] / q[c]);
        for (share, z) in shares() {
            for c in 0..2 {
                squares[c] += share[c] * (z - m[c]).powi(2);
            }
        }
        s = [0, 1].map(|c| (squares[c] / q[c]).sqrt() + floor);
    }
    if m[0] > m[1] {
        return Mixture { shares: [p[1], p[0]], means: [m[1], m[0]], sds: [s[1], s[0]], likelihood };
    }
    Mixture { shares: p, means: m, sds: s, likelihood }
}

pub(super) fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
}
