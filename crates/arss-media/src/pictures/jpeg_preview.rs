//! A photograph at an eighth of its size, straight from its JPEG file.
//!
//! The file holds the mean of each square of 8 x 8 pixels as a number of its own. Reading those alone, and passing over
//! everything else, is several times faster than decoding the picture and gives the same means. Whatever is not the
//! common form of JPEG, and whatever is damaged, is left to the real decoder.

use memchr::memchr;

use super::decode::MOST_PIXELS;
use super::jpeg_bits::{Bits, Code, Parts};
use super::raster::Raster;

/// Half of all light, in eighths.
const GREY: i32 = 8 * 128;
/// Far beyond black and white, in eighths.
const MOST: i32 = 1 << 14;

/// What was found.
#[derive(Debug)]
pub struct Preview {
    /// Pixels of the whole picture in a row.
    pub width: usize,
    /// Rows of the whole picture.
    pub height: usize,
    /// The means.
    pub raster: Raster,
    /// What the camera noted, if it did.
    pub exif: Option<Vec<u8>>,
}

/// One colour of the picture.
#[derive(Debug, Clone, Default)]
struct Component {
    id: u8,
    across: usize,
    down: usize,
    quantiser: usize,
    dc: usize,
    ac: usize,
}

/// One of the squares of a unit: how it is written, and where its mean belongs.
struct Square<'a> {
    colour: usize,
    dc: &'a Code,
    /// None if the scan holds means only.
    ac: Option<&'a Code>,
    /// The place of the first one, and how far to the next one in the row and in the column.
    first: usize,
    on: usize,
    down: usize,
}

/// The file as far as it was read.
#[derive(Debug, Default)]
struct Header {
    least: usize,
    width: usize,
    height: usize,
    progressive: bool,
    components: Vec<Component>,
    first_steps: [Option<u16>; 4],
    codes: [[Option<Code>; 4]; 2],
    restart: usize,
    /// False if the colours are red, green and blue as they stand.
    luminance: Option<bool>,
    exif: Option<Vec<u8>>,
    shift: u8,
}

/// The picture at an eighth of its size; none if only the real decoder can tell, or a side has fewer than `least` pixels.
pub fn preview(bytes: &[u8], least: usize) -> Option<Preview> {
    let mut header = Header { least, ..Header::default() };
    let mut at = bytes.starts_with(&[0xFF, 0xD8]).then_some(2)?;
    loop {
        at += memchr(0xFF, bytes.get(at..)?)?;
        while *bytes.get(at)? == 0xFF {
            at += 1;
        }
        let marker = *bytes.get(at)?;
        let length = usize::from(u16::from_be_bytes([*bytes.get(at + 1)?, *bytes.get(at + 2)?]));
        let segment = bytes.get(at + 3..at + 1 + length)?;
        at += 1 + length;
        if marker == 0xDA {
            header.scan(segment)?;
            let planes = header.planes(bytes.get(at..)?)?;
            return header.finished(&planes);
        }
        header.read(marker, segment)?;
    }
}

impl Header {
    fn read(&mut self, marker: u8, segment: &[u8]) -> Option<()> {
        match marker {
            0xDB => self.quantisers(segment)?,
            0xC4 => self.huffman(segment)?,
            0xC0..=0xC2 => self.frame(marker, segment)?,
            0xDD => self.restart = usize::from(u16::from_be_bytes(segment.try_into().ok()?)),
            0xE1 if segment.starts_with(b"Exif\0\0") => self.exif = segment.get(6..).map(<[u8]>::to_vec),
            0xEE if segment.starts_with(b"Adobe") => self.luminance = Some(*segment.get(11)? != 0),
            // Other kinds of coding, and the end of the picture.
            0xC3 | 0xC5..=0xC7 | 0xC9..=0xCF | 0xD8 | 0xD9 => return None,
            _ => {}
        }
        Some(())
    }

    fn quantisers(&mut self, mut segment: &[u8]) -> Option<()> {
        while let [kind, rest @ ..] = segment {
            let wide = kind >> 4 == 1;
            let first =
                if wide { u16::from_be_bytes([*rest.first()?, *rest.get(1)?]) } else { u16::from(*rest.first()?) };
            *self.first_steps.get_mut(usize::from(kind & 15))? = Some(first);
            segment = rest.get(if wide { 128 } else { 64 }..)?;
        }
        Some(())
    }

    fn huffman(&mut self, mut segment: &[u8]) -> Option<()> {
        while let [kind, rest @ ..] = segment {
            let counts = rest.get(..16)?;
            let total: usize = counts.iter().map(|&count| usize::from(count)).sum();
            let meanings = rest.get(16..16 + total)?;
            let code = Code::new(counts, meanings, kind >> 4 == 1)?;
            *self.codes.get_mut(usize::from(kind >> 4))?.get_mut(usize::from(kind & 15))? = Some(code);
            segment = rest.get(16 + total..)?;
        }
        Some(())
    }

    fn frame(&mut self, marker: u8, segment: &[u8]) -> Option<()> {
        let [8, high, low, wide, narrow, count, components @ ..] = segment else { return None };
        self.height = usize::from(u16::from_be_bytes([*high, *low]));
        self.width = usize::from(u16::from_be_bytes([*wide, *narrow]));
        self.progressive = marker == 0xC2;
        let fits = matches!(count, 1 | 3) && components.len() == 3 * usize::from(*count) && self.components.is_empty();
        let (shorter, pixels) = (self.width.min(self.height), self.width * self.height);
        if !fits || shorter < self.least.max(1) || pixels > MOST_PIXELS {
            return None;
        }
        for &[id, sizes, quantiser] in components.as_chunks().0 {
            let (across, down) = (usize::from(sizes >> 4), usize::from(sizes & 15));
            if !matches!((across, down), (1 | 2 | 4, 1 | 2 | 4)) {
                return None;
            }
            let quantiser = usize::from(quantiser);
            self.components.push(Component { id, across, down, quantiser, ..Component::default() });
        }
        Some(())
    }

    /// Takes the head of the first scan: it must hold all colours.
    fn scan(&mut self, segment: &[u8]) -> Option<()> {
        let [count, rest @ ..] = segment else { return None };
        let count = usize::from(*count);
        if count != self.components.len() || count == 0 || rest.len() != 2 * count + 3 {
            return None;
        }
        let (codes, &[first, last, precision]) = rest.split_last_chunk()?;
        for (&[id, codes], component) in codes.as_chunks().0.iter().zip(&mut self.components) {
            if id != component.id {
                return None;
            }
            (component.dc, component.ac) = (usize::from(codes >> 4), usize::from(codes & 15));
        }
        let whole =
            if self.progressive { (first, last, precision >> 4) == (0, 0, 0) } else { (first, last) == (0, 63) };
        self.shift = if self.progressive { precision & 15 } else { 0 };
        (whole && self.shift < 14).then_some(())
    }

    /// Squares of the largest colour in a unit, across and down; one for a picture of one colour.
    fn unit(&self) -> (usize, usize) {
        let most = |size: fn(&Component) -> usize| self.components.iter().map(size).max().unwrap_or(1);
        if self.components.len() == 1 { (1, 1) } else { (most(|own| own.across), most(|own| own.down)) }
    }

    /// The means of all squares of each colour, in steps of the file.
    #[expect(
        clippy::indexing_slicing,
        reason = "there is a plane for each colour, with a place for each of its squares"
    )]
    fn planes(&self, bytes: &[u8]) -> Option<Vec<Vec<i32>>> {
        let (wide, tall) = self.unit();
        let (across, down) = (self.width.div_ceil(8 * wide), self.height.div_ceil(8 * tall));
        let mut planes: Vec<Vec<i32>> = Vec::new();
        let mut squares = Vec::new();
        for (colour, own) in self.components.iter().enumerate() {
            let (wide, tall) = if self.components.len() == 1 { (1, 1) } else { (own.across, own.down) };
            planes.push(vec![0; across * wide * down * tall]);
            let code = |kind: usize, at: usize| self.codes[kind].get(at).and_then(Option::as_ref);
            let (dc, ac) = (code(0, own.dc)?, if self.progressive { None } else { Some(code(1, own.ac)?) });
            squares.extend((0..wide * tall).map(|at| {
                let first = (at / wide) * across * wide + at % wide;
                Square { colour, dc, ac, first, on: wide, down: across * wide * tall }
            }));
        }
        let mut parts = Parts::new(bytes);
        let mut bits = Bits::new(parts.part()?);
        let (mut last, mut left) = ([0i32; 3], self.restart);
        for row in 0..down {
            for column in 0..across {
                if self.restart > 0 && left == 0 {
                    bits = Bits::new(parts.part()?);
                    (last, left) = ([0; 3], self.restart);
                }
                left = left.wrapping_sub(1);
                for own in &squares {
                    let mean = &mut last[own.colour];
                    *mean = mean.wrapping_add(bits.difference(own.dc)?);
                    own.ac.map_or(Some(()), |ac| bits.pass_over(ac))?;
                    planes[own.colour][own.first + row * own.down + column * own.on] = *mean;
                }
            }
        }
        // Behind the end there are zeros for ever: a picture that is cut off must not look whole.
        (!bits.is_past_the_end()).then_some(planes)
    }

    /// The means as a picture.
    #[expect(
        clippy::indexing_slicing,
        reason = "there is a plane for each colour, with a place for each of its squares"
    )]
    fn finished(self, planes: &[Vec<i32>]) -> Option<Preview> {
        let (wide, tall) = self.unit();
        // Squares at the edges of which less than half is seen are left out.
        let (width, height) = (((self.width + 4) / 8).max(1), ((self.height + 4) / 8).max(1));
        let across = self.width.div_ceil(8 * wide);
        let single = self.components.len() == 1;
        let mut steps = Vec::new();
        for own in &self.components {
            steps.push(i32::from((*self.first_steps.get(own.quantiser)?)?) << self.shift);
        }
        let mut rgb = vec![0; width * height * 3];
        let mut lines = vec![vec![0i32; width]; self.components.len()];
        for (y, row) in rgb.chunks_exact_mut(3 * width).enumerate() {
            for (colour, own) in self.components.iter().enumerate() {
                let (own_wide, own_tall) = if single { (1, 1) } else { (own.across, own.down) };
                let means = &planes[colour][(y * own_tall / tall) * across * own_wide..][..across * own_wide];
                let value = |mean: &i32| mean.wrapping_mul(steps[colour]).clamp(-MOST, MOST);
                // A colour of half the size has a mean for every two squares.
                match wide / own_wide {
                    1 => lines[colour].iter_mut().zip(means).for_each(|(place, mean)| *place = value(mean)),
                    repeats => {
                        lines[colour].chunks_mut(repeats).zip(means).for_each(|(places, mean)| places.fill(value(mean)))
                    }
                }
            }
            self.paint(&lines, row);
        }
        let raster = Raster { width, height, rgb };
        Some(Preview { width: self.width, height: self.height, raster, exif: self.exif })
    }

    /// A row of pixels of the means of each colour, in eighths.
    fn paint(&self, lines: &[Vec<i32>], row: &mut [u8]) {
        let pixels = row.as_chunks_mut::<3>().0.iter_mut();
        match lines {
            [first, second, third] => {
                let values =
                    first.iter().zip(second).zip(third).map(|((first, second), third)| [*first, *second, *third]);
                let pixels = pixels.zip(values);
                if self.luminance == Some(false) {
                    pixels.for_each(|(pixel, values)| *pixel = values.map(|value| byte(value + GREY)));
                } else {
                    pixels.for_each(|(pixel, [light, blue, red])| *pixel = colours(light + GREY, blue, red));
                }
            }
            _ => pixels.zip(lines.iter().flatten()).for_each(|(pixel, value)| *pixel = [byte(value + GREY); 3]),
        }
    }
}

/// A number in eighths as a byte.
fn byte(value: i32) -> u8 {
    ((value + 4) >> 3).clamp(0, 255) as u8
}

/// Red, green and blue of luminance and two differences, as JFIF has it, all in eighths. Its factors are in parts of 4096.
fn colours(luminance: i32, blue: i32, red: i32) -> [u8; 3] {
    let parts = |blue_part: i32, red_part: i32| (blue_part * blue + red_part * red + 2048) >> 12;
    [parts(0, 5743), parts(-1410, -2925), parts(7258, 0)].map(|difference| byte(luminance + difference))
}
