//! Tables that are not in this process: a step on a part of the rows, and the solver that asks for passes.

use std::ops::ControlFlow;

use arss::elsewhere::{self as core, Access, Elsewhere, RowState};
use arss::{Count, Error, Float, Progress, Run};
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error::{NotFinite, exception};
use crate::table::{Cells, Table};
use crate::worker::ask;
use crate::{convert, settings, table};

/// The state after a step, values and numbers, and the sums. What the step did not change is `None`.
type Stepped<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>, Bound<'py, PyBytes>);

/// Does one step of a pass on some rows, whose first is the row `first` of the table: a pure function.
///
/// `values` and `numbers` are the state, each `None` if there is none yet or the step does not look at it.
#[pyfunction]
pub fn step<'py>(
    request: &Bound<'py, PyBytes>,
    rows: &Bound<'py, PyAny>,
    first: usize,
    values: Option<Bound<'py, PyAny>>,
    numbers: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<Stepped<'py>> {
    let numbers = numbers.map_or_else(Vec::new, |numbers| numbers.as_array().to_vec());
    match table::read(rows)? {
        Table::F32(cells) => step_on(request, &cells, first, values, numbers),
        Table::F64(cells) => step_on(request, &cells, first, values, numbers),
    }
}

fn step_on<'py, T: Float + Element>(
    request: &Bound<'py, PyBytes>,
    cells: &Cells<T>,
    first: usize,
    values: Option<Bound<'py, PyAny>>,
    numbers: Vec<f64>,
) -> PyResult<Stepped<'py>> {
    let (py, request) = (request.py(), request.as_bytes());
    let values = match values {
        None => Vec::new(),
        Some(values) => match values.cast::<PyArray1<T>>() {
            Ok(values) => values.readonly().as_array().to_vec(),
            Err(_) => return Err(PyTypeError::new_err("the state is of another type than the rows")),
        },
    };
    let rows = cells.rows().ok_or_else(|| PyTypeError::new_err("the rows must be one 2-D array"))?;
    let mut state = RowState { values, numbers };
    // The arrays outlive the call, as `table.rs` says; the copy of the state is ours.
    let (sums, state, (values, numbers)) = py
        .detach(move || {
            let sums = core::step_on(request, &rows, first, &mut state)?;
            Ok((sums, state, core::access(request)?))
        })
        .map_err(exception)?;
    let changed = |access: Access| access == Access::Change;
    Ok((
        changed(values).then(|| state.values.into_pyarray(py).into_any()),
        changed(numbers).then(|| state.numbers.into_pyarray(py).into_any()),
        PyBytes::new(py, &sums),
    ))
}

/// What a step does with the values and the numbers of the state: 0 nothing, 1 reads, 2 changes.
#[pyfunction]
pub fn access(request: &[u8]) -> PyResult<(u8, u8)> {
    let number = |access: Access| match access {
        Access::None => 0,
        Access::Read => 1,
        Access::Change => 2,
    };
    let (values, numbers) = core::access(request).map_err(exception)?;
    Ok((number(values), number(numbers)))
}

/// The sums of some parts of the rows, in their order, as one.
#[pyfunction]
pub fn merge<'py>(py: Python<'py>, parts: Vec<Vec<u8>>) -> PyResult<Bound<'py, PyBytes>> {
    let merged = py.detach(|| {
        let mut parts = parts.into_iter();
        let first = parts.next().ok_or(Error::Engine { reason: "there are no sums to merge".into() })?;
        parts.try_fold(first, |sum, part| core::merge(&sum, &part))
    });
    Ok(PyBytes::new(py, &merged.map_err(exception)?))
}

/// How many numbers a row has at the end, which is what the method leaves of it, and which its pick.
#[pyfunction]
pub fn columns(method: &str, settings: &Bound<'_, PyDict>) -> PyResult<(usize, usize, Option<usize>)> {
    Ok(core::columns(&settings::method(method, settings)?))
}

/// Chooses `k` rows (`None`: as many as pay) of a table of `shape` that is elsewhere.
///
/// `walk` is called with a request and returns the sums over all rows; `progress` as for `select`.
#[pyfunction]
pub fn drive<'py>(
    method: (String, Bound<'py, PyDict>),
    k: Option<usize>,
    shape: (usize, usize, bool),
    walk: Bound<'py, PyAny>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = walk.py();
    let ((name, settings), (items, features, single)) = (method, shape);
    let method = settings::method(&name, &settings)?;
    let (walk, progress) = (walk.unbind(), progress.map(Bound::unbind));
    // What Python raised; the solver only learns that something went wrong.
    let mut raised: Option<PyErr> = None;
    let found = py.detach(|| {
        let failed = std::cell::RefCell::new(&mut raised);
        let mut pass = |request: &[u8]| {
            let sums = Python::attach(|py| walk.call1(py, (PyBytes::new(py, request),))?.extract::<Vec<u8>>(py));
            sums.map_err(|error| {
                **failed.borrow_mut() = Some(error);
                Error::Engine { reason: "the pass failed".into() }
            })
        };
        let mut tell = |state: &Progress| {
            let stop = Python::attach(|py| ask(progress.as_ref().map(|function| function.bind(py)), state));
            match stop {
                Ok(false) => ControlFlow::Continue(()),
                Ok(true) => ControlFlow::Break(()),
                Err(error) => {
                    **failed.borrow_mut() = Some(error);
                    ControlFlow::Break(())
                }
            }
        };
        let mut run = Run { progress: Some(&mut tell), ..Run::default() };
        core::select(&method, Elsewhere { items, features, single }, count(k), &mut pass, &mut run)
    });
    if let Some(error) = raised {
        return Err(error);
    }
    match found {
        Ok(selection) => convert::selection(py, selection),
        Err(Error::NotFinite { row, column, value }) => Err(NotFinite::new_err((row, column, value))),
        Err(Error::Engine { reason }) => Err(PyValueError::new_err(reason)),
        Err(other) => Err(exception(other)),
    }
}

fn count(k: Option<usize>) -> Count {
    k.map_or(Count::Auto, Count::Exactly)
}
