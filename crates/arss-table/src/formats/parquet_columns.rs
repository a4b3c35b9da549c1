//! What a Parquet file says of its columns besides their types.

use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::Type;
use parquet::file::metadata::ParquetMetaData;

/// True if categories stand in the file in their order: Arrow's own writer puts all of them there, others as they come.
pub fn keeps_order(metadata: &ParquetMetaData) -> bool {
    let by_arrow = metadata.file_metadata().created_by().is_some_and(|by| by.starts_with("parquet-cpp-arrow"));
    let mut columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    by_arrow
        && columns.all(|column| column.column_type() != Type::BYTE_ARRAY || column.dictionary_page_offset().is_some())
}

/// About how many numbers a row of each column has: more than one where it holds vectors.
pub fn widths(metadata: &ArrowReaderMetadata, rows: usize) -> Vec<u64> {
    let leaves = metadata.parquet_schema();
    let mut values = vec![0; metadata.schema().fields().len()];
    for leaf in 0..leaves.num_columns() {
        let groups = metadata.metadata().row_groups().iter();
        let own: i64 = groups.map(|group| group.column(leaf).num_values()).sum();
        if let Some(most) = values.get_mut(leaves.get_column_root_idx(leaf)) {
            *most = u64::try_from(own).unwrap_or_default().max(*most);
        }
    }
    values.into_iter().map(|values| values.div_ceil(rows.max(1) as u64).max(1)).collect()
}
