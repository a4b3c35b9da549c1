//! Flags about tables that do not fit into memory, and about runs that may be broken off.

use std::path::PathBuf;

use clap::Args;

/// Passes between two checkpoints, unless another number is given.
const EVERY: usize = 20;

/// Tables that do not fit into memory, and runs that may be broken off.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Large tables")]
pub struct DiskArgs {
    /// Folder for scratch files of a table that does not fit into memory [default: the folder for temporary files]
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// Keep the state of the run in this folder, so that --resume can go on after a crash [exemplars, arss, rrss, ted]
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Passes over the table between two checkpoints; an iteration of arss or rrss is two
    #[arg(long, value_name = "N", default_value_t = EVERY, requires = "checkpoint",
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub every: usize,
    /// Go on where the checkpoint ends; the result is that of a run without a break
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}
