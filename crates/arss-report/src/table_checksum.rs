//! A checksum of a table: tells whether it is the one that was chosen from. Not against forgers.

use arss::Float;
use arss_table::checksum::Sum;
use arss_table::{Matrix, Table};

/// A sum that every bit and its place go into.
#[derive(Debug, Clone, Copy)]
pub struct Checksum(Sum);

impl Checksum {
    /// Of the shape, every value and the names of all columns.
    pub fn of(table: &Table) -> Self {
        let (rows, columns) = table.matrix.shape();
        let mut sum = Checksum(Sum::default());
        sum.add(rows as u64);
        sum.add(columns as u64);
        match &table.matrix {
            Matrix::F32(matrix) => sum.add_values(&matrix.data),
            Matrix::F64(matrix) => sum.add_values(&matrix.data),
            Matrix::Sparse(matrix) => (0..rows).for_each(|row| {
                matrix.row(row).for_each(|(column, value)| {
                    sum.add(column as u64);
                    sum.add(value.to_bits());
                });
                sum.add(u64::MAX);
            }),
            // A file that cannot be read fails where it is chosen from.
            Matrix::Disk32(rows) => drop(rows.walk(&mut |_, rows| sum.add_values(rows))),
            Matrix::Disk64(rows) => drop(rows.walk(&mut |_, rows| sum.add_values(rows))),
        }
        table.headings().iter().for_each(|name| sum.add_text(name));
        sum
    }

    /// With the cells of some rows, words and all.
    pub fn with_cells(mut self, table: &Table, rows: &[usize]) -> Self {
        rows.iter().for_each(|&row| table.cells(row).iter().for_each(|cell| self.add_text(cell)));
        self
    }

    /// The sum as text.
    pub fn text(self) -> String {
        format!("{:016x}", self.0.value())
    }

    fn add_values<T: Float>(&mut self, values: &[T]) {
        values.iter().for_each(|value| self.add(value.to_f64().to_bits()));
    }

    fn add_text(&mut self, text: &str) {
        self.add(text.len() as u64);
        text.bytes().for_each(|byte| self.add(u64::from(byte)));
    }

    fn add(&mut self, word: u64) {
        self.0.add(&word.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_changes_the_sum() {
        let sum = |text: &str| {
            let table = arss_table::read_bytes(text.as_bytes(), "t.csv", &arss_table::ReadOptions::default()).unwrap();
            Checksum::of(&table).with_cells(&table, &[1]).text()
        };
        let first = sum("a,b,c\n1,2,x\n3,4,y\n");
        assert_eq!(first, sum("a,b,c\n1,2,x\n3,4,y\n"));
        for other in
            ["a,b,c\n1,2,x\n3,5,y\n", "a,b,c\n2,1,x\n3,4,y\n", "a,b,d\n1,2,x\n3,4,y\n", "a,b,c\n1,2,x\n3,4,z\n"]
        {
            assert_ne!(first, sum(other), "{other}");
        }
    }
}
