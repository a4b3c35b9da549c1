//! A matrix on disk: rows in a scratch file, or in an npy file.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use arss::out_of_core::RowSource;

use crate::matrix::{MatrixValues, next_in_row};
use crate::missing::bad_cells;
use crate::scratch::{DiskFloat, ScratchFile, numbers};
use crate::{DenseMatrix, TableError, private_files, row_lengths};

/// Numbers that are read at a time where all rows are visited.
const SPAN: usize = 1 << 17;
/// Bytes of the columns that are in memory together where a column has to be seen whole.
const TOGETHER: usize = 64 << 20;

/// Bytes of a value of 16 bits.
const HALF: usize = 2;

/// Makes new rows: called with the number of a row, its values, and where the new rows go.
pub type Change<'a, T, U> = dyn FnMut(usize, &[T], &mut Vec<U>) + 'a;

/// Rows that stand in a file one after the other, little-endian: in a scratch file, or the data of an npy file.
#[derive(Debug)]
pub struct DiskMatrix<T> {
    file: File,
    name: String,
    folder: PathBuf,
    offset: u64,
    rows: usize,
    columns: usize,
    /// Bytes that columns may take in memory when they are looked at.
    room: usize,
    /// The values have 16 bits in the file, and are widened when they are read.
    half: bool,
    /// Each row is divided by its length when it is read.
    unit: bool,
    kind: PhantomData<T>,
}

impl<T: DiskFloat> DiskMatrix<T> {
    /// `rows` rows of `columns` values from byte `offset` of a file on.
    ///
    /// # Errors
    /// If the file cannot be opened, or is too short.
    pub fn open(path: &Path, offset: u64, (rows, columns): (usize, usize)) -> io::Result<Self> {
        let file =
            File::open(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        DiskMatrix::of_file(file, path, (offset, false), (rows, columns))
    }

    /// The same of a file that is open; with `half` its values have 16 bits.
    pub(crate) fn of_file(
        file: File,
        path: &Path,
        (offset, half): (u64, bool),
        (rows, columns): (usize, usize),
    ) -> io::Result<Self> {
        let name = path.display().to_string();
        let explain = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
        let length = file.metadata().map_err(explain)?.len();
        let values = (rows as u64).checked_mul(columns as u64);
        let size = if half { HALF } else { T::SIZE } as u64;
        let needed = values.and_then(|values| values.checked_mul(size)?.checked_add(offset));
        if needed.is_none_or(|needed| needed > length) {
            let reason = format!("{name}: {rows} x {columns} values do not fit into {length} bytes");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason));
        }
        Ok(DiskMatrix {
            file,
            name,
            folder: std::env::temp_dir(),
            offset,
            rows,
            columns,
            room: TOGETHER,
            half,
            unit: false,
            kind: PhantomData,
        })
    }

    /// The rows of `columns` values that were appended to a scratch file.
    pub fn in_scratch(scratch: ScratchFile<T>, columns: usize) -> Self {
        let rows = scratch.count / columns.max(1);
        let name = format!("scratch file in {}", scratch.folder.display());
        let (file, folder) = (scratch.file, scratch.folder);
        DiskMatrix {
            file,
            name,
            folder,
            offset: 0,
            rows,
            columns,
            room: TOGETHER,
            half: false,
            unit: false,
            kind: PhantomData,
        }
    }

    /// The same rows; new ones that do not fit into their place go to a scratch file in `folder`.
    #[must_use]
    pub fn with_folder(self, folder: PathBuf) -> Self {
        DiskMatrix { folder, ..self }
    }

    /// The same, with so many bytes for columns that are looked at whole.
    pub(crate) fn with_room(self, bytes: u64) -> Self {
        DiskMatrix { room: usize::try_from(bytes).unwrap_or(TOGETHER), ..self }
    }

    /// The same with each row divided by its length when it is read: nothing is written.
    pub(crate) fn with_unit_rows(self) -> Self {
        DiskMatrix { unit: true, ..self }
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Calls `visit` with some rows at a time, all of them in order, and the number of the first of them.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn walk(&self, visit: &mut dyn FnMut(usize, &[T])) -> Result<(), TableError> {
        let span = (SPAN / self.columns.max(1)).max(1);
        let mut rows = Vec::new();
        for first in (0..self.rows).step_by(span) {
            rows.resize(span.min(self.rows - first) * self.columns, T::from_f64(0.0));
            RowSource::read(self, first, &mut rows).map_err(|error| self.failed(error))?;
            visit(first, &rows);
        }
        Ok(())
    }

    /// Makes other rows of these: `change` is called with each row and where to put the new ones.
    ///
    /// The rows must be those of a scratch file. New rows that take no more room replace them in the same file: a table
    /// that does not fit into memory may not fit on the disk twice, either.
    ///
    /// # Errors
    /// If they cannot be read or written.
    pub fn changed<U: DiskFloat>(
        self,
        columns: usize,
        change: &mut Change<'_, T, U>,
    ) -> Result<DiskMatrix<U>, TableError> {
        let failed = |error: io::Error| self.failed(error);
        let in_place = columns * U::SIZE <= self.columns * T::SIZE && self.offset == 0;
        let file = if in_place { self.file.try_clone() } else { private_files::nameless(&self.folder) };
        let file = file.map_err(failed)?;
        let (mut fresh, mut written, mut write) = (Vec::new(), 0u64, Ok(()));
        self.walk(&mut |first, rows| {
            fresh.clear();
            for (at, row) in rows.chunks_exact(self.columns.max(1)).enumerate() {
                change(first + at, row, &mut fresh);
            }
            if write.is_ok() {
                write = numbers::write(&file, written, &fresh);
                written += (fresh.len() * U::SIZE) as u64;
            }
        })?;
        write.and_then(|()| file.set_len(written)).map_err(failed)?;
        let rows = usize::try_from(written).unwrap_or_default() / (columns * U::SIZE).max(1);
        Ok(DiskMatrix {
            file,
            name: self.name,
            folder: self.folder,
            offset: 0,
            rows,
            columns,
            room: self.room,
            half: false,
            unit: false,
            kind: PhantomData,
        })
    }

    /// One row.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn row(&self, row: usize) -> Result<Vec<T>, TableError> {
        let mut values = vec![T::from_f64(0.0); self.columns];
        RowSource::read(self, row, &mut values).map_err(|error| self.failed(error))?;
        Ok(values)
    }

    /// The matrix in memory.
    pub(crate) fn to_dense(&self) -> Result<DenseMatrix<T>, TableError> {
        let (rows, columns) = self.shape();
        let mut data = Vec::with_capacity(rows * columns);
        self.walk(&mut |_, rows| data.extend_from_slice(rows))?;
        Ok(DenseMatrix { data, rows, columns, by_column: false })
    }

    /// What is wrong, if the matrix is empty or a value is not finite.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn check(&self) -> Result<Option<arss::Error>, TableError> {
        let (rows, columns) = self.shape();
        if rows == 0 || columns == 0 {
            return Ok(Some(arss::Error::Empty { rows, columns }));
        }
        let (bad, _) = bad_cells(self, |value| !value.is_finite())?;
        Ok(bad.first().map(|bad| arss::Error::NotFinite { row: bad.row, column: bad.column, value: bad.value }))
    }

    fn failed(&self, error: impl std::fmt::Display) -> TableError {
        unusable(&self.folder, error)
    }
}

impl<T: DiskFloat> RowSource<T> for DiskMatrix<T> {
    fn items(&self) -> usize {
        self.rows
    }

    fn features(&self) -> usize {
        self.columns
    }

    fn read(&self, first: usize, rows: &mut [T]) -> Result<(), String> {
        let read = if self.half {
            numbers::read_half(&self.file, self.offset + (first * self.columns * HALF) as u64, rows)
        } else {
            numbers::read(&self.file, self.offset + (first * self.columns * T::SIZE) as u64, rows, false)
        };
        read.map_err(|error| format!("{}: {error}", self.name))?;
        if self.unit {
            rows.chunks_exact_mut(self.columns.max(1)).for_each(row_lengths::divide);
        }
        Ok(())
    }
}

impl<T: DiskFloat> MatrixValues<T> for DiskMatrix<T> {
    fn shape(&self) -> (usize, usize) {
        DiskMatrix::shape(self)
    }

    fn cell(&self, position: usize) -> (usize, usize) {
        (position / self.columns, position % self.columns)
    }

    fn next_cell(&self, cell: (usize, usize)) -> (usize, usize) {
        next_in_row(cell, self.columns)
    }

    fn visit(&self, visit: &mut dyn FnMut(usize, &[T])) -> Result<(), TableError> {
        self.walk(&mut |first, rows| visit(first * self.columns, rows))
    }

    fn each_column(&self, which: &[usize], visit: &mut dyn FnMut(usize, Vec<f64>)) -> Result<(), TableError> {
        // As many columns at once as there is room for: each group takes a pass over the file.
        for group in which.chunks((self.room / 8 / self.rows.max(1)).max(1)) {
            let mut columns = vec![Vec::with_capacity(self.rows); group.len()];
            self.walk(&mut |_, rows| {
                for row in rows.chunks_exact(self.columns) {
                    group.iter().zip(&mut columns).for_each(|(&at, column)| column.push(row[at].to_f64()));
                }
            })?;
            group.iter().zip(columns).for_each(|(&at, column)| visit(at, column));
        }
        Ok(())
    }

    fn any(&self, is: impl Fn(f64) -> bool + Sync) -> Result<bool, TableError> {
        let mut found = false;
        self.walk(&mut |_, rows| found |= rows.iter().any(|value| is(value.to_f64())))?;
        Ok(found)
    }

    fn map(self, change: impl Fn((usize, usize), T) -> T) -> Result<Self, TableError> {
        let columns = self.columns;
        self.changed(columns, &mut |at, row: &[T], fresh| {
            fresh.extend(row.iter().enumerate().map(|(column, value)| change((at, column), *value)));
        })
    }

    fn keep_rows(self, kept: &[bool]) -> Result<Self, TableError> {
        let columns = self.columns;
        self.changed(columns, &mut |at, row: &[T], fresh| {
            if kept[at] {
                fresh.extend_from_slice(row);
            }
        })
    }
}

/// A scratch file that cannot be used.
pub fn unusable(folder: &Path, error: impl std::fmt::Display) -> TableError {
    let what = "the scratch file cannot be used";
    TableError::Run(format!("{}: {what}: {error}; --scratch DIR names another place", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_narrower_in_place_and_wider_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let table: Vec<f64> = (0..600_000).map(f64::from).collect();
        let rows = || {
            let mut scratch = ScratchFile::new(folder.path()).unwrap();
            scratch.append(&table).unwrap();
            DiskMatrix::in_scratch(scratch, 3)
        };
        // Every second row, two of its values in single precision.
        let mut narrow = |at: usize, row: &[f64], fresh: &mut Vec<f32>| {
            if at % 2 == 1 {
                fresh.extend([row[2] as f32, row[0] as f32]);
            }
        };
        let found = rows().changed(2, &mut narrow).unwrap();
        assert_eq!((found.items(), found.features()), (100_000, 2));
        let mut all = Vec::new();
        found.walk(&mut |first, rows| all.extend(rows.iter().map(|value| (first, *value)))).unwrap();
        assert!(
            (0..100_000)
                .all(|row| all[2 * row].1 == (6 * row + 5) as f32 && all[2 * row + 1].1 == (6 * row + 3) as f32)
        );
        assert!(all.last().unwrap().0 > 0, "more than one span");

        let mut wide = |_: usize, row: &[f64], fresh: &mut Vec<f64>| {
            fresh.extend_from_slice(row);
            fresh.push(-row[0]);
        };
        let found = rows().changed(4, &mut wide).unwrap();
        let mut row = [0.0; 4];
        found.read(199_999, &mut row).unwrap();
        assert_eq!((found.items(), row), (200_000, [599_997.0, 599_998.0, 599_999.0, -599_997.0]));
    }
}
