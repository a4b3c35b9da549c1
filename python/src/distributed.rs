//! Tables on other machines: a step on a part of the rows, and the solver that asks for passes.

use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arss::distributed::{self as core, Access, RemoteTable, RowAttributes, StepRequest};
use arss::{Count, Error, Float, Progress, RunOptions};
use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::error::{NotFinite, exception};
use crate::table::{Cells, Table};
use crate::worker::ask;
use crate::{convert, settings, table};

/// What is kept of some rows between two passes. A step changes it in place: for ARSS it is as large as the rows.
#[pyclass(frozen, module = "arss._core")]
#[derive(Default)]
pub struct RowState(Mutex<Kept>);

/// The state in the precision of the rows, which the first step tells.
#[derive(Default)]
enum Kept {
    #[default]
    Nothing,
    F32(core::RowState<f32>),
    F64(core::RowState<f64>),
}

/// A state as arrays, values and numbers.
type Arrays<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyArray1<f64>>>);

#[pymethods]
impl RowState {
    /// A state from the arrays of another, or of rows that no step has seen.
    #[new]
    #[pyo3(signature = (values=None, numbers=None))]
    fn new(values: Option<Bound<'_, PyAny>>, numbers: Option<PyReadonlyArray1<'_, f64>>) -> PyResult<Self> {
        let (Some(values), Some(numbers)) = (values, numbers) else { return Ok(RowState::default()) };
        let numbers = numbers.as_array().to_vec();
        let kept = if let Ok(values) = values.cast::<PyArray1<f32>>() {
            Kept::F32(core::RowState { values: values.readonly().as_array().to_vec(), numbers })
        } else if let Ok(values) = values.cast::<PyArray1<f64>>() {
            Kept::F64(core::RowState { values: values.readonly().as_array().to_vec(), numbers })
        } else {
            return Err(PyTypeError::new_err("the values of a state are an array of floats"));
        };
        Ok(RowState(Mutex::new(kept)))
    }

    /// The arrays that make the same state: Dask moves a state where a worker is retired or short of memory.
    fn __reduce__<'py>(state: &Bound<'py, Self>) -> (Bound<'py, PyType>, Arrays<'py>) {
        let py = state.py();
        let arrays = match &*state.get().lock(py) {
            Kept::Nothing => (None, None),
            Kept::F32(kept) => {
                (Some(PyArray1::from_slice(py, &kept.values).into_any()), Some(PyArray1::from_slice(py, &kept.numbers)))
            }
            Kept::F64(kept) => {
                (Some(PyArray1::from_slice(py, &kept.values).into_any()), Some(PyArray1::from_slice(py, &kept.numbers)))
            }
        };
        (state.get_type(), arrays)
    }

    /// The numbers of all rows, one row after the other.
    fn numbers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        match &*self.lock(py) {
            Kept::Nothing => PyArray1::from_slice(py, &[]),
            Kept::F32(kept) => PyArray1::from_slice(py, &kept.numbers),
            Kept::F64(kept) => PyArray1::from_slice(py, &kept.numbers),
        }
    }
}

impl RowState {
    /// Who waits for it lets go of the interpreter: a step that holds it needs the interpreter at its end.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Kept> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

fn other_precision() -> PyErr {
    PyTypeError::new_err("the state is of another type than the rows")
}

impl Kept {
    fn single(&mut self) -> PyResult<&mut core::RowState<f32>> {
        if matches!(self, Kept::Nothing) {
            *self = Kept::F32(core::RowState::default());
        }
        if let Kept::F32(kept) = self { Ok(kept) } else { Err(other_precision()) }
    }

    fn double(&mut self) -> PyResult<&mut core::RowState<f64>> {
        if matches!(self, Kept::Nothing) {
            *self = Kept::F64(core::RowState::default());
        }
        if let Kept::F64(kept) = self { Ok(kept) } else { Err(other_precision()) }
    }
}

/// One step of a pass, decoded once for all partitions that a worker holds.
#[pyclass(frozen, module = "arss._core")]
pub struct Step(StepRequest);

#[pymethods]
impl Step {
    #[new]
    fn new(request: &[u8]) -> PyResult<Self> {
        StepRequest::decode(request).map(Step).map_err(exception)
    }

    /// Runs the step on some rows, whose first is the row `first` of the table: changes their state, returns the result.
    ///
    /// `weights` and `groups` have one number per row.
    #[pyo3(signature = (rows, first, state, weights=None, groups=None))]
    fn apply<'py>(
        &self,
        rows: &Bound<'py, PyAny>,
        first: usize,
        state: &Bound<'py, RowState>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        groups: Option<PyReadonlyArray1<'py, i64>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let weights = weights.map(|weights| weights.as_array().to_vec());
        let groups: Option<Vec<usize>> =
            groups.map(|groups| groups.as_array().iter().map(|&group| group as usize).collect());
        let place = (first, RowAttributes { weights: weights.as_deref(), groups: groups.as_deref() });
        let mut kept = state.get().lock(rows.py());
        match table::read(rows)? {
            Table::F32(cells) => self.run(rows.py(), &cells, place, kept.single()?),
            Table::F64(cells) => self.run(rows.py(), &cells, place, kept.double()?),
        }
    }
}

impl Step {
    fn run<'py, T: Float + Element>(
        &self,
        py: Python<'py>,
        cells: &Cells<T>,
        place: (usize, RowAttributes<'_>),
        state: &mut core::RowState<T>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let rows = cells.rows().ok_or_else(|| PyTypeError::new_err("the rows must be one 2-D array"))?;
        // The arrays outlive the call, as `table.rs` says; the state is locked.
        let result = py.detach(|| self.0.apply(&rows, place, state)).map_err(exception)?;
        Ok(PyBytes::new(py, &result))
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
