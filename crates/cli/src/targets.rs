//! Files that a command shall write: checked before it reads anything.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::{io, output};

/// Fails if a file is the input, was named twice, or can clearly not be written; each comes with its flag.
pub fn check(inputs: &[PathBuf], all: &[(&str, &Option<PathBuf>)]) -> Result<(), Failure> {
    let targets: Vec<(&str, &Path)> = all.iter().filter_map(|(flag, path)| Some((*flag, path.as_deref()?))).collect();
    for (at, (flag, target)) in targets.iter().enumerate() {
        if inputs.iter().any(|input| io::is_same(target, input)) {
            return Err(Failure::in_file(target, "is the input; write to another file"));
        }
        if let Some((other, _)) = targets[..at].iter().find(|(_, other)| io::is_same(target, other)) {
            return Err(Failure::in_file(target, format_args!("was given to both {other} and {flag}")));
        }
    }
    targets.iter().try_for_each(|(_, target)| output::check_target(target))
}

/// Fails if one of the files is there already, unless `force` says that it may be replaced.
pub fn check_new<'a>(targets: impl IntoIterator<Item = &'a PathBuf>, force: bool) -> Result<(), Failure> {
    match targets.into_iter().find(|target| target.is_file() && !force) {
        Some(target) => Err(Failure::in_file(target, "already exists; --force replaces it")),
        None => Ok(()),
    }
}
