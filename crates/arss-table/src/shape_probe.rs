//! How large a table is, as far as the start of its files tells.

use std::io::Read;
use std::path::PathBuf;

use crate::byte_source::Compression;
use crate::chunks::ReadAs;
use crate::formats::Format;
use crate::formats::text_encoding::is_converted;
use crate::input_paths::InputFile;
use crate::output_types::OutputType;
use crate::read::{ReadContext, open_to_probe};
use crate::schema::{self, Purpose};
use crate::{ReadOptions, input_paths};

/// How large a table seems to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableShape {
    /// Size of the files.
    pub bytes: u64,
    /// Number of rows.
    pub rows: u64,
    /// Columns of the files.
    pub columns: u64,
    /// Columns that would be chosen by.
    pub used: u64,
    /// Bytes of a value in memory.
    pub element: u64,
    /// Bytes that reading keeps in memory besides the values.
    pub held: u64,
    /// True if the table is read in chunks and then put together; an array is read as it stands.
    pub in_chunks: bool,
    /// False if the rows are an estimate.
    pub exact: bool,
    /// Bytes of a value, where all values can be read where they lie.
    pub in_place: Option<u64>,
}

/// The shape of the files as one table; `None` for what is no file, is compressed, or has to be read to know.
pub fn probe_shape(paths: &[PathBuf], options: &ReadOptions) -> Option<TableShape> {
    let context = ReadContext::new(options);
    let mut files = 0;
    let mut all = TableShape { exact: true, element: 8, ..TableShape::default() };
    for input in input_paths::expand(paths).ok()? {
        let own = file_shape(&input, &context)?;
        all = TableShape {
            bytes: all.bytes + own.bytes,
            rows: all.rows + own.rows,
            held: all.held + own.held,
            in_chunks: all.in_chunks || own.in_chunks,
            exact: all.exact && own.exact,
            ..own
        };
        files += 1;
    }
    // Several files make one table, which is put together first.
    Some(TableShape { in_place: all.in_place.filter(|_| files == 1), ..all })
}

/// True if all columns are chosen by.
fn takes_all(options: &ReadOptions) -> bool {
    let side = [&options.id, &options.label, &options.group, &options.weights];
    options.columns.is_none() && options.exclude.is_empty() && side.iter().all(|name| name.is_none())
}

fn file_shape(input: &InputFile, context: &ReadContext<'_>) -> Option<TableShape> {
    let path = input.path.as_path();
    let bytes = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.len();
    let mut start = Vec::new();
    std::fs::File::open(path).ok()?.take(64).read_to_end(&mut start).ok()?;
    let format = Format::of_file(path, &start, context.options.format).ok()?;
    if Compression::of(&start) != Compression::None || !format.is_probed() {
        return None;
    }
    if is_converted(&start, context.options.encoding) {
        return None;
    }
    let file = open_to_probe(input, context)?;
    let sample = file.sample().ok()?;
    let headings = file.headings();
    if let Some(kind) = file.element_type() {
        let count = file.row_count(&sample, &[])?;
        let (columns, element) = (headings.len() as u64, if kind == OutputType::Single { 4 } else { 8 });
        return Some(TableShape {
            bytes,
            rows: count.rows,
            columns,
            used: columns,
            element,
            held: count.held,
            in_chunks: false,
            exact: count.exact,
            in_place: file.stored_bytes().filter(|_| takes_all(context.options)),
        });
    }
    let roles = schema::roles(&headings, context.options).ok()?;
    let read_as = schema::read_as(&headings, &roles, &sample.seen, context.options);
    let is_used = |&column: &usize| matches!(roles[column], Purpose::Feature(_)) && read_as[column] != ReadAs::Nothing;
    let used = (0..roles.len()).filter(is_used).count() as u64;
    let count = file.row_count(&sample, &read_as)?;
    let single = used > 0 && (0..roles.len()).filter(is_used).all(|column| sample.single[column]);
    Some(TableShape {
        bytes,
        rows: count.rows,
        columns: roles.len() as u64,
        used: count.values.unwrap_or(used),
        element: if single { 4 } else { 8 },
        held: count.held,
        in_chunks: true,
        exact: count.exact,
        in_place: None,
    })
}
