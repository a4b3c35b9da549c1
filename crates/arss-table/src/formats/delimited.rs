//! The formats of text with separated fields, and how rows and columns of such files are copied.

use std::any::TypeId;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use arrow_array::RecordBatch;
use csv::{ByteRecord, Writer, WriterBuilder};

use crate::TableError;
use crate::byte_source::ByteSource;
use crate::column_kinds::ColumnKind;
use crate::formats::csv::CsvFile;
use crate::formats::file_format::{FileFormat, Progress, TableFile};
use crate::formats::sheet::SheetFile;
use crate::formats::text_encoding::utf_16;
use crate::formats::{arrow_columns, is_text, jsonl};
use crate::formula_cells::without_formula;
use crate::partitioned::PartitionedFile;
use crate::read::ReadContext;
use crate::source::Source;
use crate::write::{ExtraColumns, has_decimal_comma};

/// Rows of a batch that are text at the same time.
const AT_ONCE: usize = 1024;

/// Text with separated fields; which delimiter a new file gets tells the two formats apart.
#[derive(Debug)]
pub struct Delimited {
    name: &'static str,
    help: &'static str,
    extensions: [&'static str; 1],
    other_extensions: &'static [&'static str],
    delimiter: u8,
    /// True if cells that a spreadsheet would take for formulas are marked.
    safe: bool,
}

/// Comma-separated values, or whatever else separates them in the file that is read.
pub static CSV: Delimited = Delimited {
    name: "csv",
    help: "Separated fields",
    extensions: ["csv"],
    other_extensions: &[],
    delimiter: b',',
    safe: false,
};

/// Fields separated by tabs.
pub static TSV: Delimited = Delimited {
    name: "tsv",
    help: "Fields separated by tabs",
    extensions: ["tsv"],
    other_extensions: &["tab"],
    delimiter: b'\t',
    safe: false,
};

static SAFE_CSV: Delimited = Delimited { safe: true, ..CSV };
static SAFE_TSV: Delimited = Delimited { safe: true, ..TSV };

impl Delimited {
    /// A cell as it is written.
    fn cell<'a>(&self, cell: &'a [u8]) -> Cow<'a, [u8]> {
        if self.safe { without_formula(cell) } else { Cow::Borrowed(cell) }
    }

    fn write<W: Write, C: AsRef<[u8]>>(
        &self,
        writer: &mut Writer<W>,
        cells: impl IntoIterator<Item = C>,
    ) -> io::Result<()> {
        let mut record = ByteRecord::new();
        cells.into_iter().for_each(|cell| record.push_field(&self.cell(cell.as_ref())));
        Ok(writer.write_byte_record(&record)?)
    }
}

impl FileFormat for Delimited {
    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.help
    }

    fn reads_by(&self) -> &'static [&'static str] {
        &["delimiter", "header", "encoding", "comment"]
    }

    fn extensions(&self) -> &[&'static str] {
        &self.extensions
    }

    fn other_extensions(&self) -> &[&'static str] {
        self.other_extensions
    }

    fn looks_like(&self, start: &[u8]) -> bool {
        let text = is_text(start) || utf_16(start).is_some();
        self.delimiter == b',' && text && !jsonl::Jsonl.looks_like(start)
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

    fn without_formulas(&self) -> Option<&'static dyn FileFormat> {
        Some(if self.delimiter == b'\t' { &SAFE_TSV } else { &SAFE_CSV })
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
        if let Some(files) = source.all_of() {
            return Some(copy_rows(self, &files, (source, out), rows, extra));
        }
        if source.all_of::<SheetFile>().is_some() {
            // A text such as $8,380.81 counts as a number, and stays what it is.
            return Some(write_cells(self, (source, out), rows, extra));
        }
        let files: Vec<&PartitionedFile> = source.all_of()?;
        let of_text = files.iter().all(|file| file.inner_type() == TypeId::of::<CsvFile>());
        of_text.then(|| write_cells(self, (source, out), rows, extra))
    }

    fn copy_columns(&self, source: &Source, out: &mut dyn Write, columns: &[usize]) -> Option<io::Result<()>> {
        Some(copy_columns(self, &source.all_of()?, out, columns))
    }

    fn write_batch(&self, _: &Source, out: &mut dyn Write, batch: &RecordBatch) -> io::Result<()> {
        // By the texts that people see anyway; the crate `arrow-csv` would bring a regex engine along.
        let mut writer = WriterBuilder::new().delimiter(self.delimiter).from_writer(out);
        self.write(&mut writer, batch.schema_ref().fields().iter().map(|field| field.name()))?;
        for start in (0..batch.num_rows()).step_by(AT_ONCE) {
            let some = batch.slice(start, AT_ONCE.min(batch.num_rows() - start));
            arrow_columns::rows(&some)?.iter().try_for_each(|row| self.write(&mut writer, row))?;
        }
        writer.flush()
    }
}

/// Writes the cells of rows as they stood.
fn write_cells(
    format: &Delimited,
    (source, out): (&Source, &mut dyn Write),
    rows: &[usize],
    extra: &ExtraColumns,
) -> io::Result<()> {
    let mut writer = WriterBuilder::new().delimiter(format.delimiter).from_writer(out);
    format.write(&mut writer, source.headings.iter().cloned().chain(extra.names(&source.headings)))?;
    for (at, cells) in source.cells(rows)?.into_iter().enumerate() {
        format.write(&mut writer, cells.into_iter().chain(extra.texts(at)))?;
    }
    writer.flush()
}

/// Copies rows: byte for byte where all files are written alike and as the target asks for, else field by field.
fn copy_rows(
    format: &Delimited,
    files: &[&CsvFile],
    (source, out): (&Source, &mut dyn Write),
    rows: &[usize],
    extra: &ExtraColumns,
) -> io::Result<()> {
    let Some(&first) = files.first() else { return Ok(()) };
    let names = extra.names(&source.headings);
    let alike = files.iter().all(|file| first.is_like(file));
    let own = first.is_tab() == (format.delimiter == b'\t');
    // Between commas a decimal comma would need quotes.
    let decimal_comma = first.delimiter() != b',' && has_decimal_comma(source);
    let texts = |at: usize| extra.texts_like(at, decimal_comma);
    if alike && own && !format.safe {
        first.write_header(out, &names)?;
        for (at, &row) in rows.iter().enumerate() {
            let (file, own) = source.file_of(files, row);
            file.write_row(out, own, &texts(at))?;
        }
        return Ok(());
    }
    let mut writer = first.writer(out, if alike && own { first.delimiter() } else { format.delimiter });
    let convert = files.iter().any(|file| !first.has_encoding_of(file));
    if let Some(header) = first.header_fields(convert) {
        format.write(&mut writer, header.into_iter().chain(names.into_iter().map(String::into_bytes)))?;
    }
    for (at, &row) in rows.iter().enumerate() {
        let (file, own) = source.file_of(files, row);
        let more = texts(at).into_iter().map(String::into_bytes);
        format.write(&mut writer, file.output_fields(own, convert)?.into_iter().chain(more))?;
    }
    writer.flush()
}

fn copy_columns(format: &Delimited, files: &[&CsvFile], out: &mut dyn Write, columns: &[usize]) -> io::Result<()> {
    let Some(&first) = files.first() else { return Ok(()) };
    let own = first.is_tab() == (format.delimiter == b'\t');
    let mut writer = first.writer(out, if own { first.delimiter() } else { format.delimiter });
    let convert = files.iter().any(|file| !first.has_encoding_of(file));
    if let Some(names) = first.header_fields(convert) {
        format.write(&mut writer, columns.iter().filter_map(|&column| names.get(column)))?;
    }
    for file in files {
        let mut write =
            |fields: &[Vec<u8>]| format.write(&mut writer, columns.iter().filter_map(|&column| fields.get(column)));
        file.each_row(convert, &mut write)?;
    }
    writer.flush()
}
