//! The extension module behind the Python package: borrows arrays, releases the interpreter
//! lock, calls the core, converts results and errors. Nothing is decided here.

mod convert;
mod distributed;
mod error;
mod files;
mod media;
mod model;
mod page;
mod plan;
mod scaling;
mod settings;
mod table;
mod worker;

use std::ffi::OsString;
use std::path::PathBuf;

use arss::Count;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use worker::{Job, Source};

/// Chooses `k` items (`None`: as many as pay) of `table`, which is a 2-D array or a list of 1-D columns, `f32` or `f64`.
///
/// The items are the rows or, with `features`, the columns. `progress` is called with (phase,
/// iteration, limit, objective, residual, gap) and stops the run by returning something true.
#[pyfunction]
#[pyo3(signature = (table, k, method, settings, *, features=false, threads=1, all_scores=false, metric="euclidean", progress=None))]
#[allow(clippy::too_many_arguments)] // one function for all, called with keywords
fn select<'py>(
    table: &Bound<'py, PyAny>,
    k: Option<usize>,
    method: &str,
    settings: &Bound<'py, PyDict>,
    features: bool,
    threads: usize,
    all_scores: bool,
    metric: &str,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let method = settings::method(method, settings)?;
    let table = Source::Array(table::read(table)?);
    let count = k.map_or(Count::Auto, Count::Exactly);
    let metric = settings::metric(metric)?;
    let job = Job { table, count, method, features, threads, all_scores, metric, outlook: 0 };
    let selection = worker::run(settings.py(), job, progress.as_ref())?;
    convert::selection(settings.py(), selection)
}

/// As `select` for rows in a file: `memory` bytes for blocks of rows at most, their state in scratch files in `scratch`.
#[pyfunction]
#[pyo3(signature = (file, k, method, settings, *, memory, scratch, threads=1, metric="euclidean", progress=None))]
#[allow(clippy::too_many_arguments)] // called with keywords
fn stream<'py>(
    file: &Bound<'py, files::RowFile>,
    k: Option<usize>,
    method: &str,
    settings: &Bound<'py, PyDict>,
    memory: usize,
    scratch: PathBuf,
    threads: usize,
    metric: &str,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let method = settings::method(method, settings)?;
    let table = Source::File(files::FileTable::take(&mut file.borrow_mut(), memory, scratch)?);
    let count = k.map_or(Count::Auto, Count::Exactly);
    let metric = settings::metric(metric)?;
    let job = Job { table, count, method, features: false, threads, all_scores: false, metric, outlook: 0 };
    let selection = worker::run(settings.py(), job, progress.as_ref())?;
    convert::selection(settings.py(), selection)
}

/// The settings of a method, with their defaults.
#[pyfunction]
fn defaults<'py>(py: Python<'py>, method: &str) -> PyResult<Bound<'py, PyDict>> {
    settings::defaults(py, method)
}

/// Runs the command line; the first word is the program's name. Returns the exit code.
///
/// `embed` is called with a list of pictures, and with whether to keep what it finds: it returns a 2-D array of `f32`.
#[pyfunction]
#[pyo3(signature = (words, embed=None))]
fn main(words: Vec<OsString>, embed: Option<Py<PyAny>>) -> u8 {
    match embed {
        Some(embed) => arss_cli::run_with_network(words, media::network(embed)),
        None => arss_cli::run(words),
    }
}

/// The private extension module of the package.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("METHODS", arss::Method::all().map(|method| method.name()))?;
    module.add("NotFinite", module.py().get_type::<error::NotFinite>())?;
    module.add("OverQuota", module.py().get_type::<error::OverQuota>())?;
    module.add_function(wrap_pyfunction!(select, module)?)?;
    module.add_function(wrap_pyfunction!(defaults, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_class::<files::RowFile>()?;
    module.add_function(wrap_pyfunction!(stream, module)?)?;
    module.add_class::<distributed::RowState>()?;
    module.add_class::<distributed::Step>()?;
    module.add_function(wrap_pyfunction!(distributed::about, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::merge, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::drive, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::columns, module)?)?;
    module.add_function(wrap_pyfunction!(model::apply, module)?)?;
    module.add_function(wrap_pyfunction!(page::page, module)?)?;
    module.add_function(wrap_pyfunction!(model::write_model, module)?)?;
    module.add_function(wrap_pyfunction!(model::read_model, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan, module)?)?;
    module.add_function(wrap_pyfunction!(media::read_media, module)?)?;
    module.add_function(wrap_pyfunction!(media::read_texts, module)?)?;
    module.add_function(wrap_pyfunction!(media::thumbnail, module)?)?;
    module.add_function(wrap_pyfunction!(media::pixels, module)?)?;
    module.add_function(wrap_pyfunction!(scaling::scale, module)?)?;
    module.add_function(wrap_pyfunction!(scaling::rescale, module)?)?;
    module.add_function(wrap_pyfunction!(scaling::role_of_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(scaling::role_of_texts, module)?)?;
    module.add_function(wrap_pyfunction!(scaling::is_code_name, module)?)?;
    module.add_function(wrap_pyfunction!(scaling::written_as, module)?)?;
    module.add_function(wrap_pyfunction!(scaling::written_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(scaling::location_and_spread, module)?)?;
    Ok(())
}
