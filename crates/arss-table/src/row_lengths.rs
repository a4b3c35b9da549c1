//! The lengths of rows: divided away where only directions count, and a hint where that may be wanted.

use arss::Float;

use crate::matrix::MatrixValues;
use crate::{Matrix, Table, TableError};

/// Fewer columns are hardly an embedding.
const EMBEDDING: usize = 32;
/// Rows that are looked at for the hint.
const LOOKED_AT: usize = 1000;
/// Lengths that are no further from 1 are 1: embeddings are rounded to 16 bits at worst.
const ROUNDED: f64 = 0.005;
/// From this ratio of long to short rows on, lengths differ wildly.
const WILD: f64 = 5.0;

/// Each row divided by its length, as [`arss::Metric::Cosine`] sees it.
///
/// ```
/// use arss_table::{DenseMatrix, Matrix, unit_rows};
///
/// let matrix = DenseMatrix { data: vec![3.0, 4.0, 0.0, 2.0], rows: 2, columns: 2, by_column: false };
/// let Matrix::F64(found) = unit_rows(Matrix::F64(matrix), None)? else { panic!() };
/// assert_eq!(found.data, [0.6, 0.8, 0.0, 1.0]);
/// # Ok::<(), arss_table::TableError>(())
/// ```
///
/// `numbers` has the number in the file of each row, if some were dropped.
///
/// # Errors
/// If a row holds only zeros, or a scratch file cannot be read or written.
pub fn unit_rows(matrix: Matrix, numbers: Option<&[usize]>) -> Result<Matrix, TableError> {
    Ok(match matrix {
        Matrix::F32(matrix) => Matrix::F32(unit(matrix, numbers)?),
        Matrix::F64(matrix) => Matrix::F64(unit(matrix, numbers)?),
        // Rows in a file are divided when they are read.
        Matrix::Disk32(matrix) => {
            largest_values(&matrix, numbers)?;
            Matrix::Disk32(matrix.with_unit_rows())
        }
        Matrix::Disk64(matrix) => {
            largest_values(&matrix, numbers)?;
            Matrix::Disk64(matrix.with_unit_rows())
        }
        // The library divides sparse rows block by block.
        Matrix::Sparse(matrix) => Matrix::Sparse(matrix),
    })
}

/// Divides a row by its length; by the largest value first, so that no square leaves the range.
pub(crate) fn divide<T: Float>(row: &mut [T]) {
    let largest = row.iter().fold(0.0f64, |largest, value| largest.max(value.to_f64().abs()));
    let mut square = 0.0f64;
    row.iter().for_each(|value| square += (value.to_f64() / largest).powi(2));
    let length = square.sqrt();
    row.iter_mut().for_each(|value| *value = T::from_f64(value.to_f64() / largest / length));
}

/// The largest absolute value of each row; fails if a row holds only zeros.
fn largest_values<T: Float>(matrix: &impl MatrixValues<T>, numbers: Option<&[usize]>) -> Result<Vec<f64>, TableError> {
    let mut largest = vec![0.0f64; matrix.shape().0];
    matrix.each_value(&mut |(row, _), value| largest[row] = largest[row].max(value.abs()))?;
    let mut zeros = largest.iter().enumerate().filter(|(_, largest)| **largest == 0.0).map(|(row, _)| row);
    if let Some(row) = zeros.next() {
        let row = numbers.map_or(row, |numbers| numbers[row]);
        return Err(TableError::Input(arss::Error::NoDirection { row, others: zeros.count() }.to_string()));
    }
    Ok(largest)
}

/// As [`divide`], for rows whose values need not stand side by side.
fn unit<T: Float, M: MatrixValues<T>>(matrix: M, numbers: Option<&[usize]>) -> Result<M, TableError> {
    let largest = largest_values(&matrix, numbers)?;
    let mut squares = vec![0.0f64; largest.len()];
    matrix.each_value(&mut |(row, _), value| squares[row] += (value / largest[row]).powi(2))?;
    matrix.map(|(row, _), value| T::from_f64(value.to_f64() / largest[row] / squares[row].sqrt()))
}

impl Table {
    /// What the lengths of rows that look like embeddings suggest, if anything: to compare them by their angles.
    pub fn length_hint(&self) -> Option<String> {
        let lengths = match &self.matrix {
            Matrix::F32(matrix) => lengths(matrix),
            Matrix::F64(matrix) => lengths(matrix),
            Matrix::Disk32(_) | Matrix::Disk64(_) | Matrix::Sparse(_) => None,
        }?;
        let is_embedding = self.columns.is_empty() || self.feature_columns.windows(2).all(|pair| pair[0] == pair[1]);
        let at = |share: f64| lengths[(share * (lengths.len() - 1) as f64) as usize];
        let what = match (at(0.0), at(0.05), at(0.95), at(1.0)) {
            _ if !is_embedding => return None,
            (least, _, _, most) if least > 1.0 - ROUNDED && most < 1.0 + ROUNDED => "every row has length 1".to_owned(),
            (_, short, long, _) if long > WILD * short => "the lengths of the rows differ widely".to_owned(),
            _ => return None,
        };
        Some(format!("{what}, as of embeddings: --metric cosine compares rows by their angle"))
    }
}

/// The lengths of some rows, sorted; none if there are too few columns.
fn lengths<T: Float>(matrix: &crate::DenseMatrix<T>) -> Option<Vec<f64>> {
    if matrix.columns < EMBEDDING {
        return None;
    }
    let step = matrix.rows.div_ceil(LOOKED_AT).max(1);
    let length = |row: usize| (0..matrix.columns).map(|j| matrix.get(row, j).to_f64().powi(2)).sum::<f64>().sqrt();
    let mut found: Vec<f64> = (0..matrix.rows).step_by(step).map(length).collect();
    found.sort_unstable_by(f64::total_cmp);
    (!found.is_empty()).then_some(found)
}
