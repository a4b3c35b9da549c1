//! From inputs to a table, whatever they are.

use std::path::{Path, PathBuf};

use arss_table::{MatrixValues, ReadOptions, Table, TableError, counted, open_column};

use crate::cache::Cache;
use crate::described::{self, Description};
use crate::files::{self, Found, Unreadable};
use crate::kind::Kind;
use crate::media::{Duplicate, Media};
use crate::pictures::{self, Pictures, Reading};
use crate::progress::Progress;
use crate::{texts, video};

/// If more pictures than this share show nothing, that is what they are like.
const MOST_BLANK: f64 = 0.5;

/// What the inputs are, and how they are read.
#[derive(Debug, Clone, Default)]
pub struct MediaOptions {
    /// What they are; found out if it is not told.
    pub kind: Option<Kind>,
    /// The column of a table that holds the paths of pictures.
    pub images: Option<String>,
    /// The column of a table that holds texts.
    pub text: Option<String>,
    /// A table of numbers to compare by, one row for each of them.
    pub embeddings: Option<PathBuf>,
    /// Keep what is computed for the next run.
    pub cache: bool,
    /// Leave pictures in that show nothing.
    pub keep_blank: bool,
    /// Seed of random numbers.
    pub seed: u64,
}

/// What was opened.
#[derive(Debug)]
pub enum Opened {
    /// The inputs are a table, which is not read here; and what is to be said about that.
    Table(Option<String>),
    /// A table of files.
    Media(Box<Table>, Box<Media>),
}

/// Reads pictures, frames or texts as a table of files; tables are left to the caller.
///
/// ```
/// use arss_media::{Kind, MediaOptions, Opened, Raster, open, png};
/// use arss_table::ReadOptions;
///
/// let folder = tempfile::tempdir()?;
/// for (name, light) in [("a.png", 10), ("b.png", 200), ("c.png", 200)] {
///     let stripes = (0..64).flat_map(|x| [light * (x / 8 % 2); 3]).collect();
///     png(&mut std::fs::File::create(folder.path().join(name))?, &Raster { width: 64, height: 1, rgb: stripes })?;
/// }
/// let opened = open(&[folder.path().to_owned()], &MediaOptions::default(), &ReadOptions::default(), &|_, _| ())?;
/// let Opened::Media(table, media) = opened else { unreachable!("there are pictures only") };
/// assert_eq!((media.kind, table.id(1).as_deref()), (Kind::Images, Some("b.png")));
/// assert_eq!((media.duplicates[0].file, media.duplicates[0].of), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If nothing can be read, or nobody can know what is meant.
pub fn open(
    inputs: &[PathBuf],
    options: &MediaOptions,
    read: &ReadOptions,
    progress: Progress<'_>,
) -> Result<Opened, TableError> {
    if let Some(column) = &options.images {
        return images_of_column(inputs, options, (read, column), progress);
    }
    if let Some(column) = &options.text {
        return texts::of_column(inputs, options, (read, column), progress);
    }
    if options.kind == Some(Kind::Table) {
        return Ok(Opened::Table(None));
    }
    let found = files::sort_out(inputs)?;
    let (kind, note) = match options.kind {
        Some(kind) => (kind, None),
        None => found.kind(inputs)?,
    };
    let opened = match kind {
        Kind::Table => return Ok(Opened::Table(note)),
        Kind::Images => images(&inputs[0], found, options, progress),
        Kind::Frames => video::open(&inputs[0], found, options, progress),
        Kind::Texts => texts::of_files(inputs, found, options, progress),
        Kind::Lines => texts::of_lines(inputs, options, progress),
    };
    opened.map(|opened| with_note(opened, note))
}

fn with_note(opened: Opened, note: Option<String>) -> Opened {
    match opened {
        Opened::Media(mut table, media) => {
            table.notes.extend(note);
            Opened::Media(table, media)
        }
        table => table,
    }
}

/// A folder of pictures.
fn images(input: &Path, found: Found, options: &MediaOptions, progress: Progress<'_>) -> Result<Opened, TableError> {
    let mut unreadable = found.unreadable;
    if found.pictures.is_empty() {
        return Err(TableError::in_file(input, format_args!("holds no pictures ({})", endings())));
    }
    let cache = options.cache.then(Cache::of_user);
    let how = Reading { cache: cache.as_ref(), near: true };
    let pictures = pictures::read(&found.pictures, how, &mut unreadable, progress);
    check_any(input, &pictures, &unreadable)?;
    let names: Vec<String> = pictures.paths.iter().map(|path| name_in(input, path)).collect();
    let rows = names
        .iter()
        .zip(&pictures.sizes)
        .map(|(name, (width, height))| vec![name.clone(), width.to_string(), height.to_string()]);
    let description = Description { headings: vec!["file", "width", "height"], number: "width", rows: rows.collect() };
    finished(input, pictures, (names, unreadable), (&description, options))
}

/// The table of the pictures, without those that show nothing.
fn finished(
    input: &Path,
    mut pictures: Pictures,
    (names, unreadable): (Vec<String>, Vec<Unreadable>),
    (description, options): (&Description, &MediaOptions),
) -> Result<Opened, TableError> {
    let blank = blank_ones(&pictures.blank, options);
    let numbers = std::mem::replace(&mut pictures.numbers, described::Numbers::none());
    let numbers = options.embeddings.as_deref().map_or(Ok(numbers), |file| described::of_file(file, &names))?;
    let mut table = description.table(input, numbers)?;
    drop_rows(&mut table, &blank)?;
    let media = Media {
        kind: Kind::Images,
        duplicates: duplicates(&pictures, &blank),
        paths: pictures.paths,
        names,
        unreadable,
        blank,
        ..Media::default()
    };
    Ok(Opened::Media(Box::new(table), Box::new(media)))
}

/// The copies among pictures. A blank one is neither a copy nor an original that could be chosen.
pub fn duplicates(pictures: &Pictures, blank: &[usize]) -> Vec<Duplicate> {
    let is_blank = |file: &usize| blank.binary_search(file).is_ok();
    let copies = pictures.copies.iter().enumerate();
    let copies = copies.filter_map(|(file, copy)| copy.map(|copy| (file, copy)));
    copies
        .filter(|(file, copy)| !is_blank(file) && !is_blank(&copy.original))
        .map(|(file, copy)| Duplicate { file, of: copy.original, exact: copy.exact })
        .collect()
}

/// The numbers of the pictures that show nothing, unless they are to be kept or most are like that.
pub fn blank_ones(blank: &[bool], options: &MediaOptions) -> Vec<usize> {
    let found: Vec<usize> = (0..blank.len()).filter(|&file| blank[file]).collect();
    let few = (found.len() as f64) < MOST_BLANK * blank.len() as f64;
    if options.keep_blank || !few { Vec::new() } else { found }
}

/// Leaves these rows out of the choice.
pub fn drop_rows(table: &mut Table, dropped: &[usize]) -> Result<(), TableError> {
    if dropped.is_empty() {
        return Ok(());
    }
    let rows = table.matrix.shape().0;
    let keep: Vec<bool> = (0..rows).map(|row| dropped.binary_search(&row).is_err()).collect();
    let numbers: Vec<usize> = (0..rows).filter(|&row| keep[row]).map(|row| table.number(row)).collect();
    let matrix = std::mem::replace(&mut table.matrix, arss_table::Matrix::EMPTY);
    table.matrix = match matrix {
        arss_table::Matrix::F32(values) => arss_table::Matrix::F32(values.keep_rows(&keep)?),
        arss_table::Matrix::F64(values) => arss_table::Matrix::F64(values.keep_rows(&keep)?),
        on_disk => on_disk,
    };
    table.kept = Some(numbers);
    Ok(())
}

/// Fails if not a single picture could be read.
pub fn check_any(input: &Path, pictures: &Pictures, unreadable: &[Unreadable]) -> Result<(), TableError> {
    match unreadable.first() {
        Some(first) if pictures.paths.is_empty() => {
            let example = format!("{}: {}", first.path.display(), first.why);
            let what = format!("none of {} could be read ({example})", counted(unreadable.len(), "file"));
            Err(TableError::in_file(input, what))
        }
        _ => Ok(()),
    }
}

/// The path of a file within the folder that was named.
pub fn name_in(input: &Path, path: &Path) -> String {
    path.strip_prefix(input).unwrap_or(path).to_string_lossy().into_owned()
}

fn endings() -> String {
    pictures::EXTENSIONS.map(|ending| format!(".{ending}")).join(", ")
}

/// Pictures whose paths stand in a column of a table.
fn images_of_column(
    inputs: &[PathBuf],
    options: &MediaOptions,
    (read, column): (&ReadOptions, &str),
    progress: Progress<'_>,
) -> Result<Opened, TableError> {
    let (mut table, cells) = open_column(inputs, read, column, &mut |_, _| ())?;
    let folder = inputs[0].parent().unwrap_or(Path::new("")).to_owned();
    let paths: Vec<PathBuf> = cells.iter().map(|cell| folder.join(cell)).collect();
    let mut unreadable = Vec::new();
    let cache = options.cache.then(Cache::of_user);
    let how = Reading { cache: cache.as_ref(), near: true };
    let mut pictures = pictures::read(&paths, how, &mut unreadable, progress);
    check_any(&inputs[0], &pictures, &unreadable)?;
    let blank = blank_ones(&pictures.blank, options);
    let numbers = std::mem::replace(&mut pictures.numbers, described::Numbers::none());
    described::give(&mut table, numbers);
    // Rows of the table count, not pictures that could be read.
    table.kept = Some(pictures.places.clone());
    drop_rows(&mut table, &blank)?;
    let place = |file: usize| pictures.places[file];
    let copies = duplicates(&pictures, &blank).into_iter();
    let duplicates = copies.map(|copy| Duplicate { file: place(copy.file), of: place(copy.of), ..copy }).collect();
    let blank = blank.into_iter().map(place).collect();
    let media = Media { kind: Kind::Images, paths, names: cells, unreadable, duplicates, blank, ..Media::default() };
    Ok(Opened::Media(Box::new(table), Box::new(media)))
}
