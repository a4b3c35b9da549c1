//! TED with the N x N matrix K.

use faer::Mat;

use crate::Samples;
use crate::linalg::top_k;

/// TED with the N x N matrix K: slow, kept for tests and for the speed tables.
///
/// ```
/// use arss::{Samples, TedReference};
///
/// let table = [2.0, 0.0, 2.0, 0.1, 0.0, 1.0];
/// let reference = TedReference { alpha: 0.1, exclude_picked: true };
/// assert_eq!(reference.picks(&Samples::new(&table, 3, 2)?, 2, None), [1, 2]);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TedReference {
    /// Ridge.
    pub alpha: f64,
    /// Never pick a sample twice; the authors' code does not exclude it.
    pub exclude_picked: bool,
}

impl TedReference {
    /// The picks, best first.
    pub fn picks(&self, samples: &Samples<'_, f64>, k: usize, weights: Option<&[f64]>) -> Vec<usize> {
        let n = samples.items();
        let x = Mat::from_fn(samples.features(), n, |l, n| samples.get(n, l));
        let mut kernel = x.transpose() * &x;
        let mut picks: Vec<usize> = Vec::with_capacity(k);
        for _ in 0..k {
            let gain = |i: usize| {
                let square = |m: usize| weights.map_or(1.0, |u| u[m]) * kernel[(m, i)] * kernel[(m, i)];
                (0..n).map(square).sum::<f64>() / (kernel[(i, i)] + self.alpha)
            };
            let gains: Vec<f64> = (0..n)
                .map(|i| if self.exclude_picked && picks.contains(&i) { f64::NEG_INFINITY } else { gain(i) })
                .collect();
            let pick = top_k::top(&gains, 1)[0];
            let column = kernel.col(pick).to_owned();
            let update = column.as_mat() * column.as_mat().transpose();
            kernel -= update * faer::Scale(1.0 / (column[pick] + self.alpha));
            picks.push(pick);
        }
        picks
    }
}
