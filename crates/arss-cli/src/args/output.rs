//! Flags about how a run behaves: what it says, what it may replace, what it may use.

use std::path::PathBuf;

use arss_table::byte_size;
use clap::Args;

use crate::args::large_tables::DiskArgs;

/// Exit codes, in the help of every command.
pub const EXIT_CODES: &str = "Exit codes: 0 done, 1 the run failed, 2 bad input or usage, 130 interrupted";

/// Flags of all commands.
#[derive(Debug, Default, Args)]
pub struct GlobalArgs {
    /// Settings file, instead of your own and of arss.toml in the current folder
    #[arg(long, value_name = "FILE", global = true, conflicts_with = "no_config")]
    pub config: Option<PathBuf>,
    /// Read no settings file
    #[arg(long, global = true)]
    pub no_config: bool,
    /// Speak JSON on stderr, one object a line: start, progress, note, done, error
    #[arg(long, global = true)]
    pub json_progress: bool,
}

/// Flags of commands that choose and write files.
#[derive(Debug, Default, Args)]
pub struct OutputArgs {
    /// Write the numbers of the chosen rows, best first: one a line, or .json, or .npy
    #[arg(long, value_name = "FILE")]
    pub indices: Option<PathBuf>,
    /// Keep everything that `arss report` needs to make the page later (JSON)
    #[arg(long, value_name = "FILE")]
    pub result: Option<PathBuf>,
    /// Keep what was learned, so that `arss apply` can assign and score the rows of another table
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Replace files that exist already
    #[arg(long)]
    pub force: bool,
    /// On Ctrl-C write the ranking so far; the exit code is 130 all the same
    #[arg(long)]
    pub keep_partial: bool,
    /// Most memory to use: 500M, 2G, 1.5GiB; what needs more works from scratch files [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = byte_size::parse)]
    pub memory: Option<u64>,
    /// What does not fit into it.
    #[command(flatten)]
    pub disk: DiskArgs,
}
