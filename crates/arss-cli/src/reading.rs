//! The table that a command works on.

use arss_table::Table;

use crate::args::input::InputArgs;
use crate::failure::Failure;
use crate::solve;
use crate::terminal::messages::Messages;
use crate::terminal::progress;

/// Reads the table and scales it.
pub fn read(args: &InputArgs, memory: Option<u64>, messages: &mut Messages) -> Result<Table, Failure> {
    let mut table =
        arss_table::open_with_progress(&args.inputs, &args.options(None, None, memory), &mut progress::reading)?;
    table.notes.drain(..).for_each(|message| messages.add(message));
    solve::prepare(&mut table, args.scale(), args.metric, messages)?;
    Ok(table)
}
