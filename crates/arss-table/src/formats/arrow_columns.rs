//! Columns of Arrow: what they hold, as numbers, as codes and as text for people.

use std::io;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatch, UInt64Array};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};

use crate::chunks::{ChunkedTable, ColumnChunk, ColumnKind, ColumnValues, Dictionary, KindCounts, NO_CODE, ReadAs};
use crate::untrusted::catch_panic::guarded;

/// What a column of this type holds.
pub fn kind(data_type: &DataType) -> ColumnKind {
    match data_type {
        DataType::Null => ColumnKind::Empty,
        DataType::Boolean => ColumnKind::Truth,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, _) => ColumnKind::Date,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => ColumnKind::Text,
        DataType::Time32(_) | DataType::Time64(_) | DataType::Interval(_) => ColumnKind::Text,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            ColumnKind::Text
        }
        DataType::Dictionary(_, values) => kind(values),
        DataType::RunEndEncoded(_, values) => kind(values.data_type()),
        other if other.is_numeric() => ColumnKind::Number,
        DataType::Duration(_) => ColumnKind::Number,
        _ => ColumnKind::Nested,
    }
}

/// What is wanted of a column.
pub fn cells(array: &ArrayRef, read_as: ReadAs) -> Result<ColumnChunk, ArrowError> {
    let kind = kind(array.data_type());
    let seen = seen(array, kind);
    let values = match read_as {
        ReadAs::Nothing => ColumnValues::None,
        ReadAs::Numbers if matches!(kind, ColumnKind::Text | ColumnKind::Nested) => {
            ColumnValues::Numbers(vec![f64::NAN; array.len()])
        }
        ReadAs::Numbers => ColumnValues::Numbers(numbers(array, kind)?),
        ReadAs::Codes => codes(array)?,
    };
    Ok(ColumnChunk { seen, values })
}

/// What counting the values would give.
fn seen(array: &ArrayRef, kind: ColumnKind) -> KindCounts {
    let filled = array.len() - array.logical_null_count();
    let mut seen = KindCounts::of(kind, filled);
    if kind != ColumnKind::Number && filled > 0 {
        let nulls = array.logical_nulls();
        seen.first_text = (0..array.len()).find(|&row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)));
    }
    seen
}

/// The values as numbers, NaN where there are none; dates as seconds.
pub fn numbers(array: &ArrayRef, kind: ColumnKind) -> Result<Vec<f64>, ArrowError> {
    if let Some(numbers) = primitive_numbers(array) {
        return Ok(numbers);
    }
    let cast = |array: &dyn Array, to: &DataType| arrow_cast::cast(array, to);
    let array = match array.data_type() {
        DataType::Dictionary(_, values) => cast(array, values)?,
        DataType::RunEndEncoded(_, values) => cast(array, values.data_type())?,
        _ => array.clone(),
    };
    let (array, unit) = match array.data_type() {
        DataType::Date32 | DataType::Date64 => (cast(&array, &DataType::Timestamp(TimeUnit::Millisecond, None))?, 1e-3),
        DataType::Timestamp(TimeUnit::Second, _) => (array, 1.0),
        DataType::Timestamp(TimeUnit::Millisecond, _) => (array, 1e-3),
        DataType::Timestamp(TimeUnit::Microsecond, _) => (array, 1e-6),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => (array, 1e-9),
        _ => (array, 1.0),
    };
    let whole = kind == ColumnKind::Date || matches!(array.data_type(), DataType::Duration(_));
    let array = if whole { cast(&array, &DataType::Int64)? } else { array };
    let array = cast(&array, &DataType::Float64)?;
    let array = array.as_primitive::<Float64Type>();
    if array.null_count() == 0 && unit == 1.0 {
        return Ok(array.values().to_vec());
    }
    Ok(array.iter().map(|value| value.map_or(f64::NAN, |value| value * unit)).collect())
}

/// The numbers of the types that most columns have; `arrow_cast`, which knows all types, is compiled for size.
fn primitive_numbers(array: &ArrayRef) -> Option<Vec<f64>> {
    Some(match array.data_type() {
        DataType::Float64 => widened::<Float64Type>(array, |value| value),
        DataType::Float32 => widened::<Float32Type>(array, f64::from),
        DataType::Int64 => widened::<Int64Type>(array, |value| value as f64),
        DataType::Int32 => widened::<Int32Type>(array, f64::from),
        DataType::Int16 => widened::<Int16Type>(array, f64::from),
        DataType::Int8 => widened::<Int8Type>(array, f64::from),
        DataType::UInt64 => widened::<UInt64Type>(array, |value| value as f64),
        DataType::UInt32 => widened::<UInt32Type>(array, f64::from),
        DataType::UInt16 => widened::<UInt16Type>(array, f64::from),
        DataType::UInt8 => widened::<UInt8Type>(array, f64::from),
        _ => return None,
    })
}

fn widened<T: ArrowPrimitiveType>(array: &ArrayRef, widen: impl Fn(T::Native) -> f64) -> Vec<f64> {
    let array = array.as_primitive::<T>();
    if array.null_count() == 0 {
        return array.values().iter().map(|&value| widen(value)).collect();
    }
    array.iter().map(|value| value.map_or(f64::NAN, &widen)).collect()
}

fn codes(array: &ArrayRef) -> Result<ColumnValues, ArrowError> {
    let mut dictionary = Dictionary::default();
    let texts = texts(array)?;
    let codes = texts.iter().map(|text| text.as_ref().map_or(NO_CODE, |text| dictionary.code(text))).collect();
    Ok(ColumnValues::Codes(codes, dictionary))
}

/// The values as text; none where they are missing.
pub fn texts(array: &ArrayRef) -> Result<Vec<Option<String>>, ArrowError> {
    match array.data_type() {
        DataType::Utf8 => return Ok(owned(array.as_string::<i32>().iter())),
        DataType::LargeUtf8 => return Ok(owned(array.as_string::<i64>().iter())),
        DataType::Utf8View => return Ok(owned(array.as_string_view().iter())),
        _ => {}
    }
    let options = FormatOptions::default().with_null("");
    let formatter = ArrayFormatter::try_new(array, &options)?;
    let nulls = array.logical_nulls();
    let is_there = |row: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
    (0..array.len()).map(|row| is_there(row).then(|| formatter.value(row).try_to_string()).transpose()).collect()
}

fn owned<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Vec<Option<String>> {
    texts.map(|text| text.map(str::to_owned)).collect()
}

/// The rows of a batch as text for people.
pub fn rows(batch: &RecordBatch) -> io::Result<Vec<Vec<String>>> {
    let read = || batch.columns().iter().map(texts).collect::<Result<Vec<_>, _>>().map_err(io::Error::other);
    let columns = guarded(read).unwrap_or_else(|what| Err(io::Error::other(what)))?;
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    let row = |_| columns.iter_mut().map(|column| column.next().flatten().unwrap_or_default()).collect();
    Ok((0..batch.num_rows()).map(row).collect())
}

/// True for a column of single precision.
pub fn is_single(field: &Field) -> bool {
    matches!(field.data_type(), DataType::Float32 | DataType::Float16)
}

/// The names of the columns.
pub fn headings(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// What the types of the columns tell about what they hold, as if one value of each had been counted.
pub fn schema_counts(schema: &Schema) -> ChunkedTable {
    let mut table = ChunkedTable::new(schema.fields().len());
    for (column, field) in schema.fields().iter().enumerate() {
        table.seen[column] = KindCounts::of(kind(field.data_type()), 1);
        table.single[column] = is_single(field);
    }
    table
}

/// The rows of `found`, which are those of `sorted`, in the order of `rows`.
pub fn reordered(found: &RecordBatch, sorted: &[usize], rows: &[usize]) -> io::Result<RecordBatch> {
    let place = |row: &usize| sorted.binary_search(row).map(|at| at as u64);
    let places: Result<Vec<u64>, usize> = rows.iter().map(place).collect();
    let places = places.map_err(|_| io::Error::other("a row is gone"))?;
    arrow_select::take::take_record_batch(found, &UInt64Array::from(places)).map_err(io::Error::other)
}
