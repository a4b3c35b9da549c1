//! Row sums of |A| for the factored solution A[n][m] = w_n <x_n, f_m>: N terms for each of N rows, and yet in linear time.
//!
//! Rows are summed exactly by decreasing upper bound, until no other can reach the top K. The first bounds are those by the
//! norms. Where these rule out too little, a sample of the terms makes better ones for all rows that are still open, and
//! larger samples for those that are open then. `docs/explanation/linear-time.md` has the bound and its proof.

mod bounds;
mod moments;
mod sample;
pub(crate) mod steps;

use faer::Mat;
use serde::{Deserialize, Serialize};

use crate::exec::{AbsoluteSums, Matrix, RankRows, RowBackend, Step, TopRow};
use crate::{Error, Note, Progress, Rank, RunOptions};
use bounds::SHAPES;
use sample::Terms;
use steps::BoundSums;

/// Rows scored at a time.
pub(crate) const BATCH: usize = 256;
/// Up to so many rows all that are open are summed exactly: the square of their number is still little.
const SMALL: usize = 1 << 16;
/// Terms of the samples, one after the other. A sample is used where the table has four times as many rows.
const LADDER: [usize; 4] = [1 << 10, 1 << 12, 1 << 14, 1 << 16];
/// The most values that a sample may hold: fifty megabytes while it is drawn.
const KEPT: usize = 1 << 22;
/// A sample of so many terms or more is for rows that may be better than the last pick by more than this share: nearer ones are ties,
/// unless so few are left that they can be summed.
const LARGE: usize = 1 << 14;
const SLACK: f64 = 0.01;
/// The most terms for each row of the table that one sample may cost.
const BUDGET: usize = 1 << 14;
/// So many open rows are summed exactly rather than sampled again; of all open rows at the end at most so many.
const FEW: usize = 1 << 10;
const MOST: usize = 1 << 13;
/// A ranking of more than [`SMALL`] rows takes no longer than so many exact sums and those of the picks. Terms of a sample are in single
/// precision: two for one.
pub(crate) const LINEAR: usize = MOST + (LADDER[0] + LADDER[1] + 2 * BUDGET) / 2;
/// The probability that any bound of a run is wrong.
const DOUBT: f64 = 1e-6;

/// Where the numbers of a row stand, and what makes A of them: A[n][m] = weight_n / divisor <x_n, values_m>.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Columns {
    pub norm: usize,
    pub weight: usize,
    /// Where the bounds are kept.
    pub bound: usize,
    pub width: usize,
    pub divisor: f64,
}

/// Turns a row sum and a row norm into the score: one of them, or the authors' sparse-row rule.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rule {
    pub items: usize,
    /// Rows sparser than this score 0.
    pub sparse: Option<f64>,
    pub rank: Rank,
}

impl Rule {
    /// It never falls when the sum grows, so that it makes bounds of scores from bounds of sums.
    pub fn score(&self, sum: f64, norm: f64) -> f64 {
        match (self.rank, self.sparse) {
            (Rank::Norm, _) => norm,
            (Rank::Sum, Some(limit)) if hoyer(sum, norm, self.items) > limit => 0.0,
            _ => sum,
        }
    }

    /// No sum is larger than this times its norm: |a|_1 <= sqrt(N) |a|_2.
    fn root(&self) -> f64 {
        (self.items as f64).sqrt() * (1.0 + 1e-9)
    }
}

/// The scores that were computed exactly: no other row can reach the top K, unless there is a note.
pub(crate) struct Scores {
    /// Items and scores, in any order.
    pub values: Vec<(usize, f64)>,
    pub stopped: bool,
    /// Rows that were left out although they may be as good as the last picks.
    pub note: Option<Note>,
}

impl Scores {
    /// The `k` best, best first; on ties the smaller index.
    pub fn top(&self, k: usize) -> (Vec<usize>, Vec<f64>) {
        let mut order = self.values.clone();
        order.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        order.truncate(k);
        order.into_iter().unzip()
    }

    /// The score of every item, if all were scored.
    pub fn all(&self, items: usize) -> Option<Vec<f64>> {
        (self.values.len() == items).then(|| {
            let mut all = vec![0.0; items];
            self.values.iter().for_each(|&(item, score)| all[item] = score);
            all
        })
    }
}

/// Scores rows by decreasing bound until no other can reach the top `k`.
pub(crate) fn row_sums(
    rows: &mut dyn RowBackend,
    columns: &Columns,
    k: usize,
    rule: Rule,
    run: &mut RunOptions<'_>,
) -> Result<Scores, Error> {
    if rule.rank == Rank::Norm {
        return by_norm(rows, columns, k, run);
    }
    let items = rows.items();
    let scores = Scores { values: Vec::new(), stopped: false, note: None };
    let mut ranking = Ranking { columns, rule, best: Best::new(k), scores, next: Next::ByNorm(None), slack: 0.0 };
    let small = run.all_scores || items <= SMALL;
    let mut open = Open { rows: items, apart: items, second: items, largest: 0.0 };
    let (mut terms, mut limit) = (None, k + BATCH);
    // Bounds cost nothing to be wrong about where few rows are left, so the doubt is shared by rows, samples and shapes.
    let doubt = (16.0 * items as f64 / DOUBT).ln();
    let samples = if run.all_scores {
        0
    } else {
        LADDER.partition_point(|&count| 4 * count <= items && count * rows.features() <= KEPT)
    };
    for (seed, &count) in LADDER[..samples].iter().enumerate() {
        if ranking.sum(rows, limit, run)? {
            return Ok(ranking.scores);
        }
        ranking.slack = if small || count < LARGE { 0.0 } else { SLACK };
        let wanted = if ranking.slack > 0.0 { open.apart } else { open.rows };
        if wanted.saturating_mul(count) > BUDGET.saturating_mul(items) {
            break;
        }
        if terms.is_none() {
            terms = Terms::weigh(rows)?;
        }
        let Some(terms) = &terms else { break };
        // The second shape is for rows that few terms make up: where a sample found none, the next one spares its cost.
        let shapes = if open.second > 0 { SHAPES } else { 1 };
        let sample = terms.draw(rows, (count, shapes), (seed as u64, doubt))?;
        open = ranking.bound(rows, Some(sample))?;
        let scored = ranking.scores.values.len();
        limit = scored + if open.rows <= FEW { open.rows } else { BATCH };
    }
    if small || open.rows <= MOST {
        ranking.slack = 0.0;
    }
    if !ranking.sum(rows, if small { items } else { k.saturating_add(MOST) }, run)? || ranking.slack > 0.0 {
        ranking.scores.note = ranking.ties(rows)?;
    }
    Ok(ranking.scores)
}

/// The `k` rows with the largest norms, or all of them.
fn by_norm(rows: &mut dyn RowBackend, columns: &Columns, k: usize, run: &RunOptions<'_>) -> Result<Scores, Error> {
    let mut values: Vec<(usize, f64)> = Vec::new();
    if run.all_scores
        && let Some(norms) = rows.column(columns.norm)?
    {
        values.extend(norms.into_iter().enumerate());
    }
    let &Columns { norm: key, weight, width, .. } = columns;
    let mut after = None;
    while values.len() < k {
        let count = (k - values.len()).min(MOST);
        let next = RankRows { smallest: false, count, after, key, others: [weight; 2], width };
        let found = rows.pass(&Step::RankRows(next))?.rows.list;
        let Some(last) = found.last() else { break };
        after = Some((last.key, last.index));
        values.extend(found.iter().map(|record| (record.index, record.key)));
    }
    Ok(Scores { values, stopped: false, note: None })
}

/// Which rows come next: by which number of the state, and after which row.
#[derive(Clone, Copy)]
enum Next {
    ByNorm(Option<(f64, usize)>),
    ByBound(Option<(f64, usize)>),
}

/// The rows summed so far, and what is known of the others.
struct Ranking<'a> {
    columns: &'a Columns,
    rule: Rule,
    best: Best,
    scores: Scores,
    next: Next,
    /// Rows that may be better than the last pick by less than this share are left open.
    slack: f64,
}

/// Rows that are not summed and may be as good as the last pick.
struct Open {
    rows: usize,
    /// Those that may be better by more than the slack.
    apart: usize,
    /// Those that the second shape of bounds is better for.
    second: usize,
    /// The largest bound.
    largest: f64,
}

impl Ranking<'_> {
    /// Sums rows by decreasing bound until about `limit` are summed; true if no other can reach the top k, or the run stops.
    fn sum(&mut self, rows: &mut dyn RowBackend, limit: usize, run: &mut RunOptions<'_>) -> Result<bool, Error> {
        let &Columns { norm, weight, bound, width, divisor } = self.columns;
        let items = rows.items();
        while self.scores.values.len() < items {
            let (key, factor, after) = match self.next {
                Next::ByNorm(after) => (norm, self.rule.root(), after),
                Next::ByBound(after) => (bound, 1.0, after),
            };
            let next = RankRows { smallest: false, count: BATCH, after, key, others: [weight, norm], width };
            let mut batch = rows.pass(&Step::RankRows(next))?.rows.list;
            batch.retain(|record| record.key >= 0.0);
            let Some(first) = batch.first() else { return Ok(true) };
            let least = self.best.threshold();
            if !run.all_scores && least.is_some_and(|least| factor * first.key < least * (1.0 + self.slack)) {
                return Ok(true);
            }
            if self.scores.values.len() >= limit {
                return Ok(false);
            }
            let after = batch.last().map(|record| (record.key, record.index));
            self.next = if key == norm { Next::ByNorm(after) } else { Next::ByBound(after) };
            for (record, sum) in batch.iter().zip(sums_of(rows, &batch)?) {
                let [.., weight, norm] = record.values[..] else { continue };
                let score = self.rule.score(weight / divisor * sum, norm);
                self.scores.values.push((record.index, score));
                self.best.offer(score);
            }
            let enough = self.best.threshold().is_some();
            if run.tell(&Progress::count("score", self.scores.values.len(), items)) {
                self.scores.stopped = true;
                if enough {
                    return Ok(true);
                }
            }
        }
        Ok(true)
    }

    /// Better bounds from a sample, or the same: which rows are open.
    fn bound(&mut self, rows: &mut dyn RowBackend, sample: Option<steps::Sample>) -> Result<Open, Error> {
        let mut known: Vec<usize> = self.scores.values.iter().map(|&(item, _)| item).collect();
        known.sort_unstable();
        let first = matches!(self.next, Next::ByNorm(_));
        let least = self.best.threshold().unwrap_or(0.0);
        let least = [least, least * (1.0 + self.slack), least * (1.0 + SLACK)];
        let step = BoundSums { columns: *self.columns, rule: self.rule, first, least, known, sample };
        let result = rows.pass(&Step::BoundSums(step))?;
        self.next = Next::ByBound(None);
        let [rows, apart, second] = result.sums().map(|count| count as usize);
        Ok(Open { rows, apart, second, largest: result.maxima[0] })
    }

    /// What is left in doubt.
    fn ties(&mut self, rows: &mut dyn RowBackend) -> Result<Option<Note>, Error> {
        let Open { rows: others, largest, .. } = self.bound(rows, None)?;
        let least = self.best.threshold().unwrap_or(0.0);
        let (_, scores) = self.scores.top(self.best.k);
        let picks = scores.iter().filter(|&&score| score <= largest).count();
        let within = if least > 0.0 { largest / least - 1.0 } else { 0.0 };
        Ok((others > 0).then_some(Note::Ties { picks, others, within }))
    }
}

/// sum_m |<x_n, f_m>| for the listed rows n.
fn sums_of(rows: &mut dyn RowBackend, batch: &[TopRow]) -> Result<Vec<f64>, Error> {
    let left = Mat::from_fn(batch.len(), rows.features(), |i, j| batch[i].values[j]);
    Ok(rows.pass(&Step::AbsoluteSums(AbsoluteSums { left: Matrix(left) }))?.sums)
}

/// The k largest scores seen: what a row has to beat.
struct Best {
    k: usize,
    smallest_first: std::collections::BinaryHeap<std::cmp::Reverse<Ordered>>,
}

#[derive(PartialEq)]
struct Ordered(f64);
impl Eq for Ordered {}
impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Best {
    fn new(k: usize) -> Self {
        Best { k, smallest_first: std::collections::BinaryHeap::new() }
    }

    fn offer(&mut self, score: f64) {
        self.smallest_first.push(std::cmp::Reverse(Ordered(score)));
        if self.smallest_first.len() > self.k {
            self.smallest_first.pop();
        }
    }

    /// The k-th best score, once k are known.
    fn threshold(&self) -> Option<f64> {
        (self.smallest_first.len() == self.k).then(|| self.smallest_first.peek().map_or(0.0, |best| best.0.0))
    }
}

#[cfg(test)]
mod tests;

/// Share of zeros by Hoyer's measure: 1 for a single non-zero value, 0 for equal ones.
pub(crate) fn hoyer(sum: f64, norm: f64, count: usize) -> f64 {
    let root = (count as f64).sqrt();
    if norm <= 0.0 || count == 1 { 0.0 } else { (root - sum / norm) / (root - 1.0) }
}
