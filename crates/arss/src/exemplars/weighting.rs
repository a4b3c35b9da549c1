//! How much a row counts where rows are covered.

use serde::{Deserialize, Serialize};

/// The least that a row counts before its weight is reduced.
const LEAST: f64 = 1e-3;
/// Less than this share of the ridge unexplained is rounding.
const ROUNDING: f64 = 1e-3;

/// What is left unexplained of a row with this variance.
pub(super) fn unexplained(variance: f64, ridge: f64) -> f64 {
    (variance - ridge).max(ROUNDING * ridge)
}

/// How much a row counts where rows are covered: as much as the others explain of it, and less where more than usual is
/// left unexplained.
///
/// Choosing a row that resembles no other covers one row, itself. With many picks that is as much as there is left to
/// gain anywhere, and outliers within the gate would be chosen (benchmarks/quality/NOTES.md has the measurements).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Weighting {
    ridge: f64,
    /// The median of what is left unexplained.
    usual: f64,
}

impl Weighting {
    /// From the ridge, and the median of what is left unexplained.
    pub fn new(ridge: f64, usual: f64) -> Self {
        Weighting { ridge, usual }
    }

    pub fn of(&self, variance: f64) -> f64 {
        let unexplained = unexplained(variance, self.ridge);
        (1.0 - variance).max(LEAST) * (self.usual / unexplained).sqrt().min(1.0)
    }
}
