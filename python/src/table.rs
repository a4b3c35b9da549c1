//! Arrays of NumPy and sparse matrices of scipy as the core's table, without copying. The only unsafe code of the project.

use arss::distributed::RowsOf;
use arss::{Error, Float, HalfKind, Samples, SparseRows};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// A table of either type.
pub enum Table {
    /// Single precision.
    F32(Cells<f32>),
    /// Double precision.
    F64(Cells<f64>),
}

/// Values that belong to NumPy, and what keeps them alive.
pub struct Cells<T> {
    spans: Vec<Span<T>>,
    /// The values, if they have 16 bits; there are no spans then.
    half: Option<(Span<u16>, HalfKind)>,
    layout: Layout,
    /// The arrays: as long as these references exist, NumPy does not free or resize them.
    _keep: Vec<Py<PyAny>>,
}

/// `length` values from `start` on.
struct Span<T> {
    start: *const T,
    length: usize,
}

/// How the spans make up the table.
enum Layout {
    /// One span: rows, columns, and their strides.
    Strided(usize, usize, usize, usize),
    /// One span a column.
    Columns,
    /// One span of the values that are not zero (CSR): where each row begins, their columns, and how many there are.
    Sparse(Span<usize>, Span<u32>, usize),
}

// SAFETY: a span is only read, and the references in `_keep` make its memory outlive it.
#[allow(unsafe_code)]
unsafe impl<T: Send + Sync> Send for Cells<T> {}

impl<T: Float> Cells<T> {
    /// Calls `work` with the table as the core sees it.
    pub fn view<R>(&self, work: impl FnOnce(Samples<'_, T>) -> Result<R, Error>) -> Result<R, Error> {
        let slices: Vec<&[T]> = self.spans.iter().map(Span::slice).collect();
        match (&self.layout, &self.half) {
            (&Layout::Strided(rows, columns, row, column), Some((bits, kind))) => {
                work(Samples::half(bits.slice(), *kind, (rows, columns), (row, column))?)
            }
            (&Layout::Strided(rows, columns, row, column), None) => {
                work(Samples::strided(slices[0], rows, columns, row, column)?)
            }
            (Layout::Columns, _) => work(Samples::columns(&slices)?),
            (Layout::Sparse(starts, columns, features), _) => {
                let rows = SparseRows { starts: starts.slice(), columns: columns.slice(), values: slices[0] };
                work(Samples::sparse(rows, *features)?)
            }
        }
    }
}

impl<T: Float> Cells<T> {
    /// The rows of an array, values unseen; `None` for a list of columns.
    pub fn rows(&self) -> Option<RowsOf<'_, T>> {
        match self.layout {
            Layout::Strided(..) if self.half.is_some() => None,
            Layout::Strided(rows, columns, row, column) => {
                Some(RowsOf { data: self.spans[0].slice(), shape: (rows, columns), strides: (row, column) })
            }
            Layout::Columns | Layout::Sparse(..) => None,
        }
    }
}

impl<T> Span<T> {
    fn slice(&self) -> &[T] {
        // SAFETY: `span` has checked address and extent, and `_keep` keeps the memory. Another
        // Python thread may write to the array meanwhile: NumPy makes the same promise of
        // nothing for its own functions that release the lock.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts(self.start, self.length)
        }
    }
}

/// The table in a 2-D array or a list of 1-D columns.
pub fn read(table: &Bound<'_, PyAny>) -> PyResult<Table> {
    if let Ok(columns) = table.cast::<PyList>() {
        return match read_columns::<f64>(columns)? {
            Some(cells) => Ok(Table::F64(cells)),
            None => read_columns::<f32>(columns)?.map(Table::F32).ok_or_else(wrong_type),
        };
    }
    if table.hasattr("indptr")? {
        return match read_sparse::<f64>(table)? {
            Some(cells) => Ok(Table::F64(cells)),
            None => read_sparse::<f32>(table)?.map(Table::F32).ok_or_else(wrong_type),
        };
    }
    if let Some(kind) = half_kind(table) {
        let bits = table.call_method1("view", ("uint16",))?;
        let bits = bits.cast::<PyArray2<u16>>().map_err(|_| wrong_type())?;
        return read_half(bits, kind).map(Table::F32);
    }
    if let Ok(array) = table.cast::<PyArray2<f64>>() {
        read_array(array).map(Table::F64)
    } else if let Ok(array) = table.cast::<PyArray2<f32>>() {
        read_array(array).map(Table::F32)
    } else {
        Err(wrong_type())
    }
}

/// The format of an array of 16-bit numbers.
fn half_kind(table: &Bound<'_, PyAny>) -> Option<HalfKind> {
    let name = table.getattr("dtype").and_then(|kind| kind.getattr("name")).and_then(|name| name.extract::<String>());
    match name.as_deref() {
        Ok("float16") => Some(HalfKind::F16),
        Ok("bfloat16") => Some(HalfKind::Bf16),
        _ => None,
    }
}

fn read_half(bits: &Bound<'_, PyArray2<u16>>, kind: HalfKind) -> PyResult<Cells<f32>> {
    let Cells { mut spans, layout, _keep, .. } = read_strided::<u16>(bits)?;
    Ok(Cells { spans: Vec::new(), half: spans.pop().map(|span| (span, kind)), layout, _keep })
}

fn wrong_type() -> PyErr {
    PyTypeError::new_err("the table must be a 2-D array or a list of 1-D arrays, all float32 or all float64")
}

fn read_array<T: Element + Float>(array: &Bound<'_, PyArray2<T>>) -> PyResult<Cells<T>> {
    read_strided(array)
}

fn read_strided<T: Element>(array: &Bound<'_, PyArray2<T>>) -> PyResult<Cells<T>> {
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    let (row, column) = (stride::<T>(array.strides()[0], rows)?, stride::<T>(array.strides()[1], columns)?);
    let empty = rows == 0 || columns == 0;
    let length = if empty { 0 } else { (rows - 1) * row + (columns - 1) * column + 1 };
    Ok(Cells {
        spans: vec![span(array.data(), length)?],
        half: None,
        layout: Layout::Strided(rows, columns, row, column),
        _keep: vec![array.clone().into_any().unbind()],
    })
}

/// `None` if the columns are of another type.
fn read_columns<T: Element + Float>(columns: &Bound<'_, PyList>) -> PyResult<Option<Cells<T>>> {
    let (mut spans, mut keep) = (Vec::with_capacity(columns.len()), Vec::with_capacity(columns.len()));
    for column in columns.iter() {
        let Ok(array) = column.cast::<PyArray1<T>>() else { return Ok(None) };
        if stride::<T>(array.strides()[0], array.len())? != 1 {
            return Err(PyValueError::new_err("a column must be contiguous"));
        }
        spans.push(span(array.data(), array.len())?);
        keep.push(array.clone().into_any().unbind());
    }
    Ok(Some(Cells { spans, half: None, layout: Layout::Columns, _keep: keep }))
}

/// A matrix of scipy in compressed rows; `None` if its values are of another type.
fn read_sparse<T: Element + Float>(table: &Bound<'_, PyAny>) -> PyResult<Option<Cells<T>>> {
    let Ok(values) = table.getattr("data")?.cast_into::<PyArray1<T>>() else { return Ok(None) };
    // The indices are not negative, so that the same bits are a number without a sign.
    let columns = table.getattr("indices")?;
    let is_short = columns.getattr("itemsize")?.extract::<usize>()? == size_of::<u32>();
    let columns = columns.call_method1(if is_short { "view" } else { "astype" }, ("uint32",))?;
    let columns = columns.cast_into::<PyArray1<u32>>().map_err(|_| wrong_type())?;
    let starts = table.getattr("indptr")?.call_method1("astype", ("uintp",))?;
    let starts = starts.cast_into::<PyArray1<usize>>().map_err(|_| wrong_type())?;
    let (_, features): (usize, usize) = table.getattr("shape")?.extract()?;
    if !(values.is_contiguous() && columns.is_contiguous() && starts.is_contiguous()) {
        return Err(PyValueError::new_err("the lists of a sparse matrix must be contiguous"));
    }
    let layout = Layout::Sparse(span(starts.data(), starts.len())?, span(columns.data(), columns.len())?, features);
    let spans = vec![span(values.data(), values.len())?];
    let keep = vec![values.into_any().unbind(), columns.into_any().unbind(), starts.into_any().unbind()];
    Ok(Some(Cells { spans, half: None, layout, _keep: keep }))
}

/// The stride in values; where there is only one step to take it does not matter.
fn stride<T>(bytes: isize, count: usize) -> PyResult<usize> {
    let size = size_of::<T>();
    match usize::try_from(bytes) {
        _ if count <= 1 => Ok(1),
        Ok(bytes) if bytes % size == 0 => Ok(bytes / size),
        _ => {
            Err(PyValueError::new_err(format!("strides must be multiples of {size}, not negative, but one is {bytes}")))
        }
    }
}

/// The values from `start` on; an empty span has no address of its own.
fn span<T>(start: *const T, length: usize) -> PyResult<Span<T>> {
    if length == 0 {
        return Ok(Span { start: std::ptr::NonNull::dangling().as_ptr(), length });
    }
    if start.is_null() || !start.is_aligned() {
        return Err(PyValueError::new_err("the array is not aligned"));
    }
    Ok(Span { start, length })
}
