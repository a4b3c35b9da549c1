//! Numbers of 16 bits, which stay as they are and are widened where they are used.

use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};

use crate::Float;

/// Numbers of 16 bits that are widened at a time.
const WIDENED: usize = 256;

/// The two formats of 16 bits.
///
/// ```
/// use arss::{HalfKind, Samples};
///
/// let bits = [0x3c00, 0x4000, 0x4200, 0xc400]; // 1, 2, 3, -4
/// let samples: Samples<'_, f32> = Samples::half(&bits, HalfKind::F16, (2, 2), (2, 1))?;
/// assert_eq!((samples.get(0, 1), samples.get(1, 1)), (2.0, -4.0));
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HalfKind {
    /// IEEE 754 binary16: NumPy's `float16`.
    F16,
    /// The upper half of an `f32`: `bfloat16`.
    Bf16,
}

impl HalfKind {
    pub(crate) fn widened(self, bits: u16) -> f64 {
        match self {
            HalfKind::F16 => half::f16::from_bits(bits).to_f64(),
            HalfKind::Bf16 => half::bf16::from_bits(bits).to_f64(),
        }
    }

    /// Adds many of them to `values`, by the instructions that the processor has for it.
    ///
    /// ```
    /// let mut values: Vec<f32> = Vec::new();
    /// arss::HalfKind::F16.widen_all(&[0x3c00, 0xc400], &mut values);
    /// assert_eq!(values, [1.0, -4.0]);
    /// ```
    pub fn widen_all<T: Float>(self, bits: &[u16], values: &mut Vec<T>) {
        let mut wide = [0.0f32; WIDENED];
        for some in bits.chunks(WIDENED) {
            let wide = &mut wide[..some.len()];
            match self {
                HalfKind::F16 => some.reinterpret_cast::<half::f16>().convert_to_f32_slice(wide),
                HalfKind::Bf16 => some.reinterpret_cast::<half::bf16>().convert_to_f32_slice(wide),
            }
            values.extend(wide.iter().map(|&value| T::from_f64(f64::from(value))));
        }
    }
}
