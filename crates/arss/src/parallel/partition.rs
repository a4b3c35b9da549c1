//! How the rows are divided among threads: chunks of blocks.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use super::reduction::{OrderedSums, PanicGuard, lock};
use crate::{Error, RunOptions};

/// Most chunks of a pass: enough for many threads, few enough that adding one sum per chunk is cheap.
const MAX_CHUNKS: usize = 64;
/// The number of chunks is a multiple of this, so that two, four or eight threads get equal shares.
const EVEN: usize = 8;

/// Finished sums per thread that may wait for an earlier chunk.
const AHEAD: usize = 2;

/// The threads, and how the rows are divided among them.
///
/// The division depends on the shape of the table alone, never on the number of threads. That makes the answer
/// independent of the threads.
pub(crate) struct Partition {
    pool: Option<Arc<rayon::ThreadPool>>,
    items: usize,
    block: usize,
    chunk: usize,
}

impl Partition {
    /// A partition of `items` rows of `features` values.
    pub fn new(run: &RunOptions<'_>, items: usize, features: usize) -> Result<Self, Error> {
        let threads = run.threads;
        let pool = match threads {
            0 => None,
            _ => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                Some(Arc::new(pool.map_err(|error| Error::Threads { threads, reason: error.to_string() })?))
            }
        };
        Ok(Self::on(pool, items, features, run.block))
    }

    /// A partition of other rows on the same threads.
    pub fn sharing_threads(&self, items: usize, features: usize, block: usize) -> Self {
        Self::on(self.pool.clone(), items, features, block)
    }

    fn on(pool: Option<Arc<rayon::ThreadPool>>, items: usize, features: usize, block: usize) -> Self {
        let chunks = chunks(items, features);
        let (block, chunk) = match block {
            0 => even_cut(items, chunks, default_block(features)),
            block => (block, items.div_ceil(block).div_ceil(chunks) * block),
        };
        Partition { pool, items, block, chunk }
    }

    /// Items per block.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Items per chunk.
    pub fn chunk(&self) -> usize {
        self.chunk
    }

    /// Runs `work` on the threads of this partition.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Calls `visit` on every block and adds up what the chunks gathered, in order.
    ///
    /// `merge` adds the second sum to the first and empties it: it serves another chunk, with whatever
    /// scratch space it holds (fresh memory for each chunk cost a fifth of an iteration at L = 256).
    pub fn fold<A: Send>(
        &self,
        init: impl Fn() -> A + Sync,
        visit: impl Fn(&mut A, Range<usize>) + Sync,
        merge: impl FnMut(&mut A, &mut A) + Send,
    ) -> A {
        self.fold_mut(&mut vec![(); self.items], 1, init, |sum, range, _: &mut [()]| visit(sum, range), merge)
    }

    /// As [`fold`](Partition::fold), with `width` values of state an item that `visit` may change.
    pub fn fold_mut<S: Send, A: Send>(
        &self,
        state: &mut [S],
        width: usize,
        init: impl Fn() -> A + Sync,
        visit: impl Fn(&mut A, Range<usize>, &mut [S]) + Sync,
        merge: impl FnMut(&mut A, &mut A) + Send,
    ) -> A {
        debug_assert_eq!(state.len(), self.items * width);
        let work = |sum: &mut A, range: Range<usize>, own: &mut [S]| {
            for block in self.blocks(range.clone()) {
                let (start, end) = (block.start - range.start, block.end - range.start);
                visit(sum, block, &mut own[start * width..end * width]);
            }
        };
        self.fold_chunks(self.pieces(state, width), init, work, merge)
    }

    /// The state of each chunk, `width` values per item.
    pub fn pieces<'s, S>(&self, state: &'s mut [S], width: usize) -> impl Iterator<Item = &'s mut [S]> + use<'s, S> {
        let mut rest = state;
        let (size, count) = (self.chunk * width, self.items.div_ceil(self.chunk));
        (0..count).map(move |_| {
            let at = size.min(rest.len());
            rest.split_off_mut(..at).expect("at most what is left")
        })
    }

    /// The blocks of a chunk, in order.
    pub fn blocks(&self, chunk: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let block = self.block;
        chunk.clone().step_by(block).map(move |start| start..(start + block).min(chunk.end))
    }

    /// Calls `work` on every chunk with its state and adds up what the chunks gathered, in order; see
    /// [`fold`](Partition::fold) for `merge`.
    ///
    /// None of the functions may wait for rayon: its threads would take up another share on top of a chunk, and wait
    /// for that chunk.
    pub fn fold_chunks<S: Send, A: Send>(
        &self,
        states: impl Iterator<Item = S> + Send,
        init: impl Fn() -> A + Sync,
        work: impl Fn(&mut A, Range<usize>, S) + Sync,
        merge: impl FnMut(&mut A, &mut A) + Send,
    ) -> A {
        let chunks = Mutex::new(states.enumerate());
        let most = AHEAD * self.install(rayon::current_num_threads);
        let sums = OrderedSums::new(merge, most);
        // A function of its own: in the head of a `while let` the lock would be held for the whole body.
        let next = || lock(&chunks).next();
        let share = |_| {
            loop {
                let spare = sums.turn();
                let Some((chunk, state)) = next() else { return };
                let _guard = PanicGuard(&sums);
                let mut sum = spare.unwrap_or_else(&init);
                let first = chunk * self.chunk;
                work(&mut sum, first..(first + self.chunk).min(self.items), state);
                sums.add(chunk, sum);
            }
        };
        self.install(|| (0..rayon::current_num_threads()).into_par_iter().with_max_len(1).for_each(share));
        sums.finish().expect("a table has at least one row")
    }
}

/// Adds the second sums to the first and empties them.
pub(crate) fn move_sums(total: &mut [f64], part: &mut [f64]) {
    total.iter_mut().zip(part).for_each(|(total, part)| *total += std::mem::take(part));
}

/// Chunks for this shape: of 2 L items and 1024 or more where there are so many, so that adding up L x L sums and
/// handing out work stay a small part.
fn chunks(items: usize, features: usize) -> usize {
    let chunks = (items / (2 * features).max(1024)).clamp(EVEN, MAX_CHUNKS);
    (chunks / EVEN * EVEN).min(items).max(1)
}

/// Sums that a pass over such rows holds at once at most: one for each thread, those that wait, and the total. One thread
/// finishes the chunks in order, and none waits.
pub(crate) fn sums_held(items: usize, features: usize, threads: usize) -> usize {
    let most = if threads <= 1 { 1 } else { threads.saturating_mul(1 + AHEAD) };
    chunks(items, features).min(most) + 1
}

/// Rows of the blocks that such rows are cut into.
pub(crate) fn block_rows(items: usize, features: usize) -> usize {
    even_cut(items, chunks(items, features), default_block(features)).0
}

/// Block and chunk for chunks, and blocks in them, of equal size rather than full ones and a rest.
fn even_cut(items: usize, chunks: usize, block: usize) -> (usize, usize) {
    let chunk = items.div_ceil(chunks).max(1);
    (chunk.div_ceil(chunk.div_ceil(block)), chunk)
}

/// Rows per block. Seconds of an iteration hardly depend on it between 128 and 1024 rows (see `block` in
/// `benchmarks/speed/results.jsonl`); very wide tables get fewer, so that a block stays below 32 MB.
pub(crate) fn default_block(features: usize) -> usize {
    (4_194_304 / features.max(1)).clamp(64, 512)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Blocks in each of the eight chunks of 64 items.
    const BLOCKS: usize = 8;

    #[test]
    fn few_sums_wait_for_a_slow_chunk() {
        let partition = Partition::new(&RunOptions { threads: 2, block: 1, ..RunOptions::default() }, 64, 1).unwrap();
        let (made, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let slow = |chunk: usize| {
            while chunk == 0 && done.load(Ordering::Relaxed) < AHEAD * 2 * BLOCKS {
                std::thread::yield_now();
            }
            if chunk == 0 {
                // Time enough for all the others, if nobody stopped them.
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
        };
        let init = || {
            made.fetch_add(1, Ordering::Relaxed);
            Vec::new()
        };
        let visit = |seen: &mut Vec<usize>, range: Range<usize>| {
            slow(range.start);
            seen.extend(range);
            done.fetch_add(1, Ordering::Relaxed);
        };
        let found = partition.fold(init, visit, |a, b| a.append(b));
        assert_eq!(found, (0..64).collect::<Vec<_>>());
        // Those that wait, and one for each thread.
        assert!(made.into_inner() <= AHEAD * 2 + 2);
    }

    #[test]
    fn a_panic_leaves_nobody_waiting() {
        let partition = Partition::new(&RunOptions { threads: 2, block: 1, ..RunOptions::default() }, 64, 1).unwrap();
        let done = AtomicUsize::new(0);
        let visit = |_: &mut (), range: Range<usize>| {
            if range.start == 0 {
                while done.load(Ordering::Relaxed) < AHEAD * 2 * BLOCKS {
                    std::thread::yield_now();
                }
                // Time enough for the other thread to begin to wait.
                std::thread::sleep(std::time::Duration::from_millis(100));
                panic!("the first chunk fails when the others wait for it");
            }
            done.fetch_add(1, Ordering::Relaxed);
        };
        let run = std::panic::AssertUnwindSafe(|| partition.fold(|| (), visit, |(), ()| ()));
        assert!(std::panic::catch_unwind(run).is_err());
    }

    #[test]
    fn every_item_is_visited_once_in_order() {
        for (items, block) in [(1, 0), (7, 2), (1000, 3), (130, 64)] {
            let partition = Partition::new(&RunOptions { block, ..RunOptions::default() }, items, 5).unwrap();
            let seen = partition.fold(Vec::new, |seen, range| seen.extend(range), Vec::append);
            assert_eq!(seen, (0..items).collect::<Vec<_>>());

            let mut state = vec![0usize; items * 2];
            let write = |_: &mut (), range: Range<usize>, own: &mut [usize]| {
                for (pair, item) in own.chunks_exact_mut(2).zip(range) {
                    pair.fill(item);
                }
            };
            partition.fold_mut(&mut state, 2, || (), write, |(), ()| ());
            assert!(state.iter().enumerate().all(|(i, &item)| item == i / 2));
        }
    }

    #[test]
    fn sums_do_not_depend_on_the_threads() {
        let values: Vec<f64> = (0..9000).map(|i| (f64::from(i) * 0.37).sin()).collect();
        let sum = |threads| {
            let partition = Partition::new(&RunOptions { threads, ..RunOptions::default() }, values.len(), 40).unwrap();
            assert!(partition.chunk() < values.len());
            partition.fold(
                || 0.0,
                |sum, range| *sum += values[range].iter().sum::<f64>(),
                |a, b| *a += std::mem::take(b),
            )
        };
        assert_eq!(sum(1).to_bits(), sum(2).to_bits());
        assert_eq!(sum(1).to_bits(), sum(8).to_bits());
    }
}
