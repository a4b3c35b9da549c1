//! The result as one JSON object.

use arss::{Selection, SetAside, Status};
use arss_media::Media;
use arss_table::{ColumnInfo, Table};
use serde::Serialize;
use serde_json::Value;

use crate::solve::Job;

/// The result; numbers that do not exist are null.
#[derive(Debug, Serialize)]
struct Result<'a> {
    method: &'a str,
    /// What was chosen: `rows` or `columns`.
    axis: &'a str,
    n_samples: usize,
    n_features: usize,
    k: usize,
    /// From 0, best first; the places of rows and columns in the file.
    indices: Vec<usize>,
    /// What names the chosen rows, where a column does.
    #[serde(skip_serializing_if = "Option::is_none")]
    ids: Option<Vec<String>>,
    /// Names of the chosen columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<Vec<String>>,
    scores: &'a [f64],
    /// What was set aside (exemplars).
    #[serde(flatten)]
    gate: Option<Gate>,
    /// The share of the items that each pick stands for (exemplars, facility).
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<&'a [f64]>,
    /// The coverage by the first 1, 2, ... picks (exemplars, facility).
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<&'a [f64]>,
    status: &'a str,
    iterations: usize,
    objective: f64,
    gap: Option<f64>,
    gamma: Option<f64>,
    constraint_residual: Option<f64>,
    rows_scored: usize,
    /// All phases together; times are not in files, which would differ from run to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    solve_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<Seconds>,
    notes: Vec<String>,
    /// The columns that were used to choose, where the file names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<Vec<&'a str>>,
    /// What each column of the file is, and what became of it.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    column_roles: &'a [ColumnInfo],
    /// What was found in a folder of files besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    media: Option<Value>,
}

/// Items beyond the gate, and how sure that is; null where there are none.
#[derive(Debug, Serialize)]
struct Gate {
    outliers: usize,
    #[serde(flatten)]
    how: HowSure,
}

/// How sure it is that rows are outliers; null where none were set aside.
#[derive(Debug, Serialize)]
pub struct HowSure {
    /// How clearly they differ from the other rows, 0 to 1.
    outlier_confidence: Option<f64>,
    /// The share of them that have another one near by: of a group most do, of scattered errors few.
    outlier_company: Option<f64>,
}

impl HowSure {
    /// What a result says.
    pub fn of(aside: Option<SetAside>) -> Self {
        HowSure {
            outlier_confidence: aside.map(|aside| aside.confidence),
            outlier_company: aside.map(|aside| aside.company),
        }
    }
}

#[derive(Debug, Serialize)]
struct Seconds {
    prepare: f64,
    solve: f64,
    score: f64,
}

/// How a run ended, as a word for machines: only an interruption stops one early.
pub fn status(status: Status) -> &'static str {
    if status == Status::Stopped { "interrupted" } else { status.as_str() }
}

/// The result as text, with a line break at the end: one line with times for stdout, or many without for a file.
pub fn text(table: &Table, job: &Job<'_>, selection: &Selection, (media, for_file): (Option<&Media>, bool)) -> String {
    let assignment = selection.assignment.as_ref();
    let (n_samples, n_features) = table.matrix.shape();
    let report = &selection.report;
    let aside = report.set_aside();
    let name = |&column: &usize| table.name(column).map(str::to_owned);
    let seconds = report.seconds;
    let result = Result {
        method: job.method.name(),
        axis: if job.features { "columns" } else { "rows" },
        n_samples,
        n_features,
        k: selection.indices.len(),
        indices: table.numbers(&selection.indices, job.features),
        ids: if job.features { None } else { selection.indices.iter().map(|&row| table.id(row)).collect() },
        names: if job.features { selection.indices.iter().map(name).collect() } else { None },
        scores: &selection.scores,
        gate: (job.method.name() == "exemplars")
            .then(|| Gate { outliers: aside.map_or(0, |aside| aside.rows), how: HowSure::of(aside) }),
        shares: assignment.map(|assignment| assignment.shares.as_slice()),
        coverage: assignment.map(|assignment| assignment.coverage.as_slice()),
        status: status(report.status),
        iterations: report.iterations,
        objective: report.objective,
        gap: report.gap,
        gamma: report.gamma,
        constraint_residual: report.constraint_residual,
        rows_scored: report.rows_scored,
        solve_seconds: (!for_file).then_some(seconds.prepare + seconds.solve + seconds.score),
        seconds: (!for_file).then_some(Seconds {
            prepare: seconds.prepare,
            solve: seconds.solve,
            score: seconds.score,
        }),
        notes: report.notes.iter().map(ToString::to_string).collect(),
        columns: (0..n_features).map(|column| table.name(column)).collect(),
        column_roles: &table.columns,
        media: media.map(|media| media.json(&table.numbers(&selection.indices, false))),
    };
    let written = if for_file { serde_json::to_string_pretty(&result) } else { serde_json::to_string(&result) };
    // Strings and numbers only: there is nothing that could fail.
    let mut text = written.unwrap_or_default();
    text.push('\n');
    text
}
