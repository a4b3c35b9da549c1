//! Passes over the items: rayon over chunks of blocks, sums added in a fixed order.

use std::ops::Range;

use rayon::prelude::*;

use crate::{Error, Run};

/// Most chunks a pass is cut into: enough for many threads, few enough that one
/// L x L sum a chunk stays small beside the data.
const MAX_CHUNKS: usize = 64;
/// Memory that the sums of all chunks together may take.
const SUMS_BYTES: usize = 64 << 20;

/// The threads, and how the items are cut. The cut depends on the shape alone, never
/// on the number of threads: that is what makes the answer independent of it.
pub(crate) struct Team {
    pool: Option<rayon::ThreadPool>,
    items: usize,
    block: usize,
    chunk: usize,
}

impl Team {
    /// A team for `items` rows of `features` values, as the caller wants it.
    pub fn new(run: &Run<'_>, items: usize, features: usize) -> Result<Self, Error> {
        let threads = run.threads;
        let pool = match threads {
            0 => None,
            _ => Some(
                rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .map_err(|error| Error::Threads { threads, reason: error.to_string() })?,
            ),
        };
        let block = if run.block > 0 { run.block } else { default_block(features) };
        let chunks = (SUMS_BYTES / (8 * features * features + 1)).clamp(8, MAX_CHUNKS);
        let chunk = items.div_ceil(block).div_ceil(chunks) * block;
        Ok(Team { pool, items, block, chunk })
    }

    /// Items a chunk: slices given to [`fold_mut`](Team::fold_mut) are cut at its multiples.
    #[cfg(test)]
    pub fn chunk(&self) -> usize {
        self.chunk
    }

    /// Runs `work` on this team's threads.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// The blocks of a chunk.
    fn blocks(&self, chunk: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let (block, start) = (self.block, chunk * self.chunk);
        let end = (start + self.chunk).min(self.items);
        (start..end).step_by(block).map(move |first| first..(first + block).min(end))
    }

    /// Calls `visit` on every block and adds up what the chunks gathered, in order.
    pub fn fold<A: Send>(
        &self,
        init: impl Fn() -> A + Sync,
        visit: impl Fn(&mut A, Range<usize>) + Sync,
        merge: impl FnMut(&mut A, A),
    ) -> A {
        let one = |chunk: usize| {
            let mut sum = init();
            self.blocks(chunk).for_each(|range| visit(&mut sum, range));
            sum
        };
        let chunks = self.items.div_ceil(self.chunk);
        let sums: Vec<A> = self.install(|| (0..chunks).into_par_iter().map(one).collect());
        in_order(sums, merge)
    }

    /// As [`fold`](Team::fold), with `width` values of state an item that `visit` may change.
    pub fn fold_mut<S: Send, A: Send>(
        &self,
        state: &mut [S],
        width: usize,
        init: impl Fn() -> A + Sync,
        visit: impl Fn(&mut A, Range<usize>, &mut [S]) + Sync,
        merge: impl FnMut(&mut A, A),
    ) -> A {
        debug_assert_eq!(state.len(), self.items * width);
        let one = |(chunk, state): (usize, &mut [S])| {
            let mut sum = init();
            let first = chunk * self.chunk;
            for range in self.blocks(chunk) {
                let own = (range.start - first) * width..(range.end - first) * width;
                visit(&mut sum, range, &mut state[own]);
            }
            sum
        };
        let sums: Vec<A> = self.install(|| state.par_chunks_mut(self.chunk * width).enumerate().map(one).collect());
        in_order(sums, merge)
    }
}

fn in_order<A>(sums: Vec<A>, merge: impl FnMut(&mut A, A)) -> A {
    let mut merge = merge;
    let mut sums = sums.into_iter();
    let mut total = sums.next().expect("a table has at least one item");
    sums.for_each(|sum| merge(&mut total, sum));
    total
}

/// Rows a block: the block and what is made of it should stay in the second-level cache.
fn default_block(features: usize) -> usize {
    (131_072 / features.max(1)).clamp(64, 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_visited_once_in_order() {
        for (items, block) in [(1, 0), (7, 2), (1000, 3), (130, 64)] {
            let team = Team::new(&Run { block, ..Run::default() }, items, 5).unwrap();
            let seen = team.fold(Vec::new, |seen, range| seen.extend(range), |a, b| a.extend(b));
            assert_eq!(seen, (0..items).collect::<Vec<_>>());

            let mut state = vec![0usize; items * 2];
            let write = |_: &mut (), range: Range<usize>, own: &mut [usize]| {
                for (pair, item) in own.chunks_exact_mut(2).zip(range) {
                    pair.fill(item);
                }
            };
            team.fold_mut(&mut state, 2, || (), write, |(), ()| ());
            assert!(state.iter().enumerate().all(|(i, &item)| item == i / 2));
        }
    }

    #[test]
    fn sums_do_not_depend_on_the_threads() {
        let values: Vec<f64> = (0..9000).map(|i| (f64::from(i) * 0.37).sin()).collect();
        let sum = |threads| {
            let team = Team::new(&Run { threads, ..Run::default() }, values.len(), 40).unwrap();
            assert!(team.chunk() < values.len());
            team.fold(|| 0.0, |sum, range| *sum += values[range].iter().sum::<f64>(), |a, b| *a += b)
        };
        assert_eq!(sum(1).to_bits(), sum(2).to_bits());
        assert_eq!(sum(1).to_bits(), sum(8).to_bits());
    }
}
