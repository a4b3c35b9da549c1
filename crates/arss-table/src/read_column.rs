//! A table of which one column of text is wanted, and no numbers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

use crate::file_state::Watch;
use crate::formats::file_format::Progress;
use crate::read::{ReadContext, opened, read_columns, side_columns};
use crate::schema::{self, Purpose};
use crate::source::Source;
use crate::{Categories, Matrix, ReadOptions, Table, TableError, input_paths, output_types};

/// The text of each row, empty where there is none.
type Texts = Vec<String>;

/// Reads the column `name`, and nothing else but the columns that the options name for groups, labels and weights.
///
/// The table has no columns to choose by: the caller makes them from the texts. Missing cells are empty texts.
///
/// ```
/// use arss_table::{ReadOptions, open_column};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("reviews.csv");
/// std::fs::write(&path, "stars,review\n5,very good\n1,\n")?;
/// let (table, texts) = open_column(&[path], &ReadOptions::default(), "review", &mut |_, _| ())?;
/// assert_eq!(texts, ["very good", ""]);
/// assert_eq!(table.cells(0), ["5", "very good"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a file cannot be read, or there is no such column.
pub fn open_column(
    paths: &[PathBuf],
    options: &ReadOptions,
    name: &str,
    progress: Progress<'_>,
) -> Result<(Table, Texts), TableError> {
    let options = ReadOptions { columns: Some(Vec::new()), roles: Vec::new(), exclude: Vec::new(), ..options.clone() };
    let inputs = input_paths::expand(paths)?;
    let context = ReadContext::of_files(&options, &inputs);
    let watch = Watch::new(&inputs);
    let read = read_texts(opened(inputs, &context, progress)?, name, &context, progress);
    // A file that changes may look broken in any way: that it changed is the better answer.
    watch.check()?;
    read
}

/// The same for files that are open.
fn read_texts(
    mut source: Source,
    name: &str,
    context: &ReadContext<'_>,
    progress: Progress<'_>,
) -> Result<(Table, Texts), TableError> {
    let options = context.options;
    if source.element_type().is_some() {
        return Err(TableError::in_file(source.first_path(), "is an array of numbers, which has no column of text"));
    }
    let mut roles = schema::roles(&source.headings, options)?;
    let wanted = schema::position(&source.headings, name)?;
    roles[wanted] = Purpose::Side;
    let (columns, read_as) = read_columns(&mut source, &roles, context, progress)?;
    if source.rows() == 0 {
        return Err(TableError::in_file(source.first_path(), "has columns, but no rows"));
    }
    source.types = output_types::of(&source, &columns, &read_as);
    let side = side_columns(&columns, &source.headings, options)?;
    let names = columns.dictionaries[wanted].names.clone();
    let texts = Categories { codes: columns.codes(wanted).collect(), names }.texts();
    let table = Table {
        matrix: Matrix::EMPTY,
        source,
        notes: Vec::new(),
        side,
        feature_names: Vec::new(),
        feature_columns: Vec::new(),
        categories: Vec::new(),
        encodings: Vec::new(),
        columns: Vec::new(),
        kept: None,
        filled: 0,
        shown: RefCell::new(HashMap::new()),
    };
    Ok((table, texts))
}
