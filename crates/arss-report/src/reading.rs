//! What was read, and what became of it before the choice: names and sentences.

use arss::Metric;
use arss_table::{ByName, Encoding, Missing, Scale};

use crate::subject::Subject;
use crate::summary::{counted, percent, thousands};

/// Columns that are named in a sentence.
const NAMED: usize = 8;

/// What was read, left out, filled, dropped, encoded, scaled and set aside.
pub fn reading(subject: &Subject<'_>) -> Vec<[String; 2]> {
    let table = subject.table;
    let (rows, features) = table.matrix.shape();
    let (all, headings) = (table.source.rows(), table.source.headings.len());
    let mut told: Vec<[String; 2]> = Vec::new();
    let mut tell = |name: &str, text: String| told.push([name.to_owned(), text]);
    tell("Read", format!("{} and {} of {}.", counted(all, "row"), counted(headings, "column"), subject.input));
    let mut used: Vec<usize> = table.feature_columns.clone();
    used.dedup();
    let what = if subject.chose_columns { "Chosen among" } else { "Chosen by" };
    tell(what, format!("{} of {}.", thousands(used.len()), counted(headings, "column")));
    tell("Left out", left_out(subject));
    if let Some(text) = encoded(subject, features) {
        tell("Encoded", text);
    }
    tell("Missing cells", filled(subject, all - rows));
    tell("Scaled", scaled(subject));
    tell("Set aside", aside(subject));
    told
}

/// The columns that were not chosen by, with the reason.
fn left_out(subject: &Subject<'_>) -> String {
    let out: Vec<String> = subject
        .table
        .columns
        .iter()
        .filter(|info| !info.used)
        .map(|info| if info.why.is_empty() { info.name.clone() } else { format!("{} ({})", info.name, info.why) })
        .collect();
    let more = out.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {} more, see Columns below", thousands(more)) } else { String::new() };
    let shown = out[..out.len().min(NAMED)].join("; ");
    if out.is_empty() { "No column.".to_owned() } else { format!("{}: {shown}{more}.", counted(out.len(), "column")) }
}

/// Columns that became several, or numbers that were none.
fn encoded(subject: &Subject<'_>, features: usize) -> Option<String> {
    let table = subject.table;
    let mut texts: Vec<usize> = Vec::new();
    let mut vectors: Vec<usize> = Vec::new();
    for (at, encoding) in table.encodings.iter().enumerate() {
        let list = match encoding {
            Encoding::Texts(_) | Encoding::Ranks(_) => &mut texts,
            Encoding::Element(_) => &mut vectors,
            Encoding::Number => continue,
        };
        if list.last() != Some(&table.feature_columns[at]) {
            list.push(table.feature_columns[at]);
        }
    }
    let names = |columns: &[usize]| {
        let shown: Vec<&str> = columns.iter().take(NAMED).map(|&at| table.source.headings[at].as_str()).collect();
        format!("{}{}", shown.join(", "), if columns.len() > NAMED { ", ..." } else { "" })
    };
    let mut parts = Vec::new();
    if !texts.is_empty() {
        parts.push(format!("{} as categories ({})", counted(texts.len(), "column"), names(&texts)));
    }
    if !vectors.is_empty() {
        parts.push(format!("{} as a list of numbers ({})", counted(vectors.len(), "column"), names(&vectors)));
    }
    (!parts.is_empty()).then(|| format!("{}: {} in all.", parts.join("; "), counted(features, "number")))
}

fn filled(subject: &Subject<'_>, dropped: usize) -> String {
    let mut parts = Vec::new();
    if subject.table.filled > 0 {
        let by = if subject.more.missing == Missing::Mean { "mean" } else { "median" };
        let count = counted(subject.table.filled, "missing cell");
        parts.push(format!("{count} filled in with the column's {by}, or the commonest category"));
    }
    if dropped > 0 {
        let why = if subject.more.missing == Missing::Drop { "a cell is missing" } else { "most cells are missing" };
        parts.push(format!("{} left out because {why}", counted(dropped, "row")));
    }
    if parts.is_empty() { "None in the columns that were chosen by.".to_owned() } else { parts.join("; ") + "." }
}

fn scaled(subject: &Subject<'_>) -> String {
    let how = Scale::all().into_iter().find(|(_, scale, _)| *scale == subject.more.scale);
    let how = how.map_or(String::new(), |(name, _, help)| format!("{help} (--scale {name})."));
    let by_angle =
        if subject.more.metric == Metric::Cosine { " Rows are compared by the angle between them." } else { "" };
    format!("{how}{by_angle} What the page shows are the cells as they came.")
}

fn aside(subject: &Subject<'_>) -> String {
    match subject.selection.report.set_aside() {
        None => "No row.".to_owned(),
        Some(aside) => format!(
            "{} of {} ({}), with a confidence of {:.2} of 1.",
            thousands(aside.rows),
            counted(aside.items, "row"),
            percent(aside.rows as f64 / aside.items as f64),
            aside.confidence
        ),
    }
}
