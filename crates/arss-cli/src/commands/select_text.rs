//! What is said about a choice: the picks as a table, and the run in a line.

use arss::{Selection, Status};
use arss_media::Media;
use arss_table::number_text::number;
use arss_table::{Table, counted};

use crate::selection_json;
use crate::solve::Job;
use crate::terminal::text_table::TextTable;

/// The picks for people: rank, number, score, the share it stands for where that is known, and what the item is.
pub fn picks_sheet(table: &Table, job: &Job<'_>, selection: &Selection, media: Option<&Media>) -> TextTable {
    let best_first = || (0..selection.indices.len()).collect();
    let ranks: Vec<usize> = media.map_or_else(best_first, |media| media.shown_order(&selection.indices));
    let ranked = ranks.into_iter().map(|rank| (rank, (&selection.indices[rank], &selection.scores[rank])));
    let shares = selection.assignment.as_ref().map(|assignment| assignment.shares.as_slice());
    let start = |rank: usize, item: usize, score: f64| {
        let item = table.place_of(item, job.features);
        let cells = [(rank + 1).to_string(), item.to_string(), number(score)];
        cells.into_iter().chain(shares.map(|shares| format!("{:.4}", shares[rank])))
    };
    let heading = |item: &str| {
        ["rank", item, "score"]
            .into_iter()
            .chain(shares.map(|_| "share"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .into_iter()
    };
    if job.features {
        let names = &table.feature_names;
        let mut sheet = TextTable::new(heading("column").chain(["name".to_owned()]));
        ranked.for_each(|(rank, (&item, &score))| {
            sheet.add(start(rank, item, score).chain([names[item].clone()]));
        });
        return sheet;
    }
    table.fetch(&selection.indices);
    // Terms of texts in a table of the user's, which has no column for them.
    let terms = media.filter(|media| media.paths.is_empty() && !media.terms.is_empty());
    let terms = terms.filter(|_| !table.headings().contains(&"terms".to_owned()));
    let more = terms.map(|_| "terms".to_owned());
    let mut sheet = TextTable::new(heading("row").chain(table.headings()).chain(more));
    ranked.for_each(|(rank, (&item, &score))| {
        let more = terms.map(|media| media.terms[table.number(item)].clone());
        sheet.add(start(rank, item, score).chain(table.cells(item)).chain(more));
    });
    sheet
}

/// The run in one line, in the words of whoever reads the table.
pub fn summary(table: &Table, job: &Job<'_>, selection: &Selection, media: Option<&Media>) -> String {
    let (rows, columns) = table.matrix.shape();
    let noun = media.map_or("row", |media| media.kind.noun());
    let chosen = selection.indices.len();
    // What the picks cover: rows that were left aside count neither for nor against them.
    let mut whole = if media.is_some() { "them" } else { "the table" };
    let mut line = if job.features {
        format!("{} of {}, {chosen} chosen", counted(columns, "column"), counted(rows, "row"))
    } else {
        let read = table.source.rows();
        let aside = read - rows + selection.report.set_aside().map_or(0, |aside| aside.rows);
        if aside > 0 {
            whole = "the rest";
        }
        let aside = if aside > 0 { format!(", {aside} left aside") } else { String::new() };
        let all = counted(read, noun);
        let by = if media.is_some() { String::new() } else { format!(" by {}", counted(columns, "column")) };
        format!("{all}{by}{aside}, {chosen} chosen")
    };
    let coverage = selection.assignment.as_ref().and_then(|assignment| assignment.coverage.last());
    if let Some(coverage) = coverage.filter(|coverage| coverage.is_finite()) {
        let they = if chosen == 1 { "it covers" } else { "they cover" };
        line += &format!(": {they} {:.0} % of {whole}", 100.0 * coverage);
    }
    if selection.report.status == Status::IterationLimit {
        line += &format!(", not converged after {} iterations", selection.report.iterations);
    }
    let seconds = selection.report.seconds;
    format!("{}: {line}, {:.2} s", job.method.name(), seconds.prepare + seconds.solve + seconds.score)
}

/// How the method fared, for those who want to know.
pub fn details(table: &Table, job: &Job<'_>, selection: &Selection) -> String {
    let (rows, columns) = table.matrix.shape();
    let report = &selection.report;
    let status = selection_json::status(report.status).replace('_', " ");
    let mut line = format!("{}: {rows} x {columns}, {status}, {} iterations", job.method.name(), report.iterations);
    if report.objective.is_finite() {
        line += &format!(", objective {}", number(report.objective));
    }
    if let Some(gap) = report.gap {
        line += &format!(", gap {gap:.2e}");
    }
    let seconds = report.seconds;
    format!("{line}; prepare {:.3} s, solve {:.3} s, score {:.3} s", seconds.prepare, seconds.solve, seconds.score)
}
