//! The steps of the re-weighting on a block of rows. The state: seven numbers per row; at the end the dual as the values.

use faer::{MatMut, MatRef};
use serde::{Deserialize, Serialize};

use super::state::Fit;
use crate::exec::{
    Access, Accumulator, BlockState, BlockStep, Matrix, Needs, OutputShape, RowBlock, StepSpec, damaged,
};
use crate::linalg::simd::{LANES, power, vectorised};
use crate::models::momentum::further;
use crate::models::newton::{self, Given};
use crate::{Error, Float, linalg};

/// Numbers per row: u_n = U_nn and w_n = 1 / V_nn in use, both for the next iteration, the factor by which
/// w_n moved, |x_n - X a_n|_2 and |a^n|_2.
pub(crate) const WIDTH: usize = 7;
const U: usize = 0;
pub(crate) const W: usize = 1;
const NEXT_U: usize = 2;
const NEXT_W: usize = 3;
const FACTOR: usize = 4;
pub(crate) const RESIDUAL: usize = 5;
pub(crate) const NORM: usize = 6;
/// At the end, when there is no next iteration, a bound of |a^n|_1.
pub(crate) const BOUND: usize = NEXT_U;

/// u = 1/2 and w = 2 for all: the weights of |a^n| = 1 and residuals of 1; and S.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Start;

impl StepSpec for Start {
    fn needs(&self) -> Needs {
        Needs::ROWS.numbers(Access::Change, WIDTH)
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { gram: features, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

impl<T: Float> BlockStep<T> for Start {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        state.numbers.as_chunks_mut::<WIDTH>().0.fill([0.5, 2.0, 0.5, 2.0, 1.0, 0.0, 1.0]);
        linalg::weigh(block.values, std::iter::repeat_n(2.0, block.rows), &mut sums.scratch.values);
        sums.gram.add(block.matrix_of(&sums.scratch.values));
    }
}

/// The eigenvectors and eigenvalues of S, and gamma: what all systems have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct Systems<T = f64> {
    pub gamma: f64,
    pub d: Vec<f64>,
    pub Q: Matrix<T>,
}

impl Systems {
    pub fn new(gamma: f64, d: &[f64], Q: MatRef<'_, f64>) -> Self {
        Systems { gamma, d: d.to_vec(), Q: Matrix(Q.to_owned()) }
    }

    fn cast<T: Float>(&self) -> Systems<T> {
        Systems { gamma: self.gamma, d: self.d.clone(), Q: self.Q.cast() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        if self.d.len() != features {
            return Err(damaged());
        }
        self.Q.check(features, features)
    }
}

impl<T: Float> Systems<T> {
    /// Y = X Q.
    fn rotate(&self, block: &RowBlock<'_, T>, scratch: &mut Vec<T>) {
        scratch.resize(block.values.len(), T::from_f64(0.0));
        let Y = MatMut::from_row_major_slice_mut(scratch, block.rows, block.features);
        linalg::product(Y, block.mat(), self.Q.0.as_ref(), 1.0);
    }
}

/// The weights made by the last iteration come into use. Then with y_n = Q' x_n: m_n = u_n y_n / (u_n d + gamma),
/// x_n - X a_n = Q (gamma y_n / (u_n d + gamma)), and sum m m' in the basis Q.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct Solve<T = f64> {
    pub systems: Systems<T>,
    /// u_n is first brought to what S makes of it; the largest that it may become. None for the published weights.
    pub settle: Option<f64>,
}

impl Solve {
    pub fn cast<T: Float>(&self) -> Solve<T> {
        Solve { systems: self.systems.cast(), settle: self.settle }
    }
}

impl StepSpec for Solve {
    fn needs(&self) -> Needs {
        Needs::ROWS.numbers(Access::Change, WIDTH)
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { gram: features, sums: 4, maxima: 1, ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.systems.check(features)
    }
}

impl<T: Float> BlockStep<T> for Solve<T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let Systems { gamma, d, .. } = &self.systems;
        let rows = state.numbers.as_chunks_mut::<WIDTH>().0;
        let scratch = &mut sums.scratch.values;
        self.systems.rotate(block, scratch);
        let mut fit = Fit::read(&sums.sums, &sums.maxima);
        vectorised(
            #[inline(always)]
            || {
                for (y, row) in scratch.chunks_exact_mut(block.features).zip(rows) {
                    (row[U], row[W]) = (row[NEXT_U], row[NEXT_W]);
                    if let Some(most) = self.settle {
                        row[U] = settled(y, d, (row[U], most), *gamma);
                    }
                    let (square, dot) = divide(y, d, row[U], *gamma);
                    row[RESIDUAL] = gamma * square.sqrt();
                    fit.add_sample(row[RESIDUAL], 2.0 * row[U] * row[RESIDUAL], 2.0 * row[U] * gamma * dot);
                }
            },
        );
        fit.write(&mut sums.sums, &mut sums.maxima);
        sums.gram.add(block.matrix_of(scratch));
    }
}

/// u after one of Newton's steps towards |d_n| = 1, where d_n = 2 gamma y_n / (d + lambda) with lambda = gamma / u: the weight that
/// re-weighting would end at if S stayed as it is. In 1 / |d_n| the equation is nearly a line, so a step that starts from the
/// last iteration's u is as good as all of them (NumPy, ten cases: .59 of the iterations before, .57 with the exact root).
#[inline(always)]
fn settled<T: Float>(y: &[T], d: &[f64], (u, most): (f64, f64), gamma: f64) -> f64 {
    let (mut squares, mut slopes) = ([0.0; LANES], [0.0; LANES]);
    let mut one = |i: usize, y: &T, d: f64| {
        let inverse = 1.0 / (u * d + gamma);
        let square = y.to_f64() * y.to_f64() * (inverse * inverse);
        squares[i] += square;
        slopes[i] += square * inverse;
    };
    let ((y, y_rest), (d, d_rest)) = (y.as_chunks::<LANES>(), d.as_chunks::<LANES>());
    for (y, d) in y.iter().zip(d) {
        for i in 0..LANES {
            one(i, &y[i], d[i]);
        }
    }
    y_rest.iter().zip(d_rest).enumerate().for_each(|(i, (y, &d))| one(i, y, d));
    let (square, slope): (f64, f64) = (squares.iter().sum(), slopes.iter().sum());
    if !(square > 0.0 && slope > 0.0) {
        return u;
    }
    let length = 2.0 * gamma * u * square.sqrt();
    // lambda times what follows is the next lambda; it may fall to a twentieth at most.
    let factor = (1.0 + (length - 1.0) * square / (gamma * slope)).max(0.05);
    (u / factor).min(most)
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct Weights<T = f64> {
    /// The momentum of w_n where u_n is settled by itself. None for the published weights.
    pub momentum: Option<f64>,
    pub eps: f64,
    /// C C' = Q (sum m m') Q'.
    pub C: Matrix<T>,
    /// Rows whose w_n in use is another than the last iteration made, in order.
    pub given: Vec<Given>,
    /// Rows to bring back, those with the largest |x_n' D|.
    pub wanted: usize,
}

impl Weights {
    pub fn cast<T: Float>(&self) -> Weights<T> {
        let Weights { momentum, eps, C, given, wanted } = self;
        Weights { momentum: *momentum, eps: *eps, C: C.cast(), given: given.clone(), wanted: *wanted }
    }
}

/// Rows whose |x_n' D| is beyond this share of gamma may take one of Newton's steps.
const NEAR: f64 = 0.8;
/// Over-relaxation of the weights: w <- w (2 |a| / w)^1.5.
const RELAXATION: f64 = 1.5;

/// The weights of the next iteration: those of the new A, as published, or w further the way it goes. With momentum b a weight that
/// goes the same way as in the iteration before goes on with the power b of its last factor.
#[inline(always)]
fn push_weights(rows: &mut [[f64; WIDTH]], momentum: Option<f64>, eps: f64) {
    let Some(b) = momentum else {
        for row in rows {
            row[NEXT_U] = 0.5 / (row[RESIDUAL] * row[RESIDUAL] + eps).sqrt();
            row[NEXT_W] = 2.0 * (row[NORM] * row[NORM] + eps).sqrt();
        }
        return;
    };
    for rows in rows.chunks_mut(LANES) {
        let (mut factors, mut last) = ([1.0; LANES], [1.0; LANES]);
        for (i, row) in rows.iter().enumerate() {
            factors[i] = 2.0 * (row[NORM] * row[NORM] + eps).sqrt() / row[W];
            last[i] = row[FACTOR];
        }
        let factors = further(&power(&factors, RELAXATION), &last, b);
        for (i, row) in rows.iter_mut().enumerate() {
            row[FACTOR] = factors[i];
            row[NEXT_U] = row[U];
            row[NEXT_W] = (row[W] * factors[i]).max(2.0 * eps.sqrt());
        }
    }
}

impl StepSpec for Weights {
    fn needs(&self) -> Needs {
        Needs::ROWS.numbers(Access::Change, WIDTH)
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape {
            gram: features,
            sums: 1,
            maxima: 1,
            keep: self.wanted,
            row: features + 2,
            ..OutputShape::default()
        }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.C.check(features, features)
    }
}

impl<T: Float> BlockStep<T> for Weights<T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let (rows, scratch) = (state.numbers.as_chunks_mut::<WIDTH>().0, &mut sums.scratch.values);
        for (at, one) in newton::given_in(&self.given, block.first, block.rows) {
            (rows[at][W], rows[at][FACTOR]) = (one.weight, one.factor);
        }
        linalg::times_lower(block.mat(), self.C.0.as_ref(), scratch);
        vectorised(
            #[inline(always)]
            || {
                for (row, form) in rows.iter_mut().zip(scratch.chunks_exact(block.features)) {
                    row[NORM] = row[W] * linalg::norm_squared(form).sqrt();
                }
            },
        );
        for row in rows.iter() {
            sums.sums[0] += row[NORM];
            sums.maxima[0] = sums.maxima[0].max(2.0 * row[NORM] / row[W]);
        }
        vectorised(
            #[inline(always)]
            || push_weights(rows, self.momentum, self.eps),
        );
        linalg::weigh(block.values, rows.iter().map(|row| row[NEXT_W]), scratch);
        sums.gram.add(block.matrix_of(scratch));
        if self.wanted > 0 {
            let sizes = rows.iter().map(|row| (2.0 * row[NORM] / row[W], [row[W], row[NEXT_W]]));
            newton::offer(&mut sums.rows, block, NEAR, sizes);
        }
    }
}

/// d_n = 2 gamma Q m_n: the solution and the certificate in one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct Finish<T = f64>(pub Systems<T>);

impl Finish {
    pub fn cast<T: Float>(&self) -> Finish<T> {
        Finish(self.0.cast())
    }
}

impl StepSpec for Finish {
    fn needs(&self) -> Needs {
        Needs::ROWS.values(Access::Change).numbers(Access::Read, WIDTH)
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape::default()
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.0.check(features)
    }
}

impl<T: Float> BlockStep<T> for Finish<T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let Systems { gamma, d, Q } = &self.0;
        let scratch = &mut sums.scratch.values;
        self.0.rotate(block, scratch);
        for (y, row) in scratch.chunks_exact_mut(block.features).zip(state.numbers.as_chunks::<WIDTH>().0) {
            for (y, d) in y.iter_mut().zip(d) {
                *y = T::from_f64(2.0 * gamma * row[U] * y.to_f64() / (row[U] * d + gamma));
            }
        }
        let dual = MatMut::from_row_major_slice_mut(state.values, block.rows, block.features);
        linalg::product(dual, block.matrix_of(scratch), Q.0.transpose(), 1.0);
    }
}
