//! A contact sheet: the chosen pictures side by side, each with two numbers under it.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use rayon::prelude::*;

use crate::pictures::decode;
use crate::pictures::raster::Raster;

/// Pixels on a side of the largest picture, between pictures, and under each for its numbers.
const SIDE: usize = 160;
const GAP: usize = 16;
const FOOT: usize = 22;
/// Pixels on a side of a dot of a digit.
const DOT: usize = 2;
const PAPER: [u8; 3] = [250, 250, 248];
const INK: [u8; 3] = [40, 40, 46];
const MISSING: [u8; 3] = [214, 214, 210];

/// A picture on the sheet.
#[derive(Debug, Clone)]
pub struct Tile<'a> {
    /// The file.
    pub path: &'a Path,
    /// On the left, in digits, colons and points: its rank, or the number or the time of the frame.
    pub label: String,
    /// On the right: how many it stands for, if that is known.
    pub stands_for: Option<usize>,
}

/// The picture in a file with at most `side` pixels on its longer side; none if it cannot be read.
///
/// ```
/// assert!(arss_media::thumbnail(std::path::Path::new("nowhere.png"), 96).is_none());
/// ```
pub fn thumbnail(path: &Path, side: usize) -> Option<Raster> {
    let bytes = fs::read(path).ok()?;
    Some(decode::decode(&bytes, side).ok()?.raster.thumbnail(side))
}

/// The mean colours of `side` x `side` parts of the picture in a file, 0 to 1; none if it cannot be read.
///
/// ```
/// assert!(arss_media::pixels(std::path::Path::new("nowhere.png"), 224).is_none());
/// ```
pub fn pixels(path: &Path, side: usize) -> Option<Vec<f32>> {
    let bytes = fs::read(path).ok()?;
    Some(decode::decode(&bytes, side).ok()?.raster.resized(side, side))
}

/// Writes a sheet of so many columns as PNG.
///
/// # Errors
/// If it cannot be written.
pub fn write(out: &mut dyn Write, tiles: &[Tile<'_>], columns: usize) -> io::Result<()> {
    let columns = columns.clamp(1, tiles.len().max(1));
    let rows = tiles.len().div_ceil(columns);
    let (width, height) = (columns * (SIDE + GAP) + GAP, rows * (SIDE + FOOT + GAP) + GAP);
    let mut sheet = Raster { width, height, rgb: PAPER.repeat(width * height) };
    let missing = || Raster { width: SIDE, height: SIDE, rgb: MISSING.repeat(SIDE * SIDE) };
    let pictures: Vec<Raster> = tiles
        .par_iter()
        .map(|tile| thumbnail(tile.path, SIDE).map_or_else(missing, |picture| enlarged(&picture)))
        .collect();
    for (at, (tile, picture)) in tiles.iter().zip(&pictures).enumerate() {
        let (left, top) = (GAP + at % columns * (SIDE + GAP), GAP + at / columns * (SIDE + FOOT + GAP));
        paste(&mut sheet, picture, (left + (SIDE - picture.width) / 2, top + (SIDE - picture.height) / 2));
        let foot = top + SIDE + 6;
        text(&mut sheet, &tile.label, (left, foot));
        if let Some(count) = tile.stands_for {
            let count = format!("x{count}");
            text(&mut sheet, &count, (left + SIDE - (4 * count.len() - 1) * DOT, foot));
        }
    }
    png(out, &sheet)
}

/// Writes a picture as PNG.
///
/// # Errors
/// If it cannot be written.
pub fn png(out: &mut dyn Write, picture: &Raster) -> io::Result<()> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in picture.rgb.chunks_exact(3 * picture.width.max(1)) {
        // Each row as differences from the pixel to the left.
        packed.write_all(&[1])?;
        let before = [0; 3].iter().chain(row);
        let differences: Vec<u8> = row.iter().zip(before).map(|(own, left)| own.wrapping_sub(*left)).collect();
        packed.write_all(&differences)?;
    }
    let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
    // Eight bits of red, green and blue, without anything special.
    let head = [&size(picture.width)[..], &size(picture.height), &[8, 2, 0, 0, 0]].concat();
    out.write_all(b"\x89PNG\r\n\x1a\n")?;
    for (kind, content) in [(b"IHDR", head), (b"IDAT", packed.finish()?), (b"IEND", Vec::new())] {
        let mut sum = Crc::new();
        sum.update(kind);
        sum.update(&content);
        out.write_all(&size(content.len()))?;
        out.write_all(kind)?;
        out.write_all(&content)?;
        out.write_all(&sum.sum().to_be_bytes())?;
    }
    Ok(())
}

/// A small picture as many times as large as fits, each pixel a square.
fn enlarged(picture: &Raster) -> Raster {
    let times = (SIDE / picture.width.max(picture.height)).max(1);
    let (width, height) = (picture.width * times, picture.height * times);
    let pixel = |at: usize| {
        let from = at / width / times * picture.width + at % width / times;
        [picture.rgb[3 * from], picture.rgb[3 * from + 1], picture.rgb[3 * from + 2]]
    };
    Raster { width, height, rgb: (0..width * height).flat_map(pixel).collect() }
}

/// Puts a picture onto another one; it must fit.
pub fn paste(sheet: &mut Raster, picture: &Raster, (left, top): (usize, usize)) {
    for (row, pixels) in picture.rgb.chunks_exact(3 * picture.width).enumerate() {
        let start = 3 * ((top + row) * sheet.width + left);
        sheet.rgb[start..start + pixels.len()].copy_from_slice(pixels);
    }
}

/// Draws digits, colons, points, and the sign x.
fn text(sheet: &mut Raster, text: &str, (left, top): (usize, usize)) {
    for (at, letter) in text.chars().enumerate() {
        let dots = dots(letter);
        for dot in (0..15).filter(|dot| dots >> (14 - dot) & 1 == 1) {
            for pixel in 0..DOT * DOT {
                let x = left + (4 * at + dot % 3) * DOT + pixel % DOT;
                let y = top + dot / 3 * DOT + pixel / DOT;
                let start = 3 * (y * sheet.width + x);
                sheet.rgb[start..start + 3].copy_from_slice(&INK);
            }
        }
    }
}

/// Three by five dots, row by row.
fn dots(letter: char) -> u16 {
    match letter {
        '0' => 0b111_101_101_101_111,
        '1' => 0b010_110_010_010_111,
        '2' => 0b111_001_111_100_111,
        '3' => 0b111_001_111_001_111,
        '4' => 0b101_101_111_001_001,
        '5' => 0b111_100_111_001_111,
        '6' => 0b111_100_111_101_111,
        '7' => 0b111_001_010_010_010,
        '8' => 0b111_101_111_101_111,
        '9' => 0b111_101_111_001_111,
        'x' => 0b000_101_010_101_000,
        ':' => 0b000_010_000_010_000,
        '.' => 0b000_000_000_000_010,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_has_a_place_for_each_picture() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("red.png");
        let red = Raster { width: 4, height: 2, rgb: [255, 0, 0].repeat(8) };
        png(&mut fs::File::create(&path).unwrap(), &red).unwrap();
        let tile = |path, number: usize| Tile { path, label: number.to_string(), stands_for: Some(1234) };
        let gone = folder.path().join("gone.png");
        let mut bytes = Vec::new();
        write(&mut bytes, &[tile(&path, 1), tile(&gone, 2), tile(&path, 30)], 2).unwrap();
        let sheet = decode::decode(&bytes, 1).unwrap().raster;
        assert_eq!((sheet.width, sheet.height), (2 * 176 + 16, 2 * 198 + 16));
        let at = |x: usize, y: usize| sheet.rgb[3 * (y * sheet.width + x)..][..3].to_vec();
        assert_eq!((at(90, 90), at(270, 90), at(90, 20)), (vec![255, 0, 0], MISSING.to_vec(), PAPER.to_vec()));
    }
}
