//! The steps of the greedy choice on a block of rows. The state: d = K_nn and s = sum_m u_m K_nm^2; the s of a row that
//! was picked is minus infinity, that of a row of which nothing is left is 0.
//!
//! Everything is added up in `f64` whatever the rows are: after L picks what is left to gain is near the ridge, and
//! sums in `f32` could not tell one row from another (19 to 45 % of 200 picks were those of `f64`).

use faer::MatMut;
use serde::{Deserialize, Serialize};

use crate::exec::{
    Access, Accumulator, BlockState, BlockStep, Matrix, Needs, OutputShape, RowBlock, StepSpec, damaged,
};
use crate::{Error, Float, linalg};

/// Numbers per row.
pub(crate) const WIDTH: usize = 2;
pub(crate) const D: usize = 0;
const S: usize = 1;

/// A row of whose squared length no more than this share is left holds nothing but rounding. Divided by, where alpha is
/// small beside it, it would grow from pick to pick beyond all numbers.
pub(super) const SPENT: f64 = 1e-12;

/// What picking the row would gain; minus infinity if it was picked.
pub(crate) fn gain(row: &[f64; WIDTH], alpha: f64) -> f64 {
    if row[S] == f64::NEG_INFINITY { row[S] } else { row[S].max(0.0) / (row[D].max(0.0) + alpha) }
}

/// Offers the rows of a block by what they would gain.
fn offer<T: Float>(sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, numbers: &[f64], alpha: f64) {
    let rows = numbers.as_chunks::<WIDTH>().0.iter();
    for (at, gain) in rows.map(|row| gain(row, alpha)).enumerate().filter(|(_, gain)| *gain >= 0.0) {
        sums.rows.offer(block.first + at, gain, || block.row(at));
    }
}

/// G = sum_n u_n x_n x_n'.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Gram;

impl StepSpec for Gram {
    fn needs(&self) -> Needs {
        Needs::ROWS
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { gram: features, wide: true, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

impl<T: Float> BlockStep<T> for Gram {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, _: BlockState<'_, T>) {
        let (wide, weighed) = (&mut sums.scratch.wide, &mut sums.scratch.product);
        linalg::weigh(T::widened(block.values, wide), (0..block.rows).map(|at| block.weight(at)), weighed);
        sums.wide_gram.add(block.matrix_of(weighed));
    }
}

/// Nothing picked: d_n = |x_n|^2, s_n = x_n' G x_n. Returns the best row, and the largest d.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Start {
    pub alpha: f64,
    /// C C' = G.
    pub root: Matrix,
}

impl StepSpec for Start {
    fn needs(&self) -> Needs {
        Needs::ROWS.numbers(Access::Change, WIDTH)
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { keep: 1, row: features, maxima: 1, ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.root.check(features, features)
    }
}

impl<T: Float> BlockStep<T> for Start {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let (wide, product) = (&mut sums.scratch.wide, &mut sums.scratch.product);
        let values = T::widened(block.values, wide);
        linalg::times_lower(block.matrix_of(values), self.root.0.as_ref(), product);
        let forms = values.chunks_exact(block.features).zip(product.chunks_exact(block.features));
        for (row, (x, form)) in state.numbers.as_chunks_mut::<WIDTH>().0.iter_mut().zip(forms) {
            *row = [linalg::norm_squared(x), linalg::norm_squared(form)];
            sums.maxima[0] = sums.maxima[0].max(row[D]);
        }
        offer(sums, block, state.numbers, self.alpha);
    }
}

/// Row i is picked. With v = C x_i, h = C G v, delta = d_i + alpha, y_n = x_n' v, z_n = x_n' h:
/// d_n -= y_n^2 / delta, s_n += (v' G v) y_n^2 / delta^2 - 2 y_n z_n / delta. Returns the best row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Take {
    pub picked: usize,
    pub alpha: f64,
    pub delta: f64,
    pub vgv: f64,
    /// Rows with a larger d are not spent, whatever their length.
    pub floor: f64,
    /// v and h.
    pub both: Matrix,
}

impl StepSpec for Take {
    fn needs(&self) -> Needs {
        Needs::ROWS.numbers(Access::Change, WIDTH)
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { keep: 1, row: features, ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.both.check(features, 2)
    }
}

impl<T: Float> BlockStep<T> for Take {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let (wide, product) = (&mut sums.scratch.wide, &mut sums.scratch.product);
        let values = T::widened(block.values, wide);
        product.resize(2 * block.rows, 0.0);
        let into = MatMut::from_row_major_slice_mut(product, block.rows, 2);
        linalg::product(into, block.matrix_of(values), self.both.0.as_ref(), 1.0);
        let rows = state.numbers.as_chunks_mut::<WIDTH>().0;
        for (at, (row, yz)) in rows.iter_mut().zip(product.as_chunks::<2>().0).enumerate() {
            let (y, z) = (yz[0] / self.delta, yz[1]);
            row[D] -= y * y * self.delta;
            if row[S] == f64::NEG_INFINITY {
                continue;
            }
            row[S] += self.vgv * y * y - 2.0 * y * z;
            let whole = || linalg::norm_squared(&values[at * block.features..(at + 1) * block.features]);
            if row[D] <= self.floor && row[D] <= SPENT * whole() {
                row[S] = 0.0;
            }
        }
        if let Some(at) = self.picked.checked_sub(block.first).filter(|&at| at < block.rows) {
            rows[at][S] = f64::NEG_INFINITY;
        }
        offer(sums, block, state.numbers, self.alpha);
    }
}

/// sum_n u_n d_n: what is left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Remainder;

impl StepSpec for Remainder {
    fn needs(&self) -> Needs {
        Needs::ATTRIBUTES.numbers(Access::Read, WIDTH)
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { sums: 1, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

impl<T: Float> BlockStep<T> for Remainder {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let rows = state.numbers.as_chunks::<WIDTH>().0.iter().enumerate();
        sums.sums[0] += rows.map(|(at, row)| block.weight(at) * row[D].max(0.0)).sum::<f64>();
    }
}

/// The best rows by what each would gain now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Best {
    pub count: usize,
    pub alpha: f64,
}

impl StepSpec for Best {
    fn needs(&self) -> Needs {
        Needs::ROWS.numbers(Access::Read, WIDTH)
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { keep: self.count, row: features, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        if self.count > 0 { Ok(()) } else { Err(damaged()) }
    }
}

impl<T: Float> BlockStep<T> for Best {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        offer(sums, block, state.numbers, self.alpha);
    }
}
