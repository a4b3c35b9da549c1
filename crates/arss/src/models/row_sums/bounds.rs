//! Upper bounds of a mean from a sample: the arithmetic behind the sampled ranking.
//!
//! For numbers t_m >= 0 with sum p_m t_m^2 <= 1 and sum p_m = 1 a bound of sum p_m t_m is wanted. For any k > 0 and
//! B >= 1/(2k), with r(t) = s - k s^2 at s = min(t, B):  t <= k t^2 + r(t), so sum p t <= k + sum p r(t). Of the last sum
//! a sample is known. r is bounded on both sides whatever the t_m are, so Bernstein's inequality applies, and where the
//! t_m are spread like |normal| its variance is an eighth of that of t. `docs/explanation/linear-time.md` has the proof.

use serde::{Deserialize, Serialize};

use super::steps::Sample;

/// One way to bound: k, B, and the number that r is compared with (the nearer to the mean, the smaller the variance).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shape {
    slope: f32,
    cut: f32,
    centre: f32,
}

/// The ways that are tried.
pub(super) const SHAPES: usize = 2;

impl Shape {
    /// The first is for sums of many like terms: the best for t like |normal|. The second is for few large ones among many
    /// small: what it adds, k and what is not seen of 1/(4k), is least at this k, and vanishes as the sample grows.
    pub fn pair(count: usize, doubt: f64) -> [Shape; SHAPES] {
        let slope = (0.5 * (doubt / count as f64).sqrt()) as f32;
        [Shape { slope: 0.4, cut: 3.0, centre: 0.4 }, Shape { slope, cut: 1.0 / slope, centre: 0.0 }]
    }

    /// -k, B and the centre: with t cut at B, r(t) less the centre is t - k t^2 - centre.
    #[inline(always)]
    pub fn numbers(self) -> (f32, f32, f32) {
        (-self.slope, self.cut, self.centre)
    }

    /// The most that it can be, above or below.
    fn most(self) -> f64 {
        let [slope, cut, centre] = [self.slope, self.cut, self.centre].map(f64::from);
        let (top, ends) = (0.25 / slope - centre, [0.0, cut].map(|t| t * (1.0 - slope * t) - centre));
        ends.into_iter().map(f64::abs).fold(top.abs(), f64::max)
    }
}

/// Sums over the sample for each shape: of share times value, and of spread times its square.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments([[f64; 2]; SHAPES]);

impl Moments {
    /// Adds to the sum of values of a shape, or (1) to that of their squares.
    #[inline(always)]
    pub fn add(&mut self, shape: usize, part: usize, value: f64) {
        self.0[shape][part] += value;
    }

    /// An upper bound of sum p t, the better one of the shapes; and whether that was not the first.
    pub fn bound<T: crate::Float>(&self, sample: &Sample<T>) -> (f64, bool) {
        let doubt = sample.doubt;
        let of = |(&[sum, square], shape): (&[f64; 2], Shape)| {
            let most = sample.largest * shape.most();
            // The variance is not known but bounded: Maurer's inequality for what was seen of it.
            let spread = most * (doubt / 2.0).sqrt() + (most * most * doubt / 2.0 + square).sqrt();
            let margin = spread * (2.0 * doubt).sqrt() + most * doubt / 3.0;
            f64::from(shape.slope) + f64::from(shape.centre) + sum + margin
        };
        let mut bounds = self.0.iter().zip(sample.shapes.iter().copied()).map(of);
        let first = bounds.next().unwrap_or(1.0);
        let best = bounds.fold(first, f64::min);
        ((best + sample.rounding).min(1.0), best < first) // sum p t <= sqrt(sum p t^2)
    }
}
