//! The steps of Algorithm 2 for N > L on a block of rows. The state: P as the values, and four numbers per row. While E is zero
//! P is known without them: see `silence.rs`.

use faer::MatMut;
use serde::{Deserialize, Serialize};

use super::e_step::{EStep, Sweep, sweep_entries, sweep_errors};
use super::weights::{Pace, RowSums, next_weights};
use crate::exec::{
    Access, Accumulator, BlockState, BlockStep, Matrix, Needs, OutputShape, PassResult, RowBlock, StepSpec,
};
use crate::linalg::simd::{LANES, vectorised};
use crate::models::newton::{self, Given};
use crate::{Error, Float, linalg};

/// Numbers per row: w_n = 1 / V_nn = sqrt(|a^n|^2 + eps) of the iteration before, |a^n|_2, |x_n - X a_n|_2, and
/// the factor by which w_n moved; at the end a bound of |a^n|_1 in its place.
pub(crate) const WIDTH: usize = 4;
pub(crate) const WEIGHT: usize = 0;
pub(crate) const NORM: usize = 1;
pub(crate) const RESIDUAL: usize = 2;
const FACTOR: usize = 3;
pub(crate) const BOUND: usize = FACTOR;

/// Step 1: A = I, Lambda = 0, so that |a^n| = 1, E = 0 and P = X, which is not written down yet. Returns S.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Start {
    weight: f64,
}

impl Start {
    pub fn new(eps: f64) -> Self {
        Start { weight: (1.0 + eps).sqrt() }
    }

    /// The weight that every row has in S.
    pub fn weight(self) -> f64 {
        self.weight
    }
}

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
        state.numbers.as_chunks_mut::<WIDTH>().0.fill([self.weight, 1.0, 0.0, 1.0]);
        linalg::weigh(block.values, std::iter::repeat_n(self.weight, block.rows), &mut sums.scratch.values);
        sums.gram.add(block.matrix_of(&sums.scratch.values));
    }
}

/// sum_n sign(x_n) sign(x_n)', the sum of |x| and the square of the longest row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Signs;

impl StepSpec for Signs {
    fn needs(&self) -> Needs {
        Needs::ROWS
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { gram: features, sums: 1, maxima: 1, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

impl<T: Float> BlockStep<T> for Signs {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, _: BlockState<'_, T>) {
        let sign = |x: &T| T::from_f64(f64::from(i8::from(x.to_f64() > 0.0) - i8::from(x.to_f64() < 0.0)));
        sums.scratch.values.clear();
        sums.scratch.values.extend(block.values.iter().map(sign));
        sums.gram.add(block.matrix_of(&sums.scratch.values));
        sums.sums[0] += block.values.iter().map(|x| x.to_f64().abs()).sum::<f64>();
        sums.maxima[0] = block.lines().map(linalg::norm_squared).fold(sums.maxima[0], f64::max);
    }
}

/// Steps 7, 3 and 5: Lambda = -mu T P, which is Eq. (6) with the A-step inserted; then E, P, and sum lambda lambda'.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct Multiplier<T = f64> {
    pub e_step: EStep,
    /// P stays that of this iteration.
    pub keep: bool,
    pub T: Matrix<T>,
}

impl Multiplier {
    pub fn cast<T: Float>(&self) -> Multiplier<T> {
        Multiplier { e_step: self.e_step.clone(), keep: self.keep, T: self.T.cast() }
    }
}

impl StepSpec for Multiplier {
    fn needs(&self) -> Needs {
        Needs::ROWS.values(if self.keep { Access::Read } else { Access::Change })
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { gram: features, sums: 7, maxima: 1, ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.e_step.check()?;
        self.T.check(features, features)
    }
}

impl<T: Float> BlockStep<T> for Multiplier<T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let (P, lambda) = (state.values, &mut sums.scratch.values);
        lambda.resize(P.len(), T::from_f64(0.0));
        let product = MatMut::from_row_major_slice_mut(lambda, block.rows, block.features);
        linalg::product(product, block.matrix_of(P), self.T.0.as_ref(), -self.e_step.mu);
        sums.gram.add(block.matrix_of(lambda));
        sweep_entries(&self.e_step, block.values, lambda, P, self.keep).add_to(&mut sums.sums, &mut sums.maxima);
    }
}

impl Sweep {
    fn add_to(&self, sums: &mut [f64], maxima: &mut [f64]) {
        let parts =
            [self.loss, self.violation, self.lambda_squared, self.lambda_x, self.cut_x, self.cut_off, self.active];
        sums.iter_mut().zip(parts).for_each(|(total, part)| *total += part);
        maxima[0] = maxima[0].max(self.lambda_max);
    }
}

impl From<&PassResult> for Sweep {
    fn from(result: &PassResult) -> Self {
        let [loss, violation, lambda_squared, lambda_x, cut_x, cut_off, active] = result.sums();
        Sweep { loss, violation, lambda_squared, lambda_max: result.maxima[0], lambda_x, cut_x, cut_off, active }
    }
}

/// Step 4: |a^n|^2 = w_n^2 |C' x_n|^2 / gamma^2 and, unless `keep`, the next weights and S.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct Weights<T = f64> {
    pub gamma: f64,
    pub eps: f64,
    pub pace: Pace,
    pub keep: bool,
    /// C C' = sum lambda lambda'.
    pub C: Matrix<T>,
    /// Rows whose w_n in use is another than the last iteration made, in order.
    pub given: Vec<Given>,
    /// Rows to bring back, those with the largest |x_n' Lambda|.
    pub wanted: usize,
}

impl Weights {
    pub fn cast<T: Float>(&self) -> Weights<T> {
        let &Weights { gamma, eps, pace, keep, wanted, .. } = self;
        Weights { gamma, eps, pace, keep, C: self.C.cast(), given: self.given.clone(), wanted }
    }
}

/// Rows whose |x_n' Lambda| is beyond this share of gamma may take one of Newton's steps.
const NEAR: f64 = 0.9;

/// The weights of the next iteration.
#[inline(always)]
fn push_weights(rows: &mut [[f64; WIDTH]], eps: f64, pace: Pace) {
    for rows in rows.chunks_mut(LANES) {
        let (mut weights, mut norms, mut factors) = ([1.0; LANES], [1.0; LANES], [1.0; LANES]);
        for (i, row) in rows.iter().enumerate() {
            (weights[i], norms[i], factors[i]) = (row[WEIGHT], row[NORM], row[FACTOR]);
        }
        let next = next_weights(&weights, &norms, &mut factors, eps, pace);
        for (i, row) in rows.iter_mut().enumerate() {
            (row[WEIGHT], row[FACTOR]) = (next[i], factors[i]);
        }
    }
}

impl StepSpec for Weights {
    fn needs(&self) -> Needs {
        Needs::ROWS.numbers(Access::Change, WIDTH)
    }

    fn output(&self, features: usize) -> OutputShape {
        let gram = if self.keep { 0 } else { features };
        OutputShape { gram, sums: 2, maxima: 1, keep: self.wanted, row: features + 2, ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.C.check(features, features)
    }
}

impl<T: Float> BlockStep<T> for Weights<T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let (rows, gamma) = (state.numbers.as_chunks_mut::<WIDTH>().0, self.gamma);
        let scratch = &mut sums.scratch.values;
        for (at, one) in newton::given_in(&self.given, block.first, block.rows) {
            (rows[at][WEIGHT], rows[at][FACTOR]) = (one.weight, one.factor);
        }
        linalg::times_lower(block.mat(), self.C.0.as_ref(), scratch);
        vectorised(
            #[inline(always)]
            || {
                for (row, form) in rows.iter_mut().zip(scratch.chunks_exact(block.features)) {
                    row[NORM] = row[WEIGHT] * linalg::norm_squared(form).sqrt() / gamma;
                }
            },
        );
        let mut found = RowSums { norms: sums.sums[0], change: sums.sums[1], growth: sums.maxima[0] };
        rows.iter().for_each(|row| found.add_row(row[NORM], row[WEIGHT]));
        (sums.sums[0], sums.sums[1], sums.maxima[0]) = (found.norms, found.change, found.growth);
        if !self.keep {
            let used: Vec<f64> =
                if self.wanted > 0 { rows.iter().map(|row| row[WEIGHT]).collect() } else { Vec::new() };
            vectorised(
                #[inline(always)]
                || push_weights(rows, self.eps, self.pace),
            );
            linalg::weigh(block.values, rows.iter().map(|row| row[WEIGHT]), scratch);
            sums.gram.add(block.matrix_of(scratch));
            let sizes = rows.iter().zip(used).map(|(row, used)| (row[NORM] / used, [used, row[WEIGHT]]));
            newton::offer(&mut sums.rows, block, NEAR, sizes);
        }
    }
}

impl From<&PassResult> for RowSums {
    fn from(result: &PassResult) -> Self {
        let [norms, change] = result.sums();
        RowSums { norms, change, growth: result.maxima[0] }
    }
}

/// Steps 7, 3, 5 and 4 while E is zero: what X - XA = X K comes to, the largest entry of X D, then step 4.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct Errors<T = f64> {
    pub e_step: EStep,
    pub K: Matrix<T>,
    /// None where no entry can be large enough to matter.
    pub D: Option<Matrix<T>>,
    pub weights: Weights<T>,
}

impl Errors {
    pub fn cast<T: Float>(&self) -> Errors<T> {
        let D = self.D.as_ref().map(Matrix::cast);
        Errors { e_step: self.e_step.clone(), K: self.K.cast(), D, weights: self.weights.cast() }
    }
}

impl StepSpec for Errors {
    fn needs(&self) -> Needs {
        self.weights.needs()
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { sums: 4, maxima: 2, ..self.weights.output(features) }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.e_step.check()?;
        self.K.check(features, features)?;
        self.D.as_ref().map_or(Ok(()), |D| D.check(features, features))?;
        self.weights.check(features)
    }
}

impl<T: Float> BlockStep<T> for Errors<T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let scratch = &mut sums.scratch.values;
        times(block, &self.K, scratch);
        let (loss, violation) = sweep_errors(&self.e_step, scratch);
        (sums.sums[2], sums.sums[3]) = (sums.sums[2] + loss, sums.sums[3] + violation);
        if let Some(D) = &self.D {
            times(block, D, scratch);
            sums.maxima[1] = scratch.iter().map(|value| value.to_f64().abs()).fold(sums.maxima[1], f64::max);
        }
        self.weights.visit(sums, block, state);
    }
}

/// The rows of a block times a matrix.
fn times<T: Float>(block: &RowBlock<'_, T>, matrix: &Matrix<T>, product: &mut Vec<T>) {
    product.resize(block.values.len(), T::from_f64(0.0));
    let product = MatMut::from_row_major_slice_mut(product, block.rows, block.features);
    linalg::product(product, block.mat(), matrix.0.as_ref(), 1.0);
}

/// P = X F.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct Place<T = f64> {
    pub F: Matrix<T>,
}

impl Place {
    pub fn cast<T: Float>(&self) -> Place<T> {
        Place { F: self.F.cast() }
    }
}

impl StepSpec for Place {
    fn needs(&self) -> Needs {
        Needs::ROWS.values(Access::Change)
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape::default()
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.F.check(features, features)
    }
}

impl<T: Float> BlockStep<T> for Place<T> {
    fn visit(&self, _: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let P = MatMut::from_row_major_slice_mut(state.values, block.rows, block.features);
        linalg::product(P, block.mat(), self.F.0.as_ref(), 1.0);
    }
}

/// P becomes D = -Lambda = mu T P; residuals from XA = S D / gamma.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct Finish<T = f64> {
    pub mu: f64,
    pub gamma: f64,
    pub T: Matrix<T>,
    pub S: Matrix<T>,
}

impl Finish {
    pub fn cast<T: Float>(&self) -> Finish<T> {
        Finish { mu: self.mu, gamma: self.gamma, T: self.T.cast(), S: self.S.cast() }
    }
}

impl StepSpec for Finish {
    fn needs(&self) -> Needs {
        Needs::ROWS.values(Access::Change).numbers(Access::Change, WIDTH)
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape::default()
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.T.check(features, features)?;
        self.S.check(features, features)
    }
}

impl<T: Float> BlockStep<T> for Finish<T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let (P, scratch, L) = (state.values, &mut sums.scratch.values, block.features);
        scratch.resize(P.len(), T::from_f64(0.0));
        let D = MatMut::from_row_major_slice_mut(scratch, block.rows, L);
        linalg::product(D, block.matrix_of(P), self.T.0.as_ref(), self.mu);
        P.copy_from_slice(scratch);
        let R = MatMut::from_row_major_slice_mut(scratch, block.rows, L);
        linalg::product(R, block.matrix_of(P), self.S.0.as_ref(), 1.0 / self.gamma);
        let rest = |(x, r): (&[T], &[T])| x.iter().zip(r).map(|(x, r)| (x.to_f64() - r.to_f64()).powi(2)).sum();
        let squares = block.lines().zip(scratch.chunks_exact(L)).map(rest);
        state
            .numbers
            .chunks_exact_mut(WIDTH)
            .zip(squares)
            .for_each(|(row, square): (_, f64)| row[RESIDUAL] = square.sqrt());
    }
}
