//! What is usual in the table: measured on all rows, or on a sample of many.

use crate::charts::projection::{median, quantile, unit};
use crate::sample::sample;
use crate::subject::Subject;

/// Most rows that are measured, and most of their values; the fewest rows.
const ROWS: usize = 20_000;
const VALUES: usize = 2_000_000;
const FEWEST: usize = 500;

/// Some of the items with their values, and what is usual among those that are no outliers.
#[derive(Debug)]
pub struct Measured {
    /// The items, in the order of the file.
    pub items: Vec<usize>,
    /// Which of them are no outliers; all, if all are.
    pub ordinary: Vec<bool>,
    /// Values of an item.
    pub width: usize,
    /// Their values, one item after the other.
    pub values: Vec<f64>,
    /// The median of each column among the ordinary ones,
    pub typical: Vec<f64>,
    /// and its size: about its standard deviation, were it normal; 0 if it is constant.
    pub units: Vec<f64>,
    /// The mean distance of an ordinary item from the typical one.
    pub reach: f64,
}

impl Measured {
    /// What is usual in `subject`.
    pub fn new(subject: &Subject<'_>) -> Self {
        // Columns have no columns to differ in.
        let width = if subject.chose_columns { 0 } else { subject.features() };
        let most = ROWS.min((VALUES / width.max(1)).max(FEWEST));
        let mut items = sample(if width == 0 { 0 } else { subject.items() }, most);
        items.sort_unstable();
        let features: Vec<usize> = (0..width).collect();
        let mut values = Vec::with_capacity(items.len() * width);
        subject.visit(&items, &features, |_, row| values.extend_from_slice(row));
        items.truncate(values.len() / width.max(1));
        let inside: Vec<bool> = items.iter().map(|&item| !subject.is_outlier(item)).collect();
        let ordinary = if inside.contains(&true) { inside } else { vec![true; items.len()] };
        let mut measured =
            Measured { items, ordinary, width, values, typical: Vec::new(), units: Vec::new(), reach: 0.0 };
        for column in 0..width {
            let of_column = measured.column(column);
            let middle = median(of_column.clone());
            measured.typical.push(middle);
            measured.units.push(unit(&of_column, middle));
        }
        let (mut sum, mut count) = (0.0, 0usize);
        for (_, row) in measured.ordinary_rows() {
            sum += distance(row, &measured.typical);
            count += 1;
        }
        measured.reach = sum / count.max(1) as f64;
        measured
    }

    /// True if every item was measured.
    pub fn is_whole(&self, subject: &Subject<'_>) -> bool {
        self.items.len() == subject.items()
    }

    /// The values of the item at place `at`.
    pub fn row(&self, at: usize) -> &[f64] {
        &self.values[at * self.width..(at + 1) * self.width]
    }

    /// The values of a column among the ordinary items.
    pub fn column(&self, column: usize) -> Vec<f64> {
        self.ordinary_rows().map(|(_, row)| row[column]).collect()
    }

    /// The ordinary items with their values.
    pub fn ordinary_rows(&self) -> impl Iterator<Item = (usize, &[f64])> {
        let rows = self.values.chunks_exact(self.width.max(1)).zip(&self.items).zip(&self.ordinary);
        rows.filter(|(_, ordinary)| **ordinary).map(|((row, &item), _)| (item, row))
    }

    /// How far a value is from the typical one of its column, in usual deviations; 0 in a constant column.
    pub fn deviation(&self, column: usize, value: f64) -> f64 {
        if self.units[column] > 0.0 { (value - self.typical[column]) / self.units[column] } else { 0.0 }
    }

    /// An ordinary item that has the typical value of a column, or the next lower one that there is; `fits` may refuse
    /// some.
    pub fn typical_item(&self, column: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let mut order: Vec<(f64, usize)> = self.ordinary_rows().map(|(item, row)| (row[column], item)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let middle = order.partition_point(|(value, _)| *value < self.typical[column]);
        let around = (middle..order.len()).chain((0..middle).rev());
        around.take(TRIES).map(|at| order[at].1).find(|&item| fits(item))
    }
}

/// Items that are tried for a typical value that stands in the file.
const TRIES: usize = 200;

/// The distance of two rows.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Where a share of the values lies: from the first to the second quantile.
pub fn interval(values: Vec<f64>, share: f64) -> [f64; 2] {
    let cut = (1.0 - share) / 2.0;
    [quantile(values.clone(), cut), quantile(values, 1.0 - cut)]
}
