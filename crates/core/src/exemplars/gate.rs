//! The gate: from how strange on a row is a stranger.

use crate::lanes::exponentials;
use crate::rows::median;

/// Least difference of two populations in log v: a factor of two. Where two were seen on 22 real
/// sets it was 1.2 or more; rows that are all explained alike (duplicates) may part by a few per cent.
const DIFFERENCE: f64 = std::f64::consts::LN_2;
/// Least separation of two populations (Ashman's D).
const SEPARATION: f64 = 2.0;
/// Most rows that may be strangers, as a share.
const MOST: f64 = 0.6;
/// A row is a stranger if it is of the strange population with more than this probability.
const CONFIDENCE: f64 = 0.8;
/// Where one population is seen: robust standard deviations that a row may stand out.
const FALL: f64 = 8.0;
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

/// The strangeness beyond which a row is a stranger, as a logarithm; NaN is no row.
pub(super) fn threshold(strange: &[f64], ridge: f64) -> f64 {
    let mut sorted: Vec<f64> = strange.iter().copied().filter(|v| !v.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let quantiles: Vec<f64> = quantiles(sorted.len()).into_iter().map(|at| sorted[at]).collect();
    threshold_of(&quantiles, ridge)
}

/// Which of so many sorted values stand for all.
pub(super) fn quantiles(count: usize) -> Vec<usize> {
    if count <= QUANTILES {
        return (0..count).collect();
    }
    (0..QUANTILES).map(|q| ((q as f64 + 0.5) * count as f64 / QUANTILES as f64) as usize).collect()
}

/// The threshold from the values at [`quantiles`].
pub(super) fn threshold_of(strange: &[f64], ridge: f64) -> f64 {
    let z: Vec<f64> = strange.iter().map(|v| v.ln()).collect();
    let loose = loose(&z, (ALONE * (1.0 + ridge)).ln());
    if z.len() < 20 || z[z.len() - 1] - z[0] < 1e-6 {
        return loose;
    }
    let Mixture { shares: p, means: m, sds: s, gain } = mixture(&z);
    let separation = (m[1] - m[0]) / ((s[0] * s[0] + s[1] * s[1]) / 2.0).sqrt();
    let too_close = separation < SEPARATION || m[1] - m[0] < DIFFERENCE;
    if too_close || p[1] > MOST || 2.0 * gain < 3.0 * (z.len() as f64).ln() {
        return loose;
    }
    let density = |t: f64, c: usize| (p[c] / s[c]).ln() - 0.5 * ((t - m[c]) / s[c]).powi(2);
    let wanted = (CONFIDENCE / (1.0 - CONFIDENCE)).ln();
    let step = (m[1] - m[0]) / (GRID - 1) as f64;
    let mut points = (0..GRID).map(|i| if i + 1 == GRID { m[1] } else { m[0] + i as f64 * step });
    points.find(|&t| density(t, 1) - density(t, 0) > wanted).unwrap_or(m[1])
}

/// The threshold where one population is seen.
fn loose(z: &[f64], alone: f64) -> f64 {
    let middle = median(&mut z.to_vec());
    let mut deviations: Vec<f64> = z.iter().map(|z| (z - middle).abs()).collect();
    let spread = 1.4826 * median(&mut deviations);
    let far = middle + FALL * spread.max(1e-3);
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

    /// Normal quantiles, roughly: enough to shape a group.
    fn group(count: usize, mean: f64, sd: f64) -> impl Iterator<Item = f64> {
        (0..count).map(move |i| {
            let u = (i as f64 + 0.5) / count as f64;
            mean + sd * (u / (1.0 - u)).ln() / 1.702
        })
    }

    #[test]
    fn two_groups_are_parted_between_their_means() {
        for strangers in [30, 100, 300] {
            let z: Vec<f64> = group(1000 - strangers, -3.0, 0.3).chain(group(strangers, -0.3, 0.1)).collect();
            let strange: Vec<f64> = z.iter().map(|z| z.exp()).collect();
            let limit = threshold(&strange, 0.01);
            assert!((-2.5..-0.5).contains(&limit), "{strangers}: {limit}");
        }
    }

    #[test]
    fn one_group_is_left_alone() {
        let strange: Vec<f64> = group(1000, -3.0, 0.2).map(f64::exp).collect();
        let limit = threshold(&strange, 0.01);
        assert!(strange.iter().filter(|v| v.ln() > limit).count() <= 2, "{limit}");
        assert!(threshold(&[1.01], 0.01) > 1.01f64.ln());
        assert!(threshold(&[0.02; 40], 0.01) > 0.02f64.ln());
    }
}
