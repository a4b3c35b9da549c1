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
/// Where the quartiles do not differ, the pair that does may end at the first value that is not the usual one, however
/// close that is. So the middle one of the values that are not the usual one lies at most so many robust deviations away:
/// where the rare value of a 0/1 column lies.
const MIDDLE_OTHER: f64 = 2.6;
/// Unless they are less than this share of the column: those may be nothing but errors.
const LEAST_OTHERS: f64 = 0.02;

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
        column.found.width = robust_deviation(&mut values, column.found.centre, epsilon);
        let count = values.len() as f64;
        values.iter_mut().for_each(|value| *value = bend(*value - column.found.centre, column.found.width));
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        column.found.bent = Some(variance.sqrt().max(LEAST_DEVIATION));
    })
}

/// The robust deviation of values whose median is `centre`; 0 if no pair of quantiles differs: then whatever is not the
/// median is as far from it as can be.
fn robust_deviation(values: &mut [f64], centre: f64, epsilon: f64) -> f64 {
    // Halved, because the difference of two large values may overflow.
    let half_apart = |low: f64, high: f64| {
        let half = high / 2.0 - low / 2.0;
        let rounding = ROUNDINGS * epsilon * low.abs().max(high.abs());
        (half.abs() > rounding).then_some(half.abs())
    };
    let mut of_pair = |&(share, normal): &(f64, f64)| {
        let cut = (share * values.len() as f64) as usize;
        let low = *values.select_nth_unstable_by(cut, f64::total_cmp).1;
        let upper = values.len() - 1 - cut;
        let high = *values.select_nth_unstable_by(upper, f64::total_cmp).1;
        half_apart(low, high).map(|half| half / normal)
    };
    let [quartiles, wider @ ..] = &QUANTILES;
    if let Some(deviation) = of_pair(quartiles) {
        return deviation;
    }
    let deviation = wider.iter().find_map(of_pair).unwrap_or(0.0);
    let mut others: Vec<f64> = values.iter().filter_map(|&value| half_apart(centre, value)).collect();
    if (others.len() as f64) < LEAST_OTHERS * values.len() as f64 {
        return deviation;
    }
    deviation.max(median(&mut others) / (MIDDLE_OTHER / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_close_to_the_usual_one_does_not_tell_how_far_is_far() {
        // 94 tests without a finding and six with one, the faintest of which is nearly none.
        let mut values = vec![45.0; 94];
        values.extend([44.9, 40.0, 32.0, 30.0, 24.0, 20.0]);
        let deviation = robust_deviation(&mut values, 45.0, f64::EPSILON);
        assert!((deviation - 14.0 / MIDDLE_OTHER).abs() < 1e-12, "{deviation}");
        // One of a hundred may be an error, and no pair of quantiles sees it.
        let mut errors = vec![45.0; 99];
        errors.push(-9999.0);
        assert_eq!(robust_deviation(&mut errors, 45.0, f64::EPSILON), 0.0);
        // Quartiles that differ tell it alone.
        let mut plain: Vec<f64> = (0..101).map(f64::from).collect();
        assert!((robust_deviation(&mut plain, 50.0, f64::EPSILON) - 25.0 / 0.674_490).abs() < 1e-12);
    }
}
