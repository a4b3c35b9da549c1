//! A diary of passes, so that a run can be taken up where it was broken off.

use super::streamed::Streamed;
use super::{Access, Engine, Request, Sums, step};
use crate::{Error, Float};

/// A diary of passes: a run that was broken off can be taken up where the diary ends.
///
/// A run asks for its passes in the same order every time. As long as [`recall`](Journal::recall) knows the sums of the
/// next pass, it is not made, and the state is not touched; from then on the state must be what it was after the last
/// pass that was recalled.
pub trait Journal {
    /// The sums of the next pass, if they are known; `request` is what it asks for.
    ///
    /// # Errors
    /// If another pass is known there, in one line.
    fn recall(&mut self, request: &[u8]) -> Result<Option<Vec<u8>>, String>;
    /// A pass was made. `changed` tells whether it changed the values, and the numbers, of the state.
    ///
    /// # Errors
    /// What went wrong, in one line.
    fn record(&mut self, request: &[u8], sums: &[u8], changed: (bool, bool)) -> Result<(), String>;
    /// The state was read for the result. A state that changes after this is not one to take a run up with.
    fn looked(&mut self);
}

/// Rows that are walked over only where the diary does not know the sums.
pub(super) struct Logged<'a, 'j, T> {
    pub rows: Streamed<'a, T>,
    pub journal: Option<&'j mut dyn Journal>,
}

impl<T: Float> Engine for Logged<'_, '_, T> {
    fn items(&self) -> usize {
        self.rows.items()
    }

    fn features(&self) -> usize {
        self.rows.features()
    }

    fn pass(&mut self, request: &Request) -> Result<Sums, Error> {
        let Some(journal) = &mut self.journal else { return self.rows.pass(request) };
        let failed = |reason| Error::Engine { reason };
        let bytes = request.encode();
        let sums = match journal.recall(&bytes).map_err(failed)? {
            Some(sums) => {
                self.rows.width = self.rows.width.max(request.width);
                sums
            }
            None => {
                let sums = self.rows.pass(request)?.encode();
                let (values, numbers) = step::<T>(request).access();
                let changed = (values == Access::Change, numbers == Access::Change);
                journal.record(&bytes, &sums, changed).map_err(failed)?;
                sums
            }
        };
        // A run that was not broken off sees what one that is taken up would see.
        Sums::decode(&sums)
    }

    fn column(&mut self, at: usize) -> Result<Option<Vec<f64>>, Error> {
        if let Some(journal) = &mut self.journal {
            journal.looked();
        }
        self.rows.column(at)
    }

    fn values(&mut self) -> Result<Option<Vec<f64>>, Error> {
        self.rows.values()
    }
}
