//! Which terms of the row sums are drawn: by l1 Lewis weights, so that no row hides from the sample.

use faer::{Mat, Par};

use super::bounds::Shape;
use super::moments::ADDED;
use super::steps::{DrawTerms, Measure, Sample, WeighTerms};
use crate::exec::{Matrix, RowBackend, Step};
use crate::{Error, linalg};

/// How likely each term is drawn, and the second moments that go with it.
pub(super) struct Terms {
    measure: Measure,
    /// The sum of q_m: p_m = q_m / total.
    total: f64,
    /// C with C C' = sum_m f_m f_m' / p_m, and C^-1.
    root: Mat<f64>,
    inverse: Mat<f64>,
}

/// Rounds of w_m <- (f_m' (sum f f' / w)^-1 f_m)^(1/2). Each halves the logarithm of what is missing to the Lewis weights.
const ROUNDS: usize = 2;

/// Terms that are turned into points at a time: only the points themselves are kept.
const AT_ONCE: usize = 1024;

impl Terms {
    /// Half of the probability by Lewis weights, which add up to L at most, and half evenly; `None` if all terms are zero.
    pub fn weigh(rows: &mut dyn RowBackend) -> Result<Option<Self>, Error> {
        let mut measure = Measure { forms: None, floor: 0.0 };
        for round in 1..=ROUNDS {
            let Some((_, inverse)) = roots(rows.pass(&Step::WeighTerms(WeighTerms(measure)))?.gram()) else {
                return Ok(None);
            };
            let last = round == ROUNDS;
            let floor = if last { rows.features() as f64 / rows.items() as f64 } else { 0.0 };
            measure = Measure { forms: Some(Matrix(inverse.transpose().to_owned())), floor };
        }
        let result = rows.pass(&Step::WeighTerms(WeighTerms(measure.clone())))?;
        let total = result.sums[0];
        let gram = result.gram();
        let scaled = Mat::from_fn(gram.nrows(), gram.ncols(), |i, j| total * gram[(i, j)]);
        Ok(roots(scaled).map(|(root, inverse)| Terms { measure, total, root, inverse }))
    }

    /// About `count` terms. Each bound that is made of them, in so many shapes, fails with a probability of e^-`doubt` at most.
    pub fn draw(
        &self,
        rows: &mut dyn RowBackend,
        (count, shapes): (usize, usize),
        (seed, doubt): (u64, f64),
    ) -> Result<Sample, Error> {
        let (features, rate) = (rows.features(), count as f64 / self.total);
        let step = DrawTerms { measure: self.measure.clone(), rate, seed };
        let drawn = rows.pass(&Step::DrawTerms(step))?.rows.list;
        let mut points = Mat::<f32>::zeros(features, drawn.len());
        let (mut shares, mut spreads, mut length) = (Vec::new(), Vec::new(), 0.0);
        for some in drawn.chunks(AT_ONCE) {
            let found = &self.inverse * Mat::from_fn(features, some.len(), |i, at| some[at].values[i]);
            for (at, term) in some.iter().enumerate() {
                let q = term.values[features];
                let (p, chance) = (q / self.total, (rate * q).min(1.0));
                let share = p / chance;
                length += share / p * linalg::norm_squared(found.col_as_slice(at)).sqrt();
                let point = points.col_as_slice_mut(shares.len());
                point.iter_mut().zip(found.col_as_slice(at)).for_each(|(point, value)| *point = (value / p) as f32);
                shares.push(share as f32);
                spreads.push((share * share * (1.0 - chance)) as f32);
            }
        }
        // Of a product of L terms in single precision, times the steepest slope; and of the sums over the sample.
        let unit = f64::from(f32::EPSILON);
        let rounding = unit * ((features + 4) as f64 * length + ADDED as f64);
        Ok(Sample {
            root: Matrix(self.root.clone()),
            points: Matrix(points),
            ready: Vec::new(),
            shares,
            spreads,
            shapes: Shape::pair(count, doubt)[..shapes].to_vec(),
            largest: 1.0 / count as f64,
            doubt,
            rounding,
        })
    }
}

/// C lower triangular with C C' = `gram` or a little more, and C^-1; `None` if the matrix is zero.
///
/// Columns of very different size are brought to one size first: otherwise rounding would swallow the small ones.
fn roots(gram: Mat<f64>) -> Option<(Mat<f64>, Mat<f64>)> {
    let dim = gram.nrows();
    let largest = (0..dim).map(|i| gram[(i, i)]).fold(0.0, f64::max);
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let size: Vec<f64> = (0..dim).map(|i| gram[(i, i)].max(largest * 1e-200).sqrt()).collect();
    let alike = Mat::from_fn(dim, dim, |i, j| gram[(i, j)] / size[i] / size[j]);
    let root = linalg::lower_root(alike.as_ref());
    let mut inverse = Mat::<f64>::identity(dim, dim);
    faer::linalg::triangular_solve::solve_lower_triangular_in_place(root.as_ref(), inverse.as_mut(), Par::Seq);
    let root = Mat::from_fn(dim, dim, |i, j| size[i] * root[(i, j)]);
    let inverse = Mat::from_fn(dim, dim, |i, j| inverse[(i, j)] / size[j]);
    let finite = (0..dim).all(|j| (0..dim).all(|i| inverse[(i, j)].is_finite()));
    finite.then_some((root, inverse))
}
