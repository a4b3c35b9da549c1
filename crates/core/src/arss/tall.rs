//! Algorithm 2 for N > L: A stays factored, all sums are L x L.

use faer::Mat;

use super::blocks::{Finish, Multiplier, NORM, RESIDUAL, Signs, Start, WEIGHT, WIDTH, Weights};
use super::entries::{Kernel, Sweep};
use super::weights::RowSums;
use super::{Facts, Form, Outcome};
use crate::linalg;
use crate::pass::{Engine, largest_form};
use crate::score::{self, Columns};
use crate::{Error, Run, Solution};

/// The rows with P and their weights, and L x L matrices.
pub(crate) struct Tall<'a> {
    rows: &'a mut dyn Engine,
    eps: f64,
    /// S = sum_n w_n x_n x_n'.
    S: Mat<f64>,
    /// T = (I + beta S)^-1.
    T: Mat<f64>,
    mu: f64,
    gamma: f64,
    /// sum_n lambda_n lambda_n'.
    H: Mat<f64>,
}

impl<'a> Tall<'a> {
    /// Step 1: A = I, Lambda = 0, so that |a^n| = 1, E = 0 and P = X.
    pub fn new(rows: &'a mut dyn Engine, eps: f64) -> Result<Self, Error> {
        let S = rows.pass(&Start::request(eps))?.gram;
        Ok(Tall { rows, eps, S, T: Mat::new(), mu: 0.0, gamma: 0.0, H: Mat::new() })
    }
}

impl Form for Tall<'_> {
    fn facts(&mut self) -> Result<Facts, Error> {
        let signs = self.rows.pass(&Signs::request())?;
        let largest = self.rows.pass(&largest_form(&signs.gram, WIDTH))?;
        let (items, L) = (self.rows.items(), self.rows.features());
        let trace: f64 = (0..L).map(|l| self.S[(l, l)]).sum();
        Ok(Facts {
            entries: items as f64 * L as f64,
            norm: trace.sqrt(),
            longest: signs.max[0].sqrt(),
            mean_abs: signs.add[0] / (items * L) as f64,
            gamma_max: largest.max[0].sqrt(),
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

    fn update_multiplier_and_e(&mut self, kernel: &Kernel, keep: bool) -> Result<Sweep, Error> {
        let sums = self.rows.pass(&Multiplier::<f64>::request(kernel, keep, self.T.as_ref()))?;
        let sweep = Sweep::from(&sums);
        self.H = sums.gram;
        Ok(sweep)
    }

    fn update_v(&mut self, relaxation: f64, keep: bool) -> Result<RowSums, Error> {
        let C = linalg::lower_root(self.H.as_ref());
        let (gamma, eps) = (self.gamma, self.eps);
        let sums = self.rows.pass(&Weights { gamma, eps, relaxation, keep, C }.request())?;
        let rows = RowSums::from(&sums);
        if !keep {
            self.S = sums.gram;
        }
        Ok(rows)
    }

    fn finish(self, k: usize, rule: score::Rule<'_>, run: &mut Run<'_>) -> Result<Outcome, Error> {
        let Tall { rows, S, T, mu, gamma, .. } = self;
        rows.pass(&Finish::<f64>::request(mu, gamma, T.as_ref(), S.as_ref()))?;
        let columns = Columns { norm: NORM, weight: WEIGHT, width: WIDTH, divisor: gamma };
        let scores = score::row_sums(rows, &columns, k, rule, run)?;
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
