//! Distances that are no matter of products: sums of absolute differences, and distances that are given.

mod common;

use std::sync::Mutex;

use arss::distributed::{RemoteTable, RowState, RowsOf, merge, step_on};
use arss::out_of_core::Stream;
use arss::{Count, Error, Exemplars, Method, Metric, Model, RunOptions, Samples, Selection, SparseRows, distributed};
use common::places::Outside;

const ROWS: usize = 400;
const COLUMNS: usize = 5;

fn options(metric: Metric) -> RunOptions<'static> {
    RunOptions { metric, keep_model: true, ..RunOptions::default() }
}

/// The three methods that look at pairs of rows. Columns tell the gate of exemplars how far out a row lies in each of them:
/// without them it judges all metrics alike.
fn methods() -> Vec<Method> {
    let settings = Exemplars { outlier_columns: Some(Vec::new()), ..Exemplars::default() };
    let others = ["facility", "kmedoids"].map(|name| Method::from_name(name).unwrap());
    [Method::Exemplars(settings)].into_iter().chain(others).collect()
}

fn distances(values: &[f64], columns: usize, of: fn(f64) -> f64, root: bool) -> Vec<f64> {
    let rows: Vec<&[f64]> = values.chunks(columns).collect();
    let one = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| of(x - y)).sum::<f64>();
    let all = rows.iter().flat_map(|a| rows.iter().map(move |b| one(a, b)));
    all.map(|distance| if root { distance.sqrt() } else { distance }).collect()
}

fn close(a: &Selection, b: &Selection) -> bool {
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-6 * (1.0 + a.abs()));
    a.indices == b.indices && near(&a.scores, &b.scores) && near(&a.residuals, &b.residuals)
}

#[test]
fn given_distances_choose_as_the_rows_that_they_are_of() {
    let values = common::clusters(ROWS, COLUMNS, 3);
    let samples = Samples::new(&values, ROWS, COLUMNS).unwrap();
    let straight = distances(&values, COLUMNS, |x| x * x, true);
    let along = distances(&values, COLUMNS, f64::abs, false);
    for method in methods() {
        for (metric, matrix) in [(Metric::Euclidean, &straight), (Metric::Manhattan, &along)] {
            let given = Samples::new(matrix, ROWS, ROWS).unwrap();
            let by_rows = method.select(&samples, 12, &mut options(metric)).unwrap();
            let by_table = method.select(&given, 12, &mut options(Metric::Precomputed)).unwrap();
            assert!(close(&by_rows, &by_table), "{} {}", method.name(), metric.name());
        }
    }
}

#[test]
fn in_one_column_manhattan_is_euclidean() {
    let values = common::clusters(ROWS, 1, 5);
    let samples = Samples::new(&values, ROWS, 1).unwrap();
    for method in methods().into_iter().chain([Method::default()]) {
        let [a, b] = [Metric::Euclidean, Metric::Manhattan]
            .map(|metric| method.select(&samples, 9, &mut options(metric)).unwrap());
        assert!(close(&a, &b), "{}", method.name());
    }
}

/// The sum of distances to the nearest pick is that of all pairs, one by one.
#[test]
fn what_is_told_are_sums_of_absolute_differences() {
    let values = common::clusters(ROWS, COLUMNS, 7);
    let samples = Samples::new(&values, ROWS, COLUMNS).unwrap();
    let along = distances(&values, COLUMNS, f64::abs, false);
    for method in methods().into_iter().skip(1) {
        let found = method.select(&samples, 8, &mut options(Metric::Manhattan)).unwrap();
        for (row, residual) in found.residuals.iter().enumerate() {
            let nearest = found.indices.iter().map(|pick| along[row * ROWS + pick]).fold(f64::INFINITY, f64::min);
            assert!((residual - nearest).abs() < 1e-9, "{} row {row}: {residual} {nearest}", method.name());
        }
    }
}

#[test]
fn outliers_are_set_aside_by_every_metric() {
    let mut values = common::noise_table(ROWS, COLUMNS, 2);
    (0..ROWS).for_each(|row| values[row * COLUMNS] += if row % 2 == 0 { 9.0 } else { 0.0 });
    for (at, row) in [17, 150, 333].into_iter().enumerate() {
        values[row * COLUMNS..(row + 1) * COLUMNS].iter_mut().for_each(|x| *x = *x * 3.0 + 40.0 + 25.0 * at as f64);
    }
    let samples = Samples::new(&values, ROWS, COLUMNS).unwrap();
    let [straight, along] =
        [distances(&values, COLUMNS, |x| x * x, true), distances(&values, COLUMNS, f64::abs, false)];
    let graph = Graph::nearest(&straight, 12);
    let tables = [
        (samples, Metric::Manhattan),
        (Samples::new(&straight, ROWS, ROWS).unwrap(), Metric::Precomputed),
        (Samples::new(&along, ROWS, ROWS).unwrap(), Metric::Precomputed),
        (graph.samples(), Metric::Precomputed),
    ];
    for (at, (table, metric)) in tables.iter().enumerate() {
        let found = Method::default().select(table, 6, &mut options(*metric)).unwrap();
        let aside: Vec<usize> = (0..ROWS).filter(|&row| found.residuals[row] > 1.0).collect();
        assert!([17, 150, 333].iter().all(|row| aside.contains(row)), "{at}: {aside:?}");
        assert!(aside.len() < 12, "{at}: {aside:?}");
        assert!(found.indices.iter().any(|pick| pick % 2 == 0) && found.indices.iter().any(|pick| pick % 2 == 1));
    }
}

/// Neither similarity of these distances is positive: the score must still be one.
#[test]
fn distances_of_no_space_are_scored() {
    let mut noise = common::Noise::new(9);
    let mut matrix = vec![0.0; 60 * 60];
    for row in 0..60 {
        for column in 0..row {
            let distance = 1.0 + 20.0 * noise.next().abs().powi(4);
            (matrix[row * 60 + column], matrix[column * 60 + row]) = (distance, distance);
        }
    }
    let samples = Samples::new(&matrix, 60, 60).unwrap();
    let found = Method::default().select(&samples, 5, &mut options(Metric::Precomputed)).unwrap();
    assert!(found.residuals.iter().all(|score| score.is_finite() && *score >= 0.0));
    assert_eq!(found.indices.len(), 5);
}

#[test]
fn threads_and_blocks_change_nothing() {
    let values = common::clusters(ROWS, COLUMNS, 11);
    let along = distances(&values, COLUMNS, f64::abs, false);
    let graph = Graph::nearest(&along, 9);
    let tables = [
        (Samples::new(&values, ROWS, COLUMNS).unwrap(), Metric::Manhattan),
        (Samples::new(&along, ROWS, ROWS).unwrap(), Metric::Precomputed),
        (graph.samples(), Metric::Precomputed),
    ];
    for method in methods() {
        for (samples, metric) in &tables {
            let run =
                |threads: usize| method.select(samples, 10, &mut RunOptions { threads, ..options(*metric) }).unwrap();
            let (one, three) = (run(1), run(3));
            assert_eq!((&one.indices, &one.scores, &one.residuals), (&three.indices, &three.scores, &three.residuals));
        }
    }
}

#[test]
fn rows_elsewhere_are_chosen_by_manhattan_alike() {
    let values = common::clusters(ROWS, COLUMNS, 13);
    let samples = Samples::new(&values, ROWS, COLUMNS).unwrap();
    for name in ["exemplars", "facility"] {
        let method = Method::from_name(name).unwrap();
        let inside = method.select(&samples, 8, &mut options(Metric::Manhattan)).unwrap();
        let [kept, numbers] = [(); 2].map(|()| Outside(Mutex::new(vec![0.0; ROWS * 64]), usize::MAX));
        let source = Outside(Mutex::new(values.clone()), COLUMNS);
        let stream = Stream { source: &source, values: &kept, numbers: &numbers, memory: 1 };
        let outside = stream.select(&method, Count::Exactly(8), &mut options(Metric::Manhattan)).unwrap();
        assert_eq!((&inside.indices, &inside.scores), (&outside.indices, &outside.scores), "{name}");
        let error = stream.select(&method, Count::Exactly(8), &mut options(Metric::Precomputed)).unwrap_err();
        assert!(matches!(error, Error::InMemoryOnly { .. }), "{error}");

        let mut states = [RowState::default(), RowState::default()];
        let half = ROWS / 2 * COLUMNS;
        let mut pass = |request: &[u8]| {
            let mut results = Vec::new();
            for (part, state) in states.iter_mut().enumerate() {
                let shape = (ROWS / 2, COLUMNS);
                let rows = RowsOf { data: &values[part * half..(part + 1) * half], shape, strides: (COLUMNS, 1) };
                results.push(step_on(request, &rows, part * ROWS / 2, state)?);
            }
            merge(&results[0], &results[1])
        };
        let remote = RemoteTable { items: ROWS, features: COLUMNS, single: false };
        let found = distributed::select(&method, remote, Count::Exactly(8), &mut pass, &mut options(Metric::Manhattan))
            .unwrap();
        assert_eq!(found.indices, inside.indices, "{name}");
    }
}

/// A graph of the nearest neighbours of each row.
struct Graph {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Graph {
    fn nearest(matrix: &[f64], count: usize) -> Self {
        let items = matrix.len().isqrt();
        let mut graph = Graph { starts: vec![0], columns: Vec::new(), values: Vec::new() };
        for (row, line) in matrix.chunks(items).enumerate() {
            let mut order: Vec<usize> = (0..items).filter(|&other| other != row).collect();
            order.sort_by(|&a, &b| line[a].total_cmp(&line[b]));
            order.truncate(count);
            order.sort_unstable();
            graph.values.extend(order.iter().map(|&other| line[other]));
            graph.columns.extend(order.iter().map(|&other| other as u32));
            graph.starts.push(graph.columns.len());
        }
        graph
    }

    fn samples(&self) -> Samples<'_, f64> {
        let rows = SparseRows { starts: &self.starts, columns: &self.columns, values: &self.values };
        Samples::sparse(rows, self.starts.len() - 1).unwrap()
    }
}

#[test]
fn a_graph_of_neighbours_covers_every_group() {
    let mut values = common::noise_table(ROWS, COLUMNS, 4);
    (0..ROWS).for_each(|row| values[row * COLUMNS] += 12.0 * (row % 4) as f64);
    let graph = Graph::nearest(&distances(&values, COLUMNS, |x| x * x, true), 15);
    for method in methods() {
        let found = method.select(&graph.samples(), 12, &mut options(Metric::Precomputed)).unwrap();
        let groups: std::collections::BTreeSet<usize> = found.indices.iter().map(|row| row % 4).collect();
        assert_eq!(groups.len(), 4, "{}", method.name());
        let model = found.model.expect("it was asked for");
        let applied = model.apply(&graph.samples(), &mut RunOptions::default()).unwrap();
        // A row that lists no pick is far from all of them.
        let farthest = graph.values.iter().copied().fold(0.0, f64::max);
        let near: Vec<usize> = (0..ROWS).filter(|&row| applied.distances[row] <= farthest).collect();
        assert!(near.len() > ROWS / 4, "{}", near.len());
        assert!(near.iter().all(|&row| found.indices[applied.labels[row]] % 4 == row % 4), "{}", method.name());
        assert!(applied.outlier_scores.is_none());
    }
}

#[test]
fn models_know_the_metric() {
    let values = common::clusters(ROWS, COLUMNS, 17);
    let along = distances(&values, COLUMNS, f64::abs, false);
    let rows = (Samples::new(&values, ROWS, COLUMNS).unwrap(), Metric::Manhattan);
    let given = (Samples::new(&along, ROWS, ROWS).unwrap(), Metric::Precomputed);
    for (samples, metric) in [rows, given] {
        let found = Method::default().select(&samples, 9, &mut options(metric)).unwrap();
        let model = Model::from_bytes(&found.model.unwrap().to_bytes().unwrap()).unwrap();
        assert_eq!(model.metric(), metric);
        let applied = model.apply(&samples, &mut RunOptions::default()).unwrap();
        assert_eq!(applied.labels, found.assignment.unwrap().labels);
        let scores = applied.outlier_scores.unwrap();
        assert!(scores.iter().zip(&found.residuals).all(|(a, b)| (a - b).abs() < 1e-9));
        for (row, (&label, distance)) in applied.labels.iter().zip(&applied.distances).enumerate() {
            assert!((along[row * ROWS + found.indices[label]] - distance).abs() < 1e-9);
        }
    }
}

#[test]
fn sparse_rows_are_compared_by_manhattan_as_dense_ones() {
    let (rows, columns) = (200, 600);
    let mut noise = common::Noise::new(21);
    let mut dense = vec![0.0; rows * columns];
    for row in 0..rows {
        for _ in 0..14 {
            let at = (row % 3) * 200 + (noise.next().abs() * 199.0) as usize;
            dense[row * columns + at] = 1.0 + noise.next().abs();
        }
    }
    let (mut starts, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in dense.chunks(columns) {
        let own = row.iter().enumerate().filter(|(_, value)| **value != 0.0);
        own.for_each(|(column, value)| (places.push(column as u32), values.push(*value)).0);
        starts.push(places.len());
    }
    let sparse = SparseRows { starts: &starts, columns: &places, values: &values };
    let (sparse, dense) = (Samples::sparse(sparse, columns).unwrap(), Samples::new(&dense, rows, columns).unwrap());
    for name in ["exemplars", "facility"] {
        let method = Method::from_name(name).unwrap();
        let [a, b] =
            [&sparse, &dense].map(|samples| method.select(samples, 9, &mut options(Metric::Manhattan)).unwrap());
        assert!(close(&a, &b), "{name}");
    }
    let error = Method::from_name("kmedoids").unwrap().select(&sparse, 3, &mut options(Metric::Manhattan)).unwrap_err();
    assert!(error.to_string().contains("needs dense rows"), "{error}");
}

#[test]
fn bad_distances_are_named() {
    let good = distances(&common::clusters(30, 2, 1), 2, |x| x * x, true);
    let method = Method::default();
    let told = |matrix: &[f64], rows: usize, columns: usize| {
        let samples = Samples::new(matrix, rows, columns).unwrap();
        method.select(&samples, 3, &mut options(Metric::Precomputed)).unwrap_err().to_string()
    };
    assert_eq!(told(&good, 25, 36), "a table of distances has as many columns as rows, but this one is 25 x 36");
    let with = |row: usize, column: usize, value: f64| {
        let mut bad = good.clone();
        bad[row * 30 + column] = value;
        told(&bad, 30, 30)
    };
    assert_eq!(with(4, 7, -1.5), "row 4, column 7 of the distances is -1.5: distances are not negative");
    assert_eq!(with(9, 9, 2.0), "row 9, column 9 of the distances is 2: the distance of a row to itself is 0");
    assert!(with(20, 3, 77.0).starts_with("row 20, column 3 of the distances is 77: the other way round"));
    for name in ["arss", "rrss", "ted", "kmeans", "rrqr"] {
        let samples = Samples::new(&good, 30, 30).unwrap();
        for metric in [Metric::Manhattan, Metric::Precomputed] {
            let error = Method::from_name(name).unwrap().select(&samples, 3, &mut options(metric)).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "method {name} cannot choose by the {} metric: exemplars, facility and kmedoids can",
                    metric.name()
                )
            );
        }
    }
    let mut graph = Graph::nearest(&good, 4);
    graph.values[5] = 1e3;
    let error = method.select(&graph.samples(), 3, &mut options(Metric::Precomputed)).unwrap_err();
    assert!(error.to_string().contains("of the distances is"), "{error}");
}
