//! What the exemplars stand for.

use serde::{Deserialize, Serialize};

use super::Outlook;

/// What the picks of a selection stand for.
///
/// ```
/// use arss::{Exemplars, Samples, Selector};
///
/// let samples = Samples::new(&[0.0, 0.1, 0.2, 7.0, 7.1, 7.2], 6, 1)?;
/// let assignment = Exemplars::default().select(&samples, 2)?.assignment.unwrap();
/// let labels = assignment.labels;
/// assert!(labels[0] == labels[2] && labels[3] == labels[5] && labels[0] != labels[3]);
/// assert_eq!(assignment.shares, [0.5, 0.5]);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// The pick nearest to each item, as a position in [`Selection::indices`](crate::Selection::indices).
    pub labels: Vec<usize>,
    /// The share of the weight of all items within the gate that each pick stands for.
    pub shares: Vec<f64>,
    /// The coverage by the first 1, 2, ... picks: the mean similarity, 0 to 1, of an item to the nearest of them, each
    /// item counting what it counted in the choice.
    pub coverage: Vec<f64>,
    /// What the choice would lose without each pick and gain by more of them, if
    /// [`RunOptions::outlook`](crate::RunOptions::outlook) asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
}

impl Assignment {
    /// True if it is one of `items` items to `picks` picks.
    pub(crate) fn fits(&self, items: usize, picks: usize) -> bool {
        self.labels.len() == items
            && self.labels.iter().all(|&label| label < picks)
            && self.shares.len() == picks
            && self.coverage.len() == picks
            && self.outlook.as_ref().is_none_or(|outlook| {
                outlook.losses.len() == picks
                    && outlook.gains.len() == outlook.next.len()
                    && outlook.next.iter().all(|&item| item < items)
            })
    }

    /// From the pick of each row, the weight that each pick stands for, and what each pick gained.
    pub(crate) fn new(labels: Vec<usize>, weights: &[f64], gains: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let shares = weights.iter().map(|weight| weight / total.max(f64::MIN_POSITIVE)).collect();
        let sum = |covered: &mut f64, gain: &f64| {
            *covered += gain;
            Some(*covered)
        };
        Assignment { labels, shares, coverage: gains.iter().scan(0.0, sum).collect(), outlook: None }
    }
}
