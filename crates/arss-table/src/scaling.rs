//! Scaling of columns, for any size of values.

use arss::Float;

use crate::column_measures::{Column, measure};
use crate::matrix::MatrixValues;
use crate::{ByName, Matrix, TableError};

/// How columns are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// As they come.
    None,
    /// Mean 0, variance 1; constant columns become 0.
    Standard,
    /// Robust deviations from the median, bent so that no value counts for more than four of them.
    #[default]
    Robust,
    /// Smallest value 0, largest 1.
    Unit,
}

impl ByName for Scale {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![
            ("none", Scale::None, "As they come"),
            ("standard", Scale::Standard, "Mean 0, variance 1; constant columns become 0"),
            ("robust", Scale::Robust, "Robust deviations from the median, far ones bent towards four"),
            ("unit", Scale::Unit, "Smallest value 0, largest 1"),
        ]
    }
}

/// Values count as they are up to one robust deviation; beyond it they are bent towards this bound and never reach it.
const BOUND: f64 = 4.0;
/// Robust deviations from which on a value is further out than those of a tail.
const FAR_OUT: f64 = 10.0;
/// So many times as far a value is as wild as can be.
const WILDEST: f64 = 1e5;
/// A bent column is divided by its deviation, or by this if that is smaller: rare flags are not blown up.
pub const LEAST_DEVIATION: f64 = 0.7;

/// Scales each column as `how` says; constant columns become 0. Gives back what it measured, one per column.
///
/// `categories` has the column that each feature is a category of, where it is one: the features of a category together
/// count as one column; empty if there are none. No measures, and nothing changed, if all columns are constant or `how`
/// is [`Scale::None`]; nor of a sparse matrix, which a centre would make dense.
///
/// # Errors
/// If a scratch file cannot be read or written.
pub fn scale(
    matrix: Matrix,
    how: Scale,
    categories: &[Option<usize>],
) -> Result<(Matrix, Option<Vec<ColumnScale>>), TableError> {
    let same = categories;
    Ok(match matrix {
        sparse @ Matrix::Sparse(_) => (sparse, None),
        Matrix::F32(matrix) => scale_values(matrix, how, same).map(|(matrix, found)| (Matrix::F32(matrix), found))?,
        Matrix::F64(matrix) => scale_values(matrix, how, same).map(|(matrix, found)| (Matrix::F64(matrix), found))?,
        Matrix::Disk32(matrix) => {
            scale_values(matrix, how, same).map(|(matrix, found)| (Matrix::Disk32(matrix), found))?
        }
        Matrix::Disk64(matrix) => {
            scale_values(matrix, how, same).map(|(matrix, found)| (Matrix::Disk64(matrix), found))?
        }
    })
}

/// [`scale`] for values of one type in one place.
///
/// # Errors
/// If a scratch file cannot be read or written.
pub fn scale_values<T: Float, M: MatrixValues<T>>(
    matrix: M,
    how: Scale,
    categories: &[Option<usize>],
) -> Result<(M, Option<Vec<ColumnScale>>), TableError> {
    let Some(ranges) = measure(&matrix, how, categories)? else { return Ok((matrix, None)) };
    let mut columns: Vec<ColumnScale> = ranges.into_iter().map(|range| range.found).collect();
    weigh_categories(&matrix, how, categories, &mut columns)?;
    Ok((rescale_values(matrix, &columns)?, Some(columns)))
}

/// Scales other rows by what [`scale`] measured of each column.
///
/// # Errors
/// If a scratch file cannot be read or written.
pub fn rescale_values<T: Float, M: MatrixValues<T>>(matrix: M, columns: &[ColumnScale]) -> Result<M, TableError> {
    matrix.map(|(_, column), value| T::from_f64(columns[column].scaled(value.to_f64())))
}

/// What was measured of a column: enough to scale other values as those that were measured.
///
/// ```
/// use arss_table::{ColumnScale, DenseMatrix, Matrix, Scale, scale};
///
/// let matrix = DenseMatrix { data: vec![2.0, 4.0, 3.0], rows: 3, columns: 1, by_column: false };
/// let (_, columns) = scale(Matrix::F64(matrix), Scale::Unit, &[])?;
/// let column: ColumnScale = columns.expect("not constant")[0];
/// assert_eq!((column.location(), column.spread(), column.scaled(5.0)), (2.0, 2.0, 1.5));
/// # Ok::<(), arss_table::TableError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ColumnScale {
    /// A power of two near the largest value, by which values are divided first (which is exact), so that neither 1e150
    /// nor 1e-150 leaves the range when squared.
    pub unit: f64,
    /// What becomes 0: mean, median or smallest value, in units.
    pub centre: f64,
    /// Deviation, robust deviation or range, in units.
    pub width: f64,
    /// What bent values are divided by; none for scalings that do not bend.
    pub bent: Option<f64>,
    /// False for a constant column, which becomes 0.
    pub usable: bool,
}

impl ColumnScale {
    /// The value on the new scale.
    pub fn scaled(&self, value: f64) -> f64 {
        let away = value / self.unit - self.centre;
        match self.bent {
            _ if !self.usable => 0.0,
            Some(deviation) => (bend(away, self.width) + beyond(away, self.width)) / deviation,
            None => away / self.width,
        }
    }

    /// The value that becomes 0.
    pub fn location(&self) -> f64 {
        self.centre * self.unit
    }

    /// What counts for one near the location, in units of the column; 0 for a constant column, and for one in which
    /// whatever is not the median is as far from it as can be.
    pub fn spread(&self) -> f64 {
        if self.usable { self.width * self.unit * self.bent.unwrap_or(1.0) } else { 0.0 }
    }
}

/// The features of a category weigh as one column: their variances add up to 1, or to less if one text is nearly
/// everywhere, so that rare ones are not far from the others. For `unit`, two texts are 1 apart.
fn weigh_categories<T: Float>(
    table: &impl MatrixValues<T>,
    how: Scale,
    categories: &[Option<usize>],
    columns: &mut [ColumnScale],
) -> Result<(), TableError> {
    let which: Vec<usize> = (0..categories.len()).filter(|&at| categories[at].is_some()).collect();
    if which.is_empty() {
        return Ok(());
    }
    let mut shares = vec![0.0; columns.len()];
    table.each_value(&mut |(_, at), value| shares[at] += value)?;
    shares.iter_mut().for_each(|share| *share /= table.shape().0 as f64);
    for own in which.chunk_by(|&a, &b| categories[a] == categories[b]) {
        let variance: f64 = own.iter().map(|&at| shares[at] * (1.0 - shares[at])).sum();
        let width = if how == Scale::Unit { f64::sqrt(2.0) } else { variance.sqrt().max(LEAST_DEVIATION) };
        own.iter().for_each(|&at| columns[at] = ColumnScale { width, ..Column::START.found });
    }
    Ok(())
}

/// A distance from the median in robust deviations: as it is up to one, bent smoothly beyond, and below [`BOUND`].
pub fn bend(away: f64, deviation: f64) -> f64 {
    if away == 0.0 {
        return 0.0;
    }
    let size = away.abs() / deviation;
    let beyond = (size - 1.0).clamp(0.0, f64::MAX);
    (size.min(1.0) + beyond / (beyond / (BOUND - 1.0) + 1.0)).copysign(away)
}

/// What is added to a bent value that is further out than any tail: it grows slowly, and not beyond [`WILDEST`]. So a wild
/// cell is seen, and does not rule the distances. The deviation of the column does not count it.
fn beyond(away: f64, deviation: f64) -> f64 {
    let size = away.abs() / deviation;
    // Where no pair of values differs, nothing says how far is far.
    let far = deviation > 0.0 && size > FAR_OUT;
    if far { (size / FAR_OUT).min(WILDEST).ln().copysign(away) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DenseMatrix;

    fn scaled(data: Vec<f64>, columns: usize, by_column: bool) -> (bool, Vec<f64>) {
        let matrix = DenseMatrix { rows: data.len() / columns, data, columns, by_column };
        let (matrix, found) = scale_values(matrix, Scale::Standard, &[]).unwrap();
        (found.is_some(), matrix.data)
    }

    #[test]
    fn any_size_of_values_gives_the_same_result() {
        let plain = [1.0, 2.0, 4.0, -3.0, 0.5, 7.0];
        let (_, wanted) = scaled(plain.to_vec(), 1, false);
        assert!(wanted.iter().sum::<f64>().abs() < 1e-14);
        assert!((wanted.iter().map(|x| x * x).sum::<f64>() / 6.0 - 1.0).abs() < 1e-14);
        for size in [1e150, 1e-150, 2e307, 1e-307] {
            let (_, found) = scaled(plain.iter().map(|x| x * size).collect(), 1, false);
            assert!(found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{size}: {found:?}");
        }
    }

    #[test]
    fn constant_columns_become_zero_and_a_constant_table_stays() {
        let (done, found) = scaled(vec![5.0, 1.0, 5.0, 3.0], 2, false);
        assert_eq!((done, found), (true, vec![0.0, -1.0, 0.0, 1.0]));
        let (done, found) = scaled(vec![0.3, 0.1 + 0.2, 0.3], 1, false);
        assert_eq!((done, found), (false, vec![0.3, 0.1 + 0.2, 0.3]));
    }

    #[test]
    fn the_layout_does_not_matter() {
        let (_, by_row) = scaled(vec![1.0, 10.0, 2.0, 30.0, 6.0, 20.0], 2, false);
        let (_, by_column) = scaled(vec![1.0, 2.0, 6.0, 10.0, 30.0, 20.0], 2, true);
        assert_eq!([by_row[0], by_row[2], by_row[4]], by_column[..3]);
        assert_eq!([by_row[1], by_row[3], by_row[5]], by_column[3..]);
    }

    fn by(how: Scale, data: Vec<f64>) -> Vec<f64> {
        let matrix = DenseMatrix { rows: data.len(), data, columns: 1, by_column: false };
        let (matrix, found) = scale_values(matrix, how, &[]).unwrap();
        assert!(found.is_some());
        matrix.data
    }

    #[test]
    fn the_range_becomes_0_to_1() {
        assert_eq!(by(Scale::Unit, vec![2.0, 4.0, 3.0]), [0.0, 1.0, 0.5]);
        assert_eq!(by(Scale::Unit, vec![-f64::MAX, f64::MAX]), [0.0, 1.0]);
    }

    #[test]
    fn damaged_values_do_not_change_the_robust_scale_much() {
        let clean: Vec<f64> = (0..101).map(|x| f64::from(x) - 50.0).collect();
        let mut damaged = clean.clone();
        damaged.extend([-9999.0; 20]);
        damaged.extend([1e300; 10]);
        let (clean, damaged) = (by(Scale::Robust, clean), by(Scale::Robust, damaged));
        assert_eq!(clean[50], 0.0);
        let spread = |scaled: &[f64]| scaled[75] - scaled[25];
        assert!((0.25..1.3).contains(&(spread(&damaged) / spread(&clean))), "{}", spread(&damaged) / spread(&clean));
        assert!(damaged.iter().all(|value| value.abs() <= (BOUND + WILDEST.ln()) / LEAST_DEVIATION));
        // Wild cells are seen: farther out than the ends of the column.
        assert!(damaged[110] < 2.0 * damaged[0] && damaged[125] > 3.0 * damaged[100]);
        assert!(damaged[..101].is_sorted_by(|a, b| a < b), "the order of the values is kept");
    }

    /// Columns that have no quartiles to speak of: mostly zeros, flags, rare flags, heavy tails.
    #[test]
    fn the_robust_scale_is_sane_on_odd_columns() {
        let column = |value: fn(usize) -> f64| by(Scale::Robust, (0..1000).map(value).collect());
        let gap = |scaled: &[f64]| {
            scaled.iter().fold(0.0, |a: f64, b| a.max(*b)) - scaled.iter().fold(0.0, |a: f64, b| a.min(*b))
        };
        let flag = column(|row| f64::from(u8::from(row % 2 == 0)));
        assert!((1.5..2.5).contains(&gap(&flag)), "{}", gap(&flag));
        let rare = column(|row| f64::from(u8::from(row % 100 == 0)));
        assert!((2.0..5.8).contains(&gap(&rare)), "{}", gap(&rare));
        let single = column(|row| f64::from(u8::from(row == 7)));
        assert!((2.0..5.8).contains(&gap(&single)), "{}", gap(&single));
        let zeros = column(|row| if row % 5 == 0 { row as f64 } else { 0.0 });
        assert!(zeros.iter().all(|value| value.abs() < 5.8) && zeros[1] == zeros[2]);
        let tail = column(|row| (row as f64 / 100.0).exp());
        assert!(tail.is_sorted_by(|a, b| a < b) && gap(&tail) < 8.0);
    }

    #[test]
    fn what_was_measured_scales_the_same_rows_to_the_same_bits() {
        let data: Vec<f64> = (0..300).map(|cell| (f64::from(cell) * 0.7).sin().exp() * 1e3f64.powi(cell % 3)).collect();
        let table = || DenseMatrix { data: data.clone(), rows: 100, columns: 3, by_column: false };
        for how in [Scale::Standard, Scale::Robust, Scale::Unit] {
            let (scaled, columns) = scale_values(table(), how, &[]).unwrap();
            let columns = columns.unwrap();
            assert_eq!(rescale_values(table(), &columns).unwrap().data, scaled.data, "{how:?}");
            for column in &columns {
                assert!(column.scaled(column.location()).abs() < 1e-12, "{how:?} {column:?}");
                let near = column.location() + 1e-3 * column.spread();
                assert!((column.scaled(near) - 1e-3).abs() < 1e-9, "{how:?} {column:?}");
            }
        }
        assert!(scale_values(table(), Scale::None, &[]).unwrap().1.is_none());
    }
}
