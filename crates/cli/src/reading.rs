//! The table that a command works on.

use crate::args_common::ReadArgs;
use crate::failure::Failure;
use crate::io::{self, Table};
use crate::messages::Messages;
use crate::{select, solve};

/// Reads the table and scales it; the columns `unused` of the file are not chosen by.
pub fn read(args: &ReadArgs, unused: &[&str], messages: &mut Messages) -> Result<Table, Failure> {
    let mut table = io::read(&args.input, select::input_format(&args.input)?)?;
    table.messages.drain(..).for_each(|message| messages.add(message));
    table.leave_out(unused)?;
    solve::prepare(&mut table.values, args.scale, messages);
    Ok(table)
}
