//! The command line of arss: point it at a file, get the rows that stand for it.
//!
//! Exit codes: 0 done, 1 the run failed, 2 bad input or usage, 130 interrupted.
//!
//! A library as well as a binary, so that the Python package can ship the same commands.

mod args;
mod args_input;
mod count;
mod demands;
mod demo;
mod failure;
#[doc(hidden)]
pub mod fuzzing;
mod interrupt;
mod io;
mod json;
mod messages;
mod method;
mod output;
mod progress;
mod report;
mod scale;
mod select;
mod size;
mod solve;
mod table;

use std::ffi::OsString;

use clap::Parser;

use args::{Cli, Command};

/// Runs the command line `words`, the first being the program's name; returns the exit code.
///
/// Installs a handler for Ctrl-C and may end the process: call it once, from a process that does
/// nothing else.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    let words: Vec<OsString> = words.into_iter().collect();
    let result = match Cli::try_parse_from(&words) {
        Err(error) => failure::from_clap(&error),
        Ok(cli) => interrupt::install().and_then(|()| match cli.command {
            Command::Select(args) => select::run(&args, &words),
            Command::Demo(args) => demo::run(&args, &words),
        }),
    };
    match result {
        Ok(()) => 0,
        Err(failure) => {
            messages::to_stderr(&failure.to_string());
            failure.code()
        }
    }
}
