//! What `select --result` keeps: everything that the page is made from, besides the table itself.
//!
//! No times and no folders are in it: the same command gives the same bytes.

use std::path::Path;

use arss::{Assignment, HistoryStep, Note, Report, Seconds, Selection, Status};
use arss_table::TableError;
use serde::{Deserialize, Serialize};

/// The form of the file; another number is another form.
const FORM: u32 = 1;

/// A result as it stands in the file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Saved {
    /// Says what the file is.
    pub arss_result: u32,
    /// The version that made it.
    pub version: String,
    /// The command line, word by word, settings of a file included.
    pub command: Vec<String>,
    /// What was chosen from.
    pub input: Input,
    /// What was found.
    pub selection: Found,
}

/// What was chosen from.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Input {
    /// Its size, if it was a file.
    pub bytes: Option<u64>,
    /// Rows.
    pub rows: usize,
    /// Columns that were chosen by.
    pub columns: usize,
    /// Of the values, the names and the chosen rows.
    pub checksum: String,
}

/// A number, or null where there is none.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(from = "Option<f64>", into = "f64")]
struct Number(f64);

impl From<Option<f64>> for Number {
    fn from(value: Option<f64>) -> Self {
        Number(value.unwrap_or(f64::NAN))
    }
}

impl From<Number> for f64 {
    fn from(number: Number) -> Self {
        number.0
    }
}

/// A selection as it stands in the file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Found {
    status: String,
    iterations: usize,
    objective: Number,
    constraint_residual: Option<f64>,
    gap: Option<f64>,
    gamma: Option<f64>,
    rows_scored: usize,
    notes: Vec<SavedNote>,
    indices: Vec<usize>,
    scores: Vec<Number>,
    outlier_scores: Vec<Number>,
    all_scores: Option<Vec<Number>>,
    row_norms: Option<Vec<Number>>,
    assignment: Option<SavedAssignment>,
    /// Iteration, objective, residual, gap, penalty and active share.
    history: Vec<(usize, [Number; 5])>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedAssignment {
    labels: Vec<usize>,
    shares: Vec<Number>,
    coverage: Vec<Number>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SavedNote {
    Saturated { k: usize, rank: usize },
    LossNeverActed,
    Sampled { rows: usize },
    Gated { rows: usize, items: usize },
}

fn numbers(values: &[f64]) -> Vec<Number> {
    values.iter().copied().map(Number).collect()
}

fn plain(values: Vec<Number>) -> Vec<f64> {
    values.into_iter().map(f64::from).collect()
}

impl Saved {
    /// The result of a command line.
    pub fn new(command: Vec<String>, input: Input, selection: &Selection) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Saved { arss_result: FORM, version, command, input, selection: Found::new(selection) }
    }

    /// The result as text.
    pub fn text(&self) -> String {
        // Strings and numbers only: there is nothing that could fail.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads a result.
    pub fn read(path: &Path) -> Result<Self, TableError> {
        let bytes = std::fs::read(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => TableError::in_file(path, "there is no such file"),
            _ => TableError::in_file(path, format_args!("cannot be read: {error}")),
        })?;
        let no_result =
            |why: String| TableError::in_file(path, format_args!("is no result of select --result ({why})"));
        let saved: Saved = serde_json::from_slice(&bytes).map_err(|error| no_result(error.to_string()))?;
        if saved.arss_result == FORM { Ok(saved) } else { Err(no_result("it is of another version".to_owned())) }
    }
}

impl Found {
    fn new(selection: &Selection) -> Self {
        let report = &selection.report;
        let step = |step: &HistoryStep| {
            (step.iteration, [step.objective, step.residual, step.gap, step.mu, step.active].map(Number))
        };
        Found {
            status: report.status.as_str().to_owned(),
            iterations: report.iterations,
            objective: Number(report.objective),
            constraint_residual: report.constraint_residual,
            gap: report.gap,
            gamma: report.gamma,
            rows_scored: report.rows_scored,
            notes: report.notes.iter().filter_map(saved_note).collect(),
            indices: selection.indices.clone(),
            scores: numbers(&selection.scores),
            outlier_scores: numbers(&selection.residuals),
            all_scores: selection.all_scores.as_deref().map(numbers),
            row_norms: selection.row_norms.as_deref().map(numbers),
            assignment: selection.assignment.as_ref().map(|assignment| SavedAssignment {
                labels: assignment.labels.clone(),
                shares: numbers(&assignment.shares),
                coverage: numbers(&assignment.coverage),
            }),
            history: report.history.iter().map(step).collect(),
        }
    }

    /// The chosen items.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// The selection among `items` items; `None` if it does not fit them.
    pub fn selection(self, method: &'static str, items: usize) -> Option<Selection> {
        let picks = self.indices.len();
        let one_each = |values: &Option<Vec<Number>>| values.as_ref().is_none_or(|values| values.len() == items);
        let fits = self.indices.iter().all(|&item| item < items)
            && (1..=items).contains(&picks)
            && self.scores.len() == picks
            && self.outlier_scores.len() == items
            && one_each(&self.all_scores)
            && one_each(&self.row_norms)
            && self.assignment.as_ref().is_none_or(|assignment| assignment.fits(items, picks));
        let step = |(iteration, numbers): (usize, [Number; 5])| {
            let [objective, residual, gap, mu, active] = numbers.map(f64::from);
            HistoryStep { iteration, objective, residual, gap, mu, active }
        };
        let report = Report {
            status: [Status::Converged, Status::IterationLimit, Status::Stopped]
                .into_iter()
                .find(|status| status.as_str() == self.status)?,
            iterations: self.iterations,
            objective: self.objective.0,
            constraint_residual: self.constraint_residual,
            gap: self.gap,
            gamma: self.gamma,
            history: self.history.into_iter().map(step).collect(),
            seconds: Seconds::default(),
            rows_scored: self.rows_scored,
            notes: self.notes.into_iter().map(note).collect(),
        };
        fits.then(|| Selection {
            method,
            indices: self.indices,
            scores: plain(self.scores),
            all_scores: self.all_scores.map(plain),
            assignment: self.assignment.map(|saved| Assignment {
                labels: saved.labels,
                shares: plain(saved.shares),
                coverage: plain(saved.coverage),
            }),
            row_norms: self.row_norms.map(plain),
            residuals: plain(self.outlier_scores),
            solution: None,
            report,
        })
    }
}

impl SavedAssignment {
    fn fits(&self, items: usize, picks: usize) -> bool {
        self.labels.len() == items
            && self.labels.iter().all(|&label| label < picks)
            && self.shares.len() == picks
            && self.coverage.len() == picks
    }
}

/// Notes that a later version of the core may add are left out.
fn saved_note(note: &Note) -> Option<SavedNote> {
    match *note {
        Note::Saturated { k, rank } => Some(SavedNote::Saturated { k, rank }),
        Note::LossNeverActed => Some(SavedNote::LossNeverActed),
        Note::Sampled { rows } => Some(SavedNote::Sampled { rows }),
        Note::Gated { rows, items } => Some(SavedNote::Gated { rows, items }),
        _ => None,
    }
}

fn note(saved: SavedNote) -> Note {
    match saved {
        SavedNote::Saturated { k, rank } => Note::Saturated { k, rank },
        SavedNote::LossNeverActed => Note::LossNeverActed,
        SavedNote::Sampled { rows } => Note::Sampled { rows },
        SavedNote::Gated { rows, items } => Note::Gated { rows, items },
    }
}
