//! The two element types: `f32` and `f64`.

use crate::exec::RowAttributes;
use crate::exec::distributed::{RowState, RowsOf, StepRequest, step_on_rows};
use crate::exec::out_of_core::{Stream, StreamOptions, run_stream};
use crate::{Applied, Count, Error, Kernel, Mapped, Method, Model, RunOptions, Samples, Selection};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// An element of a table: `f32` or `f64`.
///
/// Data of either type is kept as it is in memory; the small square matrices
/// are always `f64`. The trait is sealed.
///
/// ```
/// use arss::Float;
/// assert_eq!(1.5f32.to_f64(), 1.5);
/// assert_eq!(f32::from_f64(0.25), 0.25);
/// ```
pub trait Float:
    sealed::Sealed + faer::traits::RealField + Copy + Send + Sync + PartialOrd + std::fmt::Debug + 'static
{
    /// The value as `f64`.
    fn to_f64(self) -> f64;
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// The smallest value of this type that is not below.
    #[doc(hidden)]
    fn not_below(value: f64) -> Self;
    /// The square root.
    #[doc(hidden)]
    fn root(self) -> Self;
    /// 1 over the square root, within 3.5 %.
    #[doc(hidden)]
    fn inverse_root_guess(self) -> Self;
    /// The absolute value.
    #[doc(hidden)]
    fn size(self) -> Self;
    /// The values as `f64`: themselves, or copied into `scratch`.
    #[doc(hidden)]
    fn widened<'a>(values: &'a [Self], scratch: &'a mut Vec<f64>) -> &'a [f64];
    /// Largest absolute values between which squares and their sums are safe;
    /// tables outside are scaled by a power of two while solving.
    #[doc(hidden)]
    const SAFE: (f64, f64);
    /// Runs a method on samples of this type. Not generic, so that the solvers are compiled once,
    /// here, and not again in every crate that calls them.
    #[doc(hidden)]
    fn select(
        method: &Method,
        samples: &Samples<'_, Self>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error>;
    /// Runs a method on rows of this type that are read when needed; not generic for the same reason.
    #[doc(hidden)]
    fn stream(
        stream: &Stream<'_, Self>,
        method: &Method,
        count: Count,
        how: StreamOptions<'_, '_, '_>,
    ) -> Result<Selection, Error>;
    /// Does a step on rows of this type; not generic for the same reason.
    #[doc(hidden)]
    fn step_on(
        request: &StepRequest,
        rows: &RowsOf<'_, Self>,
        place: (usize, RowAttributes<'_>),
        state: &mut RowState<Self>,
    ) -> Result<Vec<u8>, Error>;
    /// Applies a model to samples of this type; not generic for the same reason.
    #[doc(hidden)]
    fn apply_model(model: &Model, samples: &Samples<'_, Self>, run: &mut RunOptions<'_>) -> Result<Applied, Error>;
    /// Maps samples of this type; not generic for the same reason.
    #[doc(hidden)]
    fn map(kernel: &Kernel, samples: &Samples<'_, Self>, run: &mut RunOptions<'_>) -> Result<Mapped<Self>, Error>;
}

impl Float for f32 {
    fn not_below(value: f64) -> Self {
        let nearest = value as f32;
        if f64::from(nearest) < value { nearest.next_up() } else { nearest }
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn inverse_root_guess(self) -> Self {
        f32::from_bits(0x5F37_59DF_u32.wrapping_sub(self.to_bits() >> 1))
    }
    #[inline(always)]
    fn size(self) -> Self {
        self.abs()
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    fn widened<'a>(values: &'a [Self], scratch: &'a mut Vec<f64>) -> &'a [f64] {
        scratch.clear();
        scratch.extend(values.iter().map(|&value| f64::from(value)));
        scratch
    }
    const SAFE: (f64, f64) = (1e-4, 1e4);
    fn select(
        method: &Method,
        samples: &Samples<'_, Self>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        method.run(samples, k, run)
    }
    fn stream(
        stream: &Stream<'_, Self>,
        method: &Method,
        count: Count,
        how: StreamOptions<'_, '_, '_>,
    ) -> Result<Selection, Error> {
        run_stream(stream, method, count, how)
    }
    fn step_on(
        request: &StepRequest,
        rows: &RowsOf<'_, Self>,
        place: (usize, RowAttributes<'_>),
        state: &mut RowState<Self>,
    ) -> Result<Vec<u8>, Error> {
        step_on_rows(request, rows, place, state)
    }
    fn apply_model(model: &Model, samples: &Samples<'_, Self>, run: &mut RunOptions<'_>) -> Result<Applied, Error> {
        model.run(samples, run)
    }
    fn map(kernel: &Kernel, samples: &Samples<'_, Self>, run: &mut RunOptions<'_>) -> Result<Mapped<Self>, Error> {
        kernel.run(samples, run)
    }
}

impl Float for f64 {
    fn not_below(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
    #[inline(always)]
    fn inverse_root_guess(self) -> Self {
        // Half the exponent with its sign turned; the constant spreads the error of the mantissa evenly.
        f64::from_bits(0x5FE6_EB50_C7B5_37A9_u64.wrapping_sub(self.to_bits() >> 1))
    }
    #[inline(always)]
    fn size(self) -> Self {
        self.abs()
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
    fn widened<'a>(values: &'a [Self], _: &'a mut Vec<f64>) -> &'a [f64] {
        values
    }
    const SAFE: (f64, f64) = (1e-30, 1e30);
    fn select(
        method: &Method,
        samples: &Samples<'_, Self>,
        k: usize,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        method.run(samples, k, run)
    }
    fn stream(
        stream: &Stream<'_, Self>,
        method: &Method,
        count: Count,
        how: StreamOptions<'_, '_, '_>,
    ) -> Result<Selection, Error> {
        run_stream(stream, method, count, how)
    }
    fn step_on(
        request: &StepRequest,
        rows: &RowsOf<'_, Self>,
        place: (usize, RowAttributes<'_>),
        state: &mut RowState<Self>,
    ) -> Result<Vec<u8>, Error> {
        step_on_rows(request, rows, place, state)
    }
    fn apply_model(model: &Model, samples: &Samples<'_, Self>, run: &mut RunOptions<'_>) -> Result<Applied, Error> {
        model.run(samples, run)
    }
    fn map(kernel: &Kernel, samples: &Samples<'_, Self>, run: &mut RunOptions<'_>) -> Result<Mapped<Self>, Error> {
        kernel.run(samples, run)
    }
}
