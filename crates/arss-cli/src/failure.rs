//! Why a run ended without a result, and with which exit code.

use std::fmt;
use std::path::Path;

use arss_table::TableError;
use clap::error::ErrorKind;

/// Exit code of an interrupted run: 128 + SIGINT, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// Why a run ended without a result.
#[derive(Debug)]
pub enum Failure {
    /// The input or the flags are bad.
    Input(String),
    /// The run itself failed, writing a file for instance.
    Run(String),
    /// Ctrl-C or SIGTERM.
    Interrupted(Kept),
}

/// What an interrupted run leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// No file was changed.
    Nothing,
    /// The files hold the ranking as far as it came.
    Partial,
    /// All files are there: it came too late.
    Everything,
}

impl Failure {
    /// Bad input in the file `path`.
    pub fn in_file(path: &Path, what: impl fmt::Display) -> Self {
        Failure::Input(format!("{}: {what}", path.display()))
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Run(_) => 1,
            Failure::Input(_) => 2,
            Failure::Interrupted(_) => INTERRUPTED,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(text) | Failure::Run(text) => write!(f, "error: {text}"),
            Failure::Interrupted(Kept::Nothing) => write!(f, "interrupted: nothing was written"),
            Failure::Interrupted(Kept::Partial) => {
                write!(f, "interrupted: the results are partial, the ranking so far")
            }
            Failure::Interrupted(Kept::Everything) => write!(f, "interrupted: the results are complete"),
        }
    }
}

impl From<arss::Error> for Failure {
    fn from(error: arss::Error) -> Self {
        match error {
            // A full disk or a file that vanished is not the fault of the input.
            arss::Error::Backend { reason } => Failure::Run(reason),
            error => Failure::Input(error.to_string()),
        }
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Input(text) => Failure::Input(text),
            TableError::Run(text) => Failure::Run(text),
        }
    }
}

/// Help and version are printed as they are; a usage error becomes one line.
pub fn from_clap(error: &clap::Error) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A closed pipe is not a failure: no reader is left.
            let _ = error.print();
            Ok(())
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Err(Failure::Input("a command is missing: arss select INPUT -k K, or arss demo (see arss --help)".into()))
        }
        _ => Err(Failure::Input(one_line(&error.to_string()))),
    }
}

/// The first paragraph of clap's text and its tips, without the usage.
pub fn one_line(text: &str) -> String {
    let joined = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paragraphs = text.split("\n\n");
    let first = joined(paragraphs.next().unwrap_or_default());
    let mut line = first.strip_prefix("error: ").unwrap_or(&first).to_owned();
    for tip in paragraphs.map(joined).filter(|paragraph| paragraph.starts_with("tip:")) {
        line = format!("{line}; {tip}");
    }
    line
}
