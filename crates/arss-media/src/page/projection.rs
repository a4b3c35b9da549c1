//! Rows in a plane: the two directions in which they differ most.

use arss_table::numeric_view::NumericView;

/// Rounds of power iteration: a map needs no more digits.
const ROUNDS: usize = 30;
/// Most rows that tell the directions.
const SAMPLE: usize = 2000;

/// Where rows are in the plane, from 0 to 1 both ways. Places are ranks, half mixed with positions, so that a crowd is spread.
pub fn plane(values: &NumericView<'_>, rows: &[usize]) -> Vec<(f64, f64)> {
    let step = rows.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<usize> = rows.iter().copied().step_by(step).collect();
    let mut table = values.gather(&sample);
    let columns = values.columns;
    let mut means = vec![0.0; columns];
    table.chunks_exact(columns).for_each(|row| means.iter_mut().zip(row).for_each(|(mean, value)| *mean += value));
    means.iter_mut().for_each(|mean| *mean /= sample.len().max(1) as f64);
    let centre = |row: &mut [f64]| row.iter_mut().zip(&means).for_each(|(value, mean)| *value -= mean);
    table.chunks_exact_mut(columns).for_each(centre);
    let first = direction(&table, columns, None);
    let second = direction(&table, columns, Some(&first));
    let along = |axis: &[f64]| -> Vec<f64> {
        let mut row_values = vec![0.0; columns];
        let place = |&row: &usize| {
            values.copy(row, &mut row_values);
            centre(&mut row_values);
            dot(&row_values, axis)
        };
        rows.iter().map(place).collect()
    };
    let (x, y) = (spread(&along(&first)), spread(&along(&second)));
    x.into_iter().zip(y).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The strongest direction of the rows, at a right angle to another one.
fn direction(table: &[f64], columns: usize, other: Option<&[f64]>) -> Vec<f64> {
    let mut axis: Vec<f64> = (0..columns).map(|at| 1.0 + (at * 7919 % 101) as f64 / 101.0).collect();
    for _ in 0..ROUNDS {
        let mut next = vec![0.0; columns];
        for row in table.chunks_exact(columns) {
            let along = dot(row, &axis);
            next.iter_mut().zip(row).for_each(|(sum, value)| *sum += along * value);
        }
        if let Some(other) = other {
            let common = dot(&next, other);
            next.iter_mut().zip(other).for_each(|(value, own)| *value -= common * own);
        }
        let length = dot(&next, &next).sqrt();
        if length == 0.0 {
            return next;
        }
        axis = next.iter().map(|value| value / length).collect();
    }
    axis
}

/// Positions from 0 to 1, half by rank and half by value.
fn spread(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    let (low, high) = (order.first().map_or(0.0, |&at| values[at]), order.last().map_or(0.0, |&at| values[at]));
    let width = if high > low { high - low } else { 1.0 };
    let mut places = vec![0.0; values.len()];
    for (rank, &at) in order.iter().enumerate() {
        let by_rank = rank as f64 / (values.len().max(2) - 1) as f64;
        places[at] = 0.5 * by_rank + 0.5 * (values[at] - low) / width;
    }
    places
}

#[cfg(test)]
mod tests {
    use arss_table::{DenseMatrix, Matrix};

    use super::*;

    #[test]
    fn groups_are_apart_on_the_map() {
        let row = |at: usize| [if at < 10 { 0.0 } else { 5.0 }, (at % 10) as f32 * 0.1, 0.0];
        let matrix = DenseMatrix { data: (0..20).flat_map(row).collect(), rows: 20, columns: 3, by_column: false };
        let matrix = Matrix::F32(matrix);
        let places = plane(&NumericView::new(&matrix).unwrap(), &(0..20).collect::<Vec<_>>());
        let (left, right) = (&places[..10], &places[10..]);
        assert!(left.iter().all(|(x, _)| *x < 0.3) != right.iter().all(|(x, _)| *x < 0.3), "{places:?}");
        assert!(places.iter().all(|(x, y)| (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y)));
    }
}
