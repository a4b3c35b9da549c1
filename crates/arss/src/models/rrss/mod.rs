//! RRSS (Nie 2013) in time linear in the number of samples.
//!
//! Each sample has its own system u_n X'X + gamma V. With S = sum_n w_n x_n x_n' = Q D Q'
//! (w = 1 / V) and y_n = Q' x_n all of them are diagonal at once: one eigendecomposition of
//! L x L an iteration instead of one solve a sample.
#![allow(non_snake_case)]

mod literal;
mod state;
pub(crate) mod steps;

use std::time::Instant;

pub use literal::{RrssReference, RrssSystem};

use faer::MatRef;

use crate::exec::{InMemory, RowAttributes, RowBackend};
use crate::linalg::tsqr::rotated;
use crate::models::momentum::Momentum;
use crate::models::newton::Newton;
use crate::models::row_sums::{self, Columns, Rule};
use crate::parallel::Partition;
use crate::{
    Error, Float, Gamma, HistoryStep, Kernel, Method, Note, Rank, Report, RunOptions, Samples, Seconds, Selection,
    Selector, Solution, Status,
};
use state::{Pace, State};
use steps::{BOUND, NORM, RESIDUAL, W, WIDTH};

/// RRSS: min sum_n |x_n - X a_n|_2 + gamma sum_n |a^n|_2, items ranked by the row sums of |A|.
///
/// Solved by iterative re-weighting. With a tolerance of 0 the iterations are the published ones; otherwise the
/// weights of the samples follow those of the rows at once, which take longer steps. The residual of an item is
/// |x_n - X a_n|_2. Where N <= L the items are first rotated into N dimensions, which changes nothing that the model sees.
///
/// ```
/// use arss::{Rrss, Samples, Selector};
///
/// let table: Vec<f64> = (0..40).map(|i| f64::from((i * 7) % 11) - 5.0).collect();
/// let selection = Rrss::default().select(&Samples::new(&table, 10, 4)?, 3)?;
/// assert!(selection.report.gap.unwrap() <= 1e-3); // a certificate: within 0.1 % of the optimum
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rrss {
    /// Weight of the row penalty. Default `Gamma::Ratio(0.1)`.
    pub gamma: Gamma,
    /// Most iterations, at least 1. Default 1000.
    pub max_iterations: usize,
    /// Stop when the relative duality gap falls to this; at least 0. With 0 it never stops early, and the iterations are the
    /// published ones. Default 1e-4.
    pub tolerance: f64,
    /// Smoothing of both norms: sqrt(|.|^2 + eps); larger than 0. Default 2.2e-16.
    pub eps: f64,
    /// Choose among the rows as a kernel sees them; residuals and solution are then those of the mapped rows.
    /// Default `None`: the rows as they are.
    pub kernel: Option<Kernel>,
    /// Choose K among the top max(10 K, 1000) one by one, each time the item with the largest score times
    /// 1 - exp(-3 d^2 / h2), d its distance to the nearest pick so far and h2 the median squared distance;
    /// copies of a pick (less than .01 there) come last. Default false: the top K.
    pub diverse: bool,
    /// What items are ranked by. Default [`Rank::Sum`].
    pub rank: Rank,
}

impl Default for Rrss {
    fn default() -> Self {
        Rrss {
            gamma: Gamma::Ratio(0.1),
            max_iterations: 1000,
            tolerance: 1e-4,
            eps: f64::EPSILON,
            kernel: None,
            diverse: false,
            rank: Rank::Sum,
        }
    }
}

impl Selector for Rrss {
    fn method(&self) -> Method {
        Method::Rrss(*self)
    }
}

impl Rrss {
    /// `Ok` if every setting lies in its range.
    ///
    /// # Errors
    /// Names the first setting that does not.
    pub fn validate(&self) -> Result<(), Error> {
        self.gamma.validate()?;
        let iterations = self.max_iterations;
        Error::check("iterations", iterations as f64, iterations > 0, "at least 1")?;
        Error::check("tolerance", self.tolerance, self.tolerance >= 0.0, "at least 0")?;
        Error::check("eps", self.eps, self.eps > 0.0, "larger than 0")?;
        self.kernel.map_or(Ok(()), |kernel| kernel.validate())
    }

    /// Rotates into N dimensions first where N <= L.
    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        if samples.items() > samples.features() {
            return self.run_tall(samples, k, samples.scale(), run);
        }
        let small = rotated(samples, run)?;
        let n = samples.items();
        let mut selection = self.run_tall(&Samples::new(&small, n, n)?, k, samples.scale(), run)?;
        if let Some(solution) = &mut selection.solution {
            rotate_back(solution, samples, &small);
        }
        Ok(selection)
    }

    /// Chooses from a table that was multiplied by `scale`.
    fn run_tall<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        scale: f64,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let partition = Partition::new(run, samples.items(), samples.features())?;
        self.run_backend(&mut InMemory::new(samples, &partition, RowAttributes::default()), scale, k, run)
    }

    /// Solves, scores and ranks rows that were multiplied by `scale`, wherever they are.
    pub(crate) fn run_backend(
        &self,
        rows: &mut dyn RowBackend,
        scale: f64,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let clock = Instant::now();
        let items = rows.items();
        let mut state = State::new(rows, self.eps)?;
        let rank = state.rank();
        let gamma = match self.gamma {
            Gamma::Absolute(gamma) => gamma * scale,
            Gamma::Ratio(ratio) => ratio * state.gamma_max()?,
        };
        let prepare = clock.elapsed().as_secs_f64();

        let mut report = self.solve(&mut state, gamma, scale, run)?;
        report.seconds.prepare = prepare;
        report.seconds.solve = clock.elapsed().as_secs_f64() - prepare;
        if k > rank {
            report.notes.push(Note::Saturated { k, rank });
        }

        state.finish(gamma)?;
        let rows = state.rows;
        let columns = Columns { norm: NORM, weight: W, bound: BOUND, width: WIDTH, divisor: 2.0 * gamma };
        let scores = row_sums::row_sums(rows, &columns, k, Rule { items, sparse: None, rank: self.rank }, run)?;
        let (indices, top) = scores.top(k);
        report.rows_scored = scores.values.len();
        report.notes.extend(scores.note);
        if scores.stopped {
            report.status = Status::Stopped;
        }
        report.seconds.score = clock.elapsed().as_secs_f64() - report.seconds.solve - prepare;
        let residuals = rows.column(RESIDUAL)?.unwrap_or_default();
        Ok(Selection {
            model: None,
            method: "rrss",
            scores: top,
            indices,
            all_scores: scores.all(items),
            residuals: residuals.into_iter().map(|r| r / scale).collect(),
            solution: if run.keep_solution { solution(rows)? } else { None },
            assignment: None,
            row_norms: rows.column(NORM)?,
            report,
        })
    }

    /// Re-weighting until the duality gap is small enough.
    fn solve(&self, state: &mut State<'_>, gamma: f64, scale: f64, run: &mut RunOptions<'_>) -> Result<Report, Error> {
        let mut history: Vec<HistoryStep> = Vec::new();
        let mut status = Status::IterationLimit;
        let longest = state.longest_sample()?;
        // Whoever asks for no certificate asks for the iterations of the paper.
        let published = self.tolerance == 0.0;
        let (mut momentum, mut bound) = (Momentum::new(PLAIN, MOST), f64::NEG_INFINITY);
        let items = state.rows.items();
        let mut newton = Newton::new(ALONE, 1.0, 2.0 * self.eps.sqrt(), (items, state.rows.features()));
        for iteration in 1..=self.max_iterations {
            state.update_eigen(); // S = Q D Q'
            let fit = state.update_a(gamma, !published)?; // Eq. (4) for all samples: residuals and sum m m'
            let pace = (!published).then(|| Pace {
                momentum: momentum.at(iteration),
                newton: &newton,
                wanted: newton.wanted(iteration),
                shift: 2.0 * gamma * fit.loss / items as f64,
            });
            let rows = state.update_weights(pace.as_ref())?; // U, V, S from the new A

            let objective = fit.loss + gamma * rows.norms;
            momentum.learn(objective);
            newton.learn(objective);
            // The optimum lies above the bound of every iteration.
            bound = fit.lower_bound(gamma, &rows, longest).max(bound);
            let gap = ((objective - bound) / objective).max(0.0);
            let step = HistoryStep {
                iteration,
                objective: objective / scale,
                residual: gap,
                gap,
                mu: f64::NAN,
                active: f64::NAN,
            };
            history.push(step);
            if run.tell(&HistoryStep::progress(&history, self.tolerance, self.max_iterations)) {
                status = Status::Stopped;
                break;
            }
            if gap <= self.tolerance && self.tolerance > 0.0 {
                status = Status::Converged;
                break;
            }
        }
        let last = history[history.len() - 1];
        Ok(Report {
            status,
            iterations: last.iteration,
            objective: last.objective,
            constraint_residual: None,
            gap: Some(last.gap),
            gamma: Some(gamma / scale),
            history,
            seconds: Seconds::default(),
            rows_scored: 0,
            notes: Vec::new(),
        })
    }
}

/// The coefficients, where they are at hand.
fn solution(rows: &mut dyn RowBackend) -> Result<Option<Solution>, Error> {
    let (weights, dual) = (rows.column(W)?, rows.values()?);
    let halves = |weights: Vec<f64>| weights.into_iter().map(|w| w / 2.0).collect();
    Ok(weights.zip(dual).map(|(weights, dual)| Solution { weights: halves(weights), dual }))
}

/// Iterations before rows at their bound take Newton's steps.
const ALONE: usize = 2;
/// Iterations before there is momentum.
const PLAIN: usize = 1;
/// Largest momentum. Letter at a ratio of .3 reaches a gap of 0.1 % in 54 iterations; in a prototype without any it took over 300.
const MOST: f64 = 0.95;

/// The dual of the rotated items, moved back to their features: both tables span it alike, so with
/// R c_n = d_n in the rotated one, X c_n is the dual in the other.
fn rotate_back<T: Float>(solution: &mut Solution, samples: &Samples<'_, T>, small: &[f64]) {
    let n = samples.items();
    let items = MatRef::from_row_major_slice(small, n, n);
    let dual = MatRef::from_row_major_slice(&solution.dual, n, n);
    let svd = items.svd().expect("a finite matrix has singular values");
    let c = dual * svd.pseudoinverse();
    let mut moved = vec![0.0; n * samples.features()];
    for (m, moved) in moved.chunks_exact_mut(samples.features()).enumerate() {
        for i in 0..n {
            moved.iter_mut().zip(samples.item(i)).for_each(|(d, x)| *d += c[(m, i)] * x);
        }
    }
    solution.dual = moved;
}
