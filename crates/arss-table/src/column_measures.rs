//! What is measured of columns before they are scaled.

use arss::Float;

use crate::matrix::MatrixValues;
use crate::scaling::{LEAST_DEVIATION, bend};
use crate::{ColumnScale, Scale, TableError, median};

/// Columns whose range is below so many roundings of their largest value count as constant.
const ROUNDINGS: f64 = 4.0;
/// The robust deviation is the distance between two quantiles, this share from either end, divided by what that distance is
/// for a normal distribution of variance 1. The first pair that differs counts: where most values are the same, such as
/// zeros, the quartiles do not.
const QUANTILES: [(f64, f64); 4] = [(0.25, 0.674_490), (0.10, 1.281_552), (0.05, 1.644_854), (0.01, 2.326_348)];

/// A column while it is measured.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    largest: f64,
    low: f64,
    high: f64,
    /// What scales it.
    pub found: ColumnScale,
}

impl Column {
    /// Before the first value.
    pub const START: Column = Column {
        largest: 0.0,
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        found: ColumnScale { unit: 1.0, centre: 0.0, width: 0.0, bent: None, usable: true },
    };

    fn is_constant(&self, epsilon: f64) -> bool {
        // Halved, because the difference of two large values may overflow.
        self.high / 2.0 - self.low / 2.0 <= ROUNDINGS * epsilon * (self.largest / 2.0)
    }
}

/// What is done to each column that is no category; none if all are constant.
pub fn measure<T: Float>(
    table: &impl MatrixValues<T>,
    how: Scale,
    categories: &[Option<usize>],
) -> Result<Option<Vec<Column>>, TableError> {
    let epsilon = if size_of::<T>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let mut columns = ranges(table)?;
    if columns.iter().all(|column| column.is_constant(epsilon)) {
        return Ok(None);
    }
    match how {
        // Nobody scales then.
        Scale::None => return Ok(None),
        Scale::Unit => columns.iter_mut().for_each(|column| {
            column.found.centre = column.low / column.found.unit;
            column.found.width = column.high / column.found.unit - column.found.centre;
        }),
        Scale::Standard => moments(table, &mut columns)?,
        Scale::Robust => {
            let numbers = |at: &usize| categories.get(*at).is_none_or(Option::is_none);
            bends(table, &(0..columns.len()).filter(numbers).collect::<Vec<_>>(), &mut columns, epsilon)?;
        }
    }
    for column in &mut columns {
        column.found.usable = !column.is_constant(epsilon);
    }
    Ok(Some(columns))
}

/// The range of each column.
fn ranges<T: Float>(table: &impl MatrixValues<T>) -> Result<Vec<Column>, TableError> {
    let mut columns = vec![Column::START; table.shape().1];
    table.each_value(&mut |(_, at), value| {
        let column = &mut columns[at];
        column.largest = column.largest.max(value.abs());
        column.low = column.low.min(value);
        column.high = column.high.max(value);
    })?;
    for column in columns.iter_mut().filter(|column| column.largest > 0.0) {
        column.found.unit = column.largest.log2().floor().min(1023.0).exp2();
    }
    Ok(columns)
}

/// Mean and deviation.
fn moments<T: Float>(table: &impl MatrixValues<T>, columns: &mut [Column]) -> Result<(), TableError> {
    let count = table.shape().0 as f64;
    table.each_value(&mut |(_, at), value| columns[at].found.centre += value / columns[at].found.unit)?;
    columns.iter_mut().for_each(|column| column.found.centre /= count);
    table.each_value(&mut |(_, at), value| {
        let found = &mut columns[at].found;
        found.width += (value / found.unit - found.centre).powi(2);
    })?;
    columns.iter_mut().for_each(|column| column.found.width = (column.found.width / count).sqrt());
    Ok(())
}

/// Median, robust deviation, and the deviation of the bent values of these columns.
fn bends<T: Float>(
    table: &impl MatrixValues<T>,
    which: &[usize],
    columns: &mut [Column],
    epsilon: f64,
) -> Result<(), TableError> {
    table.each_column(which, &mut |index, mut values| {
        let column = &mut columns[index];
        // Not in units of the largest value, which may be wild.
        column.found.unit = 1.0;
        column.found.centre = median(&mut values);
        let mut deviation = |&(share, normal): &(f64, f64)| {
            let cut = (share * values.len() as f64) as usize;
            let low = *values.select_nth_unstable_by(cut, f64::total_cmp).1;
            let upper = values.len() - 1 - cut;
            let high = *values.select_nth_unstable_by(upper, f64::total_cmp).1;
            // Halved, because the difference of two large values may overflow.
            let half = high / 2.0 - low / 2.0;
            let rounding = ROUNDINGS * epsilon * low.abs().max(high.abs());
            (half > rounding).then_some(half / normal)
        };
        // No pair differs: whatever is not the median is as far from it as can be.
        column.found.width = QUANTILES.iter().find_map(&mut deviation).unwrap_or(0.0);
        let count = values.len() as f64;
        values.iter_mut().for_each(|value| *value = bend(*value - column.found.centre, column.found.width));
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        column.found.bent = Some(variance.sqrt().max(LEAST_DEVIATION));
    })
}
