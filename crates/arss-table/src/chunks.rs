//! The columns of a table in chunks of rows, as a reader finds them: before it is decided which of them are used.

use std::collections::HashMap;

use crate::TableError;
use crate::disk_writer::DiskWriter;
use crate::field::{self, DateOrder, Field, Style};
use crate::number_stats::NumberStats;
use crate::vectors::{Misfit, VectorChunk};
use crate::written_number::written_number;

/// The code of a missing category.
pub const NO_CODE: u32 = u32::MAX;

/// What is to be read of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAs {
    /// Its numbers, in this style where they are text.
    Numbers(Style),
    /// Its distinct texts and which row has which.
    Codes,
    /// The same, as long as the texts are few.
    Categories,
    /// Its vectors.
    Vectors,
    /// Nothing.
    Nothing,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Numbers.
    Number,
    /// true and false.
    Truth,
    /// Dates and times, as seconds.
    Date,
    /// Text, or a mixture.
    Text,
    /// Digits with leading zeros: they name something.
    Code,
    /// Nothing at all.
    Empty,
    /// A list of numbers in each row.
    Vector,
    /// Lists, structures and whatever else is no single value.
    Nested,
}

/// Rows of a chunk that are looked at for how numbers are written.
const TELLING: usize = 1024;

/// What fields tell about how their column is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct StyleEvidence {
    /// Texts that are numbers with a decimal comma.
    pub comma: usize,
    /// Numbers that need a decimal point.
    pub point: usize,
    /// Dates that begin with the day.
    pub day_first: usize,
    /// Dates that begin with the month.
    pub month_first: usize,
    /// Dates that may begin with either.
    pub either: usize,
}

impl StyleEvidence {
    fn add(&mut self, text: &[u8], field: Field, row: usize) {
        match field {
            Field::Number(value) if row < TELLING && (value.fract() != 0.0 || text.contains(&b'.')) => {
                self.point += usize::from(written_number(text.trim_ascii(), true).is_none());
            }
            Field::Text if row < TELLING && text.contains(&b',') => {
                self.comma += usize::from(written_number(text.trim_ascii(), true).is_some());
            }
            Field::Date(_) => match field::local_date(text.trim_ascii(), false) {
                Some((_, DateOrder::DayFirst)) => self.day_first += 1,
                Some((_, DateOrder::MonthFirst)) => self.month_first += 1,
                Some((_, DateOrder::Either)) => self.either += 1,
                None => {}
            },
            _ => {}
        }
    }

    fn merge(&mut self, other: &StyleEvidence) {
        self.comma += other.comma;
        self.point += other.point;
        self.day_first += other.day_first;
        self.month_first += other.month_first;
        self.either += other.either;
    }
}

/// What was counted in a column.
#[derive(Debug, Clone, Default)]
pub struct KindCounts {
    /// Numbers.
    pub numbers: usize,
    /// Truth values.
    pub truths: usize,
    /// Dates.
    pub dates: usize,
    /// Lists of numbers.
    pub vectors: usize,
    /// Other text.
    pub texts: usize,
    /// Marks that stand for a missing value unless there are texts.
    pub markers: usize,
    /// Numbers with leading zeros.
    pub leading_zeros: usize,
    /// What the first rows tell about how numbers and dates are written.
    pub evidence: StyleEvidence,
    /// The first row with something that is no number.
    pub first_text: Option<usize>,
    /// True for lists and structures.
    pub nested: bool,
}

impl KindCounts {
    /// `count` values of a column that holds `kind`.
    pub fn of(kind: ColumnKind, count: usize) -> Self {
        let mut counts = KindCounts { nested: kind == ColumnKind::Nested, ..KindCounts::default() };
        match kind {
            ColumnKind::Number => counts.numbers = count,
            ColumnKind::Truth => counts.truths = count,
            ColumnKind::Date => counts.dates = count,
            ColumnKind::Vector => counts.vectors = count,
            ColumnKind::Text | ColumnKind::Code => counts.texts = count,
            ColumnKind::Empty | ColumnKind::Nested => {}
        }
        counts
    }

    /// Counts one field.
    pub fn add(&mut self, field: Field, row: usize) {
        match field {
            // Not a number, and not a text either: it does not tell what the column holds.
            Field::Number(value) if value.is_nan() => return,
            Field::Number(_) => self.numbers += 1,
            Field::Truth(_) => self.truths += 1,
            Field::Date(_) => self.dates += 1,
            Field::Vector => self.vectors += 1,
            Field::Text => self.texts += 1,
            Field::Marker => {
                self.markers += 1;
                return;
            }
            Field::Missing => return,
        }
        if !matches!(field, Field::Number(_)) {
            self.first_text.get_or_insert(row);
        }
    }

    /// Counts one field and what its text tells.
    pub fn add_text(&mut self, text: &[u8], field: Field, row: usize) {
        self.add(field, row);
        if text.first() == Some(&b'0') && matches!(field, Field::Number(_)) && field::has_leading_zero(text) {
            self.leading_zeros += 1;
        }
        self.evidence.add(text, field, row);
    }

    /// Adds what was counted in the rows behind, which begin at `start`.
    fn merge(&mut self, other: &KindCounts, start: usize) {
        self.numbers += other.numbers;
        self.truths += other.truths;
        self.dates += other.dates;
        self.texts += other.texts;
        self.vectors += other.vectors;
        self.nested |= other.nested;
        self.markers += other.markers;
        self.leading_zeros += other.leading_zeros;
        self.evidence.merge(&other.evidence);
        self.first_text = self.first_text.or(other.first_text.map(|row| row + start));
    }

    /// True if at most one value in twenty is a text among numbers.
    pub fn is_nearly_numbers(&self) -> bool {
        let others = self.truths + self.dates + self.vectors;
        self.texts > 0 && others == 0 && !self.nested && 19 * self.texts <= self.numbers
    }

    /// What the column holds.
    pub fn kind(&self) -> ColumnKind {
        let kinds = [
            (self.numbers, ColumnKind::Number),
            (self.truths, ColumnKind::Truth),
            (self.dates, ColumnKind::Date),
            (self.vectors, ColumnKind::Vector),
        ];
        let found: Vec<ColumnKind> =
            kinds.into_iter().filter_map(|(count, kind)| (count > 0).then_some(kind)).collect();
        match found.as_slice() {
            _ if self.nested => ColumnKind::Nested,
            _ if self.texts > 0 => ColumnKind::Text,
            [] => ColumnKind::Empty,
            [ColumnKind::Number] if self.leading_zeros > 0 => ColumnKind::Code,
            // Days and months at the same place: nobody knows which is which.
            [ColumnKind::Date] if self.evidence.day_first > 0 && self.evidence.month_first > 0 => ColumnKind::Text,
            [kind] => *kind,
            _ => ColumnKind::Text,
        }
    }
}

/// Texts of a category column that are told apart. A column with more names rows rather than kinds of rows.
pub const MOST_CATEGORIES: usize = 1000;

/// Distinct texts, numbered as they come.
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    /// The texts.
    pub names: Vec<String>,
    /// How many rows have each of them.
    pub counts: Vec<usize>,
    /// Rows up to the text that was one too many; none if there was no such text.
    pub full_after: Option<usize>,
    numbers: HashMap<String, u32>,
}

impl Dictionary {
    /// The number of `name`, or [`NO_CODE`] if it would be one too many; `row` rows were seen before.
    pub fn limited_code(&mut self, name: &str, row: usize) -> u32 {
        self.limited_codes(name, 1, row)
    }

    /// The same for a text of `count` rows.
    fn limited_codes(&mut self, name: &str, count: usize, row: usize) -> u32 {
        if self.names.len() >= MOST_CATEGORIES && !self.numbers.contains_key(name) {
            self.full_after.get_or_insert(row);
            return NO_CODE;
        }
        self.codes(name, count)
    }

    /// The number of `name`.
    pub fn code(&mut self, name: &str) -> u32 {
        self.codes(name, 1)
    }

    /// The number of `name`, which `count` rows have.
    fn codes(&mut self, name: &str, count: usize) -> u32 {
        if let Some(&code) = self.numbers.get(name) {
            self.counts[code as usize] += count;
            return code;
        }
        self.counts.push(count);
        let code = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), code);
        code
    }
}

/// The values of one column in one chunk.
#[derive(Debug, Clone)]
pub enum ColumnValues {
    /// Not read.
    None,
    /// NaN where there is no number.
    Numbers(Vec<f64>),
    /// Codes of the chunk's own dictionary, later of the table's.
    Codes(Vec<u32>, Dictionary),
    /// The same for few texts.
    Categories(Vec<u32>, Dictionary),
    /// Lists of numbers.
    Vectors(VectorChunk),
}

impl ColumnValues {
    /// The number of row `row`, or its code as a number; NaN where there is none.
    #[inline]
    pub fn number(&self, row: usize) -> f64 {
        match self {
            ColumnValues::Numbers(numbers) => numbers[row],
            ColumnValues::Codes(codes, _) | ColumnValues::Categories(codes, _) if codes[row] == NO_CODE => f64::NAN,
            ColumnValues::Codes(codes, _) | ColumnValues::Categories(codes, _) => f64::from(codes[row]),
            ColumnValues::None | ColumnValues::Vectors(_) => f64::NAN,
        }
    }
}

/// One column of a chunk.
#[derive(Debug, Clone)]
pub struct ColumnChunk {
    /// What was counted.
    pub seen: KindCounts,
    /// The values.
    pub values: ColumnValues,
    /// How the numbers and dates of a text are written.
    pub style: Style,
}

impl ColumnChunk {
    /// An empty column.
    pub fn new(read_as: ReadAs) -> Self {
        let (values, style) = match read_as {
            ReadAs::Numbers(style) => (ColumnValues::Numbers(Vec::new()), style),
            ReadAs::Codes => (ColumnValues::Codes(Vec::new(), Dictionary::default()), Style::default()),
            ReadAs::Categories => (ColumnValues::Categories(Vec::new(), Dictionary::default()), Style::default()),
            ReadAs::Vectors => (ColumnValues::Vectors(VectorChunk::new()), Style::default()),
            ReadAs::Nothing => (ColumnValues::None, Style::default()),
        };
        ColumnChunk { seen: KindCounts::default(), values, style }
    }

    /// The same with room for so many rows.
    pub fn with_room(read_as: ReadAs, rows: usize) -> Self {
        let mut cells = ColumnChunk::new(read_as);
        match &mut cells.values {
            ColumnValues::None | ColumnValues::Vectors(_) => {}
            ColumnValues::Numbers(numbers) => numbers.reserve_exact(rows),
            ColumnValues::Codes(codes, _) | ColumnValues::Categories(codes, _) => codes.reserve_exact(rows),
        }
        cells
    }

    /// The number of rows that were read.
    pub fn len(&self) -> usize {
        match &self.values {
            ColumnValues::None => 0,
            ColumnValues::Vectors(vectors) => vectors.rows,
            ColumnValues::Numbers(numbers) => numbers.len(),
            ColumnValues::Codes(codes, _) | ColumnValues::Categories(codes, _) => codes.len(),
        }
    }

    /// Adds the field of row `row` of the chunk.
    pub fn push(&mut self, text: &[u8], row: usize) {
        match &mut self.values {
            ColumnValues::None => {}
            ColumnValues::Numbers(numbers) => {
                let field = field::read(text, self.style);
                self.seen.add_text(text, field, row);
                numbers.push(as_number(field));
            }
            ColumnValues::Vectors(vectors) => {
                self.seen.add(field::read(text, self.style), row);
                vectors.push_text(text);
            }
            ColumnValues::Codes(codes, dictionary) => {
                let field = field::read(text, self.style);
                self.seen.add_text(text, field, row);
                codes.push(if is_missing(field) { NO_CODE } else { dictionary.code(&String::from_utf8_lossy(text)) });
            }
            ColumnValues::Categories(codes, dictionary) => {
                let field = field::read(text, self.style);
                self.seen.add_text(text, field, row);
                let name = String::from_utf8_lossy(text.trim_ascii());
                codes.push(if is_missing(field) { NO_CODE } else { dictionary.limited_code(&name, row) });
            }
        }
    }
}

/// True for a field that is no text of its own.
fn is_missing(field: Field) -> bool {
    field == Field::Missing || matches!(field, Field::Number(value) if value.is_nan())
}

/// The number that a field stands for; NaN where there is none.
pub fn as_number(field: Field) -> f64 {
    match field {
        Field::Number(value) | Field::Date(value) => value,
        Field::Truth(value) => f64::from(u8::from(value)),
        Field::Missing | Field::Marker | Field::Vector | Field::Text => f64::NAN,
    }
}

/// From the codes of a chunk's own dictionary to those of the table.
fn translate(codes: &mut [u32], own: &mut Dictionary, mut code: impl FnMut(&str, usize) -> u32) {
    let global: Vec<u32> = own.names.iter().zip(&own.counts).map(|(name, &count)| code(name, count)).collect();
    codes.iter_mut().filter(|code| **code != NO_CODE).for_each(|code| *code = global[*code as usize]);
    *own = Dictionary::default();
}

/// Some rows of a table.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// Number of rows.
    pub rows: usize,
    /// One a column.
    pub columns: Vec<ColumnChunk>,
}

/// The columns of a table, in chunks of rows.
#[derive(Debug, Default)]
pub struct ChunkedTable {
    /// Number of rows.
    pub rows: usize,
    /// What was counted in each column.
    pub seen: Vec<KindCounts>,
    /// The dictionary of each column; empty where there is none.
    pub dictionaries: Vec<Dictionary>,
    /// True for columns of single precision.
    pub single: Vec<bool>,
    /// What was seen of the numbers of each column.
    pub numbers: Vec<NumberStats>,
    /// The length of the vectors of each column; none for other columns.
    pub widths: Vec<Option<usize>>,
    /// The first column and row without a vector of that length.
    pub misfit: Option<(usize, Misfit)>,
    /// The rows, in order.
    pub chunks: Vec<Chunk>,
    /// Columns behind those of the file that is being read: how they are read, and the text of all their rows.
    pub constants: Vec<(ReadAs, String)>,
    /// The file that the values of features go to; without it they stay in `chunks`.
    pub disk: Option<DiskWriter>,
}

impl ChunkedTable {
    /// An empty table of so many columns.
    pub fn new(columns: usize) -> Self {
        ChunkedTable {
            rows: 0,
            seen: vec![KindCounts::default(); columns],
            dictionaries: vec![Dictionary::default(); columns],
            single: vec![false; columns],
            numbers: vec![NumberStats::default(); columns],
            widths: vec![None; columns],
            misfit: None,
            chunks: Vec::new(),
            constants: Vec::new(),
            disk: None,
        }
    }

    /// Columns that are of single precision here, too, stay so.
    pub fn all_single(&mut self, here: impl Iterator<Item = bool>) {
        self.single.iter_mut().zip(here).for_each(|(single, here)| *single &= here);
    }

    /// Adds the rows of `chunk` behind those that are there.
    pub fn add(&mut self, mut chunk: Chunk) -> Result<(), TableError> {
        for (read_as, text) in &self.constants {
            let mut cells = ColumnChunk::with_room(*read_as, chunk.rows);
            (0..chunk.rows).for_each(|row| cells.push(text.as_bytes(), row));
            chunk.columns.push(cells);
        }
        for (column, cells) in chunk.columns.iter_mut().enumerate() {
            self.seen[column].merge(&cells.seen, self.rows);
            let global = &mut self.dictionaries[column];
            match &mut cells.values {
                ColumnValues::Codes(codes, own) => translate(codes, own, |name, count| global.codes(name, count)),
                ColumnValues::Categories(codes, own) => {
                    // Texts that the chunk had no room for are lost; then the column is no category at all.
                    let before = self.rows;
                    if let Some(rows) = own.full_after {
                        global.full_after.get_or_insert(before + rows);
                    }
                    translate(codes, own, |name, count| global.limited_codes(name, count, before));
                }
                ColumnValues::Vectors(own) => {
                    let width = *self.widths[column].get_or_insert(own.width.unwrap_or_default());
                    let other = own.width.filter(|own| *own != width);
                    let other = other.map(|length| Misfit { row: 0, length: Some(length) });
                    if let Some(misfit) = own.misfit.or(other) {
                        let row = self.rows + misfit.row;
                        self.misfit.get_or_insert((column, Misfit { row, ..misfit }));
                    }
                }
                _ => {}
            }
            if let ColumnValues::Numbers(numbers) = &cells.values {
                self.numbers[column].add(numbers);
            }
        }
        self.rows += chunk.rows;
        if let Some(disk) = &mut self.disk {
            disk.take(&mut chunk)?;
        }
        if self.disk.is_none() || chunk.columns.iter().any(|cells| cells.len() > 0) {
            self.chunks.push(chunk);
        }
        Ok(())
    }

    /// Adds a column of which only this was counted.
    pub fn add_column(&mut self, seen: KindCounts) {
        self.seen.push(seen);
        self.dictionaries.push(Dictionary::default());
        self.single.push(false);
        self.numbers.push(NumberStats::default());
    }

    /// Adds what was counted in the rows of another table of as many columns.
    pub fn merge_counts(&mut self, other: &ChunkedTable) {
        for (column, seen) in other.seen.iter().enumerate() {
            self.seen[column].merge(seen, self.rows);
        }
        self.rows += other.rows;
    }

    /// The numbers of a column that was read as numbers.
    pub fn numbers_of(&self, column: usize) -> impl Iterator<Item = f64> + '_ {
        self.chunks
            .iter()
            .flat_map(move |chunk| match &chunk.columns[column].values {
                ColumnValues::Numbers(numbers) => numbers.as_slice(),
                _ => &[],
            })
            .copied()
    }

    /// The codes of a column that was read as codes or categories.
    pub fn codes(&self, column: usize) -> impl Iterator<Item = u32> + '_ {
        self.chunks
            .iter()
            .flat_map(move |chunk| match &chunk.columns[column].values {
                ColumnValues::Codes(codes, _) | ColumnValues::Categories(codes, _) => codes.as_slice(),
                _ => &[],
            })
            .copied()
    }
}
