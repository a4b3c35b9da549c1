//! The strangest rows: how strange, and which cells make them so.

use arss_table::numeric_view::NumericView;
use serde::Serialize;

use crate::outlier_reasons::{Reason, Reasons};
use crate::shown_rows::ShownRows;
use crate::subject::Subject;
use crate::summary;

/// Rows that are listed, and most of those that were set aside.
const STRANGEST: usize = 20;
const ASIDE: usize = 200;

/// The strangest rows.
#[derive(Debug, Serialize)]
pub struct Strangest {
    text: String,
    rows: Vec<Strange>,
}

#[derive(Debug, Serialize)]
struct Strange {
    item: usize,
    /// Its place among the rows whose cells are in the page.
    at: Option<usize>,
    outlier: f64,
    chosen: bool,
    aside: bool,
    /// The rank of the nearest pick.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<usize>,
    /// The columns that make it strange, where the method knows, in words, and the marked cells: column of the file and
    /// how far it is above the nearest pick, in usual differences.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    marks: Vec<(usize, f64)>,
}

impl Strangest {
    /// The strangest rows of `subject`, all that were set aside among them if these are not too many; none if there are no
    /// outlier scores. They are added to `shown`.
    pub fn new(subject: &Subject<'_>, shown: &mut ShownRows) -> Option<Self> {
        let scores = subject.outlier_scores()?;
        let aside = (0..subject.items()).filter(|&item| subject.is_outlier(item)).count();
        let items = summary::strangest(subject, aside.clamp(STRANGEST, ASIDE));
        shown.add(subject, &items);
        let reasons = reasons(subject);
        let labels = subject.selection.assignment.as_ref().map(|assignment| &assignment.labels);
        let strange = |&item: &usize| {
            let found = reasons.as_ref().map(|reasons| reasons.marks(item, subject.table));
            let column = |reason: &Reason| (subject.table.feature_columns[reason.column], reason.difference);
            Strange {
                item: subject.number(item),
                at: shown.place(item),
                outlier: scores[item],
                chosen: subject.selection.indices.contains(&item),
                aside: subject.was_set_aside(item),
                nearest: labels.map(|labels| labels[item] + 1),
                why: reasons.as_ref().map(|reasons| reasons.text(item, subject.table)),
                marks: found.map_or_else(Vec::new, |found| found.iter().map(column).collect()),
            }
        };
        let rows: Vec<Strange> = items.iter().map(strange).collect();
        let what = subject.item();
        let mut text = format!("The {} {what}s with the largest outlier scores, the strangest first.", rows.len());
        if reasons.is_some() {
            text += " Marked are the cells in which a row differs most from its nearest exemplar: + above and - below, in \
                     usual differences of ordinary rows.";
        }
        Some(Strangest { text, rows })
    }
}

fn reasons<'a>(subject: &'a Subject<'_>) -> Option<Reasons<'a>> {
    if subject.chose_columns || subject.threshold().is_none() {
        return None;
    }
    let cells = NumericView::new(&subject.table.matrix).ok()?;
    Reasons::new(cells, subject.table.outlier_columns(), subject.selection)
}
