//! Text with separated fields. Fields are bytes; only names and messages are text.

use std::io::{self, Write};
use std::path::Path;

use csv::{Terminator, Writer, WriterBuilder};

use crate::TableError;
use crate::byte_source::{ByteSource, MemoryLimit, unreadable};
use crate::chunks::{Chunk, ChunkedTable, ColumnChunk, ReadAs};
use crate::formats::csv_dialect;
use crate::formats::csv_dialect::{Dialect, Options, trim_breaks};
use crate::formats::text_records::{BOM, Read, RecordBlock, Records, text_start};

/// Bytes that are looked at to find out how the file is written.
const START: usize = 1 << 20;

/// A text file with separated fields.
#[derive(Debug)]
pub struct Text {
    records: Records,
    limit: MemoryLimit,
    /// The bytes of the header, if there is one.
    header: Option<Vec<u8>>,
    crlf: bool,
    /// The names of all columns.
    pub names: Vec<String>,
}

impl Text {
    /// Finds out how the file is written.
    pub fn open(store: ByteSource, path: &Path, options: Options, limit: MemoryLimit) -> Result<Text, TableError> {
        let start = store.start(START).map_err(|error| unreadable(path, &error))?;
        let data = text_start(&start, path)?;
        let whole = start.len() as u64 == store.len();
        let dialect = Dialect::of((&start[data..], whole), path, options);
        let mut records = Records::new(store, path, dialect, true, data as u64);
        records.work_within(limit);
        let (chunk, ends) = records.chunk(data as u64)?;
        let end = ends.first().copied().unwrap_or(chunk.len());
        let first = trim_breaks(&chunk[..end]);
        let fields = dialect.fields(first);
        let crlf = chunk[first.len()..].starts_with(b"\r\n");
        if !options.header.unwrap_or_else(|| csv_dialect::is_header(&fields)) {
            let names = (0..fields.len()).map(crate::heading).collect();
            return Ok(Text { records, limit, header: None, crlf, names });
        }
        records.data += end as u64;
        let names = fields.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
        // A byte order mark stays where it was.
        let mark: &[u8] = if start.starts_with(BOM) { BOM } else { &[] };
        Ok(Text { records, limit, header: Some([mark, first].concat()), crlf, names })
    }

    /// True if the file has a header.
    pub fn named(&self) -> bool {
        self.header.is_some()
    }

    /// The first records, all columns read as numbers.
    pub fn sample(&self) -> Result<ChunkedTable, TableError> {
        let wants = vec![ReadAs::Numbers; self.names.len()];
        let (piece, all) = self.records.first(crate::SAMPLE, |part| self.piece(part, &wants))?;
        if piece.rows == 0 && all {
            return Err(TableError::in_file(&self.records.path, "has a header, but no data rows"));
        }
        let mut frame = ChunkedTable::new(self.names.len());
        frame.add(piece)?;
        Ok(frame)
    }

    /// About how many rows there are, if the first ones are like the others; true if the number is exact.
    pub fn about_rows(&self, sampled: u64) -> (u64, bool) {
        let whole = self.records.first(crate::SAMPLE, |part| {
            let taken = part.records().map(|(at, record)| at + record.len() as u64).last().unwrap_or_default();
            Ok((taken, Vec::new()))
        });
        match whole {
            Ok((_, true)) | Err(_) => (sampled, true),
            Ok((end, false)) => {
                let bytes = self.records.store.len().saturating_sub(self.records.data) as f64;
                let taken = end.saturating_sub(self.records.data).max(1) as f64;
                ((bytes * sampled as f64 / taken).ceil() as u64, false)
            }
        }
    }

    /// Reads what is wanted of each column into `frame`.
    pub fn read(
        &mut self,
        wants: &[ReadAs],
        frame: &mut ChunkedTable,
        tell: &mut dyn FnMut(u64, u64),
    ) -> Result<(), TableError> {
        frame.single.fill(false);
        let wanted = wants.iter().filter(|want| **want != ReadAs::Nothing).count();
        let take = |piece| {
            frame.add(piece)?;
            let fits = self.limit.check_values(frame.rows as u64, wanted);
            fits.map_err(|what| TableError::in_file(&self.records.path, format_args!("the first {what}")))
        };
        let starts = self.records.read(|part| self.piece(part, wants), take, tell)?;
        self.records.starts = starts;
        Ok(())
    }

    /// What is wanted of the columns of some records.
    fn piece(&self, part: RecordBlock<'_>, wants: &[ReadAs]) -> Read<Chunk> {
        let mut columns: Vec<ColumnChunk> =
            wants.iter().map(|&want| ColumnChunk::with_room(want, part.count())).collect();
        let mut starts = Vec::with_capacity(part.count());
        for (at, record) in part.records() {
            let row = starts.len();
            let count = self.records.dialect.each_field(record, &mut |at, field| {
                if let Some(column) = columns.get_mut(at) {
                    column.push(field, row);
                }
            });
            if count != wants.len() {
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

    /// The row's place in words, for messages.
    pub fn place(&self, row: usize) -> String {
        self.records.place(row)
    }

    /// The fields of row `row`.
    pub fn fields(&self, row: usize) -> io::Result<Vec<Vec<u8>>> {
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
    pub fn is_like(&self, other: &Text) -> bool {
        self.records.dialect == other.records.dialect && self.named() == other.named() && self.crlf == other.crlf
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
    pub fn write_header(&self, out: &mut dyn Write, more: &[&str]) -> io::Result<()> {
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

    /// The names as they stand in the file; none if there are none.
    pub fn header_fields(&self) -> Option<Vec<Vec<u8>>> {
        let header = self.header.as_ref()?;
        Some(self.records.dialect.fields(header.strip_prefix(BOM).unwrap_or(header)))
    }

    /// A writer that ends lines as this file does and quotes where needed.
    pub fn writer<'a>(&self, out: &'a mut dyn Write, delimiter: u8) -> Writer<&'a mut dyn Write> {
        let terminator = match self.ending() {
            b"\r\n" => Terminator::CRLF,
            ending => Terminator::Any(ending[0]),
        };
        WriterBuilder::new().delimiter(delimiter).terminator(terminator).from_writer(out)
    }

    /// Writes these columns of all rows.
    pub fn write_columns<W: Write>(&self, writer: &mut Writer<W>, columns: &[usize]) -> io::Result<()> {
        for row in 0..self.records.count() {
            let fields = self.fields(row)?;
            writer.write_record(columns.iter().map(|&column| &fields[column]))?;
        }
        Ok(())
    }

    /// Fails if the file is not what it was.
    pub fn check_unchanged(&self) -> Result<(), TableError> {
        self.records.store.check_unchanged()
    }
}
