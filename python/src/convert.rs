//! From the core's result to a Python dictionary of numbers and arrays.

use arss::{Assignment, HistoryStep, Note, Report, Selection};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error::exception;

/// The result under the core's names; numbers that do not exist are `None`.
pub fn selection(py: Python<'_>, selection: Selection) -> PyResult<Bound<'_, PyDict>> {
    let found = PyDict::new(py);
    let indices: Vec<i64> = selection.indices.iter().map(|&index| index as i64).collect();
    found.set_item("indices", indices.into_pyarray(py))?;
    found.set_item("scores", selection.scores.into_pyarray(py))?;
    found.set_item("all_scores", selection.all_scores.map(|scores| scores.into_pyarray(py)))?;
    found.set_item("row_norms", selection.row_norms.map(|norms| norms.into_pyarray(py)))?;
    found.set_item("residuals", selection.residuals.into_pyarray(py))?;
    if let Some(Assignment { labels, shares, coverage, .. }) = selection.assignment {
        let labels: Vec<i64> = labels.iter().map(|&label| label as i64).collect();
        found.set_item("labels", labels.into_pyarray(py))?;
        found.set_item("shares", shares.into_pyarray(py))?;
        found.set_item("coverage", coverage.into_pyarray(py))?;
    }
    let bytes = selection.model.as_ref().map(|model| model.to_bytes().map_err(exception)).transpose()?;
    found.set_item("model", bytes.map(|bytes| PyBytes::new(py, &bytes)))?;
    found.set_item("picks", selection.model.as_ref().map(|model| model.rows().into_pyarray(py)))?;
    found.set_item("width", selection.model.as_ref().and_then(arss::Model::width))?;
    report(&found, selection.report)?;
    Ok(found)
}

fn report(found: &Bound<'_, PyDict>, report: Report) -> PyResult<()> {
    found.set_item("status", report.status.as_str())?;
    found.set_item("iterations", report.iterations)?;
    found.set_item("objective", report.objective)?;
    found.set_item("constraint_residual", report.constraint_residual)?;
    found.set_item("gap", report.gap)?;
    found.set_item("gamma", report.gamma)?;
    found.set_item("history", history(found.py(), &report.history)?)?;
    let seconds = report.seconds;
    found.set_item("seconds", (seconds.prepare, seconds.solve, seconds.score))?;
    found.set_item("rows_scored", report.rows_scored)?;
    let notes: Vec<(&str, String)> = report.notes.iter().map(|note| (kind(note), note.to_string())).collect();
    found.set_item("notes", notes)?;
    found.set_item("set_aside", report.set_aside().map(|aside| (aside.rows, aside.confidence)))
}

fn history<'py>(py: Python<'py>, steps: &[HistoryStep]) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    let column = |value: fn(&HistoryStep) -> f64| steps.iter().map(value).collect::<Vec<f64>>().into_pyarray(py);
    let iterations: Vec<i64> = steps.iter().map(|step| step.iteration as i64).collect();
    found.set_item("iteration", iterations.into_pyarray(py))?;
    found.set_item("objective", column(|step| step.objective))?;
    found.set_item("residual", column(|step| step.residual))?;
    found.set_item("gap", column(|step| step.gap))?;
    found.set_item("mu", column(|step| step.mu))?;
    found.set_item("active", column(|step| step.active))?;
    Ok(found)
}

fn kind(note: &Note) -> &'static str {
    match note {
        Note::Saturated { .. } => "saturated",
        Note::NothingToGain { .. } => "nothing_to_gain",
        Note::LossNeverActed => "loss_never_acted",
        Note::Sampled { .. } => "sampled",
        Note::Gated(_) => "gated",
        Note::Ties { .. } => "ties",
        _ => "other",
    }
}
