//! `arss report`: the page from an earlier result and its table.

use std::ffi::OsString;
use std::path::Path;

use arss::Selection;
use arss_report::saved_result::{Input, Saved};
use clap::Parser;

use crate::args::{Cli, Command, ReportArgs, SelectArgs};
use crate::commands::select;
use crate::failure::Failure;
use crate::output_files::{self, Files};
use crate::terminal::messages::Messages;
use crate::terminal::progress::{self, Show};

/// Runs `arss report`.
pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    output_files::check_target(&args.output)?;
    output_files::check_new(&args.output, args.force)?;
    let saved = Saved::read(&args.result)?;
    let words: Vec<OsString> = saved.command.iter().map(OsString::from).collect();
    let mut asked = asked(args, &words)?;
    let called = asked.input.inputs.clone();
    if let Some(place) = &args.input {
        asked.input.inputs = vec![place.clone()];
    }
    let inputs = asked.input.inputs.clone();
    if inputs.iter().chain([&args.result]).any(|source| arss_table::is_same(source, &args.output)) {
        return Err(Failure::in_file(&args.output, "is what the page is made from; write to another file"));
    }
    if inputs.iter().any(|place| place == Path::new(arss_table::STDIN)) {
        let what = "its table came from standard input; say where it is with --input";
        return Err(Failure::in_file(&args.result, what));
    }

    let mut messages = Messages::new(args.quiet);
    let _show = Show::new(args.quiet);
    let mut ready = select::ready(&asked, &mut messages).map_err(explained)?;
    let input = select::described(&ready, &saved.selection.indices, asked.features);
    check(args, &inputs[0], &saved.input, &input)?;
    // The page calls the table what it was called then.
    ready.table.source.paths = called;
    let items = if asked.features { input.columns } else { input.rows };
    if !saved.selection.fits(items) {
        return Err(Failure::in_file(&args.result, "is damaged: its numbers do not fit together"));
    }
    let selection = Selection { method: ready.method.name(), ..saved.selection };
    progress::phase("report");
    let page = select::page(&asked, &words, &ready, &selection);

    let mut files = Files::new(args.force);
    files.add(&args.output, |out| out.write_all(page.as_bytes()))?;
    files.commit()?;
    messages.add(format!("{}: the page of {}", args.output.display(), args.result.display()));
    messages.flush();
    Ok(())
}

/// The flags of the run that made the result.
fn asked(args: &ReportArgs, words: &[OsString]) -> Result<Box<SelectArgs>, Failure> {
    match Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(Command::Select(asked)) => Ok(asked),
        Ok(Command::Features(asked)) => Ok(Box::new(SelectArgs { features: true, ..*asked })),
        _ => Err(Failure::in_file(&args.result, "its command line is not understood by this version")),
    }
}

fn check(args: &ReportArgs, place: &Path, then: &Input, now: &Input) -> Result<(), Failure> {
    if then == now {
        return Ok(());
    }
    let what = if (then.rows, then.columns) != (now.rows, now.columns) {
        format!("it had {} x {} values, now {} x {}", then.rows, then.columns, now.rows, now.columns)
    } else {
        match (then.bytes, now.bytes) {
            (Some(then), Some(now)) if then != now => format!("it had {then} bytes, now {now}"),
            _ => "its values or names are others".to_owned(),
        }
    };
    let result = args.result.display();
    Err(Failure::in_file(place, format_args!("is not the table that {result} was made from: {what}")))
}

/// A table that is not there any more may be somewhere else.
fn explained(failure: Failure) -> Failure {
    match failure {
        Failure::Input(what) if what.ends_with("there is no such file") => {
            Failure::Input(format!("{what}; say where the table is with --input"))
        }
        other => other,
    }
}
