//! The file or files a table came from: rows for people, and rows as they stood.

use std::any::Any;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_schema::{Field, Schema};

use crate::TableError;
use crate::byte_source::{ByteSource, SQLITE, START, STDIN, unreadable};
use crate::formats::Format;
use crate::formats::file_format::{Progress, TableFile};
use crate::input_paths::InputFile;
use crate::output_types::OutputType;
use crate::partitioned::partitioned;
use crate::read::ReadContext;

/// What is said about an SQLite database.
const NO_DATABASE: &str = "is an SQLite database, which is not read; export a table: sqlite3 -header -csv FILE 'select * \
                           from TABLE' | arss select - ...";

/// The files of a table, in order.
#[derive(Debug)]
pub struct Source {
    /// The files.
    pub files: Vec<Box<dyn TableFile>>,
    /// Their names.
    pub paths: Vec<PathBuf>,
    /// The first row of each file, and the number of rows.
    pub starts: Vec<usize>,
    /// The names of all columns.
    pub headings: Vec<String>,
    /// The types that columns without one get in files that need one.
    pub types: Vec<OutputType>,
}

/// Opens one file.
pub fn open_file(
    input: &InputFile,
    context: &ReadContext<'_>,
    progress: Progress<'_>,
) -> Result<Box<dyn TableFile>, TableError> {
    let file = open_bytes(ByteSource::open(&input.path, context)?, &input.path, context, progress)?;
    Ok(partitioned(file, &input.partitions))
}

/// Opens the file `path`, whose bytes are `bytes`; in an archive they have a name of their own.
pub fn open_bytes(
    (bytes, member): (ByteSource, Option<PathBuf>),
    path: &Path,
    context: &ReadContext<'_>,
    progress: Progress<'_>,
) -> Result<Box<dyn TableFile>, TableError> {
    let start = bytes.start(START).map_err(|error| unreadable(path, &error))?;
    if start.starts_with(SQLITE) {
        return Err(TableError::in_file(path, NO_DATABASE));
    }
    let named = member.as_deref().unwrap_or(path);
    let format = match Format::of_file(named, &start, context.options.format) {
        Err(_) if member.is_some() => Format::of_file(path, &start, context.options.format)?,
        found => found?,
    };
    format.check_options(path, context.options)?;
    format.open(bytes, path, context, progress)
}

/// The schema of the first batch; a column may lack values if it may in any.
fn common_schema(batches: &[RecordBatch]) -> io::Result<Arc<Schema>> {
    let Some(first) = batches.first().map(RecordBatch::schema) else {
        return Err(io::Error::other("there is no row"));
    };
    let lacks = |column: usize| batches.iter().any(|batch| batch.schema().field(column).is_nullable());
    let fields = first.fields().iter().enumerate();
    let fields: Vec<Field> =
        fields.map(|(column, field)| field.as_ref().clone().with_nullable(lacks(column))).collect();
    Ok(Arc::new(Schema::new_with_metadata(fields, first.metadata().clone())))
}

impl Source {
    /// The files `paths`, of which nothing has been read yet.
    pub fn new(files: Vec<Box<dyn TableFile>>, paths: Vec<PathBuf>, headings: Vec<String>) -> Self {
        Source { files, paths, starts: vec![0], headings, types: Vec::new() }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// The file of row `row`, and the row's number there.
    pub fn locate(&self, row: usize) -> (usize, usize) {
        let file = self.starts.partition_point(|&start| start <= row).clamp(1, self.files.len()) - 1;
        (file, row - self.starts.get(file).copied().unwrap_or_default())
    }

    /// The one of `files`, which are those of the source, that row `row` is in, and the row's number there.
    #[expect(clippy::indexing_slicing, reason = "`locate` gives the number of one of the files")]
    pub fn file_of<'a, F>(&self, files: &'a [F], row: usize) -> (&'a F, usize) {
        let (file, own) = self.locate(row);
        (&files[file], own)
    }

    /// The first file.
    #[expect(clippy::indexing_slicing, reason = "no files are refused before a source is made of them")]
    pub fn first_file(&self) -> &dyn TableFile {
        self.files[0].as_ref()
    }

    /// The name of the first file.
    pub fn first_path(&self) -> &Path {
        self.paths.first().map_or(Path::new(STDIN), PathBuf::as_path)
    }

    /// The files, if all of them are of type `F`.
    pub fn all_of<F: TableFile>(&self) -> Option<Vec<&F>> {
        self.files.iter().map(|file| (file.as_ref() as &dyn Any).downcast_ref()).collect()
    }

    /// The type of all values, if the files are arrays of numbers.
    pub fn element_type(&self) -> Option<OutputType> {
        let types: Vec<OutputType> = self.files.iter().map(|file| file.element_type()).collect::<Option<_>>()?;
        let first = *types.first()?;
        Some(if types.iter().all(|own| *own == first) { first } else { OutputType::Float })
    }

    /// The type of a column as the files know it without reading on; text if they do not, or do not agree.
    pub fn column_type(&self, column: usize) -> OutputType {
        let mut types = self.files.iter().map(|file| file.column_type(column).unwrap_or(OutputType::Text));
        let first = types.next().unwrap_or(OutputType::Text);
        types.fold(first, |all, own| match (all, own) {
            _ if all == own => all,
            (OutputType::Int | OutputType::Float, OutputType::Int | OutputType::Float) => OutputType::Float,
            _ => OutputType::Text,
        })
    }

    /// Calls `visit` with each file and those of the rows that are in it; places are those among `rows`.
    fn by_file<T>(
        &self,
        rows: &[usize],
        visit: impl Fn(&dyn TableFile, &[usize]) -> io::Result<T>,
    ) -> io::Result<Vec<(Vec<usize>, T)>> {
        let mut found = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            let located = rows.iter().enumerate().map(|(at, &row)| (at, self.locate(row)));
            let (places, own): (Vec<usize>, Vec<usize>) =
                located.filter(|(_, (own, _))| *own == number).map(|(at, (_, row))| (at, row)).unzip();
            // No rows at all have the columns of all files, too.
            if !places.is_empty() || rows.is_empty() {
                found.push((places, visit(file.as_ref(), &own)?));
            }
        }
        Ok(found)
    }

    /// The cells of these rows as text for people.
    pub fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        let found = self.by_file(rows, |file, own| file.cells(own))?;
        let mut cells: Vec<(usize, Vec<String>)> =
            found.into_iter().flat_map(|(places, found)| places.into_iter().zip(found)).collect();
        cells.sort_unstable_by_key(|(place, _)| *place);
        Ok(cells.into_iter().map(|(_, row)| row).collect())
    }

    /// These rows with all columns, in this order.
    pub fn batch(&self, rows: &[usize]) -> io::Result<RecordBatch> {
        let found = self.by_file(rows, |file, own| file.batch(own, &self.headings, &self.types))?;
        let (mut order, mut batches) = (Vec::new(), Vec::new());
        for (places, batch) in found {
            order.extend(places);
            batches.push(batch);
        }
        let schema = common_schema(&batches)?;
        let all = arrow_select::concat::concat_batches(&schema, &batches).map_err(io::Error::other)?;
        let mut sorted: Vec<(usize, usize)> = order.into_iter().enumerate().map(|(at, place)| (place, at)).collect();
        sorted.sort_unstable();
        let back = UInt64Array::from_iter_values(sorted.into_iter().map(|(_, at)| at as u64));
        arrow_select::take::take_record_batch(&all, &back).map_err(io::Error::other)
    }

    /// The name of the table; folders are left out of it.
    pub fn title(&self) -> String {
        let name = |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        match self.paths.as_slice() {
            [only] if only == Path::new(STDIN) => "standard input".to_owned(),
            [only] => name(only),
            [first, others @ ..] => format!("{} and {} more", name(first), others.len()),
            [] => String::new(),
        }
    }

    /// The size of all files together; none if something else was read.
    pub fn bytes(&self) -> Option<u64> {
        let size =
            |path: &PathBuf| std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
        self.paths.iter().map(size).sum()
    }

    /// Where a row stands, in words, with the file's name if there are several.
    pub fn place(&self, row: usize) -> String {
        let (file, own) = self.file_of(&self.files, row);
        let place = file.place(own);
        if self.files.len() == 1 { place } else { format!("{place} of {}", self.path_of(row).display()) }
    }

    /// The name of the file that row `row` is in.
    pub fn path_of(&self, row: usize) -> &Path {
        self.file_of(&self.paths, row).0
    }

    /// Fails if a file changed since it was opened.
    pub fn check_unchanged(&self) -> Result<(), TableError> {
        self.files.iter().try_for_each(|file| file.check_unchanged())
    }
}
