//! Momentum of weights, as in accelerated gradient methods.

use crate::linalg::simd::{LANES, Lanes, power};

/// A patient one takes a rise of the objective by less than this share for no reason to start over: while the entries settle
/// it rises and falls by so much, and a momentum that never builds up took twice the iterations on tables with long tails.
const SLACK: f64 = 1e-5;
/// After so many iterations it fades, by this factor each: what is left by then is a few rows that swing around their bound, and
/// with momentum they may swing for ever (2,000 rows of Optdigits at a ratio of .3; 220 iterations when it fades).
const LONG: usize = 100;
const FADES: f64 = 0.97;

/// It builds up after some plain iterations, and starts over when the objective rises.
pub(crate) struct Momentum {
    /// Iterations without it.
    plain: usize,
    /// The largest momentum.
    most: f64,
    /// Iterations since it started over.
    steps: f64,
    patient: bool,
    /// The objective of the iteration before.
    objective: Option<f64>,
}

impl Momentum {
    pub fn new(plain: usize, most: f64) -> Self {
        Momentum { plain, most, steps: 0.0, patient: false, objective: None }
    }

    /// One for iterations whose objective trembles: it bears small rises, and fades in the long run.
    pub fn patient(plain: usize, most: f64) -> Self {
        Momentum { patient: true, ..Momentum::new(plain, most) }
    }

    /// The momentum of an iteration.
    pub fn at(&mut self, iteration: usize) -> f64 {
        if iteration <= self.plain {
            return 0.0;
        }
        if self.patient && iteration > LONG {
            self.most *= FADES;
        }
        let momentum = (self.steps / (self.steps + 3.0)).min(self.most);
        self.steps += 1.0;
        momentum
    }

    /// What the iteration came to.
    pub fn learn(&mut self, objective: f64) {
        let slack = if self.patient { SLACK } else { 0.0 };
        if self.objective.replace(objective).is_some_and(|before| objective > before * (1.0 + slack)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The momentum of iteration `last`, where the objective goes by `factor` from one to the next.
    fn after(mut momentum: Momentum, last: usize, factor: f64) -> f64 {
        let mut objective = 1.0;
        for iteration in 1..last {
            momentum.at(iteration);
            momentum.learn(objective);
            objective *= factor;
        }
        momentum.at(last)
    }

    #[test]
    fn small_rises_are_borne_by_a_patient_one_alone() {
        assert_eq!(after(Momentum::new(5, 0.95), 60, 1.0 + 1e-6), 0.0);
        assert!(after(Momentum::patient(5, 0.95), 60, 1.0 + 1e-6) > 0.9);
        assert_eq!(after(Momentum::patient(5, 0.95), 60, 1.0 + 1e-4), 0.0);
    }

    #[test]
    fn a_patient_one_fades() {
        assert!(after(Momentum::new(5, 0.95), 400, 0.999) > 0.94);
        assert!(after(Momentum::patient(5, 0.95), 90, 0.999) > 0.94);
        assert!(after(Momentum::patient(5, 0.95), 400, 0.999) < 1e-3);
    }
}
