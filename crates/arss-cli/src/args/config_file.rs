//! The settings file: flags that need not be typed.
//!
//! Its keys are the names of the long flags; a table named like a command holds keys for that command alone. What is
//! found is put between the words of the command line, where clap reads it like everything else: one place decides
//! what a flag may be.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::failure::{self, Failure};

/// The file that is looked for in the current folder.
const NAME: &str = "arss.toml";

/// A command line, and what of it came from a settings file.
#[derive(Debug)]
pub struct Merged {
    /// The words, those of the file after the command.
    pub words: Vec<OsString>,
    path: PathBuf,
    /// The names of the keys that were taken, and their lines.
    taken: Vec<(String, usize)>,
}

impl Merged {
    /// What was taken, in one line; `None` if nothing was.
    pub fn message(&self) -> Option<String> {
        let names: Vec<&str> = self.taken.iter().map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| format!("settings from {}: {}", self.path.display(), names.join(", ")))
    }

    /// Adds the line of the settings file to a failure about a flag that was set there.
    pub fn explained(&self, failure: Failure) -> Failure {
        let Failure::Input(text) = &failure else { return failure };
        let spoken = |name: &str| text.split_whitespace().any(|word| flag_of(word) == name);
        match self.taken.iter().find(|(name, _)| spoken(name)) {
            Some((name, line)) => {
                Failure::Input(format!("{text} ({name} was set in {}, line {line})", self.path.display()))
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

/// The words with what the settings file says put in, if there is one.
pub fn merged(cli: &Command, words: &[OsString]) -> Result<Option<Merged>, Failure> {
    // What is missing or wrong is said later, when all words are there.
    let Ok(given) = cli.clone().ignore_errors(true).try_get_matches_from(words) else { return Ok(None) };
    let Some((name, flags)) = given.subcommand() else { return Ok(None) };
    let asked = flags.try_get_one::<PathBuf>("config").ok().flatten();
    let none = flags.try_get_one::<bool>("no_config").ok().flatten() == Some(&true);
    let path = asked.cloned().unwrap_or_else(|| PathBuf::from(NAME));
    if none || (asked.is_none() && !path.is_file()) {
        return Ok(None);
    }
    let bytes = fs::read(&path).map_err(|error| Failure::in_file(&path, format_args!("cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::in_file(&path, "is not UTF-8 text"))?;
    let file = File { cli, path: &path, text: &text };
    let found = file.settings(name)?;

    let Some(place) = place_of(words, name) else { return Ok(None) };
    let mut merged = Merged { words: words[..=place].to_vec(), path: path.clone(), taken: Vec::new() };
    let command = file.command(name)?;
    for setting in found.into_iter().filter(|setting| !overruled(command, setting.arg, flags)) {
        let new = setting.words(&file)?;
        if new.is_empty() {
            continue;
        }
        file.check(name, &setting, &new)?;
        merged.words.extend(new);
        merged.taken.push((setting.name, setting.line));
    }
    merged.words.extend_from_slice(&words[place + 1..]);
    Ok(Some(merged))
}

/// Where the command stands; it may also be what the file is called.
fn place_of(words: &[OsString], name: &str) -> Option<usize> {
    (1..words.len()).find(|&at| words[at] == *name && words[at - 1] != "--config")
}

/// True if the flag, or one that excludes it, was typed.
fn overruled(command: &Command, arg: &Arg, given: &ArgMatches) -> bool {
    let typed = |arg: &&Arg| given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let excludes = |a: &Arg, b: &Arg| command.get_arg_conflicts_with(a).iter().any(|c| c.get_id() == b.get_id());
    command
        .get_arguments()
        .filter(typed)
        .any(|other| other.get_id() == arg.get_id() || excludes(other, arg) || excludes(arg, other))
}

/// A settings file and the flags that it may hold.
struct File<'a> {
    cli: &'a Command,
    path: &'a Path,
    text: &'a str,
}

/// One key that the command knows.
struct Setting<'a> {
    name: String,
    line: usize,
    arg: &'a Arg,
    value: DeValue<'a>,
}

impl<'a> File<'a> {
    /// The settings for a command: those of its own table come last and win.
    fn settings(&self, name: &str) -> Result<Vec<Setting<'a>>, Failure> {
        let table = DeTable::parse(self.text).map_err(|error| {
            let line = error.span().map_or(1, |span| self.line(span.start));
            let what = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
            self.wrong(line, what)
        })?;
        let (mut general, mut own) = (Vec::new(), Vec::new());
        for (key, value) in table.into_inner() {
            match value.into_inner() {
                DeValue::Table(table) => {
                    let of = key.get_ref().clone();
                    let line = self.line(key.span().start);
                    let command =
                        self.command(&of).map_err(|_| self.wrong(line, format!("there is no command {of}")))?;
                    for (key, value) in table {
                        let setting = self.setting(command, &key, value.into_inner())?.ok_or_else(|| {
                            let what = format!("arss {of} has no setting {}", key.get_ref());
                            self.wrong(self.line(key.span().start), what)
                        })?;
                        // A plan is about what select would do.
                        if of == name || (of == "select" && name == "plan") {
                            own.push(setting);
                        }
                    }
                }
                value => general.extend(self.general(name, &key, value)?),
            }
        }
        general.retain(|setting| !own.iter().any(|other: &Setting<'_>| other.name == setting.name));
        general.extend(own);
        Ok(general)
    }

    /// A key outside of all tables: some command has to know it.
    fn general(
        &self,
        name: &str,
        key: &Spanned<std::borrow::Cow<'a, str>>,
        value: DeValue<'a>,
    ) -> Result<Option<Setting<'a>>, Failure> {
        if let Some(setting) = self.setting(self.command(name)?, key, value)? {
            return Ok(Some(setting));
        }
        if self.cli.get_subcommands().any(|command| flag(command, key.get_ref()).is_some()) {
            return Ok(None);
        }
        Err(self.wrong(self.line(key.span().start), format!("there is no setting {}", key.get_ref())))
    }

    fn setting(
        &self,
        command: &'a Command,
        key: &Spanned<std::borrow::Cow<'a, str>>,
        value: DeValue<'a>,
    ) -> Result<Option<Setting<'a>>, Failure> {
        let (name, line) = (key.get_ref().to_string(), self.line(key.span().start));
        Ok(flag(command, &name).map(|arg| Setting { name, line, arg, value }))
    }

    fn command(&self, name: &str) -> Result<&'a Command, Failure> {
        self.cli.find_subcommand(name).ok_or_else(|| Failure::Input(format!("there is no command {name}")))
    }

    /// Fails if clap does not take the value.
    fn check(&self, command: &str, setting: &Setting<'_>, new: &[OsString]) -> Result<(), Failure> {
        let words = ["arss", command].map(OsString::from).into_iter().chain(new.iter().cloned());
        match self.cli.clone().try_get_matches_from(words) {
            Err(error) if matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation) => {
                Err(self.wrong(setting.line, failure::one_line(&error.to_string())))
            }
            _ => Ok(()),
        }
    }

    fn wrong(&self, line: usize, what: impl std::fmt::Display) -> Failure {
        Failure::Input(format!("{}, line {line}: {what}", self.path.display()))
    }

    fn line(&self, byte: usize) -> usize {
        1 + self.text.as_bytes()[..byte].iter().filter(|&&byte| byte == b'\n').count()
    }
}

/// The flag that a key names: a long one, or the letter k, which everybody knows.
fn flag<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    let short = |arg: &Arg| key == "k" && arg.get_short() == Some('k');
    let about_files = ["config", "no-config", "help", "version"];
    command.get_arguments().find(|arg| (arg.get_long() == Some(key) && !about_files.contains(&key)) || short(arg))
}

impl Setting<'_> {
    /// The setting as words of a command line; none for a switch that is off.
    fn words(&self, file: &File<'_>) -> Result<Vec<OsString>, Failure> {
        let wrong = |what: &str| file.wrong(self.line, format!("{} must be {what}", self.name));
        if matches!(self.arg.get_action(), ArgAction::SetTrue) {
            return match &self.value {
                DeValue::Boolean(on) => {
                    Ok(on.then(|| OsString::from(format!("--{}", self.name))).into_iter().collect())
                }
                _ => Err(wrong("true or false")),
            };
        }
        let values = match &self.value {
            DeValue::Array(values) => {
                let texts = values.iter().map(|value| plain(value.get_ref())).collect::<Option<Vec<_>>>();
                let texts = texts.ok_or_else(|| wrong("a list of numbers or texts"))?;
                if matches!(self.arg.get_action(), ArgAction::Append) { texts } else { vec![texts.join(",")] }
            }
            value => vec![plain(value).ok_or_else(|| wrong("a number or a text"))?],
        };
        let named = |value: String| match self.arg.get_long() {
            Some(long) => vec![OsString::from(format!("--{long}={value}"))],
            None => vec![OsString::from(format!("-{}", self.name)), OsString::from(value)],
        };
        Ok(values.into_iter().flat_map(named).collect())
    }
}

/// A number or a text as it would be typed.
fn plain(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        _ => None,
    }
}
