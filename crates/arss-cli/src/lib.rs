//! The command line of arss: point it at a file, get the rows that stand for it.
//!
//! Exit codes: 0 done, 1 the run failed, 2 bad input or usage, 130 interrupted.
//!
//! A library as well as a binary, so that the Python package can ship the same commands.

// What comes from outside ends in an error, never in a panic. Indices remain: they are bounded by what was checked before.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo)
)]

mod args;
mod commands;
mod failure;
mod indices;
mod output_files;
mod planning;
mod reading;
mod selection_json;
mod solve;
mod terminal;

use std::ffi::OsString;
use std::time::Instant;

use args::{Cli, Command, config_file};
use arss_media::Network;
use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use commands::{apply, compare, completions, demo, features, man, outliers, plan, report, select};
use failure::Failure;
use serde_json::json;
use terminal::{interrupt, messages};

/// As [`run`], where pictures are compared by a network unless it is told otherwise.
pub fn run_with_network(words: impl IntoIterator<Item = OsString>, network: Network) -> u8 {
    reading::set_network(network);
    run(words)
}

/// Runs the command line `words`, the first being the program's name; returns the exit code.
///
/// Listens for Ctrl-C and may end the process: call it once, from a process that does nothing else.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    let started = Instant::now();
    let words: Vec<OsString> = words.into_iter().collect();
    messages::set_format(words.iter().any(|word| word == "--json-progress"), false);
    let result = start(words);
    let speaks = messages::json() && !messages::quiet();
    match result {
        Ok(()) => {
            if speaks {
                messages::event(&json!({ "event": "done", "seconds": started.elapsed().as_secs_f64() }));
            }
            0
        }
        Err(failure) => {
            messages::failure(&failure);
            failure.code()
        }
    }
}

fn start(words: Vec<OsString>) -> Result<(), Failure> {
    let mut cli = Cli::command();
    // So that every command knows the flags of all commands.
    cli.build();
    let typed = cli.clone().try_get_matches_from(&words);
    if let Err(error) = &typed
        && matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
    {
        return failure::from_clap(error);
    }
    let Some(merged) = config_file::merged(&cli, &words)? else {
        return typed.map_or_else(|error| failure::from_clap(&error), |matches| command(&matches, &words));
    };
    messages::first_of(merged.messages());
    let all = cli.try_get_matches_from(&merged.words);
    let result = all.map_or_else(|error| failure::from_clap(&error), |matches| command(&matches, &merged.words));
    result.map_err(|failure| merged.explained(failure))
}

fn command(matches: &ArgMatches, words: &[OsString]) -> Result<(), Failure> {
    let cli = Cli::from_arg_matches(matches).map_err(|error| Failure::Input(failure::one_line(&error.to_string())))?;
    let (name, flags) = matches.subcommand().unwrap_or(("", matches));
    let quiet = flags.try_get_one::<bool>("quiet").ok().flatten() == Some(&true);
    messages::set_format(cli.global.json_progress, quiet);
    if messages::json() && !quiet {
        messages::event(&json!({ "event": "start", "command": name, "version": env!("CARGO_PKG_VERSION") }));
    }
    if let Some(&threads) = flags.try_get_one::<usize>("threads").ok().flatten().filter(|threads| **threads > 0) {
        // Reading uses the pool of the process; it can be set once, and this is the first to do so.
        let threads = planning::memory_estimate::running_threads(threads) as usize;
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    }
    interrupt::install()?;
    match cli.command {
        Command::Select(args) => select::run(&args, words),
        Command::Features(args) => features::run(*args, words),
        Command::Outliers(args) => outliers::run(&args, words),
        Command::Apply(args) => apply::run(&args),
        Command::Compare(args) => compare::run(&args, words),
        Command::Plan(args) => plan::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Demo(args) => demo::run(&args, words),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
