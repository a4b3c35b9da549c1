//! Seeded random numbers. The generator is pinned, so that a seed keeps its meaning when libraries change.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The pinned generator that every seeded method uses.
pub(crate) fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Uniform in [0, 1), from the top 53 bits: fixed here, so that a library's change cannot move it.
pub(crate) fn uniform(generator: &mut ChaCha8Rng) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Uniform in [0, 1), a function of the seed and the item alone: a sample that needs no list and no order (SplitMix64).
pub(crate) fn hashed(seed: u64, item: usize) -> f64 {
    let mut bits = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(item as u64);
    for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9_u64), (27, 0x94d0_49bb_1331_11eb)] {
        bits = (bits ^ (bits >> shift)).wrapping_mul(factor);
    }
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// One uniform key per item: the items with the largest keys are a random choice.
pub(crate) fn keys(generator: &mut ChaCha8Rng, items: usize) -> Vec<f64> {
    (0..items).map(|_| uniform(generator)).collect()
}

/// An index drawn with probability proportional to its weight; `None` if all weights are 0.
pub(crate) fn draw(generator: &mut ChaCha8Rng, weights: impl Iterator<Item = f64> + Clone) -> Option<usize> {
    let target = uniform(generator) * weights.clone().sum::<f64>();
    let mut sum = 0.0;
    let mut last = None;
    for (index, weight) in weights.enumerate().filter(|&(_, weight)| weight > 0.0) {
        sum += weight;
        last = Some(index);
        if sum > target {
            break;
        }
    }
    last
}

/// `count` of the listed items, or all if there are no more, in order.
pub(crate) fn sample(generator: &mut ChaCha8Rng, items: &[usize], count: usize) -> Vec<usize> {
    positions(generator, items.len(), count).into_iter().map(|position| items[position]).collect()
}

/// `count` positions below `items`, or all if there are no more, in order; memory for `count` of them.
pub(crate) fn positions(generator: &mut ChaCha8Rng, items: usize, count: usize) -> Vec<usize> {
    if items <= count {
        return (0..items).collect();
    }
    // The `count` largest keys; of equal ones the first.
    let mut best: Vec<(f64, usize)> = Vec::with_capacity(2 * count);
    let mut least = f64::NEG_INFINITY;
    for position in 0..items {
        let key = uniform(generator);
        if key > least {
            best.push((key, position));
            if best.len() == 2 * count {
                best.select_nth_unstable_by(count - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                best.truncate(count);
                least = best[count - 1].0;
            }
        }
    }
    best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut drawn: Vec<usize> = best[..count].iter().map(|&(_, position)| position).collect();
    drawn.sort_unstable();
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_pinned() {
        let mut generator = generator(7);
        let first = [uniform(&mut generator), uniform(&mut generator)];
        assert_eq!(first, [0.15779609702061936, 0.1679893627721013]);
    }

    #[test]
    fn hashes_are_spread_evenly() {
        for seed in [0, 1, u64::MAX] {
            let below = (0..10_000).filter(|&item| hashed(seed, item) < 0.3).count();
            assert!((2800..3200).contains(&below), "{below}");
        }
        assert_ne!(hashed(0, 1), hashed(1, 0));
    }

    #[test]
    fn draws_follow_the_weights() {
        let weights = [0.0, 1.0, 0.0, 3.0, 0.0];
        let mut generator = generator(1);
        let mut counts = [0; 5];
        for _ in 0..4000 {
            counts[draw(&mut generator, weights.iter().copied()).unwrap()] += 1;
        }
        assert_eq!([counts[0], counts[2], counts[4]], [0; 3]);
        assert!((900..1100).contains(&counts[1]), "{counts:?}");
        assert_eq!(draw(&mut generator, [0.0; 3].into_iter()), None);
    }
}
