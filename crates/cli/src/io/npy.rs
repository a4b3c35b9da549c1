//! Arrays saved by numpy.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

use super::npy_header::{self, Kind};
use super::{Grid, Picks, Source, Table, Values, read_all};
use crate::failure::Failure;
use crate::table::number;

/// The values as they stood in the file.
#[derive(Debug)]
pub struct Bytes {
    raw: Vec<u8>,
    kind: Kind,
    by_column: bool,
    rows: usize,
    /// Number of columns.
    pub columns: usize,
}

/// The name of column `column` where a name is needed.
pub fn heading(column: usize) -> String {
    format!("f{column}")
}

/// Reads a table from an open .npy file; `path` is for the messages.
pub fn read(file: File, path: &Path) -> Result<Table, Failure> {
    let mut file = BufReader::new(file);
    let header = npy_header::read(&mut file).map_err(|what| Failure::in_file(path, what))?;
    let &[rows, columns] = header.shape.as_slice() else {
        let shape = format!("{:?}", header.shape)
            .replace('[', "(")
            .replace(']', if header.shape.len() == 1 { ",)" } else { ")" });
        let what = format!("has shape {shape}, but a table needs 2 dimensions: rows and columns");
        return Err(Failure::in_file(path, what));
    };
    // Read what is there, never what the header claims.
    let mut raw = read_all(file, path)?;
    let needed = rows.checked_mul(columns).and_then(|count| count.checked_mul(header.kind.size()));
    match needed {
        Some(needed) if needed <= raw.len() => raw.truncate(needed),
        _ => {
            let what = format!(
                "is cut off: {rows} x {columns} values of {} bytes are announced, {} bytes are there",
                header.kind.size(),
                raw.len()
            );
            return Err(Failure::in_file(path, what));
        }
    }
    let bytes = Bytes { raw, kind: header.kind, by_column: header.by_column, rows, columns };
    Ok(Table { values: bytes.values(), source: Source::Npy(bytes), messages: Vec::new() })
}

impl Bytes {
    fn values(&self) -> Values {
        let (rows, columns, by_column) = (self.rows, self.columns, self.by_column);
        if self.kind == Kind::Float(4) {
            let data = self.raw.chunks_exact(4).map(|bytes| f32::from_le_bytes(array(bytes))).collect();
            return Values::F32(Grid { data, rows, columns, by_column });
        }
        let data = self.raw.chunks_exact(self.kind.size()).map(|bytes| to_f64(self.kind, bytes)).collect();
        Values::F64(Grid { data, rows, columns, by_column })
    }

    /// The bytes of one value.
    fn value(&self, row: usize, column: usize) -> &[u8] {
        let at = if self.by_column { column * self.rows + row } else { row * self.columns + column };
        let size = self.kind.size();
        &self.raw[at * size..(at + 1) * size]
    }

    /// The values of row `row` for people: floats with a few digits.
    pub fn cells(&self, row: usize) -> Vec<String> {
        let shown = |bytes| match self.kind {
            Kind::Float(_) => number(to_f64(self.kind, bytes)),
            _ => as_text(self.kind, bytes),
        };
        (0..self.columns).map(|column| shown(self.value(row, column))).collect()
    }

    /// Writes the picks as .npy of the same element type.
    pub fn write_npy(&self, out: &mut dyn Write, picks: Picks<'_>) -> std::io::Result<()> {
        let (rows, columns) = self.chosen(picks);
        out.write_all(&npy_header::bytes(self.kind, rows.len(), columns.len()))?;
        for &row in &rows {
            for &column in &columns {
                out.write_all(self.value(row, column))?;
            }
        }
        Ok(())
    }

    /// Writes the picks as csv, with the columns named f0, f1, ...
    pub fn write_csv(&self, out: &mut dyn Write, picks: Picks<'_>) -> std::io::Result<()> {
        let (rows, columns) = self.chosen(picks);
        let names: Vec<String> = columns.iter().map(|&column| heading(column)).collect();
        writeln!(out, "{}", names.join(","))?;
        for &row in &rows {
            let cells: Vec<String> =
                columns.iter().map(|&column| as_text(self.kind, self.value(row, column))).collect();
            writeln!(out, "{}", cells.join(","))?;
        }
        Ok(())
    }

    fn chosen(&self, picks: Picks<'_>) -> (Vec<usize>, Vec<usize>) {
        match picks {
            Picks::Rows(rows) => (rows.to_vec(), (0..self.columns).collect()),
            Picks::Columns(columns) => ((0..self.rows).collect(), columns.to_vec()),
        }
    }
}

/// The first N bytes; there are always as many.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|at| bytes[at])
}

fn to_f64(kind: Kind, bytes: &[u8]) -> f64 {
    match kind {
        Kind::Bool => f64::from(u8::from(bytes[0] != 0)),
        Kind::Int(_) => signed(bytes) as f64,
        Kind::Uint(_) => unsigned(bytes) as f64,
        Kind::Float(2) => half(u16::from_le_bytes(array(bytes))),
        Kind::Float(4) => f64::from(f32::from_le_bytes(array(bytes))),
        Kind::Float(_) => f64::from_le_bytes(array(bytes)),
    }
}

/// The shortest text that reads back as the same value.
fn as_text(kind: Kind, bytes: &[u8]) -> String {
    match kind {
        Kind::Int(_) => signed(bytes).to_string(),
        Kind::Uint(_) => unsigned(bytes).to_string(),
        Kind::Bool => u8::from(bytes[0] != 0).to_string(),
        Kind::Float(4) => format!("{:?}", f32::from_le_bytes(array(bytes))),
        Kind::Float(_) => format!("{:?}", to_f64(kind, bytes)),
    }
}

fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len() as u32;
    (unsigned(bytes) << unused) as i64 >> unused
}

/// A half-precision float: 1 bit of sign, 5 of exponent, 10 of fraction.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let size = match (bits >> 10) & 0x1f {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_integers_keep_their_sign() {
        assert_eq!(to_f64(Kind::Int(1), &[0xff]), -1.0);
        assert_eq!(to_f64(Kind::Int(2), &(-300i16).to_le_bytes()), -300.0);
        assert_eq!(to_f64(Kind::Int(8), &i64::MIN.to_le_bytes()), -(2f64.powi(63)));
        assert_eq!(to_f64(Kind::Uint(1), &[0xff]), 255.0);
        assert_eq!(to_f64(Kind::Uint(8), &u64::MAX.to_le_bytes()), 2f64.powi(64));
    }

    #[test]
    fn half_precision_is_exact() {
        let known =
            [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0001, 2f64.powi(-24)), (0x3555, 0.333251953125)];
        assert!(known.iter().all(|&(bits, value)| half(bits) == value));
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }
}
