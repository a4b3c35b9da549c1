//! Which files make the table.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::TableError;
use crate::byte_source::STDIN;

/// The files that paths and patterns name; patterns that no shell has expanded are expanded here.
pub fn expand(words: &[PathBuf]) -> Result<Vec<PathBuf>, TableError> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for word in words {
        if word.exists() || !is_pattern(word) {
            paths.push(word.clone());
            continue;
        }
        let wrong = |what: String| TableError::in_file(word, what);
        let found = glob::glob(&word.to_string_lossy()).map_err(|error| wrong(format!("is no pattern: {error}")))?;
        // Sorted by name, as a shell does.
        let found: Vec<PathBuf> = found.filter_map(Result::ok).filter(|path| !path.is_dir()).collect();
        if found.is_empty() {
            return Err(wrong("matches no file".to_owned()));
        }
        paths.extend(found);
    }
    let mut known = HashSet::new();
    match paths.iter().find(|path| !known.insert(real(path).unwrap_or_else(|| path.to_path_buf()))) {
        Some(twice) => Err(TableError::in_file(twice, "was given twice")),
        None => Ok(paths),
    }
}

fn is_pattern(word: &Path) -> bool {
    word.to_string_lossy().contains(['*', '?', '['])
}

/// True if both names stand for one file.
pub fn is_same(a: &Path, b: &Path) -> bool {
    a == b || real(a).is_some_and(|a| real(b) == Some(a))
}

/// Where the file stands, if it does.
fn real(path: &Path) -> Option<PathBuf> {
    if path == Path::new(STDIN) { None } else { fs::canonicalize(path).ok() }
}
