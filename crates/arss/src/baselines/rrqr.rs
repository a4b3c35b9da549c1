//! Column-pivoted QR of the matrix whose columns are the items.

use std::ops::Range;

use super::Outcome;
use crate::linalg::distances::dot;
use crate::linalg::nearest::NearestTable;
use crate::linalg::top_k;
use crate::selection::{Clock, report};
use crate::{Error, Float, Method, Note, Progress, RunOptions, Samples, Selection, Selector, Status};

/// Where a squared norm has lost this share to subtractions, it is computed anew (as LAPACK does).
const CANCELLED: f64 = 1.5e-8;
/// The score of a new layer's first pick, as a share of the last score before it.
const LAYER_STEP: f64 = 0.99;

/// Pivoted QR: always pick the item farthest from the span of the picks so far.
///
/// This is the column pivoting of rank-revealing QR, written as Gram-Schmidt over the items:
/// time O(K N L), memory O(N + K L). The score of a pick is its distance from the span of the
/// picks before it (the diagonal of R), that of another item its distance from the span of all
/// picks. The residual is the same distance, the objective the sum of its squares.
///
/// When the picks span all the data before there are K (their number is the rank), the choice
/// starts over on the items left, as if the picks were not there: a second layer, and so on.
/// Then the report holds [`Note::Saturated`], residuals and objective are those of the first layer,
/// and the norms of each further layer are multiplied by one factor, at most 1, such
/// that its first pick scores at most 0.99 of the last pick before it: the scores stay sorted.
/// Zero rows come last, with score 0.
///
/// ```
/// use arss::{Rrqr, Samples, Selector};
///
/// let table = [3.0, 0.0, 2.9, 0.1, 0.0, 1.0];
/// let selection = Rrqr::default().select(&Samples::new(&table, 3, 2)?, 2)?;
/// assert_eq!(selection.indices, [0, 2]);
/// assert_eq!(selection.scores, [3.0, 1.0]);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rrqr {}

impl Selector for Rrqr {
    fn method(&self) -> Method {
        Method::Rrqr(*self)
    }
}

impl Rrqr {
    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let mut clock = Clock::start();
        let table = NearestTable::new(samples, run)?;
        let mut state = Pivots::new(&table);
        clock.prepared();
        let status = state.pick(k, run);
        clock.solved();

        let scale = table.samples.scale();
        let remaining = state.first_layer.as_ref().map_or_else(|| state.remaining(), |(_, norms)| norms.clone());
        let objective = table.unscale_squared(remaining.iter().map(|norm| norm * norm).sum());
        let mut report = report(status, state.picks.len(), objective, samples.items());
        report.notes.extend(state.first_layer.as_ref().map(|&(rank, _)| Note::Saturated { k, rank }));
        state.fill_up(k);
        let scores = state.all_scores().into_iter().map(|score| score / scale).collect();
        let residuals = remaining.into_iter().map(|norm| norm / scale).collect();
        Ok(Outcome { method: "rrqr", picks: state.picks, scores, residuals, report }.finish(run.all_scores, clock))
    }
}

/// Squared norms of what an item has outside the span of the picks.
#[derive(Clone, Copy, Default)]
struct Norm {
    /// Now.
    current: f64,
    /// When it was last computed in full.
    reference: f64,
    /// Of the item itself.
    whole: f64,
}

struct Pivots<'t, 'a, T> {
    table: &'t NearestTable<'a, T>,
    norms: Vec<Norm>,
    picked: Vec<bool>,
    picks: Vec<usize>,
    scores: Vec<f64>,
    /// Orthonormal, row-major: the span of this layer's picks.
    basis: Vec<f64>,
    /// What this layer's norms are multiplied by to give scores.
    factor: f64,
    /// Rank and remaining norms when the first layer was full.
    first_layer: Option<(usize, Vec<f64>)>,
    /// A remaining norm is zero when its square is at most this share of the item's own.
    zero: f64,
}

impl<'t, 'a, T: Float> Pivots<'t, 'a, T> {
    fn new(table: &'t NearestTable<'a, T>) -> Self {
        let items = table.samples.items();
        let epsilon = faer::traits::math_utils::eps::<T>().to_f64();
        let rank = items.min(table.samples.features());
        let mut norms = vec![Norm::default(); items];
        let visit = |_: &mut (), range: Range<usize>, own: &mut [Norm]| {
            let block = table.samples.block(range);
            for (row, norm) in own.iter_mut().enumerate() {
                let whole = dot(block.row(row), block.row(row));
                *norm = Norm { current: whole, reference: whole, whole };
            }
        };
        table.partition.fold_mut(&mut norms, 1, || (), visit, |(), ()| ());
        Pivots {
            table,
            norms,
            picked: vec![false; items],
            picks: Vec::new(),
            scores: Vec::new(),
            basis: Vec::new(),
            factor: 1.0,
            first_layer: None,
            zero: (16.0 * epsilon).powi(2) * rank as f64,
        }
    }

    /// Picks up to `k` items; fewer if stopped, or if only zero rows are left.
    fn pick(&mut self, k: usize, run: &mut RunOptions<'_>) -> Status {
        while self.picks.len() < k {
            let Some(item) = self.farthest() else {
                if self.basis.is_empty() {
                    break; // only zero rows are left
                }
                self.start_layer();
                continue;
            };
            self.take(item);
            self.subtract();
            let objective = self.norms.iter().map(|norm| norm.current).sum();
            let objective = self.table.unscale_squared(objective);
            let progress = Progress { objective, ..Progress::count("solve", self.picks.len(), k) };
            if run.tell(&progress) {
                return Status::Stopped;
            }
        }
        if self.picks.len() < k && self.first_layer.is_none() {
            self.close_first_layer();
        }
        Status::Converged
    }

    /// The unpicked item with the largest remaining norm; `None` if all are zero.
    fn farthest(&self) -> Option<usize> {
        let left = (0..self.norms.len()).filter(|&item| !self.picked[item] && self.norms[item].current > 0.0);
        left.reduce(|best, item| if self.norms[item].current > self.norms[best].current { item } else { best })
    }

    /// Adds an item to the picks and its new direction to the basis.
    fn take(&mut self, item: usize) {
        let mut direction = self.table.samples.item(item);
        project_out(&mut direction, &self.basis);
        project_out(&mut direction, &self.basis); // twice is enough
        let norm = dot(&direction, &direction).sqrt();
        let last = self.scores.last().copied().unwrap_or(f64::INFINITY);
        if self.basis.is_empty() && norm > LAYER_STEP * last {
            self.factor = LAYER_STEP * last / norm;
        }
        self.scores.push((self.factor * norm).min(last));
        self.picks.push(item);
        self.picked[item] = true;
        self.norms[item].current = 0.0;
        self.basis.extend(direction.iter().map(|x| x / norm));
    }

    /// Takes the newest direction off all remaining norms: one pass, y = X q.
    fn subtract(&mut self) {
        let features = self.table.samples.features();
        let basis = &self.basis;
        let newest = &basis[basis.len() - features..];
        let (samples, zero) = (&self.table.samples, self.zero);
        let visit = |row: &mut Vec<f64>, range: Range<usize>, own: &mut [Norm]| {
            let block = samples.block(range);
            for (position, norm) in own.iter_mut().enumerate().filter(|(_, norm)| norm.current > 0.0) {
                let y = dot(block.row(position), newest);
                norm.current -= y * y;
                if norm.current <= CANCELLED * norm.reference {
                    row.clear();
                    row.extend(block.row(position).iter().map(|x| x.to_f64()));
                    project_out(row, basis);
                    norm.current = dot(row, row);
                    norm.reference = norm.current;
                }
                if norm.current <= zero * norm.whole {
                    norm.current = 0.0;
                }
            }
        };
        self.table.partition.fold_mut(&mut self.norms, 1, Vec::new, visit, |_, _| ());
    }

    /// The span is full: forget it, and go on with the items left.
    fn start_layer(&mut self) {
        if self.first_layer.is_none() {
            self.close_first_layer();
        }
        self.basis.clear();
        self.factor = 1.0;
        for (norm, _) in self.norms.iter_mut().zip(&self.picked).filter(|(_, picked)| !**picked) {
            *norm = Norm { current: norm.whole, reference: norm.whole, whole: norm.whole };
        }
    }

    fn close_first_layer(&mut self) {
        self.first_layer = Some((self.picks.len(), self.remaining()));
    }

    fn remaining(&self) -> Vec<f64> {
        self.norms.iter().map(|norm| norm.current.sqrt()).collect()
    }

    /// After a stop, or when only zero rows are left: the largest remaining norms fill up.
    fn fill_up(&mut self, k: usize) {
        let remaining = self.remaining();
        let missing = k - self.picks.len();
        let order = top_k::top(&remaining, if missing > 0 { remaining.len() } else { 0 });
        let last = self.scores.last().copied().unwrap_or(f64::INFINITY);
        for item in order.into_iter().filter(|&item| !self.picked[item]).take(missing) {
            self.picks.push(item);
            self.scores.push((self.factor * remaining[item]).min(last));
        }
        for &item in &self.picks {
            self.picked[item] = true;
            self.norms[item].current = 0.0;
        }
    }

    /// Picks: their score. Others: the remaining norm, not above the last pick's score.
    fn all_scores(&self) -> Vec<f64> {
        let last = self.scores.last().copied().unwrap_or(0.0);
        let cap = |score: f64| if score > last { last.next_down().max(0.0) } else { score };
        let mut scores: Vec<f64> = self.remaining().into_iter().map(|norm| cap(self.factor * norm)).collect();
        for (&pick, &score) in self.picks.iter().zip(&self.scores) {
            scores[pick] = score;
        }
        scores
    }
}

/// Takes off `row` its parts along the rows of `basis`, one after the other.
fn project_out(row: &mut [f64], basis: &[f64]) {
    for direction in basis.chunks_exact(row.len()) {
        let y = dot(row, direction);
        row.iter_mut().zip(direction).for_each(|(x, q)| *x -= y * q);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basis_stays_orthonormal() {
        // Rows that differ by 1e-7 of their length: one pass of Gram-Schmidt would not do.
        let data: Vec<f64> =
            (0..160).map(|i| 1.0 + 1e-7 * ((f64::from(i) * 12.9898).sin() * 43758.5453 % 1.0)).collect();
        let table = NearestTable::new(&Samples::new(&data, 20, 8).unwrap(), &RunOptions::default()).unwrap();
        let mut state = Pivots::new(&table);
        assert_eq!(state.pick(8, &mut RunOptions::default()), Status::Converged);
        for (i, a) in state.basis.chunks(8).enumerate() {
            for (j, b) in state.basis.chunks(8).enumerate() {
                assert!((dot(a, b) - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
        assert!(state.first_layer.is_none());
    }

    #[test]
    fn layers_keep_the_scores_sorted() {
        let data = [1.0, 5.0, 3.0, 4.0, 0.0]; // rank 1: every pick opens a layer
        let table = NearestTable::new(&Samples::new(&data, 5, 1).unwrap(), &RunOptions::default()).unwrap();
        let mut state = Pivots::new(&table);
        state.pick(5, &mut RunOptions::default());
        state.fill_up(5);
        assert_eq!(state.picks, [1, 3, 2, 0, 4]);
        assert_eq!(state.scores, [5.0, 4.0, 3.0, 1.0, 0.0]);
        assert_eq!(state.first_layer.as_ref().map(|layer| layer.0), Some(1));
    }
}
