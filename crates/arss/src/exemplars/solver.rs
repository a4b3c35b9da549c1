//! The choice of exemplars by passes over the rows, wherever they are.

use super::candidates::{self, CandidateSample};
use super::coverage::{Chosen, choose};
use super::gate::Weighting;
use super::outlook::look_ahead;
use super::steps::{Candidate, ChunkCount, GateStep, LABEL, NearestPick, SCORE, WIDTH};
use super::{Assignment, Constraints};
use super::{medoids, refine};
use crate::exec::{PointRows, RankRows, RowAccess, RowBackend, Step};
use crate::linalg::distances::Table;
use crate::linalg::nearest::{median_row, origin_items};
use crate::selection::report;
use crate::{Error, Metric, RunOptions, Selection, Status};

/// What to choose.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub k: usize,
    pub seed: u64,
    /// Stop before the first pick that adds less than this share of the coverage so far.
    pub stop: Option<f64>,
    /// Rows beyond the gate are neither chosen nor covered.
    pub gate: bool,
    /// How much a row counts; all alike if not given.
    pub weighting: Option<Weighting>,
    /// Exchange picks for better ones after the greedy choice, which then are not the first of a larger choice.
    pub swaps: bool,
    /// Rounds of refinement by the rows that the sample left out.
    pub refine: usize,
}

impl Plan {
    /// How many of so many rows the choice looks at.
    pub fn sampled(&self, rows: usize, features: usize) -> usize {
        candidates::sampled((rows, features), self.k, self.swaps)
    }

    /// The fewest picks that will do: with a rule that stops, one.
    pub fn least(&self) -> usize {
        if self.stop.is_some() { 1 } else { self.k }
    }
}

/// The median of a few rows, feature by feature: amid the data even if some rows are wild. Zeros where the metric needs none.
pub(crate) fn origin(rows: &mut dyn RowBackend) -> Result<Vec<f64>, Error> {
    if !rows.view().metric.by_products() {
        return Ok(vec![0.0; rows.features()]);
    }
    let items: Vec<usize> = origin_items(rows.items()).collect();
    let cache = RowCache::fetch(rows, items.clone())?;
    let mut values = Vec::new();
    cache.access(rows).read(&items, &mut values);
    Ok(median_row(&values.chunks(rows.features()).map(<[f64]>::to_vec).collect::<Vec<_>>()))
}

/// Chooses rows, and assigns every row to its nearest pick. `gate` says which rows count.
pub(crate) fn select(
    rows: &mut dyn RowBackend,
    plan: &Plan,
    origin: &[f64],
    gated: (&[ChunkCount], bool),
    constraints: &mut Constraints,
    run: &mut RunOptions<'_>,
) -> Result<(Chosen, RowCache), Error> {
    let (counts, stopped) = gated;
    let metric = rows.view().metric;
    let mut cache = RowCache::default();
    let mut chosen = if stopped {
        Chosen::stopped(constraints)
    } else {
        let (sample, drawn) = CandidateSample::draw(rows, plan, counts, constraints)?;
        cache = drawn;
        let missing: Vec<usize> = constraints.include.iter().map(|pick| pick.0).collect();
        cache.add(rows, &missing)?;
        let included = constraints.include.clone();
        let table = Table { rows: cache.access(rows), origin, metric };
        let mut chosen = choose(table, &sample, plan, constraints, run)?;
        if plan.swaps && chosen.status == Status::Converged && chosen.picks.len() > included.len() {
            medoids::swap(table, &sample, &mut chosen, (included.len(), constraints), run)?;
            let total = |count: fn(&ChunkCount) -> usize| counts.iter().map(count).sum::<usize>();
            let features = rows.features();
            let leaves_out = |count: usize| count > plan.sampled(count, features);
            let rows_left_out = leaves_out(total(|count| count.covered)) || leaves_out(total(|count| count.allowed));
            if plan.refine > 0 && metric != Metric::Precomputed && rows_left_out && chosen.status == Status::Converged {
                refine::refine(rows, plan, (origin, &mut cache), &mut chosen, (included.len(), constraints), run)?;
            }
            cache.add(rows, &chosen.picks)?;
            let table = Table { rows: cache.access(rows), origin, metric };
            chosen = in_order(table, &sample, plan, (chosen, included), run)?;
        }
        if run.outlook > 0 && chosen.status == Status::Converged && !chosen.picks.is_empty() {
            let table = Table { rows: cache.access(rows), origin, metric };
            chosen.outlook = Some(look_ahead(table, &sample, &chosen.picks, constraints, run)?);
        }
        chosen
    };
    if chosen.picks.len() < plan.least() {
        fill(rows, &mut chosen, plan.least(), constraints)?;
    }
    Ok((chosen, cache))
}

/// The same picks by what each adds to the coverage, included rows first.
fn in_order(
    table: Table<'_>,
    sample: &CandidateSample,
    plan: &Plan,
    (chosen, include): (Chosen, Vec<(usize, usize)>),
    run: &RunOptions<'_>,
) -> Result<Chosen, Error> {
    let mut pool = chosen.picks;
    pool.sort_unstable();
    let plan = Plan { k: pool.len(), stop: None, ..*plan };
    let picks = CandidateSample { groups: vec![0; pool.len()], pool, ..sample.clone() };
    let mut constraints = Constraints::none();
    constraints.include = include;
    // Short, and over before anybody could stop it: progress does not go back to an earlier phase.
    let mut silent = RunOptions { threads: run.threads, ..RunOptions::default() };
    let ordered = choose(table, &picks, &plan, &mut constraints, &mut silent)?;
    Ok(Chosen { status: if chosen.status == Status::Converged { ordered.status } else { chosen.status }, ..ordered })
}

/// No row within the gate is left: takes the others, those with the smallest score first.
fn fill(rows: &mut dyn RowBackend, chosen: &mut Chosen, k: usize, constraints: &mut Constraints) -> Result<(), Error> {
    let mut after = None;
    while chosen.picks.len() < k {
        let count = k + constraints.exclude.len();
        let next = RankRows { smallest: true, count, after, key: SCORE, others: [LABEL; 2], width: WIDTH };
        let order = rows.pass(&Step::RankRows(next))?.rows.list;
        let Some(last) = order.last() else { break };
        after = Some((last.key, last.index));
        let groups = constraints.groups_of(rows, order.iter().map(|row| row.index).collect())?;
        chosen.fill(order.iter().map(|row| row.index).zip(groups), k, constraints);
    }
    Ok(())
}

/// Counts the rows within the gate.
pub(crate) fn gate(rows: &mut dyn RowBackend, step: GateStep) -> Result<Vec<ChunkCount>, Error> {
    let counted = rows.pass(&Step::ExemplarsGate(step))?.rows.list;
    Ok(counted.iter().map(ChunkCount::read).collect())
}

/// The selection: every row is assigned to its nearest pick. With `distances` the residual of a row is its distance
/// to that pick, otherwise its outlier score.
pub(crate) fn assign(
    rows: &mut dyn RowBackend,
    method: &'static str,
    (chosen, mut cache): (Chosen, RowCache),
    origin: &[f64],
    (gate, distances): (bool, bool),
    run: &RunOptions<'_>,
) -> Result<Selection, Error> {
    let items = rows.items();
    let Chosen { picks, gains, status, outlook, .. } = chosen;
    cache.add(rows, &picks)?;
    let values = PointRows::read(&Table { rows: cache.access(rows), origin, metric: rows.view().metric }, &picks);
    let nearest = NearestPick { gate, distances, origin: origin.to_vec(), picks: picks.clone(), values };
    let weights = rows.pass(&Step::ExemplarsNearest(nearest))?.sums;
    let report = report(status, picks.len(), gains.iter().sum(), items);
    let residuals = rows.column(SCORE)?;
    let labels = rows.column(LABEL)?.unwrap_or_default().into_iter().map(|label| label as usize).collect();
    let mut selection = Selection {
        method,
        assignment: Some(Assignment { outlook, ..Assignment::new(labels, &weights, &gains) }),
        indices: picks,
        scores: gains,
        all_scores: None,
        row_norms: None,
        solution: None,
        model: None,
        report,
        residuals: Vec::new(),
    };
    selection.all_scores = residuals.as_ref().filter(|_| run.all_scores).map(|_| selection.spread(items));
    selection.residuals = residuals.unwrap_or_default();
    Ok(selection)
}

/// Rows that were fetched because the table is not in memory, by their position in the table.
#[derive(Default)]
pub(crate) struct RowCache {
    items: Vec<usize>,
    values: Vec<f64>,
}

impl RowCache {
    /// The listed rows; nothing is fetched where the table is in memory.
    pub fn fetch(rows: &mut dyn RowBackend, items: Vec<usize>) -> Result<Self, Error> {
        let mut cache = RowCache::default();
        cache.add(rows, &items)?;
        Ok(cache)
    }

    /// The candidates that came with their values, which are taken out.
    pub fn of(rows: &dyn RowBackend, candidates: &mut [Candidate]) -> Self {
        let mut cache = RowCache::default();
        if rows.resident().is_none() {
            for candidate in candidates {
                cache.items.push(candidate.item);
                cache.values.append(&mut candidate.values);
            }
        }
        cache
    }

    /// Fetches those of the listed rows that are missing.
    pub fn add(&mut self, rows: &mut dyn RowBackend, items: &[usize]) -> Result<(), Error> {
        if rows.resident().is_some() {
            return Ok(());
        }
        let mut missing: Vec<usize> =
            items.iter().copied().filter(|item| self.items.binary_search(item).is_err()).collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return Ok(());
        }
        let features = rows.features();
        let mut all: Vec<(usize, Vec<f64>)> =
            rows.fetch(missing)?.into_iter().map(|row| (row.index, row.values)).collect();
        all.extend(self.items.iter().copied().zip(self.values.chunks(features).map(<[f64]>::to_vec)));
        all.sort_unstable_by_key(|row| row.0);
        *self = RowCache::default();
        for (item, values) in all {
            self.items.push(item);
            self.values.extend(values);
        }
        Ok(())
    }

    /// The rows by position: those of the table where it is in memory, those that were fetched otherwise.
    pub fn access<'a>(&'a self, rows: &'a dyn RowBackend) -> &'a dyn RowAccess {
        rows.resident().unwrap_or(self)
    }
}

impl RowAccess for RowCache {
    fn read(&self, items: &[usize], values: &mut Vec<f64>) {
        let features = self.values.len() / self.items.len().max(1);
        values.clear();
        for item in items {
            let at = self.items.binary_search(item).expect("the row was fetched");
            values.extend_from_slice(&self.values[at * features..(at + 1) * features]);
        }
    }
}
