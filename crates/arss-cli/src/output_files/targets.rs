//! Output files of a command: checked before it reads anything.

use std::path::{Path, PathBuf};

use arss_table::{Format, OutputFormat};

use crate::failure::Failure;
use crate::output_files;

/// Fails if a file is an input, was named twice, or can clearly not be written; each comes with its flag.
pub fn check(inputs: &[PathBuf], targets: &[(&str, &Path)]) -> Result<(), Failure> {
    for (at, (flag, target)) in targets.iter().enumerate() {
        let is_stdout = *target == Path::new(output_files::STDOUT);
        if !is_stdout && inputs.iter().any(|input| is_input(target, input)) {
            return Err(Failure::in_file(target, "is the input; write to another file"));
        }
        if let Some((other, _)) = targets[..at].iter().find(|(_, other)| arss_table::is_same(target, other)) {
            return Err(Failure::in_file(target, format_args!("was given to both {other} and {flag}")));
        }
    }
    targets.iter().try_for_each(|(_, target)| output_files::check_target(target))
}

/// True if the file is the input, also where the shell opened that as standard input.
fn is_input(target: &Path, input: &Path) -> bool {
    if input == Path::new(arss_table::STDIN) { is_stdin(target) } else { arss_table::is_same(target, input) }
}

#[cfg(unix)]
fn is_stdin(target: &Path) -> bool {
    use std::fs::{File, Metadata};
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let entry = |about: Metadata| (about.dev(), about.ino());
    let open = std::io::stdin().as_fd().try_clone_to_owned().map(File::from);
    let own = open.and_then(|file| file.metadata()).ok().filter(Metadata::is_file).map(entry);
    own.is_some() && std::fs::metadata(target).ok().map(entry) == own
}

#[cfg(not(unix))]
fn is_stdin(_: &Path) -> bool {
    false
}

/// True if one of the files is stdout, which then gets nothing else.
pub fn take_stdout(targets: &[(&str, &Path)]) -> bool {
    targets.iter().any(|(_, target)| *target == Path::new(output_files::STDOUT))
}

/// Fails if stdout would get a file and something else as well.
pub fn check_stdout(targets: &[(&str, &Path)], json: bool) -> Result<(), Failure> {
    if json && take_stdout(targets) {
        return Err(Failure::Input("--json prints to stdout, and so does -; give one of them a file".to_owned()));
    }
    Ok(())
}

/// The format of a file that is written: as told, or by its name; csv for stdout, and for pipes and devices whose name
/// does not say.
pub fn format_of(path: &Path, told: Option<Format>) -> Result<OutputFormat, Failure> {
    let is_device = || path.exists() && !path.is_file() && !path.is_dir() && Format::of_name(path).is_none();
    match told {
        Some(format) => Ok(OutputFormat::told(format, path)?),
        None if path == Path::new(output_files::STDOUT) || is_device() => Ok(OutputFormat::of(Path::new("any.csv"))?),
        None => Ok(OutputFormat::of(path)?),
    }
}

/// The formats of the files, with `--safe-csv` if it was given; fails if it means nothing to any of them.
pub fn safe_formats<const N: usize>(
    formats: [Option<OutputFormat>; N],
    safe: bool,
) -> Result<[Option<OutputFormat>; N], Failure> {
    let marked = formats.map(|format| format?.without_formulas());
    match safe {
        false => Ok(formats),
        true if marked.iter().all(Option::is_none) => {
            Err(Failure::Input("--safe-csv is about .csv and .tsv files, and none is written".to_owned()))
        }
        true => Ok(std::array::from_fn(|at| marked[at].or(formats[at]))),
    }
}

/// The files that were asked for, with their flags.
pub fn asked<'a>(all: &[(&'static str, &'a Option<PathBuf>)]) -> Vec<(&'static str, &'a Path)> {
    all.iter().filter_map(|(flag, path)| Some((*flag, path.as_deref()?))).collect()
}

/// Fails if one of the files is there already, unless `force` says that it may be replaced.
pub fn check_new(targets: &[(&str, &Path)], force: bool) -> Result<(), Failure> {
    targets.iter().try_for_each(|(_, target)| output_files::check_new(target, force))
}
