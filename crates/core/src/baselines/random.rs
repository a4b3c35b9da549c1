//! A random choice: what every other method has to beat. Also the generator of the others.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::distance::Table;
use super::{Clock, Outcome, report};
use crate::{Error, Float, Method, Run, Samples, Selection, Status, rank};

/// A seeded random choice; the score is each item's random key in [0, 1).
///
/// The residual of an item is its Euclidean distance to the nearest pick.
///
/// ```
/// use arss::{Random, Samples};
///
/// let samples = Samples::new(&[1.0, 2.0, 3.0, 4.0], 4, 1)?;
/// let picks = Random { seed: 7 }.select(&samples, 2)?.indices;
/// assert_eq!(picks, Random { seed: 7 }.select(&samples, 2)?.indices);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Random {
    /// Seed of the generator. Default 0.
    pub seed: u64,
}

impl Random {
    /// Chooses `k` items.
    ///
    /// # Errors
    /// If k is out of range.
    pub fn select<T: Float>(&self, samples: &Samples<'_, T>, k: usize) -> Result<Selection, Error> {
        self.select_with(samples, k, &mut Run::default())
    }

    /// As [`select`](Random::select), with threads, progress and extras.
    ///
    /// # Errors
    /// If k is out of range.
    pub fn select_with<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Selection, Error> {
        Method::Random(*self).select(samples, k, run)
    }

    pub(crate) fn run<T: Float>(
        &self,
        samples: &Samples<'_, T>,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Selection, Error> {
        let mut clock = Clock::start();
        let table = Table::new(samples, run)?;
        clock.prepared();
        let keys = keys(&mut generator(self.seed), samples.items());
        let picks = rank::top(&keys, k);
        clock.solved();
        let residuals = table.distances(&table.nearest_pick(&picks));
        let report = report(Status::Converged, 0, f64::NAN, samples.items());
        Ok(Outcome { method: "random", picks, scores: keys, residuals, report }.finish(run.all_scores, clock))
    }
}

/// The pinned generator that every seeded method uses.
pub(crate) fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Uniform in [0, 1), from the top 53 bits: fixed here, so that a library's change cannot move it.
pub(crate) fn uniform(generator: &mut ChaCha8Rng) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// One uniform key an item: the items with the largest keys are a random choice.
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
