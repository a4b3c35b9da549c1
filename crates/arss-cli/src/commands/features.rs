//! `arss features`: as `arss select`, for columns.

use std::ffi::OsString;

use crate::args::SelectArgs;
use crate::commands::select;
use crate::failure::Failure;

/// Runs `arss features`; `words` is the command line it came from.
pub fn run(args: SelectArgs, words: &[OsString]) -> Result<(), Failure> {
    select::run(&SelectArgs { features: true, ..args }, words)
}
