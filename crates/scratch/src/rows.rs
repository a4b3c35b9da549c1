//! Rows in a file.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::path::Path;

use arss::elsewhere::RowSource;

use crate::Scratch;
use crate::cells::{self, Cell};

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

impl<T: Cell> Rows<T> {
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
    pub fn in_scratch(scratch: Scratch<T>, features: usize) -> Self {
        let items = scratch.count / features.max(1);
        let name = format!("scratch file in {}", scratch.folder.display());
        Rows { file: scratch.file, name, offset: 0, items, features, kind: PhantomData }
    }
}

impl<T: Cell> RowSource<T> for Rows<T> {
    fn items(&self) -> usize {
        self.items
    }

    fn features(&self) -> usize {
        self.features
    }

    fn read(&self, first: usize, rows: &mut [T]) -> Result<(), String> {
        let offset = self.offset + (first * self.features * T::SIZE) as u64;
        cells::read(&self.file, offset, rows, false).map_err(|error| format!("{}: {error}", self.name))
    }
}
