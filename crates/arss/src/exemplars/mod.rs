//! Exemplars: score every row, set outliers aside, choose rows that cover the others.

mod assign;
pub(crate) mod candidates;
mod column_tails;
mod constraints;
mod coverage;
pub(crate) mod gate;
pub(crate) mod graph_score;
pub(crate) mod landmarks;
pub(crate) mod medoids;
mod mixture;
pub(crate) mod nearest_few;
pub(crate) mod outlier_score;
mod outlook;
pub(crate) mod refine;
pub(crate) mod refine_steps;
pub(crate) mod score_steps;
pub(crate) mod solver;
pub(crate) mod steps;

pub use assign::Assignment;
pub(crate) use constraints::Constraints;
pub use constraints::{Groups, Quotas};
pub use outlook::Outlook;

use crate::exec::RowBackend;
use crate::model::{Model, OutlierModel};
use crate::options::check_weights;
use crate::selection::Clock;
use crate::{Error, Float, Kernel, Method, Note, RunOptions, Samples, Selection, Selector};
use outlier_score::Scoring;
use score_steps::{ScoreStep, SecondLook};
use solver::Plan;
use steps::GateStep;

/// Most picks where their number is left to the rule.
pub(crate) const AUTO_LIMIT: usize = 1000;
/// Share of the coverage so far that a pick has to add under the rule.
const AUTO_STOP: f64 = 0.005;

/// Rows that stand for the others, chosen among those that are not outliers: what we recommend.
///
/// Three steps, linear in the number of rows and without any N x N matrix; `docs/explanation/exemplars.md` has
/// the reasons and the measurements.
///
/// 1. *Score.* A sample of landmarks says of each row how alone it is (its leave-one-out predictive variance under a
///    Gaussian process), and whether it is lonelier than the landmarks around it.
/// 2. *Gate.* Rows that are alone and lonelier than those around them are set aside: the upper of two populations with a
///    valley between them, otherwise only rows that stand out by far. Rows that keep company with enough others stay.
/// 3. *Choice.* Greedy facility location with a bounded similarity among the rows that passed, then swaps that lower the
///    weighted distances to the nearest pick. Large tables are sampled, and the picks refined by passes over all rows.
///
/// [`Selection::indices`] are in the order of what each adds to the coverage, [`Selection::scores`] are what each
/// adds (0 to 1), [`Selection::residuals`] the outlier scores: above 1 means beyond the gate.
/// [`Selection::assignment`] tells what each pick stands for. Columns should be on one scale.
///
/// ```
/// use arss::{Exemplars, Samples, Selector};
///
/// // Two groups on a line and a row far out.
/// let mut table: Vec<f64> = (0..40).map(|i| f64::from(i % 2) * 9.0 + f64::from(i) * 0.01).collect();
/// table.push(500.0);
/// let selection = Exemplars::default().select(&Samples::new(&table, 41, 1)?, 2)?;
/// assert!(selection.indices[0] % 2 != selection.indices[1] % 2 && !selection.indices.contains(&40));
/// assert!(selection.residuals[40] > 1.0);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Exemplars {
    /// Seed of the landmarks and samples. Default 0.
    pub seed: u64,
    /// Rows that score the others, at least 1. Default 768.
    pub landmarks: usize,
    /// Ridge of the score, larger than 0 and at most 1. Default .01.
    pub ridge: f64,
    /// Set outliers aside and let the other rows count as much as the rest explains of them. Default true; without it
    /// every row can be chosen and counts alike. The outlier scores are computed anyway.
    pub gate: bool,
    /// The first K picks of a larger choice are the choice of K. Default false: picks are exchanged for better ones once
    /// their number is known.
    pub nested: bool,
    /// Rounds of refinement where the table is too large to look at all rows at once: more are slower and better.
    /// Default 4; 0 leaves the choice from the sample as it is.
    pub refine: usize,
    /// Stop before the first pick that adds less than this share of the coverage so far: k is then the most
    /// there can be. Default `None`: exactly k picks.
    pub stop: Option<f64>,
    /// How much each row counts in coverage and shares; rows of weight 0 can be chosen but need not be covered.
    /// The outlier score does not use it. Default `None`: all alike.
    pub weights: Option<Vec<f64>>,
    /// Rows that must be chosen; they come first, in this order, and pass any gate. Default none.
    pub include: Vec<usize>,
    /// Rows that must not be chosen; they are covered all the same. Default none.
    pub exclude: Vec<usize>,
    /// Groups with quotas. Default `None`.
    pub groups: Option<Groups>,
    /// The columns that say who is an outlier. Default `None`: all. Leave columns of 0 and 1 out that stand for categories: a
    /// row that shares its combination of categories with nobody is no outlier for that. If the list is empty, nothing is
    /// set aside.
    pub outlier_columns: Option<Vec<usize>>,
}

impl Default for Exemplars {
    fn default() -> Self {
        Exemplars {
            seed: 0,
            landmarks: 768,
            ridge: 0.01,
            gate: true,
            nested: false,
            refine: 4,
            stop: None,
            weights: None,
            include: Vec::new(),
            exclude: Vec::new(),
            groups: None,
            outlier_columns: None,
        }
    }
}

impl Selector for Exemplars {
    fn method(&self) -> Method {
        Method::Exemplars(self.clone())
    }
}

impl Exemplars {
    /// Checks the ranges of the settings; weights, rows and groups are checked when the table is known.
    ///
    /// ```
    /// use arss::Exemplars;
    /// assert!(Exemplars { ridge: 0.0, ..Exemplars::default() }.validate().is_err());
    /// ```
    ///
    /// # Errors
    /// If one is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        self.kernel().validate()?;
        let stop = self.stop.unwrap_or(0.5);
        Error::check("stop", stop, stop > 0.0 && stop < 1.0, "between 0 and 1")
    }

    /// Chooses as many items as pay: stops before the first pick that adds less than .5 % of the
    /// coverage so far (or the share [`stop`](Exemplars::stop)), and at 1000. A starting point, not a law.
    ///
    /// ```
    /// use arss::{Exemplars, RunOptions, Samples, Selector};
    ///
    /// let table: Vec<f64> = (0..90).map(|i| f64::from(i % 3) * 9.0 + f64::from(i) * 0.001).collect();
    /// let selection = Exemplars::default().select_auto(&Samples::new(&table, 90, 1)?, &mut RunOptions::default())?;
    /// assert_eq!(selection.indices.len(), 3);
    /// # Ok::<(), arss::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`select`](Exemplars::select).
    pub fn select_auto<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let (settings, limit) = self.auto(samples.items());
        settings.select_with(samples, limit, run)
    }

    /// The settings with the rule that stops, and the most picks there can be.
    pub(crate) fn auto(&self, items: usize) -> (Self, usize) {
        let stop = Some(self.stop.unwrap_or(AUTO_STOP));
        (Exemplars { stop, ..self.clone() }, items.min(AUTO_LIMIT.max(self.include.len())))
    }

    fn kernel(&self) -> Kernel {
        Kernel { landmarks: self.landmarks, seed: self.seed, ridge: self.ridge }
    }

    fn scoring(&self, features: usize) -> Result<Scoring<'_>, Error> {
        let columns = self.outlier_columns.as_deref();
        let beyond = columns.and_then(|columns| columns.iter().find(|&&column| column >= features));
        match beyond {
            None => Ok(Scoring { kernel: self.kernel(), columns }),
            Some(&item) => Err(Error::NoSuchItem { list: "outlier_columns", item, items: features }),
        }
    }

    /// Fails if what is demanded of rows cannot be met.
    pub(crate) fn check(&self, rows: &mut dyn RowBackend, k: usize) -> Result<(), Error> {
        Constraints::new(self, rows, k).map(drop)
    }

    /// Chooses among rows in a safe range, wherever they are.
    pub(crate) fn run_backend(
        &self,
        rows: &mut dyn RowBackend,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let items = rows.items();
        let mut constraints = Constraints::new(self, rows, k)?;
        // An empty list stands for weights that lie with the rows.
        let weights = self.weights.as_deref().filter(|weights| !weights.is_empty());
        weights.map_or(Ok(()), |weights| check_weights(weights, items))?;

        let mut clock = Clock::start();
        let origin = solver::origin(rows)?;
        let scoring = self.scoring(rows.features())?;
        let (scored, score) = match graph_score::score_graph(rows, self.ridge)? {
            Some(scored) => (scored, None),
            None => {
                outlier_score::score_rows(&scoring, rows, &origin, run).map(|(scored, step)| (scored, Some(step)))?
            }
        };
        let stopped = scored.stopped;
        let judged = outlier_score::judge_rows(&scoring, rows, &origin, scored)?;
        let exclude = constraints.exclude.clone();
        let counts =
            solver::gate(rows, GateStep { gate: self.gate, exclude, closed_groups: constraints.closed_groups() })?;
        clock.prepared();

        let weighting = self.gate.then_some(judged.weighting);
        let Exemplars { seed, stop, gate, refine, .. } = *self;
        let plan = Plan { k, seed, stop, gate, weighting, swaps: !self.nested, refine };
        let chosen = solver::select(rows, &plan, &origin, (&counts, stopped), &mut constraints, run)?;
        clock.solved();

        let mut selection = solver::assign(rows, "exemplars", chosen, &origin, (self.gate, false), run)?;
        if run.keep_model {
            let mut model = Model::of(rows, &selection)?;
            if let Some(score) = score {
                let score = ScoreStep { rows: None, new_rows: true, ..score };
                let look = judged.look.map(|look| SecondLook { new_rows: true, ..look });
                model = model.with_outliers(OutlierModel { score, rule: judged.rule, look });
            }
            selection.model = Some(model);
        }
        if judged.set_aside.rows > 0 && self.gate && !stopped {
            selection.report.notes.push(Note::Gated(judged.set_aside));
        }
        selection.report.seconds = clock.seconds();
        Ok(selection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::{InMemory, RowAttributes};
    use crate::parallel::Partition;

    /// Two groups, and `loners` rows around them at growing distance.
    fn table(n: usize, loners: usize) -> Vec<f64> {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
        };
        let reach = |row: usize| if row < loners { 2.0 + 4.0 * row as f64 / loners as f64 } else { 1.0 };
        (0..n).flat_map(|row| [(); 3].map(|()| reach(row) * next() + if row % 2 == 0 { 0.0 } else { 3.0 })).collect()
    }

    #[test]
    fn rows_count_as_much_as_the_others_explain_of_them() {
        for loners in [0, 30, 80] {
            let values = table(300, loners);
            let samples = Samples::new(&values, 300, 3).unwrap();
            let found = Exemplars::default().select(&samples, 60).unwrap();

            // The same by weights, without the gate: outliers count nothing and may not be chosen.
            let partition = Partition::new(&RunOptions::default(), 300, 3).unwrap();
            let mut rows = InMemory::new(&samples, &partition, RowAttributes::default());
            let origin = solver::origin(&mut rows).unwrap();
            let scoring = Scoring { kernel: Exemplars::default().kernel(), columns: None };
            let (scored, _) =
                outlier_score::score_rows(&scoring, &mut rows, &origin, &mut RunOptions::default()).unwrap();
            let [variances, relative] = [steps::VARIANCE, steps::RELATIVE].map(|at| rows.column(at).unwrap().unwrap());
            let weighting = outlier_score::judge_rows(&scoring, &mut rows, &origin, scored).unwrap().weighting;
            let outlier = |item: &usize| found.residuals[*item] > 1.0;
            // A row within the gate is to be covered even if it is hardly worth anything.
            let count = |item: usize| weighting.of(variances[item], relative[item]).max(f64::MIN_POSITIVE);
            let weight = |item: usize| if outlier(&item) { 0.0 } else { count(item) };
            let weights = Some((0..300).map(weight).collect());
            let exclude = (0..300).filter(outlier).collect();
            let by_hand = Exemplars { gate: false, weights, exclude, ..Exemplars::default() };
            let by_hand = by_hand.select(&samples, 60).unwrap();
            assert_eq!(found.indices, by_hand.indices, "{loners}");
            let same = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
            assert!(found.scores.iter().zip(&by_hand.scores).all(same), "{loners}");
            let plain = Exemplars { gate: false, ..Exemplars::default() }.select(&samples, 60).unwrap();
            assert_ne!(found.indices, plain.indices, "{loners}");
        }
    }
}
