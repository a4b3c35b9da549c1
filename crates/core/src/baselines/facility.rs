//! Facility location: the strongest of the usual alternatives on clean data.

use super::Clock;
use super::distance::Table;
use crate::exemplars::choice::{Plan, choose};
use crate::exemplars::demands::Demands;
use crate::{Error, Float, Method, Run, Samples, Selection};

/// Greedy facility location with a bounded similarity, in linear memory.
///
/// The choice of [`Exemplars`](crate::Exemplars) without its gate: maximises the sum over the rows of
/// the similarity exp(-3 |x - y|^2 / h2) to the nearest pick, h2 the median squared distance. Above 8192
/// rows both sides are samples. The score of a pick is what it added to the coverage (0 to 1), the
/// residual of an item its distance to the nearest pick.
///
/// ```
/// use arss::{FacilityLocation, Samples};
///
/// let table = [0.0, 0.1, 0.2, 9.0, 9.1]; // two groups on a line
/// let selection = FacilityLocation::default().select(&Samples::new(&table, 5, 1)?, 2)?;
/// assert!(selection.indices[0] < 3 && selection.indices[1] >= 3);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FacilityLocation {
    /// Seed of the samples. Default 0.
    pub seed: u64,
}

impl FacilityLocation {
    /// Chooses `k` items.
    ///
    /// # Errors
    /// If k is out of range.
    pub fn select<T: Float>(&self, samples: &Samples<'_, T>, k: usize) -> Result<Selection, Error> {
        self.select_with(samples, k, &mut Run::default())
    }

    /// As [`select`](FacilityLocation::select), with threads, progress and extras.
    ///
    /// # Errors
    /// If k is out of range.
    pub fn select_with<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Selection, Error> {
        Method::Facility(*self).select(samples, k, run)
    }

    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Selection, Error> {
        let mut clock = Clock::start();
        let items = samples.items();
        let table = Table::new(samples, run)?;
        clock.prepared();
        let passed = vec![true; items];
        let plan = Plan { k, seed: self.seed, passed: &passed, weights: None, stop: None };
        let chosen = choose(&table, &plan, &mut Demands::none(items), run)?;
        clock.solved();
        let near = table.nearest_pick(&chosen.picks);
        let mut selection = chosen.selection("facility", &near, &vec![1.0; items], run);
        selection.residuals = table.distances(&near);
        selection.report.seconds = clock.seconds();
        Ok(selection)
    }
}
