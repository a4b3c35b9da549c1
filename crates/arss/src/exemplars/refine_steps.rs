//! The steps that refine picks chosen from a sample by looking at many or all rows.

use serde::{Deserialize, Serialize};

use super::gate::Weighting;
use super::steps::{LABEL, RELATIVE, SCORE, TO_CENTRE, VARIANCE, WIDTH, check, is_open, within};
use crate::exec::{Access, Accumulator, BlockState, BlockStep, Needs, OutputShape, PointRows, RowBlock, StepSpec};
use crate::linalg::nearest::{Near, Points};
use crate::linalg::rng::hashed;
use crate::linalg::row_values::RowValues;
use crate::{Error, Float};

/// Centres, and which rows are looked at: a part of them that a seed draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Centres {
    pub seed: u64,
    /// The share of the rows that is drawn.
    pub share: f64,
    /// Rows beyond the gate do not count.
    pub gate: bool,
    /// How much a row counts; all alike if not given.
    pub weighting: Option<Weighting>,
    pub origin: Vec<f64>,
    /// A row each.
    pub values: PointRows,
}

impl Centres {
    fn points<T: Float>(&self) -> Points<T> {
        self.values.points(&self.origin)
    }

    fn count(&self) -> usize {
        self.values.len()
    }

    /// True if the row at this position is drawn.
    fn draws(&self, item: usize) -> bool {
        self.share >= 1.0 || hashed(self.seed, item) < self.share
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.values.check(self.count(), features)?;
        check(self.count() > 0 && self.origin.len() == features)
    }
}

/// The weighted sum of the rows nearest to each centre, and their weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MeansStep {
    pub centres: Centres,
}

/// The step with its points in the type of the rows.
pub(crate) struct ReadyMeans<'a, T> {
    step: &'a MeansStep,
    points: Points<T>,
}

impl MeansStep {
    pub fn ready<T: Float>(&self) -> ReadyMeans<'_, T> {
        ReadyMeans { step: self, points: self.centres.points() }
    }
}

impl StepSpec for MeansStep {
    fn needs(&self) -> Needs {
        Needs::ROWS.numbers(Access::Read, WIDTH)
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { sums: self.centres.count() * (features + 1), ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.centres.check(features)
    }

    fn points(&self) -> Option<&PointRows> {
        Some(&self.centres.values)
    }
}

impl<T: Float> BlockStep<T> for ReadyMeans<'_, T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let centres = &self.step.centres;
        let Centres { gate, weighting, origin, .. } = centres;
        let Accumulator { sums, scratch, .. } = sums;
        scratch.values.clear();
        scratch.wide.clear();
        for (at, (row, line)) in state.numbers.as_chunks::<WIDTH>().0.iter().zip(block.lines()).enumerate() {
            let weight =
                block.weight(at) * weighting.map_or(1.0, |weighting| weighting.of(row[VARIANCE], row[RELATIVE]));
            if weight > 0.0 && within(row[SCORE], *gate) && centres.draws(block.first + at) {
                scratch.values.extend_from_slice(line);
                scratch.wide.push(weight);
            }
        }
        scratch.near.clear();
        scratch.near.resize(scratch.wide.len(), Near { point: 0, squared: 0.0 });
        if scratch.near.is_empty() {
            return;
        }
        self.points.nearest(&RowValues::Dense(&scratch.values), origin, &mut scratch.nearest, &mut scratch.near);
        let rows = scratch.values.chunks_exact(block.features).zip(&scratch.wide).zip(&scratch.near);
        for ((line, &weight), near) in rows {
            let sum = &mut sums[near.point * (block.features + 1)..(near.point + 1) * (block.features + 1)];
            sum.iter_mut().zip(line).for_each(|(sum, value)| *sum += weight * value.to_f64());
            sum[block.features] += weight;
        }
    }
}

/// The nearest centre of each row that is drawn and may be chosen. Returns for each centre how near the nearest of them is:
/// 1 / (1 + squared distance), 0 if there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NearestCentre {
    pub centres: Centres,
    /// Rows, and groups, of which none may be chosen; both ascending.
    pub exclude: Vec<usize>,
    pub closed_groups: Vec<usize>,
    /// The group that each centre's row must come from, if there are groups.
    pub groups: Option<Vec<usize>>,
}

/// The step with its points in the type of the rows.
pub(crate) struct ReadyNearestCentre<'a, T> {
    step: &'a NearestCentre,
    points: Points<T>,
}

impl NearestCentre {
    pub fn ready<T: Float>(&self) -> ReadyNearestCentre<'_, T> {
        ReadyNearestCentre { step: self, points: self.centres.points() }
    }
}

impl StepSpec for NearestCentre {
    fn needs(&self) -> Needs {
        let needs = Needs::ROWS.numbers(Access::Change, WIDTH);
        if self.centres.share < 1.0 { needs } else { needs.or_entries() }
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { maxima: self.centres.count(), ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.centres.check(features)?;
        let groups = self.groups.as_ref().is_none_or(|groups| groups.len() == self.centres.count());
        check(groups && self.exclude.is_sorted() && self.closed_groups.is_sorted())
    }

    fn points(&self) -> Option<&PointRows> {
        Some(&self.centres.values)
    }
}

/// How near a row at this squared distance is: larger is nearer.
fn nearness(squared: f64) -> f64 {
    1.0 / (1.0 + squared)
}

impl<T: Float> BlockStep<T> for ReadyNearestCentre<'_, T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let NearestCentre { centres, exclude, closed_groups, groups } = self.step;
        let Accumulator { maxima, scratch, .. } = sums;
        let rows = state.numbers.as_chunks_mut::<WIDTH>().0;
        let may_be_chosen = |at: usize, score: f64| {
            let item = block.first + at;
            let open = within(score, centres.gate) && is_open(exclude, closed_groups, item, block.group(at));
            open && centres.draws(item)
        };
        scratch.places.clear();
        scratch.places.extend((0..block.rows).filter(|&at| may_be_chosen(at, rows[at][SCORE])));
        for row in rows.iter_mut() {
            (row[LABEL], row[TO_CENTRE]) = (0.0, f64::INFINITY);
        }
        let seen = match block.seen() {
            RowValues::Dense(values) if scratch.places.len() < block.rows => {
                scratch.values.clear();
                let line = |&at: &usize| &values[at * block.features..(at + 1) * block.features];
                scratch.places.iter().for_each(|at| scratch.values.extend_from_slice(line(at)));
                RowValues::Dense(&scratch.values)
            }
            all => {
                scratch.places.clear();
                scratch.places.extend(0..block.rows);
                all
            }
        };
        scratch.near.clear();
        scratch.near.resize(scratch.places.len(), Near { point: 0, squared: 0.0 });
        if scratch.near.is_empty() {
            return;
        }
        self.points.nearest(&seen, &centres.origin, &mut scratch.nearest, &mut scratch.near);
        for (&at, near) in scratch.places.iter().zip(&scratch.near) {
            let same = groups.as_ref().is_none_or(|groups| groups[near.point] == block.group(at));
            if same && may_be_chosen(at, rows[at][SCORE]) {
                (rows[at][LABEL], rows[at][TO_CENTRE]) = (near.point as f64, near.squared);
                maxima[near.point] = maxima[near.point].max(nearness(near.squared));
            }
        }
    }
}

/// The row of each centre that is as near as given, which [`NearestCentre`] returned; the first of each chunk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CentreRows {
    pub nearness: Vec<f64>,
}

impl StepSpec for CentreRows {
    fn needs(&self) -> Needs {
        Needs::ATTRIBUTES.numbers(Access::Read, WIDTH)
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { sums: self.nearness.len(), ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

impl<T: Float> BlockStep<T> for CentreRows {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        for (at, row) in state.numbers.as_chunks::<WIDTH>().0.iter().enumerate() {
            let centre = row[LABEL] as usize;
            let (Some(&wanted), near) = (self.nearness.get(centre), nearness(row[TO_CENTRE])) else { continue };
            if near > 0.0 && near == wanted && sums.sums[centre] == 0.0 {
                sums.sums[centre] = 1.0;
                sums.rows.push(block.first + at, centre as f64, Vec::new());
            }
        }
    }
}
