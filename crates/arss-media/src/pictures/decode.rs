//! From the bytes of a file to a picture.

use std::fmt::Display;
use std::io::Cursor;
use std::num::NonZeroU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arss_table::guarded;
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;

use super::exif::Turn;
use super::raster::Raster;
use super::{jpeg_preview, tiff};

/// The endings of files that are taken for pictures.
pub const EXTENSIONS: [&str; 10] = ["png", "jpg", "jpeg", "jpe", "webp", "tif", "tiff", "bmp", "gif", "jfif"];
/// Larger pictures are not decoded: a small file can claim to be one.
pub const MOST_PIXELS: usize = 200_000_000;
/// Pictures with more pixels are decoded one after the other, so that memory does not grow with the threads.
const LARGE: usize = 20_000_000;
/// Most memory that a decoder may ask for.
const MOST_BYTES: usize = 1 << 30;

/// Held while a large picture is decoded.
static ALONE: Mutex<()> = Mutex::new(());

/// A picture, possibly smaller than it is in its file, the right way up.
#[derive(Debug)]
pub struct Decoded {
    /// Pixels of the picture in a row, as it is shown.
    pub width: usize,
    /// Rows of the picture, as it is shown.
    pub height: usize,
    /// The picture.
    pub raster: Raster,
}

/// Decodes a picture whose shorter side is needed with `side` pixels only.
///
/// The kind of picture is told by its first bytes, not by its name. Of an animation the first picture is taken.
/// Transparent pixels are on white.
///
/// # Errors
/// One line, if the bytes are no picture, are damaged, or claim to be one of more than 200 million pixels.
pub fn decode(bytes: &[u8], side: usize) -> Result<Decoded, String> {
    if bytes.is_empty() {
        return Err("is empty".to_owned());
    }
    let decode = || match jpeg_preview::preview(bytes, side.saturating_mul(8)) {
        Some(preview) => {
            let turn = Turn::of_exif(preview.exif.as_deref());
            Ok(upright((preview.width, preview.height), preview.raster, turn))
        }
        None => decode_whole(bytes),
    };
    // Decoders have bugs, and the next picture may be fine.
    guarded(decode).unwrap_or_else(|panic| Err(format!("cannot be decoded: {panic}")))
}

/// The picture in the bytes of a file, as large as it is.
///
/// # Errors
/// If they are no picture, a damaged one, or one that is too large.
pub fn picture(bytes: &[u8]) -> Result<Raster, String> {
    Ok(decode(bytes, usize::MAX)?.raster)
}

fn decode_whole(bytes: &[u8]) -> Result<Decoded, String> {
    let (raster, turn) = match bytes {
        [0xFF, 0xD8, ..] => jpeg(bytes)?,
        [0x89, b'P', b'N', b'G', ..] => png(bytes)?,
        [b'G', b'I', b'F', b'8', ..] => gif(bytes)?,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp(bytes)?,
        [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => {
            let (width, height) = tiff::size(bytes)?;
            let _alone = check_size(width, height)?;
            tiff::decode(bytes)?
        }
        [b'B', b'M', ..] => bmp(bytes)?,
        _ => return Err("is no picture of a known format".to_owned()),
    };
    if raster.rgb.is_empty() || raster.rgb.len() != 3 * raster.width * raster.height {
        return Err("holds no pixels".to_owned());
    }
    Ok(upright((raster.width, raster.height), raster, turn))
}

/// Fails if the picture is too large; waits until no other large one is decoded.
fn check_size(width: usize, height: usize) -> Result<Option<MutexGuard<'static, ()>>, String> {
    match width.checked_mul(height) {
        Some(pixels) if pixels <= LARGE => Ok(None),
        Some(pixels) if pixels <= MOST_PIXELS => Ok(Some(ALONE.lock().unwrap_or_else(PoisonError::into_inner))),
        _ => {
            let most = MOST_PIXELS / 1_000_000;
            Err(format!("is {width} x {height} pixels, more than the {most} million that are read"))
        }
    }
}

fn wrong(error: impl Display) -> String {
    let text = error.to_string();
    format!("cannot be decoded: {}", text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Sizes are checked here, once they are known.
fn options() -> DecoderOptions {
    DecoderOptions::default().set_max_width(1 << 24).set_max_height(1 << 24)
}

fn jpeg(bytes: &[u8]) -> Result<(Raster, Turn), String> {
    let options = options().jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(wrong)?;
    let info = decoder.info().ok_or("holds no pixels")?;
    let (width, height) = (usize::from(info.width), usize::from(info.height));
    let _alone = check_size(width, height)?;
    let turn = Turn::of_exif(decoder.exif().map(Vec::as_slice));
    let rgb = decoder.decode().map_err(wrong)?;
    Ok((Raster { width, height, rgb }, turn))
}

fn png(bytes: &[u8]) -> Result<(Raster, Turn), String> {
    let options = options().png_set_strip_to_8bit(true).png_set_decode_animated(false);
    let mut decoder = zune_png::PngDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|error| wrong(format!("{error:?}")))?;
    let (width, height) = decoder.dimensions().ok_or("holds no pixels")?;
    let _alone = check_size(width, height)?;
    let turn = Turn::of_exif(decoder.info().and_then(|info| info.exif.as_deref()));
    let samples = decoder.decode_raw().map_err(|error| wrong(format!("{error:?}")))?;
    let count = samples.len() / (width * height).max(1);
    Ok((Raster { width, height, rgb: colours_of(samples, count) }, turn))
}

fn bmp(bytes: &[u8]) -> Result<(Raster, Turn), String> {
    // Bits of a pixel; the decoder gets those of one bit wrong.
    let place = if bytes.get(14) == Some(&12) { 24 } else { 28 };
    if !matches!(bytes.get(place), Some(8 | 24 | 32)) {
        return Err("is a BMP file of a rare kind".to_owned());
    }
    let mut decoder = zune_bmp::BmpDecoder::new_with_options(ZCursor::new(bytes), options());
    decoder.decode_headers().map_err(|error| wrong(format!("{error:?}")))?;
    let (width, height) = decoder.dimensions().ok_or("holds no pixels")?;
    let _alone = check_size(width, height)?;
    let samples = decoder.decode().map_err(|error| wrong(format!("{error:?}")))?;
    let count = samples.len() / (width * height).max(1);
    Ok((Raster { width, height, rgb: colours_of(samples, count) }, Turn::default()))
}

fn webp(bytes: &[u8]) -> Result<(Raster, Turn), String> {
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(bytes)).map_err(wrong)?;
    decoder.set_memory_limit(MOST_BYTES);
    let (width, height) = decoder.dimensions();
    let (width, height) = (width as usize, height as usize);
    let _alone = check_size(width, height)?;
    let turn = Turn::of_exif(decoder.exif_metadata().ok().flatten().as_deref());
    let count = if decoder.has_alpha() { 4 } else { 3 };
    let mut samples = vec![0; width * height * count];
    decoder.read_image(&mut samples).map_err(wrong)?;
    Ok((Raster { width, height, rgb: colours_of(samples, count) }, turn))
}

/// The first picture of an animation, where it stands on the canvas.
fn gif(bytes: &[u8]) -> Result<(Raster, Turn), String> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    options.set_memory_limit(gif::MemoryLimit::Bytes(NonZeroU64::MIN.saturating_add(MOST_BYTES as u64)));
    let mut decoder = options.read_info(Cursor::new(bytes)).map_err(wrong)?;
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let _alone = check_size(width, height)?;
    let frame = decoder.read_next_frame().map_err(wrong)?.ok_or("holds no pixels")?;
    let (left, top) = (usize::from(frame.left), usize::from(frame.top));
    let own_width = usize::from(frame.width);
    let mut rgb = vec![255; 3 * width * height];
    let pixels = on_white(&frame.buffer, 4);
    for (at, pixel) in pixels.chunks_exact(3).enumerate() {
        let (x, y) = (left + at % own_width.max(1), top + at / own_width.max(1));
        if x < width && y < height {
            let start = 3 * (y * width + x);
            rgb.get_mut(start..start + 3).into_iter().for_each(|place| place.copy_from_slice(pixel));
        }
    }
    Ok((Raster { width, height, rgb }, Turn::default()))
}

/// A colour of which `seen` of 255 parts are seen, on white.
pub fn over_white(colour: u8, seen: u8) -> u8 {
    let (colour, seen) = (u32::from(colour), u32::from(seen));
    ((colour * seen + 255 * (255 - seen) + 127) / 255) as u8
}

/// Red, green and blue of pixels that have `count` samples each: most pictures hold nothing else.
fn colours_of(samples: Vec<u8>, count: usize) -> Vec<u8> {
    if count == 3 { samples } else { on_white(&samples, count) }
}

/// Red, green and blue of pixels that have `count` samples each, transparent ones on white.
fn on_white(samples: &[u8], count: usize) -> Vec<u8> {
    let pixel = |own: &[u8]| match *own {
        [grey] => [grey; 3],
        [grey, alpha] => [over_white(grey, alpha); 3],
        [red, green, blue] => [red, green, blue],
        [red, green, blue, alpha] => [red, green, blue].map(|colour| over_white(colour, alpha)),
        _ => [255; 3],
    };
    if count == 0 { Vec::new() } else { samples.chunks_exact(count).flat_map(pixel).collect() }
}

/// The picture as it is to be shown.
fn upright((width, height): (usize, usize), raster: Raster, turn: Turn) -> Decoded {
    if turn.is_none() {
        return Decoded { width, height, raster };
    }
    let swap = |(a, b): (usize, usize)| if turn.swaps() { (b, a) } else { (a, b) };
    let size = swap((raster.width, raster.height));
    let pixel = |at: usize| {
        let (x, y) = turn.source((at % size.0, at / size.0), size);
        let start = 3 * (y * raster.width + x);
        raster.rgb.get(start..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([255; 3])
    };
    let rgb = (0..size.0 * size.1).flat_map(pixel).collect();
    let (width, height) = swap((width, height));
    Decoded { width, height, raster: Raster { width: size.0, height: size.1, rgb } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(width: usize, height: usize) -> Raster {
        let value = |at: usize, colour: usize| {
            let (x, y) = ((at % width) as f64, (at / width) as f64);
            let (across, down) = [(1.0, 3.0), (2.0, 1.0), (3.0, 5.0)][colour];
            (127.0 + 120.0 * (0.01 * (across * x + down * y) + 0.3).sin()) as u8
        };
        Raster { width, height, rgb: (0..3 * width * height).map(|at| value(at / 3, at % 3)).collect() }
    }

    /// The means in the file are the means of the pixels.
    fn check_preview(bytes: &[u8], most: f64) {
        let whole = decode_whole(bytes).unwrap().raster;
        let preview = jpeg_preview::preview(bytes, 0).expect("a common photograph");
        let across = (whole.width + 4) / 8;
        assert_eq!((preview.width, preview.height, preview.raster.width), (whole.width, whole.height, across));
        // Whole squares only: those at the edges hold pixels that nobody sees.
        for square in (0..(whole.width / 8) * (whole.height / 8)).step_by(7) {
            let (x, y) = (square % (whole.width / 8), square / (whole.width / 8));
            let part = |pixel: usize, colour: usize| {
                let (x, y) = (8 * x + pixel % 8, 8 * y + pixel / 8);
                f64::from(whole.rgb[3 * (y * whole.width + x) + colour])
            };
            for colour in 0..3 {
                let mean = (0..64).map(|pixel| part(pixel, colour)).sum::<f64>() / 64.0;
                let found = f64::from(preview.raster.rgb[3 * (y * across + x) + colour]);
                assert!((found - mean).abs() < most, "{x} {y}: {found} {mean}");
            }
        }
    }

    #[test]
    fn a_preview_is_the_decoded_picture_at_an_eighth() {
        for (quality, restart) in [(90, 0), (60, 7)] {
            let bytes = super::super::jpeg_write::jpeg(&wave(531, 420), quality, restart).unwrap();
            check_preview(&bytes, 6.0);
            assert!(jpeg_preview::preview(&bytes[..bytes.len() / 2], 0).is_none(), "cut off");
            assert!(jpeg_preview::preview(&bytes, 421).is_none(), "too small");
            for at in (0..bytes.len()).step_by(97) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x55;
                let _ = jpeg_preview::preview(&damaged, 0);
            }
        }
    }

    /// Written by Pillow: colours at half the size, as cameras do, and the same in several passes.
    #[test]
    fn photographs_of_other_programs_have_previews() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../arss-cli/tests/pictures");
        // A colour of half the size is the mean of four squares.
        for (name, most) in [("photo.jpg", 24.0), ("photo_progressive.jpg", 24.0), ("photo_grey.jpg", 2.0)] {
            check_preview(&std::fs::read(folder.join(name)).unwrap(), most);
        }
    }

    #[test]
    fn transparent_pixels_are_on_white() {
        assert_eq!(on_white(&[10, 20, 30, 255, 10, 20, 30, 0], 4), [10, 20, 30, 255, 255, 255]);
        assert_eq!(on_white(&[7, 128], 2), [131; 3]);
    }

    #[test]
    fn what_is_no_picture_is_told_in_one_line() {
        assert_eq!(decode(b"", 32).unwrap_err(), "is empty");
        assert_eq!(decode(b"hello world, this is text", 32).unwrap_err(), "is no picture of a known format");
        let starts: [&[u8]; 6] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF____WEBP", b"II*\0", b"BM"];
        for start in starts {
            let bytes = [start, b" and then nothing that makes sense"].concat();
            let said = decode(&bytes, 32).unwrap_err();
            assert!(!said.contains('\n') && said.len() < 300, "{said}");
        }
    }
}
