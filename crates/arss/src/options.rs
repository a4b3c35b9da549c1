//! Options that several methods share: how many items, the penalty, threads and progress.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::Error;

/// What a callback is told, once an iteration.
///
/// ```
/// use arss::{Arss, RunOptions, Samples, Selector};
/// use std::ops::ControlFlow;
///
/// let table: Vec<f64> = (0..60).map(|i| f64::from(i * i % 17)).collect();
/// let mut seen = 0;
/// let mut stop_after_three = |progress: &arss::Progress| {
///     seen = progress.iteration;
///     if progress.iteration == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// };
/// let mut run = RunOptions { progress: Some(&mut stop_after_three), ..RunOptions::default() };
/// let selection = Arss::default().select_with(&Samples::new(&table, 20, 3)?, 2, &mut run)?;
/// assert_eq!(selection.report.status, arss::Status::Stopped);
/// assert_eq!(selection.indices.len(), 2); // the result so far
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// What is being done: "prepare", "solve", "refine" or "score".
    pub phase: &'static str,
    /// Iterations (or picks, or blocks of rows) done in this phase.
    pub iteration: usize,
    /// The most there can be in this phase.
    pub limit: usize,
    /// About how many there will be; none as long as nobody knows. Solvers that converge learn it from their own rate.
    pub expected: Option<usize>,
    /// The model's objective, where the phase has one.
    pub objective: f64,
    /// What the stopping rule compares with the tolerance; NaN where there is none.
    pub residual: f64,
    /// Relative duality gap; NaN where the model has none.
    pub gap: f64,
}

/// A callback: looks at the progress and may stop the run.
pub type Callback<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// How to run, and what to return besides the ranking.
///
/// ```
/// use arss::{RunOptions, Samples, Selector, Ted};
///
/// let table = [3.0, 0.0, 0.0, 2.0, 1.0, 1.0];
/// let mut run = RunOptions { threads: 1, all_scores: true, ..RunOptions::default() };
/// let selection = Ted::default().select_with(&Samples::new(&table, 3, 2)?, 1, &mut run)?;
/// assert_eq!(selection.all_scores.unwrap().len(), 3);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Default)]
pub struct RunOptions<'a> {
    /// Threads to use; 0 (the default) takes the current rayon pool. The answer does not depend on it.
    pub threads: usize,
    /// Rows per block; 0 (the default) chooses by the number of columns.
    pub block: usize,
    /// Score every item, not only those that can reach the top K.
    pub all_scores: bool,
    /// Return the coefficients A in factored form.
    pub keep_solution: bool,
    /// Return what was learned for rows to come: [`Selection::model`](crate::Selection::model).
    pub keep_model: bool,
    /// Look so many picks further, where the method covers rows: [`Assignment::outlook`](crate::Assignment::outlook).
    pub outlook: usize,
    /// How rows are compared. Default [`Metric::Euclidean`].
    pub metric: Metric,
    /// Called once an iteration, on the calling thread.
    pub progress: Option<&'a mut Callback<'a>>,
}

impl std::fmt::Debug for RunOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunOptions")
            .field("threads", &self.threads)
            .field("block", &self.block)
            .field("all_scores", &self.all_scores)
            .field("keep_solution", &self.keep_solution)
            .field("keep_model", &self.keep_model)
            .field("outlook", &self.outlook)
            .field("metric", &self.metric)
            .finish_non_exhaustive()
    }
}

impl RunOptions<'_> {
    /// Tells the callback; true if the run shall stop.
    pub(crate) fn tell(&mut self, progress: &Progress) -> bool {
        self.progress.as_mut().is_some_and(|callback| callback(progress).is_break())
    }
}

impl Progress {
    /// Progress of a phase that has no objective of its own.
    pub(crate) fn count(phase: &'static str, iteration: usize, limit: usize) -> Self {
        let (objective, residual, gap) = (f64::NAN, f64::NAN, f64::NAN);
        Progress { phase, iteration, limit, expected: Some(limit), objective, residual, gap }
    }

    /// The same of a phase that may be over at any time, and is followed by others.
    pub(crate) fn at_most(phase: &'static str, iteration: usize, limit: usize) -> Self {
        Progress { expected: None, ..Progress::count(phase, iteration, limit) }
    }
}

/// How rows are compared.
///
/// ```
/// use arss::{Exemplars, Metric, RunOptions, Samples, Selector};
///
/// // Two directions, rows of very different length.
/// let table: Vec<f64> = (1..=40).flat_map(|i| if i % 2 == 0 { [f64::from(i), 0.1] } else { [0.1, f64::from(i)] }).collect();
/// let mut run = RunOptions { metric: Metric::Cosine, ..RunOptions::default() };
/// let picks = Exemplars::default().select_with(&Samples::new(&table, 40, 2)?, 2, &mut run)?.indices;
/// assert_ne!(picks[0] % 2, picks[1] % 2);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// By the straight line between them.
    #[default]
    Euclidean,
    /// By the angle between them, whatever their length: the straight line between rows of length one. For embeddings. A row
    /// of zeros has no direction and is refused.
    Cosine,
    /// By the sum of the absolute differences of their values. For exemplars, facility location and k-medoids.
    Manhattan,
    /// The table holds the distances themselves, N x N: row n those of item n to all items. For exemplars, facility location
    /// and k-medoids, in memory. A sparse table ([`Samples::sparse`](crate::Samples::sparse)) is a graph of neighbours: pairs
    /// that it does not hold are far apart, twice as far as the farthest that it holds.
    Precomputed,
}

impl Metric {
    /// Every metric, the default first.
    pub const ALL: [Metric; 4] = [Metric::Euclidean, Metric::Cosine, Metric::Manhattan, Metric::Precomputed];

    /// The name: `euclidean`, `cosine`, `manhattan` or `precomputed`.
    ///
    /// ```
    /// use arss::Metric;
    /// assert!(Metric::ALL.iter().all(|&metric| Metric::from_name(metric.name()) == Some(metric)));
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Metric::Euclidean => "euclidean",
            Metric::Cosine => "cosine",
            Metric::Manhattan => "manhattan",
            Metric::Precomputed => "precomputed",
        }
    }

    /// True if distances come from products of rows: a point amid the rows is then subtracted first.
    pub(crate) fn by_products(self) -> bool {
        matches!(self, Metric::Euclidean | Metric::Cosine)
    }

    /// The metric of this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }
}

/// How heavily the rows of A are penalised.
///
/// ```
/// use arss::{Arss, Gamma};
///
/// let settings = Arss { gamma: Gamma::Ratio(0.3), ..Arss::default() };
/// assert!(settings.validate().is_ok());
/// assert!(Arss { gamma: Gamma::Absolute(0.0), ..settings }.validate().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gamma {
    /// As it stands in the objective; larger than 0. Its effect depends on the data's scale and size.
    Absolute(f64),
    /// A share of the value at which A = 0 is the answer; larger than 0, usually below 1.
    Ratio(f64),
}

impl Gamma {
    pub(crate) fn validate(self) -> Result<(), Error> {
        match self {
            Gamma::Absolute(value) => Error::check("gamma", value, value > 0.0, "larger than 0"),
            Gamma::Ratio(value) => Error::check("gamma ratio", value, value > 0.0, "larger than 0"),
        }
    }
}

/// What ARSS and RRSS rank items by, once A is found.
///
/// ```
/// use arss::{Arss, Rank, Samples, Selector};
///
/// let table: Vec<f64> = (0..60).map(|i| f64::from((i * 7) % 11) - 5.0).collect();
/// let norms = Arss { rank: Rank::Norm, ..Arss::default() }.select(&Samples::new(&table, 20, 3)?, 2)?;
/// assert_eq!(norms.scores[0], norms.row_norms.unwrap()[norms.indices[0]]);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rank {
    /// The sum of the absolute values of its row of A, as published.
    #[default]
    Sum,
    /// The 2-norm of its row of A: what the objective penalises, and known without another pass. [`Arss::sparse_rows`](crate::Arss::sparse_rows)
    /// needs the sums and has no effect.
    Norm,
}

impl Rank {
    /// Every one, the default first.
    pub const ALL: [Rank; 2] = [Rank::Sum, Rank::Norm];

    /// The name: `sum` or `norm`.
    ///
    /// ```
    /// use arss::Rank;
    /// assert!(Rank::ALL.iter().all(|&rank| Rank::from_name(rank.name()) == Some(rank)));
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Rank::Sum => "sum",
            Rank::Norm => "norm",
        }
    }

    /// The one of this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Rank> {
        Rank::ALL.into_iter().find(|rank| rank.name() == name)
    }
}

/// How many items to choose.
///
/// ```
/// use arss::{Count, Exemplars, Method, RunOptions, Samples};
///
/// let table: Vec<f64> = (0..90).map(|i| f64::from(i % 3) * 9.0 + f64::from(i) * 0.001).collect();
/// let samples = Samples::new(&table, 90, 1)?;
/// let method = Method::Exemplars(Exemplars::default());
/// let picks = |count| method.select_count(&samples, count, &mut RunOptions::default()).map(|found| found.indices.len());
/// assert_eq!((picks(Count::Exactly(7))?, picks(Count::Share(0.1))?, picks(Count::Auto)?), (7, 9, 3));
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Count {
    /// So many.
    Exactly(usize),
    /// A share of the items, larger than 0 and at most 1: rounded down, but at least one item.
    Share(f64),
    /// As many as pay: [`Exemplars::select_auto`](crate::Exemplars::select_auto). The other methods cannot tell.
    Auto,
}

/// A product with a share this little below a whole number is that number.
const ROUNDING: f64 = 1e-9;

/// The number of items that a share means.
pub(crate) fn share_of(share: f64, items: usize) -> Result<usize, Error> {
    Error::check("k as a share", share, share > 0.0 && share <= 1.0, "larger than 0 and at most 1")?;
    Ok(((share * items as f64 + ROUNDING) as usize).clamp(1, items))
}

/// `Ok` if 1 <= k <= items.
pub(crate) fn check_k(k: usize, items: usize) -> Result<(), Error> {
    if (1..=items).contains(&k) { Ok(()) } else { Err(Error::BadK { k, items }) }
}

/// `Ok` if there is one usable weight an item.
pub(crate) fn check_weights(weights: &[f64], items: usize) -> Result<(), Error> {
    if weights.len() != items {
        return Err(Error::WeightCount { found: weights.len(), expected: items });
    }
    let bad = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0));
    let all_zero = weights.iter().all(|&w| w == 0.0);
    match bad.or(all_zero.then_some(0)) {
        Some(index) => Err(Error::BadWeight { index, value: weights[index] }),
        None => Ok(()),
    }
}
