//! The median of a few values, and of all distances between two samples of rows.

use super::distances::{Rows, Table};

/// Rows per product where only their distances count.
const BLOCK: usize = 64;
/// Distances below this share of the largest one count as zero.
const ZERO: f64 = 1e-12;
/// Distances up to this share of those near the median are kept until it is known which of them count as zero.
const TINY: f64 = 1e-6;
/// From so many distances on, those between so many rows of either sample tell about where the median is.
const MANY: usize = 1 << 15;
const PROBES: usize = 64;
/// The median is looked for between these quantiles of what they tell.
const BOUNDS: (f64, f64) = (0.42, 0.58);

/// The median of the squared distances between two samples of items, zeros left out; 1 if there are no others.
pub(crate) fn median_squared(table: &Table<'_>, some: &[usize], others: &[usize]) -> f64 {
    let rows = Rows::<f64>::of(table, others);
    if some.len() * others.len() >= MANY {
        let mut near = Near::new(bounds(table, some, others));
        each_block(table, some, &rows, |squared| near.add(squared));
        if let Some(found) = near.median() {
            return found;
        }
    }
    let mut all = Vec::with_capacity(some.len() * others.len());
    each_block(table, some, &rows, |squared| all.extend_from_slice(squared));
    let least = ZERO * all.iter().copied().fold(1e-300, f64::max);
    all.retain(|&squared| squared > least);
    if all.is_empty() { 1.0 } else { median(&mut all) }
}

/// Shows the squared distances of the items to the rows, a block of items at a time.
fn each_block(table: &Table<'_>, items: &[usize], rows: &Rows<f64>, mut see: impl FnMut(&[f64])) {
    let mut squared = Vec::new();
    for items in items.chunks(BLOCK) {
        let own = Rows::<f64>::of(table, items);
        own.squared(0..own.len(), rows, &mut squared);
        see(&squared);
    }
}

/// Two values that the median is very likely between.
fn bounds(table: &Table<'_>, some: &[usize], others: &[usize]) -> (f64, f64) {
    let probes =
        |items: &[usize]| -> Vec<usize> { items.iter().copied().step_by(items.len().div_ceil(PROBES)).collect() };
    let mut sample = Vec::new();
    let rows = Rows::<f64>::of(table, &probes(others));
    each_block(table, &probes(some), &rows, |squared| sample.extend_from_slice(squared));
    sample.sort_unstable_by(f64::total_cmp);
    let at = |quantile: f64| sample[(quantile * sample.len() as f64) as usize];
    (at(BOUNDS.0), at(BOUNDS.1))
}

/// Values near the median, and how many are below and above: one look at each value, and few of them are kept.
struct Near {
    from: f64,
    to: f64,
    near: Vec<f64>,
    below: usize,
    above: usize,
    /// Those that may count as zero; they are below, too.
    tiny: Vec<f64>,
    largest: f64,
    count: usize,
}

impl Near {
    fn new((from, to): (f64, f64)) -> Self {
        Near { from, to, near: Vec::new(), below: 0, above: 0, tiny: Vec::new(), largest: 1e-300, count: 0 }
    }

    fn add(&mut self, values: &[f64]) {
        let (from, to) = (self.from, self.to);
        self.count += values.len();
        self.below += values.iter().map(|value| usize::from(*value < from)).sum::<usize>();
        self.above += values.iter().map(|value| usize::from(*value > to)).sum::<usize>();
        self.near.extend(values.iter().copied().filter(|value| (from..=to).contains(value)));
        self.tiny.extend(values.iter().copied().filter(|value| *value < TINY * from));
        // In lanes: one by one, each comparison would wait for the one before.
        let mut lanes = [self.largest; 8];
        for values in values.chunks(8) {
            lanes.iter_mut().zip(values).for_each(|(lane, value)| *lane = lane.max(*value));
        }
        self.largest = lanes.iter().copied().fold(self.largest, f64::max);
    }

    /// The median without those that count as zero; `None` if it is not among the values that were kept.
    fn median(mut self) -> Option<f64> {
        let least = ZERO * self.largest;
        if least >= TINY * self.from || self.below + self.near.len() + self.above != self.count {
            return None;
        }
        let zeros = self.tiny.iter().filter(|value| **value <= least).count();
        let (below, count) = (self.below - zeros, self.count - zeros);
        let middle = count / 2;
        let found = below < middle && self.above < middle;
        found.then(|| middle_of(&mut self.near, middle - below, count % 2 == 1))
    }
}

/// The median; the mean of the middle two where their number is even.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    middle_of(values, values.len() / 2, values.len() % 2 == 1)
}

/// The value that `middle` others are below; the mean of it and the one before unless their number is `odd`.
fn middle_of(values: &mut [f64], middle: usize, odd: bool) -> f64 {
    let (_, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if odd {
        return upper;
    }
    let lower = values[..middle].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    0.5 * (lower + upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;
    use crate::linalg::rng::{generator, uniform};

    fn plain(values: &[f64]) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        if sorted.len() % 2 == 1 { sorted[middle] } else { 0.5 * (sorted[middle - 1] + sorted[middle]) }
    }

    /// The median of all distances, each computed and kept, whatever the table is like.
    #[test]
    fn the_median_of_many_distances_is_what_sorting_finds() {
        let mut generator = generator(2);
        let noise: Vec<f64> = (0..700 * 3).map(|_| uniform(&mut generator)).collect();
        let mut groups: Vec<f64> = noise.iter().enumerate().map(|(at, x)| x + f64::from(at > 900) * 50.0).collect();
        let wild: Vec<f64> = noise.iter().enumerate().map(|(at, x)| x * 1e9f64.powi((at % 8 / 7) as i32)).collect();
        let equal: Vec<f64> = noise.iter().map(|x| f64::from(*x > 0.8)).collect();
        let mut few_values = noise.clone();
        few_values.truncate(40 * 3);
        groups.rotate_left(3 * 350);
        for values in [&noise, &groups, &wild, &equal, &few_values] {
            let count = values.len() / 3;
            let samples = Samples::new(values, count, 3).unwrap();
            let table = Table { rows: &samples, origin: &[0.0; 3] };
            let (some, others): (Vec<usize>, Vec<usize>) = ((0..count).collect(), (0..count).step_by(2).collect());
            let mut all = Vec::new();
            each_block(&table, &some, &Rows::of(&table, &others), |squared| all.extend_from_slice(squared));
            let least = ZERO * all.iter().copied().fold(1e-300, f64::max);
            all.retain(|&squared| squared > least);
            assert_eq!(median_squared(&table, &some, &others).to_bits(), plain(&all).to_bits(), "{count}");
            assert_eq!(median(&mut all.clone()).to_bits(), plain(&all).to_bits());
        }
        let one = Samples::new(&[4.0; 9], 3, 3).unwrap();
        assert_eq!(median_squared(&Table { rows: &one, origin: &[0.0; 3] }, &[0, 1], &[2]), 1.0);
    }
}
