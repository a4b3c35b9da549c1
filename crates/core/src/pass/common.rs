//! Steps that several methods share.

use faer::{Mat, MatMut};

use super::{Access, Batch, Kind, Own, Partial, Request, Visit};
use crate::lanes::vectorised;
use crate::{Float, linalg};

/// No look at the state.
const BLIND: (Access, Access) = (Access::None, Access::None);

/// The first value that is not finite, as a record of its column, or the largest absolute value.
pub(super) struct Check;

impl<T: Float> Visit<T> for Check {
    fn access(&self) -> (Access, Access) {
        BLIND
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 1)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, _: Own<'_, T>) {
        let mut largest = sums.max[0];
        for (at, value) in batch.values.iter().map(|value| value.to_f64()).enumerate() {
            if !value.is_finite() && sums.records.list.is_empty() {
                let (row, column) = (batch.first + at / batch.features, at % batch.features);
                sums.records.push(row, value, vec![column as f64]);
            }
            largest = largest.max(value.abs());
        }
        sums.max[0] = largest;
    }
}

/// max_n |x_n|^2.
pub(super) struct Longest;

impl<T: Float> Visit<T> for Longest {
    fn access(&self) -> (Access, Access) {
        BLIND
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 1)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, _: Own<'_, T>) {
        sums.max[0] = batch.lines().map(linalg::norm_squared).fold(sums.max[0], f64::max);
    }
}

/// max_n |C' x_n|^2, C lower triangular.
pub(crate) struct LargestForm<T> {
    c: Mat<T>,
}

impl<T: Float> LargestForm<T> {
    pub fn read(request: &Request) -> Self {
        LargestForm { c: linalg::cast(request.matrices[0].as_ref()) }
    }
}

/// The request for max_n |C' x_n|^2 with C C' = `gram`.
pub(crate) fn largest_form(gram: &Mat<f64>, width: usize) -> Request {
    Request::new(Kind::LargestForm, width).matrix(linalg::lower_root(gram.as_ref()).as_ref())
}

impl<T: Float> Visit<T> for LargestForm<T> {
    fn access(&self) -> (Access, Access) {
        BLIND
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 1)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, _: Own<'_, T>) {
        linalg::times_lower(batch.mat(), self.c.as_ref(), &mut sums.scratch);
        let forms = sums.scratch.chunks_exact(batch.features);
        sums.max[0] = vectorised(
            #[inline(always)]
            || forms.map(linalg::norm_squared).fold(sums.max[0], f64::max),
        );
    }
}

/// sum_n x_n x_n' / |x_n|^2, rows of zeros left out.
pub(super) struct InverseGram;

impl InverseGram {
    pub fn read(_: &Request) -> Self {
        InverseGram
    }
}

impl<T: Float> Visit<T> for InverseGram {
    fn access(&self) -> (Access, Access) {
        BLIND
    }

    fn start(&self, features: usize) -> Partial<T> {
        Partial::new(0, 0).with_gram(features)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, _: Own<'_, T>) {
        let inverse_square = |x: &[T]| match linalg::norm_squared(x) {
            0.0 => 0.0,
            square => 1.0 / square,
        };
        linalg::weigh(batch.values, batch.lines().map(inverse_square), &mut sums.scratch);
        sums.gram.add(batch.matrix_of(&sums.scratch));
    }
}

/// The rows with the largest number `key` behind a given one, each with its values and another number.
pub(crate) struct Top {
    /// The smallest number instead.
    pub least: bool,
    pub count: usize,
    /// The last row that is known already: key and index.
    pub after: Option<(f64, usize)>,
    pub key: usize,
    pub other: usize,
    pub width: usize,
}

impl Top {
    pub fn request(&self) -> Request {
        let (key, index) = self.after.map_or((f64::NAN, 0), |after| after);
        let kind = if self.least { Kind::Least } else { Kind::Top };
        Request::new(kind, self.width).numbers([key]).positions([self.count, index, self.key, self.other])
    }

    pub fn read(request: &Request) -> Self {
        let [count, index, key, other] = [0, 1, 2, 3].map(|at| request.positions[at] as usize);
        let after = Some((request.numbers[0], index)).filter(|after| !after.0.is_nan());
        Top { least: request.kind == Kind::Least, count, after, key, other, width: request.width }
    }
}

impl<T: Float> Visit<T> for Top {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Read)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 0).with_best(self.count)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        for (at, numbers) in own.numbers.chunks_exact(self.width).enumerate() {
            let key = if self.least { -numbers[self.key] } else { numbers[self.key] };
            let index = batch.first + at;
            if self.after.is_none_or(|(last, before)| key < last || (key == last && index > before)) {
                let row = || batch.row(at).into_iter().chain([numbers[self.other]]).collect();
                sums.records.offer(index, key, row);
            }
        }
    }
}

/// sum_m |<x, f_m>| for some rows x, f_m being the values kept for row m.
pub(crate) struct Absolute<T> {
    left: Mat<T>,
}

impl<T: Float> Absolute<T> {
    pub fn read(request: &Request) -> Self {
        Absolute { left: linalg::cast(request.matrices[0].as_ref()) }
    }
}

impl<T: Float> Visit<T> for Absolute<T> {
    fn access(&self) -> (Access, Access) {
        (Access::Read, Access::None)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(self.left.nrows(), 0)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let rows = self.left.nrows();
        sums.scratch.resize(rows * batch.rows, T::from_f64(0.0));
        let products = MatMut::from_row_major_slice_mut(&mut sums.scratch, rows, batch.rows);
        linalg::product(products, self.left.as_ref(), batch.matrix_of(own.values).transpose(), 1.0);
        for (sum, row) in sums.add.iter_mut().zip(sums.scratch.chunks_exact(batch.rows)) {
            *sum += row.iter().map(|value| value.to_f64().abs()).sum::<f64>();
        }
    }
}

/// The rows at some positions, which are in order.
pub(crate) struct Fetch {
    positions: Vec<usize>,
}

impl Fetch {
    pub fn read(request: &Request) -> Self {
        Fetch { positions: request.positions.iter().map(|&position| position as usize).collect() }
    }
}

impl<T: Float> Visit<T> for Fetch {
    fn access(&self) -> (Access, Access) {
        BLIND
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 0)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, _: Own<'_, T>) {
        let from = self.positions.partition_point(|&position| position < batch.first);
        for &position in self.positions[from..].iter().take_while(|&&p| p < batch.first + batch.rows) {
            sums.records.push(position, 0.0, batch.row(position - batch.first));
        }
    }
}
