//! What pictures are compared by: colours of a small version, directions of edges, and disorder.
//!
//! 288 numbers, all from 32 x 32 means of the picture:
//!
//! | numbers | what |
//! |---|---|
//! | 96 | a thumbnail: luminance of 8 x 8 parts, two colour differences of 4 x 4 parts |
//! | 128 | edges: for each of 4 x 4 parts how strong they are in 8 directions, as square roots |
//! | 64 | disorder: a random projection of what the thumbnail leaves out, for pictures without any order only |
//!
//! Neighbouring pixels of a picture are alike. Where they are not, as in noise, thumbnails are all the same grey and the edges
//! go all ways, so that noise would look like one large group. The last numbers keep such pictures apart.

use super::raster::Raster;

/// Pixels on a side of the version that everything comes from.
pub const SIDE: usize = 32;
/// How many numbers a picture has.
pub const FEATURES: usize = 288;
const THUMB: usize = 8;
const COLOURS: usize = 4;
const CELLS: usize = 4;
const DIRECTIONS: usize = 8;
const DETAILS: usize = 64;
/// Between these shares of disorder a picture turns from a picture into noise.
const ORDER: (f32, f32) = (0.3, 0.5);
/// How much disorder counts.
const DISORDER: f32 = 2.0;
/// Pictures whose luminance and colours differ by less than this, but for a hundredth of them, show nothing.
const BLANK: f32 = 0.1;
/// Nor does noise: luminance that varies by more than this (gravel and sand from afar vary less), without any order,
const NOISE: f32 = 0.1;
/// and, so far from a pixel and farther, no more alike than this: stripes and checks repeat themselves.
const APART: std::ops::Range<i32> = 2..9;
const ALIKE: f32 = 0.3;
/// From this luminance on a part is white; and a picture in which white and one more of so many tones make up this
/// share holds nothing in between, as a picture that got far too much light.
const WHITE: f32 = 0.98;
const TONES: usize = 16;
const TWO_TONES: f32 = 0.7;
/// Such a picture is washed out if it has this share of white, and so many times that of the upper quarter of all,
const MOST_WHITE: f32 = 0.1;
const TIMES: f32 = 4.0;
/// unless more than this share of all are: then that is what some of them are like, as pages of a book.
const FEW: f32 = 0.05;
/// Factors of the odd powers, fitted for slopes up to 1.
const ARC_TANGENT: [f32; 8] =
    [0.999_999_34, -0.333_298_61, 0.199_465_66, -0.139_086_3, 0.096_422_0, -0.055_912_36, 0.021_862_98, -0.004_054_57];

/// A picture as numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// What it is compared by.
    pub values: Vec<f32>,
    /// A word in which copies differ by few bits.
    pub hash: u64,
    /// True if it shows nothing: all black, all white, all one colour, or noise.
    pub blank: bool,
    /// The share of it that is white, if there is hardly anything but white and one more tone; otherwise 0.
    pub white: f32,
}

/// The numbers of a picture.
pub fn features(picture: &Raster) -> Features {
    let small = picture.shrunk(SIDE, SIDE);
    let grey: Vec<f32> = small.chunks_exact(3).map(luminance).collect();
    let mut values = Vec::with_capacity(FEATURES);
    thumbnail(&small, &grey, &mut values);
    edges(&grey, &mut values);
    let (share, variance) = disorder(&grey);
    details(&grey, share, &mut values);
    let blank = is_blank(&small, &grey) || (share >= ORDER.1 && is_noise(&grey, variance));
    Features { values, hash: perceptual_hash(picture), blank, white: white(&grey) }
}

/// What each number is, for the columns of files.
pub fn names() -> Vec<String> {
    let grid = |name: &str, side: usize| -> Vec<String> {
        (0..side * side).map(|at| format!("{name}_{}_{}", at / side, at % side)).collect()
    };
    let mut names = grid("light", THUMB);
    names.extend(grid("blue", COLOURS));
    names.extend(grid("red", COLOURS));
    for cell in grid("edges", CELLS) {
        names.extend((0..DIRECTIONS).map(|direction| format!("{cell}_{direction}")));
    }
    names.extend((0..DETAILS).map(|at| format!("disorder_{at}")));
    names
}

fn luminance(pixel: &[f32]) -> f32 {
    0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]
}

/// The mean of each of `PARTS` x `PARTS` squares.
fn means<const PARTS: usize>(values: &[f32]) -> Vec<f32> {
    let size = SIDE / PARTS;
    let mut found = vec![0.0; PARTS * PARTS];
    for (rows, means) in values.chunks_exact(size * SIDE).zip(found.chunks_exact_mut(PARTS)) {
        for row in rows.chunks_exact(SIDE) {
            for (square, mean) in row.chunks_exact(size).zip(means.iter_mut()) {
                *mean += square.iter().sum::<f32>();
            }
        }
        means.iter_mut().for_each(|mean| *mean /= (size * size) as f32);
    }
    found
}

fn thumbnail(small: &[f32], grey: &[f32], values: &mut Vec<f32>) {
    values.extend(means::<THUMB>(grey).iter().map(|light| light / THUMB as f32));
    for colour in [2, 0] {
        let differences: Vec<f32> = small.chunks_exact(3).zip(grey).map(|(pixel, grey)| pixel[colour] - grey).collect();
        values.extend(means::<COLOURS>(&differences).iter().map(|difference| difference / COLOURS as f32));
    }
}

fn edges(grey: &[f32], values: &mut Vec<f32>) {
    let mut strengths = [0.0f32; CELLS * CELLS * DIRECTIONS];
    let (mut strong, mut angles) = ([0.0f32; SIDE], [0.0f32; SIDE]);
    for (y, row) in grey.chunks_exact(SIDE).enumerate() {
        let (mut across, mut down) = ([0.0f32; SIDE], [0.0f32; SIDE]);
        row.windows(3).zip(&mut across[1..]).for_each(|(near, step)| *step = near[2] - near[0]);
        if y > 0 && y + 1 < SIDE {
            let (above, below) = (&grey[(y - 1) * SIDE..][..SIDE], &grey[(y + 1) * SIDE..][..SIDE]);
            down.iter_mut().zip(above).zip(below).for_each(|((step, above), below)| *step = below - above);
        }
        for x in 0..SIDE {
            strong[x] = (across[x] * across[x] + down[x] * down[x]).sqrt();
            angles[x] = angle(across[x], down[x]) * DIRECTIONS as f32;
        }
        for x in 0..SIDE {
            // A half circle is never quite reached.
            let direction = (angles[x] as usize).min(DIRECTIONS - 1);
            let share = angles[x] - direction as f32;
            let cell = ((y * CELLS / SIDE) * CELLS + x * CELLS / SIDE) * DIRECTIONS;
            strengths[cell + direction] += strong[x] * (1.0 - share);
            strengths[cell + (direction + 1) % DIRECTIONS] += strong[x] * share;
        }
    }
    let pixels = (SIDE / CELLS * (SIDE / CELLS)) as f32;
    values.extend(strengths.iter().map(|strength| (strength / pixels).sqrt() / CELLS as f32));
}

/// The direction of a step as a share of a half circle, from 0 to 1; opposite directions are the same.
///
/// Without branches, so that many are computed at once. The polynomial is the arc tangent within 4e-8.
fn angle(across: f32, down: f32) -> f32 {
    let (wide, tall) = (across.abs(), down.abs());
    let slope = wide.min(tall) / wide.max(tall).max(f32::MIN_POSITIVE);
    let square = slope * slope;
    let series = ARC_TANGENT.iter().rev().fold(0.0, |sum, factor| sum * square + factor);
    let eighth = slope * series / std::f32::consts::PI;
    let quarter = if tall > wide { 0.5 - eighth } else { eighth };
    if across * down < 0.0 { 1.0 - quarter } else { quarter }
}

/// The sum of the squares of the differences.
fn squares(a: &[f32], b: &[f32]) -> f32 {
    // Sums side by side do not wait for each other.
    let mut sums = [0.0f32; 8];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        (0..8).for_each(|at| sums[at] += (a[at] - b[at]) * (a[at] - b[at]));
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum::<f32>()
}

/// How little neighbouring pixels have to do with each other, from 0 to about 1 for noise; and their variance.
fn disorder(grey: &[f32]) -> (f32, f32) {
    let rows: f32 = grey.chunks_exact(SIDE).map(|row| squares(&row[..SIDE - 1], &row[1..])).sum();
    let columns = squares(&grey[..grey.len() - SIDE], &grey[SIDE..]);
    let pairs = (SIDE * (SIDE - 1)) as f32;
    let steps = (rows + columns) / pairs;
    let mean = grey.iter().sum::<f32>() / grey.len() as f32;
    let variance = squares(grey, &[mean; SIDE * SIDE]) / grey.len() as f32;
    (steps / 4.0 / (variance + 1e-3), variance)
}

/// What the thumbnail leaves out, for pictures with this share of disorder.
fn details(grey: &[f32], share: f32, values: &mut Vec<f32>) {
    let weight = DISORDER * ((share - ORDER.0) / (ORDER.1 - ORDER.0)).clamp(0.0, 1.0);
    let first = values.len();
    values.resize(first + DETAILS, 0.0);
    if weight == 0.0 {
        return;
    }
    let parts = means::<THUMB>(grey);
    let size = SIDE / THUMB;
    for (at, value) in grey.iter().enumerate() {
        let rest = value - parts[(at / SIDE / size) * THUMB + at % SIDE / size];
        let signs = signs(at as u64);
        for (detail, sum) in values[first..].iter_mut().enumerate() {
            *sum += if signs >> detail & 1 == 1 { rest } else { -rest };
        }
    }
    let scale = weight / (DETAILS as f32).sqrt() / SIDE as f32;
    values[first..].iter_mut().for_each(|sum| *sum *= scale);
}

/// Bits that look random, the same for ever (SplitMix64).
fn signs(at: u64) -> u64 {
    let mut bits = at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9_u64), (27, 0x94d0_49bb_1331_11eb)] {
        bits = (bits ^ (bits >> shift)).wrapping_mul(factor);
    }
    bits ^ (bits >> 31)
}

/// True if pixels without any order have nothing to do with those further off, either.
fn is_noise(grey: &[f32], variance: f32) -> bool {
    let mean = grey.iter().sum::<f32>() / grey.len() as f32;
    let side = SIDE as i32;
    let alike = |across: i32, down: i32| {
        let own = (0..side - down).flat_map(|y| (0.max(-across)..side.min(side - across)).map(move |x| (x, y)));
        let value = |x: i32, y: i32| grey[(y * side + x) as usize] - mean;
        let count = ((side - down) * (side - across.abs())) as f32;
        own.map(|(x, y)| value(x, y) * value(x + across, y + down)).sum::<f32>() / count / variance
    };
    let far = |(across, down): &(i32, i32)| across.abs().max(*down) >= APART.start && (*down > 0 || *across > 0);
    let lags = (0..APART.end).flat_map(|down| (1 - APART.end..APART.end).map(move |across| (across, down)));
    variance > NOISE * NOISE && lags.filter(far).all(|(across, down)| alike(across, down).abs() < ALIKE)
}

/// True if neither luminance nor any colour differs from place to place.
fn is_blank(small: &[f32], grey: &[f32]) -> bool {
    let colour = |at: usize| small.iter().skip(at).step_by(3).copied().collect();
    spread(grey.to_vec()) < BLANK && (0..3).all(|at| spread(colour(at)) < BLANK)
}

/// By how much values differ, but for a hundredth at either end.
fn spread(mut values: Vec<f32>) -> f32 {
    let cut = values.len() / 100;
    let (_, &mut least, rest) = values.select_nth_unstable_by(cut, f32::total_cmp);
    let (_, &mut most, _) = rest.select_nth_unstable_by(rest.len() - 1 - cut, f32::total_cmp);
    most - least
}

/// The share of white parts, if there is hardly anything but them and one more tone.
fn white(grey: &[f32]) -> f32 {
    let mut counts = [0usize; TONES];
    let others = grey.iter().filter(|&&value| value < WHITE);
    others.for_each(|value| counts[((value * TONES as f32) as usize).min(TONES - 1)] += 1);
    let share = |count: usize| count as f32 / grey.len() as f32;
    let white = share(grey.len() - counts.iter().sum::<usize>());
    if white + share(counts.into_iter().max().unwrap_or_default()) >= TWO_TONES { white } else { 0.0 }
}

/// Which pictures got far too much light, by how white they and the others are.
pub fn washed_out(white: &[f32]) -> Vec<bool> {
    let mut sorted = white.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    let usual = sorted.get(3 * sorted.len() / 4).copied().unwrap_or_default();
    let found: Vec<bool> = white.iter().map(|&own| own > MOST_WHITE.max(TIMES * usual)).collect();
    let count = found.iter().filter(|washed| **washed).count();
    if count as f32 > FEW * white.len() as f32 { vec![false; white.len()] } else { found }
}

/// For each of 8 x 8 places, whether the picture gets lighter to the right.
fn perceptual_hash(picture: &Raster) -> u64 {
    let small = picture.shrunk(9, 8);
    let grey: Vec<f32> = small.chunks_exact(3).map(luminance).collect();
    let steps = grey.chunks_exact(9).flat_map(|row| row.windows(2).map(|pair| pair[0] < pair[1]));
    steps.fold(0, |word, lighter| word << 1 | u64::from(lighter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(value: impl Fn(usize, usize) -> u8) -> Raster {
        Raster { width: 64, height: 64, rgb: (0..64 * 64).flat_map(|at| [value(at % 64, at / 64); 3]).collect() }
    }

    fn distance(a: &Features, b: &Features) -> f32 {
        a.values.iter().zip(&b.values).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
    }

    #[test]
    fn each_number_has_a_name() {
        let found = features(&picture(|x, _| x as u8 * 4));
        assert_eq!((found.values.len(), names().len()), (FEATURES, FEATURES));
        assert!(found.values.iter().all(|value| value.is_finite()) && !found.blank);
    }

    #[test]
    fn directions_are_those_of_the_arc_tangent() {
        for step in 0..1000 {
            let way = step as f32 / 1000.0 * std::f32::consts::TAU;
            for length in [1e-6, 0.3, 1.0] {
                let (across, down) = (length * way.cos(), length * way.sin());
                let wanted = down.atan2(across).rem_euclid(std::f32::consts::PI) / std::f32::consts::PI;
                let apart = (angle(across, down) - wanted).abs();
                assert!(apart.min(1.0 - apart) < 1e-6, "{across} {down}");
            }
        }
        assert_eq!((angle(0.0, 0.0), angle(-1.0, 0.0), angle(0.0, -1.0)), (0.0, 0.0, 0.5));
    }

    #[test]
    fn noise_is_far_from_everything_and_from_other_noise() {
        let noise = |seed: u64| features(&picture(|x, y| signs(seed * 10_000 + (y / 2 * 32 + x / 2) as u64) as u8));
        let slope = |lean: usize| features(&picture(|x, y| ((x * 3 + lean * y) % 256) as u8));
        let (near, far) = (distance(&slope(0), &slope(1)), distance(&noise(1), &noise(2)));
        assert!(far > 0.5 && far > 2.0 * near, "{near} {far}");
        assert!(slope(1).values[FEATURES - DETAILS..].iter().all(|value| *value == 0.0));
    }

    #[test]
    fn pictures_that_show_nothing_are_known() {
        assert!(features(&picture(|_, _| 0)).blank && features(&picture(|x, _| 250 + (x % 5) as u8)).blank);
        assert!(!features(&picture(|x, _| if x < 10 { 0 } else { 90 })).blank);
        // Red and green may be as light as each other.
        let pixel = |at: usize| if at % 64 < 30 { [255, 0, 0] } else { [0, 130, 0] };
        let colours = Raster { width: 64, height: 64, rgb: (0..64 * 64).flat_map(pixel).collect() };
        assert!(!features(&colours).blank);
        let noise = features(&picture(|x, y| signs((y * 64 + x) as u64) as u8));
        // From afar sand is grey, and not quite evenly so.
        let sand = features(&picture(|x, y| 100 + (signs((y / 2 * 32 + x / 2) as u64) % 40) as u8));
        // Neither stripes nor checks are noise, however fine.
        let stripes = features(&picture(|x, y| if (x / 2 + y / 4) % 2 == 0 { 30 } else { 220 }));
        let checks = features(&picture(|x, y| if (x / 2 + y / 2) % 2 == 0 { 30 } else { 220 }));
        assert!(noise.blank && !sand.blank && !stripes.blank && !checks.blank);
    }

    #[test]
    fn too_much_light_is_told_from_white_paper() {
        let shirt = |x: usize, y: usize| if (16..48).contains(&x) && y > 8 { 40 + (x * y) % 160 } else { 0 };
        let right = features(&picture(|x, y| shirt(x, y) as u8)).white;
        let over = features(&picture(|x, y| (6 * shirt(x, y) + 60).min(255) as u8)).white;
        assert!(right == 0.0 && over > 0.3, "{right} {over}");
        // A shirt on white paper keeps its tones.
        let paper = features(&picture(|x, y| if x < 24 { 255 } else { (20 + (x * y) % 200) as u8 })).white;
        assert_eq!(paper, 0.0);
        let mut all = vec![0.0; 99];
        all.push(over);
        assert_eq!(washed_out(&all).iter().filter(|washed| **washed).count(), 1);
        // One in ten is a kind of picture, not an accident; so is a folder of white ones.
        all.extend([over; 10]);
        assert!(
            !washed_out(&all).contains(&true) && !washed_out(&[over; 30]).contains(&true) && washed_out(&[]).is_empty()
        );
    }

    #[test]
    fn a_lighter_and_smaller_copy_has_the_same_hash() {
        let value = |x: usize, y: usize| (100.0 + 80.0 * ((x + 2 * y) as f32 / 9.0).sin()) as u8;
        let (one, other) = (picture(value), picture(|x, y| value(x, y) + 20));
        let apart = features(&one).hash ^ features(&other.thumbnail(40)).hash;
        assert!(apart.count_ones() <= 2, "{apart:b}");
    }
}
