//! A table whose numbers and cells somebody else holds: rows for people come from a function.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::chunks::{ChunkedTable, ReadAs};
use crate::formats::file_format::{Progress, RowCount, TableFile};
use crate::source::Source;
use crate::{Encoding, Matrix, SideColumns, Table, TableError};

/// The cells of some rows, as text for people.
pub type CellsOf = Box<dyn Fn(&[usize]) -> io::Result<Vec<Vec<String>>>>;

/// Rows that are not in a file.
struct GivenRows {
    headings: Vec<String>,
    cells: CellsOf,
}

impl fmt::Debug for GivenRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GivenRows").field("headings", &self.headings).finish_non_exhaustive()
    }
}

impl GivenRows {
    fn not_read() -> TableError {
        TableError::Run("the rows are given: there is no file to read".to_owned())
    }
}

impl TableFile for GivenRows {
    fn headings(&self) -> Vec<String> {
        self.headings.clone()
    }

    fn sample(&self) -> Result<ChunkedTable, TableError> {
        Err(GivenRows::not_read())
    }

    fn row_count(&self, _: &ChunkedTable, _: &[ReadAs]) -> Option<RowCount> {
        None
    }

    fn read(&mut self, _: &[ReadAs], _: &mut ChunkedTable, _: Progress<'_>) -> Result<(), TableError> {
        Err(GivenRows::not_read())
    }

    fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        (self.cells)(rows)
    }

    fn check_unchanged(&self) -> Result<(), TableError> {
        Ok(())
    }
}

impl Table {
    /// A table called `name` of `rows` rows with these columns, whose cells `cells` tells. The columns of `matrix` are taken
    /// for numbers, each from the column of the same place: whoever knows better changes the fields.
    ///
    /// ```
    /// use arss_table::{DenseMatrix, Matrix, Table};
    ///
    /// let matrix = Matrix::F64(DenseMatrix { data: vec![1.0, 2.0], rows: 2, columns: 1, by_column: false });
    /// let cells = |rows: &[usize]| Ok(rows.iter().map(|row| vec![format!("cell {row}")]).collect());
    /// let table = Table::given("numbers", 2, vec!["x".to_owned()], matrix, Box::new(cells));
    /// assert_eq!(table.cells(1), ["cell 1"]);
    /// ```
    pub fn given(name: &str, rows: usize, headings: Vec<String>, matrix: Matrix, cells: CellsOf) -> Table {
        let columns = matrix.shape().1;
        let file: Box<dyn TableFile> = Box::new(GivenRows { headings: headings.clone(), cells });
        let mut source = Source::new(vec![file], vec![PathBuf::from(name)], headings);
        source.starts = vec![0, rows];
        Table {
            feature_names: source.headings.iter().take(columns).cloned().collect(),
            matrix,
            source,
            notes: Vec::new(),
            side: SideColumns::default(),
            feature_columns: (0..columns).collect(),
            categories: vec![None; columns],
            encodings: vec![Encoding::Number; columns],
            columns: Vec::new(),
            kept: None,
            filled: 0,
            shown: RefCell::new(HashMap::new()),
        }
    }
}
