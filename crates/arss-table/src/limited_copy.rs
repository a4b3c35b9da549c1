//! Copies of pipes and archives, as far as memory and disk allow.

use std::cell::Cell;
use std::io::{self, Read};
use std::path::Path;

use crate::TableError;
use crate::byte_source::unreadable;
use crate::untrusted::limit::MemoryLimit;

/// From this decompressed size on, the compression ratio is checked.
const SUSPECT: u64 = 1 << 30;
/// Tables compress by less than this; decompression bombs by a thousand.
const RATIO: u64 = 200;

/// Copies all bytes, unless they are too many for the memory, or for the disk of a folder; `packed` counts those of the
/// archive they come from.
pub fn copy_limited(
    mut reader: impl Read,
    out: &mut dyn io::Write,
    (limit, disk): (MemoryLimit, Option<(&Path, u64)>),
    (path, packed, advice): (&Path, Option<&Cell<u64>>, &str),
) -> Result<(), TableError> {
    const STEP: u64 = 4 << 20;
    let (mut so_far, mut step) = (0, Vec::new());
    loop {
        let found = reader.by_ref().take(STEP).read_to_end(&mut step).map_err(|error| unreadable(path, &error))?;
        so_far += found as u64;
        out.write_all(&step).map_err(|error| TableError::Run(error.to_string()))?;
        step.clear();
        if so_far > limit.bytes && !limit.disk {
            let most = crate::byte_size::shown(limit.bytes);
            let how = if packed.is_some() { " unpacked" } else { "" };
            let what = format!("holds more than {most}{how}, which is the limit; {advice}, or raise --memory");
            return Err(TableError::in_file(path, what));
        }
        if let Some((folder, most)) = disk.filter(|(_, most)| so_far > *most) {
            let (most, folder) = (crate::byte_size::shown(most), folder.display());
            let what = format!("holds more than {most}, which is all that {folder} has room for");
            return Err(TableError::in_file(
                path,
                format_args!("{what}; {advice}, or --scratch DIR names another place"),
            ));
        }
        // A disk is filled as easily as memory, and earlier where there is little of the latter.
        let suspect = if limit.disk { limit.bytes.clamp(16 * STEP, SUSPECT) } else { SUSPECT };
        let suspected = so_far > suspect && (!limit.asked || limit.disk);
        if packed.is_some_and(|packed| suspected && so_far / packed.get().max(1) > RATIO) {
            let what = format!("unpacks to more than {RATIO} times its size, which looks like a trap");
            let advice = if limit.disk { "unpack it to a file" } else { "unpack it to a file, or give --memory" };
            return Err(TableError::in_file(path, format_args!("{what}; {advice}")));
        }
        if found == 0 {
            return Ok(());
        }
    }
}
