//! Data and checks that several tests share.
#![allow(dead_code)] // each test file uses its part

pub mod places;
pub mod verify;

use arss::Float;

/// A fixed sequence of numbers in [-1, 1), different for each seed.
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Noise(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Roughly normal.
    pub fn normal(&mut self) -> f64 {
        (0..6).map(|_| self.next()).sum::<f64>() / 2f64.sqrt()
    }
}

/// Clusters with correlated features, some outlier rows and some outlier entries: shaped like the
/// real sets, standardised column by column.
pub fn clusters(n: usize, l: usize, seed: u64) -> Vec<f64> {
    let mut noise = Noise::new(seed);
    let (groups, hidden) = (7, (l / 2).max(1));
    let mix: Vec<f64> = (0..hidden * l).map(|_| noise.normal()).collect();
    let centres: Vec<f64> = (0..groups * hidden).map(|_| 2.0 * noise.normal()).collect();
    let mut table = Vec::with_capacity(n * l);
    for row in 0..n {
        let z: Vec<f64> = (0..hidden).map(|h| centres[row % groups * hidden + h] + noise.normal()).collect();
        let wild = row % 29 == 3;
        for j in 0..l {
            let clean: f64 = (0..hidden).map(|h| z[h] * mix[h * l + j]).sum::<f64>() + 0.3 * noise.normal();
            let entry = if noise.next() > 0.98 { 8.0 * noise.normal() } else { 0.0 };
            table.push(clean + entry + if wild { 6.0 * noise.normal() } else { 0.0 });
        }
    }
    standardise(&mut table, l);
    table
}

fn standardise(table: &mut [f64], l: usize) {
    let n = (table.len() / l) as f64;
    for j in 0..l {
        let mean = table.iter().skip(j).step_by(l).sum::<f64>() / n;
        let spread = (table.iter().skip(j).step_by(l).map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
        table.iter_mut().skip(j).step_by(l).for_each(|x| *x = (*x - mean) / if spread > 0.0 { spread } else { 1.0 });
    }
}

/// Plain noise.
pub fn noise_table(n: usize, l: usize, seed: u64) -> Vec<f64> {
    let mut noise = Noise::new(seed);
    (0..n * l).map(|_| noise.normal()).collect()
}

/// The table in another element type.
pub fn cast<T: Float>(table: &[f64]) -> Vec<T> {
    table.iter().map(|&x| T::from_f64(x)).collect()
}

/// Row sums of |A| and row norms of a row-major square matrix.
pub fn row_sums_and_norms(a: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let rows = || a.chunks_exact(n);
    let sums = rows().map(|row| row.iter().map(|x| x.abs()).sum()).collect();
    let norms = rows().map(|row| row.iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
    (sums, norms)
}

/// Largest difference, relative to the largest expected value.
pub fn relative_error(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().fold(f64::MIN_POSITIVE, |max, x| x.abs().max(max));
    found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
}
