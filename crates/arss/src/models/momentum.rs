//! Momentum of weights, as in accelerated gradient methods.

use crate::linalg::simd::{LANES, Lanes, power};

/// It builds up after some plain iterations, and starts over when the objective rises.
pub(crate) struct Momentum {
    /// Iterations without it.
    plain: usize,
    /// The largest momentum.
    most: f64,
    steps: f64,
    objective: Option<f64>,
}

impl Momentum {
    pub fn new(plain: usize, most: f64) -> Self {
        Momentum { plain, most, steps: 0.0, objective: None }
    }

    /// The momentum of an iteration.
    pub fn at(&mut self, iteration: usize) -> f64 {
        if iteration <= self.plain {
            return 0.0;
        }
        let momentum = (self.steps / (self.steps + 3.0)).min(self.most);
        self.steps += 1.0;
        momentum
    }

    /// What the iteration came to.
    pub fn learn(&mut self, objective: f64) {
        if self.objective.replace(objective).is_some_and(|before| objective > before) {
            self.steps = 0.0;
        }
    }
}

/// The factors, each times the power b of the last one where both go the same way.
#[inline(always)]
pub(crate) fn further(factors: &Lanes<f64>, last: &Lanes<f64>, b: f64) -> Lanes<f64> {
    let more = power(last, b);
    let mut found = *factors;
    for i in 0..LANES {
        let same_way = (factors[i] > 1.0) == (last[i] > 1.0);
        found[i] = (factors[i] * if same_way { more[i] } else { 1.0 }).clamp(1e-20, 1e20);
    }
    found
}
