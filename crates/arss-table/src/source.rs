//! The file or files a table came from: rows for people, and rows as they stood.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow_schema::{Field as ArrowField, Schema};

use crate::TableError;
use crate::byte_source::{ByteSource, MemoryLimit};
use crate::chunks::{ChunkedTable, ReadAs};
use crate::field;
use crate::field::Field;
use crate::formats::arrow::ArrowFile;
use crate::formats::arrow_columns;
use crate::formats::csv::Text;
use crate::formats::csv_dialect::Options;
use crate::formats::jsonl::Lines;
use crate::formats::npy::Array;
use crate::formats::npz;
use crate::formats::parquet::Parquet;
use crate::output_types::OutputType;
use crate::{Format, ReadOptions};

/// One file.
#[derive(Debug)]
pub enum Part {
    /// Separated fields.
    Text(Text),
    /// JSON lines.
    Lines(Lines),
    /// A numpy array.
    Array(Array),
    /// Parquet.
    Parquet(Parquet),
    /// Arrow IPC.
    Arrow(ArrowFile),
}

/// The files of a table, in order.
#[derive(Debug)]
pub struct Source {
    /// The files.
    pub parts: Vec<Part>,
    /// Their names.
    pub paths: Vec<PathBuf>,
    /// The first row of each file, and the number of rows.
    pub starts: Vec<usize>,
    /// The names of all columns.
    pub headings: Vec<String>,
    /// What text columns are turned into.
    pub types: Vec<OutputType>,
}

impl Part {
    /// Opens one file.
    pub fn open(
        path: &std::path::Path,
        reading: &ReadOptions<'_>,
        tell: &mut dyn FnMut(u64, u64),
    ) -> Result<Part, TableError> {
        Part::of(ByteSource::open(path, reading.limit, reading.scratch)?, path, reading, tell)
    }

    /// Opens the file `path`, whose bytes are these.
    pub fn of(
        store: ByteSource,
        path: &std::path::Path,
        reading: &ReadOptions<'_>,
        tell: &mut dyn FnMut(u64, u64),
    ) -> Result<Part, TableError> {
        let limit: MemoryLimit = reading.limit;
        let start = store.start(64).map_err(|error| crate::byte_source::unreadable(path, &error))?;
        let format = Format::found(path, &start, reading.format)?;
        Ok(match format {
            Format::Csv | Format::Tsv => {
                let tab = (reading.format == Some(Format::Tsv)).then_some(b'\t');
                let options = Options { delimiter: reading.text.delimiter.or(tab), ..reading.text };
                Part::Text(Text::open(store, path, options, limit)?)
            }
            Format::Jsonl => Part::Lines(Lines::open(store, path, limit, tell)?),
            Format::Npy => Part::Array(Array::open(store, path, limit)?),
            Format::Npz => {
                Part::Array(Array::open(npz::open(store, (path, reading.scratch), reading.array, limit)?, path, limit)?)
            }
            Format::Parquet => Part::Parquet(Parquet::open(store, path, limit)?),
            Format::Arrow => Part::Arrow(ArrowFile::open(store, path, limit)?),
        })
    }

    /// The names of all columns.
    pub fn headings(&self) -> Vec<String> {
        let of = |schema: &Schema| schema.fields().iter().map(|field| field.name().clone()).collect();
        match self {
            Part::Text(text) => text.names.clone(),
            Part::Lines(lines) => lines.names.clone(),
            Part::Array(array) => (0..array.columns).map(crate::heading).collect(),
            Part::Parquet(file) => of(&file.schema),
            Part::Arrow(file) => of(&file.schema),
        }
    }

    /// The schema, where the format has one.
    pub fn schema(&self) -> Option<&Schema> {
        match self {
            Part::Parquet(file) => Some(&file.schema),
            Part::Arrow(file) => Some(&file.schema),
            _ => None,
        }
    }

    /// True if the file names its columns.
    pub fn named(&self) -> bool {
        match self {
            Part::Array(_) => false,
            Part::Text(text) => text.named(),
            _ => true,
        }
    }

    /// What a sample of the rows holds; arrays have no need of one.
    pub fn sample(&self) -> Result<ChunkedTable, TableError> {
        match self {
            Part::Text(text) => text.sample(),
            Part::Lines(lines) => lines.sample(),
            Part::Parquet(file) => Ok(file.sample()),
            Part::Arrow(file) => Ok(file.sample()),
            Part::Array(array) => Ok(ChunkedTable::new(array.columns)),
        }
    }

    /// Reads what is wanted of each column into `frame`.
    pub fn read(
        &mut self,
        wants: &[ReadAs],
        frame: &mut ChunkedTable,
        tell: &mut dyn FnMut(u64, u64),
    ) -> Result<(), TableError> {
        match self {
            Part::Text(text) => text.read(wants, frame, tell),
            Part::Lines(lines) => lines.read(wants, frame, tell),
            Part::Parquet(file) => file.read(wants, frame, tell),
            Part::Arrow(file) => file.read(wants, frame, tell),
            Part::Array(array) => array.read(wants, frame, tell),
        }
    }

    /// These rows for people.
    fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        let text =
            |fields: Vec<Vec<u8>>| fields.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
        match self {
            Part::Text(own) => rows.iter().map(|&row| own.fields(row).map(text)).collect(),
            Part::Lines(lines) => rows.iter().map(|&row| lines.cells(row)).collect(),
            Part::Array(array) => rows.iter().map(|&row| array.cells(row)).collect(),
            Part::Parquet(file) => arrow_columns::rows(&file.batch(rows)?),
            Part::Arrow(file) => arrow_columns::rows(&file.batch(rows)?),
        }
    }

    /// These rows with all columns.
    fn batch(&self, rows: &[usize], headings: &[String], types: &[OutputType]) -> io::Result<RecordBatch> {
        match self {
            Part::Parquet(file) => file.batch(rows),
            Part::Arrow(file) => file.batch(rows),
            Part::Array(array) => {
                let cells: Vec<Vec<String>> = rows.iter().map(|&row| array.texts(row)).collect::<io::Result<_>>()?;
                typed(headings, types, &cells)
            }
            _ => typed(headings, types, &self.cells(rows)?),
        }
    }

    fn place(&self, row: usize) -> String {
        match self {
            Part::Text(text) => text.place(row),
            Part::Lines(lines) => lines.place(row),
            _ => format!("row {row} (from 0)"),
        }
    }

    fn check_unchanged(&self) -> Result<(), TableError> {
        match self {
            Part::Text(text) => text.check_unchanged(),
            Part::Lines(lines) => lines.check_unchanged(),
            Part::Array(array) => array.check_unchanged(),
            Part::Parquet(file) => file.check_unchanged(),
            Part::Arrow(file) => file.check_unchanged(),
        }
    }
}

/// Text in typed columns; what does not fit its type is missing.
fn typed(headings: &[String], types: &[OutputType], cells: &[Vec<String>]) -> io::Result<RecordBatch> {
    let column = |at: usize| cells.iter().map(move |row| row.get(at).map_or("", String::as_str));
    let number = |cell: &str| match field::read(cell.as_bytes()) {
        Field::Number(value) => Some(value),
        _ => None,
    };
    let truth = |cell: &str| match field::read(cell.as_bytes()) {
        Field::Truth(value) => Some(value),
        Field::Number(value) => Some(value != 0.0),
        _ => None,
    };
    let arrays = types.iter().enumerate().map(|(at, kind)| -> ArrayRef {
        match kind {
            // As written where it can be: large ones have more digits than a float holds.
            OutputType::Int => {
                let whole = |cell: &str| cell.trim().parse().ok().or_else(|| number(cell).map(|value| value as i64));
                Arc::new(column(at).map(whole).collect::<Int64Array>())
            }
            OutputType::Uint => {
                let whole = |cell: &str| cell.trim().parse().ok().or_else(|| number(cell).map(|value| value as u64));
                Arc::new(column(at).map(whole).collect::<UInt64Array>())
            }
            OutputType::Single => Arc::new(column(at).map(|cell| cell.parse::<f32>().ok()).collect::<Float32Array>()),
            OutputType::Float => Arc::new(column(at).map(number).collect::<Float64Array>()),
            OutputType::Truth => Arc::new(column(at).map(truth).collect::<BooleanArray>()),
            OutputType::Text => Arc::new(column(at).map(Some).collect::<StringArray>()),
        }
    });
    let arrays: Vec<ArrayRef> = arrays.collect();
    let fields =
        headings.iter().zip(&arrays).map(|(name, array)| ArrowField::new(name, array.data_type().clone(), true));
    RecordBatch::try_new(Arc::new(Schema::new(fields.collect::<Vec<_>>())), arrays).map_err(io::Error::other)
}

/// The schema of the first batch; a column may lack values if it may in any.
fn common(batches: &[RecordBatch]) -> io::Result<Arc<Schema>> {
    let Some(first) = batches.first().map(RecordBatch::schema) else {
        return Err(io::Error::other("there is no row"));
    };
    let lacks = |column: usize| batches.iter().any(|batch| batch.schema().field(column).is_nullable());
    let fields = first.fields().iter().enumerate();
    let fields: Vec<ArrowField> =
        fields.map(|(column, field)| field.as_ref().clone().with_nullable(lacks(column))).collect();
    Ok(Arc::new(Schema::new_with_metadata(fields, first.metadata().clone())))
}

impl Source {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// The file of row `row`, and its number there.
    pub fn part(&self, row: usize) -> (usize, usize) {
        let part = self.starts.partition_point(|&start| start <= row).clamp(1, self.parts.len()) - 1;
        (part, row - self.starts[part])
    }

    /// Calls `visit` for runs of rows of one file.
    fn by_part<T>(
        &self,
        rows: &[usize],
        visit: impl Fn(&Part, &[usize]) -> io::Result<T>,
    ) -> io::Result<Vec<(Vec<usize>, T)>> {
        let mut found = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            let places: Vec<usize> = (0..rows.len()).filter(|&at| self.part(rows[at]).0 == number).collect();
            if !places.is_empty() {
                let own: Vec<usize> = places.iter().map(|&at| self.part(rows[at]).1).collect();
                found.push((places, visit(part, &own)?));
            }
        }
        Ok(found)
    }

    /// The cells of these rows, for people.
    pub fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        let mut cells = vec![Vec::new(); rows.len()];
        for (places, found) in self.by_part(rows, |part, own| part.cells(own))? {
            places.into_iter().zip(found).for_each(|(place, row)| cells[place] = row);
        }
        Ok(cells)
    }

    /// These rows with all columns, in this order.
    pub fn batch(&self, rows: &[usize]) -> io::Result<RecordBatch> {
        let found = self.by_part(rows, |part, own| part.batch(own, &self.headings, &self.types))?;
        let (mut order, mut batches) = (Vec::new(), Vec::new());
        for (places, batch) in found {
            order.extend(places);
            batches.push(batch);
        }
        let all = arrow_select::concat::concat_batches(&common(&batches)?, &batches).map_err(io::Error::other)?;
        let mut sorted: Vec<(usize, usize)> = order.into_iter().enumerate().map(|(at, place)| (place, at)).collect();
        sorted.sort_unstable();
        let back = UInt64Array::from_iter_values(sorted.into_iter().map(|(_, at)| at as u64));
        arrow_select::take::take_record_batch(&all, &back).map_err(io::Error::other)
    }

    /// The size of all files together; none if something else was read.
    pub fn bytes(&self) -> Option<u64> {
        let size =
            |path: &PathBuf| std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
        self.paths.iter().map(size).sum()
    }

    /// What the table is called; the folder is nobody's business.
    pub fn title(&self) -> String {
        let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        match self.paths.as_slice() {
            [only] if only == std::path::Path::new(crate::STDIN) => "standard input".to_owned(),
            [only] => name(only),
            [first, others @ ..] => format!("{} and {} more", name(first), others.len()),
            [] => String::new(),
        }
    }

    /// The row's place in words, with the file's name if there are several.
    pub fn place(&self, row: usize) -> String {
        let (part, own) = self.part(row);
        let place = self.parts[part].place(own);
        if self.parts.len() == 1 { place } else { format!("{place} of {}", self.paths[part].display()) }
    }

    /// Fails if a file is not what it was.
    pub fn check_unchanged(&self) -> Result<(), TableError> {
        self.parts.iter().try_for_each(Part::check_unchanged)
    }
}
