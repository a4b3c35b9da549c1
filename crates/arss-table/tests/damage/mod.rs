//! Damaged copies of the fuzz seeds, the same each time.

use std::path::{Path, PathBuf};

/// Numbers that look random.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    pub fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }
}

/// Changes a few places: bytes, whole numbers, lost, doubled and foreign pieces.
pub fn damage(dice: &mut Dice, bytes: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len());
        let length = dice.below(16).min(bytes.len() - at);
        match dice.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
            1 if at < bytes.len() => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'"', b'\n', b','][dice.below(8)],
            2 if at + 4 <= bytes.len() => {
                let value = [0, 1, i32::MAX, i32::MIN, -1, 1 << 20][dice.below(6)];
                bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
            3 => drop(bytes.drain(at..at + length)),
            4 => {
                let piece = bytes[at..at + length].to_vec();
                let to = dice.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            5 => {
                let from = dice.below(other.len());
                let piece = other[from..(from + length + 1).min(other.len())].to_vec();
                bytes.splice(at..at + length, piece);
            }
            6 => bytes.truncate(bytes.len() - length),
            _ => {
                let bytes_left = bytes.len() - at;
                bytes[at..].iter_mut().take(bytes_left.min(2)).for_each(|byte| *byte = byte.wrapping_add(1));
            }
        }
    }
}

/// The folder of a target's seeds.
pub fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target)
}

/// The seeds of a target, in the order of their names.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = std::fs::read_dir(folder(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    assert!(seeds.len() > 1, "{target}");
    seeds
}
