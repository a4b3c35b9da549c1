//! Comma-separated text with a header row. Fields are bytes; only names and messages are text.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder, Terminator, WriterBuilder};

use super::{Grid, Picks, Source, Table, Values};
use crate::failure::Failure;

/// What stands for a missing value, besides nothing at all.
const MISSING: [&[u8]; 7] = [b"NA", b"N/A", b"n/a", b"NULL", b"null", b"None", b"?"];

/// Names in a message before it says "and so many more".
const NAMES_SHOWN: usize = 8;

/// The text of the file and where its records stand.
#[derive(Debug)]
pub struct Text {
    bytes: Vec<u8>,
    header: Range<usize>,
    records: Vec<Range<usize>>,
    /// The names of all columns.
    pub names: Vec<String>,
    numeric: Vec<usize>,
}

/// What was seen in one column.
#[derive(Debug, Clone, Default)]
struct Column {
    numbers: usize,
    texts: usize,
    first_text: Option<usize>,
    first_unusable: Option<usize>,
}

impl Column {
    fn is_numeric(&self) -> bool {
        self.numbers > 0 && self.texts == 0
    }
}

/// One cell.
enum Cell {
    Number(f64),
    Missing,
    Text,
}

/// Reads a table from the bytes of a csv file; `path` is for the messages.
pub fn parse(bytes: Vec<u8>, path: &Path) -> Result<Table, Failure> {
    let mut text = split(bytes, path)?;
    let (values, columns) = read_cells(&text, path)?;
    text.numeric = (0..columns.len()).filter(|&column| columns[column].is_numeric()).collect();
    if text.numeric.is_empty() {
        return Err(no_numbers(&text, path));
    }
    check_usable(&text, &columns, path)?;
    let mut messages = Vec::new();
    messages.extend(ignored(&text, &columns, path));
    messages.extend(headless(&text, path));
    let values = Values::F64(Grid {
        data: keep_columns(&values, columns.len(), &text.numeric),
        rows: text.records.len(),
        columns: text.numeric.len(),
        by_column: false,
    });
    Ok(Table { values, source: Source::Csv(text), messages })
}

/// Finds the header and the records; all must have the same number of fields.
fn split(bytes: Vec<u8>, path: &Path) -> Result<Text, Failure> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(Failure::in_file(path, "is UTF-16 text; save it as UTF-8"));
    }
    let mut text = Text { bytes, header: 0..0, records: Vec::new(), names: Vec::new(), numeric: Vec::new() };
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&text.bytes[..]);
    let (mut record, mut end) = (ByteRecord::new(), 0);
    let mut expected = None;
    while reader.read_byte_record(&mut record).map_err(|error| Failure::in_file(path, error))? {
        let start = end;
        end = reader.position().byte() as usize;
        let place = trim(&text.bytes, start..end);
        let fields = *expected.get_or_insert(record.len());
        if record.len() != fields {
            let (line, found) = (line_of(&text.bytes, place.start), record.len());
            let what = format!("line {line} has {found} fields, but the header has {fields}");
            return Err(Failure::in_file(path, what));
        }
        if text.names.is_empty() {
            text.names = record.iter().map(shown).collect();
            text.header = place;
        } else {
            text.records.push(place);
        }
    }
    if text.names.is_empty() {
        return Err(Failure::in_file(path, "the file is empty"));
    }
    if text.records.is_empty() {
        return Err(Failure::in_file(path, "has a header, but no data rows"));
    }
    Ok(text)
}

/// The range without line breaks at its ends: blank lines before a record belong to its bytes.
fn trim(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let is_break = |at: &usize| matches!(bytes[*at], b'\r' | b'\n');
    let start = range.clone().find(|at| !is_break(at)).unwrap_or(range.end);
    let end = (start..range.end).rev().find(|at| !is_break(at)).map_or(start, |last| last + 1);
    start..end
}

/// The number of the line that byte `at` stands on, from 1.
fn line_of(bytes: &[u8], at: usize) -> usize {
    let line_break = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
    1 + bytes[..at].iter().filter(|&&byte| byte == line_break).count()
}

/// All cells as numbers, row by row (NaN where there is none), and what each column holds.
fn read_cells(text: &Text, path: &Path) -> Result<(Vec<f64>, Vec<Column>), Failure> {
    let width = text.names.len();
    let mut columns = vec![Column::default(); width];
    let mut values = Vec::with_capacity(width * text.records.len());
    let mut reader = ReaderBuilder::new().from_reader(&text.bytes[..]);
    let (mut record, mut row) = (ByteRecord::new(), 0);
    while reader.read_byte_record(&mut record).map_err(|error| Failure::in_file(path, error))? {
        for (column, field) in columns.iter_mut().zip(&record) {
            let value = match cell(field) {
                Cell::Number(value) => {
                    column.numbers += 1;
                    value
                }
                Cell::Missing => f64::NAN,
                Cell::Text => {
                    column.texts += 1;
                    column.first_text.get_or_insert(row);
                    f64::NAN
                }
            };
            if !value.is_finite() {
                column.first_unusable.get_or_insert(row);
            }
            values.push(value);
        }
        row += 1;
    }
    Ok((values, columns))
}

fn cell(field: &[u8]) -> Cell {
    let field = field.trim_ascii();
    if field.is_empty() || MISSING.contains(&field) {
        return Cell::Missing;
    }
    match std::str::from_utf8(field).ok().and_then(|text| text.parse().ok()) {
        Some(value) => Cell::Number(value),
        None => Cell::Text,
    }
}

fn keep_columns(values: &[f64], width: usize, kept: &[usize]) -> Vec<f64> {
    values.chunks_exact(width).flat_map(|row| kept.iter().map(|&column| row[column])).collect()
}

/// Fails on the first cell of a numeric column that is missing, NaN or infinite.
fn check_usable(text: &Text, columns: &[Column], path: &Path) -> Result<(), Failure> {
    let first = text.numeric.iter().filter_map(|&column| columns[column].first_unusable.map(|row| (row, column))).min();
    let Some((row, column)) = first else { return Ok(()) };
    let field = text.field(row, column);
    let (place, content) = (text.place(row, column), shown(&field));
    let what = match cell(&field) {
        Cell::Missing if content.trim().is_empty() => "is empty: a value is missing".to_owned(),
        Cell::Missing => format!("holds {content}: a value is missing"),
        _ => format!("holds {content}, which is not a finite number"),
    };
    Err(Failure::in_file(path, format_args!("{place} {what}; fill it in, or drop the row or the column")))
}

/// Names the columns that are not used, and what spoils those that are mostly numbers.
fn ignored(text: &Text, columns: &[Column], path: &Path) -> Option<String> {
    let unused: Vec<usize> = (0..columns.len()).filter(|&column| !columns[column].is_numeric()).collect();
    if unused.is_empty() {
        return None;
    }
    let names: Vec<&str> = unused.iter().map(|&column| text.names[column].as_str()).collect();
    let mut message = format!("{}: ignored, not numeric: {}", path.display(), listed(&names));
    for column in unused.into_iter().filter(|&column| columns[column].numbers > columns[column].texts) {
        let row = columns[column].first_text.unwrap_or_default();
        let (place, content) = (text.place(row, column), shown(&text.field(row, column)));
        message = format!("{message}; {} is mostly numbers, but {place} holds {content}", text.names[column]);
    }
    Some(message)
}

/// Suspects a file without a header: every name is a number.
fn headless(text: &Text, path: &Path) -> Option<String> {
    let all_numbers = text.names.iter().all(|name| name.trim().parse::<f64>().is_ok());
    all_numbers.then(|| format!("{}: the first line holds numbers only; it was taken as the header", path.display()))
}

fn no_numbers(text: &Text, path: &Path) -> Failure {
    let names: Vec<&str> = text.names.iter().map(String::as_str).collect();
    let other = [(';', "semicolons"), ('\t', "tabs"), ('|', "bars")];
    let hint = match other.iter().find(|(mark, _)| names.len() == 1 && names[0].contains(*mark)) {
        Some((_, marks)) => format!("; its fields seem to be separated by {marks}, but only commas are read"),
        None => String::new(),
    };
    Failure::in_file(path, format_args!("no column is numeric among {}{hint}", listed(&names)))
}

/// The first names, and how many there are besides.
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let shown = names.len().min(NAMES_SHOWN);
    let more = if names.len() > shown { format!(" and {} more", names.len() - shown) } else { String::new() };
    let first: Vec<&str> = names[..shown].iter().map(AsRef::as_ref).collect();
    format!("{}{more}", first.join(", "))
}

/// A field as text for people, cut if it is long.
fn shown(field: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(field);
    if text.chars().count() <= LONGEST {
        return text.into_owned();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}

impl Text {
    /// The name of numeric column `column`.
    pub fn name(&self, column: usize) -> &str {
        &self.names[self.numeric[column]]
    }

    /// Where column `column` stands among the numeric ones.
    pub fn numeric(&self, column: usize) -> Option<usize> {
        self.numeric.iter().position(|&numeric| numeric == column)
    }

    /// Keeps these numeric columns only.
    pub fn keep(&mut self, columns: &[usize]) {
        self.numeric = columns.iter().map(|&column| self.numeric[column]).collect();
    }

    /// The fields of row `row`, as text for people.
    pub fn cells(&self, row: usize) -> Vec<String> {
        self.record(row).iter().map(shown).collect()
    }

    /// The field at `row` and `column`, as it stood in the file.
    pub fn field(&self, row: usize, column: usize) -> Vec<u8> {
        self.record(row).get(column).unwrap_or_default().to_vec()
    }

    fn record(&self, row: usize) -> ByteRecord {
        let mut record = ByteRecord::new();
        let bytes = &self.bytes[self.records[row].clone()];
        let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
        // It was read before; a record that cannot be read again would show as empty.
        let _ = reader.read_byte_record(&mut record);
        record
    }

    /// A cell's place in words.
    fn place(&self, row: usize, column: usize) -> String {
        let line = line_of(&self.bytes, self.records[row].start);
        format!("row {row} (from 0; line {line}), column {}", self.names[column])
    }

    /// The line ending of the file: that of its first line.
    fn ending(&self) -> &'static [u8] {
        let rest = &self.bytes[self.header.end..];
        if rest.starts_with(b"\r\n") {
            b"\r\n"
        } else if rest.starts_with(b"\r") {
            b"\r"
        } else {
            b"\n"
        }
    }

    /// Writes records byte for byte, or columns with quotes where they are needed.
    pub fn write(&self, out: &mut dyn Write, picks: Picks<'_>) -> std::io::Result<()> {
        match picks {
            Picks::Rows(rows) => self.write_rows(out, rows),
            Picks::Columns(columns) => self.write_columns(out, columns),
        }
    }

    fn write_rows(&self, out: &mut dyn Write, rows: &[usize]) -> std::io::Result<()> {
        for place in std::iter::once(&self.header).chain(rows.iter().map(|&row| &self.records[row])) {
            out.write_all(&self.bytes[place.clone()])?;
            out.write_all(self.ending())?;
        }
        Ok(())
    }

    fn write_columns(&self, out: &mut dyn Write, columns: &[usize]) -> std::io::Result<()> {
        let terminator = match self.ending() {
            b"\r\n" => Terminator::CRLF,
            ending => Terminator::Any(ending[0]),
        };
        let mut writer = WriterBuilder::new().terminator(terminator).from_writer(out);
        let mut reader = ReaderBuilder::new().has_headers(false).from_reader(&self.bytes[..]);
        let mut record = ByteRecord::new();
        while reader.read_byte_record(&mut record)? {
            writer.write_record(columns.iter().map(|&column| &record[self.numeric[column]]))?;
        }
        writer.flush()
    }
}
