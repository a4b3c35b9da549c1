//! A table of what is known of each file, chosen by numbers that stand in no file.

use std::collections::HashMap;
use std::path::Path;

use arss_table::numeric_view::NumericView;
use arss_table::{DenseMatrix, Encoding, Matrix, Missing, ReadOptions, Table, TableError, open, read_bytes};

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
    /// No numbers.
    pub fn none() -> Self {
        Numbers { values: DenseMatrix { data: Vec::new(), rows: 0, columns: 0, by_column: false }, names: Vec::new() }
    }
}

/// The numbers in a file, a row for each of the files `names`: by name if a column holds the names, otherwise in order.
///
/// # Errors
/// If the file cannot be read, or its rows do not fit the files.
pub fn of_file(path: &Path, names: &[String]) -> Result<Numbers, TableError> {
    let table = open(&[path.to_owned()], &ReadOptions { missing: Missing::Error, ..ReadOptions::default() })?;
    let rows = order_of(&table, path, names)?;
    let view = NumericView::new(&table.matrix).map_err(|error| TableError::in_file(path, error))?;
    let columns = table.matrix.shape().1;
    let mut data = Vec::with_capacity(rows.len() * columns);
    for &row in &rows {
        data.extend((0..columns).map(|column| view.get(row, column) as f32));
    }
    let values = DenseMatrix { data, rows: rows.len(), columns, by_column: false };
    Ok(Numbers { values, names: table.feature_names })
}

/// The row of each file.
fn order_of(table: &Table, path: &Path, names: &[String]) -> Result<Vec<usize>, TableError> {
    let rows = table.matrix.shape().0;
    if let Some(found) = by_name(table, names) {
        return found.map_err(|name| TableError::in_file(path, format_args!("has no row for {name}")));
    }
    if rows != names.len() {
        let what = format!("has {rows} rows for {} files, and no column that holds their names", names.len());
        return Err(TableError::in_file(path, what));
    }
    Ok((0..rows).collect())
}

/// The row of each name, if a column of the table holds the first of them; the name that is in no row.
fn by_name(table: &Table, names: &[String]) -> Option<Result<Vec<usize>, String>> {
    let rows: Vec<usize> = (0..table.matrix.shape().0).collect();
    table.fetch(&rows);
    let cells: Vec<Vec<String>> = rows.iter().map(|&row| table.cells(row)).collect();
    // A number among those to compare by may look like a name by chance.
    let is_other = |column: &usize| !table.feature_columns.contains(column);
    let holds = |column: &usize| cells.iter().any(|row| row.get(*column) == names.first());
    let column = (0..table.source.headings.len()).filter(is_other).find(holds)?;
    let places: HashMap<&str, usize> =
        cells.iter().enumerate().map(|(row, cells)| (cells[column].as_str(), row)).collect();
    Some(names.iter().map(|name| places.get(name.as_str()).copied().ok_or_else(|| name.clone())).collect())
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
}
