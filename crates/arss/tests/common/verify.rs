//! The verifier: recomputes from the returned solution what the report claims, in plain loops that
//! share no code with the solvers.

use arss::{Selection, Solution};

/// What the verifier found.
#[derive(Debug)]
pub struct Verified {
    pub objective: f64,
    pub gap: f64,
    pub row_norms: Vec<f64>,
    pub row_sums: Vec<f64>,
    pub residuals: Vec<f64>,
}

/// Which model the solution claims to solve.
#[derive(Clone, Copy, PartialEq)]
pub enum Model {
    /// Entry-wise p-th powers.
    Entries(f64),
    /// 2-norms of the samples' errors.
    Samples,
}

/// A row by row, errors, objective, and the dual bound of the scaled-down dual.
pub fn verify(table: &[f64], l: usize, selection: &Selection, model: Model) -> Verified {
    let n = table.len() / l;
    let gamma = selection.report.gamma.expect("a regularised model");
    let Solution { weights, dual } = selection.solution.as_ref().expect("the solution was asked for");
    let x = |i: usize| &table[i * l..(i + 1) * l];
    let d = |i: usize| &dual[i * l..(i + 1) * l];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();

    let (mut row_norms, mut row_sums) = (vec![0.0; n], vec![0.0; n]);
    let mut reached = vec![0.0; n * l]; // XA, one row per sample
    let mut tightest = 1.0f64; // what the dual has to be divided by
    for i in 0..n {
        let mut square = 0.0;
        for m in 0..n {
            let a = weights[i] * dot(x(i), d(m)) / gamma;
            row_norms[i] += a * a;
            row_sums[i] += a.abs();
            square += dot(x(i), d(m)).powi(2);
            reached[m * l..(m + 1) * l].iter_mut().zip(x(i)).for_each(|(r, x)| *r += a * x);
        }
        row_norms[i] = row_norms[i].sqrt();
        tightest = tightest.max(square.sqrt() / gamma);
    }
    let error = |i: usize| x(i).iter().zip(&reached[i * l..(i + 1) * l]).map(|(x, r)| x - r);
    let residuals: Vec<f64> = (0..n).map(|i| error(i).map(|e| e * e).sum::<f64>().sqrt()).collect();
    let loss = match model {
        Model::Entries(p) => (0..n).flat_map(error).map(|e| e.abs().powf(p)).sum::<f64>(),
        Model::Samples => residuals.iter().sum(),
    };
    tightest = match model {
        Model::Entries(_) => dual.iter().fold(tightest, |max, d| max.max(d.abs())),
        Model::Samples => (0..n).fold(tightest, |max, i| max.max(dot(d(i), d(i)).sqrt())),
    };
    let objective = loss + gamma * row_norms.iter().sum::<f64>();
    let bound = dot(dual, table) / tightest;
    Verified { objective, gap: (objective - bound) / objective, row_norms, row_sums, residuals }
}
