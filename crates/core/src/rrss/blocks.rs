//! The steps of the re-weighting on a block of rows. The state: eight numbers a row; at the end the dual as the values.

use faer::{Mat, MatMut, MatRef};

use super::steps::Fit;
use crate::lanes::{LANES, power, vectorised};
use crate::pass::{Access, Batch, Kind, Own, Partial, Request, Visit};
use crate::{Float, linalg};

/// Numbers a row: u_n = U_nn and w_n = 1 / V_nn in use, both for the next iteration, both of these before
/// any momentum, |x_n - X a_n|_2 and |a^n|_2.
pub(crate) const WIDTH: usize = 8;
const U: usize = 0;
pub(crate) const W: usize = 1;
const NEXT_U: usize = 2;
const NEXT_W: usize = 3;
const PLAIN_U: usize = 4;
const PLAIN_W: usize = 5;
pub(crate) const RESIDUAL: usize = 6;
pub(crate) const NORM: usize = 7;

/// u = 1/2 and w = 2 for all: the weights of |a^n| = 1 and residuals of 1; and S.
pub(crate) struct Start;

impl Start {
    pub fn request() -> Request {
        Request::new(Kind::RrssStart, WIDTH)
    }

    pub fn read(_: &Request) -> Self {
        Start
    }
}

impl<T: Float> Visit<T> for Start {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Change)
    }

    fn start(&self, features: usize) -> Partial<T> {
        Partial::new(0, 0).with_gram(features)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        own.numbers.as_chunks_mut::<WIDTH>().0.fill([0.5, 2.0, 0.5, 2.0, 0.5, 2.0, 0.0, 1.0]);
        linalg::weigh(batch.values, std::iter::repeat_n(2.0, batch.rows), &mut sums.scratch);
        sums.gram.add(batch.matrix_of(&sums.scratch));
    }
}

/// The eigenvectors and eigenvalues of S, and gamma: what all systems have in common.
struct Systems<T> {
    gamma: f64,
    d: Vec<f64>,
    Q: Mat<T>,
}

impl<T: Float> Systems<T> {
    fn request(kind: Kind, gamma: f64, d: &[f64], Q: MatRef<'_, f64>) -> Request {
        Request::new(kind, WIDTH).numbers([gamma].into_iter().chain(d.iter().copied())).matrix(Q)
    }

    fn read(request: &Request) -> Self {
        let (gamma, d) = (request.numbers[0], request.numbers[1..].to_vec());
        Systems { gamma, d, Q: linalg::cast(request.matrices[0].as_ref()) }
    }

    /// Y = X Q.
    fn rotate(&self, batch: &Batch<'_, T>, scratch: &mut Vec<T>) {
        scratch.resize(batch.values.len(), T::from_f64(0.0));
        let Y = MatMut::from_row_major_slice_mut(scratch, batch.rows, batch.features);
        linalg::product(Y, batch.mat(), self.Q.as_ref(), 1.0);
    }
}

/// The weights made by the last iteration come into use. Then with y_n = Q' x_n: m_n = u_n y_n / (u_n d + gamma),
/// x_n - X a_n = Q (gamma y_n / (u_n d + gamma)), and sum m m' in the basis Q.
pub(crate) struct Solve<T>(Systems<T>);

impl<T: Float> Solve<T> {
    pub fn request(gamma: f64, d: &[f64], Q: MatRef<'_, f64>) -> Request {
        Systems::<T>::request(Kind::RrssFit, gamma, d, Q)
    }

    pub fn read(request: &Request) -> Self {
        Solve(Systems::read(request))
    }
}

impl<T: Float> Visit<T> for Solve<T> {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Change)
    }

    fn start(&self, features: usize) -> Partial<T> {
        Partial::new(4, 1).with_gram(features)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let Systems { gamma, d, .. } = &self.0;
        let rows = own.numbers.as_chunks_mut::<WIDTH>().0;
        self.0.rotate(batch, &mut sums.scratch);
        let mut fit = Fit::read(&sums.add, &sums.max);
        let scratch = &mut sums.scratch;
        vectorised(
            #[inline(always)]
            || {
                for (y, row) in scratch.chunks_exact_mut(batch.features).zip(rows) {
                    (row[U], row[W]) = (row[NEXT_U], row[NEXT_W]);
                    let (square, dot) = divide(y, d, row[U], *gamma);
                    row[RESIDUAL] = gamma * square.sqrt();
                    fit.add_sample(row[RESIDUAL], 2.0 * row[U] * row[RESIDUAL], 2.0 * row[U] * gamma * dot);
                }
            },
        );
        fit.write(&mut sums.add, &mut sums.max);
        sums.gram.add(batch.matrix_of(&sums.scratch));
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

/// |a^n|^2 = w_n^2 |C' x_n|^2; then u_n = 1 / (2 sqrt(|r_n|^2 + eps)), w_n = 2 sqrt(|a^n|^2 + eps), S.
pub(crate) struct Weights<T> {
    momentum: f64,
    eps: f64,
    /// C C' = Q (sum m m') Q'.
    C: Mat<T>,
}

impl<T: Float> Weights<T> {
    pub fn request(momentum: f64, eps: f64, C: MatRef<'_, f64>) -> Request {
        Request::new(Kind::RrssWeights, WIDTH).numbers([momentum, eps]).matrix(C)
    }

    pub fn read(request: &Request) -> Self {
        let C = linalg::cast(request.matrices[0].as_ref());
        Weights { momentum: request.numbers[0], eps: request.numbers[1], C }
    }
}

/// The weights of the next iteration, with momentum b: both go further the way they went, in logarithms.
#[inline(always)]
fn push_weights(rows: &mut [[f64; WIDTH]], b: f64, eps: f64) {
    for rows in rows.chunks_mut(LANES) {
        let (mut u, mut w) = ([1.0; LANES], [1.0; LANES]);
        let (mut further_u, mut further_w) = (u, w);
        for (i, row) in rows.iter().enumerate() {
            u[i] = 0.5 / (row[RESIDUAL] * row[RESIDUAL] + eps).sqrt();
            w[i] = 2.0 * (row[NORM] * row[NORM] + eps).sqrt();
            (further_u[i], further_w[i]) = (u[i] / row[PLAIN_U], w[i] / row[PLAIN_W]);
        }
        if b > 0.0 {
            (further_u, further_w) = (power(&further_u, b), power(&further_w, b));
        }
        for (i, row) in rows.iter_mut().enumerate() {
            (row[PLAIN_U], row[PLAIN_W]) = (u[i], w[i]);
            (row[NEXT_U], row[NEXT_W]) = (u[i], w[i]);
            if b > 0.0 {
                row[NEXT_U] = (u[i] * further_u[i]).min(0.5 / eps.sqrt());
                row[NEXT_W] = (w[i] * further_w[i]).max(2.0 * eps.sqrt());
            }
        }
    }
}

impl<T: Float> Visit<T> for Weights<T> {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Change)
    }

    fn start(&self, features: usize) -> Partial<T> {
        Partial::new(1, 1).with_gram(features)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let (rows, scratch) = (own.numbers.as_chunks_mut::<WIDTH>().0, &mut sums.scratch);
        linalg::times_lower(batch.mat(), self.C.as_ref(), scratch);
        vectorised(
            #[inline(always)]
            || {
                for (row, form) in rows.iter_mut().zip(scratch.chunks_exact(batch.features)) {
                    row[NORM] = row[W] * linalg::norm_squared(form).sqrt();
                }
            },
        );
        for row in rows.iter() {
            sums.add[0] += row[NORM];
            sums.max[0] = sums.max[0].max(2.0 * row[NORM] / row[W]);
        }
        vectorised(
            #[inline(always)]
            || push_weights(rows, self.momentum, self.eps),
        );
        linalg::weigh(batch.values, rows.iter().map(|row| row[NEXT_W]), scratch);
        sums.gram.add(batch.matrix_of(scratch));
    }
}

/// d_n = 2 gamma Q m_n: the solution and the certificate in one.
pub(crate) struct Finish<T>(Systems<T>);

impl<T: Float> Finish<T> {
    pub fn request(gamma: f64, d: &[f64], Q: MatRef<'_, f64>) -> Request {
        Systems::<T>::request(Kind::RrssFinish, gamma, d, Q)
    }

    pub fn read(request: &Request) -> Self {
        Finish(Systems::read(request))
    }
}

impl<T: Float> Visit<T> for Finish<T> {
    fn access(&self) -> (Access, Access) {
        (Access::Change, Access::Read)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 0)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let Systems { gamma, d, Q } = &self.0;
        let scratch = &mut sums.scratch;
        self.0.rotate(batch, scratch);
        for (y, row) in scratch.chunks_exact_mut(batch.features).zip(own.numbers.as_chunks::<WIDTH>().0) {
            for (y, d) in y.iter_mut().zip(d) {
                *y = T::from_f64(2.0 * gamma * row[U] * y.to_f64() / (row[U] * d + gamma));
            }
        }
        let dual = MatMut::from_row_major_slice_mut(own.values, batch.rows, batch.features);
        linalg::product(dual, batch.matrix_of(scratch), Q.transpose(), 1.0);
    }
}
