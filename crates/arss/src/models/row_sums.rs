//! Row sums of |A| for the factored solution A[n][m] = w_n <x_n, f_m>: the one quadratic
//! step, done only for rows that can still reach the top K.

use faer::Mat;

use crate::exec::{AbsoluteSums, Matrix, RankRows, RowBackend, Step, TopRow};
use crate::{Error, Progress, RunOptions};

/// Rows scored at a time.
pub(crate) const BATCH: usize = 256;

/// Where the numbers of a row stand, and what makes A of them: A[n][m] = weight_n / divisor <x_n, values_m>.
pub(crate) struct Columns {
    pub norm: usize,
    pub weight: usize,
    pub width: usize,
    pub divisor: f64,
}

/// The scores that were computed exactly: no other row can reach the top K.
pub(crate) struct Scores {
    /// Items and scores, in any order.
    pub values: Vec<(usize, f64)>,
    pub stopped: bool,
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

/// Turns a row sum and a row norm into the score: identity, or the authors' sparse-row rule.
pub(crate) type Rule<'a> = &'a dyn Fn(f64, f64) -> f64;

/// Scores rows by decreasing norm until no other can reach the top `k`: |a^n|_1 <= sqrt(N) |a^n|_2.
pub(crate) fn row_sums(
    rows: &mut dyn RowBackend,
    columns: &Columns,
    k: usize,
    rule: Rule<'_>,
    run: &mut RunOptions<'_>,
) -> Result<Scores, Error> {
    let &Columns { norm: key, weight: other, width, divisor } = columns;
    let items = rows.items();
    let mut scores = Scores { values: Vec::new(), stopped: false };
    let mut best = Best::new(k);
    let mut after = None;
    while scores.values.len() < items {
        let next = RankRows { smallest: false, count: BATCH, after, key, other, width };
        let batch = rows.pass(&Step::RankRows(next))?.rows.list;
        let bound = (items as f64).sqrt() * batch[0].key * (1.0 + 1e-9);
        if !run.all_scores && best.threshold().is_some_and(|least| bound < least) {
            break;
        }
        after = batch.last().map(|record| (record.key, record.index));
        for (record, sum) in batch.iter().zip(sums_of(rows, &batch)?) {
            let weight = record.values[rows.features()];
            let score = rule(weight / divisor * sum, record.key);
            scores.values.push((record.index, score));
            best.offer(score);
        }
        let enough = scores.values.len() >= k;
        if run.tell(&Progress::count("score", scores.values.len(), items)) {
            scores.stopped = true;
            if enough {
                break;
            }
        }
    }
    Ok(scores)
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

/// Share of zeros by Hoyer's measure: 1 for a single non-zero value, 0 for equal ones.
pub(crate) fn hoyer(sum: f64, norm: f64, count: usize) -> f64 {
    let root = (count as f64).sqrt();
    if norm <= 0.0 || count == 1 { 0.0 } else { (root - sum / norm) / (root - 1.0) }
}
