//! The cosine metric: the straight line between rows of length one, whatever the home of the rows.

mod common;

use std::sync::Mutex;

use arss::out_of_core::Stream;
use arss::{Count, Error, Method, Metric, RunOptions, Samples, Selection};
use common::places::Outside;

const ROWS: usize = 300;
const COLUMNS: usize = 6;
/// The centres of k-means have length one only by cosine; of rows of length one, rounding says which is the longest and
/// the first pick of rrqr.
const BY_LENGTH: [&str; 2] = ["kmeans", "rrqr"];

/// Directions in three bundles, lengths over six orders of magnitude.
fn table() -> Vec<f64> {
    let mut state = 5u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    let mut values = Vec::new();
    for row in 0..ROWS {
        let length = 10f64.powf(3.0 * next());
        values.extend((0..COLUMNS).map(|j| length * (0.3 * next() + if j == row % 3 { 1.0 } else { 0.0 })));
    }
    values
}

fn unit(values: &[f64]) -> Vec<f64> {
    let direction = |row: &[f64]| {
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        row.iter().map(|x| x / length).collect::<Vec<f64>>()
    };
    values.chunks(COLUMNS).flat_map(direction).collect()
}

fn cosine() -> RunOptions<'static> {
    RunOptions { metric: Metric::Cosine, ..RunOptions::default() }
}

fn close(a: &Selection, b: &Selection) -> bool {
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a.abs()));
    a.indices == b.indices && near(&a.scores, &b.scores) && near(&a.residuals, &b.residuals)
}

#[test]
fn rows_are_seen_as_if_they_had_length_one() {
    let values = table();
    let lengthy = Samples::new(&values, ROWS, COLUMNS).unwrap();
    let ready = unit(&values);
    let short = Samples::new(&ready, ROWS, COLUMNS).unwrap();
    for method in Method::all().into_iter().filter(|method| !BY_LENGTH.contains(&method.name())) {
        let by_cosine = method.select(&lengthy, 9, &mut cosine()).unwrap();
        let by_hand = method.select(&short, 9, &mut RunOptions::default()).unwrap();
        assert!(close(&by_cosine, &by_hand), "{}", method.name());
    }
    let plain = Method::default().select(&lengthy, 9, &mut RunOptions::default()).unwrap();
    assert_ne!(plain.indices, Method::default().select(&lengthy, 9, &mut cosine()).unwrap().indices);
}

/// Tables with more columns than rows are solved in another form, which reads columns.
#[test]
fn wide_tables_are_seen_as_if_rows_had_length_one() {
    let values = &table()[..18 * 40];
    let ready: Vec<f64> = values
        .chunks(40)
        .flat_map(|row| {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter().map(move |x| x / length)
        })
        .collect();
    let (lengthy, short) = (Samples::new(values, 18, 40).unwrap(), Samples::new(&ready, 18, 40).unwrap());
    for method in Method::all().into_iter().filter(|method| !BY_LENGTH.contains(&method.name())) {
        let by_cosine = method.select(&lengthy, 5, &mut cosine()).unwrap();
        let by_hand = method.select(&short, 5, &mut RunOptions::default()).unwrap();
        assert!(close(&by_cosine, &by_hand), "{}", method.name());
    }
}

#[test]
fn lengths_change_nothing() {
    let values = table();
    let longer: Vec<f64> = values
        .chunks(COLUMNS)
        .enumerate()
        .flat_map(|(row, values)| values.iter().map(move |x| x * f64::from(1u32 << (row % 20))))
        .collect();
    for method in Method::all() {
        let [a, b] = [&values, &longer]
            .map(|values| method.select(&Samples::new(values, ROWS, COLUMNS).unwrap(), 7, &mut cosine()).unwrap());
        assert_eq!(a.indices, b.indices, "{}", method.name());
        assert_eq!(a.scores, b.scores, "{}", method.name());
    }
}

/// The centres of spherical k-means have length one: the sum of cosines never falls from one iteration to the next.
#[test]
fn kmeans_is_spherical() {
    let values = table();
    let samples = Samples::new(&values, ROWS, COLUMNS).unwrap();
    let found = Method::from_name("kmeans").unwrap().select(&samples, 3, &mut cosine()).unwrap();
    assert!(found.report.history.windows(2).all(|pair| pair[1].objective <= pair[0].objective + 1e-9));
    let mut bundles: Vec<usize> = found.indices.iter().map(|row| row % 3).collect();
    bundles.sort_unstable();
    assert_eq!(bundles, [0, 1, 2]);
    // Squared chords: 2 - 2 cos, at most 2 a row for directions that are not opposed.
    assert!(found.report.objective < 0.6 * ROWS as f64, "{}", found.report.objective);
}

#[test]
fn a_row_without_a_direction_is_named() {
    let mut values = table();
    values[7 * COLUMNS..8 * COLUMNS].fill(0.0);
    values[9 * COLUMNS..11 * COLUMNS].fill(0.0);
    let samples = Samples::new(&values, ROWS, COLUMNS).unwrap();
    for method in Method::all() {
        let error = method.select(&samples, 3, &mut cosine()).unwrap_err();
        assert!(matches!(error, Error::NoDirection { row: 7, others: 2 }), "{}: {error}", method.name());
        assert!(error.to_string().starts_with("row 7 and 2 others hold only zeros"), "{error}");
    }
}

#[test]
fn out_of_core_is_the_same_to_the_bit() {
    let values = table();
    let samples = Samples::new(&values, ROWS, COLUMNS).unwrap();
    for name in ["exemplars", "facility", "ted", "rrss", "arss"] {
        let method = Method::from_name(name).unwrap();
        let inside = method.select(&samples, 8, &mut cosine()).unwrap();
        let [kept, numbers] = [(); 2].map(|()| Outside(Mutex::new(vec![0.0; ROWS * 64]), usize::MAX));
        let source = Outside(Mutex::new(values.clone()), COLUMNS);
        let stream = Stream { source: &source, values: &kept, numbers: &numbers, memory: 1 };
        let outside = stream.select(&method, Count::Exactly(8), &mut cosine()).unwrap();
        assert_eq!(inside.indices, outside.indices, "{name}");
        assert_eq!(inside.scores, outside.scores, "{name}");
        let mut hole = values.clone();
        hole[3 * COLUMNS..4 * COLUMNS].fill(0.0);
        hole[(ROWS - 1) * COLUMNS..].fill(0.0);
        let source = Outside(Mutex::new(hole), COLUMNS);
        let stream = Stream { source: &source, values: &kept, numbers: &numbers, memory: 1 };
        let error = stream.select(&method, Count::Exactly(8), &mut cosine()).unwrap_err();
        assert!(matches!(error, Error::NoDirection { row: 3, others: 1 }), "{name}: {error}");
    }
}
