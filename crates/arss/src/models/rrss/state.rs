//! The steps of the re-weighting, each a pass over the rows.

use faer::Mat;

use super::steps::{Finish, Solve, Start, Systems, Weights};
use crate::exec::{InverseGram, LargestForm, LongestRow, Matrix, RowBackend, Step};
use crate::models::newton::{Bend, Given, Newton};
use crate::{Error, linalg};

/// The rows with two weights each, and L x L matrices.
pub(crate) struct State<'a> {
    pub rows: &'a mut dyn RowBackend,
    eps: f64,
    /// S = sum_n w_n x_n x_n', for the next iteration.
    S: Mat<f64>,
    /// Eigenvalues and eigenvectors of the S in use.
    d: Vec<f64>,
    Q: Mat<f64>,
    /// sum_n m_n m_n', in the basis Q.
    H: Mat<f64>,
    /// Weights of the next iteration that are not those of the re-weighting.
    given: Vec<Given>,
}

/// How the weights move on the way to a certificate.
pub(crate) struct Pace<'a> {
    pub momentum: f64,
    pub newton: &'a Newton,
    /// Rows that take one of Newton's steps.
    pub wanted: usize,
    /// 2 gamma times the mean residual: for all rows together what gamma / u_n is for each.
    pub shift: f64,
}

/// Sums over the samples of what `update_a` found.
#[derive(Clone, Copy, Default)]
pub(crate) struct Fit {
    /// sum_n |x_n - X a_n|_2.
    pub loss: f64,
    /// <D, X> for the dual candidate d_n = 2 u_n (x_n - X a_n).
    pub dual: f64,
    /// max_n |d_n|_2.
    pub longest: f64,
    /// <C, X> with c_n = d_n cut to length 1.
    pub cut: f64,
    /// |D - C|_F^2.
    pub cut_off: f64,
}

impl Fit {
    /// A sample with this residual, |d_n| and <d_n, x_n>.
    #[inline(always)]
    pub fn add_sample(&mut self, residual: f64, length: f64, dot: f64) {
        self.loss += residual;
        self.dual += dot;
        self.longest = self.longest.max(length);
        let cap = length.max(1.0);
        self.cut += dot / cap;
        self.cut_off += (length - length / cap).powi(2);
    }

    /// From the sums and largest values of a pass.
    pub fn read(sums: &[f64], maxima: &[f64]) -> Self {
        Fit { loss: sums[0], dual: sums[1], longest: maxima[0], cut: sums[2], cut_off: sums[3] }
    }

    /// Back to them.
    pub fn write(&self, sums: &mut [f64], maxima: &mut [f64]) {
        sums.copy_from_slice(&[self.loss, self.dual, self.cut, self.cut_off]);
        maxima[0] = self.longest;
    }

    /// A lower bound of the optimum: the dual is max <D, X> s.t. |d_n|_2 <= 1 and |x_n' D|_2 <= gamma.
    /// D is made feasible in two ways, the better one counts: scaled down, or cut to length 1 first
    /// (then |x_n' D| grows by |x_n| |what was cut off| at most).
    pub fn lower_bound(&self, gamma: f64, rows: &RowSums, longest_sample: f64) -> f64 {
        let scaled = self.dual / self.longest.max(rows.growth).max(1.0);
        let grown = rows.growth + longest_sample * self.cut_off.sqrt() / gamma;
        scaled.max(self.cut / grown.max(1.0))
    }
}

/// Sums over the rows of A.
#[derive(Clone, Copy)]
pub(crate) struct RowSums {
    /// sum_n |a^n|_2.
    pub norms: f64,
    /// max_n |x_n' D|_2 / gamma.
    pub growth: f64,
}

impl<'a> State<'a> {
    /// u = 1/2 and w = 2 for all: the weights of |a^n| = 1 and residuals of 1.
    pub fn new(rows: &'a mut dyn RowBackend, eps: f64) -> Result<Self, Error> {
        let S = rows.pass(&Step::RrssStart(Start))?.gram();
        Ok(State { rows, eps, S, d: Vec::new(), Q: Mat::new(), H: Mat::new(), given: Vec::new() })
    }

    /// The numerical rank of X; at the start S is 2 sum_n x_n x_n'.
    pub fn rank(&self) -> usize {
        linalg::numerical_rank(self.S.as_ref())
    }

    /// max_n |x_n' D|_2 for d_n = x_n / |x_n|: beyond it A = 0 is optimal.
    pub fn gamma_max(&mut self) -> Result<f64, Error> {
        let gram = self.rows.pass(&Step::InverseGram(InverseGram))?.gram();
        Ok(self.rows.pass(&Step::LargestForm(LargestForm::of(&gram)))?.maxima[0].sqrt())
    }

    /// S = Q D Q'.
    pub fn update_eigen(&mut self) {
        (self.d, self.Q) = linalg::eigen(self.S.as_ref());
    }

    /// The residuals and sum m m' with the weights that the last iteration made; with `settle` u_n is brought to what S makes of it.
    pub fn update_a(&mut self, gamma: f64, settle: bool) -> Result<Fit, Error> {
        let systems = Systems::new(gamma, &self.d, self.Q.as_ref());
        let settle = settle.then(|| 0.5 / self.eps.sqrt());
        let result = self.rows.pass(&Step::RrssSolve(Solve { systems, settle }))?;
        let fit = Fit::read(&result.sums, &result.maxima);
        self.H = result.gram();
        Ok(fit)
    }

    /// The row norms, the weights of the next iteration, as published or on the way to a certificate, and S.
    pub fn update_weights(&mut self, pace: Option<&Pace<'_>>) -> Result<RowSums, Error> {
        let in_place = &self.Q * &self.H * self.Q.transpose();
        let C = Matrix(linalg::lower_root(in_place.as_ref()));
        let (momentum, wanted) = (pace.map(|pace| pace.momentum), pace.map_or(0, |pace| pace.wanted));
        let given = std::mem::take(&mut self.given);
        let mut result = self.rows.pass(&Step::RrssWeights(Weights { momentum, eps: self.eps, C, given, wanted }))?;
        let sums = RowSums { norms: result.sums[0], growth: result.maxima[0] };
        let rows = std::mem::take(&mut result.rows.list);
        let S = std::mem::replace(&mut self.S, result.gram());
        if let Some(pace) = pace.filter(|_| !rows.is_empty()) {
            let change = &self.S - &S;
            let P = self.answer(pace.shift);
            let B = faer::Scale(4.0) * &in_place;
            let bend = Bend { B: B.as_ref(), P: P.as_ref(), change: change.as_ref() };
            if let Some((given, added)) = pace.newton.step(&rows, &bend) {
                self.given = given;
                self.S += added;
            }
        }
        Ok(sums)
    }

    /// (S + shift I)^-1: how the d_n answer to a change of S.
    fn answer(&self, shift: f64) -> Mat<f64> {
        let least = self.d.iter().copied().fold(f64::MIN_POSITIVE, f64::max) * f64::EPSILON;
        let shift = shift.max(least);
        let scaled = Mat::from_fn(self.Q.nrows(), self.Q.ncols(), |i, j| self.Q[(i, j)] / (self.d[j] + shift));
        &scaled * self.Q.transpose()
    }

    /// The dual as the values of the rows: A[n][m] = w_n / 2 <x_n, d_m> / gamma.
    pub fn finish(&mut self, gamma: f64) -> Result<(), Error> {
        let systems = Systems::new(gamma, &self.d, self.Q.as_ref());
        self.rows.pass(&Step::RrssFinish(Finish(systems))).map(|_| ())
    }

    /// max_n |x_n|_2.
    pub fn longest_sample(&mut self) -> Result<f64, Error> {
        Ok(self.rows.pass(&Step::LongestRow(LongestRow))?.maxima[0].sqrt())
    }
}
