//! Where settings files are looked for, and how far each of them is trusted.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use arss_table::private_files::{is_foreign, open_itself};
use clap::ArgMatches;

use crate::failure::Failure;

/// The file that is looked for.
const NAME: &str = "arss.toml";
/// A settings file holds a few lines. What is longer is something else, a device perhaps.
const LARGEST: u64 = 1 << 20;

/// What a settings file may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Everything: the user named the file, or keeps it among the settings of other programs.
    Everything,
    /// How to read and how to choose: the file was merely there, and anybody may have put it there.
    Choosing,
}

/// A settings file.
#[derive(Debug)]
pub struct Place {
    /// Its name.
    pub path: PathBuf,
    /// What it may set.
    pub trust: Trust,
    /// What it holds.
    pub text: String,
}

/// The settings files of a command line, the nearest last.
pub fn all(flags: &ArgMatches) -> Result<Vec<Place>, Failure> {
    if flags.try_get_one::<bool>("no_config").ok().flatten() == Some(&true) {
        return Ok(Vec::new());
    }
    if let Some(path) = flags.try_get_one::<PathBuf>("config").ok().flatten() {
        return Ok(vec![trusted(path.clone())?]);
    }
    let own = own_file().filter(|path| path.is_file());
    let here = Path::new(NAME);
    let is_own = own.as_deref().is_some_and(|own| arss_table::is_same(own, here));
    let own = own.map(trusted).transpose()?;
    let found = if is_own { None } else { found(here)? };
    Ok(own.into_iter().chain(found).collect())
}

/// The user's own file, in the folder where the system keeps settings of programs.
fn own_file() -> Option<PathBuf> {
    // A path that is not absolute would be one more file of the working folder.
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let settings = if cfg!(windows) {
        folder("APPDATA")
    } else {
        let below = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
        folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(below)))
    };
    Some(settings?.join("arss").join(NAME))
}

fn trusted(path: PathBuf) -> Result<Place, Failure> {
    let file = File::open(&path).map_err(|error| unreadable(&path, &error))?;
    let text = text_of(file, &path)?;
    Ok(Place { path, trust: Trust::Everything, text })
}

/// The file of the working folder, if there is one.
fn found(path: &Path) -> Result<Option<Place>, Failure> {
    let Ok(about) = fs::symlink_metadata(path) else { return Ok(None) };
    let why = if about.is_symlink() { Some("is a link") } else { is_foreign(&about).then_some(FOREIGN) };
    if let Some(why) = why {
        return Err(not_read(path, why));
    }
    if !about.is_file() {
        return Ok(None);
    }
    let file = open_itself(path).map_err(|error| unreadable(path, &error))?;
    // Somebody may have changed the file for another one meanwhile.
    let opened = file.metadata().map_err(|error| unreadable(path, &error))?;
    if !opened.is_file() || is_foreign(&opened) {
        return Err(not_read(path, FOREIGN));
    }
    let text = text_of(file, path)?;
    Ok(Some(Place { path: path.to_owned(), trust: Trust::Choosing, text }))
}

const FOREIGN: &str = "belongs to another user";

fn not_read(path: &Path, why: &str) -> Failure {
    let name = path.display();
    Failure::in_file(path, format_args!("{why}, so it is not read; --config {name} takes it, --no-config leaves it"))
}

fn text_of(file: File, path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::in_file(path, "holds more than 1 MiB, so it is no settings file"));
    }
    String::from_utf8(bytes).map_err(|_| Failure::in_file(path, "is not UTF-8 text"))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::in_file(path, format_args!("cannot be read: {error}"))
}
