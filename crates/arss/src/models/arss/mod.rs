//! ARSS: Algorithm 2 of the paper, in time linear in the number of samples.
//!
//! The paper keeps A, an N x N matrix. It need not: with W = V^-1 and beta = mu / gamma the
//! A-step is A = W X' M with M = beta (I + beta X W X')^-1 P, and the multiplier update
//! collapses to Lambda = -gamma M. So P (one value per entry of X) and the weights w are the
//! whole state; everything else is L x L. Where N <= L the roles change and A itself is small.
//!
//! `docs/explanation/linear-time.md` maps every symbol and step to its place here.
#![allow(non_snake_case)]

mod certificate;
mod e_step;
mod literal;
mod penalty;
mod silence;
pub(crate) mod steps;
mod tall;
mod weights;
mod wide;

use std::time::Instant;

pub use literal::{ArssReference, UpdateA};
pub use penalty::Penalty;

use crate::exec::{InMemory, RowAttributes, RowBackend, damaged};
use crate::models::row_sums::{Rule, Scores};
use crate::parallel::Partition;
use crate::{
    Error, Float, Gamma, HistoryStep, Kernel, Method, Note, Rank, Report, RootSteps, RunOptions, Samples, Seconds,
    Selection, Selector, Solution, Status,
};
use certificate::Certificate;
use e_step::{EStep, Sweep};
use penalty::{Move, Schedule};
use tall::Tall;
use weights::{Pace, RowSums};
use wide::Wide;

/// ARSS: min sum |X - XA|^p + gamma sum_n |a^n|_2, items ranked by the row sums of |A|.
///
/// The residual of an item is |x_n - X a_n|_2.
///
/// ```
/// use arss::{Arss, Samples, Selector};
///
/// let table: Vec<f64> = (0..40).map(|i| f64::from((i * 7) % 11) - 5.0).collect();
/// let samples = Samples::new(&table, 10, 4)?;
/// let convex = Arss { p: 1.0, ..Arss::default() }.select(&samples, 3)?;
/// assert!(convex.report.gap.unwrap() <= 1e-3); // a certificate: within 0.1 % of the optimum
/// let published = Arss::paper().select(&samples, 3)?;
/// assert_eq!(published.report.iterations, 100);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arss {
    /// Exponent of the loss, in (0, 1]. Default 0.5.
    pub p: f64,
    /// Weight of the row penalty. Default `Gamma::Ratio(0.1)`.
    pub gamma: Gamma,
    /// How the penalty mu moves. Default [`Penalty::Adaptive`].
    pub penalty: Penalty,
    /// Most iterations, at least 1. Default 1000.
    pub max_iterations: usize,
    /// Stop when the relative duality gap (p = 1) falls to this or, for p < 1, all of: constraint
    /// residual, distance of the weights from their fixed point, change of the objective over ten
    /// iterations, each relative. At least 0, and 0 never stops early. Default 1e-3.
    pub tolerance: f64,
    /// Smoothing of the row norms: w_n = sqrt(|a^n|^2 + eps); larger than 0. Default 2.2e-16.
    pub eps: f64,
    /// How the shrinkage finds its root. Default exact.
    pub root: RootSteps,
    /// Rows of A whose Hoyer sparsity exceeds this, in [0, 1], score 0. Default `None`: no such rule.
    pub sparse_rows: Option<f64>,
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

impl Default for Arss {
    fn default() -> Self {
        Arss {
            p: 0.5,
            gamma: Gamma::Ratio(0.1),
            penalty: Penalty::Adaptive,
            max_iterations: 1000,
            tolerance: 1e-3,
            eps: f64::EPSILON,
            root: RootSteps::Exact,
            sparse_rows: None,
            kernel: None,
            diverse: false,
            rank: Rank::Sum,
        }
    }
}

impl Selector for Arss {
    fn method(&self) -> Method {
        Method::Arss(*self)
    }
}

impl Arss {
    /// The authors' settings: gamma .1, p .5, mu from 1e-3 growing by 1.1 up to 1e4, 100
    /// iterations without a stopping test, two shrinkage steps, and rows sparser than .8 score 0.
    pub fn paper() -> Self {
        Arss {
            gamma: Gamma::Absolute(0.1),
            penalty: Penalty::PAPER,
            max_iterations: 100,
            tolerance: 0.0,
            root: RootSteps::Fixed(2),
            sparse_rows: Some(0.8),
            ..Arss::default()
        }
    }

    /// `Ok` if every setting lies in its range.
    ///
    /// # Errors
    /// Names the first setting that does not.
    pub fn validate(&self) -> Result<(), Error> {
        let Arss { p, tolerance, eps, .. } = *self;
        Error::check("p", p, p > 0.0 && p <= 1.0, "larger than 0 and at most 1")?;
        self.gamma.validate()?;
        self.penalty.validate()?;
        let iterations = self.max_iterations;
        Error::check("iterations", iterations as f64, iterations > 0, "at least 1")?;
        Error::check("tolerance", tolerance, tolerance >= 0.0, "at least 0")?;
        Error::check("eps", eps, eps > 0.0, "larger than 0")?;
        let sparse = self.sparse_rows.unwrap_or(0.0);
        Error::check("sparse rows", sparse, (0.0..=1.0).contains(&sparse), "between 0 and 1")?;
        self.kernel.map_or(Ok(()), |kernel| kernel.validate())
    }

    /// Chooses the form by the shape.
    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        if samples.items() > samples.features() {
            let partition = Partition::new(run, samples.items(), samples.features())?;
            self.run_backend(&mut InMemory::new(samples, &partition, RowAttributes::default()), samples.scale(), k, run)
        } else {
            let (items, features) = (samples.items(), samples.features());
            if samples.has_directions() {
                // Columns are read here, and their values have no length of one by themselves.
                let directions = samples.block(0..items);
                return self.run(&Samples::new(&directions.values, items, features)?, k, run);
            }
            let partition = Partition::new(run, features, items)?;
            self.run_form((samples.items(), samples.scale()), k, Wide::new(samples, &partition, self.eps), run)
        }
    }

    /// Chooses from rows that were multiplied by `scale`, wherever they are; there are more rows than values in one.
    pub(crate) fn run_backend(
        &self,
        rows: &mut dyn RowBackend,
        scale: f64,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let items = rows.items();
        self.run_form((items, scale), k, Tall::new(rows, self)?, run)
    }

    /// Solves, scores and ranks.
    fn run_form(
        &self,
        (items, scale): (usize, f64),
        k: usize,
        mut form: impl Form,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let clock = Instant::now();
        let problem = Problem::new(self, scale, &form.facts()?);
        let rank = form.rank();
        let prepare = clock.elapsed().as_secs_f64();

        let mut report = solve(self, &problem, &mut form, run)?;
        report.seconds.prepare = prepare;
        report.seconds.solve = clock.elapsed().as_secs_f64() - prepare;
        if k > rank {
            report.notes.push(Note::Saturated { k, rank });
        }

        let rule = Rule { items, sparse: self.sparse_rows, rank: self.rank };
        let Outcome { scores, row_norms, residuals, solution } = form.finish(k, rule, run)?;
        let (indices, top) = scores.top(k);
        report.rows_scored = scores.values.len();
        report.notes.extend(scores.note);
        if scores.stopped {
            report.status = Status::Stopped;
        }
        report.seconds.score = clock.elapsed().as_secs_f64() - report.seconds.solve - prepare;
        Ok(Selection {
            method: "arss",
            scores: top,
            indices,
            all_scores: scores.all(items),
            assignment: None,
            row_norms,
            residuals: residuals.into_iter().map(|r| r / scale).collect(),
            model: None,
            solution: solution.map(|solution| unscaled(solution, scale.powf(1.0 - self.p))),
            report,
        })
    }
}

/// Bounds of gamma and mu in the units of the scaled data: beyond them one term of the objective is
/// nothing beside the other, and their ratio could leave the range of `f64`.
const MODERATE: (f64, f64) = (1e-60, 1e60);

/// The problem in the units of the scaled data, and the way back.
struct Problem {
    p: f64,
    gamma: f64,
    /// |X|_F.
    norm: f64,
    /// max_n |x_n|_2.
    longest: f64,
    /// Objective of the scaled data = `unit` times the objective.
    unit: f64,
    /// mu of the scaled data = `mu_unit` times mu.
    mu_unit: f64,
    /// Mean |x| over all entries.
    mean_abs: f64,
    /// How many entries there are.
    entries: f64,
    /// Rows and columns.
    shape: (usize, usize),
    /// The least weight, sqrt(eps).
    floor: f64,
}

impl Problem {
    fn new(settings: &Arss, scale: f64, facts: &Facts) -> Self {
        let p = settings.p;
        let unit = scale.powf(p);
        let gamma = match settings.gamma {
            Gamma::Absolute(gamma) => gamma * unit,
            // For p < 1 the mean size of an entry makes the ratio independent of the data's units.
            Gamma::Ratio(ratio) => ratio * facts.gamma_max * facts.mean_abs.powf(p - 1.0),
        };
        let mu_unit = scale.powf(p - 2.0);
        let gamma = gamma.clamp(MODERATE.0, MODERATE.1);
        let (norm, longest, mean_abs) = (facts.norm, facts.longest, facts.mean_abs);
        let (entries, shape, floor) = (facts.entries, facts.shape, settings.eps.sqrt());
        Problem { p, gamma, norm, longest, unit, mu_unit, mean_abs, entries, shape, floor }
    }

    /// The next line of the history, in the units of the data as given.
    fn step(&self, found: &[Certificate], mu: f64, certificate: &Certificate) -> HistoryStep {
        let (objective, mu) = (certificate.objective / self.unit, mu / self.mu_unit);
        let moved = match found.len().checked_sub(certificate::WINDOW) {
            None => f64::INFINITY,
            Some(first) => certificate.moved(&found[first..]),
        };
        let residual = if self.p == 1.0 { certificate.gap } else { certificate.residual().max(moved) };
        let Certificate { gap, active, .. } = *certificate;
        HistoryStep { iteration: found.len() + 1, objective, residual, gap, mu, active }
    }
}

/// What the settings need to know of the data.
pub(crate) struct Facts {
    /// |X|_F.
    pub norm: f64,
    /// max_n |x_n|_2.
    pub longest: f64,
    /// Mean |x| over all entries.
    pub mean_abs: f64,
    /// How many entries there are.
    pub entries: f64,
    /// Rows and columns.
    pub shape: (usize, usize),
    /// max_n |x_n' sign(X)|_2: for p = 1 and gamma beyond it A = 0 is optimal.
    pub gamma_max: f64,
}

/// What a form hands over at the end.
pub(crate) struct Outcome {
    pub scores: Scores,
    pub row_norms: Option<Vec<f64>>,
    pub residuals: Vec<f64>,
    pub solution: Option<Solution>,
}

/// The steps of Algorithm 2 in one of its two forms: N > L ([`Tall`]) or N <= L ([`Wide`]).
trait Form {
    /// What the settings need to know of the data.
    fn facts(&mut self) -> Result<Facts, Error>;
    /// The numerical rank of X.
    fn rank(&self) -> usize;
    /// Step 6, Algorithm 1: the A-step's linear system, from the weights and beta = mu / gamma.
    fn update_a(&mut self, mu: f64, gamma: f64);
    /// Steps 7, 3 and 5: the multiplier, then E and P of the next iteration. With `keep` the
    /// state stays that of this iteration, so that it can be handed out. A form may take step 4 in the same pass.
    fn update_multiplier_and_e(&mut self, e_step: &EStep, pace: Pace, keep: bool) -> Result<Sweep, Error>;
    /// Step 4: the row norms of A and, unless `keep`, the weights of the next iteration.
    fn update_v(&mut self, how: &Move<'_>, keep: bool) -> Result<RowSums, Error>;
    /// The solution: scores, row norms, residuals.
    fn finish(self, k: usize, rule: Rule, run: &mut RunOptions<'_>) -> Result<Outcome, Error>;
}

/// The solution for the data as given: its multiplier is larger by `factor`.
fn unscaled(mut solution: Solution, factor: f64) -> Solution {
    if factor != 1.0 {
        solution.dual.iter_mut().for_each(|value| *value *= factor);
    }
    solution
}

/// Algorithm 2. E of the first iteration is 0 (A = I, Lambda = 0), so P = X; from then on E and P
/// are made in the same pass over the data as the multiplier they follow from. An iterate that is
/// to be handed out is made with `keep`, which leaves the state as the solution needs it.
fn solve(settings: &Arss, problem: &Problem, form: &mut impl Form, run: &mut RunOptions<'_>) -> Result<Report, Error> {
    let mut schedule = Schedule::new(settings.penalty, problem);
    let mut e_step = EStep::new(settings);
    let mut found: Vec<Certificate> = Vec::new();
    let mut history: Vec<HistoryStep> = Vec::new();
    let mut status = Status::IterationLimit;
    let (mut keep, mut acted) = (settings.max_iterations == 1, false);

    for iteration in 1..=settings.max_iterations {
        let (mu, next_mu) = schedule.advance(found.last());
        if !mu.is_finite() || !next_mu.is_finite() {
            // Values were scaled: only sums that somebody damaged lead here.
            return Err(damaged());
        }
        e_step.set(mu, next_mu);
        form.update_a(mu, problem.gamma); // step 6
        let pace = schedule.pace(iteration);
        let sweep = form.update_multiplier_and_e(&e_step, pace, keep)?; // steps 7, 3, 5
        let rows = form.update_v(&schedule.moved(pace, iteration), keep)?; // step 4

        let certificate = Certificate::new(problem, next_mu, &sweep, &rows, found.last());
        let step = problem.step(&found, mu, &certificate);
        history.push(step);
        found.push(certificate);
        schedule.learn(certificate.objective);
        acted |= step.active > 0.0;
        let converged = step.residual <= settings.tolerance && settings.tolerance > 0.0;
        if run.tell(&HistoryStep::progress(&history, settings.tolerance, settings.max_iterations)) {
            status = Status::Stopped;
        } else if converged && keep {
            status = Status::Converged;
        }
        if keep && (status != Status::IterationLimit || iteration == settings.max_iterations) {
            break;
        }
        if keep {
            // Converged one iteration ago and no longer: take the step that `keep` left out.
            form.update_multiplier_and_e(&e_step, pace, false)?;
            form.update_v(&schedule.moved(pace, iteration), false)?;
        }
        keep = converged || status == Status::Stopped || iteration + 1 == settings.max_iterations;
    }

    let last = history[history.len() - 1];
    Ok(Report {
        status,
        iterations: last.iteration,
        objective: last.objective,
        constraint_residual: found.last().map(|certificate| certificate.violation),
        gap: (problem.p == 1.0).then_some(last.gap),
        gamma: Some(problem.gamma / problem.unit),
        history,
        seconds: Seconds::default(),
        rows_scored: 0,
        notes: if acted { Vec::new() } else { vec![Note::LossNeverActed] },
    })
}
