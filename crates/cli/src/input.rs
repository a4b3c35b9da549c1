//! Reading the table of a run: watched, so that a file that changes meanwhile is not taken for a table.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::failure::Failure;
use crate::progress;

/// Runs `read` on the files `paths`; fails if one of them is another one afterwards.
pub fn watched<T>(paths: &[&Path], read: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    progress::phase("read");
    let before: Vec<Option<Seen>> = paths.iter().map(|path| Seen::of(path)).collect();
    let result = read();
    for (path, before) in paths.iter().zip(before).filter(|(_, before)| before.is_some()) {
        if Seen::of(path) != before {
            // Said even if reading failed: half a file is often a bad one.
            return Err(Failure::in_file(path, "changed while it was being read; run again when it is complete"));
        }
    }
    result
}

/// What tells a changed file from the same one.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Seen {
    /// `None` for what is not a file: a pipe has no end to compare.
    fn of(path: &Path) -> Option<Seen> {
        let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Seen { bytes: data.len(), modified: data.modified().ok() })
    }
}
