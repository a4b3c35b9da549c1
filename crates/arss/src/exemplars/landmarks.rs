//! Landmarks: a sample of the rows that all others are compared with.

use faer::{Mat, MatRef};

use crate::exec::{Matrix, PointRows};
use crate::linalg::distances::{Rows, Table, median_squared};
use crate::linalg::rng::{generator, positions};
use crate::linalg::simd::exponentials;
use crate::{Float, Kernel, linalg};

/// Rows that the width of the kernel is measured on.
const SCALE_ROWS: usize = 2048;
/// Rows that are mapped at a time: their similarities stay in the cache.
pub(crate) const BLOCK: usize = 256;
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
    /// (K_JJ + ridge I)^-1. Its condition is at most (landmarks + ridge) / ridge.
    pub inverse: Mat<f64>,
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
        let inverse = inverse(&Rows::of(table, &items), h2, kernel.ridge);
        let rows = PointRows::read(table.rows, &items, table.origin.len());
        Landmarks { items, rows, origin: table.origin.to_vec(), h2, inverse }
    }

    /// R with R R' = (K_JJ + ridge I)^-1.
    pub fn root(&self) -> Matrix {
        Matrix(linalg::lower_root(self.inverse.as_ref()))
    }

    /// The map for rows of type `T`.
    pub fn ready<T: Float>(&self, features: usize) -> LandmarkMap<T> {
        debug_assert_eq!(features, self.origin.len());
        LandmarkMap::new(&self.rows, &self.origin, self.h2, self.root().cast())
    }
}

/// The kernel map: a row x becomes R' k_J(x).
pub(crate) struct LandmarkMap<T> {
    rows: Rows<T>,
    origin: Vec<f64>,
    h2: f64,
    root: Matrix<T>,
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

impl<T: Float> LandmarkMap<T> {
    /// From the rows of the landmarks, the origin, the width and R.
    pub fn new(landmarks: &PointRows, origin: &[f64], h2: f64, root: Matrix<T>) -> Self {
        LandmarkMap { rows: landmarks.rows(origin), origin: origin.to_vec(), h2, root }
    }

    /// The number of landmarks.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Some rows after the map, row-major.
    pub fn map<'s>(&self, values: &[T], scratch: &'s mut Scratch<T>) -> &'s [T] {
        self.map_and_see(values, scratch, |_| ())
    }

    /// The same; `see` is shown the squared distances of each row to all landmarks, row by row.
    pub fn map_and_see<'s>(&self, values: &[T], scratch: &'s mut Scratch<T>, see: impl FnMut(&[T])) -> &'s [T] {
        let Scratch { rows, kernel, mapped } = scratch;
        rows.fill(values, &self.origin);
        rows.squared(0..rows.len(), &self.rows, kernel);
        kernel.chunks_exact(self.len()).for_each(see);
        exponentials(kernel, -1.0 / self.h2);
        let kernel = MatRef::from_row_major_slice(kernel, rows.len(), self.len());
        linalg::times_lower(kernel, self.root.0.as_ref(), mapped);
        mapped
    }
}

/// (K_JJ + ridge I)^-1.
fn inverse(landmarks: &Rows<f64>, h2: f64, ridge: f64) -> Mat<f64> {
    let count = landmarks.len();
    let mut similar = Vec::new();
    landmarks.squared(0..count, landmarks, &mut similar);
    exponentials(&mut similar, -1.0 / h2);
    let entry = |i: usize, j: usize| if i == j { 1.0 } else { similar[i * count + j] };
    // Both halves from the lower one, so that rounding cannot make them differ.
    let kernel = Mat::from_fn(count, count, |i, j| entry(i.max(j), i.min(j)));
    let inverse = linalg::inverse_of_shifted(kernel.as_ref(), 1.0 / ridge);
    Mat::from_fn(count, count, |i, j| inverse[(i, j)] / ridge)
}
