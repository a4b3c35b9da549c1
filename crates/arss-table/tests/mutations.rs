//! Damaged copies of the fuzz seeds through every reader and writer, in this process: no panic, no endless loop.
//!
//! The fuzzer of fuzz/ finds more, but needs nightly Rust; this runs everywhere, and the same each time.
//! `ARSS_MUTANTS=100000 cargo test --test mutations` makes more of them.

use std::path::Path;

/// Copies of each format.
const MUTANTS: usize = 1500;

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }
}

/// Changes a few places: bytes, whole numbers, lost, doubled and foreign pieces.
fn damage(dice: &mut Dice, bytes: &mut Vec<u8>, other: &[u8]) {
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

fn run(target: &str, name: &str) {
    run_with(target, |bytes| arss_table::fuzzing::read_and_write(name, bytes));
}

fn run_with(target: &str, read: impl Fn(&[u8]) + std::panic::RefUnwindSafe) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    assert!(seeds.len() > 1, "{target}");
    seeds.iter().for_each(|seed| read(seed));
    let count = std::env::var("ARSS_MUTANTS").map_or(MUTANTS, |text| text.parse().unwrap());
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for number in 0..count {
        let mut bytes = seeds[dice.below(seeds.len())].clone();
        let other = &seeds[dice.below(seeds.len())];
        damage(&mut dice, &mut bytes, other);
        let copy = std::env::var_os("ARSS_KEEP").map(|folder| Path::new(&folder).join(format!("{target}-{number}")));
        if let Some(copy) = &copy {
            std::fs::write(copy, &bytes).unwrap();
        }
        let caught = std::panic::catch_unwind(|| read(&bytes));
        assert!(caught.is_ok(), "mutant {number} of {target}: {:?}", bytes.escape_ascii().to_string());
        copy.map(std::fs::remove_file).transpose().unwrap();
    }
}

#[test]
fn csv() {
    run("csv", "t.csv");
}

#[test]
fn jsonl() {
    run("jsonl", "t.jsonl");
}

#[test]
fn npy() {
    run("npy", "t.npy");
}

#[test]
fn npz() {
    run("npz", "t.npz");
}

#[test]
fn mtx() {
    run("mtx", "t.mtx");
}

#[test]
fn parquet() {
    run("parquet", "t.parquet");
}

#[test]
fn arrow() {
    run("arrow", "t.arrow");
}

#[test]
fn packed() {
    run("packed", "t.csv.gz");
}

#[test]
fn xlsx() {
    run("xlsx", "t.xlsx");
}

#[test]
fn model() {
    run_with("model", arss_table::fuzzing::apply_model);
}
