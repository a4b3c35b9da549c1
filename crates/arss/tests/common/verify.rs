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

/// A row by row, errors, objective, and the dual's bound: scaled down, or cut to its limits first and then scaled.
pub fn verify(table: &[f64], l: usize, selection: &Selection, model: Model) -> Verified {
    let n = table.len() / l;
    let gamma = selection.report.gamma.expect("a regularised model");
    let Solution { weights, dual } = selection.solution.as_ref().expect("the solution was asked for");
    let x = |i: usize| &table[i * l..(i + 1) * l];
    let d = |i: usize| &dual[i * l..(i + 1) * l];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();

    let (mut row_norms, mut row_sums) = (vec![0.0; n], vec![0.0; n]);
    let mut reached = vec![0.0; n * l]; // XA, one row per sample
    for i in 0..n {
        for m in 0..n {
            let a = weights[i] * dot(x(i), d(m)) / gamma;
            row_norms[i] += a * a;
            row_sums[i] += a.abs();
            reached[m * l..(m + 1) * l].iter_mut().zip(x(i)).for_each(|(r, x)| *r += a * x);
        }
        row_norms[i] = row_norms[i].sqrt();
    }
    let error = |i: usize| x(i).iter().zip(&reached[i * l..(i + 1) * l]).map(|(x, r)| x - r);
    let residuals: Vec<f64> = (0..n).map(|i| error(i).map(|e| e * e).sum::<f64>().sqrt()).collect();
    let loss = match model {
        Model::Entries(p) => (0..n).flat_map(error).map(|e| e.abs().powf(p)).sum::<f64>(),
        Model::Samples => residuals.iter().sum(),
    };
    let objective = loss + gamma * row_norms.iter().sum::<f64>();
    let cut: Vec<f64> = match model {
        Model::Entries(_) => dual.iter().map(|d| d.clamp(-1.0, 1.0)).collect(),
        Model::Samples => (0..n).flat_map(|i| d(i).iter().map(move |v| v / dot(d(i), d(i)).sqrt().max(1.0))).collect(),
    };
    let bound = bound(table, l, (dual, gamma), model).max(bound(table, l, (&cut, gamma), model));
    Verified { objective, gap: (objective - bound) / objective, row_norms, row_sums, residuals }
}

/// The bound that a dual gives once it is divided by what makes it feasible.
fn bound(table: &[f64], l: usize, (dual, gamma): (&[f64], f64), model: Model) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut tightest = 1.0f64;
    for x in table.chunks_exact(l) {
        let square: f64 = dual.chunks_exact(l).map(|d| dot(x, d).powi(2)).sum();
        tightest = tightest.max(square.sqrt() / gamma);
    }
    tightest = match model {
        Model::Entries(_) => dual.iter().fold(tightest, |max, d| max.max(d.abs())),
        Model::Samples => dual.chunks_exact(l).fold(tightest, |max, d| max.max(dot(d, d).sqrt())),
    };
    dot(dual, table) / tightest
}
