//! What can be known of files without reading them: about how large their table is.

use crate::io::{self, Extent, Reading};

/// A table as it seems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Survey {
    /// Size of the files.
    pub bytes: u64,
    /// Number of rows.
    pub rows: u64,
    /// Columns of the files, and those that seem to be numbers.
    pub columns: u64,
    /// Columns that seem to be numbers.
    pub used: u64,
    /// Bytes of a value in memory.
    pub element: u64,
    /// Bytes that stay in memory besides the values.
    pub held: u64,
    /// True if the table is read in pieces and put together.
    pub in_pieces: bool,
    /// False if the rows are an estimate.
    pub exact: bool,
}

/// Looks at the beginning of each file. `None` for what is no file, is packed, or is no table: reading it will tell.
pub fn look(reading: &Reading<'_>) -> Option<Survey> {
    let mut all = Survey { exact: true, element: 8, ..Survey::default() };
    for Extent { bytes, rows, columns, used, element, array, held, exact } in io::extents(reading)? {
        all.bytes += bytes;
        all.rows += rows;
        (all.columns, all.used, all.element) = (columns, used, element);
        all.exact &= exact;
        all.in_pieces |= !array;
        all.held += held;
    }
    Some(all)
}
