//! A random choice: what every other method has to beat.

use super::Outcome;
use crate::linalg::nearest::NearestTable;
use crate::linalg::rng::{generator, keys};
use crate::linalg::top_k;
use crate::selection::{Clock, report};
use crate::{Error, Float, Method, RunOptions, Samples, Selection, Selector, Status};

/// A seeded random choice; the score is each item's random key in [0, 1).
///
/// The residual of an item is its Euclidean distance to the nearest pick.
///
/// ```
/// use arss::{Random, Samples, Selector};
///
/// let samples = Samples::new(&[1.0, 2.0, 3.0, 4.0], 4, 1)?;
/// let picks = Random { seed: 7 }.select(&samples, 2)?.indices;
/// assert_eq!(picks, Random { seed: 7 }.select(&samples, 2)?.indices);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Random {
    /// Seed of the generator. Default 0.
    pub seed: u64,
}

impl Selector for Random {
    fn method(&self) -> Method {
        Method::Random(*self)
    }
}

impl Random {
    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let mut clock = Clock::start();
        let table = NearestTable::new(samples, run)?;
        clock.prepared();
        let keys = keys(&mut generator(self.seed), samples.items());
        let picks = top_k::top(&keys, k);
        clock.solved();
        let residuals = table.distances(&table.nearest_pick(&picks));
        let report = report(Status::Converged, 0, f64::NAN, samples.items());
        Ok(Outcome { method: "random", picks, scores: keys, residuals, report }.finish(run.all_scores, clock))
    }
}
