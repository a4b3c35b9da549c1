//! The columns of a table in chunks of rows, as a reader finds them: before it is decided which of them are used.

use std::sync::{Arc, Mutex, PoisonError};

use crate::TableError;
use crate::column_kinds::KindCounts;
use crate::dictionary::{Dictionary, NO_CODE};
use crate::disk_writer::DiskWriter;
use crate::field::{self, Field, Style};
use crate::number_rows::NumberRows;
use crate::number_stats::NumberStats;
use crate::vectors::{Misfit, VectorChunk};

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

    /// The code of row `row`; [`NO_CODE`] where there is none.
    #[inline]
    pub fn code(&self, row: usize) -> u32 {
        match self {
            ColumnValues::Codes(codes, _) | ColumnValues::Categories(codes, _) => codes[row],
            _ => NO_CODE,
        }
    }

    /// True for texts whose order means something.
    fn has_order(&self) -> bool {
        matches!(self, ColumnValues::Codes(_, own) | ColumnValues::Categories(_, own) if own.ordered)
    }

    /// All numbers; none if something else was read.
    pub fn numbers(&self) -> &[f64] {
        match self {
            ColumnValues::Numbers(numbers) => numbers,
            _ => &[],
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
        ColumnChunk::in_spare(read_as, rows, None)
    }

    /// The same; numbers go where others were, if there is such a place.
    pub fn in_spare(read_as: ReadAs, rows: usize, spare: Option<&SpareNumbers>) -> Self {
        let mut cells = ColumnChunk::new(read_as);
        match &mut cells.values {
            ColumnValues::None | ColumnValues::Vectors(_) => {}
            ColumnValues::Numbers(numbers) => {
                *numbers = spare.and_then(SpareNumbers::take).unwrap_or_default();
                numbers.reserve_exact(rows);
            }
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

    /// Adds the number, or among dates the plain date, that `text` begins with, if the byte behind it, or the end, ends the
    /// field. Gives its length.
    #[inline]
    pub fn push_leading_number(&mut self, text: &[u8], ends: impl Fn(u8) -> bool, row: usize) -> Option<usize> {
        let ColumnValues::Numbers(numbers) = &mut self.values else { return None };
        if self.style.decimal_comma {
            return None;
        }
        if self.seen.dates > 0 {
            let (value, length) = field::leading_date(text, ends)?;
            self.seen.add(Field::Date(value), row);
            numbers.push(value);
            return Some(length);
        }
        let (value, length) = fast_float2::parse_partial(text).ok()?;
        if text.get(length).is_some_and(|&next| !ends(next)) {
            return None;
        }
        self.seen.add_number(text.get(..length)?, value, row);
        numbers.push(value);
        Some(length)
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
                let (code, field) = dictionary.remembered(text).unwrap_or_else(|| {
                    let field = field::read(text, self.style);
                    let code = |dictionary: &mut Dictionary| dictionary.code(&String::from_utf8_lossy(text));
                    dictionary.remember(text, field, row, code)
                });
                self.seen.add_text(text, field, row);
                codes.push(code);
            }
            ColumnValues::Categories(codes, dictionary) => {
                let (code, field) = dictionary.remembered(text).unwrap_or_else(|| {
                    let field = field::read(text, self.style);
                    let name = String::from_utf8_lossy(text.trim_ascii());
                    dictionary.remember(text, field, row, |dictionary| dictionary.limited_code(&name, row))
                });
                self.seen.add_text(text, field, row);
                codes.push(code);
            }
        }
    }
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

/// Memory of numbers that were taken, for those to come: fresh pages take time.
#[derive(Debug, Clone, Default)]
pub struct SpareNumbers(Arc<Mutex<Vec<Vec<f64>>>>);

impl SpareNumbers {
    fn take(&self) -> Option<Vec<f64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn give(&self, numbers: Vec<Vec<f64>>) {
        let cleared = numbers.into_iter().map(|mut numbers| {
            numbers.clear();
            numbers
        });
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(cleared);
    }
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
    /// Numbers to choose by, where they stay in memory; without it they stay in `chunks`.
    pub number_rows: Option<NumberRows>,
    /// About how many rows there will be; 0 if nobody knows.
    pub expected: usize,
    /// Where memory of numbers goes that are taken, if the reader uses it again.
    pub spare: Option<SpareNumbers>,
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
            number_rows: None,
            expected: 0,
            spare: None,
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
            global.ordered |= cells.values.has_order();
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
            self.numbers[column].add(cells.values.numbers());
        }
        self.rows += chunk.rows;
        if let Some(disk) = &mut self.disk {
            disk.take(&mut chunk)?;
        }
        if let Some(rows) = &mut self.number_rows {
            let taken = rows.take(&mut chunk, &self.single, self.expected);
            if let Some(spare) = &self.spare {
                spare.give(taken);
            }
        }
        let goes_elsewhere = self.disk.is_some() || self.number_rows.is_some();
        if !goes_elsewhere || chunk.columns.iter().any(|cells| cells.len() > 0) {
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
        self.chunks.iter().flat_map(move |chunk| chunk.columns[column].values.numbers()).copied()
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
