//! The table within a zip archive.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zip::ZipArchive;

use crate::TableError;
use crate::byte_source::{ByteReader, ByteSource};
use crate::formats::Format;
use crate::read::ReadContext;
use crate::text::{cut, listed};

/// The first bytes of a zip archive.
pub const MAGIC: &[u8] = b"PK\x03\x04";

/// The one table in the archive and its name there; the archive itself if it is a format of its own, such as a workbook.
pub fn unpacked(
    store: ByteSource,
    path: &Path,
    context: &ReadContext<'_>,
) -> Result<(ByteSource, Option<PathBuf>), TableError> {
    let store = Arc::new(store);
    let reader = ByteReader { store: store.clone(), at: 0 };
    let broken =
        |error: &dyn std::fmt::Display| TableError::in_file(path, format_args!("is no whole archive: {error}"));
    let own = |store: Arc<ByteSource>| {
        let lost = || TableError::Run(format!("{}: is still being read", path.display()));
        Arc::into_inner(store).ok_or_else(lost).map(|store| (store, None))
    };
    // The formats that are archives say better what is wrong with one.
    let Ok(mut archive) = ZipArchive::new(reader) else { return own(store) };
    let names: Vec<String> = archive.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect();
    let is_format = |name: &String| name.ends_with(".npy") || name.eq_ignore_ascii_case("[Content_Types].xml");
    let told = context.options.format.or_else(|| Format::of_name(path)).is_some_and(|format| format.is_archive());
    if told || names.iter().any(is_format) {
        drop(archive);
        return own(store);
    }
    let files: Vec<&String> = names.iter().filter(|name| !is_aside(name)).collect();
    let tables: Vec<&String> =
        files.iter().copied().filter(|name| Format::of_name(Path::new(name)).is_some()).collect();
    let chosen = match (tables.as_slice(), files.as_slice()) {
        ([only], _) | ([], [only]) => only.as_str(),
        ([], []) => return Err(TableError::in_file(path, "is an empty archive")),
        ([], _) => return Err(TableError::in_file(path, format_args!("holds no table, but {}", listed(&files)))),
        (_, _) => {
            let what = format!("holds {} tables: {}; unpack it, and name those to read", tables.len(), listed(&tables));
            return Err(TableError::in_file(path, what));
        }
    };
    if chosen.to_ascii_lowercase().ends_with(".zip") {
        return Err(TableError::in_file(path, format_args!("holds another archive, {}; unpack it", cut(chosen))));
    }
    let entry = archive.by_name(chosen).map_err(|error| broken(&error))?;
    let packed = Cell::new(entry.compressed_size());
    Ok((ByteSource::kept(entry, path, context, Some(&packed))?, Some(PathBuf::from(chosen))))
}

/// Folders, and what programs put beside the files.
fn is_aside(name: &str) -> bool {
    let hidden = |part: &str| part.starts_with('.') || part == "__MACOSX";
    name.ends_with('/') || name.split('/').any(hidden)
}
