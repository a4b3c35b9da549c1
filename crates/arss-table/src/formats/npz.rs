//! Archives of arrays saved by numpy.

use std::cell::Cell;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use zip::ZipArchive;

use crate::TableError;
use crate::byte_source::{ByteReader, ByteSource};
use crate::formats::file_format::{FileFormat, Progress, TableFile};
use crate::formats::npy::NpyFile;
use crate::formats::sparse_file::SparseFile;
use crate::formats::{npz_sparse, sheet};
use crate::read::ReadContext;
use crate::source::Source;
use crate::text::listed;

/// What is said about writing such files.
const NOT_WRITTEN: &str = "archives of arrays are not written; name it .npy";

/// Archives of arrays saved by numpy; read only.
#[derive(Debug)]
pub struct Npz;

impl FileFormat for Npz {
    fn name(&self) -> &'static str {
        "npz"
    }

    fn help(&self) -> &'static str {
        "An archive of such arrays, or a sparse matrix saved by scipy"
    }

    fn reads_by(&self) -> &'static [&'static str] {
        &["array"]
    }

    fn extensions(&self) -> &[&'static str] {
        &["npz"]
    }

    fn looks_like(&self, start: &[u8]) -> bool {
        // Workbooks are archives, too.
        start.starts_with(b"PK\x03\x04") && !sheet::Sheet.looks_like(start)
    }

    fn is_archive(&self) -> bool {
        true
    }

    fn is_probed(&self) -> bool {
        false
    }

    fn open(
        &self,
        bytes: ByteSource,
        path: &Path,
        context: &ReadContext<'_>,
        _: Progress<'_>,
    ) -> Result<Box<dyn TableFile>, TableError> {
        let store = Arc::new(bytes);
        if context.options.array.is_none()
            && let Some(matrix) = npz_sparse::matrix_of(&store, path, context)?
        {
            let origin = Arc::into_inner(store).ok_or_else(|| TableError::in_file(path, "is still being read"))?;
            return Ok(Box::new(SparseFile { matrix, is_graph: context.options.graph, origin }));
        }
        Ok(Box::new(NpyFile::open(array_of(store, path, context)?, path, context.limit)?))
    }

    fn not_written(&self) -> Option<&'static str> {
        Some(NOT_WRITTEN)
    }

    fn write_batch(&self, _: &Source, _: &mut dyn Write, _: &RecordBatch) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, NOT_WRITTEN))
    }
}

/// The one array of the archive, or the one called `name`.
fn array_of(store: Arc<ByteSource>, path: &Path, context: &ReadContext<'_>) -> Result<ByteSource, TableError> {
    let name = context.options.array.as_deref();
    let broken =
        |error: &dyn std::fmt::Display| TableError::in_file(path, format_args!("is no whole npz archive: {error}"));
    let reader = ByteReader { store, at: 0 };
    let mut archive = ZipArchive::new(reader).map_err(|error| broken(&error))?;
    let arrays = archive.file_names().filter_map(|name| Some(name.ok()?.strip_suffix(".npy")?.to_owned()));
    let names: Vec<String> = arrays.collect();
    let chosen = match (name, names.as_slice()) {
        (Some(name), _) if names.iter().any(|known| known == name) => name,
        (None, [only]) => only,
        (_, []) => return Err(TableError::in_file(path, "holds no array")),
        (Some(name), _) => {
            let what = format!("has no array {name}; it holds {}", listed(&names));
            return Err(TableError::in_file(path, what));
        }
        (None, _) => {
            let what = format!("holds {} arrays: {}; choose one with --array NAME", names.len(), listed(&names));
            return Err(TableError::in_file(path, what));
        }
    };
    let entry = archive.by_name(&format!("{chosen}.npy")).map_err(|error| broken(&error))?;
    let packed = Cell::new(entry.compressed_size());
    ByteSource::kept(entry, path, context, Some(&packed))
}
