//! What the exemplars stand for.

use crate::baselines::distance::Table;
use crate::{Error, Float, Run, Samples, Selection};

/// What the picks of a selection stand for.
///
/// ```
/// use arss::{Exemplars, Run, Samples};
///
/// let samples = Samples::new(&[0.0, 0.1, 0.2, 7.0, 7.1, 7.2], 6, 1)?;
/// let settings = Exemplars::default();
/// let selection = settings.select(&samples, 2)?;
/// let assignment = settings.assign(&samples, &selection, &Run::default())?;
/// let labels = assignment.labels;
/// assert!(labels[0] == labels[2] && labels[3] == labels[5] && labels[0] != labels[3]);
/// assert_eq!(assignment.shares, [0.5, 0.5]);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The pick nearest to each item, as a position in [`Selection::indices`].
    pub labels: Vec<usize>,
    /// The share of the weight of all items within the gate that each pick stands for.
    pub shares: Vec<f64>,
    /// The coverage by the first 1, 2, ... picks: the mean similarity, 0 to 1, of an item to the nearest of them.
    pub coverage: Vec<f64>,
}

impl Assignment {
    /// One weight an item, 0 for those that do not count.
    pub(crate) fn new<T: Float>(
        samples: &Samples<'_, T>,
        selection: &Selection,
        weights: &[f64],
        run: &Run<'_>,
    ) -> Result<Self, Error> {
        let (found, expected) = (selection.residuals.len(), samples.items());
        if found != expected || weights.len() != expected {
            return Err(Error::OtherTable { found, expected });
        }
        let near = Table::new(samples, run)?.nearest_pick(&selection.indices);
        let labels: Vec<usize> = near.iter().map(|near| near.point).collect();
        let mut shares = vec![0.0; selection.indices.len()];
        labels.iter().zip(weights).for_each(|(&label, weight)| shares[label] += weight);
        let total: f64 = weights.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total.max(f64::MIN_POSITIVE));
        let sum = |covered: &mut f64, gain: &f64| {
            *covered += gain;
            Some(*covered)
        };
        let coverage = selection.scores.iter().scan(0.0, sum).collect();
        Ok(Assignment { labels, shares, coverage })
    }
}
