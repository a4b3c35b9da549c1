//! Lines of a chart.

/// Points of a curve.
const CURVE: usize = 400;

/// The values numbered from 1, without those that do not exist, and not all of them if they are many.
pub fn thinned(values: impl ExactSizeIterator<Item = f64>) -> Vec<[f64; 2]> {
    let count = values.len();
    let step = count.div_ceil(CURVE).max(1);
    let kept = values.enumerate().filter(|(at, _)| at % step == 0 || at + 1 == count);
    kept.filter(|(_, value)| value.is_finite()).map(|(at, value)| [(at + 1) as f64, value]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_keep_their_ends() {
        let points = thinned((0..10_001).map(f64::from));
        assert!(points.len() <= CURVE + 1);
        assert_eq!((points[0], points[points.len() - 1]), ([1.0, 0.0], [10_001.0, 10_000.0]));
        assert_eq!(thinned([1.0, f64::NAN, 3.0].into_iter()), [[1.0, 1.0], [3.0, 3.0]]);
    }
}
