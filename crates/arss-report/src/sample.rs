//! Which items are drawn when there are too many: a seeded sample.

/// The same picture every time.
const SEED: u64 = 0x5eed;

/// `count` of the numbers below `total` in random order, or all of them if there are no more.
pub fn sample(total: usize, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..total).collect();
    let mut state = SEED;
    let count = count.min(total);
    for at in 0..count {
        let rest = (total - at) as u64;
        order.swap(at, at + (next(&mut state) % rest) as usize);
    }
    order.truncate(count);
    order
}

/// SplitMix64: small, and good enough to draw rows with.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_no_item_twice_and_reaches_everywhere() {
        let mut found = sample(10_000, 1000);
        assert_eq!(found, sample(10_000, 1000));
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 1000);
        let mean = found.iter().sum::<usize>() / 1000;
        assert!((4500..5500).contains(&mean), "{mean}");
        assert_eq!(sample(3, 9).len(), 3);
        assert!(sample(0, 9).is_empty());
    }
}
