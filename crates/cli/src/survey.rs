//! What can be known of a file without reading it: about how large its table is.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder};

use crate::io::{Format, npy_header};

/// Bytes of a text file that are looked at.
const LOOK: u64 = 1 << 20;

/// A table as it seems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survey {
    /// Size of the file.
    pub bytes: u64,
    pub rows: u64,
    /// Columns of the file, and those that seem to be numbers.
    pub columns: u64,
    pub used: u64,
    /// Bytes of a value in memory.
    pub element: u64,
    /// False if the rows are an estimate.
    pub exact: bool,
}

/// Looks at the beginning of a file. `None` for what is no file, or no table: reading it will tell.
pub fn look(path: &Path, format: Format) -> Option<Survey> {
    let file = File::open(path).ok()?;
    let data = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    match format {
        Format::Csv => text(&file, data.len()),
        Format::Npy => array(file, data.len()),
    }
}

fn array(file: File, bytes: u64) -> Option<Survey> {
    let header = npy_header::read(&mut BufReader::new(file)).ok()?;
    let &[rows, columns] = header.shape.as_slice() else { return None };
    let (rows, columns) = (rows as u64, columns as u64);
    // A header may claim what is not there.
    let values = rows.checked_mul(columns)?.checked_mul(header.kind.size() as u64)?;
    let element = if header.kind == npy_header::Kind::Float(4) { 4 } else { 8 };
    (values <= bytes).then_some(Survey { bytes, rows, columns, used: columns, element, exact: true })
}

fn text(file: &File, bytes: u64) -> Option<Survey> {
    let mut start = Vec::new();
    file.take(LOOK).read_to_end(&mut start).ok()?;
    let whole = start.len() as u64 == bytes;
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(&start[..]);
    let columns = reader.byte_headers().ok()?.len();
    let first = reader.position().byte();
    let mut numbers = vec![true; columns];
    let (mut rows, mut end, mut record) = (0u64, first, ByteRecord::new());
    while reader.read_byte_record(&mut record).ok()? {
        // The last record of a piece may be cut off.
        if !whole && reader.position().byte() == start.len() as u64 {
            break;
        }
        (rows, end) = (rows + 1, reader.position().byte());
        for (number, field) in numbers.iter_mut().zip(&record) {
            let field = std::str::from_utf8(field).unwrap_or("?").trim();
            *number &= field.is_empty() || field.parse::<f64>().is_ok();
        }
    }
    if !whole {
        rows = ((bytes - first) as f64 * rows as f64 / (end - first).max(1) as f64).ceil() as u64;
    }
    let used = numbers.iter().filter(|&&number| number).count() as u64;
    Some(Survey { bytes, rows, columns: columns as u64, used, element: 8, exact: whole })
}
