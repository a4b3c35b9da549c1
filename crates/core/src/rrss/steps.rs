//! The steps of the re-weighting, each a pass over blocks of samples.

use std::ops::Range;

use faer::{Mat, MatMut, MatRef};

use crate::blocks::Team;
use crate::lanes::{LANES, power, vectorised};
use crate::linalg::{self, GramSum};
use crate::{Float, Samples};

/// The state: two weights a sample, and L x L matrices.
pub(crate) struct State<'a, T> {
    X: &'a Samples<'a, T>,
    team: &'a Team,
    eps: f64,
    rows: Vec<Row>,
    /// S = sum_n w_n x_n x_n', for the next iteration.
    S: Mat<f64>,
    /// Eigenvalues and eigenvectors of the S in use.
    d: Vec<f64>,
    Q: Mat<f64>,
    /// sum_n m_n m_n', in the basis Q.
    H: Mat<f64>,
}

/// What is known of a sample: u_n = U_nn and w_n = 1 / V_nn, in use and for the next iteration,
/// the latter also before any momentum.
#[derive(Clone, Copy)]
struct Row {
    u: f64,
    w: f64,
    next_u: f64,
    next_w: f64,
    plain_u: f64,
    plain_w: f64,
    /// |x_n - X a_n|_2.
    residual: f64,
    /// |a^n|_2.
    norm: f64,
}

/// The weights of the next iteration, with momentum b: both go further the way they went, in logarithms.
#[inline(always)]
fn push_weights(rows: &mut [Row], b: f64, eps: f64) {
    for rows in rows.chunks_mut(LANES) {
        let (mut u, mut w) = ([1.0; LANES], [1.0; LANES]);
        let (mut further_u, mut further_w) = (u, w);
        for (i, row) in rows.iter().enumerate() {
            u[i] = 0.5 / (row.residual * row.residual + eps).sqrt();
            w[i] = 2.0 * (row.norm * row.norm + eps).sqrt();
            (further_u[i], further_w[i]) = (u[i] / row.plain_u, w[i] / row.plain_w);
        }
        if b > 0.0 {
            (further_u, further_w) = (power(&further_u, b), power(&further_w, b));
        }
        for (i, row) in rows.iter_mut().enumerate() {
            (row.plain_u, row.plain_w) = (u[i], w[i]);
            (row.next_u, row.next_w) = (u[i], w[i]);
            if b > 0.0 {
                row.next_u = (u[i] * further_u[i]).min(0.5 / eps.sqrt());
                row.next_w = (w[i] * further_w[i]).max(2.0 * eps.sqrt());
            }
        }
    }
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
    fn add_sample(&mut self, residual: f64, length: f64, dot: f64) {
        self.loss += residual;
        self.dual += dot;
        self.longest = self.longest.max(length);
        let cap = length.max(1.0);
        self.cut += dot / cap;
        self.cut_off += (length - length / cap).powi(2);
    }

    fn merge(&mut self, other: Fit) {
        self.loss += other.loss;
        self.dual += other.dual;
        self.longest = self.longest.max(other.longest);
        self.cut += other.cut;
        self.cut_off += other.cut_off;
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
#[derive(Clone, Copy, Default)]
pub(crate) struct RowSums {
    /// sum_n |a^n|_2.
    pub norms: f64,
    /// max_n |x_n' D|_2 / gamma.
    pub growth: f64,
}

impl RowSums {
    fn merge(&mut self, other: RowSums) {
        self.norms += other.norms;
        self.growth = self.growth.max(other.growth);
    }
}

/// The solution, ready to be scored.
pub(crate) struct Parts<T> {
    /// w_n / 2 = sqrt(|a^n|^2 + eps).
    pub weights: Vec<f64>,
    /// d_n = 2 u_n (x_n - X a_n), one row a sample: A[n][m] = weights[n] <x_n, d_m> / gamma.
    pub dual: Vec<T>,
    pub row_norms: Vec<f64>,
    pub residuals: Vec<f64>,
}

impl<'a, T: Float> State<'a, T> {
    /// u = 1/2 and w = 2 for all: the weights of |a^n| = 1 and residuals of 1.
    pub fn new(X: &'a Samples<'a, T>, team: &'a Team, eps: f64) -> Self {
        let L = X.features();
        let (u, w) = (0.5, 2.0);
        let row = Row { u, w, next_u: u, next_w: w, plain_u: u, plain_w: w, residual: 0.0, norm: 1.0 };
        let rows = vec![row; X.items()];
        let weight = |_: usize, _: &[T]| 2.0;
        let S = linalg::weighted_gram(X, team, weight);
        State { X, team, eps, rows, S, d: Vec::new(), Q: Mat::new(), H: Mat::zeros(L, L) }
    }

    /// The numerical rank of X; at the start S is 2 sum_n x_n x_n'.
    pub fn rank(&self) -> usize {
        linalg::numerical_rank(self.S.as_ref())
    }

    /// max_n |x_n' D|_2 for d_n = x_n / |x_n|: beyond it A = 0 is optimal.
    pub fn gamma_max(&self) -> f64 {
        let inverse_square = |_: usize, x: &[T]| match linalg::norm_squared(x) {
            0.0 => 0.0,
            square => 1.0 / square,
        };
        let gram = linalg::weighted_gram(self.X, self.team, inverse_square);
        let root = linalg::lower_root(gram.as_ref());
        linalg::quadratic_forms(self.X, self.team, root.as_ref()).into_iter().fold(0.0, f64::max).sqrt()
    }

    /// S = Q D Q'; the weights made by the last iteration come into use.
    pub fn update_eigen(&mut self) {
        (self.d, self.Q) = linalg::eigen(self.S.as_ref());
        for row in &mut self.rows {
            (row.u, row.w) = (row.next_u, row.next_w);
        }
    }

    /// With y_n = Q' x_n: m_n = u_n y_n / (u_n d + gamma), x_n - X a_n = Q (gamma y_n / (u_n d + gamma)).
    pub fn update_a(&mut self, gamma: f64) -> Fit {
        let (X, L, d) = (self.X, self.X.features(), &self.d);
        let Q = linalg::cast::<T>(self.Q.as_ref());
        let visit = |sum: &mut (Fit, GramSum<T>, Vec<T>), range: Range<usize>, rows: &mut [Row]| {
            let (fit, gram, scratch) = sum;
            rotate(X, range, Q.as_ref(), scratch);
            vectorised(
                #[inline(always)]
                || {
                    for (y, row) in scratch.chunks_exact_mut(L).zip(rows.iter_mut()) {
                        let (square, dot) = divide(y, d, row.u, gamma);
                        row.residual = gamma * square.sqrt();
                        fit.add_sample(row.residual, 2.0 * row.u * row.residual, 2.0 * row.u * gamma * dot);
                    }
                },
            );
            gram.add(MatRef::from_row_major_slice(scratch, rows.len(), L));
        };
        let merge = |a: &mut (Fit, GramSum<T>, Vec<T>), b: &mut (Fit, GramSum<T>, Vec<T>)| {
            a.0.merge(std::mem::take(&mut b.0));
            a.1.merge(&mut b.1);
        };
        let start = || (Fit::default(), GramSum::new(L), Vec::new());
        let (fit, gram, _) = self.team.fold_mut(&mut self.rows, 1, start, visit, merge);
        self.H = gram.finish();
        fit
    }

    /// |a^n|^2 = w_n^2 x_n' Q H Q' x_n; then u_n = 1 / (2 sqrt(|r_n|^2 + eps)), w_n = 2 sqrt(|a^n|^2 + eps), S.
    pub fn update_weights(&mut self, b: f64) -> RowSums {
        let (X, L, eps) = (self.X, self.X.features(), self.eps);
        let in_place = &self.Q * &self.H * self.Q.transpose();
        let C = linalg::cast::<T>(linalg::lower_root(in_place.as_ref()).as_ref());
        let visit = |sum: &mut (RowSums, GramSum<T>, Vec<T>), range: Range<usize>, rows: &mut [Row]| {
            let (sums, gram, scratch) = sum;
            let block = X.block(range);
            linalg::times_lower(block.mat(), C.as_ref(), scratch);
            vectorised(
                #[inline(always)]
                || {
                    for (row, form) in rows.iter_mut().zip(scratch.chunks_exact(L)) {
                        row.norm = row.w * linalg::norm_squared(form).sqrt();
                    }
                },
            );
            for row in rows.iter_mut() {
                sums.norms += row.norm;
                sums.growth = sums.growth.max(2.0 * row.norm / row.w);
            }
            vectorised(
                #[inline(always)]
                || push_weights(rows, b, eps),
            );
            linalg::weigh(&block.values, rows.iter().map(|row| row.next_w), scratch);
            gram.add(MatRef::from_row_major_slice(scratch, block.rows, L));
        };
        let merge = |a: &mut (RowSums, GramSum<T>, Vec<T>), b: &mut (RowSums, GramSum<T>, Vec<T>)| {
            a.0.merge(std::mem::take(&mut b.0));
            a.1.merge(&mut b.1);
        };
        let start = || (RowSums::default(), GramSum::new(L), Vec::new());
        let (sums, gram, _) = self.team.fold_mut(&mut self.rows, 1, start, visit, merge);
        self.S = gram.finish();
        sums
    }

    /// d_n = 2 gamma Q m_n: the solution and the certificate in one.
    pub fn finish(self, gamma: f64) -> Parts<T> {
        let (X, L, d, rows) = (self.X, self.X.features(), &self.d, &self.rows);
        let Q = linalg::cast::<T>(self.Q.as_ref());
        let mut dual = vec![T::from_f64(0.0); X.items() * L];
        let visit = |scratch: &mut Vec<T>, range: Range<usize>, own: &mut [T]| {
            rotate(X, range.clone(), Q.as_ref(), scratch);
            for (y, row) in scratch.chunks_exact_mut(L).zip(&rows[range.clone()]) {
                for (y, d) in y.iter_mut().zip(d) {
                    *y = T::from_f64(2.0 * gamma * row.u * y.to_f64() / (row.u * d + gamma));
                }
            }
            let m = MatRef::from_row_major_slice(scratch, range.len(), L);
            linalg::product(MatMut::from_row_major_slice_mut(own, range.len(), L), m, Q.transpose(), 1.0);
        };
        self.team.fold_mut(&mut dual, L, Vec::new, visit, |_, _| ());
        Parts {
            weights: rows.iter().map(|row| row.w / 2.0).collect(),
            row_norms: rows.iter().map(|row| row.norm).collect(),
            residuals: rows.iter().map(|row| row.residual).collect(),
            dual,
        }
    }

    /// max_n |x_n|_2.
    pub fn longest_sample(&self) -> f64 {
        let visit = |longest: &mut f64, range: Range<usize>| {
            let block = self.X.block(range);
            *longest = block.values.chunks_exact(block.columns).map(linalg::norm_squared).fold(*longest, f64::max);
        };
        self.team.fold(|| 0.0, visit, |a, b| *a = f64::max(*a, *b)).sqrt()
    }
}

/// y becomes m = u y / (u d + gamma); the sums of (y / (u d + gamma))^2 and y^2 / (u d + gamma).
#[inline(always)]
fn divide<T: Float>(y: &mut [T], d: &[f64], u: f64, gamma: f64) -> (f64, f64) {
    let (mut squares, mut dots) = ([0.0; LANES], [0.0; LANES]);
    let mut one = |i: usize, y: &mut T, d: f64| {
        let share = y.to_f64() / (u * d + gamma);
        squares[i] += share * share;
        dots[i] += share * y.to_f64();
        *y = T::from_f64(u * share);
    };
    let ((y, y_rest), (d, d_rest)) = (y.as_chunks_mut::<LANES>(), d.as_chunks::<LANES>());
    for (y, d) in y.iter_mut().zip(d) {
        for i in 0..LANES {
            one(i, &mut y[i], d[i]);
        }
    }
    y_rest.iter_mut().zip(d_rest).enumerate().for_each(|(i, (y, &d))| one(i, y, d));
    (squares.iter().sum(), dots.iter().sum())
}

/// Y = X Q for a block of samples.
fn rotate<T: Float>(X: &Samples<'_, T>, range: Range<usize>, Q: MatRef<'_, T>, scratch: &mut Vec<T>) {
    let block = X.block(range);
    scratch.resize(block.values.len(), T::from_f64(0.0));
    let Y = MatMut::from_row_major_slice_mut(scratch, block.rows, block.columns);
    linalg::product(Y, block.mat(), Q, 1.0);
}
