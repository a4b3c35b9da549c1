//! Algorithm 2 for N > L: A stays factored, all sums are L x L.

use faer::Mat;

use super::e_step::{EStep, Sweep};
use super::penalty::Move;
use super::silence::{Silence, StepFour};
use super::steps::{BOUND, Finish, Multiplier, NORM, RESIDUAL, Signs, Start, WEIGHT, WIDTH, Weights};
use super::weights::{Pace, RowSums};
use super::{Facts, Form, Outcome};
use crate::exec::{LargestForm, Matrix, RowBackend, Step};
use crate::linalg;
use crate::models::newton::{Bend, Given};
use crate::models::row_sums::{self, Columns, Rule};
use crate::{Arss, Error, RunOptions, Solution};

/// The rows with P and their weights, and L x L matrices.
pub(crate) struct Tall<'a> {
    rows: &'a mut dyn RowBackend,
    eps: f64,
    /// S = sum_n w_n x_n x_n'.
    S: Mat<f64>,
    /// T = (I + beta S)^-1.
    T: Mat<f64>,
    mu: f64,
    gamma: f64,
    /// sum_n lambda_n lambda_n'.
    H: Mat<f64>,
    /// Weights of the next iteration that are not those of the re-weighting.
    given: Vec<Given>,
    /// P, as long as the loss has not acted.
    silence: Option<Silence>,
    /// What step 4 came to where it was taken in the same pass as the steps before it.
    taken: Option<RowSums>,
}

impl<'a> Tall<'a> {
    /// Step 1: A = I, Lambda = 0, so that |a^n| = 1, E = 0 and P = X.
    pub fn new(rows: &'a mut dyn RowBackend, settings: &Arss) -> Result<Self, Error> {
        let (start, eps) = (Start::new(settings.eps), settings.eps);
        let S = rows.pass(&Step::ArssStart(start))?.gram();
        let gram = faer::Scale(1.0 / start.weight()) * &S;
        // For p = 1 the bound of the optimum needs the entries of Lambda.
        let safe = settings.p < 1.0 && Silence::is_safe(&gram);
        let silence = Some(Silence::new(rows, gram)?);
        let (T, H, given) = (Mat::new(), Mat::new(), Vec::new());
        let mut form = Tall { rows, eps, S, T, mu: 0.0, gamma: 0.0, H, given, silence, taken: None };
        if !safe {
            form.end_silence()?;
        }
        Ok(form)
    }

    /// Writes P down, if that was not done yet.
    fn end_silence(&mut self) -> Result<(), Error> {
        self.silence.take().map_or(Ok(()), |silence| silence.place(self.rows))
    }
}

impl Form for Tall<'_> {
    fn facts(&mut self) -> Result<Facts, Error> {
        let signs = self.rows.pass(&Step::ArssSigns(Signs))?;
        let (size, longest) = (signs.sums[0], signs.maxima[0]);
        let largest = self.rows.pass(&Step::LargestForm(LargestForm::of(&signs.gram())))?.maxima[0];
        let (items, L) = (self.rows.items(), self.rows.features());
        let trace: f64 = (0..L).map(|l| self.S[(l, l)]).sum();
        Ok(Facts {
            entries: items as f64 * L as f64,
            shape: (items, L),
            norm: trace.sqrt(),
            longest: longest.sqrt(),
            mean_abs: size / (items * L) as f64,
            gamma_max: largest.sqrt(),
        })
    }

    fn rank(&self) -> usize {
        linalg::numerical_rank(self.S.as_ref()) // at the start S is sum_n x_n x_n'
    }

    /// T = (I + beta S)^-1, Eq. (12): A = W X' M with M = beta T P.
    fn update_a(&mut self, mu: f64, gamma: f64) {
        (self.mu, self.gamma) = (mu, gamma);
        self.T = linalg::inverse_of_shifted(self.S.as_ref(), mu / gamma);
    }

    fn update_multiplier_and_e(&mut self, e_step: &EStep, pace: Pace, keep: bool) -> Result<Sweep, Error> {
        if let Some(silence) = &mut self.silence {
            let step = StepFour { gamma: self.gamma, eps: self.eps, pace, keep };
            let silent = silence.iterate(self.rows, e_step, &self.T, step)?;
            self.taken = Some(silent.rows);
            if let Some(S) = silent.S {
                self.S = S;
            }
            if silent.stays {
                return Ok(silent.sweep);
            }
            // The loss acts from now on.
            self.end_silence()?;
        }
        let step = Multiplier { e_step: e_step.clone(), keep, T: Matrix(self.T.clone()) };
        let result = self.rows.pass(&Step::ArssMultiplier(step))?;
        let sweep = Sweep::from(&result);
        self.H = result.gram();
        Ok(sweep)
    }

    fn update_v(&mut self, how: &Move<'_>, keep: bool) -> Result<RowSums, Error> {
        if let Some(rows) = self.taken.take() {
            return Ok(rows);
        }
        let C = Matrix(linalg::lower_root(self.H.as_ref()));
        let (gamma, eps, pace, given) = (self.gamma, self.eps, how.pace, self.given.clone());
        let wanted = if keep { 0 } else { how.newton.map_or(0, |(_, wanted)| wanted) };
        let mut result = self.rows.pass(&Step::ArssWeights(Weights { gamma, eps, pace, keep, C, given, wanted }))?;
        let sums = RowSums::from(&result);
        let rows = std::mem::take(&mut result.rows.list);
        if !keep {
            let S = std::mem::replace(&mut self.S, result.gram());
            self.given.clear();
            if let Some((newton, _)) = how.newton.filter(|_| !rows.is_empty()) {
                // Lambda answers to S as T does; the shrinkage answers one iteration later.
                let B = faer::Scale(1.0 / (gamma * gamma)) * &self.H;
                let P = faer::Scale(self.mu / gamma) * &self.T;
                let change = &self.S - &S;
                let bend = Bend { B: B.as_ref(), P: P.as_ref(), change: change.as_ref() };
                if let Some((given, added)) = newton.step(&rows, &bend) {
                    self.given = given;
                    self.S += added;
                }
            }
        }
        Ok(sums)
    }

    fn finish(mut self, k: usize, rule: Rule, run: &mut RunOptions<'_>) -> Result<Outcome, Error> {
        self.end_silence()?;
        let Tall { rows, S, T, mu, gamma, .. } = self;
        rows.pass(&Step::ArssFinish(Finish { mu, gamma, T: Matrix(T), S: Matrix(S) }))?;
        let columns = Columns { norm: NORM, weight: WEIGHT, bound: BOUND, width: WIDTH, divisor: gamma };
        let scores = row_sums::row_sums(rows, &columns, k, rule, run)?;
        let weights = if run.keep_solution { rows.column(WEIGHT)? } else { None };
        let dual = if run.keep_solution { rows.values()? } else { None };
        Ok(Outcome {
            scores,
            row_norms: rows.column(NORM)?,
            residuals: rows.column(RESIDUAL)?.unwrap_or_default(),
            solution: weights.zip(dual).map(|(weights, dual)| Solution { weights, dual }),
        })
    }
}
