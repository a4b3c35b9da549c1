//! The choice: greedy facility location with a bounded similarity, in linear memory.
//!
//! Maximises sum_r w_r max_{i picked} exp(-3 |x_r - x_i|^2 / h2) over reference rows r. The gain of
//! a candidate never grows, so an old gain bounds it from above: only candidates whose bound is
//! near the top are measured anew, a block of them at a time.

use std::ops::Range;

use super::demands::Demands;
use super::lists::Lists;
use crate::baselines::distance::{Near, Table};
use crate::baselines::report;
use crate::blocks::{Team, move_sums};
use crate::lanes::exponentials;
use crate::rows::{Rows, median_squared};
use crate::{Assignment, Error, Float, Progress, Run, Selection, Status, rank};

/// How much narrower than the score's the similarity is.
const SHARP: f64 = 3.0;
/// Reference rows a block.
const BLOCK: usize = 256;
/// Candidates measured at a time, at first and at most.
const BATCH: (usize, usize) = (8, 128);
/// Gains that differ by less than this share are equal: the smaller index is taken.
const TIE: f64 = 1e-9;
/// A gain below this share of the whole weight is rounding.
const NOTHING: f64 = 1e-13;

/// What to choose.
pub(crate) struct Plan<'a> {
    pub k: usize,
    pub seed: u64,
    /// Rows that may be chosen and are to be covered.
    pub passed: &'a [bool],
    /// Weight of each row; all 1 if not given.
    pub weights: Option<&'a [f64]>,
    /// Stop before the first pick that adds less than this share of the coverage so far.
    pub stop: Option<f64>,
}

impl Plan<'_> {
    pub fn weight(&self, item: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[item])
    }

    /// The fewest picks that will do: with a rule that stops, one.
    pub fn least(&self) -> usize {
        if self.stop.is_some() { 1 } else { self.k }
    }
}

/// What was chosen.
pub(crate) struct Chosen {
    pub picks: Vec<usize>,
    /// What each pick added to the coverage, 0 to 1.
    pub gains: Vec<f64>,
    pub status: Status,
}

/// Chooses at most `plan.k` items; fewer only if the pool runs out or the rule stops it.
pub(crate) fn choose<T: Float>(
    table: &Table<'_, T>,
    plan: &Plan<'_>,
    demands: &mut Demands<'_>,
    run: &mut Run<'_>,
) -> Result<Chosen, Error> {
    let lists = Lists::of(plan, demands);
    let weights = lists.reference.iter().map(|&item| plan.weight(item)).collect();
    pick(Facility::new(table, lists, weights)?, plan, demands, run)
}

/// Picks by the facility.
pub(crate) fn pick<T: Float>(
    mut facility: Facility<'_, '_, T>,
    plan: &Plan<'_>,
    demands: &mut Demands<'_>,
    run: &mut Run<'_>,
) -> Result<Chosen, Error> {
    let mut chosen = Chosen { picks: Vec::new(), gains: Vec::new(), status: Status::Converged };
    let stopped = facility.measure(run);
    let mut include = std::mem::take(&mut demands.include);
    let included = include.len();
    include.reverse();
    let mut covered = 0.0;
    while chosen.picks.len() < plan.k && !stopped {
        let next = match include.pop() {
            Some(item) => facility.pool.binary_search(&item).ok().map(|position| (position, 0.0)),
            None => facility.best(demands),
        };
        let Some((position, gain)) = next else { break };
        let small = |share: f64| gain < share * covered * facility.total;
        if chosen.picks.len() >= included.max(1) && plan.stop.is_some_and(small) {
            break;
        }
        let gain = facility.take(position) / facility.total;
        covered += gain;
        demands.take(facility.pool[position]);
        chosen.picks.push(facility.pool[position]);
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
        include.iter().rev().for_each(|&item| chosen.add(item, demands));
    }
    // Nothing more to gain, or stopped: the rest of the pool, by what it might have gained.
    chosen.fill(facility.rest(), plan.least(), demands);
    // Gains fall; rounding shall not make one rise.
    for at in included + 1..chosen.gains.len() {
        chosen.gains[at] = chosen.gains[at].min(chosen.gains[at - 1]);
    }
    Ok(chosen)
}

impl Chosen {
    /// Takes those items that are open, in order, until there are `k`.
    pub fn fill(&mut self, items: impl IntoIterator<Item = usize>, k: usize, demands: &mut Demands<'_>) {
        for item in items {
            if self.picks.len() >= k {
                return;
            }
            if demands.open(item) {
                self.add(item, demands);
            }
        }
    }

    /// The rows that must be in and nothing else yet: the run was stopped before the choice.
    pub fn stopped(demands: &mut Demands<'_>) -> Self {
        let mut chosen = Chosen { picks: Vec::new(), gains: Vec::new(), status: Status::Stopped };
        std::mem::take(&mut demands.include).into_iter().for_each(|item| chosen.add(item, demands));
        chosen
    }

    /// The result: other items score 0. `near` is the nearest pick of each item, and `weights` what each
    /// counts in the shares.
    pub fn selection(self, method: &'static str, near: &[Near], weights: &[f64], run: &Run<'_>) -> Selection {
        let items = near.len();
        let report = report(self.status, self.picks.len(), self.gains.iter().sum(), items);
        let assignment = Some(Assignment::new(near, &self.gains, weights));
        let Chosen { picks: indices, gains: scores, .. } = self;
        let (residuals, row_norms, solution) = (Vec::new(), None, None);
        let mut selection =
            Selection { method, indices, scores, all_scores: None, assignment, row_norms, residuals, solution, report };
        selection.all_scores = run.all_scores.then(|| selection.spread(items));
        selection
    }

    fn add(&mut self, item: usize, demands: &mut Demands<'_>) {
        demands.take(item);
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

/// The rows to cover, the rows to choose from, and what is known of their gains.
pub(crate) struct Facility<'t, 'a, T> {
    table: &'t Table<'a, T>,
    /// Walks over the reference rows.
    team: Team,
    reference: Rows<f64>,
    weights: Vec<f64>,
    covers: Vec<Cover>,
    /// Sum of the weights.
    total: f64,
    /// Minus the logarithm of the similarity is this times the squared distance.
    rate: f64,
    /// Rows to choose from, in order.
    pool: Vec<usize>,
    /// The most each can gain,
    bounds: Vec<f64>,
    /// and whether it does gain that.
    exact: Vec<bool>,
}

impl<'t, 'a, T: Float> Facility<'t, 'a, T> {
    /// With the weights of the reference rows.
    pub fn new(table: &'t Table<'a, T>, lists: Lists, weights: Vec<f64>) -> Result<Self, Error> {
        let Lists { pool, reference, wide, narrow } = lists;
        let h2 = median_squared(table, &wide, &narrow);
        let team = Team::new(&Run { block: BLOCK, ..Run::default() }, reference.len(), 1)?;
        Ok(Facility {
            table,
            team,
            reference: Rows::of(table, &reference),
            covers: vec![Cover { similarity: 0.0, exponent: f64::INFINITY }; reference.len()],
            total: weights.iter().sum(),
            weights,
            rate: SHARP / h2,
            bounds: vec![0.0; pool.len()],
            exact: vec![true; pool.len()],
            pool,
        })
    }

    /// Measures what every candidate would gain as the first; true if the callback stopped it.
    fn measure(&mut self, run: &mut Run<'_>) -> bool {
        let pool = self.pool.len();
        for start in (0..pool).step_by(BATCH.1) {
            let positions: Vec<usize> = (start..(start + BATCH.1).min(pool)).collect();
            let gains = self.gains(&positions);
            self.bounds[start..start + gains.len()].copy_from_slice(&gains);
            if run.tell(&Progress::count("prepare", start + gains.len(), pool)) {
                return true;
            }
        }
        false
    }

    /// What the candidates at these positions of the pool would gain.
    fn gains(&self, positions: &[usize]) -> Vec<f64> {
        let items: Vec<usize> = positions.iter().map(|&position| self.pool[position]).collect();
        let candidates = Rows::<f64>::of(self.table, &items);
        let visit = |(gains, squared): &mut (Vec<f64>, Vec<f64>), range: Range<usize>| {
            self.reference.squared(range.clone(), &candidates, squared);
            if self.covers[range.clone()].iter().all(|cover| cover.exponent == f64::INFINITY) {
                // Nothing is covered yet: every similarity counts, and many at once are cheaper.
                exponentials(squared, -self.rate);
                for (line, weight) in squared.chunks_exact(items.len()).zip(&self.weights[range]) {
                    gains.iter_mut().zip(line).for_each(|(gain, similarity)| *gain += weight * similarity);
                }
                return;
            }
            for (line, r) in squared.chunks_exact(items.len()).zip(range) {
                let (cover, weight) = (self.covers[r], self.weights[r]);
                for (gain, squared) in gains.iter_mut().zip(line) {
                    let exponent = self.rate * squared;
                    if exponent < cover.exponent {
                        *gain += weight * ((-exponent).exp() - cover.similarity);
                    }
                }
            }
        };
        let start = || (vec![0.0; items.len()], Vec::new());
        self.table.team.install(|| self.team.fold(start, visit, |a, b| move_sums(&mut a.0, &mut b.0))).0
    }

    /// The open candidate that gains most, as a position in the pool, and its gain; `None` if none gains anything.
    fn best(&mut self, demands: &Demands<'_>) -> Option<(usize, f64)> {
        let mut batch = BATCH.0;
        loop {
            let open = (0..self.pool.len()).filter(|&p| self.bounds[p] > 0.0 && demands.open(self.pool[p]));
            let open: Vec<usize> = open.collect();
            let exact = open.iter().filter(|&&p| self.exact[p]);
            let most = exact.clone().map(|&p| self.bounds[p]).fold(0.0, f64::max);
            let enough = most * (1.0 - TIE);
            let mut stale: Vec<usize> =
                open.iter().copied().filter(|&p| !self.exact[p] && self.bounds[p] >= enough).collect();
            if stale.is_empty() {
                return exact.copied().find(|&p| self.bounds[p] >= enough).map(|p| (p, self.bounds[p]));
            }
            if stale.len() > batch {
                stale.select_nth_unstable_by(batch, |&a, &b| rank::better(&self.bounds, a, b));
                stale.truncate(batch);
            }
            for (gain, &p) in self.gains(&stale).into_iter().zip(&stale) {
                self.bounds[p] = if gain > NOTHING * self.total { gain } else { 0.0 };
                self.exact[p] = true;
            }
            batch = (2 * batch).min(BATCH.1);
        }
    }

    /// Takes the candidate at `position`; what it gained.
    fn take(&mut self, position: usize) -> f64 {
        let candidate = Rows::<f64>::of(self.table, &self.pool[position..=position]);
        let Facility { reference, weights, rate, team, covers, .. } = self;
        let visit = |(gain, squared): &mut (f64, Vec<f64>), range: Range<usize>, own: &mut [Cover]| {
            reference.squared(range.clone(), &candidate, squared);
            for ((squared, cover), weight) in squared.iter().zip(own).zip(&weights[range]) {
                let exponent = *rate * squared;
                if exponent < cover.exponent {
                    let similarity = (-exponent).exp();
                    *gain += weight * (similarity - cover.similarity);
                    *cover = Cover { similarity, exponent };
                }
            }
        };
        let start = || (0.0, Vec::new());
        let add = |sum: &mut (f64, Vec<f64>), part: &mut (f64, Vec<f64>)| sum.0 += std::mem::take(&mut part.0);
        let gain = self.table.team.install(|| team.fold_mut(covers, 1, start, visit, add)).0;
        if gain > 0.0 {
            self.exact.fill(false);
        }
        gain
    }

    /// The whole pool, by what it might gain.
    fn rest(&self) -> impl Iterator<Item = usize> + use<'_, 't, 'a, T> {
        rank::top(&self.bounds, self.pool.len()).into_iter().map(|position| self.pool[position])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;

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
            let table = Table::new(&Samples::new(&data, n, l).unwrap(), &Run::default()).unwrap();
            let passed = vec![true; n];
            let plan = Plan { k, seed: 0, passed: &passed, weights: Some(&weights), stop: None };
            let chosen = choose(&table, &plan, &mut Demands::none(n), &mut Run::default()).unwrap();
            let all: Vec<usize> = (0..n).collect();
            let h2 = median_squared(&table, &all, &all);
            let (picks, gains) = naive(&rows, &weights, h2, k);
            assert_eq!(chosen.picks, picks, "{n} x {l}");
            assert!(chosen.gains.iter().zip(&gains).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }
}
