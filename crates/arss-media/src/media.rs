//! What was found in a folder besides what can be chosen.

use std::path::PathBuf;

use arss_table::{Table, counted};
use serde_json::{Value, json};

use crate::files::Unreadable;
use crate::kind::Kind;
use crate::video;

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

/// The files that a table was made of. Files are numbered as they were named, those that cannot be read as well; so are the
/// rows of the table in its file.
#[derive(Debug, Default)]
pub struct Media {
    /// What they are.
    pub kind: Kind,
    /// The files; empty if the rows are no files.
    pub paths: Vec<PathBuf>,
    /// What each is called.
    pub names: Vec<String>,
    /// The numbers of those that could be read.
    pub readable: Vec<usize>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Rows that repeat others: they count, but are not chosen.
    pub duplicates: Vec<Duplicate>,
    /// Pictures that show nothing or are washed out, texts without common words: they neither count nor are chosen.
    pub blank: Vec<usize>,
    /// The first frame of each shot.
    pub shots: Vec<usize>,
    /// The distinctive terms of each text.
    pub terms: Vec<String>,
    /// How each text begins.
    pub beginnings: Vec<String>,
    /// Seconds of each frame from the beginning, where they are known.
    pub times: Vec<f64>,
    /// What they were compared by, in words.
    pub compared_by: String,
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
            let repeats = counted(self.duplicates.len(), noun);
            notes
                .push(format!("note: {repeats} like others ({exact} exactly, {near} nearly): counted, but not chosen"));
        }
        if !self.blank.is_empty() {
            let names: Vec<&str> = self.blank.iter().take(NAMED).map(|&file| self.names[file].as_str()).collect();
            let more = if self.blank.len() > NAMED { ", ..." } else { "" };
            let (blank, names) = (counted(self.blank.len(), noun), names.join(", "));
            notes.push(if self.is_of_pictures() {
                let (show, are) = if self.blank.len() == 1 { ("shows", "is") } else { ("show", "are") };
                format!(
                    "note: {blank} left aside that {show} nothing or {are} washed out ({names}{more}); --no-gate keeps them"
                )
            } else {
                format!("note: {blank} left aside without a word that another one has ({names}{more})")
            });
        }
        if self.shots.len() > 1 {
            notes.push(format!("note: {} in {}", counted(self.shots.len(), "shot"), counted(self.names.len(), noun)));
        }
        notes
    }

    /// True of pictures and frames.
    pub fn is_of_pictures(&self) -> bool {
        matches!(self.kind, Kind::Images | Kind::Frames)
    }

    /// The files that could be read.
    pub fn readable_paths(&self) -> Vec<PathBuf> {
        self.readable.iter().map(|&file| self.paths[file].clone()).collect()
    }

    /// The numbers of those that cannot be chosen: unreadable and blank ones.
    pub(crate) fn unusable(&self) -> Vec<usize> {
        let has = |list: &[usize], file: &usize| list.binary_search(file).is_ok();
        (0..self.names.len()).filter(|file| !has(&self.readable, file) || has(&self.blank, file)).collect()
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

    /// What a frame is called on a film-strip: its time where that is known, otherwise its number.
    pub fn frame_label(&self, file: usize) -> String {
        self.times.get(file).map_or_else(|| file.to_string(), |&seconds| video::clock(seconds))
    }

    /// The ranks of picks in the order in which people look at them: frames in the order of time, others the best first.
    pub fn shown_order(&self, picks: &[usize]) -> Vec<usize> {
        let mut ranks: Vec<usize> = (0..picks.len()).collect();
        if self.kind == Kind::Frames {
            ranks.sort_by_key(|&rank| picks[rank]);
        }
        ranks
    }

    /// The rows of `table` that repeat others.
    pub fn copies(&self, table: &Table) -> Vec<usize> {
        self.duplicates.iter().filter_map(|copy| table.row_of(copy.file)).collect()
    }
}
