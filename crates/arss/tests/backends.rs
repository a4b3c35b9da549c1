//! Tables in parts, as they would be on other machines: the same picks as in memory.

use std::sync::Mutex;

use arss::distributed::{RowState, RowsOf, columns, step_on};
use arss::out_of_core::Stream;
use arss::{
    Arss, Count, Error, Exemplars, Float, Gamma, Groups, Method, Note, Quotas, Rank, Rrss, RunOptions, Samples,
    Selection, Selector, Ted,
};

mod common;

use common::places::{Outside, Parts};

fn methods() -> Vec<Method> {
    vec![
        Method::Arss(Arss::default()),
        Method::Arss(Arss { p: 1.0, gamma: Gamma::Ratio(0.3), ..Arss::default() }),
        Method::Arss(Arss::paper()),
        Method::Rrss(Rrss::default()),
        Method::Rrss(Rrss { rank: Rank::Norm, ..Rrss::default() }),
        Method::Ted(Ted::default()),
        Method::Exemplars(Exemplars { landmarks: 100, ..Exemplars::default() }),
        Method::Exemplars(Exemplars { nested: true, ..Exemplars::default() }),
        Method::Exemplars(Exemplars { include: vec![7, 3], exclude: vec![900, 2, 2], ..Exemplars::default() }),
        Method::Exemplars(Exemplars {
            gate: false,
            include: vec![7, 3],
            exclude: vec![900, 2, 2],
            ..Exemplars::default()
        }),
    ]
}

fn compare<T: Float>(table: &[T], n: usize, l: usize, tolerance: f64) {
    let samples = Samples::new(table, n, l).unwrap();
    for method in methods() {
        let here = method.select(&samples, 20, &mut RunOptions::default()).unwrap();
        let mut parts = Parts::new(table, l, &[0, 1, 600, 601, 1400, n]);
        let there = parts.select(&method, 20).unwrap();
        assert_eq!(there.indices, here.indices, "{method:?}");
        // What is left to gain after as many picks as columns is a difference of sums as large as the first gain.
        let largest = here.scores.iter().copied().fold(0.0, f64::max);
        let close = |a: f64, b: f64| (a - b).abs() <= tolerance * largest.max(b.abs());
        assert!(there.scores.iter().zip(&here.scores).all(|(&a, &b)| close(a, b)), "{method:?}");
        assert_eq!(there.report.iterations, here.report.iterations);
        let (width, residual, label) = columns(&method);
        let numbers: Vec<f64> = parts.states.iter().flat_map(|state| state.numbers.clone()).collect();
        let root = if method.name() == "ted" { f64::sqrt } else { |value: f64| value };
        for (row, &residual_here) in numbers.chunks(width).zip(&here.residuals) {
            assert!((root(row[residual].max(0.0)) - residual_here).abs() <= tolerance.sqrt(), "{method:?}");
        }
        if let (Some(label), Some(here), Some(there)) = (label, here.assignment, there.assignment) {
            let labels: Vec<usize> = numbers.chunks(width).map(|row| row[label] as usize).collect();
            assert_eq!(labels, here.labels);
            assert!(there.shares.iter().zip(&here.shares).all(|(&a, &b)| close(a, b)));
            assert!(there.coverage.iter().zip(&here.coverage).all(|(&a, &b)| close(a, b)));
        }
    }
}

#[test]
fn parts_of_a_table_choose_as_the_table_does() {
    let (n, l) = (2500, 6);
    let table = common::clusters(n, l, 3);
    compare(&table, n, l, 1e-10);
    compare(&common::cast::<f32>(&table), n, l, 1e-3);
}

fn streamed<T: Float>(table: &[T], l: usize, method: &Method, room: usize) -> Result<Selection, Error> {
    let zero = |count: usize| vec![T::from_f64(0.0); count];
    let source = Outside(Mutex::new(table.to_vec()), l);
    let values = Outside(Mutex::new(zero(table.len())), room);
    let numbers = Outside(Mutex::new(vec![0.0; table.len() / l * 8]), room);
    let stream = Stream { source: &source, values: &values, numbers: &numbers, memory: 1 << 18 };
    stream.select(method, Count::Exactly(20), &mut RunOptions { threads: 2, ..RunOptions::default() })
}

#[test]
fn rows_read_when_needed_give_the_same_bits() {
    let (n, l) = (9000, 6);
    let table = common::clusters(n, l, 4);
    let short = common::cast::<f32>(&table);
    for method in methods() {
        let (mut here, mut there) = (
            method.select(&Samples::new(&table, n, l).unwrap(), 20, &mut RunOptions::default()).unwrap(),
            streamed(&table, l, &method, usize::MAX).unwrap(),
        );
        if method.name() == "exemplars" {
            assert_eq!((&here.indices, &here.scores), (&there.indices, &there.scores), "{method:?}");
            assert_eq!(here.assignment, there.assignment);
            assert_eq!(here.residuals, there.residuals);
        } else {
            // Seconds differ, and NaN is not itself.
            (here.report.seconds, here.report.history) = (Default::default(), Vec::new());
            (there.report.seconds, there.report.history) = (Default::default(), Vec::new());
            assert_eq!(here, there, "{method:?}");
        }
        let here = method.select(&Samples::new(&short, n, l).unwrap(), 20, &mut RunOptions::default()).unwrap();
        let there = streamed(&short, l, &method, usize::MAX).unwrap();
        assert_eq!((here.indices, here.scores), (there.indices, there.scores), "{method:?}");
    }
    let full = streamed(&table, l, &Method::Rrss(Rrss::default()), 10).unwrap_err();
    assert_eq!(full.to_string(), "the disk is full");
}

/// Rows of nearly one length: norms rule out nothing, so that terms are drawn, and everybody has to draw the same.
#[test]
fn a_sampled_ranking_is_the_same_wherever_the_rows_are() {
    let (n, l) = (9000, 6);
    let mut table = common::noise_table(n, l, 8);
    for (at, row) in table.chunks_exact_mut(l).enumerate() {
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt() * (1.0 + (at * 7919 % 1009) as f64 / 2000.0);
        row.iter_mut().for_each(|x| *x /= length);
    }
    let samples = Samples::new(&table, n, l).unwrap();
    let paper = Method::Arss(Arss { max_iterations: 12, ..Arss::paper() });
    for method in [paper, Method::Rrss(Rrss { max_iterations: 12, ..Rrss::default() })] {
        let run = |all_scores, threads| {
            let mut run = RunOptions { all_scores, threads, ..RunOptions::default() };
            method.select(&samples, 20, &mut run).unwrap()
        };
        let (here, exact) = (run(false, 1), run(true, 1));
        assert!(here.report.rows_scored < exact.report.rows_scored, "{method:?}: {}", here.report.rows_scored);
        assert_eq!((&here.indices, &here.scores), (&exact.indices, &exact.scores), "{method:?}");
        let there = streamed(&table, l, &method, usize::MAX).unwrap();
        let parts = Parts::new(&table, l, &[0, 1, 600, 4601, 8400, n]).select(&method, 20).unwrap();
        assert_eq!(parts.indices, here.indices, "{method:?}");
        for other in [run(false, 2), run(false, 8), there] {
            assert_eq!((&other.indices, &other.scores), (&here.indices, &here.scores), "{method:?}");
            assert_eq!(other.report.rows_scored, here.report.rows_scored, "{method:?}");
        }
    }
}

/// More rows alike than are summed exactly: the answer says so, and by how much a pick can be wrong.
#[test]
fn ties_beyond_the_budget_are_told() {
    let (n, l) = (70_000, 3);
    let table: Vec<f64> = (0..n).flat_map(|row| [[1.0, 0.0, 0.5], [0.2, 1.0, 0.0]][row % 2]).collect();
    let method = Arss { max_iterations: 3, ..Arss::paper() };
    let found = method.select(&Samples::new(&table, n, l).unwrap(), 5).unwrap();
    let told = found.report.notes.iter().find(|note| matches!(note, Note::Ties { .. })).expect("a note");
    let Note::Ties { picks, others, within } = *told else { unreachable!() };
    assert_eq!(picks, 5);
    assert!(others > 1000 && others < n && (0.0..0.03).contains(&within), "{told:?}");
    assert!(told.to_string().starts_with("the last 5 picks are within "), "{told}");
}

/// Above 8192 rows the picks are refined; a pick may then only become a row of its own group.
#[test]
fn refined_picks_keep_to_their_quotas_wherever_the_rows_are() {
    let (n, l) = (9000, 6);
    let table = common::clusters(n, l, 4);
    let samples = Samples::new(&table, n, l).unwrap();
    let of: Vec<usize> = (0..n).map(|row| row % 7 % 3).collect();
    for (quotas, wanted) in [(Quotas::AtMost(vec![2, 13, 5]), [2, 13, 5]), (Quotas::Proportional, [8, 6, 6])] {
        let with = |refine: usize| {
            let groups = Some(Groups { of: of.clone(), quotas: quotas.clone() });
            let settings = Exemplars { groups, refine, include: vec![8], exclude: vec![0, 1], ..Exemplars::default() };
            Method::Exemplars(settings)
        };
        let here = with(4).select(&samples, 20, &mut RunOptions::default()).unwrap();
        let mut counts = [0; 3];
        here.indices.iter().for_each(|&row| counts[of[row]] += 1);
        assert_eq!(counts, wanted, "{quotas:?}: {:?}", here.indices);
        assert!(here.indices[0] == 8 && !here.indices.contains(&0) && !here.indices.contains(&1));
        assert!((1..20).all(|at| !here.indices[..at].contains(&here.indices[at])), "{:?}", here.indices);

        let there = streamed(&table, l, &with(4), usize::MAX).unwrap();
        assert_eq!((&there.indices, &there.scores), (&here.indices, &here.scores), "{quotas:?}");
        assert_eq!(there.assignment, here.assignment);
        let threads = RunOptions { threads: 3, ..RunOptions::default() };
        assert_eq!(with(4).select(&samples, 20, &mut { threads }).unwrap().indices, here.indices);
        // The refinement did something, or the test would show nothing.
        assert_ne!(with(0).select(&samples, 20, &mut RunOptions::default()).unwrap().indices, here.indices);
    }
}

#[test]
fn extreme_values_are_scaled_as_in_memory() {
    let (n, l) = (300, 4);
    let table: Vec<f64> = common::clusters(n, l, 5).iter().map(|value| value * 1e200).collect();
    let method = Method::Rrss(Rrss::default());
    let here = method.select(&Samples::new(&table, n, l).unwrap(), 5, &mut RunOptions::default()).unwrap();
    let there = Parts::new(&table, l, &[0, 100, n]).select(&method, 5).unwrap();
    assert_eq!(there.indices, here.indices);
    assert!((there.report.objective / here.report.objective - 1.0).abs() < 1e-10);
}

#[test]
fn what_cannot_be_done_in_parts_is_refused() {
    let mut table = common::clusters(50, 4, 1);
    let refused = |method: Method| Parts::new(&table, 4, &[0, 20, 50]).select(&method, 3).unwrap_err().to_string();
    assert!(
        refused(Method::Arss(Arss { diverse: true, ..Arss::default() })).contains("a diverse choice needs the whole")
    );
    assert!(refused(Method::KMeans(Default::default())).starts_with("kmeans needs the whole table in memory"));
    let wide = Parts::new(&table, 40, &[0, 5]).select(&Method::Ted(Ted::default()), 2).unwrap_err();
    assert!(wide.to_string().starts_with("a table with no more rows than columns"));

    table[4 * 30 + 2] = f64::NAN;
    let error = Parts::new(&table, 4, &[0, 20, 50]).select(&Method::Ted(Ted::default()), 3).unwrap_err();
    assert!(matches!(error, Error::NotFinite { row: 30, column: 2, .. }));
    let rows = RowsOf { data: &table[..], shape: (50, 4), strides: (4, 1) };
    assert!(step_on(b"nonsense", &rows, 0, &mut RowState { values: Vec::new(), numbers: Vec::new() }).is_err());
}

/// Above 524,288 rows the row nearest to each centre is looked for among a part of them, the same part wherever they are.
#[test]
fn picks_of_a_large_table_are_refined_alike_wherever_the_rows_are() {
    let (n, l) = (540_000, 2);
    let table = common::clusters(n, l, 4);
    let samples = Samples::new(&table, n, l).unwrap();
    let method = Method::Exemplars(Exemplars { landmarks: 24, refine: 1, ..Exemplars::default() });
    let here = method.select(&samples, 20, &mut RunOptions::default()).unwrap();
    let there = streamed(&table, l, &method, usize::MAX).unwrap();
    assert_eq!((&there.indices, &there.scores), (&here.indices, &here.scores));
    let threads = RunOptions { threads: 3, ..RunOptions::default() };
    assert_eq!(method.select(&samples, 20, &mut { threads }).unwrap().indices, here.indices);
}
