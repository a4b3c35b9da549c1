//! Roles and scales of columns, by the code of the command line.

use arss::{Float, Samples};
use arss_table::{ByName, ColumnRole, ColumnScale, DenseMatrix, Scale, WrittenAs, rescale_values, scale_values};
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::exception;
use crate::files::table_error;
use crate::table::{self, Cells, Table};

/// What was measured of a column, as Python keeps it: unit, centre, width, what bent values are divided by, usable.
pub type Measured = (f64, f64, f64, Option<f64>, bool);

/// A table on the new scale, and what was measured of each column; no measures if all columns are constant.
type Scaled<'py> = (Bound<'py, PyAny>, Option<Vec<Measured>>);

/// Numbers that were written as texts, and how many texts are none and the first of them.
type Written<'py> = (Bound<'py, PyArray1<f64>>, Option<(usize, usize)>);

/// The scaling called `name`.
pub fn named(name: &str) -> PyResult<Scale> {
    Scale::by_name(name).ok_or_else(|| PyValueError::new_err(format!("there is no scale called {name:?}")))
}

/// Each column as Python keeps it.
pub fn measured(columns: Vec<ColumnScale>) -> Vec<Measured> {
    columns.into_iter().map(|column| (column.unit, column.centre, column.width, column.bent, column.usable)).collect()
}

fn column(&(unit, centre, width, bent, usable): &Measured) -> ColumnScale {
    ColumnScale { unit, centre, width, bent, usable }
}

/// A copy of `table` with its columns scaled. `categories` has the column that each is a category of, where it is one;
/// empty if none is.
#[pyfunction]
pub fn scale<'py>(table: &Bound<'py, PyAny>, how: &str, categories: Vec<Option<usize>>) -> PyResult<Scaled<'py>> {
    let (py, how) = (table.py(), named(how)?);
    match table::read(table)? {
        Table::F32(cells) => scale_cells(py, &cells, how, &categories),
        Table::F64(cells) => scale_cells(py, &cells, how, &categories),
    }
}

fn scale_cells<'py, T: Float + Element>(
    py: Python<'py>,
    cells: &Cells<T>,
    how: Scale,
    categories: &[Option<usize>],
) -> PyResult<Scaled<'py>> {
    let matrix = copied(cells)?;
    let (matrix, columns) = py.detach(|| scale_values(matrix, how, categories)).map_err(table_error)?;
    Ok((array(py, matrix)?, columns.map(measured)))
}

/// A copy of `table`, scaled by what was measured of each column of another one.
#[pyfunction]
pub fn rescale<'py>(table: &Bound<'py, PyAny>, columns: Vec<Measured>) -> PyResult<Bound<'py, PyAny>> {
    let (py, columns) = (table.py(), columns.iter().map(column).collect::<Vec<_>>());
    match table::read(table)? {
        Table::F32(cells) => rescale_cells(py, &cells, &columns),
        Table::F64(cells) => rescale_cells(py, &cells, &columns),
    }
}

fn rescale_cells<'py, T: Float + Element>(
    py: Python<'py>,
    cells: &Cells<T>,
    columns: &[ColumnScale],
) -> PyResult<Bound<'py, PyAny>> {
    let matrix = copied(cells)?;
    if matrix.columns != columns.len() {
        let (found, wanted) = (matrix.columns, columns.len());
        return Err(PyValueError::new_err(format!("the table has {found} columns, but {wanted} were measured")));
    }
    array(py, py.detach(|| rescale_values(matrix, columns)).map_err(table_error)?)
}

/// What a column of numbers is, whether it is chosen by, and why.
#[pyfunction]
pub fn role_of_numbers(name: &str, numbers: PyReadonlyArray1<'_, f64>) -> (&'static str, bool, String) {
    let (role, why) = ColumnRole::of_numbers(name, &numbers.as_array().to_vec());
    (role.name(), role.is_feature(), why)
}

/// The same of a column of texts, without missing ones.
#[pyfunction]
pub fn role_of_texts(name: &str, texts: Vec<String>) -> (&'static str, bool, String) {
    let (role, why) = ColumnRole::of_texts(name, &texts);
    (role.name(), role.is_feature(), why)
}

/// How the texts of a column are written, if they are numbers, dates or flags: the role, whether numbers have a decimal comma,
/// and whether dates begin with the day. Missing texts are empty.
#[pyfunction]
pub fn written_as(name: &str, texts: Vec<String>) -> Option<(&'static str, bool, bool)> {
    WrittenAs::find(name, &texts).map(|found| (found.role.name(), found.decimal_comma, found.day_first))
}

/// The numbers of texts that are written so, and how many texts are none of the kind and the first of them.
#[pyfunction]
pub fn written_numbers<'py>(py: Python<'py>, texts: Vec<String>, how: (String, bool, bool)) -> PyResult<Written<'py>> {
    let (role, decimal_comma, day_first) = how;
    let role = ColumnRole::by_name(&role).ok_or_else(|| PyValueError::new_err(format!("there is no role {role:?}")))?;
    let found = WrittenAs { role, decimal_comma, day_first }.read(&texts);
    Ok((found.numbers.into_pyarray(py), found.others))
}

/// The value that becomes 0, and what counts for one, of each column.
#[pyfunction]
pub fn location_and_spread<'py>(
    py: Python<'py>,
    columns: Vec<Measured>,
) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>) {
    let columns: Vec<ColumnScale> = columns.iter().map(column).collect();
    let all = |value: fn(&ColumnScale) -> f64| columns.iter().map(value).collect::<Vec<f64>>().into_pyarray(py);
    (all(ColumnScale::location), all(ColumnScale::spread))
}

/// The values row by row, checked to be finite.
pub fn copied<T: Float>(cells: &Cells<T>) -> PyResult<DenseMatrix<T>> {
    let copy = |samples: Samples<'_, T>| {
        let (rows, columns) = (samples.items(), samples.features());
        let data = (0..rows * columns).map(|at| samples.get(at / columns, at % columns)).collect();
        Ok(DenseMatrix { data, rows, columns, by_column: false })
    };
    cells.view(copy).map_err(exception)
}

fn array<T: Element>(py: Python<'_>, matrix: DenseMatrix<T>) -> PyResult<Bound<'_, PyAny>> {
    Ok(matrix.data.into_pyarray(py).reshape([matrix.rows, matrix.columns])?.into_any())
}

/// Whether a column of this name holds digits that name something, as zip codes do.
#[pyfunction]
pub fn is_code_name(name: &str) -> bool {
    ColumnRole::is_code_name(name)
}
