//! From the pieces that were read to the values that are chosen by.

use arss::Float;
use rayon::prelude::*;

use crate::ByName;
use crate::chunks::{Chunk, ChunkedTable, ColumnValues, NO_CODE};
use crate::schema::FeatureColumn;
use crate::{DenseMatrix, Matrix};

/// How text becomes numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encode {
    /// A column of 0 and 1 for each text.
    Onehot,
    /// 0, 1, 2, ... in alphabetical order.
    Ordinal,
}

impl ByName for Encode {
    const ALL: &'static [(&'static str, Self, &'static str)] = &[
        ("onehot", Encode::Onehot, "A column of 0 and 1 for each text"),
        ("ordinal", Encode::Ordinal, "0, 1, 2, ... in alphabetical order"),
    ];
}

/// The used columns as one matrix, row by row; pieces are let go as they are taken. Missing values are NaN.
pub fn assemble(frame: &mut ChunkedTable, used: &[FeatureColumn]) -> Matrix {
    if used.iter().all(|used| matches!(used, FeatureColumn::Number(column) if frame.single[*column])) {
        return Matrix::F32(grid(frame, used));
    }
    Matrix::F64(grid(frame, used))
}

/// Pieces that are taken at once, by several threads.
const GROUP: usize = 32;

fn grid<T: Float>(frame: &mut ChunkedTable, used: &[FeatureColumn]) -> DenseMatrix<T> {
    let (rows, columns) = (frame.rows, used.len());
    let mut data = vec![T::from_f64(0.0); rows * columns];
    let mut rest = data.as_mut_slice();
    let mut pieces = std::mem::take(&mut frame.pieces).into_iter();
    loop {
        let group: Vec<Chunk> = pieces.by_ref().take(GROUP).collect();
        if group.is_empty() {
            return DenseMatrix { data, rows, columns, by_column: false };
        }
        let mut targets = Vec::with_capacity(group.len());
        for piece in &group {
            let (own, behind) = rest.split_at_mut(piece.rows * columns);
            targets.push((piece, own));
            rest = behind;
        }
        targets.into_par_iter().for_each(|(piece, own)| fill(piece, used, own));
    }
}

fn fill<T: Float>(piece: &Chunk, used: &[FeatureColumn], own: &mut [T]) {
    let columns: Vec<Column<'_>> = used.iter().map(|used| Column::new(piece, used)).collect();
    for (row, values) in own.chunks_exact_mut(used.len().max(1)).enumerate() {
        for (value, column) in values.iter_mut().zip(&columns) {
            *value = T::from_f64(column.value(row));
        }
    }
}

/// One used column of a piece.
enum Column<'a> {
    Numbers(&'a [f64]),
    OneHot(&'a [u32], u32),
    Ordinal(&'a [u32], &'a [u32]),
}

impl<'a> Column<'a> {
    fn new(piece: &'a Chunk, used: &'a FeatureColumn) -> Self {
        match (&piece.columns[used.column()].values, used) {
            (ColumnValues::Numbers(numbers), _) => Column::Numbers(numbers),
            (ColumnValues::Codes(codes, _), FeatureColumn::Ordinal(_, ranks)) => Column::Ordinal(codes, ranks),
            (ColumnValues::Codes(codes, _), FeatureColumn::OneHot(_, code)) => Column::OneHot(codes, *code),
            // Only what was read is used.
            _ => Column::Numbers(&[]),
        }
    }

    #[inline]
    fn value(&self, row: usize) -> f64 {
        match self {
            Column::Numbers(numbers) => numbers[row],
            Column::OneHot(codes, _) if codes[row] == NO_CODE => f64::NAN,
            Column::OneHot(codes, code) => f64::from(u8::from(codes[row] == *code)),
            Column::Ordinal(codes, _) if codes[row] == NO_CODE => f64::NAN,
            Column::Ordinal(codes, ranks) => f64::from(ranks[codes[row] as usize]),
        }
    }
}
