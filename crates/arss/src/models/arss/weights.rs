//! The weights of the rows of A, and sums over the rows.

use serde::{Deserialize, Serialize};

use crate::linalg::simd::{LANES, Lanes, each, power};
use crate::models::momentum::further;

/// How far the weights go: w <- w (|a| / w)^relaxation, times the last factor^momentum where it went the same way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pace {
    pub relaxation: f64,
    pub momentum: f64,
}

impl Pace {
    /// The paper's: w <- |a|.
    pub const PLAIN: Pace = Pace { relaxation: 1.0, momentum: 0.0 };
}

/// The weights that follow `weights` after the row norms `norms`; `factors` are those of the last time.
#[inline(always)]
pub(crate) fn next_weights(
    weights: &Lanes<f64>,
    norms: &Lanes<f64>,
    factors: &mut Lanes<f64>,
    eps: f64,
    pace: Pace,
) -> Lanes<f64> {
    let plain = each(norms, |norm| (norm * norm + eps).sqrt());
    if pace == Pace::PLAIN {
        return plain;
    }
    let mut next = plain;
    for i in 0..LANES {
        next[i] = plain[i] / weights[i];
    }
    next = power(&next, pace.relaxation);
    if pace.momentum > 0.0 {
        next = further(&next, factors, pace.momentum);
    }
    *factors = next;
    for i in 0..LANES {
        next[i] = (weights[i] * next[i]).max(eps.sqrt());
    }
    next
}

/// Sums over the rows of A.
#[derive(Clone, Copy, Default)]
pub(crate) struct RowSums {
    /// sum_n |a^n|_2.
    pub norms: f64,
    /// sum_n | |a^n|_2 - w_n |: how far the weights are from their fixed point.
    pub change: f64,
    /// max_n |a^n|_2 / w_n = max_n |x_n' Lambda|_2 / gamma: at most 1 at the optimum.
    pub growth: f64,
}

impl RowSums {
    pub fn add_row(&mut self, norm: f64, weight: f64) {
        self.norms += norm;
        self.change += (norm - weight).abs();
        self.growth = self.growth.max(norm / weight);
    }
}
