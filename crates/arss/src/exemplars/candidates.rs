//! Which rows the choice looks at: all of a small table, samples of a large one.

use std::cell::OnceCell;

use super::Constraints;
use super::medoids::{LONG, kept_bytes};
use super::solver::{Plan, RowCache};
use super::steps::{Candidate, Candidates, ChunkCount};
use crate::Error;
use crate::exec::{RowBackend, Step, damaged};
use crate::linalg::rng::{generator, positions};

/// Most rows that must be covered, and most rows to choose from; of larger tables as many are sampled. Fewer will do where
/// the picks are refined by looking at more rows.
const SAMPLED: usize = 8192;
const REFINED: usize = 4096;

/// How many of so many rows of `features` values are looked at where `k` are chosen, and the picks are refined or not: at
/// least 4 for each pick.
pub(crate) fn sampled((rows, features): (usize, usize), k: usize, refined: bool) -> usize {
    // Each sweep of swaps needs all distances again.
    let cheap = rows <= SAMPLED && (features < LONG || kept_bytes(features, rows, rows) > 0);
    let most = if refined && !cheap { REFINED } else { SAMPLED };
    rows.min(most.max(k.saturating_mul(4)))
}
/// Rows that the width is measured on.
pub(crate) const SCALE_ROWS: (usize, usize) = (512, 2048);

/// The rows that the choice looks at, by their position in the table.
#[derive(Clone)]
pub(crate) struct CandidateSample {
    /// Rows to choose from, ascending, and their groups.
    pub pool: Vec<usize>,
    pub groups: Vec<usize>,
    /// Rows to cover, ascending, and how much each counts.
    pub reference: Vec<usize>,
    pub weights: Vec<f64>,
    /// Rows that the width is measured on: from the first to the second.
    pub wide: Vec<usize>,
    pub narrow: Vec<usize>,
    /// The width, once it was measured.
    pub width: OnceCell<f64>,
}

#[cfg(test)]
impl CandidateSample {
    /// All rows of a table without groups.
    pub fn of_all(weights: &[f64]) -> Self {
        let all: Vec<usize> = (0..weights.len()).collect();
        CandidateSample {
            pool: all.clone(),
            groups: vec![0; all.len()],
            reference: all.clone(),
            weights: weights.to_vec(),
            wide: all.clone(),
            narrow: all,
            width: OnceCell::new(),
        }
    }
}

/// Places among the rows of a kind, drawn with a seed.
struct Places {
    pool: Vec<usize>,
    reference: Vec<usize>,
    wide: Vec<usize>,
    narrow: Vec<usize>,
}

impl Places {
    /// Of `allowed` rows that may be chosen and `covered` rows that are to be covered.
    fn draw(plan: &Plan, features: usize, allowed: usize, covered: usize) -> Self {
        let mut generator = generator(plan.seed.wrapping_add(1));
        let pool = positions(&mut generator, allowed, plan.sampled(allowed, features));
        let reference = positions(&mut generator, covered, plan.sampled(covered, features));
        let narrow = positions(&mut generator, covered, SCALE_ROWS.0);
        Places { pool, reference, wide: positions(&mut generator, covered, SCALE_ROWS.1), narrow }
    }

    /// All places among the rows to be covered, ascending.
    fn covered(&self) -> Vec<usize> {
        let mut all = [&self.reference[..], &self.wide, &self.narrow].concat();
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl CandidateSample {
    /// Draws from the rows that the gate counted, and fetches those that are not in memory.
    pub fn draw(
        rows: &mut dyn RowBackend,
        plan: &Plan,
        counts: &[ChunkCount],
        constraints: &Constraints,
    ) -> Result<(Self, RowCache), Error> {
        let total = |count: fn(&ChunkCount) -> usize| counts.iter().map(count).sum::<usize>();
        // If no row within the gate counts, all rows are to be covered.
        let cover_all = total(|count| count.covered) == 0;
        let covered = if cover_all { total(|count| count.weighted) } else { total(|count| count.covered) };
        let places = Places::draw(plan, rows.features(), total(|count| count.allowed), covered);
        let wanted = places.covered();
        let step = Candidates {
            gate: plan.gate,
            cover_all,
            exclude: constraints.exclude.clone(),
            closed_groups: constraints.closed_groups(),
            starts: starts(counts, cover_all),
            covered: wanted.clone(),
            allowed: places.pool.clone(),
            values: rows.resident().is_none(),
        };
        let found = rows.pass(&Step::ExemplarsCandidates(step))?.rows.list;
        let mut candidates: Vec<Candidate> = found.into_iter().map(Candidate::read).collect();
        // What a worker answers is not believed: rows of the table, each once, and all that were asked for.
        let ascending = candidates.windows(2).all(|pair| pair[0].item < pair[1].item);
        let within = candidates.last().is_none_or(|last| last.item < rows.items());
        let covered = candidates.iter().filter(|candidate| candidate.covered).count();
        if !ascending || !within || covered != wanted.len() {
            return Err(damaged());
        }
        let cache = RowCache::of(rows, &mut candidates);
        let sample = Self::of(&candidates, &places, &wanted, plan, constraints);
        Ok((sample, cache))
    }

    fn of(found: &[Candidate], places: &Places, wanted: &[usize], plan: &Plan, constraints: &Constraints) -> Self {
        let covered: Vec<&Candidate> = found.iter().filter(|candidate| candidate.covered).collect();
        let at = |place: &usize| covered[wanted.binary_search(place).expect("the place was asked for")];
        let items = |places: &[usize]| places.iter().map(|place| at(place).item).collect();
        let counts = |place: &usize| {
            let candidate = at(place);
            candidate.weight
                * plan.weighting.map_or(1.0, |weighting| weighting.of(candidate.variance, candidate.relative))
        };
        let allowed = found.iter().filter(|candidate| candidate.allowed);
        let mut pool: Vec<(usize, usize)> = allowed.map(|candidate| (candidate.item, candidate.group)).collect();
        pool.extend_from_slice(&constraints.include);
        pool.sort_unstable();
        pool.dedup();
        let (pool, groups) = pool.into_iter().unzip();
        CandidateSample {
            pool,
            groups,
            reference: items(&places.reference),
            weights: places.reference.iter().map(counts).collect(),
            wide: items(&places.wide),
            narrow: items(&places.narrow),
            width: OnceCell::new(),
        }
    }
}

/// For each chunk its first row, and how many rows to be covered and to choose from come before it.
fn starts(counts: &[ChunkCount], cover_all: bool) -> Vec<(usize, [usize; 2])> {
    let mut before = [0, 0];
    let mut starts = Vec::with_capacity(counts.len());
    for count in counts {
        starts.push((count.first, before));
        before[0] += if cover_all { count.weighted } else { count.covered };
        before[1] += count.allowed;
    }
    starts
}
