//! CSV and other text with separated fields. Rows are copied byte for byte; only names and messages are decoded.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use csv::{Terminator, Writer, WriterBuilder};

use crate::TableError;
use crate::byte_source::{ByteSource, unreadable};
use crate::chunks::{Chunk, ChunkedTable, ColumnChunk, ColumnValues, ReadAs, SpareNumbers};
use crate::field::Style;
use crate::formats::column_name;
use crate::formats::comments;
use crate::formats::csv_dialect::{self, Dialect, trim_breaks};
use crate::formats::file_format::{Progress, RowCount, TableFile};
use crate::formats::text_encoding::{TextEncoding, decoded, text_of};
use crate::formats::text_records::{BOM, Read, RecordBlock, Records, SAMPLE, text_start};
use crate::read::ReadContext;
use crate::text::counted;
use crate::untrusted::limit::MemoryLimit;

/// The name of a first column that the header has no name for.
const ROW_NAMES: &str = "rownames";

/// Bytes that are looked at to find out how the file is written.
const START: usize = 1 << 20;

/// A text file with separated fields.
#[derive(Debug)]
pub struct CsvFile {
    records: Records,
    limit: MemoryLimit,
    /// The bytes of the header, if there is one.
    header: Option<Vec<u8>>,
    crlf: bool,
    /// True if the options say whether there is a header.
    header_told: bool,
    /// The names of all columns.
    names: Vec<String>,
    /// True if the names stand in a line that is marked as a comment.
    marked: bool,
    /// The encoding of the letters, unless it is UTF-8.
    encoding: Option<TextEncoding>,
    /// What begins lines that are no rows.
    comment: Option<u8>,
    /// What was found out about the file as text.
    notes: Vec<String>,
}

impl CsvFile {
    /// Finds out how the file is written.
    pub fn open(store: ByteSource, path: &Path, context: &ReadContext<'_>, tab: bool) -> Result<CsvFile, TableError> {
        let (limit, told) = (context.limit, context.options);
        let delimiter = told.delimiter.or(tab.then_some(b'\t'));
        let text = text_of(store, path, context, true)?;
        let store = text.store;
        let start = store.start(START).map_err(|error| unreadable(path, &error))?;
        let data = text_start(&start, path)?;
        let whole = start.len() as u64 == store.len();
        let lead = comments::leading(start.get(data..).unwrap_or_default(), told.comment.unwrap_or(b'#'));
        let rest = start.get(data + lead.comments..).unwrap_or_default();
        let dialect = Dialect::of((rest, whole), path, delimiter);
        // A header may be marked as if it were a comment.
        let marked = lead.names.filter(|names| told.header != Some(false) && comments::is_names(names, rest, dialect));
        let at = if marked.is_some() { data + lead.last } else { data + lead.comments };
        let mut records = Records::new(store, path, dialect, true, at as u64);
        records.work_within(limit);
        let (chunk, ends) = records.chunk(at as u64)?;
        let end = ends.first().copied().unwrap_or(chunk.len());
        let first = trim_breaks(chunk.get(..end).unwrap_or_default());
        let count = dialect.each_field(marked.unwrap_or(first), &mut |_, _| ());
        limit.check_columns(count).map_err(|what| TableError::in_file(path, what))?;
        let fields = dialect.fields(marked.unwrap_or(first));
        let crlf = chunk.get(first.len()..).is_some_and(|rest| rest.starts_with(b"\r\n"));
        let mut file = CsvFile {
            records,
            limit,
            header: None,
            crlf,
            header_told: told.header.is_some(),
            names: (0..fields.len()).map(column_name).collect(),
            marked: marked.is_some(),
            encoding: text.encoding,
            comment: told.comment,
            notes: text.note.into_iter().collect(),
        };
        if marked.is_some() || told.header.unwrap_or_else(|| csv_dialect::is_header(&fields)) {
            file.records.data += end as u64;
            file.names = fields.iter().map(|field| file.text(field).into_owned()).collect();
            // A byte order mark stays where it was.
            let mark: &[u8] = if start.starts_with(BOM) { BOM } else { &[] };
            let second = chunk.get(end..ends.get(1).copied().unwrap_or(chunk.len())).unwrap_or_default();
            let second = dialect.fields(trim_breaks(second));
            // R leaves the names of rows without a name of their own. A separator at the end of each row is no column.
            let unnamed = second.len() == file.names.len() + 1 && second.last().is_some_and(|field| !field.is_empty());
            if marked.is_none() && unnamed {
                file.names.insert(0, ROW_NAMES.to_owned());
                file.header = Some([mark, ROW_NAMES.as_bytes(), &[dialect.delimiter], first].concat());
                file.notes.push(format!("the header has one name too few: the first column is called {ROW_NAMES}"));
            } else {
                file.header = Some([mark, first].concat());
            }
        }
        file.notes.extend(lead.note(marked.is_some()));
        Ok(file)
    }

    /// The text of a field.
    fn text<'a>(&self, field: &'a [u8]) -> Cow<'a, str> {
        decoded(field, self.encoding)
    }

    /// True if the letters of both files are written alike.
    pub fn has_encoding_of(&self, other: &CsvFile) -> bool {
        self.encoding == other.encoding
    }

    /// The fields of row `row`, converted to UTF-8 if rows of files in several encodings stand together.
    pub fn output_fields(&self, row: usize, convert: bool) -> io::Result<Vec<Vec<u8>>> {
        let fields = self.fields(row)?;
        let text = |field: Vec<u8>| self.text(&field).into_owned().into_bytes();
        Ok(if convert { fields.into_iter().map(text).collect() } else { fields })
    }

    /// True if the file has a header.
    fn named(&self) -> bool {
        self.header.is_some()
    }

    /// What is wanted of the columns of some records.
    fn chunk(&self, block: RecordBlock<'_>, read_as: &[ReadAs], spare: Option<&SpareNumbers>) -> Read<Chunk> {
        let mut columns: Vec<ColumnChunk> =
            read_as.iter().map(|&read_as| ColumnChunk::in_spare(read_as, block.count(), spare)).collect();
        let mut starts = Vec::with_capacity(block.count());
        let dialect = self.records.dialect;
        let numbers = dialect.ends_numbers();
        for (at, record) in block.records() {
            if self.comment.is_some_and(|mark| record.first() == Some(&mark)) {
                continue;
            }
            let row = starts.len();
            let count = dialect.each_start(record, &mut |at, rest| {
                let column = columns.get_mut(at);
                // Most fields are numbers, which tell where they end.
                if let Some(column) = column.filter(|_| numbers)
                    && let Some(length) = column.push_leading_number(rest, |byte| dialect.separates(byte), row)
                {
                    return length;
                }
                let (field, length) = dialect.first_field(rest);
                if let Some(column) = columns.get_mut(at) {
                    self.push(column, &field, row);
                }
                length
            });
            if count != read_as.len() {
                return Err(self.uneven(at, count));
            }
            starts.push(at);
        }
        Ok((Chunk { rows: starts.len(), columns }, starts))
    }

    /// Adds a field to its column.
    fn push(&self, column: &mut ColumnChunk, field: &[u8], row: usize) {
        match column.values {
            // The text of these is kept.
            ColumnValues::Codes(..) | ColumnValues::Categories(..) if !field.is_ascii() => {
                column.push(self.text(field).as_bytes(), row);
            }
            // Signs of currencies and odd spaces are letters of the encoding, too.
            _ if self.encoding.is_some() && !field.is_ascii() => column.push(self.text(field).as_bytes(), row),
            _ => column.push(field, row),
        }
    }

    fn uneven(&self, at: u64, found: usize) -> TableError {
        let (line, found, fields) = (self.records.line(at), counted(found, "field"), self.names.len());
        let first = if self.named() { "the header" } else { "the first line" };
        let is_first = at == self.records.data && self.named() && !self.header_told;
        let advice = match fields {
            // A title, most likely: lines of one field pass below it.
            1 => format!("; is it a title? tail -n +{line} FILE | arss ... - begins with line {line}"),
            _ if is_first => "; is the first line no header? tail -n +2 FILE | arss ... - leaves it out".to_owned(),
            _ => String::new(),
        };
        let what = format_args!("line {line} has {found}, but {first} has {fields}{advice}");
        TableError::in_file(&self.records.path, what)
    }

    /// The fields of row `row`.
    fn fields(&self, row: usize) -> io::Result<Vec<Vec<u8>>> {
        let fields = self.records.dialect.fields(&self.records.record(row)?);
        if fields.len() == self.names.len() {
            Ok(fields)
        } else {
            Err(io::Error::other("it changed since it was read"))
        }
    }

    fn ending(&self) -> &'static [u8] {
        match self.records.dialect.ending {
            b'\r' => b"\r",
            _ if self.crlf => b"\r\n",
            _ => b"\n",
        }
    }

    /// True if the rows of `other` can stand under this header.
    pub fn is_like(&self, other: &CsvFile) -> bool {
        let written_alike = self.records.dialect == other.records.dialect && self.crlf == other.crlf;
        written_alike && self.named() == other.named() && self.encoding == other.encoding
    }

    /// What separates the fields.
    pub fn delimiter(&self) -> u8 {
        self.records.dialect.delimiter
    }

    /// True if tabs separate the fields.
    pub fn is_tab(&self) -> bool {
        self.delimiter() == b'\t'
    }

    /// Writes the header with more names behind it.
    pub fn write_header(&self, out: &mut dyn Write, more: &[String]) -> io::Result<()> {
        let Some(header) = &self.header else { return Ok(()) };
        out.write_all(header)?;
        more.iter().try_for_each(|name| self.write_field(out, name))?;
        out.write_all(self.ending())
    }

    /// Writes row `row` byte for byte, with more fields behind it.
    pub fn write_row(&self, out: &mut dyn Write, row: usize, more: &[String]) -> io::Result<()> {
        out.write_all(&self.records.record(row)?)?;
        more.iter().try_for_each(|field| self.write_field(out, field))?;
        out.write_all(self.ending())
    }

    /// Writes a number or a plain name.
    fn write_field(&self, out: &mut dyn Write, field: &str) -> io::Result<()> {
        let delimiter = self.records.dialect.delimiter;
        let quote: &[u8] = if field.as_bytes().contains(&delimiter) { b"\"" } else { b"" };
        out.write_all(&[delimiter])?;
        out.write_all(&[quote, field.as_bytes(), quote].concat())
    }

    /// The names as they stand in the file, or converted to UTF-8; none if there are none.
    pub fn header_fields(&self, convert: bool) -> Option<Vec<Vec<u8>>> {
        let header = self.header.as_ref()?;
        // The mark of a comment is no part of a name.
        if convert || self.marked {
            return Some(self.names.iter().map(|name| name.clone().into_bytes()).collect());
        }
        Some(self.records.dialect.fields(header.strip_prefix(BOM).unwrap_or(header)))
    }

    /// A writer that ends lines as this file does and quotes where needed.
    pub fn writer<'a>(&self, out: &'a mut dyn Write, delimiter: u8) -> Writer<&'a mut dyn Write> {
        let terminator = match self.ending() {
            [ending] => Terminator::Any(*ending),
            _ => Terminator::CRLF,
        };
        WriterBuilder::new().delimiter(delimiter).terminator(terminator).from_writer(out)
    }

    /// Calls `visit` with the fields of each row.
    pub fn each_row(&self, convert: bool, visit: &mut dyn FnMut(&[Vec<u8>]) -> io::Result<()>) -> io::Result<()> {
        (0..self.records.count()).try_for_each(|row| visit(&self.output_fields(row, convert)?))
    }
}

impl CsvFile {
    /// A note about the first line, where it was taken for names or for data and may be the other.
    fn header_note(&self) -> Option<&'static str> {
        let is_number = |name: &&String| name.parse().is_ok_and(|value: f64| value.is_finite());
        let is_text = |name: &&String| !name.trim().is_empty() && name.parse::<f64>().is_err();
        let mixed = self.names.iter().any(|name| is_number(&name)) && self.names.iter().any(|name| is_text(&name));
        match self.named() {
            _ if self.header_told => None,
            false => Some("the first line holds numbers only, so it was read as data (--header yes: as names)"),
            true => {
                mixed.then_some("the first line holds text and numbers and was read as names (--header no: as data)")
            }
        }
    }
}

impl TableFile for CsvFile {
    fn headings(&self) -> Vec<String> {
        self.names.clone()
    }

    fn has_names(&self) -> bool {
        self.named()
    }

    fn sample(&self) -> Result<ChunkedTable, TableError> {
        let read_as = vec![ReadAs::Numbers(Style::default()); self.names.len()];
        let (chunk, all) = self.records.first(SAMPLE, |block| self.chunk(block, &read_as, None))?;
        if chunk.rows == 0 && all {
            return Err(TableError::in_file(&self.records.path, "has a header, but no data rows"));
        }
        let mut table = ChunkedTable::new(self.names.len());
        table.add(chunk)?;
        Ok(table)
    }

    fn row_count(&self, sample: &ChunkedTable, _: &[ReadAs]) -> Option<RowCount> {
        let sampled = sample.rows as u64;
        let whole = self.records.first(SAMPLE, |block| {
            let taken = block.records().map(|(at, record)| at + record.len() as u64).last().unwrap_or_default();
            Ok((taken, Vec::new()))
        });
        let (rows, exact) = match whole {
            Ok((_, true)) | Err(_) => (sampled, true),
            Ok((end, false)) => {
                let bytes = self.records.store.len().saturating_sub(self.records.data) as f64;
                let taken = end.saturating_sub(self.records.data).max(1) as f64;
                ((bytes * sampled as f64 / taken).ceil() as u64, false)
            }
        };
        // Where each record begins is kept.
        Some(RowCount { rows, exact, held: 8 * rows, values: None })
    }

    fn read(&mut self, read_as: &[ReadAs], table: &mut ChunkedTable, progress: Progress<'_>) -> Result<(), TableError> {
        table.single.fill(false);
        let wanted = read_as.iter().filter(|read_as| **read_as != ReadAs::Nothing).count();
        let expected = table.rows + self.records.expected()?;
        // What does not fit is refused where it ends, which the first lines cannot tell.
        table.expected = if self.limit.check_values(expected as u64, wanted).is_ok() { expected } else { 0 };
        let spare = SpareNumbers::default();
        table.spare = Some(spare.clone());
        let take = |chunk| {
            table.add(chunk)?;
            let fits = self.limit.check_values(table.rows as u64, wanted);
            fits.map_err(|what| TableError::in_file(&self.records.path, format_args!("the first {what}")))
        };
        let starts = self.records.read(|block| self.chunk(block, read_as, Some(&spare)), take, progress)?;
        self.records.starts = starts;
        table.spare = None;
        Ok(())
    }

    fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        let text = |fields: Vec<Vec<u8>>| fields.iter().map(|field| self.text(field).into_owned()).collect();
        rows.iter().map(|&row| self.fields(row).map(text)).collect()
    }

    fn place(&self, row: usize) -> String {
        self.records.place(row)
    }

    fn notes(&self) -> Vec<String> {
        self.header_note().map(str::to_owned).into_iter().chain(self.notes.iter().cloned()).collect()
    }

    fn check_unchanged(&self) -> Result<(), TableError> {
        self.records.store.check_unchanged()
    }
}
