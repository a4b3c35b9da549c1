//! Why a table could not be read or written.

use std::fmt;
use std::path::Path;

/// Why a table could not be read or written, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableError {
    /// The input or the options are wrong: another attempt with the same input fails again.
    Input(String),
    /// The run failed: a disk is full, a scratch file cannot be made.
    Run(String),
}

impl TableError {
    /// Bad input in the file `path`.
    pub fn in_file(path: &Path, what: impl fmt::Display) -> Self {
        TableError::Input(format!("{}: {what}", path.display()))
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (TableError::Input(text) | TableError::Run(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for TableError {}

impl From<arss::Error> for TableError {
    fn from(error: arss::Error) -> Self {
        match error {
            // A full disk or a file that vanished is not the fault of the input.
            arss::Error::Backend { reason } => TableError::Run(reason),
            error => TableError::Input(error.to_string()),
        }
    }
}
