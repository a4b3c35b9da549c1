//! Many small numbers in little space: the bytes of an array, as the page unpacks them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Numbers of 16 bits.
pub fn words(values: impl IntoIterator<Item = u16>) -> String {
    STANDARD.encode(values.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<u8>>())
}

/// Numbers of 32 bits; larger ones become the largest.
pub fn longs(values: impl IntoIterator<Item = usize>) -> String {
    let bytes = values.into_iter().flat_map(|value| u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes());
    STANDARD.encode(bytes.collect::<Vec<u8>>())
}

/// Fractions of single precision.
pub fn fractions(values: impl IntoIterator<Item = f64>) -> String {
    STANDARD.encode(values.into_iter().flat_map(|value| (value as f32).to_le_bytes()).collect::<Vec<u8>>())
}

/// Bytes.
pub fn bytes(values: &[u8]) -> String {
    STANDARD.encode(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_ends_first() {
        assert_eq!(words([1, 256]), "AQAAAQ==");
        assert_eq!(longs([1, usize::MAX]), "AQAAAP////8=");
        assert_eq!(fractions([1.0]), "AACAPw==");
        assert_eq!(bytes(&[0, 255]), "AP8=");
    }
}
