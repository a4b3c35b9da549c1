//! Pictures as part of a page: small JPEG files in its text.

use std::collections::HashMap;
use std::path::Path;

use jpeg_encoder::{ColorType, Encoder};
use rayon::prelude::*;

use crate::sheet::thumbnail;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const QUALITY: u8 = 80;

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

fn source(picture: &crate::Raster) -> Option<String> {
    let mut bytes = Vec::new();
    let (width, height) = (u16::try_from(picture.width).ok()?, u16::try_from(picture.height).ok()?);
    Encoder::new(&mut bytes, QUALITY).encode(&picture.rgb, width, height, ColorType::Rgb).ok()?;
    Some(format!("data:image/jpeg;base64,{}", base64(&bytes)))
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three.iter().enumerate().fold(0u32, |word, (at, &byte)| word | u32::from(byte) << (16 - 8 * at));
        for at in 0..4 {
            let is_there = at <= three.len();
            text.push(if is_there { char::from(LETTERS[(word >> (18 - 6 * at)) as usize & 63]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_standard() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        pairs.iter().for_each(|(bytes, text)| assert_eq!(base64(bytes.as_bytes()), *text));
    }
}
