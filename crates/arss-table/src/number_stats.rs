//! Running statistics of the numbers of a column.

use std::collections::HashSet;

use crate::output_types::OutputType;

/// Whole numbers below this have a sign; those from here to twice as much do not.
const SIGNED: f64 = 9_223_372_036_854_775_808.0;

/// Numbers among which repeats are looked for.
const LOOKED_AT: usize = 1 << 16;
/// Quartiles of numbers that lie evenly are no further than this from the quarters of their range.
const EVENLY: f64 = 0.12;
/// Steps that differ by less than this share of a step are the same: times such as 1949.083 are rounded.
const ROUNDED: f64 = 0.02;

/// Numbers that follow each other closely step by less than this share of their range; numbers in any order by a third.
const CLOSELY: f64 = 0.1;

/// A counter that starts again counts so many rows before it does, on average; months, hours and days of a month fewer.
const LONG_COUNT: usize = 40;

/// Numbers that are looked at side by side.
const LANES: usize = 8;
/// From here on every number is whole.
const ALL_WHOLE: f64 = 9_007_199_254_740_992.0;

/// True for a whole number; infinite ones are none.
#[inline]
fn is_whole(value: f64) -> bool {
    if value.abs() < ALL_WHOLE { value as i64 as f64 == value } else { value.is_finite() }
}

/// True for year, month and day in eight digits.
fn is_day(value: f64) -> bool {
    if !(15_000_101.0..22_000_000.0).contains(&value) || !is_whole(value) {
        return false;
    }
    let digits = value as i64;
    (1..=12).contains(&(digits / 100 % 100)) && (1..=31).contains(&(digits % 100))
}

/// Counting by one that may begin again: 1, 2, 3, 1, 2, ...
#[derive(Debug, Clone, Copy, Default)]
struct Counting {
    begun: usize,
    start: f64,
    last: f64,
}

impl Counting {
    /// The same after the next number; none if it does not count.
    fn next(self, value: f64) -> Option<Self> {
        match self.begun {
            0 => (value == 0.0 || value == 1.0).then_some(Counting { begun: 1, start: value, last: value }),
            _ if value == self.last + 1.0 => Some(Counting { last: value, ..self }),
            begun => (value == self.start).then_some(Counting { begun: begun + 1, last: value, ..self }),
        }
    }
}

/// What was seen of the numbers of a column.
#[derive(Debug, Clone)]
pub struct NumberStats {
    low: f64,
    high: f64,
    whole: bool,
    /// Numbers, without missing ones.
    filled: usize,
    rows: usize,
    first: f64,
    last: f64,
    /// The step from each number to the next; none once it was another, NaN before the second number.
    step: Option<f64>,
    /// None once a number neither counts on nor begins again.
    counting: Option<Counting>,
    /// True as long as every number is a day such as 19580329.
    days: bool,
    /// The first whole numbers; none once one was repeated.
    distinct: Option<HashSet<u64>>,
    /// The way from each of them to the next: the last one, how far it was in all, and whether it went up and down.
    way: (f64, f64, bool, bool),
}

impl Default for NumberStats {
    fn default() -> Self {
        NumberStats {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            whole: true,
            filled: 0,
            rows: 0,
            first: f64::NAN,
            last: f64::NAN,
            step: Some(f64::NAN),
            counting: Some(Counting::default()),
            days: true,
            distinct: Some(HashSet::new()),
            way: (f64::NAN, 0.0, false, false),
        }
    }
}

impl NumberStats {
    /// Adds the numbers of the rows that follow; NaN where there is none.
    pub fn add(&mut self, numbers: &[f64]) {
        self.rows += numbers.len();
        self.add_range(numbers);
        self.whole = self.whole && numbers.iter().all(|value| value.is_nan() || is_whole(*value));
        self.counting =
            self.counting.and_then(|counting| numbers.iter().try_fold(counting, |so_far, &value| so_far.next(value)));
        self.add_steps(numbers);
        self.days = self.days && numbers.iter().all(|&value| value.is_nan() || is_day(value));
        if !self.whole {
            self.distinct = None;
        }
        let room = (LOOKED_AT + numbers.len()).saturating_sub(self.rows);
        if let Some(distinct) = &mut self.distinct {
            let filled = numbers.iter().take(room).filter(|value| !value.is_nan());
            if !filled.clone().map(|value| value.to_bits()).all(|bits| distinct.insert(bits)) {
                self.distinct = None;
                return;
            }
            for &value in filled {
                let (last, far, up, down) = self.way;
                let step = if last.is_nan() { 0.0 } else { value - last };
                self.way = (value, far + step.abs(), up || step > 0.0, down || step < 0.0);
            }
        }
    }

    /// Smallest, largest and how many, several numbers side by side: this is most of the work.
    fn add_range(&mut self, numbers: &[f64]) {
        let (mut low, mut high, mut missing) = ([self.low; LANES], [self.high; LANES], [0u64; LANES]);
        let (groups, rest) = numbers.as_chunks::<LANES>();
        for group in groups {
            for (at, &value) in group.iter().enumerate() {
                // Nothing is below or above a missing number.
                low[at] = if value < low[at] { value } else { low[at] };
                high[at] = if value > high[at] { value } else { high[at] };
                missing[at] += u64::from(value.is_nan());
            }
        }
        self.low = rest.iter().chain(&low).fold(self.low, |low, &value| if value < low { value } else { low });
        self.high = rest.iter().chain(&high).fold(self.high, |high, &value| if value > high { value } else { high });
        let missing = missing.iter().sum::<u64>() as usize + rest.iter().filter(|value| value.is_nan()).count();
        self.filled += numbers.len() - missing;
    }

    fn add_steps(&mut self, numbers: &[f64]) {
        for &value in numbers {
            let Some(step) = self.step else { return };
            if self.first.is_nan() {
                (self.first, self.last) = (value, value);
                // A missing number ends the counting.
                self.step = (!value.is_nan()).then_some(step);
                continue;
            }
            let own = value - self.last;
            let goes_on =
                if step.is_nan() { own != 0.0 && own.is_finite() } else { (own - step).abs() <= ROUNDED * step.abs() };
            self.step = goes_on.then_some(if step.is_nan() { own } else { step });
            self.last = value;
        }
    }

    /// True for 0, 1, 2, ... or 1, 2, 3, ...
    pub fn counts_rows(&self) -> bool {
        self.rows > 1 && self.step == Some(1.0) && (self.first == 0.0 || self.first == 1.0)
    }

    /// True for 1, 2, 3, ... that begins again after many rows, as samples are numbered within their groups.
    pub fn counts_in_parts(&self) -> bool {
        self.counting.is_some_and(|counting| counting.begun > 1 && self.rows >= LONG_COUNT * counting.begun)
    }

    /// True if every number is the same step from the one before it.
    pub fn is_steady(&self) -> bool {
        self.rows > 2 && self.step.is_some_and(f64::is_finite)
    }

    /// True if all numbers are whole and none of the first of them is repeated.
    pub fn is_unique(&self) -> bool {
        self.whole && self.filled > 1 && self.distinct.is_some()
    }

    /// True if nearly every whole number between the smallest and the largest occurs, once each.
    pub fn is_dense(&self) -> bool {
        self.is_unique() && self.high - self.low < 1.25 * self.filled as f64
    }

    /// The digits of every number, if all are whole, positive and have as many.
    pub fn digits(&self) -> Option<usize> {
        let digits = |value: f64| format!("{value:.0}").len();
        let fixed = self.whole && self.low > 0.0 && self.high < 1e18 && digits(self.low) == digits(self.high);
        fixed.then(|| digits(self.low))
    }

    /// True if the whole numbers, none of them repeated, lie evenly between the smallest and the largest, as numbers that
    /// were dealt out do. Counts and measures crowd somewhere.
    pub fn is_even(&self) -> bool {
        let Some(distinct) = self.distinct.as_ref().filter(|_| self.is_unique()) else { return false };
        let mut values: Vec<f64> = distinct.iter().map(|bits| f64::from_bits(*bits)).collect();
        values.sort_by(f64::total_cmp);
        let (first, last) = (values[0], values[values.len() - 1]);
        let near = |share: f64| {
            let value = values[((values.len() - 1) as f64 * share).round() as usize];
            ((value - first) / (last - first) - share).abs() < EVENLY
        };
        near(0.25) && near(0.5) && near(0.75)
    }

    /// True if the whole numbers, none of them repeated, go up and down by little, as what is measured again and again does.
    /// Numbers that were dealt out are sorted, or in any order.
    pub fn drifts(&self) -> bool {
        let (_, far, up, down) = self.way;
        let steps = self.distinct.as_ref().map_or(0, |distinct| distinct.len().saturating_sub(1)) as f64;
        self.is_unique() && up && down && far < CLOSELY * steps * (self.high - self.low)
    }

    /// True if each of the whole numbers, none of them repeated, is larger than the one before.
    pub fn rises(&self) -> bool {
        let (_, _, up, down) = self.way;
        self.is_unique() && up && !down
    }

    /// True if every number is a day in eight digits: 19580329.
    pub fn is_days(&self) -> bool {
        self.days && self.filled > 0
    }

    /// True if all numbers are the same.
    pub fn is_constant(&self) -> bool {
        self.filled > 1 && self.low == self.high
    }

    /// Smallest and largest; infinite before the first number.
    pub fn range(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// True if all numbers are whole.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// The type that the numbers fit into.
    pub fn kind(&self) -> OutputType {
        match (self.low.min(0.0), self.high.max(0.0)) {
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
    fn whole_numbers_are_told_from_others() {
        let whole = [0.0, -0.0, 7.0, -3.0, 2f64.powi(52) + 1.0, 2f64.powi(53), -1e300];
        assert!(whole.into_iter().all(|value| is_whole(value) && value.fract() == 0.0));
        let others = [0.5, -1e-300, 2f64.powi(52) - 0.5, f64::INFINITY, f64::NEG_INFINITY];
        assert!(!others.into_iter().any(is_whole));
    }

    #[test]
    fn the_range_is_that_of_numbers_in_any_place() {
        for length in 1..20 {
            for at in 0..length {
                let mut numbers: Vec<f64> = (0..length).map(|row| f64::from(row) * 0.5).collect();
                numbers[at as usize] = -7.25;
                numbers[(at as usize + 1) % length as usize] = f64::NAN;
                let mut found = NumberStats::default();
                found.add(&numbers);
                let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
                assert_eq!((found.range(), found.filled), ((low, high), length as usize - 1), "{numbers:?}");
            }
        }
    }

    #[test]
    fn counters_begin_again_after_many_rows() {
        let parts = |lengths: &[usize]| -> Vec<f64> {
            lengths.iter().flat_map(|&length| (1..=length).map(|at| at as f64)).collect()
        };
        assert!(of(&parts(&[152, 68, 124])).counts_in_parts());
        assert!(!of(&parts(&[12; 30])).counts_in_parts() && !of(&parts(&[300])).counts_in_parts());
        let mut skipped = parts(&[100, 100]);
        skipped[50] += 1.0;
        assert!(!of(&skipped).counts_in_parts());
        skipped[50] = f64::NAN;
        assert!(!of(&skipped).counts_in_parts());
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
    fn steps_repeats_and_widths_are_noticed() {
        assert!(of(&[1949.083, 1949.167, 1949.25, 1949.333]).is_steady());
        assert!(of(&[10.0, 20.0, 30.0]).is_steady() && of(&[3.0, 2.0, 1.0]).is_steady());
        assert!(!of(&[1.0, 2.0, 4.0]).is_steady() && !of(&[1.0, f64::NAN, 2.0]).is_steady());
        assert!(!of(&[5.0, 5.0, 5.0]).is_steady() && of(&[5.0, f64::NAN, 5.0]).is_constant());
        assert!(of(&[7.0, 3.0, 5.0]).is_unique() && !of(&[7.0, 3.0, 7.0]).is_unique());
        assert!(!of(&[1.5, 2.5]).is_unique());
        assert!(of(&[3.0, 1.0, 2.0]).is_dense() && !of(&[3.0, 1.0, 20.0]).is_dense());
        let dealt: Vec<f64> = (0..40).map(|row| f64::from(100_000 + row * 7919 % 40_009)).collect();
        let births: Vec<f64> = (0..40).map(|row| 1.9e6 + f64::from(row * row * 100)).collect();
        assert!(of(&dealt).is_even() && !of(&births).is_even());
        let grown: Vec<f64> = (0..40).map(|row| f64::from(18_000 + row * 40 - 90 * i32::from(row % 7 == 3))).collect();
        assert!(of(&grown).is_even() && of(&grown).drifts() && !of(&dealt).drifts());
        let mut sorted = dealt;
        sorted.sort_by(f64::total_cmp);
        assert!(!of(&sorted).drifts());
        assert!(of(&sorted).rises() && !of(&grown).rises() && !of(&[2.0, 2.0]).rises());
        assert!(of(&[19_580_329.0, f64::NAN, 20_261_118.0]).is_days() && !of(&[f64::NAN]).is_days());
        assert!(!of(&[19_580_329.0, 19_581_329.0]).is_days() && !of(&[19_580_329.5]).is_days());
        assert_eq!((of(&[1234.0, 9999.0]).digits(), of(&[999.0, 1000.0]).digits()), (Some(4), None));
    }

    #[test]
    fn counting_is_noticed() {
        assert!(of(&[0.0, 1.0, 2.0]).counts_rows() && of(&[1.0, 2.0, 3.0]).counts_rows());
        for other in [&[0.0][..], &[2.0, 3.0], &[0.0, 1.0, 3.0], &[0.0, f64::NAN, 2.0], &[0.0, 0.0], &[]] {
            assert!(!of(other).counts_rows(), "{other:?}");
        }
    }
}
