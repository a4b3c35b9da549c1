//! The nearest few of many landmarks, by one look at each distance.

use std::cmp::Ordering;

use crate::Float;
use crate::linalg::simd::vectorised;

/// Groups that the distances are dealt out to: the smallest of each are so many of the smallest ones.
const GROUPS: usize = 64;

/// The nearest landmarks, nearest first.
#[derive(Debug, Default)]
pub(crate) struct NearestFew {
    found: Vec<(f64, usize)>,
    /// Where distances within the limit stand.
    places: Vec<u32>,
}

impl NearestFew {
    /// Finds the `keep` smallest of some squared distances, `own` left out; of equal ones the first.
    pub fn find<T: Float>(&mut self, squared: &[T], own: Option<usize>, keep: usize) {
        let limit = limit(squared, keep + usize::from(own.is_some()));
        self.places.resize(squared.len(), 0);
        let mut count = 0;
        // Without a branch: whether a distance is within the limit cannot be foreseen.
        for (place, squared) in (0..).zip(squared) {
            self.places[count] = place;
            count += usize::from(limit.is_none_or(|limit| *squared <= limit));
        }
        self.found.clear();
        let places = self.places[..count].iter().map(|&place| place as usize).filter(|&place| Some(place) != own);
        self.found.extend(places.map(|place| (squared[place].to_f64(), place)));
        self.found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.found.truncate(keep);
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

/// A distance that the `count` smallest do not exceed, close to the largest of them; none if there are few.
fn limit<T: Float>(squared: &[T], count: usize) -> Option<T> {
    let (whole, rest) = squared.as_chunks::<GROUPS>();
    if count > GROUPS || whole.len() < 2 {
        return None;
    }
    let mut least = whole[0];
    let smaller = |a: T, b: T| if b < a { b } else { a };
    vectorised(
        #[inline(always)]
        || {
            for group in &whole[1..] {
                (0..GROUPS).for_each(|at| least[at] = smaller(least[at], group[at]));
            }
            (0..rest.len()).for_each(|at| least[at] = smaller(least[at], rest[at]));
        },
    );
    let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(Ordering::Equal);
    Some(*least.select_nth_unstable_by(count - 1, order).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_what_sorting_finds() {
        let squared: Vec<f64> = (0..200).map(|i| f64::from(i * 37 % 101)).collect();
        for (own, keep) in
            [(None, 1), (Some(3), 5), (Some(199), 32), (Some(0), 63), (Some(0), 64), (None, 200), (Some(0), 300)]
        {
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
