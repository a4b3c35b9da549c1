//! Why a row is strange: the columns in which it differs most from its nearest exemplar.
//!
//! Differences are counted in usual ones: 1.483 times the median difference of the rows that are no outliers from
//! their own exemplars in that column. Where most of those are 0, their root mean square is the unit; where all are, the
//! column's root mean square distance from its mean.
//!
//! A row beyond the gate may be like its exemplar in every column, which is then the one that comes nearest. What such a row
//! differs from is the median of each column.

use arss::Selection;
use arss_table::Table;
use arss_table::numeric_view::NumericView;

use crate::{median, sample};

/// Most columns that are named.
const NAMED: usize = 3;
/// Differences below so many usual ones are not worth naming after the first.
const WORTH: f64 = 2.0;
/// From so many usual ones on a cell is marked, named or not; most cells of a row that are.
const FAR: f64 = 4.0;
const MARKED: usize = 12;
/// Rows that the usual difference is measured on; of more, a sample.
const MEASURED: usize = 20_000;

/// One of the columns that make a row strange.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reason {
    /// The column, counted among the numeric ones.
    pub column: usize,
    /// How far the row is above its exemplar there, in usual differences.
    pub difference: f64,
}

/// Knows why a row is strange.
#[derive(Debug)]
pub struct Reasons<'a> {
    cells: NumericView<'a>,
    /// The columns that say who is an outlier.
    columns: Vec<usize>,
    /// The nearest exemplar of each row.
    exemplars: Vec<usize>,
    /// The usual difference, a column.
    units: Vec<f64>,
    /// The median of each column, and the usual distance from it.
    usual: Vec<(f64, f64)>,
    /// The rows beyond the gate.
    strange: Vec<bool>,
}

impl<'a> Reasons<'a> {
    /// The reasons for the outlier scores of `selection`, which were told by `columns` or by all; `None` if it does not
    /// say what its picks stand for.
    pub fn new(cells: NumericView<'a>, columns: Option<Vec<usize>>, selection: &Selection) -> Option<Self> {
        let labels = &selection.assignment.as_ref()?.labels;
        let exemplars: Vec<usize> = labels.iter().map(|&label| selection.indices[label]).collect();
        let ordinary = |row: &usize| selection.residuals[*row] <= 1.0;
        let mut measured: Vec<usize> = sample(cells.rows, MEASURED).into_iter().filter(ordinary).collect();
        if measured.is_empty() {
            measured = sample(cells.rows, MEASURED);
        }
        let unit = |column: usize| {
            let difference = |&row: &usize| (cells.get(row, column) - cells.get(exemplars[row], column)).abs();
            usual_size(measured.iter().map(difference).collect(), &cells, column)
        };
        let units = (0..cells.columns).map(unit).collect();
        let usual = |column: usize| {
            let centre = median(measured.iter().map(|&row| cells.get(row, column)).collect());
            let all = measured.iter().map(|&row| (cells.get(row, column) - centre).abs()).collect();
            (centre, usual_size(all, &cells, column))
        };
        let usual = (0..cells.columns).map(usual).collect();
        let columns = columns.filter(|columns| !columns.is_empty()).unwrap_or_else(|| (0..cells.columns).collect());
        let strange = selection.residuals.iter().map(|score| *score > 1.0).collect();
        Some(Reasons { cells, columns, exemplars, units, usual, strange })
    }

    /// The nearest exemplar of `row`.
    pub fn exemplar(&self, row: usize) -> usize {
        self.exemplars[row]
    }

    /// Up to three columns in which `row` differs most from its exemplar, the largest difference first; none if it
    /// does not differ. Cells of `table` that were filled in are no reason: they say nothing of the row.
    pub fn of(&self, row: usize, table: &Table) -> Vec<Reason> {
        let mut found: Vec<Reason> = self.largest(row, table).take(NAMED).collect();
        let first = found.first().map_or(0.0, |reason| reason.difference.abs());
        found.retain(|reason| reason.difference.abs() >= WORTH.min(first));
        found
    }

    /// The same, and whatever else is far out: nobody should wonder why a cell is not marked.
    pub fn marks(&self, row: usize, table: &Table) -> Vec<Reason> {
        let mut found = self.of(row, table);
        let far = self.largest(row, table).take_while(|reason| reason.difference.abs() >= FAR);
        found.extend(far.take(MARKED).skip(found.len()));
        found
    }

    /// The differences of a row that say something, the largest first.
    fn largest(&self, row: usize, table: &Table) -> impl Iterator<Item = Reason> {
        let exemplar = self.exemplars[row];
        let difference = |column: usize| {
            let difference = (self.cells.get(row, column) - self.cells.get(exemplar, column)) / self.units[column];
            Reason { column, difference }
        };
        let from_median = |column: usize| {
            let (centre, unit) = self.usual[column];
            Reason { column, difference: (self.cells.get(row, column) - centre) / unit }
        };
        let mut all: Vec<Reason> = self.columns.iter().copied().map(difference).collect();
        if self.strange[row] && all.iter().all(|reason| reason.difference.abs() < WORTH) {
            all = self.columns.iter().copied().map(from_median).collect();
        }
        all.sort_by(|a, b| b.difference.abs().total_cmp(&a.difference.abs()).then(a.column.cmp(&b.column)));
        // Asking whether a cell was filled in takes the whole row: only of those that are looked at.
        all.into_iter()
            .take_while(|reason| reason.difference != 0.0)
            .filter(move |reason| !table.is_filled_in(row, reason.column))
    }

    /// The reasons in words: `slope +8.1, width -3.2`.
    pub fn text(&self, row: usize, table: &Table) -> String {
        let words: Vec<String> = self
            .of(row, table)
            .iter()
            .map(|reason| format!("{} {}", table.feature_names[reason.column], signed(reason.difference)))
            .collect();
        if words.is_empty() { "-".to_owned() } else { words.join(", ") }
    }
}

/// What is usual of some differences in a column, larger than 0.
fn usual_size(all: Vec<f64>, cells: &NumericView<'_>, column: usize) -> f64 {
    let square = all.iter().map(|value| value * value).sum::<f64>() / all.len() as f64;
    let found = [1.483 * median(all), square.sqrt()].into_iter().find(|size| *size > 0.0);
    // Two walks over all rows: only where nothing else tells.
    found.or_else(|| Some(spread(cells, column)).filter(|size| *size > 0.0)).unwrap_or(1.0)
}

/// The root mean square distance of a column from its mean.
fn spread(cells: &NumericView<'_>, column: usize) -> f64 {
    let count = cells.rows as f64;
    let values = || (0..cells.rows).map(|row| cells.get(row, column));
    let mean = values().sum::<f64>() / count;
    (values().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count).sqrt()
}

/// `8.13` as `+8.1`, `81.3` as `+81`, `1234567` as `+1.2e6`.
fn signed(value: f64) -> String {
    match value.abs() {
        size if size >= 1e4 => format!("{value:+.1e}"),
        size if size >= 10.0 => format!("{value:+.0}"),
        _ => format!("{value:+.1}"),
    }
}

#[cfg(test)]
mod tests {
    use arss::{Exemplars, RunOptions, Samples, Selector};

    use super::*;
    use arss_table::{Matrix, ReadOptions};

    /// Two groups of rows, one row with the first column of one group and the second of the other, and one without its
    /// first number and far out in the second.
    fn crossed() -> Table {
        let mut text = "first,second,third\n".to_owned();
        for row in 0..60 {
            let (side, wave) = (f64::from(row % 2) * 10.0, (f64::from(row) * 1.7).sin() * 0.2);
            text += &format!("{},{},{}\n", side + wave, side - wave, 3 + row % 3);
        }
        text += "0.0,10.0,3\n,900,3\n";
        arss_table::read_bytes(text.as_bytes(), "crossed.csv", &ReadOptions::default()).unwrap()
    }

    #[test]
    fn a_row_that_no_single_column_gives_away_is_explained() {
        let table = crossed();
        let Matrix::F64(matrix) = &table.matrix else { panic!() };
        let samples: Samples<'_, f64> = matrix.samples().unwrap();
        let selection = Exemplars::default().select_auto(&samples, &mut RunOptions::default()).unwrap();
        let reasons = Reasons::new(NumericView::new(&table.matrix).unwrap(), None, &selection).unwrap();
        let found = reasons.of(60, &table);
        // Its exemplar is of one group, so one column differs; which group is nearer is a matter of decimals.
        assert!(found[0].column < 2 && found[0].difference.abs() > 10.0, "{found:?}");
        assert!(found.iter().all(|reason| reason.column < 2), "{found:?}");
        assert!(reasons.text(60, &table).contains(if found[0].column == 0 { "first" } else { "second" }));
        assert_eq!(reasons.text(selection.indices[0], &table), "-");
        let marks = reasons.marks(60, &table);
        assert_eq!(marks[..found.len()], found);
        assert!(marks[found.len()..].iter().all(|mark| mark.difference.abs() >= FAR), "{marks:?}");
        assert!(reasons.units.iter().all(|unit| unit.is_finite() && *unit > 0.0));
        // The first number of the last row was filled in.
        let found = reasons.of(61, &table);
        assert!(found[0].column == 1 && found.iter().all(|reason| reason.column != 0), "{found:?}");
    }

    #[test]
    fn a_strange_row_like_its_exemplar_differs_from_the_medians() {
        let rows: String = (0..40).map(|row| format!("{},{}\n", row % 5, if row % 8 == 3 { 4 } else { 1 })).collect();
        let table =
            arss_table::read_bytes(format!("a,b\n{rows}").as_bytes(), "t.csv", &ReadOptions::default()).unwrap();
        let Matrix::F64(matrix) = &table.matrix else { panic!() };
        let mut selection = Exemplars::default().select(&matrix.samples().unwrap(), 2).unwrap();
        let view = || NumericView::new(&table.matrix).unwrap();
        let pick = (0..40).find(|row| row % 8 == 3).unwrap();
        (selection.indices, selection.assignment.as_mut().unwrap().labels) = (vec![pick, 0], vec![0; 40]);
        let of = |selection: &Selection| Reasons::new(view(), None, selection).unwrap().of(pick, &table);
        selection.residuals[pick] = 0.5;
        assert!(of(&selection).is_empty());
        selection.residuals[pick] = 2.0;
        assert_eq!(of(&selection)[0].column, 1);
    }

    #[test]
    fn numbers_with_a_sign() {
        assert_eq!([8.13, -0.5, 81.3, 1_234_567.0].map(signed), ["+8.1", "-0.5", "+81", "+1.2e6"]);
    }
}
