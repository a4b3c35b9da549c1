//! How large a file's table is, as far as that can be told without reading it.

use std::path::Path;

use crate::byte_source::{Compression, MemoryLimit};
use crate::chunks::ReadAs;
use crate::schema;
use crate::schema::Role;
use crate::source::Part;
use crate::{Format, ReadOptions, input_paths};

/// How large a table seems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileShape {
    /// Size of the file.
    pub bytes: u64,
    /// Number of rows.
    pub rows: u64,
    /// Columns of the file.
    pub columns: u64,
    /// Columns that would be chosen by.
    pub used: u64,
    /// Bytes of a value in memory.
    pub element: u64,
    /// True for an array, which is read as it stands.
    pub array: bool,
    /// Bytes that reading keeps in memory besides the values.
    pub held: u64,
    /// False if the rows are an estimate.
    pub exact: bool,
}

/// The extent of each file; none if one of them has to be read to know.
pub fn file_shapes(reading: &ReadOptions<'_>) -> Option<Vec<FileShape>> {
    input_paths::expand(reading.inputs).ok()?.iter().map(|path| file_shape(path, reading)).collect()
}

fn file_shape(path: &Path, reading: &ReadOptions<'_>) -> Option<FileShape> {
    let data = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut start = [0; 64];
    let found = std::io::Read::read(&mut std::fs::File::open(path).ok()?, &mut start).ok()?;
    let format = Format::found(path, &start[..found], reading.format).ok()?;
    let packed = Compression::of(&start[..found]) != Compression::None;
    if packed || matches!(format, Format::Jsonl | Format::Npz | Format::Arrow) {
        return None;
    }
    // Whether the values fit into memory is what this is asked for.
    let reading = &ReadOptions { limit: MemoryLimit { disk: true, ..reading.limit }, ..reading.clone() };
    let part = Part::open(path, reading, &mut |_, _| ()).ok()?;
    let bytes = data.len();
    if let Part::Array(array) = &part {
        let (rows, columns) = (array.rows as u64, array.columns as u64);
        let element = if array.is_single() { 4 } else { 8 };
        return Some(FileShape { bytes, rows, columns, used: columns, element, array: true, held: 0, exact: true });
    }
    let sample = part.sample().ok()?;
    let roles = schema::roles(&part.headings(), &reading.choice).ok()?;
    let wants = schema::wants(&roles, &sample, &reading.choice);
    let feature = |&column: &usize| matches!(roles[column], Role::Feature(_)) && wants[column] != ReadAs::Nothing;
    let used = (0..roles.len()).filter(feature).count() as u64;
    let (rows, exact, held) = match &part {
        Part::Parquet(file) => (file.rows as u64, true, file.pages(&wants)),
        Part::Text(text) => {
            let (rows, exact) = text.about_rows(sample.rows as u64);
            // Where the records begin.
            (rows, exact, 8 * rows)
        }
        _ => return None,
    };
    let single = (0..roles.len()).filter(feature).all(|column| sample.single[column]);
    let element = if single && used > 0 { 4 } else { 8 };
    Some(FileShape { bytes, rows, columns: roles.len() as u64, used, element, array: false, held, exact })
}

/// A table as it seems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableShape {
    /// Size of the files.
    pub bytes: u64,
    /// Number of rows.
    pub rows: u64,
    /// Columns of the files, and those that seem to be numbers.
    pub columns: u64,
    /// Columns that seem to be numbers.
    pub used: u64,
    /// Bytes of a value in memory.
    pub element: u64,
    /// Bytes that stay in memory besides the values.
    pub held: u64,
    /// True if the table is read in pieces and put together.
    pub in_pieces: bool,
    /// False if the rows are an estimate.
    pub exact: bool,
}

/// Looks at the beginning of each file. `None` for what is no file, is packed, or is no table: reading it will tell.
pub fn probe_shape(reading: &ReadOptions<'_>) -> Option<TableShape> {
    let mut all = TableShape { exact: true, element: 8, ..TableShape::default() };
    for FileShape { bytes, rows, columns, used, element, array, held, exact } in file_shapes(reading)? {
        all.bytes += bytes;
        all.rows += rows;
        (all.columns, all.used, all.element) = (columns, used, element);
        all.exact &= exact;
        all.in_pieces |= !array;
        all.held += held;
    }
    Some(all)
}
