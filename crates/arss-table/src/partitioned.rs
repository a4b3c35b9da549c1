//! A file in folders such as `year=2020`, which is a column of it.

use std::any::{Any, TypeId};
use std::io;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};

use crate::TableError;
use crate::chunks::{ChunkedTable, ReadAs};
use crate::column_kinds::KindCounts;
use crate::field::{self, Style};
use crate::formats::file_format::{Progress, RowCount, TableFile};
use crate::input_paths::Partition;
use crate::output_types::OutputType;

/// A file with columns that are the same in all its rows, behind its own.
#[derive(Debug)]
pub struct PartitionedFile {
    inner: Box<dyn TableFile>,
    partitions: Vec<Partition>,
    schema: Option<Schema>,
}

/// The file with these columns behind its own. A column that the file has itself is not added.
pub fn partitioned(inner: Box<dyn TableFile>, partitions: &[Partition]) -> Box<dyn TableFile> {
    let own = inner.headings();
    let partitions: Vec<Partition> = partitions.iter().filter(|new| !own.contains(&new.name)).cloned().collect();
    if partitions.is_empty() {
        return inner;
    }
    let schema = inner.schema().map(|schema| {
        let fields = schema.fields().iter().map(|field| field.as_ref().clone()).chain(partitions.iter().map(field_of));
        Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone())
    });
    Box::new(PartitionedFile { inner, partitions, schema })
}

fn field_of(partition: &Partition) -> Field {
    Field::new(&partition.name, if partition.whole { DataType::Int64 } else { DataType::Utf8 }, true)
}

fn text_of(partition: &Partition) -> &str {
    partition.value.as_deref().unwrap_or_default()
}

impl PartitionedFile {
    /// The type of the file itself.
    pub fn inner_type(&self) -> TypeId {
        (self.inner.as_ref() as &dyn Any).type_id()
    }

    fn own_columns(&self) -> usize {
        self.inner.headings().len()
    }
}

impl TableFile for PartitionedFile {
    fn headings(&self) -> Vec<String> {
        self.inner.headings().into_iter().chain(self.partitions.iter().map(|own| own.name.clone())).collect()
    }

    fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    fn column_type(&self, column: usize) -> Option<OutputType> {
        match column.checked_sub(self.own_columns()) {
            Some(at) if self.partitions.get(at).is_some_and(|own| own.whole) => Some(OutputType::Int),
            Some(_) => Some(OutputType::Text),
            None => self.inner.column_type(column),
        }
    }

    fn optional_columns(&mut self) -> Option<&mut Vec<String>> {
        self.inner.optional_columns()
    }

    fn sample(&self) -> Result<ChunkedTable, TableError> {
        let mut table = self.inner.sample()?;
        for partition in &self.partitions {
            let mut seen = KindCounts::default();
            seen.add(field::read(text_of(partition).as_bytes(), Style::default()), 0);
            table.add_column(seen);
        }
        Ok(table)
    }

    fn row_count(&self, sample: &ChunkedTable, read_as: &[ReadAs]) -> Option<RowCount> {
        self.inner.row_count(sample, read_as.get(..self.own_columns()).unwrap_or(read_as))
    }

    fn read(&mut self, read_as: &[ReadAs], table: &mut ChunkedTable, progress: Progress<'_>) -> Result<(), TableError> {
        let (own, added) = read_as.split_at(self.own_columns());
        let texts = self.partitions.iter().map(|partition| text_of(partition).to_owned());
        table.constants = added.iter().copied().zip(texts).collect();
        let done = self.inner.read(own, table, progress);
        table.constants.clear();
        table.single.iter_mut().skip(own.len()).for_each(|single| *single = false);
        done
    }

    fn batches(
        &self,
        columns: &[usize],
        take: &mut dyn FnMut(&RecordBatch) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        self.inner.batches(columns, take)
    }

    fn cells(&self, rows: &[usize]) -> io::Result<Vec<Vec<String>>> {
        let mut cells = self.inner.cells(rows)?;
        let added = || self.partitions.iter().map(|partition| text_of(partition).to_owned());
        cells.iter_mut().for_each(|row| row.extend(added()));
        Ok(cells)
    }

    fn batch(&self, rows: &[usize], headings: &[String], types: &[OutputType]) -> io::Result<RecordBatch> {
        let own = self.own_columns();
        let headings = headings.get(..own).unwrap_or(headings);
        let batch = self.inner.batch(rows, headings, types.get(..own).unwrap_or(types))?;
        let schema = batch.schema();
        let fields =
            schema.fields().iter().map(|field| field.as_ref().clone()).chain(self.partitions.iter().map(field_of));
        let added = self.partitions.iter().map(|partition| -> ArrayRef {
            let value = partition.value.as_deref();
            if partition.whole {
                let value: Option<i64> = value.and_then(|text| text.parse().ok());
                return Arc::new(std::iter::repeat_n(value, rows.len()).collect::<Int64Array>());
            }
            Arc::new(std::iter::repeat_n(value, rows.len()).collect::<StringArray>())
        });
        let arrays = batch.columns().iter().cloned().chain(added).collect();
        let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone());
        RecordBatch::try_new(Arc::new(schema), arrays).map_err(io::Error::other)
    }

    fn place(&self, row: usize) -> String {
        self.inner.place(row)
    }

    fn notes(&self) -> Vec<String> {
        self.inner.notes()
    }

    fn check_unchanged(&self) -> Result<(), TableError> {
        self.inner.check_unchanged()
    }
}
