//! Texts: words, weights, and few numbers for each text.

mod duplicates;
mod svd;
mod tfidf;
mod words;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use arss_table::{DenseMatrix, ReadOptions, Table, TableError, open_column};
use rayon::prelude::*;
use tfidf::Weights;

use crate::described::{self, Description, Numbers};
use crate::embeddings::{self, Embeddings};
use crate::files::{Found, Unreadable, first_of};
use crate::kind::Kind;
use crate::media::Media;
use crate::open::{self, MediaOptions, Opened, check_any, name_in};
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

/// A text in each file.
pub fn of_files(
    inputs: &[PathBuf],
    found: Found,
    options: &MediaOptions,
    progress: Progress<'_>,
) -> Result<Opened, TableError> {
    let input = first_of(inputs);
    // Told that they are texts, tables are texts as well, and files that nothing is known of.
    let mut paths = found.texts;
    if options.kind == Some(Kind::Texts) {
        paths.extend(found.tables);
        paths.extend(found.others);
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
    let names = paths.iter().map(|path| name_in(input, path)).collect();
    let mut media = Media { kind: Kind::Texts, names, unreadable: found.unreadable, ..Media::default() };
    let mut texts = Vec::with_capacity(results.len());
    for (file, (path, result)) in paths.iter().zip(results).enumerate() {
        // A file that cannot be read is a text without words, which is left out.
        texts.push(match result {
            Ok(text) => {
                media.readable.push(file);
                text
            }
            Err(why) => {
                media.unreadable.push(Unreadable { path: path.clone(), why });
                String::new()
            }
        });
    }
    check_any(input, media.readable.is_empty(), &media.unreadable)?;
    let media = Media { paths, beginnings: texts.iter().map(|text| beginning(text)).collect(), ..media };
    table_of(input, &texts, media, ("file", "beginning", options))
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
        return Err(TableError::in_file(first_of(inputs), "holds no line of text"));
    }
    table_of(first_of(inputs), &texts, of_kind_lines(names, texts.clone()), ("line", "text", options))
}

fn of_kind_lines(names: Vec<String>, beginnings: Vec<String>) -> Media {
    let readable = (0..names.len()).collect();
    Media { kind: Kind::Lines, names, readable, beginnings, ..Media::default() }
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
    let media = of_kind_lines(names, texts.iter().map(|text| beginning(text)).collect());
    table_of(Path::new("texts"), texts, media, ("text", "beginning", options))
}

/// A text in each row of a table.
pub fn of_column(
    inputs: &[PathBuf],
    options: &MediaOptions,
    (read, column): (&ReadOptions, &str),
) -> Result<Opened, TableError> {
    let (mut table, texts) = open_column(inputs, read, column, &mut |_, _| ())?;
    let names = (0..texts.len()).map(|row| row.to_string()).collect();
    let media = of_kind_lines(names, texts.iter().map(|text| beginning(text)).collect());
    let weights = Weights::of(&texts);
    let (numbers, media) = compute(first_of(inputs), &weights, media, options)?;
    described::give(&mut table, numbers);
    finished(table, &texts, media)
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
    if let Some(text) = utf_16(&bytes) {
        return Ok(text);
    }
    if bytes.contains(&0) {
        return Err("is no text: it holds zero bytes".to_owned());
    }
    // What is no UTF-8 is taken for Latin-1, where each byte is a letter.
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect()))
}

/// The text of a file that begins with the mark of UTF-16, as some programs of Windows write it.
fn utf_16(bytes: &[u8]) -> Option<String> {
    let word: fn([u8; 2]) -> u16 = match bytes {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let words: Vec<u16> = bytes.as_chunks().0.iter().skip(1).map(|pair| word(*pair)).collect();
    Some(String::from_utf16_lossy(&words))
}

fn beginning(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split_whitespace() {
        if shown.chars().count() + word.chars().count() > BEGINNING {
            return shown + " ...";
        }
        shown = if shown.is_empty() { word.to_owned() } else { format!("{shown} {word}") };
    }
    shown
}

/// The numbers of texts, by their words or as the user has them; terms and texts without words are noted.
fn compute(
    input: &Path,
    weights: &Weights,
    mut media: Media,
    options: &MediaOptions,
) -> Result<(Numbers, Media), TableError> {
    media.terms = (0..weights.rows()).map(|row| weights.distinctive(row, TERMS).join(" ")).collect();
    let numbers = match &options.embeddings {
        // They know of texts without words, too.
        Embeddings::File(file) => embeddings::of_file(file, &media)?.spread(&media.readable, media.names.len()),
        Embeddings::Network => {
            return Err(TableError::Input("there is no network for texts, only for pictures".to_owned()));
        }
        Embeddings::Auto | Embeddings::BuiltIn if weights.terms.is_empty() => {
            return Err(TableError::in_file(input, "holds no words that tell the texts apart"));
        }
        Embeddings::Auto | Embeddings::BuiltIn => {
            let wordless = |file: &usize| weights.row(*file).next().is_none();
            media.blank = media.readable.iter().copied().filter(wordless).collect();
            projected(weights, options.seed)
        }
    };
    Ok((numbers, media))
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

/// The table of texts with their distinctive terms; `name` and `shown` are the headings of their names and beginnings.
fn table_of(
    input: &Path,
    texts: &[String],
    media: Media,
    (name, shown, options): (&'static str, &'static str, &MediaOptions),
) -> Result<Opened, TableError> {
    let weights = Weights::of(texts);
    let (numbers, media) = compute(input, &weights, media, options)?;
    let row = |file: usize| {
        let (terms, beginning) = (media.terms[file].clone(), media.beginnings[file].clone());
        vec![media.names[file].clone(), weights.lengths[file].to_string(), terms, beginning]
    };
    let rows = (0..texts.len()).map(row).collect();
    let description = Description { headings: vec![name, "words", "terms", shown], number: "words", rows };
    finished(description.table(input, numbers)?, texts, media)
}

fn finished(table: Table, texts: &[String], mut media: Media) -> Result<Opened, TableError> {
    if media.blank.len() == media.readable.len() {
        return Err(TableError::Input("no text has a word that another one has".to_owned()));
    }
    let is_blank = |file: usize| media.blank.binary_search(&file).is_ok();
    let copies = duplicates::duplicates(texts).into_iter();
    media.duplicates = copies.filter(|copy| !is_blank(copy.file) && !is_blank(copy.of)).collect();
    open::finished(table, media)
}
