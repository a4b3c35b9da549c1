//! From the columns that were read to the matrix that is chosen by: numbers as they are, text encoded.

use arss::Float;
use rayon::prelude::*;

use crate::chunks::{Chunk, ChunkedTable, ColumnValues};
use crate::dictionary::NO_CODE;
use crate::feature_plan::FeatureColumn;
use crate::vectors::{VectorChunk, VectorValues};
use crate::{ByName, DenseMatrix, Matrix, TableError};

/// Chunks that are taken at once, by several threads.
const GROUP: usize = 32;

/// Rows that are filled column by column, so that they stay in the fastest memory meanwhile.
const ROWS: usize = 64;

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
        return Ok(if single { Matrix::F32(dense(table, used)) } else { Matrix::F64(dense(table, used)) });
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

/// The matrix row by row; chunks are freed as they are taken, so that not everything is there twice.
fn dense<T: Float>(table: &mut ChunkedTable, used: &[FeatureColumn]) -> DenseMatrix<T> {
    let (rows, columns) = (table.rows, used.len());
    let mut data = vec![T::from_f64(0.0); rows * columns];
    let mut rest = data.as_mut_slice();
    let mut chunks = std::mem::take(&mut table.chunks).into_iter();
    loop {
        let group: Vec<Chunk> = chunks.by_ref().take(GROUP).collect();
        if group.is_empty() {
            return DenseMatrix { data, rows, columns, by_column: false };
        }
        let mut parts = Vec::with_capacity(group.len());
        for chunk in &group {
            let (own, behind) = rest.split_at_mut(chunk.rows * columns);
            parts.push((chunk, own));
            rest = behind;
        }
        parts.into_par_iter().for_each(|(chunk, own)| fill(chunk, used, own));
    }
}

fn fill<T: Float>(chunk: &Chunk, used: &[FeatureColumn], own: &mut [T]) {
    if let Some(vectors) = only_vectors(chunk, used) {
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
    let width = used.len().max(1);
    for (block, rows) in own.chunks_mut(ROWS * width).enumerate() {
        for (at, used) in used.iter().enumerate() {
            let cells = rows[at..].iter_mut().step_by(width);
            fill_column(&chunk.columns[used.column()].values, used, block * ROWS, cells);
        }
    }
}

/// Puts what `used` makes of a column, from row `first` on, into `cells`.
fn fill_column<'a, T: Float>(
    raw: &ColumnValues,
    used: &FeatureColumn,
    first: usize,
    cells: impl Iterator<Item = &'a mut T>,
) {
    match (raw, used) {
        (ColumnValues::Numbers(numbers), FeatureColumn::Number(_)) => {
            cells.zip(&numbers[first..]).for_each(|(cell, number)| *cell = T::from_f64(*number));
        }
        (ColumnValues::Codes(codes, _) | ColumnValues::Categories(codes, _), FeatureColumn::OneHot(_, wanted)) => {
            let encoded = |code: u32| match wanted.as_slice() {
                _ if code == NO_CODE => f64::NAN,
                [only] => f64::from(u8::from(code == *only)),
                several => f64::from(u8::from(several.contains(&code))),
            };
            cells.zip(&codes[first..]).for_each(|(cell, code)| *cell = T::from_f64(encoded(*code)));
        }
        (ColumnValues::Vectors(vectors), used) => {
            let numbers = (first..).map(|row| vectors.number(row, used.element()));
            cells.zip(numbers).for_each(|(cell, number)| *cell = T::from_f64(used.encode(number)));
        }
        (raw, used) => {
            let numbers = (first..).map(|row| raw.number(row));
            cells.zip(numbers).for_each(|(cell, number)| *cell = T::from_f64(used.encode(number)));
        }
    }
}

/// The vectors of a chunk, if all of one column and nothing else is used.
fn only_vectors<'a>(chunk: &'a Chunk, used: &[FeatureColumn]) -> Option<&'a VectorChunk> {
    let column = used.first()?.column();
    let ColumnValues::Vectors(vectors) = &chunk.columns[column].values else { return None };
    let all = vectors.width == Some(used.len());
    let same = used.iter().enumerate().all(|(at, used)| *used == FeatureColumn::Element(column, at));
    (all && same).then_some(vectors)
}
