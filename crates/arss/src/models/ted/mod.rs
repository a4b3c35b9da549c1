//! TED (Yu 2006): greedy transductive experimental design, in time linear in the number of samples.
//!
//! Greedy: pick i maximising |K_i|^2 / (K_ii + alpha), then K <- K - K_i K_i' / (K_ii + alpha),
//! K = X'X. K stays X' C X with C of L x L, so d_n = K_nn and s_n = |K_n|^2 are all that is
//! kept of it, and a pick costs two products of the data with a vector.

mod literal;
pub(crate) mod steps;

use std::time::Instant;

pub use literal::TedReference;

use faer::Mat;

use crate::exec::{InMemory, Matrix, RowAttributes, RowBackend, Step, TopRow};
use crate::linalg;
use crate::linalg::tsqr::rotated;
use crate::options::check_weights;
use crate::parallel::Partition;
use crate::{
    Error, Float, Kernel, Method, Note, Progress, Report, RunOptions, Samples, Seconds, Selection, Selector, Status,
};
use steps::{Best, D, Gram, Remainder, SPENT, Start, Take, gain};

/// TED: min sum_n u_n (|x_n - Q a_n|^2 + alpha |a_n|^2), Q = the picks, chosen greedily.
///
/// A picked item is never picked again (the authors' code may repeat itself). The score of a
/// pick is its gain; of another item, the gain it would still bring. The residual of an item is
/// the root of its term in the sum. Where N <= L the items are first rotated into N dimensions.
///
/// An item of which less than 1e-12 of its squared length is left brings no gain: what is left is rounding. That happens
/// where the ridge is tiny beside the values and K exceeds the rank. When no item gains, the rest of the picks are the
/// items not picked in the order of the table, with score 0, and the report holds [`Note::NothingToGain`].
///
/// ```
/// use arss::{Samples, Selector, Ted};
///
/// let table = [2.0, 0.0, 2.0, 0.1, 0.0, 1.0];
/// let samples = Samples::new(&table, 3, 2)?;
/// assert_eq!(Ted::default().select(&samples, 2)?.indices, [1, 2]);
/// let heavy = Ted { weights: Some(vec![0.01, 0.01, 9.0]), ..Ted::default() };
/// assert_eq!(heavy.select(&samples, 1)?.indices, [2]);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ted {
    /// Ridge, larger than 0. Default 0.1.
    pub alpha: f64,
    /// How much it matters that each sample is represented; at least 0. Default `None`: all the same.
    pub weights: Option<Vec<f64>>,
    /// Choose among the rows as a kernel sees them; residuals are then those of the mapped rows. Default `None`:
    /// the rows as they are.
    pub kernel: Option<Kernel>,
}

impl Default for Ted {
    fn default() -> Self {
        Ted { alpha: 0.1, weights: None, kernel: None }
    }
}

impl Selector for Ted {
    fn method(&self) -> Method {
        Method::Ted(self.clone())
    }
}

impl Ted {
    /// `Ok` if every setting lies in its range.
    ///
    /// # Errors
    /// Names the setting that does not.
    pub fn validate(&self) -> Result<(), Error> {
        Error::check("alpha", self.alpha, self.alpha > 0.0, "larger than 0")?;
        self.kernel.map_or(Ok(()), |kernel| kernel.validate())
    }

    /// Rotates into N dimensions first where N <= L.
    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let n = samples.items();
        if let Some(weights) = &self.weights {
            check_weights(weights, n)?;
        }
        if n > samples.features() {
            return self.run_tall(samples, k, samples.scale(), run);
        }
        let small = rotated(samples, run)?;
        self.run_tall(&Samples::new(&small, n, n)?, k, samples.scale(), run)
    }

    /// Chooses from a table that was multiplied by `scale`.
    fn run_tall<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        scale: f64,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let partition = Partition::new(run, samples.items(), samples.features())?;
        let attributes = RowAttributes { weights: self.weights.as_deref(), ..RowAttributes::default() };
        self.run_backend(&mut InMemory::new(samples, &partition, attributes), scale, k, run)
    }

    /// Chooses from rows that were multiplied by `scale`, wherever they are.
    pub(crate) fn run_backend(
        &self,
        rows: &mut dyn RowBackend,
        scale: f64,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let clock = Instant::now();
        let items = rows.items();
        let alpha = (self.alpha * scale * scale).clamp(f64::MIN_POSITIVE, 1e300);
        let (mut greedy, mut best) = Greedy::new(rows, alpha)?;
        let rank = linalg::numerical_rank(greedy.g.as_ref());
        let prepare = clock.elapsed().as_secs_f64();

        let (mut indices, mut scores, mut status) = (Vec::with_capacity(k), Vec::with_capacity(k), Status::Converged);
        let mut notes = if k > rank { vec![Note::Saturated { k, rank }] } else { Vec::new() };
        while indices.len() < k {
            let Some(candidate) = best.filter(|candidate| candidate.key > 0.0) else {
                notes.push(Note::NothingToGain { gained: indices.len(), k });
                break;
            };
            indices.push(candidate.index);
            let (next, fresh) = greedy.take(&candidate)?;
            // Far below the first gain s is mostly rounding; the gain that the pick itself tells is not.
            scores.push(if candidate.key > 2.0 * fresh { fresh } else { candidate.key });
            best = next;
            if run.tell(&Progress::count("solve", indices.len(), k)) {
                status = Status::Stopped;
                break;
            }
        }
        let rest = greedy.rest(k - indices.len())?;
        indices.extend(rest.iter().map(|record| record.index));
        scores.extend(rest.iter().map(|record| record.key));

        let square = scale * scale;
        let objective = greedy.rows.pass(&Step::TedRemainder(Remainder))?.sums[0];
        // The square of a value near the limit of f64 is beyond it.
        let unscaled = |score: f64| (score / square).min(f64::MAX);
        scores.iter_mut().for_each(|score| *score = unscaled(*score));
        let (left, sums) = (greedy.rows.column(D)?, greedy.rows.column(D + 1)?);
        let all_scores = left.as_ref().zip(sums).filter(|_| run.all_scores).map(|(left, sums)| {
            let mut all: Vec<f64> = left.iter().zip(sums).map(|(&d, s)| unscaled(gain(&[d, s], alpha))).collect();
            indices.iter().zip(&scores).for_each(|(&i, &score)| all[i] = score);
            all
        });
        let residual = |d: f64| d.max(0.0).sqrt() / scale;
        Ok(Selection {
            method: "ted",
            residuals: left.unwrap_or_default().into_iter().map(residual).collect(),
            all_scores,
            assignment: None,
            row_norms: None,
            solution: None,
            model: None,
            report: Report {
                status,
                iterations: indices.len(),
                objective: objective / square,
                constraint_residual: None,
                gap: None,
                gamma: None,
                history: Vec::new(),
                seconds: Seconds { prepare, solve: clock.elapsed().as_secs_f64() - prepare, score: 0.0 },
                rows_scored: items,
                notes,
            },
            indices,
            scores,
        })
    }
}

/// The greedy choice, K = X' C X kept as C.
struct Greedy<'a> {
    rows: &'a mut dyn RowBackend,
    alpha: f64,
    /// G = sum_n u_n x_n x_n'.
    g: Mat<f64>,
    c: Mat<f64>,
    /// Rows with a larger d are not spent.
    floor: f64,
}

impl<'a> Greedy<'a> {
    /// Nothing picked: C = I; and the best row.
    fn new(rows: &'a mut dyn RowBackend, alpha: f64) -> Result<(Self, Option<TopRow>), Error> {
        let g = rows.pass(&Step::TedGram(Gram))?.gram();
        let root = Matrix(linalg::lower_root(g.as_ref()));
        let mut started = rows.pass(&Step::TedStart(Start { alpha, root }))?;
        let floor = SPENT * started.maxima[0];
        let c = Mat::identity(g.nrows(), g.nrows());
        Ok((Greedy { rows, alpha, g, c, floor }, started.rows.list.pop()))
    }

    /// Picks a row, C -= v v' / delta; the next best row, if one is left, and what this one gained, computed anew.
    fn take(&mut self, pick: &TopRow) -> Result<(Option<TopRow>, f64), Error> {
        let (features, alpha, floor) = (self.c.nrows(), self.alpha, self.floor);
        let x = faer::MatRef::from_row_major_slice(&pick.values, features, 1);
        let v = &self.c * x;
        let gv = &self.g * &v;
        let h = &self.c * &gv;
        let vgv = (v.transpose() * &gv)[(0, 0)];
        let delta = (x.transpose() * &v)[(0, 0)].max(0.0) + alpha;
        let both = Mat::from_fn(features, 2, |l, j| if j == 0 { v[(l, 0)] } else { h[(l, 0)] });
        let take = Take { picked: pick.index, alpha, delta, vgv, floor, both: Matrix(both) };
        let best = self.rows.pass(&Step::TedTake(take))?.rows.list.pop();
        self.c -= &v * v.transpose() * faer::Scale(1.0 / delta);
        Ok((best, vgv.max(0.0) / delta))
    }

    /// The best of the rows not picked, by what each would gain now, those that gain the same in the order of the table:
    /// used when the caller stops early, and when there is nothing left to gain.
    fn rest(&mut self, count: usize) -> Result<Vec<TopRow>, Error> {
        if count == 0 {
            return Ok(Vec::new());
        }
        Ok(self.rows.pass(&Step::TedBest(Best { count, alpha: self.alpha }))?.rows.list)
    }
}
