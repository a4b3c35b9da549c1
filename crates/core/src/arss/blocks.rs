//! The steps of Algorithm 2 for N > L on a block of rows. The state: P as the values, and three numbers a row.

use faer::{Mat, MatMut, MatRef};

use super::entries::{Kernel, Sweep, sweep_entries};
use super::weights::{RowSums, next_weights};
use crate::lanes::{LANES, vectorised};
use crate::pass::{Access, Batch, Kind, Own, Partial, Request, Sums, Visit};
use crate::{Float, linalg};

/// Numbers a row: w_n = 1 / V_nn = sqrt(|a^n|^2 + eps) from the row before, |a^n|_2, |x_n - X a_n|_2.
pub(crate) const WIDTH: usize = 3;
pub(crate) const WEIGHT: usize = 0;
pub(crate) const NORM: usize = 1;
pub(crate) const RESIDUAL: usize = 2;

/// Step 1: A = I, Lambda = 0, so that |a^n| = 1, E = 0 and P = X; and S.
pub(crate) struct Start {
    weight: f64,
}

impl Start {
    pub fn request(eps: f64) -> Request {
        Request::new(Kind::ArssStart, WIDTH).numbers([(1.0 + eps).sqrt()])
    }

    pub fn read(request: &Request) -> Self {
        Start { weight: request.numbers[0] }
    }
}

impl<T: Float> Visit<T> for Start {
    fn access(&self) -> (Access, Access) {
        (Access::Change, Access::Change)
    }

    fn start(&self, features: usize) -> Partial<T> {
        Partial::new(0, 0).with_gram(features)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        own.values.copy_from_slice(batch.values);
        own.numbers.as_chunks_mut::<WIDTH>().0.fill([self.weight, 1.0, 0.0]);
        linalg::weigh(batch.values, std::iter::repeat_n(self.weight, batch.rows), &mut sums.scratch);
        sums.gram.add(batch.matrix_of(&sums.scratch));
    }
}

/// sum_n sign(x_n) sign(x_n)', the sum of |x| and the square of the longest row.
pub(crate) struct Signs;

impl Signs {
    pub fn request() -> Request {
        Request::new(Kind::ArssSigns, WIDTH)
    }

    pub fn read(_: &Request) -> Self {
        Signs
    }
}

impl<T: Float> Visit<T> for Signs {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::None)
    }

    fn start(&self, features: usize) -> Partial<T> {
        Partial::new(1, 1).with_gram(features)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, _: Own<'_, T>) {
        let sign = |x: &T| T::from_f64(f64::from(i8::from(x.to_f64() > 0.0) - i8::from(x.to_f64() < 0.0)));
        sums.scratch.clear();
        sums.scratch.extend(batch.values.iter().map(sign));
        sums.gram.add(batch.matrix_of(&sums.scratch));
        sums.add[0] += batch.values.iter().map(|x| x.to_f64().abs()).sum::<f64>();
        sums.max[0] = batch.lines().map(linalg::norm_squared).fold(sums.max[0], f64::max);
    }
}

/// Steps 7, 3 and 5: Lambda = -mu T P, which is Eq. (6) with the A-step inserted; then E, P, and sum lambda lambda'.
pub(crate) struct Multiplier<T> {
    kernel: Kernel,
    keep: bool,
    T: Mat<T>,
}

impl<T: Float> Multiplier<T> {
    pub fn request(kernel: &Kernel, keep: bool, T: MatRef<'_, f64>) -> Request {
        let numbers = [f64::from(u8::from(keep))].into_iter().chain(kernel.numbers());
        Request::new(Kind::ArssMultiplier, WIDTH).numbers(numbers).matrix(T)
    }

    pub fn read(request: &Request) -> Self {
        let kernel = Kernel::from_numbers(&request.numbers[1..]);
        Multiplier { kernel, keep: request.flag(0), T: linalg::cast(request.matrices[0].as_ref()) }
    }
}

impl<T: Float> Visit<T> for Multiplier<T> {
    fn access(&self) -> (Access, Access) {
        (if self.keep { Access::Read } else { Access::Change }, Access::None)
    }

    fn start(&self, features: usize) -> Partial<T> {
        Partial::new(7, 1).with_gram(features)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let (P, lambda) = (own.values, &mut sums.scratch);
        lambda.resize(P.len(), self.T[(0, 0)]);
        let product = MatMut::from_row_major_slice_mut(lambda, batch.rows, batch.features);
        linalg::product(product, batch.matrix_of(P), self.T.as_ref(), -self.kernel.mu);
        sums.gram.add(batch.matrix_of(lambda));
        sweep_entries(&self.kernel, batch.values, lambda, P, self.keep).add_to(&mut sums.add, &mut sums.max);
    }
}

impl Sweep {
    fn add_to(&self, add: &mut [f64], max: &mut [f64]) {
        let sums =
            [self.loss, self.violation, self.lambda_squared, self.lambda_x, self.cut_x, self.cut_off, self.active];
        add.iter_mut().zip(sums).for_each(|(total, part)| *total += part);
        max[0] = max[0].max(self.lambda_max);
    }
}

impl From<&Sums> for Sweep {
    fn from(sums: &Sums) -> Self {
        let [loss, violation, lambda_squared, lambda_x, cut_x, cut_off, active] =
            std::array::from_fn(|at| sums.add[at]);
        Sweep { loss, violation, lambda_squared, lambda_max: sums.max[0], lambda_x, cut_x, cut_off, active }
    }
}

/// Step 4: |a^n|^2 = w_n^2 |C' x_n|^2 / gamma^2 and, unless `keep`, the next weights and S.
pub(crate) struct Weights<T> {
    pub gamma: f64,
    pub eps: f64,
    pub relaxation: f64,
    pub keep: bool,
    /// C C' = sum lambda lambda'.
    pub C: Mat<T>,
}

impl Weights<f64> {
    pub fn request(&self) -> Request {
        let numbers = [f64::from(u8::from(self.keep)), self.gamma, self.eps, self.relaxation];
        Request::new(Kind::ArssWeights, WIDTH).numbers(numbers).matrix(self.C.as_ref())
    }
}

impl<T: Float> Weights<T> {
    pub fn read(request: &Request) -> Self {
        let [_, gamma, eps, relaxation] = std::array::from_fn(|at| request.numbers[at]);
        let C = linalg::cast(request.matrices[0].as_ref());
        Weights { gamma, eps, relaxation, keep: request.flag(0), C }
    }
}

/// The weights of the next iteration.
#[inline(always)]
fn push_weights(rows: &mut [[f64; WIDTH]], eps: f64, relaxation: f64) {
    for rows in rows.chunks_mut(LANES) {
        let (mut weights, mut norms) = ([1.0; LANES], [1.0; LANES]);
        for (i, row) in rows.iter().enumerate() {
            (weights[i], norms[i]) = (row[WEIGHT], row[NORM]);
        }
        let next = next_weights(&weights, &norms, eps, relaxation);
        rows.iter_mut().zip(next).for_each(|(row, next)| row[WEIGHT] = next);
    }
}

impl<T: Float> Visit<T> for Weights<T> {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Change)
    }

    fn start(&self, features: usize) -> Partial<T> {
        Partial::new(2, 1).with_gram(if self.keep { 0 } else { features })
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let (rows, scratch, gamma) = (own.numbers.as_chunks_mut::<WIDTH>().0, &mut sums.scratch, self.gamma);
        linalg::times_lower(batch.mat(), self.C.as_ref(), scratch);
        vectorised(
            #[inline(always)]
            || {
                for (row, form) in rows.iter_mut().zip(scratch.chunks_exact(batch.features)) {
                    row[NORM] = row[WEIGHT] * linalg::norm_squared(form).sqrt() / gamma;
                }
            },
        );
        let mut found = RowSums { norms: sums.add[0], change: sums.add[1], growth: sums.max[0] };
        rows.iter().for_each(|row| found.add_row(row[NORM], row[WEIGHT]));
        (sums.add[0], sums.add[1], sums.max[0]) = (found.norms, found.change, found.growth);
        if !self.keep {
            vectorised(
                #[inline(always)]
                || push_weights(rows, self.eps, self.relaxation),
            );
            linalg::weigh(batch.values, rows.iter().map(|row| row[WEIGHT]), scratch);
            sums.gram.add(batch.matrix_of(scratch));
        }
    }
}

impl From<&Sums> for RowSums {
    fn from(sums: &Sums) -> Self {
        RowSums { norms: sums.add[0], change: sums.add[1], growth: sums.max[0] }
    }
}

/// P becomes D = -Lambda = mu T P; residuals from XA = S D / gamma.
pub(crate) struct Finish<T> {
    mu: f64,
    gamma: f64,
    T: Mat<T>,
    S: Mat<T>,
}

impl<T: Float> Finish<T> {
    pub fn request(mu: f64, gamma: f64, T: MatRef<'_, f64>, S: MatRef<'_, f64>) -> Request {
        Request::new(Kind::ArssFinish, WIDTH).numbers([mu, gamma]).matrix(T).matrix(S)
    }

    pub fn read(request: &Request) -> Self {
        let [T, S] = [0, 1].map(|at| linalg::cast(request.matrices[at].as_ref()));
        Finish { mu: request.numbers[0], gamma: request.numbers[1], T, S }
    }
}

impl<T: Float> Visit<T> for Finish<T> {
    fn access(&self) -> (Access, Access) {
        (Access::Change, Access::Change)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 0)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let (P, scratch, L) = (own.values, &mut sums.scratch, batch.features);
        scratch.resize(P.len(), self.T[(0, 0)]);
        let D = MatMut::from_row_major_slice_mut(scratch, batch.rows, L);
        linalg::product(D, batch.matrix_of(P), self.T.as_ref(), self.mu);
        P.copy_from_slice(scratch);
        let R = MatMut::from_row_major_slice_mut(scratch, batch.rows, L);
        linalg::product(R, batch.matrix_of(P), self.S.as_ref(), 1.0 / self.gamma);
        let rest = |(x, r): (&[T], &[T])| x.iter().zip(r).map(|(x, r)| (x.to_f64() - r.to_f64()).powi(2)).sum();
        let squares = batch.lines().zip(scratch.chunks_exact(L)).map(rest);
        own.numbers
            .chunks_exact_mut(WIDTH)
            .zip(squares)
            .for_each(|(row, square): (_, f64)| row[RESIDUAL] = square.sqrt());
    }
}
