//! The result of every method: the ranking and the report.

use std::time::Instant;

use serde::{Deserialize, Deserializer, Serialize};

use crate::{Assignment, Model, forecast};

/// Reads a number that may not exist: JSON has no NaN and writes null.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// Reads numbers of which some may not exist.
fn numbers<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    let read: Vec<Option<f64>> = Vec::deserialize(from)?;
    Ok(read.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
}

/// How a run ended.
///
/// ```
/// assert_eq!(arss::Status::IterationLimit.as_str(), "iteration_limit");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The stopping rule was met, or the method finished by itself.
    Converged,
    /// The iterations ran out first.
    IterationLimit,
    /// The callback stopped the run; the result is the one so far.
    Stopped,
}

impl Status {
    /// The status as a word for machines: `converged`, `iteration_limit` or `stopped`.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::IterationLimit => "iteration_limit",
            Status::Stopped => "stopped",
        }
    }
}

/// One line of the history.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HistoryStep {
    /// The iteration, from 1.
    pub iteration: usize,
    /// The model's objective at this iterate.
    #[serde(deserialize_with = "number")]
    pub objective: f64,
    /// What the stopping rule compares with the tolerance.
    #[serde(deserialize_with = "number")]
    pub residual: f64,
    /// Relative duality gap; NaN where the model has none.
    #[serde(deserialize_with = "number")]
    pub gap: f64,
    /// The penalty mu (ARSS); NaN elsewhere.
    #[serde(deserialize_with = "number")]
    pub mu: f64,
    /// The share of the entries of E that are not zero (ARSS), that is where the loss acts; NaN elsewhere.
    #[serde(deserialize_with = "number")]
    pub active: f64,
}

/// Wall-clock seconds per phase.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Seconds {
    /// Checks, gamma_max, first sums.
    pub prepare: f64,
    /// The iterations.
    pub solve: f64,
    /// Scores and ranking.
    pub score: f64,
}

/// Something the caller should know about a selection that worked.
///
/// ```
/// let note = arss::Note::Saturated { k: 9, rank: 3 };
/// assert!(note.to_string().contains("saturates"));
/// let note = arss::Note::Gated(arss::SetAside { rows: 47, items: 1000, confidence: 0.9, company: 0.1 });
/// assert!(note.to_string().contains("scattered"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Note {
    /// K exceeds the dimension that linear self-representation can fill.
    Saturated {
        /// The number of items asked for.
        k: usize,
        /// The largest rank the table can have.
        rank: usize,
    },
    /// TED: after some picks no row gained anything more, and the rest are in the order of the table.
    NothingToGain {
        /// Picks that gained something.
        gained: usize,
        /// The number of items asked for.
        k: usize,
    },
    /// The loss never acted: E stayed zero, so p had no effect.
    LossNeverActed,
    /// K-medoids looked at samples of the rows, not at all swaps.
    Sampled {
        /// Rows in each sample.
        rows: usize,
    },
    /// Rows beyond the gate, which are neither chosen nor represented.
    Gated(SetAside),
    /// More rows than are summed exactly may be as good as the last picks.
    Ties {
        /// How many of the picks, the last ones.
        picks: usize,
        /// How many other rows.
        others: usize,
        /// How much better than the last pick any of them can be, as a share of its score.
        within: f64,
    },
}

/// Rows that exemplars set aside, and how sure that was.
///
/// ```
/// let alone = arss::SetAside { rows: 47, items: 1000, confidence: 0.9, company: 0.1 };
/// assert!(!alone.looks_like_a_group());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SetAside {
    /// How many.
    pub rows: usize,
    /// Of how many.
    pub items: usize,
    /// How clearly they differ from the other rows, 0 to 1.
    pub confidence: f64,
    /// The share of them that have another one near by, as the rows of a group have; of scattered errors few do.
    pub company: f64,
}

impl SetAside {
    /// True if they look like a group of their own, not like scattered errors.
    pub fn looks_like_a_group(&self) -> bool {
        self.company >= GROUP
    }

    /// True if they are so many, and so much alike, that they are a group and no outliers at all.
    pub(crate) fn is_group(&self) -> bool {
        self.looks_like_a_group() && self.are_many()
    }

    fn are_many(&self) -> bool {
        self.rows as f64 > MANY * self.items as f64
    }

    /// True if they should be looked at before the choice is trusted: they are many, like a group, or not clearly different.
    fn is_doubtful(&self) -> bool {
        self.looks_like_a_group() || self.are_many() || self.confidence < UNSURE
    }
}

/// Where more rows than this share are set aside, or with less confidence than this, the note names the way to keep them.
const MANY: f64 = 0.15;
const UNSURE: f64 = 0.5;
/// Rows of which so many have another one near by look like a group.
const GROUP: f64 = 0.5;

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Note::Saturated { k, rank } => write!(
                f,
                "k = {k} exceeds the rank of the data (at most {rank}): linear self-representation saturates there, \
                 later picks add little"
            ),
            Note::NothingToGain { gained, k } => write!(
                f,
                "after {gained} picks nothing is left to gain: the other {} are the first of the table that were \
                 not picked, with score 0",
                k - gained
            ),
            Note::LossNeverActed => write!(
                f,
                "the representation error stayed exactly zero, so the robust loss never acted and p had no effect: \
                 a larger gamma makes it act"
            ),
            Note::Sampled { rows } => write!(f, "many rows: swaps were searched in samples of {rows} rows"),
            Note::Ties { picks, others, within } => write!(
                f,
                "the last {picks} picks are within {:.1} % of {others} other rows: which of them is better was not decided",
                100.0 * within
            ),
            Note::Gated(aside) => {
                let SetAside { rows, items, confidence, .. } = aside;
                let keep = |them: &str| match aside.is_doubtful() {
                    true => format!("; to keep {them}, switch the gate off (--no-gate, gate=False)"),
                    false => String::new(),
                };
                if *rows == 1 {
                    return write!(
                        f,
                        "set aside as an outlier: 1 of {items} rows (confidence {confidence:.2}){}",
                        keep("it")
                    );
                }
                let like = if aside.looks_like_a_group() { "a group of their own" } else { "scattered errors" };
                write!(
                    f,
                    "set aside as outliers: {rows} of {items} rows (confidence {confidence:.2}, they look like {like}){}",
                    keep("them")
                )
            }
        }
    }
}

/// What the solver did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// How the run ended.
    pub status: Status,
    /// Iterations done (picks, for the greedy methods).
    pub iterations: usize,
    /// The model's objective at the result; NaN for `random`.
    #[serde(deserialize_with = "number")]
    pub objective: f64,
    /// Relative constraint residual |X - XA - E| / |X| (ARSS).
    pub constraint_residual: Option<f64>,
    /// Relative duality gap (ARSS with p = 1, RRSS): the objective is at most this share above the optimum.
    pub gap: Option<f64>,
    /// The weight gamma that was used (ARSS, RRSS).
    pub gamma: Option<f64>,
    /// One entry per iteration (ARSS, RRSS, k-means, k-medoids).
    pub history: Vec<HistoryStep>,
    /// Seconds per phase. They are not serialized: the same run gives the same bytes.
    #[serde(skip)]
    pub seconds: Seconds,
    /// Rows whose score was computed exactly.
    pub rows_scored: usize,
    /// What the caller should know.
    pub notes: Vec<Note>,
}

impl Report {
    /// The rows that were set aside, and how sure that was; none if there are none, or the method sets none aside.
    pub fn set_aside(&self) -> Option<SetAside> {
        self.notes.iter().find_map(|note| if let Note::Gated(aside) = note { Some(*aside) } else { None })
    }
}

/// The solution in linear memory: coefficients and certificate in one.
///
/// A\[n\]\[m\] = weights\[n\] <x_n, dual_m> / gamma, gamma being [`Report::gamma`]. For the convex
/// models `dual`, divided by the least number that makes it feasible, bounds the optimum from below
/// by <dual, X>; `docs/explanation/linear-time.md` has both dual problems.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// w_n = sqrt(|a^n|^2 + eps) of the iteration before: one weight per item.
    pub weights: Vec<f64>,
    /// One row of L values per item, row-major: minus the multiplier (ARSS), 2 u_n (x_n - X a_n) (RRSS).
    pub dual: Vec<f64>,
}

/// The chosen items, best first, and everything known about the choice.
///
/// Equal scores are ranked by index, the smaller first.
///
/// ```
/// use arss::{Samples, Selector, Ted};
///
/// let table = [3.0, 0.0, 0.0, 2.0, 1.0, 1.0];
/// let selection = Ted::default().select(&Samples::new(&table, 3, 2)?, 2)?;
/// assert_eq!(selection.indices, [0, 1]);
/// assert_eq!(selection.residuals.len(), 3);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// Name of the method, as [`Method::name`](crate::Method::name) gives it; not serialized.
    #[serde(skip)]
    pub method: &'static str,
    /// The K chosen items, best first (exemplars: in the order they were chosen).
    pub indices: Vec<usize>,
    /// The score of each chosen item.
    #[serde(deserialize_with = "numbers")]
    pub scores: Vec<f64>,
    /// The score of every item, if asked for.
    pub all_scores: Option<Vec<f64>>,
    /// What the picks stand for (exemplars, facility location).
    pub assignment: Option<Assignment>,
    /// 2-norm of each row of A (ARSS, RRSS).
    pub row_norms: Option<Vec<f64>>,
    /// What the method leaves of each item: an outlier score, larger is stranger. For exemplars
    /// above 1 means beyond the gate.
    #[serde(rename = "outlier_scores", deserialize_with = "numbers")]
    pub residuals: Vec<f64>,
    /// The coefficients, if asked for (ARSS, RRSS); not serialized.
    #[serde(skip)]
    pub solution: Option<Solution>,
    /// What was learned for rows to come, if asked for; not serialized.
    #[serde(skip)]
    pub model: Option<Model>,
    /// What the solver did.
    pub report: Report,
}

impl Selection {
    /// True if every index is one of `items` items and every list has its length: what was read from a file may not.
    ///
    /// ```
    /// # use arss::{Samples, Selector, Ted};
    /// let selection = Ted::default().select(&Samples::new(&[3.0, 0.0, 0.0, 2.0], 2, 2)?, 1)?;
    /// assert!(selection.fits(2) && !selection.fits(1));
    /// # Ok::<(), arss::Error>(())
    /// ```
    pub fn fits(&self, items: usize) -> bool {
        let picks = self.indices.len();
        let one_each = |values: &Option<Vec<f64>>| values.as_ref().is_none_or(|values| values.len() == items);
        self.indices.iter().all(|&item| item < items)
            && (1..=items).contains(&picks)
            && self.scores.len() == picks
            && self.residuals.len() == items
            && one_each(&self.all_scores)
            && one_each(&self.row_norms)
            && self.assignment.as_ref().is_none_or(|assignment| assignment.fits(items, picks))
    }

    /// The score of every item where those that are not chosen have none: 0.
    pub(crate) fn spread(&self, items: usize) -> Vec<f64> {
        let mut all = vec![0.0; items];
        self.indices.iter().zip(&self.scores).for_each(|(&item, &score)| all[item] = score);
        all
    }
}

impl HistoryStep {
    /// What the callback is told of the last of these steps.
    pub(crate) fn progress(history: &[HistoryStep], tolerance: f64, limit: usize) -> crate::Progress {
        let expected = forecast::iterations(history, tolerance, limit);
        let progress = crate::Progress { expected, ..crate::Progress::count("solve", history.len(), limit) };
        match history.last() {
            Some(&HistoryStep { objective, residual, gap, .. }) => {
                crate::Progress { objective, residual, gap, ..progress }
            }
            None => progress,
        }
    }
}

/// A report with what every baseline knows; the rest is empty.
pub(crate) fn report(status: Status, iterations: usize, objective: f64, items: usize) -> Report {
    Report {
        status,
        iterations,
        objective,
        constraint_residual: None,
        gap: None,
        gamma: None,
        history: Vec::new(),
        seconds: Seconds::default(),
        rows_scored: items,
        notes: Vec::new(),
    }
}

/// The phases of a run, in order: prepare, solve, score.
pub(crate) struct Clock {
    start: Instant,
    prepared: Instant,
    solved: Instant,
}

impl Clock {
    pub fn start() -> Self {
        let now = Instant::now();
        Clock { start: now, prepared: now, solved: now }
    }

    pub fn prepared(&mut self) {
        self.prepared = Instant::now();
        self.solved = self.prepared;
    }

    pub fn solved(&mut self) {
        self.solved = Instant::now();
    }

    pub fn seconds(&self) -> Seconds {
        Seconds {
            prepare: (self.prepared - self.start).as_secs_f64(),
            solve: (self.solved - self.prepared).as_secs_f64(),
            score: self.solved.elapsed().as_secs_f64(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SetAside;

    #[test]
    fn many_rows_that_keep_company_are_a_group() {
        let aside = |rows: usize, company: f64| SetAside { rows, items: 1000, confidence: 1.0, company };
        assert!(aside(200, 0.6).is_group());
        // Few, or scattered.
        assert!(!aside(100, 0.9).is_group() && !aside(300, 0.1).is_group());
    }
}
