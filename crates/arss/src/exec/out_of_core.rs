//! Rows that are read when they are needed, with their state in a store: memory for a few blocks at a time.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::replay_log::{Logged, ReplayLog};
use super::{
    Access, Accumulator, BlockState, BlockStep, CheckFinite, Needs, PassResult, RowAttributes, RowBackend, RowBlock,
    ScratchPool, Step, distributed,
};
use crate::options::check_k;
use crate::parallel::{Partition, default_block};
use crate::row_view::RowView;
use crate::samples::safe_scale;
use crate::{Count, Error, Float, Method, Metric, RunOptions, Selection};

/// A table whose rows can be read in any order, as often as needed, from several threads.
pub trait RowSource<T>: Sync {
    /// The number of rows.
    fn items(&self) -> usize;
    /// The values of a row.
    fn features(&self) -> usize;
    /// Fills `rows` with the rows from `first` on, row-major.
    ///
    /// # Errors
    /// What went wrong, in one line.
    fn read(&self, first: usize, rows: &mut [T]) -> Result<(), String>;
}

/// Numbers kept outside: in a file, or in memory elsewhere. What was never written is zero.
pub trait Store<N>: Sync {
    /// Fills `numbers` with those from position `at` on.
    ///
    /// # Errors
    /// What went wrong, in one line.
    fn read(&self, at: usize, numbers: &mut [N]) -> Result<(), String>;
    /// Writes numbers from position `at` on. Several threads write at once, never to the same place.
    ///
    /// # Errors
    /// What went wrong, in one line.
    fn write(&self, at: usize, numbers: &[N]) -> Result<(), String>;
}

/// A table that is read when it is needed, and where the state of its rows is kept.
pub struct Stream<'a, T> {
    /// The rows.
    pub source: &'a dyn RowSource<T>,
    /// One value per entry; ARSS and RRSS use it.
    pub values: &'a dyn Store<T>,
    /// Some numbers per row.
    pub numbers: &'a dyn Store<f64>,
    /// Bytes that blocks of rows and their state may take, all threads together. One block a thread is the least.
    pub memory: usize,
}

impl<T> std::fmt::Debug for Stream<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl<T: Float> Stream<'_, T> {
    /// Chooses rows, as [`Method::select_count`] does of a table in memory and with the same bits in the result.
    ///
    /// The selection holds a few numbers per row (outlier scores, row norms, labels), which `memory` does not count.
    ///
    /// # Errors
    /// As for [`Method::select_count`]; if the method needs the whole table; if rows cannot be read or state not kept.
    pub fn select(&self, method: &Method, count: Count, run: &mut RunOptions<'_>) -> Result<Selection, Error> {
        T::stream(self, method, count, (None, run))
    }

    /// As [`select`](Stream::select), with a log from which an interrupted run can be resumed.
    ///
    /// # Errors
    /// As for [`select`](Stream::select), and whatever the log returns.
    pub fn select_with_log(
        &self,
        method: &Method,
        count: Count,
        log: &mut dyn ReplayLog,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        T::stream(self, method, count, (Some(log), run))
    }
}

/// How a streamed run is made: with or without a log.
pub type StreamOptions<'j, 'r, 'p> = (Option<&'j mut dyn ReplayLog>, &'r mut RunOptions<'p>);

pub(crate) fn run_stream<T: Float>(
    stream: &Stream<'_, T>,
    method: &Method,
    count: Count,
    (log, run): StreamOptions<'_, '_, '_>,
) -> Result<Selection, Error> {
    let (items, features) = (stream.source.items(), stream.source.features());
    if items == 0 || features == 0 {
        return Err(Error::Empty { rows: items, columns: features });
    }
    let (method, k) = &method.with_count(count, items)?;
    method.validate()?;
    check_k(*k, items)?;
    distributed::check_method(method, items, features)?;
    let attributes = method.attributes();
    attributes.check(items)?;
    let partition = Partition::new(run, items, features)?;
    let mut rows =
        Logged { rows: Streamed { stream, partition: &partition, attributes, view: RowView::PLAIN, width: 0 }, log };
    distributed::check_metric(method, run.metric)?;
    let checked = rows.pass(&Step::CheckFinite(CheckFinite { directions: run.metric == Metric::Cosine }))?;
    let scale = distributed::scale_of(&checked, method, (items, features), safe_scale(checked.maxima[0], T::SAFE))?;
    rows.rows.view = RowView { scale, metric: run.metric };
    let scale = rows.rows.view.distance_scale();
    distributed::choose(method, &mut rows, scale, *k, run)
}

/// The backend of [`Stream::select`].
pub(super) struct Streamed<'a, T> {
    stream: &'a Stream<'a, T>,
    partition: &'a Partition,
    attributes: RowAttributes<'a>,
    view: RowView,
    /// Numbers per row that are kept.
    pub width: usize,
}

/// The rows of some blocks and their state.
struct Span<T> {
    rows: Vec<T>,
    values: Vec<T>,
    numbers: Vec<f64>,
}

impl<T: Float> Streamed<'_, T> {
    /// Rows that each thread reads at a time: whole blocks.
    fn span(&self, width: usize) -> usize {
        let block = default_block(self.features());
        let row = 3 * self.features() * size_of::<T>() + width * 8;
        let threads = self.partition.install(rayon::current_num_threads);
        (self.stream.memory / threads / row / block).max(1) * block
    }

    /// The step on one span of rows, which is read before and written back after it.
    fn visit(
        &self,
        (step, needs): (&dyn BlockStep<T>, Needs),
        rows: Range<usize>,
        (sums, span): (&mut Accumulator<T>, &mut Span<T>),
    ) -> Result<(), String> {
        let (features, count, Stream { source, values, numbers, .. }) = (self.features(), rows.len(), self.stream);
        let used = |access: Access, width: usize| if access == Access::None { 0 } else { width };
        let (depth, width) = (used(needs.values, features), used(needs.numbers, needs.width));
        let columns = if needs.rows { features } else { 0 };
        span.rows.resize(count * columns, T::from_f64(0.0));
        span.values.resize(count * depth, T::from_f64(0.0));
        span.numbers.resize(count * width, 0.0);
        if needs.rows {
            source.read(rows.start, &mut span.rows)?;
            self.view.apply(&mut span.rows, features);
        }
        if depth > 0 {
            values.read(rows.start * depth, &mut span.values)?;
        }
        if width > 0 {
            numbers.read(rows.start * width, &mut span.numbers)?;
        }
        for block in self.partition.blocks(rows.clone()) {
            let (start, end) = (block.start - rows.start, block.end - rows.start);
            let state = BlockState {
                values: &mut span.values[start * depth..end * depth],
                numbers: &mut span.numbers[start * width..end * width],
            };
            let values = &span.rows[start * columns..end * columns];
            let attributes = self.attributes.slice(block.clone());
            let block = RowBlock { values, entries: None, first: block.start, rows: block.len(), features, attributes };
            step.visit(sums, &block, state);
        }
        if needs.values == Access::Change {
            values.write(rows.start * depth, &span.values)?;
        }
        if needs.numbers == Access::Change {
            numbers.write(rows.start * width, &span.numbers)?;
        }
        Ok(())
    }
}

impl<T: Float> RowBackend for Streamed<'_, T> {
    fn items(&self) -> usize {
        self.stream.source.items()
    }

    fn features(&self) -> usize {
        self.stream.source.features()
    }

    fn view(&self) -> RowView {
        self.view
    }

    fn pass(&mut self, step: &Step) -> Result<PassResult, Error> {
        let (ready, needs, shape) = (step.prepare::<T>(), step.spec().needs(), step.spec().output(self.features()));
        self.width = self.width.max(needs.width);
        let blocks = self.partition.block();
        let span = self.span(needs.width).div_ceil(blocks) * blocks;
        let failed: Mutex<Option<String>> = Mutex::new(None);
        let failure = || failed.lock().unwrap_or_else(PoisonError::into_inner);
        let this = &*self;
        // One buffer per thread. Kept with the sums, they would wait for earlier chunks, and there would be many.
        let spans = Mutex::new(Vec::new());
        let spans = || spans.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = ScratchPool::default();
        let work = |sums: &mut Accumulator<T>, chunk: Range<usize>, ()| {
            pool.lend(sums);
            let spare = spans().pop();
            let mut space = spare.unwrap_or_else(|| Span { rows: Vec::new(), values: Vec::new(), numbers: Vec::new() });
            for start in chunk.clone().step_by(span) {
                if failure().is_some() {
                    return;
                }
                let rows = start..(start + span).min(chunk.end);
                if let Err(reason) = this.visit((&*ready, needs), rows, (sums, &mut space)) {
                    failure().get_or_insert(reason);
                }
            }
            spans().push(space);
            pool.take_back(sums);
        };
        let chunks = self.items().div_ceil(self.partition.chunk());
        let states = (0..chunks).map(|_| ());
        let sums = self.partition.fold_chunks(states, || Accumulator::new(&shape), work, Accumulator::merge);
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(reason) => Err(Error::Backend { reason }),
            None => Ok(sums.finish()),
        }
    }

    fn column(&mut self, at: usize) -> Result<Option<Vec<f64>>, Error> {
        let (items, width) = (self.items(), self.width);
        let mut column = Vec::with_capacity(items);
        let mut part = Vec::new();
        let span = self.span(width);
        for start in (0..items).step_by(span) {
            part.resize((start + span).min(items) * width - start * width, 0.0);
            self.stream.numbers.read(start * width, &mut part).map_err(|reason| Error::Backend { reason })?;
            column.extend(part.iter().skip(at).step_by(width));
        }
        Ok(Some(column))
    }

    fn values(&mut self) -> Result<Option<Vec<f64>>, Error> {
        Ok(None)
    }
}
