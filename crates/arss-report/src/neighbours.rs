//! The items nearest to each of the picks.

use crate::sample::sample;
use crate::subject::Subject;

/// Neighbours a pick.
pub const NEIGHBOURS: usize = 3;
/// Most multiplications: beyond, neighbours are looked for in a sample.
const WORK: usize = 1_000_000_000;
/// Values per item that are compared; beyond, a sample of them.
const FEATURES: usize = 4096;

/// The nearest others of each pick, nearest first, and the number of items they were looked for in.
pub fn nearest(subject: &Subject<'_>, picks: &[usize]) -> (Vec<Vec<usize>>, usize) {
    let features = sample(subject.features(), FEATURES);
    let width = features.len();
    let affordable = (WORK / (picks.len() * width).max(1)).max(1000);
    let others = sample(subject.items(), affordable);
    let mut values = Vec::with_capacity(picks.len() * width);
    subject.visit(picks, &features, |_, row| values.extend_from_slice(row));

    let mut found: Vec<Vec<(f64, usize)>> = vec![Vec::new(); picks.len()];
    subject.visit(&others, &features, |other, row| {
        for ((near, pick), &item) in found.iter_mut().zip(values.chunks_exact(width)).zip(picks) {
            if item != other {
                let distance = pick.iter().zip(row).map(|(a, b)| (a - b) * (a - b)).sum();
                keep(near, (distance, other));
            }
        }
    });
    let rows = found.into_iter().map(|near| near.into_iter().map(|(_, item)| item).collect()).collect();
    (rows, others.len())
}

/// Keeps the nearest in order; equally near ones by their number.
fn keep(near: &mut Vec<(f64, usize)>, new: (f64, usize)) {
    let before = |a: &(f64, usize)| a.0.total_cmp(&new.0).then(a.1.cmp(&new.1)).is_lt();
    let at = near.partition_point(before);
    if at < NEIGHBOURS {
        near.insert(at, new);
        near.truncate(NEIGHBOURS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_whatever_the_order() {
        let mut near = Vec::new();
        for new in [(3.0, 1), (1.0, 9), (1.0, 2), (5.0, 3), (0.5, 4), (4.0, 5), (2.0, 6)] {
            keep(&mut near, new);
        }
        assert_eq!(near.iter().map(|(_, item)| *item).collect::<Vec<_>>(), [4, 2, 9]);
    }
}
