//! Pictures as rows of pixels, and smaller versions of them.

use std::ops::Range;

/// A picture: red, green and blue of each pixel, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raster {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Three bytes a pixel.
    pub rgb: Vec<u8>,
}

impl Raster {
    /// The mean colours of `width` times `height` equal parts of the picture, 0 to 1, as they follow each other in rows.
    ///
    /// A pixel that lies in several parts counts in each by its share.
    ///
    /// ```
    /// use arss_media::Raster;
    ///
    /// let picture = Raster { width: 2, height: 1, rgb: vec![255, 0, 0, 0, 0, 255] };
    /// assert_eq!(picture.shrunk(1, 1), [0.5, 0.0, 0.5]);
    /// ```
    pub fn shrunk(&self, width: usize, height: usize) -> Vec<f32> {
        let (across, down) = (spans(self.width, width), spans(self.height, height));
        let row = |at: usize| &self.rgb[at * self.width * 3..][..self.width * 3];
        let mut found = Vec::with_capacity(width * height * 3);
        let (mut whole, mut line) = (vec![0u32; self.width * 3], vec![0.0f32; self.width * 3]);
        let size = (self.width as f32 / width as f32) * (self.height as f32 / height as f32);
        let scale = |sum: f32| (sum / (size * 255.0)).min(1.0);
        for span in &down {
            // First down, a row at a time: all of its numbers can be added at once.
            whole.fill(0);
            span.whole
                .clone()
                .for_each(|at| whole.iter_mut().zip(row(at)).for_each(|(sum, &own)| *sum += u32::from(own)));
            line.iter_mut().zip(&whole).for_each(|(sum, &whole)| *sum = whole as f32);
            for &(at, share) in span.ends.iter().filter(|end| end.1 > 0.0) {
                line.iter_mut().zip(row(at)).for_each(|(sum, &own)| *sum += share * f32::from(own));
            }
            for span in &across {
                let mut sums = [0.0f32; 3];
                for pixel in line[3 * span.whole.start..3 * span.whole.end].chunks_exact(3) {
                    (0..3).for_each(|colour| sums[colour] += pixel[colour]);
                }
                for &(at, share) in span.ends.iter().filter(|end| end.1 > 0.0) {
                    (0..3).for_each(|colour| sums[colour] += share * line[3 * at + colour]);
                }
                found.extend(sums.map(scale));
            }
        }
        found
    }

    /// The picture in `width` x `height` pixels, 0 to 1: means where it gets smaller, in between where it gets larger.
    pub fn resized(&self, width: usize, height: usize) -> Vec<f32> {
        if self.width >= width && self.height >= height {
            return self.shrunk(width, height);
        }
        let place = |at: usize, to: usize, from: usize| {
            let place = ((at as f32 + 0.5) * from as f32 / to as f32 - 0.5).clamp(0.0, (from - 1) as f32);
            (place as usize, (place as usize + 1).min(from - 1), place.fract())
        };
        let mut found = Vec::with_capacity(width * height * 3);
        for y in 0..height {
            let (above, below, down) = place(y, height, self.height);
            for x in 0..width {
                let (left, right, across) = place(x, width, self.width);
                let value = |row: usize, column: usize, colour: usize| {
                    f32::from(self.rgb[3 * (row * self.width + column) + colour]) / 255.0
                };
                found.extend((0..3).map(|colour| {
                    let line = |row| (1.0 - across) * value(row, left, colour) + across * value(row, right, colour);
                    (1.0 - down) * line(above) + down * line(below)
                }));
            }
        }
        found
    }

    /// The picture with at most `side` pixels on its longer side, as it is shown to people.
    pub fn thumbnail(&self, side: usize) -> Raster {
        let longer = self.width.max(self.height).max(1);
        if longer <= side {
            return self.clone();
        }
        let scaled = |length: usize| (length * side).div_ceil(longer).max(1);
        let (width, height) = (scaled(self.width), scaled(self.height));
        let rgb = self.shrunk(width, height).iter().map(|value| (value * 255.0).round() as u8).collect();
        Raster { width, height, rgb }
    }
}

/// The pixels of one of the equal parts of a line: those that lie in it as a whole, and those at its ends with their shares.
struct Span {
    whole: Range<usize>,
    ends: [(usize, f32); 2],
}

/// What lies in each of the equal parts of a line, in whole numbers so that nothing is lost to rounding: a pixel is as long
/// as there are parts.
fn spans(pixels: usize, parts: usize) -> Vec<Span> {
    let share = |length: usize| length as f32 / parts as f32;
    let span = |part: usize| {
        let (start, end) = (part * pixels, (part + 1) * pixels);
        let (first, last) = (start.div_ceil(parts), end / parts);
        if first > last {
            // The part lies within one pixel.
            return Span { whole: 0..0, ends: [(last, share(end - start)), (0, 0.0)] };
        }
        let ends = [(first.saturating_sub(1), share(first * parts - start)), (last, share(end - last * parts))];
        Span { whole: first..last, ends }
    };
    (0..parts).map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope(width: usize, height: usize) -> Raster {
        let pixel = |at: usize| [(at % width * 7 % 256) as u8, (at / width * 5 % 256) as u8, (at * 3 % 256) as u8];
        Raster { width, height, rgb: (0..width * height).flat_map(pixel).collect() }
    }

    /// The mean over a part, pixel by pixel in small steps.
    fn literal(picture: &Raster, width: usize, height: usize) -> Vec<f32> {
        let mut found = vec![0.0f64; width * height * 3];
        for y in 0..picture.height * height {
            for x in 0..picture.width * width {
                let (part, pixel) = ((y / picture.height, x / picture.width), (y / height, x / width));
                for colour in 0..3 {
                    let value = picture.rgb[(pixel.0 * picture.width + pixel.1) * 3 + colour];
                    found[(part.0 * width + part.1) * 3 + colour] += f64::from(value);
                }
            }
        }
        let size = (picture.width * picture.height) as f64 * 255.0;
        found.iter().map(|sum| (sum / size) as f32).collect()
    }

    #[test]
    fn parts_are_means_for_every_size() {
        for (width, height) in [(1, 1), (3, 2), (28, 28), (31, 33), (100, 7), (65, 130)] {
            let picture = slope(width, height);
            for (to_width, to_height) in [(1, 1), (8, 8), (32, 32), (5, 3)] {
                let (found, wanted) = (picture.shrunk(to_width, to_height), literal(&picture, to_width, to_height));
                let close = found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-4);
                assert!(close, "{width} x {height} to {to_width} x {to_height}");
            }
        }
    }

    #[test]
    fn larger_pictures_have_colours_in_between() {
        let picture = Raster { width: 2, height: 1, rgb: vec![0, 0, 0, 255, 255, 255] };
        let values: Vec<f32> = picture.resized(4, 2).chunks_exact(3).map(|pixel| pixel[0]).collect();
        assert_eq!(values, [0.0, 0.25, 0.75, 1.0, 0.0, 0.25, 0.75, 1.0]);
        assert_eq!(slope(64, 64).resized(8, 8), slope(64, 64).shrunk(8, 8));
    }

    #[test]
    fn thumbnails_keep_the_shape() {
        let small = slope(300, 100).thumbnail(60);
        assert_eq!((small.width, small.height, small.rgb.len()), (60, 20, 3600));
        assert_eq!(slope(20, 10).thumbnail(60), slope(20, 10));
        assert_eq!(slope(1000, 1).thumbnail(10).height, 1);
    }
}
