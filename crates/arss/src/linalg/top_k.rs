//! From scores to a ranking.

use std::cmp::Ordering;

/// Larger score first; equal scores by index, the smaller first.
pub(crate) fn better(scores: &[f64], a: usize, b: usize) -> Ordering {
    scores[b].total_cmp(&scores[a]).then(a.cmp(&b))
}

/// The `k` best items, best first.
pub(crate) fn top(scores: &[f64], k: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    if k < order.len() {
        order.select_nth_unstable_by(k, |&a, &b| better(scores, a, b));
        order.truncate(k);
    }
    order.sort_unstable_by(|&a, &b| better(scores, a, b));
    order
}

#[cfg(test)]
mod tests {
    use super::top;

    #[test]
    fn ties_go_to_the_smaller_index() {
        assert_eq!(top(&[1.0, 3.0, 3.0, 2.0, 3.0], 4), [1, 2, 4, 3]);
        assert_eq!(top(&[0.0; 4], 2), [0, 1]);
        assert_eq!(top(&[2.0], 1), [0]);
    }
}
