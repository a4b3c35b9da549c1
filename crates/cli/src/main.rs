//! The command line of arss: point it at a file, get the rows that stand for it.
//!
//! Exit codes: 0 done, 1 the run failed, 2 bad input or usage, 130 interrupted.

mod args;
mod demo;
mod failure;
mod interrupt;
mod io;
mod json;
mod messages;
mod method;
mod output;
mod progress;
mod scale;
mod select;
mod solve;
mod table;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let result = match Cli::try_parse() {
        Err(error) => failure::from_clap(&error),
        Ok(cli) => interrupt::install().and_then(|()| match cli.command {
            Command::Select(args) => select::run(&args),
            Command::Demo(args) => demo::run(&args),
        }),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            messages::to_stderr(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}
