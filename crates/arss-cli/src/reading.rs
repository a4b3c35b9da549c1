//! The table that a command works on.

use arss_table::{Preparation, Table};

use crate::args::input::InputArgs;
use crate::failure::Failure;
use crate::solve;
use crate::terminal::messages::Messages;
use crate::terminal::progress;

/// Reads the table and scales it.
pub fn read(args: &InputArgs, memory: Option<u64>, messages: &mut Messages) -> Result<Table, Failure> {
    Ok(read_and_keep(args, memory, false, messages)?.0)
}

/// The same, and how the table became numbers, if that is to be kept.
pub fn read_and_keep(
    args: &InputArgs,
    memory: Option<u64>,
    keep: bool,
    messages: &mut Messages,
) -> Result<(Table, Option<Preparation>), Failure> {
    let mut table =
        arss_table::open_with_progress(&args.inputs, &args.options(None, None, memory), &mut progress::reading)?;
    table.notes.drain(..).for_each(|message| messages.add(message));
    let kept = solve::prepare(&mut table, (args.scale(), args.metric), keep, messages)?;
    Ok((table, kept))
}
