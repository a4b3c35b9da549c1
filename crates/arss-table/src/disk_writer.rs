//! Values that go to a file as they are read.

use std::path::{Path, PathBuf};

use crate::scratch::{Rows, ScratchFile};

use crate::TableError;
use crate::chunks::{Chunk, ColumnValues, NO_CODE, ReadAs};
use crate::schema::Role;

/// Rows that are written at a time.
const ROWS: usize = 1024;

/// A file to which the columns that are chosen by go, row by row: numbers as they are, codes as numbers.
#[derive(Debug)]
pub struct DiskWriter {
    scratch: ScratchFile<f64>,
    folder: PathBuf,
    /// The columns that go there.
    columns: Vec<usize>,
}

impl DiskWriter {
    /// A file in `folder` for those columns of which something is wanted; those that stand beside stay in memory.
    pub fn new(folder: &Path, roles: &[Role], wants: &[ReadAs]) -> Result<Self, TableError> {
        let scratch = ScratchFile::new(folder).map_err(|error| failed(folder, &error))?;
        let goes = |&at: &usize| matches!(roles[at], Role::Feature(_)) && wants[at] != ReadAs::Nothing;
        Ok(DiskWriter { scratch, folder: folder.to_owned(), columns: (0..roles.len()).filter(goes).collect() })
    }

    /// Takes the values of a piece.
    pub fn take(&mut self, piece: &mut Chunk) -> Result<(), TableError> {
        let mut taken: Vec<ColumnValues> = Vec::with_capacity(self.columns.len());
        for &column in &self.columns {
            taken.push(std::mem::replace(&mut piece.columns[column].values, ColumnValues::None));
        }
        let mut rows = vec![0.0; ROWS.min(piece.rows) * self.columns.len()];
        for first in (0..piece.rows).step_by(ROWS) {
            let count = ROWS.min(piece.rows - first);
            let rows = &mut rows[..count * self.columns.len()];
            for (at, values) in taken.iter().enumerate() {
                let cells = rows.iter_mut().skip(at).step_by(self.columns.len());
                match values {
                    ColumnValues::Numbers(numbers) => {
                        cells.zip(&numbers[first..]).for_each(|(cell, value)| *cell = *value)
                    }
                    ColumnValues::Codes(codes, _) => cells.zip(&codes[first..]).for_each(|(cell, &code)| {
                        *cell = if code == NO_CODE { f64::NAN } else { f64::from(code) };
                    }),
                    ColumnValues::None => cells.for_each(|cell| *cell = f64::NAN),
                }
            }
            self.scratch.append(rows).map_err(|error| failed(&self.folder, &error))?;
        }
        Ok(())
    }

    /// The rows, which column of the file each of their values is from, and where the rows are.
    pub fn rows(self) -> (Rows<f64>, Vec<usize>, PathBuf) {
        (Rows::in_scratch(self.scratch, self.columns.len()), self.columns, self.folder)
    }
}

/// A scratch file that cannot be written.
pub fn failed(folder: &Path, error: &std::io::Error) -> TableError {
    let what = "the scratch file cannot be used";
    TableError::Run(format!("{}: {what}: {error}; --scratch DIR names another place", folder.display()))
}
