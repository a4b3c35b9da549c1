//! Rows and columns into files: as they stood where the format allows it, by type where it does not.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{Field, Schema};

use crate::column_kinds::ColumnKind;
use crate::formats::{Format, arrow_columns};
use crate::output_types::OutputType;
use crate::source::Source;
use crate::untrusted::catch_panic::guarded;

/// Columns that are added to each row: rank, score and the like.
#[derive(Debug, Default, Clone)]
pub struct ExtraColumns {
    /// Names and values.
    pub columns: Vec<(&'static str, ExtraValues)>,
}

/// The values of an added column.
#[derive(Debug, Clone)]
pub enum ExtraValues {
    /// Whole numbers.
    Int(Vec<i64>),
    /// Numbers.
    Float(Vec<f64>),
}

impl ExtraValues {
    fn text(&self, at: usize, decimal_comma: bool) -> String {
        match self {
            ExtraValues::Int(values) => values[at].to_string(),
            ExtraValues::Float(values) if decimal_comma => format!("{:?}", values[at]).replace('.', ","),
            ExtraValues::Float(values) => format!("{:?}", values[at]),
        }
    }

    fn array(&self) -> ArrayRef {
        match self {
            ExtraValues::Int(values) => Arc::new(Int64Array::from(values.clone())),
            ExtraValues::Float(values) => Arc::new(Float64Array::from(values.clone())),
        }
    }
}

impl ExtraColumns {
    /// The names, changed where the table has them already.
    pub fn names(&self, headings: &[String]) -> Vec<String> {
        let free = |name: &str| {
            let mut name = name.to_owned();
            while headings.contains(&name) {
                name = format!("arss_{name}");
            }
            name
        };
        self.columns.iter().map(|(own, _)| free(own)).collect()
    }

    /// The values of the row at place `at` as text.
    pub fn texts(&self, at: usize) -> Vec<String> {
        self.columns.iter().map(|(_, values)| values.text(at, false)).collect()
    }

    /// The same, with a decimal comma if that is how the numbers beside them are written.
    pub fn texts_like(&self, at: usize, decimal_comma: bool) -> Vec<String> {
        self.columns.iter().map(|(_, values)| values.text(at, decimal_comma)).collect()
    }

    /// The batch with the columns behind its own.
    fn added_to(&self, batch: RecordBatch, headings: &[String]) -> io::Result<RecordBatch> {
        if self.columns.is_empty() {
            return Ok(batch);
        }
        let mut fields: Vec<Arc<Field>> = batch.schema().fields().iter().cloned().collect();
        let mut arrays = batch.columns().to_vec();
        for (name, (_, values)) in self.names(headings).iter().zip(&self.columns) {
            let array = values.array();
            fields.push(Arc::new(Field::new(name, array.data_type().clone(), false)));
            arrays.push(array);
        }
        let schema = Schema::new_with_metadata(fields, batch.schema().metadata().clone());
        RecordBatch::try_new(Arc::new(schema), arrays).map_err(io::Error::other)
    }
}

/// True if numbers of a source have a decimal comma.
pub fn has_decimal_comma(source: &Source) -> bool {
    source.types.iter().any(|kind| matches!(kind, OutputType::DecimalComma { .. }))
}

/// Writes these rows with all their columns.
pub fn rows(
    source: &Source,
    out: &mut dyn Write,
    format: Format,
    rows: &[usize],
    extra: &ExtraColumns,
) -> io::Result<()> {
    if let Some(copied) = format.copy_rows(source, out, rows, extra) {
        return copied;
    }
    write_batch(source, out, format, &extra.added_to(source.batch(rows)?, &source.headings)?)
}

/// Writes these columns of all rows.
pub fn columns(source: &Source, out: &mut dyn Write, format: Format, columns: &[usize]) -> io::Result<()> {
    if let Some(copied) = format.copy_columns(source, out, columns) {
        return copied;
    }
    let rows: Vec<usize> = (0..source.rows()).collect();
    let all = source.batch(&rows)?;
    write_batch(source, out, format, &all.project(columns).map_err(io::Error::other)?)
}

fn write_batch(source: &Source, out: &mut dyn Write, format: Format, batch: &RecordBatch) -> io::Result<()> {
    // Writers panic, too, at values that a broken file brought: a date beyond all calendars, for instance.
    guarded(|| format.write_batch(source, out, batch)).unwrap_or_else(|what| Err(io::Error::other(what)))
}

/// Why rows of this source cannot be written in this format, if they cannot.
pub fn obstacle(source: &Source, format: Format) -> Option<String> {
    let kinds: Vec<ColumnKind> = match source.first_file().schema() {
        Some(schema) => schema.fields().iter().map(|field| arrow_columns::kind(field.data_type())).collect(),
        None if source.element_type().is_some() => return None,
        // Columns without a type are written by their text, which only a column of text cannot turn into a number.
        None => source.types.iter().map(|kind| kind_of(*kind)).collect(),
    };
    let refused = |(at, kind): (usize, &ColumnKind)| Some((at, format.refuses(*kind)?));
    let (column, why) = kinds.iter().enumerate().find_map(refused)?;
    Some(format!("column {} {why}", source.headings[column]))
}

fn kind_of(kind: OutputType) -> ColumnKind {
    if kind == OutputType::Text { ColumnKind::Text } else { ColumnKind::Number }
}
