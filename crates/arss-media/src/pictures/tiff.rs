//! The common forms of TIFF: strips or tiles of grey, coloured or indexed pixels of 1, 8 or 16 bits.

use std::io::Read;

use flate2::read::ZlibDecoder;
use weezl::BitOrder;

use super::decode::over_white;
use super::exif::Turn;
use super::raster::Raster;

/// The first picture of a TIFF file.
struct Tiff<'a> {
    bytes: &'a [u8],
    little: bool,
    /// Where the entries of the first picture begin, and how many there are.
    entries: (usize, usize),
}

/// How pixels are stored.
struct Layout {
    width: usize,
    height: usize,
    /// Pixels in a row and rows of a piece.
    piece: (usize, usize),
    samples: usize,
    bits: usize,
    colours: usize,
    compression: usize,
    predicted: bool,
    /// True if the sample behind the colours says how much of the pixel is seen.
    transparent: bool,
    palette: Vec<usize>,
}

const DAMAGED: &str = "cannot be decoded: the TIFF file is damaged";

/// Width and height; what is wrong if it is no TIFF file.
pub fn size(bytes: &[u8]) -> Result<(usize, usize), String> {
    let tiff = Tiff::new(bytes).ok_or(DAMAGED)?;
    Ok((tiff.one(256).ok_or(DAMAGED)?, tiff.one(257).ok_or(DAMAGED)?))
}

/// The picture, and which way up it is.
pub fn decode(bytes: &[u8]) -> Result<(Raster, Turn), String> {
    let tiff = Tiff::new(bytes).ok_or(DAMAGED)?;
    let layout = tiff.layout()?;
    let mut pixels = vec![255; layout.width * layout.height * 3];
    let tiled = tiff.one(322).is_some();
    let (offsets, sizes) = if tiled { (tiff.all(324), tiff.all(325)) } else { (tiff.all(273), tiff.all(279)) };
    let across = layout.width.div_ceil(layout.piece.0);
    let count = across * layout.height.div_ceil(layout.piece.1);
    if offsets.len() < count || sizes.len() < count {
        return Err(DAMAGED.to_owned());
    }
    for (at, (&start, &size)) in offsets.iter().zip(&sizes).take(count).enumerate() {
        let end = start.checked_add(size).ok_or(DAMAGED)?;
        let packed = bytes.get(start..end).ok_or(DAMAGED)?;
        let (left, top) = (at % across * layout.piece.0, at / across * layout.piece.1);
        let rows = if tiled { layout.piece.1 } else { layout.piece.1.min(layout.height - top) };
        let piece = layout.unpacked(packed, rows)?;
        layout.paste(&piece, (left, top), tiff.little, &mut pixels);
    }
    let turn = Turn::numbered(tiff.one(274).unwrap_or(1) as u16);
    Ok((Raster { width: layout.width, height: layout.height, rgb: pixels }, turn))
}

impl<'a> Tiff<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let little = bytes.starts_with(b"II");
        let mut tiff = Tiff { bytes, little, entries: (0, 0) };
        let start = tiff.number(4, 4)?;
        tiff.entries = (start + 2, tiff.number(start, 2)?);
        Some(tiff)
    }

    /// The number of `size` bytes at a place.
    fn number(&self, at: usize, size: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..at.checked_add(size)?)?;
        let add = |sum: usize, byte: &u8| sum << 8 | usize::from(*byte);
        Some(if self.little { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) })
    }

    /// The numbers of an entry, none if it is not there.
    fn all(&self, tag: usize) -> Vec<usize> {
        let entry = |at: &usize| self.number(*at, 2) == Some(tag);
        let found = (0..self.entries.1).map(|entry| self.entries.0 + 12 * entry).find(entry);
        let read = |at: usize| -> Option<Vec<usize>> {
            let size = match self.number(at + 2, 2)? {
                1 => 1,
                3 => 2,
                4 => 4,
                _ => return None,
            };
            let count = self.number(at + 4, 4)?;
            let start = if count.checked_mul(size)? <= 4 { at + 8 } else { self.number(at + 8, 4)? };
            // As many as there can be: a count is not to be trusted.
            (0..count.min(self.bytes.len())).map(|own| self.number(start + own * size, size)).collect()
        };
        found.and_then(read).unwrap_or_default()
    }

    fn one(&self, tag: usize) -> Option<usize> {
        self.all(tag).first().copied()
    }

    fn layout(&self) -> Result<Layout, String> {
        let (width, height) = (self.one(256).ok_or(DAMAGED)?, self.one(257).ok_or(DAMAGED)?);
        let samples = self.one(277).unwrap_or(1);
        let bits = self.one(258).unwrap_or(1);
        let colours = self.one(262).unwrap_or(1);
        let compression = self.one(259).unwrap_or(1);
        let known = matches!(compression, 1 | 5 | 8 | 32946 | 32773)
            && (matches!(bits, 8 | 16) || (bits, samples, colours / 2) == (1, 1, 0));
        let fits = matches!((colours, samples), (0 | 1, 1..=4) | (2, 3..=4) | (3, 1) | (5, 4..=5));
        if !known || !fits || self.one(284).unwrap_or(1) != 1 || self.one(339).unwrap_or(1) != 1 {
            return Err("is a TIFF file of a rare kind".to_owned());
        }
        let piece = match (self.one(322), self.one(323)) {
            (Some(wide), Some(tall)) => (wide, tall),
            _ => (width, self.one(278).unwrap_or(height).min(height)),
        };
        let bytes = piece.0.checked_mul(piece.1).and_then(|pixels| pixels.checked_mul((samples * bits).div_ceil(8)));
        if width == 0 || height == 0 || bytes.is_none_or(|bytes| bytes == 0 || bytes > 1 << 30) {
            return Err(DAMAGED.to_owned());
        }
        let predicted = self.one(317) == Some(2);
        let transparent = matches!(self.one(338), Some(1 | 2)) && samples == if colours == 2 { 4 } else { 2 };
        let palette = self.all(320);
        Ok(Layout { width, height, piece, samples, bits, colours, compression, predicted, transparent, palette })
    }
}

impl Layout {
    /// Bytes of a row of a piece.
    fn row_bytes(&self) -> usize {
        (self.piece.0 * self.samples * self.bits).div_ceil(8)
    }

    /// The bytes of a piece, all rows of it.
    fn unpacked(&self, packed: &[u8], rows: usize) -> Result<Vec<u8>, String> {
        let wanted = self.row_bytes() * rows;
        let wrong = |error: &dyn std::fmt::Display| format!("cannot be decoded: {error}");
        let mut bytes = match self.compression {
            1 => packed.to_vec(),
            5 => unpack_words(packed, wanted).map_err(|error| wrong(&error))?,
            32773 => unpack_bits(packed, wanted),
            _ => {
                let mut found = Vec::new();
                let limit = wanted as u64;
                ZlibDecoder::new(packed).take(limit).read_to_end(&mut found).map_err(|error| wrong(&error))?;
                found
            }
        };
        if bytes.len() < wanted {
            return Err(DAMAGED.to_owned());
        }
        bytes.truncate(wanted);
        Ok(bytes)
    }

    /// Puts a piece where it belongs; what lies outside of the picture is left out.
    fn paste(&self, piece: &[u8], (left, top): (usize, usize), little: bool, pixels: &mut [u8]) {
        for (y, row) in piece.chunks_exact(self.row_bytes()).enumerate().take(self.height.saturating_sub(top)) {
            let row = self.samples_of(row, little);
            let wide = self.piece.0.min(self.width - left);
            for (x, own) in row.chunks_exact(self.samples).enumerate().take(wide) {
                let at = 3 * ((top + y) * self.width + left + x);
                if let Some(pixel) = pixels.get_mut(at..at + 3) {
                    pixel.copy_from_slice(&self.colour(own));
                }
            }
        }
    }

    /// The samples of a row in 8 bits each, or as they are if they are places in a palette.
    #[expect(clippy::indexing_slicing, reason = "a sample is added to the one before it, from the second pixel on")]
    fn samples_of(&self, row: &[u8], little: bool) -> Vec<u8> {
        let order = if little { u16::from_le_bytes } else { u16::from_be_bytes };
        let mut wide: Vec<u16> = match self.bits {
            1 => return row.iter().flat_map(|byte| (0..8).map(move |bit| (byte >> (7 - bit) & 1) * 255)).collect(),
            8 => row.iter().map(|&byte| u16::from(byte)).collect(),
            _ => row.as_chunks().0.iter().map(|pair| order(*pair)).collect(),
        };
        if self.predicted {
            (self.samples..wide.len()).for_each(|at| wide[at] = wide[at].wrapping_add(wide[at - self.samples]));
        }
        let shift = self.bits - 8;
        wide.into_iter().map(|value| (value >> shift) as u8).collect()
    }

    #[expect(clippy::indexing_slicing, reason = "`layout` refuses fewer samples than the colours take")]
    fn colour(&self, own: &[u8]) -> [u8; 3] {
        let seen = own.last().filter(|_| self.transparent).copied().unwrap_or(255);
        match self.colours {
            0 => [over_white(255 - own[0], seen); 3],
            1 => [over_white(own[0], seen); 3],
            2 => [own[0], own[1], own[2]].map(|colour| over_white(colour, seen)),
            3 => [0, 1, 2].map(|part| {
                let at = part * self.palette.len() / 3 + usize::from(own[0]);
                (self.palette.get(at).copied().unwrap_or_default() >> 8) as u8
            }),
            _ => [0, 1, 2].map(|part| {
                let light = (255 - u32::from(own[part])) * (255 - u32::from(own[3]));
                (light / 255) as u8
            }),
        }
    }
}

/// Words of a growing dictionary (LZW).
#[expect(clippy::indexing_slicing, reason = "the decoder says how much it took and gave of what it was shown")]
fn unpack_words(packed: &[u8], wanted: usize) -> Result<Vec<u8>, weezl::LzwError> {
    let mut found = vec![0; wanted];
    let mut decoder = weezl::decode::Decoder::with_tiff_size_switch(BitOrder::Msb, 8);
    let (mut read, mut written) = (0, 0);
    loop {
        let result = decoder.decode_bytes(&packed[read..], &mut found[written..]);
        (read, written) = (read + result.consumed_in, written + result.consumed_out);
        let stuck = result.consumed_in == 0 && result.consumed_out == 0;
        if stuck || written == wanted || matches!(result.status?, weezl::LzwStatus::Done) {
            break;
        }
    }
    found.truncate(written);
    Ok(found)
}

/// Runs of bytes that are counted, or repeated.
fn unpack_bits(packed: &[u8], wanted: usize) -> Vec<u8> {
    let mut found = Vec::with_capacity(wanted);
    let mut rest = packed;
    while let [count, others @ ..] = rest {
        if found.len() >= wanted {
            break;
        }
        let count = usize::from(*count);
        match count {
            128 => rest = others,
            0..128 => {
                let (run, behind) = others.split_at((count + 1).min(others.len()));
                found.extend_from_slice(run);
                rest = behind;
            }
            _ => {
                let Some((byte, behind)) = others.split_first() else { break };
                found.extend(std::iter::repeat_n(*byte, 257 - count));
                rest = behind;
            }
        }
    }
    found
}
