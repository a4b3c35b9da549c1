//! Tables on other machines: a step on a part of the rows, and the solver that asks for passes.

use std::ops::ControlFlow;

use arss::distributed::{self as core, Access, RemoteTable, RowAttributes, RowState, StepRequest};
use arss::{Count, Error, Float, Progress, RunOptions};
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error::{NotFinite, exception};
use crate::table::{Cells, Table};
use crate::worker::ask;
use crate::{convert, settings, table};

/// The state after a step, values and numbers, and the result. What the step did not change is `None`.
type Stepped<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>, Bound<'py, PyBytes>);

/// Runs one step of a pass on some rows, whose first is the row `first` of the table: a pure function.
///
/// `values` and `numbers` are the state, `None` if there is none yet; `weights` and `groups` have one number per row.
#[pyfunction]
#[pyo3(signature = (request, rows, first, values, numbers, weights=None, groups=None))]
pub fn step<'py>(
    request: &Bound<'py, PyBytes>,
    rows: &Bound<'py, PyAny>,
    first: usize,
    values: Option<Bound<'py, PyAny>>,
    numbers: Option<PyReadonlyArray1<'py, f64>>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    groups: Option<PyReadonlyArray1<'py, i64>>,
) -> PyResult<Stepped<'py>> {
    let part = Part {
        request: StepRequest::decode(request.as_bytes()).map_err(exception)?,
        first,
        weights: weights.map(|weights| weights.as_array().to_vec()),
        groups: groups.map(|groups| groups.as_array().iter().map(|&group| group as usize).collect()),
    };
    match table::read(rows)? {
        Table::F32(cells) => part.step(request.py(), &cells, values, numbers),
        Table::F64(cells) => part.step(request.py(), &cells, values, numbers),
    }
}

/// A step, and what is known of the rows besides their values.
struct Part {
    request: StepRequest,
    first: usize,
    weights: Option<Vec<f64>>,
    groups: Option<Vec<usize>>,
}

impl Part {
    fn step<'py, T: Float + Element>(
        &self,
        py: Python<'py>,
        cells: &Cells<T>,
        values: Option<Bound<'py, PyAny>>,
        numbers: Option<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<Stepped<'py>> {
        let (for_values, for_numbers) = self.request.access();
        // Only what the step looks at is copied.
        let values = match values.filter(|_| for_values != Access::None) {
            None => Vec::new(),
            Some(values) => match values.cast::<PyArray1<T>>() {
                Ok(values) => values.readonly().as_array().to_vec(),
                Err(_) => return Err(PyTypeError::new_err("the state is of another type than the rows")),
            },
        };
        let numbers = numbers.filter(|_| for_numbers != Access::None);
        let numbers = numbers.map_or_else(Vec::new, |numbers| numbers.as_array().to_vec());
        let rows = cells.rows().ok_or_else(|| PyTypeError::new_err("the rows must be one 2-D array"))?;
        let attributes = RowAttributes { weights: self.weights.as_deref(), groups: self.groups.as_deref() };
        let mut state = RowState { values, numbers };
        // The arrays outlive the call, as `table.rs` says; the copy of the state is ours.
        let result =
            py.detach(|| self.request.apply(&rows, (self.first, attributes), &mut state)).map_err(exception)?;
        let changed = |access: Access| access == Access::Change;
        Ok((
            changed(for_values).then(|| state.values.into_pyarray(py).into_any()),
            changed(for_numbers).then(|| state.numbers.into_pyarray(py).into_any()),
            PyBytes::new(py, &result),
        ))
    }
}

/// What kind of step it is, and whether it changes the state of the rows.
#[pyfunction]
pub fn about(request: &[u8]) -> PyResult<(String, bool)> {
    let step = core::StepRequest::decode(request).map_err(exception)?;
    let (values, numbers) = step.access();
    Ok((step.name(), values == Access::Change || numbers == Access::Change))
}

/// The results of some parts of the rows, in their order, as one.
#[pyfunction]
pub fn merge<'py>(py: Python<'py>, parts: Vec<Vec<u8>>) -> PyResult<Bound<'py, PyBytes>> {
    let merged = py.detach(|| {
        let mut parts = parts.into_iter();
        let first = parts.next().ok_or(Error::Backend { reason: "there are no results to merge".into() })?;
        parts.try_fold(first, |sum, part| core::merge(&sum, &part))
    });
    Ok(PyBytes::new(py, &merged.map_err(exception)?))
}

/// How many numbers per row has at the end, which is its residual or outlier score, and which its pick.
#[pyfunction]
pub fn columns(method: &str, settings: &Bound<'_, PyDict>) -> PyResult<(usize, usize, Option<usize>)> {
    Ok(core::columns(&settings::method(method, settings)?))
}

/// Chooses `k` rows (`None`: as many as pay) of a table of `shape` on other machines.
///
/// `run_pass` is called with a request and returns the result over all rows; `progress` as for `select`.
#[pyfunction]
pub fn drive<'py>(
    method: (String, Bound<'py, PyDict>),
    k: Option<usize>,
    shape: (usize, usize, bool),
    run_pass: Bound<'py, PyAny>,
    progress: Option<Bound<'py, PyAny>>,
    metric: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let (py, metric) = (run_pass.py(), settings::metric(metric)?);
    let ((name, settings), (items, features, single)) = (method, shape);
    let method = settings::method(&name, &settings)?;
    let (run_pass, progress) = (run_pass.unbind(), progress.map(Bound::unbind));
    // What Python raised; the solver only learns that something went wrong.
    let mut raised: Option<PyErr> = None;
    let found = py.detach(|| {
        let failed = std::cell::RefCell::new(&mut raised);
        let mut pass = |request: &[u8]| {
            let result = Python::attach(|py| run_pass.call1(py, (PyBytes::new(py, request),))?.extract::<Vec<u8>>(py));
            result.map_err(|error| {
                **failed.borrow_mut() = Some(error);
                Error::Backend { reason: "the pass failed".into() }
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
        let mut run = RunOptions { metric, keep_model: true, progress: Some(&mut tell), ..RunOptions::default() };
        let count = k.map_or(Count::Auto, Count::Exactly);
        core::select(&method, RemoteTable { items, features, single }, count, &mut pass, &mut run)
    });
    if let Some(error) = raised {
        return Err(error);
    }
    match found {
        Ok(selection) => convert::selection(py, selection),
        Err(Error::NotFinite { row, column, value }) => Err(NotFinite::new_err((row, column, value))),
        Err(Error::Backend { reason }) => Err(PyValueError::new_err(reason)),
        Err(other) => Err(exception(other)),
    }
}
