//! Tables from files: one file a format.

pub mod csv;
pub mod npy;
mod npy_header;

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use arss::{Float, Samples};

use crate::failure::Failure;

/// The formats that are known, by extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated text with a header row.
    Csv,
    /// An array saved by numpy.
    Npy,
}

impl Format {
    /// The format that the extension names, if it is known.
    pub fn of(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Format::Csv),
            "npy" => Some(Format::Npy),
            _ => None,
        }
    }
}

/// Values in one of the two layouts.
#[derive(Debug)]
pub struct Grid<T> {
    /// The values, row by row or column by column.
    pub data: Vec<T>,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// True if the values stand column by column (Fortran order).
    pub by_column: bool,
}

impl<T: Float> Grid<T> {
    /// The table as the core takes it, checked to be finite and not empty.
    pub fn samples(&self) -> Result<Samples<'_, T>, arss::Error> {
        if self.by_column {
            Samples::strided(&self.data, self.rows, self.columns, 1, self.rows)
        } else {
            Samples::new(&self.data, self.rows, self.columns)
        }
    }

    /// The column of the value at position `at` of `data`.
    pub fn column_of(&self, at: usize) -> usize {
        if self.by_column { at / self.rows } else { at % self.columns }
    }
}

/// The values that choosing works on.
#[derive(Debug)]
pub enum Values {
    /// Single precision, from .npy only.
    F32(Grid<f32>),
    /// Double precision.
    F64(Grid<f64>),
}

impl Values {
    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Values::F32(grid) => (grid.rows, grid.columns),
            Values::F64(grid) => (grid.rows, grid.columns),
        }
    }

    /// Fails if the table is empty or a value is not finite.
    fn check(&self) -> Result<(), arss::Error> {
        match self {
            Values::F32(grid) => grid.samples().map(drop),
            Values::F64(grid) => grid.samples().map(drop),
        }
    }
}

/// The table as it stood in the file.
#[derive(Debug)]
pub enum Source {
    /// Text.
    Csv(csv::Text),
    /// Bytes.
    Npy(npy::Bytes),
}

/// A table: the values to choose by, and the file they came from.
#[derive(Debug)]
pub struct Table {
    /// The numeric columns.
    pub values: Values,
    /// The file.
    pub source: Source,
    /// What the reader wants to be said.
    pub messages: Vec<String>,
}

/// What is written: rows with all columns, or columns with all rows.
#[derive(Debug, Clone, Copy)]
pub enum Picks<'a> {
    /// These rows, in this order.
    Rows(&'a [usize]),
    /// These numeric columns, in this order.
    Columns(&'a [usize]),
}

impl Table {
    /// The name of numeric column `column`, if the file has names.
    pub fn name(&self, column: usize) -> Option<&str> {
        match &self.source {
            Source::Csv(text) => Some(text.name(column)),
            Source::Npy(_) => None,
        }
    }

    /// The names of all columns of the file.
    pub fn headings(&self) -> Vec<String> {
        match &self.source {
            Source::Csv(text) => text.names.clone(),
            Source::Npy(bytes) => (0..bytes.columns).map(npy::heading).collect(),
        }
    }

    /// The cells of row `row`, as they stood in the file.
    pub fn cells(&self, row: usize) -> Vec<String> {
        match &self.source {
            Source::Csv(text) => text.cells(row),
            Source::Npy(bytes) => bytes.cells(row),
        }
    }

    /// Writes the picks as they stood in the file.
    pub fn write(&self, out: &mut dyn Write, format: Format, picks: Picks<'_>) -> std::io::Result<()> {
        match (&self.source, format) {
            (Source::Csv(text), _) => text.write(out, picks),
            (Source::Npy(bytes), Format::Npy) => bytes.write_npy(out, picks),
            (Source::Npy(bytes), Format::Csv) => bytes.write_csv(out, picks),
        }
    }
}

/// Reads the table in the file `path`, checked to be finite and not empty.
pub fn read(path: &Path, format: Format) -> Result<Table, Failure> {
    let file = open(path)?;
    let table = match format {
        Format::Csv => csv::parse(read_all(file, path)?, path)?,
        Format::Npy => npy::read(file, path)?,
    };
    table.values.check().map_err(|error| Failure::in_file(path, error))?;
    Ok(table)
}

fn open(path: &Path) -> Result<File, Failure> {
    if path.is_dir() {
        return Err(Failure::in_file(path, "is a directory, not a file"));
    }
    File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::in_file(path, "there is no such file"),
        _ => Failure::in_file(path, format_args!("cannot be opened: {error}")),
    })
}

/// The rest of `file`.
pub fn read_all(mut file: impl Read, path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    match file.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::in_file(path, format_args!("cannot be read: {error}"))),
    }
}
