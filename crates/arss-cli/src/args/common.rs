//! Flags that several commands share.

use clap::Args;

/// Output format, memory and threads.
#[derive(Debug, Args)]
pub struct CommonArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Replace files that exist already
    #[arg(long)]
    pub force: bool,
    /// Say nothing on stderr but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Most memory for what has to be unpacked: 500M, 2G [half of what is free]
    #[arg(long, value_name = "SIZE", value_parser = arss_table::byte_size::parse)]
    pub memory: Option<u64>,
    /// Threads to use, 0 for all; the answer does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
}
