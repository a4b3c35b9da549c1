//! Many small pictures in one: a map of thousands loads and scrolls as a single picture.

use std::path::Path;

use rayon::prelude::*;

use super::thumbnails::source;
use crate::Raster;
use crate::sheet::{paste, thumbnail};

/// Pixels on a side of a place: whole units of a JPEG file, so that neighbours do not run into each other.
pub const CELL: usize = 32;
const ACROSS: usize = 64;

/// Small versions of pictures, side by side.
pub struct Atlas {
    /// All of them as the source of an image.
    pub source: String,
    /// Width and height of each; none if it could not be read.
    sizes: Vec<Option<(usize, usize)>>,
}

impl Atlas {
    /// Reads these files; none if there is nothing to show.
    pub fn new(paths: &[&Path]) -> Option<Self> {
        let pictures: Vec<Option<Raster>> = paths.par_iter().map(|path| thumbnail(path, CELL)).collect();
        let (width, height) = (CELL * ACROSS.min(paths.len()), CELL * paths.len().div_ceil(ACROSS));
        let mut all = Raster { width, height, rgb: vec![255; 3 * width * height] };
        for (at, picture) in pictures.iter().enumerate() {
            picture.iter().for_each(|picture| paste(&mut all, picture, place(at)));
        }
        let sizes = pictures.iter().map(|picture| picture.as_ref().map(|own| (own.width, own.height))).collect();
        Some(Atlas { source: source(&all)?, sizes })
    }

    /// The style of an element that shows picture `at` of those that were asked for.
    pub fn style(&self, at: usize) -> Option<String> {
        let ((left, top), (width, height)) = (place(at), self.sizes[at]?);
        let whole = (width, height) == (CELL, CELL);
        let size = if whole { String::new() } else { format!(";width:{width}px;height:{height}px") };
        Some(format!("background-position:-{left}px -{top}px{size}"))
    }
}

fn place(at: usize) -> (usize, usize) {
    (at % ACROSS * CELL, at / ACROSS * CELL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_have_places_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wide.png");
        let wide = Raster { width: 64, height: 16, rgb: vec![90; 3 * 64 * 16] };
        crate::png(&mut std::fs::File::create(&path).unwrap(), &wide).unwrap();
        let gone = folder.path().join("gone.png");
        let atlas = Atlas::new(&[&path, &gone, &path]).unwrap();
        assert_eq!(atlas.style(2).unwrap(), "background-position:-64px -0px;width:32px;height:8px");
        assert!(atlas.style(1).is_none() && atlas.source.starts_with("data:image/jpeg;base64,"));
        assert!(Atlas::new(&[]).is_none());
    }
}
