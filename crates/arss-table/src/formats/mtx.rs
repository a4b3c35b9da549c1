//! Matrix Market files of sparse matrices.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};

use crate::TableError;
use crate::byte_source::{ByteReader, ByteSource};
use crate::column_kinds::ColumnKind;
use crate::formats::arrow_columns;
use crate::formats::file_format::{FileFormat, Progress, TableFile};
use crate::formats::sparse_file::{self, SparseFile};
use crate::read::ReadContext;
use crate::source::Source;
use crate::sparse_matrix::{Entry, SparseMatrix};
use crate::untrusted::limit::MemoryLimit;
use crate::write::ExtraColumns;

/// The longest line that is read.
const LINE: u64 = 1 << 16;
/// The least bytes of an entry: two numbers, a space and a line break.
const LEAST: u64 = 4;
/// Entries between two calls about the progress.
const TOLD: usize = 1 << 16;

/// Matrix Market files.
#[derive(Debug)]
pub struct Mtx;

impl FileFormat for Mtx {
    fn name(&self) -> &'static str {
        "mtx"
    }

    fn help(&self) -> &'static str {
        "A sparse matrix, as Matrix Market writes it"
    }

    fn extensions(&self) -> &[&'static str] {
        &["mtx"]
    }

    fn magic(&self) -> &'static [&'static [u8]] {
        &[b"%%MatrixMarket"]
    }

    fn is_probed(&self) -> bool {
        false
    }

    fn open(
        &self,
        bytes: ByteSource,
        path: &Path,
        context: &ReadContext<'_>,
        progress: Progress<'_>,
    ) -> Result<Box<dyn TableFile>, TableError> {
        let store = Arc::new(bytes);
        let length = store.len();
        let reader = BufReader::new(ByteReader { store: store.clone(), at: 0 });
        let matrix = Lines { reader, number: 0, line: String::new() }
            .matrix(length, context.limit, progress)
            .map_err(|what| TableError::in_file(path, what))?;
        let origin = Arc::into_inner(store).ok_or_else(|| TableError::in_file(path, "is still being read"))?;
        Ok(Box::new(SparseFile { matrix, is_graph: context.options.graph, origin }))
    }

    fn refuses(&self, kind: ColumnKind) -> Option<&'static str> {
        match kind {
            ColumnKind::Number | ColumnKind::Truth => None,
            _ => Some("holds no numbers, and .mtx holds numbers only"),
        }
    }

    fn copy_rows(
        &self,
        source: &Source,
        out: &mut dyn Write,
        rows: &[usize],
        extra: &ExtraColumns,
    ) -> Option<io::Result<()>> {
        if extra.columns.is_empty() { sparse_file::write_rows(source, out, rows) } else { None }
    }

    fn write_batch(&self, _: &Source, out: &mut dyn Write, batch: &RecordBatch) -> io::Result<()> {
        let numbers = |array: &ArrayRef| arrow_columns::numbers(array, arrow_columns::kind(array.data_type()));
        let columns: Vec<Vec<f64>> =
            batch.columns().iter().map(numbers).collect::<Result<_, _>>().map_err(io::Error::other)?;
        let count: usize = columns.iter().map(|column| column.iter().filter(|value| **value != 0.0).count()).sum();
        writeln!(out, "%%MatrixMarket matrix coordinate real general")?;
        writeln!(out, "{} {} {count}", batch.num_rows(), columns.len())?;
        for row in 0..batch.num_rows() {
            let values = columns.iter().filter_map(|column| column.get(row)).enumerate();
            for (column, value) in values.filter(|(_, value)| **value != 0.0) {
                writeln!(out, "{} {} {value:?}", row + 1, column + 1)?;
            }
        }
        Ok(())
    }
}

/// What the first line says.
struct Banner {
    /// Entries have no value: each is 1.
    pattern: bool,
    /// Each entry stands for its mirror image, too.
    symmetric: bool,
}

impl Banner {
    fn parse(line: &str) -> Result<Self, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_ascii_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ["%%matrixmarket", "matrix", layout, field, symmetry] = *words.as_slice() else {
            return Err("is no Matrix Market file: its first line names no matrix".to_owned());
        };
        if layout != "coordinate" {
            return Err(format!("holds a matrix as {layout}, but only coordinates are read; save it as .npy"));
        }
        let pattern = match field {
            "real" | "integer" | "double" => false,
            "pattern" => true,
            other => return Err(format!("holds {other} numbers, but only real ones are read")),
        };
        let symmetric = match symmetry {
            "general" => false,
            "symmetric" => true,
            other => return Err(format!("holds a {other} matrix, but only general and symmetric ones are read")),
        };
        Ok(Banner { pattern, symmetric })
    }
}

/// The lines of the file.
struct Lines<R> {
    reader: R,
    number: usize,
    line: String,
}

impl<R: BufRead> Lines<R> {
    /// The next line that is neither empty nor a comment; false at the end.
    fn next(&mut self) -> Result<bool, String> {
        loop {
            self.line.clear();
            self.number += 1;
            let found = io::Read::take(&mut self.reader, LINE).read_line(&mut self.line);
            let found = found.map_err(|_| format!("line {} cannot be read as text", self.number))?;
            if found == 0 {
                return Ok(false);
            }
            if found as u64 == LINE {
                return Err(format!("line {} is longer than {LINE} bytes", self.number));
            }
            let text = self.line.trim();
            if self.number == 1 || !(text.is_empty() || text.starts_with('%')) {
                return Ok(true);
            }
        }
    }

    /// The whole numbers that the line begins with, and what follows.
    fn numbers<const N: usize>(&self, what: &str) -> Result<([u64; N], std::str::SplitWhitespace<'_>), String> {
        let mut words = self.line.split_whitespace();
        let mut found = [0; N];
        for place in &mut found {
            let number = words.next().and_then(|word| word.parse().ok());
            *place = number.ok_or_else(|| format!("line {} holds no {what}: {}", self.number, cut(&self.line)))?;
        }
        Ok((found, words))
    }

    fn matrix(mut self, length: u64, limit: MemoryLimit, progress: Progress<'_>) -> Result<SparseMatrix, String> {
        if !self.next()? {
            return Err("is empty".to_owned());
        }
        let banner = Banner::parse(&self.line)?;
        if !self.next()? {
            return Err("is cut off: the line with its size is missing".to_owned());
        }
        let ([rows, columns, count], _) = self.numbers("rows, columns and number of entries")?;
        if count > length / LEAST {
            return Err(format!("is cut off: {count} entries are announced, but {length} bytes are there"));
        }
        let held = if banner.symmetric { 2 * count } else { count };
        SparseMatrix::check_size((rows, columns), held, limit)?;
        if banner.symmetric && rows != columns {
            return Err(format!("is said to be symmetric, but it is {rows} x {columns}"));
        }
        let mut entries = Vec::with_capacity(held as usize);
        for at in 0..count as usize {
            if at % TOLD == 0 {
                progress(at as u64, count);
            }
            if !self.next()? {
                return Err(format!("is cut off: {count} entries are announced, {at} are there"));
            }
            let (row, column, value) = self.entry(&banner, (rows, columns))?;
            if banner.symmetric && row != column {
                entries.push((column, row, value));
            }
            entries.push((row, column, value));
        }
        if self.next()? {
            return Err(format!("line {} comes after the {count} entries that are announced", self.number));
        }
        SparseMatrix::from_entries((rows as usize, columns as usize), &entries)
    }

    fn entry(&self, banner: &Banner, (rows, columns): (u64, u64)) -> Result<Entry, String> {
        let ([row, column], mut words) = self.numbers("row and column")?;
        if !(1..=rows).contains(&row) || !(1..=columns).contains(&column) {
            let what = format!("names row {row}, column {column} (from 1) of a {rows} x {columns} matrix");
            return Err(format!("line {} {what}", self.number));
        }
        let value = match (banner.pattern, words.next()) {
            (true, None) => 1.0,
            (false, Some(word)) => {
                let value = word.parse().ok().filter(|value: &f64| value.is_finite());
                value
                    .ok_or_else(|| format!("line {} holds {}, which is not a finite number", self.number, cut(word)))?
            }
            _ => return Err(format!("line {} does not hold an entry: {}", self.number, cut(&self.line))),
        };
        if words.next().is_some() {
            return Err(format!("line {} holds more than an entry: {}", self.number, cut(&self.line)));
        }
        Ok((row as usize - 1, column as usize - 1, value))
    }
}

/// The start of some text, for messages.
fn cut(text: &str) -> String {
    crate::text::cut(text.trim())
}
