//! Landmarks: a sample of the rows that all others are compared with.

use std::borrow::Cow;

use faer::{Mat, MatRef};

use crate::exec::{Matrix, PointRows};
use crate::linalg::distances::{Rows, Table};
use crate::linalg::median::median_squared;
use crate::linalg::rng::{generator, positions};
use crate::linalg::simd::exponentials;
use crate::{Float, Kernel, linalg};

/// Rows that the width of the kernel is measured on.
const SCALE_ROWS: usize = 2048;
/// Rows that are mapped at a time: their similarities stay in the cache.
pub(crate) const BLOCK: usize = 256;
/// Fewer rows are multiplied together with others of their block: products of a few rows are rounded differently.
const FEW: usize = 16;
/// Most landmarks that a row is compared with one by one.
pub(crate) const MOST: usize = 1 << 10;

/// The landmarks of a table, and the kernel map that they define.
pub(crate) struct Landmarks {
    /// Which rows they are.
    pub items: Vec<usize>,
    /// Their values.
    pub rows: PointRows,
    pub origin: Vec<f64>,
    /// The width of the kernel.
    pub h2: f64,
    /// The variance of each, judged by the others: 1 / ((K_JJ + ridge I)^-1)_jj.
    pub own_variances: Vec<f64>,
    /// R with R R' = (K_JJ + ridge I)^-1, whose condition is at most (landmarks + ridge) / ridge.
    pub root: Matrix,
}

/// The positions of the landmarks, and of the rows that the width is measured on.
pub(crate) struct LandmarkSample {
    pub landmarks: Vec<usize>,
    pub scale: Vec<usize>,
}

impl Landmarks {
    /// Draws the rows to look at.
    pub fn draw(kernel: &Kernel, items: usize) -> LandmarkSample {
        let mut generator = generator(kernel.seed);
        let landmarks = positions(&mut generator, items, kernel.landmarks);
        LandmarkSample { landmarks, scale: positions(&mut generator, items, SCALE_ROWS) }
    }

    pub fn new(kernel: &Kernel, table: &Table<'_>, sample: &LandmarkSample) -> Self {
        let items = sample.landmarks.clone();
        let h2 = median_squared(table, &sample.scale, &items);
        let values = Rows::of(table, &items);
        let inverse = || inverse(&values, h2, kernel.ridge);
        let first = inverse();
        let own_variances = (0..items.len()).map(|j| 1.0 / first[(j, j)]).collect();
        // In place: in a small table fresh memory costs as much as the arithmetic.
        let root = linalg::lower_root_in_place(first).unwrap_or_else(|| linalg::lower_root(inverse().as_ref()));
        let rows = PointRows::read(table.rows, &items, table.origin.len());
        Landmarks { items, rows, origin: table.origin.to_vec(), h2, own_variances, root: Matrix(root) }
    }

    /// The map for rows of type `T`.
    pub fn ready<T: Float>(&self, features: usize) -> LandmarkMap<'static, T> {
        debug_assert_eq!(features, self.origin.len());
        LandmarkMap::new(&self.rows, &self.origin, self.h2, Cow::Owned(self.root.cast()))
    }
}

/// The kernel map: a row x becomes R' k_J(x).
pub(crate) struct LandmarkMap<'a, T: Float> {
    rows: Rows<T>,
    origin: Vec<f64>,
    h2: f64,
    root: Cow<'a, Matrix<T>>,
}

/// Buffers of the map.
pub(crate) struct Scratch<T> {
    rows: Rows<T>,
    kernel: Vec<T>,
    mapped: Vec<T>,
}

impl<T: Float> Default for Scratch<T> {
    fn default() -> Self {
        Scratch { rows: Rows::empty(), kernel: Vec::new(), mapped: Vec::new() }
    }
}

impl<'a, T: Float> LandmarkMap<'a, T> {
    /// From the rows of the landmarks, the origin, the width and R.
    pub fn new(landmarks: &PointRows, origin: &[f64], h2: f64, root: Cow<'a, Matrix<T>>) -> Self {
        LandmarkMap { rows: landmarks.rows(origin), origin: origin.to_vec(), h2, root }
    }

    /// The number of landmarks.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Some rows after the map, row-major.
    pub fn map<'s>(&self, values: &[T], scratch: &'s mut Scratch<T>) -> &'s [T] {
        self.map_some(values, scratch, |_| true)
    }

    /// The same for those rows that `wanted` says yes to; it is shown the squared distances of each row to all landmarks, row
    /// by row.
    pub fn map_some<'s>(
        &self,
        values: &[T],
        scratch: &'s mut Scratch<T>,
        mut wanted: impl FnMut(&[T]) -> bool,
    ) -> &'s [T] {
        let Scratch { rows, kernel, mapped } = scratch;
        let count = self.len();
        rows.fill(values, &self.origin);
        rows.squared(0..rows.len(), &self.rows, kernel);
        let mut kept = 0;
        for row in 0..rows.len() {
            if wanted(&kernel[row * count..(row + 1) * count]) {
                kernel.copy_within(row * count..(row + 1) * count, kept * count);
                kept += 1;
            }
        }
        let multiplied = kept.max(FEW.min(rows.len()));
        kernel.truncate(multiplied * count);
        exponentials(kernel, -1.0 / self.h2);
        linalg::times_lower(MatRef::from_row_major_slice(kernel, multiplied, count), self.root.0.as_ref(), mapped);
        &mapped[..kept * count]
    }
}

/// (K_JJ + ridge I)^-1.
fn inverse(landmarks: &Rows<f64>, h2: f64, ridge: f64) -> Mat<f64> {
    let (count, beta) = (landmarks.len(), 1.0 / ridge);
    let mut shifted = similarities(landmarks, h2);
    (0..count).for_each(|j| shifted.col_as_slice_mut(j)[j..].iter_mut().for_each(|entry| *entry *= beta));
    (0..count).for_each(|j| shifted[(j, j)] += 1.0);
    let mut inverse = linalg::inverse_of_definite(shifted)
        .unwrap_or_else(|| linalg::inverse_of_shifted(similarities(landmarks, h2).as_ref(), beta));
    (0..count).for_each(|j| inverse.col_as_slice_mut(j).iter_mut().for_each(|entry| *entry /= ridge));
    inverse
}

/// The lower half of K_JJ; the upper one is left empty.
fn similarities(landmarks: &Rows<f64>, h2: f64) -> Mat<f64> {
    let count = landmarks.len();
    let mut kernel = Mat::zeros(count, count);
    let mut similar = Vec::new();
    for first in (0..count).step_by(BLOCK) {
        let rows = first..(first + BLOCK).min(count);
        landmarks.squared(rows.clone(), landmarks, &mut similar);
        exponentials(&mut similar, -1.0 / h2);
        for j in 0..rows.end {
            let column = &mut kernel.col_as_slice_mut(j)[rows.clone()];
            let entries = similar.iter().skip(j).step_by(count);
            column.iter_mut().zip(entries).for_each(|(entry, similar)| *entry = *similar);
        }
    }
    (0..count).for_each(|j| kernel[(j, j)] = 1.0);
    kernel
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;

    /// A row becomes the same bits whichever rows are mapped with it.
    #[test]
    fn rows_that_are_left_out_change_nothing() {
        let mut generator = generator(5);
        let values: Vec<f64> = (0..300 * 4).map(|_| linalg::rng::uniform(&mut generator)).collect();
        let samples = Samples::new(&values, 300, 4).unwrap();
        let table = Table { rows: &samples, origin: &[0.5; 4] };
        for count in [3, 60, 200] {
            let kernel = Kernel { landmarks: count, seed: 1, ridge: 0.01 };
            let map = Landmarks::new(&kernel, &table, &Landmarks::draw(&kernel, 300)).ready::<f64>(4);
            let mut scratch = Scratch::default();
            let all = map.map(&values[..256 * 4], &mut scratch).to_vec();
            for keep in [1, 2, 3, 5, 15, 16, 17, 30, 85, 128, 256] {
                let mut at = 0;
                let wanted = |row: usize| row % (256 / keep) == 0 && row / (256 / keep) < keep;
                let some = map.map_some(&values[..256 * 4], &mut scratch, |_| {
                    at += 1;
                    wanted(at - 1)
                });
                let expected = (0..256).filter(|&row| wanted(row)).flat_map(|row| &all[row * count..(row + 1) * count]);
                assert!(some.iter().eq(expected), "{keep} rows of {count} values");
            }
        }
    }
}
