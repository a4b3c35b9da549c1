//! All that inner products of columns tell, in a small matrix.

use faer::Mat;

use crate::elsewhere::RowSource;
use crate::{Error, Float};

/// Rows that are read at a time; at least twice the columns, so that most of the work is on new rows.
const BLOCK: usize = 4096;

/// The triangle R of X = Q R for rows that are read when they are needed, row by row: L x L, or N x L if there are
/// fewer rows.
///
/// Columns of R have the lengths, distances and inner products of the columns of X. A method that looks at nothing else
/// chooses among them as it would among the columns of X, which do not fit into memory.
///
/// ```
/// use arss::elsewhere::{RowSource, triangle};
///
/// struct Rows(Vec<[f64; 2]>);
/// impl RowSource<f64> for Rows {
///     fn items(&self) -> usize {
///         self.0.len()
///     }
///     fn features(&self) -> usize {
///         2
///     }
///     fn read(&self, first: usize, rows: &mut [f64]) -> Result<(), String> {
///         rows.copy_from_slice(&self.0.concat()[2 * first..][..rows.len()]);
///         Ok(())
///     }
/// }
/// let r = triangle(&Rows(vec![[3.0, 1.0], [4.0, 0.0], [0.0, 2.0]]))?;
/// assert!((r[0] * r[0] - 25.0).abs() < 1e-12); // the first column is 5 long
/// # Ok::<(), arss::Error>(())
/// ```
///
/// # Errors
/// If the rows cannot be read.
pub fn triangle<T: Float>(source: &dyn RowSource<T>) -> Result<Vec<f64>, Error> {
    let (items, features) = (source.items(), source.features());
    let block = BLOCK.max(2 * features);
    let mut above = Mat::<f64>::zeros(0, features);
    let mut rows = Vec::new();
    for first in (0..items).step_by(block) {
        let count = block.min(items - first);
        rows.resize(count * features, T::from_f64(0.0));
        source.read(first, &mut rows).map_err(|reason| Error::Engine { reason })?;
        let known = above.nrows();
        let stacked = Mat::from_fn(known + count, features, |i, j| {
            if i < known { above[(i, j)] } else { rows[(i - known) * features + j].to_f64() }
        });
        above = stacked.qr().thin_R().to_owned();
    }
    Ok((0..above.nrows()).flat_map(|i| (0..features).map(move |j| (i, j))).map(|at| above[at]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Table(usize, usize);

    impl RowSource<f64> for Table {
        fn items(&self) -> usize {
            self.0
        }

        fn features(&self) -> usize {
            self.1
        }

        fn read(&self, first: usize, rows: &mut [f64]) -> Result<(), String> {
            let value = |at: usize| ((at * at + 7 * at) % 101) as f64 - 50.0;
            rows.iter_mut().enumerate().for_each(|(at, cell)| *cell = value(first * self.1 + at));
            Ok(())
        }
    }

    #[test]
    fn inner_products_of_columns_stay() {
        for (n, l) in [(10_000, 6), (3, 6), (6, 6), (1, 1)] {
            let table = Table(n, l);
            let r = triangle(&table).unwrap();
            assert_eq!(r.len(), n.min(l) * l);
            let mut x = vec![0.0; n * l];
            table.read(0, &mut x).unwrap();
            let product = |rows: &[f64], i: usize, j: usize| rows.chunks(l).map(|row| row[i] * row[j]).sum::<f64>();
            for (i, j) in (0..l).flat_map(|i| (0..l).map(move |j| (i, j))) {
                let (here, there) = (product(&r, i, j), product(&x, i, j));
                assert!((here - there).abs() < 1e-9 * product(&x, i, i).max(product(&x, j, j)), "{n} {l} {i} {j}");
            }
        }
    }
}
