//! Tables from files: one file a format.

pub mod csv;
pub mod npy;
pub mod npy_header;

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

    /// The values of one column.
    fn column(&self, column: usize) -> Vec<f64> {
        let values = self.data.iter().enumerate().filter(|(at, _)| self.column_of(*at) == column);
        values.map(|(_, value)| value.to_f64()).collect()
    }

    /// Keeps these columns only.
    fn keep(&mut self, columns: &[usize]) {
        let (width, by_column) = (self.columns, self.by_column);
        let rows = self.rows;
        let mut at = 0;
        self.data.retain(|_| {
            let column = if by_column { at / rows } else { at % width };
            at += 1;
            columns.contains(&column)
        });
        self.columns = columns.len();
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

    /// The numbers of column `name`: how much each row counts.
    pub fn weights(&self, name: &str) -> Result<Vec<f64>, Failure> {
        let column = self.column(name)?;
        let Some(numeric) = self.numeric(column) else {
            return Err(Failure::Input(format!("column {name} holds no numbers, so it cannot be used as weights")));
        };
        Ok(match &self.values {
            Values::F32(grid) => grid.column(numeric),
            Values::F64(grid) => grid.column(numeric),
        })
    }

    /// The cells of column `name` as text.
    pub fn labels(&self, name: &str) -> Result<Vec<String>, Failure> {
        let column = self.column(name)?;
        let rows = self.values.shape().0;
        Ok(match &self.source {
            Source::Csv(text) => {
                (0..rows).map(|row| String::from_utf8_lossy(&text.field(row, column)).into_owned()).collect()
            }
            Source::Npy(bytes) => (0..rows).map(|row| bytes.cells(row).swap_remove(column)).collect(),
        })
    }

    /// Columns that are not to be chosen by; one at least must be left.
    pub fn leave_out(&mut self, names: &[&str]) -> Result<(), Failure> {
        let columns = names.iter().map(|name| self.column(name)).collect::<Result<Vec<_>, _>>()?;
        let gone: Vec<usize> = columns.iter().filter_map(|&column| self.numeric(column)).collect();
        if gone.is_empty() {
            return Ok(());
        }
        let kept: Vec<usize> = (0..self.values.shape().1).filter(|column| !gone.contains(column)).collect();
        if kept.is_empty() {
            let what = format!("no numeric column is left to choose by besides {}", names.join(" and "));
            return Err(Failure::Input(what));
        }
        match &mut self.values {
            Values::F32(grid) => grid.keep(&kept),
            Values::F64(grid) => grid.keep(&kept),
        }
        if let Source::Csv(text) = &mut self.source {
            text.keep(&kept);
        }
        Ok(())
    }

    /// The position of column `name` in the file.
    fn column(&self, name: &str) -> Result<usize, Failure> {
        let headings = self.headings();
        headings.iter().position(|heading| heading == name).ok_or_else(|| {
            Failure::Input(format!("there is no column {name}; the table has {}", csv::listed(&headings)))
        })
    }

    /// Where column `column` of the file stands among the values.
    fn numeric(&self, column: usize) -> Option<usize> {
        match &self.source {
            Source::Csv(text) => text.numeric(column),
            Source::Npy(_) => Some(column),
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
