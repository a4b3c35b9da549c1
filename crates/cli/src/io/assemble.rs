//! From the pieces that were read to the values that are chosen by.

use super::columns::Used;
use super::frame::{Frame, NO_CODE, Piece, Values as Cells};
use super::{Grid, Values};

/// The used columns as one matrix, row by row; pieces are let go as they are taken. Missing values are NaN.
pub fn assemble(frame: &mut Frame, used: &[Used]) -> Values {
    let single = used.iter().all(|used| matches!(used, Used::Number(column) if frame.single[*column]));
    let (rows, columns) = (frame.rows, used.len());
    let mut values = Vec::with_capacity(rows * columns);
    let mut singles = Vec::new();
    if single {
        (values, singles) = (Vec::new(), Vec::with_capacity(rows * columns));
    }
    for piece in std::mem::take(&mut frame.pieces) {
        let columns: Vec<Column<'_>> = used.iter().map(|used| Column::new(&piece, used)).collect();
        for row in 0..piece.rows {
            if single {
                singles.extend(columns.iter().map(|column| column.value(row) as f32));
            } else {
                values.extend(columns.iter().map(|column| column.value(row)));
            }
        }
    }
    if single {
        return Values::F32(Grid { data: singles, rows, columns, by_column: false });
    }
    Values::F64(Grid { data: values, rows, columns, by_column: false })
}

/// One used column of a piece.
enum Column<'a> {
    Numbers(&'a [f64]),
    OneHot(&'a [u32], u32),
    Ordinal(&'a [u32], &'a [u32]),
}

impl<'a> Column<'a> {
    fn new(piece: &'a Piece, used: &'a Used) -> Self {
        match (&piece.columns[used.column()].values, used) {
            (Cells::Numbers(numbers), _) => Column::Numbers(numbers),
            (Cells::Codes(codes, _), Used::Ordinal(_, ranks)) => Column::Ordinal(codes, ranks),
            (Cells::Codes(codes, _), Used::OneHot(_, code)) => Column::OneHot(codes, *code),
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
