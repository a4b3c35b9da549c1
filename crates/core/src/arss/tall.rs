//! Algorithm 2 for N > L: A stays factored, all sums are L x L.

use std::ops::Range;

use faer::{Mat, MatMut, MatRef};

use super::entries::{Kernel, Sweep, sweep_entries};
use super::{Facts, Form, Outcome, RowSums, next_weights};
use crate::blocks::Team;
use crate::lanes::{LANES, vectorised};
use crate::linalg::{self, GramSum};
use crate::score::{self, Factored};
use crate::{Float, Run, Samples, Solution};

/// The state: P, the rows' weights and norms, and L x L matrices.
pub(crate) struct Tall<'a, T> {
    X: &'a Samples<'a, T>,
    team: &'a Team,
    eps: f64,
    /// N x L, row-major.
    P: Vec<T>,
    rows: Vec<Row>,
    /// S = sum_n w_n x_n x_n'.
    S: Mat<f64>,
    /// T = (I + beta S)^-1.
    T: Mat<f64>,
    mu: f64,
    gamma: f64,
    /// sum_n lambda_n lambda_n'.
    H: Mat<f64>,
}

/// What is known of a row of A.
#[derive(Clone, Copy)]
struct Row {
    /// w_n = 1 / V_nn = sqrt(|a^n|^2 + eps), from the row before.
    weight: f64,
    /// |a^n|_2.
    norm: f64,
}

/// The weights of the next iteration.
#[inline(always)]
fn push_weights(rows: &mut [Row], eps: f64, relaxation: f64) {
    for rows in rows.chunks_mut(LANES) {
        let (mut weights, mut norms) = ([1.0; LANES], [1.0; LANES]);
        for (i, row) in rows.iter().enumerate() {
            (weights[i], norms[i]) = (row.weight, row.norm);
        }
        let next = next_weights(&weights, &norms, eps, relaxation);
        rows.iter_mut().zip(next).for_each(|(row, next)| row.weight = next);
    }
}

impl<'a, T: Float> Tall<'a, T> {
    /// Step 1: A = I, Lambda = 0, so that |a^n| = 1, E = 0 and P = X.
    pub fn new(X: &'a Samples<'a, T>, team: &'a Team, eps: f64) -> Self {
        let (N, L) = (X.items(), X.features());
        let mut P = vec![T::from_f64(0.0); N * L];
        team.fold_mut(&mut P, L, || (), |(), range, own| own.copy_from_slice(&X.block(range).values), |(), ()| ());
        let rows = vec![Row { weight: (1.0 + eps).sqrt(), norm: 1.0 }; N];
        let S = linalg::weighted_gram(X, team, |_, _| rows[0].weight);
        Tall { X, team, eps, P, rows, S, T: Mat::new(), mu: 0.0, gamma: 0.0, H: Mat::zeros(L, L) }
    }
}

impl<T: Float> Form for Tall<'_, T> {
    fn facts(&self) -> Facts {
        let (X, L) = (self.X, self.X.features());
        let sign = |x: &T| T::from_f64(f64::from(i8::from(x.to_f64() > 0.0) - i8::from(x.to_f64() < 0.0)));
        let add = |(gram, size, longest): &mut (GramSum<T>, f64, f64), range: Range<usize>| {
            let block = X.block(range);
            let signs: Vec<T> = block.values.iter().map(sign).collect();
            gram.add(MatRef::from_row_major_slice(&signs, block.rows, L));
            *size += block.values.iter().map(|x| x.to_f64().abs()).sum::<f64>();
            *longest = block.values.chunks_exact(L).map(linalg::norm_squared).fold(*longest, f64::max);
        };
        let merge = |a: &mut (GramSum<T>, f64, f64), b: &mut (GramSum<T>, f64, f64)| {
            a.0.merge(&mut b.0);
            a.1 += std::mem::take(&mut b.1);
            a.2 = a.2.max(b.2);
        };
        let (signs, size, longest) = self.team.fold(|| (GramSum::new(L), 0.0, 0.0), add, merge);
        let root = linalg::lower_root(signs.finish().as_ref());
        let gamma_max = linalg::quadratic_forms(X, self.team, root.as_ref()).into_iter().fold(0.0, f64::max).sqrt();
        let trace: f64 = (0..L).map(|l| self.S[(l, l)]).sum();
        Facts { norm: trace.sqrt(), longest: longest.sqrt(), mean_abs: size / (X.items() * L) as f64, gamma_max }
    }

    fn rank(&self) -> usize {
        linalg::numerical_rank(self.S.as_ref()) // at the start S is sum_n x_n x_n'
    }

    /// T = (I + beta S)^-1, Eq. (12): A = W X' M with M = beta T P.
    fn update_a(&mut self, mu: f64, gamma: f64) {
        (self.mu, self.gamma) = (mu, gamma);
        self.T = linalg::inverse_of_shifted(self.S.as_ref(), mu / gamma);
    }

    /// Lambda = -mu T P, which is Eq. (6) with the A-step inserted; then E, P, and sum lambda lambda'.
    fn update_multiplier_and_e(&mut self, kernel: &Kernel, keep: bool) -> Sweep {
        let (X, L) = (self.X, self.X.features());
        let T = linalg::cast::<T>(self.T.as_ref());
        let visit = |sum: &mut (Sweep, GramSum<T>, Vec<T>), range: Range<usize>, P: &mut [T]| {
            let (sweep, gram, scratch) = sum;
            let block = X.block(range);
            scratch.resize(P.len(), T[(0, 0)]);
            let lambda = MatMut::from_row_major_slice_mut(scratch, block.rows, L);
            linalg::product(lambda, MatRef::from_row_major_slice(P, block.rows, L), T.as_ref(), -kernel.mu);
            gram.add(MatRef::from_row_major_slice(scratch, block.rows, L));
            sweep.merge(sweep_entries(kernel, &block.values, scratch, P, keep));
        };
        let merge = |a: &mut (Sweep, GramSum<T>, Vec<T>), b: &mut (Sweep, GramSum<T>, Vec<T>)| {
            a.0.merge(std::mem::take(&mut b.0));
            a.1.merge(&mut b.1);
        };
        let start = || (Sweep::default(), GramSum::new(L), Vec::new());
        let (sweep, gram, _) = self.team.fold_mut(&mut self.P, L, start, visit, merge);
        self.H = gram.finish();
        sweep
    }

    /// |a^n|^2 = w_n^2 x_n' (sum lambda lambda') x_n / gamma^2, then w_n = sqrt(|a^n|^2 + eps) and S.
    fn update_v(&mut self, relaxation: f64, keep: bool) -> RowSums {
        let (X, L, eps, gamma) = (self.X, self.X.features(), self.eps, self.gamma);
        let C = linalg::cast::<T>(linalg::lower_root(self.H.as_ref()).as_ref());
        let visit = |sum: &mut (RowSums, GramSum<T>, Vec<T>), range: Range<usize>, rows: &mut [Row]| {
            let (sums, gram, scratch) = sum;
            let block = X.block(range);
            linalg::times_lower(block.mat(), C.as_ref(), scratch);
            vectorised(
                #[inline(always)]
                || {
                    for (row, form) in rows.iter_mut().zip(scratch.chunks_exact(L)) {
                        row.norm = row.weight * linalg::norm_squared(form).sqrt() / gamma;
                    }
                },
            );
            rows.iter().for_each(|row| sums.add_row(row.norm, row.weight));
            if !keep {
                vectorised(
                    #[inline(always)]
                    || push_weights(rows, eps, relaxation),
                );
                linalg::weigh(&block.values, rows.iter().map(|row| row.weight), scratch);
                gram.add(MatRef::from_row_major_slice(scratch, block.rows, L));
            }
        };
        let merge = |a: &mut (RowSums, GramSum<T>, Vec<T>), b: &mut (RowSums, GramSum<T>, Vec<T>)| {
            a.0.merge(std::mem::take(&mut b.0));
            a.1.merge(&mut b.1);
        };
        let start = || (RowSums::default(), GramSum::new(L), Vec::new());
        let (sums, gram, _) = self.team.fold_mut(&mut self.rows, 1, start, visit, merge);
        if !keep {
            self.S = gram.finish();
        }
        sums
    }

    /// P becomes D = -Lambda = mu T P; residuals from XA = S D / gamma; then the row sums of |A|.
    fn finish(mut self, k: usize, rule: score::Rule<'_>, run: &mut Run<'_>) -> Outcome {
        let (X, L) = (self.X, self.X.features());
        let (T, S) = (linalg::cast::<T>(self.T.as_ref()), linalg::cast::<T>(self.S.as_ref()));
        let (mu, gamma) = (self.mu, self.gamma);
        let visit = |sum: &mut (Vec<f64>, Vec<T>), range: Range<usize>, P: &mut [T]| {
            let (residuals, scratch) = sum;
            let block = X.block(range);
            scratch.resize(P.len(), T[(0, 0)]);
            let D = MatMut::from_row_major_slice_mut(scratch, block.rows, L);
            linalg::product(D, MatRef::from_row_major_slice(P, block.rows, L), T.as_ref(), mu);
            P.copy_from_slice(scratch);
            let R = MatMut::from_row_major_slice_mut(scratch, block.rows, L);
            linalg::product(R, MatRef::from_row_major_slice(P, block.rows, L), S.as_ref(), 1.0 / gamma);
            let rest = |(x, r): (&[T], &[T])| x.iter().zip(r).map(|(x, r)| (x.to_f64() - r.to_f64()).powi(2)).sum();
            let squares = block.values.chunks_exact(L).zip(scratch.chunks_exact(L)).map(rest);
            residuals.extend(squares.map(f64::sqrt));
        };
        let start = || (Vec::new(), Vec::new());
        let (residuals, _) = self.team.fold_mut(&mut self.P, L, start, visit, |a, b| a.0.append(&mut b.0));

        let row_norms: Vec<f64> = self.rows.iter().map(|row| row.norm).collect();
        let shares: Vec<f64> = self.rows.iter().map(|row| row.weight / gamma).collect();
        let a = Factored { samples: X, weights: &shares, factor: &self.P };
        let scores = score::row_sums(&a, &row_norms, k, rule, (self.team, run));
        let solution = run.keep_solution.then(|| Solution {
            weights: self.rows.iter().map(|row| row.weight).collect(),
            dual: self.P.iter().map(|value| value.to_f64()).collect(),
        });
        Outcome { scores, row_norms, residuals, solution }
    }
}
