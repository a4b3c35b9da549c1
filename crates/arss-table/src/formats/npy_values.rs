//! Single values of an npy file, from their bytes.

use crate::untrusted::npy_header::ElementType;

/// The first N bytes; there are always as many, as a value has the size of its kind.
pub(super) fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

pub(super) fn to_f64(kind: ElementType, bytes: &[u8]) -> f64 {
    match kind {
        ElementType::Bool => f64::from(u8::from(array(bytes) != [0])),
        ElementType::Int(_) => signed(bytes) as f64,
        ElementType::Uint(_) => unsigned(bytes) as f64,
        ElementType::Float(2) => half(u16::from_le_bytes(array(bytes))),
        ElementType::Float(4) => f64::from(f32::from_le_bytes(array(bytes))),
        ElementType::Float(_) => f64::from_le_bytes(array(bytes)),
    }
}

/// The shortest text that reads back as the same value.
pub(super) fn as_text(kind: ElementType, bytes: &[u8]) -> String {
    match kind {
        ElementType::Int(_) => signed(bytes).to_string(),
        ElementType::Uint(_) => unsigned(bytes).to_string(),
        ElementType::Bool => u8::from(array(bytes) != [0]).to_string(),
        ElementType::Float(4) => format!("{:?}", f32::from_le_bytes(array(bytes))),
        ElementType::Float(_) => format!("{:?}", to_f64(kind, bytes)),
    }
}

fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

pub(super) fn signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len() as u32;
    (unsigned(bytes) << unused) as i64 >> unused
}

/// A half-precision float: 1 bit of sign, 5 of exponent, 10 of fraction.
pub(super) fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let size = match (bits >> 10) & 0x1f {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_integers_keep_their_sign() {
        assert_eq!(to_f64(ElementType::Int(1), &[0xff]), -1.0);
        assert_eq!(to_f64(ElementType::Int(2), &(-300i16).to_le_bytes()), -300.0);
        assert_eq!(to_f64(ElementType::Int(8), &i64::MIN.to_le_bytes()), -(2f64.powi(63)));
        assert_eq!(to_f64(ElementType::Uint(1), &[0xff]), 255.0);
        assert_eq!(to_f64(ElementType::Uint(8), &u64::MAX.to_le_bytes()), 2f64.powi(64));
    }

    #[test]
    fn half_precision_is_exact() {
        let known =
            [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0001, 2f64.powi(-24)), (0x3555, 0.333251953125)];
        assert!(known.iter().all(|&(bits, value)| half(bits) == value));
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }
}
