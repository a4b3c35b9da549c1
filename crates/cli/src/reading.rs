//! The table that a command works on.

use crate::args_input::InputArgs;
use crate::failure::Failure;
use crate::io::{self, Table};
use crate::messages::Messages;
use crate::{progress, solve};

/// Reads the table and scales it.
pub fn read(args: &InputArgs, memory: Option<u64>, messages: &mut Messages) -> Result<Table, Failure> {
    let mut table = io::read(&args.reading(None, None, memory), &mut progress::reading)?;
    table.messages.drain(..).for_each(|message| messages.add(message));
    table.values = solve::prepare(table.values, args.scale, messages)?;
    Ok(table)
}
