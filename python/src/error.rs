//! From the core's error to Python's exceptions.

use arss::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyValueError};

pyo3::create_exception!(_core, NotFinite, PyValueError, "The table holds NaN or infinity.");

pyo3::create_exception!(_core, OverQuota, PyValueError, "(group, included, quota): too many items must be in.");

/// The exception for an error of the core; settings are called what Python calls them.
pub fn exception(error: Error) -> PyErr {
    match error {
        Error::NotFinite { .. } => NotFinite::new_err(error.to_string()),
        Error::Threads { .. } => PyRuntimeError::new_err(error.to_string()),
        Error::OverQuota { group, included, quota } => OverQuota::new_err((group, included, quota)),
        Error::BadSetting { name, value, range } => {
            PyValueError::new_err(Error::BadSetting { name: python_name(name), value, range }.to_string())
        }
        other => PyValueError::new_err(other.to_string()),
    }
}

fn python_name(name: &'static str) -> &'static str {
    match name {
        "iterations" | "max_iterations" => "max_iter",
        "tolerance" => "tol",
        "gamma ratio" => "gamma_ratio",
        other => other,
    }
}
