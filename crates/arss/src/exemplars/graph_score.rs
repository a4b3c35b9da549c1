//! How alone the rows of a graph of neighbours are: by the neighbours that they list. Landmarks would be listed by few.

use serde::{Deserialize, Serialize};

use super::gate;
use super::outlier_score::Scored;
use super::score_steps::NEAR_RANK;
use super::steps::{FAR, NEAR, RELATIVE, TAIL, VARIANCE, WIDTH, check};
use crate::exec::{
    Access, Accumulator, BlockState, BlockStep, Needs, OutputShape, RowAccess, RowBackend, RowBlock, Step, StepSpec,
};
use crate::linalg::median::median;
use crate::{Error, Float};

/// A row as near to its neighbours as usual is left unexplained by about one part in so many.
const EXPLAINED: f64 = 10.0;
/// The neighbour that counts as far.
const FAR_RANK: usize = 32;

/// Sets the measures of all rows, which are given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SetMeasures {
    /// `WIDTH` numbers per row.
    pub numbers: Vec<f64>,
}

impl StepSpec for SetMeasures {
    fn needs(&self) -> Needs {
        Needs::ATTRIBUTES.numbers(Access::Change, WIDTH)
    }

    fn output(&self, _: usize) -> OutputShape {
        OutputShape::default()
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        check(self.numbers.len().is_multiple_of(WIDTH))
    }
}

impl<T: Float> BlockStep<T> for SetMeasures {
    fn visit(&self, _: &mut Accumulator<T>, block: &RowBlock<'_, T>, state: BlockState<'_, T>) {
        let given = self.numbers.chunks_exact(WIDTH).skip(block.first);
        state.numbers.chunks_exact_mut(WIDTH).zip(given).for_each(|(own, given)| own.copy_from_slice(given));
    }
}

/// Scores the rows of a graph; `None` if the table is none.
pub(super) fn score_graph(rows: &mut dyn RowBackend, ridge: f64) -> Result<Option<Scored>, Error> {
    let Some((graph, h2)) = rows.resident().and_then(|graph| Some((graph, graph.width()?))) else { return Ok(None) };
    let numbers = measures(graph, rows.items(), ridge);
    rows.pass(&Step::ExemplarsSetMeasures(SetMeasures { numbers }))?;
    Ok(Some(Scored { rows: rows.items(), h2, stopped: false }))
}

/// The squared distances of a row to its neighbours, nearest first.
fn neighbours(graph: &dyn RowAccess, item: usize, entries: &mut Vec<(usize, f64)>) {
    graph.read_entries(item, entries);
    entries.retain(|entry| entry.0 != item);
    entries.iter_mut().for_each(|entry| entry.1 *= entry.1);
    entries.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
}

/// The measures of all rows.
fn measures(graph: &dyn RowAccess, items: usize, ridge: f64) -> Vec<f64> {
    let h2 = graph.width().unwrap_or(1.0);
    let mut entries = Vec::new();
    let mut distances = Vec::with_capacity(items);
    for item in 0..items {
        neighbours(graph, item, &mut entries);
        // A row that lists too few is as far from those that it misses as from the farthest that others list.
        let at = |rank: usize| entries.get(rank - 1).map(|entry| entry.1);
        distances.push((at(NEAR_RANK), at(FAR_RANK.min(entries.len().max(1)))));
    }
    let farthest = distances.iter().filter_map(|pair| pair.1).fold(0.0, f64::max);
    let near: Vec<f64> = distances.iter().map(|pair| pair.0.unwrap_or(farthest)).collect();
    let usual = median(&mut near.clone()).max(f64::MIN_POSITIVE);
    let variance = |near: f64| ridge - (-near / (EXPLAINED * usual)).exp_m1();
    let alone: Vec<f64> = near.iter().map(|&near| gate::unexplained(variance(near), ridge)).collect();
    let mut numbers = vec![0.0; items * WIDTH];
    for (item, row) in numbers.chunks_exact_mut(WIDTH).enumerate() {
        neighbours(graph, item, &mut entries);
        let mut around: Vec<f64> = entries.iter().map(|entry| alone[entry.0]).collect();
        row[VARIANCE] = variance(near[item]);
        row[RELATIVE] = alone[item] - if around.is_empty() { 0.0 } else { 0.5 * median(&mut around) };
        row[NEAR] = near[item] / h2;
        row[FAR] = distances[item].1.unwrap_or(farthest) / h2;
        row[TAIL] = 0.0;
    }
    numbers
}
