//! Archives of arrays saved by numpy.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use zip::ZipArchive;

use crate::TableError;
use crate::byte_source::{ByteReader, ByteSource, MemoryLimit};

/// The one array of the archive, or the one called `name`.
pub fn open(
    store: ByteSource,
    (path, scratch): (&Path, Option<&Path>),
    name: Option<&str>,
    limit: MemoryLimit,
) -> Result<ByteSource, TableError> {
    let broken =
        |error: &dyn std::fmt::Display| TableError::in_file(path, format_args!("is no whole npz archive: {error}"));
    let reader = ByteReader { store: Arc::new(store), at: 0 };
    let mut archive = ZipArchive::new(reader).map_err(|error| broken(&error))?;
    let arrays = archive.file_names().filter_map(|name| Some(name.ok()?.strip_suffix(".npy")?.to_owned()));
    let names: Vec<String> = arrays.collect();
    let chosen = match (name, names.as_slice()) {
        (Some(name), _) if names.iter().any(|known| known == name) => name,
        (None, [only]) => only,
        (_, []) => return Err(TableError::in_file(path, "holds no array")),
        (Some(name), _) => {
            let what = format!("has no array {name}; it holds {}", crate::listed(&names));
            return Err(TableError::in_file(path, what));
        }
        (None, _) => {
            let what = format!("holds {} arrays: {}; choose one with --array NAME", names.len(), crate::listed(&names));
            return Err(TableError::in_file(path, what));
        }
    };
    let entry = archive.by_name(&format!("{chosen}.npy")).map_err(|error| broken(&error))?;
    let packed = Cell::new(entry.compressed_size());
    ByteSource::kept(entry, limit, (path, scratch), Some(&packed))
}
