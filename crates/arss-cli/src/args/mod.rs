//! The flags, derive-parsed.

pub mod apply;
pub mod by_name;
pub mod common;
pub mod compare;
pub mod config_file;
pub mod constraints;
pub mod count;
pub mod help;
pub mod input;
pub mod large_tables;
pub mod media;
pub mod method;
pub mod outliers;
pub mod output;

use std::path::PathBuf;

use arss::{Count, Method, Rank};
use arss_table::Format;
use clap::{Arg, Args, Parser, Subcommand, ValueEnum};

use crate::args::apply::ApplyArgs;
use crate::args::compare::CompareArgs;
use crate::args::help::{CompletionsArgs, ManArgs};
use crate::args::input::InputArgs;
use crate::args::media::MediaOutputArgs;
use crate::args::outliers::OutliersArgs;
use crate::args::output::{EXIT_CODES, GlobalArgs, OutputArgs};

/// The method for columns, unless another is named: it explains the other columns best (docs/reference/command-line.md has figures).
const FOR_COLUMNS: &str = "ted";

/// Pick the K rows (or columns) that stand for a whole table, even when part of it is garbage.
#[derive(Debug, Parser)]
#[command(name = "arss", version, after_help = EXIT_CODES)]
pub struct Cli {
    /// What all commands take.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Choose K rows of a table
    #[command(mut_arg("method", |method| method.default_value_if("features", "true", FOR_COLUMNS)))]
    Select(Box<SelectArgs>),
    /// Choose K columns of a table: those that explain the others best
    #[command(mut_arg("method", |method| method.default_value(FOR_COLUMNS)), mut_args(only_of_rows))]
    Features(Box<SelectArgs>),
    /// Rank the strangest rows and say why; or write the table without them
    Outliers(Box<OutliersArgs>),
    /// Assign and score the rows of another table by a model that `select --model` wrote
    Apply(Box<ApplyArgs>),
    /// Let the data decide: several methods on your own file, judged alike
    Compare(Box<CompareArgs>),
    /// Tell what `select` would do: what is read and written, memory, time
    #[command(mut_arg("k", |k| k.required(false).default_value("10")))]
    Plan(Box<PlanArgs>),
    /// Make the page of an earlier `select --result`
    Report(ReportArgs),
    /// Choose from a bundled table with damaged rows, and from pictures
    Demo(DemoArgs),
    /// Print the completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for each command
    Man(ManArgs),
}

/// Flags of `arss select` that mean nothing for columns are not shown for them.
fn only_of_rows(arg: Arg) -> Arg {
    let of_rows = ["features", "assignments", "include", "forbid", "weights", "group", "quotas"];
    match arg.get_id().as_str() {
        "k" => arg.help("How many columns to choose: a number, or a share (5% or 0.05) [auto: exemplars]"),
        "output" => arg.help("Write the chosen columns with all rows (.csv, or .npy for a .npy input)"),
        "scores" => arg.help("Write score, norm and residual of every column as csv"),
        id if of_rows.contains(&id) => arg.hide(true),
        _ => arg,
    }
}

/// Flags of `arss demo`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct DemoArgs {
    /// Folder for chosen.csv, scores.csv, result.json, report.html, pictures and pictures.png; made if it is not there
    #[arg(value_name = "DIR", default_value = "arss-demo")]
    pub directory: PathBuf,
}

/// Flags of `arss plan`: those of `arss select`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct PlanArgs {
    /// What would be run.
    #[command(flatten)]
    pub select: SelectArgs,
}

/// Flags of `arss report`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct ReportArgs {
    /// What `arss select --result` wrote
    pub result: PathBuf,
    /// The page
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Where the table is now, if it was moved
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Replace a page that exists already
    #[arg(long)]
    pub force: bool,
    /// Say nothing on stderr but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// Flags of `arss select`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct SelectArgs {
    /// The table.
    #[command(flatten)]
    pub input: InputArgs,
    /// How many rows to choose: a number, a share (5% or 0.05), or auto (as many as pay) [auto: exemplars]
    #[arg(short, long = "count", visible_short_alias = 'n', value_name = "K", allow_negative_numbers = true,
        value_parser = count::parse)]
    pub k: Count,
    /// Choose columns instead of rows, as arss features does
    #[arg(long)]
    pub features: bool,
    /// Write the chosen rows with all their columns, unchanged: .csv, .tsv, .parquet, .arrow, .jsonl, .npy
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The format of -o, if its name does not tell; - is stdout, as csv
    #[arg(long, value_parser = by_name::by_name::<Format>(), value_name = "NAME", requires = "output")]
    pub format_out: Option<Format>,
    /// Mark cells of a csv file that a spreadsheet would take for formulas (=, +, -, @ in front) with an apostrophe
    #[arg(long, requires = "output")]
    pub safe_csv: bool,
    /// The order of the rows in -o
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub order: Order,
    /// Add the columns rank, score and stands_for (rows that the pick stands for) to -o
    #[arg(long, requires = "output")]
    pub add_scores: bool,
    /// Write score, norm and residual (outlier score) of every row as csv
    #[arg(long, value_name = "FILE")]
    pub scores: Option<PathBuf>,
    /// Write the exemplar of every row, its rank and the row's outlier score as csv [exemplars, facility]
    #[arg(long, value_name = "FILE")]
    pub assignments: Option<PathBuf>,
    /// Write a page that shows the choice and why: charts and tables in one .html file, no network needed
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Say nothing on stderr but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Say how the method fared: iterations, objective, gap, seconds of each phase
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Threads to use, 0 for all; the answer does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// What is written of pictures.
    #[command(flatten)]
    pub media: MediaOutputArgs,
    /// How it behaves.
    #[command(flatten)]
    pub out: OutputArgs,
    /// The method and its settings.
    #[command(flatten)]
    pub method: MethodArgs,
}

/// The method and its settings; which of them a method takes is decided in `method.rs`.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// How to choose
    #[arg(long, value_name = "NAME", value_parser = method::by_name(), default_value = Method::default().name())]
    pub method: Method,
    /// Start from the authors' settings; other flags override them [arss]
    #[arg(long, value_enum, value_name = "NAME")]
    pub preset: Option<Preset>,
    /// Weight of the row penalty as it stands in the objective [arss, rrss]
    #[arg(long, value_name = "X", allow_negative_numbers = true, conflicts_with = "gamma_ratio")]
    pub gamma: Option<f64>,
    /// The weight as a share of the one that chooses nothing [arss, rrss; default .1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub gamma_ratio: Option<f64>,
    /// Exponent of the loss, in (0, 1] [arss; default .5]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub p: Option<f64>,
    /// First penalty of a growing schedule [arss]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub mu: Option<f64>,
    /// Growth of the penalty, at least 1 [arss]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub rho: Option<f64>,
    /// Largest penalty [arss]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub mu_max: Option<f64>,
    /// Most iterations [arss, rrss, kmeans, kmedoids]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub iterations: Option<usize>,
    /// Stop at this accuracy; 0 runs all iterations [arss, rrss, kmeans]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Fixed-point steps of the shrinkage; 0 solves it exactly [arss]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub gst_steps: Option<u32>,
    /// Smoothing of the norms [arss, rrss]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub eps: Option<f64>,
    /// Ridge [ted; default .1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub alpha: Option<f64>,
    /// See the rows through a kernel on landmarks [arss, rrss, ted]
    #[arg(long, value_enum, value_name = "NAME")]
    pub kernel: Option<KernelName>,
    /// Rows that the others are compared with [exemplars, default 768; arss, rrss, ted with --kernel, default 256]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub landmarks: Option<usize>,
    /// Ridge of the outlier score, in (0, 1] [exemplars; default .01]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub ridge: Option<f64>,
    /// Leave no row aside: outliers may be chosen, and all rows count alike [exemplars]
    #[arg(long)]
    pub no_gate: bool,
    /// Make the first picks of a larger choice the picks of a smaller one: no swaps afterwards [exemplars]
    #[arg(long)]
    pub nested: bool,
    /// Rounds of refinement in tables of more than 4,096 rows: more are slower and better [exemplars; default 4]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub refine: Option<usize>,
    /// Do not choose a row and its copy: score times distance from the picks, instead of the top K [arss, rrss]
    #[arg(long)]
    pub diverse: bool,
    /// What rows are ranked by: the sum of |a|, a being the row of coefficients, or its length [arss, rrss; default sum]
    #[arg(long, value_parser = method::rank(), value_name = "HOW")]
    pub rank: Option<Rank>,
    /// Seed of the random numbers [all but rrqr; arss, rrss, ted with --kernel; default 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Constraints on the choice.
    #[command(flatten)]
    pub constraints: ConstraintArgs,
}

/// Constraints on the choice; `constraints.rs` reads them.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Constraints")]
pub struct ConstraintArgs {
    /// Rows that must be chosen, first and in this order: 0,7,20-29, or @FILE with one a line [exemplars]
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true)]
    pub include: Option<String>,
    /// Rows that must not be chosen, written like those of --include [exemplars]
    #[arg(long, value_name = "ROWS", allow_hyphen_values = true)]
    pub forbid: Option<String>,
    /// Column that says how much each row counts; not used to choose by [exemplars, ted]
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// Column that holds each row's group; not used to choose by [exemplars]
    #[arg(long, value_name = "COLUMN")]
    pub group: Option<String>,
    /// Most picks per group: proportional (default), or NAME=3,OTHER=5; groups not named have no limit [exemplars]
    #[arg(long, value_name = "HOW", requires = "group")]
    pub quotas: Option<String>,
}

/// The kernels by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KernelName {
    /// exp(-|x - y|^2 / h2), h2 the median squared distance
    Rbf,
}

/// Settings by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// The settings the authors published
    Paper,
}

/// The order of chosen rows in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Order {
    /// Best first
    #[default]
    Rank,
    /// As they stand in the input
    File,
}
