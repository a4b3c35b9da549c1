//! Scaling: mean 0 and variance 1 a column, for any size of values.

use arss::Float;

use crate::io::{Grid, Values};

/// Columns whose range is below so many roundings of their largest value count as constant.
const ROUNDINGS: f64 = 4.0;

/// Scales each column to mean 0 and (population) variance 1; constant columns become 0.
///
/// False, and nothing changed, if all columns are constant.
pub fn standard(values: &mut Values) -> bool {
    match values {
        Values::F32(grid) => standard_grid(grid, f64::from(f32::EPSILON)),
        Values::F64(grid) => standard_grid(grid, f64::EPSILON),
    }
}

/// One column; mean and deviation are those of the values divided by `unit`.
#[derive(Debug, Clone, Copy)]
struct Column {
    largest: f64,
    unit: f64,
    low: f64,
    high: f64,
    mean: f64,
    deviation: f64,
}

impl Column {
    const START: Column =
        Column { largest: 0.0, unit: 1.0, low: f64::INFINITY, high: f64::NEG_INFINITY, mean: 0.0, deviation: 0.0 };

    fn is_constant(&self, epsilon: f64) -> bool {
        // Halved, because the difference of two large values may overflow.
        self.high / 2.0 - self.low / 2.0 <= ROUNDINGS * epsilon * (self.largest / 2.0)
    }
}

fn standard_grid<T: Float>(grid: &mut Grid<T>, epsilon: f64) -> bool {
    let columns = measure(grid);
    if columns.iter().all(|column| column.is_constant(epsilon)) {
        return false;
    }
    let usable: Vec<bool> = columns.iter().map(|column| !column.is_constant(epsilon)).collect();
    for at in 0..grid.data.len() {
        let index = grid.column_of(at);
        let column = &columns[index];
        let scaled = (grid.data[at].to_f64() / column.unit - column.mean) / column.deviation;
        grid.data[at] = T::from_f64(if usable[index] { scaled } else { 0.0 });
    }
    true
}

/// Mean and deviation of each column. The values are divided by a power of two near the column's
/// largest first (which is exact), so that neither 1e150 nor 1e-150 leaves the range when squared.
fn measure<T: Float>(grid: &Grid<T>) -> Vec<Column> {
    let mut columns = vec![Column::START; grid.columns];
    let count = grid.rows as f64;
    for (at, value) in grid.data.iter().map(|value| value.to_f64()).enumerate() {
        let column = &mut columns[grid.column_of(at)];
        column.largest = column.largest.max(value.abs());
        column.low = column.low.min(value);
        column.high = column.high.max(value);
    }
    for column in columns.iter_mut().filter(|column| column.largest > 0.0) {
        column.unit = column.largest.log2().floor().exp2();
    }
    for (at, value) in grid.data.iter().map(|value| value.to_f64()).enumerate() {
        let column = &mut columns[grid.column_of(at)];
        column.mean += value / column.unit;
    }
    columns.iter_mut().for_each(|column| column.mean /= count);
    for (at, value) in grid.data.iter().map(|value| value.to_f64()).enumerate() {
        let column = &mut columns[grid.column_of(at)];
        column.deviation += (value / column.unit - column.mean).powi(2);
    }
    columns.iter_mut().for_each(|column| column.deviation = (column.deviation / count).sqrt());
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(data: Vec<f64>, columns: usize, by_column: bool) -> (bool, Vec<f64>) {
        let rows = data.len() / columns;
        let mut grid = Grid { data, rows, columns, by_column };
        (standard_grid(&mut grid, f64::EPSILON), grid.data)
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
}
