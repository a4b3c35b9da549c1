//! Does the upper of two populations lie elsewhere than the lower one?
//!
//! Noise spreads rows to all sides, so that noisy rows are as often above as below the others in every column. A class has its
//! own place: in some column nearly all of its rows are above the others, or below.

/// The share of the rows, by how lonely they are, that stands for the upper population, and for the lower one.
const ENDS: (f64, f64) = (0.25, 0.5);
/// Fewest rows that can tell.
const FEWEST: usize = 40;

/// How far the lonely rows are shifted in the column that shifts them most: |P(x > y) - 1/2| for a lonely row x and a usual
/// row y, 0 to 1/2. `relative` says how lonely each row is.
pub(in crate::exemplars) fn shift(relative: &[f64], values: &[f64]) -> f64 {
    let count = relative.len();
    if count < FEWEST {
        return 0.0;
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| relative[a].total_cmp(&relative[b]));
    let lonely = &order[count - (ENDS.0 * count as f64) as usize..];
    let usual = &order[..(ENDS.1 * count as f64) as usize];
    let features = values.len() / count;
    let of_column = |column: usize| {
        let cells = |rows: &[usize]| -> Vec<f64> { rows.iter().map(|row| values[row * features + column]).collect() };
        (above(&cells(lonely), cells(usual)) - 0.5).abs()
    };
    (0..features).map(of_column).fold(0.0, f64::max)
}

/// P(x > y) + P(x = y) / 2.
fn above(xs: &[f64], mut ys: Vec<f64>) -> f64 {
    ys.sort_unstable_by(f64::total_cmp);
    let below = |x: &f64| ys.partition_point(|y| y < x) + ys.partition_point(|y| y <= x);
    let sum: usize = xs.iter().map(below).sum();
    sum as f64 / (2 * xs.len() * ys.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_lies_elsewhere_and_noise_does_not() {
        let noise = |at: usize| ((at as f64 * 12.9898).sin() * 43_758.545_3).fract();
        let lonely = |row: usize| row.is_multiple_of(4);
        let relative: Vec<f64> = (0..400).map(|row| if lonely(row) { 2.0 } else { 0.0 } + 0.1 * noise(row)).collect();
        let spread = |row: usize, factor: f64| if lonely(row) { factor * noise(3 * row) } else { noise(3 * row) };
        let wide: Vec<f64> = (0..400).flat_map(|row| [spread(row, 5.0), noise(7 * row)]).collect();
        assert!(shift(&relative, &wide) < 0.15, "{}", shift(&relative, &wide));
        let class = |row: usize| if lonely(row) { -1.0 } else { 0.0 } + noise(5 * row);
        let apart: Vec<f64> = (0..400).flat_map(|row| [noise(7 * row), class(row)]).collect();
        assert!(shift(&relative, &apart) > 0.3, "{}", shift(&relative, &apart));
        // Constants, ties and few rows tell nothing.
        assert_eq!(shift(&relative, &[1.0; 800]), 0.0);
        assert_eq!(shift(&relative[..30], &apart[..60]), 0.0);
    }
}
