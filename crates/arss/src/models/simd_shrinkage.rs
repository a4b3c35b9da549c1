//! The shrinkage for many entries at once.
//!
//! The larger root of s - c + lambda p s^(p - 1) = 0 is s = c Y(u) with u = lambda p c^(p - 2) and
//! Y the larger root of y - 1 + u y^(p - 1) = 0. Y depends on p alone, lives on [0, u_max] (u_max at
//! the threshold) and is smooth there: a polynomial through Chebyshev's points and as many Newton
//! steps as it needs give it to rounding, without a branch an entry.

use serde::{Deserialize, Serialize};

use crate::exec::damaged;
use crate::linalg::simd::{self, LANES, Lanes};
use crate::{Error, Float, RootSteps, Shrinkage};

/// Degree of the polynomial.
const DEGREE: usize = 15;
/// Error of Y at which no further Newton step is taken.
const EXACT: f64 = 1e-14;
/// Most Newton steps that are ever needed.
const MOST_STEPS: usize = 6;
/// Most fixed steps in a message: more would be a hang, not a selection.
const MOST_FIXED: usize = 1000;

/// The shrinkage for one lambda and one p, on lanes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SimdShrinkage {
    pub p: f64,
    lambda: f64,
    tau: f64,
    root: RootSteps,
    /// Of Y, lowest degree first, in the variable u / u_max.
    polynomial: [f64; DEGREE + 1],
    inverse_u_max: f64,
    newton_steps: usize,
}

impl SimdShrinkage {
    /// The curve for exponent p; [`for_lambda`](SimdShrinkage::for_lambda) sets lambda.
    pub fn new(p: f64, root: RootSteps) -> Self {
        let unit = Shrinkage::new(1.0, p, RootSteps::Exact);
        let tau = unit.threshold();
        let u_max = p * tau.powf(p - 2.0);
        // With lambda = 1: u = p c^(p - 2), so c = (p / u)^(1 / (2 - p)) and Y = s / c.
        let y = |share: f64| {
            if p == 1.0 || share <= 0.0 {
                return 1.0 - share * u_max;
            }
            let c = (p / (share * u_max)).powf(1.0 / (2.0 - p)).max(tau * (1.0 + 1e-15));
            unit.apply(c) / c
        };
        let mut curve = SimdShrinkage {
            p,
            lambda: 1.0,
            tau,
            root,
            polynomial: interpolate(y),
            inverse_u_max: 1.0 / u_max,
            newton_steps: 0,
        };
        curve.newton_steps = steps_from(curve.polynomial_error(y));
        curve
    }

    /// The same curve for another lambda.
    pub fn for_lambda(&self, lambda: f64) -> Self {
        let tau = Shrinkage::new(lambda, self.p, self.root).threshold();
        SimdShrinkage { lambda, tau, ..self.clone() }
    }

    /// The largest size that becomes zero.
    pub fn threshold(&self) -> f64 {
        self.tau
    }

    /// `Ok` if it can be applied: what came from elsewhere may hold any numbers.
    pub fn check(&self) -> Result<(), Error> {
        let steps = match self.root {
            RootSteps::Exact => self.newton_steps <= MOST_STEPS,
            RootSteps::Fixed(steps) => steps as usize <= MOST_FIXED,
        };
        if self.p > 0.0 && self.p <= 1.0 && steps { Ok(()) } else { Err(damaged()) }
    }

    /// Largest error of the polynomial on a grid.
    fn polynomial_error(&self, y: impl Fn(f64) -> f64) -> f64 {
        let value = |share: f64| self.polynomial.iter().rev().fold(0.0, |sum, c| sum * share + c);
        (0..=1000).map(|i| f64::from(i) / 1000.0).map(|share| (value(share) - y(share)).abs()).fold(0.0, f64::max)
    }

    /// size^p for size >= 0.
    #[inline(always)]
    pub fn loss<T: Float>(&self, size: &Lanes<T>) -> Lanes<T> {
        if self.p == 1.0 {
            *size
        } else if self.p == 0.5 {
            simd::roots(size)
        } else {
            let zero = T::from_f64(0.0);
            let tiny = T::from_f64(1e-37);
            let mut out = simd::power(&simd::each(size, |s| if s > tiny { s } else { tiny }), self.p);
            for i in 0..LANES {
                out[i] = if size[i] > tiny { out[i] } else { zero };
            }
            out
        }
    }

    /// The minimiser of lambda |y|^p + (y - c)^2 / 2 for each lane.
    #[inline(always)]
    pub fn shrink<T: Float>(&self, c: &Lanes<T>) -> Lanes<T> {
        let (zero, tau) = (T::from_f64(0.0), T::from_f64(self.tau));
        let size = simd::each(c, T::size);
        let mut any = false;
        for s in &size {
            any |= *s > tau;
        }
        if !any {
            return [zero; LANES];
        }
        // Lanes below the threshold are computed at it and dropped.
        let safe = simd::each(&size, |s| if s > tau { s } else { tau });
        let mut out = if self.p == 1.0 {
            let lambda = T::from_f64(self.lambda);
            simd::each(&safe, |s| s - lambda)
        } else if let RootSteps::Fixed(steps) = self.root {
            self.fixed_steps(&safe, steps)
        } else {
            self.root_of(&safe)
        };
        for i in 0..LANES {
            let signed = if c[i] < zero { zero - out[i] } else { out[i] };
            out[i] = if size[i] > tau { signed } else { zero };
        }
        out
    }

    /// The authors' s <- c - lambda p s^(p - 1).
    #[inline(always)]
    fn fixed_steps<T: Float>(&self, c: &Lanes<T>, steps: u32) -> Lanes<T> {
        let pull = T::from_f64(self.lambda * self.p);
        let mut s = *c;
        for _ in 0..steps {
            let slope = self.slope(&s);
            for i in 0..LANES {
                s[i] = c[i] - pull * slope[i];
            }
        }
        s
    }

    /// c Y(lambda p c^(p - 2)).
    #[inline(always)]
    fn root_of<T: Float>(&self, c: &Lanes<T>) -> Lanes<T> {
        let pull = T::from_f64(self.lambda * self.p);
        let (one, scale, rest) = (T::from_f64(1.0), T::from_f64(self.inverse_u_max), T::from_f64(1.0 - self.p));
        let slope = self.slope(c);
        let mut u = *c;
        for i in 0..LANES {
            u[i] = pull * slope[i] / c[i];
        }
        let mut y = [T::from_f64(self.polynomial[DEGREE]); LANES];
        for coefficient in self.polynomial[..DEGREE].iter().rev() {
            let coefficient = T::from_f64(*coefficient);
            for i in 0..LANES {
                y[i] = y[i] * (u[i] * scale) + coefficient;
            }
        }
        for _ in 0..self.newton_steps {
            let slope = self.slope(&y);
            for i in 0..LANES {
                let pulled = u[i] * slope[i];
                y[i] -= (y[i] - one + pulled) / (one - rest * pulled / y[i]);
            }
        }
        for i in 0..LANES {
            y[i] *= c[i];
        }
        y
    }

    /// s^(p - 1).
    #[inline(always)]
    fn slope<T: Float>(&self, s: &Lanes<T>) -> Lanes<T> {
        if self.p == 0.5 {
            let one = T::from_f64(1.0);
            return simd::each(s, |s| one / s.root());
        }
        simd::power(s, self.p - 1.0)
    }
}

/// Newton's steps that take an error to rounding: each squares it (times less than ten).
fn steps_from(error: f64) -> usize {
    let errors = std::iter::successors(Some(error), |error| Some(10.0 * error * error));
    errors.take(MOST_STEPS).take_while(|&error| error > EXACT).count()
}

/// The polynomial through f at Chebyshev's points of [0, 1], lowest degree first.
fn interpolate(f: impl Fn(f64) -> f64) -> [f64; DEGREE + 1] {
    let points: Vec<f64> = (0..=DEGREE)
        .map(|i| 0.5 - 0.5 * (std::f64::consts::PI * (i as f64 + 0.5) / (DEGREE + 1) as f64).cos())
        .collect();
    // Newton's divided differences, then expanded.
    let mut divided: Vec<f64> = points.iter().map(|&x| f(x)).collect();
    for level in 1..=DEGREE {
        for i in (level..=DEGREE).rev() {
            divided[i] = (divided[i] - divided[i - 1]) / (points[i] - points[i - level]);
        }
    }
    let mut polynomial = [0.0; DEGREE + 1];
    for i in (0..=DEGREE).rev() {
        for k in (1..=DEGREE).rev() {
            polynomial[k] = polynomial[k - 1] - points[i] * polynomial[k];
        }
        polynomial[0] = divided[i] - points[i] * polynomial[0];
    }
    polynomial
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_scalar_shrinkage() {
        for p in [0.05, 0.1, 0.3, 0.5, 0.6, 2.0 / 3.0, 0.8, 0.9, 0.97, 1.0] {
            for (root, tolerance) in [(RootSteps::Exact, 1e-12), (RootSteps::Fixed(2), 1e-12)] {
                let general = SimdShrinkage::new(p, root);
                for lambda in [1e-3, 0.7, 30.0] {
                    let (curve, scalar) = (general.for_lambda(lambda), Shrinkage::new(lambda, p, root));
                    let tau = scalar.threshold();
                    for start in [0.0, 0.999, 1.0 + 1e-9, 1.01, 1.5, 3.0, 40.0, 1e6] {
                        let c: Lanes<f64> = std::array::from_fn(|i| {
                            tau * (start + 0.013 * i as f64) * if i % 3 == 0 { -1.0 } else { 1.0 }
                        });
                        let found = simd::vectorised(|| curve.shrink(&c));
                        for i in 0..LANES {
                            let expected = scalar.apply(c[i]);
                            let error = (found[i] - expected).abs();
                            assert!(error <= tolerance * expected.abs(), "p {p} {root:?} c {}: {error}", c[i]);
                        }
                        let short = c.map(|c| c as f32);
                        let found = simd::vectorised(|| curve.shrink(&short));
                        for i in 0..LANES {
                            let c = f64::from(short[i]);
                            let near = (c.abs() / tau - 1.0).abs() < 1e-6;
                            let error = (f64::from(found[i]) - scalar.apply(c)).abs();
                            assert!(near || error <= 2e-5 * c.abs(), "p {p} {root:?} f32 c {c}: {error}");
                        }
                    }
                }
            }
        }
    }
}
