//! Many columns seen in two dimensions: a principal component analysis that strange rows cannot turn.
//!
//! Columns are centred at their median and divided by the distance of their first and last decile - which, unlike
//! the median deviation, sees groups that are apart - as far as the median deviation vouches for it. Rows longer
//! than the median row are shortened to it (the spatial signs with a radius of Raymaekers and Rousseeuw, 2019), and only
//! rows within the gate make the axes. All rows are then drawn as they are.

/// Most steps of the power iteration: directions that need more are about equally good.
const STEPS: usize = 100;
/// The iteration ends when the direction moves by less.
const STILL: f64 = 1e-9;
/// Scaled values beyond this would say nothing more in a picture, but overflow when squared.
const FARTHEST: f64 = 1e9;

/// Two coordinates an item, and the share of the (shortened) variance that each axis explains.
#[derive(Debug)]
pub struct Projection {
    pub points: Vec<[f64; 2]>,
    pub explained: [f64; 2],
}

/// Projects the rows of `values`, `width` each; the rows for which `inside` is true make the axes.
pub fn project(mut values: Vec<f64>, width: usize, inside: &[bool]) -> Projection {
    // Nobody inside: everybody is.
    let everybody = vec![true; inside.len()];
    let inside = if inside.contains(&true) { inside } else { &everybody };
    scale(&mut values, width, inside);
    let shortened = shortened(&values, width, inside);
    let total: f64 = shortened.iter().map(|value| value * value).sum();
    let first = axis(&shortened, width, None);
    let second = axis(&shortened, width, Some(&first));
    let share = |axis: &[f64]| {
        let explained: f64 = shortened.chunks_exact(width).map(|row| dot(row, axis).powi(2)).sum();
        if total > 0.0 { explained / total } else { 0.0 }
    };
    let points = values.chunks_exact(width).map(|row| [dot(row, &first), dot(row, &second)]).collect();
    Projection { points, explained: [share(&first), share(&second)] }
}

/// Centres and scales each column by the rows inside; columns that are constant there become 0.
fn scale(values: &mut [f64], width: usize, inside: &[bool]) {
    for column in 0..width {
        let of = |values: &[f64]| -> Vec<f64> {
            let rows = inside.iter().enumerate().filter(|(_, inside)| **inside);
            rows.map(|(row, _)| values[row * width + column]).collect()
        };
        let middle = median(of(values));
        let unit = unit(&of(values), middle);
        for value in values.iter_mut().skip(column).step_by(width) {
            *value = if unit > 0.0 { ((*value - middle) / unit).clamp(-FARTHEST, FARTHEST) } else { 0.0 };
        }
    }
}

/// The size of a column: about its standard deviation, were it normal; 0 if it is constant.
pub fn unit(column: &[f64], middle: f64) -> f64 {
    let distances: Vec<f64> = column.iter().map(|value| (value - middle).abs()).collect();
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    let deciles = (quantile(column.to_vec(), 0.9) - quantile(column.to_vec(), 0.1)) / 2.563;
    let deviation = 1.483 * median(distances);
    // Where most values are equal one or both are 0; the mean distance still tells the size.
    let sizes = [deciles.min(1.5 * deviation), deciles, mean];
    sizes.into_iter().find(|size| *size > 0.0).unwrap_or_default()
}

/// The rows inside, none longer than the median one.
fn shortened(values: &[f64], width: usize, inside: &[bool]) -> Vec<f64> {
    let rows = || values.chunks_exact(width).zip(inside).filter(|(_, inside)| **inside).map(|(row, _)| row);
    let limit = median(rows().map(|row| dot(row, row).sqrt()).collect());
    let mut found = Vec::new();
    for row in rows() {
        let length = dot(row, row).sqrt();
        let factor = if limit > 0.0 && length > limit { limit / length } else { 1.0 };
        found.extend(row.iter().map(|value| value * factor));
    }
    found
}

/// The direction of the largest variance, at a right angle to `other`; zeros if there is none.
fn axis(rows: &[f64], width: usize, other: Option<&[f64]>) -> Vec<f64> {
    // Any start will do that is at a right angle to nothing likely.
    let mut axis: Vec<f64> = (0..width).map(|column| 1.0 + (column as f64 * 0.618).fract()).collect();
    if !straighten(&mut axis, other) {
        return axis;
    }
    for _ in 0..STEPS {
        let mut next = vec![0.0; width];
        for row in rows.chunks_exact(width) {
            let length = dot(row, &axis);
            next.iter_mut().zip(row).for_each(|(sum, value)| *sum += length * value);
        }
        if !straighten(&mut next, other) {
            return next;
        }
        let moved = 1.0 - dot(&next, &axis);
        axis = next;
        if moved < STILL {
            break;
        }
    }
    // An axis has no sign of its own: its largest entry is positive.
    let largest = axis.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
    axis.iter_mut().for_each(|value| *value *= largest.signum());
    axis
}

/// Takes `other` out and makes the length 1; false, and zeros, if nothing is left.
fn straighten(axis: &mut [f64], other: Option<&[f64]>) -> bool {
    let before = dot(axis, axis).sqrt();
    if let Some(other) = other {
        let along = dot(axis, other);
        axis.iter_mut().zip(other).for_each(|(value, other)| *value -= along * other);
    }
    let length = dot(axis, axis).sqrt();
    let left = length > 1e-12 * before && length > 0.0;
    axis.iter_mut().for_each(|value| *value = if left { *value / length } else { 0.0 });
    left
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The middle value; 0 if there is none.
pub fn median(values: Vec<f64>) -> f64 {
    quantile(values, 0.5)
}

/// The value below which the share `share` of the others lies; 0 if there is none.
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (share * values.len().saturating_sub(1) as f64).round() as usize;
    values.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows along (1, 1, 1), with a little in the other directions.
    fn stick(rows: usize) -> Vec<f64> {
        (0..rows)
            .flat_map(|i| {
                let (t, s) = (i as f64 - rows as f64 / 2.0, (i as f64 * 2.4).sin());
                [t + s, t - s, t + 0.1 * s]
            })
            .collect()
    }

    fn correlation(a: &[f64], b: &[f64]) -> f64 {
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
        let centred = |x: &[f64]| x.iter().map(|v| v - mean(x)).collect::<Vec<_>>();
        let (a, b) = (centred(a), centred(b));
        dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
    }

    #[test]
    fn the_first_axis_follows_the_rows_and_not_the_outliers() {
        let mut values = stick(100);
        // Thirty outliers at a right angle, unmarked: far more variance than the stick has.
        (0..30).for_each(|i| values.extend([1e4 + f64::from(i), -1e4 - f64::from(i), 0.0]));
        let inside = vec![true; 130];
        let found = project(values, 3, &inside);
        let along: Vec<f64> = (0..100).map(f64::from).collect();
        let first: Vec<f64> = found.points[..100].iter().map(|point| point[0]).collect();
        assert!(correlation(&along, &first).abs() > 0.99, "{}", correlation(&along, &first));
        assert!(found.points[100][1].abs() > 100.0);
    }

    #[test]
    fn shares_and_signs() {
        let found = project(stick(100), 3, &[true; 100]);
        assert!(found.explained[0] > found.explained[1] && found.explained.iter().sum::<f64>() <= 1.0 + 1e-12);
        assert!(found.points[99][0] > found.points[0][0]);
    }

    #[test]
    fn poor_tables_have_a_picture_too() {
        for (values, width) in [
            (vec![1.0, 2.0, 5.0], 1),
            (vec![3.0; 8], 2),
            (vec![1.0, 2.0], 2),
            (vec![0.0, 1e308, 0.0, -1e308, 0.0, 1e-308], 1),
        ] {
            let rows = values.len() / width;
            for inside in [true, false] {
                let found = project(values.clone(), width, &vec![inside; rows]);
                assert_eq!(found.points.len(), rows);
                assert!(found.points.iter().flatten().all(|value| value.is_finite()), "{found:?}");
            }
        }
    }

    #[test]
    fn quantiles() {
        let values = vec![3.0, 1.0, 2.0, 5.0, 4.0];
        assert_eq!((median(values.clone()), quantile(values.clone(), 0.0), quantile(values, 1.0)), (3.0, 1.0, 5.0));
        assert_eq!(median(Vec::new()), 0.0);
    }
}
