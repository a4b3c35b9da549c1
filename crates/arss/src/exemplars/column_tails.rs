//! How far out in its columns a row lies: ranks of its values among a sorted sample of each column.

use super::gate::DENSE;
use super::landmarks::SCALE_ROWS;
use super::steps::{TAIL, WIDTH};
use crate::Float;
use crate::linalg::simd::{LANES, Lanes, vectorised};

/// Where a table has so many columns that tails count little, each how many-th row of the sample is taken.
const THINNED: usize = 4;

/// The columns of some rows, each sorted, one behind the other.
pub(super) fn sorted_columns(values: &[f64], features: usize) -> Vec<f64> {
    let every = if features as f64 > DENSE { THINNED } else { 1 };
    let column = |at: usize| {
        let mut column: Vec<f64> = values.iter().skip(at).step_by(features * every).copied().collect();
        column.sort_unstable_by(f64::total_cmp);
        column
    };
    (0..features).flat_map(column).collect()
}

/// The columns of a sample that are not constant.
pub(super) struct ColumnTails<'a, T> {
    columns: Vec<Ranks<'a, T>>,
    /// Minus the logarithm of a tail that holds so many of the sample.
    logarithms: Vec<f64>,
}

/// A sorted sample of one column.
struct Ranks<'a, T> {
    column: usize,
    /// In the type of the rows, rounded up: a value of that type is no less than both, or less than both.
    rounded: Vec<T>,
    /// Before it was rounded; none if nothing was. For each block of rows the samples of all columns pass through the cache:
    /// they are most of the time.
    sample: Option<&'a [f64]>,
}

impl<'a, T: Float> Ranks<'a, T> {
    fn new(column: usize, sample: &'a [f64]) -> Self {
        let rounded: Vec<T> = sample.iter().map(|&value| T::not_below(value)).collect();
        let is_exact = rounded.iter().zip(sample).all(|(rounded, value)| rounded.to_f64() == *value);
        Ranks { column, rounded, sample: (!is_exact).then_some(sample) }
    }

    /// For each value the smaller of two counts: of the samples up to it, and of those from it on.
    ///
    /// The values are searched for in step, without a branch: each waits for the cache alone.
    #[inline(always)]
    fn tails(&self, values: &Lanes<T>) -> [usize; LANES] {
        let sample = self.rounded.as_slice();
        let first = if let Ok(sample) = <&[T; SCALE_ROWS]>::try_from(sample) {
            search(sample, values)
        } else if let Ok(sample) = <&[T; SCALE_ROWS / THINNED]>::try_from(sample) {
            search(sample, values)
        } else {
            search_any(sample, values)
        };
        let mut tails = [0; LANES];
        for lane in 0..LANES {
            let value = values[lane].to_f64();
            let up_to = first[lane] + usize::from(self.rounded[first[lane]] <= values[lane]);
            let below = match self.sample {
                None if up_to > 0 && self.rounded[up_to - 1] == values[lane] => {
                    self.rounded.partition_point(|other| *other < values[lane])
                }
                Some(sample) if up_to > 0 && sample[up_to - 1] == value => {
                    sample.partition_point(|&other| other < value)
                }
                _ => up_to,
            };
            tails[lane] = up_to.min(self.rounded.len() - below);
        }
        tails
    }
}

/// Where the last of the samples up to each value stands, or the first if there is none. The usual sizes are powers of two:
/// places in them need no check.
#[inline(always)]
fn search<T: Float, const SIZE: usize>(sample: &[T; SIZE], values: &Lanes<T>) -> [usize; LANES] {
    let (mut first, mut half) = ([0u32; LANES], SIZE as u32 / 2);
    while half > 0 {
        for lane in 0..LANES {
            let up_to = sample[(first[lane] + half - 1) as usize % SIZE] <= values[lane];
            first[lane] += if up_to { half } else { 0 };
        }
        half /= 2;
    }
    first.map(|at| at as usize)
}

/// The same for a sample of any size.
#[inline(always)]
fn search_any<T: Float>(sample: &[T], values: &Lanes<T>) -> [usize; LANES] {
    let (mut first, mut length) = ([0; LANES], sample.len());
    while length > 1 {
        let half = length / 2;
        for lane in 0..LANES {
            let up_to = sample[first[lane] + half - 1] <= values[lane];
            first[lane] += if up_to { half } else { 0 };
        }
        length -= half;
    }
    first
}

impl<'a, T: Float> ColumnTails<'a, T> {
    /// From the sorted columns of a sample, one behind the other; none if there are no samples.
    pub fn new(samples: &'a [f64], features: usize) -> Self {
        let rows = (samples.len() / features).max(1);
        let columns = samples.chunks_exact(rows).enumerate().filter(|(_, values)| values[0] < values[rows - 1]);
        // Beyond the whole sample: half a row of it.
        let tail = |held: usize| -((held as f64).max(0.5) / rows as f64).min(1.0).ln();
        ColumnTails {
            columns: columns.map(|(column, values)| Ranks::new(column, values)).collect(),
            logarithms: (0..=rows).map(tail).collect(),
        }
    }

    /// Sets the mean over the columns of minus the logarithm of the tail that a cell lies in. Column by column, as the sample
    /// of one column stays in the cache.
    pub fn set(&self, values: &[T], features: usize, rows: &mut [[f64; WIDTH]]) {
        let mut sums = vec![0.0; rows.len().next_multiple_of(LANES)];
        for ranks in &self.columns {
            vectorised(
                #[inline(always)]
                || {
                    for (lot, sums) in sums.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                        let mut cells = [T::from_f64(0.0); LANES];
                        let rows = values[lot * LANES * features..].chunks_exact(features);
                        cells.iter_mut().zip(rows).for_each(|(cell, row)| *cell = row[ranks.column]);
                        let tails = ranks.tails(&cells);
                        sums.iter_mut().zip(tails).for_each(|(sum, tail)| *sum += self.logarithms[tail]);
                    }
                },
            );
        }
        let count = self.columns.len().max(1) as f64;
        rows.iter_mut().zip(sums).for_each(|(row, sum)| row[TAIL] = sum / count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::rng::{generator, uniform};

    /// Ranks are those that a plain search finds, also where the sample has ties or values far out, or rows are `f32`.
    #[test]
    fn ranks_are_those_of_a_search() {
        let mut generator = generator(5);
        let mut next = || uniform(&mut generator);
        let smooth: Vec<f64> = (0..SCALE_ROWS).map(|_| next()).collect();
        let ties: Vec<f64> = smooth.iter().map(|x| (x * 7.0).floor()).collect();
        let far: Vec<f64> = smooth.iter().map(|x| if *x > 0.9 { x * 1e300 } else { x * 1e-300 }).collect();
        let wide: Vec<f64> = smooth.iter().map(|x| if *x > 0.5 { f64::MAX } else { f64::MIN }).collect();
        let one: Vec<f64> = (0..SCALE_ROWS).map(|i| f64::from(u8::from(i == SCALE_ROWS - 1))).collect();
        for mut sample in [smooth, ties, far, wide, one] {
            sample.sort_unstable_by(f64::total_cmp);
            let between = sample.windows(2).map(|pair| pair[0] / 2.0 + pair[1] / 2.0);
            let outside = [f64::MIN, -1.0, -0.0, 2.0, f64::MAX];
            let values: Vec<f64> = sample.iter().copied().chain(between).chain(outside).collect();
            check(&sample, &values);
            let single: Vec<f32> = values.iter().map(|&value| value as f32).filter(|value| value.is_finite()).collect();
            check(&sample, &single);
            // The sample itself in `f32`: every value is a tie.
            let rounded: Vec<f64> = sample.iter().map(|&value| f64::from(value as f32)).collect();
            check(&rounded, &single);
        }
    }

    fn check<T: Float>(sample: &[f64], values: &[T]) {
        for count in [sample.len(), SCALE_ROWS / THINNED, 499, 7, 1] {
            let sample = &sample[..count];
            let ranks = Ranks::<T>::new(0, sample);
            for lot in values.chunks(LANES) {
                let mut cells = [T::from_f64(0.0); LANES];
                cells[..lot.len()].copy_from_slice(lot);
                for (tail, value) in ranks.tails(&cells).into_iter().zip(cells.map(|cell| cell.to_f64())) {
                    let below = sample.partition_point(|&other| other < value);
                    let up_to = sample.partition_point(|&other| other <= value);
                    assert_eq!(tail, up_to.min(count - below), "{value}");
                }
            }
        }
    }
}
