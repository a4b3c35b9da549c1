//! From inputs to a table, whatever they are.

use std::path::{Path, PathBuf};

use arss_table::{ReadOptions, Table, TableError, counted, open_column};

use crate::cache::Cache;
use crate::described::{self, Description};
use crate::embeddings::{self, Embeddings, Network};
use crate::files::{self, Found, Unreadable, first_of};
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
    /// What they are compared by.
    pub embeddings: Embeddings,
    /// A network for pictures, if there is one.
    pub network: Option<Network>,
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
/// for (name, light) in [("a.png", 90), ("b.png", 200), ("c.png", 200)] {
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
    let mut opened = open_any(inputs, options, read, progress)?;
    if let Opened::Media(_, media) = &mut opened {
        media.compared_by = embeddings::in_words(media.kind, options);
    }
    Ok(opened)
}

fn open_any(
    inputs: &[PathBuf],
    options: &MediaOptions,
    read: &ReadOptions,
    progress: Progress<'_>,
) -> Result<Opened, TableError> {
    if let Some(column) = &options.images {
        return images_of_column(inputs, options, (read, column), progress);
    }
    if let Some(column) = &options.text {
        return texts::of_column(inputs, options, (read, column));
    }
    if options.kind == Some(Kind::Table) {
        return Ok(Opened::Table(None));
    }
    let found = files::sort_out(inputs)?;
    let (kind, note) = match options.kind {
        Some(kind) => (kind, None),
        None if found.is_empty_folder() => {
            let what = "is a folder that holds no table, picture, text or video file of a known format";
            return Err(TableError::in_file(first_of(inputs), what));
        }
        None => found.kind(inputs)?,
    };
    let opened = match kind {
        Kind::Table => return Ok(Opened::Table(note)),
        Kind::Images => images(first_of(inputs), found, options, progress),
        Kind::Frames => video::open(first_of(inputs), found, options, progress),
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
    // Told that they are pictures, the names of files need not say so.
    let mut paths = found.pictures;
    if options.kind.is_some() && paths.is_empty() {
        paths = found.others;
    }
    if paths.is_empty() {
        return Err(TableError::in_file(input, format_args!("holds no pictures ({})", endings())));
    }
    let names = paths.iter().map(|path| name_in(input, path)).collect();
    let media = Media { kind: Kind::Images, paths, names, unreadable: found.unreadable, ..Media::default() };
    let (media, pictures) = read_pictures(input, media, options, progress)?;
    let mut sizes = vec![(0, 0); media.names.len()];
    media.readable.iter().zip(&pictures.sizes).for_each(|(&file, &size)| sizes[file] = size);
    let row =
        |(name, (width, height)): (&String, (u32, u32))| vec![name.clone(), width.to_string(), height.to_string()];
    let rows = media.names.iter().zip(sizes).map(row).collect();
    let description = Description { headings: vec!["file", "width", "height"], number: "width", rows };
    let (numbers, note) = embeddings::of_pictures(pictures.numbers, &media, options, progress)?;
    let mut table = description.table(input, numbers.spread(&media.readable, media.names.len()))?;
    table.notes.extend(note);
    finished(table, media)
}

/// Pictures whose paths stand in a column of a table.
fn images_of_column(
    inputs: &[PathBuf],
    options: &MediaOptions,
    (read, column): (&ReadOptions, &str),
    progress: Progress<'_>,
) -> Result<Opened, TableError> {
    let (mut table, cells) = open_column(inputs, read, column, &mut |_, _| ())?;
    let folder = first_of(inputs).parent().unwrap_or(Path::new(""));
    let paths = cells.iter().map(|cell| folder.join(cell)).collect();
    let media = Media { kind: Kind::Images, paths, names: cells, ..Media::default() };
    let (media, pictures) = read_pictures(first_of(inputs), media, options, progress)?;
    let (numbers, note) = embeddings::of_pictures(pictures.numbers, &media, options, progress)?;
    described::give(&mut table, numbers.spread(&media.readable, media.names.len()));
    table.notes.extend(note);
    finished(table, media)
}

/// Reads the files, and finds copies and blank pictures among them.
pub fn read_pictures(
    input: &Path,
    mut media: Media,
    options: &MediaOptions,
    progress: Progress<'_>,
) -> Result<(Media, Pictures), TableError> {
    let cache = options.cache.then(Cache::of_user).filter(|_| media.frames.is_none());
    // Frames that follow each other are nearly the same, but no copies.
    let how = Reading { cache: cache.as_ref(), near: media.kind == Kind::Images };
    let pictures = pictures::read(&media.paths, how, &mut media.unreadable, progress);
    check_any(input, pictures.places.is_empty(), &media.unreadable)?;
    let blank = blank_ones(&pictures.blank, options);
    let is_blank = |at: &usize| blank.binary_search(at).is_ok();
    let copies = pictures.copies.iter().enumerate().filter_map(|(at, copy)| copy.map(|copy| (at, copy)));
    // A blank one is neither a copy nor an original that could be chosen.
    let copies = copies.filter(|(at, copy)| !is_blank(at) && !is_blank(&copy.original));
    let place = |at: usize| pictures.places[at];
    media.duplicates =
        copies.map(|(at, copy)| Duplicate { file: place(at), of: place(copy.original), exact: copy.exact }).collect();
    media.blank = blank.into_iter().map(place).collect();
    media.readable = pictures.places.clone();
    Ok((media, pictures))
}

/// The table without the files that cannot be chosen.
pub fn finished(mut table: Table, media: Media) -> Result<Opened, TableError> {
    table.drop_rows(&media.unusable())?;
    Ok(Opened::Media(Box::new(table), Box::new(media)))
}

/// The places of the pictures that show nothing, unless they are to be kept or most are like that.
fn blank_ones(blank: &[bool], options: &MediaOptions) -> Vec<usize> {
    let found: Vec<usize> = (0..blank.len()).filter(|&at| blank[at]).collect();
    let few = (found.len() as f64) < MOST_BLANK * blank.len() as f64;
    if options.keep_blank || !few { Vec::new() } else { found }
}

/// Fails if not a single file could be read.
pub fn check_any(input: &Path, none: bool, unreadable: &[Unreadable]) -> Result<(), TableError> {
    match unreadable.first() {
        Some(first) if none => {
            let example = format!("{}: {}", first.path.display(), first.why);
            let what = format!("none of {} could be read ({example})", counted(unreadable.len(), "file"));
            Err(TableError::in_file(input, what))
        }
        _ => Ok(()),
    }
}

/// The path of a file within the folder that was named.
pub fn name_in(input: &Path, path: &Path) -> String {
    path.strip_prefix(input)
        .ok()
        .filter(|name| !name.as_os_str().is_empty())
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}

fn endings() -> String {
    pictures::EXTENSIONS.map(|ending| format!(".{ending}")).join(", ")
}
