//! The bounds and the ranking against exact sums, over tables made to break them.

use super::*;
use crate::exec::{Accumulator, BlockState, PassResult, RowAttributes, RowBlock};
use crate::linalg::rng::{generator, uniform};
use crate::row_view::RowView;

const L: usize = 5;
/// Weight, norm, bound.
const COLUMNS: Columns = Columns { weight: 0, norm: 1, bound: 2, width: 3, divisor: 2.0 };

/// Rows with their values f and numbers, in blocks of 300.
struct Table {
    rows: Vec<f64>,
    values: Vec<f64>,
    numbers: Vec<f64>,
}

impl RowBackend for Table {
    fn items(&self) -> usize {
        self.rows.len() / L
    }

    fn features(&self) -> usize {
        L
    }

    fn view(&self) -> RowView {
        RowView::PLAIN
    }

    fn pass(&mut self, step: &Step) -> Result<PassResult, Error> {
        step.spec().check(L)?;
        let (ready, mut sums) = (step.prepare::<f64>(), Accumulator::new(&step.spec().output(L)));
        for first in (0..self.items()).step_by(300) {
            let end = (first + 300).min(self.items());
            let values = &self.rows[first * L..end * L];
            let attributes = RowAttributes::default();
            let block = RowBlock { values, entries: None, first, rows: end - first, features: L, attributes };
            let state = BlockState {
                values: &mut self.values[first * L..end * L],
                numbers: &mut self.numbers[first * COLUMNS.width..end * COLUMNS.width],
            };
            ready.visit(&mut sums, &block, state);
        }
        Ok(sums.finish())
    }

    fn column(&mut self, at: usize) -> Result<Option<Vec<f64>>, Error> {
        Ok(Some(self.numbers.iter().skip(at).step_by(COLUMNS.width).copied().collect()))
    }

    fn values(&mut self) -> Result<Option<Vec<f64>>, Error> {
        Ok(None)
    }
}

impl Table {
    /// The table with weights of 1 to 1.2 and the norms that follow; and the exact row sums.
    fn new(rows: Vec<f64>, values: Vec<f64>) -> (Self, Vec<f64>) {
        let items = rows.len() / L;
        let (mut numbers, mut exact) = (Vec::new(), Vec::new());
        for (n, row) in rows.chunks_exact(L).enumerate() {
            let weight = 1.0 + 0.2 * (n % 7) as f64 / 7.0;
            let terms = values.chunks_exact(L).map(|f| row.iter().zip(f).map(|(x, f)| x * f).sum::<f64>());
            let (sum, square) = terms.fold((0.0, 0.0), |(sum, square), y| (sum + y.abs(), square + y * y));
            exact.push(weight / COLUMNS.divisor * sum);
            numbers.extend([weight, weight / COLUMNS.divisor * square.sqrt(), f64::NAN]);
        }
        assert_eq!(numbers.len(), items * COLUMNS.width);
        (Table { rows, values, numbers }, exact)
    }
}

fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut generator = generator(seed);
    (0..count).map(|_| (0..12).map(|_| uniform(&mut generator)).sum::<f64>() - 6.0).collect()
}

fn unit(mut rows: Vec<f64>) -> Vec<f64> {
    for row in rows.chunks_exact_mut(L) {
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        row.iter_mut().for_each(|x| *x /= length);
    }
    rows
}

/// Tables of n rows, each with values for n terms.
fn adversaries(n: usize) -> Vec<(&'static str, Vec<f64>, Vec<f64>)> {
    let table = |seed| noise(n * L, seed);
    let with = |mut values: Vec<f64>, change: &dyn Fn(usize, &mut f64)| {
        values.iter_mut().enumerate().for_each(|(at, value)| change(at, value));
        values
    };
    let rank_one = |seed| with(table(seed), &|at, value| *value = (1 + at / L % 9) as f64 * (at % L + 1) as f64);
    vec![
        ("normal", table(1), table(2)),
        ("unit rows", unit(table(3)), unit(table(4))),
        ("copies", with(table(5), &|at, value| *value = (at % (3 * L)) as f64), table(6)),
        ("one huge row", with(table(7), &|at, x| *x *= if at / L == 77 { 1e9 } else { 1.0 }), table(8)),
        ("one huge term", table(9), with(table(10), &|at, f| *f *= if at / L == 77 { 1e9 } else { 1.0 })),
        ("rank one", rank_one(11), rank_one(12)),
        ("terms of rank one", table(13), rank_one(14)),
        ("sparse", table(15), with(table(16), &|at, f| *f *= f64::from(u8::from(at % 97 == 0)))),
        ("columns of other sizes", with(table(17), &|at, x| *x *= 1e8f64.powi((at % L) as i32 - 2)), {
            with(table(18), &|at, f| *f *= 1e8f64.powi(2 - (at % L) as i32))
        }),
    ]
}

fn ranking(k: usize, items: usize) -> Ranking<'static> {
    let scores = Scores { values: Vec::new(), stopped: false, note: None };
    let rule = Rule { items, sparse: None, rank: Rank::Sum };
    Ranking { columns: &COLUMNS, rule, best: Best::new(k), scores, next: Next::ByNorm(None), slack: 0.0 }
}

#[test]
fn no_sum_exceeds_its_bound() {
    let n = 4000;
    for (name, rows, values) in adversaries(n) {
        let (mut table, exact) = Table::new(rows, values);
        let mut ranking = ranking(3, n);
        let terms = Terms::weigh(&mut table).unwrap().unwrap();
        let mut widest = f64::INFINITY;
        for (seed, count) in [(0, 64), (1, 500), (2, 2000)] {
            let doubt = (16.0 * n as f64 / DOUBT).ln();
            let sample = terms.draw(&mut table, (count, SHAPES), (seed, doubt)).unwrap();
            let drawn = sample.shares.len();
            // Fewer where large terms are drawn anyway.
            assert!((count / 4..2 * count).contains(&drawn), "{name}: {drawn} of {count}");
            ranking.bound(&mut table, Some(sample)).unwrap();
            let bounds = table.column(COLUMNS.bound).unwrap().unwrap();
            for (row, (sum, bound)) in exact.iter().zip(&bounds).enumerate() {
                assert!(*sum <= bound * (1.0 + 1e-12), "{name}: row {row} has {sum}, bound {bound}");
            }
            let ratios = exact.iter().zip(&bounds).filter(|(sum, _)| **sum > 0.0).map(|(sum, bound)| bound / sum);
            widest = ratios.fold(0.0, f64::max);
        }
        // Like terms are what the first shape is made for. For any others the proof allows for twice the sum and a little.
        let like = ["normal", "unit rows", "copies", "one huge row"].contains(&name);
        let limit = if like { 1.12 } else { 2.2 };
        assert!(widest < limit, "{name}: {widest}");
    }
}

#[test]
fn probabilities_are_half_even_and_half_by_lewis_weights() {
    let (rows, values) = (noise(3000 * L, 1), unit(noise(3000 * L, 2)));
    let (mut table, _) = Table::new(rows, values);
    let sample = Terms::weigh(&mut table).unwrap().unwrap().draw(&mut table, (500, 1), (0, 30.0)).unwrap();
    // Terms of one length in all directions are all alike.
    let (least, most) = sample.shares.iter().fold((f32::MAX, 0.0f32), |(a, b), &share| (a.min(share), b.max(share)));
    assert!(least > 0.0019 && most < 0.0021, "{least} {most}");
    // A term a thousand times as long is always drawn, and its weight is known, not guessed.
    let mut values = unit(noise(3000 * L, 2));
    values[77 * L..78 * L].iter_mut().for_each(|value| *value *= 1e5);
    let (mut table, _) = Table::new(noise(3000 * L, 1), values);
    for seed in 0..5 {
        let sample = Terms::weigh(&mut table).unwrap().unwrap().draw(&mut table, (100, 1), (seed, 30.0)).unwrap();
        assert_eq!(sample.spreads.iter().filter(|&&spread| spread == 0.0).count(), 1);
    }
}

/// Large enough for samples of two sizes, and still exact: all that is open at the end is summed.
#[test]
fn the_ranking_is_that_of_the_exact_sums() {
    let n = 17_000;
    for (name, rows, values) in adversaries(n).into_iter().take(5) {
        let (mut table, exact) = Table::new(rows, values);
        let rule = Rule { items: n, sparse: None, rank: Rank::Sum };
        let scores = row_sums(&mut table, &COLUMNS, 40, rule, &mut RunOptions::default()).unwrap();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| exact[b].total_cmp(&exact[a]).then(a.cmp(&b)));
        let (found, top) = scores.top(40);
        // Sums of copies are equal but for rounding.
        let close = |(at, score): (usize, f64)| (score / exact[order[at]] - 1.0).abs() < 1e-12;
        assert!(top.into_iter().enumerate().all(close), "{name}");
        assert!(name == "copies" || found == order[..40], "{name}");
        assert_eq!(scores.note, None, "{name}");
    }
}

#[test]
fn all_zero_terms_have_no_weights() {
    let (mut table, _) = Table::new(noise(10 * L, 1), vec![0.0; 10 * L]);
    assert!(Terms::weigh(&mut table).unwrap().is_none());
}
