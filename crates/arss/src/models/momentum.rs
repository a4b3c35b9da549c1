//! Momentum of weights, as in accelerated gradient methods.

use std::collections::VecDeque;

use crate::linalg::simd::{LANES, Lanes, power};

/// A patient one takes a rise of the objective by less than this share for no reason to start over: while the entries settle
/// it rises and falls by so much, and a momentum that never builds up took twice the iterations on tables with long tails.
const SLACK: f64 = 1e-5;
/// Where the objective has moved by less than this share for so many iterations, only the dual is not there yet: a few rows swing
/// around their bound. Less momentum calms them, and less and less: otherwise they may swing for ever.
const STILL: f64 = 1e-5;
const WINDOW: usize = 10;
const CALM: f64 = 0.5;
const FADES: f64 = 0.98;

/// It builds up after some plain iterations, and starts over when the objective rises.
pub(crate) struct Momentum {
    /// Iterations without it.
    plain: usize,
    /// The largest momentum.
    most: f64,
    /// Iterations since it started over.
    steps: f64,
    /// The share by which the objective may rise.
    slack: f64,
    /// What it may be where the objective stands still.
    calm: f64,
    /// The last objectives, the oldest first.
    recent: VecDeque<f64>,
}

impl Momentum {
    pub fn new(plain: usize, most: f64) -> Self {
        Momentum { plain, most, steps: 0.0, slack: 0.0, calm: 1.0, recent: VecDeque::with_capacity(WINDOW + 2) }
    }

    /// One for iterations whose objective trembles: it bears small rises, and calms down where the objective stands still.
    pub fn patient(plain: usize, most: f64) -> Self {
        Momentum { slack: SLACK, calm: CALM, ..Momentum::new(plain, most) }
    }

    /// The momentum of an iteration.
    pub fn at(&mut self, iteration: usize) -> f64 {
        if iteration <= self.plain {
            return 0.0;
        }
        let momentum = (self.steps / (self.steps + 3.0)).min(self.most);
        self.steps += 1.0;
        if self.slack == 0.0 || !self.stands_still() {
            return momentum;
        }
        self.calm *= FADES;
        momentum.min(self.calm)
    }

    /// What the iteration came to.
    pub fn learn(&mut self, objective: f64) {
        if self.recent.back().is_some_and(|before| objective > before * (1.0 + self.slack)) {
            self.steps = 0.0;
        }
        self.recent.push_back(objective);
        if self.recent.len() > WINDOW + 1 {
            self.recent.pop_front();
        }
    }

    fn stands_still(&self) -> bool {
        match (self.recent.front(), self.recent.back()) {
            (Some(first), Some(last)) => self.recent.len() > WINDOW && first - last < STILL * last,
            _ => false,
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
