//! Small dense algebra on top of faer: block products, fixed-order symmetric sums, solves.
//!
//! faer's own threads split the output, which is the small side here (X'X with L = 64 ran
//! slower on two threads than on one): products inside a block are sequential, the blocks
//! run in parallel.

pub(crate) mod compressed;
pub(crate) mod distances;
pub(crate) mod manhattan;
pub(crate) mod median;
pub(crate) mod nearest;
pub(crate) mod rng;
pub(crate) mod row_values;
pub(crate) mod simd;
pub(crate) mod top_k;
pub(crate) mod tsqr;

use std::any::Any;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::matmul::{self};
use faer::linalg::solvers::DenseSolveCore;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::prelude::*;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side, Spec};

use crate::Float;
use crate::linalg::simd::{LANES, Lanes, vectorised};
use crate::parallel::move_sums;

/// dst = alpha lhs rhs.
pub(crate) fn product<T: Float>(dst: MatMut<'_, T>, lhs: MatRef<'_, T>, rhs: MatRef<'_, T>, alpha: f64) {
    matmul::matmul(dst, Accum::Replace, lhs, rhs, T::from_f64(alpha), Par::Seq);
}

/// Columns per panel of a half product: the full squares on the diagonal are the only waste. Measured on one core
/// (GF/s of useful work, blocks of 384 rows): product with a triangle 35 / 47 / 53 at L = 64 / 256 / 784 against
/// 23 / 43 / 48 for faer's, Gram matrix 36 / 43 / 47 against 30 / 42 / 49; 16, 32 and 48 columns are slower.
const PANEL: usize = 24;
/// The same for a large triangle of `f32`: a panel of 24 columns fills three quarters of two registers.
const SINGLE_PANEL: usize = 96;
const LARGE: usize = 384;
/// Columns up to which Gram matrices are made of panels; see [`PANEL`].
const PANELS_UP_TO: usize = 256;

/// dst = lhs rhs, with rhs lower triangular: little more than half the work of a full product.
pub(crate) fn product_lower<T: Float>(mut dst: MatMut<'_, T>, lhs: MatRef<'_, T>, rhs: MatRef<'_, T>) {
    let dim = rhs.nrows();
    let panel = if size_of::<T>() == size_of::<f32>() && dim >= LARGE { SINGLE_PANEL } else { PANEL };
    for first in (0..dim).step_by(panel) {
        let (width, rest) = (panel.min(dim - first), dim - first);
        let panel = dst.rb_mut().subcols_mut(first, width);
        product(panel, lhs.subcols(first, rest), rhs.submatrix(first, first, rest, width), 1.0);
    }
}

/// A square matrix in the type of the data, for block products.
pub(crate) fn cast<T: Float>(matrix: MatRef<'_, f64>) -> Mat<T> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| T::from_f64(matrix[(i, j)]))
}

/// A running sum of `B' B` over blocks B, kept as its lower half in `f64`.
pub(crate) struct GramSum<T> {
    sum: Mat<f64>,
    /// The product of one block in the type of the data; not used for `f64`.
    part: Mat<T>,
    empty: bool,
}

impl<T: Float> GramSum<T> {
    pub fn new(dim: usize) -> Self {
        GramSum { sum: Mat::zeros(dim, dim), part: Mat::new(), empty: true }
    }

    /// Columns of B.
    pub fn dim(&self) -> usize {
        self.sum.ncols()
    }

    /// Adds B' B: straight into the sum for `f64`, by way of a part of its own type for `f32`.
    pub fn add(&mut self, block: MatRef<'_, T>) {
        let dim = self.sum.ncols();
        if let Some(sum) = (&mut self.sum as &mut dyn Any).downcast_mut::<Mat<T>>() {
            let accum = if std::mem::take(&mut self.empty) { Accum::Replace } else { Accum::Add };
            gram(sum.as_mut(), accum, block);
            return;
        }
        if self.part.ncols() != dim {
            self.part = Mat::zeros(dim, dim);
        }
        gram(self.part.as_mut(), Accum::Replace, block);
        add_lower(&mut self.sum, &self.part, std::mem::take(&mut self.empty));
    }

    /// Adds another sum and empties it.
    pub fn merge(&mut self, other: &mut Self) {
        if !std::mem::replace(&mut other.empty, true) {
            add_lower(&mut self.sum, &other.sum, std::mem::take(&mut self.empty));
        }
    }

    /// The sum as a full symmetric matrix.
    pub fn finish(mut self) -> Mat<f64> {
        if self.empty {
            self.sum.fill(0.0);
        }
        mirror(&mut self.sum);
        self.sum
    }
}

/// Copies the lower half into the upper, tile by tile: both sides of a tile stay in the cache.
fn mirror(matrix: &mut Mat<f64>) {
    const TILE: usize = 32;
    let dim = matrix.ncols();
    for left in (0..dim).step_by(TILE) {
        for top in (left..dim).step_by(TILE) {
            for j in left..(left + TILE).min(dim) {
                for i in top.max(j + 1)..(top + TILE).min(dim) {
                    matrix[(j, i)] = matrix[(i, j)];
                }
            }
        }
    }
}

/// The lower half of B' B; what becomes of the upper half is left open.
fn gram<T: Float>(mut sum: MatMut<'_, T>, accum: Accum, block: MatRef<'_, T>) {
    let (dim, one) = (block.ncols(), T::from_f64(1.0));
    if dim <= PANELS_UP_TO {
        for first in (0..dim).step_by(PANEL) {
            let (width, rest) = (PANEL.min(dim - first), dim - first);
            let panel = sum.rb_mut().submatrix_mut(first, first, rest, width);
            let (left, right) = (block.subcols(first, rest), block.subcols(first, width));
            matmul::matmul(panel, accum, left.transpose(), right, one, Par::Seq);
        }
        return;
    }
    let (full, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
    triangular::matmul(sum, lower, accum, block.transpose(), full, block, full, one, Par::Seq);
}

/// sum += part in the lower half, or sum = part if the sum is empty.
fn add_lower<T: Float>(sum: &mut Mat<f64>, part: &Mat<T>, empty: bool) {
    for j in 0..sum.ncols() {
        let (sum, part) = (&mut sum.col_as_slice_mut(j)[j..], &part.col_as_slice(j)[j..]);
        let add = |(sum, part): (&mut f64, &T)| *sum = part.to_f64() + if empty { 0.0 } else { *sum };
        vectorised(
            #[inline(always)]
            || sum.iter_mut().zip(part).for_each(add),
        );
    }
}

/// A running sum of `A' B` over blocks, in `f64`.
pub(crate) struct CrossSum<T> {
    sum: Mat<f64>,
    part: Mat<T>,
}

impl<T: Float> CrossSum<T> {
    pub fn new(dim: usize) -> Self {
        CrossSum { sum: Mat::zeros(dim, dim), part: Mat::zeros(dim, dim) }
    }

    /// Adds A' B.
    pub fn add(&mut self, a: MatRef<'_, T>, b: MatRef<'_, T>) {
        product(self.part.as_mut(), a.transpose(), b, 1.0);
        for j in 0..self.sum.ncols() {
            let (sum, part) = (self.sum.col_as_slice_mut(j), self.part.col_as_slice(j));
            vectorised(
                #[inline(always)]
                || sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part.to_f64()),
            );
        }
    }

    /// Adds another sum and empties it.
    pub fn merge(&mut self, other: &mut Self) {
        for j in 0..self.sum.ncols() {
            move_sums(self.sum.col_as_slice_mut(j), other.sum.col_as_slice_mut(j));
        }
    }

    /// The sum.
    pub fn finish(self) -> Mat<f64> {
        self.sum
    }
}

/// The listed values times the square root of their row's weight.
pub(crate) fn weigh<T: Float>(values: &[T], weights: impl ExactSizeIterator<Item = f64>, weighed: &mut Vec<T>) {
    let width = values.len() / weights.len();
    weighed.resize(values.len(), T::from_f64(0.0));
    vectorised(
        #[inline(always)]
        || {
            for ((row, own), weight) in values.chunks_exact(width).zip(weighed.chunks_exact_mut(width)).zip(weights) {
                let root = T::from_f64(weight.sqrt());
                own.iter_mut().zip(row).for_each(|(own, &value)| *own = value * root);
            }
        },
    );
}

/// scratch = B C for a block B, C lower triangular.
pub(crate) fn times_lower<T: Float>(block: MatRef<'_, T>, c: MatRef<'_, T>, scratch: &mut Vec<T>) {
    scratch.resize(block.nrows() * block.ncols(), T::from_f64(0.0));
    product_lower(MatMut::from_row_major_slice_mut(scratch, block.nrows(), block.ncols()), block, c);
}

/// Eigenvalues (none below zero) and eigenvectors of a positive semi-definite matrix.
pub(crate) fn eigen(matrix: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
    let evd = matrix.self_adjoint_eigen(Side::Lower).expect("a finite symmetric matrix has eigenvalues");
    let values = (0..matrix.nrows()).map(|i| evd.S().column_vector()[i].max(0.0)).collect();
    (values, evd.U().to_owned())
}

/// The least eigenvalue of a symmetric matrix, at most zero.
pub(crate) fn least_eigenvalue(matrix: MatRef<'_, f64>) -> f64 {
    let values = matrix.self_adjoint_eigenvalues(Side::Lower).expect("a finite symmetric matrix has eigenvalues");
    values.into_iter().fold(0.0, f64::min)
}

/// Above this beta S the identity is lost in rounding, and a Cholesky factor of a singular S is noise.
const IDENTITY_LOST: f64 = 1e12;

/// I + beta S, unless the identity would be lost in it.
fn shifted(s: MatRef<'_, f64>, beta: f64) -> Option<Mat<f64>> {
    let trace: f64 = (0..s.nrows()).map(|i| s[(i, i)]).sum();
    let sum = |i: usize, j: usize| f64::from(u8::from(i == j)) + beta * s[(i, j)];
    (beta * trace <= IDENTITY_LOST).then(|| Mat::from_fn(s.nrows(), s.ncols(), sum))
}

/// (I + beta S)^-1 for a positive semi-definite S.
pub(crate) fn inverse_of_shifted(s: MatRef<'_, f64>, beta: f64) -> Mat<f64> {
    if let Some(Ok(llt)) = shifted(s, beta).map(|shifted| shifted.llt(Side::Lower)) {
        return llt.inverse();
    }
    // beta S so large that the identity is lost in rounding: the eigenvectors still tell its null space.
    let (mut d, q) = eigen(s);
    let lost = d.iter().copied().fold(0.0, f64::max) * f64::EPSILON * d.len() as f64;
    // What lies there is rounding. It must not pass unchanged: mu would blow it up from one iteration to the next.
    d.iter_mut().for_each(|d| *d = d.max(lost));
    let scaled = Mat::from_fn(q.nrows(), q.ncols(), |i, j| q[(i, j)] / (1.0 + beta * d[j]));
    &scaled * q.transpose()
}

/// (I + beta S)^-1 B for a positive semi-definite S.
pub(crate) fn solve_shifted(s: MatRef<'_, f64>, beta: f64, b: Mat<f64>) -> Mat<f64> {
    match shifted(s, beta).map(|shifted| shifted.llt(Side::Lower)) {
        Some(Ok(llt)) => llt.solve(b),
        _ => inverse_of_shifted(s, beta) * b,
    }
}

/// The rank of the data whose Gram matrix is given; squares of singular values below rounding count as zero.
pub(crate) fn numerical_rank(gram: MatRef<'_, f64>) -> usize {
    let values = gram.self_adjoint_eigenvalues(Side::Lower).expect("a finite symmetric matrix has eigenvalues");
    let largest = values.iter().copied().fold(0.0, f64::max);
    let least = largest * f64::EPSILON * (values.len() as f64) * 8.0;
    values.iter().filter(|&&value| value > least).count()
}

/// A lower triangular C with C C' = H up to rounding, for a positive semi-definite H.
pub(crate) fn lower_root(h: MatRef<'_, f64>) -> Mat<f64> {
    let dim = h.nrows();
    let trace: f64 = (0..dim).map(|i| h[(i, i)]).sum();
    // As much as rounding has already changed H by: it keeps the pivots of a singular H positive.
    let mut ridge = f64::EPSILON * trace;
    loop {
        let lifted = Mat::from_fn(dim, dim, |i, j| h[(i, j)] + if i == j { ridge } else { 0.0 });
        match lifted.llt(Side::Lower) {
            Ok(llt) => return llt.L().to_owned(),
            Err(_) if ridge > 0.0 => ridge *= 8.0,
            Err(_) => return Mat::zeros(dim, dim),
        }
    }
}

/// A lower triangular R with R R' = (S + ridge I)^-1, for a positive semi-definite S. Its lower half is given row by row and
/// overwritten: fresh memory takes as long as the algebra in it. `None` if rounding made S indefinite.
///
/// With the order of rows and columns turned round, S + ridge I is L L', and R is L^-1 turned round and transposed. To turn
/// rows and columns round is to reverse the values.
pub(crate) fn lower_root_of_inverse(s: &mut [f64], ridge: f64) -> Option<Mat<f64>> {
    let dim = s.len().isqrt();
    s.reverse();
    // Read column by column, the lower half of what was the lower half row by row.
    let mut turned = MatMut::from_column_major_slice_mut(s, dim, dim);
    (0..dim).for_each(|i| turned[(i, i)] += ridge);
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(dim, Par::Seq, Spec::default()));
    let stack = MemStack::new(&mut memory);
    cholesky_in_place(turned.rb_mut(), LltRegularization::default(), Par::Seq, stack, Spec::default()).ok()?;
    let mut root = Mat::zeros(dim, dim);
    invert_lower_triangular(root.as_mut(), turned.rb(), Par::Seq);
    for j in 0..dim {
        // Each entry changes places with its mirror image behind the other diagonal.
        for i in j..dim - j - 1 {
            let entry = root[(i, j)];
            root[(i, j)] = root[(dim - 1 - j, dim - 1 - i)];
            root[(dim - 1 - j, dim - 1 - i)] = entry;
        }
    }
    Some(root)
}

/// The same for an S that rounding made indefinite.
pub(crate) fn lower_root_of_indefinite(s: MatRef<'_, f64>, ridge: f64) -> Mat<f64> {
    let inverse = inverse_of_shifted(s, 1.0 / ridge);
    lower_root(Mat::from_fn(s.nrows(), s.ncols(), |i, j| inverse[(i, j)] / ridge).as_ref())
}

/// Sum of squares, lane by lane.
#[inline(always)]
pub(crate) fn norm_squared<T: Float>(values: &[T]) -> f64 {
    let (whole, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in whole {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += value.to_f64() * value.to_f64();
        }
    }
    for (sum, value) in sums.iter_mut().zip(rest) {
        *sum += value.to_f64() * value.to_f64();
    }
    pairwise(sums)
}

/// The sum over the lanes, halves added to halves.
#[inline(always)]
fn pairwise(mut sums: Lanes<f64>) -> f64 {
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            sums[i] += sums[i + width];
        }
        width /= 2;
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(rows: usize, columns: usize, seed: u64) -> Mat<f64> {
        let mut state = seed;
        Mat::from_fn(rows, columns, |_, _| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1u64 << 23) as f64 - 1.0
        })
    }

    /// Older kernels under faer computed wrong triangular products: this guards the floor in Cargo.toml.
    #[test]
    fn the_root_of_an_inverse_is_the_cholesky_factor_of_that_inverse() {
        let dim = 40;
        let wave = |i: usize, j: usize| ((i * 7 + j * 3) as f64).sin();
        let half = Mat::from_fn(dim, 25, wave);
        let similar = &half * half.transpose();
        let mut values: Vec<f64> = (0..dim * dim).map(|at| similar[(at / dim, at % dim)]).collect();
        let root = lower_root_of_inverse(&mut values, 0.01).expect("it is positive definite");
        let slow = lower_root_of_indefinite(similar.as_ref(), 0.01);
        let inverse = inverse_of_shifted(similar.as_ref(), 100.0);
        let literal = lower_root(Mat::from_fn(dim, dim, |i, j| inverse[(i, j)] / 0.01).as_ref());
        for (i, j) in (0..dim).flat_map(|i| (0..dim).map(move |j| (i, j))) {
            assert!((root[(i, j)] - literal[(i, j)]).abs() < 1e-9 * literal[(i, i)].abs().max(1.0), "{i} {j}");
            assert!((slow[(i, j)] - literal[(i, j)]).abs() < 1e-9 * literal[(i, i)].abs().max(1.0), "{i} {j}");
        }
        assert!(lower_root_of_inverse(&mut [1.0, 2.0, 2.0, 1.0], 0.01).is_none());
    }

    #[test]
    fn negative_eigenvalues_are_seen() {
        let mixed = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 3.0 });
        assert!((least_eigenvalue(mixed.as_ref()) + 2.0).abs() < 1e-12);
        assert_eq!(least_eigenvalue(Mat::<f64>::identity(3, 3).as_ref()), 0.0);
    }

    #[test]
    fn half_products_agree_with_full_ones() {
        for dim in [1, 2, 3, 7, 16, 31, 64, 100, 257] {
            for rows in [1, 5, 64, 333] {
                let block = noise(rows, dim, dim as u64 * 1000 + rows as u64);
                let mut gram = GramSum::new(dim);
                gram.add(block.as_ref());
                gram.add(block.as_ref());
                let full = block.transpose() * &block * faer::Scale(2.0);
                assert!((gram.finish() - full).norm_max() < 1e-11 * rows as f64);

                let lower = Mat::from_fn(dim, dim, |i, j| if i >= j { (i + 2 * j) as f64 / dim as f64 } else { 0.0 });
                let mut half = Mat::zeros(rows, dim);
                product_lower(half.as_mut(), block.as_ref(), lower.as_ref());
                assert!((half - &block * &lower).norm_max() < 1e-11 * dim as f64);
            }
        }
    }

    #[test]
    fn roots_and_inverses_of_singular_matrices() {
        let thin = noise(2, 6, 3);
        let singular = thin.transpose() * &thin;
        let root = lower_root(singular.as_ref());
        assert!((&root * root.transpose() - &singular).norm_max() < 1e-13);
        for beta in [1e-3, 1.0, 1e6] {
            let inverse = inverse_of_shifted(singular.as_ref(), beta);
            let rest = &inverse + &singular * &inverse * faer::Scale(beta) - Mat::<f64>::identity(6, 6);
            assert!(rest.norm_max() < 1e-9, "beta {beta}: {}", rest.norm_max());
        }
        // The identity is lost in rounding here: what is left is the projection onto the null space.
        let inverse = inverse_of_shifted(singular.as_ref(), 1e30);
        assert!((&inverse * &inverse - &inverse).norm_max() < 1e-12);
        assert!((0..6).map(|i| inverse[(i, i)]).sum::<f64>() - 4.0 < 1e-12);
        assert_eq!(lower_root(Mat::zeros(3, 3).as_ref()), Mat::<f64>::zeros(3, 3));
    }
}
