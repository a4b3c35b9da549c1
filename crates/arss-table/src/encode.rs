//! From the columns that were read to the matrix that is chosen by: numbers as they are, text encoded.

use arss::Float;
use rayon::prelude::*;

use crate::chunks::{Chunk, ChunkedTable, ColumnValues};
use crate::dictionary::NO_CODE;
use crate::feature_plan::FeatureColumn;
use crate::number_rows::{NumberRows, RowValues};
use crate::vectors::{VectorChunk, VectorValues};
use crate::{ByName, DenseMatrix, Matrix, TableError};

/// Chunks that are taken at once, by several threads.
const GROUP: usize = 32;
/// The place of a text that no column stands for.
const NOWHERE: u32 = u32::MAX;

/// How text becomes numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encode {
    /// Columns of few texts as [`Encode::Onehot`]; flags and dates are used, too; other texts are left out.
    #[default]
    Auto,
    /// Numbers only.
    None,
    /// A column of 0 and 1 for each text.
    Onehot,
    /// 0, 1, 2, ... in alphabetical order.
    Ordinal,
}

impl ByName for Encode {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![
            ("auto", Encode::Auto, "Columns of few texts as categories; flags and dates are used, too"),
            ("none", Encode::None, "Choose by numbers only"),
            ("onehot", Encode::Onehot, "A column of 0 and 1 for each text"),
            ("ordinal", Encode::Ordinal, "0, 1, 2, ... in alphabetical order"),
        ]
    }
}

/// The used columns as one matrix, where the columns are: in memory or on disk. Missing values are NaN.
pub fn matrix(table: &mut ChunkedTable, used: &[FeatureColumn]) -> Result<Matrix, TableError> {
    let is_single = |used: &FeatureColumn| match used {
        FeatureColumn::Number(column) | FeatureColumn::Element(column, _) => table.single[*column],
        _ => false,
    };
    let single = used.iter().all(is_single);
    let Some(disk) = table.disk.take() else {
        let numbers = table.number_rows.take();
        let places = places(used, numbers.as_ref());
        let width = numbers.as_ref().map_or(0, NumberRows::width);
        let numbers = numbers.map_or_else(|| RowValues::Double(Vec::new()), NumberRows::finish);
        return Ok(match (single, numbers) {
            (true, RowValues::Single(numbers)) => Matrix::F32(dense(table, &places, (numbers, width))),
            (false, RowValues::Double(numbers)) => Matrix::F64(dense(table, &places, (numbers, width))),
            // Columns that are not chosen by were of double precision.
            (true, RowValues::Double(numbers)) => Matrix::F32(dense(table, &places, (changed(numbers), width))),
            // Numbers of single precision stand beside something else.
            (false, RowValues::Single(numbers)) => Matrix::F64(dense(table, &places, (changed(numbers), width))),
        });
    };
    let (raw, columns) = disk.finish();
    let place = |used: &FeatureColumn| {
        let wanted = (used.column(), used.element());
        columns.binary_search(&wanted).unwrap_or_default()
    };
    let used: Vec<(usize, &FeatureColumn)> = used.iter().map(|used| (place(used), used)).collect();
    let encoded = |row: &[f64], (at, used): &(usize, &FeatureColumn)| used.encode(row[*at]);
    Ok(if single {
        let change = &mut |_: usize, row: &[f64], fresh: &mut Vec<f32>| {
            fresh.extend(used.iter().map(|used| encoded(row, used) as f32));
        };
        Matrix::Disk32(raw.changed(used.len(), change)?)
    } else {
        let change = &mut |_: usize, row: &[f64], fresh: &mut Vec<f64>| {
            fresh.extend(used.iter().map(|used| encoded(row, used)));
        };
        Matrix::Disk64(raw.changed(used.len(), change)?)
    })
}

/// Where the values of some columns to choose by come from.
#[derive(Debug, PartialEq)]
enum Place {
    /// A number of the rows that were put together while they were read.
    Number(usize),
    /// 0/1 columns of a column of codes, as many as that: the one that each code is a 1 of.
    OneHot { column: usize, count: usize, of: Vec<u32> },
    /// The rank of each code of a column.
    Ordinal(usize, Vec<u32>),
    /// A number of the vectors of a column.
    Element(usize, usize),
}

impl Place {
    /// Columns to choose by that it makes.
    fn width(&self) -> usize {
        if let Place::OneHot { count, .. } = self { *count } else { 1 }
    }
}

/// Where the values of all columns to choose by come from.
fn places(used: &[FeatureColumn], numbers: Option<&NumberRows>) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(used.len());
    for used in used {
        match used {
            FeatureColumn::Number(column) => {
                places.push(Place::Number(numbers.and_then(|rows| rows.place(*column)).unwrap_or_default()));
            }
            FeatureColumn::Element(column, at) => places.push(Place::Element(*column, *at)),
            FeatureColumn::Ordinal(column, ranks) => places.push(Place::Ordinal(*column, ranks.clone())),
            FeatureColumn::OneHot(own, codes) => {
                if !matches!(places.last(), Some(Place::OneHot { column, .. }) if column == own) {
                    places.push(Place::OneHot { column: *own, count: 0, of: Vec::new() });
                }
                let Some(Place::OneHot { count, of, .. }) = places.last_mut() else { continue };
                let most = codes.iter().max().map_or(0, |most| *most as usize + 1);
                of.resize(of.len().max(most), NOWHERE);
                codes.iter().for_each(|code| of[*code as usize] = *count as u32);
                *count += 1;
            }
        }
    }
    places
}

/// The matrix row by row, of `numbers` of so many a row and of what is in chunks. What was taken is freed, so that not
/// everything is there twice.
fn dense<T: Float>(table: &mut ChunkedTable, places: &[Place], (numbers, width): (Vec<T>, usize)) -> DenseMatrix<T> {
    let (rows, columns) = (table.rows, places.iter().map(Place::width).sum());
    let of_numbers: Option<Vec<usize>> =
        places.iter().map(|place| if let Place::Number(at) = place { Some(*at) } else { None }).collect();
    if let Some(kept) = of_numbers {
        return DenseMatrix { data: kept_columns(numbers, &kept, width), rows, columns, by_column: false };
    }
    let mut data = vec![T::from_f64(0.0); rows * columns];
    let (mut rest, mut numbers_left) = (data.as_mut_slice(), numbers.as_slice());
    let mut chunks = std::mem::take(&mut table.chunks).into_iter();
    loop {
        let group: Vec<Chunk> = chunks.by_ref().take(GROUP).collect();
        if group.is_empty() {
            return DenseMatrix { data, rows, columns, by_column: false };
        }
        let mut parts = Vec::with_capacity(group.len());
        for chunk in &group {
            let (own, behind) = rest.split_at_mut(chunk.rows * columns);
            let (numbers, numbers_behind) = numbers_left.split_at(chunk.rows * width);
            parts.push((chunk, numbers, own));
            (rest, numbers_left) = (behind, numbers_behind);
        }
        parts.into_par_iter().for_each(|(chunk, numbers, own)| fill(chunk, (numbers, width), places, own));
    }
}

/// The listed columns of rows of `width` values, which are in order.
fn kept_columns<T: Float>(mut values: Vec<T>, kept: &[usize], width: usize) -> Vec<T> {
    if kept.len() == width {
        return values;
    }
    let mut to = 0;
    for from in (0..values.len()).step_by(width.max(1)) {
        for &at in kept {
            values[to] = values[from + at];
            to += 1;
        }
    }
    values.truncate(to);
    values.shrink_to_fit();
    values
}

/// The same values in another precision.
fn changed<T: Float, U: Float>(values: Vec<T>) -> Vec<U> {
    values.into_iter().map(|value| U::from_f64(value.to_f64())).collect()
}

/// Fills in the rows of a chunk, which are zero.
fn fill<T: Float>(chunk: &Chunk, (numbers, width): (&[T], usize), places: &[Place], own: &mut [T]) {
    if let Some(vectors) = only_vectors(chunk, places) {
        match &vectors.values {
            VectorValues::Single(values) => {
                own.iter_mut().zip(values).for_each(|(own, value)| *own = T::from_f64(f64::from(*value)));
            }
            VectorValues::Double(values) => {
                own.iter_mut().zip(values).for_each(|(own, value)| *own = T::from_f64(*value))
            }
        }
        return;
    }
    let columns: usize = places.iter().map(Place::width).sum();
    let values = |column: usize| &chunk.columns[column].values;
    for (row, own) in own.chunks_exact_mut(columns.max(1)).enumerate() {
        let numbers = &numbers[row * width..(row + 1) * width];
        let mut at = 0;
        for place in places {
            let missing = T::from_f64(f64::NAN);
            match place {
                Place::Number(from) => own[at] = numbers[*from],
                Place::Element(column, element) => {
                    if let ColumnValues::Vectors(vectors) = values(*column) {
                        own[at] = T::from_f64(vectors.number(row, *element));
                    }
                }
                Place::Ordinal(column, ranks) => {
                    let rank = ranks.get(values(*column).code(row) as usize);
                    own[at] = rank.map_or(missing, |rank| T::from_f64(f64::from(*rank)));
                }
                Place::OneHot { column, count, of } => match values(*column).code(row) {
                    NO_CODE => own[at..at + count].fill(missing),
                    code => {
                        if let Some(place) = of.get(code as usize).filter(|place| **place != NOWHERE) {
                            own[at + *place as usize] = T::from_f64(1.0);
                        }
                    }
                },
            }
            at += place.width();
        }
    }
}

/// The vectors of a chunk, if all of one column and nothing else is used.
fn only_vectors<'a>(chunk: &'a Chunk, places: &[Place]) -> Option<&'a VectorChunk> {
    let Some(Place::Element(column, _)) = places.first() else { return None };
    let ColumnValues::Vectors(vectors) = &chunk.columns[*column].values else { return None };
    let all = vectors.width == Some(places.len());
    let same = places.iter().enumerate().all(|(at, place)| *place == Place::Element(*column, at));
    (all && same).then_some(vectors)
}
