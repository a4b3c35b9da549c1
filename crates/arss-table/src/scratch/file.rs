//! A file without a name that keeps numbers.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use arss::out_of_core::Store;

use crate::private_files;
use crate::scratch::numbers::{self, DiskFloat};

/// A file without a name that holds numbers; it vanishes with the process.
#[derive(Debug)]
pub struct ScratchFile<N> {
    pub(crate) file: File,
    pub(crate) folder: PathBuf,
    /// Numbers appended.
    pub(crate) count: usize,
    kind: PhantomData<N>,
}

impl<N: DiskFloat> ScratchFile<N> {
    /// A file in `folder`.
    ///
    /// # Errors
    /// If it cannot be made there.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let file = private_files::nameless(folder)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))?;
        Ok(ScratchFile { file, folder: folder.to_owned(), count: 0, kind: PhantomData })
    }

    /// Writes numbers behind those that were appended before.
    ///
    /// # Errors
    /// If they cannot be written: most often the disk is full.
    pub fn append(&mut self, numbers: &[N]) -> io::Result<()> {
        numbers::write(&self.file, (self.count * N::SIZE) as u64, numbers)?;
        self.count += numbers.len();
        Ok(())
    }

    /// The bytes from `at` on as far as they go; how many there are.
    pub(crate) fn read_bytes(&self, at: u64, bytes: &mut [u8]) -> io::Result<usize> {
        numbers::read_at(&self.file, at, bytes).map_err(|error| io::Error::new(error.kind(), self.explain(&error)))
    }

    /// Writes bytes from `at` on.
    pub(crate) fn write_bytes(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        numbers::write_at(&self.file, at, bytes).map_err(|error| io::Error::new(error.kind(), self.explain(&error)))
    }

    fn explain(&self, error: &io::Error) -> String {
        format!("scratch file in {}: {error}", self.folder.display())
    }
}

impl<N: DiskFloat> Store<N> for ScratchFile<N> {
    fn read(&self, at: usize, numbers: &mut [N]) -> Result<(), String> {
        numbers::read(&self.file, (at * N::SIZE) as u64, numbers, true).map_err(|error| self.explain(&error))
    }

    fn write(&self, at: usize, numbers: &[N]) -> Result<(), String> {
        numbers::write(&self.file, (at * N::SIZE) as u64, numbers).map_err(|error| self.explain(&error))
    }
}
