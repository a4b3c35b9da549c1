//! How many iterations a solver will take, from how fast it converges.

use crate::selection::HistoryStep;

/// Fewer iterations tell nothing.
const LEAST: usize = 8;
/// Two ways to go on that differ by more than so many times tell nothing either.
const AGREED: f64 = 2.0;
/// What is so near to its end, as a share of what is done, may be over at any time.
const SOON: f64 = 0.2;
/// So is a residual that came within so many times the tolerance lately.
const NEAR: f64 = 5.0;
const LATELY: usize = 3;

/// About how many iterations there will be until the residual is below `tolerance`, if it goes on falling as in the second
/// half so far; none before that is known. A solver that has no tolerance takes all of `limit`.
///
/// Whether it falls by the same factor each time or ever more slowly is seen late. So both are tried, and what they tell is
/// told where they agree. What lasted long goes on longer, so half of the forecast is how long it took so far. On 48 runs of
/// k-means 97 % of such forecasts were within a factor of three (`benchmarks/progress/forecast.py`); the constants were chosen
/// on these same runs.
pub(crate) fn iterations(history: &[HistoryStep], tolerance: f64, limit: usize) -> Option<usize> {
    if tolerance <= 0.0 {
        return Some(limit);
    }
    let done = history.len();
    if done < LEAST || history[done - LATELY..].iter().any(|step| step.residual < NEAR * tolerance) {
        return None;
    }
    let half = &history[done / 2..];
    let places = || (done / 2 + 1..=done).map(|at| at as f64);
    let falling = |places: &mut dyn Iterator<Item = f64>| {
        crossing(places.zip(half.iter().map(|step| step.residual.ln())).collect(), tolerance.ln())
    };
    let by_factor = falling(&mut places())? - done as f64;
    let ever_slower = falling(&mut places().map(f64::ln))?.exp() - done as f64;
    let falls = (by_factor * ever_slower).sqrt();
    let agree = by_factor.max(ever_slower) <= AGREED * by_factor.min(ever_slower);
    let is_known = agree && by_factor > 0.0 && falls >= SOON * done as f64;
    let more = (falls * done as f64).sqrt();
    is_known.then(|| limit.min(done + more.ceil() as usize))
}

/// Where a line through the points, by least squares, falls to `level`; none if it does not fall.
fn crossing(points: Vec<(f64, f64)>, level: f64) -> Option<f64> {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let joint: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let square: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let slope = joint / square;
    (slope < 0.0).then(|| x + (level - y) / slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn falling(count: usize, residual: impl Fn(f64) -> f64) -> Vec<HistoryStep> {
        let step = |iteration: usize| HistoryStep {
            iteration,
            objective: 0.0,
            residual: residual(iteration as f64),
            gap: f64::NAN,
            mu: f64::NAN,
            active: f64::NAN,
        };
        (1..=count).map(step).collect()
    }

    #[test]
    fn a_residual_that_falls_tells_the_end() {
        // Below 1e-4 after 40 iterations, by the same factor each time, and ever more slowly.
        let steady = |at: f64| 10f64.powf(-at / 10.0);
        let slower = |at: f64| 256.0 / at.powi(4);
        let noisy = |at: f64| steady(at) * if (at as usize).is_multiple_of(2) { 1.1 } else { 0.9 };
        let told = |done: usize, residual: &dyn Fn(f64) -> f64| iterations(&falling(done, residual), 1e-4, 100);
        for done in [28, 31] {
            for residual in [&steady as &dyn Fn(f64) -> f64, &noisy] {
                let told = told(done, residual).unwrap();
                assert!((36..=60).contains(&told), "{done}: {told}");
            }
        }
        assert!((30..=72).contains(&told(24, &slower).unwrap()));
        assert_eq!(iterations(&falling(30, steady), 1e-4, 35), Some(35));
    }

    #[test]
    fn nothing_is_told_before_it_is_known() {
        let steady = |at: f64| 10f64.powf(-at / 10.0);
        for done in [0, 3, 5, 8, 36, 39] {
            assert_eq!(iterations(&falling(done, steady), 1e-4, 100), None, "{done}");
        }
        for odd in [|_: f64| 0.5, |at: f64| at, |_: f64| f64::NAN, |_: f64| 0.0, |at: f64| 0.5 - 1e-9 * at] {
            assert_eq!(iterations(&falling(20, odd), 1e-4, 100), None);
        }
        assert_eq!(iterations(&falling(3, |_| 0.5), 0.0, 100), Some(100));
    }
}
