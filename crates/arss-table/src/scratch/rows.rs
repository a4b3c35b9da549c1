//! Rows in a file.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::path::Path;

use arss::out_of_core::RowSource;

use crate::scratch::ScratchFile;
use crate::scratch::numbers;
use crate::scratch::numbers::DiskFloat;

/// Numbers that are read at a time where all rows are walked over.
const SPAN: usize = 1 << 17;

/// What makes new rows: called with the position of a row, its values, and where the new rows go.
pub type Change<'a, T, U> = dyn FnMut(usize, &[T], &mut Vec<U>) + 'a;

/// Rows that stand in a file one behind the other, little-endian: the data of an npy file, or a scratch file.
#[derive(Debug)]
pub struct Rows<T> {
    file: File,
    name: String,
    offset: u64,
    items: usize,
    features: usize,
    kind: PhantomData<T>,
}

impl<T: DiskFloat> Rows<T> {
    /// `items` rows of `features` values from byte `offset` of a file on.
    ///
    /// # Errors
    /// If the file cannot be opened, or is too short.
    pub fn open(path: &Path, offset: u64, (items, features): (usize, usize)) -> io::Result<Self> {
        let name = path.display().to_string();
        let explain = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
        let file = File::open(path).map_err(explain)?;
        let length = file.metadata().map_err(explain)?.len();
        let cells = (items as u64).checked_mul(features as u64);
        let needed = cells.and_then(|cells| cells.checked_mul(T::SIZE as u64)?.checked_add(offset));
        if needed.is_none_or(|needed| needed > length) {
            let reason = format!("{name}: {items} x {features} values do not fit into {length} bytes");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason));
        }
        Ok(Rows { file, name, offset, items, features, kind: PhantomData })
    }

    /// The rows of `features` values that were appended to a scratch file.
    pub fn in_scratch(scratch: ScratchFile<T>, features: usize) -> Self {
        let items = scratch.count / features.max(1);
        let name = format!("scratch file in {}", scratch.folder.display());
        Rows { file: scratch.file, name, offset: 0, items, features, kind: PhantomData }
    }

    /// Calls `visit` with some rows at a time, all of them in order, and the position of the first of them.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn walk(&self, visit: &mut dyn FnMut(usize, &[T])) -> io::Result<()> {
        let span = (SPAN / self.features.max(1)).max(1);
        let mut rows = Vec::new();
        for first in (0..self.items).step_by(span) {
            rows.resize(span.min(self.items - first) * self.features, T::from_f64(0.0));
            self.read(first, &mut rows).map_err(io::Error::other)?;
            visit(first, &rows);
        }
        Ok(())
    }

    /// Makes other rows of these, which are gone then: `change` is called with each row and where to put the new ones.
    ///
    /// The rows must be those of a scratch file. New rows that take no more room stand in the same file: a table that
    /// does not fit into memory may not fit on the disk twice, either.
    ///
    /// # Errors
    /// If they cannot be read or written.
    pub fn changed<U: DiskFloat>(
        self,
        features: usize,
        folder: &Path,
        change: &mut Change<'_, T, U>,
    ) -> io::Result<Rows<U>> {
        let in_place = features * U::SIZE <= self.features * T::SIZE && self.offset == 0;
        let file = if in_place { self.file.try_clone()? } else { tempfile::tempfile_in(folder)? };
        let (mut fresh, mut written) = (Vec::new(), 0u64);
        let mut failed = Ok(());
        self.walk(&mut |first, rows| {
            fresh.clear();
            for (at, row) in rows.chunks_exact(self.features.max(1)).enumerate() {
                change(first + at, row, &mut fresh);
            }
            if failed.is_ok() {
                failed = numbers::write(&file, written, &fresh);
                written += (fresh.len() * U::SIZE) as u64;
            }
        })?;
        failed.and_then(|()| file.set_len(written))?;
        let items = usize::try_from(written).unwrap_or_default() / (features * U::SIZE).max(1);
        Ok(Rows { file, name: self.name, offset: 0, items, features, kind: PhantomData })
    }
}

impl<T: DiskFloat> RowSource<T> for Rows<T> {
    fn items(&self) -> usize {
        self.items
    }

    fn features(&self) -> usize {
        self.features
    }

    fn read(&self, first: usize, rows: &mut [T]) -> Result<(), String> {
        let offset = self.offset + (first * self.features * T::SIZE) as u64;
        numbers::read(&self.file, offset, rows, false).map_err(|error| format!("{}: {error}", self.name))
    }
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
            Rows::in_scratch(scratch, 3)
        };
        // Every second row, two of its values in single precision.
        let mut narrow = |at: usize, row: &[f64], fresh: &mut Vec<f32>| {
            if at % 2 == 1 {
                fresh.extend([row[2] as f32, row[0] as f32]);
            }
        };
        let found = rows().changed(2, folder.path(), &mut narrow).unwrap();
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
        let found = rows().changed(4, folder.path(), &mut wide).unwrap();
        let mut row = [0.0; 4];
        found.read(199_999, &mut row).unwrap();
        assert_eq!((found.items(), row), (200_000, [599_997.0, 599_998.0, 599_999.0, -599_997.0]));
    }
}
