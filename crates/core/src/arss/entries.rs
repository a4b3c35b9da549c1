//! What happens to each entry of X in an iteration: multiplier known, then E and P.

use crate::{Arss, Float, Shrinkage};

/// Settings of one sweep over the entries.
pub(crate) struct Kernel {
    pub p: f64,
    /// The penalty this iteration's multiplier was made with.
    pub mu: f64,
    /// The penalty of the next iteration's E and P.
    pub next_mu: f64,
    shrinkage: Shrinkage,
}

impl Kernel {
    pub fn new(settings: &Arss, mu: f64, next_mu: f64) -> Self {
        Kernel { p: settings.p, mu, next_mu, shrinkage: Shrinkage::new(1.0 / next_mu, settings.p, settings.root) }
    }
}

/// Sums over the entries, from which objective, gap and residuals follow.
#[derive(Clone, Copy)]
pub(crate) struct Sweep {
    /// |X - XA|_p^p.
    pub loss: f64,
    /// |X - XA - E|_F^2, E being the next.
    pub violation: f64,
    /// |Lambda|_F^2.
    pub lambda_squared: f64,
    /// max |Lambda|.
    pub lambda_max: f64,
    /// <Lambda, X>.
    pub lambda_x: f64,
    /// <C, X> with C = Lambda cut to [-1, 1].
    pub cut_x: f64,
    /// |Lambda - C|_F^2.
    pub cut_off: f64,
    /// Entries of the next E that are not zero.
    pub active: usize,
}

impl Sweep {
    pub const ZERO: Sweep = Sweep {
        loss: 0.0,
        violation: 0.0,
        lambda_squared: 0.0,
        lambda_max: 0.0,
        lambda_x: 0.0,
        cut_x: 0.0,
        cut_off: 0.0,
        active: 0,
    };

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
pub(crate) fn sweep_entries<T: Float>(kernel: &Kernel, x: &[T], lambda: &[T], P: &mut [T], keep: bool) -> Sweep {
    let (inverse, next_inverse) = (1.0 / kernel.mu, 1.0 / kernel.next_mu);
    let mut sums = Sweep::ZERO;
    for ((x, lambda), entry) in x.iter().zip(lambda).zip(P) {
        let (x, lambda) = (x.to_f64(), lambda.to_f64());
        let error = x - (entry.to_f64() + lambda * inverse);
        let shift = lambda * next_inverse;
        let e = kernel.shrinkage.apply(error - shift);
        sums.loss += power(error.abs(), kernel.p);
        sums.violation += (error - e) * (error - e);
        sums.lambda_squared += lambda * lambda;
        sums.lambda_max = sums.lambda_max.max(lambda.abs());
        sums.lambda_x += lambda * x;
        let cut = lambda.clamp(-1.0, 1.0);
        sums.cut_x += cut * x;
        sums.cut_off += (lambda - cut) * (lambda - cut);
        sums.active += usize::from(e != 0.0);
        if !keep {
            *entry = T::from_f64(x - e - shift);
        }
    }
    sums
}

/// size^p for size >= 0.
#[inline]
fn power(size: f64, p: f64) -> f64 {
    if p == 1.0 {
        size
    } else if p == 0.5 {
        size.sqrt()
    } else {
        size.powf(p)
    }
}
