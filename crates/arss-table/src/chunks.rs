//! The columns of a table in chunks of rows, as a reader finds them: before it is decided which of them are used.

use std::collections::HashMap;

use crate::TableError;
use crate::disk_writer::DiskWriter;
use crate::field::{self, Field};
use crate::number_stats::NumberStats;

/// The code of a missing category.
pub const NO_CODE: u32 = u32::MAX;

/// What is to be read of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAs {
    /// Its numbers.
    Numbers,
    /// Its distinct texts and which row has which.
    Codes,
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
    /// Nothing at all.
    Empty,
    /// Lists, structures and whatever else is no single value.
    Nested,
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
    /// Other text.
    pub texts: usize,
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
            ColumnKind::Text => counts.texts = count,
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
            Field::Text => self.texts += 1,
            Field::Missing => return,
        }
        if !matches!(field, Field::Number(_)) {
            self.first_text.get_or_insert(row);
        }
    }

    /// Adds what was counted in the rows behind, which begin at `start`.
    fn merge(&mut self, other: &KindCounts, start: usize) {
        self.numbers += other.numbers;
        self.truths += other.truths;
        self.dates += other.dates;
        self.texts += other.texts;
        self.nested |= other.nested;
        self.first_text = self.first_text.or(other.first_text.map(|row| row + start));
    }

    /// What the column holds.
    pub fn kind(&self) -> ColumnKind {
        let kinds =
            [(self.numbers, ColumnKind::Number), (self.truths, ColumnKind::Truth), (self.dates, ColumnKind::Date)];
        let found: Vec<ColumnKind> =
            kinds.into_iter().filter_map(|(count, kind)| (count > 0).then_some(kind)).collect();
        match found.as_slice() {
            _ if self.nested => ColumnKind::Nested,
            _ if self.texts > 0 => ColumnKind::Text,
            [] => ColumnKind::Empty,
            [kind] => *kind,
            _ => ColumnKind::Text,
        }
    }
}

/// Distinct texts, numbered as they come.
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    /// The texts.
    pub names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Dictionary {
    /// The number of `name`.
    pub fn code(&mut self, name: &str) -> u32 {
        if let Some(&code) = self.numbers.get(name) {
            return code;
        }
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
}

impl ColumnValues {
    /// The number of row `row`, or its code as a number; NaN where there is none.
    #[inline]
    pub fn number(&self, row: usize) -> f64 {
        match self {
            ColumnValues::Numbers(numbers) => numbers[row],
            ColumnValues::Codes(codes, _) if codes[row] == NO_CODE => f64::NAN,
            ColumnValues::Codes(codes, _) => f64::from(codes[row]),
            ColumnValues::None => f64::NAN,
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
}

impl ColumnChunk {
    /// An empty column.
    pub fn new(read_as: ReadAs) -> Self {
        let values = match read_as {
            ReadAs::Numbers => ColumnValues::Numbers(Vec::new()),
            ReadAs::Codes => ColumnValues::Codes(Vec::new(), Dictionary::default()),
            ReadAs::Nothing => ColumnValues::None,
        };
        ColumnChunk { seen: KindCounts::default(), values }
    }

    /// The same with room for so many rows.
    pub fn with_room(read_as: ReadAs, rows: usize) -> Self {
        let mut cells = ColumnChunk::new(read_as);
        match &mut cells.values {
            ColumnValues::None => {}
            ColumnValues::Numbers(numbers) => numbers.reserve_exact(rows),
            ColumnValues::Codes(codes, _) => codes.reserve_exact(rows),
        }
        cells
    }

    /// The number of rows that were read.
    pub fn len(&self) -> usize {
        match &self.values {
            ColumnValues::None => 0,
            ColumnValues::Numbers(numbers) => numbers.len(),
            ColumnValues::Codes(codes, _) => codes.len(),
        }
    }

    /// Adds the field of row `row` of the chunk.
    pub fn push(&mut self, text: &[u8], row: usize) {
        match &mut self.values {
            ColumnValues::None => {}
            ColumnValues::Numbers(numbers) => {
                let field = field::read(text);
                self.seen.add(field, row);
                numbers.push(as_number(field));
            }
            ColumnValues::Codes(codes, dictionary) => {
                let field = field::read(text);
                self.seen.add(field, row);
                let missing = field == Field::Missing || matches!(field, Field::Number(value) if value.is_nan());
                codes.push(if missing { NO_CODE } else { dictionary.code(&String::from_utf8_lossy(text)) });
            }
        }
    }
}

/// The number that a field stands for; NaN where there is none.
pub fn as_number(field: Field) -> f64 {
    match field {
        Field::Number(value) | Field::Date(value) => value,
        Field::Truth(value) => f64::from(u8::from(value)),
        Field::Missing | Field::Text => f64::NAN,
    }
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
            if let ColumnValues::Codes(codes, own) = &mut cells.values {
                let global: Vec<u32> = own.names.iter().map(|name| self.dictionaries[column].code(name)).collect();
                codes.iter_mut().filter(|code| **code != NO_CODE).for_each(|code| *code = global[*code as usize]);
                *own = Dictionary::default();
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

    /// The codes of a column that was read as codes.
    pub fn codes(&self, column: usize) -> impl Iterator<Item = u32> + '_ {
        self.chunks
            .iter()
            .flat_map(move |chunk| match &chunk.columns[column].values {
                ColumnValues::Codes(codes, _) => codes.as_slice(),
                _ => &[],
            })
            .copied()
    }
}
