//! Sheets of Excel workbooks, `.xlsx` and `.xls`; read only.

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;

use crate::TableError;
use crate::byte_source::ByteSource;
use crate::chunks::{Chunk, ChunkedTable, ColumnChunk, ReadAs};
use crate::field::{self, Field, Style};
use crate::formats::csv_dialect::is_header;
use crate::formats::file_format::{FileFormat, Progress, RowCount, TableFile};
use crate::formats::sheet_cells::{self, PlacedCell, SheetCells};
use crate::formats::text_records::SAMPLE;
use crate::formats::{column_name, jsonl};
use crate::number_stats::NumberStats;
use crate::output_types::OutputType;
use crate::read::ReadContext;
use crate::source::Source;
use crate::text::{counted, cut, listed};
use crate::untrusted::catch_panic::guarded;
use crate::untrusted::limit::MemoryLimit;
use crate::untrusted::xls_check;

/// What is said about writing such files.
const NOT_WRITTEN: &str = "Excel files are not written; name it .csv, which Excel opens, .tsv, .parquet or .jsonl";
/// Rows that are handed on at a time.
const ROWS: usize = 4096;
/// No sheet has more columns.
const MOST_COLUMNS: usize = 1 << 14;
/// A sheet with more places for each cell is mostly empty.
const SPARSE: u64 = 64;

/// One sheet of a workbook. Its cells are in memory.
#[derive(Debug)]
pub struct SheetFile {
    store: Arc<ByteSource>,
    path: PathBuf,
    limit: MemoryLimit,
    sheet: SheetCells,
    /// Rows of a title above the header, which are not read.
    title: usize,
    /// The cells of each row that is not empty, but for the header.
    rows: Vec<Range<usize>>,
    /// The place in the table of each column of the sheet that is not empty.
    places: HashMap<u32, usize>,
    names: Vec<String>,
    named: bool,
}

impl SheetFile {
    fn open(store: ByteSource, path: &Path, context: &ReadContext<'_>) -> Result<SheetFile, TableError> {
        let store = Arc::new(store);
        let asked = context.options.sheet.as_deref();
        let sheet = guarded(|| sheet_cells::read(&store, asked, context.limit));
        let sheet = sheet.unwrap_or_else(|what| Err(format!("is no whole Excel file: {what}")));
        let sheet = sheet.map_err(|what| TableError::in_file(path, what))?;
        let mut rows = row_ranges(&sheet.cells);
        let title = if context.options.header.is_none() { title_rows(&sheet.cells, &rows) } else { 0 };
        rows.drain(..title);
        let start = rows.first().map_or(0, |row| row.start);
        let mut columns: Vec<u32> = sheet.cells.iter().skip(start).map(|placed| placed.column).collect();
        columns.sort_unstable();
        columns.dedup();
        if columns.len() > MOST_COLUMNS {
            let (name, count) = (cut(&sheet.name), columns.len());
            let what = format!("is no Excel file: sheet {name} has {count} columns, and {MOST_COLUMNS} are the most");
            return Err(TableError::in_file(path, what));
        }
        let places: HashMap<u32, usize> = columns.iter().enumerate().map(|(at, column)| (*column, at)).collect();
        let first = rows.first().and_then(|row| sheet.cells.get(row.clone())).unwrap_or_default();
        let texts = texts(first, &places);
        let fields: Vec<Vec<u8>> = texts.iter().map(|text| text.clone().into_bytes()).collect();
        let named = context.options.header.unwrap_or_else(|| is_header(&fields));
        let names = if named { texts } else { (0..columns.len()).map(column_name).collect() };
        if named {
            rows.remove(0);
        }
        if rows.is_empty() {
            return Err(TableError::in_file(
                path,
                format_args!("sheet {} has a header, but no rows", cut(&sheet.name)),
            ));
        }
        let (path, limit) = (path.to_owned(), context.limit);
        Ok(SheetFile { store, path, limit, sheet, title, rows, places, names, named })
    }

    /// What is wanted of the columns of these rows.
    fn chunk(&self, rows: Range<usize>, read_as: &[ReadAs]) -> Chunk {
        let mut columns: Vec<ColumnChunk> =
            read_as.iter().map(|&read_as| ColumnChunk::with_room(read_as, rows.len())).collect();
        for (row, number) in rows.clone().enumerate() {
            for placed in self.cells_of(number) {
                if let Some(column) = self.places.get(&placed.column).and_then(|&at| columns.get_mut(at)) {
                    jsonl::put(column, placed.cell.field(), || placed.cell.text(), row);
                }
            }
        }
        columns.iter_mut().for_each(|column| jsonl::pad(column, rows.len()));
        Chunk { rows: rows.len(), columns }
    }

    /// The cells of a row.
    fn cells_of(&self, row: usize) -> &[PlacedCell] {
        self.rows.get(row).and_then(|cells| self.sheet.cells.get(cells.clone())).unwrap_or_default()
    }
}

/// The texts of a row, each at the place of its column.
fn texts(cells: &[PlacedCell], places: &HashMap<u32, usize>) -> Vec<String> {
    let mut texts = vec![String::new(); places.len()];
    for placed in cells {
        if let Some(text) = places.get(&placed.column).and_then(|&at| texts.get_mut(at)) {
            *text = placed.cell.text();
        }
    }
    texts
}

/// Rows of a title above the header: they have less than half of the cells that rows usually have.
fn title_rows(cells: &[PlacedCell], rows: &[Range<usize>]) -> usize {
    let mut widths: Vec<usize> = rows.iter().take(SAMPLE).map(Range::len).collect();
    widths.sort_unstable();
    let usual = widths.get(widths.len() / 2).copied().unwrap_or_default();
    let title = rows.iter().take_while(|row| 2 * row.len() < usual).count();
    // Below them a header, or they are rows like others.
    let header = rows.get(title).and_then(|row| cells.get(row.clone())).unwrap_or_default();
    let names: Vec<Vec<u8>> = header.iter().map(|placed| placed.cell.text().into_bytes()).collect();
    let texts = names.iter().filter(|name| field::read(name, Style::default()) == Field::Text).count();
    if usual > 2 && is_header(&names) && 2 * texts > names.len() { title } else { 0 }
}

/// The cells of each row.
fn row_ranges(cells: &[PlacedCell]) -> Vec<Range<usize>> {
    let mut at = 0;
    let rows = cells.chunk_by(|a, b| a.row == b.row).map(|row| {
        at += row.len();
        at - row.len()..at
    });
    rows.collect()
}

impl TableFile for SheetFile {
    fn headings(&self) -> Vec<String> {
        self.names.clone()
    }

    fn has_names(&self) -> bool {
        self.named
    }

    fn sample(&self) -> Result<ChunkedTable, TableError> {
        let mut table = ChunkedTable::new(self.names.len());
        table.add(
            self.chunk(0..self.rows.len().min(SAMPLE), &vec![ReadAs::Numbers(Style::default()); self.names.len()]),
        )?;
        Ok(table)
    }

    fn row_count(&self, _: &ChunkedTable, _: &[ReadAs]) -> Option<RowCount> {
        None
    }

    fn read(&mut self, read_as: &[ReadAs], table: &mut ChunkedTable, progress: Progress<'_>) -> Result<(), TableError> {
        let wanted = read_as.iter().filter(|read_as| **read_as != ReadAs::Nothing).count();
        let sparse = self.rows.len() as u64 * wanted as u64 > SPARSE * self.sheet.cells.len() as u64;
        let limit = MemoryLimit { disk: self.limit.disk && !sparse, ..self.limit };
        let fits = limit.check_values(self.rows.len() as u64, wanted);
        fits.map_err(|what| TableError::in_file(&self.path, what))?;
        table.single.fill(false);
        table.expected = table.rows + self.rows.len();
        for start in (0..self.rows.len()).step_by(ROWS) {
            progress(start as u64, self.rows.len() as u64);
            table.add(self.chunk(start..(start + ROWS).min(self.rows.len()), read_as))?;
        }
        self.store.check_unchanged()
    }

    fn column_type(&self, column: usize) -> Option<OutputType> {
        let (mut numbers, mut truths) = (NumberStats::default(), false);
        let mut number = false;
        let data = self.rows.first().map_or(0, |row| row.start);
        let is_own = |placed: &&PlacedCell| self.places.get(&placed.column) == Some(&column);
        for placed in self.sheet.cells.iter().skip(data).filter(is_own) {
            match placed.cell.field() {
                Field::Number(value) => {
                    numbers.add(&[value]);
                    number = true;
                }
                Field::Truth(_) => truths = true,
                Field::Missing | Field::Marker => {}
                Field::Date(_) | Field::Vector | Field::Text => return Some(OutputType::Text),
            }
        }
        Some(match (number, truths) {
            (true, false) => numbers.kind(),
            (false, true) => OutputType::Truth,
            _ => OutputType::Text,
        })
    }

    fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        Ok(rows.iter().map(|row| texts(self.cells_of(*row), &self.places)).collect())
    }

    fn place(&self, row: usize) -> String {
        let number = self.cells_of(row).first().map_or(0, |placed| placed.row) + 1;
        format!("row {row} (from 0; row {number} of sheet {})", cut(&self.sheet.name))
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.title > 0 {
            notes.push(format!("{} of a title above the header left out", counted(self.title, "row")));
        }
        if self.sheet.sheets.len() > 1 {
            let (count, name) = (self.sheet.sheets.len(), cut(&self.sheet.name));
            let others: Vec<&String> = self.sheet.sheets.iter().filter(|other| **other != self.sheet.name).collect();
            let others = listed(&others);
            notes.push(format!("sheet {name} of {count} was read (--sheet NAME reads another: {others})"));
        }
        if let (count @ 1.., Some(first)) = &self.sheet.errors {
            notes.push(format!("{} with an error such as {first} taken as missing", counted(*count, "cell")));
        }
        notes
    }

    fn check_unchanged(&self) -> Result<(), TableError> {
        self.store.check_unchanged()
    }
}

/// Sheets of Excel workbooks.
#[derive(Debug)]
pub struct Sheet;

impl FileFormat for Sheet {
    fn name(&self) -> &'static str {
        "xlsx"
    }

    fn help(&self) -> &'static str {
        "A sheet of an Excel workbook, new or old"
    }

    fn reads_by(&self) -> &'static [&'static str] {
        &["header", "sheet"]
    }

    fn extensions(&self) -> &[&'static str] {
        &["xlsx", "xls"]
    }

    fn other_extensions(&self) -> &[&'static str] {
        &["xlsm"]
    }

    fn magic(&self) -> &'static [&'static [u8]] {
        &[xls_check::MAGIC]
    }

    fn looks_like(&self, start: &[u8]) -> bool {
        // The first member of the archive, behind its header.
        let name = start.get(30..).filter(|_| start.starts_with(b"PK\x03\x04")).unwrap_or_default();
        [&b"[Content_Types]"[..], b"_rels/", b"xl/", b"docProps/"].iter().any(|known| name.starts_with(known))
    }

    fn is_archive(&self) -> bool {
        true
    }

    fn is_probed(&self) -> bool {
        false
    }

    fn open(
        &self,
        bytes: ByteSource,
        path: &Path,
        context: &ReadContext<'_>,
        _: Progress<'_>,
    ) -> Result<Box<dyn TableFile>, TableError> {
        Ok(Box::new(SheetFile::open(bytes, path, context)?))
    }

    fn not_written(&self) -> Option<&'static str> {
        Some(NOT_WRITTEN)
    }

    fn write_batch(&self, _: &Source, _: &mut dyn Write, _: &RecordBatch) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, NOT_WRITTEN))
    }
}
