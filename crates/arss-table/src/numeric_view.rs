//! Single numbers of a matrix in memory as `f64`, whatever its type.

use arss::Samples;

use crate::Matrix;

/// Values beyond this would overflow when squared and added up, or vanish.
const SAFE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// The numbers of a table, divided by `unit` where they are extreme.
#[derive(Debug, Clone, Copy)]
pub struct NumericView<'a> {
    samples: Kind<'a>,
    /// What a value has to be multiplied by to get that of the table.
    pub unit: f64,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
}

#[derive(Debug, Clone, Copy)]
enum Kind<'a> {
    F32(Samples<'a, f32>),
    F64(Samples<'a, f64>),
}

impl<'a> NumericView<'a> {
    /// The numbers of `values`.
    pub fn new(values: &'a Matrix) -> Result<Self, arss::Error> {
        let (samples, largest) = match values {
            Matrix::F32(matrix) => matrix.samples().map(|samples| (Kind::F32(samples), samples.max_abs()))?,
            Matrix::F64(matrix) => matrix.samples().map(|samples| (Kind::F64(samples), samples.max_abs()))?,
            Matrix::Sparse(matrix) => matrix.samples().map(|samples| (Kind::F64(samples), samples.max_abs()))?,
            Matrix::Disk32(_) | Matrix::Disk64(_) => {
                let instead = "it is in a file, because it is larger";
                return Err(arss::Error::InMemoryOnly { what: "looking at single numbers", instead });
            }
        };
        let (rows, columns) = values.shape();
        let unit = if largest == 0.0 || SAFE.contains(&largest) { 1.0 } else { largest };
        Ok(NumericView { samples, unit, rows, columns })
    }

    /// The number at `row` and `column`.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let value = match &self.samples {
            Kind::F32(samples) => f64::from(samples.get(row, column)),
            Kind::F64(samples) => samples.get(row, column),
        };
        value / self.unit
    }

    /// Puts the numbers of `row` into `into`.
    pub fn copy(&self, row: usize, into: &mut [f64]) {
        into.iter_mut().enumerate().for_each(|(column, value)| *value = self.get(row, column));
    }

    /// The numbers of these rows, one after the other.
    pub fn gather(&self, rows: &[usize]) -> Vec<f64> {
        let mut values = vec![0.0; rows.len() * self.columns];
        rows.iter().zip(values.chunks_exact_mut(self.columns)).for_each(|(&row, into)| self.copy(row, into));
        values
    }
}
