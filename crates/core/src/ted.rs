//! TED (Yu 2006): greedy transductive experimental design, in time linear in the number of samples.
//!
//! Greedy: pick i maximising |K_i|^2 / (K_ii + alpha), then K <- K - K_i K_i' / (K_ii + alpha),
//! K = X'X. K stays X' C X with C of L x L, so d_n = K_nn and s_n = |K_n|^2 are all that is
//! kept of it, and a pick costs two products of the data with a vector.

use std::ops::Range;
use std::time::Instant;

use faer::{Mat, MatMut, MatRef};

use crate::blocks::Team;
use crate::linalg::{self, GramSum};
use crate::reduce::rotated;
use crate::settings::check_weights;
use crate::{Error, Float, Kernel, Method, Note, Progress, Report, Run, Samples, Seconds, Selection, Status, rank};

/// TED: min sum_n u_n (|x_n - Q a_n|^2 + alpha |a_n|^2), Q = the picks, chosen greedily.
///
/// A picked item is never picked again (the authors' code may repeat itself). The score of a
/// pick is its gain; of another item, the gain it would still bring. The residual of an item is
/// the root of its term in the sum. Where N <= L the items are first rotated into N dimensions.
///
/// ```
/// use arss::{Samples, Ted};
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

impl Ted {
    /// `Ok` if every setting lies in its range.
    ///
    /// # Errors
    /// Names the setting that does not.
    pub fn validate(&self) -> Result<(), Error> {
        Error::check("alpha", self.alpha, self.alpha > 0.0, "larger than 0")?;
        self.kernel.map_or(Ok(()), |kernel| kernel.validate())
    }

    /// Chooses `k` items.
    ///
    /// # Errors
    /// If k, alpha or a weight is out of range, or the data is all zero.
    pub fn select<T: Float>(&self, samples: &Samples<'_, T>, k: usize) -> Result<Selection, Error> {
        self.select_with(samples, k, &mut Run::default())
    }

    /// As [`select`](Ted::select), with threads, progress and extras.
    ///
    /// # Errors
    /// If k, alpha or a weight is out of range, or the data is all zero.
    pub fn select_with<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Selection, Error> {
        Method::Ted(self.clone()).select(samples, k, run)
    }

    /// Rotates into N dimensions first where N <= L.
    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut Run<'_>,
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

    /// Chooses from data that was multiplied by `scale`.
    fn run_tall<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        scale: f64,
        run: &mut Run<'_>,
    ) -> Result<Selection, Error> {
        let clock = Instant::now();
        let team = Team::new(run, samples.items(), samples.features())?;
        let alpha = (self.alpha * scale * scale).clamp(f64::MIN_POSITIVE, 1e300);
        let weight = |n: usize| self.weights.as_ref().map_or(1.0, |weights| weights[n]);
        let mut greedy = Greedy::new(samples, &team, alpha, &weight);
        let rank = linalg::numerical_rank(greedy.g.as_ref());
        let prepare = clock.elapsed().as_secs_f64();

        let (mut indices, mut scores, mut status) = (Vec::with_capacity(k), Vec::with_capacity(k), Status::Converged);
        let mut best = greedy.best();
        for pick in 1..=k {
            indices.push(best.index);
            scores.push(best.gain);
            best = greedy.take(best.index);
            if status == Status::Converged && run.tell(&Progress::count("solve", pick, k)) {
                status = Status::Stopped;
                indices.extend(greedy.rest(k - pick, &mut scores));
                break;
            }
        }

        let square = scale * scale;
        let objective = greedy.rows.iter().enumerate().map(|(n, row)| weight(n) * row.d.max(0.0)).sum::<f64>();
        // The square of a value near the limit of f64 is beyond it.
        let unscaled = |score: f64| (score / square).min(f64::MAX);
        scores.iter_mut().for_each(|score| *score = unscaled(*score));
        let all_scores = run.all_scores.then(|| {
            let mut all: Vec<f64> = greedy.rows.iter().map(|row| unscaled(row.gain(alpha))).collect();
            indices.iter().zip(&scores).for_each(|(&i, &score)| all[i] = score);
            all
        });
        Ok(Selection {
            method: "ted",
            residuals: greedy.rows.iter().map(|row| row.d.max(0.0).sqrt() / scale).collect(),
            all_scores,
            assignment: None,
            row_norms: None,
            solution: None,
            report: Report {
                status,
                iterations: indices.len(),
                objective: objective / square,
                constraint_residual: None,
                gap: None,
                gamma: None,
                history: Vec::new(),
                seconds: Seconds { prepare, solve: clock.elapsed().as_secs_f64() - prepare, score: 0.0 },
                rows_scored: samples.items(),
                notes: if k > rank { vec![Note::Saturated { k, rank }] } else { Vec::new() },
            },
            indices,
            scores,
        })
    }
}

/// What is known of a sample: d = K_nn, s = sum_m u_m K_nm^2.
#[derive(Clone, Copy)]
struct Row {
    d: f64,
    s: f64,
    picked: bool,
}

impl Row {
    /// What picking the sample would gain.
    fn gain(&self, alpha: f64) -> f64 {
        self.s.max(0.0) / (self.d.max(0.0) + alpha)
    }
}

/// A sample and what picking it would gain.
#[derive(Clone, Copy)]
struct Candidate {
    index: usize,
    gain: f64,
}

impl Candidate {
    const NONE: Candidate = Candidate { index: usize::MAX, gain: f64::NEG_INFINITY };

    /// Keeps the better of the two: the earlier one on ties.
    fn offer(&mut self, other: Candidate) {
        if other.gain > self.gain {
            *self = other;
        }
    }

    /// Offers the rows of a block that starts at `first`.
    fn offer_rows(&mut self, first: usize, rows: &[Row], alpha: f64) {
        for (index, row) in (first..).zip(rows).filter(|(_, row)| !row.picked) {
            self.offer(Candidate { index, gain: row.gain(alpha) });
        }
    }
}

/// The greedy choice, K = X' C X kept as C.
struct Greedy<'a, T> {
    samples: &'a Samples<'a, T>,
    team: &'a Team,
    alpha: f64,
    /// G = sum_n u_n x_n x_n'.
    g: Mat<f64>,
    c: Mat<f64>,
    rows: Vec<Row>,
}

impl<'a, T: Float> Greedy<'a, T> {
    /// Nothing picked: C = I, d_n = |x_n|^2, s_n = x_n' G x_n.
    fn new(samples: &'a Samples<'a, T>, team: &'a Team, alpha: f64, weight: &(dyn Fn(usize) -> f64 + Sync)) -> Self {
        let features = samples.features();
        let g = gram(samples, team, weight);
        let root = linalg::lower_root(g.as_ref());
        let visit = |sum: &mut (Vec<Row>, Vec<f64>, Vec<f64>), range: Range<usize>| {
            let (rows, wide, scratch) = sum;
            let block = samples.block(range);
            let values = T::widened(&block.values, wide);
            linalg::times_lower(MatRef::from_row_major_slice(values, block.rows, features), root.as_ref(), scratch);
            let both = values.chunks_exact(features).zip(scratch.chunks_exact(features));
            rows.extend(both.map(|(x, form)| Row {
                d: linalg::norm_squared(x),
                s: linalg::norm_squared(form),
                picked: false,
            }));
        };
        let start = || (Vec::new(), Vec::new(), Vec::new());
        let (rows, ..) = team.fold(start, visit, |a, b| a.0.append(&mut b.0));
        Greedy { samples, team, alpha, g, c: Mat::identity(features, features), rows }
    }

    /// The sample with the largest gain, the smaller index on ties.
    fn best(&self) -> Candidate {
        let mut best = Candidate::NONE;
        best.offer_rows(0, &self.rows, self.alpha);
        best
    }

    /// Picks sample i. With v = C x_i, h = C G v, delta = d_i + alpha, y_n = x_n' v, z_n = x_n' h:
    /// d_n -= y_n^2 / delta, s_n += (v' G v) y_n^2 / delta^2 - 2 y_n z_n / delta, C -= v v' / delta.
    ///
    /// One pass over the data makes y, z, d, s and finds the next best. No sample is left out of it: gains may
    /// grow again (6-20 % of them did at one pick), and what bounds them, the largest eigenvalue of K times
    /// d / (d + alpha), spared 2 % of Optdigits and 5 % of Letter while K < L / 2; beyond L picks up to 98 %, but then a
    /// sample that comes back needs d and s anew, L^2 operations.
    fn take(&mut self, i: usize) -> Candidate {
        let (samples, features) = (self.samples, self.samples.features());
        let x = samples.item(i);
        let x = faer::MatRef::from_row_major_slice(&x, features, 1);
        let v = &self.c * x;
        let gv = &self.g * &v;
        let h = &self.c * &gv;
        let vgv = (v.transpose() * &gv)[(0, 0)];
        let delta = (x.transpose() * &v)[(0, 0)].max(0.0) + self.alpha;
        let both = Mat::from_fn(features, 2, |l, j| if j == 0 { v[(l, 0)] } else { h[(l, 0)] });
        let alpha = self.alpha;
        let visit = |sum: &mut (Candidate, Vec<f64>, Vec<f64>), range: Range<usize>, rows: &mut [Row]| {
            let (best, wide, scratch) = sum;
            let block = samples.block(range.clone());
            let values = MatRef::from_row_major_slice(T::widened(&block.values, wide), block.rows, features);
            scratch.resize(2 * block.rows, 0.0);
            linalg::product(MatMut::from_row_major_slice_mut(scratch, block.rows, 2), values, both.as_ref(), 1.0);
            for (row, yz) in rows.iter_mut().zip(scratch.chunks_exact(2)) {
                let (y, z) = (yz[0] / delta, yz[1]);
                row.d -= y * y * delta;
                row.s += vgv * y * y - 2.0 * y * z;
            }
            best.offer_rows(range.start, rows, alpha);
        };
        self.rows[i].picked = true;
        let start = || (Candidate::NONE, Vec::new(), Vec::new());
        let merge = |a: &mut (Candidate, Vec<f64>, Vec<f64>), b: &mut (Candidate, Vec<f64>, Vec<f64>)| {
            a.0.offer(std::mem::replace(&mut b.0, Candidate::NONE));
        };
        let (best, ..) = self.team.fold_mut(&mut self.rows, 1, start, visit, merge);
        self.c -= &v * v.transpose() * faer::Scale(1.0 / delta);
        best
    }

    /// The best of the samples not picked, by what each would gain now: used when the caller stops early.
    fn rest(&self, count: usize, scores: &mut Vec<f64>) -> Vec<usize> {
        let gain = |row: &Row| if row.picked { f64::NEG_INFINITY } else { row.gain(self.alpha) };
        let gains: Vec<f64> = self.rows.iter().map(gain).collect();
        let rest = rank::top(&gains, count);
        scores.extend(rest.iter().map(|&n| gains[n]));
        rest
    }
}

/// G = sum_n u_n x_n x_n', in `f64` whatever the data is: after L picks what is left to gain is near the ridge,
/// and sums in `f32` could not tell one row from another (19 to 45 % of 200 picks were those of `f64`).
fn gram<T: Float>(samples: &Samples<'_, T>, team: &Team, weight: &(dyn Fn(usize) -> f64 + Sync)) -> Mat<f64> {
    let features = samples.features();
    let add = |sum: &mut (GramSum<f64>, Vec<f64>, Vec<f64>), range: Range<usize>| {
        let (gram, wide, scratch) = sum;
        let block = samples.block(range.clone());
        linalg::weigh(T::widened(&block.values, wide), range.map(weight), scratch);
        gram.add(MatRef::from_row_major_slice(scratch, block.rows, features));
    };
    let start = || (GramSum::new(features), Vec::new(), Vec::new());
    team.fold(start, add, |a, b| a.0.merge(&mut b.0)).0.finish()
}

/// TED with the N x N matrix K: slow, kept for tests and for the speed tables.
///
/// ```
/// use arss::{Samples, TedReference};
///
/// let table = [2.0, 0.0, 2.0, 0.1, 0.0, 1.0];
/// let reference = TedReference { alpha: 0.1, exclude_picked: true };
/// assert_eq!(reference.picks(&Samples::new(&table, 3, 2)?, 2, None), [1, 2]);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TedReference {
    /// Ridge.
    pub alpha: f64,
    /// Never pick a sample twice; the authors' code does not exclude it.
    pub exclude_picked: bool,
}

impl TedReference {
    /// The picks, best first.
    pub fn picks(&self, samples: &Samples<'_, f64>, k: usize, weights: Option<&[f64]>) -> Vec<usize> {
        let n = samples.items();
        let x = Mat::from_fn(samples.features(), n, |l, n| samples.get(n, l));
        let mut kernel = x.transpose() * &x;
        let mut picks: Vec<usize> = Vec::with_capacity(k);
        for _ in 0..k {
            let gain = |i: usize| {
                let square = |m: usize| weights.map_or(1.0, |u| u[m]) * kernel[(m, i)] * kernel[(m, i)];
                (0..n).map(square).sum::<f64>() / (kernel[(i, i)] + self.alpha)
            };
            let gains: Vec<f64> = (0..n)
                .map(|i| if self.exclude_picked && picks.contains(&i) { f64::NEG_INFINITY } else { gain(i) })
                .collect();
            let pick = rank::top(&gains, 1)[0];
            let column = kernel.col(pick).to_owned();
            let update = column.as_mat() * column.as_mat().transpose();
            kernel -= update * faer::Scale(1.0 / (column[pick] + self.alpha));
            picks.push(pick);
        }
        picks
    }
}
