//! The nearest few of many landmarks, by one look at each distance.

use crate::Float;

/// Distances whose least is looked at first.
const LOOK: usize = 16;

/// The nearest landmarks so far, nearest first.
#[derive(Debug, Default)]
pub(crate) struct NearestFew {
    found: Vec<(f64, usize)>,
    least: Vec<f64>,
}

impl NearestFew {
    /// Finds the `keep` smallest of some squared distances, `own` left out; of equal ones the first.
    pub fn find<T: Float>(&mut self, squared: &[T], own: Option<usize>, keep: usize) {
        let limit = self.limit(squared, keep);
        self.found.clear();
        for (chunk, part) in squared.chunks(LOOK).enumerate() {
            let near = part.iter().enumerate().map(|(at, squared)| (squared.to_f64(), chunk * LOOK + at));
            self.found.extend(near.filter(|near| near.0 <= limit && own != Some(near.1)));
        }
        self.found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.found.truncate(keep);
    }

    /// A value that `keep` distances and one more are not above. Each chunk has a least one, and the smallest of these are so
    /// many distances.
    fn limit<T: Float>(&mut self, squared: &[T], keep: usize) -> f64 {
        let least = |part: &[T]| part.iter().fold(f64::INFINITY, |least, squared| squared.to_f64().min(least));
        self.least.clear();
        self.least.extend(squared.chunks(LOOK).map(least));
        if self.least.len() <= keep {
            return f64::INFINITY;
        }
        *self.least.select_nth_unstable_by(keep, f64::total_cmp).1
    }

    /// The squared distance of the `rank`-th nearest, counted from 1; of the last one if there are fewer.
    pub fn squared(&self, rank: usize) -> f64 {
        self.found.get(rank - 1).or(self.found.last()).map_or(0.0, |near| near.0)
    }

    /// The nearest landmarks.
    pub fn landmarks(&self) -> impl Iterator<Item = usize> + '_ {
        self.found.iter().map(|near| near.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_what_sorting_finds() {
        let squared: Vec<f64> = (0..200).map(|i| f64::from(i * 37 % 101)).collect();
        for (own, keep) in [(None, 1), (Some(3), 5), (Some(199), 32), (None, 200), (Some(0), 300)] {
            let mut order: Vec<usize> = (0..200).filter(|&i| Some(i) != own).collect();
            order.sort_by(|&a, &b| squared[a].total_cmp(&squared[b]));
            order.truncate(keep);
            let mut few = NearestFew::default();
            few.find(&squared, own, keep);
            assert_eq!(few.landmarks().collect::<Vec<_>>(), order);
            assert_eq!(few.squared(1), squared[order[0]]);
            assert_eq!(few.squared(400), squared[order[order.len() - 1]]);
        }
    }
}
