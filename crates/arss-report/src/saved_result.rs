//! What `select --result` keeps: everything that the page is made from, besides the table itself.
//!
//! No times and no folders are in it: the same command gives the same bytes.

use std::path::Path;

use arss::Selection;
use arss_table::TableError;
use serde::{Deserialize, Serialize};

/// The form of the file; another number is another form.
const FORM: u32 = 2;

/// A result as it stands in the file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Saved {
    /// Says what the file is.
    pub arss_result: u32,
    /// The version that made it.
    pub version: String,
    /// The command line, word by word, settings of a file included.
    pub command: Vec<String>,
    /// What was chosen from.
    pub input: Input,
    /// What was found. The method is not in it: the command names it.
    pub selection: Selection,
}

/// What was chosen from.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Input {
    /// Its size, if it was a file.
    pub bytes: Option<u64>,
    /// Rows.
    pub rows: usize,
    /// Columns that were chosen by.
    pub columns: usize,
    /// Of the values, the names and the chosen rows.
    pub checksum: String,
}

impl Saved {
    /// The result of a command line.
    pub fn new(command: Vec<String>, input: Input, selection: &Selection) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Saved { arss_result: FORM, version, command, input, selection: selection.clone() }
    }

    /// The result as text.
    pub fn text(&self) -> String {
        // Strings and numbers only: there is nothing that could fail.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads a result.
    pub fn read(path: &Path) -> Result<Self, TableError> {
        let bytes = arss_table::read_whole(path)?;
        let no_result =
            |why: String| TableError::in_file(path, format_args!("is no result of select --result ({why})"));
        let saved: Saved = serde_json::from_slice(&bytes).map_err(|error| no_result(error.to_string()))?;
        if saved.arss_result == FORM { Ok(saved) } else { Err(no_result("it is of another version".to_owned())) }
    }
}
