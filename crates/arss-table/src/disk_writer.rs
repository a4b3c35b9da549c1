//! Columns that go to a scratch file as they are read.

use std::path::{Path, PathBuf};

use crate::TableError;
use crate::chunks::{Chunk, ColumnValues, ReadAs};
use crate::disk_matrix::{DiskMatrix, unusable};
use crate::schema::Role;
use crate::scratch::ScratchFile;

/// Rows that are written at a time.
const ROWS: usize = 1024;

/// A scratch file to which the columns that are chosen by go, row by row: numbers as they are, codes as numbers.
#[derive(Debug)]
pub struct DiskWriter {
    scratch: ScratchFile<f64>,
    folder: PathBuf,
    /// The columns that go there.
    columns: Vec<usize>,
}

impl DiskWriter {
    /// A file in `folder` for the features that are read; side columns stay in memory.
    pub fn new(folder: &Path, roles: &[Role], read_as: &[ReadAs]) -> Result<Self, TableError> {
        let scratch = ScratchFile::new(folder).map_err(|error| unusable(folder, error))?;
        let goes = |&at: &usize| matches!(roles[at], Role::Feature(_)) && read_as[at] != ReadAs::Nothing;
        Ok(DiskWriter { scratch, folder: folder.to_owned(), columns: (0..roles.len()).filter(goes).collect() })
    }

    /// Takes the values of a chunk.
    pub fn take(&mut self, chunk: &mut Chunk) -> Result<(), TableError> {
        let take = |&column: &usize| std::mem::replace(&mut chunk.columns[column].values, ColumnValues::None);
        let taken: Vec<ColumnValues> = self.columns.iter().map(take).collect();
        let mut rows = Vec::with_capacity(ROWS.min(chunk.rows) * taken.len());
        for first in (0..chunk.rows).step_by(ROWS) {
            rows.clear();
            for row in first..chunk.rows.min(first + ROWS) {
                rows.extend(taken.iter().map(|values| values.number(row)));
            }
            self.scratch.append(&rows).map_err(|error| unusable(&self.folder, error))?;
        }
        Ok(())
    }

    /// The rows, and which column of the file each of their values is from.
    pub fn finish(self) -> (DiskMatrix<f64>, Vec<usize>) {
        (DiskMatrix::in_scratch(self.scratch, self.columns.len()), self.columns)
    }
}
