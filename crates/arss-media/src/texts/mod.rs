//! Texts: words, weights, and few numbers for each text.

mod duplicates;
mod svd;
mod tfidf;
mod words;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use arss_table::{DenseMatrix, ReadOptions, Table, TableError, counted, open_column};
use rayon::prelude::*;
use tfidf::Weights;

use crate::described::{self, Description, Numbers};
use crate::files::{Found, Unreadable};
use crate::kind::Kind;
use crate::media::Media;
use crate::open::{MediaOptions, Opened, drop_rows, name_in};
use crate::progress::Progress;

/// The endings of files that are taken for texts.
pub const EXTENSIONS: [&str; 6] = ["txt", "text", "md", "markdown", "rst", "tex"];
/// How many numbers a text gets at most; no more than half as many as there are texts, or each would be alone.
const DIMENSIONS: usize = 200;
/// Terms that are named for a text.
const TERMS: usize = 6;
/// Letters of the beginning of a text.
const BEGINNING: usize = 80;
/// A larger file is no text that anybody reads.
const MOST_BYTES: u64 = 256 << 20;

/// What was computed of texts.
struct Read {
    numbers: Numbers,
    /// The distinctive terms of each.
    terms: Vec<String>,
    /// How many words each has.
    lengths: Vec<usize>,
    /// Those without a word that another one has.
    blank: Vec<usize>,
}

/// A text in each file.
pub fn of_files(
    inputs: &[PathBuf],
    found: Found,
    options: &MediaOptions,
    progress: Progress<'_>,
) -> Result<Opened, TableError> {
    let input = &inputs[0];
    // Told that they are texts, tables of text are texts as well.
    let mut paths = found.texts;
    if options.kind == Some(Kind::Texts) {
        paths.extend(found.tables);
    }
    if paths.is_empty() {
        let endings = EXTENSIONS.map(|ending| format!(".{ending}")).join(", ");
        return Err(TableError::in_file(input, format_args!("holds no texts ({endings})")));
    }
    let done = AtomicUsize::new(0);
    let all = paths.len();
    let read_one = |path: &PathBuf| {
        let result = read(path);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
        result
    };
    let results: Vec<Result<String, String>> = paths.par_iter().map(read_one).collect();
    let mut unreadable = found.unreadable;
    let (mut kept, mut texts) = (Vec::new(), Vec::new());
    for (path, result) in paths.into_iter().zip(results) {
        match result {
            Ok(text) => {
                kept.push(path);
                texts.push(text);
            }
            Err(why) => unreadable.push(Unreadable { path, why }),
        }
    }
    if let (true, Some(first)) = (texts.is_empty(), unreadable.first()) {
        let example = format!("{}: {}", first.path.display(), first.why);
        let what = format!("none of {} could be read ({example})", counted(unreadable.len(), "file"));
        return Err(TableError::in_file(input, what));
    }
    let names: Vec<String> = kept.iter().map(|path| name_in(input, path)).collect();
    let media = Media { kind: Kind::Texts, paths: kept, names, unreadable, ..Media::default() };
    let beginning: Vec<String> = texts.iter().map(|text| beginning(text)).collect();
    described_texts(input, &texts, media, (("file", "beginning", beginning), options))
}

/// A text in each line that is not empty.
pub fn of_lines(inputs: &[PathBuf], options: &MediaOptions, progress: Progress<'_>) -> Result<Opened, TableError> {
    let (mut names, mut texts) = (Vec::new(), Vec::new());
    for (at, input) in inputs.iter().enumerate() {
        let text = read(input).map_err(|why| TableError::in_file(input, why))?;
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let name = (number + 1).to_string();
            names.push(if inputs.len() == 1 { name } else { format!("{}:{name}", input.display()) });
            texts.push(line.to_owned());
        }
        progress(at + 1, inputs.len());
    }
    if texts.is_empty() {
        return Err(TableError::in_file(&inputs[0], "holds no line of text"));
    }
    let media = Media { kind: Kind::Lines, names, ..Media::default() };
    let lines = texts.clone();
    described_texts(&inputs[0], &texts, media, (("line", "text", lines), options))
}

/// Texts that are in memory already.
///
/// ```
/// use arss_media::{MediaOptions, Opened, open_texts};
///
/// let texts = ["red apples", "green apples", "blue sea", "the sea is blue"].map(str::to_owned);
/// let Opened::Media(table, _) = open_texts(&texts, &MediaOptions::default())? else { unreachable!("texts are texts") };
/// assert_eq!(table.matrix.shape().0, 4);
/// # Ok::<(), arss_table::TableError>(())
/// ```
///
/// # Errors
/// If no word tells them apart.
pub fn open_texts(texts: &[String], options: &MediaOptions) -> Result<Opened, TableError> {
    let names = (0..texts.len()).map(|at| at.to_string()).collect();
    let media = Media { kind: Kind::Lines, names, ..Media::default() };
    let beginnings = texts.iter().map(|text| beginning(text)).collect();
    described_texts(Path::new("texts"), texts, media, (("text", "beginning", beginnings), options))
}

/// A text in each row of a table.
pub fn of_column(
    inputs: &[PathBuf],
    options: &MediaOptions,
    (read, column): (&ReadOptions, &str),
    _progress: Progress<'_>,
) -> Result<Opened, TableError> {
    let (mut table, texts) = open_column(inputs, read, column, &mut |_, _| ())?;
    let names: Vec<String> = (0..texts.len()).map(|row| row.to_string()).collect();
    let computed = compute(&inputs[0], &texts, &names, options)?;
    described::give(&mut table, computed.numbers);
    let media = Media { kind: Kind::Lines, names, terms: computed.terms, ..Media::default() };
    finished(table, &texts, media, computed.blank)
}

/// What the file holds, if it is text.
fn read(path: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("cannot be read: {error}");
    let data = fs::metadata(path).map_err(failed)?;
    if !data.is_file() {
        return Err("is no file".to_owned());
    }
    if data.len() > MOST_BYTES {
        return Err(format!("is larger than {} MB", MOST_BYTES >> 20));
    }
    let bytes = fs::read(path).map_err(failed)?;
    if bytes.contains(&0) {
        return Err("is no text: it holds zero bytes".to_owned());
    }
    // What is no UTF-8 is taken for Latin-1, where each byte is a letter.
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect()))
}

fn beginning(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split_whitespace() {
        if shown.chars().count() + word.chars().count() > BEGINNING {
            break;
        }
        shown = if shown.is_empty() { word.to_owned() } else { format!("{shown} {word}") };
    }
    shown
}

/// The numbers of texts: by their words, or as the user has them.
fn compute(input: &Path, texts: &[String], names: &[String], options: &MediaOptions) -> Result<Read, TableError> {
    let weights = Weights::of(texts);
    if weights.terms.is_empty() && options.embeddings.is_none() {
        return Err(TableError::in_file(input, "holds no words that tell the texts apart"));
    }
    let mut blank: Vec<usize> = (0..texts.len()).filter(|&row| weights.row(row).next().is_none()).collect();
    let numbers = match &options.embeddings {
        Some(file) => {
            // They know of texts without words, too.
            blank.clear();
            described::of_file(file, names)?
        }
        None => projected(&weights, options.seed),
    };
    let terms = (0..texts.len()).map(|row| weights.distinctive(row, TERMS).join(" ")).collect();
    Ok(Read { numbers, terms, lengths: weights.lengths, blank })
}

fn projected(weights: &Weights, seed: u64) -> Numbers {
    let rows = svd::project(weights, DIMENSIONS.min(weights.rows() / 2).max(2), seed);
    let columns = rows.first().map_or(0, Vec::len);
    let unit = |row: Vec<f32>| {
        let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
        row.into_iter().map(move |value| if length > 0.0 { value / length } else { 0.0 })
    };
    let values =
        DenseMatrix { rows: rows.len(), data: rows.into_iter().flat_map(unit).collect(), columns, by_column: false };
    Numbers { values, names: (0..columns).map(|at| format!("topic_{at}")).collect() }
}

/// The table of texts with their distinctive terms.
fn described_texts(
    input: &Path,
    texts: &[String],
    media: Media,
    ((name, shown, column), options): ((&'static str, &'static str, Vec<String>), &MediaOptions),
) -> Result<Opened, TableError> {
    let computed = compute(input, texts, &media.names, options)?;
    let rows = media.names.iter().zip(&computed.lengths).zip(&computed.terms).zip(column);
    let rows = rows.map(|(((name, words), terms), shown)| vec![name.clone(), words.to_string(), terms.clone(), shown]);
    let description =
        Description { headings: vec![name, "words", "terms", shown], number: "words", rows: rows.collect() };
    let table = description.table(input, computed.numbers)?;
    finished(table, texts, Media { terms: computed.terms, ..media }, computed.blank)
}

fn finished(mut table: Table, texts: &[String], media: Media, blank: Vec<usize>) -> Result<Opened, TableError> {
    if blank.len() == texts.len() {
        return Err(TableError::Input("no text has a word that another one has".to_owned()));
    }
    drop_rows(&mut table, &blank)?;
    let is_blank = |file: usize| blank.binary_search(&file).is_ok();
    let duplicates =
        duplicates::duplicates(texts).into_iter().filter(|copy| !is_blank(copy.file) && !is_blank(copy.of));
    let duplicates = duplicates.collect();
    Ok(Opened::Media(Box::new(table), Box::new(Media { duplicates, blank, ..media })))
}
