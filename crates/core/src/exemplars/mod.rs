//! Exemplars: score every row, set the strangers aside, choose rows that cover the others.

mod assign;
pub(crate) mod blocks;
pub(crate) mod choice;
pub(crate) mod demands;
mod elsewhere;
mod gate;
mod lists;
mod score;

pub use assign::Assignment;
pub use demands::{Groups, Quotas};

use choice::{Chosen, Plan, choose};
use demands::Demands;
use score::{explained, strangeness};

use crate::baselines::Clock;
use crate::baselines::distance::Table;
use crate::settings::check_weights;
use crate::{Error, Float, Kernel, Method, Note, Run, Samples, Selection};

/// Most picks where their number is left to the rule.
const AUTO_LIMIT: usize = 1000;
/// Share of the coverage so far that a pick has to add under the rule.
const AUTO_STOP: f64 = 0.005;

/// Rows that stand for the others, chosen among those that are not outliers: what we recommend.
///
/// Three steps, linear in the number of rows and without any N x N matrix; `docs/exemplars.md` has
/// the reasons and the measurements.
///
/// 1. *Score.* Each row's leave-one-out predictive variance under a Gaussian process on a sample
///    of landmarks: near 0 amid others, near 1 alone.
/// 2. *Gate.* Two Gaussians are fitted to the logarithm of the score. If they are clearly apart,
///    rows of the strange group are set aside; otherwise only rows that stand out by far.
/// 3. *Choice.* Greedy facility location with a bounded similarity among the rows that passed; each counts as much
///    as the others explain of it.
///
/// [`Selection::indices`] are in the order of choice, [`Selection::scores`] what each pick added to the
/// coverage (0 to 1), [`Selection::residuals`] the outlier scores: above 1 means beyond the gate.
/// [`Selection::assignment`] tells what each pick stands for. Columns should be on one scale.
///
/// ```
/// use arss::{Exemplars, Samples};
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
}

impl Default for Exemplars {
    fn default() -> Self {
        Exemplars {
            seed: 0,
            landmarks: 768,
            ridge: 0.01,
            gate: true,
            stop: None,
            weights: None,
            include: Vec::new(),
            exclude: Vec::new(),
            groups: None,
        }
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

    /// Chooses `k` items.
    ///
    /// # Errors
    /// If k or a setting is out of range, or weights, rows or groups do not fit the table.
    pub fn select<T: Float>(&self, samples: &Samples<'_, T>, k: usize) -> Result<Selection, Error> {
        self.select_with(samples, k, &mut Run::default())
    }

    /// As [`select`](Exemplars::select), with threads, progress and extras.
    ///
    /// # Errors
    /// As for [`select`](Exemplars::select).
    pub fn select_with<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Selection, Error> {
        Method::Exemplars(self.clone()).select(samples, k, run)
    }

    /// Chooses as many items as pay: stops before the first pick that adds less than .5 % of the
    /// coverage so far (or the share [`stop`](Exemplars::stop)), and at 1000. A starting point, not a law.
    ///
    /// ```
    /// use arss::{Exemplars, Run, Samples};
    ///
    /// let table: Vec<f64> = (0..90).map(|i| f64::from(i % 3) * 9.0 + f64::from(i) * 0.001).collect();
    /// let selection = Exemplars::default().select_auto(&Samples::new(&table, 90, 1)?, &mut Run::default())?;
    /// assert_eq!(selection.indices.len(), 3);
    /// # Ok::<(), arss::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`select`](Exemplars::select).
    pub fn select_auto<T: Float>(&self, samples: &Samples<'_, T>, run: &mut Run<'_>) -> Result<Selection, Error> {
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

    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Selection, Error> {
        let items = samples.items();
        let mut demands = Demands::new(self, items, k, self.stop.is_some())?;
        self.weights.as_ref().map_or(Ok(()), |weights| check_weights(weights, items))?;
        let mut clock = Clock::start();
        let table = Table::new(samples, run)?;
        let (mut outlier_scores, stopped) = strangeness(&self.kernel(), &table, run)?;
        let limit = gate::threshold(&outlier_scores, self.ridge);
        outlier_scores.iter_mut().for_each(|v| *v /= limit);
        clock.prepared();

        // A row that was not scored, because the run was stopped, is not within the gate.
        let within = |score: f64| if self.gate { score <= 1.0 } else { !score.is_nan() };
        let passed: Vec<bool> = outlier_scores.iter().map(|&score| within(score)).collect();
        let weights = self.weights.as_deref();
        let counts = |(score, item): (&f64, usize)| {
            let explained = if self.gate { explained(score * limit) } else { 1.0 };
            explained * weights.map_or(1.0, |weights| weights[item])
        };
        let counts: Vec<f64> = outlier_scores.iter().zip(0..).map(counts).collect();
        let plan = Plan { k, seed: self.seed, passed: &passed, weights: Some(&counts), stop: self.stop };
        let mut chosen =
            if stopped { Chosen::stopped(&mut demands) } else { choose(&table, &plan, &mut demands, run)? };
        if chosen.picks.len() < plan.least() {
            // Nobody within the gate is left: the least strange others.
            let mut order: Vec<usize> = (0..items).collect();
            order.sort_by(|&a, &b| outlier_scores[a].total_cmp(&outlier_scores[b]));
            chosen.fill(order, plan.least(), &mut demands);
        }
        clock.solved();

        let near = table.nearest_pick(&chosen.picks);
        let weight = |item: usize| if passed[item] { weights.map_or(1.0, |weights| weights[item]) } else { 0.0 };
        let counted: Vec<f64> = (0..items).map(weight).collect();
        let mut selection = chosen.selection("exemplars", &near, &counted, run);
        selection.residuals = outlier_scores;
        let rows = passed.iter().filter(|&&passed| !passed).count();
        if rows > 0 && !stopped {
            selection.report.notes.push(Note::Gated { rows, items });
        }
        selection.report.seconds = clock.seconds();
        Ok(selection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

            // The same by weights, without the gate: strangers count nothing and may not be chosen.
            let open = Table::new(&samples, &Run::default()).unwrap();
            let (strange, _) = strangeness(&Exemplars::default().kernel(), &open, &mut Run::default()).unwrap();
            let stranger = |item: &usize| found.residuals[*item] > 1.0;
            let weight = |item: usize| if stranger(&item) { 0.0 } else { (1.0 - strange[item]).max(1e-3) };
            let weights = Some((0..300).map(weight).collect());
            let exclude = (0..300).filter(stranger).collect();
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
