//! Flags of `arss compare`.

use std::path::PathBuf;

use arss::{Count, Method};
use clap::Args;

use crate::args::common::CommonArgs;
use crate::args::input::InputArgs;
use crate::args::{count, method};

/// Flags of `arss compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The table.
    #[command(flatten)]
    pub read: InputArgs,
    /// How many rows each method chooses: a number, a share (5% or 0.05), or auto (as many as pay for exemplars)
    #[arg(short, value_name = "K", allow_negative_numbers = true, value_parser = count::parse)]
    pub k: Count,
    /// The methods, with their default settings; methods named here run however long they take [default: all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = method::by_name())]
    pub methods: Vec<Method>,
    /// Leave out methods that would take longer than about this many seconds, unless they are named
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0, allow_negative_numbers = true)]
    pub patience: f64,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Write a page with the table and with what exemplars choose: one .html file, no network needed
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Output format, memory and threads.
    #[command(flatten)]
    pub common: CommonArgs,
}
