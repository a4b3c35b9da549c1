//! Flags of `arss completions` and `arss man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Flags of `arss completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell to complete for
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Flags of `arss man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command whose page is printed, arss itself if none is named
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub command: Option<String>,
    /// Write the pages of all commands into this folder: arss.1, arss-select.1, ...
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Replace pages that exist already
    #[arg(long)]
    pub force: bool,
}
