//! A checksum: tells whether bytes are those that were written. Not against forgers.

/// A sum that every byte and its place go into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    word: u64,
    length: u64,
}

impl Sum {
    /// The sum of `bytes`.
    ///
    /// ```
    /// use arss_table::checksum::Sum;
    ///
    /// assert_ne!(Sum::of(b"row 1"), Sum::of(b"row 2"));
    /// ```
    pub fn of(bytes: &[u8]) -> Self {
        let mut sum = Sum::default();
        sum.add(bytes);
        sum
    }

    /// Adds bytes behind the others. All pieces but the last must be a multiple of 8 bytes long.
    pub fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.mix(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut word = [0; 8];
            word.iter_mut().zip(rest).for_each(|(byte, rest)| *byte = *rest);
            self.mix(u64::from_le_bytes(word));
        }
        self.length += bytes.len() as u64;
    }

    /// The sum as one number.
    pub fn value(self) -> u64 {
        let mut all = self;
        all.mix(self.length);
        all.word
    }

    /// The finishing steps of SplitMix64: each bit of the word changes half of the sum.
    fn mix(&mut self, word: u64) {
        let mut mixed = (self.word ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.word = mixed ^ (mixed >> 31);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_its_place_and_the_length_count() {
        let bytes: Vec<u8> = (0..100).collect();
        let whole = Sum::of(&bytes).value();
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_ne!(Sum::of(&other).value(), whole, "{at}");
        }
        assert_ne!(Sum::of(&bytes[..99]).value(), whole);
        assert_ne!(Sum::of(&[0; 8]).value(), Sum::of(&[0; 7]).value());
        let mut parts = Sum::default();
        bytes.chunks(24).for_each(|part| parts.add(part));
        assert_eq!(parts.value(), whole);
    }
}
