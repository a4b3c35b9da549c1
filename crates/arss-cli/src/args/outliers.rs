//! Flags of `arss outliers`.

use std::path::PathBuf;

use clap::Args;

use crate::args::Order;
use crate::args::common::CommonArgs;
use crate::args::input::InputArgs;

/// Flags of `arss outliers`.
#[derive(Debug, Args)]
pub struct OutliersArgs {
    /// The table.
    #[command(flatten)]
    pub read: InputArgs,
    /// How many of the strangest rows are printed
    #[arg(short = 'n', long = "rows", value_name = "N", default_value_t = 20)]
    pub rows: usize,
    /// Rows with a larger outlier score count as strange
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true, value_parser = threshold)]
    pub threshold: f64,
    /// Write the strange rows with all their columns unchanged: .csv, .tsv, .parquet, .arrow, .jsonl, .npy
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The order in which -o writes them
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = Order::Rank)]
    pub order: Order,
    /// Write the table without the strange rows, in its own order
    #[arg(long, value_name = "FILE")]
    pub clean: Option<PathBuf>,
    /// Mark cells of csv files that a spreadsheet would take for formulas (=, +, -, @ in front) with an apostrophe
    #[arg(long)]
    pub safe_csv: bool,
    /// Let --clean throw away more than 15 % of the rows
    #[arg(long, requires = "clean")]
    pub clean_many: bool,
    /// Write outlier score and nearest exemplar of every row as csv
    #[arg(long, value_name = "FILE")]
    pub scores: Option<PathBuf>,
    /// Keep what was learned, so that `arss apply` can score the rows of another table
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Write a page that shows the rows and why they are strange: one .html file, no network needed
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Output format, memory and threads.
    #[command(flatten)]
    pub common: CommonArgs,
    /// Settings of the score.
    #[command(flatten)]
    pub score: ScoreArgs,
}

/// Settings of the outlier score.
#[derive(Debug, Args)]
#[command(next_help_heading = "Score")]
pub struct ScoreArgs {
    /// Rows that the others are compared with [default: 768]
    #[arg(long, value_name = "N")]
    pub landmarks: Option<usize>,
    /// Ridge of the score, in (0, 1] [default: .01]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub ridge: Option<f64>,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// Finite and not negative.
fn threshold(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
    value.ok_or_else(|| "it must be a number, not negative".to_owned())
}
