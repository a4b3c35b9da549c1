//! The steps that score the rows and set some of them aside.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::column_tails::ColumnTails;
use super::gate::{self, GateRule, RowMeasures};
use super::landmarks::{self, LandmarkMap, Similarity};
use super::steps::{FAR, NEAR, RELATIVE, SCORE, TAIL, VARIANCE, WIDTH, check};
use crate::exec::{
    Access, Accumulator, BlockState, BlockStep, Matrix, Needs, OutputShape, PointRows, RowBlock, StepSpec,
};
use crate::linalg::distances::Rows;
use crate::linalg::median::median;
use crate::linalg::rng::hashed;
use crate::linalg::row_values::RowValues;
use crate::linalg::simd::vectorised;
use crate::{Error, Float, linalg};

/// The landmark whose distance says how near others are.
pub(super) const NEAR_RANK: usize = 5;

/// The columns that rows are judged by: all, or those listed.
///
/// Columns of 0 and 1 that stand for categories are left out: a row that shares its combination of categories with nobody is
/// no outlier for that.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct JudgedColumns(Option<Vec<usize>>);

impl JudgedColumns {
    /// The listed columns; all if none is given.
    pub fn new(columns: Option<&[usize]>) -> Self {
        JudgedColumns(columns.filter(|columns| !columns.is_empty()).map(<[usize]>::to_vec))
    }

    /// True if all columns are judged by.
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// How many of a table with so many columns.
    pub fn count(&self, features: usize) -> usize {
        self.0.as_ref().map_or(features, Vec::len)
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        check(self.0.as_ref().is_none_or(|columns| columns.iter().all(|&column| column < features)))
    }

    /// These columns of some rows; copied if they are not all, and then all values of the rows are needed.
    pub fn of<'a, T: Float>(&self, rows: RowValues<'a, T>, features: usize, copy: &'a mut Vec<T>) -> RowValues<'a, T> {
        let (Some(columns), RowValues::Dense(values)) = (&self.0, &rows) else { return rows };
        copy.clear();
        copy.extend(values.chunks_exact(features).flat_map(|row| columns.iter().map(|&column| row[column])));
        RowValues::Dense(copy)
    }

    /// A copy of these columns of some rows.
    pub fn copy(&self, rows: &[f64], features: usize) -> Vec<f64> {
        let columns = |row: &[f64]| self.0.as_ref().map_or(row.to_vec(), |own| own.iter().map(|&at| row[at]).collect());
        rows.chunks_exact(features).flat_map(columns).collect()
    }
}

/// What the landmarks say of each row: the measures that the gate looks at. Those of the landmarks' own variance are given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ScoreStep {
    /// The rows to score; all if not given.
    pub rows: Option<(usize, usize)>,
    /// The columns that `origin`, `values` and `columns` are of.
    pub judged: JudgedColumns,
    pub h2: f64,
    pub similarity: Similarity,
    pub ridge: f64,
    pub origin: Vec<f64>,
    /// The rows are not those that the landmarks were drawn from: one that equals a landmark is taken for it.
    pub new_rows: bool,
    /// Positions of the landmarks, ascending, and the variance of each.
    pub landmarks: Vec<usize>,
    pub own_variances: Vec<f64>,
    /// The rows of the landmarks.
    pub values: PointRows,
    pub root: Matrix,
    /// How many nearest landmarks a row is compared with, and which one is a far one.
    pub neighbours: usize,
    pub far: usize,
    /// A sample of each column, sorted: the columns one behind the other. Empty where tails do not count.
    pub columns: Vec<f64>,
}

/// The step with its map in the type of the rows.
pub(crate) struct ReadyScore<'a, T: Float> {
    step: &'a ScoreStep,
    map: LandmarkMap<'a, T>,
    /// What is left unexplained of each landmark, as a logarithm.
    alone: Vec<f64>,
    tails: ColumnTails<'a, T>,
}

impl ScoreStep {
    pub fn ready<T: Float>(&self) -> ReadyScore<'_, T> {
        let map = LandmarkMap::new(&self.values, &self.origin, (self.h2, self.similarity), self.root.in_type());
        let alone = self.own_variances.iter().map(|&variance| gate::unexplained(variance, self.ridge)).collect();
        ReadyScore { step: self, map, alone, tails: ColumnTails::new(&self.columns, self.origin.len()) }
    }
}

impl StepSpec for ScoreStep {
    fn needs(&self) -> Needs {
        let needs = Needs::ROWS.numbers(Access::Change, WIDTH);
        if self.judged.is_all() && self.columns.is_empty() { needs.or_entries() } else { needs }
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape::default()
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.judged.check(features)?;
        let (count, features) = (self.landmarks.len(), self.judged.count(features));
        self.values.check(count, features)?;
        self.root.check(count, count)?;
        let lists = self.own_variances.len() == count && self.origin.len() == features && self.landmarks.is_sorted();
        let columns = self.columns.len().is_multiple_of(features.max(1));
        let counts = self.neighbours > 0 && self.far > 0 && self.neighbours.max(self.far) <= landmarks::MOST;
        // `clamp` panics for an empty interval.
        // Distances have no columns of their own.
        let all = self.values.columns().is_empty() || (self.judged.is_all() && self.columns.is_empty());
        check(count > 0 && lists && columns && counts && all && self.ridge > 0.0 && self.ridge <= 1.0)
    }

    fn points(&self) -> Option<&PointRows> {
        Some(&self.values)
    }

    fn range(&self) -> Option<Range<usize>> {
        self.rows.map(|(start, end)| start..end)
    }
}

impl<T: Float> BlockStep<T> for ReadyScore<'_, T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let ScoreStep { ridge, h2, landmarks: items, own_variances, neighbours, far, new_rows, .. } = self.step;
        let rows = state.numbers.as_chunks_mut::<WIDTH>().0;
        let (few, around, owns) = (&mut sums.scratch.few, &mut sums.scratch.wide, &mut sums.scratch.owns);
        // Of a table of distances a block holds those to the landmarks.
        let features = self.step.judged.count(block.features);
        let (seen, mut start) = (block.seen(), 0);
        for rows in rows.chunks_mut(landmarks::BLOCK) {
            let first = block.first + start;
            let values = seen.part(start..start + rows.len(), block.features);
            start += rows.len();
            let values = self.step.judged.of(values, block.features, &mut sums.scratch.judged);
            let mut at = 0;
            owns.clear();
            let mapped = self.map.map_some(&values, &mut sums.scratch.landmarks, |squared| {
                let own = match new_rows {
                    true => self.equal_landmark(&values.part(at..at + 1, features), squared),
                    false => items.binary_search(&(first + at)).ok(),
                };
                owns.push(own);
                few.find(squared, own, (*neighbours).max(*far).max(NEAR_RANK));
                around.clear();
                around.extend(few.landmarks().take(*neighbours).map(|landmark| self.alone[landmark]));
                // A single row has nobody around it.
                let around = if around.is_empty() { 0.0 } else { median(around) };
                rows[at][NEAR] = few.squared(NEAR_RANK) / h2;
                rows[at][FAR] = few.squared(*far) / h2;
                rows[at][RELATIVE] = -0.5 * around;
                at += 1;
                // Of a landmark the others tell the variance.
                own.is_none()
            });
            let mut mapped = mapped.chunks_exact(self.map.len());
            vectorised(
                #[inline(always)]
                || {
                    for (own, row) in owns.iter().zip(rows.iter_mut()) {
                        row[VARIANCE] = match *own {
                            Some(landmark) => own_variances[landmark],
                            None => 1.0 + ridge - mapped.next().map_or(0.0, linalg::norm_squared),
                        };
                    }
                },
            );
            for row in rows.iter_mut() {
                row[VARIANCE] = row[VARIANCE].clamp(0.5 * ridge, 1.0 + ridge);
                row[RELATIVE] += gate::unexplained(row[VARIANCE], *ridge);
            }
            if let RowValues::Dense(values) = values {
                self.tails.set(values, features, rows);
            }
        }
    }
}

impl<T: Float> ReadyScore<'_, T> {
    /// The landmark that a row equals, if it equals one.
    fn equal_landmark(&self, row: &RowValues<'_, T>, squared: &[T]) -> Option<usize> {
        let near = |squared: &T| squared.to_f64() <= 1e-6 * self.step.h2;
        let equals = |landmark: &usize| self.step.values.equals(*landmark, row);
        (0..squared.len()).filter(|&landmark| near(&squared[landmark])).find(equals)
    }
}

/// The measures of a row.
fn measures(row: &[f64; WIDTH]) -> RowMeasures {
    let [variance, relative, near, far, tail] = [VARIANCE, RELATIVE, NEAR, FAR, TAIL].map(|at| row[at]);
    RowMeasures { variance, relative, near, far, tail }
}

/// The measures of the rows at some positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SampleMeasures {
    /// In ascending order.
    pub positions: Vec<usize>,
}

impl SampleMeasures {
    /// From what the step returns for a row.
    pub fn read(row: &crate::exec::TopRow) -> RowMeasures {
        let [relative, near, far, tail] = std::array::from_fn(|at| row.values[at]);
        RowMeasures { variance: row.key, relative, near, far, tail }
    }
}

impl StepSpec for SampleMeasures {
    fn needs(&self) -> Needs {
        Needs::ATTRIBUTES.numbers(Access::Read, WIDTH)
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { row: 4, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        check(self.positions.is_sorted())
    }
}

impl<T: Float> BlockStep<T> for SampleMeasures {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let rows = state.numbers.as_chunks::<WIDTH>().0;
        let from = self.positions.partition_point(|&position| position < block.first);
        for &position in self.positions[from..].iter().take_while(|&&p| p < block.first + block.rows) {
            let row = &rows[position - block.first];
            sums.rows.push(position, row[VARIANCE], [RELATIVE, NEAR, FAR, TAIL].map(|at| row[at]).to_vec());
        }
    }
}

/// The outlier score of each row by a rule. Returns how many are beyond the gate, and some of them, drawn by a seed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct JudgeStep {
    pub rule: GateRule,
    /// Rows that were not scored, because the run was interrupted, have none.
    pub interrupted: bool,
    pub seed: u64,
    /// How many rows beyond the gate are returned, with their values.
    pub sample: usize,
}

impl StepSpec for JudgeStep {
    fn needs(&self) -> Needs {
        Needs::ROWS.or_entries().numbers(Access::Change, WIDTH)
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { sums: 1, keep: self.sample, row: features, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        check(self.sample > 0)
    }
}

impl<T: Float> BlockStep<T> for JudgeStep {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        for (at, row) in state.numbers.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
            if self.interrupted && row[VARIANCE] == 0.0 {
                row[SCORE] = f64::NAN;
                continue;
            }
            row[SCORE] = self.rule.score(&measures(row));
            if row[SCORE] > 1.0 {
                sums.sums[0] += 1.0;
                let item = block.first + at;
                sums.rows.offer(item, hashed(self.seed, item), || block.row(at));
            }
        }
    }
}

/// A second look at the rows beyond the gate: those with enough fellows around them are a group, and stay. Returns how many
/// stay, and how many of the others have a fellow near by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SecondLook {
    /// The columns that `origin` and `values` are of.
    pub judged: JudgedColumns,
    pub origin: Vec<f64>,
    /// The rows are not those of the fellows: one that equals a fellow is taken for it.
    pub new_rows: bool,
    /// Some of the rows beyond the gate, ascending, and their values.
    pub fellows: Vec<usize>,
    pub values: PointRows,
    /// Squared distance within which a fellow is near.
    pub usual: f64,
    /// Fellows of the sample that make a group.
    pub least: f64,
}

/// The step with its rows ready for products.
pub(crate) struct ReadySecondLook<'a, T> {
    step: &'a SecondLook,
    fellows: Rows<'static, T>,
}

impl SecondLook {
    pub fn ready<T: Float>(&self) -> ReadySecondLook<'_, T> {
        ReadySecondLook { step: self, fellows: self.values.rows(&self.origin) }
    }
}

impl StepSpec for SecondLook {
    fn needs(&self) -> Needs {
        let needs = Needs::ROWS.numbers(Access::Change, WIDTH);
        if self.judged.is_all() { needs.or_entries() } else { needs }
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { sums: 2, ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.judged.check(features)?;
        let features = self.judged.count(features);
        self.values.check(self.fellows.len(), features)?;
        let all = self.judged.is_all() || self.values.columns().is_empty();
        check(all && !self.fellows.is_empty() && self.fellows.is_sorted() && self.origin.len() == features)
    }

    fn points(&self) -> Option<&PointRows> {
        Some(&self.values)
    }
}

impl<T: Float> BlockStep<T> for ReadySecondLook<'_, T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let SecondLook { judged, origin, fellows, usual, least, .. } = self.step;
        let seen = block.seen();
        for (at, row) in state.numbers.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
            if row[SCORE].is_nan() || row[SCORE] <= 1.0 {
                continue;
            }
            let squared = &mut sums.scratch.values;
            let line = seen.part(at..at + 1, block.features);
            let line = judged.of(line, block.features, &mut sums.scratch.judged);
            let mut own = Rows::<T>::empty();
            own.fill_like(&self.fellows, &line, origin);
            own.squared(0..1, &self.fellows, squared);
            let equals = |fellow: &usize| self.step.values.equals(*fellow, &line);
            let itself = match self.step.new_rows {
                true => (0..fellows.len()).find(equals),
                false => fellows.binary_search(&(block.first + at)).ok(),
            };
            let is_near = |(fellow, squared): (usize, &T)| Some(fellow) != itself && squared.to_f64() <= *usual;
            let near = squared.iter().enumerate().filter(|&pair| is_near(pair)).count() as f64;
            if near >= *least {
                row[SCORE] = gate::readmitted(row[SCORE]);
                sums.sums[0] += 1.0;
            } else if near > 0.0 {
                sums.sums[1] += 1.0;
            }
        }
    }
}
