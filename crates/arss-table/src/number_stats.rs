//! Running statistics of the numbers of a column.

use crate::output_types::OutputType;

/// Whole numbers below this have a sign; those from here to twice as much do not.
const SIGNED: f64 = 9_223_372_036_854_775_808.0;

/// What was seen of the numbers of a column.
#[derive(Debug, Clone, Copy)]
pub struct NumberStats {
    low: f64,
    high: f64,
    whole: bool,
    /// The number that would go on counting; none once it did not, NaN before the first.
    next: Option<f64>,
    count: usize,
}

impl Default for NumberStats {
    fn default() -> Self {
        NumberStats { low: 0.0, high: 0.0, whole: true, next: Some(f64::NAN), count: 0 }
    }
}

impl NumberStats {
    /// Adds the numbers of the rows that follow; NaN where there is none.
    pub fn add(&mut self, numbers: &[f64]) {
        self.count += numbers.len();
        for value in numbers.iter().take_while(|_| self.whole).filter(|value| !value.is_nan()).copied() {
            (self.low, self.high) = (self.low.min(value), self.high.max(value));
            if value.fract() != 0.0 {
                self.whole = false;
                break;
            }
        }
        for value in numbers {
            let Some(next) = self.next else { return };
            let goes_on = if next.is_nan() { *value == 0.0 || *value == 1.0 } else { *value == next };
            self.next = goes_on.then_some(value + 1.0);
        }
    }

    /// True for 0, 1, 2, ... or 1, 2, 3, ...
    pub fn counts_rows(&self) -> bool {
        self.count > 1 && self.next.is_some()
    }

    /// The type that the numbers fit into.
    pub fn kind(&self) -> OutputType {
        match (self.low, self.high) {
            _ if !self.whole => OutputType::Float,
            (low, high) if low >= -SIGNED && high < SIGNED => OutputType::Int,
            (low, high) if low >= 0.0 && high < 2.0 * SIGNED => OutputType::Uint,
            _ => OutputType::Float,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: &[f64]) -> NumberStats {
        let mut found = NumberStats::default();
        // In pieces, as they come from files.
        numbers.chunks(2).for_each(|piece| found.add(piece));
        found
    }

    #[test]
    fn whole_numbers_are_whole_as_long_as_they_fit() {
        assert_eq!(of(&[1.0, f64::NAN, -3.0]).kind(), OutputType::Int);
        assert_eq!(of(&[1.0, 0.5, 2.0]).kind(), OutputType::Float);
        assert_eq!(of(&[1e18, -9.2e18]).kind(), OutputType::Int);
        assert_eq!(of(&[1e19, 0.0]).kind(), OutputType::Uint);
        assert_eq!(of(&[1e19, -1.0]).kind(), OutputType::Float);
        assert_eq!(of(&[1e20]).kind(), OutputType::Float);
        assert_eq!(of(&[f64::INFINITY]).kind(), OutputType::Float);
    }

    #[test]
    fn counting_is_noticed() {
        assert!(of(&[0.0, 1.0, 2.0]).counts_rows() && of(&[1.0, 2.0, 3.0]).counts_rows());
        for other in [&[0.0][..], &[2.0, 3.0], &[0.0, 1.0, 3.0], &[0.0, f64::NAN, 2.0], &[0.0, 0.0], &[]] {
            assert!(!of(other).counts_rows(), "{other:?}");
        }
    }
}
