//! `--checkpoint` and `--resume`.

use std::path::Path;

use arss::elsewhere::RowSource;
use arss_scratch::{Cell, Checkpoint, Rows, Scratch, Sum};

use crate::failure::Failure;
use crate::messages::Messages;
use crate::solve::Job;

/// The checkpoint of the run, if one is asked for: a new one, or the one to go on from.
pub fn open<'a, T: Cell>(
    rows: &Rows<T>,
    job: &Job<'_>,
    state: (&'a Scratch<T>, &'a Scratch<f64>),
    messages: &mut Messages,
) -> Result<Option<Checkpoint<'a, T>>, Failure> {
    let Some(flags) = job.disk.flags else { return Ok(None) };
    let Some(folder) = &flags.checkpoint else { return Ok(None) };
    let identity = identity(rows, job)?;
    if flags.resume {
        let found = Checkpoint::resume(folder, &identity, flags.every, state);
        if let Some(found) = found.map_err(|error| Failure::Input(error.to_string()))? {
            let passes = found.recalled();
            messages.add(format!("{}: going on after {passes} passes over the table", folder.display()));
            return Ok(Some(found));
        }
        messages.add(format!("{}: there is no checkpoint yet, so the run starts", folder.display()));
    }
    let started = Checkpoint::start(folder, identity, flags.every, state);
    started.map(Some).map_err(|error| Failure::Run(format!("the checkpoint cannot be written: {error}")))
}

/// Fails if an earlier run would be overwritten: found out before the table is read.
pub fn check(folder: Option<&Path>, resume: bool, force: bool) -> Result<(), Failure> {
    match folder {
        Some(folder) if folder.is_file() => Err(Failure::in_file(folder, "is a file, but a checkpoint needs a folder")),
        Some(folder) if !resume && !force && Checkpoint::<f64>::is_in(folder) => {
            let what = "holds the checkpoint of an earlier run; --resume goes on with it, --force starts again";
            Err(Failure::in_file(folder, what))
        }
        _ => Ok(()),
    }
}

/// Removes the checkpoint: the results are written.
pub fn done(folder: Option<&Path>) -> Result<(), Failure> {
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else { return Ok(()) };
    Checkpoint::<f64>::clear(folder).map_err(|error| Failure::Run(format!("the checkpoint cannot be removed: {error}")))
}

/// What tells this run from others: the values and everything that the result depends on.
fn identity<T: Cell>(rows: &Rows<T>, job: &Job<'_>) -> Result<Vec<String>, Failure> {
    let mut sum = Sum::default();
    let mut bytes = Vec::new();
    rows.walk(&mut |_, values| {
        bytes.clear();
        values.iter().for_each(|value| bytes.extend_from_slice(&value.to_f64().to_bits().to_le_bytes()));
        sum.add(&bytes);
    })
    .map_err(|error| Failure::Run(error.to_string()))?;
    let mut lines = vec![
        format!("arss {}", env!("CARGO_PKG_VERSION")),
        format!("{} rows", rows.items()),
        format!("{} columns", rows.features()),
        format!("values of {} bytes", T::SIZE),
        format!("values with the sum {:016x}", sum.value()),
        format!("-k {:?}", job.count),
        format!("scores of {} rows", if job.all_scores { "all" } else { "the best" }),
    ];
    lines.extend(format!("{:#?}", job.method).lines().map(str::to_owned));
    Ok(lines)
}
