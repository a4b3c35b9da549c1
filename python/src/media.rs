//! Pictures and texts as numbers.

use std::path::PathBuf;

use arss_media::{Embeddings, Kind, Media, MediaOptions, Network, Opened};
use arss_table::{ByName, DenseMatrix, Matrix, ReadOptions, Table};
use numpy::{PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::files::table_error;

/// Reads the pictures, frames or texts that `inputs` name, files and folders, as the command line does.
#[pyfunction]
#[pyo3(signature = (inputs, *, kind, cache=true, keep_blank=false, seed=0))]
pub fn read_media<'py>(
    py: Python<'py>,
    inputs: Vec<PathBuf>,
    kind: &str,
    cache: bool,
    keep_blank: bool,
    seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let kind = Kind::by_name(kind).ok_or_else(|| PyValueError::new_err(format!("{kind:?} is not known")))?;
    let embeddings = Embeddings::BuiltIn;
    let options = MediaOptions { kind: Some(kind), cache, keep_blank, seed, embeddings, ..MediaOptions::default() };
    let read = || arss_media::open(&inputs, &options, &ReadOptions::default(), &|_, _| ()).map(Found::of);
    described(py, py.detach(read).map_err(table_error)?)
}

/// The network that a function of Python runs.
pub fn network(embed: Py<PyAny>) -> Network {
    Network::new(move |paths, keep| {
        Python::attach(|py| {
            let found = embed.bind(py).call1((paths.to_vec(), keep)).map_err(|error| error.to_string())?;
            let array: PyReadonlyArray2<'_, f32> = found.extract().map_err(|_| "it gave no 2-D array".to_owned())?;
            let (rows, columns) = (array.shape()[0], array.shape()[1]);
            let data = array.as_slice().map_err(|error| error.to_string())?.to_vec();
            Ok(DenseMatrix { data, rows, columns, by_column: false })
        })
    })
}

/// The numbers of texts in memory.
#[pyfunction]
#[pyo3(signature = (texts, *, seed=0))]
pub fn read_texts<'py>(py: Python<'py>, texts: Vec<String>, seed: u64) -> PyResult<Bound<'py, PyDict>> {
    let options = MediaOptions { seed, ..MediaOptions::default() };
    let read = || arss_media::open_texts(&texts, &options).map(Found::of);
    described(py, py.detach(read).map_err(table_error)?)
}

/// A picture with at most `side` pixels on its longer side, as PNG; none if it cannot be read.
#[pyfunction]
pub fn thumbnail<'py>(py: Python<'py>, path: PathBuf, side: usize) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let Some(picture) = py.detach(|| arss_media::thumbnail(&path, side)) else { return Ok(None) };
    let mut bytes = Vec::new();
    arss_media::png(&mut bytes, &picture)?;
    Ok(Some(PyBytes::new(py, &bytes)))
}

/// The mean colours of `side` x `side` parts of a picture, 0 to 1; none if it cannot be read.
#[pyfunction]
pub fn pixels<'py>(py: Python<'py>, path: PathBuf, side: usize) -> PyResult<Option<Bound<'py, PyArray3<f32>>>> {
    let Some(values) = py.detach(|| arss_media::pixels(&path, side)) else { return Ok(None) };
    Ok(Some(PyArray1::from_vec(py, values).reshape((side, side, 3))?))
}

/// What Python gets of a folder: the numbers, the files they are of, and the rest.
struct Found {
    values: DenseMatrix<f32>,
    rows: Vec<usize>,
    media: Media,
}

impl Found {
    /// None if it is a table, or its numbers are in a file.
    fn of(opened: Opened) -> Option<Self> {
        let Opened::Media(table, media) = opened else { return None };
        let Table { matrix: Matrix::F32(values), kept, .. } = *table else { return None };
        let rows = kept.unwrap_or_else(|| (0..values.rows).collect());
        Some(Found { values, rows, media: *media })
    }
}

/// Everything that was found. Rows of `values` are those of `rows`, which are numbers of files; not all of the `readable`
/// ones, since blank ones are left out.
fn described(py: Python<'_>, read: Option<Found>) -> PyResult<Bound<'_, PyDict>> {
    let Some(Found { values, rows, media }) = read else { return Err(PyValueError::new_err("these are tables")) };
    let Media { paths, names, readable, unreadable, duplicates, blank, shots, terms, .. } = media;
    let found = PyDict::new(py);
    found.set_item("values", PyArray1::from_vec(py, values.data).reshape((values.rows, values.columns))?)?;
    found.set_item("rows", rows)?;
    found.set_item("paths", paths)?;
    found.set_item("names", names)?;
    found.set_item("readable", readable)?;
    let unreadable: Vec<(PathBuf, String)> = unreadable.into_iter().map(|one| (one.path, one.why)).collect();
    found.set_item("unreadable", unreadable)?;
    let duplicates: Vec<(usize, usize, bool)> = duplicates.iter().map(|one| (one.file, one.of, one.exact)).collect();
    found.set_item("duplicates", duplicates)?;
    found.set_item("blank", blank)?;
    found.set_item("shots", shots)?;
    found.set_item("terms", terms)?;
    Ok(found)
}
