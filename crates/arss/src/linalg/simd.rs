//! Arithmetic on a few numbers at a time, written so that the compiler vectorises it.
//!
//! Everything here is plain Rust on arrays; `pulp` runs it with the widest instructions that the
//! processor has. Nothing is reassociated or fused, so the answer is the same with any of them.

use crate::Float;

/// Numbers handled together: two AVX-512 registers of `f64`, one of `f32`.
pub(crate) const LANES: usize = 16;

/// One number a lane.
pub(crate) type Lanes<T> = [T; LANES];

/// Runs `work` with the widest instructions that the processor has. A closure has to be `#[inline(always)]`:
/// left to itself the compiler may keep it apart, and then it is compiled for the oldest processor (seen: 21 % of an iteration).
#[inline(always)]
pub(crate) fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// Applies `f` to each lane.
#[inline(always)]
pub(crate) fn each<T: Float>(a: &Lanes<T>, f: impl Fn(T) -> T) -> Lanes<T> {
    let mut out = *a;
    for value in &mut out {
        *value = f(*value);
    }
    out
}

/// The square root of each lane, none below zero, to about 3e-16. In double precision by Newton's method for 1 / sqrt(x) from a
/// guess that is read off the bits: the processor's own roots take three times as long.
#[inline(always)]
pub(crate) fn roots<T: Float>(x: &Lanes<T>) -> Lanes<T> {
    if size_of::<T>() == size_of::<f32>() {
        return each(x, T::root);
    }
    let (half, more) = (T::from_f64(0.5), T::from_f64(1.5));
    let (mut y, mut halves) = (*x, *x);
    for i in 0..LANES {
        y[i] = x[i].inverse_root_guess();
        halves[i] = half * x[i];
    }
    // The guess is within 3.5 %, and an error e becomes 1.5 e^2. Zero has a guess, too, and times it stays zero.
    for _ in 0..4 {
        for i in 0..LANES {
            y[i] *= more - halves[i] * y[i] * y[i];
        }
    }
    for i in 0..LANES {
        y[i] *= x[i];
    }
    y
}

/// Sum over the lanes, in order.
pub(crate) fn total<T: Float>(lanes: &Lanes<T>) -> f64 {
    lanes.iter().map(|value| value.to_f64()).sum()
}

/// x^power for x > 0, as 2^(power log2 x), to about 1e-15 times |power log2 x|.
#[inline(always)]
pub(crate) fn power<T: Float>(x: &Lanes<T>, power: f64) -> Lanes<T> {
    let mut out = *x;
    for value in &mut out {
        *value = T::from_f64(exp2(power * log2(value.to_f64())));
    }
    out
}

/// Each value becomes e^(factor value), to about 1e-15 times its exponent; below 1e-300 it stays there.
pub(crate) fn exponentials<T: Float>(values: &mut [T], factor: f64) {
    let factor = factor * std::f64::consts::LOG2_E;
    vectorised(
        #[inline(always)]
        || values.iter_mut().for_each(|value| *value = T::from_f64(exp2(factor * value.to_f64()))),
    );
}

/// log2 x for normal x > 0: x = 2^e m with m in [sqrt(1/2), sqrt 2), and the series of
/// log m = 2 artanh((m - 1) / (m + 1)).
#[inline(always)]
fn log2(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3FE6_A09E_667F_3BCD;
    let bits = x.to_bits().wrapping_sub(SQRT_HALF);
    // The exponent as a number without a conversion of integers, which AVX2 has not: 2^52 + e in bits.
    const MAGIC: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    let shifted = ((bits as i64) >> 52) as u64;
    let exponent = f64::from_bits(MAGIC.to_bits().wrapping_add(shifted)) - MAGIC;
    let m = f64::from_bits((bits & 0x000F_FFFF_FFFF_FFFF).wrapping_add(SQRT_HALF));
    let t = (m - 1.0) / (m + 1.0);
    let t2 = t * t;
    let mut series = 1.0 / 21.0;
    for k in (0..10).rev() {
        series = series * t2 + 1.0 / (2 * k + 1) as f64;
    }
    exponent + t * series * (2.0 / std::f64::consts::LN_2)
}

/// 2^y for |y| < 1000: y = n + f with |f| <= 1/2, and the series of e^(f ln 2).
#[inline(always)]
fn exp2(y: f64) -> f64 {
    const MAGIC: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    let y = y.clamp(-1000.0, 1000.0);
    let shifted = y + MAGIC;
    let f = (y - (shifted - MAGIC)) * std::f64::consts::LN_2;
    // 1 / k!, so that nothing is divided.
    const TERMS: [f64; 14] = {
        let mut terms = [1.0; 14];
        let mut k = 1;
        while k < 14 {
            terms[k] = terms[k - 1] / k as f64;
            k += 1;
        }
        terms
    };
    let mut series = TERMS[13];
    for k in (0..13).rev() {
        series = series * f + TERMS[k];
    }
    f64::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 52))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_exponentials() {
        let exponents: Vec<f64> = (-4000..500).map(|i| f64::from(i) * 0.13).collect();
        let mut found = exponents.clone();
        exponentials(&mut found, 1.0);
        for (found, exponent) in found.iter().zip(exponents) {
            assert!((found / exponent.exp() - 1.0).abs() < 2e-13, "e^{exponent}: {found}");
        }
        let mut far = [1e9, 0.0];
        exponentials(&mut far, -2.0);
        assert!(far[0] < 1e-300 && far[1] == 1.0);
    }

    #[test]
    fn roots_are_roots() {
        for i in -700..700 {
            let x = 1.37f64.powi(i) * 1.0001;
            let mut lanes = [0.0; LANES];
            lanes[3] = x;
            let found = vectorised(|| roots(&lanes));
            assert!((found[3] / x.sqrt() - 1.0).abs() < 1e-15, "sqrt({x}): {}", found[3]);
            assert_eq!(found[0], 0.0);
            let short = x.clamp(1e-30, 1e30) as f32;
            assert_eq!(vectorised(|| roots(&[short; LANES]))[5], short.sqrt());
        }
    }

    #[test]
    fn powers_are_powers() {
        for power_of in [-1.5, -0.7, -0.1, 0.2, 1.0 / 3.0, 0.9] {
            for i in -300..300 {
                let x = 1.37f64.powi(i);
                let mut lanes = [1.0; LANES];
                lanes[3] = x;
                let found = vectorised(|| power(&lanes, power_of));
                assert!((found[3] / x.powf(power_of) - 1.0).abs() < 4e-14, "{x}^{power_of}: {}", found[3]);
                assert_eq!(found[0], 1.0);
            }
        }
    }
}
