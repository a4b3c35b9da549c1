//! The settings files: flags that need not be typed.
//!
//! Keys are the names of the long flags; a table named like a command holds keys for that command alone. What is found
//! is put between the words of the command line, where clap reads it like everything else: one place decides what a
//! flag may be. A file that is merely found in the working folder may have come with somebody's data, so it may set
//! how to read and how to choose, and nothing else.

mod keys;
mod places;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use keys::{File, Setting};

use crate::failure::Failure;

/// A command line, and what of it came from settings files.
#[derive(Debug)]
pub struct Merged {
    /// The words, those of the files after the command.
    pub words: Vec<OsString>,
    taken: Vec<Taken>,
}

/// A setting that was taken.
#[derive(Debug)]
struct Taken {
    name: String,
    value: String,
    path: PathBuf,
    line: usize,
}

impl Merged {
    /// What was taken, a line for each file.
    pub fn messages(&self) -> Vec<String> {
        let files = self.taken.chunk_by(|one, next| one.path == next.path);
        let line = |taken: &[Taken]| {
            let settings: Vec<String> = taken.iter().map(|one| format!("{} = {}", one.name, one.value)).collect();
            format!("settings from {}: {}", taken[0].path.display(), settings.join(", "))
        };
        files.map(line).collect()
    }

    /// Adds the line of the settings file to a failure about a flag that was set there.
    pub fn explained(&self, failure: Failure) -> Failure {
        let Failure::Input(text) = &failure else { return failure };
        let spoken = |name: &str| text.split_whitespace().any(|word| flag_of(word) == name);
        match self.taken.iter().find(|taken| spoken(&taken.name)) {
            Some(Taken { name, path, line, .. }) => {
                Failure::Input(format!("{text} ({name} was set in {}, line {line})", path.display()))
            }
            None => failure,
        }
    }
}

/// The name of the flag that a word of a message is, or the word.
fn flag_of(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    word.strip_prefix("--").unwrap_or(word)
}

/// The words with what the settings files say put in, if there are any.
pub fn merged(cli: &Command, words: &[OsString]) -> Result<Option<Merged>, Failure> {
    // What is missing or wrong is said later, when all words are there.
    let Ok(given) = cli.clone().ignore_errors(true).try_get_matches_from(words) else { return Ok(None) };
    let Some((name, flags)) = given.subcommand() else { return Ok(None) };
    let places = places::all(flags)?;
    let (Some(place), Some(command)) = (place_of(words, name), cli.find_subcommand(name)) else { return Ok(None) };
    let files: Vec<File<'_>> = places.iter().map(|place| File { cli, place }).collect();
    let mut chosen: Vec<(&File<'_>, Setting<'_>)> = Vec::new();
    for file in &files {
        let found = file.settings(name, command)?;
        // The nearer file wins, also over settings that it excludes.
        let displaced = |old: &Setting<'_>| found.iter().any(|new| excludes(command, old.arg, new.arg));
        chosen.retain(|(_, old)| !displaced(old));
        chosen.extend(found.into_iter().map(|setting| (file, setting)));
    }
    let mut merged = Merged { words: words[..=place].to_vec(), taken: Vec::new() };
    for (file, setting) in chosen.into_iter().filter(|(_, setting)| !overruled(command, setting.arg, flags)) {
        let new = setting.words(file)?;
        if new.is_empty() {
            continue;
        }
        file.check(name, &setting, &new)?;
        merged.words.extend(new);
        let (path, value) = (file.place.path.clone(), keys::shown(&setting.value));
        merged.taken.push(Taken { name: setting.name, value, path, line: setting.line });
    }
    merged.words.extend_from_slice(&words[place + 1..]);
    Ok((!files.is_empty()).then_some(merged))
}

/// Where the command stands; it may also be what the file is called.
fn place_of(words: &[OsString], name: &str) -> Option<usize> {
    (1..words.len()).find(|&at| words[at] == *name && words[at - 1] != "--config")
}

/// True if the flag, or one that excludes it, was typed.
fn overruled(command: &Command, arg: &Arg, given: &ArgMatches) -> bool {
    let typed = |arg: &&Arg| given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    command.get_arguments().filter(typed).any(|other| excludes(command, other, arg))
}

/// True if both are one flag, or cannot stand together.
fn excludes(command: &Command, one: &Arg, other: &Arg) -> bool {
    let conflict = |a: &Arg, b: &Arg| command.get_arg_conflicts_with(a).iter().any(|c| c.get_id() == b.get_id());
    one.get_id() == other.get_id() || conflict(one, other) || conflict(other, one)
}
