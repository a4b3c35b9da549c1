//! The largest absolute value of many numbers.

use crate::Float;

/// Numbers that are looked at side by side.
const LANES: usize = 8;

/// The largest absolute value; none if a value is not finite.
pub(crate) fn largest<T: Float>(values: &[T]) -> Option<f64> {
    // What is not finite times zero is not zero. Sums and comparisons of numbers go several at a time.
    let (mut most, mut odd) = ([0.0f64; LANES], [0.0f64; LANES]);
    let (groups, rest) = values.as_chunks::<LANES>();
    for group in groups {
        for ((value, most), odd) in group.iter().zip(&mut most).zip(&mut odd) {
            let size = value.to_f64().abs();
            *most = if *most < size { size } else { *most };
            *odd += size * 0.0;
        }
    }
    let others = rest.iter().map(|value| value.to_f64().abs());
    let all = odd.iter().all(|odd| *odd == 0.0) && others.clone().all(|size| size < f64::INFINITY);
    all.then(|| others.chain(most).fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_found_and_what_is_not_finite_noticed() {
        for length in [0, 1, 7, 8, 9, 100] {
            for at in 0..length {
                let mut values: Vec<f64> = (0..length).map(|value| -(f64::from(value) * 0.7).sin()).collect();
                values[at as usize] = -5.5;
                assert_eq!(largest(&values), Some(5.5));
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    values[at as usize] = bad;
                    assert_eq!(largest(&values), None);
                }
            }
        }
        assert_eq!((largest::<f64>(&[]), largest(&[-0.0f32, 1e30])), (Some(0.0), Some(f64::from(1e30f32))));
    }
}
