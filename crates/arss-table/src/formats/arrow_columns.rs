//! Columns of Arrow: what they hold, as numbers, as codes and as text for people.

use std::io;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatch, UInt64Array};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};

use crate::chunks::{ChunkedTable, ColumnChunk, ColumnValues, ReadAs};
use crate::column_kinds::{ColumnKind, KindCounts};
use crate::dictionary::{Dictionary, MOST_CATEGORIES, NO_CODE};
use crate::field::Style;
use crate::formats::zoned_times;
use crate::untrusted::catch_panic::guarded;
use crate::vectors::{Misfit, VectorChunk, VectorValues};

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
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)
            if item.data_type().is_numeric() =>
        {
            ColumnKind::Vector
        }
        other if other.is_numeric() => ColumnKind::Number,
        DataType::Duration(_) => ColumnKind::Number,
        _ => ColumnKind::Nested,
    }
}

/// What is wanted of the columns of a batch, which are ours alone; `order` says that categories are in their order.
pub fn batch_cells(
    batch: RecordBatch,
    read_as: impl Iterator<Item = ReadAs>,
    order: bool,
) -> Result<(usize, Vec<ColumnChunk>), ArrowError> {
    let (schema, arrays, rows) = batch.into_parts();
    let columns = arrays.into_iter().zip(schema.fields()).zip(read_as);
    let found = columns.map(|((array, field), read_as)| cells(array, read_as, order && is_ordered(field)));
    Ok((rows, found.collect::<Result<_, _>>()?))
}

/// True for categories whose order means something.
fn is_ordered(field: &Field) -> bool {
    matches!(field.data_type(), DataType::Dictionary(_, _)) && field.dict_is_ordered() == Some(true)
}

/// The same rows, of which no category has an order: for files that do not keep it.
pub fn without_order(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let plain = |field: &Arc<Field>| match is_ordered(field) {
        true => {
            let plain = Field::new(field.name(), field.data_type().clone(), field.is_nullable());
            Arc::new(plain.with_metadata(field.metadata().clone()))
        }
        false => field.clone(),
    };
    let schema = batch.schema();
    let fields: Vec<Arc<Field>> = schema.fields().iter().map(plain).collect();
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    RecordBatch::try_new(Arc::new(schema), batch.columns().to_vec())
}

/// What is wanted of a column. Numbers of nobody else are taken as they stand, without a copy.
fn cells(array: ArrayRef, read_as: ReadAs, ordered: bool) -> Result<ColumnChunk, ArrowError> {
    if let Some(cells) = text_cells(&array, read_as) {
        return Ok(cells);
    }
    let kind = kind(array.data_type());
    let seen = seen(&array, kind);
    let plain = *array.data_type() == DataType::Float64 && array.null_count() == 0;
    let values = match read_as {
        ReadAs::Nothing => ColumnValues::None,
        ReadAs::Numbers(_) if matches!(kind, ColumnKind::Text | ColumnKind::Nested | ColumnKind::Vector) => {
            ColumnValues::Numbers(vec![f64::NAN; array.len()])
        }
        ReadAs::Numbers(_) if plain => ColumnValues::Numbers(taken(array)),
        ReadAs::Numbers(_) => ColumnValues::Numbers(numbers(&array, kind)?),
        ReadAs::Codes => codes(&array, ordered)?,
        ReadAs::Categories => categories(&array, ordered)?,
        ReadAs::Vectors => ColumnValues::Vectors(vectors(&array)?),
    };
    Ok(ColumnChunk { seen, values, style: Style::default() })
}

/// Texts are read as those of a csv file: numbers and dates may be written in them. None for other columns.
fn text_cells(array: &ArrayRef, read_as: ReadAs) -> Option<ColumnChunk> {
    if read_as == ReadAs::Nothing {
        return None;
    }
    let mut cells = ColumnChunk::with_room(read_as, array.len());
    let mut push = |(row, text): (usize, Option<&str>)| cells.push(text.unwrap_or_default().as_bytes(), row);
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().enumerate().for_each(&mut push),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().enumerate().for_each(&mut push),
        DataType::Utf8View => array.as_string_view().iter().enumerate().for_each(&mut push),
        _ => return None,
    }
    // The type of the column says text, so that nobody reads vectors of it.
    cells.seen.texts += std::mem::take(&mut cells.seen.vectors);
    Some(cells)
}

/// The numbers of double precision of an array that lacks none; copied only if somebody else has them, too.
fn taken(array: ArrayRef) -> Vec<f64> {
    let values = array.as_primitive::<Float64Type>().values().clone();
    drop(array);
    values.into_inner().into_vec().unwrap_or_else(|shared| shared.typed_data::<f64>().to_vec())
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

/// The texts that a column can have, in their order if that means something and they are few; empty otherwise.
fn known_texts(array: &ArrayRef, ordered: bool) -> Result<Dictionary, ArrowError> {
    let mut dictionary = Dictionary::default();
    let values = array.as_any_dictionary_opt().map(|array| array.values().clone());
    if let Some(values) = values.filter(|values| ordered && values.len() <= MOST_CATEGORIES) {
        dictionary.ordered = true;
        texts(&values)?.iter().flatten().for_each(|text| {
            dictionary.codes(text, 0);
        });
    }
    Ok(dictionary)
}

fn codes(array: &ArrayRef, ordered: bool) -> Result<ColumnValues, ArrowError> {
    let mut dictionary = known_texts(array, ordered)?;
    let texts = texts(array)?;
    let codes = texts.iter().map(|text| text.as_ref().map_or(NO_CODE, |text| dictionary.code(text))).collect();
    Ok(ColumnValues::Codes(codes, dictionary))
}

/// As [`codes`], as long as the texts are few; others are not copied.
fn categories(array: &ArrayRef, ordered: bool) -> Result<ColumnValues, ArrowError> {
    let mut dictionary = known_texts(array, ordered)?;
    let mut code = |row: usize, text: Option<&str>| text.map_or(NO_CODE, |text| dictionary.limited_code(text, row));
    let codes = match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().enumerate().map(|(row, text)| code(row, text)).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().enumerate().map(|(row, text)| code(row, text)).collect(),
        DataType::Utf8View => array.as_string_view().iter().enumerate().map(|(row, text)| code(row, text)).collect(),
        _ => texts(array)?.iter().enumerate().map(|(row, text)| code(row, text.as_deref())).collect(),
    };
    Ok(ColumnValues::Categories(codes, dictionary))
}

/// The values as text; none where they are missing.
pub fn texts(array: &ArrayRef) -> Result<Vec<Option<String>>, ArrowError> {
    match array.data_type() {
        DataType::Utf8 => return Ok(owned(array.as_string::<i32>().iter())),
        DataType::LargeUtf8 => return Ok(owned(array.as_string::<i64>().iter())),
        DataType::Utf8View => return Ok(owned(array.as_string_view().iter())),
        _ => {}
    }
    if let Some(texts) = zoned_times::texts(array) {
        return Ok(texts);
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

/// The vectors of a column of lists.
fn vectors(array: &ArrayRef) -> Result<VectorChunk, ArrowError> {
    let rows = array.len();
    let is_null = |row: &usize| array.is_null(*row);
    let null = (0..rows).find(is_null).map(|row| Misfit { row, length: None });
    let (items, width, uneven) = match array.data_type() {
        DataType::FixedSizeList(_, _) => {
            let lists = array.as_fixed_size_list();
            let width = usize::try_from(lists.value_length()).unwrap_or_default();
            let start = usize::try_from(lists.value_offset(0)).unwrap_or_default();
            (lists.values().slice(start, rows * width), width, None)
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            let offsets: Vec<usize> = lists.value_offsets().iter().map(|&at| at as usize).collect();
            of_offsets(lists.values(), &offsets)
        }
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            let offsets: Vec<usize> = lists.value_offsets().iter().map(|&at| at as usize).collect();
            of_offsets(lists.values(), &offsets)
        }
        other => return Err(ArrowError::CastError(format!("{other} holds no vectors"))),
    };
    let misfit = [null, uneven].into_iter().flatten().min_by_key(|misfit| misfit.row);
    let values = match items.data_type() {
        DataType::Float32 if items.null_count() == 0 => {
            VectorValues::Single(items.as_primitive::<Float32Type>().values().to_vec())
        }
        DataType::Float16 if items.null_count() == 0 => {
            let halves = items.as_primitive::<Float16Type>().values();
            VectorValues::Single(halves.iter().map(|half| half.to_f32()).collect())
        }
        _ => VectorValues::Double(numbers(&items, ColumnKind::Number)?),
    };
    Ok(VectorChunk { width: Some(width).filter(|_| rows > 0), values, rows, misfit })
}

/// The numbers of lists, the length of the first list, and the first list of another length.
fn of_offsets(values: &ArrayRef, offsets: &[usize]) -> (ArrayRef, usize, Option<Misfit>) {
    let (first, last) = (offsets.first().copied().unwrap_or_default(), offsets.last().copied().unwrap_or_default());
    let mut lengths = offsets.iter().zip(offsets.iter().skip(1)).map(|(from, to)| to - from).enumerate();
    let width = lengths.clone().next().map_or(0, |(_, length)| length);
    let uneven = lengths.find(|(_, length)| *length != width);
    let uneven = uneven.map(|(row, length)| Misfit { row, length: Some(length) });
    (values.slice(first, last - first), width, uneven)
}

/// True for a column of single precision.
pub fn is_single(field: &Field) -> bool {
    let single = |data_type: &DataType| matches!(data_type, DataType::Float32 | DataType::Float16);
    match field.data_type() {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => single(item.data_type()),
        other => single(other),
    }
}

/// The names of the columns.
pub fn headings(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// What the types of the columns tell about what they hold, as if one value of each had been counted.
pub fn schema_counts(schema: &Schema) -> ChunkedTable {
    let mut table = ChunkedTable::new(schema.fields().len());
    for ((seen, single), field) in table.seen.iter_mut().zip(&mut table.single).zip(schema.fields()) {
        *seen = KindCounts::of(kind(field.data_type()), 1);
        *single = is_single(field);
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
