//! Algorithm 2 for N <= L: A is small, the passes run over the features.

use std::ops::Range;

use faer::{Mat, MatMut, MatRef};

use super::e_step::{EStep, Sweep, sweep_entries};
use super::penalty::Move;
use super::weights::{Pace, RowSums, next_weights};
use super::{Facts, Form, Outcome};
use crate::linalg::simd::LANES;
use crate::linalg::{self, CrossSum, GramSum};
use crate::models::row_sums::{Rule, Scores};
use crate::parallel::{Partition, move_sums};
use crate::{Error, Float, RunOptions, Samples, Solution};

/// The state: P, the weights, and N x N matrices.
pub(crate) struct Wide<'a, T> {
    /// L rows of N values: one row per feature.
    X: Samples<'a, T>,
    partition: &'a Partition,
    eps: f64,
    /// L x N, row-major.
    P: Vec<T>,
    /// w_n = 1 / V_nn.
    weights: Vec<f64>,
    /// By which they moved.
    factors: Vec<f64>,
    /// G = X' X.
    G: Mat<f64>,
    /// X' P.
    XP: Mat<f64>,
    A: Mat<f64>,
    mu: f64,
}

impl<'a, T: Float> Wide<'a, T> {
    /// Step 1: A = I, Lambda = 0, so that |a^n| = 1, E = 0 and P = X.
    pub fn new(samples: &Samples<'a, T>, partition: &'a Partition, eps: f64) -> Self {
        let X = samples.transposed();
        let (L, N) = (X.items(), X.features());
        let mut P = vec![T::from_f64(0.0); L * N];
        let visit = |gram: &mut GramSum<T>, range: Range<usize>, own: &mut [T]| {
            let block = X.block(range);
            own.copy_from_slice(&block.values);
            gram.add(block.mat());
        };
        let G = partition.fold_mut(&mut P, N, || GramSum::new(N), visit, GramSum::merge).finish();
        let weights = vec![(1.0 + eps).sqrt(); N];
        let factors = vec![1.0; N];
        Wide { X, partition, eps, P, weights, factors, XP: G.clone(), G, A: Mat::identity(N, N), mu: 0.0 }
    }

    /// D = -Lambda = mu (P - XA), one row per item.
    fn dual(&self) -> Vec<f64> {
        let (L, N) = (self.X.items(), self.X.features());
        let mut dual = vec![0.0; N * L];
        for l in 0..L {
            let x = self.X.item(l);
            for n in 0..N {
                let xa: f64 = (0..N).map(|m| x[m] * self.A[(m, n)]).sum();
                dual[n * L + l] = self.mu * (self.P[l * N + n].to_f64() - xa);
            }
        }
        dual
    }

    fn row_norm(&self, n: usize) -> f64 {
        (0..self.A.ncols()).map(|m| self.A[(n, m)] * self.A[(n, m)]).sum::<f64>().sqrt()
    }
}

impl<T: Float> Form for Wide<'_, T> {
    fn facts(&mut self) -> Result<Facts, Error> {
        let (X, N) = (&self.X, self.X.features());
        let sign = |x: &T| T::from_f64(f64::from(i8::from(x.to_f64() > 0.0) - i8::from(x.to_f64() < 0.0)));
        let add = |(cross, size): &mut (CrossSum<T>, f64), range: Range<usize>| {
            let block = X.block(range);
            let signs: Vec<T> = block.values.iter().map(sign).collect();
            cross.add(block.mat(), MatRef::from_row_major_slice(&signs, block.rows, N));
            *size += block.values.iter().map(|x| x.to_f64().abs()).sum::<f64>();
        };
        let merge = |a: &mut (CrossSum<T>, f64), b: &mut (CrossSum<T>, f64)| {
            a.0.merge(&mut b.0);
            a.1 += std::mem::take(&mut b.1);
        };
        let (cross, size) = self.partition.fold(|| (CrossSum::new(N), 0.0), add, merge);
        let cross = cross.finish();
        let row = |n: usize| (0..N).map(|m| cross[(n, m)] * cross[(n, m)]).sum::<f64>();
        let gamma_max = (0..N).map(row).fold(0.0, f64::max).sqrt();
        let trace: f64 = (0..N).map(|n| self.G[(n, n)]).sum();
        let longest = (0..N).map(|n| self.G[(n, n)]).fold(0.0, f64::max).sqrt();
        let entries = (N * X.items()) as f64;
        Ok(Facts { norm: trace.sqrt(), longest, mean_abs: size / entries, entries, shape: (N, X.items()), gamma_max })
    }

    fn rank(&self) -> usize {
        linalg::numerical_rank(self.G.as_ref())
    }

    /// A = beta (V + beta X'X)^-1 X'P, Eq. (11), as W^1/2 (I + beta W^1/2 G W^1/2)^-1 W^1/2 beta X'P:
    /// the inverse exists however small the weights are.
    fn update_a(&mut self, mu: f64, gamma: f64) {
        self.mu = mu;
        let (beta, N) = (mu / gamma, self.weights.len());
        let root: Vec<f64> = self.weights.iter().map(|w| w.sqrt()).collect();
        let scaled = Mat::from_fn(N, N, |i, j| root[i] * self.G[(i, j)] * root[j]);
        let right = Mat::from_fn(N, N, |i, j| beta * root[i] * self.XP[(i, j)]);
        let solved = linalg::solve_shifted(scaled.as_ref(), beta, right);
        self.A = Mat::from_fn(N, N, |i, j| root[i] * solved[(i, j)]);
    }

    /// Lambda = mu (XA - P), which is Eq. (6) with P inserted; then E, P, and X'P.
    fn update_multiplier_and_e(&mut self, e_step: &EStep, _: Pace, keep: bool) -> Result<Sweep, Error> {
        let (X, N) = (&self.X, self.X.features());
        let A = linalg::cast::<T>(self.A.as_ref());
        let visit = |sum: &mut (Sweep, CrossSum<T>, Vec<T>), range: Range<usize>, P: &mut [T]| {
            let (sweep, cross, scratch) = sum;
            let block = X.block(range);
            scratch.resize(P.len(), T::from_f64(0.0));
            linalg::product(MatMut::from_row_major_slice_mut(scratch, block.rows, N), block.mat(), A.as_ref(), 1.0);
            let mu = T::from_f64(e_step.mu);
            scratch.iter_mut().zip(P.iter()).for_each(|(value, &p)| *value = mu * (*value - p));
            sweep.merge(sweep_entries(e_step, &block.values, scratch, P, keep));
            if !keep {
                cross.add(block.mat(), MatRef::from_row_major_slice(P, block.rows, N));
            }
        };
        let merge = |a: &mut (Sweep, CrossSum<T>, Vec<T>), b: &mut (Sweep, CrossSum<T>, Vec<T>)| {
            a.0.merge(std::mem::take(&mut b.0));
            a.1.merge(&mut b.1);
        };
        let start = || (Sweep::default(), CrossSum::new(N), Vec::new());
        let (sweep, cross, _) = self.partition.fold_mut(&mut self.P, N, start, visit, merge);
        if !keep {
            self.XP = cross.finish();
        }
        Ok(sweep)
    }

    fn update_v(&mut self, how: &Move<'_>, keep: bool) -> Result<RowSums, Error> {
        let mut sums = RowSums::default();
        for n in 0..self.weights.len() {
            let norm = self.row_norm(n);
            sums.add_row(norm, self.weights[n]);
            if !keep {
                // One lane of many: N is small here.
                let mut factors = [self.factors[n]; LANES];
                let next = next_weights(&[self.weights[n]; LANES], &[norm; LANES], &mut factors, self.eps, how.pace);
                (self.weights[n], self.factors[n]) = (next[0], factors[0]);
            }
        }
        Ok(sums)
    }

    fn finish(self, _k: usize, rule: Rule, run: &mut RunOptions<'_>) -> Result<Outcome, Error> {
        let N = self.weights.len();
        let row_norms: Vec<f64> = (0..N).map(|n| self.row_norm(n)).collect();
        let row_sum = |n: usize| (0..N).map(|m| self.A[(n, m)].abs()).sum::<f64>();
        let values = (0..N).map(|n| (n, rule.score(row_sum(n), row_norms[n]))).collect();
        let (X, A) = (&self.X, linalg::cast::<T>(self.A.as_ref()));
        let visit = |(squares, scratch): &mut (Vec<f64>, Vec<T>), range: Range<usize>| {
            let block = X.block(range);
            scratch.resize(block.values.len(), T::from_f64(0.0));
            linalg::product(MatMut::from_row_major_slice_mut(scratch, block.rows, N), block.mat(), A.as_ref(), 1.0);
            for (x, r) in block.values.chunks_exact(N).zip(scratch.chunks_exact(N)) {
                let rest = x.iter().zip(r).map(|(x, r)| (x.to_f64() - r.to_f64()).powi(2));
                squares.iter_mut().zip(rest).for_each(|(sum, rest)| *sum += rest);
            }
        };
        let start = || (vec![0.0; N], Vec::new());
        let (squares, _) = self.partition.fold(start, visit, |a, b| move_sums(&mut a.0, &mut b.0));
        Ok(Outcome {
            scores: Scores { values, stopped: false, note: None },
            residuals: squares.into_iter().map(f64::sqrt).collect(),
            solution: run.keep_solution.then(|| Solution { dual: self.dual(), weights: self.weights.clone() }),
            row_norms: Some(row_norms),
        })
    }
}
