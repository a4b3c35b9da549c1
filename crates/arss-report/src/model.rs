//! What the page shows, as it stands in the page.

use arss_table::number_text::number;
use serde::Serialize;

use crate::charts::histogram::Histogram;
use crate::charts::map::Map;
use crate::comparison::Comparison;
use crate::neighbours;
use crate::subject::Subject;
use crate::summary::{self, counted, percent};

/// Picks in the table and in the charts.
const PICKS: usize = 500;
/// Rows in the table of the strangest.
const STRANGEST: usize = 20;
/// Columns whose roles are listed.
const COLUMNS: usize = 200;
/// Points of a curve.
const CURVE: usize = 400;
/// Bytes of cells in the table of the picks; the map has its own.
const BYTES: usize = 200_000;

/// Everything the page shows; what there is no data for is left out.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    version: &'static str,
    command: String,
    input: String,
    /// `row` or `column`.
    item: &'static str,
    summary: [String; 3],
    /// The rows that were set aside, and how sure that is.
    set_aside: Option<String>,
    facts: Vec<[String; 2]>,
    /// What each column of the file is: name, role, whether it was chosen by, why.
    columns: Vec<[String; 4]>,
    /// Names of the cells of an item.
    headings: Vec<String>,
    map: Map,
    coverage: Option<Curve>,
    scores: Option<Scores>,
    outliers: Option<Chart<Histogram>>,
    convergence: Option<Convergence>,
    picks: Picks,
    strangest: Option<Vec<Strange>>,
    comparison: Option<&'a Comparison>,
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

/// The table of the picks.
#[derive(Debug, Serialize)]
struct Picks {
    title: String,
    text: String,
    rows: Vec<Pick>,
}

#[derive(Debug, Serialize)]
struct Pick {
    rank: usize,
    item: usize,
    score: f64,
    share: Option<f64>,
    outlier: f64,
    cells: Vec<String>,
    near: Vec<usize>,
}

#[derive(Debug, Serialize)]
struct Strange {
    item: usize,
    outlier: f64,
    chosen: bool,
    /// The columns that make it strange, where the method knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    cells: Vec<String>,
}

impl<'a> Report<'a> {
    /// Everything about `subject`.
    pub fn new(subject: &'a Subject<'_>) -> Self {
        Report {
            version: env!("CARGO_PKG_VERSION"),
            command: subject.command.clone(),
            input: subject.input.clone(),
            item: subject.item(),
            summary: summary::sentences(subject),
            set_aside: summary::set_aside(subject),
            facts: summary::facts(subject),
            columns: columns(subject),
            headings: subject.headings(),
            map: Map::new(subject),
            coverage: coverage(subject),
            scores: scores(subject),
            outliers: outliers(subject),
            convergence: convergence(subject),
            picks: picks(subject),
            strangest: strangest(subject),
            comparison: subject.more.comparison.as_ref(),
        }
    }
}

/// The roles of the columns, as many as a page can show.
fn columns(subject: &Subject<'_>) -> Vec<[String; 4]> {
    let used = |used: bool| if used { "yes" } else { "no" }.to_owned();
    let columns = subject.table.columns.iter().take(COLUMNS);
    columns.map(|info| [info.name.clone(), info.role.name().to_owned(), used(info.used), info.why.clone()]).collect()
}

fn coverage(subject: &Subject<'_>) -> Option<Curve> {
    let coverage = &subject.selection.assignment.as_ref()?.coverage;
    let (first, last) = (coverage.first()?, coverage.last()?);
    let text = format!(
        "The mean similarity of a {} to the nearest exemplar, 0 to 1, after each choice: {} with the first, {} with all \
         {} that were chosen (marked).",
        subject.item(),
        number(*first),
        number(*last),
        coverage.len()
    );
    Some(Chart { text, chart: thinned(coverage.iter().copied()) })
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
                "How many {item}s have which outlier score; {beyond} ({share}) are beyond the threshold {threshold}."
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

/// The values numbered from 1, without those that do not exist, and not all of them if they are many.
fn thinned(values: impl ExactSizeIterator<Item = f64>) -> Vec<[f64; 2]> {
    let count = values.len();
    let step = count.div_ceil(CURVE).max(1);
    let kept = values.enumerate().filter(|(at, _)| at % step == 0 || at + 1 == count);
    kept.filter(|(_, value)| value.is_finite()).map(|(at, value)| [(at + 1) as f64, value]).collect()
}

fn picks(subject: &Subject<'_>) -> Picks {
    let selection = subject.selection;
    let item = subject.item();
    let cells = fitting(subject, &selection.indices[..selection.indices.len().min(PICKS)], BYTES);
    let shown = &selection.indices[..cells.len()];
    let (near, searched) = neighbours::nearest(subject, shown);
    let rows = shown.iter().zip(cells).zip(near).enumerate();
    let rows = rows.map(|(at, ((&item, cells), near))| Pick {
        rank: at + 1,
        item: subject.number(item),
        score: selection.scores[at],
        share: selection.assignment.as_ref().map(|assignment| assignment.shares[at]),
        outlier: selection.residuals[item],
        cells,
        near: near.into_iter().map(|item| subject.number(item)).collect(),
    });
    let mut text = format!("Best first; {item}s are counted from 0.");
    if shown.len() < selection.indices.len() {
        text += &format!(" The first {} of {}.", shown.len(), selection.indices.len());
    }
    if searched < subject.items() {
        text += &format!(" Nearest {item}s are those among {searched} drawn at random.");
    }
    let title = if selection.assignment.is_some() { "The exemplars".to_owned() } else { format!("The chosen {item}s") };
    Picks { title, text, rows: rows.collect() }
}

fn strangest(subject: &Subject<'_>) -> Option<Vec<Strange>> {
    let scores = subject.outlier_scores()?;
    let items = summary::strangest(subject, STRANGEST);
    let cells = fitting(subject, &items, BYTES);
    let mut why = subject.reasons(&items[..cells.len()]).map(Vec::into_iter);
    let strange = |(&item, cells): (&usize, Vec<String>)| Strange {
        item: subject.number(item),
        outlier: scores[item],
        chosen: subject.selection.indices.contains(&item),
        why: why.as_mut().and_then(Iterator::next),
        cells,
    };
    Some(items.iter().zip(cells).map(strange).collect())
}

/// The cells of the first items, as many as take no more than so many bytes in the page; of one at least.
pub fn fitting(subject: &Subject<'_>, items: &[usize], bytes: usize) -> Vec<Vec<String>> {
    let mut left = bytes;
    let mut found = Vec::new();
    subject.fetch(items);
    for &item in items {
        let cells = subject.cells(item);
        let size: usize = cells.iter().map(|cell| size_in_page(cell)).sum();
        if size > left && !found.is_empty() {
            break;
        }
        left = left.saturating_sub(size);
        found.push(cells);
    }
    found
}

/// Bytes of a cell at most: its quotes and comma, and six for what has to be escaped.
fn size_in_page(cell: &str) -> usize {
    let escaped = |c: char| c.is_control() || "<>&\"\\\u{2028}\u{2029}".contains(c);
    3 + cell.chars().map(|c| if escaped(c) { 6 } else { c.len_utf8() }).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_keep_their_ends() {
        let points = thinned((0..10_001).map(f64::from));
        assert!(points.len() <= CURVE + 1);
        assert_eq!((points[0], points[points.len() - 1]), ([1.0, 0.0], [10_001.0, 10_000.0]));
        assert_eq!(thinned([1.0, f64::NAN, 3.0].into_iter()), [[1.0, 1.0], [3.0, 3.0]]);
    }

    #[test]
    fn the_size_of_a_cell_is_no_less_than_what_is_written() {
        for cell in ["", "plain", "<script>&\"\\\u{2028}", "naïve ☃", "\u{1}\n\t"] {
            let written = crate::page::escaped(&serde_json::to_string(cell).unwrap()).len() + 1;
            assert!(size_in_page(cell) >= written, "{cell:?}");
        }
    }
}
