//! What the page shows, as it stands in the page.

use arss_table::number_text::number;
use serde::Serialize;

use crate::aside::Strangest;
use crate::cards::Cards;
use crate::charts::histogram::Histogram;
use crate::charts::map::Map;
use crate::comparison::Comparison;
use crate::curve::thinned;
use crate::explained::Explained;
use crate::how_many::HowMany;
use crate::measured::Measured;
use crate::reading::reading;
use crate::shown_rows::ShownRows;
use crate::subject::Subject;
use crate::summary::{self, counted, percent, thousands};

/// Columns whose roles are listed.
const COLUMNS: usize = 5000;

/// Everything the page shows; what there is no data for is left out.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    version: &'static str,
    command: String,
    input: String,
    /// `row` or `column`.
    item: &'static str,
    summary: [String; 3],
    /// What was read, and what became of it.
    reading: Vec<[String; 2]>,
    /// The rows that were set aside, and how sure that is.
    set_aside: Option<String>,
    facts: Vec<[String; 2]>,
    /// What each column of the file is: name, role, whether it was chosen by, why.
    columns: Vec<[String; 4]>,
    /// Names of the cells of an item, and which of them were chosen by.
    headings: Vec<String>,
    used: Vec<usize>,
    /// Which of the cells is the label.
    label: Option<usize>,
    comparison: Option<&'a Comparison>,
    cards: Cards,
    strangest: Option<Strangest>,
    map: Map,
    how_many: Option<HowMany>,
    explained: Option<Explained>,
    scores: Option<Scores>,
    outliers: Option<Chart<Histogram>>,
    convergence: Option<Convergence>,
    /// The rows whose cells are in the page, and how many there are in all.
    rows: ShownRows,
    total: usize,
}

/// A chart and what it shows in words.
#[derive(Debug, Serialize)]
pub struct Chart<T> {
    text: String,
    chart: T,
}

/// Points of a line; x counts from 1.
type Curve = Chart<Vec<[f64; 2]>>;

/// The scores: of all items as a histogram, or of the picks by rank.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scores {
    All(Chart<Histogram>),
    Picks(Curve),
}

/// What the solver did, iteration by iteration.
#[derive(Debug, Serialize)]
struct Convergence {
    text: String,
    objective: Vec<[f64; 2]>,
    /// What the stopping rule compares, and the duality gap; zeros and what does not exist are left out.
    residual: Vec<[f64; 2]>,
    gap: Vec<[f64; 2]>,
}

impl<'a> Report<'a> {
    /// Everything about `subject`.
    pub fn new(subject: &'a Subject<'_>) -> Self {
        let measured = Measured::new(subject);
        let mut rows = ShownRows::new();
        let cards = Cards::new(subject, &measured, &mut rows);
        drop(measured);
        let strangest = Strangest::new(subject, &mut rows);
        let map = Map::new(subject, &mut rows);
        Report {
            version: env!("CARGO_PKG_VERSION"),
            command: subject.command.clone(),
            input: subject.input.clone(),
            item: subject.item(),
            summary: summary::sentences(subject),
            reading: reading(subject),
            set_aside: summary::set_aside(subject),
            facts: summary::facts(subject),
            columns: columns(subject),
            headings: subject.headings(),
            used: used(subject),
            label: subject.more.label.as_ref().and_then(|name| subject.headings().iter().position(|own| own == name)),
            comparison: subject.more.comparison.as_ref(),
            cards,
            strangest,
            map,
            how_many: HowMany::new(subject),
            explained: Explained::new(subject),
            scores: scores(subject),
            outliers: outliers(subject),
            convergence: convergence(subject),
            rows,
            total: subject.items(),
        }
    }
}

/// The roles of the columns, as many as a page can show.
fn columns(subject: &Subject<'_>) -> Vec<[String; 4]> {
    let used = |used: bool| if used { "yes" } else { "no" }.to_owned();
    let columns = subject.table.columns.iter().take(COLUMNS);
    columns.map(|info| [info.name.clone(), info.role.name().to_owned(), used(info.used), info.why.clone()]).collect()
}

/// The columns of the file that were chosen by, once each.
fn used(subject: &Subject<'_>) -> Vec<usize> {
    let mut used = if subject.chose_columns { vec![0] } else { subject.table.feature_columns.clone() };
    used.sort_unstable();
    used.dedup();
    used
}

fn scores(subject: &Subject<'_>) -> Option<Scores> {
    let selection = subject.selection;
    if let Some(all) = known_scores(subject) {
        let lowest = selection.scores.iter().copied().fold(f64::INFINITY, f64::min);
        // A choice that minds more than the score has no threshold.
        let by_score = all.iter().filter(|&&score| score >= lowest).count() == selection.indices.len();
        let chart = Histogram::new(all, by_score.then_some(lowest))?;
        let chosen = if by_score { "; those from the line on were chosen" } else { "" };
        let text = format!(
            "How many {}s have which score; chosen ones have {} to {}{chosen}.",
            subject.item(),
            number(lowest),
            number(selection.scores.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        );
        return Some(Scores::All(Chart { text, chart }));
    }
    let finite = selection.scores.iter().all(|score| score.is_finite());
    let (first, last) = (selection.scores.first()?, selection.scores.last()?);
    let what = if selection.assignment.is_some() { ": what it added to the coverage" } else { "" };
    let text =
        format!("The score of each choice{what}; {} for the first, {} for the last.", number(*first), number(*last));
    finite.then(|| Scores::Picks(Chart { text, chart: thinned(selection.scores.iter().copied()) }))
}

/// The scores of all items, if they have one without being chosen.
fn known_scores<'a>(subject: &'a Subject<'_>) -> Option<&'a [f64]> {
    if subject.selection.assignment.is_some() {
        // What a pick added to the coverage: the others added nothing.
        return None;
    }
    let all = subject.selection.all_scores.as_deref()?;
    let known = all.iter().filter(|score| score.is_finite()).count();
    (known > subject.selection.indices.len()).then_some(all)
}

fn outliers(subject: &Subject<'_>) -> Option<Chart<Histogram>> {
    let scores = subject.outlier_scores()?;
    let chart = Histogram::new(scores, subject.threshold())?;
    let item = subject.item();
    let mut text = match subject.threshold() {
        Some(threshold) => {
            let beyond = (0..subject.items()).filter(|&at| subject.is_outlier(at)).count();
            let share = percent(beyond as f64 / subject.items() as f64);
            format!(
                "How many {item}s have which outlier score; {} ({share}) are beyond the threshold {threshold}.",
                thousands(beyond)
            )
        }
        None => format!(
            "How many {item}s have which outlier score: what the choice leaves of a {item}. There is no threshold."
        ),
    };
    if chart.zeros > 0 {
        text += &format!(" {} with score 0 cannot be drawn on this axis.", counted(chart.zeros, item));
    }
    Some(Chart { text, chart })
}

fn convergence(subject: &Subject<'_>) -> Option<Convergence> {
    let history = &subject.selection.report.history;
    if history.len() < 2 {
        return None;
    }
    let objective: Vec<[f64; 2]> = thinned(history.iter().map(|step| step.objective));
    // The axis is logarithmic.
    let positive = |points: Vec<[f64; 2]>| points.into_iter().filter(|point| point[1] > 0.0).collect();
    let mut residual: Vec<[f64; 2]> = positive(thinned(history.iter().map(|step| step.residual)));
    let gap: Vec<[f64; 2]> = positive(thinned(history.iter().map(|step| step.gap)));
    if residual == gap {
        // The stopping rule compares the gap, so one curve shows both.
        residual.clear();
    }
    let proof = summary::certificate(subject).map_or_else(
        || "There is no certificate: the model is not convex, or has no dual to compare with.".to_owned(),
        |proof| format!("Certificate: {proof}."),
    );
    let text = format!("The run ended: {}. {proof}", summary::ending(subject));
    Some(Convergence { text, objective, residual, gap })
}
