//! Missing values: found, and filled in or dropped with their rows.

use arss::Float;

use crate::matrix::MatrixValues;
use crate::{ByName, Matrix, TableError};

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
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![
            ("error", Missing::Error, "Stop, naming the first cells"),
            ("drop", Missing::Drop, "Leave out rows that have any"),
            ("mean", Missing::Mean, "Fill in the column's mean"),
            ("median", Missing::Median, "Fill in the column's median"),
        ]
    }
}

/// Cells named in a message.
const NAMED: usize = 3;

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

/// What was done, or the first cells that cannot be used and how many there are.
pub type Handled = Result<MissingReport, (Vec<BadCell>, usize)>;

/// Does as asked; gives the first cells that cannot be used, and how many there are, if it cannot.
pub fn handle(matrix: Matrix, how: Missing) -> Result<(Matrix, Handled), TableError> {
    Ok(match matrix {
        Matrix::F32(matrix) => handle_values(matrix, how).map(|(matrix, done)| (Matrix::F32(matrix), done))?,
        Matrix::F64(matrix) => handle_values(matrix, how).map(|(matrix, done)| (Matrix::F64(matrix), done))?,
        Matrix::Disk32(matrix) => handle_values(matrix, how).map(|(matrix, done)| (Matrix::Disk32(matrix), done))?,
        Matrix::Disk64(matrix) => handle_values(matrix, how).map(|(matrix, done)| (Matrix::Disk64(matrix), done))?,
    })
}

fn handle_values<T: Float, M: MatrixValues<T>>(matrix: M, how: Missing) -> Result<(M, Handled), TableError> {
    // An infinite value is never missing: nothing fills it in.
    let unusable = |value: f64| if how == Missing::Error { !value.is_finite() } else { value.is_infinite() };
    // The usual case is that there is none, which one pass in any order tells.
    if matrix.any(unusable)? {
        let bad = bad_cells(&matrix, unusable)?;
        return Ok((matrix, Err(bad)));
    }
    match how {
        Missing::Error => Ok((matrix, Ok(MissingReport::default()))),
        Missing::Drop => drop_rows(matrix),
        Missing::Mean => fill(matrix, mean),
        Missing::Median => fill(matrix, median),
    }
}

/// The first few bad cells by row, then column, and how many there are.
pub fn bad_cells<T: Float>(
    matrix: &impl MatrixValues<T>,
    is_bad: impl Fn(f64) -> bool,
) -> Result<(Vec<BadCell>, usize), TableError> {
    let (mut first, mut count): (Vec<BadCell>, usize) = (Vec::new(), 0);
    matrix.visit(&mut |start, values| {
        for (at, value) in values.iter().map(|value| value.to_f64()).enumerate().filter(|(_, value)| is_bad(*value)) {
            let (row, column) = matrix.cell(start + at);
            let place = first.partition_point(|known| (known.row, known.column) < (row, column));
            if place < NAMED {
                first.insert(place, BadCell { row, column, value });
                first.truncate(NAMED);
            }
            count += 1;
        }
    })?;
    Ok((first, count))
}

/// Drops rows with a missing value.
fn drop_rows<T: Float, M: MatrixValues<T>>(matrix: M) -> Result<(M, Handled), TableError> {
    let mut is_whole = vec![true; matrix.shape().0];
    matrix.visit(&mut |start, values| {
        for (at, _) in values.iter().enumerate().filter(|(_, value)| value.to_f64().is_nan()) {
            is_whole[matrix.cell(start + at).0] = false;
        }
    })?;
    if is_whole.iter().all(|whole| *whole) {
        return Ok((matrix, Ok(MissingReport::default())));
    }
    let kept = (0..is_whole.len()).filter(|&row| is_whole[row]).collect();
    Ok((matrix.keep_rows(&is_whole)?, Ok(MissingReport { kept: Some(kept), filled: 0 })))
}

/// Fills in what `of` makes of the values that are there; a column without any stays as it is.
fn fill<T: Float, M: MatrixValues<T>>(matrix: M, of: fn(&mut [f64]) -> f64) -> Result<(M, Handled), TableError> {
    let mut missing = vec![0; matrix.shape().1];
    matrix.visit(&mut |start, values| {
        for (at, _) in values.iter().enumerate().filter(|(_, value)| value.to_f64().is_nan()) {
            missing[matrix.cell(start + at).1] += 1;
        }
    })?;
    let which: Vec<usize> = (0..missing.len()).filter(|&column| missing[column] > 0).collect();
    let mut with: Vec<Option<T>> = vec![None; missing.len()];
    matrix.each_column(&which, &mut |column, mut values| {
        values.retain(|value| !value.is_nan());
        with[column] = (!values.is_empty()).then(|| T::from_f64(of(&mut values)));
    })?;
    let filled = which.iter().filter(|&&column| with[column].is_some()).map(|&column| missing[column]).sum();
    let report = Ok(MissingReport { kept: None, filled });
    if filled == 0 {
        return Ok((matrix, report));
    }
    let change = |column: usize, value: T| with[column].filter(|_| value.to_f64().is_nan()).unwrap_or(value);
    Ok((matrix.map(change)?, report))
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
    use crate::DenseMatrix;

    const N: f64 = f64::NAN;

    fn matrix(by_column: bool) -> DenseMatrix<f64> {
        let by_row = vec![1.0, 10.0, N, 20.0, 3.0, N, 8.0, 60.0];
        let data = if by_column { vec![1.0, N, 3.0, 8.0, 10.0, 20.0, N, 60.0] } else { by_row };
        DenseMatrix { data, rows: 4, columns: 2, by_column }
    }

    fn rows(matrix: &DenseMatrix<f64>) -> Vec<[f64; 2]> {
        (0..matrix.rows).map(|row| [matrix.get(row, 0), matrix.get(row, 1)]).collect()
    }

    #[test]
    fn each_way_in_both_layouts() {
        for by_column in [false, true] {
            let (bad, count) = handle_values(matrix(by_column), Missing::Error).unwrap().1.unwrap_err();
            assert_eq!((bad[0].row, bad[0].column, bad.len(), count), (1, 0, 2, 2));
            let (found, done) = handle_values(matrix(by_column), Missing::Drop).unwrap();
            assert_eq!(done.unwrap(), MissingReport { kept: Some(vec![0, 3]), filled: 0 });
            assert_eq!(rows(&found), [[1.0, 10.0], [8.0, 60.0]]);
            let (found, done) = handle_values(matrix(by_column), Missing::Mean).unwrap();
            assert_eq!(done.unwrap().filled, 2);
            assert_eq!(rows(&found)[1..3], [[4.0, 20.0], [3.0, 30.0]]);
            let found = handle_values(matrix(by_column), Missing::Median).unwrap().0;
            assert_eq!(rows(&found)[1..3], [[3.0, 20.0], [3.0, 20.0]]);
        }
    }

    #[test]
    fn infinity_is_never_missing() {
        for how in [Missing::Error, Missing::Drop, Missing::Mean, Missing::Median] {
            let matrix = DenseMatrix { data: vec![1.0, f64::NEG_INFINITY], rows: 2, columns: 1, by_column: false };
            assert_eq!(handle_values(matrix, how).unwrap().1.unwrap_err().0[0].row, 1);
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
