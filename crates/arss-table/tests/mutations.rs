//! Damaged copies of the fuzz seeds through every reader and writer, in this process: no panic, no endless loop.
//!
//! The fuzzer of fuzz/ finds more, but needs nightly Rust; this runs everywhere, and the same each time.
//! `ARSS_MUTANTS=100000 cargo test --test mutations` makes more of them.

use std::path::Path;

mod damage;

use damage::{Dice, damage};

/// Copies of each format.
const MUTANTS: usize = 1500;

fn run(target: &str, name: &str) {
    run_with(target, |bytes| arss_table::fuzzing::read_and_write(name, bytes));
}

fn run_with(target: &str, read: impl Fn(&[u8]) + std::panic::RefUnwindSafe) {
    let seeds = damage::seeds(target);
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

#[test]
fn messages() {
    run_with("messages", |bytes| drop(arss_table::fuzzing::outcome_of_message(bytes)));
}

#[test]
fn checkpoint() {
    run_with("checkpoint", |bytes| drop(arss_table::fuzzing::outcome_of_checkpoint(bytes)));
}
