//! Flags that several commands share.

use std::path::PathBuf;

use clap::Args;

use crate::args::Scale;

/// What is read, and how.
#[derive(Debug, Args)]
pub struct ReadArgs {
    /// The table: .csv (with a header row; numeric columns are used) or .npy (2-D)
    pub input: PathBuf,
    /// How columns are scaled first; the files always hold the values as they came
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Scale::Standard)]
    pub scale: Scale,
}

/// How a command speaks, and what it takes.
#[derive(Debug, Args)]
pub struct TalkArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Replace files that exist already
    #[arg(long)]
    pub force: bool,
    /// Say nothing on stderr but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Threads to use, 0 for all; the answer does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
}
