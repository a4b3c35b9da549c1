//! RRSS with one linear system a sample: slow, kept for tests and for the speed tables.

use faer::prelude::*;
use faer::{Mat, Side};

use crate::Samples;

/// Which of the two equivalent systems of the paper's Theorem 2 is solved for each sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RrssSystem {
    /// Nie's: N x N, O(N^4) an iteration.
    NByN,
    /// The paper's: L x L, O(N^2 L + N L^3) an iteration.
    LByL,
}

/// RRSS as published, with A in full.
///
/// ```
/// use arss::{RrssReference, RrssSystem, Samples};
///
/// let table = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
/// let nie = RrssReference { gamma: 0.5, iterations: 15, eps: 1e-16, system: RrssSystem::NByN };
/// assert_eq!(nie.solve(&Samples::new(&table, 3, 2)?).len(), 9); // row-major 3 x 3
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RrssReference {
    /// Weight of the row penalty.
    pub gamma: f64,
    /// Iterations.
    pub iterations: usize,
    /// Smoothing of both norms.
    pub eps: f64,
    /// The system solved for each sample.
    pub system: RrssSystem,
}

impl RrssReference {
    /// The coefficients A, row-major N x N.
    pub fn solve(&self, samples: &Samples<'_, f64>) -> Vec<f64> {
        let (N, L) = (samples.items(), samples.features());
        let X = Mat::from_fn(L, N, |l, n| samples.get(n, l));
        let (mut u, mut w) = (vec![0.5; N], vec![2.0; N]);
        let mut A = Mat::<f64>::zeros(N, N);
        for _ in 0..self.iterations {
            A = match self.system {
                RrssSystem::NByN => self.by_samples(&X, &u, &w),
                RrssSystem::LByL => self.by_features(&X, &u, &w),
            };
            let R = &X - &X * &A;
            for n in 0..N {
                u[n] = 0.5 / (R.col(n).squared_norm_l2() + self.eps).sqrt();
                w[n] = 2.0 * (A.row(n).squared_norm_l2() + self.eps).sqrt();
            }
        }
        (0..N * N).map(|i| A[(i / N, i % N)]).collect()
    }

    /// a_n = u_n (u_n X'X + gamma V)^-1 X' x_n.
    fn by_samples(&self, X: &Mat<f64>, u: &[f64], w: &[f64]) -> Mat<f64> {
        let N = X.ncols();
        let G = X.transpose() * X;
        let mut A = Mat::<f64>::zeros(N, N);
        for n in 0..N {
            let diagonal = |i: usize, j: usize| if i == j { self.gamma / w[i] } else { 0.0 };
            let system = Mat::from_fn(N, N, |i, j| u[n] * G[(i, j)] + diagonal(i, j));
            let right = Mat::from_fn(N, 1, |i, _| u[n] * G[(i, n)]);
            let a = system.llt(Side::Lower).expect("u X'X + gamma V is positive definite").solve(right);
            A.col_mut(n).copy_from(a.col(0));
        }
        A
    }

    /// a_n = u_n (X V^-1)' (u_n X (X V^-1)' + gamma I)^-1 x_n.
    fn by_features(&self, X: &Mat<f64>, u: &[f64], w: &[f64]) -> Mat<f64> {
        let (L, N) = X.shape();
        let B = Mat::from_fn(N, L, |n, l| w[n] * X[(l, n)]);
        let S = X * &B;
        let mut A = Mat::<f64>::zeros(N, N);
        for n in 0..N {
            let shift = |i: usize, j: usize| if i == j { self.gamma } else { 0.0 };
            let system = Mat::from_fn(L, L, |i, j| u[n] * S[(i, j)] + shift(i, j));
            let right = Mat::from_fn(L, 1, |l, _| u[n] * X[(l, n)]);
            let a = &B * system.llt(Side::Lower).expect("u S + gamma I is positive definite").solve(right);
            A.col_mut(n).copy_from(a.col(0));
        }
        A
    }
}
