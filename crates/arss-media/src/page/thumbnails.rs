//! Pictures as part of a page: small JPEG files in its text.

use std::collections::HashMap;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rayon::prelude::*;

use crate::pictures::jpeg_write::jpeg;
use crate::sheet::thumbnail;

const QUALITY: u16 = 80;

/// The thumbnails of rows, by row and size.
pub struct Thumbnails {
    sources: HashMap<(usize, usize), String>,
}

/// A row, the longer side of its thumbnail, and its file.
pub type Wanted<'a> = (usize, usize, &'a Path);

impl Thumbnails {
    /// Reads what is wanted.
    pub fn new(mut wanted: Vec<Wanted<'_>>) -> Self {
        wanted.sort_unstable();
        wanted.dedup();
        // Each file is read once, for its largest thumbnail; the others are made of that.
        let by_row: Vec<&[Wanted<'_>]> = wanted.chunk_by(|a, b| a.0 == b.0).collect();
        let made = by_row.par_iter().flat_map_iter(|sizes| {
            let (_, largest, path) = sizes[sizes.len() - 1];
            let picture = thumbnail(path, largest);
            let of_size = move |&(row, side, _): &Wanted<'_>| {
                let small = picture.as_ref()?.thumbnail(side);
                Some(((row, side), source(&small)?))
            };
            sizes.iter().filter_map(of_size)
        });
        Thumbnails { sources: made.collect() }
    }

    /// The picture as the source of an image.
    pub fn source(&self, row: usize, side: usize) -> Option<&str> {
        self.sources.get(&(row, side)).map(String::as_str)
    }

    /// The picture as an image of a page; `name` is escaped already.
    pub fn image(&self, row: usize, side: usize, name: &str) -> String {
        let source = self.source(row, side);
        source.map_or_else(String::new, |source| format!("<img loading=lazy alt=\"{name}\" src='{source}'>"))
    }
}

/// A picture as the source of an image.
pub fn source(picture: &crate::Raster) -> Option<String> {
    Some(format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg(picture, QUALITY, 0)?)))
}
