//! Facility location: the strongest of the usual alternatives on clean data.

use crate::exec::RowBackend;
use crate::exemplars::Constraints;
use crate::exemplars::solver::{self, Plan};
use crate::exemplars::steps::GateStep;
use crate::selection::Clock;
use crate::{Error, Method, RunOptions, Selection, Selector};

/// Greedy facility location with a bounded similarity, in linear memory.
///
/// The choice of [`Exemplars`](crate::Exemplars) without its gate: maximises the sum over the rows of
/// the similarity exp(-3 |x - y|^2 / h2) to the nearest pick, h2 the median squared distance. Above 8192
/// rows both sides are samples. The score of a pick is what it added to the coverage (0 to 1), the
/// residual of an item its distance to the nearest pick.
///
/// ```
/// use arss::{FacilityLocation, Samples, Selector};
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

impl Selector for FacilityLocation {
    fn method(&self) -> Method {
        Method::Facility(*self)
    }
}

impl FacilityLocation {
    /// Chooses among rows that were multiplied by `scale`, wherever they are.
    pub(crate) fn run_backend(
        &self,
        rows: &mut dyn RowBackend,
        scale: f64,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let mut clock = Clock::start();
        let origin = solver::origin(rows)?;
        let (exclude, closed_groups) = (Vec::new(), Vec::new());
        let step = GateStep { gate: false, exclude, closed_groups };
        let counts = solver::gate(rows, step)?;
        clock.prepared();
        let plan = Plan { k, seed: self.seed, stop: None, gate: false, weighting: None, swaps: false, refine: 0 };
        let chosen = solver::select(rows, &plan, &origin, (&counts, false), &mut Constraints::none(), run)?;
        clock.solved();
        let mut selection = solver::assign(rows, "facility", chosen, &origin, (false, true), run)?;
        selection.residuals.iter_mut().for_each(|distance| *distance /= scale);
        selection.report.seconds = clock.seconds();
        Ok(selection)
    }
}
