//! The choice: greedy maximum coverage with a bounded similarity, in linear memory.
//!
//! Maximises sum_r w_r max_{i picked} exp(-3 |x_r - x_i|^2 / h2) over reference rows r. The gain of a candidate never
//! grows, so an old gain bounds it from above: only candidates whose bound is near the top are measured anew, a block of
//! them at a time.

use std::ops::Range;

use super::Constraints;
use super::candidates::CandidateSample;
use super::medoids::{kept_bytes, lines};
use super::outlook::Outlook;
use super::solver::Plan;
use crate::linalg::distances::{Rows, Table};
use crate::linalg::median::median_squared;
use crate::linalg::simd::exponentials;
use crate::linalg::top_k;
use crate::parallel::{Partition, move_sums};
use crate::{Error, Progress, RunOptions, Status};

/// How much narrower than the outlier score's the similarity is.
const SHARP: f64 = 3.0;
/// Reference rows per block.
const BLOCK: usize = 256;
/// Candidates measured at a time, at first and at most.
const BATCH: (usize, usize) = (8, 128);
/// Gains that differ by less than this share are equal: the smaller index is taken.
const TIE: f64 = 1e-9;
/// A gain below this share of the whole weight is rounding.
const NOTHING: f64 = 1e-13;

/// What was chosen.
pub(crate) struct Chosen {
    pub picks: Vec<usize>,
    /// What each pick added to the coverage, 0 to 1.
    pub gains: Vec<f64>,
    pub status: Status,
    /// The squared distances of all candidates to the reference rows, a line each, if they were kept.
    pub kept: Vec<f64>,
    /// What more picks would add, if that was asked for.
    pub outlook: Option<Outlook>,
}

/// Chooses at most `plan.k` rows; fewer only if the pool runs out or the rule stops it.
pub(crate) fn choose(
    table: Table<'_>,
    sample: &CandidateSample,
    plan: &Plan,
    constraints: &mut Constraints,
    run: &mut RunOptions<'_>,
) -> Result<Chosen, Error> {
    let mut coverage = Coverage::new(table, sample, run)?;
    let mut chosen = Chosen { status: Status::Converged, ..Chosen::nothing() };
    let stopped = coverage.measure(run)?;
    let mut include = std::mem::take(&mut constraints.include);
    let included = include.len();
    include.reverse();
    let mut covered = 0.0;
    while chosen.picks.len() < plan.k && !stopped {
        let next = match include.pop() {
            Some((item, _)) => coverage.pool.binary_search(&item).ok().map(|position| (position, 0.0)),
            None => coverage.best(constraints),
        };
        let Some((position, gain)) = next else { break };
        let small = |share: f64| gain < share * covered * coverage.total;
        if chosen.picks.len() >= included.max(1) && plan.stop.is_some_and(small) {
            break;
        }
        let gain = coverage.take(position) / coverage.total;
        covered += gain;
        constraints.take(coverage.pool[position], coverage.groups[position]);
        chosen.picks.push(coverage.pool[position]);
        chosen.gains.push(gain);
        let progress = Progress::count("solve", chosen.picks.len(), plan.k);
        if run.tell(&Progress { objective: covered, ..progress }) {
            chosen.status = Status::Stopped;
            break;
        }
    }
    if stopped {
        chosen.status = Status::Stopped;
    }
    if chosen.status == Status::Stopped {
        include.iter().rev().for_each(|&(item, group)| chosen.add(item, group, constraints));
    }
    // Nothing more to gain, or stopped: the rest of the pool, by what it might have gained.
    chosen.fill(coverage.rest(), plan.least(), constraints);
    // Gains fall; rounding shall not make one rise.
    for at in included + 1..chosen.gains.len() {
        chosen.gains[at] = chosen.gains[at].min(chosen.gains[at - 1]);
    }
    chosen.kept = coverage.kept;
    Ok(chosen)
}

impl Chosen {
    pub fn nothing() -> Self {
        Chosen { picks: Vec::new(), gains: Vec::new(), status: Status::Stopped, kept: Vec::new(), outlook: None }
    }

    /// The rows that must be in, and nothing else yet: the run was stopped before the choice.
    pub fn stopped(constraints: &mut Constraints) -> Self {
        let mut chosen = Chosen::nothing();
        let include = std::mem::take(&mut constraints.include);
        include.into_iter().for_each(|(item, group)| chosen.add(item, group, constraints));
        chosen
    }

    /// Takes those rows, given with their groups, that are open, in order, until there are `k`.
    pub fn fill(&mut self, rows: impl IntoIterator<Item = (usize, usize)>, k: usize, constraints: &mut Constraints) {
        for (item, group) in rows {
            if self.picks.len() >= k {
                return;
            }
            if constraints.open(item, group) {
                self.add(item, group, constraints);
            }
        }
    }

    fn add(&mut self, item: usize, group: usize, constraints: &mut Constraints) {
        constraints.take(item, group);
        self.picks.push(item);
        self.gains.push(0.0);
    }
}

/// How well a reference row is covered: the similarity of its nearest pick, and minus its logarithm.
#[derive(Clone, Copy)]
struct Cover {
    similarity: f64,
    exponent: f64,
}

/// The similarity of two rows at a squared distance.
pub(crate) fn similarity(rate: f64, squared: f64) -> f64 {
    (-rate * squared).exp()
}

/// Finds the pairs that are nearer than what there is: their similarities are computed many at once.
#[derive(Default)]
struct Near {
    places: Vec<usize>,
    similarities: Vec<f64>,
}

impl Near {
    /// Looks for the places whose exponent is below `than`.
    fn find(&mut self, squared: &[f64], than: impl Fn(usize) -> f64, rate: f64) {
        self.places.clear();
        self.similarities.clear();
        for (at, &squared) in squared.iter().enumerate() {
            if rate * squared < than(at) {
                self.places.push(at);
                self.similarities.push(squared);
            }
        }
        exponentials(&mut self.similarities, -rate);
    }

    /// The places that were found, each with its similarity.
    fn pairs(&self) -> impl Iterator<Item = (usize, f64)> {
        self.places.iter().copied().zip(self.similarities.iter().copied())
    }
}

/// The rows to cover, the rows to choose from, and what is known of their gains.
pub(crate) struct Coverage<'a> {
    table: Table<'a>,
    /// Divides the reference rows among the threads.
    partition: Partition,
    pub reference: Rows<'a, f64>,
    pub weights: Vec<f64>,
    covers: Vec<Cover>,
    /// Sum of the weights.
    pub total: f64,
    /// Minus the logarithm of the similarity is this times the squared distance.
    pub rate: f64,
    /// Rows to choose from, ascending, and their groups.
    pool: Vec<usize>,
    groups: Vec<usize>,
    /// Not taken yet.
    open: Vec<bool>,
    /// The most each can gain,
    bounds: Vec<f64>,
    /// and whether it does gain that.
    exact: Vec<bool>,
    /// Keep the squared distances of candidates once they are measured; those that are, a line each.
    keeps: bool,
    kept: Vec<f64>,
}

impl<'a> Coverage<'a> {
    pub fn new(table: Table<'a>, sample: &CandidateSample, run: &RunOptions<'_>) -> Result<Self, Error> {
        let h2 = *sample.width.get_or_init(|| median_squared(&table, &sample.wide, &sample.narrow));
        let CandidateSample { pool, groups, reference, weights, .. } = sample.clone();
        let options = RunOptions { block: BLOCK, threads: run.threads, ..RunOptions::default() };
        let rows = Rows::of(&table, &reference);
        Ok(Coverage {
            table,
            partition: Partition::new(&options, reference.len(), 1)?,
            keeps: kept_bytes(table.origin.len(), pool.len(), reference.len()) > 0,
            kept: Vec::new(),
            reference: rows,
            covers: vec![Cover { similarity: 0.0, exponent: f64::INFINITY }; reference.len()],
            total: weights.iter().sum(),
            weights,
            rate: SHARP / h2,
            bounds: vec![0.0; pool.len()],
            exact: vec![true; pool.len()],
            open: vec![true; pool.len()],
            pool,
            groups,
        })
    }

    /// The same, keeping no distances: for rows that are taken before anything is measured.
    pub fn without_kept(self) -> Self {
        Coverage { keeps: false, ..self }
    }

    /// Measures what every candidate would gain as the first; true if the callback stopped it.
    pub fn measure(&mut self, run: &mut RunOptions<'_>) -> Result<bool, Error> {
        let pool = self.pool.len();
        for start in (0..pool).step_by(BATCH.1) {
            let positions: Vec<usize> = (start..(start + BATCH.1).min(pool)).collect();
            if self.keeps {
                let candidates = Rows::of(&self.table, &self.pool[start..start + positions.len()]);
                self.kept.extend(lines(&candidates, &self.reference, &self.partition));
            }
            let gains = self.gains(&positions);
            self.bounds[start..start + gains.len()].copy_from_slice(&gains);
            if run.tell(&Progress::count("prepare", start + gains.len(), pool)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The squared distances of some reference rows to the candidates at these positions, a row each.
    fn squared(&self, rows: Range<usize>, positions: &[usize], candidates: &Rows<'_, f64>, squared: &mut Vec<f64>) {
        if !self.keeps {
            return self.reference.squared(rows, candidates, squared);
        }
        let (count, all) = (positions.len(), self.reference.len());
        squared.resize(rows.len() * count, 0.0);
        for (at, &position) in positions.iter().enumerate() {
            let line = &self.kept[position * all..(position + 1) * all][rows.clone()];
            squared.iter_mut().skip(at).step_by(count).zip(line).for_each(|(squared, kept)| *squared = *kept);
        }
    }

    /// What the candidates at these positions of the pool would gain.
    fn gains(&self, positions: &[usize]) -> Vec<f64> {
        let items: Vec<usize> = positions.iter().map(|&position| self.pool[position]).collect();
        let candidates = if self.keeps { Rows::empty() } else { Rows::<f64>::of(&self.table, &items) };
        let visit = |(gains, squared, near): &mut (Vec<f64>, Vec<f64>, Near), range: Range<usize>| {
            self.squared(range.clone(), positions, &candidates, squared);
            if self.covers[range.clone()].iter().all(|cover| cover.exponent == f64::INFINITY) {
                // Nothing is covered yet: every similarity counts.
                exponentials(squared, -self.rate);
                for (line, weight) in squared.chunks_exact(items.len()).zip(&self.weights[range]) {
                    gains.iter_mut().zip(line).for_each(|(gain, similarity)| *gain += weight * similarity);
                }
                return;
            }
            for (line, r) in squared.chunks_exact(items.len()).zip(range) {
                let (cover, weight) = (self.covers[r], self.weights[r]);
                near.find(line, |_| cover.exponent, self.rate);
                for (at, similarity) in near.pairs() {
                    gains[at] += weight * (similarity - cover.similarity);
                }
            }
        };
        let start = || (vec![0.0; items.len()], Vec::new(), Near::default());
        self.partition.fold(start, visit, |a, b| move_sums(&mut a.0, &mut b.0)).0
    }

    /// The open candidate that gains most, as a position in the pool, and its gain; `None` if none gains anything.
    pub fn best(&mut self, constraints: &Constraints) -> Option<(usize, f64)> {
        let mut batch = BATCH.0;
        loop {
            let may_gain = |&p: &usize| self.open[p] && self.bounds[p] > 0.0 && constraints.group_open(self.groups[p]);
            let open: Vec<usize> = (0..self.pool.len()).filter(may_gain).collect();
            let exact = open.iter().filter(|&&p| self.exact[p]);
            let most = exact.clone().map(|&p| self.bounds[p]).fold(0.0, f64::max);
            let enough = most * (1.0 - TIE);
            let mut stale: Vec<usize> =
                open.iter().copied().filter(|&p| !self.exact[p] && self.bounds[p] >= enough).collect();
            if stale.is_empty() {
                return exact.copied().find(|&p| self.bounds[p] >= enough).map(|p| (p, self.bounds[p]));
            }
            if stale.len() > batch {
                stale.select_nth_unstable_by(batch, |&a, &b| top_k::better(&self.bounds, a, b));
                stale.truncate(batch);
            }
            for (gain, &p) in self.gains(&stale).into_iter().zip(&stale) {
                self.bounds[p] = if gain > NOTHING * self.total { gain } else { 0.0 };
                self.exact[p] = true;
            }
            batch = (2 * batch).min(BATCH.1);
        }
    }

    /// Takes a row of the pool.
    pub fn take_item(&mut self, item: usize) {
        if let Ok(position) = self.pool.binary_search(&item) {
            self.take(position);
        }
    }

    /// Takes the candidate at `position`; which row that is, and its gain as a share of the whole weight.
    pub fn take_share(&mut self, position: usize) -> (usize, f64) {
        let gain = self.take(position) / self.total;
        (self.pool[position], gain)
    }

    /// Takes the candidate at `position`; what it gained.
    fn take(&mut self, position: usize) -> f64 {
        let candidate = if self.keeps { Rows::empty() } else { Rows::of(&self.table, &self.pool[position..=position]) };
        let mut covers = std::mem::take(&mut self.covers);
        let Coverage { weights, rate, partition, .. } = &*self;
        let visit = |(gain, squared, near): &mut (f64, Vec<f64>, Near), range: Range<usize>, own: &mut [Cover]| {
            self.squared(range.clone(), &[position], &candidate, squared);
            let weights = &weights[range];
            near.find(squared, |at| own[at].exponent, *rate);
            for (at, similarity) in near.pairs() {
                *gain += weights[at] * (similarity - own[at].similarity);
                own[at] = Cover { similarity, exponent: *rate * squared[at] };
            }
        };
        let start = || (0.0, Vec::new(), Near::default());
        let add =
            |sum: &mut (f64, Vec<f64>, Near), part: &mut (f64, Vec<f64>, Near)| sum.0 += std::mem::take(&mut part.0);
        let gain = partition.fold_mut(&mut covers, 1, start, visit, add).0;
        self.covers = covers;
        self.open[position] = false;
        if gain > 0.0 {
            self.exact.fill(false);
        }
        gain
    }

    /// The whole pool with its groups, by what it might gain.
    fn rest(&self) -> impl Iterator<Item = (usize, usize)> {
        let order = top_k::top(&self.bounds, self.pool.len()).into_iter();
        order.map(|position| (self.pool[position], self.groups[position]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Metric, Samples};

    fn noise(count: usize, seed: u64) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    /// Greedy facility location with the whole matrix of similarities, every gain computed anew.
    fn naive(rows: &[&[f64]], weights: &[f64], h2: f64, k: usize) -> (Vec<usize>, Vec<f64>) {
        let squared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
        let similar = |a: usize, b: usize| (-SHARP * squared(rows[a], rows[b]) / h2).exp();
        let n = rows.len();
        let (mut best, mut picks, mut gains) = (vec![0.0f64; n], Vec::new(), Vec::new());
        let total: f64 = weights.iter().sum();
        for _ in 0..k {
            let gain = |i: usize| (0..n).map(|r| weights[r] * (similar(r, i) - best[r]).max(0.0)).sum::<f64>();
            let all: Vec<f64> = (0..n).map(|i| if picks.contains(&i) { -1.0 } else { gain(i) }).collect();
            let most = all.iter().copied().fold(0.0, f64::max);
            let i = all.iter().position(|&g| g >= most * (1.0 - TIE)).unwrap();
            gains.push(all[i] / total);
            picks.push(i);
            (0..n).for_each(|r| best[r] = best[r].max(similar(r, i)));
        }
        (picks, gains)
    }

    #[test]
    fn lazy_greedy_is_naive_greedy() {
        for (n, l, k, seed) in [(300, 2, 60, 1), (200, 9, 200, 2), (90, 1, 40, 3)] {
            let data = noise(n * l, seed);
            let rows: Vec<&[f64]> = data.chunks(l).collect();
            let weights: Vec<f64> = noise(n, seed + 9).iter().map(|x| x + 1.5).collect();
            let samples = Samples::new(&data, n, l).unwrap();
            let origin = vec![0.0; l];
            let table = Table { rows: &samples, origin: &origin, metric: Metric::Euclidean };
            let all: Vec<usize> = (0..n).collect();
            let sample = CandidateSample::of_all(&weights);
            let plan = Plan { k, seed: 0, stop: None, gate: false, weighting: None, swaps: false, refine: 0 };
            let mut run = RunOptions::default();
            let chosen = choose(table, &sample, &plan, &mut Constraints::none(), &mut run).unwrap();
            let h2 = median_squared(&table, &all, &all);
            let (picks, gains) = naive(&rows, &weights, h2, k);
            assert_eq!(chosen.picks, picks, "{n} x {l}");
            assert!(chosen.gains.iter().zip(&gains).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }
}
