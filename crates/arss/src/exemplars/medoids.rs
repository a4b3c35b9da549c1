//! Swaps: picks that the greedy choice found, exchanged for better ones.
//!
//! Minimises sum_r w_r |x_r - nearest pick| over the reference rows, by the eager swaps of "Fast and eager k-medoids
//! clustering" (Schubert & Rousseeuw 2021). Each row knows its nearest and second nearest pick, so one look at the distances
//! of a candidate gives the change for all K swaps with it. No distances are kept: a batch of candidates is one product.

use super::Constraints;
use super::candidates::CandidateSample;
use super::coverage::Chosen;
use crate::linalg::distances::{Rows, Table};
use crate::parallel::Partition;
use crate::{Error, Progress, RunOptions, Status};

/// Most sweeps over all candidates; two to four are usual.
const SWEEPS: usize = 10;
/// A swap must lower the sum by more than this share.
const LEAST_GAIN: f64 = 1e-7;
/// Less than this share of what the picks save is rounding.
const ROUNDING: f64 = 1e-12;
/// Rows of so many values are long. Distances of shorter ones cost little more than reading them.
pub(super) const LONG: usize = 128;
/// Most bytes of distances that are kept.
const MOST_KEPT: usize = 1 << 28;
/// Candidates whose distances are computed together, and those that one thread takes at a time: for each lot all reference
/// rows are rearranged once.
const BATCH: (usize, usize) = (64, 32);

/// The two nearest picks of a row, as slots of the choice.
#[derive(Debug, Clone, Copy)]
struct Pair {
    first: usize,
    second: usize,
    to_first: f64,
    to_second: f64,
}

struct Swaps<'a> {
    reference: Rows<'a, f64>,
    weights: &'a [f64],
    picks: Rows<'a, f64>,
    /// The squared distances of the picks to all reference rows, a line each, where those of all candidates are kept.
    lines: Vec<f64>,
    pairs: Vec<Pair>,
    /// What the sum rises by if a pick goes away and nothing comes.
    removal: Vec<f64>,
    total: f64,
}

/// The bytes of all distances between candidates and reference rows, where they are kept for later sweeps: rows are so
/// long that measuring them again costs more than memory.
pub(crate) fn kept_bytes(features: usize, pool: usize, reference: usize) -> usize {
    let bytes = pool.saturating_mul(reference).saturating_mul(size_of::<f64>());
    if features >= LONG && bytes <= MOST_KEPT { bytes } else { 0 }
}

/// The squared distances of candidates to all reference rows, a line each, by the threads of a partition.
pub(super) fn lines(candidates: &Rows<'_, f64>, reference: &Rows<'_, f64>, threads: &Partition) -> Vec<f64> {
    let (count, rows) = (candidates.len(), reference.len());
    let mut all = vec![0.0; count * rows];
    let partition = threads.sharing_threads(count, 1, BATCH.1);
    let visit = |part: &mut Vec<f64>, range: std::ops::Range<usize>, own: &mut [f64]| {
        candidates.squared(range, reference, part);
        own.copy_from_slice(part);
    };
    partition.fold_mut(&mut all, rows, Vec::new, visit, |_, _| ());
    all
}

/// Some of the lines that are kept; none if they are not.
fn lines_at(kept: &[f64], places: impl Iterator<Item = usize>, rows: usize) -> Vec<f64> {
    places.flat_map(|place| kept.get(place * rows..(place + 1) * rows).unwrap_or_default()).copied().collect()
}

/// Exchanges picks for candidates of the pool as long as that lowers the sum. The first `included` picks stay.
pub(super) fn swap(
    table: Table<'_>,
    sample: &CandidateSample,
    chosen: &mut Chosen,
    (included, constraints): (usize, &mut Constraints),
    run: &mut RunOptions<'_>,
) -> Result<(), Error> {
    let pool = sample.pool.len();
    if chosen.picks.len() >= pool || sample.reference.is_empty() {
        return Ok(());
    }
    let place = |item: &usize| sample.pool.binary_search(item).expect("picks come from the pool");
    let mut kept: Vec<f64> = std::mem::take(&mut chosen.kept);
    let rows = sample.reference.len();
    let picks = (Rows::of(&table, &chosen.picks), lines_at(&kept, chosen.picks.iter().map(place), rows));
    let mut swaps = Swaps::new(Rows::of(&table, &sample.reference), &sample.weights, picks);
    let mut groups: Vec<usize> = chosen.picks.iter().map(|item| sample.groups[place(item)]).collect();
    let mut is_pick = vec![false; pool];
    chosen.picks.iter().for_each(|item| is_pick[place(item)] = true);
    let threads = Partition::new(&RunOptions { threads: run.threads, ..RunOptions::default() }, rows, 1)?;
    let mut unchanged = 0;
    let keep = kept_bytes(table.origin.len(), pool, rows) > 0;
    for sweep in 1..=SWEEPS {
        for start in (0..pool).step_by(BATCH.0) {
            let positions = start..(start + BATCH.0).min(pool);
            let candidates = |positions: std::ops::Range<usize>| Rows::<f64>::of(&table, &sample.pool[positions]);
            let batch = start * rows..(start + positions.len()) * rows;
            let squared = match kept.get(batch.clone()) {
                Some(known) => known.to_vec(),
                None => lines(&candidates(positions.clone()), &swaps.reference, &threads),
            };
            if keep && kept.len() == batch.start {
                kept.extend_from_slice(&squared);
            }
            for (position, squared) in positions.zip(squared.chunks_exact(rows)) {
                unchanged += 1;
                let group = sample.groups[position];
                let allowed =
                    |slot: usize| slot >= included && (groups[slot] == group || constraints.group_open(group));
                let best = if is_pick[position] { None } else { swaps.best(squared, allowed) };
                let Some((slot, _)) = best.filter(|best| best.1 < -swaps.least_gain()) else { continue };
                is_pick[place(&chosen.picks[slot])] = false;
                is_pick[position] = true;
                constraints.exchange((chosen.picks[slot], groups[slot]), (sample.pool[position], group));
                (chosen.picks[slot], groups[slot]) = (sample.pool[position], group);
                swaps.take(slot, &candidates(position..position + 1), squared);
                unchanged = 0;
            }
            if run.tell(&Progress { objective: swaps.total, ..Progress::at_most("refine", sweep, SWEEPS) }) {
                chosen.status = Status::Stopped;
                return Ok(());
            }
            if unchanged >= pool {
                return Ok(());
            }
        }
    }
    Ok(())
}

impl<'a> Swaps<'a> {
    fn new(reference: Rows<'a, f64>, weights: &'a [f64], (picks, lines): (Rows<'a, f64>, Vec<f64>)) -> Self {
        let nobody = Pair { first: 0, second: 0, to_first: 0.0, to_second: 0.0 };
        let pairs = vec![nobody; reference.len()];
        let mut swaps = Swaps { reference, weights, picks, lines, pairs, removal: Vec::new(), total: 0.0 };
        (0..swaps.pairs.len()).for_each(|row| swaps.pairs[row] = swaps.two_nearest(row));
        swaps.add_up();
        swaps
    }

    /// What a swap has to gain.
    fn least_gain(&self) -> f64 {
        let saved: f64 = self.removal.iter().filter(|saved| saved.is_finite()).sum();
        LEAST_GAIN * self.total + ROUNDING * saved
    }

    fn slots(&self) -> usize {
        self.picks.len()
    }

    /// Of the slots that are allowed, the one that a candidate at these squared distances had best take, and what the sum
    /// changes by.
    fn best(&self, squared: &[f64], allowed: impl Fn(usize) -> bool) -> Option<(usize, f64)> {
        if self.slots() == 1 {
            let sum: f64 = squared.iter().zip(self.weights).map(|(squared, weight)| weight * squared.sqrt()).sum();
            return allowed(0).then_some((0, sum - self.total));
        }
        let mut changes = self.removal.clone();
        let mut gain = 0.0;
        for ((&squared, pair), &weight) in squared.iter().zip(&self.pairs).zip(self.weights) {
            if squared >= pair.to_second * pair.to_second {
                continue; // nothing changes for this row: most are such
            }
            let distance = squared.sqrt();
            if distance < pair.to_first {
                gain += weight * (distance - pair.to_first);
                changes[pair.first] += weight * (pair.to_first - pair.to_second);
            } else {
                changes[pair.first] += weight * (distance - pair.to_second).min(0.0);
            }
        }
        let better = |best: Option<(usize, f64)>, slot: usize| match best {
            Some((_, change)) if change <= changes[slot] => best,
            _ => Some((slot, changes[slot])),
        };
        (0..changes.len()).filter(|&slot| allowed(slot)).fold(None, better).map(|(slot, change)| (slot, change + gain))
    }

    /// Puts a candidate into a slot.
    fn take(&mut self, slot: usize, candidate: &Rows<'_, f64>, squared: &[f64]) {
        self.picks.replace(slot, candidate, 0);
        if !self.lines.is_empty() {
            self.lines[slot * squared.len()..(slot + 1) * squared.len()].copy_from_slice(squared);
        }
        for (row, &squared) in squared.iter().enumerate() {
            let (pair, distance) = (self.pairs[row], squared.sqrt());
            let anew = Pair { first: slot, to_first: distance, ..pair };
            self.pairs[row] = if pair.first == slot && distance <= pair.to_second {
                anew
            } else if pair.first == slot || (pair.second == slot && distance > pair.to_second) {
                self.two_nearest(row)
            } else if distance < pair.to_first {
                Pair { second: pair.first, to_second: pair.to_first, ..anew }
            } else if distance < pair.to_second || pair.second == slot {
                Pair { second: slot, to_second: distance, ..pair }
            } else {
                pair
            };
        }
        self.add_up();
    }

    fn add_up(&mut self) {
        self.removal = vec![0.0; self.slots()];
        self.total = 0.0;
        for (pair, &weight) in self.pairs.iter().zip(self.weights) {
            self.removal[pair.first] += weight * (pair.to_second - pair.to_first);
            self.total += weight * pair.to_first;
        }
    }

    /// The two nearest picks of a row; where there is one, the second is infinitely far.
    fn two_nearest(&self, row: usize) -> Pair {
        let mut pair = Pair { first: 0, second: 0, to_first: f64::INFINITY, to_second: f64::INFINITY };
        for slot in 0..self.slots() {
            let known = self.lines.get(slot * self.pairs.len() + row).copied();
            let squared = known.unwrap_or_else(|| self.reference.squared_distance(row, &self.picks, slot));
            if squared < pair.to_first {
                pair = Pair { first: slot, second: pair.first, to_first: squared, to_second: pair.to_first };
            } else if squared < pair.to_second {
                (pair.second, pair.to_second) = (slot, squared);
            }
        }
        Pair { to_first: pair.to_first.sqrt(), to_second: pair.to_second.sqrt(), ..pair }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::distances::squared_distance;
    use crate::{Metric, Samples};

    fn noise(count: usize, seed: u64) -> Vec<f64> {
        let mut generator = crate::linalg::rng::generator(seed);
        (0..count).map(|_| crate::linalg::rng::uniform(&mut generator)).collect()
    }

    fn cost(rows: &[&[f64]], weights: &[f64], picks: &[usize]) -> f64 {
        let nearest = |row: &[f64]| {
            picks.iter().map(|&pick| squared_distance(row, rows[pick])).fold(f64::INFINITY, f64::min).sqrt()
        };
        rows.iter().zip(weights).map(|(row, weight)| weight * nearest(row)).sum()
    }

    /// No single swap, tried one by one with all distances computed anew, improves the result.
    #[test]
    fn no_swap_is_left_that_helps() {
        for (n, l, k, seed) in [(60, 2, 5, 1), (40, 3, 1, 2), (50, 1, 12, 3)] {
            let data = noise(n * l, seed);
            let rows: Vec<&[f64]> = data.chunks(l).collect();
            let weights: Vec<f64> = noise(n, seed + 7).iter().map(|weight| weight + 0.2).collect();
            let samples = Samples::new(&data, n, l).unwrap();
            let origin = vec![0.1; l];
            let sample = CandidateSample::of_all(&weights);
            let mut chosen =
                Chosen { picks: (0..k).collect(), gains: vec![0.0; k], status: Status::Converged, ..Chosen::nothing() };
            let before = cost(&rows, &weights, &chosen.picks);
            let mut constraints = Constraints::none();
            let table = Table { rows: &samples, origin: &origin, metric: Metric::Euclidean };
            swap(table, &sample, &mut chosen, (0, &mut constraints), &mut RunOptions::default()).unwrap();
            let found = cost(&rows, &weights, &chosen.picks);
            assert!(found < before, "{found} {before}");
            for slot in 0..k {
                for item in (0..n).filter(|item| !chosen.picks.contains(item)) {
                    let mut other = chosen.picks.clone();
                    other[slot] = item;
                    assert!(cost(&rows, &weights, &other) >= found * (1.0 - 2.0 * LEAST_GAIN), "{slot} {item}");
                }
            }
        }
    }
}
