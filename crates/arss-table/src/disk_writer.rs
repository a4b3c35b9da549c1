//! Columns that go to a scratch file as they are read.

use std::path::{Path, PathBuf};

use crate::TableError;
use crate::chunks::{Chunk, ColumnValues, ReadAs};
use crate::disk_matrix::{DiskMatrix, unusable};
use crate::schema::Purpose;
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
    /// How many numbers a row of each has; known once the first rows are there.
    widths: Vec<usize>,
}

impl DiskWriter {
    /// A file in `folder` for the features that are read; side columns stay in memory.
    pub fn new(folder: &Path, roles: &[Purpose], read_as: &[ReadAs]) -> Result<Self, TableError> {
        let scratch = ScratchFile::new(folder).map_err(|error| unusable(folder, error))?;
        let goes = |&at: &usize| matches!(roles[at], Purpose::Feature(_)) && read_as[at] != ReadAs::Nothing;
        Ok(DiskWriter {
            scratch,
            folder: folder.to_owned(),
            columns: (0..roles.len()).filter(goes).collect(),
            widths: Vec::new(),
        })
    }

    /// Takes the values of a chunk.
    pub fn take(&mut self, chunk: &mut Chunk) -> Result<(), TableError> {
        let take = |&column: &usize| std::mem::replace(&mut chunk.columns[column].values, ColumnValues::None);
        let taken: Vec<ColumnValues> = self.columns.iter().map(take).collect();
        let width = |values: &ColumnValues| match values {
            ColumnValues::Vectors(vectors) => vectors.width.unwrap_or_default(),
            _ => 1,
        };
        let widths: Vec<usize> = taken.iter().map(width).collect();
        if self.widths.is_empty() {
            self.widths = widths;
        } else if self.widths != widths {
            // Vectors of another length: said once everything was read.
            return Ok(());
        }
        if taken.iter().any(|values| matches!(values, ColumnValues::Vectors(vectors) if vectors.misfit.is_some())) {
            return Ok(());
        }
        let mut rows = Vec::with_capacity(ROWS.min(chunk.rows) * self.widths.iter().sum::<usize>());
        for first in (0..chunk.rows).step_by(ROWS) {
            rows.clear();
            for row in first..chunk.rows.min(first + ROWS) {
                for values in &taken {
                    match values {
                        ColumnValues::Vectors(vectors) => {
                            rows.extend((0..vectors.width.unwrap_or_default()).map(|at| vectors.number(row, at)));
                        }
                        values => rows.push(values.number(row)),
                    }
                }
            }
            self.scratch.append(&rows).map_err(|error| unusable(&self.folder, error))?;
        }
        Ok(())
    }

    /// The rows, and which column of the file, and which number of its vectors, each of their values is.
    pub fn finish(self) -> (DiskMatrix<f64>, Vec<(usize, usize)>) {
        let widths = if self.widths.is_empty() { vec![1; self.columns.len()] } else { self.widths };
        let places = self.columns.iter().zip(widths);
        let places: Vec<(usize, usize)> =
            places.flat_map(|(&column, width)| (0..width).map(move |at| (column, at))).collect();
        (DiskMatrix::in_scratch(self.scratch, places.len()), places)
    }
}
