//! What was found in a folder besides what can be chosen.

use std::path::PathBuf;

use arss_table::{Table, counted};
use serde_json::{Value, json};

use crate::files::Unreadable;
use crate::kind::Kind;

/// How many names a line of text has at most.
const NAMED: usize = 3;

/// A file that repeats another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duplicate {
    /// The number of the file.
    pub file: usize,
    /// The number of the one that it repeats.
    pub of: usize,
    /// True if they are the same to the last bit.
    pub exact: bool,
}

/// The files that a table was made of. Files are numbered as the rows of the table are in its file.
#[derive(Debug, Default)]
pub struct Media {
    /// What they are.
    pub kind: Kind,
    /// The file of each row; empty if the rows are no files.
    pub paths: Vec<PathBuf>,
    /// What each row is called.
    pub names: Vec<String>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Rows that repeat others: they count, but are not chosen.
    pub duplicates: Vec<Duplicate>,
    /// Pictures that show nothing: they neither count nor are chosen.
    pub blank: Vec<usize>,
    /// The first frame of each shot.
    pub shots: Vec<usize>,
    /// The distinctive terms of each text.
    pub terms: Vec<String>,
    /// Seconds of each frame from the beginning, where they are known.
    pub times: Vec<f64>,
    /// Frames that were taken out of a video file: they vanish with this.
    pub frames: Option<tempfile::TempDir>,
}

impl Media {
    /// What people should know, a line each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let noun = self.kind.noun();
        if !self.unreadable.is_empty() {
            let first = &self.unreadable[0];
            let example = format!("{}: {}", first.path.display(), first.why);
            notes.push(format!(
                "note: {} could not be read ({example}{})",
                counted(self.unreadable.len(), "file"),
                self.more()
            ));
        }
        if !self.duplicates.is_empty() {
            let exact = self.duplicates.iter().filter(|copy| copy.exact).count();
            let near = self.duplicates.len() - exact;
            let copies = |count: usize, what: &str| (count > 0).then(|| format!("{} {what}", counted(count, noun)));
            let both = [copies(exact, "the same as others"), copies(near, "nearly the same")];
            let both = both.into_iter().flatten().collect::<Vec<_>>().join(", ");
            notes.push(format!("note: {both}: they count, but none is chosen twice"));
        }
        if !self.blank.is_empty() {
            let names: Vec<&str> = self.blank.iter().take(NAMED).map(|&file| self.names[file].as_str()).collect();
            let more = if self.blank.len() > NAMED { ", ..." } else { "" };
            let blank = counted(self.blank.len(), noun);
            notes.push(format!(
                "note: {blank} left aside that show nothing ({}{more}); --no-gate keeps them",
                names.join(", ")
            ));
        }
        if self.shots.len() > 1 {
            notes.push(format!("note: {} in {}", counted(self.shots.len(), "shot"), counted(self.names.len(), noun)));
        }
        notes
    }

    fn more(&self) -> &'static str {
        if self.unreadable.len() > 1 { ", ...; --json lists them" } else { "" }
    }

    /// All of it for machines, with the terms of the chosen texts and the times of the chosen frames.
    pub fn json(&self, chosen: &[usize]) -> Value {
        let name = |file: usize| self.names[file].as_str();
        let unreadable =
            self.unreadable.iter().map(|one| json!({ "file": one.path.to_string_lossy(), "why": one.why }));
        let duplicates = self.duplicates.iter().map(
            |copy| json!({ "row": copy.file, "file": name(copy.file), "of": copy.of, "like": name(copy.of), "exact": copy.exact }),
        );
        let blank = self.blank.iter().map(|&file| json!({ "row": file, "file": name(file) }));
        let mut object = json!({
            "kind": self.kind.noun(),
            "files": self.names.len(),
            "unreadable": unreadable.collect::<Vec<_>>(),
            "duplicates": duplicates.collect::<Vec<_>>(),
            "blank": blank.collect::<Vec<_>>(),
        });
        if self.kind == Kind::Frames {
            object["shots"] = json!(self.shots);
        }
        if !self.times.is_empty() {
            object["seconds"] = chosen.iter().map(|&file| self.times[file]).collect();
        }
        if !self.terms.is_empty() {
            object["terms"] = chosen.iter().map(|&file| self.terms[file].as_str()).collect();
        }
        object
    }

    /// The rows of `table` that repeat others.
    pub fn copies(&self, table: &Table) -> Vec<usize> {
        self.duplicates.iter().filter_map(|copy| table.row_of(copy.file)).collect()
    }
}
