//! How much the rows that passed the gate count in the choice.

use serde::{Deserialize, Serialize};

use super::super::mixture::{Odds, Populations};
use super::Upper;

/// The least that a row counts before its weight is reduced.
pub(super) const LEAST: f64 = 1e-3;
/// Where the two populations of z and of x are so far apart (Ashman's D), rows begin to count less by the odds that they
/// belong to the upper one; from the second on in full. Clean tuning sets are at 1.9 or less, but for one table whose upper
/// population is 3 % of the rows; with 20 % corrupted rows none is below 2.2.
const APART: (f64, f64) = (1.7, 2.2);
/// The same for counting as much as the others explain, which takes less away.
const HINTED: (f64, f64) = (1.2, 1.7);
/// An upper population that lies elsewhere by so much in some column ([`shift`](super::shift())) is a class; from the second on it
/// counts in full. With corrupted rows the tuning sets are at .22 or less.
const ELSEWHERE: (f64, f64) = (0.22, 0.3);
/// An upper population of more than half of the rows is a wide class; from the second share on it counts in full.
const WIDE_CLASS: (f64, f64) = (0.5, 0.55);

/// How much a row counts where rows are covered: all alike, unless two populations are seen, valley or not. Then a row counts
/// as much as the others explain of it, and where they are well apart less the likelier it belongs to the upper one.
///
/// Choosing a row that resembles no other covers one row, itself. With many picks that is as much as there is left to
/// gain anywhere, and outliers within the gate would be chosen (benchmarks/quality/NOTES.md has the measurements).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Weighting {
    /// Of the populations of x; none where they are too close to be told apart.
    odds: Option<Odds>,
    /// 0 to 1: how much the odds matter.
    strength: f64,
    /// 0 to 1: how much it matters what is left unexplained.
    explained: f64,
    /// Rows of the upper population are set aside: it was seen clearly.
    proven: bool,
}

impl Weighting {
    /// All rows count alike.
    pub const PLAIN: Self = Weighting { odds: None, strength: 0.0, explained: 0.0, proven: false };

    /// By the populations of z and x, and what the upper one is.
    pub(super) fn new(fits: Option<[Populations; 2]>, upper: &Upper) -> Self {
        let Some([z, x]) = fits else { return Weighting::PLAIN };
        let (strength, explained) = match upper {
            Upper::Strange(..) => (1.0, 1.0),
            Upper::Class => (0.0, 0.0),
            Upper::TooMany | Upper::Unclear => {
                let apart = z.odds.apart().min(x.odds.apart());
                (ramp(apart, APART) * (1.0 - ramp(x.share, WIDE_CLASS)), ramp(apart, HINTED))
            }
        };
        let proven = matches!(upper, Upper::Strange(..));
        Weighting { odds: (strength > 0.0).then_some(x.odds), strength, explained, proven }
    }

    /// True if rows count less although it is not clear that there are corrupted ones.
    pub fn is_in_doubt(&self) -> bool {
        !self.proven && self.explained > 0.0
    }

    /// The same where the upper population lies elsewhere by so much: a class counts in full.
    pub fn shifted_by(self, shift: f64) -> Self {
        let keep = 1.0 - ramp(shift, ELSEWHERE);
        Weighting { strength: keep * self.strength, explained: keep * self.explained, ..self }
    }

    /// Of a row with this variance, and so much lonelier than its nearest landmarks.
    pub fn of(&self, variance: f64, relative: f64) -> f64 {
        let upper = self.odds.map_or(0.0, |odds| odds.upper(relative));
        (1.0 - self.explained * variance).max(LEAST) * (1.0 - self.strength * upper)
    }
}

/// 0 up to the first value, 1 from the second on.
fn ramp(value: f64, (from, to): (f64, f64)) -> f64 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}
