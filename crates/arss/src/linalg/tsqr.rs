//! QR decompositions of tall, thin matrices, block by block: only R is kept.
//!
//! The columns of R have the lengths and inner products of the columns of X. A method that looks at nothing else can work
//! on R instead. The cost is linear in the number of rows, and the accuracy is that of QR, not of X'X.

use faer::{Mat, MatRef};

use super::compressed::Compressed;
use crate::linalg;
use crate::out_of_core::RowSource;
use crate::parallel::Partition;
use crate::{Error, Float, RunOptions, Samples};

/// Rows that are read at a time; at least twice the columns, so that most of the work is on new rows.
const BLOCK: usize = 4096;

/// Rows of inner products that a thread takes at a time.
const GRAM_ROWS: usize = 64;

/// The factor R of X = Q R for rows that are read when they are needed: L x L, or N x L if there are fewer rows. The
/// result is row-major.
///
/// Columns of R have the lengths, distances and inner products of the columns of X. A method that looks at nothing else
/// chooses among them as it would among the columns of X, which do not fit into memory.
///
/// ```
/// use arss::out_of_core::{RowSource, r_factor};
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
/// let r = r_factor(&Rows(vec![[3.0, 1.0], [4.0, 0.0], [0.0, 2.0]]))?;
/// assert!((r[0] * r[0] - 25.0).abs() < 1e-12); // the first column is 5 long
/// # Ok::<(), arss::Error>(())
/// ```
///
/// # Errors
/// If the rows cannot be read.
pub fn r_factor<T: Float>(source: &dyn RowSource<T>) -> Result<Vec<f64>, Error> {
    let (items, features) = (source.items(), source.features());
    let block = BLOCK.max(2 * features);
    let mut above = Mat::<f64>::zeros(0, features);
    let mut rows = Vec::new();
    for first in (0..items).step_by(block) {
        let count = block.min(items - first);
        rows.resize(count * features, T::from_f64(0.0));
        source.read(first, &mut rows).map_err(|reason| Error::Backend { reason })?;
        let below = Mat::from_fn(count, features, |i, j| rows[i * features + j].to_f64());
        above = r_of_stacked(&above, &below);
    }
    Ok((0..above.nrows()).flat_map(|i| (0..features).map(move |j| (i, j))).map(|at| above[at]).collect())
}

/// An N x N row-major table with the inner products of `samples`, N being its items (N <= L).
pub(crate) fn rotated<T: Float>(samples: &Samples<'_, T>, run: &RunOptions<'_>) -> Result<Vec<f64>, Error> {
    if samples.has_directions() {
        // The length of a row cannot be told from a column: it is taken off afterwards.
        let items = samples.items();
        let mut small = rotated(&samples.with_lengths().in_safe_range(), run)?;
        for row in small.chunks_exact_mut(items) {
            let length = linalg::norm_squared(row).sqrt();
            row.iter_mut().for_each(|value| *value /= length);
        }
        return Ok(small);
    }
    if samples.is_sparse() {
        return rotated_sparse(samples, run);
    }
    let features = samples.transposed();
    let items = samples.items();
    let block = if run.block > 0 { run.block } else { items.max(256) };
    let partition =
        Partition::new(&RunOptions { threads: run.threads, block, ..RunOptions::default() }, features.items(), items)?;
    let visit = |r: &mut Mat<f64>, range: std::ops::Range<usize>| {
        let block = features.block(range);
        let rows = Mat::from_fn(block.rows, items, |i, j| block.row(i)[j].to_f64());
        *r = r_of_stacked(r, &rows);
    };
    let r = partition.fold(Mat::new, visit, |a, b| *a = r_of_stacked(a, &std::mem::replace(b, Mat::new())));
    Ok((0..items * items)
        .map(|i| {
            let (item, row) = (i / items, i % items);
            if row < r.nrows() { r[(row, item)] } else { 0.0 }
        })
        .collect())
}

/// The same where most values are zero: by the root of the inner products, which take time only for the others.
fn rotated_sparse<T: Float>(samples: &Samples<'_, T>, run: &RunOptions<'_>) -> Result<Vec<f64>, Error> {
    let items = samples.items();
    let mut rows = Compressed::empty();
    (0..items).for_each(|item| rows.push(samples.item_values(item)));
    let by_column = rows.transposed(samples.features());
    let options = RunOptions { threads: run.threads, block: GRAM_ROWS, ..RunOptions::default() };
    let partition = Partition::new(&options, items, 1)?;
    let mut gram = vec![0.0; items * items];
    let visit = |(): &mut (), range: std::ops::Range<usize>, own: &mut [f64]| {
        own.chunks_exact_mut(items).zip(range).for_each(|(line, item)| by_column.products(rows.row(item), line));
    };
    partition.fold_mut(&mut gram, items, || (), visit, |_, ()| ());
    let root = linalg::lower_root(MatRef::from_row_major_slice(&gram, items, items));
    for (item, line) in gram.chunks_exact_mut(items).enumerate() {
        line.iter_mut().enumerate().for_each(|(at, value)| *value = root[(item, at)]);
    }
    Ok(gram)
}

/// R of the QR decomposition of one matrix above the other.
fn r_of_stacked(upper: &Mat<f64>, lower: &Mat<f64>) -> Mat<f64> {
    let (first, columns) = (upper.nrows(), lower.ncols());
    let entry = |i: usize, j: usize| if i < first { upper[(i, j)] } else { lower[(i - first, j)] };
    let both = Mat::from_fn(first + lower.nrows(), columns, entry);
    both.qr().thin_R().to_owned()
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
            let r = r_factor(&table).unwrap();
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

    #[test]
    fn inner_products_stay() {
        let values: Vec<f64> = (0..7 * 1000).map(|i| (f64::from(i) * 1.7).sin()).collect();
        let samples = Samples::new(&values, 7, 1000).unwrap();
        for block in [0, 3, 64] {
            let small = rotated(&samples, &RunOptions { block, ..RunOptions::default() }).unwrap();
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
