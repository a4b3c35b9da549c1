//! Models: what a run learned, applied to rows that it has or has not seen.

use arss::{Exemplars, Method, Metric, Model, RunOptions, Samples};
use proptest::prelude::*;

const COLUMNS: usize = 4;

fn table(rows: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    let mut values = Vec::new();
    for row in 0..rows {
        let reach = if row % 40 == 39 { 12.0 } else { 1.0 };
        values.extend((0..COLUMNS).map(|_| reach * next() + 3.0 + if row % 3 == 0 { 4.0 } else { 0.0 }));
    }
    values
}

fn keep(metric: Metric) -> RunOptions<'static> {
    RunOptions { keep_model: true, metric, ..RunOptions::default() }
}

#[test]
fn the_rows_of_the_run_get_what_they_got_there() {
    // More rows than landmarks, so that some are landmarks and some are not.
    for (rows, metric) in [(200, Metric::Euclidean), (2000, Metric::Euclidean), (2000, Metric::Cosine)] {
        for size in [1.0, 1e150] {
            let values: Vec<f64> = table(rows, 3).into_iter().map(|x| x * size).collect();
            let samples = Samples::new(&values, rows, COLUMNS).unwrap();
            let found = Method::default().select(&samples, 12, &mut keep(metric)).unwrap();
            let model = found.model.as_ref().unwrap();
            assert_eq!((model.method(), model.features(), model.metric()), ("exemplars", COLUMNS, metric));
            assert_eq!(model.indices(), found.indices);
            let again = model.apply(&samples, &mut RunOptions::default()).unwrap();
            let scores = again.outlier_scores.unwrap();
            assert!(scores.iter().any(|score| *score > 1.0) || metric == Metric::Cosine);
            assert_eq!(scores, found.residuals, "{rows} {metric:?} {size}");
            assert_eq!(again.labels, found.assignment.unwrap().labels);
            assert!(found.indices.iter().all(|&pick| again.distances[pick] <= 1e-7 * size));
        }
    }
}

#[test]
fn rows_in_parts_are_judged_as_rows_at_once() {
    let (values, new) = (table(900, 1), table(300, 2));
    let samples = Samples::new(&values, 900, COLUMNS).unwrap();
    let model = Method::default().select(&samples, 9, &mut keep(Metric::Euclidean)).unwrap().model.unwrap();
    let whole = model.apply(&Samples::new(&new, 300, COLUMNS).unwrap(), &mut RunOptions::default()).unwrap();
    for threads in [1, 2] {
        let mut at = 0;
        for part in new.chunks(37 * COLUMNS) {
            let rows = part.len() / COLUMNS;
            let samples = Samples::new(part, rows, COLUMNS).unwrap();
            let found = model.apply(&samples, &mut RunOptions { threads, ..RunOptions::default() }).unwrap();
            assert_eq!(found.labels, whole.labels[at..at + rows]);
            // Rounding depends on how many rows a product takes at a time.
            let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + b.abs()));
            assert!(same(&found.distances, &whole.distances[at..at + rows]));
            assert!(same(&found.outlier_scores.unwrap(), &whole.outlier_scores.as_ref().unwrap()[at..at + rows]));
            at += rows;
        }
    }
}

#[test]
fn every_method_keeps_its_picks_and_other_columns_are_refused() {
    let values = table(300, 1);
    let samples = Samples::new(&values, 300, COLUMNS).unwrap();
    for method in Method::all() {
        let found = method.select(&samples, 5, &mut keep(Metric::Euclidean)).unwrap();
        let model = found.model.unwrap();
        assert_eq!(model.tells_outliers(), method.name() == "exemplars");
        let applied = model.apply(&samples, &mut RunOptions::default()).unwrap();
        for (row, &label) in applied.labels.iter().enumerate() {
            let squared = |pick: usize| -> f64 {
                let pick = found.indices[pick];
                (0..COLUMNS).map(|j| (values[row * COLUMNS + j] - values[pick * COLUMNS + j]).powi(2)).sum()
            };
            let nearest = (0..5).map(squared).fold(f64::INFINITY, f64::min);
            assert!((squared(label) - nearest).abs() <= 1e-9 * (1.0 + nearest), "{}", method.name());
            assert!((applied.distances[row] - nearest.sqrt()).abs() < 1e-6, "{}", method.name());
        }
        let narrow = Samples::new(&values[..30], 10, 3).unwrap();
        let error = model.apply(&narrow, &mut RunOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "the rows have 3 columns, but the model was made of 4");
    }
}

#[test]
fn a_model_comes_back_from_its_bytes() {
    let values = table(300, 1);
    let samples = Samples::new(&values, 300, COLUMNS).unwrap();
    let settings = Exemplars { outlier_columns: Some(vec![0, 2]), ..Exemplars::default() };
    let found = Method::Exemplars(settings).select(&samples, 5, &mut keep(Metric::Euclidean)).unwrap();
    let model = found.model.unwrap();
    let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(back, model);
    assert_eq!(back.apply(&samples, &mut RunOptions::default()).unwrap().outlier_scores.unwrap(), found.residuals);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Damaged bytes are an error or a model that can be applied: never a panic.
    #[test]
    fn damaged_models_never_panic(at in 0usize..20_000, byte: u8, cut in 0usize..20_000, mode in 0..3) {
        let values = table(60, 1);
        let samples = Samples::new(&values, 60, COLUMNS).unwrap();
        let model = Method::default().select(&samples, 4, &mut keep(Metric::Euclidean)).unwrap().model.unwrap();
        let mut bytes = model.to_bytes().unwrap();
        let length = bytes.len();
        match mode {
            0 => bytes[at % length] = byte,
            1 => bytes.truncate(cut % length),
            // The head has the lengths.
            _ => bytes[at % 200.min(length)] ^= byte,
        }
        if let Ok(model) = Model::from_bytes(&bytes) {
            let _ = model.apply(&samples, &mut RunOptions::default());
        }
    }
}
