//! The passes of the sampled ranking: weights of the terms, a draw of them, and bounds of the row sums.

use faer::MatMut;
use serde::{Deserialize, Serialize};

use super::bounds::{Moments, SHAPES, Shape};
use super::moments::{TERMS, TermsOf, add_moments, side_by_side};
use super::{Columns, Rule};
use crate::exec::{
    Access, Accumulator, BlockState, BlockStep, Matrix, Needs, OutputShape, RowBlock, StepSpec, damaged,
};
use crate::linalg::rng::hashed;
use crate::{Error, Float, linalg};

/// How likely a term is drawn, up to a common factor: q_m = |B f_m| + floor, f_m being the values of row m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct Measure<T = f64> {
    /// B' as a full matrix; none where all terms are alike.
    pub forms: Option<Matrix<T>>,
    pub floor: f64,
}

impl Measure {
    pub fn cast<T: Float>(&self) -> Measure<T> {
        Measure { forms: self.forms.as_ref().map(Matrix::cast), floor: self.floor }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.forms.as_ref().map_or(Ok(()), |forms| forms.check(features, features))
    }
}

impl<T: Float> Measure<T> {
    /// q of each row of a block.
    fn of(&self, values: &[T], features: usize, (scratch, found): (&mut Vec<T>, &mut Vec<f64>)) {
        found.clear();
        let Some(forms) = &self.forms else {
            found.resize(values.len() / features, 1.0);
            return;
        };
        let rows = values.len() / features;
        scratch.resize(values.len(), T::from_f64(0.0));
        let block = faer::MatRef::from_row_major_slice(values, rows, features);
        linalg::product(MatMut::from_row_major_slice_mut(scratch, rows, features), block, forms.0.as_ref(), 1.0);
        found.extend(scratch.chunks_exact(features).map(|form| linalg::norm_squared(form).sqrt() + self.floor));
    }
}

/// sum_m f_m f_m' / q_m and the sum of q. Terms with q = 0 are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct WeighTerms<T = f64>(pub Measure<T>);

impl WeighTerms {
    pub fn cast<T: Float>(&self) -> WeighTerms<T> {
        WeighTerms(self.0.cast())
    }
}

impl StepSpec for WeighTerms {
    fn needs(&self) -> Needs {
        Needs::ATTRIBUTES.values(Access::Read)
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { gram: features, sums: 1, ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.0.check(features)
    }
}

impl<T: Float> BlockStep<T> for WeighTerms<T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let (scratch, found) = (&mut sums.scratch.values, &mut sums.scratch.wide);
        self.0.of(state.values, block.features, (scratch, found));
        sums.sums[0] += found.iter().sum::<f64>();
        let inverse = found.iter().map(|&q| if q > 0.0 { 1.0 / q } else { 0.0 });
        linalg::weigh(state.values, inverse, scratch);
        sums.gram.add(block.matrix_of(scratch));
    }
}

/// A draw of terms, each by itself with probability min(1, rate q_m): its values, and q_m.
///
/// Whether a term is drawn depends on the seed and its position alone, not on the order in which rows are visited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct DrawTerms<T = f64> {
    pub measure: Measure<T>,
    pub rate: f64,
    pub seed: u64,
}

impl DrawTerms {
    pub fn cast<T: Float>(&self) -> DrawTerms<T> {
        DrawTerms { measure: self.measure.cast(), rate: self.rate, seed: self.seed }
    }
}

impl StepSpec for DrawTerms {
    fn needs(&self) -> Needs {
        Needs::ATTRIBUTES.values(Access::Read)
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { row: features + 1, ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.measure.check(features)
    }
}

impl<T: Float> BlockStep<T> for DrawTerms<T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let (scratch, found) = (&mut sums.scratch.values, &mut sums.scratch.wide);
        self.measure.of(state.values, block.features, (scratch, found));
        for (at, (values, &q)) in state.values.chunks_exact(block.features).zip(found.iter()).enumerate() {
            let index = block.first + at;
            if hashed(self.seed, index) < self.rate * q {
                sums.rows.push(index, 0.0, values.iter().map(|value| value.to_f64()).chain([q]).collect());
            }
        }
    }
}

/// Terms that were drawn, ready for products with rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct Sample<T = f64> {
    /// C, lower triangular, with C C' = sum_m f_m f_m' / p_m.
    pub root: Matrix<T>,
    /// The columns C^-1 f_m / p_m.
    pub points: Matrix<f32>,
    /// The same for the kernel; made where the step is run.
    #[serde(skip)]
    pub ready: Vec<[f32; TERMS]>,
    /// p_m over the probability that term m is drawn.
    pub shares: Vec<f32>,
    /// The square of it, times the probability that term m is not drawn.
    pub spreads: Vec<f32>,
    /// One or two.
    pub shapes: Vec<Shape>,
    /// The largest share of a term that could have been missed.
    pub largest: f64,
    /// Each bound fails with a probability of e^-doubt at most.
    pub doubt: f64,
    /// What rounding to single precision can change.
    pub rounding: f64,
}

impl Sample {
    fn cast<T: Float>(&self) -> Sample<T> {
        let Sample { root, points, shares, spreads, shapes, largest, doubt, rounding, .. } = self.clone();
        let ready = side_by_side(points.0.as_ref());
        Sample { root: root.cast(), points, ready, shares, spreads, shapes, largest, doubt, rounding }
    }
}

/// Bounds of the row sums, from above. A row that is known, or cannot reach the score from which rows are measured, costs nothing.
///
/// Returns how many of the rows that are not known can still reach the first and the last of `least`, how many are better bounded by
/// the second shape than by the first, and the largest bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Float")]
pub(crate) struct BoundSums<T = f64> {
    pub columns: Columns,
    pub rule: Rule,
    /// There are no bounds yet but those by the norms.
    pub first: bool,
    /// The score that counts, the one from which rows are measured, and the one that is told apart.
    pub least: [f64; 3],
    /// Positions of the rows whose sum is known, in ascending order.
    pub known: Vec<usize>,
    /// None where the bounds are only counted.
    pub sample: Option<Sample<T>>,
}

impl BoundSums {
    pub fn cast<T: Float>(&self) -> BoundSums<T> {
        let &BoundSums { columns, rule, first, least, .. } = self;
        let sample = self.sample.as_ref().map(Sample::cast);
        BoundSums { columns, rule, first, least, known: self.known.clone(), sample }
    }
}

impl StepSpec for BoundSums {
    fn needs(&self) -> Needs {
        let rows = self.sample.is_some();
        Needs { rows, ..Needs::ROWS }.numbers(Access::Change, self.columns.width)
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { sums: 3, maxima: 1, ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        let Columns { norm, weight, bound, width, .. } = self.columns;
        if norm.max(weight).max(bound) >= width || !self.known.is_sorted() {
            return Err(damaged());
        }
        let Some(sample) = &self.sample else { return Ok(()) };
        let terms = sample.points.0.ncols();
        let shapes = (1..=SHAPES).contains(&sample.shapes.len());
        if !shapes || (sample.shares.len(), sample.spreads.len()) != (terms, terms) {
            return Err(damaged());
        }
        sample.points.check(features, terms)?;
        sample.root.check(features, features)
    }
}

/// What a row whose sum is known has instead of a bound: it is never the next one.
pub(super) const KNOWN: f64 = -1.0;

impl<T: Float> BlockStep<T> for BoundSums<T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let Columns { norm, bound, width, .. } = self.columns;
        if self.first {
            let limit = self.rule.root();
            state.numbers.chunks_exact_mut(width).for_each(|row| row[bound] = limit * row[norm]);
        }
        let from = self.known.partition_point(|&position| position < block.first);
        for &position in self.known[from..].iter().take_while(|&&p| p < block.first + block.rows) {
            state.numbers[(position - block.first) * width + bound] = KNOWN;
        }
        if let Some(sample) = &self.sample {
            self.sharpen(sample, sums, (block, &mut *state.numbers));
        }
        let [least, _, apart] = self.least;
        for row in state.numbers.chunks_exact(width).filter(|row| row[bound] >= least) {
            sums.sums[0] += 1.0;
            sums.sums[1] += f64::from(u8::from(row[bound] >= apart));
            sums.maxima[0] = sums.maxima[0].max(row[bound]);
        }
    }
}

impl<T: Float> BoundSums<T> {
    /// Better bounds for the rows of a block that are measured.
    fn sharpen(&self, sample: &Sample<T>, sums: &mut Accumulator<T>, (block, numbers): (&RowBlock<'_, T>, &mut [f64])) {
        let (features, Columns { norm, weight, bound, width, divisor }) = (block.features, self.columns);
        let space = &mut sums.scratch.ranking;
        space.open.clear();
        space.open.extend((0..block.rows).filter(|at| numbers[at * width + bound] >= self.least[1]));
        if space.open.is_empty() {
            return;
        }
        let gathered = &mut sums.scratch.open;
        gathered.clear();
        space.open.iter().for_each(|at| gathered.extend_from_slice(&block.values[at * features..(at + 1) * features]));
        let rows = faer::MatRef::from_row_major_slice(gathered, space.open.len(), features);
        linalg::times_lower(rows, sample.root.0.as_ref(), &mut sums.scratch.values);
        space.measure(sample, &sums.scratch.values, features);
        for ((&at, &length), moments) in space.open.iter().zip(&space.lengths).zip(&space.moments) {
            let row = &mut numbers[at * width..(at + 1) * width];
            let (most, second) = moments.bound(sample);
            sums.sums[2] += f64::from(u8::from(second));
            let sum = length * most * (1.0 + 1e-6);
            let score = self.rule.score(row[weight] / divisor * sum, row[norm]);
            row[bound] = row[bound].min(score);
        }
    }
}

/// Space for the rows of a block that are measured.
#[derive(Default)]
pub(crate) struct Space {
    open: Vec<usize>,
    lengths: Vec<f64>,
    directions: Vec<f32>,
    lanes: Vec<f32>,
    moments: Vec<Moments>,
}

impl Space {
    /// The moments of |<u, v_m>| over the sample, u being the direction of each row of `forms`.
    fn measure<T: Float>(&mut self, sample: &Sample<T>, forms: &[T], features: usize) {
        let rows = forms.len() / features;
        self.lengths.clear();
        self.directions.clear();
        for form in forms.chunks_exact(features) {
            let length = linalg::norm_squared(form).sqrt();
            let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
            self.lengths.push(length);
            self.directions.extend(form.iter().map(|value| (value.to_f64() * inverse) as f32));
        }
        self.moments.clear();
        self.moments.resize(rows, Moments::default());
        let Sample { ready: points, shares, spreads, shapes, .. } = sample;
        let terms = TermsOf { points, features, shares, spreads, shapes };
        add_moments(terms, &self.directions, &mut self.lanes, &mut self.moments);
    }
}
