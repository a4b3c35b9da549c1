//! The steps of the greedy choice on a block of rows. The state: d = K_nn, s = sum_m u_m K_nm^2 and, if there are
//! weights, u; the s of a row that was picked is minus infinity.
//!
//! Everything is added up in `f64` whatever the data is: after L picks what is left to gain is near the ridge, and
//! sums in `f32` could not tell one row from another (19 to 45 % of 200 picks were those of `f64`).

use faer::{Mat, MatMut};

use crate::Float;
use crate::linalg::{self, GramSum};
use crate::pass::{Access, Batch, Kind, Own, Partial, Request, Visit};

/// Numbers a row without weights.
pub(crate) const WIDTH: usize = 2;
pub(crate) const D: usize = 0;
const S: usize = 1;
/// Where the weight stands, if there is one.
pub(crate) const WEIGHT: usize = 2;

/// What picking the row would gain; minus infinity if it was picked.
pub(crate) fn gain(row: &[f64], alpha: f64) -> f64 {
    if row[S] == f64::NEG_INFINITY { row[S] } else { row[S].max(0.0) / (row[D].max(0.0) + alpha) }
}

/// Offers the rows of a block by what they would gain.
fn offer<T: Float>(sums: &mut Partial<T>, batch: &Batch<'_, T>, numbers: &[f64], alpha: f64) {
    let rows = numbers.chunks_exact(numbers.len() / batch.rows);
    for (at, gain) in rows.map(|row| gain(row, alpha)).enumerate().filter(|(_, gain)| *gain >= 0.0) {
        sums.records.offer(batch.first + at, gain, || batch.row(at));
    }
}

/// G = sum_n u_n x_n x_n'.
pub(crate) struct Gram {
    width: usize,
}

impl Gram {
    pub fn request(width: usize) -> Request {
        Request::new(Kind::TedGram, width)
    }

    pub fn read(request: &Request) -> Self {
        Gram { width: request.width }
    }
}

impl<T: Float> Visit<T> for Gram {
    fn access(&self) -> (Access, Access) {
        (Access::None, if self.width > WIDTH { Access::Read } else { Access::None })
    }

    fn start(&self, features: usize) -> Partial<T> {
        Partial { wide: GramSum::new(features), ..Partial::new(0, 0) }
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let (wide, weighed) = &mut sums.long;
        let weight = |at: usize| if self.width > WIDTH { own.numbers[at * self.width + WEIGHT] } else { 1.0 };
        linalg::weigh(T::widened(batch.values, wide), (0..batch.rows).map(weight), weighed);
        sums.wide.add(batch.matrix_of(weighed));
    }
}

/// Nothing picked: d_n = |x_n|^2, s_n = x_n' G x_n; the best row.
pub(crate) struct Start {
    width: usize,
    alpha: f64,
    /// C C' = G.
    root: Mat<f64>,
}

impl Start {
    pub fn request(width: usize, alpha: f64, g: &Mat<f64>) -> Request {
        let root = linalg::lower_root(g.as_ref());
        Request::new(Kind::TedStart, width).numbers([alpha]).matrix(root.as_ref())
    }

    pub fn read(request: &Request) -> Self {
        Start { width: request.width, alpha: request.numbers[0], root: request.matrices[0].clone() }
    }
}

impl<T: Float> Visit<T> for Start {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Change)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 0).with_best(1)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let (wide, scratch) = &mut sums.long;
        let values = T::widened(batch.values, wide);
        linalg::times_lower(batch.matrix_of(values), self.root.as_ref(), scratch);
        let forms = values.chunks_exact(batch.features).zip(scratch.chunks_exact(batch.features));
        for (row, (x, form)) in own.numbers.chunks_exact_mut(self.width).zip(forms) {
            (row[D], row[S]) = (linalg::norm_squared(x), linalg::norm_squared(form));
        }
        offer(sums, batch, own.numbers, self.alpha);
    }
}

/// Row i is picked. With v = C x_i, h = C G v, delta = d_i + alpha, y_n = x_n' v, z_n = x_n' h:
/// d_n -= y_n^2 / delta, s_n += (v' G v) y_n^2 / delta^2 - 2 y_n z_n / delta; then the best row.
pub(crate) struct Take {
    pub width: usize,
    pub picked: usize,
    pub alpha: f64,
    pub delta: f64,
    pub vgv: f64,
    /// v and h.
    pub both: Mat<f64>,
}

impl Take {
    pub fn request(&self) -> Request {
        let numbers = [self.alpha, self.delta, self.vgv];
        Request::new(Kind::TedTake, self.width).numbers(numbers).positions([self.picked]).matrix(self.both.as_ref())
    }

    pub fn read(request: &Request) -> Self {
        let [alpha, delta, vgv] = std::array::from_fn(|at| request.numbers[at]);
        let both = request.matrices[0].clone();
        Take { width: request.width, picked: request.positions[0] as usize, alpha, delta, vgv, both }
    }
}

impl<T: Float> Visit<T> for Take {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Change)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 0).with_best(1)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let (wide, scratch) = &mut sums.long;
        let values = batch.matrix_of(T::widened(batch.values, wide));
        scratch.resize(2 * batch.rows, 0.0);
        linalg::product(MatMut::from_row_major_slice_mut(scratch, batch.rows, 2), values, self.both.as_ref(), 1.0);
        for (row, yz) in own.numbers.chunks_exact_mut(self.width).zip(scratch.chunks_exact(2)) {
            let (y, z) = (yz[0] / self.delta, yz[1]);
            row[D] -= y * y * self.delta;
            row[S] += self.vgv * y * y - 2.0 * y * z;
        }
        if let Some(at) = self.picked.checked_sub(batch.first).filter(|&at| at < batch.rows) {
            own.numbers[at * self.width + S] = f64::NEG_INFINITY;
        }
        offer(sums, batch, own.numbers, self.alpha);
    }
}

/// sum_n u_n d_n: what is left.
pub(crate) struct Left;

impl<T: Float> Visit<T> for Left {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Read)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(1, 0)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        let rows = own.numbers.chunks_exact(own.numbers.len() / batch.rows);
        sums.add[0] += rows.map(|row| row.get(WEIGHT).unwrap_or(&1.0) * row[D].max(0.0)).sum::<f64>();
    }
}

/// The best rows by what each would gain now.
pub(crate) struct Rest {
    count: usize,
    alpha: f64,
}

impl Rest {
    pub fn request(width: usize, count: usize, alpha: f64) -> Request {
        Request::new(Kind::TedRest, width).numbers([alpha]).positions([count])
    }

    pub fn read(request: &Request) -> Self {
        Rest { count: request.positions[0] as usize, alpha: request.numbers[0] }
    }
}

impl<T: Float> Visit<T> for Rest {
    fn access(&self) -> (Access, Access) {
        (Access::None, Access::Read)
    }

    fn start(&self, _: usize) -> Partial<T> {
        Partial::new(0, 0).with_best(self.count)
    }

    fn visit(&self, sums: &mut Partial<T>, batch: &Batch<'_, T>, own: Own<'_, T>) {
        offer(sums, batch, own.numbers, self.alpha);
    }
}
