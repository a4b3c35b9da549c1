//! Which files make the table.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::TableError;
use crate::byte_source::STDIN;
use crate::formats::Format;
use crate::text::cut;

/// Files that describe a data set of Hugging Face and hold no rows.
const DESCRIPTIONS: [&str; 3] = ["dataset_info.json", "dataset_dict.json", "state.json"];
/// What Hive calls a folder of rows without a value.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// A file of the table, and what the names of its folders say about its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// The file.
    pub path: PathBuf,
    /// The values of folders such as `year=2020`.
    pub partitions: Vec<Partition>,
}

/// A column whose value is the name of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// The name of the column.
    pub name: String,
    /// The value of all rows; none if it is missing.
    pub value: Option<String>,
    /// True if all folders of this name have whole numbers.
    pub whole: bool,
}

/// The files that paths, folders and patterns name; patterns that no shell has expanded are expanded here.
pub fn expand(words: &[PathBuf]) -> Result<Vec<InputFile>, TableError> {
    let mut files: Vec<InputFile> = Vec::new();
    for word in words {
        if word.is_dir() {
            files.extend(of_folders(word, std::slice::from_ref(word), names_in(word).count())?);
        } else if word.exists() || !is_pattern(word) {
            files.push(InputFile { path: word.clone(), partitions: Vec::new() });
        } else {
            files.extend(of_pattern(word)?);
        }
    }
    let mut known = HashSet::new();
    let is_new = |path: &Path| real(path).unwrap_or_else(|| path.to_path_buf());
    if let Some(twice) = files.iter().find(|file| !known.insert(is_new(&file.path))) {
        return Err(TableError::in_file(&twice.path, "was given twice"));
    }
    agree(&mut files)?;
    Ok(files)
}

/// The files that match, sorted by name as a shell does; those of folders if nothing but folders does.
fn of_pattern(word: &Path) -> Result<Vec<InputFile>, TableError> {
    let wrong = |what: String| TableError::in_file(word, what);
    // As in a shell, a star stands for no hidden file.
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let found =
        glob::glob_with(&word.to_string_lossy(), options).map_err(|error| wrong(format!("is no pattern: {error}")))?;
    let (folders, paths): (Vec<PathBuf>, Vec<PathBuf>) = found.filter_map(Result::ok).partition(|path| path.is_dir());
    // What is the same for all files tells nothing.
    let fixed = names_in(word).take_while(|part| !is_pattern(Path::new(part))).count();
    match (paths.as_slice(), folders.as_slice()) {
        ([], []) => Err(wrong("matches no file".to_owned())),
        ([], _) => of_folders(word, &folders, fixed),
        _ => Ok(paths.into_iter().map(|path| input_file(path, fixed)).collect()),
    }
}

/// The tables in these folders and the folders in them, sorted by name; they must be of one format.
fn of_folders(word: &Path, folders: &[PathBuf], fixed: usize) -> Result<Vec<InputFile>, TableError> {
    let mut found = Vec::new();
    let mut known = HashSet::new();
    folders.iter().try_for_each(|folder| walk(folder, &mut known, &mut found))?;
    let mut formats: BTreeMap<&'static str, usize> = BTreeMap::new();
    found.retain(|path| match Format::of_name(path) {
        Some(format) => {
            *formats.entry(format.name()).or_default() += 1;
            true
        }
        None => false,
    });
    found.sort();
    match formats.len() {
        0 => Err(TableError::in_file(word, "is a folder that holds no table of a known format")),
        1 => Ok(found.into_iter().map(|path| input_file(path, fixed)).collect()),
        _ => {
            let counts: Vec<String> = formats.iter().map(|(name, count)| format!("{count} of {name}")).collect();
            let what = format!("is a folder with tables of several formats: {}", counts.join(", "));
            let pattern = word.join("**").join("*.csv");
            Err(TableError::in_file(word, format_args!("{what}; name one kind, like '{}'", pattern.display())))
        }
    }
}

/// All files in a folder that are not hidden.
fn walk(folder: &Path, known: &mut HashSet<PathBuf>, found: &mut Vec<PathBuf>) -> Result<(), TableError> {
    let failed = |error: std::io::Error| TableError::in_file(folder, format_args!("cannot be read: {error}"));
    if !known.insert(fs::canonicalize(folder).map_err(failed)?) {
        return Err(TableError::in_file(folder, "is a link to a folder that is read already"));
    }
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, kind) = (entry.path(), entry.file_type().ok());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Marks of programs, such as _SUCCESS, are no tables.
        if name.starts_with(['.', '_']) || DESCRIPTIONS.contains(&name.as_str()) {
            continue;
        }
        // The folder tells what most entries are; only links have to be looked at.
        let kind = kind.filter(|kind| !kind.is_symlink());
        if kind.map_or_else(|| path.is_dir(), |kind| kind.is_dir()) {
            walk(&path, known, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// The file with the values of its folders, but for the first `fixed` ones.
fn input_file(path: PathBuf, fixed: usize) -> InputFile {
    let folders = path.parent().into_iter().flat_map(names_in).skip(fixed);
    let partition = |part: &OsStr| {
        let text = part.to_string_lossy().into_owned();
        let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty())?;
        let value = (value != NO_VALUE).then(|| plain(value));
        Some(Partition { name: plain(name), value, whole: false })
    };
    let partitions = folders.filter_map(partition).collect();
    InputFile { path, partitions }
}

/// The names of the folders in a path, and that of its file. A leading `./` is none.
fn names_in(path: &Path) -> impl Iterator<Item = &OsStr> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    })
}

/// The text without the escapes of Hive, such as %20.
fn plain(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        let code = |two: &[u8]| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok();
        let escaped = others.split_at_checked(2).filter(|_| *first == b'%');
        match escaped.and_then(|(two, behind)| Some((code(two)?, behind))) {
            Some((byte, behind)) => {
                bytes.push(byte);
                rest = behind;
            }
            None => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// All files must lie in folders of the same names; whole numbers are such in all of them.
fn agree(files: &mut [InputFile]) -> Result<(), TableError> {
    let names = |file: &InputFile| -> Vec<String> { file.partitions.iter().map(|own| own.name.clone()).collect() };
    let Some(first) = files.first() else { return Ok(()) };
    let wanted = names(first);
    if let Some(other) = files.iter().find(|file| names(file) != wanted) {
        let shown = |names: &[String]| if names.is_empty() { "none".to_owned() } else { cut(&names.join("=/")) };
        let what = format!(
            "lies in folders of {}, but {} in those of {}",
            shown(&names(other)),
            first.path.display(),
            shown(&wanted)
        );
        return Err(TableError::in_file(&other.path, what));
    }
    for at in 0..wanted.len() {
        let value = |file: &InputFile| file.partitions.get(at).and_then(|own| own.value.clone());
        let whole = files.iter().all(|file| value(file).is_none_or(|text| text.parse::<i64>().is_ok()));
        files.iter_mut().filter_map(|file| file.partitions.get_mut(at)).for_each(|own| own.whole = whole);
    }
    Ok(())
}

fn is_pattern(word: &Path) -> bool {
    word.to_string_lossy().contains(['*', '?', '['])
}

/// True if both names stand for one file.
pub fn is_same(a: &Path, b: &Path) -> bool {
    a == b || real(a).is_some_and(|a| real(b) == Some(a))
}

/// Where the file stands, if it does.
fn real(path: &Path) -> Option<PathBuf> {
    if path == Path::new(STDIN) { None } else { fs::canonicalize(path).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x\n1\n").unwrap();
        }
        folder
    }

    fn values(file: &InputFile) -> Vec<(&str, Option<&str>, bool)> {
        file.partitions.iter().map(|own| (own.name.as_str(), own.value.as_deref(), own.whole)).collect()
    }

    #[test]
    fn folders_are_columns() {
        let here =
            folder(&["year=2021/k=b%20c/a.csv", "year=2020/k=__HIVE_DEFAULT_PARTITION__/a.csv", "_SUCCESS", ".x.csv"]);
        let found = expand(&[here.path().to_owned()]).unwrap();
        assert_eq!(values(&found[0]), [("year", Some("2020"), true), ("k", None, false)]);
        assert_eq!(values(&found[1]), [("year", Some("2021"), true), ("k", Some("b c"), false)]);
        let inner = expand(&[here.path().join("year=2020")]).unwrap();
        assert_eq!(values(&inner[0]), [("k", None, true)]);
        let pattern = expand(&[here.path().join("year=*/**/*.csv")]).unwrap();
        assert_eq!(pattern, found);
        assert_eq!(expand(&[here.path().join("year=*")]).unwrap(), found);
    }

    #[test]
    fn folders_that_make_no_table() {
        let refused = |files: &[&str]| expand(&[folder(files).path().to_owned()]).unwrap_err().to_string();
        assert!(refused(&["a.csv", "b.parquet"]).contains("several formats: 1 of csv, 1 of parquet; name one kind"));
        assert!(refused(&["a.doc"]).contains("no table of a known format"));
        assert!(refused(&["a=1/x.csv", "b=1/x.csv"]).contains("lies in folders of b"));
        assert_eq!(plain("100%"), "100%");
        let described = folder(&["dataset_info.json", "state.json", "data-0.arrow"]);
        assert_eq!(expand(&[described.path().to_owned()]).unwrap().len(), 1);
    }
}
