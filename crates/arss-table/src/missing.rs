//! Missing values: found, and filled in or dropped with their rows.

use arss::Float;
use rayon::prelude::*;

use crate::TableError;
use crate::{ByName, DenseMatrix, Matrix};

/// What is done about missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Stop, naming the first cells.
    #[default]
    Error,
    /// Leave out rows that have any.
    Drop,
    /// Fill in the column's mean.
    Mean,
    /// Fill in the column's median.
    Median,
}

impl ByName for Missing {
    const ALL: &'static [(&'static str, Self, &'static str)] = &[
        ("error", Missing::Error, "Stop, naming the first cells"),
        ("drop", Missing::Drop, "Leave out rows that have any"),
        ("mean", Missing::Mean, "Fill in the column's mean"),
        ("median", Missing::Median, "Fill in the column's median"),
    ];
}

/// A cell that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BadCell {
    /// The row.
    pub row: usize,
    /// The column among the used ones.
    pub column: usize,
    /// NaN or infinite.
    pub value: f64,
}

/// What was done about missing values.
#[derive(Debug, Default, PartialEq)]
pub struct MissingReport {
    /// The rows that were kept, if some were dropped.
    pub kept: Option<Vec<usize>>,
    /// Cells that were filled in.
    pub filled: usize,
}

/// What was done, or the first cells that are in the way and how many there are.
pub type Handled = Result<MissingReport, (Vec<BadCell>, usize)>;

/// Does as asked; gives the first cells that are in the way, and how many there are, if it cannot.
pub fn handle(values: Matrix, how: Missing) -> Result<(Matrix, Handled), TableError> {
    Ok(match values {
        Matrix::F32(mut grid) => {
            let done = handle_grid(&mut grid, how);
            (Matrix::F32(grid), done)
        }
        Matrix::F64(mut grid) => {
            let done = handle_grid(&mut grid, how);
            (Matrix::F64(grid), done)
        }
        Matrix::Disk32(rows) => rows.handle(how).map(|(rows, done)| (Matrix::Disk32(rows), done))?,
        Matrix::Disk64(rows) => rows.handle(how).map(|(rows, done)| (Matrix::Disk64(rows), done))?,
    })
}

/// Cells named in a message.
pub const NAMED: usize = 3;

fn handle_grid<T: Float>(grid: &mut DenseMatrix<T>, how: Missing) -> Handled {
    let in_the_way = |value: f64| if how == Missing::Error { !value.is_finite() } else { value.is_infinite() };
    let bad: Vec<BadCell> = first_bad(grid, in_the_way);
    if !bad.is_empty() {
        let count = grid.data.iter().filter(|value| in_the_way(value.to_f64())).count();
        return Err((bad, count));
    }
    match how {
        Missing::Error => Ok(MissingReport::default()),
        Missing::Drop => Ok(MissingReport { kept: drop_rows(grid), filled: 0 }),
        Missing::Mean => Ok(MissingReport { kept: None, filled: fill(grid, mean) }),
        Missing::Median => Ok(MissingReport { kept: None, filled: fill(grid, median) }),
    }
}

/// The first few bad cells by row, then column.
fn first_bad<T: Float>(grid: &DenseMatrix<T>, is_bad: impl Fn(f64) -> bool + Sync) -> Vec<BadCell> {
    // The usual case is that there is none: one pass in the order of the memory tells.
    if !grid.data.par_chunks(1 << 16).any(|values| values.iter().any(|value| is_bad(value.to_f64()))) {
        return Vec::new();
    }
    let cells = (0..grid.rows).flat_map(|row| (0..grid.columns).map(move |column| (row, column)));
    let bad = cells.map(|(row, column)| BadCell { row, column, value: grid.get(row, column).to_f64() });
    bad.filter(|bad| is_bad(bad.value)).take(NAMED).collect()
}

/// Drops rows with a missing value; the rows that are left, if some were dropped.
fn drop_rows<T: Float>(grid: &mut DenseMatrix<T>) -> Option<Vec<usize>> {
    let whole = |row: usize| (0..grid.columns).all(|column| !grid.get(row, column).to_f64().is_nan());
    let kept: Vec<usize> = (0..grid.rows).filter(|&row| whole(row)).collect();
    if kept.len() == grid.rows {
        return None;
    }
    let mut is_kept = vec![false; grid.rows];
    kept.iter().for_each(|&row| is_kept[row] = true);
    let (rows, columns, by_column) = (grid.rows, grid.columns, grid.by_column);
    let mut at = 0;
    grid.data.retain(|_| {
        let row = if by_column { at % rows } else { at / columns };
        at += 1;
        is_kept[row]
    });
    grid.rows = kept.len();
    Some(kept)
}

/// Fills in what `of` makes of the values that are there; a column without any stays as it is.
fn fill<T: Float>(grid: &mut DenseMatrix<T>, of: impl Fn(&mut [f64]) -> f64) -> usize {
    let mut filled = 0;
    for column in 0..grid.columns {
        let cells: Vec<f64> = (0..grid.rows).map(|row| grid.get(row, column).to_f64()).collect();
        let mut there: Vec<f64> = cells.iter().copied().filter(|value| !value.is_nan()).collect();
        if there.len() == grid.rows || there.is_empty() {
            continue;
        }
        let value = T::from_f64(of(&mut there));
        for row in (0..grid.rows).filter(|&row| cells[row].is_nan()) {
            let at = grid.position(row, column);
            grid.data[at] = value;
            filled += 1;
        }
    }
    filled
}

/// The mean, without leaving the range of numbers.
pub fn mean(values: &mut [f64]) -> f64 {
    let largest = values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    values.iter().map(|value| value / largest).sum::<f64>() / values.len() as f64 * largest
}

/// The median; of an even number of values, the middle of the two.
pub fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if below.len() < middle || values.len() % 2 == 1 {
        return upper;
    }
    let lower = values[..middle].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    lower / 2.0 + upper / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: f64 = f64::NAN;

    fn grid(by_column: bool) -> DenseMatrix<f64> {
        let by_row = vec![1.0, 10.0, N, 20.0, 3.0, N, 8.0, 60.0];
        let data = if by_column { vec![1.0, N, 3.0, 8.0, 10.0, 20.0, N, 60.0] } else { by_row };
        DenseMatrix { data, rows: 4, columns: 2, by_column }
    }

    fn rows(grid: &DenseMatrix<f64>) -> Vec<[f64; 2]> {
        (0..grid.rows).map(|row| [grid.get(row, 0), grid.get(row, 1)]).collect()
    }

    #[test]
    fn each_way_in_both_layouts() {
        for by_column in [false, true] {
            let mut found = grid(by_column);
            let (bad, count) = handle_grid(&mut found, Missing::Error).unwrap_err();
            assert_eq!((bad[0].row, bad[0].column, bad.len(), count), (1, 0, 2, 2));
            let done = handle_grid(&mut found, Missing::Drop).unwrap();
            assert_eq!(done, MissingReport { kept: Some(vec![0, 3]), filled: 0 });
            assert_eq!(rows(&found), [[1.0, 10.0], [8.0, 60.0]]);
            let mut found = grid(by_column);
            assert_eq!(handle_grid(&mut found, Missing::Mean).unwrap().filled, 2);
            assert_eq!(rows(&found)[1..3], [[4.0, 20.0], [3.0, 30.0]]);
            let mut found = grid(by_column);
            handle_grid(&mut found, Missing::Median).unwrap();
            assert_eq!(rows(&found)[1..3], [[3.0, 20.0], [3.0, 20.0]]);
        }
    }

    #[test]
    fn infinity_is_never_missing() {
        for how in [Missing::Error, Missing::Drop, Missing::Mean, Missing::Median] {
            let mut grid = DenseMatrix { data: vec![1.0, f64::NEG_INFINITY], rows: 2, columns: 1, by_column: false };
            assert_eq!(handle_grid(&mut grid, how).unwrap_err().0[0].row, 1);
        }
    }

    #[test]
    fn medians() {
        assert_eq!(median(&mut [3.0]), 3.0);
        assert_eq!(median(&mut [3.0, 1.0]), 2.0);
        assert_eq!(median(&mut [9.0, 1.0, 4.0]), 4.0);
        assert_eq!(median(&mut [f64::MAX, f64::MAX]), f64::MAX);
    }
}
