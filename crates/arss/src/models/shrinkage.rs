//! The scalar shrinkage of the paper's E-step (generalised soft thresholding, GST).
//!
//! Minimises `lambda |y|^p + (y - c)^2 / 2` over y, for 0 < p <= 1. With
//! `t0 = (2 lambda (1 - p))^(1 / (2 - p))` and `tau = t0 + lambda p t0^(p - 1)` the
//! minimiser is 0 where |c| <= tau, and otherwise sign(c) s with s the larger root of
//!
//! ```text
//! s - |c| + lambda p s^(p - 1) = 0.
//! ```
//!
//! The paper prints `max(|c| - tau, 0) S(|c|) sign(c)`; the first factor is a misprint for
//! the test |c| > tau (p = .5, lambda = 1, c = 10 would give 83.6 instead of 9.84).

/// How the root is found.
///
/// ```
/// use arss::{RootSteps, Shrinkage};
///
/// let exact = Shrinkage::new(1.0, 0.5, RootSteps::Exact);
/// let two = Shrinkage::new(1.0, 0.5, RootSteps::Fixed(2));
/// let s = exact.apply(10.0);
/// assert!((s - 10.0 + 0.5 / s.sqrt()).abs() < 1e-12);
/// assert!((two.apply(1.6) / exact.apply(1.6) - 1.0).abs() > 1e-3); // two steps are crude near the threshold
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum RootSteps {
    /// To machine precision (Newton's method).
    #[default]
    Exact,
    /// The authors' fixed-point iteration s <- |c| - lambda p s^(p - 1), so many times.
    Fixed(u32),
}

/// The shrinkage for one lambda and one p.
///
/// ```
/// use arss::{RootSteps, Shrinkage};
///
/// let soft = Shrinkage::new(0.5, 1.0, RootSteps::Exact); // p = 1 is soft thresholding
/// assert_eq!(soft.apply(-2.0), -1.5);
/// assert_eq!(soft.apply(0.4), 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shrinkage {
    lambda: f64,
    p: f64,
    tau: f64,
    rule: Rule,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    /// p = 1: subtract lambda.
    Soft,
    /// p = 1/2: with z = sqrt(s), z^3 - |c| z + lambda / 2 = 0.
    Half,
    /// p = 2/3: with z = cbrt(s), z^4 - |c| z + 2 lambda / 3 = 0.
    TwoThirds,
    /// Any p: Newton on s itself.
    Newton,
    /// The authors' fixed point.
    Fixed(u32),
}

/// Newton from the right on a convex function: at the threshold the slope is still at least
/// 1 - p/2, so convergence is quadratic from the start and this many steps are never used up.
const MAX_NEWTON: usize = 40;

impl Shrinkage {
    /// The shrinkage for `lambda` >= 0 and `p` in (0, 1].
    ///
    /// # Panics
    /// If `p` or `lambda` is outside its range; the methods validate both beforehand.
    pub fn new(lambda: f64, p: f64, steps: RootSteps) -> Self {
        assert!(p > 0.0 && p <= 1.0 && lambda >= 0.0, "p in (0, 1] and lambda >= 0, not {p} and {lambda}");
        let rule = match steps {
            _ if p == 1.0 => Rule::Soft,
            RootSteps::Fixed(count) => Rule::Fixed(count),
            RootSteps::Exact if p == 0.5 => Rule::Half,
            RootSteps::Exact if p == 2.0 / 3.0 => Rule::TwoThirds,
            RootSteps::Exact => Rule::Newton,
        };
        Shrinkage { lambda, p, tau: threshold(lambda, p), rule }
    }

    /// The largest |c| that is shrunk to zero.
    pub fn threshold(&self) -> f64 {
        self.tau
    }

    /// The minimiser for `c`.
    #[inline]
    pub fn apply(&self, c: f64) -> f64 {
        let size = c.abs();
        if size <= self.tau {
            return 0.0;
        }
        self.root(size).copysign(c)
    }

    /// The larger root of s - c + lambda p s^(p - 1) = 0, for c > tau.
    #[inline]
    fn root(&self, c: f64) -> f64 {
        let (lambda, p) = (self.lambda, self.p);
        match self.rule {
            Rule::Soft => c - lambda,
            Rule::Half => {
                let z = newton(c.sqrt(), |z| (z * (z * z - c) + lambda / 2.0, 3.0 * z * z - c));
                z * z
            }
            Rule::TwoThirds => {
                let third = 2.0 * lambda / 3.0;
                let z = newton(c.cbrt(), |z| (z * (z * z * z - c) + third, 4.0 * z * z * z - c));
                z * z * z
            }
            Rule::Newton => newton(c, |s| {
                let pull = lambda * p * s.powf(p - 1.0);
                (s - c + pull, 1.0 - (1.0 - p) * pull / s)
            }),
            Rule::Fixed(count) => (0..count).fold(c, |s, _| c - lambda * p * s.powf(p - 1.0)),
        }
    }
}

/// Newton's method from a point right of the root of a convex increasing function: falls
/// monotonically until rounding stops it.
#[inline]
fn newton(start: f64, value_and_slope: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut at = start;
    for _ in 0..MAX_NEWTON {
        let (value, slope) = value_and_slope(at);
        let next = at - value / slope;
        if next >= at {
            break;
        }
        at = next;
    }
    at
}

/// tau = t0 + lambda p t0^(p - 1); for p = 1 it is lambda (the formula would hold 0^0).
fn threshold(lambda: f64, p: f64) -> f64 {
    if p == 1.0 || lambda == 0.0 {
        return lambda;
    }
    let t0 = (2.0 * lambda * (1.0 - p)).powf(1.0 / (2.0 - p));
    t0 + lambda * p * t0.powf(p - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Smallest value of lambda |y|^p + (y - c)^2 / 2 over a fine grid, and at 0.
    fn brute_force(lambda: f64, p: f64, c: f64) -> f64 {
        let value = |y: f64| lambda * y.abs().powf(p) + (y - c) * (y - c) / 2.0;
        (0..=20_000).map(|i| value(c * f64::from(i) / 20_000.0)).fold(value(0.0), f64::min)
    }

    #[test]
    fn reaches_the_minimum_and_solves_the_equation() {
        for p in [0.05, 0.2, 1.0 / 3.0, 0.5, 0.6, 2.0 / 3.0, 0.9, 0.99, 1.0] {
            for lambda in [1e-4, 0.3, 1.0, 40.0] {
                let rule = Shrinkage::new(lambda, p, RootSteps::Exact);
                for factor in [-9.0, -1.0 - 1e-9, -0.5, 0.0, 0.9, 1.0 + 1e-9, 1.3, 2.0, 50.0] {
                    let c = factor * rule.threshold();
                    let y = rule.apply(c);
                    let value = lambda * y.abs().powf(p) * f64::from(y != 0.0) + (y - c) * (y - c) / 2.0;
                    assert!(value <= brute_force(lambda, p, c) * (1.0 + 1e-12) + 1e-300, "p {p} lambda {lambda} c {c}");
                    if y != 0.0 {
                        let rest = y.abs() - c.abs() + lambda * p * y.abs().powf(p - 1.0);
                        assert!(rest.abs() <= 1e-12 * c.abs(), "p {p} lambda {lambda} c {c}: {rest}");
                    }
                }
            }
        }
    }

    #[test]
    fn many_fixed_steps_reach_the_exact_root() {
        for p in [0.2, 0.5, 2.0 / 3.0, 0.9] {
            let exact = Shrinkage::new(0.7, p, RootSteps::Exact);
            let fixed = Shrinkage::new(0.7, p, RootSteps::Fixed(300));
            for c in [1.001, 1.5, 4.0].map(|f| f * exact.threshold()) {
                assert!((exact.apply(c) / fixed.apply(c) - 1.0).abs() < 1e-12);
            }
        }
    }
}
