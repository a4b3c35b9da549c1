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

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use arss_table::DenseMatrix;
use rayon::prelude::*;

pub use decode::EXTENSIONS;
use duplicates::{CopyOf, Fingerprint};

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
    let read_one = |path: &PathBuf| {
        let result = one(path, known);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, paths.len());
        result
    };
    let results: Vec<Result<(Entry, bool), String>> = paths.par_iter().map(read_one).collect();
    let mut read = Pictures {
        places: Vec::new(),
        sizes: Vec::new(),
        numbers: Numbers {
            values: DenseMatrix { data: Vec::new(), rows: 0, columns: features::FEATURES, by_column: false },
            names: features::names(),
        },
        copies: Vec::new(),
        blank: Vec::new(),
    };
    let mut entries = Vec::with_capacity(results.len());
    for (place, (path, result)) in paths.iter().zip(results).enumerate() {
        match result {
            Ok((entry, is_new)) => {
                read.add(place, &entry);
                entries.push((entry, is_new));
            }
            Err(why) => unreadable.push(Unreadable { path: path.clone(), why }),
        }
    }
    let new: Vec<&Entry> = entries.iter().filter(|(_, is_new)| *is_new).map(|(entry, _)| entry).collect();
    known.add(&new);
    let white: Vec<f32> = entries.iter().map(|(entry, _)| entry.features.white).collect();
    read.blank.iter_mut().zip(features::washed_out(&white)).for_each(|(blank, washed)| *blank |= washed);
    read.find_copies(&entries, how.near);
    read
}

impl Pictures {
    fn add(&mut self, place: usize, entry: &Entry) {
        self.places.push(place);
        self.sizes.push((entry.width, entry.height));
        self.blank.push(entry.features.blank);
        self.numbers.values.data.extend_from_slice(&entry.features.values);
        self.numbers.values.rows += 1;
    }

    fn find_copies(&mut self, entries: &[(Entry, bool)], near: bool) {
        let fingerprint = |(entry, _): &'_ (Entry, bool)| (entry.content, entry.features.hash);
        let rows = self.numbers.values.data.chunks_exact(features::FEATURES);
        let all: Vec<Fingerprint<'_>> = entries
            .iter()
            .map(fingerprint)
            .zip(rows)
            .map(|((content, hash), values)| Fingerprint { content, hash, values })
            .collect();
        self.copies = duplicates::copies(&all, near);
    }
}

/// One picture, and whether it is new to the cache.
fn one(path: &Path, known: &Cache) -> Result<(Entry, bool), String> {
    let data = fs::metadata(path).map_err(|error| format!("cannot be read: {error}"))?;
    if !data.is_file() {
        return Err("is no file".to_owned());
    }
    if data.len() > MOST_BYTES {
        return Err("is larger than 2 GB".to_owned());
    }
    let stamp = cache::stamp_of(path, &data);
    if let Some(entry) = known.get(stamp) {
        return Ok((entry, false));
    }
    let bytes = fs::read(path).map_err(|error| format!("cannot be read: {error}"))?;
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
