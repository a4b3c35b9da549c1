//! Sparse rows in columns: a list of places and a list of values, as Spark and stores of vectors write them.
//!
//! They are either the fields `indices` and `values` of one column, with an optional `size`, or two columns whose names end
//! so: `tfidf_indices` and `tfidf_values`. A row of a column without places has all of its values, as Spark's dense vectors.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Fields, Schema};

use crate::column_kinds::ColumnKind;
use crate::formats::arrow_columns::numbers;
use crate::formats::file_format::Progress;
use crate::source::Source;
use crate::sparse_matrix::{Entry, SparseMatrix};
use crate::untrusted::limit::MemoryLimit;
use crate::{DenseMatrix, Matrix, TableError};

/// Where the two lists are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    /// Fields of one column: the places, the values and, where it is there, the number of columns.
    Fields { column: usize, places: usize, values: usize, size: Option<usize> },
    /// Two columns.
    Columns { places: usize, values: usize },
}

/// The lists of a table.
#[derive(Debug, Clone, Copy)]
pub struct SparseLists(Lists);

/// The sparse rows of a table.
pub struct SparseTable {
    /// The values; dense if that takes no more memory.
    pub matrix: Matrix,
    /// The first row of each file, and the number of rows.
    pub starts: Vec<usize>,
}

impl SparseLists {
    /// The lists of a table, if the column of the values is `free` to be chosen by.
    pub fn find(schema: &Schema, free: impl Fn(usize) -> bool) -> Option<Self> {
        let mut columns = (0..schema.fields().len()).filter(|&column| free(column));
        let in_one = |column: usize| match schema.field(column).data_type() {
            DataType::Struct(fields) => {
                let (places, values) = pair(fields, |_| true)?;
                let size = fields.iter().position(|field| field.name() == "size" && field.data_type().is_integer());
                Some(Lists::Fields { column, places, values, size })
            }
            _ => None,
        };
        let in_two = || {
            let (places, values) = pair(schema.fields(), &free)?;
            Some(Lists::Columns { places, values })
        };
        columns.find_map(in_one).or_else(in_two).map(SparseLists)
    }

    /// The columns of the file that hold them.
    pub fn columns(self) -> Vec<usize> {
        match self.0 {
            Lists::Fields { column, .. } => vec![column],
            Lists::Columns { places, values } => vec![places, values],
        }
    }

    /// The column that people know the values by.
    pub fn named(self) -> usize {
        match self.0 {
            Lists::Fields { column, .. } => column,
            Lists::Columns { values, .. } => values,
        }
    }

    /// Reads all rows.
    pub fn read(self, source: &Source, limit: MemoryLimit, progress: Progress<'_>) -> Result<SparseTable, TableError> {
        let mut columns = self.columns();
        columns.sort_unstable();
        let mut rows = Rows { lists: self.0, sorted: columns.clone(), count: 0, width: 0, entries: Vec::new(), limit };
        let mut starts = vec![0];
        for (number, (file, path)) in source.files.iter().zip(&source.paths).enumerate() {
            progress(number as u64, source.files.len() as u64);
            let first = rows.count;
            file.batches(&columns, &mut |batch| {
                let added = rows.add(batch).map_err(|(row, what)| {
                    let name = source.headings.get(self.named()).map_or("", String::as_str);
                    let place = file.place(row - first);
                    format!("{place}, column {name} {what}")
                });
                added.and_then(|()| rows.check_size()).map_err(|what| TableError::in_file(path, what))
            })?;
            starts.push(rows.count);
        }
        let path = source.first_path();
        let shape = (rows.count, rows.width);
        let made = SparseMatrix::check_size((shape.0 as u64, shape.1 as u64), rows.entries.len() as u64, limit)
            .and_then(|()| SparseMatrix::from_entries(shape, &rows.entries));
        let matrix = made.map_err(|what| TableError::in_file(path, what))?;
        if matrix.is_worth_it() {
            return Ok(SparseTable { matrix: Matrix::Sparse(matrix), starts });
        }
        let fits = MemoryLimit { disk: false, ..limit }.check_values(shape.0 as u64, shape.1);
        fits.map_err(|what| TableError::in_file(path, what))?;
        let data = (0..shape.0).flat_map(|row| matrix.dense_row(row)).collect();
        let matrix = Matrix::F64(DenseMatrix { data, rows: shape.0, columns: shape.1, by_column: false });
        Ok(SparseTable { matrix, starts })
    }
}

/// The fields that hold places and values: lists whose names differ in their last word only.
fn pair(fields: &Fields, free: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
    let stem = |at: usize, ends: [&str; 2]| -> Option<String> {
        let name = fields.get(at)?.name().to_lowercase();
        ends.iter().find_map(|end| name.strip_suffix(end).map(str::to_owned))
    };
    let item = |at: usize| match fields.get(at)?.data_type() {
        DataType::List(item) | DataType::LargeList(item) => Some(item.data_type()),
        _ => None,
    };
    let all = || 0..fields.len();
    let places = all().filter(|&at| item(at).is_some_and(|item| item.is_integer()));
    places.filter_map(|at| Some((at, stem(at, ["indices", "index"])?))).find_map(|(places, own)| {
        let fits = |&at: &usize| {
            at != places
                && free(at)
                && item(at).is_some_and(|item| item.is_numeric())
                && stem(at, ["values", "value"]).is_some_and(|stem| stem == own)
        };
        all().find(fits).map(|values| (places, values))
    })
}

/// What has been read.
struct Rows {
    lists: Lists,
    /// The columns that are read, ascending.
    sorted: Vec<usize>,
    count: usize,
    width: usize,
    entries: Vec<Entry>,
    limit: MemoryLimit,
}

/// What is wrong, and in which row.
type Wrong = (usize, String);

impl Rows {
    #[expect(
        clippy::indexing_slicing,
        reason = "Arrow checks that lists end within their items, and a row is one of the batch"
    )]
    fn add(&mut self, batch: &RecordBatch) -> Result<(), Wrong> {
        let of_column = |column: usize| -> Result<&ArrayRef, Wrong> {
            let at = self.sorted.binary_search(&column).ok();
            let found = at.and_then(|at| batch.columns().get(at));
            found.ok_or_else(|| (self.count, "is gone".to_owned()))
        };
        let (places, values, size, whole) = match self.lists {
            Lists::Columns { places, values } => (of_column(places)?, of_column(values)?, None, None),
            Lists::Fields { column, places, values, size } => {
                let whole = of_column(column)?;
                let fields = whole.as_struct();
                (fields.column(places), fields.column(values), size.map(|size| fields.column(size)), Some(whole))
            }
        };
        let first = self.count;
        let cannot = |error: arrow_schema::ArrowError| (first, format!("cannot be read: {error}"));
        let (place_ends, place_items) = parts(places);
        let (value_ends, value_items) = parts(values);
        let place_items = numbers(&place_items, ColumnKind::Number).map_err(cannot)?;
        let value_items = numbers(&value_items, ColumnKind::Number).map_err(cannot)?;
        let sizes = size.map(|size| numbers(size, ColumnKind::Number)).transpose().map_err(cannot)?;
        for row in 0..batch.num_rows() {
            let wrong = |what: String| (first + row, what);
            if values.is_null(row) || whole.is_some_and(|whole| whole.is_null(row)) {
                return Err(wrong("holds no list of values; correct it, or leave out the row".to_owned()));
            }
            let own = &value_items[value_ends[row]..value_ends[row + 1]];
            let at = &place_items[place_ends[row]..place_ends[row + 1]];
            let is_dense = places.is_null(row) && whole.is_some();
            if !is_dense && at.len() != own.len() {
                return Err(wrong(format!("has {} values, but {} places", own.len(), at.len())));
            }
            let size = sizes.as_ref().map(|sizes| sizes[row]).filter(|size| *size > 0.0).map(|size| size as usize);
            self.width = self.width.max(size.unwrap_or_default());
            for (number, &value) in own.iter().enumerate() {
                let place = if is_dense { number as f64 } else { at[number] };
                if !(place >= 0.0 && place < f64::from(u32::MAX)) {
                    return Err(wrong(format!("has the place {place}, which is none")));
                }
                let place = place as usize;
                if let Some(size) = size.filter(|&size| place >= size) {
                    return Err(wrong(format!("has the place {place}, but the size {size}")));
                }
                self.width = self.width.max(place + 1);
                if value != 0.0 {
                    self.entries.push((first + row, place, value));
                }
            }
        }
        self.count += batch.num_rows();
        Ok(())
    }

    /// Fails if what has been read is too much.
    fn check_size(&self) -> Result<(), String> {
        let shape = (self.count.max(1) as u64, self.width.max(1) as u64);
        SparseMatrix::check_size(shape, self.entries.len() as u64, self.limit)
    }
}

/// Where each list begins among the items, and the items.
fn parts(lists: &ArrayRef) -> (Vec<usize>, ArrayRef) {
    let (offsets, items): (Vec<usize>, &ArrayRef) = match lists.data_type() {
        DataType::LargeList(_) => {
            let lists = lists.as_list::<i64>();
            (lists.value_offsets().iter().map(|&at| at as usize).collect(), lists.values())
        }
        _ => {
            let lists = lists.as_list::<i32>();
            (lists.value_offsets().iter().map(|&at| at as usize).collect(), lists.values())
        }
    };
    let (first, last) = (offsets.first().copied().unwrap_or_default(), offsets.last().copied().unwrap_or_default());
    (offsets.iter().map(|at| at - first).collect(), items.slice(first, last - first))
}
