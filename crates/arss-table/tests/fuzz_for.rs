//! Every fuzz target on stable Rust, for as long as asked: damaged seeds, and whatever behaved in a new way as seeds, too.
//!
//! ```sh
//! ARSS_FUZZ_SECONDS=120 ARSS_FUZZ_KEEP=found cargo test -p arss-table --test fuzz_for -- --ignored --nocapture
//! ```
//!
//! Each of the twelve targets runs for so many seconds. There is no instrumentation without nightly Rust, so what an input
//! did is told by its outcome in words, numbers left out: an outcome that was not seen before makes the input a seed.
//! Inputs that panicked or took more than [`SLOW`] are kept in `found`, new seeds in `found/corpus`. `ARSS_FUZZ_SEED` is the
//! seed of the dice, `ARSS_FUZZ_ONLY` the name of the only target.

use std::collections::HashSet;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arss_table::fuzzing::{outcome_of_checkpoint, outcome_of_file, outcome_of_message, outcome_of_model};

mod damage;

use damage::{Dice, damage};

/// An input that takes longer, three times in turn, is slow.
const SLOW: Duration = Duration::from_secs(2);
/// Bytes of the longest input.
const LONGEST: usize = 16 << 10;

type Target = (&'static str, fn(&[u8]) -> String);

const TARGETS: [Target; 12] = [
    ("csv", |bytes| outcome_of_file("t.csv", bytes)),
    ("jsonl", |bytes| outcome_of_file("t.jsonl", bytes)),
    ("npy", |bytes| outcome_of_file("t.npy", bytes)),
    ("npz", |bytes| outcome_of_file("t.npz", bytes)),
    ("mtx", |bytes| outcome_of_file("t.mtx", bytes)),
    ("parquet", |bytes| outcome_of_file("t.parquet", bytes)),
    ("arrow", |bytes| outcome_of_file("t.arrow", bytes)),
    ("packed", |bytes| outcome_of_file("t.csv.gz", bytes)),
    ("xlsx", |bytes| outcome_of_file("t.xlsx", bytes)),
    ("model", outcome_of_model),
    ("messages", outcome_of_message),
    ("checkpoint", outcome_of_checkpoint),
];

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

/// The ends of the lines of an outcome, without numbers: names of columns and cells differ from input to input.
fn kind(outcome: &str) -> String {
    let end = |line: &str| -> String { line.chars().rev().filter(char::is_ascii_alphabetic).take(24).collect() };
    outcome.lines().map(end).collect::<Vec<_>>().join(" ")
}

/// What is left of an input: its file.
fn keep(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn fuzz((target, read): Target, found: &Path) -> [usize; 4] {
    let until = Instant::now() + Duration::from_secs(setting("ARSS_FUZZ_SECONDS", 10));
    let mut dice = Dice(setting("ARSS_FUZZ_SEED", 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut seeds = damage::seeds(target);
    let mut kinds: HashSet<String> = seeds.iter().map(|seed| kind(&read(seed))).collect();
    let [mut inputs, mut crashes, mut slow, mut fresh] = [0; 4];
    while Instant::now() < until {
        let mut bytes = seeds[dice.below(seeds.len())].clone();
        let other = seeds[dice.below(seeds.len())].clone();
        damage(&mut dice, &mut bytes, &other);
        bytes.truncate(LONGEST);
        inputs += 1;
        // What ends the process, as an allocation beyond all memory does, is there afterwards.
        keep(found, &format!("{target}-last"), &bytes);
        let started = Instant::now();
        let Ok(outcome) = catch_unwind(|| read(&bytes)) else {
            let path = keep(found, &format!("{target}-crash-{inputs}"), &bytes);
            println!("{target}: a crash, kept in {}", path.display());
            crashes += 1;
            continue;
        };
        let again = || {
            let started = Instant::now();
            read(&bytes);
            started.elapsed() > SLOW
        };
        // A busy machine is slow, too, but not each time.
        if started.elapsed() > SLOW && again() && again() {
            println!("{target}: slow, kept in {}", keep(found, &format!("{target}-slow-{inputs}"), &bytes).display());
            slow += 1;
        } else if kinds.insert(kind(&outcome)) {
            keep(&found.join("corpus").join(target), &format!("{inputs:07}"), &bytes);
            seeds.push(bytes);
            fresh += 1;
        }
    }
    let _ = std::fs::remove_file(found.join(format!("{target}-last")));
    [inputs, crashes, slow, fresh]
}

#[test]
#[ignore = "runs for as long as asked"]
fn every_target() {
    let only = std::env::var("ARSS_FUZZ_ONLY").ok();
    let found = std::env::var_os("ARSS_FUZZ_KEEP").map_or_else(std::env::temp_dir, PathBuf::from);
    let mut bad = 0;
    println!("| target | inputs | crashes | slow units | new in the corpus |\n|---|--:|--:|--:|--:|");
    for target in TARGETS.into_iter().filter(|target| only.as_ref().is_none_or(|only| only == target.0)) {
        let [inputs, crashes, slow, fresh] = fuzz(target, &found);
        println!("| {} | {inputs} | {crashes} | {slow} | {fresh} |", target.0);
        bad += crashes + slow;
    }
    assert_eq!(bad, 0, "inputs that crashed or were slow are in {}", found.display());
}
