//! The keys of a settings file: which flags they are, and which words of a command line they become.

use std::borrow::Cow;
use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::args::config_file::places::{Place, Trust};
use crate::failure::{self, Failure};

/// What a file of the working folder may say about how the table is read.
const READING: &str = "format delimiter header encoding comment array sheet columns exclude id label as encode decimal \
                       booleans dates missing scale metric";
/// What it may say about how rows are chosen.
const CHOOSING: &str = "k count features method methods patience threshold preset gamma gamma-ratio p mu rho mu-max \
                        iterations tolerance gst-steps eps alpha kernel landmarks ridge no-gate nested refine diverse \
                        seed include forbid weights group quotas";
/// Characters of a value that messages show.
const SHOWN: usize = 60;

/// A settings file and the flags that it may hold.
#[derive(Debug)]
pub struct File<'a> {
    /// All flags.
    pub cli: &'a Command,
    /// Where it is, and what it holds.
    pub place: &'a Place,
}

/// One key that the command knows.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The key.
    pub name: String,
    /// Where it stands.
    pub line: usize,
    /// The flag.
    pub arg: &'a Arg,
    /// What it is set to.
    pub value: DeValue<'a>,
}

impl<'a> File<'a> {
    /// The settings for a command: those of its own table come last and win.
    pub fn settings(&self, name: &str, command: &'a Command) -> Result<Vec<Setting<'a>>, Failure> {
        let table = DeTable::parse(&self.place.text).map_err(|error| {
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
                    let known = self.cli.find_subcommand(&*of);
                    let own_command = known.ok_or_else(|| self.wrong(line, format!("there is no command {of}")))?;
                    for (key, value) in table {
                        let setting = self.setting(own_command, &key, value.into_inner())?.ok_or_else(|| {
                            let what = format!("arss {of} has no setting {}", key.get_ref());
                            self.wrong(self.line(key.span().start), what)
                        })?;
                        // A plan is about what select would do.
                        if of == name || (of == "select" && name == "plan") {
                            own.push(setting);
                        }
                    }
                }
                value => general.extend(self.general(command, &key, value)?),
            }
        }
        general.retain(|setting| !own.iter().any(|other: &Setting<'_>| other.name == setting.name));
        general.extend(own);
        Ok(general)
    }

    /// A key outside of all tables: some command has to know it.
    fn general(
        &self,
        command: &'a Command,
        key: &Spanned<Cow<'a, str>>,
        value: DeValue<'a>,
    ) -> Result<Option<Setting<'a>>, Failure> {
        if let Some(setting) = self.setting(command, key, value)? {
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
        key: &Spanned<Cow<'a, str>>,
        value: DeValue<'a>,
    ) -> Result<Option<Setting<'a>>, Failure> {
        self.check_trust(key, &value)?;
        let (name, line) = (key.get_ref().to_string(), self.line(key.span().start));
        Ok(flag(command, &name).map(|arg| Setting { name, line, arg, value }))
    }

    /// Fails if clap does not take the value.
    pub fn check(&self, command: &str, setting: &Setting<'_>, new: &[OsString]) -> Result<(), Failure> {
        let words = ["arss", command].map(OsString::from).into_iter().chain(new.iter().cloned());
        match self.cli.clone().try_get_matches_from(words) {
            Err(error) if matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation) => {
                Err(self.wrong(setting.line, failure::one_line(&error.to_string())))
            }
            _ => Ok(()),
        }
    }

    /// Fails if a file that was merely found sets what such a file may not.
    fn check_trust(&self, key: &Spanned<Cow<'_, str>>, value: &DeValue<'_>) -> Result<(), Failure> {
        let name: &str = key.get_ref();
        let known = READING.split(' ').chain(CHOOSING.split(' ')).any(|allowed| allowed == name);
        // Rows in a file: it could be any file of the user.
        let names_file = ["include", "forbid"].contains(&name) && shown(value).contains('@');
        let unknown = !self.cli.get_subcommands().any(|command| flag(command, name).is_some());
        if self.place.trust == Trust::Everything || unknown || (known && !names_file) {
            return Ok(());
        }
        let (value, path) = (shown(value), self.place.path.display());
        let what = format!("{name} = {value} is not taken from a file that was found in the working folder");
        let advice = format!("--config {path} takes all of it, --no-config nothing");
        Err(self.wrong(self.line(key.span().start), format_args!("{what}; {advice}")))
    }

    fn wrong(&self, line: usize, what: impl std::fmt::Display) -> Failure {
        Failure::Input(format!("{}, line {line}: {what}", self.place.path.display()))
    }

    fn line(&self, byte: usize) -> usize {
        1 + self.place.text.as_bytes()[..byte].iter().filter(|&&byte| byte == b'\n').count()
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
    pub fn words(&self, file: &File<'_>) -> Result<Vec<OsString>, Failure> {
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

/// A value as a settings file has it, cut where it is long.
pub fn shown(value: &DeValue<'_>) -> String {
    let text = match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Boolean(on) => on.to_string(),
        DeValue::Array(values) => {
            let texts: Vec<String> = values.iter().map(|value| shown(value.get_ref())).collect();
            format!("[{}]", texts.join(", "))
        }
        other => plain(other).unwrap_or_else(|| "...".to_owned()),
    };
    if text.chars().count() <= SHOWN { text } else { text.chars().take(SHOWN).chain("...".chars()).collect() }
}
