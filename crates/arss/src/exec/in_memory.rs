//! Rows and state in memory.

use std::ops::Range;

use super::{
    Access, Accumulator, BlockState, PassResult, RowAccess, RowAttributes, RowBackend, RowBlock, ScratchPool, Step,
};
use crate::linalg::compressed::Compressed;
use crate::parallel::Partition;
use crate::precomputed;
use crate::row_view::RowView;
use crate::{Error, Float, Metric, Samples};

/// Multiplications between two calls of the callback: a fraction of a second.
const STRETCH: usize = 1 << 31;

/// A table in memory and the state of its rows.
pub(crate) struct InMemory<'a, T> {
    samples: &'a Samples<'a, T>,
    partition: &'a Partition,
    attributes: RowAttributes<'a>,
    values: Vec<T>,
    numbers: Vec<f64>,
}

impl<'a, T: Float> InMemory<'a, T> {
    /// No state yet: the memory for it is taken when a step needs it.
    pub fn new(samples: &'a Samples<'a, T>, partition: &'a Partition, attributes: RowAttributes<'a>) -> Self {
        InMemory { samples, partition, attributes, values: Vec::new(), numbers: Vec::new() }
    }

    /// Runs the step on some of the rows.
    fn pass_over(&mut self, step: &Step, rows: Range<usize>, partition: &Partition) -> PassResult {
        let (samples, attributes) = (self.samples, self.attributes);
        // Of a table of distances a step sees the columns of the rows that it compares with, and no others.
        let columns = (samples.metric() == Metric::Precomputed).then(|| step.spec().columns());
        let features = columns.map_or(samples.features(), <[usize]>::len);
        let needs = step.spec().needs();
        let mut none = (Vec::new(), Vec::new());
        let (values, depth) = match needs.values {
            Access::None => (&mut none.0[..], 0),
            _ => {
                if self.values.is_empty() {
                    self.values = vec![T::from_f64(0.0); samples.items() * features];
                }
                (&mut self.values[rows.start * features..rows.end * features], features)
            }
        };
        let (numbers, width) = match needs.numbers {
            Access::None => (&mut none.1[..], 0),
            _ => {
                let width = needs.width;
                self.numbers.resize(samples.items() * width, 0.0);
                (&mut self.numbers[rows.start * width..rows.end * width], width)
            }
        };
        let (ready, shape) = (step.prepare::<T>(), step.spec().output(features));
        let spare = ScratchPool::default();
        let chunk = |sums: &mut Accumulator<T>, chunk: Range<usize>, (values, numbers): (&mut [T], &mut [f64])| {
            spare.lend(sums);
            for range in partition.blocks(chunk.clone()) {
                let (start, end) = (range.start - chunk.start, range.end - chunk.start);
                let (first, count) = (rows.start + range.start, range.len());
                let mut gathered = std::mem::take(&mut sums.scratch.gathered);
                let mut entries = std::mem::replace(&mut sums.scratch.entries, Compressed::empty());
                let sparse =
                    needs.entries && columns.is_none() && samples.entries_in(first..first + count, &mut entries);
                let block = match (needs.rows && !sparse, columns) {
                    (true, None) => samples.block_in(first..first + count, &mut gathered),
                    (true, Some(columns)) => {
                        gathered.clear();
                        (first..first + count).for_each(|item| samples.push_distances(item, columns, &mut gathered));
                        &gathered[..]
                    }
                    (false, _) => &[],
                };
                let attributes = attributes.slice(first..first + count);
                let held = sparse.then_some(&entries);
                let block = RowBlock { values: block, entries: held, first, rows: count, features, attributes };
                let values = &mut values[start * depth..end * depth];
                let numbers = &mut numbers[start * width..end * width];
                ready.visit(sums, &block, BlockState { values, numbers });
                (sums.scratch.gathered, sums.scratch.entries) = (gathered, entries);
            }
            spare.take_back(sums);
        };
        let states = partition.pieces(values, depth).zip(partition.pieces(numbers, width));
        partition.fold_chunks(states, || Accumulator::new(&shape), chunk, Accumulator::merge).finish()
    }
}

impl<T: Float> RowBackend for InMemory<'_, T> {
    fn items(&self) -> usize {
        self.samples.items()
    }

    fn features(&self) -> usize {
        self.samples.features()
    }

    fn view(&self) -> RowView {
        self.samples.view()
    }

    fn pass(&mut self, step: &Step) -> Result<PassResult, Error> {
        let partition = self.partition;
        match step.spec().range() {
            None => Ok(self.pass_over(step, 0..self.items(), partition)),
            Some(rows) => {
                let part = partition.sharing_threads(rows.len(), self.features(), partition.block());
                Ok(self.pass_over(step, rows, &part))
            }
        }
    }

    fn column(&mut self, at: usize) -> Result<Option<Vec<f64>>, Error> {
        let width = self.numbers.len() / self.samples.items();
        Ok(Some(self.numbers.iter().skip(at).step_by(width).copied().collect()))
    }

    fn values(&mut self) -> Result<Option<Vec<f64>>, Error> {
        Ok(Some(self.values.iter().map(|value| value.to_f64()).collect()))
    }

    fn stretch(&self, work: usize) -> usize {
        let block = self.partition.block();
        (STRETCH / work.max(1)).max(1).div_ceil(block).saturating_mul(block)
    }

    fn resident(&self) -> Option<&dyn RowAccess> {
        Some(self.samples)
    }
}

impl<T: Float> RowAccess for Samples<'_, T> {
    fn read(&self, items: &[usize], values: &mut Vec<f64>) {
        values.clear();
        items.iter().for_each(|&item| values.extend(self.item_values(item)));
    }

    fn read_entries(&self, item: usize, entries: &mut Vec<(usize, f64)>) -> bool {
        let Some(found) = self.item_entries(item) else { return false };
        entries.clear();
        entries.extend(found);
        true
    }

    fn push_distances(&self, item: usize, others: &[usize], distances: &mut Vec<f64>) {
        let mut own = Vec::with_capacity(others.len());
        Samples::push_distances(self, item, others, &mut own);
        distances.extend(own.into_iter().map(T::to_f64));
    }

    fn width(&self) -> Option<f64> {
        precomputed::graph_width(self)
    }
}
