//! The time that a run takes: a piece of the table is timed, and the work of the whole compared with that of the piece.

use std::time::{Duration, Instant};

use arss::{Count, Float, Method, Run, Samples, Selection};
use arss_table::{DenseMatrix, Matrix};

/// Items of the first piece; each further one has four times as many.
const FIRST: usize = 1000;
/// A timing this long is reliable enough to extrapolate.
const ENOUGH: Duration = Duration::from_millis(300);

/// What was timed, and what follows from it.
#[derive(Debug, Clone, Copy)]
pub struct Timed {
    /// Items of the piece.
    pub items: usize,
    /// What it took.
    pub took: Duration,
    /// What all items will take, about.
    pub estimate: Duration,
}

/// Times the method, without demands, on pieces of the values.
///
/// Nothing is timed of a table in a file.
pub fn time(values: &Matrix, method: &Method, job: &crate::solve::Job<'_>) -> Result<Option<Timed>, arss::Error> {
    match values {
        Matrix::F32(matrix) => time_matrix(matrix, method, job).map(Some),
        Matrix::F64(matrix) => time_matrix(matrix, method, job).map(Some),
        Matrix::Disk32(_) | Matrix::Disk64(_) => Ok(None),
    }
}

fn time_matrix<T: Float>(
    matrix: &DenseMatrix<T>,
    method: &Method,
    job: &crate::solve::Job<'_>,
) -> Result<Timed, arss::Error> {
    let samples = matrix.samples()?;
    let samples = if job.features { samples.transposed() } else { samples };
    let (all, features) = (samples.items(), samples.features());
    let mut count = FIRST.min(all);
    loop {
        // Spread over the table: the first rows of a sorted one would not be like the others.
        let rows = (0..count).map(|at| (at as u128 * all as u128 / count as u128) as usize);
        let piece: Vec<f64> = rows
            .flat_map(|row| (0..features).map(move |column| (row, column)))
            .map(|(row, column)| samples.get(row, column).to_f64())
            .collect();
        let piece: Vec<T> = piece.into_iter().map(T::from_f64).collect();
        let k = match job.count {
            Count::Exactly(k) => Count::Exactly(k.min(count)),
            other => other,
        };
        let mut run = Run { threads: job.threads, all_scores: job.all_scores, ..Run::default() };
        let started = Instant::now();
        let selection = method.select_count(&Samples::new(&piece, count, features)?, k, &mut run)?;
        let took = started.elapsed();
        if took >= ENOUGH || count == all {
            let size = |items: usize, k: usize| work(method, &selection, [items, features, k].map(|n| n as f64));
            let picks = selection.indices.len();
            let of_all = match job.count {
                Count::Exactly(k) => k,
                Count::Share(share) => (share * all as f64).ceil() as usize,
                Count::Auto => picks,
            };
            let factor = size(all, of_all) / size(count, picks);
            return Ok(Timed { items: count, took, estimate: took.mul_f64(factor.clamp(1.0, 1e12)) });
        }
        count = (4 * count).min(all);
    }
}

/// Multiplications, about: what grows with the items. Iterations are taken to be as many as in the piece.
fn work(method: &Method, selection: &Selection, [n, l, k]: [f64; 3]) -> f64 {
    let rounds = selection.report.iterations.max(1) as f64;
    let choice = || {
        let (pool, reference) = (n.min(8192f64.max(4.0 * k)), n.min(8192.0));
        // Each pick evaluates a few dozen candidates again; an exponential takes as long as some 200 multiplications
        // of a large product (measured at 16,000 and 200,000 x 20).
        (pool + 32.0 * k) * reference * (l + 200.0) + n * k * l
    };
    match method {
        Method::Exemplars(settings) => {
            let landmarks = n.min(settings.landmarks as f64);
            n * landmarks * (l + landmarks) + landmarks.powi(3) + choice()
        }
        Method::Facility(_) => choice(),
        Method::Arss(_) | Method::Rrss(_) => {
            let scored = selection.report.rows_scored as f64 / selection.residuals.len() as f64;
            2.0 * rounds * n * l * n.min(l) + scored * n * n * l
        }
        Method::Ted(_) => n * l * n.min(l) + 2.0 * k * n * l,
        Method::KMeans(_) => (rounds + 1.0) * n * k * l,
        Method::KMedoids(settings) if n <= settings.exact_limit as f64 => rounds * n * n * (l + 4.0),
        Method::KMedoids(settings) => {
            let sample = n.min(3000f64.max(5.0 * k));
            rounds * sample * sample * (l + 4.0) + settings.samples as f64 * n * k * l
        }
        Method::Rrqr(_) => (k + 1.0) * n * l,
        Method::Random(_) => n * (l + 8.0),
    }
}
