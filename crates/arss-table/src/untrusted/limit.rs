//! The memory that reading may use.

use crate::byte_size;

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
