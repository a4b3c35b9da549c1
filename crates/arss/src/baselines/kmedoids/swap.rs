//! Eager swaps of medoids, after "Fast and eager k-medoids clustering" (Schubert & Rousseeuw 2021).
//!
//! Each item knows its nearest and second nearest medoid. One pass over the distances of a
//! candidate then gives the change of the objective for all K swaps with it at once, and the
//! best one is made immediately if it improves.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::linalg::distances::{shift_rows, squared_distance};
use crate::linalg::nearest::{NearestTable, rows_within};
use crate::parallel::Partition;
use crate::{Error, Float, Progress, RunOptions, Status};

/// Most candidates whose distances are computed together.
const BATCH: usize = 64;
/// Multiplications per batch, about: the callback is called after each batch.
const BATCH_WORK: usize = 1 << 28;
/// Most values of the candidates of a batch: each batch reads all items, so it should not be small.
const BATCH_VALUES: usize = 1 << 24;
/// Most values of a block of items.
const BLOCK_VALUES: usize = 1 << 21;
/// Fewest candidates per batch, rows of any length permitting.
const LEAST_BATCH: usize = 16;
/// Distances that are kept from sweep to sweep, if there are no more than these (64 MB).
const KEPT: usize = 1 << 23;
/// Items per block.
const BLOCK: usize = 256;
/// Bytes of the distances that a search among `items` items keeps.
pub(crate) fn kept_bytes(items: u64) -> u64 {
    if keeps_all(items as usize) { 8 * items * items } else { 8 * BATCH as u64 * items }
}

/// True if all distances are few enough to be kept.
fn keeps_all(items: usize) -> bool {
    items.saturating_mul(items) <= KEPT
}

/// A swap must lower the objective by more than this share: rounding cannot make it go round in circles.
const LEAST_GAIN: f64 = 1e-10;
/// Below this share of the squared norms, a squared distance is computed as a sum of squared differences.
const CANCELLED: f64 = 1e-6;

/// The two nearest medoids of an item.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pair {
    first: u32,
    second: u32,
    to_first: f64,
    to_second: f64,
}

/// The medoids, and what is known about them.
pub(super) struct Swaps<'t, 'a, T> {
    table: &'t NearestTable<'a, T>,
    /// Walks over the items in blocks of a known size, on the threads of the table's partition.
    partition: Partition,
    block: usize,
    pub medoids: Vec<usize>,
    /// The rows of the medoids.
    rows: Vec<f64>,
    /// Squared norms of the items, without the origin.
    norms: Vec<f64>,
    pairs: Vec<Pair>,
    /// Change of the objective if medoid m went away and nothing came.
    removal: Vec<f64>,
    /// Sum of the distances to the nearest medoid.
    pub total: f64,
}

/// The medoids, and their rows one behind the other.
type Medoids<'a> = (&'a [usize], &'a [f64]);

/// What the sweeps report to the outside.
pub(super) struct Sweeps {
    pub status: Status,
    /// The objective after each sweep, begun or done.
    pub totals: Vec<f64>,
}

impl<'t, 'a, T: Float> Swaps<'t, 'a, T> {
    pub fn new(table: &'t NearestTable<'a, T>, medoids: Vec<usize>, run: &RunOptions<'_>) -> Result<Self, Error> {
        let (items, features) = (table.samples.items(), table.samples.features());
        let block = if run.block > 0 { run.block } else { rows_within(BLOCK_VALUES, features).min(BLOCK) };
        let partition = Partition::new(&RunOptions { block, ..RunOptions::default() }, items, features)?;
        let nobody = Pair { first: 0, second: 0, to_first: f64::INFINITY, to_second: f64::INFINITY };
        let rows = table.rows(&medoids);
        let removal = vec![0.0; medoids.len()];
        let pairs = vec![nobody; items];
        let norms = squared_norms(table);
        let mut swaps = Swaps { table, partition, block, medoids, rows, norms, pairs, removal, total: 0.0 };
        swaps.update_pairs(|item, pair, medoids| *pair = two_nearest(table, item, medoids));
        Ok(swaps)
    }

    /// Sweeps over all candidates until none improves; `told` gives the callback's sweep and limit.
    pub fn sweep(&mut self, limit: usize, told: Range<usize>, run: &mut RunOptions<'_>) -> Sweeps {
        let items = self.pairs.len();
        let mut is_medoid = vec![false; items];
        self.medoids.iter().for_each(|&medoid| is_medoid[medoid] = true);
        let mut totals = Vec::new();
        let mut unchanged = 0;
        let (size, keep) = (self.batch_size(), keeps_all(items));
        let mut kept: Vec<Option<Batch>> = (0..items.div_ceil(size)).map(|_| None).collect();
        for sweep in 0..limit {
            totals.push(self.total);
            for (start, kept) in (0..items).step_by(size).zip(&mut kept) {
                let batch = kept.take().unwrap_or_else(|| self.batch(start..(start + size).min(items)));
                for candidate in batch.candidates.clone() {
                    unchanged += 1;
                    let swapped = !is_medoid[candidate] && self.try_swap(&batch, candidate, &mut is_medoid);
                    unchanged = if swapped { 0 } else { unchanged };
                    totals[sweep] = self.total;
                    let last = candidate + 1 == batch.candidates.end;
                    if (swapped || last) && self.tell(told.start + sweep, told.end, run) {
                        return Sweeps { status: Status::Stopped, totals };
                    }
                }
                *kept = keep.then_some(batch);
                if unchanged >= items {
                    return Sweeps { status: Status::Converged, totals };
                }
            }
        }
        Sweeps { status: Status::IterationLimit, totals }
    }

    /// Tells the callback, after every swap and every batch; true if the run shall stop.
    fn tell(&self, sweep: usize, limit: usize, run: &mut RunOptions<'_>) -> bool {
        let objective = self.total / self.table.samples.scale();
        run.tell(&Progress { objective, ..Progress::at_most("solve", sweep, limit) })
    }

    /// Makes the best swap with `candidate` if it improves.
    fn try_swap(&mut self, batch: &Batch, candidate: usize, is_medoid: &mut [bool]) -> bool {
        let (slot, change) = self.best_change(batch, candidate);
        if change >= -LEAST_GAIN * self.total {
            return false;
        }
        is_medoid[self.medoids[slot]] = false;
        is_medoid[candidate] = true;
        self.medoids[slot] = candidate;
        let row = self.table.rows(&[candidate]);
        self.rows[slot * row.len()..(slot + 1) * row.len()].copy_from_slice(&row);
        let (table, block) = (self.table, self.block);
        self.update_pairs(|item, pair, medoids| {
            if !pair.replace(slot as u32, batch.distance(candidate, item, block)) {
                *pair = two_nearest(table, item, medoids);
            }
        });
        true
    }

    /// The medoid that `candidate` had best replace, and how the objective changes then.
    fn best_change(&self, batch: &Batch, candidate: usize) -> (usize, f64) {
        let blocks = batch.row(candidate, self.block).zip(self.pairs.chunks(self.block));
        if self.medoids.len() == 1 {
            let total: f64 = blocks.flat_map(|(squared, _)| squared).map(|squared| squared.sqrt()).sum();
            return (0, total - self.total);
        }
        let mut changes = self.removal.clone();
        let mut gain = 0.0;
        for (squared, pairs) in blocks {
            for (&squared, pair) in squared.iter().zip(pairs) {
                if squared >= pair.to_second * pair.to_second {
                    continue; // nothing changes for this item: most are such
                }
                let distance = squared.sqrt();
                if distance < pair.to_first {
                    gain += distance - pair.to_first;
                    changes[pair.first as usize] += pair.to_first - pair.to_second;
                } else if distance < pair.to_second {
                    changes[pair.first as usize] += distance - pair.to_second;
                }
            }
        }
        let best = (0..changes.len()).reduce(|best, slot| if changes[slot] < changes[best] { slot } else { best });
        let slot = best.expect("at least one medoid");
        (slot, changes[slot] + gain)
    }

    /// Calls `update(item, its pair, the medoids and their rows)` on all items, then adds up anew.
    fn update_pairs(&mut self, update: impl Fn(usize, &mut Pair, Medoids<'_>) + Sync) {
        let medoids = (&self.medoids[..], &self.rows[..]);
        let visit = |_: &mut (), range: Range<usize>, own: &mut [Pair]| {
            range.zip(own).for_each(|(item, pair)| update(item, pair, medoids));
        };
        let (partition, pairs) = (&self.partition, &mut self.pairs);
        self.table.partition.install(|| partition.fold_mut(pairs, 1, || (), visit, |(), ()| ()));
        self.removal.fill(0.0);
        for pair in &self.pairs {
            self.removal[pair.first as usize] += pair.to_second - pair.to_first;
        }
        self.total = self.pairs.iter().map(|pair| pair.to_first).sum();
    }

    /// Candidates per batch.
    fn batch_size(&self) -> usize {
        let features = self.table.samples.features();
        let work = BATCH_WORK / self.pairs.len().saturating_mul(features);
        BATCH.min(work.max(LEAST_BATCH)).min(rows_within(BATCH_VALUES, features))
    }

    /// The squared distances of `candidates` to all items.
    fn batch(&self, candidates: Range<usize>) -> Batch {
        if !self.table.samples.metric().by_products() {
            return self.batch_by_pairs(candidates);
        }
        let (samples, origin) = (&self.table.samples, &self.table.origin);
        let (count, features) = (candidates.len(), origin.len());
        let rows: Vec<Vec<f64>> = candidates.clone().map(|item| samples.item(item)).collect();
        let mut shifted: Vec<f64> = Vec::new();
        shift_rows(&rows.concat(), origin, &mut shifted);
        let lhs = MatRef::from_row_major_slice(&shifted, count, features);
        let visit = |scratch: &mut Vec<f64>, range: Range<usize>, own: &mut [f64]| {
            let block = samples.block(range.clone());
            shift_rows(&block.values, origin, scratch);
            let rhs = MatRef::from_row_major_slice(scratch, block.rows, features).transpose();
            let product = MatMut::from_row_major_slice_mut(own, count, block.rows);
            matmul(product, Accum::Replace, lhs, rhs, 1.0, Par::Seq);
            for ((squared, candidate), row) in own.chunks_exact_mut(block.rows).zip(candidates.clone()).zip(&rows) {
                for (position, (value, norm)) in squared.iter_mut().zip(&self.norms[range.clone()]).enumerate() {
                    let norms = self.norms[candidate] + norm;
                    *value = norms - 2.0 * *value;
                    if *value <= CANCELLED * norms {
                        *value = squared_distance(block.row(position), row);
                    }
                }
            }
        };
        let mut values = vec![0.0; self.pairs.len() * count];
        let (partition, own) = (&self.partition, &mut values);
        self.table.partition.install(|| partition.fold_mut(own, count, Vec::new, visit, |_, _| ()));
        Batch { candidates, values }
    }

    /// The same by a metric that is no matter of products.
    fn batch_by_pairs(&self, candidates: Range<usize>) -> Batch {
        let (table, count) = (self.table, candidates.len());
        let items: Vec<usize> = candidates.clone().collect();
        let rows = table.rows(&items);
        let features = rows.len() / count;
        let visit = |_: &mut (), range: Range<usize>, own: &mut [f64]| {
            let block = table.block(range.clone());
            for (slot, squared) in own.chunks_exact_mut(range.len()).enumerate() {
                let candidate = (items[slot], &rows[slot * features..(slot + 1) * features]);
                for ((position, squared), item) in squared.iter_mut().enumerate().zip(range.clone()) {
                    *squared = table.squared_between((item, &block, position), candidate);
                }
            }
        };
        let mut values = vec![0.0; self.pairs.len() * count];
        let (partition, own) = (&self.partition, &mut values);
        table.partition.install(|| partition.fold_mut(own, count, || (), visit, |(), ()| ()));
        Batch { candidates, values }
    }
}

/// Squared distances of a few candidates to all items: block after block of items, in each a row a candidate.
struct Batch {
    candidates: Range<usize>,
    values: Vec<f64>,
}

impl Batch {
    /// The squared distances of a candidate, block after block.
    fn row(&self, candidate: usize, block: usize) -> impl Iterator<Item = &[f64]> {
        let (row, count) = (candidate - self.candidates.start, self.candidates.len());
        self.values.chunks(block * count).map(move |values| {
            let length = values.len() / count;
            &values[row * length..(row + 1) * length]
        })
    }

    /// The distance between a candidate and an item.
    fn distance(&self, candidate: usize, item: usize, block: usize) -> f64 {
        let (row, count) = (candidate - self.candidates.start, self.candidates.len());
        let start = item / block * block;
        let length = block.min(self.values.len() / count - start);
        self.values[start * count + row * length + item - start].sqrt()
    }
}

impl Pair {
    /// Takes note that medoid `slot` is now another one, at `distance`; false if the pair must be searched anew.
    fn replace(&mut self, slot: u32, distance: f64) -> bool {
        let new = Pair { first: slot, to_first: distance, ..*self };
        let pushed = Pair { second: self.first, to_second: self.to_first, ..new };
        let behind = Pair { second: slot, to_second: distance, ..*self };
        if self.first == slot && distance <= self.to_second {
            *self = new;
        } else if self.first == slot {
            return false;
        } else if distance < self.to_first {
            *self = pushed;
        } else if distance < self.to_second {
            *self = behind;
        } else if self.second == slot {
            return false;
        }
        true
    }
}

/// The squared norm of each item without the origin; none where distances are no matter of products.
fn squared_norms<T: Float>(table: &NearestTable<'_, T>) -> Vec<f64> {
    if !table.samples.metric().by_products() {
        return Vec::new();
    }
    let mut norms = vec![0.0; table.samples.items()];
    let visit = |_: &mut (), range: Range<usize>, own: &mut [f64]| {
        let block = table.samples.block(range);
        for (row, norm) in own.iter_mut().enumerate() {
            *norm = squared_distance(block.row(row), &table.origin);
        }
    };
    table.partition.fold_mut(&mut norms, 1, || (), visit, |(), ()| ());
    norms
}

/// The two nearest medoids of an item; the second is infinitely far if there is but one.
fn two_nearest<T: Float>(table: &NearestTable<'_, T>, item: usize, (medoids, rows): Medoids<'_>) -> Pair {
    let block = table.block(item..item + 1);
    let features = rows.len() / medoids.len();
    let mut pair = Pair { first: 0, second: 0, to_first: f64::INFINITY, to_second: f64::INFINITY };
    for (slot, &medoid) in medoids.iter().enumerate() {
        let row = &rows[slot * features..(slot + 1) * features];
        let squared = table.squared_between((item, &block, 0), (medoid, row));
        if squared < pair.to_first {
            pair = Pair { first: slot as u32, second: pair.first, to_first: squared, to_second: pair.to_first };
        } else if squared < pair.to_second {
            pair = Pair { second: slot as u32, to_second: squared, ..pair };
        }
    }
    Pair { to_first: pair.to_first.sqrt(), to_second: pair.to_second.sqrt(), ..pair }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;

    #[test]
    fn changes_are_what_a_swap_does() {
        let data: Vec<f64> = (0..120).map(|i| (f64::from(i) * 12.9898).sin() * 43758.5453 % 1.0).collect();
        for block in [0, 7] {
            let run = RunOptions { block, ..RunOptions::default() };
            let table = NearestTable::new(&Samples::new(&data, 40, 3).unwrap(), &run).unwrap();
            let total = |medoids: Vec<usize>| Swaps::new(&table, medoids, &run).unwrap().total;
            for medoids in [vec![4], vec![4, 9], vec![0, 4, 9, 20, 39]] {
                let swaps = Swaps::new(&table, medoids.clone(), &run).unwrap();
                let batch = swaps.batch(10..20);
                for candidate in 10..20 {
                    let after = |slot| {
                        let mut medoids = medoids.clone();
                        medoids[slot] = candidate;
                        total(medoids)
                    };
                    let best = (0..medoids.len()).map(after).fold(f64::INFINITY, f64::min);
                    let (slot, change) = swaps.best_change(&batch, candidate);
                    assert!((swaps.total + change - best).abs() < 1e-12);
                    assert!((after(slot) - best).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn pairs_stay_right_through_the_sweeps() {
        let data: Vec<f64> = (0..600).map(|i| (f64::from(i) * 78.233).sin() * 43758.5453 % 1.0).collect();
        let run = RunOptions { block: 11, ..RunOptions::default() };
        let table = NearestTable::new(&Samples::new(&data, 150, 4).unwrap(), &run).unwrap();
        let mut swaps = Swaps::new(&table, (0..9).collect(), &run).unwrap();
        let before = swaps.total;
        let sweeps = swaps.sweep(50, 0..50, &mut RunOptions::default());
        assert_eq!(sweeps.status, Status::Converged);
        assert!(swaps.total < before && sweeps.totals.windows(2).all(|pair| pair[1] <= pair[0]));
        let fresh = Swaps::new(&table, swaps.medoids.clone(), &run).unwrap();
        for (kept, fresh) in swaps.pairs.iter().zip(&fresh.pairs) {
            assert_eq!((kept.first, kept.second), (fresh.first, fresh.second));
            assert!((kept.to_second - fresh.to_second).abs() < 1e-12);
        }
    }
}
