//! What happens to each entry of X in an iteration: multiplier known, then E and P.

use serde::{Deserialize, Serialize};

use crate::linalg::simd::{LANES, Lanes, each, total, vectorised};
use crate::models::simd_shrinkage::SimdShrinkage;
use crate::{Arss, Error, Float, Penalty};

/// How far P is over-relaxed for p = 1: with the momentum of the weights a fifth fewer iterations.
const OVER: f64 = 0.6;

/// Step 3: the settings of one sweep over the entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct EStep {
    /// The penalty this iteration's multiplier was made with.
    pub mu: f64,
    /// The penalty of the next iteration's E and P.
    pub next_mu: f64,
    /// Over-relaxation of P: how much further than the multiplier method it goes.
    over: f64,
    curve: SimdShrinkage,
}

impl EStep {
    /// The settings before the first iteration.
    pub fn new(settings: &Arss) -> Self {
        // P is the iterate of Douglas and Rachford's splitting, which may be over-relaxed by less than 1. The loss has to be convex.
        let convex = settings.p == 1.0 && settings.penalty == Penalty::Adaptive;
        let (mu, next_mu, over) = (f64::NAN, f64::NAN, if convex { OVER } else { 0.0 });
        EStep { mu, next_mu, over, curve: SimdShrinkage::new(settings.p, settings.root) }
    }

    /// `Ok` if an iteration can be made with it.
    pub fn check(&self) -> Result<(), Error> {
        self.curve.check()
    }

    /// The settings of an iteration with penalty `mu`, `next_mu` being that of the next.
    pub fn set(&mut self, mu: f64, next_mu: f64) {
        (self.mu, self.next_mu) = (mu, next_mu);
        self.curve = self.curve.for_lambda(1.0 / next_mu);
    }

    /// Whether every entry up to this size becomes zero.
    pub fn shrinks_to_zero(&self, size: f64) -> bool {
        size <= self.curve.threshold()
    }
}

/// Sums over the entries, from which objective, gap and residuals follow.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sweep {
    /// |X - XA|_p^p.
    pub loss: f64,
    /// |X - XA - E|_F^2, E being the next.
    pub violation: f64,
    /// |Lambda|_F^2.
    pub lambda_squared: f64,
    /// max |Lambda|; this and the next three only for p = 1, where there is a dual.
    pub lambda_max: f64,
    /// <Lambda, X>.
    pub lambda_x: f64,
    /// <C, X> with C = Lambda cut to [-1, 1].
    pub cut_x: f64,
    /// |Lambda - C|_F^2.
    pub cut_off: f64,
    /// Entries of the next E that are not zero.
    pub active: f64,
}

impl Sweep {
    pub fn merge(&mut self, other: Sweep) {
        self.loss += other.loss;
        self.violation += other.violation;
        self.lambda_squared += other.lambda_squared;
        self.lambda_max = self.lambda_max.max(other.lambda_max);
        self.lambda_x += other.lambda_x;
        self.cut_x += other.cut_x;
        self.cut_off += other.cut_off;
        self.active += other.active;
    }
}

/// For every entry, with R = XA = P + Lambda / mu and mu' the next penalty:
///
/// ```text
/// E' = GST(X - R - Lambda / mu' ; 1 / mu', p)        Eq. (8), step 3
/// P' = X - E' - Lambda / mu'                          step 5
/// ```
///
/// P' replaces P unless `keep`.
pub(crate) fn sweep_entries<T: Float>(e_step: &EStep, x: &[T], lambda: &[T], P: &mut [T], keep: bool) -> Sweep {
    vectorised(
        #[inline(always)]
        || match e_step.curve.p {
            1.0 => sweep_lanes::<T, true>(e_step, x, lambda, P, keep),
            _ => sweep_lanes::<T, false>(e_step, x, lambda, P, keep),
        },
    )
}

/// Of the entries of X - XA: the sum of their sizes to the power p, and that of their squares.
pub(crate) fn sweep_errors<T: Float>(e_step: &EStep, errors: &[T]) -> (f64, f64) {
    vectorised(
        #[inline(always)]
        || {
            let (mut loss, mut squares) = (0.0, 0.0);
            let (whole, rest) = errors.as_chunks::<LANES>();
            // Filled up with zeros, which add nothing.
            let mut last = [T::from_f64(0.0); LANES];
            last[..rest.len()].copy_from_slice(rest);
            for part in whole.chunks(FLUSH).chain([&[last][..]]) {
                let mut sums = [[T::from_f64(0.0); LANES]; 2];
                for errors in part {
                    let size = each(errors, T::size);
                    let losses = e_step.curve.loss(&size);
                    for i in 0..LANES {
                        sums[0][i] += losses[i];
                        sums[1][i] += size[i] * size[i];
                    }
                }
                (loss, squares) = (loss + total(&sums[0]), squares + total(&sums[1]));
            }
            (loss, squares)
        },
    )
}

/// Lanes after which sums of `f32` go into those of `f64`.
const FLUSH: usize = 32;

#[inline(always)]
fn sweep_lanes<T: Float, const CONVEX: bool>(e_step: &EStep, x: &[T], lambda: &[T], P: &mut [T], keep: bool) -> Sweep {
    let mut sums = Sweep::default();
    let whole = x.len() / LANES * LANES;
    for ((x, lambda), P) in x[..whole]
        .chunks(LANES * FLUSH)
        .zip(lambda[..whole].chunks(LANES * FLUSH))
        .zip(P[..whole].chunks_mut(LANES * FLUSH))
    {
        let mut part = Part::zero();
        let lanes = x.as_chunks::<LANES>().0.iter().zip(lambda.as_chunks::<LANES>().0);
        for ((x, lambda), P) in lanes.zip(P.as_chunks_mut::<LANES>().0) {
            part.add::<CONVEX>(e_step, x, lambda, P, keep);
        }
        sums.merge(part.sum());
    }
    if whole < x.len() {
        // The rest in lanes filled up with zeros, which add nothing to any sum.
        let filled = |values: &[T]| {
            let mut lanes = [T::from_f64(0.0); LANES];
            lanes[..values.len()].copy_from_slice(values);
            lanes
        };
        let rest = &mut P[whole..];
        let mut lanes = filled(rest);
        let mut part = Part::zero();
        part.add::<CONVEX>(e_step, &filled(&x[whole..]), &filled(&lambda[whole..]), &mut lanes, keep);
        rest.copy_from_slice(&lanes[..rest.len()]);
        sums.merge(part.sum());
    }
    sums
}

/// The sums, one a lane.
struct Part<T> {
    loss: Lanes<T>,
    violation: Lanes<T>,
    lambda_squared: Lanes<T>,
    lambda_max: Lanes<T>,
    lambda_x: Lanes<T>,
    cut_x: Lanes<T>,
    cut_off: Lanes<T>,
    active: Lanes<T>,
}

impl<T: Float> Part<T> {
    #[inline(always)]
    fn zero() -> Self {
        let zero = [T::from_f64(0.0); LANES];
        Part {
            loss: zero,
            violation: zero,
            lambda_squared: zero,
            lambda_max: zero,
            lambda_x: zero,
            cut_x: zero,
            cut_off: zero,
            active: zero,
        }
    }

    #[inline(always)]
    fn add<const CONVEX: bool>(
        &mut self,
        e_step: &EStep,
        x: &Lanes<T>,
        lambda: &Lanes<T>,
        P: &mut Lanes<T>,
        keep: bool,
    ) {
        let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
        let (inverse, next_inverse) = (T::from_f64(1.0 / e_step.mu), T::from_f64(1.0 / e_step.next_mu));
        let (mut error, mut shift, mut c, mut size) = (*x, *x, *x, *x);
        for i in 0..LANES {
            error[i] = x[i] - (P[i] + lambda[i] * inverse);
            shift[i] = lambda[i] * next_inverse;
            c[i] = error[i] - shift[i];
            size[i] = error[i].size();
        }
        let e = e_step.curve.shrink(&c);
        let loss = e_step.curve.loss(&size);
        for i in 0..LANES {
            let rest = error[i] - e[i];
            self.loss[i] += loss[i];
            self.violation[i] += rest * rest;
            self.lambda_squared[i] += lambda[i] * lambda[i];
            self.active[i] += if e[i] == zero { zero } else { one };
        }
        if CONVEX {
            for i in 0..LANES {
                let length = lambda[i].size();
                self.lambda_max[i] = if length > self.lambda_max[i] { length } else { self.lambda_max[i] };
                self.lambda_x[i] += lambda[i] * x[i];
                let cut = if lambda[i] > one { one } else { lambda[i] };
                let cut = if cut < zero - one { zero - one } else { cut };
                self.cut_x[i] += cut * x[i];
                self.cut_off[i] += (lambda[i] - cut) * (lambda[i] - cut);
            }
        }
        if !keep {
            for i in 0..LANES {
                P[i] = x[i] - e[i] - shift[i];
            }
            if e_step.over != 0.0 {
                let over = T::from_f64(e_step.over);
                for i in 0..LANES {
                    P[i] += over * (error[i] - e[i]);
                }
            }
        }
    }

    fn sum(&self) -> Sweep {
        Sweep {
            loss: total(&self.loss),
            violation: total(&self.violation),
            lambda_squared: total(&self.lambda_squared),
            lambda_max: self.lambda_max.iter().map(|value| value.to_f64()).fold(0.0, f64::max),
            lambda_x: total(&self.lambda_x),
            cut_x: total(&self.cut_x),
            cut_off: total(&self.cut_off),
            active: total(&self.active),
        }
    }
}
