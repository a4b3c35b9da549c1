//! The memory that reading may use.

use crate::byte_size;

/// Bytes that a column takes besides its values: its name, what was counted, what it became (measured: 1300 for csv, 1800
/// for JSON).
const COLUMN: u64 = 2048;
/// Bytes that a key of one JSON record takes while it is read.
const KEY: u64 = 256;

/// How much may be kept in memory.
#[derive(Debug, Clone, Copy)]
pub struct MemoryLimit {
    /// Bytes.
    pub bytes: u64,
    /// True if the user set it: then a high compression ratio is accepted.
    pub asked: bool,
    /// True if values go to the disk, so that they do not count.
    pub disk: bool,
}

impl MemoryLimit {
    /// The memory that was asked for, or half of what is free; `disk` says that values go to the disk.
    pub fn new(asked: Option<u64>, disk: bool) -> Self {
        let bytes = asked.or_else(|| crate::free_memory::bytes().map(|bytes| bytes / 2)).unwrap_or(u64::MAX);
        MemoryLimit { bytes, asked: asked.is_some(), disk }
    }

    /// Fails if so many columns do not fit, whatever is in them.
    pub fn check_columns(self, columns: usize) -> Result<(), String> {
        self.check_each(columns, "columns", COLUMN)
    }

    /// Fails if so many keys of one record do not fit.
    pub fn check_keys(self, keys: usize) -> Result<(), String> {
        self.check_each(keys, "keys of a record", KEY)
    }

    fn check_each(self, count: usize, what: &str, bytes: u64) -> Result<(), String> {
        let most = if self.asked { self.bytes } else { self.bytes.saturating_mul(2) };
        let needed = (count as u64).saturating_mul(bytes);
        if needed <= most {
            return Ok(());
        }
        let (needed, most) = (byte_size::shown(needed), byte_size::shown(most));
        Err(format!("{count} {what} take about {needed} of memory, but the limit is {most}; raise --memory"))
    }

    /// Fails if so many values do not fit. Without a limit from the user, the values may take all free memory, because
    /// the run cannot do without them.
    pub fn check_values(self, rows: u64, columns: usize) -> Result<(), String> {
        if self.disk {
            return Ok(());
        }
        let most = if self.asked { self.bytes } else { self.bytes.saturating_mul(2) };
        let needed = rows.saturating_mul(columns as u64).saturating_mul(8);
        if needed <= most {
            return Ok(());
        }
        let (needed, most) = (byte_size::shown(needed), byte_size::shown(most));
        let what = format!("{rows} x {columns} values take {needed} of memory, but the limit is {most}");
        Err(format!("{what}; choose fewer columns, or raise --memory"))
    }
}
