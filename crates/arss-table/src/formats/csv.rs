//! CSV and other text with separated fields. Rows are copied byte for byte; only names and messages are decoded.

use std::io::{self, Write};
use std::path::Path;

use arrow_array::RecordBatch;
use csv::{Terminator, Writer, WriterBuilder};

use crate::TableError;
use crate::byte_source::{ByteSource, unreadable};
use crate::chunks::{Chunk, ChunkedTable, ColumnChunk, ColumnKind, ReadAs};
use crate::formats::csv_dialect::{self, Dialect, trim_breaks};
use crate::formats::file_format::{FileFormat, Progress, RowCount, TableFile};
use crate::formats::text_records::{BOM, Read, RecordBlock, Records, SAMPLE, text_start};
use crate::formats::{arrow_columns, column_name, is_text, jsonl};
use crate::read::ReadContext;
use crate::source::Source;
use crate::untrusted::limit::MemoryLimit;
use crate::write::ExtraColumns;

/// Bytes that are looked at to find out how the file is written.
const START: usize = 1 << 20;

/// Rows of a batch that are text at the same time.
const AT_ONCE: usize = 1024;

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
}

impl CsvFile {
    /// Finds out how the file is written.
    fn open(store: ByteSource, path: &Path, context: &ReadContext<'_>, tab: bool) -> Result<CsvFile, TableError> {
        let (limit, told) = (context.limit, context.options);
        let header_told = told.header.is_some();
        let delimiter = told.delimiter.or(tab.then_some(b'\t'));
        let start = store.start(START).map_err(|error| unreadable(path, &error))?;
        let data = text_start(&start, path)?;
        let whole = start.len() as u64 == store.len();
        let dialect = Dialect::of((&start[data..], whole), path, delimiter);
        let mut records = Records::new(store, path, dialect, true, data as u64);
        records.work_within(limit);
        let (chunk, ends) = records.chunk(data as u64)?;
        let end = ends.first().copied().unwrap_or(chunk.len());
        let first = trim_breaks(&chunk[..end]);
        let fields = dialect.fields(first);
        let crlf = chunk[first.len()..].starts_with(b"\r\n");
        if !told.header.unwrap_or_else(|| csv_dialect::is_header(&fields)) {
            let names = (0..fields.len()).map(column_name).collect();
            return Ok(CsvFile { records, limit, header: None, crlf, names, header_told });
        }
        records.data += end as u64;
        let names = fields.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
        // A byte order mark stays where it was.
        let mark: &[u8] = if start.starts_with(BOM) { BOM } else { &[] };
        Ok(CsvFile { records, limit, header: Some([mark, first].concat()), crlf, names, header_told })
    }

    /// True if the file has a header.
    fn named(&self) -> bool {
        self.header.is_some()
    }

    /// What is wanted of the columns of some records.
    fn chunk(&self, block: RecordBlock<'_>, read_as: &[ReadAs]) -> Read<Chunk> {
        let mut columns: Vec<ColumnChunk> =
            read_as.iter().map(|&read_as| ColumnChunk::with_room(read_as, block.count())).collect();
        let mut starts = Vec::with_capacity(block.count());
        for (at, record) in block.records() {
            let row = starts.len();
            let count = self.records.dialect.each_field(record, &mut |at, field| {
                if let Some(column) = columns.get_mut(at) {
                    column.push(field, row);
                }
            });
            if count != read_as.len() {
                return Err(self.uneven(at, count));
            }
            starts.push(at);
        }
        Ok((Chunk { rows: starts.len(), columns }, starts))
    }

    fn uneven(&self, at: u64, found: usize) -> TableError {
        let (line, fields) = (self.records.line(at), self.names.len());
        let first = if self.named() { "the header" } else { "the first line" };
        TableError::in_file(
            &self.records.path,
            format_args!("line {line} has {found} fields, but {first} has {fields}"),
        )
    }

    /// The fields of row `row`.
    fn fields(&self, row: usize) -> io::Result<Vec<Vec<u8>>> {
        Ok(self.records.dialect.fields(&self.records.record(row)?))
    }

    fn ending(&self) -> &'static [u8] {
        match self.records.dialect.ending {
            b'\r' => b"\r",
            _ if self.crlf => b"\r\n",
            _ => b"\n",
        }
    }

    /// True if the rows of `other` can stand under this header.
    fn is_like(&self, other: &CsvFile) -> bool {
        self.records.dialect == other.records.dialect && self.named() == other.named() && self.crlf == other.crlf
    }

    /// What separates the fields.
    fn delimiter(&self) -> u8 {
        self.records.dialect.delimiter
    }

    /// True if tabs separate the fields.
    fn is_tab(&self) -> bool {
        self.delimiter() == b'\t'
    }

    /// Writes the header with more names behind it.
    fn write_header(&self, out: &mut dyn Write, more: &[String]) -> io::Result<()> {
        let Some(header) = &self.header else { return Ok(()) };
        out.write_all(header)?;
        more.iter().try_for_each(|name| self.write_field(out, name))?;
        out.write_all(self.ending())
    }

    /// Writes row `row` byte for byte, with more fields behind it.
    fn write_row(&self, out: &mut dyn Write, row: usize, more: &[String]) -> io::Result<()> {
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

    /// The names as they stand in the file; none if there are none.
    fn header_fields(&self) -> Option<Vec<Vec<u8>>> {
        let header = self.header.as_ref()?;
        Some(self.records.dialect.fields(header.strip_prefix(BOM).unwrap_or(header)))
    }

    /// A writer that ends lines as this file does and quotes where needed.
    fn writer<'a>(&self, out: &'a mut dyn Write, delimiter: u8) -> Writer<&'a mut dyn Write> {
        let terminator = match self.ending() {
            b"\r\n" => Terminator::CRLF,
            ending => Terminator::Any(ending[0]),
        };
        WriterBuilder::new().delimiter(delimiter).terminator(terminator).from_writer(out)
    }

    /// Writes these columns of all rows.
    fn write_columns<W: Write>(&self, writer: &mut Writer<W>, columns: &[usize]) -> io::Result<()> {
        for row in 0..self.records.count() {
            let fields = self.fields(row)?;
            writer.write_record(columns.iter().map(|&column| &fields[column]))?;
        }
        Ok(())
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
        let read_as = vec![ReadAs::Numbers; self.names.len()];
        let (chunk, all) = self.records.first(SAMPLE, |block| self.chunk(block, &read_as))?;
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
        Some(RowCount { rows, exact, held: 8 * rows })
    }

    fn read(&mut self, read_as: &[ReadAs], table: &mut ChunkedTable, progress: Progress<'_>) -> Result<(), TableError> {
        table.single.fill(false);
        let wanted = read_as.iter().filter(|read_as| **read_as != ReadAs::Nothing).count();
        let take = |chunk| {
            table.add(chunk)?;
            let fits = self.limit.check_values(table.rows as u64, wanted);
            fits.map_err(|what| TableError::in_file(&self.records.path, format_args!("the first {what}")))
        };
        let starts = self.records.read(|block| self.chunk(block, read_as), take, progress)?;
        self.records.starts = starts;
        Ok(())
    }

    fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        let text =
            |fields: Vec<Vec<u8>>| fields.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
        rows.iter().map(|&row| self.fields(row).map(text)).collect()
    }

    fn place(&self, row: usize) -> String {
        self.records.place(row)
    }

    fn notes(&self) -> Vec<String> {
        self.header_note().map(str::to_owned).into_iter().collect()
    }

    fn check_unchanged(&self) -> Result<(), TableError> {
        self.records.store.check_unchanged()
    }
}

/// Text with separated fields; which delimiter a new file gets tells the two formats apart.
#[derive(Debug)]
pub struct Delimited {
    name: &'static str,
    help: &'static str,
    extensions: [&'static str; 1],
    other_extensions: &'static [&'static str],
    delimiter: u8,
}

/// Comma-separated values, or whatever else separates them in the file that is read.
pub static CSV: Delimited =
    Delimited { name: "csv", help: "Separated fields", extensions: ["csv"], other_extensions: &[], delimiter: b',' };

/// Fields separated by tabs.
pub static TSV: Delimited = Delimited {
    name: "tsv",
    help: "Fields separated by tabs",
    extensions: ["tsv"],
    other_extensions: &["tab"],
    delimiter: b'\t',
};

impl FileFormat for Delimited {
    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.help
    }

    fn extensions(&self) -> &[&'static str] {
        &self.extensions
    }

    fn other_extensions(&self) -> &[&'static str] {
        self.other_extensions
    }

    fn looks_like(&self, start: &[u8]) -> bool {
        self.delimiter == b',' && is_text(start) && !jsonl::Jsonl.looks_like(start)
    }

    fn open(
        &self,
        bytes: ByteSource,
        path: &Path,
        context: &ReadContext<'_>,
        _: Progress<'_>,
    ) -> Result<Box<dyn TableFile>, TableError> {
        Ok(Box::new(CsvFile::open(bytes, path, context, self.delimiter == b'\t')?))
    }

    fn refuses(&self, kind: ColumnKind) -> Option<&'static str> {
        (kind == ColumnKind::Nested).then_some("holds lists or structures; write .parquet, .arrow or .jsonl")
    }

    fn copy_rows(
        &self,
        source: &Source,
        out: &mut dyn Write,
        rows: &[usize],
        extra: &ExtraColumns,
    ) -> Option<io::Result<()>> {
        Some(copy_rows(&source.all_of()?, source, (out, self.delimiter), rows, extra))
    }

    fn copy_columns(&self, source: &Source, out: &mut dyn Write, columns: &[usize]) -> Option<io::Result<()>> {
        Some(copy_columns(&source.all_of()?, (out, self.delimiter), columns))
    }

    fn write_batch(&self, _: &Source, out: &mut dyn Write, batch: &RecordBatch) -> io::Result<()> {
        // By the texts that people see anyway; the crate `arrow-csv` would bring a regex engine along.
        let mut writer = WriterBuilder::new().delimiter(self.delimiter).from_writer(out);
        writer.write_record(batch.schema_ref().fields().iter().map(|field| field.name()))?;
        for start in (0..batch.num_rows()).step_by(AT_ONCE) {
            let some = batch.slice(start, AT_ONCE.min(batch.num_rows() - start));
            arrow_columns::rows(&some)?.iter().try_for_each(|row| writer.write_record(row))?;
        }
        writer.flush()
    }
}

/// Copies rows: byte for byte where all files are written alike and as the target's name asks for, else field by field.
fn copy_rows(
    files: &[&CsvFile],
    source: &Source,
    (out, delimiter): (&mut dyn Write, u8),
    rows: &[usize],
    extra: &ExtraColumns,
) -> io::Result<()> {
    let first = files[0];
    let names = extra.names(&source.headings);
    let alike = files.iter().all(|file| first.is_like(file));
    if alike && first.is_tab() == (delimiter == b'\t') {
        first.write_header(out, &names)?;
        for (at, &row) in rows.iter().enumerate() {
            let (file, own) = source.locate(row);
            files[file].write_row(out, own, &extra.texts(at))?;
        }
        return Ok(());
    }
    let mut writer = first.writer(out, delimiter);
    if let Some(header) = first.header_fields() {
        writer.write_record(header.into_iter().chain(names.into_iter().map(String::into_bytes)))?;
    }
    for (at, &row) in rows.iter().enumerate() {
        let (file, own) = source.locate(row);
        let more = extra.texts(at).into_iter().map(String::into_bytes);
        writer.write_record(files[file].fields(own)?.into_iter().chain(more))?;
    }
    writer.flush()
}

fn copy_columns(files: &[&CsvFile], (out, delimiter): (&mut dyn Write, u8), columns: &[usize]) -> io::Result<()> {
    let first = files[0];
    let own = first.is_tab() == (delimiter == b'\t');
    let mut writer = first.writer(out, if own { first.delimiter() } else { delimiter });
    if let Some(names) = first.header_fields() {
        writer.write_record(columns.iter().map(|&column| &names[column]))?;
    }
    files.iter().try_for_each(|file| file.write_columns(&mut writer, columns))?;
    writer.flush()
}
