//! The comparison for people, for machines, and in the page.

use std::collections::HashSet;

use arss_report::{Comparison, Judged};
use arss_table::{Table, counted};
use serde::Serialize;

use super::{Compared, Entry, advice};
use crate::args::compare::CompareArgs;
use crate::terminal::text_table::{MARK, TextTable};

/// One of the measures.
struct Measure {
    name: &'static str,
    meaning: &'static str,
    /// The value, if there is one, and how it is written.
    value: fn(&Compared, &Entry) -> Option<f64>,
    write: fn(f64) -> String,
    /// True if more is better.
    more: bool,
}

const SECONDS: Measure = Measure {
    name: "seconds",
    meaning: "",
    value: |_, entry| Some(entry.seconds),
    write: |value| format!("{value:.3}"),
    more: false,
};

const MEASURES: [Measure; 3] = [
    Measure {
        name: "distance",
        meaning: "mean distance of the rows that are no outliers to their nearest pick, random choices being 1",
        value: |compared, entry| relative(compared, entry),
        write: |value| format!("{value:.4}"),
        more: false,
    },
    Measure {
        name: "outliers",
        meaning: "picks that look like outliers: their outlier score (exemplars) is above 1",
        value: |_, entry| Some(entry.verdict.outliers),
        write: |value| if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.1}") },
        more: false,
    },
    Measure {
        name: "reconstruction",
        meaning: "what is left of all rows when they are projected on the span of the picks, as a share of their length",
        value: |_, entry| Some(entry.verdict.reconstruction),
        write: |value| format!("{value:.4}"),
        more: false,
    },
];

const ACCURACY: Measure = Measure {
    name: "accuracy",
    meaning: "share of the other rows whose nearest pick has their label; the label was not used for choosing",
    value: |_, entry| entry.verdict.accuracy,
    write: |value| format!("{value:.4}"),
    more: true,
};

/// The distance with that of random choices as unit.
fn relative(compared: &Compared, entry: &Entry) -> Option<f64> {
    (compared.random > 0.0).then(|| entry.verdict.distance / compared.random)
}

impl Measure {
    fn text(&self, compared: &Compared, entry: &Entry) -> String {
        (self.value)(compared, entry).map_or_else(|| "-".to_owned(), self.write)
    }

    /// Which of the methods have the best value as it is written; none if all have it.
    fn best(&self, compared: &Compared) -> Vec<bool> {
        let values: Vec<Option<f64>> = compared.entries.iter().map(|entry| (self.value)(compared, entry)).collect();
        let better = |a: f64, b: f64| if self.more { a.max(b) } else { a.min(b) };
        let Some(best) = values.iter().copied().flatten().reduce(better).map(self.write) else {
            return vec![false; values.len()];
        };
        let is_best: Vec<bool> = values.iter().map(|value| value.map(self.write).as_ref() == Some(&best)).collect();
        if is_best.iter().all(|is| *is) { vec![false; values.len()] } else { is_best }
    }
}

fn measures(labelled: bool) -> impl Iterator<Item = Measure> {
    MEASURES.into_iter().chain(labelled.then_some(ACCURACY))
}

/// The table on the terminal; the best of each column is marked.
pub fn sheet(compared: &Compared, args: &CompareArgs) -> TextTable {
    let all: Vec<Measure> = std::iter::once(SECONDS).chain(measures(args.read.label.is_some())).collect();
    let best: Vec<Vec<bool>> = all.iter().map(|measure| measure.best(compared)).collect();
    // The mark's place is kept free, so that the digits stand below each other.
    let names = all.iter().map(|measure| format!("{} ", measure.name));
    let mut sheet = TextTable::new(std::iter::once("method".to_owned()).chain(names));
    for (at, entry) in compared.entries.iter().enumerate() {
        let cells = all
            .iter()
            .zip(&best)
            .map(|(measure, best)| format!("{}{}", measure.text(compared, entry), if best[at] { MARK } else { ' ' }));
        sheet.add(std::iter::once(entry.name.to_owned()).chain(cells));
    }
    sheet
}

/// The comparison as the page shows it. Seconds are apart from the rest: all else is the same in every run.
pub fn page(compared: &Compared, args: &CompareArgs, table: &Table) -> Comparison {
    let all: Vec<Measure> = measures(args.read.label.is_some()).collect();
    let best: Vec<Vec<bool>> = all.iter().map(|measure| measure.best(compared)).collect();
    let rows = compared.entries.iter().enumerate().map(|(at, entry)| Judged {
        method: entry.name,
        values: all.iter().map(|measure| measure.text(compared, entry)).collect(),
        best: best.iter().map(|best| best[at]).collect(),
        indices: entry.indices.iter().map(|&row| table.number(row)).collect(),
    });
    let picks = compared.entries.first().map_or(0, |entry| entry.indices.len());
    let total = table.matrix.shape().0;
    let mut text = format!("Each method chose {picks} rows with its default settings; the best first.");
    if compared.judged < total {
        text += &format!(" Judged on {} of {total} rows, drawn at random.", compared.judged);
    }
    text += " Random is the mean of ten draws; its picks are those of the first.";
    let left_out = compared.left_out.iter().map(|(name, reason)| format!("Left out: {name}, {reason}."));
    Comparison {
        text,
        advice: advice::advice(compared, args.read.label.is_some()),
        overlap: compared.entries.iter().map(|entry| overlaps(entry, &compared.entries)).collect(),
        seconds: compared.entries.iter().map(|entry| entry.seconds).collect(),
        measures: all.iter().map(|measure| [measure.name, measure.meaning]).collect(),
        rows: rows.collect(),
        left_out: left_out.collect(),
    }
}

/// The share of the picks of one method that each of the methods chose, too.
fn overlaps(entry: &Entry, others: &[Entry]) -> Vec<f64> {
    let own: HashSet<usize> = entry.indices.iter().copied().collect();
    let common = |other: &Entry| other.indices.iter().filter(|row| own.contains(row)).count();
    others.iter().map(|other| common(other) as f64 / own.len().max(1) as f64).collect()
}

/// The comparison as one JSON object.
#[derive(Debug, Serialize)]
struct Outcome<'a> {
    n_samples: usize,
    n_features: usize,
    k: usize,
    label: Option<&'a str>,
    /// Rows that the methods were judged on, and rows that look like outliers.
    judged: usize,
    outliers: usize,
    methods: Vec<Line<'a>>,
    left_out: Vec<Left<'a>>,
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    method: &'a str,
    seconds: f64,
    /// Mean distance of ordinary rows to the nearest pick, and the same with random choices as unit.
    mean_distance: f64,
    distance: Option<f64>,
    outliers: f64,
    reconstruction: f64,
    accuracy: Option<f64>,
    indices: Vec<usize>,
    notes: &'a [String],
}

#[derive(Debug, Serialize)]
struct Left<'a> {
    method: &'a str,
    reason: &'a str,
}

/// The comparison as text for machines, with a line break at the end.
pub fn json(compared: &Compared, args: &CompareArgs, table: &Table) -> String {
    let (n_samples, n_features) = table.matrix.shape();
    let methods = compared.entries.iter().map(|entry| Line {
        method: entry.name,
        seconds: entry.seconds,
        mean_distance: entry.verdict.distance,
        distance: relative(compared, entry),
        outliers: entry.verdict.outliers,
        reconstruction: entry.verdict.reconstruction,
        accuracy: entry.verdict.accuracy,
        indices: entry.indices.iter().map(|&row| table.number(row)).collect(),
        notes: &entry.notes,
    });
    let outcome = Outcome {
        n_samples,
        n_features,
        k: compared.entries.first().map_or(0, |entry| entry.indices.len()),
        label: args.read.label.as_deref(),
        judged: compared.judged,
        outliers: compared.outliers,
        methods: methods.collect(),
        left_out: compared.left_out.iter().map(|(method, reason)| Left { method, reason }).collect(),
    };
    // Strings and numbers only: there is nothing that could fail.
    serde_json::to_string(&outcome).unwrap_or_default() + "\n"
}

/// The run in one line.
pub fn summary(compared: &Compared, table: &Table) -> String {
    let (rows, columns) = table.matrix.shape();
    let judged = if compared.judged < rows { format!(", judged on {} rows", compared.judged) } else { String::new() };
    format!(
        "compare: {rows} x {columns}, {} methods{judged}, {} beyond the gate; {MARK} marks the best, distance of \
         random choices = 1",
        compared.entries.len(),
        counted(compared.outliers, "row")
    )
}
