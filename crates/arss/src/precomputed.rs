//! Tables that hold distances: what is checked of them, and graphs of neighbours.

use crate::linalg::compressed::Compressed;
use crate::linalg::median::median;
use crate::method::with_model;
use crate::{Error, Float, Method, Metric, RunOptions, Samples, Selection};

/// Two distances of one pair that differ by less than this share of the largest one are equal; so is a distance to itself
/// to zero.
const ROUNDING: f64 = 1e-5;
/// Rows and columns of a block of the table: both halves stay in the cache.
const BLOCK: usize = 256;
/// A row at the farthest distance that a usual row lists has similarity 1 / e where rows are covered.
const WIDTH: f64 = 3.0;

/// Chooses by a table of distances.
pub(crate) fn run<T: Float>(
    method: &Method,
    samples: &Samples<'_, T>,
    k: usize,
    run: &mut RunOptions<'_>,
) -> Result<Selection, Error> {
    match checked(method, samples)? {
        Some(graph) => choose(method, &Samples::sparse(graph.as_sparse(), samples.features())?, k, run),
        None => choose(method, samples, k, run),
    }
}

/// `Ok` if the table holds distances that the method can choose by; a graph of neighbours comes with each pair both ways.
pub(crate) fn checked<T: Float>(method: &Method, samples: &Samples<'_, T>) -> Result<Option<Compressed<T>>, Error> {
    let (rows, columns) = (samples.items(), samples.features());
    if rows != columns {
        return Err(Error::NotSquare { rows, columns });
    }
    if let Method::Exemplars(settings) = method
        && settings.outlier_columns.as_ref().is_some_and(|columns| !columns.is_empty())
    {
        return Err(Error::NoOutlierColumns);
    }
    if samples.is_sparse() {
        return symmetric(samples).map(Some);
    }
    check(samples).map(|()| None)
}

fn choose<T: Float>(
    method: &Method,
    samples: &Samples<'_, T>,
    k: usize,
    run: &mut RunOptions<'_>,
) -> Result<Selection, Error> {
    let samples = samples.seen_by(Metric::Precomputed)?.in_safe_range();
    Ok(with_model(method.solve(&samples, k, run)?, &samples, run))
}

/// What is wrong with a distance whose other way round is `other`, if anything is.
fn check_pair((row, column): (usize, usize), value: f64, other: f64, rounding: f64) -> Result<(), Error> {
    let wrong = |row: usize, column: usize, value: f64, what: &'static str| {
        Err(Error::NotDistance { row, column, value, what })
    };
    match (value, other) {
        (value, _) if value < 0.0 => wrong(row, column, value, "distances are not negative"),
        (_, other) if other < 0.0 => wrong(column, row, other, "distances are not negative"),
        (value, _) if row == column && value > rounding => {
            wrong(row, column, value, "the distance of a row to itself is 0")
        }
        (value, other) if (value - other).abs() > rounding => {
            wrong(row, column, value, "the other way round it is another")
        }
        _ => Ok(()),
    }
}

/// `Ok` if the table holds distances.
fn check<T: Float>(samples: &Samples<'_, T>) -> Result<(), Error> {
    let (items, rounding) = (samples.items(), ROUNDING * samples.max_abs());
    for first in (0..items).step_by(BLOCK) {
        for start in (0..=first).step_by(BLOCK) {
            for row in first..(first + BLOCK).min(items) {
                for column in start..(start + BLOCK).min(row + 1) {
                    let [value, other] = [(row, column), (column, row)].map(|at| samples.get(at.0, at.1).to_f64());
                    check_pair((row, column), value, other, rounding)?;
                }
            }
        }
    }
    Ok(())
}

/// A graph of neighbours in which each pair that one of the two lists is listed by both, and each row is at 0 from itself.
fn symmetric<T: Float>(samples: &Samples<'_, T>) -> Result<Compressed<T>, Error> {
    let (items, rounding) = (samples.items(), ROUNDING * samples.max_abs());
    let mut rows = Compressed::empty();
    for item in 0..items {
        let entries = samples.item_entries(item).expect("a graph is sparse");
        rows.push_entries(entries.map(|(column, value)| (column, T::from_f64(value))));
    }
    let columns = rows.transposed(items);
    let mut graph = Compressed::empty();
    let mut line: Vec<(usize, T)> = Vec::new();
    for item in 0..items {
        line.clear();
        line.extend(rows.row(item).chain(columns.row(item)));
        line.push((item, T::from_f64(0.0)));
        line.sort_by_key(|entry| entry.0);
        for pair in line.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            check_pair((item, pair[0].0), pair[0].1.to_f64(), pair[1].1.to_f64(), rounding)?;
        }
        for (column, value) in line.iter().map(|entry| (entry.0, entry.1.to_f64())) {
            check_pair((item, column), value, value, rounding)?;
        }
        line.dedup_by_key(|entry| entry.0);
        graph.push_entries(line.iter().copied());
    }
    Ok(graph)
}

/// The squared width of the similarity of a graph of neighbours; `None` of any other table.
pub(crate) fn graph_width<T: Float>(samples: &Samples<'_, T>) -> Option<f64> {
    if !samples.is_sparse() || samples.metric() != Metric::Precomputed {
        return None;
    }
    let farthest = |item: usize| {
        let entries = samples.item_entries(item).expect("a graph is sparse");
        entries.map(|entry| entry.1).fold(0.0, f64::max)
    };
    let mut all: Vec<f64> = (0..samples.items()).map(farthest).filter(|&distance| distance > 0.0).collect();
    if all.is_empty() {
        return Some(1.0);
    }
    let usual = median(&mut all);
    Some(WIDTH * usual * usual)
}
