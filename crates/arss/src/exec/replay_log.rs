//! A log of passes, so that an interrupted run can be resumed.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use super::out_of_core::Streamed;
use super::{Access, PassResult, Request, RowBackend, Step};
use crate::row_view::RowView;
use crate::{Error, Float};

/// A log of passes: an interrupted run is resumed where the log ends.
///
/// A run asks for its passes in the same order every time. As long as [`recall`](ReplayLog::recall) knows the result of
/// the next pass, the pass is not made and the state is not touched. From then on the state must be what it was after
/// the last pass that was recalled.
pub trait ReplayLog {
    /// The result of the next pass, if it is known; `request` is what the pass asks for.
    ///
    /// # Errors
    /// If the log has another pass there, in one line.
    fn recall(&mut self, request: &[u8]) -> Result<Option<Vec<u8>>, String>;
    /// A pass was made. `changed` tells whether it changed the values, and the numbers, of the state.
    ///
    /// # Errors
    /// What went wrong, in one line.
    fn record(&mut self, request: &[u8], result: &[u8], changed: (bool, bool)) -> Result<(), String>;
    /// The state was read for the result. A run cannot be resumed from a state that changes after this.
    fn state_read(&mut self);
}

/// Rows that are passed over only where the log does not know the result.
pub(super) struct Logged<'a, 'j, T> {
    pub rows: Streamed<'a, T>,
    pub log: Option<&'j mut dyn ReplayLog>,
}

impl<T: Float> RowBackend for Logged<'_, '_, T> {
    fn items(&self) -> usize {
        self.rows.items()
    }

    fn features(&self) -> usize {
        self.rows.features()
    }

    fn view(&self) -> RowView {
        self.rows.view()
    }

    fn pass(&mut self, step: &Step) -> Result<PassResult, Error> {
        let Some(log) = &mut self.log else { return self.rows.pass(step) };
        let failed = |reason| Error::Backend { reason };
        let needs = step.spec().needs();
        let request = Request { view: RowView::PLAIN, step: step.clone() }.encode()?;
        let result = match log.recall(&request).map_err(failed)? {
            Some(result) => {
                self.rows.width = self.rows.width.max(needs.width);
                result
            }
            None => {
                let result = self.rows.pass(step)?.encode()?;
                let changed = (needs.values == Access::Change, needs.numbers == Access::Change);
                log.record(&request, &result, changed).map_err(failed)?;
                result
            }
        };
        // Decoded in either case, so that a resumed run sees exactly what the first run saw.
        PassResult::decode(&result)?.check(&step.spec().output(self.features()), self.items())
    }

    fn column(&mut self, at: usize) -> Result<Option<Vec<f64>>, Error> {
        if let Some(log) = &mut self.log {
            log.state_read();
        }
        self.rows.column(at)
    }

    fn values(&mut self) -> Result<Option<Vec<f64>>, Error> {
        self.rows.values()
    }
}
