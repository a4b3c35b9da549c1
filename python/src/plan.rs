//! What a run will take, before it starts.

use arss::estimate::{self, Effort, ProblemSize};
use arss::{Method, RunOptions, Samples, Selection};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::exception;
use crate::settings;

/// Values of the random table that is solved to learn how fast this machine is, and the longest side of it.
const PROBE_VALUES: u64 = 400_000;
const PROBE_SIDE: u64 = 256;
/// Iterations of the probe.
const PROBE_ITERATIONS: usize = 3;

/// Bytes besides the table, seconds, and the iterations that the seconds are for.
///
/// `max_iter` is the number of iterations to reckon with; `None` takes what is usual.
#[pyfunction]
#[pyo3(signature = (method, settings, shape, element, threads, max_iter=None))]
pub fn plan(
    method: &str,
    settings: &Bound<'_, PyDict>,
    shape: (u64, u64, u64),
    element: u64,
    threads: u64,
    max_iter: Option<u64>,
) -> PyResult<(u64, f64, u64)> {
    let method = settings::method(method, settings)?;
    let (items, features, k) = shape;
    // Whether the rows will stand in one piece is not known: what is told is enough for either.
    let size = ProblemSize { items, features, element, k, threads, by_column: true };
    let mut effort = Effort::usual(&method);
    effort.iterations = max_iter.map_or(effort.iterations, |iterations| iterations as f64);
    let iterative = matches!(method, Method::Arss(_) | Method::Rrss(_) | Method::KMeans(_) | Method::KMedoids(_));
    let iterations = if iterative { effort.iterations as u64 } else { max_iter.unwrap_or(k) };
    let seconds = settings.py().detach(|| seconds(&method, (&size, effort))).map_err(exception)?;
    Ok((estimate::memory(&method, &size), seconds, iterations))
}

/// From a run on a small table of random numbers.
fn seconds(method: &Method, (size, effort): (&ProblemSize, Effort)) -> Result<f64, arss::Error> {
    let short = size.items.min(size.features).min(PROBE_SIDE);
    let long = size.items.max(size.features).min((PROBE_VALUES / short).max(short));
    let (items, features) = if size.items >= size.features { (long, short) } else { (short, long) };
    let small = ProblemSize { items, features, k: size.k.min(items), ..*size };
    let probe = match method {
        Method::Arss(settings) => {
            Method::Arss(arss::Arss { max_iterations: PROBE_ITERATIONS, tolerance: 0.0, ..*settings })
        }
        Method::Rrss(settings) => {
            Method::Rrss(arss::Rrss { max_iterations: PROBE_ITERATIONS, tolerance: 0.0, ..*settings })
        }
        other => other.clone(),
    };
    let selection = if size.element == 4 { run::<f32>(&probe, &small) } else { run::<f64>(&probe, &small) }?;
    Ok(estimate::seconds_from(method, (size, effort), (&small, &selection)))
}

fn run<T: arss::Float>(method: &Method, size: &ProblemSize) -> Result<Selection, arss::Error> {
    let (items, features) = (size.items as usize, size.features as usize);
    let table: Vec<T> = estimate::random_table(items, features);
    let mut run = RunOptions { threads: size.threads as usize, ..RunOptions::default() };
    method.select(&Samples::new(&table, items, features)?, size.k as usize, &mut run)
}
