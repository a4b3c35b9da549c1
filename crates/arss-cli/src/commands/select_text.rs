//! What is said about a choice: a line for everybody, and one for those who want to know more.

use arss::{Selection, Status};
use arss_table::number_text::number;
use arss_table::{Table, counted};

use crate::selection_json;
use crate::solve::Job;

/// The run in one line, in the words of whoever reads the table.
pub fn summary(table: &Table, job: &Job<'_>, selection: &Selection) -> String {
    let (rows, columns) = table.matrix.shape();
    let chosen = selection.indices.len();
    let mut line = if job.features {
        format!("{} of {}, {chosen} chosen", counted(columns, "column"), counted(rows, "row"))
    } else {
        let read = table.source.rows();
        let aside = read - rows + selection.report.set_aside().map_or(0, |aside| aside.rows);
        let aside = if aside > 0 { format!(", {aside} left aside") } else { String::new() };
        format!("{} by {}{aside}, {chosen} chosen", counted(read, "row"), counted(columns, "column"))
    };
    let coverage = selection.assignment.as_ref().and_then(|assignment| assignment.coverage.last());
    if let Some(coverage) = coverage.filter(|coverage| coverage.is_finite()) {
        line += &format!(": they cover {:.0} % of the table", 100.0 * coverage);
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
