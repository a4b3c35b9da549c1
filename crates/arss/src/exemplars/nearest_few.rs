//! The nearest few of many landmarks, by one look at each distance.

use crate::Float;

/// The nearest landmarks so far, nearest first.
#[derive(Debug, Default)]
pub(crate) struct NearestFew {
    found: Vec<(f64, usize)>,
    keep: usize,
}

impl NearestFew {
    /// Finds the `keep` smallest of some squared distances, `own` left out; of equal ones the first.
    pub fn find<T: Float>(&mut self, squared: &[T], own: Option<usize>, keep: usize) {
        self.keep = keep;
        self.found.clear();
        let mut limit = f64::INFINITY;
        for (landmark, squared) in squared.iter().enumerate() {
            let squared = squared.to_f64();
            if squared < limit && own != Some(landmark) {
                let at = self.found.partition_point(|other| other.0 <= squared);
                self.found.truncate(keep - usize::from(self.found.len() == keep));
                self.found.insert(at, (squared, landmark));
                if self.found.len() == keep {
                    limit = self.found[keep - 1].0;
                }
            }
        }
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
