//! Medoids found by swapping.

mod swap;

pub(crate) use swap::kept_bytes;

use std::ops::Range;

use rand_chacha::ChaCha8Rng;

use super::kmeans::spread;
use super::{Outcome, size_scores};
use crate::block::Block;
use crate::linalg::nearest::{Near, NearestTable};
use crate::linalg::rng::{generator, keys};
use crate::linalg::top_k;
use crate::selection::{Clock, report};
use crate::{
    Error, Float, HistoryStep, Method, Metric, Note, Report, RunOptions, Samples, Selection, Selector, Status,
};
use swap::{Swaps, Sweeps};

/// Fewest rows of a sample.
const SAMPLE_ROWS: usize = 3000;
/// Fewest rows of a sample for each medoid.
const SAMPLE_ROWS_A_MEDOID: usize = 5;

/// K medoids: the items with the least sum of Euclidean distances to the nearest of them.
///
/// Minimises sum_n min_m |x_n - x_m| over K items m by swapping a medoid for another item
/// as long as this helps (FasterPAM). Distances are computed as they are needed, up to 64 MB of
/// them kept: time O(N^2 L) a sweep, memory O(N). Tables of more than `exact_limit` items are searched in
/// `samples` random samples of max(3000, 5 K) rows, the best medoids so far always among them (as
/// in CLARA); those that are best on all the data win, and the report holds [`Note::Sampled`].
///
/// The score of a pick is the size of its cluster, 0 for all other items; the residual is
/// the distance to the nearest pick, the objective the sum of the residuals. The history has
/// one entry a sweep, or, if sampled, one a sample with its objective on all the data.
///
/// ```
/// use arss::{KMedoids, Samples, Selector};
///
/// let table = [0.0, 0.1, 0.2, 9.0, 9.1]; // two groups on a line
/// let selection = KMedoids::default().select(&Samples::new(&table, 5, 1)?, 2)?;
/// assert_eq!(selection.indices[0], 1); // the middle of the larger group
/// assert_eq!(selection.scores, [3.0, 2.0]);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KMedoids {
    /// Seed of the first medoids and of the samples. Default 0.
    pub seed: u64,
    /// Most sweeps over all candidates, at least 1. Default 100.
    pub max_iterations: usize,
    /// Most items of a table that is searched in full. Default 5000.
    pub exact_limit: usize,
    /// Samples of a larger table, at least 1. Default 5.
    pub samples: usize,
}

impl Default for KMedoids {
    fn default() -> Self {
        KMedoids { seed: 0, max_iterations: 100, exact_limit: 5000, samples: 5 }
    }
}

/// Medoids with the nearest one of each item, and how they were found.
struct Found {
    medoids: Vec<usize>,
    near: Vec<Near>,
    total: f64,
    status: Status,
}

impl Selector for KMedoids {
    fn method(&self) -> Method {
        Method::KMedoids(*self)
    }
}

impl KMedoids {
    /// Checks the ranges of the settings.
    ///
    /// ```
    /// use arss::KMedoids;
    /// assert!(KMedoids { samples: 0, ..KMedoids::default() }.validate().is_err());
    /// ```
    ///
    /// # Errors
    /// If one is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        let (iterations, samples) = (self.max_iterations, self.samples);
        Error::check("max_iterations", iterations as f64, iterations > 0, "at least 1")?;
        Error::check("samples", samples as f64, samples > 0, "at least 1")
    }

    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let items = samples.items();
        let mut clock = Clock::start();
        let table = NearestTable::new(samples, run)?;
        clock.prepared();
        let mut report = report(Status::Converged, 0, 0.0, items);
        let found = if items <= self.exact_limit {
            self.search_all(&table, k, &mut report, run)?
        } else {
            self.search_samples(&table, k, &mut report, run)?
        };
        clock.solved();

        let mut sizes = vec![0; k];
        found.near.iter().for_each(|near| sizes[near.point] += 1);
        let scores = size_scores(items, &found.medoids, &sizes);
        let residuals = table.distances(&found.near);
        (report.status, report.objective) = (found.status, found.total / table.samples.scale());
        Ok(Outcome { method: "kmedoids", picks: found.medoids, scores, residuals, report }
            .finish(run.all_scores, clock))
    }

    /// Swaps among all items.
    fn search_all<T: Float>(
        &self,
        table: &NearestTable<'_, T>,
        k: usize,
        report: &mut Report,
        run: &mut RunOptions<'_>,
    ) -> Result<Found, Error> {
        let seeds = first_medoids(table, k, &mut generator(self.seed), run);
        let (medoids, sweeps) = self.swap(table, seeds, 0..self.max_iterations, run)?;
        report.iterations = sweeps.totals.len();
        let mut before = f64::NAN;
        for (sweep, total) in sweeps.totals.into_iter().enumerate() {
            let residual = relative_decrease(before, total);
            report.history.push(step(sweep + 1, total / table.samples.scale(), residual));
            before = total;
        }
        Ok(Found::new(table, medoids, sweeps.status))
    }

    /// Swaps among samples of the items, each compared on all of them.
    fn search_samples<T: Float>(
        &self,
        table: &NearestTable<'_, T>,
        k: usize,
        report: &mut Report,
        run: &mut RunOptions<'_>,
    ) -> Result<Found, Error> {
        let rows = table.samples.items().min(sample_rows(k));
        report.notes.push(Note::Sampled { rows });
        let mut generator = generator(self.seed);
        let limit = self.samples.saturating_mul(self.max_iterations);
        let mut best: Option<Found> = None;
        for sample in 0..self.samples {
            let known = best.as_ref().map_or(&[][..], |best| &best.medoids);
            let items = draw_sample(&mut generator, table.samples.items(), rows, known);
            let gathered = gather(&table.samples, &items);
            let part = NearestTable::new(&part_of(&gathered, &table.samples)?, run)?;
            let seeds = first_medoids(&part, k, &mut generator, run);
            let (medoids, sweeps) = self.swap(&part, seeds, sample * self.max_iterations..limit, run)?;
            report.iterations += sweeps.totals.len();
            let medoids = medoids.into_iter().map(|position| items[position]).collect();
            let found = Found::new(table, medoids, sweeps.status);
            let residual = best.as_ref().map_or(1.0, |best| relative_decrease(best.total, found.total));
            report.history.push(step(sample + 1, found.total / table.samples.scale(), residual));
            let status = found.status;
            let winner = best.filter(|best| best.total <= found.total).unwrap_or(found);
            if status == Status::Stopped {
                return Ok(Found { status, ..winner });
            }
            best = Some(winner);
        }
        Ok(best.expect("at least one sample"))
    }

    /// Swaps from the first medoids on, unless the callback has stopped the run already.
    fn swap<T: Float>(
        &self,
        table: &NearestTable<'_, T>,
        (medoids, stopped): (Vec<usize>, bool),
        told: Range<usize>,
        run: &mut RunOptions<'_>,
    ) -> Result<(Vec<usize>, Sweeps), Error> {
        if stopped || medoids.len() == table.samples.items() {
            let status = if stopped { Status::Stopped } else { Status::Converged };
            return Ok((medoids, Sweeps { status, totals: Vec::new() }));
        }
        let mut swaps = Swaps::new(table, medoids, run)?;
        let sweeps = swaps.sweep(self.max_iterations, told, run);
        Ok((swaps.medoids, sweeps))
    }
}

impl Found {
    fn new<T: Float>(table: &NearestTable<'_, T>, medoids: Vec<usize>, status: Status) -> Self {
        let near = table.nearest_pick(&medoids);
        let total = near.iter().map(|near| near.squared.sqrt()).sum();
        Found { medoids, near, total, status }
    }
}

/// Some items with their values, or with their distances to each other.
fn gather<'a, T: Float>(samples: &Samples<'a, T>, items: &[usize]) -> Block<'a, T> {
    if samples.metric() != Metric::Precomputed {
        return samples.gather(items);
    }
    let mut values = Vec::with_capacity(items.len() * items.len());
    items.iter().for_each(|&item| samples.push_distances(item, items, &mut values));
    Block { values: values.into(), rows: items.len(), columns: items.len() }
}

/// Gathered items as a table of their own. They are seen as before: nothing has to be divided again.
fn part_of<'a, T: Float>(gathered: &'a Block<'_, T>, whole: &Samples<'_, T>) -> Result<Samples<'a, T>, Error> {
    let part = Samples::new(&gathered.values, gathered.rows, gathered.columns)?;
    part.seen_by(if whole.has_directions() { Metric::Euclidean } else { whole.metric() })
}

/// Rows of a sample for `k` medoids.
pub(crate) fn sample_rows(k: usize) -> usize {
    SAMPLE_ROWS.max(SAMPLE_ROWS_A_MEDOID.saturating_mul(k))
}

/// Seeds drawn with weight proportional to their distance from the seeds before them.
fn first_medoids<T: Float>(
    table: &NearestTable<'_, T>,
    k: usize,
    generator: &mut ChaCha8Rng,
    run: &mut RunOptions<'_>,
) -> (Vec<usize>, bool) {
    spread(table, k, f64::sqrt, generator, run)
}

/// `rows` random items in ascending order, the known ones among them.
fn draw_sample(generator: &mut ChaCha8Rng, items: usize, rows: usize, known: &[usize]) -> Vec<usize> {
    let mut keys = keys(generator, items);
    known.iter().for_each(|&item| keys[item] = 1.0); // above all others
    let mut sample = top_k::top(&keys, rows);
    sample.sort_unstable();
    sample
}

/// By what share `after` is less than `before`; 1 where there is nothing to compare with.
fn relative_decrease(before: f64, after: f64) -> f64 {
    if before > 0.0 { (before - after) / before } else { 1.0 }
}

fn step(iteration: usize, objective: f64, residual: f64) -> HistoryStep {
    HistoryStep { iteration, objective, residual, gap: f64::NAN, mu: f64::NAN, active: f64::NAN }
}
