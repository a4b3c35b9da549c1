//! The cells of a spreadsheet, as the workbook holds them.

use std::io::BufReader;
use std::sync::Arc;

use calamine::{CellErrorType, Data, ExcelDateTime, Reader, Xls, Xlsx};
use chrono::NaiveDate;

use crate::byte_size;
use crate::byte_source::{ByteReader, ByteSource};
use crate::field::{self, Field, Style};
use crate::text::{cut, listed};
use crate::untrusted::limit::MemoryLimit;
use crate::untrusted::{xls_check, xlsx_check};

/// Bytes that a cell takes in memory, besides its text.
const CELL: u64 = size_of::<PlacedCell>() as u64;

/// What a cell holds. Empty cells are left out.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A number.
    Number(f64),
    /// true or false.
    Truth(bool),
    /// A day, or a time of a day, as seconds since 1970 and as text.
    Date(f64, String),
    /// Text.
    Text(String),
}

impl Cell {
    /// As a field of a text file would be read, but for codes such as 00123, which a sheet keeps as text.
    pub fn field(&self) -> Field {
        match self {
            Cell::Number(value) => Field::Number(*value),
            Cell::Truth(value) => Field::Truth(*value),
            Cell::Date(seconds, _) => Field::Date(*seconds),
            Cell::Text(text) if is_code(text) => Field::Text,
            Cell::Text(text) => field::read(text.as_bytes(), Style::default()),
        }
    }

    /// The cell as text.
    pub fn text(&self) -> String {
        match self {
            Cell::Number(value) if *value != 0.0 && !(1e-5..1e16).contains(&value.abs()) => format!("{value:e}"),
            Cell::Number(value) => value.to_string(),
            Cell::Truth(value) => value.to_string(),
            Cell::Date(_, text) | Cell::Text(text) => text.clone(),
        }
    }
}

/// Digits behind a zero.
fn is_code(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A cell and where it stands, from 0.
#[derive(Debug)]
pub struct PlacedCell {
    /// The row of the sheet.
    pub row: u32,
    /// The column of the sheet.
    pub column: u32,
    /// What it holds.
    pub cell: Cell,
}

/// The cells of one sheet.
#[derive(Debug)]
pub struct SheetCells {
    /// The name of the sheet.
    pub name: String,
    /// The names of all sheets.
    pub sheets: Vec<String>,
    /// The cells, row by row.
    pub cells: Vec<PlacedCell>,
    /// How many cells hold an error other than #N/A, and the first of them.
    pub errors: (usize, Option<CellErrorType>),
}

type Bytes = BufReader<ByteReader>;

/// A workbook of either kind.
enum Workbook {
    Xlsx(Box<Xlsx<Bytes>>),
    Xls(Box<Xls<Bytes>>),
}

/// Reads the sheet that `asked` names or numbers, or the first one that holds something.
pub fn read(store: &Arc<ByteSource>, asked: Option<&str>, limit: MemoryLimit) -> Result<SheetCells, String> {
    let bytes = || BufReader::with_capacity(1 << 16, ByteReader { store: store.clone(), at: 0 });
    let start = store.start(8).map_err(|error| error.to_string())?;
    let mut book = if start == xls_check::MAGIC {
        xls_check::check(store, limit)?;
        Workbook::Xls(Box::new(Xls::new(bytes()).map_err(|error| broken(&error))?))
    } else if start.starts_with(b"PK") {
        xlsx_check::check(store, limit)?;
        Workbook::Xlsx(Box::new(Xlsx::new(bytes()).map_err(|error| broken(&error))?))
    } else {
        return Err("is no Excel file; is the name wrong? (--format NAME tells what it is)".to_owned());
    };
    let sheets = match &book {
        Workbook::Xlsx(book) => book.sheet_names(),
        Workbook::Xls(book) => book.sheet_names(),
    };
    let mut found = SheetCells { name: String::new(), sheets, cells: Vec::new(), errors: (0, None) };
    if let Some(asked) = asked {
        found.name = chosen(&found.sheets, asked)?.to_owned();
        found.fill(&mut book, limit)?;
        return if found.cells.is_empty() { Err(format!("sheet {} is empty", cut(&found.name))) } else { Ok(found) };
    }
    for name in found.sheets.clone() {
        found.name = name;
        found.fill(&mut book, limit)?;
        if !found.cells.is_empty() {
            return Ok(found);
        }
    }
    Err("holds no sheet with cells".to_owned())
}

/// The sheet of this name, or else of this number, from 1.
fn chosen<'a>(sheets: &'a [String], asked: &str) -> Result<&'a str, String> {
    let by_name = sheets.iter().find(|name| name.as_str() == asked);
    let by_number = || asked.parse().ok().and_then(|number: usize| sheets.get(number.checked_sub(1)?));
    by_name.or_else(by_number).map(String::as_str).ok_or_else(|| {
        let holds = format!("it holds {}", listed(sheets));
        format!("has no sheet {}; {holds}", cut(asked))
    })
}

fn broken(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    format!("is no whole Excel file: {}", cut(text.lines().next().unwrap_or_default()))
}

impl SheetCells {
    /// Reads the sheet called `self.name`.
    fn fill(&mut self, book: &mut Workbook, limit: MemoryLimit) -> Result<(), String> {
        let mut held = 0;
        match book {
            Workbook::Xlsx(book) => {
                let mut reader = match book.worksheet_cells_reader(&self.name) {
                    Ok(reader) => reader,
                    // A sheet that is a chart has no cells.
                    Err(calamine::XlsxError::NotAWorksheet(_)) => return Ok(()),
                    Err(error) => return Err(broken(&error)),
                };
                while let Some(cell) = reader.next_cell().map_err(|error| broken(&error))? {
                    self.add(cell.get_position(), &Data::from(cell.get_value().clone()));
                    self.check(&mut held, limit)?;
                }
            }
            Workbook::Xls(book) => {
                let range = book.worksheet_range(&self.name).map_err(|error| broken(&error))?;
                let (top, left) = range.start().unwrap_or_default();
                for (row, column, value) in range.used_cells() {
                    self.add((top + row as u32, left + column as u32), value);
                    self.check(&mut held, limit)?;
                }
            }
        }
        // Sorted already, unless a program wrote them in an order of its own; of a cell that stands twice, the last counts.
        self.cells.sort_by_key(|placed| (placed.row, placed.column));
        self.cells.reverse();
        self.cells.dedup_by_key(|placed| (placed.row, placed.column));
        self.cells.reverse();
        Ok(())
    }

    fn add(&mut self, (row, column): (u32, u32), value: &Data) {
        let cell = match value {
            Data::Empty | Data::Error(CellErrorType::NA) => return,
            Data::Error(error) => {
                self.errors = (self.errors.0 + 1, self.errors.1.clone().or_else(|| Some(error.clone())));
                return;
            }
            Data::Int(value) => Cell::Number(*value as f64),
            Data::Float(value) => Cell::Number(*value),
            Data::Bool(value) => Cell::Truth(*value),
            Data::DateTime(value) => date(value),
            Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => {
                if text.is_empty() {
                    return;
                }
                Cell::Text(text.clone())
            }
        };
        self.cells.push(PlacedCell { row, column, cell });
    }

    /// Fails if the cells take too much memory; `held` is what the texts take.
    fn check(&self, held: &mut u64, limit: MemoryLimit) -> Result<(), String> {
        if let Some(PlacedCell { cell: Cell::Text(text), .. }) = self.cells.last() {
            *held += text.len() as u64;
        }
        if *held + self.cells.len() as u64 * CELL > limit.bytes {
            return Err(too_large("the cells of a sheet take", limit));
        }
        Ok(())
    }
}

/// What is said where a workbook takes more memory than it may.
pub fn too_large(what: &str, limit: MemoryLimit) -> String {
    let most = byte_size::shown(limit.bytes);
    format!("{what} more than {most} of memory, which is the limit; save it as .csv, or raise --memory")
}

/// A day as text like 2024-05-01, with the time if there is one; a time alone is text, a duration a number of seconds.
fn date(value: &ExcelDateTime) -> Cell {
    let serial = value.as_f64();
    if value.is_duration() {
        return Cell::Number((serial * 86_400_000.0).round() / 1000.0);
    }
    let (year, month, day, hour, minute, second, milli) = value.to_ymd_hms_milli();
    let mut time = format!("{hour:02}:{minute:02}:{second:02}");
    if milli > 0 {
        time = format!("{time}.{milli:03}");
    }
    if (0.0..1.0).contains(&serial) {
        return Cell::Text(time);
    }
    let Some(days) = NaiveDate::from_ymd_opt(i32::from(year), u32::from(month), u32::from(day)) else {
        return Cell::Number(serial);
    };
    // The default is 1970-01-01.
    let days = days.signed_duration_since(NaiveDate::default()).num_days() as f64;
    let seconds = f64::from(hour) * 3600.0 + f64::from(minute) * 60.0 + f64::from(second) + f64::from(milli) / 1000.0;
    let day = format!("{year:04}-{month:02}-{day:02}");
    Cell::Date(days * 86_400.0 + seconds, if seconds == 0.0 { day } else { format!("{day} {time}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use calamine::ExcelDateTimeType;

    #[test]
    fn cells_are_what_they_look_like() {
        let at = |serial| date(&ExcelDateTime::new(serial, ExcelDateTimeType::DateTime, false));
        assert_eq!(at(43_831.0), Cell::Date(1_577_836_800.0, "2020-01-01".to_owned()));
        assert_eq!(at(43_831.75), Cell::Date(1_577_901_600.0, "2020-01-01 18:00:00".to_owned()));
        assert_eq!(at(0.25), Cell::Text("06:00:00".to_owned()));
        let span = ExcelDateTime::new(1.5, ExcelDateTimeType::TimeDelta, false);
        assert_eq!(date(&span), Cell::Number(129_600.0));
        let text = |text: &str| Cell::Text(text.to_owned()).field();
        assert_eq!(text("00123"), Field::Text);
        assert_eq!(
            (text("12.5"), text("0.5"), text("0")),
            (Field::Number(12.5), Field::Number(0.5), Field::Number(0.0))
        );
        let shown = [1.0, 0.1, -2.5e20, 1e-9, 0.0].map(|value| Cell::Number(value).text());
        assert_eq!(shown, ["1", "0.1", "-2.5e20", "1e-9", "0"]);
    }

    #[test]
    fn sheets_go_by_name_then_by_number() {
        let sheets = ["2".to_owned(), "data".to_owned()];
        assert_eq!(chosen(&sheets, "2").as_deref(), Ok("2"));
        assert_eq!(chosen(&sheets, "1").as_deref(), Ok("2"));
        assert_eq!(chosen(&sheets, "data").as_deref(), Ok("data"));
        assert_eq!(chosen(&sheets, "0").unwrap_err(), "has no sheet 0; it holds 2, data");
    }
}
