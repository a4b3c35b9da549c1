//! What is read, and how.

use std::path::PathBuf;

use crate::formats::Format;
use crate::{ColumnRole, Encode, Missing, TextEncoding};

/// What is read, and how. The default takes each column for what it looks like.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format, if the names of the files do not tell it.
    pub format: Option<Format>,
    /// What separates the fields of a text file; found out if it is not told.
    pub delimiter: Option<u8>,
    /// Whether the first line of a text file holds names; found out if it is not told.
    pub header: Option<bool>,
    /// How the letters of a text file are written; found out if it is not told.
    pub encoding: Option<TextEncoding>,
    /// What begins lines of a text file that are no rows. Lines before the header that begin with # never are.
    pub comment: Option<u8>,
    /// The array to read from an archive of several.
    pub array: Option<String>,
    /// The sheet to read from a workbook, by name or by number from 1; the first one with cells if it is not told.
    pub sheet: Option<String>,
    /// Choose by these columns only.
    pub columns: Option<Vec<String>>,
    /// Do not choose by these columns.
    pub exclude: Vec<String>,
    /// The column that names the rows; not chosen by.
    pub id: Option<String>,
    /// The column that holds labels; not chosen by.
    pub label: Option<String>,
    /// The column that holds groups; not chosen by.
    pub group: Option<String>,
    /// The column that says how much each row counts; not chosen by.
    pub weights: Option<String>,
    /// What some columns are, whatever they look like.
    pub roles: Vec<(String, ColumnRole)>,
    /// How columns of text become numbers.
    pub encode: Encode,
    /// Whether numbers in text have a decimal comma; found out if it is not told.
    pub decimal_comma: Option<bool>,
    /// Use columns of true and false as 1 and 0, even if only numbers are used.
    pub booleans: bool,
    /// Use columns of dates and times, as seconds since 1970, even if only numbers are used.
    pub dates: bool,
    /// What is done about missing values.
    pub missing: Missing,
    /// The table holds distances: what a sparse one does not hold is not zero.
    pub graph: bool,
    /// Most bytes that may be held in memory; half of what is free if it is not told.
    pub memory: Option<u64>,
    /// The folder for scratch files. With it the matrix is on disk, without it everything is in memory.
    pub scratch: Option<PathBuf>,
}

impl ReadOptions {
    /// The names of the options that were told and mean something in files of some formats only.
    pub fn of_some_formats(&self) -> Vec<&'static str> {
        let told = [
            ("delimiter", self.delimiter.is_some()),
            ("header", self.header.is_some()),
            ("encoding", self.encoding.is_some()),
            ("comment", self.comment.is_some()),
            ("array", self.array.is_some()),
            ("sheet", self.sheet.is_some()),
        ];
        told.into_iter().filter(|(_, told)| *told).map(|(name, _)| name).collect()
    }
}
