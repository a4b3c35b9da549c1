//! Few numbers for each text: the largest singular directions of its weights, by random projection and power iterations.
//!
//! Halko, Martinsson and Tropp (2011): the weights times random numbers span nearly the same space as the largest
//! directions, and each multiplication by the weights brings it closer. Work and memory grow with the entries of the weights.
//! All sums are taken in a fixed order, so that threads change nothing.

use faer::{Mat, Side};
use rayon::prelude::*;

use super::tfidf::Weights;

/// Directions beyond those that are wanted: they make the last ones better.
const MORE: usize = 10;
/// How often the weights are applied.
const ROUNDS: usize = 3;
/// Directions that are weaker than this against the strongest are rounding.
const LEAST: f64 = 1e-10;

/// Rows of numbers.
type Rows = Vec<Vec<f64>>;

/// The coordinates of each text in at most `wanted` directions, the strongest first.
pub fn project(weights: &Weights, wanted: usize, seed: u64) -> Vec<Vec<f32>> {
    let terms = weights.terms.len();
    let size = (wanted + MORE).min(weights.rows()).min(terms).max(1);
    let (starts, entries) = weights.transposed();
    let by_texts = |directions: &Rows| -> Rows {
        let sum = |row: usize| weighted(weights.row(row), directions, size);
        (0..weights.rows()).into_par_iter().map(sum).collect()
    };
    let by_terms = |rows: &Rows| -> Rows {
        let of =
            |term: usize| entries[starts[term]..starts[term + 1]].iter().map(|&(row, value)| (row as usize, value));
        (0..terms).into_par_iter().map(|term| weighted(of(term), rows, size)).collect()
    };
    let mut directions: Rows = (0..terms).map(|term| gaussian(seed, term, size)).collect();
    for _ in 0..ROUNDS {
        let texts = orthonormal(by_texts(&directions), size);
        directions = orthonormal(by_terms(&texts), size);
    }
    // Coordinates in an orthonormal basis of nearly the right space, turned to the principal axes.
    let coordinates = by_texts(&directions);
    let (axes, _) = principal(&gram(&coordinates, size), size);
    let turn = |row: &Vec<f64>| -> Vec<f32> {
        let along = |axis: &Vec<f64>| row.iter().zip(axis).map(|(a, b)| a * b).sum::<f64>() as f32;
        axes.iter().take(wanted).map(along).collect()
    };
    coordinates.par_iter().map(turn).collect()
}

fn weighted(entries: impl Iterator<Item = (usize, f32)>, rows: &Rows, size: usize) -> Vec<f64> {
    let mut sum = vec![0.0; size];
    for (at, value) in entries {
        sum.iter_mut().zip(&rows[at]).for_each(|(sum, own)| *sum += f64::from(value) * own);
    }
    sum
}

/// The products of all pairs of columns.
fn gram(rows: &Rows, size: usize) -> Rows {
    // Blocks of a fixed number of rows, added in their order.
    let block = |rows: &[Vec<f64>]| -> Rows {
        let mut sums = vec![vec![0.0; size]; size];
        for row in rows {
            for (value, sums) in row.iter().zip(&mut sums) {
                sums.iter_mut().zip(row).for_each(|(sum, other)| *sum += value * other);
            }
        }
        sums
    };
    let blocks: Vec<Rows> = rows.par_chunks(512).map(block).collect();
    let mut total = vec![vec![0.0; size]; size];
    for sums in blocks {
        total.iter_mut().flatten().zip(sums.iter().flatten()).for_each(|(total, sum)| *total += sum);
    }
    total
}

/// The principal axes of a symmetric matrix and their strengths, the strongest first.
fn principal(gram: &Rows, size: usize) -> (Rows, Vec<f64>) {
    let matrix = Mat::from_fn(size, size, |row, column| gram[row][column]);
    let Ok(found) = matrix.as_ref().self_adjoint_eigen(Side::Lower) else {
        // It did not converge: the axes as they are.
        return (
            (0..size).map(|own| (0..size).map(|at| f64::from(u8::from(at == own))).collect()).collect(),
            vec![1.0; size],
        );
    };
    let axis = |at: usize| -> Vec<f64> {
        let axis: Vec<f64> = (0..size).map(|row| found.U()[(row, at)]).collect();
        // An axis and its opposite are the same; the sign is fixed by the largest part.
        let largest = axis.iter().fold(0.0f64, |most, part| if part.abs() > most.abs() { *part } else { most });
        axis.iter().map(|part| part * largest.signum()).collect()
    };
    let order = (0..size).rev();
    (order.clone().map(axis).collect(), order.map(|at| found.S().column_vector()[at].max(0.0)).collect())
}

/// Orthonormal columns that span the same space; directions that are rounding only become zero.
fn orthonormal(rows: Rows, size: usize) -> Rows {
    // Twice, because squares lose half of the digits.
    (0..2).fold(rows, |rows, _| {
        let (axes, strengths) = principal(&gram(&rows, size), size);
        let floor = LEAST * LEAST.sqrt() * strengths[0];
        let scale: Vec<f64> =
            strengths.iter().map(|&strength| if strength > floor { 1.0 / strength.sqrt() } else { 0.0 }).collect();
        let turn = |row: &Vec<f64>| -> Vec<f64> {
            let along =
                |(axis, scale): (&Vec<f64>, &f64)| row.iter().zip(axis).map(|(a, b)| a * b).sum::<f64>() * scale;
            axes.iter().zip(&scale).map(along).collect()
        };
        rows.par_iter().map(turn).collect()
    })
}

/// Random numbers of a term: sums of twelve uniform ones, nearly normal. A function of the seed and the term alone.
fn gaussian(seed: u64, term: usize, size: usize) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (term as u64).wrapping_mul(0xd1b5_4a32_d192_ed03);
    let mut uniform = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9_u64), (27, 0x94d0_49bb_1331_11eb)] {
            bits = (bits ^ (bits >> shift)).wrapping_mul(factor);
        }
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..size).map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of three topics; the products of the coordinates are those of the weights.
    #[test]
    fn a_full_projection_keeps_all_products() {
        let words = |topic: usize, text: usize| -> String {
            (0..12).map(|at| format!("w{}", topic * 10 + (at * (text + 3) + text) % 14)).collect::<Vec<_>>().join(" ")
        };
        let texts: Vec<String> = (0..30).map(|text| words(text % 3, text / 3)).collect();
        let weights = Weights::of(&texts);
        let found = project(&weights, 100, 1);
        let dense = |row: usize| {
            let mut values = vec![0.0f64; weights.terms.len()];
            weights.row(row).for_each(|(term, value)| values[term] = f64::from(value));
            values
        };
        for a in 0..30 {
            for b in 0..30 {
                let wanted: f64 = dense(a).iter().zip(dense(b)).map(|(a, b)| a * b).sum();
                let product: f64 = found[a].iter().zip(&found[b]).map(|(a, b)| f64::from(a * b)).sum();
                assert!((wanted - product).abs() < 1e-4, "{a} {b}: {wanted} {product}");
            }
        }
        // Fewer directions: the strongest ones, the same for any number of threads.
        let few = project(&weights, 3, 1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| project(&weights, 3, 1)), few);
        let close = few.iter().zip(&found).all(|(few, all)| (few[0].abs() - all[0].abs()).abs() < 1e-3);
        assert!(close);
    }
}
