//! Iterations in which the loss does not act: E is zero, and all but the weights is linear in X.
//!
//! P starts as X. While E stays zero the multiplier and the next P are X times L x L matrices, so one pass over X gives the
//! objective and the weights. With the authors' settings that is every iteration on most tables.

use faer::{Mat, Scale};

use super::e_step::{EStep, Sweep};
use super::steps::{Errors, Place, Weights};
use super::weights::{Pace, RowSums};
use crate::exec::{LargestForm, Matrix, RowBackend, Step, damaged};
use crate::{Error, linalg};

/// What is added to the squares of the rows, over their mean: then all have an inverse, and hardly any bound changes.
const RIDGE: f64 = 1e-8;

/// The least square of a singular value of X, over the largest, with which the sums of Lambda may be taken from X X': it has rounded
/// them away where columns add up to one another or differ much in size. Raw Segment (700 rows) had none of the literal form's picks.
const WELL_CONDITIONED: f64 = 1e-6;

/// P = X F.
pub(super) struct Silence {
    F: Mat<f64>,
    /// X X', one sample a column.
    gram: Mat<f64>,
    ridge: f64,
    /// max_n x_n' (X X' + ridge I)^-1 x_n.
    leverage: f64,
}

/// What an iteration came to.
pub(super) struct Silent {
    pub sweep: Sweep,
    pub rows: RowSums,
    /// The next S, if the weights were moved.
    pub S: Option<Mat<f64>>,
    /// Every entry of the next E is zero.
    pub stays: bool,
}

/// What step 4 needs: gamma, eps, how far the weights go, and whether the state stays that of this iteration.
pub(super) struct StepFour {
    pub gamma: f64,
    pub eps: f64,
    pub pace: Pace,
    pub keep: bool,
}

impl Silence {
    /// Whether L x L matrices tell enough of X.
    pub fn is_safe(gram: &Mat<f64>) -> bool {
        let (values, _) = linalg::eigen(gram.as_ref());
        let largest = values.iter().copied().fold(0.0, f64::max);
        values.iter().all(|value| *value > WELL_CONDITIONED * largest)
    }

    /// P = X; `gram` is the sum of x x'.
    pub fn new(rows: &mut dyn RowBackend, gram: Mat<f64>) -> Result<Self, Error> {
        let L = gram.nrows();
        let mean = (0..L).map(|l| gram[(l, l)]).sum::<f64>() / L as f64;
        let ridge = (RIDGE * mean).max(f64::MIN_POSITIVE);
        let inverse = Scale(1.0 / ridge) * linalg::inverse_of_shifted(gram.as_ref(), 1.0 / ridge);
        let leverage = rows.pass(&Step::LargestForm(LargestForm::of(&inverse)))?.maxima[0];
        Ok(Silence { F: Mat::identity(L, L), gram, ridge, leverage })
    }

    /// Steps 7, 3, 5 and 4: Lambda = X G with G = -mu F T, and P' = X - Lambda / mu' where E' is zero.
    pub fn iterate(
        &mut self,
        rows: &mut dyn RowBackend,
        e_step: &EStep,
        T: &Mat<f64>,
        step: StepFour,
    ) -> Result<Silent, Error> {
        let G = Scale(-e_step.mu) * (&self.F * T);
        let H = G.transpose() * &self.gram * &G;
        let identity = Mat::<f64>::identity(G.nrows(), G.nrows());
        let next = &identity - Scale(1.0 / e_step.next_mu) * &G;
        // X - XA = X K, as XA = P + Lambda / mu.
        let K = identity - &self.F - Scale(1.0 / e_step.mu) * &G;
        // What is shrunk: X - XA - Lambda / mu' = X D.
        let D = &K - Scale(1.0 / e_step.next_mu) * &G;
        let certain = e_step.shrinks_to_zero(self.largest_entry(&D));
        let StepFour { gamma, eps, pace, keep } = step;
        let C = Matrix(linalg::lower_root(H.as_ref()));
        let weights = Weights { gamma, eps, pace, keep, C, given: Vec::new(), wanted: 0 };
        let D = (!certain).then_some(Matrix(D));
        let result = rows.pass(&Step::ArssErrors(Errors { e_step: e_step.clone(), K: Matrix(K), D, weights }))?;
        let [norms, change, loss, violation] = result.sums();
        let [growth, largest] = result.maxima[..] else { return Err(damaged()) };
        let stays = certain || e_step.shrinks_to_zero(largest);
        if stays && !keep {
            self.F = next;
        }
        let lambda_squared = (0..H.nrows()).map(|l| H[(l, l)]).sum();
        let sweep = Sweep { loss, violation, lambda_squared, ..Sweep::default() };
        let S = (!keep).then(|| result.gram());
        Ok(Silent { sweep, rows: RowSums { norms, change, growth }, S, stays })
    }

    /// No entry of X D is larger: (x'd)^2 <= x' (X X' + r I)^-1 x  d' (X X' + r I) d.
    fn largest_entry(&self, D: &Mat<f64>) -> f64 {
        let squares = &self.gram * D;
        let form = |l: usize| {
            let (column, square) = (D.col(l), squares.col(l));
            column.transpose() * square + self.ridge * (column.transpose() * column)
        };
        let largest = (0..D.ncols()).map(form).fold(0.0, f64::max);
        (self.leverage * largest).sqrt() * (1.0 + 1e-6)
    }

    /// Writes P down, for iterations that need its entries.
    pub fn place(self, rows: &mut dyn RowBackend) -> Result<(), Error> {
        rows.pass(&Step::ArssPlace(Place { F: Matrix(self.F) })).map(|_| ())
    }
}
