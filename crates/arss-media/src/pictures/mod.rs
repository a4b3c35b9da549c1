//! Pictures: from files to numbers, with copies and blank pictures found on the way.

pub mod decode;
#[expect(clippy::indexing_slicing, reason = "pictures are numbered by their list, and ranges lie within the features")]
pub mod duplicates;
mod exif;
#[expect(clippy::indexing_slicing, reason = "places are computed from the fixed size of the small picture")]
pub mod features;
mod jpeg_bits;
mod jpeg_preview;
#[expect(clippy::indexing_slicing, reason = "places lie within squares of 64 numbers, and words within tables of 256")]
pub mod jpeg_write;
#[expect(
    clippy::indexing_slicing,
    reason = "a pixel lies within the rows that the size of the picture says, of three bytes each"
)]
pub mod raster;
mod tiff;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, io};

use arss_table::{DenseMatrix, private_files};
use rayon::prelude::*;

pub use decode::EXTENSIONS;
use duplicates::{CopyOf, Fingerprint};
use features::FEATURES;

use crate::cache::{self, Cache, Entry};
use crate::described::Numbers;
use crate::files::Unreadable;
use crate::progress::Progress;

/// Larger files are no pictures that anybody looks at.
const MOST_BYTES: u64 = 2 << 30;

/// The pictures that could be read.
#[derive(Debug)]
pub struct Pictures {
    /// The places among the files that were asked for.
    pub places: Vec<usize>,
    /// Pixels in a row, and rows.
    pub sizes: Vec<(u32, u32)>,
    /// What they are compared by.
    pub numbers: Numbers,
    /// Of which each is a copy.
    pub copies: Vec<Option<CopyOf>>,
    /// Those that show nothing or are washed out.
    pub blank: Vec<bool>,
}

/// How pictures are read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// What was computed before; none to compute all.
    pub cache: Option<&'a Cache>,
    /// Look for pictures that are nearly the same, not only for the same bytes.
    pub near: bool,
}

/// Reads pictures in parallel; those that cannot be read are added to `unreadable`.
pub fn read(paths: &[PathBuf], how: Reading<'_>, unreadable: &mut Vec<Unreadable>, progress: Progress<'_>) -> Pictures {
    let done = AtomicUsize::new(0);
    let empty = Cache::default();
    let known = how.cache.unwrap_or(&empty);
    let folders = cache::real_folders(paths);
    let read_one = |(path, row): (&PathBuf, &mut [f32])| {
        let folder = folders.get(private_files::folder_of(path)).and_then(Option::as_deref);
        let result = one(path, folder, known).map(|(mut entry, is_new)| {
            // The numbers are in memory once.
            row.iter_mut().zip(std::mem::take(&mut entry.features.values)).for_each(|(place, value)| *place = value);
            (entry, is_new)
        });
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, paths.len());
        result
    };
    let mut data = vec![0.0; paths.len() * FEATURES];
    let results: Vec<Result<(Entry, bool), String>> =
        paths.par_iter().zip(data.par_chunks_exact_mut(FEATURES)).map(read_one).collect();
    let (mut places, mut entries) = (Vec::with_capacity(paths.len()), Vec::with_capacity(paths.len()));
    for (place, (path, result)) in paths.iter().zip(results).enumerate() {
        match result {
            Ok(entry) => {
                data.copy_within(place * FEATURES..(place + 1) * FEATURES, places.len() * FEATURES);
                places.push(place);
                entries.push(entry);
            }
            Err(why) => unreadable.push(Unreadable { path: path.clone(), why }),
        }
    }
    data.truncate(places.len() * FEATURES);
    let rows = || data.chunks_exact(FEATURES);
    let new: Vec<(&Entry, &[f32])> =
        entries.iter().zip(rows()).filter(|((_, is_new), _)| *is_new).map(|((entry, _), row)| (entry, row)).collect();
    known.add(&new);
    let all: Vec<Fingerprint<'_>> =
        entries.iter().zip(rows()).map(|((entry, _), row)| entry.fingerprint(row)).collect();
    let copies = duplicates::copies(&all, how.near);
    let white: Vec<f32> = entries.iter().map(|(entry, _)| entry.features.white).collect();
    let shown = entries.iter().zip(features::washed_out(&white));
    let values = DenseMatrix { data, rows: places.len(), columns: FEATURES, by_column: false };
    Pictures {
        places,
        sizes: entries.iter().map(|(entry, _)| (entry.width, entry.height)).collect(),
        numbers: Numbers { values, names: features::names() },
        copies,
        blank: shown.map(|((entry, _), washed)| entry.features.blank || washed).collect(),
    }
}

impl Entry {
    fn fingerprint<'a>(&self, values: &'a [f32]) -> Fingerprint<'a> {
        Fingerprint { content: self.content, hash: self.features.hash, values }
    }
}

/// One picture, and whether it is new to the cache.
fn one(path: &Path, folder: Option<&Path>, known: &Cache) -> Result<(Entry, bool), String> {
    let failed = |error: io::Error| format!("cannot be read: {error}");
    let mut data = fs::symlink_metadata(path).map_err(failed)?;
    let place = if data.is_symlink() {
        data = fs::metadata(path).map_err(failed)?;
        fs::canonicalize(path).ok()
    } else {
        folder.zip(path.file_name()).map(|(folder, name)| folder.join(name))
    };
    if !data.is_file() {
        return Err("is no file".to_owned());
    }
    if data.len() > MOST_BYTES {
        return Err("is larger than 2 GB".to_owned());
    }
    let stamp = cache::stamp_of(place.as_deref(), &data);
    if let Some(entry) = known.get(stamp) {
        return Ok((entry, false));
    }
    let bytes = fs::read(path).map_err(failed)?;
    let content = cache::content_of(&bytes);
    if let Some(entry) = known.get(content) {
        // A file that was moved: the next run finds it by its new place.
        return Ok((Entry { stamp, ..entry }, stamp != 0));
    }
    let decoded = decode::decode(&bytes, features::SIDE)?;
    let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let features = features::features(&decoded.raster);
    Ok((Entry { content, stamp, width: size(decoded.width), height: size(decoded.height), features }, true))
}
