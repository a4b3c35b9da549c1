//! Fewer features without changing any inner product: for methods that only see those.
//!
//! N items of L >= N features span at most N dimensions. X = Q R with R of N x N, and the
//! columns of R have the inner products of the items. R comes from one QR after another down
//! the features, so the cost is linear in L and the accuracy is that of QR, not of X'X.

use faer::Mat;

use crate::blocks::Team;
use crate::{Error, Float, Run, Samples};

/// An N x N row-major table with the inner products of `samples`, N being its items (N <= L).
pub(crate) fn rotated<T: Float>(samples: &Samples<'_, T>, run: &Run<'_>) -> Result<Vec<f64>, Error> {
    let features = samples.transposed();
    let items = samples.items();
    let block = if run.block > 0 { run.block } else { items.max(256) };
    let team = Team::new(&Run { threads: run.threads, block, ..Run::default() }, features.items(), items)?;
    let visit = |r: &mut Mat<f64>, range: std::ops::Range<usize>| {
        let block = features.block(range);
        let rows = Mat::from_fn(block.rows, items, |i, j| block.row(i)[j].to_f64());
        *r = stacked(r, &rows);
    };
    let r = team.fold(Mat::new, visit, |a, b| *a = stacked(a, &std::mem::replace(b, Mat::new())));
    Ok((0..items * items)
        .map(|i| {
            let (item, row) = (i / items, i % items);
            if row < r.nrows() { r[(row, item)] } else { 0.0 }
        })
        .collect())
}

/// R of the QR decomposition of one matrix above the other.
fn stacked(upper: &Mat<f64>, lower: &Mat<f64>) -> Mat<f64> {
    let (first, columns) = (upper.nrows(), lower.ncols());
    let both =
        Mat::from_fn(
            first + lower.nrows(),
            columns,
            |i, j| {
                if i < first { upper[(i, j)] } else { lower[(i - first, j)] }
            },
        );
    both.qr().thin_R().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_products_stay() {
        let values: Vec<f64> = (0..7 * 1000).map(|i| (f64::from(i) * 1.7).sin()).collect();
        let samples = Samples::new(&values, 7, 1000).unwrap();
        for block in [0, 3, 64] {
            let small = rotated(&samples, &Run { block, ..Run::default() }).unwrap();
            for i in 0..7 {
                for j in 0..7 {
                    let before: f64 = (0..1000).map(|l| samples.get(i, l) * samples.get(j, l)).sum();
                    let after: f64 = (0..7).map(|l| small[i * 7 + l] * small[j * 7 + l]).sum();
                    assert!((before - after).abs() < 1e-10, "{before} {after}");
                }
            }
        }
    }
}
