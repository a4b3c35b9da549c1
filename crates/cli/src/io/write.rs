//! Rows and columns into files: as they stood where the format allows it, by type where it does not.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, cast::AsArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::arrow;
use super::frame::Kind;
use super::source::{Part, Source};
use super::{Format, npy_header};

/// What is added to each row: rank, score and the like.
#[derive(Debug, Default, Clone)]
pub struct Extra {
    /// Names and values.
    pub columns: Vec<(&'static str, Added)>,
}

/// Values that are added.
#[derive(Debug, Clone)]
pub enum Added {
    /// Whole numbers.
    Int(Vec<i64>),
    /// Numbers.
    Float(Vec<f64>),
}

impl Added {
    fn text(&self, at: usize) -> String {
        match self {
            Added::Int(values) => values[at].to_string(),
            Added::Float(values) => format!("{:?}", values[at]),
        }
    }

    fn array(&self) -> ArrayRef {
        match self {
            Added::Int(values) => Arc::new(Int64Array::from(values.clone())),
            Added::Float(values) => Arc::new(Float64Array::from(values.clone())),
        }
    }
}

impl Extra {
    /// The names, changed where the table has them already.
    fn names(&self, headings: &[String]) -> Vec<String> {
        let taken = |name: &str| headings.iter().any(|heading| heading == name);
        let name = |name: &str| if taken(name) { format!("arss_{name}") } else { name.to_owned() };
        self.columns.iter().map(|(own, _)| name(own)).collect()
    }
}

/// Writes these rows with all their columns.
pub fn rows(source: &Source, out: &mut dyn Write, format: Format, rows: &[usize], extra: &Extra) -> io::Result<()> {
    let names = extra.names(&source.headings);
    let texts = |at: usize| extra.columns.iter().map(|(_, added)| added.text(at)).collect::<Vec<_>>();
    let of = |row: usize| {
        let (part, own) = source.part(row);
        (&source.parts[part], own)
    };
    match (&source.parts[0], format) {
        (Part::Text(first), Format::Csv | Format::Tsv) if same_text(source, format) => {
            first.write_header(out, &names.iter().map(String::as_str).collect::<Vec<_>>())?;
            for (at, &row) in rows.iter().enumerate() {
                if let (Part::Text(text), own) = of(row) {
                    text.write_row(out, own, &texts(at))?;
                }
            }
            Ok(())
        }
        (Part::Lines(_), Format::Jsonl) => {
            for (at, &row) in rows.iter().enumerate() {
                let more: Vec<(&str, String)> = names.iter().map(String::as_str).zip(texts(at)).collect();
                if let (Part::Lines(lines), own) = of(row) {
                    lines.write_row(out, own, &more)?;
                }
            }
            Ok(())
        }
        (Part::Array(first), Format::Npy) if extra.columns.is_empty() && same_arrays(source) => {
            first.write_header(out, rows.len(), first.columns)?;
            let all: Vec<usize> = (0..first.columns).collect();
            rows.iter().try_for_each(|&row| match of(row) {
                (Part::Array(array), own) => array.write_row(out, own, &all),
                _ => Ok(()),
            })
        }
        _ => batch(source, out, format, &with_extra(source.batch(rows)?, extra, &names)?),
    }
}

/// True if all files are text that is written alike, in the way the target's name asks for.
fn same_text(source: &Source, format: Format) -> bool {
    let Part::Text(first) = &source.parts[0] else { return false };
    let alike = source.parts.iter().all(|part| matches!(part, Part::Text(text) if first.is_like(text)));
    alike && first.is_tab() == (format == Format::Tsv)
}

fn same_arrays(source: &Source) -> bool {
    let Part::Array(first) = &source.parts[0] else { return false };
    source.parts.iter().all(|part| matches!(part, Part::Array(array) if first.is_like(array)))
}

fn with_extra(batch: RecordBatch, extra: &Extra, names: &[String]) -> io::Result<RecordBatch> {
    if names.is_empty() {
        return Ok(batch);
    }
    let mut fields: Vec<Arc<Field>> = batch.schema().fields().iter().cloned().collect();
    let mut arrays = batch.columns().to_vec();
    for (name, (_, added)) in names.iter().zip(&extra.columns) {
        let array = added.array();
        fields.push(Arc::new(Field::new(name, array.data_type().clone(), false)));
        arrays.push(array);
    }
    let schema = Schema::new_with_metadata(fields, batch.schema().metadata().clone());
    RecordBatch::try_new(Arc::new(schema), arrays).map_err(io::Error::other)
}

/// Writes a batch in any format.
fn batch(source: &Source, out: &mut dyn Write, format: Format, batch: &RecordBatch) -> io::Result<()> {
    match format {
        Format::Parquet => {
            let mut properties = WriterProperties::builder();
            if let Part::Parquet(file) = &source.parts[0] {
                properties = properties.set_compression(file.compression()).set_key_value_metadata(file.key_values());
            } else {
                properties = properties.set_compression(parquet::basic::Compression::SNAPPY);
            }
            let mut bytes = Vec::new();
            let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build()))?;
            writer.write(batch)?;
            writer.close()?;
            out.write_all(&bytes)
        }
        Format::Arrow => {
            let mut writer = arrow_ipc::writer::FileWriter::try_new(out, &batch.schema()).map_err(io::Error::other)?;
            writer.write(batch).and_then(|()| writer.finish()).map_err(io::Error::other)
        }
        Format::Csv | Format::Tsv => {
            let mark = if format == Format::Tsv { b'\t' } else { b',' };
            let mut writer = arrow_csv::WriterBuilder::new().with_delimiter(mark).build(out);
            writer.write(batch).map_err(io::Error::other)
        }
        Format::Jsonl => {
            let mut writer = arrow_json::LineDelimitedWriter::new(out);
            writer.write(batch).and_then(|()| writer.finish()).map_err(io::Error::other)
        }
        Format::Npy | Format::Npz => matrix(out, batch),
    }
}

/// Writes a batch of numbers as an array.
fn matrix(out: &mut dyn Write, batch: &RecordBatch) -> io::Result<()> {
    let to_f64 = |array: &ArrayRef| arrow_cast::cast(array, &DataType::Float64);
    let columns: Vec<ArrayRef> =
        batch.columns().iter().map(to_f64).collect::<Result<_, _>>().map_err(io::Error::other)?;
    out.write_all(&npy_header::bytes(npy_header::Kind::Float(8), batch.num_rows(), columns.len()))?;
    for row in 0..batch.num_rows() {
        for column in &columns {
            let values = column.as_primitive::<Float64Type>();
            let value = if values.is_null(row) { f64::NAN } else { values.value(row) };
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Why rows of this source cannot be written in this format, if they cannot.
pub fn obstacle(source: &Source, format: Format) -> Option<String> {
    let schema = match &source.parts[0] {
        Part::Parquet(file) => file.schema.clone(),
        Part::Arrow(file) => file.schema.clone(),
        Part::Array(_) => return None,
        _ if matches!(format, Format::Npy | Format::Npz) => {
            let text = source.types.iter().position(|kind| *kind == super::source::Type::Text)?;
            return Some(format!("column {} holds text, and .npy holds numbers only", source.headings[text]));
        }
        _ => return None,
    };
    let kinds = schema.fields().iter().map(|field| (field.name(), arrow::kind(field.data_type())));
    let bad = |kind: Kind| match format {
        Format::Npy | Format::Npz => !matches!(kind, Kind::Number | Kind::Truth),
        Format::Csv | Format::Tsv => kind == Kind::Nested,
        _ => false,
    };
    let (name, kind) = kinds.into_iter().find(|(_, kind)| bad(*kind))?;
    Some(match kind {
        Kind::Nested => format!("column {name} holds lists or structures; write .parquet, .arrow or .jsonl"),
        _ => format!("column {name} holds no numbers, and .npy holds numbers only"),
    })
}

/// Writes these columns of all rows.
pub fn columns(source: &Source, out: &mut dyn Write, format: Format, columns: &[usize]) -> io::Result<()> {
    match (&source.parts[0], format) {
        (Part::Text(_), Format::Csv | Format::Tsv) if same_text(source, format) => {
            source.parts.iter().enumerate().try_for_each(|(at, part)| match part {
                Part::Text(text) => text.write_columns(out, columns, at == 0),
                _ => Ok(()),
            })
        }
        (Part::Lines(_), Format::Jsonl) => source.parts.iter().try_for_each(|part| match part {
            Part::Lines(lines) => lines.write_columns(out, columns),
            _ => Ok(()),
        }),
        (Part::Array(first), Format::Npy) if same_arrays(source) => {
            first.write_header(out, source.rows(), columns.len())?;
            source.parts.iter().try_for_each(|part| match part {
                Part::Array(array) => (0..array.rows).try_for_each(|row| array.write_row(out, row, columns)),
                _ => Ok(()),
            })
        }
        _ => {
            let rows: Vec<usize> = (0..source.rows()).collect();
            let all = source.batch(&rows)?;
            batch(source, out, format, &all.project(columns).map_err(io::Error::other)?)
        }
    }
}
