//! Tables in parts, as they would be on other machines: the same picks as in memory.

use std::sync::Mutex;

use arss::distributed::{Access, RemoteTable, RowState, RowsOf, access, columns, merge, select, step_on};
use arss::out_of_core::{RowSource, Store, Stream};
use arss::{
    Arss, Count, Error, Exemplars, Float, Gamma, Groups, Method, Quotas, Rrss, RunOptions, Samples, Selection, Ted,
};

mod common;

/// The parts of a table, with their state.
struct Parts<'a, T> {
    table: &'a [T],
    features: usize,
    /// Where each begins, and the end.
    cuts: Vec<usize>,
    states: Vec<RowState<T>>,
}

impl<'a, T: Float> Parts<'a, T> {
    fn new(table: &'a [T], features: usize, cuts: &[usize]) -> Self {
        let states = vec![RowState { values: Vec::new(), numbers: Vec::new() }; cuts.len() - 1];
        Parts { table, features, cuts: cuts.to_vec(), states }
    }

    fn pass(&mut self, request: &[u8]) -> Result<Vec<u8>, Error> {
        let mut sums = Vec::new();
        let (values, numbers) = access(request)?;
        let kept = self.states.clone();
        for (part, state) in self.states.iter_mut().enumerate() {
            let (first, end, l) = (self.cuts[part], self.cuts[part + 1], self.features);
            let rows = RowsOf { data: &self.table[first * l..end * l], shape: (end - first, l), strides: (l, 1) };
            sums.push(step_on(request, &rows, first, state)?);
        }
        // A step does what it says.
        for (before, after) in kept.iter().zip(&self.states) {
            assert!(values == Access::Change || before.values == after.values);
            assert!(numbers == Access::Change || before.numbers == after.numbers);
        }
        while sums.len() > 1 {
            sums = sums
                .chunks(2)
                .map(|pair| pair.iter().skip(1).try_fold(pair[0].clone(), |a, b| merge(&a, b)))
                .collect::<Result<_, _>>()?;
        }
        Ok(sums.remove(0))
    }

    fn select(&mut self, method: &Method, k: usize) -> Result<Selection, Error> {
        let (items, features) = (self.cuts[self.cuts.len() - 1], self.features);
        let table = RemoteTable { items, features, single: size_of::<T>() == 4 };
        select(method, table, Count::Exactly(k), &mut |request| self.pass(request), &mut RunOptions::default())
    }
}

fn methods() -> Vec<Method> {
    vec![
        Method::Arss(Arss::default()),
        Method::Arss(Arss { p: 1.0, gamma: Gamma::Ratio(0.3), ..Arss::default() }),
        Method::Arss(Arss::paper()),
        Method::Rrss(Rrss::default()),
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

/// A table, and room for state, in memory: only how they are reached differs.
struct Outside<N>(Mutex<Vec<N>>, usize);

impl<T: Float> RowSource<T> for Outside<T> {
    fn items(&self) -> usize {
        self.0.lock().unwrap().len() / self.1
    }

    fn features(&self) -> usize {
        self.1
    }

    fn read(&self, first: usize, rows: &mut [T]) -> Result<(), String> {
        rows.copy_from_slice(&self.0.lock().unwrap()[first * self.1..][..rows.len()]);
        Ok(())
    }
}

impl<N: Float> Store<N> for Outside<N> {
    fn read(&self, at: usize, numbers: &mut [N]) -> Result<(), String> {
        numbers.copy_from_slice(&self.0.lock().unwrap()[at..][..numbers.len()]);
        Ok(())
    }

    fn write(&self, at: usize, numbers: &[N]) -> Result<(), String> {
        if numbers.len() > self.1 {
            return Err("the disk is full".into());
        }
        self.0.lock().unwrap()[at..][..numbers.len()].copy_from_slice(numbers);
        Ok(())
    }
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
    let (n, l) = (6000, 6);
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

/// Above 4096 rows the picks are refined; a pick may then only become a row of its own group.
#[test]
fn refined_picks_keep_to_their_quotas_wherever_the_rows_are() {
    let (n, l) = (6000, 6);
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
