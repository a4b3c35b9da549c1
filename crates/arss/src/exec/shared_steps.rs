//! Steps that several methods share.

use faer::{Mat, MatMut};
use serde::{Deserialize, Serialize};

use super::wire::{Matrix, damaged};
use super::{Access, Accumulator, BlockState, BlockStep, Needs, OutputShape, RowBlock, StepSpec};
use crate::linalg::simd::vectorised;
use crate::{Error, Float, linalg};

/// Returns the first value that is not finite, as a row that holds its column, and the largest absolute value. Where
/// directions count, the first row of zeros is wrong, too: its key is 0, and the sum is how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct CheckFinite {
    pub directions: bool,
}

impl StepSpec for CheckFinite {
    fn needs(&self) -> Needs {
        Needs::ROWS
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { maxima: 1, row: 1, sums: 1, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

impl<T: Float> BlockStep<T> for CheckFinite {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, _: BlockState<'_, T>) {
        let mut largest = sums.maxima[0];
        let is_zero = |row: &[T]| row.iter().all(|value| value.to_f64() == 0.0);
        for (at, _) in block.lines().enumerate().filter(|(_, row)| self.directions && is_zero(row)) {
            if sums.rows.list.is_empty() {
                sums.rows.push(block.first + at, 0.0, vec![0.0]);
            }
            sums.sums[0] += 1.0;
        }
        for (at, value) in block.values.iter().map(|value| value.to_f64()).enumerate() {
            if !value.is_finite() && sums.rows.list.is_empty() {
                let (row, column) = (block.first + at / block.features, at % block.features);
                sums.rows.push(row, value, vec![column as f64]);
            }
            largest = largest.max(value.abs());
        }
        sums.maxima[0] = largest;
    }
}

/// max_n |x_n|^2.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct LongestRow;

impl StepSpec for LongestRow {
    fn needs(&self) -> Needs {
        Needs::ROWS
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { maxima: 1, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

impl<T: Float> BlockStep<T> for LongestRow {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, _: BlockState<'_, T>) {
        sums.maxima[0] = block.lines().map(linalg::norm_squared).fold(sums.maxima[0], f64::max);
    }
}

/// max_n |C' x_n|^2, C lower triangular.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct LargestForm<T = f64> {
    root: Matrix<T>,
}

impl LargestForm {
    /// The step for C C' = `gram`.
    pub fn of(gram: &Mat<f64>) -> Self {
        LargestForm { root: Matrix(linalg::lower_root(gram.as_ref())) }
    }

    pub fn cast<T: Float>(&self) -> LargestForm<T> {
        LargestForm { root: self.root.cast() }
    }
}

impl StepSpec for LargestForm {
    fn needs(&self) -> Needs {
        Needs::ROWS
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { maxima: 1, ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.root.check(features, features)
    }
}

impl<T: Float> BlockStep<T> for LargestForm<T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, _: BlockState<'_, T>) {
        linalg::times_lower(block.mat(), self.root.0.as_ref(), &mut sums.scratch.values);
        let forms = sums.scratch.values.chunks_exact(block.features);
        sums.maxima[0] = vectorised(
            #[inline(always)]
            || forms.map(linalg::norm_squared).fold(sums.maxima[0], f64::max),
        );
    }
}

/// sum_n x_n x_n' / |x_n|^2, rows of zeros left out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct InverseGram;

impl StepSpec for InverseGram {
    fn needs(&self) -> Needs {
        Needs::ROWS
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { gram: features, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

impl<T: Float> BlockStep<T> for InverseGram {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, _: BlockState<'_, T>) {
        let inverse_square = |x: &[T]| match linalg::norm_squared(x) {
            0.0 => 0.0,
            square => 1.0 / square,
        };
        linalg::weigh(block.values, block.lines().map(inverse_square), &mut sums.scratch.values);
        sums.gram.add(block.matrix_of(&sums.scratch.values));
    }
}

/// The rows with the largest number `key`, each with its values and two other numbers of its state.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct RankRows {
    /// The smallest number instead. NaN then comes last.
    pub smallest: bool,
    pub count: usize,
    /// The last row that is known already, by key and index: only rows after it are returned.
    pub after: Option<(f64, usize)>,
    pub key: usize,
    pub others: [usize; 2],
    pub width: usize,
}

impl StepSpec for RankRows {
    fn needs(&self) -> Needs {
        Needs::ROWS.or_entries().numbers(Access::Read, self.width)
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { keep: self.count, row: features + 2, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        let inside = self.others.iter().all(|&other| self.key.max(other) < self.width);
        if inside && self.count > 0 { Ok(()) } else { Err(damaged()) }
    }
}

impl RankRows {
    fn key(&self, numbers: &[f64]) -> f64 {
        match (self.smallest, numbers[self.key]) {
            (false, key) => key,
            (true, key) if key.is_nan() => f64::NEG_INFINITY,
            (true, key) => -key,
        }
    }
}

impl<T: Float> BlockStep<T> for RankRows {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        for (at, numbers) in state.numbers.chunks_exact(self.width).enumerate() {
            let (key, index) = (self.key(numbers), block.first + at);
            if self.after.is_none_or(|(last, before)| key < last || (key == last && index > before)) {
                sums.rows.offer(index, key, || {
                    block.row(at).into_iter().chain(self.others.map(|other| numbers[other])).collect()
                });
            }
        }
    }
}

/// sum_m |<x, f_m>| for some rows x, f_m being the values kept for row m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct AbsoluteSums<T = f64> {
    pub left: Matrix<T>,
}

impl AbsoluteSums {
    pub fn cast<T: Float>(&self) -> AbsoluteSums<T> {
        AbsoluteSums { left: self.left.cast() }
    }
}

impl StepSpec for AbsoluteSums {
    fn needs(&self) -> Needs {
        Needs { rows: false, ..Needs::ROWS }.values(Access::Read)
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { sums: self.left.0.nrows(), ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.left.check(self.left.0.nrows(), features)
    }
}

impl<T: Float> BlockStep<T> for AbsoluteSums<T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let (rows, scratch, totals) = (self.left.0.nrows(), &mut sums.scratch.values, &mut sums.scratch.wide);
        scratch.resize(rows * block.rows, T::from_f64(0.0));
        let products = MatMut::from_row_major_slice_mut(scratch, block.rows, rows);
        linalg::product(products, block.matrix_of(state.values), self.left.0.transpose(), 1.0);
        totals.clear();
        totals.resize(rows, 0.0);
        // Side by side for many rows: each sum is added in the order of the table, and none waits for another.
        vectorised(
            #[inline(always)]
            || {
                for terms in scratch.chunks_exact(rows) {
                    totals.iter_mut().zip(terms).for_each(|(total, term)| *total += term.to_f64().abs());
                }
            },
        );
        sums.sums.iter_mut().zip(totals).for_each(|(sum, total)| *sum += *total);
    }
}

/// The rows at some positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FetchRows {
    /// In ascending order.
    pub positions: Vec<usize>,
}

impl StepSpec for FetchRows {
    fn needs(&self) -> Needs {
        Needs::ROWS
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { row: features, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        if self.positions.is_sorted() { Ok(()) } else { Err(damaged()) }
    }
}

impl<T: Float> BlockStep<T> for FetchRows {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, _: BlockState<'_, T>) {
        let from = self.positions.partition_point(|&position| position < block.first);
        for &position in self.positions[from..].iter().take_while(|&&p| p < block.first + block.rows) {
            sums.rows.push(position, 0.0, block.row(position - block.first));
        }
    }
}
