//! How many items have a value about so large.

use serde::Serialize;

use crate::charts::projection::median;

/// About as many bars.
const BINS: f64 = 36.0;
/// Values this much larger than the middle one ask for a logarithmic axis.
const WIDE: f64 = 30.0;
/// The smallest share of the largest value that gets a bar of its own on a logarithmic axis.
const SMALLEST: f64 = 1e-9;

/// Bars side by side.
#[derive(Debug, Serialize)]
pub struct Histogram {
    pub bins: Vec<Bin>,
    /// True if the bars are equally wide on a logarithmic axis; zeros are then in none.
    pub log: bool,
    /// Values that are zero, where the axis is logarithmic.
    pub zeros: usize,
    /// The value that parts the items, where there is one.
    pub threshold: Option<f64>,
}

/// One bar.
#[derive(Debug, Serialize, Clone)]
pub struct Bin {
    pub from: f64,
    pub to: f64,
    pub count: usize,
}

impl Histogram {
    /// The histogram of the finite values; `None` if there are none. The threshold stands between two bars.
    pub fn new(values: &[f64], threshold: Option<f64>) -> Option<Self> {
        let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let high = finite.iter().copied().reduce(f64::max)?;
        let low = finite.iter().copied().reduce(f64::min)?;
        let positive: Vec<f64> = finite.iter().copied().filter(|&value| value > 0.0).collect();
        let wide = threshold == Some(1.0) || high > WIDE * median(positive.clone());
        if low < 0.0 || !wide || positive.is_empty() {
            return Some(Histogram {
                bins: count(&finite, linear(low, high, threshold), threshold),
                log: false,
                zeros: 0,
                threshold,
            });
        }
        let zeros = finite.len() - positive.len();
        let low = positive.iter().copied().reduce(f64::min)?.max(SMALLEST * high);
        let raised: Vec<f64> = positive.into_iter().map(|value| value.max(low)).collect();
        let bins = count(&raised, logarithmic(low, high, threshold), threshold);
        Some(Histogram { bins, log: true, zeros, threshold })
    }
}

/// The limits of equally wide bars; the threshold is one of them.
fn linear(low: f64, high: f64, threshold: Option<f64>) -> Vec<f64> {
    let step = high / BINS - low / BINS;
    if step <= low.abs() * 1e-12 {
        // All alike: one bar around them.
        let half = if low == 0.0 { 0.5 } else { low.abs() * 0.05 };
        return vec![low - half, high + half];
    }
    steps(low, high, step, threshold.unwrap_or(low))
}

/// The limits of bars that are equally wide in the logarithm; the threshold is one of them.
fn logarithmic(low: f64, high: f64, threshold: Option<f64>) -> Vec<f64> {
    let (low, high) = (low.log10(), high.log10());
    let step = ((high - low) / BINS).max(0.02);
    let anchor = threshold.filter(|value| *value > 0.0).map_or(0.0, f64::log10);
    steps(low, high, step, anchor).into_iter().map(|limit| 10f64.powf(limit)).collect()
}

/// From `low` or less to `high` or more in steps, by way of `anchor`.
fn steps(low: f64, high: f64, step: f64, anchor: f64) -> Vec<f64> {
    // Divided first: the difference of two large values may overflow.
    let at = |value: f64| value / step - anchor / step;
    let (first, last) = (at(low).floor(), at(high).ceil());
    (0..=(last - first).max(1.0) as usize).map(|count| (anchor / step + first + count as f64) * step).collect()
}

/// Counts the values between the limits; those beyond the ends, by rounding, belong to the ends.
fn count(values: &[f64], mut limits: Vec<f64>, threshold: Option<f64>) -> Vec<Bin> {
    if let Some(threshold) = threshold {
        // Exactly, whatever the rounding: an item at the threshold belongs beyond it.
        let near = |limit: &&mut f64| (**limit - threshold).abs() <= 1e-9 * threshold.abs();
        limits.iter_mut().filter(near).for_each(|limit| *limit = threshold);
    }
    let mut bins: Vec<Bin> = limits.windows(2).map(|pair| Bin { from: pair[0], to: pair[1], count: 0 }).collect();
    for &value in values {
        let at = bins.partition_point(|bin| bin.to <= value).min(bins.len() - 1);
        bins[at].count += 1;
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(histogram: &Histogram) -> usize {
        histogram.bins.iter().map(|bin| bin.count).sum::<usize>() + histogram.zeros
    }

    #[test]
    fn every_finite_value_is_counted_once() {
        let plain: Vec<f64> = (0..500).map(|i| f64::from(i) * 0.01 - 1.0).collect();
        let wide: Vec<f64> = (0..500).map(|i| if i < 9 { 0.0 } else { 10f64.powi(i % 40 - 20) }).collect();
        for values in [plain, wide, vec![7.0; 5], vec![0.0; 5], vec![1e308, -1e308, 3.0], vec![1e-310, 5.0]] {
            for threshold in [None, Some(1.0)] {
                let mut with_holes = values.clone();
                with_holes.extend([f64::NAN, f64::INFINITY]);
                let histogram = Histogram::new(&with_holes, threshold).unwrap();
                assert_eq!(total(&histogram), values.len(), "{histogram:?}");
                assert!(histogram.bins.len() <= 80, "{}", histogram.bins.len());
                assert!(histogram.bins.iter().all(|bin| bin.from < bin.to && bin.to.is_finite()), "{histogram:?}");
            }
        }
        assert!(Histogram::new(&[f64::NAN], None).is_none() && Histogram::new(&[], None).is_none());
    }

    #[test]
    fn the_threshold_stands_between_two_bars() {
        let values: Vec<f64> = (1..1000).map(|i| f64::from(i) * 0.005).collect();
        let histogram = Histogram::new(&values, Some(1.0)).unwrap();
        assert!(histogram.log);
        let beyond: usize = histogram.bins.iter().filter(|bin| bin.from >= 1.0).map(|bin| bin.count).sum();
        assert_eq!(beyond, values.iter().filter(|&&value| value >= 1.0).count());
        let histogram = Histogram::new(&values, Some(3.21)).unwrap();
        assert!(!histogram.log && histogram.bins.iter().any(|bin| bin.from == 3.21), "{histogram:?}");
    }
}
