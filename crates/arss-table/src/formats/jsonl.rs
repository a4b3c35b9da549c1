//! JSON lines: one object a line. A table's columns are the keys, in the order in which they appear.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;

use crate::TableError;
use crate::byte_source::{ByteReader, ByteSource, unreadable};
use crate::chunks::{Chunk, ChunkedTable, ColumnChunk, ColumnValues, ReadAs, as_number};
use crate::dictionary::NO_CODE;
use crate::field::{self, Field, Style};
use crate::formats::csv_dialect::Dialect;
use crate::formats::file_format::{FileFormat, Progress, RowCount, TableFile};
use crate::formats::is_text;
use crate::formats::json_array::ArrayRecords;
use crate::formats::json_lists;
use crate::formats::json_object::{Object, Scalar, raw_values};
use crate::formats::text_encoding::{TextFile, text_of};
use crate::formats::text_records::{Read, RecordBlock, Records, SAMPLE, text_start};
use crate::formats::zoned_times;
use crate::read::ReadContext;
use crate::source::Source;
use crate::text::named;
use crate::untrusted::limit::MemoryLimit;
use crate::write::ExtraColumns;

/// A file of JSON lines.
#[derive(Debug)]
pub struct JsonlFile {
    records: Records,
    limit: MemoryLimit,
    /// The keys.
    names: Vec<String>,
    /// True if the records are those of an array, each of which was put on a line.
    array: bool,
    notes: Vec<String>,
}

impl JsonlFile {
    /// Reads all records once, to know the keys. Of one object that holds a list of records these are read, if `lists`.
    pub fn open(
        store: ByteSource,
        path: &Path,
        context: &ReadContext<'_>,
        lists: bool,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<JsonlFile, TableError> {
        let limit = context.limit;
        let TextFile { mut store, note, .. } = text_of(store, path, context, false)?;
        let mut start = store.start(1 << 16).map_err(|error| unreadable(path, &error))?;
        let mut data = text_start(&start, path)?;
        let begins = |mark: &[u8]| start.get(data..).unwrap_or_default().trim_ascii_start().starts_with(mark);
        let list = if lists && begins(b"{") { json_lists::meant(&store, data, path, context)? } else { None };
        let array = list.is_some() || begins(b"[");
        if lists && list.is_none() && context.options.array.is_some() {
            return Err(TableError::in_file(path, json_lists::NO_OBJECT));
        }
        let mut notes: Vec<String> = note.into_iter().collect();
        notes.extend(
            list.as_ref().map(|list| format!("is one JSON object; its rows are the list {}", named(&list.name))),
        );
        if array {
            let at = list.as_ref().map_or(data as u64, |list| list.at);
            let records = ArrayRecords::new(ByteReader { store: Arc::new(store), at }, list.is_some());
            store = ByteSource::kept_or(records, path, context, (None, "write it as .jsonl"))?;
            start = store.start(1 << 16).map_err(|error| unreadable(path, &error))?;
            data = text_start(&start, path).map_err(|_| TableError::in_file(path, "is an empty array"))?;
        }
        let dialect = Dialect { delimiter: b',', ending: b'\n' };
        let mut records = Records::new(store, path, dialect, false, data as u64);
        records.work_within(limit);
        let mut lines = JsonlFile { records, limit, names: Vec::new(), array, notes };
        let mut known = HashMap::new();
        let mut names = Vec::new();
        let take = |keys: Vec<String>| {
            for key in keys {
                known.entry(key).or_insert_with_key(|key| names.push(key.clone()));
            }
            limit.check_columns(names.len()).map_err(|what| TableError::in_file(path, what))
        };
        let starts = lines.records.read(|block| lines.keys(block), take, progress)?;
        lines.records.starts = starts;
        lines.names = names;
        Ok(lines)
    }

    fn object(&self, at: u64, record: &[u8]) -> Result<Object, TableError> {
        serde_json::from_slice(record).map_err(|error| {
            let (line, text) = (self.records.line(at), error.to_string());
            let what = text.split(" at line ").next().unwrap_or_default();
            let place = if self.array { format!("record {} (from 0)", line - 1) } else { format!("line {line}") };
            let what = format!("{place}, position {} is not a JSON object: {what}", error.column());
            TableError::in_file(&self.records.path, what)
        })
    }

    fn keys(&self, block: RecordBlock<'_>) -> Read<Vec<String>> {
        let (mut seen, mut keys, mut starts) = (HashMap::new(), Vec::new(), Vec::new());
        for (at, record) in filled(block) {
            // A key has a colon; there may be more of them.
            let fits = self.limit.check_keys(memchr::memchr_iter(b':', record).count());
            fits.map_err(|what| TableError::in_file(&self.records.path, what))?;
            for (key, _) in self.object(at, record)?.0 {
                seen.entry(key).or_insert_with_key(|key| keys.push(key.clone()));
            }
            starts.push(at);
        }
        Ok((keys, starts))
    }

    /// The cells of row `row`; lists and objects as they stand in the line.
    fn row_cells(&self, row: usize) -> io::Result<Vec<String>> {
        let record = self.records.record(row)?;
        let object = raw_values(&record)?;
        let text = |value: &&serde_json::value::RawValue| match serde_json::from_str(value.get()) {
            Ok(serde_json::Value::String(text)) => text,
            Ok(serde_json::Value::Null) => String::new(),
            _ => value.get().to_owned(),
        };
        Ok(self.names.iter().map(|name| object.get(name).map(text).unwrap_or_default()).collect())
    }

    fn places(&self) -> HashMap<&str, usize> {
        self.names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect()
    }

    /// Fails if the table is too large. A line need not have all keys, so a small file can make a large one.
    fn check_size(&self, rows: usize, read_as: &[ReadAs]) -> Result<(), TableError> {
        let wanted = read_as.iter().filter(|read_as| **read_as != ReadAs::Nothing).count();
        // A segment of such a file takes too much memory even if the values go to the disk then.
        let sparse = rows as u64 * wanted as u64 > self.records.store.len();
        let limit = MemoryLimit { disk: self.limit.disk && !sparse, ..self.limit };
        let fits = limit.check_values(rows as u64, wanted);
        fits.map_err(|what| TableError::in_file(&self.records.path, what))
    }

    fn chunk(&self, block: RecordBlock<'_>, read_as: &[ReadAs], places: &HashMap<&str, usize>) -> Read<Chunk> {
        let mut columns: Vec<ColumnChunk> = read_as.iter().map(|&read_as| ColumnChunk::new(read_as)).collect();
        let mut starts = Vec::new();
        for (at, record) in filled(block) {
            let row = starts.len();
            for (key, value) in self.object(at, record)?.0 {
                // A file that changes meanwhile is found out at the end.
                let column = places.get(key.as_str()).and_then(|&column| columns.get_mut(column));
                let Some(column) = column else { continue };
                push(column, &value, row);
            }
            starts.push(at);
            columns.iter_mut().for_each(|cells| pad(cells, row + 1));
        }
        Ok((Chunk { rows: starts.len(), columns }, starts))
    }

    /// Writes row `row` byte for byte; more keys are added before the closing brace.
    pub fn write_row(&self, out: &mut dyn Write, row: usize, more: &[(&str, String)]) -> io::Result<()> {
        let record = self.records.record(row)?;
        let open = record.iter().rposition(|&byte| byte == b'}').filter(|_| !more.is_empty()).unwrap_or(record.len());
        let (before, behind) = record.split_at(open);
        let empty = before.trim_ascii_end().ends_with(b"{");
        out.write_all(before)?;
        for (at, (name, value)) in more.iter().enumerate() {
            let comma = if at == 0 && empty { "" } else { "," };
            // There is no other word for what is no number.
            let value = if value.parse().is_ok_and(f64::is_finite) { value } else { "null" };
            write!(out, "{comma}\"{name}\":{value}")?;
        }
        out.write_all(behind)
    }

    /// Writes these keys of all rows; `write_next` writes one of them.
    pub fn write_columns(
        &self,
        out: &mut dyn Write,
        columns: &[usize],
        write_next: &mut dyn FnMut(&mut dyn Write, &str) -> io::Result<()>,
    ) -> io::Result<()> {
        for row in 0..self.records.count() {
            let record = self.records.record(row)?;
            let object = raw_values(&record)?;
            let kept = columns.iter().filter_map(|&column| {
                let name = self.names.get(column)?;
                Some(format!("{}:{}", serde_json::to_string(name).ok()?, object.get(name)?.get()))
            });
            write_next(out, &format!("{{{}}}", kept.collect::<Vec<_>>().join(",")))?;
        }
        Ok(())
    }
}

impl TableFile for JsonlFile {
    fn headings(&self) -> Vec<String> {
        self.names.clone()
    }

    fn optional_columns(&mut self) -> Option<&mut Vec<String>> {
        Some(&mut self.names)
    }

    fn sample(&self) -> Result<ChunkedTable, TableError> {
        let read_as = vec![ReadAs::Numbers(Style::default()); self.names.len()];
        self.check_size(SAMPLE.min(self.records.count()), &read_as)?;
        let mut table = ChunkedTable::new(self.names.len());
        table.add(self.records.first(SAMPLE, |block| self.chunk(block, &read_as, &self.places()))?.0)?;
        Ok(table)
    }

    fn row_count(&self, _: &ChunkedTable, _: &[ReadAs]) -> Option<RowCount> {
        None
    }

    fn read(&mut self, read_as: &[ReadAs], table: &mut ChunkedTable, progress: Progress<'_>) -> Result<(), TableError> {
        let places = self.places();
        self.check_size(self.records.count(), read_as)?;
        table.single.fill(false);
        table.expected = table.rows + self.records.count();
        self.records.read(|block| self.chunk(block, read_as, &places), |chunk| table.add(chunk), progress)?;
        Ok(())
    }

    fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        rows.iter().map(|&row| self.row_cells(row)).collect()
    }

    fn place(&self, row: usize) -> String {
        if self.array { format!("row {row} (from 0)") } else { self.records.place(row) }
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn check_unchanged(&self) -> Result<(), TableError> {
        self.records.store.check_unchanged()
    }
}

/// JSON lines.
#[derive(Debug)]
pub struct Jsonl;

impl FileFormat for Jsonl {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn help(&self) -> &'static str {
        "One JSON object a line"
    }

    fn reads_by(&self) -> &'static [&'static str] {
        &["encoding"]
    }

    fn extensions(&self) -> &[&'static str] {
        &["jsonl"]
    }

    fn other_extensions(&self) -> &[&'static str] {
        &["ndjson"]
    }

    fn looks_like(&self, start: &[u8]) -> bool {
        let text = start.trim_ascii_start();
        let array = || text.strip_prefix(b"[").is_some_and(|inside| inside.trim_ascii_start().starts_with(b"{"));
        is_text(start) && (text.starts_with(b"{") || array())
    }

    fn is_probed(&self) -> bool {
        false
    }

    fn open(
        &self,
        bytes: ByteSource,
        path: &Path,
        context: &ReadContext<'_>,
        progress: Progress<'_>,
    ) -> Result<Box<dyn TableFile>, TableError> {
        Ok(Box::new(JsonlFile::open(bytes, path, context, false, progress)?))
    }

    fn copy_rows(
        &self,
        source: &Source,
        out: &mut dyn Write,
        rows: &[usize],
        extra: &ExtraColumns,
    ) -> Option<io::Result<()>> {
        let files: Vec<&JsonlFile> = source.all_of()?;
        let names = extra.names(&with_outer_keys(&source.headings));
        Some(rows.iter().enumerate().try_for_each(|(at, &row)| {
            let (file, own) = source.file_of(&files, row);
            let more: Vec<(&str, String)> = names.iter().map(String::as_str).zip(extra.texts(at)).collect();
            file.write_row(out, own, &more)?;
            out.write_all(b"\n")
        }))
    }

    fn copy_columns(&self, source: &Source, out: &mut dyn Write, columns: &[usize]) -> Option<io::Result<()>> {
        let files: Vec<&JsonlFile> = source.all_of()?;
        let mut line = |out: &mut dyn Write, record: &str| writeln!(out, "{record}");
        Some(files.iter().try_for_each(|file| file.write_columns(out, columns, &mut line)))
    }

    fn write_batch(&self, _: &Source, out: &mut dyn Write, batch: &RecordBatch) -> io::Result<()> {
        let builder = arrow_json::WriterBuilder::new().with_explicit_nulls(true);
        let mut writer = builder.build::<_, arrow_json::writer::LineDelimited>(out);
        writer.write(&zoned_times::as_texts(batch)?).and_then(|()| writer.finish()).map_err(io::Error::other)
    }
}

/// The names, and the keys that the objects in a line have: `a.b` stands for the key `a`, too.
pub fn with_outer_keys(names: &[String]) -> Vec<String> {
    let outer = names.iter().filter_map(|name| Some(name.split_once('.')?.0.to_owned()));
    names.iter().cloned().chain(outer).collect()
}

/// The lines that hold more than spaces.
fn filled(block: RecordBlock<'_>) -> impl Iterator<Item = (u64, &[u8])> {
    block.records().filter(|(_, record)| !record.trim_ascii().is_empty())
}

/// Puts a value into row `row`; of a key that stands twice in a line, the last one counts.
fn push(cells: &mut ColumnChunk, value: &Scalar, row: usize) {
    if *value == Scalar::Nested {
        cells.seen.nested = true;
    }
    if let (ColumnValues::Vectors(vectors), Scalar::Vector(numbers)) = (&mut cells.values, value) {
        vectors.pad(row);
        vectors.push(Some(numbers));
        return cells.seen.add(Field::Vector, row);
    }
    let Scalar::Text(text) = value else { return put(cells, value.field(), || value.text(), row) };
    // As in a csv file: numbers and dates may be written in it.
    let field = field::read(text.as_bytes(), cells.style);
    cells.seen.add_text(text.as_bytes(), field, row);
    store(cells, field, || text.clone(), row);
}

/// Puts a field into row `row`, with its text where that is wanted.
pub fn put(cells: &mut ColumnChunk, field: Field, text: impl FnOnce() -> String, row: usize) {
    cells.seen.add(field, row);
    store(cells, field, text, row);
}

/// The same for a field that has been counted.
fn store(cells: &mut ColumnChunk, field: Field, text: impl FnOnce() -> String, row: usize) {
    pad(cells, row);
    match &mut cells.values {
        ColumnValues::None => {}
        ColumnValues::Numbers(numbers) => {
            numbers.truncate(row);
            numbers.push(as_number(field));
        }
        ColumnValues::Codes(codes, dictionary) => {
            codes.truncate(row);
            codes.push(if field == Field::Missing { NO_CODE } else { dictionary.code(&text()) });
        }
        ColumnValues::Categories(codes, dictionary) => {
            codes.truncate(row);
            codes.push(if field == Field::Missing { NO_CODE } else { dictionary.limited_code(&text(), row) });
        }
        ColumnValues::Vectors(vectors) => {
            vectors.pad(row);
            vectors.push_text(text().as_bytes());
        }
    }
}

/// Rows without the key are missing.
pub fn pad(cells: &mut ColumnChunk, rows: usize) {
    match &mut cells.values {
        ColumnValues::None => {}
        ColumnValues::Vectors(vectors) if vectors.rows < rows => vectors.pad(rows),
        ColumnValues::Numbers(numbers) if numbers.len() < rows => numbers.resize(rows, f64::NAN),
        ColumnValues::Codes(codes, _) | ColumnValues::Categories(codes, _) if codes.len() < rows => {
            codes.resize(rows, NO_CODE);
        }
        _ => {}
    }
}
