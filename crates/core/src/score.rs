//! Row sums of |A| for the factored solution A[n][m] = w_n <x_n, f_m>: the one quadratic
//! step, done only for rows that can still reach the top K.

use faer::MatRef;

use crate::blocks::{Team, move_sums};
use crate::data::Samples;
use crate::linalg::product;
use crate::{Float, Progress, Run, rank};

/// Rows scored at a time.
const BATCH: usize = 256;

/// A in factored form: A[n][m] = weights[n] <x_n, factor_m>.
pub(crate) struct Factored<'a, T> {
    pub samples: &'a Samples<'a, T>,
    pub weights: &'a [f64],
    /// N x L, row-major.
    pub factor: &'a [T],
}

/// The scores that were computed exactly; minus infinity for rows that cannot reach the top K.
pub(crate) struct Scores {
    pub values: Vec<f64>,
    pub rows_scored: usize,
    pub stopped: bool,
}

/// Turns a row sum and a row norm into the score: identity, or the authors' sparse-row rule.
pub(crate) type Rule<'a> = &'a dyn Fn(f64, f64) -> f64;

/// Scores rows by decreasing norm until no other can reach the top `k`: |a^n|_1 <= sqrt(N) |a^n|_2.
pub(crate) fn row_sums<T: Float>(
    a: &Factored<'_, T>,
    norms: &[f64],
    k: usize,
    rule: Rule<'_>,
    (team, run): (&Team, &mut Run<'_>),
) -> Scores {
    let items = norms.len();
    let order = rank::top(norms, items);
    let mut scores = Scores { values: vec![f64::NEG_INFINITY; items], rows_scored: 0, stopped: false };
    let mut best = Best::new(k);
    for batch in order.chunks(BATCH) {
        let bound = (items as f64).sqrt() * norms[batch[0]] * (1.0 + 1e-9);
        if !run.all_scores && best.threshold().is_some_and(|least| bound < least) {
            break;
        }
        for (&row, sum) in batch.iter().zip(sums_of(a, batch, team)) {
            let score = rule(a.weights[row] * sum, norms[row]);
            scores.values[row] = score;
            best.offer(score);
        }
        scores.rows_scored += batch.len();
        let enough = scores.rows_scored >= k;
        if run.tell(&Progress::count("score", scores.rows_scored, items)) {
            scores.stopped = true;
            if enough {
                break;
            }
        }
    }
    scores
}

/// sum_m |<x_n, f_m>| for the listed rows n.
fn sums_of<T: Float>(a: &Factored<'_, T>, rows: &[usize], team: &Team) -> Vec<f64> {
    let left = a.samples.gather(rows);
    let features = a.samples.features();
    let add = |sums: &mut (Vec<f64>, Vec<T>), range: std::ops::Range<usize>| {
        let (sums, scratch) = sums;
        let block = &a.factor[range.start * features..range.end * features];
        let right = MatRef::from_row_major_slice(block, range.len(), features);
        scratch.resize(rows.len() * range.len(), T::from_f64(0.0));
        let products = faer::MatMut::from_row_major_slice_mut(scratch, rows.len(), range.len());
        product(products, left.mat(), right.transpose(), 1.0);
        for (sum, row) in sums.iter_mut().zip(scratch.chunks_exact(range.len())) {
            *sum += row.iter().map(|value| value.to_f64().abs()).sum::<f64>();
        }
    };
    team.fold(|| (vec![0.0; rows.len()], Vec::new()), add, |a, b| move_sums(&mut a.0, &mut b.0)).0
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

/// Share of zeros by Hoyer's measure: 1 for a single non-zero value, 0 for equal ones.
pub(crate) fn hoyer(sum: f64, norm: f64, count: usize) -> f64 {
    let root = (count as f64).sqrt();
    if norm <= 0.0 || count == 1 { 0.0 } else { (root - sum / norm) / (root - 1.0) }
}
