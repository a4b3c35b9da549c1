//! What the exemplars stand for.

use crate::baselines::distance::Near;

/// What the picks of a selection stand for.
///
/// ```
/// use arss::{Exemplars, Samples};
///
/// let samples = Samples::new(&[0.0, 0.1, 0.2, 7.0, 7.1, 7.2], 6, 1)?;
/// let assignment = Exemplars::default().select(&samples, 2)?.assignment.unwrap();
/// let labels = assignment.labels;
/// assert!(labels[0] == labels[2] && labels[3] == labels[5] && labels[0] != labels[3]);
/// assert_eq!(assignment.shares, [0.5, 0.5]);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The pick nearest to each item, as a position in [`Selection::indices`](crate::Selection::indices).
    pub labels: Vec<usize>,
    /// The share of the weight of all items within the gate that each pick stands for.
    pub shares: Vec<f64>,
    /// The coverage by the first 1, 2, ... picks: the mean similarity, 0 to 1, of an item to the nearest of them, each
    /// item counting what it counted in the choice.
    pub coverage: Vec<f64>,
}

impl Assignment {
    /// From the nearest pick of each item, what each pick gained, and what each item counts.
    pub(crate) fn new(near: &[Near], gains: &[f64], weights: &[f64]) -> Self {
        let labels: Vec<usize> = near.iter().map(|near| near.point).collect();
        let mut shares = vec![0.0; gains.len()];
        labels.iter().zip(weights).for_each(|(&label, weight)| shares[label] += weight);
        let total: f64 = weights.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total.max(f64::MIN_POSITIVE));
        let sum = |covered: &mut f64, gain: &f64| {
            *covered += gain;
            Some(*covered)
        };
        let coverage = gains.iter().scan(0.0, sum).collect();
        Assignment { labels, shares, coverage }
    }
}
