//! Values in a scratch file: what a table that does not fit into memory is chosen by.

use std::path::PathBuf;

use crate::scratch::{Change, DiskFloat, Rows};
use arss::out_of_core::RowSource;

use crate::TableError;
use crate::chunks::ChunkedTable;
use crate::disk_writer::{DiskWriter, failed};
use crate::missing::{BadCell, Handled, MissingReport, NAMED, mean, median};
use crate::schema::FeatureColumn;
use crate::{DenseMatrix, Matrix, Missing};

/// Bytes of the columns that are looked at together where a column has to be seen whole.
const TOGETHER: usize = 64 << 20;

/// Values in a scratch file, row by row.
#[derive(Debug)]
pub struct DiskMatrix<T> {
    /// The rows.
    pub rows: Rows<T>,
    folder: PathBuf,
}

/// The used columns of a table that was read to a file.
pub fn assemble(spill: DiskWriter, frame: &ChunkedTable, used: &[FeatureColumn]) -> Result<Matrix, TableError> {
    let all_single = used.iter().all(|used| matches!(used, FeatureColumn::Number(column) if frame.single[*column]));
    let (rows, columns, folder) = spill.rows();
    let place = |used: &FeatureColumn| columns.iter().position(|&column| column == used.column()).unwrap_or_default();
    let places: Vec<(usize, &FeatureColumn)> = used.iter().map(|used| (place(used), used)).collect();
    let spilled = DiskMatrix { rows, folder };
    Ok(if all_single {
        Matrix::Disk32(spilled.changed(used.len(), &mut |_, row, fresh| {
            fresh.extend(places.iter().map(|(at, used)| value(used, row[*at]) as f32));
        })?)
    } else {
        Matrix::Disk64(spilled.changed(used.len(), &mut |_, row, fresh| {
            fresh.extend(places.iter().map(|(at, used)| value(used, row[*at])));
        })?)
    })
}

/// What a used column makes of a value; codes are numbers here.
fn value(used: &FeatureColumn, value: f64) -> f64 {
    match used {
        _ if value.is_nan() => f64::NAN,
        FeatureColumn::Number(_) => value,
        FeatureColumn::OneHot(_, code) => f64::from(u8::from(value == f64::from(*code))),
        FeatureColumn::Ordinal(_, ranks) => f64::from(ranks[value as usize]),
    }
}

impl<T: DiskFloat> DiskMatrix<T> {
    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows.items(), self.rows.features())
    }

    /// Calls `visit` with some rows at a time, in order, and the number of the first of them.
    pub fn walk(&self, visit: &mut dyn FnMut(usize, &[T])) -> Result<(), TableError> {
        self.rows.walk(visit).map_err(|error| failed(&self.folder, &error))
    }

    /// Other rows made of these.
    pub fn changed<U: DiskFloat>(
        self,
        features: usize,
        change: &mut Change<'_, T, U>,
    ) -> Result<DiskMatrix<U>, TableError> {
        let DiskMatrix { rows, folder } = self;
        let rows = rows.changed(features, &folder, change).map_err(|error| failed(&folder, &error))?;
        Ok(DiskMatrix { rows, folder })
    }

    /// Calls `visit` with each of these columns, of which as many are in memory at once as there is room for.
    pub fn each_column(&self, which: &[usize], visit: &mut dyn FnMut(usize, Vec<f64>)) -> Result<(), TableError> {
        let (items, features) = self.shape();
        for group in which.chunks((TOGETHER / 8 / items.max(1)).max(1)) {
            let mut columns = vec![Vec::with_capacity(items); group.len()];
            self.walk(&mut |_, rows| {
                for row in rows.chunks_exact(features) {
                    group.iter().zip(&mut columns).for_each(|(&at, column)| column.push(row[at].to_f64()));
                }
            })?;
            group.iter().zip(columns).for_each(|(&at, column)| visit(at, column));
        }
        Ok(())
    }

    /// One row.
    pub fn row(&self, row: usize) -> Result<Vec<T>, TableError> {
        let mut values = vec![T::from_f64(0.0); self.shape().1];
        let read = RowSource::read(&self.rows, row, &mut values);
        read.map_err(|error| failed(&self.folder, &std::io::Error::other(error)))?;
        Ok(values)
    }

    /// The values in memory.
    pub fn loaded(&self) -> Result<DenseMatrix<T>, TableError> {
        let (rows, columns) = self.shape();
        let mut data = Vec::with_capacity(rows * columns);
        self.walk(&mut |_, rows| data.extend_from_slice(rows))?;
        Ok(DenseMatrix { data, rows, columns, by_column: false })
    }

    /// The first cells that `is_bad`, and how many there are.
    fn bad(&self, is_bad: impl Fn(f64) -> bool) -> Result<(Vec<BadCell>, usize), TableError> {
        let (features, mut first, mut count) = (self.shape().1, Vec::new(), 0);
        self.walk(&mut |start, rows| {
            for (at, value) in rows.iter().map(|value| value.to_f64()).enumerate().filter(|(_, value)| is_bad(*value)) {
                if first.len() < NAMED {
                    first.push(BadCell { row: start + at / features, column: at % features, value });
                }
                count += 1;
            }
        })?;
        Ok((first, count))
    }

    /// Fails if the table is empty or a value is not finite.
    pub fn check(&self) -> Result<Option<arss::Error>, TableError> {
        let (rows, columns) = self.shape();
        if rows == 0 || columns == 0 {
            return Ok(Some(arss::Error::Empty { rows, columns }));
        }
        let (bad, _) = self.bad(|value| !value.is_finite())?;
        Ok(bad.first().map(|&BadCell { row, column, value }| arss::Error::NotFinite { row, column, value }))
    }

    /// Missing values are filled in or dropped with their rows, as of a table in memory.
    pub fn handle(self, how: Missing) -> Result<(Self, Handled), TableError> {
        let in_the_way = |value: f64| if how == Missing::Error { !value.is_finite() } else { value.is_infinite() };
        let (bad, count) = self.bad(in_the_way)?;
        if count > 0 {
            return Ok((self, Err((bad, count))));
        }
        match how {
            Missing::Error => Ok((self, Ok(MissingReport::default()))),
            Missing::Drop => self.without_missing(),
            Missing::Mean => self.filled(&mean),
            Missing::Median => self.filled(&median),
        }
    }

    fn without_missing(self) -> Result<(Self, Handled), TableError> {
        let ((items, features), mut kept) = (self.shape(), Vec::new());
        let left = self.changed(features, &mut |at, row: &[T], fresh| {
            if row.iter().all(|value| !value.to_f64().is_nan()) {
                kept.push(at);
                fresh.extend_from_slice(row);
            }
        })?;
        let kept = (kept.len() < items).then_some(kept);
        Ok((left, Ok(MissingReport { kept, filled: 0 })))
    }

    fn filled(self, of: &dyn Fn(&mut [f64]) -> f64) -> Result<(Self, Handled), TableError> {
        let features = self.shape().1;
        let mut missing = vec![0; features];
        self.walk(&mut |_, rows| {
            for (at, _) in rows.iter().enumerate().filter(|(_, value)| value.to_f64().is_nan()) {
                missing[at % features] += 1;
            }
        })?;
        let which: Vec<usize> = (0..features).filter(|&at| missing[at] > 0).collect();
        let mut with: Vec<Option<T>> = vec![None; features];
        self.each_column(&which, &mut |at, mut column| {
            column.retain(|value| !value.is_nan());
            with[at] = (!column.is_empty()).then(|| T::from_f64(of(&mut column)));
        })?;
        let filled = which.iter().filter(|&&at| with[at].is_some()).map(|&at| missing[at]).sum();
        let whole = self.changed(features, &mut |_, row: &[T], fresh| {
            let fill = |(value, with): (&T, &Option<T>)| with.filter(|_| value.to_f64().is_nan()).unwrap_or(*value);
            fresh.extend(row.iter().zip(&with).map(fill));
        })?;
        Ok((whole, Ok(MissingReport { kept: None, filled })))
    }
}
