//! The file that says what a checkpoint is: text, one thing a line, the last of which is the sum of the others.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::checkpoint::{at, checksum, damaged, write_whole};

/// The file.
pub const NAME: &str = "checkpoint";
/// Its first line: another layout gets another number.
const FORMAT: &str = "arss checkpoint 2";

/// A file that belongs to a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub bytes: u64,
    pub sum: u64,
    /// The lengths of what was appended each time.
    pub pieces: Vec<u64>,
}

/// What a checkpoint is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// What distinguishes one run from another.
    pub identity: Vec<String>,
    pub passes: Entry,
    pub values: Option<Entry>,
    pub numbers: Option<Entry>,
}

impl Manifest {
    /// True for files that belong to it.
    pub fn names(&self, name: &str) -> bool {
        let others = [&self.values, &self.numbers].into_iter().flatten();
        name == NAME || name == "passes" || others.into_iter().any(|entry| entry.name == name)
    }

    /// Writes it to `folder`, in place of the one before.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let text = self.text();
        write_whole(&folder.join(NAME), |file| file.write_all(text.as_bytes()))
    }

    /// Reads it; `None` if there is none.
    pub fn read(folder: &Path) -> io::Result<Option<Manifest>> {
        let path = folder.join(NAME);
        match fs::read_to_string(&path) {
            Ok(text) => Manifest::parse(&text).map(Some).ok_or_else(|| damaged(&path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(at(&path, &error)),
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{FORMAT}\n");
        self.identity.iter().for_each(|line| text += &format!("is {}\n", line.replace(['\n', '\r'], " ")));
        for (what, entry) in self.entries() {
            let pieces: String = entry.pieces.iter().map(|length| format!(" {length}")).collect();
            text += &format!("{what} {} {} {:016x}{pieces}\n", entry.name, entry.bytes, entry.sum);
        }
        let sum = checksum(text.as_bytes());
        text + &format!("sum {sum:016x}\n")
    }

    fn entries(&self) -> impl Iterator<Item = (&'static str, &Entry)> {
        let state = [("values", &self.values), ("numbers", &self.numbers)];
        let passes = (!self.passes.pieces.is_empty()).then_some(("passes", &self.passes));
        passes.into_iter().chain(state.into_iter().filter_map(|(what, entry)| Some((what, entry.as_ref()?))))
    }

    fn parse(text: &str) -> Option<Manifest> {
        let (body, last) = text.strip_suffix('\n')?.rsplit_once('\n')?;
        let sum = u64::from_str_radix(last.strip_prefix("sum ")?, 16).ok()?;
        if checksum(format!("{body}\n").as_bytes()) != sum {
            return None;
        }
        let mut lines = body.lines();
        lines.next().filter(|first| *first == FORMAT)?;
        let mut manifest = Manifest::default();
        for line in lines {
            let (what, rest) = line.split_once(' ')?;
            match what {
                "is" => manifest.identity.push(rest.to_owned()),
                "passes" => manifest.passes = entry(rest)?,
                "values" => manifest.values = Some(entry(rest)?),
                "numbers" => manifest.numbers = Some(entry(rest)?),
                _ => return None,
            }
        }
        Some(manifest)
    }
}

fn entry(text: &str) -> Option<Entry> {
    let mut words = text.split(' ');
    let name = words.next()?.to_owned();
    let bytes = words.next()?.parse().ok()?;
    let sum = u64::from_str_radix(words.next()?, 16).ok()?;
    let pieces = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    Some(Entry { name, bytes, sum, pieces })
}

/// The first line in which two runs differ, in words.
pub fn difference(there: &[String], here: &[String]) -> Option<String> {
    let at = (0..there.len().max(here.len())).find(|&at| there.get(at) != here.get(at))?;
    let shown = |lines: &[String]| lines.get(at).map_or_else(|| "nothing".to_owned(), |line| line.trim().to_owned());
    Some(format!("it has {}, this run has {}", shown(there), shown(here)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let passes = Entry { name: "passes".into(), bytes: 30, sum: 7, pieces: vec![10, 20] };
        let values = Some(Entry { name: "values-4".into(), bytes: 9, sum: u64::MAX, pieces: Vec::new() });
        Manifest { identity: vec!["rows: 3".into(), "  gamma: .5,".into()], passes, values, numbers: None }
    }

    #[test]
    fn it_reads_back_and_any_damage_shows() {
        let text = manifest().text();
        assert_eq!(Manifest::parse(&text), Some(manifest()));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            assert!(String::from_utf8(bytes).map_or(true, |text| Manifest::parse(&text).is_none()), "{at}");
            assert!(Manifest::parse(&text[..at]).is_none(), "{at}");
        }
    }

    #[test]
    fn the_first_difference_is_named() {
        let mut other = manifest().identity;
        assert_eq!(difference(&manifest().identity, &other), None);
        other[1] = "  gamma: 1.0,".into();
        assert_eq!(difference(&manifest().identity, &other).unwrap(), "it has gamma: .5,, this run has gamma: 1.0,");
        other.truncate(1);
        assert_eq!(difference(&manifest().identity, &other).unwrap(), "it has gamma: .5,, this run has nothing");
    }
}
