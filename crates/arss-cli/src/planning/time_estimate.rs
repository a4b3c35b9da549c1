//! The time that a run takes: the method is timed on a part of the table, and each phase grows with its work.

use std::path::Path;
use std::time::{Duration, Instant};

use arss::estimate::{self, Effort, ProblemSize};
use arss::{Count, Error, Float, Method, Metric, RunOptions, Samples, Selection};

use crate::planning::memory_estimate;
use crate::solve::{self, Job};
use arss_table::{DenseMatrix, Matrix};

/// Items of the first part; each further one has four times as many.
const FIRST: usize = 1000;
/// A part that took so long is enough.
const ENOUGH: Duration = Duration::from_millis(300);
/// Most values of random numbers that stand for a table which is not read.
const RANDOM_VALUES: usize = 1 << 22;
/// Bytes that are written and read to learn the speed of the disk.
const DISK_PROBE: usize = 32 << 20;

/// What was timed, and what follows from it.
#[derive(Debug, Clone, Copy)]
pub struct Timed {
    /// Items of the part.
    pub items: usize,
    /// Items that are chosen from it.
    pub picks: u64,
    /// What it took.
    pub took: Duration,
    /// What all items will take, about.
    pub estimate: Duration,
}

/// Times the method, without constraints, on parts of the values. A matrix on disk is not timed.
pub fn time(values: &Matrix, method: &Method, job: &Job<'_>) -> Result<Option<Timed>, Error> {
    if job.metric == Metric::Precomputed {
        // A part of the rows is no table of distances.
        return Ok(None);
    }
    match values {
        Matrix::F32(grid) => time_matrix(grid, method, job).map(Some),
        Matrix::F64(grid) => time_matrix(grid, method, job).map(Some),
        Matrix::Disk32(_) | Matrix::Disk64(_) | Matrix::Sparse(_) => Ok(None),
    }
}

fn time_matrix<T: Float>(matrix: &DenseMatrix<T>, method: &Method, job: &Job<'_>) -> Result<Timed, Error> {
    let samples = matrix.samples()?;
    let samples = if job.features { samples.transposed() } else { samples };
    let (all, features) = (samples.items(), samples.features());
    // Spread over the table: the first rows of a sorted one are not like the others.
    let part = |count: usize| -> Vec<T> {
        let rows = (0..count).map(|at| (at as u128 * all as u128 / count as u128) as usize);
        rows.flat_map(|row| (0..features).map(move |column| (row, column)))
            .map(|(row, column)| samples.get(row, column))
            .collect()
    };
    let probe = probe(part, (FIRST, all, features), method, job)?;
    let whole = size((all, features), size_of::<T>(), job.count, job.threads);
    let effort = probe.effort(&whole);
    let estimate = estimate::seconds_from(method, (&whole, effort), (&probe.size, &probe.selection));
    Ok(probe.timed(estimate))
}

/// A run on a part of the table.
struct Probe {
    size: ProblemSize,
    selection: Selection,
    took: Duration,
    /// The geometric mean of the iterations of all parts: they do not grow with the rows, but differ by a factor of three.
    iterations: f64,
}

impl Probe {
    /// What a run on all rows will do.
    fn effort(&self, whole: &ProblemSize) -> Effort {
        Effort { iterations: self.iterations, ..Effort::of(&self.selection, self.size.items, whole.items) }
    }

    fn timed(&self, seconds: f64) -> Timed {
        let estimate = Duration::from_secs_f64(seconds.clamp(0.0, 1e12));
        Timed {
            items: self.size.items as usize,
            picks: self.size.k,
            took: self.took,
            estimate: estimate.max(self.took),
        }
    }
}

/// Runs the method on larger and larger parts, the first of `first` items, until one took long enough.
fn probe<T: Float>(
    part: impl Fn(usize) -> Vec<T>,
    (first, all, features): (usize, usize, usize),
    method: &Method,
    job: &Job<'_>,
) -> Result<Probe, Error> {
    let mut count = first.min(all);
    let mut logarithms = Vec::new();
    loop {
        let values = part(count);
        let picks = match job.count {
            Count::Exactly(k) => Count::Exactly(k.min(count)),
            other => other,
        };
        let metric = solve::metric_of_rows(job.metric);
        let mut run = RunOptions { threads: job.threads, all_scores: job.all_scores, metric, ..RunOptions::default() };
        let started = Instant::now();
        let selection = method.select_count(&Samples::new(&values, count, features)?, picks, &mut run)?;
        let took = started.elapsed();
        logarithms.push((selection.report.iterations.max(1) as f64).ln());
        if took >= ENOUGH || count == all {
            let picked = Count::Exactly(selection.indices.len());
            let size = size((count, features), size_of::<T>(), picked, job.threads);
            let iterations = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
            return Ok(Probe { size, selection, took, iterations });
        }
        count = (4 * count).min(all);
    }
}

fn size((items, features): (usize, usize), element: usize, count: Count, threads: usize) -> ProblemSize {
    memory_estimate::size_of((items as u64, features as u64), element as u64, count, threads)
}

/// Times a run from scratch files in `folder`, without reading the table: the method on random numbers, and the disk.
/// `text` is the number of bytes that have to be parsed first, `in_place` those of a value that is not copied first.
pub fn time_from_disk(
    whole: &ProblemSize,
    method: &Method,
    job: &Job<'_>,
    (folder, text, in_place): (&Path, u64, Option<u64>),
) -> Result<Timed, Error> {
    let (items, features) = (whole.items as usize, whole.features as usize);
    let most = (RANDOM_VALUES / features).clamp(1, items);
    // Among few more rows than picks there is nothing to choose, and what takes long in the end takes no time.
    let shape = (FIRST.max(4 * whole.k as usize), most, features);
    let probe = match whole.element {
        4 => probe(|count| estimate::random_table::<f32>(count, features), shape, method, job),
        _ => probe(|count| estimate::random_table::<f64>(count, features), shape, method, job),
    }?;
    let effort = probe.effort(whole);
    let table = whole.items as f64 * whole.features as f64 * in_place.unwrap_or(8) as f64;
    let state = 2.0 * estimate::state_bytes(method, whole) as f64;
    let copied = if in_place.is_some() { 0.0 } else { table };
    let bytes = copied + DETOUR * estimate::row_passes(method, whole, effort) * (table + state);
    let rate = disk_rate(folder).map_err(|error| Error::Backend { reason: error.to_string() })?;
    let choosing = estimate::seconds_from(method, (whole, effort), (&probe.size, &probe.selection));
    Ok(probe.timed(choosing + bytes / rate + text as f64 / PARSED))
}

/// A pass over a file takes so many times what reading its bytes takes: they become rows, and the state is written
/// (benchmarks/plan).
const DETOUR: f64 = 3.0;

/// The time of printing so many cells.
pub fn printing(cells: u64) -> Duration {
    Duration::from_micros(cells)
}

/// Bytes of text that are parsed a second, on two cores (benchmarks/reading).
const PARSED: f64 = 2e8;

/// Bytes a second that a scratch file takes and gives.
fn disk_rate(folder: &Path) -> std::io::Result<f64> {
    use std::io::{Read, Seek, Write};
    let mut file = arss_table::private_files::nameless(folder)?;
    let started = Instant::now();
    let chunk = vec![7u8; 1 << 20];
    (0..DISK_PROBE >> 20).try_for_each(|_| file.write_all(&chunk))?;
    file.rewind()?;
    let mut read = vec![0u8; 1 << 20];
    (0..DISK_PROBE >> 20).try_for_each(|_| file.read_exact(&mut read))?;
    Ok(2.0 * DISK_PROBE as f64 / started.elapsed().as_secs_f64().max(1e-6))
}
