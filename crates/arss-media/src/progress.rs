//! How far the work is.

/// Called from many threads with how many files are done, and how many there are.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);
