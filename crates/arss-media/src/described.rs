//! A table of what is known of each file, chosen by numbers that stand in no file.

use std::path::Path;

use arss_table::{DenseMatrix, Encoding, Matrix, ReadOptions, Table, TableError, read_bytes};

/// What is known of each file.
#[derive(Debug)]
pub struct Description {
    /// The names of the columns; the first names the rows.
    pub headings: Vec<&'static str>,
    /// A column that holds numbers.
    pub number: &'static str,
    /// The cells, a row a file.
    pub rows: Vec<Vec<String>>,
}

/// What the files are compared by.
#[derive(Debug)]
pub struct Numbers {
    /// A row a file.
    pub values: DenseMatrix<f32>,
    /// The names of the columns.
    pub names: Vec<String>,
}

impl Description {
    /// The table of the files that `input` named.
    pub fn table(&self, input: &Path, numbers: Numbers) -> Result<Table, TableError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let failed = |error: csv::Error| TableError::Run(error.to_string());
        writer.write_record(&self.headings).map_err(failed)?;
        self.rows.iter().try_for_each(|row| writer.write_record(row)).map_err(failed)?;
        let bytes = writer.into_inner().map_err(|error| TableError::Run(error.to_string()))?;
        let options = ReadOptions {
            delimiter: Some(b','),
            header: Some(true),
            columns: Some(vec![self.number.to_owned()]),
            id: Some(self.headings[0].to_owned()),
            ..ReadOptions::default()
        };
        let mut table = read_bytes(&bytes, "files.csv", &options)?;
        table.source.paths = vec![input.to_owned()];
        give(&mut table, numbers);
        Ok(table)
    }
}

impl Numbers {
    /// The same with rows of zeros in between, so that row `places[at]` of `rows` is what row `at` was.
    pub fn spread(self, places: &[usize], rows: usize) -> Self {
        let columns = self.values.columns;
        if places.len() == rows {
            return self;
        }
        let mut data = vec![0.0; rows * columns];
        for (&place, row) in places.iter().zip(self.values.data.chunks_exact(columns.max(1))) {
            data[place * columns..][..columns].copy_from_slice(row);
        }
        Numbers { values: DenseMatrix { data, rows, columns, by_column: false }, ..self }
    }
}

/// Lets the rows of a table be chosen by these numbers.
pub fn give(table: &mut Table, numbers: Numbers) {
    let columns = numbers.values.columns;
    table.matrix = Matrix::F32(numbers.values);
    table.feature_names = numbers.names;
    // They stand in no column of the file; what people see of a row begins with its name.
    table.feature_columns = vec![table.side.id.unwrap_or(0); columns];
    table.categories = vec![None; columns];
    table.encodings = vec![Encoding::Number; columns];
    table.columns.clear();
    table.notes.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_kind_are_cells() {
        let names = ["a b.png", "quote\".png", "line\nbreak.png", "comma,.png"];
        let rows = names.map(|name| vec![name.to_owned(), "7".to_owned()]).to_vec();
        let numbers = Numbers {
            values: DenseMatrix { data: vec![1.0, 2.0, 3.0, 4.0], rows: 4, columns: 1, by_column: false },
            names: vec!["light".to_owned()],
        };
        let description = Description { headings: vec!["file", "width"], number: "width", rows };
        let table = description.table(Path::new("photos"), numbers).unwrap();
        assert_eq!((0..4).map(|row| table.id(row).unwrap()).collect::<Vec<_>>(), names);
        assert_eq!((table.source.title(), table.feature_names.len()), ("photos".to_owned(), 1));
    }

    #[test]
    fn rows_in_between_are_zero() {
        let values = DenseMatrix { data: vec![1.0, 2.0, 3.0, 4.0], rows: 2, columns: 2, by_column: false };
        let spread = Numbers { values, names: Vec::new() }.spread(&[0, 2], 3);
        assert_eq!((spread.values.rows, spread.values.data), (3, vec![1.0, 2.0, 0.0, 0.0, 3.0, 4.0]));
    }
}
