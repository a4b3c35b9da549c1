//! The contract between a solver and whoever holds the rows.

use super::wire::damaged;
use super::{FetchRows, PassResult, Step, TopRow};
use crate::Error;
use crate::row_view::RowView;

/// Holds the rows and their state, and runs steps on them.
pub(crate) trait RowBackend {
    /// The number of rows.
    fn items(&self) -> usize;
    /// The values of a row.
    fn features(&self) -> usize;
    /// How the steps see the rows.
    fn view(&self) -> RowView;
    /// Runs the step on all rows and adds up what it gathered.
    fn pass(&mut self, step: &Step) -> Result<PassResult, Error>;
    /// One of the numbers kept for each row; `None` where they stay with the rows.
    fn column(&mut self, at: usize) -> Result<Option<Vec<f64>>, Error>;
    /// The values kept for each row, row by row; `None` where they stay with the rows.
    fn values(&mut self) -> Result<Option<Vec<f64>>, Error>;

    /// Rows that a pass should take at a time, if one row costs `work` multiplications and the caller wants to show
    /// progress; all of them where a pass has a cost of its own.
    fn stretch(&self, _work: usize) -> usize {
        self.items()
    }

    /// The rows themselves, where they are in memory: then none has to be fetched.
    fn resident(&self) -> Option<&dyn RowAccess> {
        None
    }

    /// The rows at some positions, which are different and in ascending order.
    ///
    /// # Errors
    /// If the pass fails, or a worker does not answer with these rows.
    fn fetch(&mut self, positions: Vec<usize>) -> Result<Vec<TopRow>, Error> {
        let mut found = self.pass(&Step::FetchRows(FetchRows { positions: positions.clone() }))?.rows.list;
        found.sort_unstable_by_key(|row| row.index);
        if found.iter().map(|row| row.index).eq(positions) { Ok(found) } else { Err(damaged()) }
    }
}

/// Rows that can be read by position, as `f64`.
pub(crate) trait RowAccess: Sync {
    /// Replaces `values` with the listed rows, one behind the other.
    fn read(&self, items: &[usize], values: &mut Vec<f64>);

    /// Replaces `entries` with the columns and values of a row, zeros left out, where the table holds nothing else; false
    /// if it does not.
    fn read_entries(&self, _item: usize, _entries: &mut Vec<(usize, f64)>) -> bool {
        false
    }

    /// Adds the distances of a row to the listed ones, where the table holds distances.
    fn push_distances(&self, _item: usize, _others: &[usize], _distances: &mut Vec<f64>) {
        unreachable!("tables of distances are in memory")
    }

    /// The squared width of the similarity, where most distances are not known and no sample of them tells it.
    fn width(&self) -> Option<f64> {
        None
    }
}
