//! The gate: the outlier score beyond which a row is set aside.
//!
//! It looks at log(v - ridge), v being the outlier score: what the landmarks leave unexplained. No score lies below the
//! ridge, so log v itself is cut off below and skewed, and one skewed population looks like two that overlap.

use crate::linalg::distances::median;
use crate::linalg::simd::exponentials;

/// Outliers have a score v larger than the others' by this factor at least. Rows that are all explained alike (copies)
/// differ by less: of one with m copies among the landmarks about ridge / m is unexplained, and v is ridge + ridge / m.
const FACTOR: f64 = 2.0;
/// Least separation of two populations (Ashman's D).
const SEPARATION: f64 = 2.0;
/// Most rows that may be outliers, as a share.
const MOST: f64 = 0.6;
/// Where one population is seen: robust standard deviations that a row may stand out.
const FALL: f64 = 5.0;
/// Less than this share of the ridge unexplained is rounding.
const ROUNDING: f64 = 1e-3;
/// A row of which the landmarks explain less than 1 - `ALONE` is alone,
const ALONE: f64 = 0.98;
/// unless at least this share of the rows is.
const CROWD: f64 = 0.4;
/// Shares of the lower population that EM starts from.
const STARTS: [f64; 3] = [0.5, 0.7, 0.9];
const ITERATIONS: usize = 100;
/// Quantiles that stand for the rows.
const QUANTILES: usize = 2048;
/// Points between the two means among which the threshold is found.
const GRID: usize = 513;

/// Two Gaussians, the one with the lower mean first.
struct Mixture {
    shares: [f64; 2],
    means: [f64; 2],
    sds: [f64; 2],
    /// Gain in log-likelihood over one Gaussian.
    gain: f64,
}

/// What is left unexplained of a row, as a logarithm.
fn unexplained(score: f64, ridge: f64) -> f64 {
    (score - ridge).max(ROUNDING * ridge).ln()
}

/// Which of so many sorted values stand for all.
pub(super) fn quantiles(count: usize) -> Vec<usize> {
    if count <= QUANTILES {
        return (0..count).collect();
    }
    (0..QUANTILES).map(|q| ((q as f64 + 0.5) * count as f64 / QUANTILES as f64) as usize).collect()
}

/// The threshold from the values at [`quantiles`].
pub(super) fn threshold(scores: &[f64], ridge: f64) -> f64 {
    let z: Vec<f64> = scores.iter().map(|&v| unexplained(v, ridge)).collect();
    let loose = loose(&z, ridge).exp() + ridge;
    if z.len() < 20 || z[z.len() - 1] - z[0] < 1e-6 {
        return loose;
    }
    let Mixture { shares: p, means: m, sds: s, gain } = mixture(&z);
    let separation = (m[1] - m[0]) / ((s[0] * s[0] + s[1] * s[1]) / 2.0).sqrt();
    let too_close = separation < SEPARATION || m[1].exp() + ridge < FACTOR * (m[0].exp() + ridge);
    if too_close || p[1] > MOST || 2.0 * gain < 3.0 * (z.len() as f64).ln() {
        return loose;
    }
    let density = |t: f64, c: usize| (p[c] / s[c]).ln() - 0.5 * ((t - m[c]) / s[c]).powi(2);
    let step = (m[1] - m[0]) / (GRID - 1) as f64;
    let mut points = (0..GRID).map(|i| if i + 1 == GRID { m[1] } else { m[0] + i as f64 * step });
    // The odds are even half a step before that, and one outlier on its own is beyond the threshold, not on it.
    let beyond = points.find(|&t| density(t, 1) > density(t, 0)).unwrap_or(m[1]);
    (beyond - step / 2.0).exp() + ridge
}

/// The threshold where one population is seen, for what is unexplained.
fn loose(z: &[f64], ridge: f64) -> f64 {
    let alone = unexplained(ALONE * (1.0 + ridge), ridge);
    let middle = median(&mut z.to_vec());
    let mut deviations: Vec<f64> = z.iter().map(|z| (z - middle).abs()).collect();
    let spread = 1.4826 * median(&mut deviations);
    let far = (middle + FALL * spread).max(unexplained(FACTOR * (middle.exp() + ridge), ridge));
    let beyond = z.iter().filter(|&&z| z > alone).count() as f64;
    if beyond / (z.len() as f64) < CROWD { far.min(alone) } else { far }
}

/// The likeliest mixture over all starts; `z` is sorted.
fn mixture(z: &[f64]) -> Mixture {
    let mut best: Option<Mixture> = None;
    for start in STARTS {
        let found = expectation_maximisation(z, start);
        if best.as_ref().is_none_or(|best| found.gain > best.gain + 1e-9) {
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
        let share = |c: usize, i: usize| if c == 1 { of_high[i] } else { 1.0 - of_high[i] };
        let q = [0, 1].map(|c| (0..n).map(|i| share(c, i)).sum::<f64>() + 1e-9);
        p = q.map(|q0| q0 / (q[0] + q[1]));
        m = [0, 1].map(|c| (0..n).map(|i| share(c, i) * z[i]).sum::<f64>() / q[c]);
        let square = |c: usize| (0..n).map(|i| share(c, i) * (z[i] - m[c]).powi(2)).sum::<f64>() / q[c];
        s = [0, 1].map(|c| square(c).sqrt() + floor);
    }
    let gain = likelihood + n as f64 * (0.5 + (sd + floor).ln());
    if m[0] > m[1] {
        return Mixture { shares: [p[1], p[0]], means: [m[1], m[0]], sds: [s[1], s[0]], gain };
    }
    Mixture { shares: p, means: m, sds: s, gain }
}

fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The threshold of unsorted scores.
    fn threshold_of(scores: &[f64]) -> f64 {
        let mut sorted = scores.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let quantiles: Vec<f64> = quantiles(sorted.len()).into_iter().map(|at| sorted[at]).collect();
        threshold(&quantiles, 0.01)
    }

    /// Normal quantiles, roughly: enough to shape a group.
    fn group(count: usize, mean: f64, sd: f64) -> impl Iterator<Item = f64> {
        (0..count).map(move |i| {
            let u = (i as f64 + 0.5) / count as f64;
            mean + sd * (u / (1.0 - u)).ln() / 1.702
        })
    }

    /// The scores that leave so much unexplained.
    fn scores(unexplained: impl Iterator<Item = f64>) -> Vec<f64> {
        unexplained.map(|z| z.exp() + 0.01).collect()
    }

    #[test]
    fn two_groups_are_parted_between_their_means() {
        for outliers in [30, 100, 300] {
            let rows = scores(group(1000 - outliers, -4.0, 0.5).chain(group(outliers, -0.3, 0.1)));
            let limit = threshold_of(&rows);
            assert!((0.08..0.6).contains(&limit), "{outliers}: {limit}");
        }
    }

    #[test]
    fn a_single_outlier_is_beyond_the_threshold() {
        let rows: Vec<f64> = scores(group(120, -8.0, 0.4)).into_iter().chain([1.0]).collect();
        let limit = threshold_of(&rows);
        assert!((0.02..1.0).contains(&limit), "{limit}");
    }

    #[test]
    fn one_group_is_left_alone() {
        for mean in [-9.0, -5.0, -3.0, -2.0] {
            let rows = scores(group(1000, mean, 0.4));
            let limit = threshold_of(&rows);
            assert!(rows.iter().filter(|&&v| v > limit).count() <= 2, "{mean}: {limit}");
        }
        assert!(threshold_of(&[1.01]) > 1.01);
        assert!(threshold_of(&[0.02; 40]) > 0.02);
    }

    /// A skewed tail of usual rows must not hide the outliers beyond it.
    #[test]
    fn outliers_are_seen_beyond_a_group_at_the_ridge() {
        let rows = scores(group(900, -6.0, 0.8).chain(group(100, -1.5, 0.6)));
        let limit = threshold_of(&rows);
        let missed = rows[900..].iter().filter(|&&v| v <= limit).count();
        let cut = rows[..900].iter().filter(|&&v| v > limit).count();
        assert!(missed <= 5 && cut <= 5, "{missed} missed, {cut} cut: {limit}");
    }

    /// Copies: what is unexplained differs by the number of copies among the landmarks, and no row is an outlier.
    #[test]
    fn rows_with_more_or_fewer_copies_are_all_usual() {
        let rows: Vec<f64> = (0..600).map(|i| 0.01 + 0.01 / f64::from(1 + i % 5)).collect();
        let limit = threshold_of(&rows);
        assert!(rows.iter().all(|&v| v <= limit), "{limit}");
    }
}
