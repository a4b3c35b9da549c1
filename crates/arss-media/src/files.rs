//! Which files are meant, and what kind of files they are.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use arss_table::{Format, TableError, counted};
use rayon::prelude::*;

use crate::kind::Kind;
use crate::pictures;
use crate::texts;
use crate::video;

/// A file that could not be used, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// Why, in words.
    pub why: String,
}

/// The files that were found, as they were named; those of a folder or pattern in natural order (`frame2` before `frame10`).
#[derive(Debug, Default)]
pub struct Found {
    /// Pictures.
    pub pictures: Vec<PathBuf>,
    /// Tables.
    pub tables: Vec<PathBuf>,
    /// Texts.
    pub texts: Vec<PathBuf>,
    /// Video files.
    pub videos: Vec<PathBuf>,
    /// Files of other kinds.
    pub others: Vec<PathBuf>,
    /// Folders that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// True if a folder was among the inputs.
    pub folder: bool,
}

/// Sorts out the files that paths, folders and patterns name.
///
/// # Errors
/// If a pattern is none, or matches nothing.
pub fn sort_out(inputs: &[PathBuf]) -> Result<Found, TableError> {
    let mut found = Found::default();
    let mut known = HashSet::new();
    for input in inputs {
        let mut own = Found::default();
        if input.is_dir() {
            found.folder = true;
            own.walk(input, &mut known);
        } else if input.exists() || !input.to_string_lossy().contains(['*', '?', '[']) {
            own.add(input.clone());
        } else {
            for path in matches_of(input)? {
                if path.is_dir() { own.walk(&path, &mut known) } else { own.add(path) }
            }
        }
        found.append(own);
    }
    // A file that was named twice is taken once. One folder names no file twice.
    if inputs.len() > 1 || !found.folder {
        let mut seen = HashSet::new();
        found.lists().into_iter().for_each(|files| files.retain(|file| seen.insert(file.clone())));
    }
    Ok(found)
}

/// Sorts files by their names; numbers in them count as numbers.
pub fn sort(files: &mut [PathBuf]) {
    files.par_sort_by(|a, b| natural(a.as_os_str().as_encoded_bytes(), b.as_os_str().as_encoded_bytes()));
}

fn matches_of(pattern: &Path) -> Result<Vec<PathBuf>, TableError> {
    let wrong = |what: String| TableError::in_file(pattern, what);
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let matches = glob::glob_with(&pattern.to_string_lossy(), options);
    let paths: Vec<PathBuf> =
        matches.map_err(|error| wrong(format!("is no pattern: {error}")))?.filter_map(Result::ok).collect();
    if paths.is_empty() { Err(wrong("matches no file".to_owned())) } else { Ok(paths) }
}

impl Found {
    fn lists(&mut self) -> [&mut Vec<PathBuf>; 5] {
        [&mut self.pictures, &mut self.tables, &mut self.texts, &mut self.videos, &mut self.others]
    }

    /// Adds what another input named, in the order of the names.
    fn append(&mut self, mut other: Found) {
        for (files, more) in self.lists().into_iter().zip(other.lists()) {
            sort(more);
            files.append(more);
        }
        self.unreadable.append(&mut other.unreadable);
    }

    /// Adds a file to those of its kind.
    fn add(&mut self, path: PathBuf) {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let is_one_of = |endings: &[&str]| endings.contains(&ending.as_str());
        if is_one_of(&pictures::EXTENSIONS) {
            self.pictures.push(path);
        } else if is_one_of(&texts::EXTENSIONS) {
            self.texts.push(path);
        } else if is_one_of(&video::EXTENSIONS) {
            self.videos.push(path);
        } else if Format::of_name(&path).is_some() {
            self.tables.push(path);
        } else {
            self.others.push(path);
        }
    }

    /// Adds all files in a folder and the folders in it. Links are followed; a folder is looked at once.
    fn walk(&mut self, folder: &Path, known: &mut HashSet<PathBuf>) {
        let mut waiting = vec![folder.to_owned()];
        while let Some(folder) = waiting.pop() {
            let entries = fs::canonicalize(&folder).and_then(|real| {
                let is_new = known.insert(real);
                is_new.then(|| fs::read_dir(&folder)).transpose()
            });
            let entries = match entries {
                Ok(Some(entries)) => entries,
                Ok(None) => continue,
                Err(error) => {
                    self.unreadable.push(Unreadable { path: folder, why: format!("cannot be read: {error}") });
                    continue;
                }
            };
            for entry in entries.flatten().filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b".")) {
                // The folder tells what most entries are; only links have to be looked at.
                let kind = entry.file_type().ok().filter(|kind| !kind.is_symlink());
                let path = entry.path();
                let is_folder = kind.map_or_else(|| path.is_dir(), |kind| kind.is_dir());
                if is_folder { waiting.push(path) } else { self.add(path) }
            }
        }
    }

    /// True if there was a folder among the inputs, but nothing in it that anybody could choose from.
    pub fn is_empty_folder(&self) -> bool {
        let known = [&self.pictures, &self.tables, &self.texts, &self.videos];
        self.folder && known.into_iter().all(Vec::is_empty) && self.unreadable.is_empty()
    }

    /// What the files are, unless it was told; with what is to be said about it.
    ///
    /// # Errors
    /// If there are about as many pictures as tables: nobody can know which are meant.
    pub fn kind(&self, inputs: &[PathBuf]) -> Result<(Kind, Option<String>), TableError> {
        let (pictures, tables) = (self.pictures.len(), self.tables.len());
        let many = |count: usize, other: usize| count >= 4 * other;
        if pictures == 0 {
            // A text file that was named by itself may be a table.
            let texts = self.folder && !self.texts.is_empty();
            return Ok(match (tables, self.videos.is_empty()) {
                (0, false) => (Kind::Frames, None),
                (0, true) if texts => (Kind::Texts, None),
                _ => (Kind::Table, None),
            });
        }
        if tables == 0 {
            // Files that were named one by one are all meant.
            let rest = self.texts.len() + self.videos.len() + self.others.len();
            let all_named = self.folder || rest == 0;
            return Ok((if all_named { Kind::Images } else { Kind::Table }, None));
        }
        let (pictures_text, tables_text) = (counted(pictures, "picture"), counted(tables, "table"));
        let both = format!("{}: holds {pictures_text} and {tables_text}", first_of(inputs).display());
        if many(pictures, tables) {
            return Ok((
                Kind::Images,
                Some(format!("note: {both}: the pictures are taken; --kind table takes the tables")),
            ));
        }
        if many(tables, pictures) {
            return Ok((
                Kind::Table,
                Some(format!("note: {both}: the tables are taken; --kind images takes the pictures")),
            ));
        }
        Err(TableError::Input(format!("{both}; --kind images or --kind table tells which are meant")))
    }
}

/// The order of names in which numbers count as numbers.
pub fn natural(a: &[u8], b: &[u8]) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let (first, other) = match (a.first(), b.first()) {
            (Some(first), Some(other)) => (*first, *other),
            (first, other) => return first.cmp(&other),
        };
        if first.is_ascii_digit() && other.is_ascii_digit() {
            let (number, rest) = digits(a);
            let (other_number, other_rest) = digits(b);
            let order = number.len().cmp(&other_number.len()).then_with(|| number.cmp(other_number));
            if order != Ordering::Equal {
                return order;
            }
            // 7 and 007 differ, but what is behind them comes first.
            let zeros = (b.len() - other_rest.len()).cmp(&(a.len() - rest.len()));
            match natural(rest, other_rest) {
                Ordering::Equal => return zeros,
                order => return order,
            }
        }
        if first != other {
            return first.cmp(&other);
        }
        (a, b) = (a.get(1..).unwrap_or_default(), b.get(1..).unwrap_or_default());
    }
}

/// The first of what the user named; nothing at all is refused by the command line and the Python package.
pub fn first_of(inputs: &[PathBuf]) -> &Path {
    inputs.first().map_or(Path::new(""), PathBuf::as_path)
}

/// The number that a text begins with, without leading zeros, and the rest.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(length);
    let zeros = number.iter().take_while(|byte| **byte == b'0').count();
    (number.get(zeros.min(length.saturating_sub(1))..).unwrap_or(number), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        folder
    }

    fn kind(names: &[&str]) -> Result<(Kind, Option<String>), TableError> {
        let folder = folder(names);
        let inputs = [folder.path().to_owned()];
        sort_out(&inputs)?.kind(&inputs)
    }

    #[test]
    fn a_folder_is_what_is_in_it() {
        assert_eq!(kind(&["a.png", "sub/b.JPG", "README.md"]).unwrap(), (Kind::Images, None));
        assert_eq!(kind(&["a.csv", "notes.txt"]).unwrap().0, Kind::Table);
        assert_eq!(kind(&["a.txt", "b.txt"]).unwrap().0, Kind::Texts);
        assert_eq!(kind(&["a.mp4"]).unwrap().0, Kind::Frames);
        assert_eq!(kind(&["a.doc"]).unwrap().0, Kind::Table);
        let (found, note) = kind(&["labels.csv", "1.png", "2.png", "3.png", "4.png"]).unwrap();
        assert!(
            found == Kind::Images && note.unwrap().contains("holds 4 pictures and 1 table: the pictures are taken")
        );
        let (found, note) = kind(&["plot.png", "1.csv", "2.csv", "3.csv", "4.csv"]).unwrap();
        assert!(found == Kind::Table && note.unwrap().contains("the tables are taken"));
        assert!(kind(&["a.png", "b.csv"]).unwrap_err().to_string().contains("--kind images or --kind table"));
    }

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = vec!["f10", "f2", "f1b", "f1", "a", "f02", "f"];
        names.sort_by(|a, b| natural(a.as_bytes(), b.as_bytes()));
        assert_eq!(names, ["a", "f", "f1", "f1b", "f02", "f2", "f10"]);
    }

    #[test]
    fn files_stay_in_the_order_in_which_they_were_named() {
        let folder = folder(&["b.png", "a.png", "sub/10.png", "sub/9.png"]);
        let inputs = ["b.png", "sub", "a.png", "b.png"].map(|name| folder.path().join(name));
        let found = sort_out(&inputs).unwrap().pictures;
        let names: Vec<&str> = found.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["b.png", "9.png", "10.png", "a.png"]);
    }

    #[cfg(unix)]
    #[test]
    fn loops_of_links_end() {
        let folder = folder(&["a/1.png"]);
        std::os::unix::fs::symlink(folder.path(), folder.path().join("a/back")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("gone.png")).unwrap();
        let found = sort_out(&[folder.path().to_owned()]).unwrap();
        assert_eq!(found.pictures.len(), 2);
    }
}
