//! From files to a table.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

use crate::byte_source::ByteSource;
use crate::chunks::{ChunkedTable, ReadAs};
use crate::column_kinds::ColumnKind;
use crate::disk_writer::DiskWriter;
use crate::feature_plan::{self, FeatureColumn};
use crate::file_state::Watch;
use crate::formats::file_format::{Progress, TableFile};
use crate::formats::sparse_lists::{SparseLists, SparseTable};
use crate::input_paths::InputFile;
use crate::number_rows::NumberRows;
use crate::output_types::{self, OutputType};
use crate::schema::{self, Asked, Purpose};
use crate::source::{self, Source};
use crate::untrusted::limit::MemoryLimit;
use crate::vectors::Misfit;
use crate::{
    Categories, ColumnRole, Encoding, ReadOptions, SideColumns, Table, TableError, checks, encode, input_paths,
    multi_file,
};

/// The options of one reading, and the memory it may use: found out once, before anything is read.
#[derive(Debug, Clone, Copy)]
pub struct ReadContext<'a> {
    /// The options.
    pub options: &'a ReadOptions,
    /// The memory.
    pub limit: MemoryLimit,
    /// True if there are too many files to keep all of them open.
    pub many: bool,
}

/// Files that stay open at most; systems allow a few hundred, of which others need some.
const OPEN_FILES: usize = 64;

impl<'a> ReadContext<'a> {
    /// The context of `options` for these files.
    pub fn of_files(options: &'a ReadOptions, inputs: &[InputFile]) -> Self {
        ReadContext { many: inputs.len() > OPEN_FILES, ..ReadContext::new(options) }
    }

    /// The context of `options`.
    pub fn new(options: &'a ReadOptions) -> Self {
        ReadContext { options, limit: MemoryLimit::new(options.memory, options.scratch.is_some()), many: false }
    }
}

/// Reads the files `paths`, or folders and patterns of files, as one table; `-` is standard input.
///
/// The values are checked: the table has rows and numeric columns, and every number is finite.
///
/// ```
/// use arss_table::{ColumnRole, Matrix, ReadOptions, open};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("plants.csv");
/// std::fs::write(&path, "height,width,kind\n1.5,2,fern\n3,4,moss\n")?;
///
/// let table = open(&[path.clone()], &ReadOptions::default())?;
/// assert_eq!(table.feature_names, ["height", "width"]);
/// let Matrix::F64(matrix) = &table.matrix else { unreachable!("csv files hold double precision") };
/// assert_eq!(matrix.data, [1.5, 2.0, 3.0, 4.0]);
/// assert!(table.notes[0].ends_with("left out: kind (identifier)"));
///
/// let options = ReadOptions { roles: vec![("kind".to_owned(), ColumnRole::Category)], ..ReadOptions::default() };
/// assert_eq!(open(&[path], &options)?.feature_names, ["height", "width", "kind=fern", "kind=moss"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a file cannot be read, is not what its format demands, would take more memory than allowed, or holds values that
/// cannot be used. The message names the file and, where there is one, the cell.
pub fn open(paths: &[PathBuf], options: &ReadOptions) -> Result<Table, TableError> {
    open_with_progress(paths, options, &mut |_, _| ())
}

/// As [`open`]; `progress` is called with what has been read and how much there is, and with zeros once all is read.
///
/// # Errors
/// As [`open`].
pub fn open_with_progress(
    paths: &[PathBuf],
    options: &ReadOptions,
    progress: Progress<'_>,
) -> Result<Table, TableError> {
    let inputs = input_paths::expand(paths)?;
    let context = ReadContext::of_files(options, &inputs);
    let watch = Watch::new(&inputs);
    let table = from_files(inputs, &context, progress);
    // A file that changes may look broken in any way: that it changed is the better answer. What was unpacked or
    // converted is a copy by now, so this is also the last moment to find out.
    watch.check()?;
    table
}

fn from_files(inputs: Vec<InputFile>, context: &ReadContext<'_>, progress: Progress<'_>) -> Result<Table, TableError> {
    from_source(opened(inputs, context, progress)?, context, progress)
}

/// The files, opened; nothing of them is read yet.
pub fn opened(inputs: Vec<InputFile>, context: &ReadContext<'_>, progress: Progress<'_>) -> Result<Source, TableError> {
    let mut files = Vec::with_capacity(inputs.len());
    for input in &inputs {
        files.push(source::open_file(input, context, progress)?);
    }
    let paths: Vec<PathBuf> = inputs.into_iter().map(|input| input.path).collect();
    let headings = multi_file::unite(&mut files, &paths)?;
    Ok(Source::new(files, paths, headings))
}

/// As [`open`], for `bytes` as the content of the file `name`; they may be compressed.
///
/// # Errors
/// As [`open`].
pub fn read_bytes(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Table, TableError> {
    let (context, path) = (ReadContext::new(options), PathBuf::from(name));
    let bytes = ByteSource::taken(bytes, &path, &context)?;
    let file = source::open_bytes(bytes, &path, &context, &mut |_, _| ())?;
    let headings = file.headings();
    from_source(Source::new(vec![file], vec![path], headings), &context, &mut |_, _| ())
}

fn from_source(mut source: Source, context: &ReadContext<'_>, progress: Progress<'_>) -> Result<Table, TableError> {
    let options = context.options;
    let is_array = source.element_type().is_some();
    if !is_array {
        let fits = context.limit.check_columns(source.headings.len());
        fits.map_err(|what| TableError::in_file(source.first_path(), what))?;
    }
    let mut roles = schema::roles(&source.headings, options)?;
    if is_array {
        // An array has no columns that name or count: all of it is meant.
        roles
            .iter_mut()
            .filter(|role| **role == Purpose::Feature(Asked::No))
            .for_each(|role| *role = Purpose::Feature(Asked::Use));
    }
    if let Some(table) = whole_array(&mut source, &roles, context, progress)? {
        return checks::finished(table, options.missing);
    }
    if let Some(lists) = sparse_lists(&source, &roles) {
        return checks::finished(sparse_table(source, &roles, lists, context, progress)?, options.missing);
    }
    let (mut columns, read_as) = read_columns(&mut source, &roles, context, progress)?;
    if source.rows() == 0 && read_as.iter().any(|read_as| *read_as != ReadAs::Nothing) {
        return Err(TableError::in_file(source.first_path(), "has columns, but no rows"));
    }
    let plan = feature_plan::plan(&source.headings, &roles, &read_as, &columns, options);
    checks::plan(&source, &roles, &columns, &plan)?;
    source.types = output_types::of(&source, &columns, &read_as);
    let side = side_columns(&columns, &source.headings, options)?;
    let notes = checks::notes(&source, &roles, &columns, &plan);
    let feature_names = plan.used.iter().map(|used| used.name(&source.headings, &columns)).collect();
    let feature_columns = plan.used.iter().map(FeatureColumn::column).collect();
    let categories = plan.used.iter().map(FeatureColumn::category).collect();
    let encodings = plan.used.iter().map(|used| used.encoding(&columns)).collect();
    // One column of text may have become a thousand columns of numbers.
    let fits = context.limit.check_values(columns.rows as u64, plan.used.len());
    fits.map_err(|what| TableError::in_file(source.first_path(), what))?;
    let matrix = encode::matrix(&mut columns, &plan.used)?.within(context.limit.bytes);
    let shown = RefCell::new(HashMap::new());
    let columns = if source.element_type().is_some() { Vec::new() } else { plan.columns };
    let table = Table {
        matrix,
        source,
        notes,
        side,
        feature_names,
        feature_columns,
        categories,
        encodings,
        // An array has nothing but numbers.
        columns,
        kept: None,
        filled: 0,
        shown,
    };
    checks::finished(table, options.missing)
}

/// A single array of which every column is used is taken as it stands: into memory, or where it lies.
fn whole_array(
    source: &mut Source,
    roles: &[Purpose],
    context: &ReadContext<'_>,
    progress: Progress<'_>,
) -> Result<Option<Table>, TableError> {
    let [file] = source.files.as_slice() else { return Ok(None) };
    if roles.iter().any(|role| !matches!(role, Purpose::Feature(_))) {
        return Ok(None);
    }
    let matrix = match context.options.scratch.as_deref() {
        Some(folder) if !file.is_sparse() => file.on_disk(folder)?,
        _ => file.dense(progress)?,
    };
    let Some(matrix) = matrix.map(|matrix| matrix.within(context.limit.bytes)) else { return Ok(None) };
    // What follows is done with all of the table at once.
    progress(0, 0);
    let (rows, columns) = matrix.shape();
    let kind = source.element_type().unwrap_or(OutputType::Float);
    let (files, paths) = (std::mem::take(&mut source.files), std::mem::take(&mut source.paths));
    let headings = source.headings.clone();
    let source = Source { files, paths, starts: vec![0, rows], headings, types: vec![kind; columns] };
    Ok(Some(Table {
        matrix,
        feature_names: source.headings.clone(),
        source,
        notes: Vec::new(),
        side: SideColumns::default(),
        feature_columns: (0..columns).collect(),
        categories: vec![None; columns],
        encodings: vec![Encoding::Number; columns],
        columns: Vec::new(),
        kept: None,
        filled: 0,
        shown: RefCell::new(HashMap::new()),
    }))
}

/// The lists of places and values that all files have, if they may be chosen by.
fn sparse_lists(source: &Source, roles: &[Purpose]) -> Option<SparseLists> {
    let free = |column: usize| matches!(roles[column], Purpose::Feature(Asked::No | Asked::Use));
    let schemas: Option<Vec<_>> = source.files.iter().map(|file| file.schema()).collect();
    let found: Option<Vec<_>> = schemas?.into_iter().map(|schema| SparseLists::find(schema, free)).collect();
    let found = found?;
    let first = *found.first()?;
    found.iter().all(|other| other.columns() == first.columns()).then_some(first)
}

/// A table whose rows are lists of places and values.
fn sparse_table(
    mut source: Source,
    roles: &[Purpose],
    lists: SparseLists,
    context: &ReadContext<'_>,
    progress: Progress<'_>,
) -> Result<Table, TableError> {
    let SparseTable { matrix, starts } = lists.read(&source, context.limit, progress)?;
    // Of the others only weights, groups and labels are read.
    let is_feature = |role: &Purpose| matches!(role, Purpose::Feature(_));
    let others: Vec<Purpose> =
        roles.iter().map(|role| if is_feature(role) { Purpose::Unused } else { *role }).collect();
    let (columns, read_as) = read_columns(&mut source, &others, context, progress)?;
    source.starts = starts;
    let mut plan = feature_plan::plan(&source.headings, &others, &read_as, &columns, context.options);
    let (name, width) = (source.headings[lists.named()].clone(), matrix.shape().1);
    for (column, info) in plan.columns.iter_mut().enumerate() {
        info.used = lists.columns().contains(&column);
        if info.used {
            (info.role, info.why) = (ColumnRole::Vector, format!("{width} numbers, most of them zero"));
        } else if is_feature(&roles[column]) {
            info.why = format!("the vectors of {name} are used");
        }
    }
    source.types = output_types::of(&source, &columns, &read_as);
    let side = side_columns(&columns, &source.headings, context.options)?;
    let notes = checks::notes(&source, roles, &columns, &plan);
    Ok(Table {
        matrix,
        source,
        notes,
        side,
        feature_names: (0..width).map(|at| format!("{name}[{at}]")).collect(),
        feature_columns: vec![lists.named(); width],
        categories: vec![None; width],
        encodings: (0..width).map(Encoding::Element).collect(),
        columns: plan.columns,
        kept: None,
        filled: 0,
        shown: RefCell::new(HashMap::new()),
    })
}

/// Reads what the options and a sample of the rows ask for; again, if a column turns out to hold text to be encoded.
pub fn read_columns(
    source: &mut Source,
    roles: &[Purpose],
    context: &ReadContext<'_>,
    progress: Progress<'_>,
) -> Result<(ChunkedTable, Vec<ReadAs>), TableError> {
    let options = context.options;
    let mut sample = ChunkedTable::new(roles.len());
    for file in &source.files {
        sample.merge_counts(&file.sample()?);
    }
    let mut read_as = schema::read_as(&source.headings, roles, &sample.seen, options);
    let mut rounds = 0;
    loop {
        rounds += 1;
        let mut table = ChunkedTable::new(roles.len());
        table.single.fill(true);
        let folder = options.scratch.as_deref();
        table.disk = folder.map(|folder| DiskWriter::new(folder, roles, &read_as)).transpose()?;
        table.number_rows = table.disk.is_none().then(|| NumberRows::new(roles, &read_as));
        source.starts = vec![0];
        let sizes = file_sizes(&source.paths);
        let all = sizes.iter().sum();
        let mut before = 0;
        for (file, size) in source.files.iter_mut().zip(sizes) {
            let mut tell = |done: u64, total: u64| {
                let share = done as f64 / total.max(1) as f64;
                progress(before + (size as f64 * share) as u64, all);
            };
            file.read(&read_as, &mut table, &mut tell)?;
            source.starts.push(table.rows);
            before += size;
        }
        for (column, _) in read_as.iter().enumerate().filter(|(_, read_as)| **read_as == ReadAs::Nothing) {
            table.seen[column] = sample.seen[column].clone();
        }
        if let Some((column, misfit)) = table.misfit {
            return Err(misfit_error(source, &table, column, misfit));
        }
        let late = schema::late(&source.headings, roles, &read_as, &table, options);
        // What a column is told by all of its rows, so once more is enough.
        if late.is_empty() || rounds > 2 {
            // What follows is done with all of the table at once.
            progress(0, 0);
            return Ok((table, read_as));
        }
        late.into_iter().for_each(|(column, how)| read_as[column] = how);
    }
}

/// The bytes of each file, for how much of a reading is done; a pipe counts as one of little.
fn file_sizes(paths: &[PathBuf]) -> Vec<u64> {
    paths.iter().map(|path| std::fs::metadata(path).map_or(1, |found| found.len().max(1))).collect()
}

/// What is wrong with a row whose vector does not fit.
fn misfit_error(source: &Source, table: &ChunkedTable, column: usize, misfit: Misfit) -> TableError {
    let (place, name) = (source.place(misfit.row), &source.headings[column]);
    let what = match (misfit.length, table.widths[column]) {
        (Some(length), Some(width)) => format!("holds a vector of {length} numbers, but the first has {width}"),
        _ => "holds no vector of numbers".to_owned(),
    };
    let what = format!("{place}, column {name} {what}; correct it, or leave out the row");
    TableError::in_file(source.path_of(misfit.row), what)
}

/// The columns that are read, but not chosen by.
pub fn side_columns(
    table: &ChunkedTable,
    headings: &[String],
    options: &ReadOptions,
) -> Result<SideColumns, TableError> {
    let categories = |name: &Option<String>| -> Result<Option<Categories>, TableError> {
        let Some(name) = name else { return Ok(None) };
        let column = schema::position(headings, name)?;
        let names = table.dictionaries[column].names.clone();
        Ok(Some(Categories { codes: table.codes(column).collect(), names }))
    };
    let weights = match &options.weights {
        None => None,
        Some(name) => {
            let column = schema::position(headings, name)?;
            if table.seen[column].kind() != ColumnKind::Number {
                let what = format!("column {name} holds no numbers, so it cannot be used as weights");
                return Err(TableError::Input(what));
            }
            Some(table.numbers_of(column).collect())
        }
    };
    let id = options.id.as_deref().map(|name| schema::position(headings, name)).transpose()?;
    Ok(SideColumns { weights, group: categories(&options.group)?, label: categories(&options.label)?, id })
}

/// The file, opened only to learn about it: its values need not fit into memory.
pub fn open_to_probe(input: &InputFile, context: &ReadContext<'_>) -> Option<Box<dyn TableFile>> {
    let limit = MemoryLimit { disk: true, ..context.limit };
    source::open_file(input, &ReadContext { limit, ..*context }, &mut |_, _| ()).ok()
}
