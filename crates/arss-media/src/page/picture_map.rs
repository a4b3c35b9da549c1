//! The map as one picture: thousands of thumbnails load and scroll as a single image.

use std::path::Path;

use rayon::prelude::*;

use super::thumbnails::source;
use crate::Raster;
use crate::sheet::{paste, thumbnail};

/// Pixels of the map across, and of its height at least and at most.
const WIDTH: usize = 1166;
const HEIGHT: (usize, usize) = (480, 1600);
/// Pixels on a side of a thumbnail at most and at least; the more there are, the smaller they are.
const CELL: (usize, usize) = (56, 32);
/// Times that the thumbnails, side by side, fit into the map.
const ROOM: usize = 2;
/// The frame of a pick.
const FRAME: usize = 3;
const COLOUR: [u8; 3] = [26, 111, 181];
const PAPER: [u8; 3] = [236; 3];

/// A rectangle of the map: left, top, right, bottom.
pub type Place = [usize; 4];

/// The map.
pub struct PictureMap {
    /// The picture as the source of an image.
    pub source: String,
    /// Its width and height.
    pub size: (usize, usize),
    /// Where each picture is; none if it could not be read.
    pub places: Vec<Option<Place>>,
}

impl PictureMap {
    /// These pictures at `places` from 0 to 1 both ways, later ones on top; those from `first_framed` on get a frame. None if
    /// there is nothing to show.
    pub fn new(paths: &[&Path], places: &[(f64, f64)], first_framed: usize) -> Option<Self> {
        let (cell, height) = sizes(paths.len());
        let pictures: Vec<Option<Raster>> = paths.par_iter().map(|path| thumbnail(path, cell)).collect();
        let mut all = Raster { width: WIDTH, height, rgb: PAPER.repeat(WIDTH * height) };
        let room = |length: usize, own: usize| (length - own - 2 * FRAME) as f64;
        let mut found = Vec::with_capacity(paths.len());
        for (at, (picture, (x, y))) in pictures.iter().zip(places).enumerate() {
            found.push(picture.as_ref().map(|picture| {
                let left = FRAME + (x * room(WIDTH, picture.width)) as usize;
                let top = FRAME + (y * room(height, picture.height)) as usize;
                let place = [left, top, left + picture.width, top + picture.height];
                if at >= first_framed {
                    frame(&mut all, place);
                }
                paste(&mut all, picture, (left, top));
                place
            }));
        }
        (!paths.is_empty()).then_some(())?;
        Some(PictureMap { source: source(&all)?, size: (WIDTH, height), places: found })
    }
}

/// Pixels on a side of a thumbnail, and of the height of the map, for so many of them.
fn sizes(count: usize) -> (usize, usize) {
    let fits = |cell: &usize| count * cell * cell * ROOM <= WIDTH * HEIGHT.1;
    let cell = (CELL.1..=CELL.0).rev().step_by(8).find(fits).unwrap_or(CELL.1);
    (cell, (count * cell * cell * ROOM / WIDTH).clamp(HEIGHT.0, HEIGHT.1))
}

/// Fills the place of a picture and what is around it.
fn frame(all: &mut Raster, [left, top, right, bottom]: Place) {
    let (width, height) = (right - left + 2 * FRAME, bottom - top + 2 * FRAME);
    let filled = Raster { width, height, rgb: COLOUR.repeat(width * height) };
    paste(all, &filled, (left - FRAME, top - FRAME));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_where_they_belong() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wide.png");
        let wide = Raster { width: 64, height: 16, rgb: vec![90; 3 * 64 * 16] };
        crate::png(&mut std::fs::File::create(&path).unwrap(), &wide).unwrap();
        let gone = folder.path().join("gone.png");
        let map = PictureMap::new(&[&path, &gone, &path], &[(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)], 2).unwrap();
        let (width, height) = map.size;
        assert_eq!(map.places[0], Some([FRAME, FRAME, FRAME + 56, FRAME + 14]));
        assert_eq!(map.places[2], Some([width - FRAME - 56, height - FRAME - 14, width - FRAME, height - FRAME]));
        assert!(map.places[1].is_none() && map.source.starts_with("data:image/jpeg;base64,"));
        assert!(PictureMap::new(&[], &[], 0).is_none());
    }

    #[test]
    fn many_pictures_are_small_and_the_map_stays_bounded() {
        assert_eq!((sizes(10), sizes(150)), ((56, HEIGHT.0), (56, 806)));
        assert_eq!(sizes(5000), (CELL.1, HEIGHT.1));
    }
}
