//! The checkpoint of one run: started, resumed, removed.

use std::hash::Hasher;
use std::path::Path;

use arss::out_of_core::RowSource;
use arss::{Count, Method};
use twox_hash::XxHash64;

use crate::checkpoint::{Checkpoint, Claim};
use crate::scratch::{DiskFloat, ScratchFile};
use crate::{DiskMatrix, TableError};

/// Where the checkpoint of a run is kept, and what distinguishes the run from others.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The folder, which is the run's own.
    pub claim: &'a Claim,
    /// Passes over the table between two checkpoints.
    pub every: usize,
    /// Go on from the checkpoint that is there.
    pub resume: bool,
    /// The method with its settings.
    pub method: &'a Method,
    /// How many rows are chosen.
    pub count: Count,
    /// Score every row.
    pub all_scores: bool,
}

/// The checkpoint of a run, new or the one to go on from, and a note where `resume` was asked for.
pub fn open<'a, T: DiskFloat>(
    rows: &DiskMatrix<T>,
    options: &Options<'a>,
    state: (&'a ScratchFile<T>, &'a ScratchFile<f64>),
) -> Result<(Checkpoint<'a, T>, Option<String>), TableError> {
    let folder = options.claim.folder();
    let identity = identity(rows, options)?;
    let mut note = None;
    if options.resume {
        let found = Checkpoint::resume(options.claim, &identity, options.every, state);
        if let Some(found) = found.map_err(|error| TableError::Input(error.to_string()))? {
            let passes = found.recalled();
            let note = format!("{}: going on after {passes} passes over the table", folder.display());
            return Ok((found, Some(note)));
        }
        note = Some(format!("{}: there is no checkpoint yet, so the run starts", folder.display()));
    }
    let started = Checkpoint::start(options.claim, identity, options.every, state);
    let started = started.map_err(|error| TableError::Run(format!("the checkpoint cannot be written: {error}")))?;
    Ok((started, note))
}

/// Claims the folder of a run. Fails if an earlier run would be overwritten: found out before the table is read.
pub fn claim(folder: Option<&Path>, resume: bool, force: bool) -> Result<Option<Claim>, TableError> {
    check(folder, resume, force)?;
    folder.map(Claim::on).transpose()
}

/// Fails if the folder could not be claimed; changes nothing.
pub fn check(folder: Option<&Path>, resume: bool, force: bool) -> Result<(), TableError> {
    let Some(folder) = folder else { return Ok(()) };
    Claim::check(folder)?;
    if !resume && !force && Checkpoint::<f64>::is_in(folder) {
        let what = "holds the checkpoint of an earlier run; --resume goes on with it, --force starts again";
        return Err(TableError::in_file(folder, what));
    }
    Ok(())
}

/// Removes the checkpoint: the results are written.
pub fn done(claim: Option<&Claim>) -> Result<(), TableError> {
    claim
        .map_or(Ok(()), Checkpoint::<f64>::clear)
        .map_err(|error| TableError::Run(format!("the checkpoint cannot be removed: {error}")))
}

/// What distinguishes this run from others: the values and everything that the result depends on.
fn identity<T: DiskFloat>(rows: &DiskMatrix<T>, options: &Options<'_>) -> Result<Vec<String>, TableError> {
    let mut sum = XxHash64::default();
    let mut bytes = Vec::new();
    rows.walk(&mut |_, values| {
        bytes.clear();
        values.iter().for_each(|value| bytes.extend_from_slice(&value.to_f64().to_bits().to_le_bytes()));
        sum.write(&bytes);
    })?;
    let mut lines = vec![
        format!("arss {}", env!("CARGO_PKG_VERSION")),
        format!("{} rows", rows.items()),
        format!("{} columns", rows.features()),
        format!("values of {} bytes", T::SIZE),
        format!("values with the sum {:016x}", sum.finish()),
        format!("-k {:?}", options.count),
        format!("scores of {} rows", if options.all_scores { "all" } else { "the best" }),
    ];
    lines.extend(format!("{:#?}", options.method).lines().map(str::to_owned));
    Ok(lines)
}
