//! Medians, and that of many distances without keeping them all.

use super::distances::{Rows, Table};

/// Rows per product where only their distances count.
const BLOCK: usize = 64;
/// Distances below this share of the largest one count as zero.
const ZERO: f64 = 1e-12;
/// The largest distance is at least this.
const LEAST: f64 = 1e-300;
/// Each how many-th row tells where the median lies, and the fewest distances that can.
const BRACKET: (usize, usize) = (16, 4096);
/// Quantiles on either side of the median that it is looked for between.
const BRACKET_WIDTH: f64 = 0.1;
/// Distances above this share of the lower limit are not zero.
const TINY: f64 = 1e-6;

/// The median of the squared distances between two samples of items, zeros left out; 1 if there are no others.
///
/// A few of the rows tell between which distances it lies, so that only those have to be kept: fresh memory for all of
/// them, and a search in it, took longer than the distances themselves.
pub(crate) fn median_squared(table: &Table<'_>, some: &[usize], others: &[usize]) -> f64 {
    if let Some(width) = table.rows.width() {
        return width;
    }
    let others = Rows::<f64>::of(table, others);
    let mut part = Vec::new();
    let mut visit = |items: &[usize], each: &mut dyn FnMut(&[f64])| {
        for items in items.chunks(BLOCK) {
            let rows = Rows::<f64>::of(table, items);
            rows.squared(0..rows.len(), &others, &mut part);
            each(&part);
        }
    };
    let mut kept = Vec::new();
    let few: Vec<usize> = some.iter().copied().step_by(BRACKET.0).collect();
    visit(&few, &mut |part| kept.extend_from_slice(part));
    if let Some(mut between) = Bracket::around_median(&mut kept) {
        visit(some, &mut |part| between.add(part));
        if let Some(median) = between.median() {
            return median;
        }
    }
    kept.clear();
    visit(some, &mut |part| kept.extend_from_slice(part));
    let largest = kept.iter().copied().fold(LEAST, f64::max);
    kept.retain(|&squared| squared > ZERO * largest);
    if kept.is_empty() { 1.0 } else { median(&mut kept) }
}

/// Squared distances that lie where the median is expected, and what is known of the others.
struct Bracket {
    from: f64,
    to: f64,
    between: Vec<f64>,
    below: usize,
    above: usize,
    /// Those far below, which may count as zero.
    tiny: Vec<f64>,
    largest: f64,
}

impl Bracket {
    /// Around the median of a sample, which is emptied; `None` if the sample is too small to tell.
    fn around_median(sample: &mut Vec<f64>) -> Option<Self> {
        let count = sample.len();
        if count < BRACKET.1 {
            return None;
        }
        let mut at = |share: f64| *sample.select_nth_unstable_by((share * count as f64) as usize, f64::total_cmp).1;
        let (from, to) = (at(0.5 - BRACKET_WIDTH), at(0.5 + BRACKET_WIDTH));
        sample.clear();
        let between = std::mem::take(sample);
        Some(Bracket { from, to, between, below: 0, above: 0, tiny: Vec::new(), largest: LEAST })
    }

    /// Without branches: which side a distance is on cannot be foretold.
    fn add(&mut self, squared: &[f64]) {
        let (from, to, start) = (self.from, self.to, self.between.len());
        self.between.resize(start + squared.len(), 0.0);
        let mut kept = 0;
        let free = &mut self.between[start..];
        for &value in squared {
            free[kept] = value;
            kept += usize::from(value >= from && value <= to);
        }
        self.between.truncate(start + kept);
        let below = squared.iter().map(|&value| usize::from(value < from)).sum::<usize>();
        self.below += below;
        self.above += squared.len() - below - kept;
        self.largest = squared.iter().fold(self.largest, |most, &value| if value > most { value } else { most });
        if squared.iter().any(|&value| value <= TINY * from) {
            self.tiny.extend(squared.iter().filter(|&&value| value <= TINY * from));
        }
    }

    /// The median without zeros; `None` if it does not lie between the limits.
    fn median(mut self) -> Option<f64> {
        let zero = ZERO * self.largest;
        if zero > TINY * self.from {
            return None;
        }
        let below = self.below - self.tiny.iter().filter(|&&value| value <= zero).count();
        let count = below + self.between.len() + self.above;
        let upper = (count / 2).checked_sub(below).filter(|&at| at > 0 && at < self.between.len())?;
        let (lower, &mut upper, _) = self.between.select_nth_unstable_by(upper, f64::total_cmp);
        if count % 2 == 1 {
            return Some(upper);
        }
        Some(0.5 * (lower.iter().copied().fold(f64::NEG_INFINITY, f64::max) + upper))
    }
}

/// The median; the mean of the middle two where their number is even.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if below.len() == middle && values.len() % 2 == 1 {
        return upper;
    }
    let lower = values[..middle].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    0.5 * (lower + upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metric;

    fn values(count: u32) -> Vec<f64> {
        (0..count).map(|i| (f64::from(i) * 12.9898).sin() * 43758.5453 % 1.0 + 1000.0).collect()
    }

    /// The median of all distances, sorted: rows alike, a few or one far out, or all on a line.
    #[test]
    fn the_median_is_that_of_all_distances() {
        let noise = values(2 * 700);
        let plain = |row: usize| noise[row] - 1000.0;
        let shapes: [&dyn Fn(usize) -> f64; 6] = [
            &plain,
            &|row| if row % 3 == 0 { 0.5 } else { plain(row) },
            &|row| if row == 17 { 1e9 } else { plain(row) },
            &|row| if row % 40 == 0 { 1e4 * plain(row) } else { plain(row) },
            &|row| (row / 350) as f64 * 100.0 + plain(row),
            &|row| if row < 660 { 1.0 } else { row as f64 },
        ];
        for (at, shape) in shapes.iter().enumerate() {
            for rows in [3, 60, 300, 700] {
                let table: Vec<f64> = (0..rows).flat_map(|row| [shape(row), 0.3 * shape((row * 7) % 700)]).collect();
                let samples = crate::Samples::new(&table, rows, 2).unwrap();
                let table = Table { rows: &samples, origin: &[0.0; 2], metric: Metric::Euclidean };
                let items: Vec<usize> = (0..rows).collect();
                let (mut all, mut part) = (Vec::new(), Vec::new());
                for some in items.chunks(BLOCK) {
                    let some = Rows::<f64>::of(&table, some);
                    some.squared(0..some.len(), &Rows::of(&table, &items), &mut part);
                    all.extend_from_slice(&part);
                }
                let largest = all.iter().copied().fold(LEAST, f64::max);
                all.retain(|&squared| squared > ZERO * largest);
                all.sort_unstable_by(f64::total_cmp);
                let middle = all.len() / 2;
                let wanted = match all.len() {
                    0 => 1.0,
                    count if count % 2 == 1 => all[middle],
                    _ => 0.5 * (all[middle - 1] + all[middle]),
                };
                assert_eq!(median_squared(&table, &items, &items), wanted, "shape {at}, {rows} rows");
            }
        }
    }
}
