//! Sparse matrices saved by scipy: an archive of the arrays that make one up.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use zip::ZipArchive;

use crate::TableError;
use crate::byte_source::{ByteReader, ByteSource};
use crate::formats::npy_values::{signed, to_f64};
use crate::read::ReadContext;
use crate::sparse_matrix::{Entry, SparseMatrix};
use crate::untrusted::npy_header::{self, ElementType};

/// The matrix in the archive; `None` if it holds other arrays.
pub fn matrix_of(
    store: &Arc<ByteSource>,
    path: &Path,
    context: &ReadContext<'_>,
) -> Result<Option<SparseMatrix>, TableError> {
    // Archives that are none are refused where arrays are looked for.
    let Ok(archive) = ZipArchive::new(ByteReader { store: store.clone(), at: 0 }) else { return Ok(None) };
    let mut members = Members { archive, path, context };
    if !["format", "shape", "data"].iter().all(|name| members.has(name)) {
        return Ok(None);
    }
    let format = members.bytes("format")?;
    let matrix = match format.get(format.len().saturating_sub(3)..) {
        Some(b"csr") => members.compressed(false),
        Some(b"csc") => members.compressed(true),
        Some(b"coo") => members.listed(),
        _ => Err("holds a sparse matrix of another kind than csr, csc and coo; save m.tocsr()".to_owned()),
    };
    matrix.map(Some).map_err(|what| TableError::in_file(path, what))
}

struct Members<'a> {
    archive: ZipArchive<ByteReader>,
    path: &'a Path,
    context: &'a ReadContext<'a>,
}

impl Members<'_> {
    fn has(&self, name: &str) -> bool {
        self.archive.index_for_name(&format!("{name}.npy")).is_some()
    }

    /// The bytes of one of the arrays.
    fn bytes(&mut self, name: &str) -> Result<Vec<u8>, TableError> {
        let broken = |error: &dyn std::fmt::Display| {
            TableError::in_file(self.path, format_args!("is no whole npz archive: {error}"))
        };
        let entry = self.archive.by_name(&format!("{name}.npy")).map_err(|error| broken(&error))?;
        let packed = Cell::new(entry.compressed_size());
        let store = ByteSource::kept(entry, self.path, self.context, Some(&packed))?;
        store.slice(0, store.len()).map_err(|error| broken(&error))
    }

    /// The numbers of an array of one dimension.
    fn list<T>(&mut self, name: &str, number: impl Fn(ElementType, &[u8]) -> Option<T>) -> Result<Vec<T>, String> {
        let bytes = self.bytes(name).map_err(|error| error.to_string())?;
        let mut rest = bytes.as_slice();
        let header = npy_header::read(&mut rest)?;
        let &[count] = header.shape.as_slice() else {
            return Err(format!("its array {name} has {} dimensions, not 1", header.shape.len()));
        };
        let size = header.kind.size();
        if count.checked_mul(size) != Some(rest.len()) {
            return Err(format!("its array {name} announces {count} values, but {} bytes are there", rest.len()));
        }
        let read = |(at, bytes): (usize, &[u8])| {
            number(header.kind, bytes).ok_or_else(|| format!("value {at} (from 0) of its array {name} cannot be used"))
        };
        rest.chunks_exact(size).enumerate().map(read).collect()
    }

    fn places(&mut self, name: &str) -> Result<Vec<usize>, String> {
        self.list(name, |kind, bytes| match kind {
            ElementType::Int(_) => usize::try_from(signed(bytes)).ok(),
            ElementType::Uint(_) => Some(to_f64(kind, bytes) as usize),
            _ => None,
        })
    }

    fn values(&mut self) -> Result<Vec<f64>, String> {
        self.list("data", |kind, bytes| Some(to_f64(kind, bytes)).filter(|value| value.is_finite()))
    }

    fn shape(&mut self, values: usize) -> Result<(usize, usize), String> {
        let shape = self.places("shape")?;
        let &[rows, columns] = shape.as_slice() else { return Err("its shape has not 2 numbers".to_owned()) };
        SparseMatrix::check_size((rows as u64, columns as u64), values as u64, self.context.limit)?;
        Ok((rows, columns))
    }

    /// Rows (or columns) one behind the other.
    fn compressed(&mut self, by_column: bool) -> Result<SparseMatrix, String> {
        let (values, places, starts) = (self.values()?, self.places("indices")?, self.places("indptr")?);
        let (rows, columns) = self.shape(values.len())?;
        let lines = if by_column { columns } else { rows };
        let ascends = starts.first() == Some(&0) && starts.is_sorted() && starts.last() == Some(&values.len());
        if places.len() != values.len() || starts.len() != lines + 1 || !ascends {
            return Err("its arrays indptr, indices and data do not fit each other".to_owned());
        }
        let mut entries: Vec<Entry> = Vec::with_capacity(values.len());
        let mut each = places.into_iter().zip(values);
        for (line, (from, to)) in starts.iter().zip(starts.iter().skip(1)).enumerate() {
            for (place, value) in each.by_ref().take(to - from) {
                let (row, column) = if by_column { (place, line) } else { (line, place) };
                entries.push((row, column, value));
            }
        }
        SparseMatrix::from_entries((rows, columns), &entries)
    }

    /// Entries in any order.
    fn listed(&mut self) -> Result<SparseMatrix, String> {
        let (values, row, column) = (self.values()?, self.places("row")?, self.places("col")?);
        let shape = self.shape(values.len())?;
        if row.len() != values.len() || column.len() != values.len() {
            return Err("its arrays row, col and data do not fit each other".to_owned());
        }
        let entries: Vec<Entry> =
            row.into_iter().zip(column).zip(values).map(|((r, c), value)| (r, c, value)).collect();
        SparseMatrix::from_entries(shape, &entries)
    }
}
