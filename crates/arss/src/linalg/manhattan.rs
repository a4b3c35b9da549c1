//! Sums of absolute differences: no product gives them, so they are added up pair by pair, many values at a time.

use super::distances::sum_of;
use super::simd::vectorised;
use crate::Float;

/// Values that are added side by side: enough chains of additions that none waits for another.
const WIDE: usize = 32;
/// Rows that are compared with at a time: they stay in the cache.
const TILE: usize = 64;

/// sum |a - b|, in `f64`.
pub(crate) fn distance<T: Float>(a: &[T], b: &[f64]) -> f64 {
    sum_of(a, b, |x, y| (x - y).abs())
}

/// The squared distances of some rows to others, a line each.
pub(crate) fn squared<T: Float>(rows: &[T], others: &[T], features: usize, squared: &mut [T]) {
    let count = others.len() / features;
    vectorised(
        #[inline(always)]
        || {
            for (tile, others) in others.chunks(TILE * features).enumerate() {
                for (row, line) in rows.chunks_exact(features).zip(squared.chunks_exact_mut(count)) {
                    for (other, value) in others.chunks_exact(features).zip(&mut line[tile * TILE..]) {
                        let distance = sum_of_differences(row, other);
                        *value = distance * distance;
                    }
                }
            }
        },
    );
}

/// sum |a - b| in the type of the rows, always in the same order.
#[inline(always)]
fn sum_of_differences<T: Float>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::from_f64(0.0); WIDE];
    let (a, a_rest) = a.as_chunks::<WIDE>();
    let (b, b_rest) = b.as_chunks::<WIDE>();
    for (a, b) in a.iter().zip(b) {
        for lane in 0..WIDE {
            sums[lane] += (a[lane] - b[lane]).size();
        }
    }
    for ((sum, &x), &y) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += (x - y).size();
    }
    let mut width = WIDE;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
    }
    sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_sums_of_absolute_differences() {
        for features in [1, 5, 31, 32, 33, 100] {
            let value = |i: usize| ((i * 37 % 101) as f64 * 0.37).sin();
            let rows: Vec<f64> = (0..7 * features).map(value).collect();
            let others: Vec<f64> = (0..70 * features).map(|i| value(i + 13)).collect();
            let mut found = vec![0.0; 7 * 70];
            squared(&rows, &others, features, &mut found);
            for (at, found) in found.iter().enumerate() {
                let (a, b) = (&rows[at / 70 * features..][..features], &others[at % 70 * features..][..features]);
                let plain: f64 = a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum();
                assert!((found.sqrt() - plain).abs() < 1e-12 && (distance(a, b) - plain).abs() < 1e-12);
            }
        }
    }
}
