//! Rows and columns into files: as they stood where the format allows it, by type where it does not.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use crate::Format;
use crate::chunks::ColumnKind;
use crate::formats::arrow_columns;
use crate::source::{Part, Source};
use crate::untrusted::catch_panic::guarded;
use crate::untrusted::npy_header;

/// What is added to each row: rank, score and the like.
#[derive(Debug, Default, Clone)]
pub struct ExtraColumns {
    /// Names and values.
    pub columns: Vec<(&'static str, ExtraValues)>,
}

/// Values that are added.
#[derive(Debug, Clone)]
pub enum ExtraValues {
    /// Whole numbers.
    Int(Vec<i64>),
    /// Numbers.
    Float(Vec<f64>),
}

impl ExtraValues {
    fn text(&self, at: usize) -> String {
        match self {
            ExtraValues::Int(values) => values[at].to_string(),
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
    fn names(&self, headings: &[String]) -> Vec<String> {
        let free = |name: &str| {
            let mut name = name.to_owned();
            while headings.contains(&name) {
                name = format!("arss_{name}");
            }
            name
        };
        self.columns.iter().map(|(own, _)| free(own)).collect()
    }
}

/// Writes these rows with all their columns.
pub fn rows(
    source: &Source,
    out: &mut dyn Write,
    format: Format,
    rows: &[usize],
    extra: &ExtraColumns,
) -> io::Result<()> {
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
        (Part::Text(first), Format::Csv | Format::Tsv) => {
            let mut writer = first.writer(out, mark(format));
            if let Some(header) = first.header_fields() {
                let more = names.iter().map(|name| name.clone().into_bytes());
                writer.write_record(header.into_iter().chain(more))?;
            }
            for (at, &row) in rows.iter().enumerate() {
                if let (Part::Text(text), own) = of(row) {
                    let more = texts(at).into_iter().map(String::into_bytes);
                    writer.write_record(text.fields(own)?.into_iter().chain(more))?;
                }
            }
            writer.flush()
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

/// What separates the fields of a new file.
fn mark(format: Format) -> u8 {
    if format == Format::Tsv { b'\t' } else { b',' }
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

fn with_extra(batch: RecordBatch, extra: &ExtraColumns, names: &[String]) -> io::Result<RecordBatch> {
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
    // Writers panic, too, at values that a broken file brought: a date beyond all calendars, for instance.
    guarded(|| unguarded(source, out, format, batch)).unwrap_or_else(|what| Err(io::Error::other(what)))
}

fn unguarded(source: &Source, out: &mut dyn Write, format: Format, batch: &RecordBatch) -> io::Result<()> {
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
            let mut writer = arrow_csv::WriterBuilder::new().with_delimiter(mark(format)).build(out);
            writer.write(batch).map_err(io::Error::other)
        }
        Format::Jsonl => {
            let builder = arrow_json::WriterBuilder::new().with_explicit_nulls(true);
            let mut writer = builder.build::<_, arrow_json::writer::LineDelimited>(out);
            writer.write(batch).and_then(|()| writer.finish()).map_err(io::Error::other)
        }
        Format::Npy | Format::Npz => matrix(out, batch),
    }
}

/// Writes a batch of numbers as an array.
fn matrix(out: &mut dyn Write, batch: &RecordBatch) -> io::Result<()> {
    let numbers = |array: &ArrayRef| arrow_columns::numbers(array, arrow_columns::kind(array.data_type()));
    let columns: Vec<Vec<f64>> =
        batch.columns().iter().map(numbers).collect::<Result<_, _>>().map_err(io::Error::other)?;
    out.write_all(&npy_header::bytes(npy_header::ElementType::Float(8), batch.num_rows(), columns.len()))?;
    for row in 0..batch.num_rows() {
        for column in &columns {
            out.write_all(&column[row].to_le_bytes())?;
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
            let text = source.types.iter().position(|kind| *kind == crate::output_types::OutputType::Text)?;
            return Some(format!("column {} holds text, and .npy holds numbers only", source.headings[text]));
        }
        _ => return None,
    };
    let kinds = schema.fields().iter().map(|field| (field.name(), arrow_columns::kind(field.data_type())));
    let bad = |kind: ColumnKind| match format {
        Format::Npy | Format::Npz => !matches!(kind, ColumnKind::Number | ColumnKind::Truth),
        Format::Csv | Format::Tsv => kind == ColumnKind::Nested,
        _ => false,
    };
    let (name, kind) = kinds.into_iter().find(|(_, kind)| bad(*kind))?;
    Some(match kind {
        ColumnKind::Nested => format!("column {name} holds lists or structures; write .parquet, .arrow or .jsonl"),
        _ => format!("column {name} holds no numbers, and .npy holds numbers only"),
    })
}

/// Writes these columns of all rows.
pub fn columns(source: &Source, out: &mut dyn Write, format: Format, columns: &[usize]) -> io::Result<()> {
    match (&source.parts[0], format) {
        (Part::Text(first), Format::Csv | Format::Tsv) => {
            let own = first.is_tab() == (format == Format::Tsv);
            let mut writer = first.writer(out, if own { first.delimiter() } else { mark(format) });
            if let Some(names) = first.header_fields() {
                writer.write_record(columns.iter().map(|&column| &names[column]))?;
            }
            for part in &source.parts {
                if let Part::Text(text) = part {
                    text.write_columns(&mut writer, columns)?;
                }
            }
            writer.flush()
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
