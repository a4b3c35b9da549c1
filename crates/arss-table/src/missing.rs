//! Missing values: found, and filled in or dropped with their rows.

use std::cmp::Ordering;

use arss::Float;

use crate::matrix::MatrixValues;
use crate::{ByName, Matrix, TableError};

/// What is done about missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Leave out columns and rows that are mostly missing; fill in the median, or the commonest category.
    #[default]
    Auto,
    /// Stop, naming the first cells.
    Error,
    /// Leave out rows that have any.
    Drop,
    /// Fill in the column's mean.
    Mean,
    /// Fill in the column's median.
    Median,
    /// Leave them as they are, NaN: for whoever fills them in.
    Keep,
}

impl ByName for Missing {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![
            ("auto", Missing::Auto, "Leave out what is mostly missing, fill in the median or the commonest category"),
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
    /// Cells that were filled in; a category is one cell.
    pub filled: usize,
    /// A column without which more rows would have been kept, and how many.
    pub costly: Option<(usize, usize)>,
}

/// What was done, or the first cells that cannot be used and how many there are.
pub type Handled = Result<MissingReport, (Vec<BadCell>, usize)>;

/// Does as asked; gives the first cells that cannot be used, and how many there are, if it cannot.
///
/// `categories` has the column that each feature is a category of, where it is one: its features are one cell.
pub fn handle(matrix: Matrix, how: Missing, categories: &[Option<usize>]) -> Result<(Matrix, Handled), TableError> {
    let same = categories;
    Ok(match matrix {
        // What is read of a sparse matrix is finite.
        Matrix::Sparse(matrix) => (Matrix::Sparse(matrix), Ok(MissingReport::default())),
        Matrix::F32(matrix) => handle_values(matrix, how, same).map(|(matrix, done)| (Matrix::F32(matrix), done))?,
        Matrix::F64(matrix) => handle_values(matrix, how, same).map(|(matrix, done)| (Matrix::F64(matrix), done))?,
        Matrix::Disk32(matrix) => {
            handle_values(matrix, how, same).map(|(matrix, done)| (Matrix::Disk32(matrix), done))?
        }
        Matrix::Disk64(matrix) => {
            handle_values(matrix, how, same).map(|(matrix, done)| (Matrix::Disk64(matrix), done))?
        }
    })
}

fn handle_values<T: Float, M: MatrixValues<T>>(
    matrix: M,
    how: Missing,
    categories: &[Option<usize>],
) -> Result<(M, Handled), TableError> {
    if how == Missing::Auto {
        return handle_auto(matrix, categories);
    }
    // An infinite value is never missing: nothing fills it in.
    let unusable = |value: f64| if how == Missing::Error { !value.is_finite() } else { value.is_infinite() };
    // The usual case is that there is none, which one pass in any order tells.
    if !matrix.is_finite()? && matrix.any(unusable)? {
        let bad = bad_cells(&matrix, unusable)?;
        return Ok((matrix, Err(bad)));
    }
    match how {
        Missing::Error | Missing::Auto | Missing::Keep => Ok((matrix, Ok(MissingReport::default()))),
        Missing::Drop => drop_rows(matrix, &leads(categories)),
        // A row without any value would be the most typical of all.
        Missing::Mean => leave_out_and_fill(matrix, mean, categories, |missing, cells| missing == cells),
        Missing::Median => leave_out_and_fill(matrix, median, categories, |missing, cells| missing == cells),
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

/// True for features that stand for a cell: the first of a category, and numbers.
fn leads(categories: &[Option<usize>]) -> Vec<bool> {
    let first = |at: usize| categories[at].is_none() || at == 0 || categories[at] != categories[at - 1];
    (0..categories.len()).map(first).collect()
}

/// The missing cells of each row, and one of them.
fn missing_cells<T: Float>(matrix: &impl MatrixValues<T>, leads: &[bool]) -> Result<Vec<(u32, u32)>, TableError> {
    let mut cells = vec![(0, 0); matrix.shape().0];
    matrix.visit(&mut |start, values| {
        for (at, _) in values.iter().enumerate().filter(|(_, value)| value.to_f64().is_nan()) {
            let (row, column) = matrix.cell(start + at);
            if leads[column] {
                cells[row] = (cells[row].0 + 1, column as u32);
            }
        }
    })?;
    Ok(cells)
}

/// The matrix with those rows only, and which they are.
fn keep<T: Float, M: MatrixValues<T>>(
    matrix: M,
    is_kept: &[bool],
    mut report: MissingReport,
) -> Result<(M, MissingReport), TableError> {
    if is_kept.iter().all(|kept| *kept) {
        return Ok((matrix, report));
    }
    report.kept = Some((0..is_kept.len()).filter(|&row| is_kept[row]).collect());
    Ok((matrix.keep_rows(is_kept)?, report))
}

/// Drops rows with a missing value.
fn drop_rows<T: Float, M: MatrixValues<T>>(matrix: M, leads: &[bool]) -> Result<(M, Handled), TableError> {
    let missing = missing_cells(&matrix, leads)?;
    let is_kept: Vec<bool> = missing.iter().map(|(count, _)| *count == 0).collect();
    let mut alone = vec![0; leads.len()];
    missing.iter().filter(|(count, _)| *count == 1).for_each(|&(_, column)| alone[column as usize] += 1);
    // The first of those that cost most.
    let costly = (0..alone.len()).rev().max_by_key(|&column| alone[column]);
    let costly = costly.map(|column| (column, alone[column])).filter(|(_, rows)| *rows > 0);
    let (matrix, report) = keep(matrix, &is_kept, MissingReport { costly, ..MissingReport::default() })?;
    Ok((matrix, Ok(report)))
}

/// True if more than half of so many cells are missing; exactly half is too much, too, unless there are only two or three.
fn is_mostly_missing(missing: u32, cells: u32) -> bool {
    2 * missing > cells || (2 * missing == cells && cells >= 4)
}

/// Leaves out rows of which most is missing, and fills in the rest. Infinite values are missing, too.
fn handle_auto<T: Float, M: MatrixValues<T>>(
    matrix: M,
    categories: &[Option<usize>],
) -> Result<(M, Handled), TableError> {
    if matrix.is_finite()? {
        return Ok((matrix, Ok(MissingReport::default())));
    }
    let not_a_number =
        |_: (usize, usize), value: T| if value.to_f64().is_finite() { value } else { T::from_f64(f64::NAN) };
    let matrix = if matrix.any(f64::is_infinite)? { matrix.map(not_a_number)? } else { matrix };
    leave_out_and_fill(matrix, median, categories, is_mostly_missing)
}

/// Leaves out rows of which too many cells are missing, and fills in the rest.
fn leave_out_and_fill<T: Float, M: MatrixValues<T>>(
    matrix: M,
    of: fn(&mut [f64]) -> f64,
    categories: &[Option<usize>],
    too_many: fn(u32, u32) -> bool,
) -> Result<(M, Handled), TableError> {
    let leads = leads(categories);
    let cells = leads.iter().filter(|lead| **lead).count() as u32;
    let is_kept: Vec<bool> =
        missing_cells(&matrix, &leads)?.iter().map(|(count, _)| !too_many(*count, cells)).collect();
    let (matrix, report) = keep(matrix, &is_kept, MissingReport::default())?;
    let (matrix, filled) = fill(matrix, of, categories)?;
    Ok((matrix, filled.map(|filled| MissingReport { filled: filled.filled, ..report })))
}

/// Fills in what `of` makes of the values that are there; a column without any stays as it is.
///
/// Features of one column in `categories` are filled in with the commonest of them.
fn fill<T: Float, M: MatrixValues<T>>(
    matrix: M,
    of: fn(&mut [f64]) -> f64,
    categories: &[Option<usize>],
) -> Result<(M, Handled), TableError> {
    let mut missing = vec![0; matrix.shape().1];
    matrix.visit(&mut |start, values| {
        for (at, _) in values.iter().enumerate().filter(|(_, value)| value.to_f64().is_nan()) {
            missing[matrix.cell(start + at).1] += 1;
        }
    })?;
    let which: Vec<usize> = (0..missing.len()).filter(|&column| missing[column] > 0).collect();
    let category = |column: usize| categories.get(column).copied().flatten();
    let mut with: Vec<Option<f64>> = vec![None; missing.len()];
    matrix.each_column(&which, &mut |column, mut values| {
        values.retain(|value| !value.is_nan());
        let of = if category(column).is_some() { mean } else { of };
        with[column] = (!values.is_empty()).then(|| of(&mut values));
    })?;
    // Of a category, the features hold how often each text occurs: 1 for the commonest, the first of several.
    for own in which.chunk_by(|&a, &b| category(a).is_some() && category(a) == category(b)) {
        if category(own[0]).is_some() {
            let commonest =
                own.iter().rev().max_by(|&&a, &&b| with[a].partial_cmp(&with[b]).unwrap_or(Ordering::Equal));
            let commonest = commonest.copied();
            own.iter().for_each(|&at| with[at] = with[at].map(|_| f64::from(u8::from(Some(at) == commonest))));
        }
    }
    let leads = if categories.is_empty() { vec![true; missing.len()] } else { leads(categories) };
    let cells = which.iter().filter(|&&column| leads[column] && with[column].is_some());
    let filled = cells.map(|&column| missing[column]).sum();
    let report = Ok(MissingReport { filled, ..MissingReport::default() });
    if filled == 0 {
        return Ok((matrix, report));
    }
    let with: Vec<Option<T>> = with.into_iter().map(|value| value.map(T::from_f64)).collect();
    let change =
        |(_, column): (usize, usize), value: T| with[column].filter(|_| value.to_f64().is_nan()).unwrap_or(value);
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
            let (bad, count) = handle_values(matrix(by_column), Missing::Error, &[None; 2]).unwrap().1.unwrap_err();
            assert_eq!((bad[0].row, bad[0].column, bad.len(), count), (1, 0, 2, 2));
            let (found, done) = handle_values(matrix(by_column), Missing::Drop, &[None; 2]).unwrap();
            assert_eq!(done.unwrap(), MissingReport { kept: Some(vec![0, 3]), filled: 0, costly: Some((0, 1)) });
            assert_eq!(rows(&found), [[1.0, 10.0], [8.0, 60.0]]);
            let (found, done) = handle_values(matrix(by_column), Missing::Mean, &[None; 2]).unwrap();
            assert_eq!(done.unwrap().filled, 2);
            assert_eq!(rows(&found)[1..3], [[4.0, 20.0], [3.0, 30.0]]);
            let found = handle_values(matrix(by_column), Missing::Median, &[None; 2]).unwrap().0;
            assert_eq!(rows(&found)[1..3], [[3.0, 20.0], [3.0, 20.0]]);
        }
    }

    #[test]
    fn what_is_mostly_missing_is_left_out_and_the_rest_filled_in() {
        let gap = f64::NAN;
        // Two numbers and a category of three texts.
        let data = vec![
            1.0,
            10.0,
            0.0,
            1.0,
            0.0, //
            gap,
            20.0,
            0.0,
            1.0,
            0.0, //
            gap,
            gap,
            1.0,
            0.0,
            0.0, //
            3.0,
            f64::INFINITY,
            1.0,
            0.0,
            0.0, //
            9.0,
            30.0,
            gap,
            gap,
            gap,
        ];
        let matrix = DenseMatrix { data, rows: 5, columns: 5, by_column: false };
        let categories = [None, None, Some(2), Some(2), Some(2)];
        let (found, done) = handle_values(matrix, Missing::Auto, &categories).unwrap();
        assert_eq!(done.unwrap(), MissingReport { kept: Some(vec![0, 1, 3, 4]), filled: 3, costly: None });
        assert_eq!(
            found.data,
            [
                1.0, 10.0, 0.0, 1.0, 0.0, //
                3.0, 20.0, 0.0, 1.0, 0.0, //
                3.0, 20.0, 1.0, 0.0, 0.0, //
                9.0, 30.0, 0.0, 1.0, 0.0,
            ]
        );
    }

    #[test]
    fn infinity_is_never_missing() {
        for how in [Missing::Error, Missing::Drop, Missing::Mean, Missing::Median] {
            let matrix = DenseMatrix { data: vec![1.0, f64::NEG_INFINITY], rows: 2, columns: 1, by_column: false };
            assert_eq!(handle_values(matrix, how, &[None]).unwrap().1.unwrap_err().0[0].row, 1);
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
