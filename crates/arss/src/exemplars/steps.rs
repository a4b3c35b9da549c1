//! The steps of the choice of exemplars on a block of rows, and the state that they keep of each row.

use serde::{Deserialize, Serialize};

use crate::exec::{
    Access, Accumulator, BlockState, BlockStep, Needs, OutputShape, PointRows, RowBlock, StepSpec, damaged,
};
use crate::linalg::nearest::{Near, Points};
use crate::{Error, Float};

/// Numbers per row: the outlier score (above 1: set aside), the nearest pick, and what the landmarks say of the row.
pub(crate) const WIDTH: usize = 6;
pub(crate) const SCORE: usize = 0;
pub(crate) const LABEL: usize = 1;
/// The variance that the landmarks leave; 0 if the row was not scored.
pub(crate) const VARIANCE: usize = 2;
/// How much lonelier the row is than its nearest landmarks, kept where the pick will be: until rows are assigned.
pub(crate) const RELATIVE: usize = LABEL;
/// Squared distances to a near landmark, and to a far one.
pub(crate) const NEAR: usize = 3;
pub(crate) const FAR: usize = 4;
/// How far out in its columns the row lies.
pub(crate) const TAIL: usize = 5;
/// Squared distance to the nearest centre, once the picks are refined.
pub(crate) const TO_CENTRE: usize = NEAR;

/// Most groups: more in a message would be a failed allocation.
const MOST_GROUPS: usize = 1 << 24;

pub(super) fn check(valid: bool) -> Result<(), Error> {
    if valid { Ok(()) } else { Err(damaged()) }
}

/// True if a row with this score is within the gate. NaN is a row that was not scored.
pub(super) fn within(score: f64, gate: bool) -> bool {
    if gate { score <= 1.0 } else { !score.is_nan() }
}

/// The largest group.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct GroupCount;

impl StepSpec for GroupCount {
    fn needs(&self) -> Needs {
        Needs::ATTRIBUTES
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { maxima: 1, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

impl<T: Float> BlockStep<T> for GroupCount {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, _: BlockState<'_, T>) {
        sums.maxima[0] = (0..block.rows).map(|at| block.group(at) as f64).fold(sums.maxima[0], f64::max);
    }
}

/// How many rows of each group may be chosen. Returns the groups of the included rows, and the first row whose group
/// is out of range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct GroupSizes {
    pub groups: usize,
    /// Both ascending.
    pub include: Vec<usize>,
    pub exclude: Vec<usize>,
}

impl StepSpec for GroupSizes {
    fn needs(&self) -> Needs {
        Needs::ATTRIBUTES
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { sums: self.groups, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        check(self.groups <= MOST_GROUPS && self.include.is_sorted() && self.exclude.is_sorted())
    }
}

impl<T: Float> BlockStep<T> for GroupSizes {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, _: BlockState<'_, T>) {
        for (at, item) in (block.first..).enumerate().take(block.rows) {
            let group = block.group(at);
            match sums.sums.get_mut(group) {
                Some(size) => *size += f64::from(u8::from(self.exclude.binary_search(&item).is_err())),
                None => sums.rows.push(item, group as f64, Vec::new()),
            }
            if self.include.binary_search(&item).is_ok() {
                sums.rows.push(item, group as f64, Vec::new());
            }
        }
    }
}

/// Returns for each chunk of rows how many there are of each kind: see [`ChunkCount`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct GateStep {
    /// Rows beyond the gate are set aside.
    pub gate: bool,
    /// Rows, and groups, of which none may be chosen; both ascending.
    pub exclude: Vec<usize>,
    pub closed_groups: Vec<usize>,
}

/// The rows of a chunk, counted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ChunkCount {
    /// Position of the first row.
    pub first: usize,
    /// Rows within the gate.
    pub within: usize,
    /// Those of them that are to be covered: of positive weight.
    pub covered: usize,
    /// Those of them that may be chosen.
    pub allowed: usize,
    /// Rows of positive weight, within the gate or not.
    pub weighted: usize,
}

impl ChunkCount {
    /// From what [`GateStep`] returns for a chunk.
    pub fn read(row: &crate::exec::TopRow) -> Self {
        let [covered, allowed, weighted] = std::array::from_fn(|at| row.values[at] as usize);
        ChunkCount { first: row.index, within: row.key as usize, covered, allowed, weighted }
    }
}

impl StepSpec for GateStep {
    fn needs(&self) -> Needs {
        Needs::ATTRIBUTES.numbers(Access::Read, WIDTH)
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { row: 3, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        check(self.exclude.is_sorted() && self.closed_groups.is_sorted())
    }
}

impl<T: Float> BlockStep<T> for GateStep {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        if sums.rows.list.is_empty() {
            sums.rows.push(block.first, 0.0, vec![0.0; 3]);
        }
        let count = &mut sums.rows.list[0];
        for (at, row) in state.numbers.as_chunks::<WIDTH>().0.iter().enumerate() {
            let (within, weighted) = (within(row[SCORE], self.gate), block.weight(at) > 0.0);
            let open = within && is_open(&self.exclude, &self.closed_groups, block.first + at, block.group(at));
            count.key += f64::from(u8::from(within));
            count.values[0] += f64::from(u8::from(within && weighted));
            count.values[1] += f64::from(u8::from(open));
            count.values[2] += f64::from(u8::from(weighted));
        }
    }
}

pub(super) fn is_open(exclude: &[usize], closed_groups: &[usize], item: usize, group: usize) -> bool {
    exclude.binary_search(&item).is_err() && closed_groups.binary_search(&group).is_err()
}

/// The rows at some places among those that are to be covered, and among those that may be chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Candidates {
    pub gate: bool,
    /// Every row of positive weight is to be covered, within the gate or not.
    pub cover_all: bool,
    pub exclude: Vec<usize>,
    pub closed_groups: Vec<usize>,
    /// For each chunk its first row, and how many rows to be covered and how many to choose from come before it.
    pub starts: Vec<(usize, [usize; 2])>,
    /// Places, ascending.
    pub covered: Vec<usize>,
    pub allowed: Vec<usize>,
    /// Return the values of the rows, too.
    pub values: bool,
}

/// A row that [`Candidates`] returns.
pub(crate) struct Candidate {
    pub item: usize,
    pub variance: f64,
    pub relative: f64,
    pub covered: bool,
    pub allowed: bool,
    pub weight: f64,
    pub group: usize,
    pub values: Vec<f64>,
}

/// Numbers that come before the values of a candidate.
const CANDIDATE: usize = 5;

impl Candidate {
    pub fn read(row: crate::exec::TopRow) -> Self {
        let [covered, allowed, weight, group, relative] = std::array::from_fn(|at| row.values[at]);
        let (covered, allowed, group) = (covered != 0.0, allowed != 0.0, group as usize);
        let values = row.values[CANDIDATE..].to_vec();
        Candidate { item: row.index, variance: row.key, relative, covered, allowed, weight, group, values }
    }
}

impl StepSpec for Candidates {
    fn needs(&self) -> Needs {
        Needs { rows: self.values, ..Needs::ATTRIBUTES }.numbers(Access::Read, WIDTH)
    }

    fn output(&self, features: usize) -> OutputShape {
        OutputShape { row: CANDIDATE + if self.values { features } else { 0 }, ..OutputShape::default() }
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        let lists = [&self.exclude, &self.closed_groups, &self.covered, &self.allowed];
        check(lists.iter().all(|list| list.is_sorted()) && self.starts.is_sorted())
    }
}

impl<T: Float> BlockStep<T> for Candidates {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        if let Ok(at) = self.starts.binary_search_by_key(&block.first, |start| start.0) {
            sums.scratch.counted = self.starts[at].1;
        }
        let [to_cover, to_choose] = &mut sums.scratch.counted;
        for (at, row) in state.numbers.as_chunks::<WIDTH>().0.iter().enumerate() {
            let (weight, group, within) = (block.weight(at), block.group(at), within(row[SCORE], self.gate));
            let cover = weight > 0.0 && (within || self.cover_all);
            let open = within && is_open(&self.exclude, &self.closed_groups, block.first + at, group);
            let covered = cover && self.covered.binary_search(to_cover).is_ok();
            let allowed = open && self.allowed.binary_search(to_choose).is_ok();
            *to_cover = to_cover.wrapping_add(usize::from(cover));
            *to_choose = to_choose.wrapping_add(usize::from(open));
            if covered || allowed {
                let flags = [covered, allowed].map(|flag| f64::from(u8::from(flag)));
                let head = flags.into_iter().chain([weight, group as f64, row[RELATIVE]]);
                let values = if self.values { head.chain(block.row(at)).collect() } else { head.collect() };
                sums.rows.push(block.first + at, row[VARIANCE], values);
            }
        }
    }
}

/// The nearest pick of each row, a pick being its own. Returns the weight of the rows that each pick stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NearestPick {
    /// Rows beyond the gate do not count.
    pub gate: bool,
    /// Put the distance to the pick where the score is.
    pub distances: bool,
    pub origin: Vec<f64>,
    /// Positions of the picks, in the order of the choice.
    pub picks: Vec<usize>,
    /// Their rows.
    pub values: PointRows,
}

/// The step with its points in the type of the rows.
pub(crate) struct ReadyNearest<'a, T> {
    step: &'a NearestPick,
    /// Position in the table and in the choice, by the former.
    by_item: Vec<(usize, usize)>,
    points: Points<T>,
}

impl NearestPick {
    pub fn ready<T: Float>(&self) -> ReadyNearest<'_, T> {
        let mut by_item: Vec<(usize, usize)> = self.picks.iter().copied().zip(0..).collect();
        by_item.sort_unstable();
        ReadyNearest { step: self, by_item, points: self.values.points(&self.origin) }
    }
}

impl StepSpec for NearestPick {
    fn needs(&self) -> Needs {
        Needs::ROWS.or_entries().numbers(Access::Change, WIDTH)
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape { sums: self.picks.len(), ..OutputShape::default() }
    }

    fn check(&self, features: usize) -> Result<(), Error> {
        self.values.check(self.picks.len(), features)?;
        check(!self.picks.is_empty() && self.origin.len() == features)
    }

    fn points(&self) -> Option<&PointRows> {
        Some(&self.values)
    }
}

impl<T: Float> BlockStep<T> for ReadyNearest<'_, T> {
    fn visit(&self, sums: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let NearestPick { gate, distances, origin, .. } = self.step;
        let (near, scratch) = (&mut sums.scratch.near, &mut sums.scratch.nearest);
        near.clear();
        near.resize(block.rows, Near { point: 0, squared: 0.0 });
        self.points.nearest(&block.seen(), origin, scratch, near);
        let rows = state.numbers.as_chunks_mut::<WIDTH>().0.iter_mut().zip(near.iter()).enumerate();
        for (at, (row, near)) in rows {
            let own = self.by_item.binary_search_by_key(&(block.first + at), |pick| pick.0);
            let label = own.map_or(near.point, |own| self.by_item[own].1);
            row[LABEL] = label as f64;
            if !gate || row[SCORE] <= 1.0 {
                sums.sums[label] += block.weight(at);
            }
            if *distances {
                row[SCORE] = if own.is_ok() { 0.0 } else { near.squared.sqrt() };
            }
        }
    }
}
