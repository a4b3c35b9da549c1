//! Tables that are mostly zero: the choice is that of the same table with its zeros.

use arss::{Error, Method, Metric, RunOptions, Samples, Selection, SparseRows};

/// Rows of few words of many: each of three topics prefers its own.
struct Words {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    rows: usize,
    features: usize,
}

impl Words {
    fn new(rows: usize, features: usize, seed: u64) -> Self {
        let mut state = seed;
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..rows {
            let mut own: Vec<u32> =
                (0..12 + next(12)).map(|_| (row % 3 * features / 3 + next(features / 3)) as u32).collect();
            own.extend([0, 1].map(|common| common + features as u32 - 2));
            own.sort_unstable();
            own.dedup();
            values.extend(own.iter().map(|_| 1.0 + next(1000) as f64 / 700.0));
            columns.extend(own);
            starts.push(columns.len());
        }
        Words { starts, columns, values, rows, features }
    }

    fn sparse(&self) -> Samples<'_, f64> {
        let rows = SparseRows { starts: &self.starts, columns: &self.columns, values: &self.values };
        Samples::sparse(rows, self.features).unwrap()
    }

    fn dense(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.rows * self.features];
        for row in 0..self.rows {
            for at in self.starts[row]..self.starts[row + 1] {
                all[row * self.features + self.columns[at] as usize] = self.values[at];
            }
        }
        all
    }
}

fn run(method: &Method, samples: &Samples<'_, f64>, metric: Metric, threads: usize, block: usize) -> Selection {
    let mut run = RunOptions { metric, threads, block, keep_model: true, ..RunOptions::default() };
    method.select(samples, 12, &mut run).unwrap()
}

#[test]
fn sparse_rows_are_chosen_as_dense_ones() {
    let words = Words::new(300, 900, 5);
    let dense = words.dense();
    let dense = Samples::new(&dense, words.rows, words.features).unwrap();
    for metric in [Metric::Euclidean, Metric::Cosine] {
        for method in Method::all() {
            if matches!(method, Method::Arss(_)) {
                continue; // its sums of absolute values need minutes for so many columns
            }
            let (ours, theirs) = (run(&method, &words.sparse(), metric, 1, 0), run(&method, &dense, metric, 1, 0));
            let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-7 * (1.0 + b.abs());
            if matches!(method, Method::Rrss(_)) {
                // Rows that share nothing score alike, and rounding tells them apart.
                let gaps = (ours.report.gap.unwrap(), theirs.report.gap.unwrap());
                let ratio = ours.report.objective / theirs.report.objective;
                assert!((ratio - 1.0).abs() < 1e-4, "{gaps:?} {ratio}");
                continue;
            }
            assert_eq!(ours.indices, theirs.indices, "{} {metric:?}", method.name());
            assert!(ours.scores.iter().zip(&theirs.scores).all(close), "{} {metric:?}", method.name());
            assert!(ours.residuals.iter().zip(&theirs.residuals).all(close), "{} {metric:?}", method.name());
            let labels = |selection: &Selection| selection.assignment.as_ref().map(|found| found.labels.clone());
            assert_eq!(labels(&ours), labels(&theirs), "{} {metric:?}", method.name());
        }
    }
}

#[test]
fn threads_and_blocks_change_no_bit() {
    let words = Words::new(260, 700, 9);
    for method in Method::all() {
        if matches!(method, Method::Arss(_) | Method::Rrss(_)) {
            continue;
        }
        let one = run(&method, &words.sparse(), Metric::Euclidean, 1, 0);
        let two = run(&method, &words.sparse(), Metric::Euclidean, 2, 0);
        assert_eq!((&one.indices, &one.scores, &one.residuals), (&two.indices, &two.scores, &two.residuals));
        let short = run(&method, &words.sparse(), Metric::Euclidean, 2, 7);
        assert_eq!(one.indices, short.indices, "{}", method.name());
    }
}

#[test]
fn a_model_of_sparse_rows_knows_them_again() {
    let words = Words::new(200, 600, 3);
    let found = run(&Method::default(), &words.sparse(), Metric::Cosine, 1, 0);
    let applied = found.model.unwrap().apply(&words.sparse(), &mut RunOptions::default()).unwrap();
    assert_eq!(applied.labels, found.assignment.unwrap().labels);
    assert_eq!(applied.outlier_scores.unwrap(), found.residuals);
}

#[test]
fn columns_of_a_sparse_table_can_be_chosen() {
    let words = Words::new(40, 60, 2);
    let dense = words.dense();
    let dense = Samples::new(&dense, 40, 60).unwrap().transposed();
    let sparse = words.sparse().transposed();
    let method = Method::from_name("rrqr").unwrap();
    let picks = |samples: &Samples<'_, f64>| method.select(samples, 5, &mut RunOptions::default()).unwrap().indices;
    assert_eq!(picks(&sparse), picks(&dense));
}

#[test]
fn damaged_tables_are_errors() {
    let table = |starts: &'static [usize], columns: &'static [u32], values: &'static [f64], features: usize| {
        Samples::sparse(SparseRows { starts, columns, values }, features).map(|samples| samples.items())
    };
    assert_eq!(table(&[0, 1, 1], &[2], &[5.0], 3), Ok(2));
    for (starts, columns, values, features) in [
        (&[][..], &[][..], &[][..], 3),
        (&[1, 1], &[0], &[5.0], 3),
        (&[0, 2], &[0], &[5.0], 3),
        (&[0, 2, 1], &[0, 1], &[5.0, 6.0], 3),
        (&[0, 1], &[0, 1], &[5.0], 3),
        (&[0, 1], &[3], &[5.0], 3),
        (&[0, 2], &[1, 1], &[5.0, 6.0], 3),
        (&[0, 2], &[2, 1], &[5.0, 6.0], 3),
    ] {
        let found = table(starts, columns, values, features);
        assert!(matches!(found, Err(Error::NotSparseRows { .. })), "{starts:?} {columns:?} {found:?}");
    }
    assert!(matches!(table(&[0], &[], &[], 3), Err(Error::Empty { rows: 0, columns: 3 })));
    assert!(matches!(table(&[0, 0], &[], &[], 0), Err(Error::Empty { rows: 1, columns: 0 })));
    assert!(matches!(table(&[0, 0, 1], &[2], &[f64::NAN], 3), Err(Error::NotFinite { row: 1, column: 2, .. })));
    let rows = SparseRows { starts: &[0, 1, 1], columns: &[2], values: &[5.0] };
    let samples = Samples::sparse(rows, 3).unwrap();
    let mut run = RunOptions { metric: Metric::Cosine, ..RunOptions::default() };
    assert!(matches!(Method::default().select(&samples, 1, &mut run), Err(Error::NoDirection { row: 1, others: 0 })));
}
