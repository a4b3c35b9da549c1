//! Numbers row by row, put together while they are read, so that they never stand in memory twice.

use arss::Float;
use rayon::prelude::*;

use crate::chunks::{Chunk, ColumnValues, ReadAs};
use crate::schema::Purpose;

/// Rows that are filled column by column, so that they stay in the fastest memory meanwhile.
const ROWS: usize = 64;
/// Rows that a thread fills at a time.
const PART: usize = 64 * ROWS;
/// Where there are more rows than was expected, there is room for one in so many of them more.
const MORE: usize = 8;
/// No room is made for more rows than so many times those that are there: a file may promise what it does not hold.
const BELIEVED: usize = 64;

/// The values, in single precision as long as all of them are.
#[derive(Debug)]
pub enum RowValues {
    /// Single precision.
    Single(Vec<f32>),
    /// Double precision.
    Double(Vec<f64>),
}

/// The numbers that may be chosen by, row by row.
#[derive(Debug)]
pub struct NumberRows {
    /// The columns of the file that they are of, in order.
    columns: Vec<usize>,
    rows: usize,
    /// Behind the rows that are there, there may be room: zeros that nobody has touched take no memory.
    values: RowValues,
}

impl NumberRows {
    /// No rows yet of the columns that are read as numbers to choose by.
    pub fn new(roles: &[Purpose], read_as: &[ReadAs]) -> Self {
        let is_number =
            |&at: &usize| matches!(roles[at], Purpose::Feature(_)) && matches!(read_as[at], ReadAs::Numbers(_));
        let columns = (0..roles.len()).filter(is_number).collect();
        NumberRows { columns, rows: 0, values: RowValues::Single(Vec::new()) }
    }

    /// The place of a column of the file in the rows.
    pub fn place(&self, column: usize) -> Option<usize> {
        self.columns.binary_search(&column).ok()
    }

    /// Numbers of a row.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Takes the numbers of a chunk, and gives back the memory that they were in; `single` tells which columns are of single
    /// precision so far, and about `expected` rows will come in all.
    pub fn take(&mut self, chunk: &mut Chunk, single: &[bool], expected: usize) -> Vec<Vec<f64>> {
        let (first, width) = (self.rows, self.columns.len());
        self.rows += chunk.rows;
        if width == 0 {
            return Vec::new();
        }
        let is_single = self.columns.iter().all(|&column| single[column]);
        if !is_single && let RowValues::Single(values) = &mut self.values {
            // Files before this one were of single precision.
            let values = std::mem::take(values);
            self.values = RowValues::Double(values.into_iter().map(f64::from).collect());
        }
        let take = |&column: &usize| match std::mem::replace(&mut chunk.columns[column].values, ColumnValues::None) {
            ColumnValues::Numbers(numbers) => numbers,
            _ => Vec::new(),
        };
        let numbers: Vec<Vec<f64>> = self.columns.iter().map(take).collect();
        let (from, to) = (first * width, self.rows * width);
        let room = expected.max(self.rows).saturating_mul(width);
        match &mut self.values {
            RowValues::Single(values) => fill(room_for(values, to, room, from), &numbers),
            RowValues::Double(values) => fill(room_for(values, to, room, from), &numbers),
        }
        numbers
    }

    /// The values of the rows, and no more.
    pub fn finish(self) -> RowValues {
        let end = self.rows * self.columns.len();
        match self.values {
            RowValues::Single(values) => RowValues::Single(cut_off(values, end)),
            RowValues::Double(values) => RowValues::Double(cut_off(values, end)),
        }
    }
}

/// The values `from..to`, for which room is made if there is none.
fn room_for<T: Float>(values: &mut Vec<T>, to: usize, room: usize, from: usize) -> &mut [T] {
    let room = room.min(to.saturating_mul(BELIEVED));
    if values.is_empty() {
        // Pages of zeros are there once they are written to.
        *values = vec![T::from_f64(0.0); room];
    } else if values.len() < to {
        values.resize(room.max(to + to / MORE), T::from_f64(0.0));
    }
    &mut values[from..to]
}

fn cut_off<T>(mut values: Vec<T>, end: usize) -> Vec<T> {
    values.truncate(end);
    values.shrink_to_fit();
    values
}

/// Columns become rows.
fn fill<T: Float>(own: &mut [T], columns: &[Vec<f64>]) {
    let width = columns.len();
    own.par_chunks_mut(PART * width).enumerate().for_each(|(part, own)| {
        for (block, rows) in own.chunks_mut(ROWS * width).enumerate() {
            let first = part * PART + block * ROWS;
            for (at, column) in columns.iter().enumerate() {
                let cells = rows[at..].iter_mut().step_by(width);
                cells.zip(&column[first..]).for_each(|(cell, value)| *cell = T::from_f64(*value));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunks::ColumnChunk;
    use crate::field::Style;
    use crate::schema::Asked;

    /// Rows of a text, two columns of numbers and a weight; `from` is the first row.
    fn chunk(from: usize, rows: usize) -> Chunk {
        let column = |values| ColumnChunk { values, ..ColumnChunk::new(ReadAs::Nothing) };
        let numbers = |times: f64| ColumnValues::Numbers((from..from + rows).map(|row| row as f64 * times).collect());
        let columns =
            vec![column(ColumnValues::None), column(numbers(0.5)), column(numbers(7.0)), column(numbers(-1.0))];
        Chunk { rows, columns }
    }

    #[test]
    fn rows_are_put_together_whatever_was_expected() {
        let numbers = ReadAs::Numbers(Style::default());
        let feature = Purpose::Feature(Asked::No);
        let roles = [feature, feature, Purpose::Weights, feature];
        let read_as = [ReadAs::Categories, numbers, numbers, numbers];
        for (expected, pieces) in [(0, [3, 5000]), (10, [70, 1]), (9000, [4097, 200])] {
            let mut found = NumberRows::new(&roles, &read_as);
            assert_eq!((found.width(), found.place(1), found.place(2), found.place(3)), (2, Some(0), None, Some(1)));
            let mut from = 0;
            for (at, rows) in pieces.into_iter().enumerate() {
                let mut piece = chunk(from, rows);
                // The second file is of double precision.
                found.take(&mut piece, &[true, at == 0, false, true], expected);
                assert!(piece.columns[1].len() == 0 && piece.columns[2].len() == rows);
                from += rows;
            }
            let RowValues::Double(values) = found.finish() else { panic!("not all are of single precision") };
            let wanted: Vec<f64> = (0..from).flat_map(|row| [row as f64 * 0.5, -(row as f64)]).collect();
            assert_eq!(values, wanted);
        }
    }
}
