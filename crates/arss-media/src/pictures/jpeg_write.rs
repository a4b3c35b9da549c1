//! Small JPEG files: the baseline form, all colours at full size, one Huffman code for all of them.

use std::f32::consts::PI;

use super::raster::Raster;

/// How coarsely each of the 64 frequencies is kept at quality 50, row by row: the luminance table of the standard's annex K.
const STEPS: [u16; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
];
/// Words of each length of the code of means, whose meanings are 0 to 11.
const MEANS: [u8; 16] = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
/// The same for the other numbers, and the meanings of the short words; the long ones have the rest, in order.
const OTHERS: [u8; 16] = [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125];
const SHORT: [u8; 37] = [
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71, 0x14,
    0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72, 0x82,
];

/// The picture as a JPEG file of this quality, 1 to 100; none if it is empty or a side has more than 65,535 pixels.
pub fn jpeg(picture: &Raster, quality: u16, restart: u16) -> Option<Vec<u8>> {
    let (width, height) = (u16::try_from(picture.width).ok()?, u16::try_from(picture.height).ok()?);
    if width == 0 || height == 0 {
        return None;
    }
    let steps = steps(quality);
    let (means, others) = (Words::new(&MEANS, &(0..12).collect::<Vec<u8>>()), Words::new(&OTHERS, &meanings()));
    let mut out = vec![0xFF, 0xD8];
    let table: Vec<u8> = order().map(|at| steps[at] as u8).collect();
    segment(&mut out, 0xDB, &[&[0], &table[..]].concat());
    let size = [height.to_be_bytes(), width.to_be_bytes()].concat();
    segment(&mut out, 0xC0, &[&[8], &size[..], &[3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]].concat());
    segment(&mut out, 0xC4, &[&[0x00], &MEANS[..], &(0..12).collect::<Vec<u8>>()].concat());
    segment(&mut out, 0xC4, &[&[0x10], &OTHERS[..], &meanings()].concat());
    segment(&mut out, 0xDD, &restart.to_be_bytes());
    segment(&mut out, 0xDA, &[3, 1, 0, 2, 0, 3, 0, 0, 63, 0]);
    let mut bits = BitWriter { out, word: 0, held: 0 };
    let mut last = [0; 3];
    let cosines = cosines();
    let across = picture.width.div_ceil(8);
    for unit in 0..across * picture.height.div_ceil(8) {
        if restart > 0 && unit > 0 && unit % usize::from(restart) == 0 {
            bits.mark(0xD0 + (unit / usize::from(restart) - 1) as u8 % 8);
            last = [0; 3];
        }
        for (square, last) in squares(picture, (unit % across, unit / across)).iter().zip(&mut last) {
            let numbers = transformed(square, &cosines);
            let kept: Vec<i32> = order().map(|at| (numbers[at] / f32::from(steps[at])).round() as i32).collect();
            bits.square(&kept, last, (&means, &others));
        }
    }
    bits.mark(0xD9);
    Some(bits.out)
}

/// The steps of a quality, as most programs understand the number.
fn steps(quality: u16) -> [u16; 64] {
    let quality = quality.clamp(1, 100);
    let scale = if quality < 50 { 5000 / quality } else { 200 - 2 * quality };
    STEPS.map(|step| ((step * scale + 50) / 100).clamp(1, 255))
}

/// The places of a square from low to high frequencies, in a zigzag.
fn order() -> impl Iterator<Item = usize> {
    (0..15usize).flat_map(|sum| {
        let own: Vec<usize> = (sum.saturating_sub(7)..=sum.min(7)).collect();
        own.into_iter().map(move |step| if sum % 2 == 0 { 8 * (sum - step) + step } else { 8 * step + sum - step })
    })
}

/// The meanings of the words: those of the short ones, then all others.
fn meanings() -> Vec<u8> {
    let all = (0..16u8).flat_map(|run| (1..=10u8).map(move |size| run << 4 | size));
    SHORT.into_iter().chain(all.filter(|meaning| !SHORT.contains(meaning))).collect()
}

fn segment(out: &mut Vec<u8>, marker: u8, content: &[u8]) {
    out.extend([0xFF, marker]);
    out.extend((content.len() as u16 + 2).to_be_bytes());
    out.extend_from_slice(content);
}

/// Luminance and two colour differences of a square of 8 x 8 pixels, around zero; the edge of the picture is repeated.
fn squares(picture: &Raster, (column, row): (usize, usize)) -> [[f32; 64]; 3] {
    let pixel = |at: usize| {
        let (x, y) = ((8 * column + at % 8).min(picture.width - 1), (8 * row + at / 8).min(picture.height - 1));
        let start = 3 * (y * picture.width + x);
        let [red, green, blue] = [0, 1, 2].map(|colour| f32::from(picture.rgb[start + colour]));
        let luminance = 0.299 * red + 0.587 * green + 0.114 * blue;
        [luminance - 128.0, 0.564_334 * (blue - luminance), 0.713_267 * (red - luminance)]
    };
    let pixels: [[f32; 3]; 64] = std::array::from_fn(pixel);
    [0, 1, 2].map(|colour| pixels.map(|pixel| pixel[colour]))
}

/// The cosines of the transform, with their factors: row for frequency, column for place.
fn cosines() -> [[f32; 8]; 8] {
    std::array::from_fn(|frequency| {
        let factor = if frequency == 0 { 0.125f32.sqrt() } else { 0.5 };
        std::array::from_fn(|place| factor * ((2 * place + 1) as f32 * frequency as f32 * PI / 16.0).cos())
    })
}

fn transformed(square: &[f32; 64], cosines: &[[f32; 8]; 8]) -> [f32; 64] {
    let mut rows = [0.0; 64];
    for (at, value) in rows.iter_mut().enumerate() {
        *value = (0..8).map(|place| square[at / 8 * 8 + place] * cosines[at % 8][place]).sum();
    }
    let mut found = [0.0; 64];
    for (at, value) in found.iter_mut().enumerate() {
        *value = (0..8).map(|place| rows[8 * place + at % 8] * cosines[at / 8][place]).sum();
    }
    found
}

/// A Huffman code: bits and length of the word of each meaning.
struct Words(Vec<(u32, u32)>);

impl Words {
    fn new(counts: &[u8; 16], meanings: &[u8]) -> Self {
        let mut words = vec![(0, 0); 256];
        let (mut word, mut next) = (0, meanings.iter());
        for (length, &count) in (1..).zip(counts) {
            for &meaning in next.by_ref().take(usize::from(count)) {
                words[usize::from(meaning)] = (word, length);
                word += 1;
            }
            word <<= 1;
        }
        Words(words)
    }
}

/// Bits of the file, the first one on top.
struct BitWriter {
    out: Vec<u8>,
    word: u64,
    held: u32,
}

impl BitWriter {
    fn add(&mut self, bits: u32, count: u32) {
        self.word = self.word << count | u64::from(bits);
        self.held += count;
        while self.held >= 8 {
            self.held -= 8;
            let byte = (self.word >> self.held) as u8;
            self.out.push(byte);
            if byte == 0xFF {
                self.out.push(0);
            }
        }
        self.word &= (1 << self.held) - 1;
    }

    /// Fills the last byte with ones, and writes a marker.
    fn mark(&mut self, marker: u8) {
        self.add(0x7F, 7);
        (self.word, self.held) = (0, 0);
        self.out.extend([0xFF, marker]);
    }

    /// A word of a code, and behind it the number itself.
    fn number(&mut self, words: &Words, run: usize, value: i32) {
        let size = 32 - value.unsigned_abs().leading_zeros();
        let (bits, length) = words.0[run << 4 | size as usize];
        self.add(bits, length);
        let own = if value < 0 { value - 1 } else { value };
        self.add(own as u32 & ((1 << size) - 1), size);
    }

    /// The numbers of a square; the first is written as the difference from the last one.
    fn square(&mut self, numbers: &[i32], last: &mut i32, (means, others): (&Words, &Words)) {
        self.number(means, 0, numbers[0] - *last);
        *last = numbers[0];
        let mut zeros = 0;
        for &number in &numbers[1..] {
            if number == 0 {
                zeros += 1;
                continue;
            }
            while zeros > 15 {
                self.add(others.0[0xF0].0, others.0[0xF0].1);
                zeros -= 16;
            }
            self.number(others, zeros, number.clamp(-1023, 1023));
            zeros = 0;
        }
        if zeros > 0 {
            self.add(others.0[0].0, others.0[0].1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pictures::decode;

    #[test]
    fn the_order_is_the_zigzag() {
        let order: Vec<usize> = order().collect();
        assert_eq!(order[..12], [0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25]);
        assert_eq!((order.len(), order[62], order[63]), (64, 62, 63));
        assert_eq!(meanings().len(), 162);
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (width, height) in [(1, 1), (7, 9), (64, 40), (33, 100)] {
            let value = |at: usize| {
                let (x, y) = ((at / 3 % width) as f32, (at / 3 / width) as f32);
                (128.0 + 100.0 * (0.2 * x + 0.11 * y * (1 + at % 3) as f32).sin()) as u8
            };
            let picture = Raster { width, height, rgb: (0..3 * width * height).map(value).collect() };
            for (quality, restart, least) in [(95, 0, 4.0), (80, 3, 8.0), (30, 0, 20.0)] {
                let bytes = jpeg(&picture, quality, restart).unwrap();
                let found = decode::picture(&bytes).unwrap();
                assert_eq!((found.width, found.height), (width, height));
                let squares = found.rgb.iter().zip(&picture.rgb).map(|(a, b)| (f32::from(*a) - f32::from(*b)).powi(2));
                let apart = (squares.sum::<f32>() / found.rgb.len() as f32).sqrt();
                assert!(apart < least, "{width} x {height}, quality {quality}: {apart}");
            }
        }
        assert!(jpeg(&Raster { width: 0, height: 0, rgb: Vec::new() }, 80, 0).is_none());
    }
}
