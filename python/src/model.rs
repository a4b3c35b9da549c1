//! What a fit learned, applied to rows to come.

use std::io::Error;
use std::path::PathBuf;

use arss::{Applied, Float, Model, RunOptions};
use arss_table::{About, ModelFile, private_files};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::exception;
use crate::files::table_error;
use crate::table::{self, Cells, Table};

/// The nearest pick of each row, the distance to it, and the outlier scores where the method tells them.
type Answer<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, Option<Bound<'py, PyArray1<f64>>>);

/// Applies a model, as bytes, to the rows of `table`.
#[pyfunction]
pub fn apply<'py>(model: &[u8], table: &Bound<'py, PyAny>, threads: usize) -> PyResult<Answer<'py>> {
    let (py, model) = (table.py(), Model::from_bytes(model).map_err(exception)?);
    let applied = match table::read(table)? {
        Table::F32(cells) => on_cells(py, &model, cells, threads),
        Table::F64(cells) => on_cells(py, &model, cells, threads),
    }?;
    answer(py, applied)
}

fn answer(py: Python<'_>, applied: Applied) -> PyResult<Answer<'_>> {
    let labels: Vec<i64> = applied.labels.into_iter().map(|label| label as i64).collect();
    let scores = applied.outlier_scores.map(|scores| scores.into_pyarray(py));
    Ok((labels.into_pyarray(py), applied.distances.into_pyarray(py), scores))
}

fn on_cells<T: Float>(py: Python<'_>, model: &Model, cells: Cells<T>, threads: usize) -> PyResult<Applied> {
    let apply =
        move || cells.view(|samples| model.apply(&samples, &mut RunOptions { threads, ..RunOptions::default() }));
    py.detach(apply).map_err(exception)
}

/// Writes a model file: `about` is the JSON object of its head.
#[pyfunction]
pub fn write_model(path: PathBuf, about: &str, model: &[u8]) -> PyResult<()> {
    let about = About::from_json(about).map_err(PyValueError::new_err)?;
    let file = ModelFile { about, model: Model::from_bytes(model).map_err(exception)? };
    let mut bytes = Vec::new();
    file.write(&mut bytes)?;
    // The error of the system names the partial file, which is gone by now.
    let named = |error: Error| Error::new(error.kind(), format!("{}: {}", path.display(), error.kind()));
    Ok(private_files::replace(&path, &bytes).map_err(named)?)
}

/// The head of a model file as JSON, and the model.
#[pyfunction]
pub fn read_model(py: Python<'_>, path: PathBuf) -> PyResult<(String, Bound<'_, PyBytes>)> {
    let ModelFile { about, model } = ModelFile::open(&path).map_err(table_error)?;
    Ok((about.to_json(), PyBytes::new(py, &model.to_bytes().map_err(exception)?)))
}
