//! How good a choice is: the same measures for every method.

use std::cmp::Ordering;
use std::collections::HashSet;

use arss_report::sample;
use arss_table::numeric_view::NumericView;

/// Multiplications of one judgement; where all rows would take more, a sample of the rows is judged.
const WORK: usize = 400_000_000;
/// Most and fewest rows that are judged.
const ROWS: (usize, usize) = (20_000, 1000);
/// A part of a pick that is shorter than this share of it adds no dimension.
const FLAT: f64 = 1e-10;
/// Errors below this are rounding.
const ROUNDING: f64 = 1e-6;

/// What is found about one choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Mean distance of the rows that are no outliers to their nearest pick.
    pub distance: f64,
    /// Picks that are outliers.
    pub outliers: f64,
    /// What is left of all rows when they are projected on the span of the picks, as a share of their length.
    pub reconstruction: f64,
    /// Share of the other rows whose nearest pick has their label.
    pub accuracy: Option<f64>,
}

/// Judges choices of the rows of one table.
#[derive(Debug)]
pub struct Judge<'a> {
    cells: NumericView<'a>,
    scores: &'a [f64],
    labels: Option<Vec<String>>,
    /// How many rows are chosen.
    pub k: usize,
    /// The rows that are judged, ascending.
    pub rows: Vec<usize>,
    /// True if no row is within the gate: then all rows count.
    all: bool,
}

impl<'a> Judge<'a> {
    /// For choices of `k` rows; outliers are those with a score above 1. Labels may be empty: those rows are not tested.
    pub fn new(cells: NumericView<'a>, scores: &'a [f64], labels: Option<Vec<String>>, k: usize) -> Self {
        let affordable = WORK / (k * cells.columns).max(1);
        let mut rows = sample(cells.rows, affordable.clamp(ROWS.1, ROWS.0));
        rows.sort_unstable();
        let all = !rows.iter().any(|&row| scores[row] <= 1.0);
        Judge { cells, scores, labels, k, rows, all }
    }

    /// Judges the rows `picks`.
    pub fn judge(&self, picks: &[usize]) -> Verdict {
        let width = self.cells.columns;
        let values = self.cells.gather(picks);
        let basis = basis(&values, width);
        let chosen: HashSet<usize> = picks.iter().copied().collect();
        let mut row_values = vec![0.0; width];
        let (mut distance, mut ordinary) = (0.0, 0usize);
        let (mut left, mut total) = (0.0, 0.0);
        let (mut right, mut tested) = (0usize, 0usize);
        for &row in &self.rows {
            self.cells.copy(row, &mut row_values);
            let (near, squared) = nearest(&row_values, &values);
            if self.all || self.scores[row] <= 1.0 {
                distance += squared.sqrt();
                ordinary += 1;
            }
            let size = dot(&row_values, &row_values);
            let explained: f64 = basis.chunks_exact(width).map(|axis| dot(axis, &row_values).powi(2)).sum();
            left += (size - explained).max(0.0);
            total += size;
            if let Some(label) = self.label(row).filter(|_| !chosen.contains(&row)) {
                tested += 1;
                right += usize::from(self.label(picks[near]) == Some(label));
            }
        }
        let error = if total > 0.0 { (left / total).sqrt() } else { 0.0 };
        Verdict {
            distance: distance / ordinary as f64 * self.cells.unit,
            outliers: picks.iter().filter(|&&pick| self.scores[pick] > 1.0).count() as f64,
            reconstruction: if error < ROUNDING { 0.0 } else { error },
            accuracy: (tested > 0).then(|| right as f64 / tested as f64),
        }
    }

    /// The number of rows that look like outliers.
    pub fn outliers(&self) -> usize {
        self.scores.iter().filter(|&&score| score > 1.0).count()
    }

    fn label(&self, row: usize) -> Option<&str> {
        let label = self.labels.as_ref()?[row].trim();
        (!label.is_empty()).then_some(label)
    }
}

impl Verdict {
    /// The better one first: by accuracy where it is known, then by distance.
    pub fn order(&self, other: &Verdict) -> Ordering {
        let accuracy = |verdict: &Verdict| verdict.accuracy.unwrap_or_default();
        accuracy(other).total_cmp(&accuracy(self)).then(self.distance.total_cmp(&other.distance))
    }

    /// The mean of several.
    pub fn mean(all: &[Verdict]) -> Verdict {
        let mean = |of: fn(&Verdict) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        let known = all.iter().all(|verdict| verdict.accuracy.is_some());
        Verdict {
            distance: mean(|verdict| verdict.distance),
            outliers: mean(|verdict| verdict.outliers),
            reconstruction: mean(|verdict| verdict.reconstruction),
            accuracy: known.then(|| mean(|verdict| verdict.accuracy.unwrap_or_default())),
        }
    }
}

/// The first of the nearest picks, and its squared distance.
fn nearest(row: &[f64], picks: &[f64]) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for (at, pick) in picks.chunks_exact(row.len()).enumerate() {
        let squared = row.iter().zip(pick).map(|(a, b)| (a - b) * (a - b)).sum();
        if squared < best.1 {
            best = (at, squared);
        }
    }
    best
}

/// Orthonormal rows that span those of `values`: Gram and Schmidt's, each row done twice.
fn basis(values: &[f64], width: usize) -> Vec<f64> {
    let mut basis: Vec<f64> = Vec::new();
    for row in values.chunks_exact(width) {
        if basis.len() == width * width {
            break;
        }
        let length = dot(row, row).sqrt();
        let mut rest = row.to_vec();
        for _ in 0..2 {
            for axis in basis.chunks_exact(width) {
                let along = dot(axis, &rest);
                rest.iter_mut().zip(axis).for_each(|(value, axis)| *value -= along * axis);
            }
        }
        let left = dot(&rest, &rest).sqrt();
        if left > FLAT * length {
            basis.extend(rest.iter().map(|value| value / left));
        }
    }
    basis
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arss_table::{DenseMatrix, Matrix};

    fn table(data: &[f64], columns: usize) -> Matrix {
        Matrix::F64(DenseMatrix { data: data.to_vec(), rows: data.len() / columns, columns, by_column: false })
    }

    #[test]
    fn the_measures_of_a_table_worked_out_by_hand() {
        // Two groups on the axes of the plane and one outlier.
        let values = table(&[3.0, 0.0, 4.0, 0.0, 0.0, 1.0, 0.0, 3.0, 30.0, 40.0], 2);
        let scores = [0.5, 0.5, 0.5, 0.5, 7.0];
        let labels = ["a", "a", "b", "b", ""].map(str::to_owned).to_vec();
        let judge = Judge::new(NumericView::new(&values).unwrap(), &scores, Some(labels), 2);
        assert_eq!(judge.rows, [0, 1, 2, 3, 4]);
        let both = judge.judge(&[0, 2]);
        assert_eq!((both.distance, both.outliers, both.reconstruction), (0.75, 0.0, 0.0));
        assert_eq!(both.accuracy, Some(1.0));
        let one = judge.judge(&[4, 1]);
        // The outlier is nearest to nobody: rows 0, 2 and 3 go to row 1, whose label two of them do not have.
        assert_eq!(one.outliers, 1.0);
        assert_eq!(one.accuracy, Some(1.0 / 3.0));
        assert!((one.distance - (1.0 + 17f64.sqrt() + 5.0) / 4.0).abs() < 1e-12);
        let single = judge.judge(&[1]);
        let left = (1.0 + 9.0 + 1600.0) / (9.0 + 16.0 + 1.0 + 9.0 + 2500.0f64);
        assert!((single.reconstruction - left.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_size_of_the_values_does_not_matter() {
        let plain = [1.0, 2.0, -3.0, 1.0, 2.0, 5.0, 4.0, 4.0];
        let scores = [0.1; 4];
        let verdict = |size: f64| {
            let values = table(&plain.map(|value| value * size), 2);
            Judge::new(NumericView::new(&values).unwrap(), &scores, None, 1).judge(&[2])
        };
        let wanted = verdict(1.0);
        for size in [1e200, 1e-200] {
            let found = verdict(size);
            assert!((found.distance / size - wanted.distance).abs() < 1e-12 * wanted.distance);
            assert!((found.reconstruction - wanted.reconstruction).abs() < 1e-12);
        }
    }

    #[test]
    fn copies_add_no_dimension_and_means_are_means() {
        assert_eq!(basis(&[1.0, 1.0, 2.0, 2.0, 1.0, 1.0 + 1e-13], 2).len(), 2);
        assert_eq!(basis(&[0.0, 0.0, 3.0, 4.0], 2), [0.6, 0.8]);
        let one = Verdict { distance: 1.0, outliers: 0.0, reconstruction: 0.5, accuracy: Some(0.5) };
        let two = Verdict { distance: 3.0, outliers: 1.0, reconstruction: 0.0, accuracy: Some(1.0) };
        let mean = Verdict { distance: 2.0, outliers: 0.5, reconstruction: 0.25, accuracy: Some(0.75) };
        assert_eq!(Verdict::mean(&[one, two]), mean);
        assert_eq!(Verdict::mean(&[one, Verdict { accuracy: None, ..two }]).accuracy, None);
    }
}
