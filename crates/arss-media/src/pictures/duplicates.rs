//! Pictures that are copies of others: the same bytes, or nearly the same picture.

use std::collections::HashMap;

/// Bits in which the words of copies may differ: a part of four then is the same in both.
const BITS: u32 = 3;
/// Mean difference in luminance and colour of the thumbnails of copies.
const THUMBNAILS: f32 = 0.03;
/// Distance of all numbers of copies.
const NUMBERS: f32 = 0.2;
/// Numbers that are thumbnails.
const OF_THUMBNAIL: usize = 96;
/// In a crowd of pictures with the same part, only so many of the last ones are looked at.
const CROWD: usize = 4096;

/// Of which picture another one is a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyOf {
    /// The first picture that looks so.
    pub original: usize,
    /// True if the bytes are the same.
    pub exact: bool,
}

/// What is known of a picture.
#[derive(Debug, Clone, Copy)]
pub struct Fingerprint<'a> {
    /// The same for the same bytes.
    pub content: u128,
    /// Differs by few bits between copies.
    pub hash: u64,
    /// What it is compared by.
    pub values: &'a [f32],
}

/// For each picture, of which earlier one it is a copy; `near` looks for more than the same bytes.
pub fn copies(pictures: &[Fingerprint<'_>], near: bool) -> Vec<Option<CopyOf>> {
    let mut by_content: HashMap<u128, usize> = HashMap::new();
    let mut by_part: HashMap<(u8, u16), Vec<usize>> = HashMap::new();
    let mut found: Vec<Option<CopyOf>> = Vec::with_capacity(pictures.len());
    for (at, picture) in pictures.iter().enumerate() {
        let first = *by_content.entry(picture.content).or_insert(at);
        if first < at {
            // A copy of a copy is one of the original.
            let original = found[first].map_or(first, |copy| copy.original);
            found.push(Some(CopyOf { original, exact: true }));
            continue;
        }
        let original = near.then(|| nearest(pictures, at, &by_part)).flatten();
        found.push(original.map(|original| CopyOf { original, exact: false }));
        if original.is_none() && near {
            parts(picture.hash).for_each(|part| by_part.entry(part).or_default().push(at));
        }
    }
    found
}

fn parts(hash: u64) -> impl Iterator<Item = (u8, u16)> {
    (0..4).map(move |part| (part, (hash >> (16 * part)) as u16))
}

/// The first original that looks the same.
fn nearest(pictures: &[Fingerprint<'_>], at: usize, by_part: &HashMap<(u8, u16), Vec<usize>>) -> Option<usize> {
    let own = &pictures[at];
    let alike = |other: &&usize| {
        let other = &pictures[**other];
        (other.hash ^ own.hash).count_ones() <= BITS && is_near(own.values, other.values)
    };
    let of_part = |part| by_part.get(&part).map(Vec::as_slice).unwrap_or_default();
    parts(own.hash).filter_map(|part| of_part(part).iter().rev().take(CROWD).filter(alike).min().copied()).min()
}

fn is_near(a: &[f32], b: &[f32]) -> bool {
    let squares = |range: std::ops::Range<usize>| -> f32 {
        a[range.clone()].iter().zip(&b[range]).map(|(a, b)| (a - b) * (a - b)).sum()
    };
    let of_thumbnail = squares(0..OF_THUMBNAIL.min(a.len()));
    of_thumbnail < THUMBNAILS * THUMBNAILS
        && of_thumbnail + squares(OF_THUMBNAIL.min(a.len())..a.len()) < NUMBERS * NUMBERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_found_and_lookalikes_are_not() {
        let values = [[0.5; 100], [0.501; 100], [0.6; 100]];
        fn picture(content: u128, hash: u64, values: &[f32]) -> Fingerprint<'_> {
            Fingerprint { content, hash, values }
        }
        let pictures = [
            picture(1, 0xFFFF_0000_1111_2222, &values[0]),
            picture(1, 0xFFFF_0000_1111_2222, &values[0]),
            picture(2, 0xFFFE_0001_1110_2222, &values[1]),
            picture(3, 0xFFFF_0000_1111_2222, &values[2]),
            picture(4, 0x0000_FFFF_1111_2222, &values[0]),
            picture(2, 0xFFFE_0001_1110_2222, &values[1]),
        ];
        let found: Vec<Option<(usize, bool)>> =
            copies(&pictures, true).iter().map(|copy| copy.map(|copy| (copy.original, copy.exact))).collect();
        assert_eq!(found, [None, Some((0, true)), Some((0, false)), None, None, Some((0, true))]);
        assert_eq!(copies(&pictures, false)[2], None);
    }
}
