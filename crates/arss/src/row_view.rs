//! How the solvers see the rows of a table: scaled into a safe range, or as directions.

use serde::{Deserialize, Serialize};

use crate::linalg::norm_squared;
use crate::linalg::simd::vectorised;
use crate::{Float, Metric};

/// How the solvers see the rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct RowView {
    /// Power of two that rows are multiplied by; 1 unless the values are extreme.
    pub scale: f64,
    /// How they are compared. By cosine each row is divided by its length, so that only its direction counts.
    pub metric: Metric,
}

impl RowView {
    /// The rows as they are.
    pub const PLAIN: RowView = RowView { scale: 1.0, metric: Metric::Euclidean };

    /// True if rows are seen as they stand.
    pub fn is_plain(&self) -> bool {
        self.scale == 1.0 && !self.is_unit()
    }

    /// True if each row is divided by its length.
    pub fn is_unit(&self) -> bool {
        self.metric == Metric::Cosine
    }

    /// What lengths and distances have been multiplied by; directions have no scale.
    pub fn distance_scale(&self) -> f64 {
        if self.is_unit() { 1.0 } else { self.scale }
    }

    /// What a row is multiplied by.
    #[inline(always)]
    pub fn factor<T: Float>(&self, row: &[T]) -> f64 {
        if !self.is_unit() {
            return self.scale;
        }
        let scaled = |value: &T| value.to_f64() * self.scale;
        let square = match self.scale {
            1.0 => norm_squared(row),
            _ => row.iter().map(|value| scaled(value) * scaled(value)).sum(),
        };
        if square > 0.0 { self.scale / square.sqrt() } else { self.scale }
    }

    /// Some rows as they are seen.
    pub fn apply<T: Float>(&self, rows: &mut [T], features: usize) {
        if self.is_plain() {
            return;
        }
        vectorised(
            #[inline(always)]
            || {
                for row in rows.chunks_exact_mut(features) {
                    let factor = self.factor(row);
                    row.iter_mut().for_each(|value| *value = T::from_f64(value.to_f64() * factor));
                }
            },
        );
    }
}
