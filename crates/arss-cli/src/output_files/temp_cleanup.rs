//! Temporary files that a killed run left behind: the next run that writes into the folder removes them.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use arss_table::private_files::{PREFIX, RANDOM, SUFFIX};

/// Younger ones may be of a run that has only just made them.
const YOUNG: Duration = Duration::from_secs(60);

/// Marks a temporary file as in use: the lock ends with the process, however it ends.
pub fn mark(file: &File) {
    // Some file systems have no locks: there, nothing is ever removed.
    let _ = file.try_lock();
}

/// Removes the files in `folder` that no living run is writing. What cannot be looked at is left alone.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(is_ours)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && is_stale(&entry.path())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// True for names that only this program gives.
fn is_ours(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(SUFFIX)).unwrap_or_default();
    random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_stale(path: &Path) -> bool {
    let age = fs::metadata(path).and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
    // Opened for writing: a lock needs it on some systems.
    age.is_some_and(|age| age > YOUNG)
        && File::options().write(true).open(path).is_ok_and(|file| file.try_lock().is_ok())
}
