//! Landmarks: a sample of the rows that all others are compared with.

use std::borrow::Cow;

use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};

use crate::exec::{Matrix, PointRows};
use crate::linalg::distances::{Rows, Table};
use crate::linalg::median::median_squared;
use crate::linalg::rng::{generator, positions};
use crate::linalg::row_values::RowValues;
use crate::linalg::simd::exponentials;
use crate::{Float, Kernel, linalg};

/// Rows that the width of the kernel is measured on.
pub(crate) const SCALE_ROWS: usize = 2048;
/// Rows that are mapped at a time: their similarities stay in the cache.
pub(crate) const BLOCK: usize = 256;
/// Eigenvalues above minus this are not negative.
const ROUNDING: f64 = 1e-6;
/// Fewer rows are multiplied together with others of their block, or with rows of zeros: products of a few rows are rounded
/// differently, and rows scored in parts shall be scored as at once.
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
    /// The width of the kernel, and its shape.
    pub h2: f64,
    pub similarity: Similarity,
    /// A lower triangular R with R R' = (K_JJ + ridge I)^-1, whose condition is at most (landmarks + ridge) / ridge.
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
        let (root, similarity) = root(&Rows::of(table, &items), h2, kernel.ridge);
        let rows = PointRows::read(table, &items);
        Landmarks { items, rows, origin: table.origin.to_vec(), h2, similarity, root: Matrix(root) }
    }

    /// The variance of each landmark, given the others: 1 over the diagonal of R R'.
    pub fn own_variances(&self) -> Vec<f64> {
        let root = &self.root.0;
        let squares = |j: usize| (0..=j).map(|k| root[(j, k)] * root[(j, k)]).sum::<f64>();
        (0..self.items.len()).map(|j| 1.0 / squares(j)).collect()
    }

    /// The map for rows of type `T`.
    pub fn ready<T: Float>(&self, features: usize) -> LandmarkMap<'_, T> {
        debug_assert_eq!(features, self.origin.len());
        LandmarkMap::new(&self.rows, &self.origin, (self.h2, self.similarity), self.root.in_type())
    }
}

/// The kernel map: a row x becomes R' k_J(x).
pub(crate) struct LandmarkMap<'a, T: Float> {
    rows: Rows<'static, T>,
    origin: Vec<f64>,
    h2: f64,
    similarity: Similarity,
    root: Cow<'a, Matrix<T>>,
}

/// Buffers of the map.
pub(crate) struct Scratch<T> {
    rows: Rows<'static, T>,
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
    pub fn new(
        landmarks: &PointRows,
        origin: &[f64],
        (h2, similarity): (f64, Similarity),
        root: Cow<'a, Matrix<T>>,
    ) -> Self {
        LandmarkMap { rows: landmarks.rows(origin), origin: origin.to_vec(), h2, similarity, root }
    }

    /// The number of landmarks.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Some rows after the map, row-major.
    pub fn map<'s>(&self, values: &[T], scratch: &'s mut Scratch<T>) -> &'s [T] {
        self.map_some(&RowValues::Dense(values), scratch, |_| true)
    }

    /// The same for the rows that `wanted` says yes to. It is shown the squared distances of each row to all landmarks, row
    /// by row.
    pub fn map_some<'s>(
        &self,
        values: &RowValues<'_, T>,
        scratch: &'s mut Scratch<T>,
        mut wanted: impl FnMut(&[T]) -> bool,
    ) -> &'s [T] {
        let Scratch { rows, kernel, mapped } = scratch;
        let count = self.len();
        rows.fill_like(&self.rows, values, &self.origin);
        rows.squared(0..rows.len(), &self.rows, kernel);
        let mut kept = 0;
        for row in 0..rows.len() {
            if wanted(&kernel[row * count..(row + 1) * count]) {
                kernel.copy_within(row * count..(row + 1) * count, kept * count);
                kept += 1;
            }
        }
        let multiplied = kept.max(FEW);
        kernel.resize(multiplied * count, T::from_f64(0.0));
        self.similarity.of(kernel, self.h2);
        linalg::times_lower(MatRef::from_row_major_slice(kernel, multiplied, count), self.root.0.as_ref(), mapped);
        &mapped[..kept * count]
    }
}

/// How similar rows are, by their squared distance. A Gaussian process needs similarities without negative eigenvalues.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Similarity {
    /// exp(-d^2 / h2): for Euclidean distances, and others where the landmarks allow it.
    Gaussian,
    /// exp(-d / h), which sums of absolute differences always allow; times a share below 1 where distances allow neither.
    Laplacian { share: f64 },
}

impl Similarity {
    /// Squared distances become similarities.
    fn of<T: Float>(self, squared: &mut [T], h2: f64) {
        let Similarity::Laplacian { share } = self else { return exponentials(squared, -1.0 / h2) };
        squared.iter_mut().for_each(|squared| *squared = squared.root());
        exponentials(squared, -1.0 / h2.sqrt());
        if share < 1.0 {
            squared.iter_mut().for_each(|similarity| *similarity = T::from_f64(share * similarity.to_f64()));
        }
    }
}

/// A lower triangular R with R R' = (K_JJ + ridge I)^-1, and the similarity that K is of.
fn root(landmarks: &Rows<'_, f64>, h2: f64, ridge: f64) -> (Mat<f64>, Similarity) {
    let mut similarity = Similarity::Gaussian;
    if !landmarks.is_euclidean() && least_eigenvalue(landmarks, similarity, h2) < -ROUNDING {
        let negative = -least_eigenvalue(landmarks, Similarity::Laplacian { share: 1.0 }, h2);
        // With its diagonal raised by the most negative eigenvalue, and all of it divided so that the diagonal is 1.
        similarity = Similarity::Laplacian { share: if negative > ROUNDING { 1.0 / (1.0 + negative) } else { 1.0 } };
    }
    let mut similar = Vec::new();
    similarities(landmarks, similarity, h2, &mut similar);
    let root = linalg::lower_root_of_inverse(&mut similar, ridge)
        .unwrap_or_else(|| linalg::lower_root_of_indefinite(kernel(landmarks, similarity, h2).as_ref(), ridge));
    (root, similarity)
}

/// K_JJ, row by row.
fn similarities(landmarks: &Rows<'_, f64>, similarity: Similarity, h2: f64, similar: &mut Vec<f64>) {
    let count = landmarks.len();
    landmarks.squared(0..count, landmarks, similar);
    similarity.of(similar, h2);
    (0..count).for_each(|i| similar[i * count + i] = 1.0);
}

/// K_JJ. Both halves from the lower one, so that rounding cannot make them differ.
fn kernel(landmarks: &Rows<'_, f64>, similarity: Similarity, h2: f64) -> Mat<f64> {
    let (count, mut similar) = (landmarks.len(), Vec::new());
    similarities(landmarks, similarity, h2, &mut similar);
    Mat::from_fn(count, count, |i, j| similar[i.max(j) * count + i.min(j)])
}

fn least_eigenvalue(landmarks: &Rows<'_, f64>, similarity: Similarity, h2: f64) -> f64 {
    linalg::least_eigenvalue(kernel(landmarks, similarity, h2).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::rng::uniform;
    use crate::{Metric, Samples};

    /// A row becomes the same bits whichever rows are mapped with it.
    #[test]
    fn rows_are_mapped_alike_in_any_company() {
        let mut generator = generator(3);
        let values: Vec<f64> = (0..300 * 4).map(|_| uniform(&mut generator)).collect();
        let samples = Samples::new(&values, 300, 4).unwrap();
        let kernel = Kernel { landmarks: 90, seed: 0, ridge: 0.01 };
        let table = Table { rows: &samples, origin: &[0.5; 4], metric: Metric::Euclidean };
        let landmarks = Landmarks::new(&kernel, &table, &Landmarks::draw(&kernel, 300));
        let map = landmarks.ready::<f64>(4);
        let mut scratch = Scratch::default();
        let all = map.map(&values[..BLOCK * 4], &mut scratch).to_vec();
        for every in [1, 2, 3, 8, 15, 16, 17, 100, 256] {
            let mut at = 0;
            let some = map.map_some(&RowValues::Dense(&values[..BLOCK * 4]), &mut scratch, |squared| {
                assert_eq!(squared.len(), 90);
                at += 1;
                (at - 1) % every == 0
            });
            let wanted = all.chunks_exact(90).step_by(every).flatten();
            assert!(some.iter().map(|value| value.to_bits()).eq(wanted.map(|value| value.to_bits())), "{every}");
        }
    }
}
