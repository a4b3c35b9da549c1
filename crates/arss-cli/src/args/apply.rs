//! Flags of `arss apply`.

use std::path::PathBuf;

use arss_table::{Format, ReadOptions};
use clap::Args;

use crate::args::by_name::by_name;
use crate::args::common::CommonArgs;

/// Flags of `arss apply`.
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// The model that `select --model` or `outliers --model` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The new table, with the columns of the first one: what `select` reads; - is stdin
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// What the input is, if its name does not tell
    #[arg(long, value_parser = by_name::<Format>(), value_name = "NAME")]
    pub format: Option<Format>,
    /// Which sheet of an Excel file: its name, or its number from 1 [the first with cells]
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// How many of the strangest rows (of those farthest from their exemplar) are printed
    #[arg(short = 'n', long = "rows", value_name = "N", default_value_t = 20)]
    pub rows: usize,
    /// Write the new rows with their exemplar, the distance to it and their outlier score: .csv, .parquet, ...; - is stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Mark cells of a csv file that a spreadsheet would take for formulas (=, +, -, @ in front) with an apostrophe
    #[arg(long, requires = "output")]
    pub safe_csv: bool,
    /// Output format, memory and threads.
    #[command(flatten)]
    pub common: CommonArgs,
}

impl ApplyArgs {
    /// How the new table is read.
    pub fn options(&self) -> ReadOptions {
        let (format, sheet, memory) = (self.format, self.sheet.clone(), self.common.memory);
        ReadOptions { format, sheet, memory, ..ReadOptions::default() }
    }
}
