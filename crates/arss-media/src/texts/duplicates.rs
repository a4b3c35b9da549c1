//! Texts that repeat others: the same words in the same order, or nearly so.

use std::collections::HashMap;

use rayon::prelude::*;
use twox_hash::XxHash64;

use super::words::each_word;
use crate::media::Duplicate;

/// Words that are looked at together.
const RUN: usize = 3;
/// Smallest hashes of a text, in bands that have to agree as a whole.
const HASHES: usize = 64;
const BAND: usize = 4;
/// Texts with this share of common runs are nearly the same.
const SAME: f64 = 0.8;
/// In a crowd of texts with the same band, only so many of the last ones are looked at.
const CROWD: usize = 1024;

/// What a text is recognised by.
struct Sketch {
    words: u64,
    smallest: Vec<u64>,
}

/// The texts that repeat an earlier one, in order. Texts without words repeat nothing.
pub fn duplicates(texts: &[String]) -> Vec<Duplicate> {
    let sketches: Vec<Option<Sketch>> = texts.par_iter().map(|text| sketch(text)).collect();
    let mut by_words: HashMap<u64, usize> = HashMap::new();
    let mut by_band: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
    let mut original = vec![None; texts.len()];
    let mut found = Vec::new();
    for (at, sketch) in sketches.iter().enumerate() {
        let Some(sketch) = sketch else { continue };
        let first = *by_words.entry(sketch.words).or_insert(at);
        if first < at {
            let of = original[first].unwrap_or(first);
            found.push(Duplicate { file: at, of, exact: true });
            continue;
        }
        let near = bands(sketch).filter_map(|band| {
            let crowd = by_band.get(&band)?.iter().rev().take(CROWD);
            crowd.filter(|other| sketches[**other].as_ref().is_some_and(|other| likeness(sketch, other) >= SAME)).min()
        });
        if let Some(&of) = near.min() {
            original[at] = Some(of);
            found.push(Duplicate { file: at, of, exact: false });
        } else {
            bands(sketch).for_each(|band| by_band.entry(band).or_default().push(at));
        }
    }
    found
}

/// The smallest hash of all runs of words, for each of many ways to hash.
fn sketch(text: &str) -> Option<Sketch> {
    let mut words: Vec<u64> = Vec::new();
    each_word(text, &mut |word| words.push(XxHash64::oneshot(0, word.as_bytes())));
    if words.is_empty() {
        return None;
    }
    let mut smallest = vec![u64::MAX; HASHES];
    for run in words.windows(RUN.min(words.len())) {
        let own = run.iter().fold(17, |sum: u64, word| sum.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ word);
        for (way, least) in smallest.iter_mut().enumerate() {
            *least = (*least).min(mixed(own, way as u64));
        }
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Some(Sketch { words: XxHash64::oneshot(1, &bytes), smallest })
}

fn mixed(word: u64, way: u64) -> u64 {
    let mut bits = word ^ way.wrapping_mul(0xd1b5_4a32_d192_ed03);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

fn bands(sketch: &Sketch) -> impl Iterator<Item = (usize, u64)> {
    sketch.smallest.chunks_exact(BAND).map(|band| band.iter().fold(0, |sum: u64, own| mixed(sum ^ own, 1))).enumerate()
}

/// The share of common runs, as far as the smallest hashes tell.
fn likeness(a: &Sketch, b: &Sketch) -> f64 {
    a.smallest.iter().zip(&b.smallest).filter(|(a, b)| a == b).count() as f64 / HASHES as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_with_a_few_other_words_are_found() {
        let long = |start: usize| (start..start + 200).map(|at| format!("word{at}")).collect::<Vec<_>>().join(" ");
        let texts = [
            long(0),
            long(1000),
            format!("{}!", long(0).to_uppercase()),
            long(0).replace("word50", "another"),
            long(100),
            String::new(),
            " ".to_owned(),
        ];
        let found = duplicates(&texts);
        let exact = Duplicate { file: 2, of: 0, exact: true };
        assert_eq!(found, [exact, Duplicate { file: 3, of: 0, exact: false }]);
    }
}
