//! Tables in files, larger than memory: rows read when they are needed.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use arss::out_of_core::{RowSource, Stream};
use arss::{Count, Error, Method, RunOptions, Selection};
use arss_table::scratch::{DiskFloat, ScratchFile};
use arss_table::{
    ByName, ColumnScale, DiskMatrix, Encode, Matrix, Missing, ReadOptions, Scale, TableError, option_values,
    scale_values,
};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use crate::error::exception;
use crate::scaling::{self, Measured};

/// A table that was read: its rows in a file, how many rows the source has and which of them are there if not all, the
/// names of the columns and what each is a category of, and notes.
type Read = (RowFile, usize, Option<Vec<usize>>, Vec<String>, Vec<Option<usize>>, Vec<String>);

/// How often signals are looked for.
const POLL: Duration = Duration::from_millis(50);

/// The exception for a table that cannot be read.
pub fn table_error(error: TableError) -> PyErr {
    match error {
        TableError::Input(reason) => PyValueError::new_err(reason),
        TableError::Run(reason) => PyOSError::new_err(reason),
    }
}

/// A table in a file: the data of an npy file, or rows appended to a scratch file without a name.
#[pyclass]
pub struct RowFile {
    state: Option<State>,
    columns: usize,
}

enum State {
    Filling32(ScratchFile<f32>),
    Filling64(ScratchFile<f64>),
    Rows32(DiskMatrix<f32>),
    Rows64(DiskMatrix<f64>),
}

#[pymethods]
impl RowFile {
    /// `shape` rows and columns, row-major and little-endian, from byte `offset` of a file on.
    #[staticmethod]
    fn open(path: PathBuf, offset: u64, shape: (usize, usize), single: bool) -> PyResult<Self> {
        let state = if single {
            DiskMatrix::open(&path, offset, shape).map(State::Rows32)
        } else {
            DiskMatrix::open(&path, offset, shape).map(State::Rows64)
        };
        Ok(RowFile { state: Some(state.map_err(|error| PyOSError::new_err(error.to_string()))?), columns: shape.1 })
    }

    /// Reads files of any format that the command line reads, or a pattern of files, to a scratch file in `folder`;
    /// at most `memory` bytes are held meanwhile. `encode`, `missing` and the entries of `reading` are called as on the
    /// command line.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        folder: PathBuf,
        memory: u64,
        encode: &str,
        missing: &str,
        reading: &Bound<'_, PyDict>,
    ) -> PyResult<Read> {
        let unknown = |name: &str| PyValueError::new_err(format!("{name:?} is not known"));
        let encode = Encode::by_name(encode).ok_or_else(|| unknown(encode))?;
        let missing = Missing::by_name(missing).ok_or_else(|| unknown(missing))?;
        let mut options =
            ReadOptions { scratch: Some(folder), memory: Some(memory), encode, missing, ..ReadOptions::default() };
        set_options(&mut options, reading)?;
        let table = watched(py, move || {
            let table = arss_table::open(&[path], &options)?;
            let rows = table.source.rows();
            Ok((table.matrix, rows, table.kept, table.feature_names, table.categories, table.notes))
        })?;
        let (matrix, rows, kept, names, categories, notes) = table;
        let columns = names.len();
        let state = match matrix {
            Matrix::Disk32(rows) => State::Rows32(rows),
            Matrix::Disk64(rows) => State::Rows64(rows),
            Matrix::Sparse(_) => {
                let what = "a sparse file is read on the command line; in Python pass the matrix (scipy.io.mmread)";
                return Err(PyValueError::new_err(what));
            }
            Matrix::F32(_) | Matrix::F64(_) => return Err(PyOSError::new_err("the table was not read to a file")),
        };
        Ok((RowFile { state: Some(state), columns }, rows, kept, names, categories, notes))
    }

    /// A scratch file in `folder` for rows of `columns` values.
    #[staticmethod]
    fn scratch(folder: PathBuf, columns: usize, single: bool) -> PyResult<Self> {
        let state = if single {
            ScratchFile::new(&folder).map(State::Filling32)
        } else {
            ScratchFile::new(&folder).map(State::Filling64)
        };
        Ok(RowFile { state: Some(state.map_err(|error| PyOSError::new_err(error.to_string()))?), columns })
    }

    /// Appends rows to a scratch file.
    fn append(&mut self, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        match &mut self.state {
            Some(State::Filling32(scratch)) => append(scratch, &rows.extract()?, self.columns),
            Some(State::Filling64(scratch)) => append(scratch, &rows.extract()?, self.columns),
            _ => Err(PyValueError::new_err("rows can only be appended to a scratch file that is not in use")),
        }
    }

    /// Scales the columns, by way of a scratch file in `folder`; returns what was measured, `None` if all are constant.
    fn scale(
        &mut self,
        py: Python<'_>,
        how: &str,
        categories: Vec<Option<usize>>,
        folder: PathBuf,
    ) -> PyResult<Option<Vec<Measured>>> {
        let how = scaling::named(how)?;
        let (state, columns) = match self.take()? {
            Typed::F32(rows) => {
                let (rows, columns) = scale_rows(py, rows.with_folder(folder), how, &categories)?;
                (State::Rows32(rows), columns)
            }
            Typed::F64(rows) => {
                let (rows, columns) = scale_rows(py, rows.with_folder(folder), how, &categories)?;
                (State::Rows64(rows), columns)
            }
        };
        self.state = Some(state);
        Ok(columns.map(scaling::measured))
    }
}

/// Sets what a dictionary says of reading, by the names of the command line.
fn set_options(options: &mut ReadOptions, reading: &Bound<'_, PyDict>) -> PyResult<()> {
    for (name, value) in reading {
        let name: String = name.extract()?;
        let wrong = |known: String| PyValueError::new_err(format!("reading[{name:?}] is {value}, but {known}"));
        let names = || value.extract::<Vec<String>>().map_err(|_| wrong("a list of names is taken".to_owned()));
        match name.as_str() {
            "columns" => options.columns = Some(names()?),
            "exclude" => options.exclude = names()?,
            "as" => {
                let roles: HashMap<String, String> =
                    value.extract().map_err(|_| wrong("a dictionary from names to roles is taken".to_owned()))?;
                for (column, role) in roles {
                    options.roles.push((column, option_values::role(&role).map_err(wrong)?));
                }
                options.roles.sort_by(|a, b| a.0.cmp(&b.0));
            }
            "header" if value.is_instance_of::<PyBool>() => options.header = Some(value.extract()?),
            _ => options.set(&name, &value.str()?.to_string()).map_err(wrong)?,
        }
    }
    Ok(())
}

impl RowFile {
    /// Takes the rows out.
    fn take(&mut self) -> PyResult<Typed> {
        Ok(match self.state.take() {
            Some(State::Filling32(scratch)) => Typed::F32(DiskMatrix::in_scratch(scratch, self.columns)),
            Some(State::Filling64(scratch)) => Typed::F64(DiskMatrix::in_scratch(scratch, self.columns)),
            Some(State::Rows32(rows)) => Typed::F32(rows),
            Some(State::Rows64(rows)) => Typed::F64(rows),
            None => return Err(PyValueError::new_err("the file was used already")),
        })
    }
}

/// Calls `work` on a thread of its own, so that Ctrl-C is seen at once.
fn watched<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<R, TableError> + Send + 'static,
) -> PyResult<R> {
    let (sender, inbox) = channel();
    // Nobody listens after Ctrl-C.
    thread::Builder::new().name("arss-table".into()).spawn(move || drop(sender.send(work())))?;
    let inbox = Mutex::new(inbox);
    loop {
        match py.detach(|| inbox.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(POLL)) {
            Ok(done) => return done.map_err(table_error),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(PyOSError::new_err("reading ended without a word")),
        }
    }
}

/// Scales rows in a file, checked to be finite before.
fn scale_rows<T: DiskFloat>(
    py: Python<'_>,
    rows: DiskMatrix<T>,
    how: Scale,
    categories: &[Option<usize>],
) -> PyResult<(DiskMatrix<T>, Option<Vec<ColumnScale>>)> {
    let categories = categories.to_vec();
    let (wrong, rows) = watched(py, move || Ok((rows.check()?, rows)))?;
    match wrong {
        Some(wrong) => Err(exception(wrong)),
        None => watched(py, move || scale_values(rows, how, &categories)),
    }
}

fn append<T: DiskFloat + numpy::Element>(
    scratch: &mut ScratchFile<T>,
    rows: &PyReadonlyArray2<'_, T>,
    columns: usize,
) -> PyResult<()> {
    if rows.shape()[1] != columns {
        let found = rows.shape()[1];
        return Err(PyValueError::new_err(format!("a batch has {found} columns, but those before it have {columns}")));
    }
    let values = rows.as_slice().map_err(|_| PyTypeError::new_err("a batch must be contiguous"))?;
    scratch.append(values).map_err(|error| PyOSError::new_err(error.to_string()))
}

/// A table in a file, and what it may cost to walk over it.
pub struct FileTable {
    rows: Typed,
    /// Bytes for blocks of rows.
    pub memory: usize,
    /// Where scratch files are made.
    pub folder: PathBuf,
}

enum Typed {
    F32(DiskMatrix<f32>),
    F64(DiskMatrix<f64>),
}

impl FileTable {
    /// Takes the table out of its Python object.
    pub fn take(file: &mut RowFile, memory: usize, folder: PathBuf) -> PyResult<Self> {
        Ok(FileTable { rows: file.take()?, memory, folder })
    }

    /// Chooses rows.
    pub fn select(&self, method: &Method, count: Count, run: &mut RunOptions<'_>) -> Result<Selection, Error> {
        match &self.rows {
            Typed::F32(rows) => self.stream(rows, method, count, run),
            Typed::F64(rows) => self.stream(rows, method, count, run),
        }
    }

    fn stream<T: DiskFloat>(
        &self,
        source: &dyn RowSource<T>,
        method: &Method,
        count: Count,
        run: &mut RunOptions<'_>,
    ) -> Result<Selection, Error> {
        let explain = |error: std::io::Error| Error::Backend { reason: error.to_string() };
        let values = ScratchFile::<T>::new(&self.folder).map_err(explain)?;
        let numbers = ScratchFile::<f64>::new(&self.folder).map_err(explain)?;
        Stream { source, values: &values, numbers: &numbers, memory: self.memory }.select(method, count, run)
    }
}
