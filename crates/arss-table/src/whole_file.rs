//! Files that are read whole, as far as memory allows.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::untrusted::limit::MemoryLimit;
use crate::{TableError, byte_size};

/// All bytes of a file. A device never ends: half of the memory that is free is the most that is read.
///
/// # Errors
/// If it cannot be read, or holds more.
pub fn read_whole(path: &Path) -> Result<Vec<u8>, TableError> {
    read_at_most(path, MemoryLimit::new(None, false).bytes)
}

/// The same, with a limit.
///
/// # Errors
/// If it cannot be read, or holds more than `most` bytes.
pub fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, TableError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes));
    match read {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(TableError::in_file(path, "there is no such file")),
        Err(error) => Err(TableError::in_file(path, format_args!("cannot be read: {error}"))),
        Ok(_) if bytes.len() as u64 > most => {
            let what = format!("holds more than {}, which is the limit", byte_size::shown(most));
            Err(TableError::in_file(path, what))
        }
        Ok(_) => Ok(bytes),
    }
}
