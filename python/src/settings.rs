//! From a Python dictionary to a method with its settings.

use arss::{Arss, Exemplars, Gamma, Groups, KMeans, KMedoids, Method, Metric, Quotas, Rank, Rrss, Ted};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// The method called `name`; `settings` may hold those of its settings that differ from the default.
pub fn method(name: &str, settings: &Bound<'_, PyDict>) -> PyResult<Method> {
    let mut method = default(name)?;
    for (key, value) in settings.iter() {
        let key = key.cast_into::<PyString>()?.to_string();
        if !set(&mut method, &key, &value)? {
            return Err(PyValueError::new_err(format!("{key} is not a setting of method {name}")));
        }
    }
    Ok(method)
}

/// The metric called `name`.
pub fn metric(name: &str) -> PyResult<Metric> {
    Metric::from_name(name).ok_or_else(|| PyValueError::new_err(format!("there is no metric called {name:?}")))
}

/// The settings of a method, with their defaults.
pub fn defaults<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    let put_gamma = |gamma: Gamma| match gamma {
        Gamma::Absolute(value) => found.set_item("gamma", value),
        Gamma::Ratio(value) => found.set_item("gamma_ratio", value),
    };
    match default(name)? {
        Method::Arss(Arss { p, gamma, max_iterations, tolerance, .. }) => {
            put_gamma(gamma)?;
            found.set_item("p", p)?;
            found.set_item("max_iter", max_iterations)?;
            found.set_item("tol", tolerance)?;
        }
        Method::Rrss(Rrss { gamma, max_iterations, tolerance, .. }) => {
            put_gamma(gamma)?;
            found.set_item("max_iter", max_iterations)?;
            found.set_item("tol", tolerance)?;
        }
        Method::Ted(Ted { alpha, .. }) => found.set_item("alpha", alpha)?,
        Method::KMeans(KMeans { max_iterations, tolerance, .. }) => {
            found.set_item("max_iter", max_iterations)?;
            found.set_item("tol", tolerance)?;
        }
        Method::KMedoids(KMedoids { max_iterations, .. }) => found.set_item("max_iter", max_iterations)?,
        Method::Exemplars(Exemplars { landmarks, ridge, gate, nested, refine, .. }) => {
            found.set_item("landmarks", landmarks)?;
            found.set_item("ridge", ridge)?;
            found.set_item("gate", gate)?;
            found.set_item("nested", nested)?;
            found.set_item("refine", refine)?;
        }
        _ => (),
    }
    Ok(found)
}

fn default(name: &str) -> PyResult<Method> {
    Method::from_name(name).ok_or_else(|| PyValueError::new_err(format!("there is no method called {name:?}")))
}

/// Sets one setting; false if the method has none of that name.
fn set(method: &mut Method, key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match (method, key) {
        // Comes before the settings that change it: dictionaries keep their order.
        (Method::Arss(arss), "preset") => *arss = preset(value)?,
        (Method::Arss(Arss { p, .. }), "p") => *p = read(key, value)?,
        (Method::Arss(Arss { gamma, .. }) | Method::Rrss(Rrss { gamma, .. }), "gamma") => {
            *gamma = Gamma::Absolute(read(key, value)?);
        }
        (Method::Arss(Arss { gamma, .. }) | Method::Rrss(Rrss { gamma, .. }), "gamma_ratio") => {
            *gamma = Gamma::Ratio(read(key, value)?);
        }
        (
            Method::Arss(Arss { tolerance, .. })
            | Method::Rrss(Rrss { tolerance, .. })
            | Method::KMeans(KMeans { tolerance, .. }),
            "tol",
        ) => *tolerance = read(key, value)?,
        (
            Method::Arss(Arss { max_iterations, .. })
            | Method::Rrss(Rrss { max_iterations, .. })
            | Method::KMeans(KMeans { max_iterations, .. })
            | Method::KMedoids(KMedoids { max_iterations, .. }),
            "max_iter",
        ) => *max_iterations = read(key, value)?,
        (Method::Ted(Ted { alpha, .. }), "alpha") => *alpha = read(key, value)?,
        (Method::Ted(Ted { weights, .. }) | Method::Exemplars(Exemplars { weights, .. }), "weights") => {
            *weights = Some(value.extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec());
        }
        (Method::Arss(Arss { diverse, .. }) | Method::Rrss(Rrss { diverse, .. }), "diverse") => {
            *diverse = read_bool(key, value)?;
        }
        (Method::Arss(Arss { rank, .. }) | Method::Rrss(Rrss { rank, .. }), "rank") => *rank = read_rank(value)?,
        // These two make the kernel: without one there is nothing to set.
        (
            Method::Arss(Arss { kernel, .. }) | Method::Rrss(Rrss { kernel, .. }) | Method::Ted(Ted { kernel, .. }),
            "landmarks",
        ) => kernel.get_or_insert_default().landmarks = read(key, value)?,
        (
            Method::Arss(Arss { kernel, .. }) | Method::Rrss(Rrss { kernel, .. }) | Method::Ted(Ted { kernel, .. }),
            "seed",
        ) => kernel.get_or_insert_default().seed = read(key, value)?,
        (Method::Exemplars(Exemplars { landmarks, .. }), "landmarks") => *landmarks = read(key, value)?,
        (Method::Exemplars(Exemplars { ridge, .. }), "ridge") => *ridge = read(key, value)?,
        (Method::Exemplars(Exemplars { gate, .. }), "gate") => *gate = read_bool(key, value)?,
        (Method::Exemplars(Exemplars { nested, .. }), "nested") => *nested = read_bool(key, value)?,
        (Method::Exemplars(Exemplars { refine, .. }), "refine") => *refine = read(key, value)?,
        (Method::Exemplars(Exemplars { include, .. }), "include") => *include = read_positions(value)?,
        (Method::Exemplars(Exemplars { exclude, .. }), "exclude") => *exclude = read_positions(value)?,
        (Method::Exemplars(Exemplars { outlier_columns, .. }), "outlier_columns") => {
            *outlier_columns = Some(read_positions(value)?);
        }
        (Method::Exemplars(Exemplars { groups, .. }), "groups") => {
            let (of, quotas): (Bound<'_, PyAny>, Option<Bound<'_, PyAny>>) = value.extract()?;
            let quotas = match quotas {
                None => Quotas::Proportional,
                Some(quotas) => Quotas::AtMost(read_positions(&quotas)?),
            };
            *groups = Some(Groups { of: read_positions(&of)?, quotas });
        }
        (method, "seed") => match method.seed_mut() {
            Some(seed) => *seed = read(key, value)?,
            None => return Ok(false),
        },
        _ => return Ok(false),
    }
    Ok(true)
}

/// A set of settings by name.
fn preset(value: &Bound<'_, PyAny>) -> PyResult<Arss> {
    match value.extract::<String>().as_deref() {
        Ok("paper") => Ok(Arss::paper()),
        _ => Err(PyValueError::new_err(format!("preset={}, but it must be None or 'paper'", value.repr()?))),
    }
}

/// What rows are ranked by.
fn read_rank(value: &Bound<'_, PyAny>) -> PyResult<Rank> {
    let name = value.extract::<String>().ok();
    name.and_then(|name| Rank::from_name(&name)).ok_or_else(|| {
        let given = value.repr().map_or_else(|_| "unprintable".to_owned(), |text| text.to_string());
        PyValueError::new_err(format!("rank={given}, but it must be 'sum' or 'norm'"))
    })
}

/// True or false; the exception names the setting.
fn read_bool(key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.extract::<bool>().map_err(|_| {
        let given = value.repr().map_or_else(|_| "unprintable".to_owned(), |text| text.to_string());
        PyTypeError::new_err(format!("{key} is {given}, but it must be True or False"))
    })
}

/// Positions or numbers of an array that the package has checked: none is negative.
fn read_positions(value: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    let array = value.extract::<PyReadonlyArray1<'_, i64>>()?;
    Ok(array.as_array().iter().map(|&position| position as usize).collect())
}

/// A number; the exception names the setting.
fn read<'py, T: for<'a> FromPyObject<'a, 'py>>(key: &str, value: &Bound<'py, PyAny>) -> PyResult<T> {
    value.extract::<T>().map_err(|error| {
        let py = value.py();
        let error: PyErr = error.into();
        let given = value.repr().map_or_else(|_| "unprintable".to_owned(), |text| text.to_string());
        if error.is_instance_of::<PyOverflowError>(py) {
            PyValueError::new_err(format!("{key} is {given}, which is out of range"))
        } else {
            PyTypeError::new_err(format!("{key} is {given}, but it must be a number: {}", error.value(py)))
        }
    })
}
