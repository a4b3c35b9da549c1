//! A table: the values to choose by, and the files they came from.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Write;

use crate::field::{self, Field, Style};
use crate::formats::sparse_file::SparseFile;
use crate::source::Source;
use crate::{ColumnInfo, Encoding, ExtraColumns, Matrix, MatrixValues, OutputFormat, TableError, write};

/// Shown for cells that cannot be read again.
const UNREADABLE: &str = "(cannot be read)";

/// A column of text: which of its texts each row has.
#[derive(Debug, Clone)]
pub struct Categories {
    /// One a row; [`Categories::MISSING`] where there is none.
    pub codes: Vec<u32>,
    /// The texts.
    pub names: Vec<String>,
}

impl Categories {
    /// The code of a row without a text.
    pub const MISSING: u32 = crate::dictionary::NO_CODE;

    /// The text of each row, empty where there is none.
    pub fn texts(self) -> Vec<String> {
        self.codes.iter().map(|&code| self.names.get(code as usize).cloned().unwrap_or_default()).collect()
    }
}

/// Columns that were read, but are not chosen by.
#[derive(Debug, Default)]
pub struct SideColumns {
    /// How much each row counts.
    pub weights: Option<Vec<f64>>,
    /// The group of each row.
    pub group: Option<Categories>,
    /// The label of each row.
    pub label: Option<Categories>,
    /// The position of the column that names rows.
    pub id: Option<usize>,
}

impl SideColumns {
    /// Keeps these rows of each column.
    pub(crate) fn keep_rows(&mut self, rows: &[usize]) {
        if let Some(weights) = &mut self.weights {
            *weights = rows.iter().map(|&row| weights[row]).collect();
        }
        for codes in [&mut self.group, &mut self.label].into_iter().flatten() {
            codes.codes = rows.iter().map(|&row| codes.codes[row]).collect();
        }
    }
}

/// A table. Rows are those that were kept, counted from 0; [`Table::number`] is what people call them.
#[derive(Debug)]
pub struct Table {
    /// The columns to choose by.
    pub matrix: Matrix,
    /// The files.
    pub source: Source,
    /// What the reader wants to be said.
    pub notes: Vec<String>,
    /// Columns that are not chosen by.
    pub side: SideColumns,
    /// The names of the columns to choose by.
    pub feature_names: Vec<String>,
    /// The column of the file that each of them comes from.
    pub feature_columns: Vec<usize>,
    /// The column of the file that each of them is a category of; none for numbers.
    pub categories: Vec<Option<usize>>,
    /// What each of them holds of its column.
    pub encodings: Vec<Encoding>,
    /// What each column of the file is; empty for arrays, whose columns are all numbers.
    pub columns: Vec<ColumnInfo>,
    /// The number in the file of each row, if some were dropped.
    pub kept: Option<Vec<usize>>,
    /// Missing values that were filled in.
    pub filled: usize,
    /// Cells that were asked for.
    pub(crate) shown: RefCell<HashMap<usize, Vec<String>>>,
}

/// What is written: rows with all columns, or columns with all rows.
#[derive(Debug, Clone, Copy)]
pub enum Picks<'a> {
    /// These rows, in this order.
    Rows(&'a [usize]),
    /// The rows with these numbers in the file, in this order, also those that were left aside.
    Numbers(&'a [usize]),
    /// These columns among those to choose by, in this order.
    Columns(&'a [usize]),
}

impl Table {
    /// The name of column `column`, if the file has names.
    pub fn name(&self, column: usize) -> Option<&str> {
        self.source.first_file().has_names().then(|| self.feature_names[column].as_str())
    }

    /// The columns that say who is an outlier, if they are not all: a row that shares its combination of categories with
    /// nobody is no outlier for that.
    pub fn outlier_columns(&self) -> Option<Vec<usize>> {
        let numbers = (0..self.categories.len()).filter(|&column| self.categories[column].is_none()).collect();
        self.categories.iter().any(Option::is_some).then_some(numbers)
    }

    /// True if the table came from files of sparse matrices, held sparse or not.
    pub fn is_from_sparse(&self) -> bool {
        self.source.all_of::<SparseFile>().is_some()
    }

    /// The names of all columns of the file.
    pub fn headings(&self) -> Vec<String> {
        self.source.headings.clone()
    }

    /// The number in the file of row `row`, from 0.
    pub fn number(&self, row: usize) -> usize {
        self.kept.as_ref().map_or(row, |kept| kept[row])
    }

    /// What people call these items: rows by their numbers in the file, columns by their places.
    pub fn numbers(&self, items: &[usize], columns: bool) -> Vec<usize> {
        items.iter().map(|&item| self.place_of(item, columns)).collect()
    }

    /// The place in the file of a row, or of a column to choose by.
    pub fn place_of(&self, item: usize, columns: bool) -> usize {
        if columns { self.feature_columns[item] } else { self.number(item) }
    }

    /// The row that has number `number` in the file; none if it was dropped.
    pub fn row_of(&self, number: usize) -> Option<usize> {
        self.kept.as_ref().map_or(Some(number), |kept| kept.binary_search(&number).ok())
    }

    /// Leaves these rows out; those that stay keep their numbers.
    ///
    /// # Errors
    /// If the values are sparse, or in a scratch file that cannot be written.
    pub fn drop_rows(&mut self, dropped: &[usize]) -> Result<(), TableError> {
        if dropped.is_empty() {
            return Ok(());
        }
        let mut is_kept = vec![true; self.matrix.shape().0];
        dropped.iter().for_each(|&row| is_kept[row] = false);
        self.matrix = match std::mem::replace(&mut self.matrix, Matrix::EMPTY) {
            Matrix::F32(values) => Matrix::F32(values.keep_rows(&is_kept)?),
            Matrix::F64(values) => Matrix::F64(values.keep_rows(&is_kept)?),
            Matrix::Disk32(values) => Matrix::Disk32(values.keep_rows(&is_kept)?),
            Matrix::Disk64(values) => Matrix::Disk64(values.keep_rows(&is_kept)?),
            Matrix::Sparse(_) => return Err(TableError::Run("no row of a sparse table can be left out".to_owned())),
        };
        let rows: Vec<usize> = (0..is_kept.len()).filter(|&row| is_kept[row]).collect();
        self.side.keep_rows(&rows);
        self.kept = Some(self.numbers(&rows, false));
        self.shown.borrow_mut().clear();
        Ok(())
    }

    /// Brings the cells of these rows, many at once, so that asking for each of them is cheap.
    pub fn fetch(&self, rows: &[usize]) {
        let mut shown = self.shown.borrow_mut();
        let wanted: Vec<usize> = rows.iter().copied().filter(|row| !shown.contains_key(row)).collect();
        let numbers: Vec<usize> = wanted.iter().map(|&row| self.number(row)).collect();
        // An unused column may be broken, or the file may have vanished. The choice is still good; writing will fail.
        let unreadable = || vec![vec![UNREADABLE.to_owned(); self.source.headings.len()]; numbers.len()];
        let cells = self.source.cells(&numbers).unwrap_or_else(|_| unreadable());
        shown.extend(wanted.into_iter().zip(cells));
    }

    /// The cells of row `row`, as they stood in the file.
    pub fn cells(&self, row: usize) -> Vec<String> {
        self.fetch(&[row]);
        self.shown.borrow().get(&row).cloned().unwrap_or_default()
    }

    /// True if the file has no value where row `row` has one of column `column` to choose by: it was filled in.
    pub fn is_filled_in(&self, row: usize, column: usize) -> bool {
        let is_missing = |cell: &String| match field::read(cell.as_bytes(), Style::default()) {
            Field::Missing | Field::Marker => true,
            Field::Number(value) => !value.is_finite(),
            _ => false,
        };
        let is_number = matches!(self.encodings.get(column), Some(Encoding::Number));
        self.filled > 0 && is_number && self.cells(row).get(self.feature_columns[column]).is_some_and(is_missing)
    }

    /// What names row `row`, if a column does.
    pub fn id(&self, row: usize) -> Option<String> {
        let column = self.side.id?;
        self.cells(row).into_iter().nth(column)
    }

    /// Fails if picks of this table cannot be written to such a file.
    pub fn check_target(&self, path: &std::path::Path, target: OutputFormat) -> Result<(), TableError> {
        // Standard output is not standard input, though both are called so.
        let is_file = path != std::path::Path::new(crate::STDIN);
        if is_file && self.source.paths.iter().any(|input| crate::is_same(path, input)) {
            return Err(TableError::in_file(path, "is an input; write to another file"));
        }
        match write::obstacle(&self.source, target.format) {
            Some(what) => Err(TableError::in_file(path, what)),
            None => Ok(()),
        }
    }

    /// Writes the picks as they stood in the file, with more columns behind them.
    pub fn write(
        &self,
        out: &mut dyn Write,
        target: OutputFormat,
        picks: Picks<'_>,
        extra: &ExtraColumns,
    ) -> std::io::Result<()> {
        target.compress(out, |out| match picks {
            Picks::Rows(rows) => {
                let numbers: Vec<usize> = rows.iter().map(|&row| self.number(row)).collect();
                write::rows(&self.source, out, target.format, &numbers, extra)
            }
            Picks::Numbers(numbers) => write::rows(&self.source, out, target.format, numbers, extra),
            Picks::Columns(columns) => {
                let mut origins: Vec<usize> = Vec::new();
                for &column in columns {
                    // Several encoded columns come from one.
                    if !origins.contains(&self.feature_columns[column]) {
                        origins.push(self.feature_columns[column]);
                    }
                }
                write::columns(&self.source, out, target.format, &origins)
            }
        })
    }
}
