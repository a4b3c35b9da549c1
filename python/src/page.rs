//! The report page of a table in Python: chooses again, which gives the same picks, and tells about it.

use std::io;

use arss::{Count, Selection};
use arss_report::{AHEAD, More, Subject};
use arss_table::{ByName, CellsOf, ColumnInfo, ColumnRole, Encoding, Matrix, Missing, unit_rows};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::files::table_error;
use crate::scaling::{copied, named};
use crate::settings;
use crate::table::{self, Table};
use crate::worker::{self, Job, Source};

/// What Python knows of the table, as JSON.
#[derive(Deserialize)]
struct About {
    input: String,
    command: String,
    headings: Vec<String>,
    rows: usize,
    /// The rows that were kept, if some were dropped.
    kept: Option<Vec<usize>>,
    filled: usize,
    scale: String,
    missing: String,
    /// Each column to choose by: its column among the headings, its name, how it was encoded.
    features: Vec<(usize, String, Encoding)>,
    /// What each column is: name, role, whether it is chosen by, why.
    columns: Vec<(String, String, bool, String)>,
}

/// Chooses from `table` and gives the picks and the page. `about` is JSON; `cells` tells the cells of rows.
#[pyfunction]
#[pyo3(signature = (table, k, method, settings, about, cells, *, features=false, threads=1, metric="euclidean"))]
#[allow(clippy::too_many_arguments)] // called with keywords
pub fn page(
    table: &Bound<'_, PyAny>,
    k: Option<usize>,
    method: &str,
    settings: &Bound<'_, PyDict>,
    about: &str,
    cells: Py<PyAny>,
    features: bool,
    threads: usize,
    metric: &str,
) -> PyResult<(Vec<usize>, String)> {
    let about: About = serde_json::from_str(about).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let method = settings::method(method, settings)?;
    let metric = settings::metric(metric)?;
    let count = k.map_or(Count::Auto, Count::Exactly);
    let matrix = match table::read(table)? {
        Table::F32(cells) => Matrix::F32(copied(&cells)?),
        Table::F64(cells) => Matrix::F64(copied(&cells)?),
    };
    let source = Source::Array(table::read(table)?);
    let all_scores = matrix.shape().0 <= SCORED;
    let job =
        Job { table: source, count, method: method.clone(), features, threads, all_scores, metric, outlook: AHEAD };
    let selection = worker::run(settings.py(), job, None)?;
    let matrix = if metric == arss::Metric::Cosine {
        unit_rows(matrix, about.kept.as_deref()).map_err(table_error)?
    } else {
        matrix
    };
    let more = More {
        scale: named(&about.scale)?,
        metric,
        missing: Missing::by_name(&about.missing).unwrap_or_default(),
        ..More::default()
    };
    let (input, command) = (about.input.clone(), about.command.clone());
    let table = given(about, matrix, told_by(cells));
    let Selection { indices, .. } = &selection;
    let picks = table.numbers(indices, features);
    let subject = Subject {
        table: &table,
        method: &method,
        count,
        chose_columns: features,
        selection: &selection,
        input,
        command,
        more,
    };
    Ok((picks, arss_report::html(&subject)))
}

/// Tables up to so many rows are scored whole.
const SCORED: usize = 5000;

/// The cells as a function of Python tells them.
fn told_by(cells: Py<PyAny>) -> CellsOf {
    Box::new(move |rows: &[usize]| {
        Python::attach(|py| cells.call1(py, (rows.to_vec(),))?.extract::<Vec<Vec<String>>>(py))
            .map_err(|error| io::Error::other(error.to_string()))
    })
}

fn given(about: About, matrix: Matrix, cells: CellsOf) -> arss_table::Table {
    let mut table = arss_table::Table::given(&about.input, about.rows, about.headings, matrix, cells);
    table.kept = about.kept;
    table.filled = about.filled;
    table.feature_columns = about.features.iter().map(|feature| feature.0).collect();
    let category =
        |(column, _, encoding): &(usize, String, Encoding)| matches!(encoding, Encoding::Texts(_)).then_some(*column);
    table.categories = about.features.iter().map(category).collect();
    table.feature_names = about.features.iter().map(|feature| feature.1.clone()).collect();
    table.encodings = about.features.into_iter().map(|feature| feature.2).collect();
    let column = |(name, role, used, why): (String, String, bool, String)| ColumnInfo {
        name,
        role: ColumnRole::by_name(&role).unwrap_or(ColumnRole::Text),
        used,
        why,
    };
    table.columns = about.columns.into_iter().map(column).collect();
    table
}
