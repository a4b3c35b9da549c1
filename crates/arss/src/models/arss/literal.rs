//! Algorithm 2 as printed, with A in full: slow, kept for tests and for the speed tables.

use faer::prelude::*;
use faer::{Mat, Side};

use crate::{RootSteps, Samples, Shrinkage};

/// Which of the two equivalent rules of Algorithm 1 updates A.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateA {
    /// Eq. (11), an N x N system: the paper's choice for N <= L.
    NByN,
    /// Eq. (12), an L x L system: the paper's choice for N > L.
    LByL,
}

/// Algorithm 2 as printed: stores A (N x N) and costs O(N^2 L) an iteration.
///
/// ```
/// use arss::{ArssReference, Samples};
///
/// let table = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
/// let coefficients = ArssReference::default().solve(&Samples::new(&table, 3, 2)?);
/// assert_eq!(coefficients.len(), 9); // row-major 3 x 3
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArssReference {
    /// Exponent of the loss, in (0, 1].
    pub p: f64,
    /// Weight of the row penalty.
    pub gamma: f64,
    /// First penalty.
    pub mu: f64,
    /// Growth of the penalty.
    pub rho: f64,
    /// Largest penalty.
    pub mu_max: f64,
    /// Iterations.
    pub iterations: usize,
    /// Smoothing of the row norms.
    pub eps: f64,
    /// How the shrinkage finds its root.
    pub root: RootSteps,
    /// The rule for A; `None` takes the paper's choice by shape.
    pub update: Option<UpdateA>,
}

impl Default for ArssReference {
    /// The authors' settings.
    fn default() -> Self {
        ArssReference {
            p: 0.5,
            gamma: 0.1,
            mu: 1e-3,
            rho: 1.1,
            mu_max: 1e4,
            iterations: 100,
            eps: f64::EPSILON,
            root: RootSteps::Fixed(2),
            update: None,
        }
    }
}

impl ArssReference {
    /// The coefficients A, row-major N x N.
    pub fn solve(&self, samples: &Samples<'_, f64>) -> Vec<f64> {
        let (N, L) = (samples.items(), samples.features());
        let X = Mat::from_fn(L, N, |l, n| samples.get(n, l));
        let mut A = Mat::<f64>::identity(N, N);
        let mut Lambda = Mat::<f64>::zeros(L, N);
        let mut mu = self.mu;
        for _ in 0..self.iterations {
            let shrinkage = Shrinkage::new(1.0 / mu, self.p, self.root);
            let XA = &X * &A;
            let E = Mat::from_fn(L, N, |l, n| shrinkage.apply(X[(l, n)] - XA[(l, n)] - Lambda[(l, n)] / mu));
            let w: Vec<f64> = (0..N).map(|n| (A.row(n).squared_norm_l2() + self.eps).sqrt()).collect();
            let P = Mat::from_fn(L, N, |l, n| X[(l, n)] - E[(l, n)] - Lambda[(l, n)] / mu);
            A = self.update_a(&X, &w, &P, mu / self.gamma);
            let XA = &X * &A;
            Lambda = Mat::from_fn(L, N, |l, n| Lambda[(l, n)] + mu * (E[(l, n)] - X[(l, n)] + XA[(l, n)]));
            mu = (self.rho * mu).min(self.mu_max);
        }
        (0..N * N).map(|i| A[(i / N, i % N)]).collect()
    }

    /// Algorithm 1; w = 1 / V.
    fn update_a(&self, X: &Mat<f64>, w: &[f64], P: &Mat<f64>, beta: f64) -> Mat<f64> {
        let (L, N) = X.shape();
        let by_shape = if N <= L { UpdateA::NByN } else { UpdateA::LByL };
        match self.update.unwrap_or(by_shape) {
            UpdateA::NByN => {
                let G = X.transpose() * X;
                let system = Mat::from_fn(N, N, |i, j| beta * G[(i, j)] + if i == j { 1.0 / w[i] } else { 0.0 });
                let right = X.transpose() * P * faer::Scale(beta);
                system.llt(Side::Lower).expect("V + beta X'X is positive definite").solve(right)
            }
            UpdateA::LByL => {
                let B = Mat::from_fn(N, L, |n, l| beta * w[n] * X[(l, n)]);
                let system = Mat::<f64>::identity(L, L) + X * &B;
                B * system.llt(Side::Lower).expect("I + X B is positive definite").solve(P)
            }
        }
    }
}
