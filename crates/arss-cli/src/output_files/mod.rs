//! Results: files written whole or not at all, and stdout.

pub mod media;
pub mod targets;
mod temp_cleanup;

use std::fs::{self, File, Permissions};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arss_table::Table;
use arss_table::private_files::{self, folder_of};
use tempfile::NamedTempFile;

use crate::failure::{Failure, Kept};
use crate::terminal::interrupt::{self, Stage};

/// The name that stands for stdout.
pub const STDOUT: &str = "-";

/// Fails if `target` can clearly not be written: found out before solving.
pub fn check_target(target: &Path) -> Result<(), Failure> {
    if target == Path::new(STDOUT) {
        return Ok(());
    }
    if target.is_dir() {
        return Err(Failure::Run(format!("{}: cannot be written, it is a directory", target.display())));
    }
    private_files::place_of(target).map_err(|error| cannot_write(target, &error))?;
    let folder = folder_of(target);
    if folder.is_dir() {
        return Ok(());
    }
    Err(Failure::Run(format!("{}: cannot be written, there is no folder {}", target.display(), folder.display())))
}

/// Makes the folder if it is not there.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::Run(format!("{}: cannot be made: {error}", folder.display())))
}

/// Fails if `target` holds something already, unless it may be replaced. Devices and pipes are written to.
pub fn check_new(target: &Path, force: bool) -> Result<(), Failure> {
    if !force && target != Path::new(STDOUT) && target.is_file() { Err(exists(target)) } else { Ok(()) }
}

/// What is said of a file that is in the way.
pub fn exists(target: &Path) -> Failure {
    Failure::in_file(target, "already exists; --force replaces it")
}

/// Temporary files of this process that have not got their names yet, and whether others have.
#[derive(Debug)]
struct Staged {
    paths: Vec<PathBuf>,
    committed: bool,
}

static STAGED: Mutex<Staged> = Mutex::new(Staged { paths: Vec::new(), committed: false });

fn staged() -> MutexGuard<'static, Staged> {
    STAGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes unfinished files because the process ends now; returns what remains.
pub fn abandon() -> Kept {
    let mut staged = staged();
    // What cannot be removed is left to the next run.
    staged.paths.drain(..).for_each(|path| drop(fs::remove_file(path)));
    let kept = if staged.committed { Kept::Everything } else { Kept::Nothing };
    // The lock is never released, so that no other thread starts a file after this.
    std::mem::forget(staged);
    kept
}

/// A file that has no name of its own yet.
#[derive(Debug)]
struct StagedFile {
    file: NamedTempFile,
    /// Where it goes, and what that was called.
    place: PathBuf,
    target: PathBuf,
    /// Who may read it once it is whole; until then only its owner can.
    permissions: Option<Permissions>,
}

impl StagedFile {
    /// Waits until the file is on the disk as it will be. A name that came first could outlive what it names.
    fn finish(&self) -> std::io::Result<()> {
        let file = self.file.as_file();
        if let Some(permissions) = &self.permissions {
            file.set_permissions(permissions.clone())?;
        }
        file.sync_all()
    }
}

/// Gives all files their names, if the table they were made from is still what it was.
pub fn commit(files: Result<Files, Failure>, table: &Table) -> Result<(), Failure> {
    // A table that changed may be why a file could not be made.
    table.source.check_unchanged()?;
    files?.commit()
}

/// Files written under temporary names beside their targets; dropped, they vanish.
#[derive(Debug, Default)]
pub struct Files {
    staged: Vec<StagedFile>,
    /// Never replace a file, even one that came while this ran.
    keep_existing: bool,
    /// What goes to stdout, once all files have their names.
    stdout: Vec<u8>,
}

impl Files {
    /// Files that replace others only with `force`.
    pub fn new(force: bool) -> Self {
        Files { keep_existing: !force, ..Files::default() }
    }

    /// Writes a file under a temporary name.
    pub fn add(
        &mut self,
        target: &Path,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        interrupt::enter(Stage::Writing);
        let failed = |error| cannot_write(target, &error);
        if target == Path::new(STDOUT) {
            return write(&mut self.stdout).map_err(failed);
        }
        let place = private_files::place_of(target).map_err(failed)?;
        if place.exists() && !place.is_file() {
            // A device or a pipe cannot be replaced.
            return write_buffered(&mut File::create(&place).map_err(failed)?, write).map_err(failed);
        }
        temp_cleanup::sweep(folder_of(&place));
        let mut file = {
            let mut staged = staged();
            let file = new_beside(&place).map_err(failed)?;
            staged.paths.push(file.path().to_owned());
            file
        };
        temp_cleanup::mark(file.as_file());
        write_buffered(file.as_file_mut(), write).map_err(failed)?;
        let permissions = private_files::permissions_at(&place).map_err(failed)?;
        self.staged.push(StagedFile { file, place, target: target.to_owned(), permissions });
        Ok(())
    }

    /// Gives all files their names, unless Ctrl-C came first.
    pub fn commit(self) -> Result<(), Failure> {
        interrupt::check()?;
        self.staged.iter().try_for_each(|file| file.finish().map_err(|error| cannot_write(&file.target, &error)))?;
        let mut staged = staged();
        let mut folders = Vec::new();
        for StagedFile { file, place, target, .. } in self.staged {
            let named = if self.keep_existing { file.persist_noclobber(&place) } else { file.persist(&place) };
            named.map_err(|error| match error.error.kind() {
                ErrorKind::AlreadyExists => exists(&target),
                _ => cannot_write(&target, &error.error),
            })?;
            staged.committed = true;
            folders.push((folder_of(&place).to_owned(), target));
        }
        // The names themselves.
        folders.dedup_by(|one, other| one.0 == other.0);
        for (folder, target) in &folders {
            private_files::sync_folder(folder).map_err(|error| cannot_write(target, &error))?;
        }
        staged.paths.clear();
        drop(staged);
        interrupt::enter(Stage::Free);
        print_bytes(&self.stdout)
    }
}

fn write_buffered(file: &mut File, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut buffer = BufWriter::new(file);
    write(&mut buffer)?;
    buffer.flush()
}

fn cannot_write(target: &Path, error: &std::io::Error) -> Failure {
    Failure::Run(format!("{}: cannot be written: {error}", target.display()))
}

/// A temporary file in the target's folder, under a name that nobody can guess; only its owner can read it.
fn new_beside(target: &Path) -> std::io::Result<NamedTempFile> {
    private_files::temporary().tempfile_in(folder_of(target))
}

/// Prints to stdout; a closed pipe is not a failure.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Run(format!("stdout cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes score, norm and residual of every item; `name` is given where items are columns.
///
/// `number` is what people call an item: its place in the file.
pub fn write_scores(
    out: &mut dyn Write,
    selection: &arss::Selection,
    names: Option<&[String]>,
    number: &dyn Fn(usize) -> usize,
) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let heading: &[&str] = if names.is_some() { &["column", "name"] } else { &["row"] };
    writer.write_record(heading.iter().chain(&["score", "norm", "residual"]))?;
    for (item, residual) in selection.residuals.iter().enumerate() {
        let score = selection.all_scores.as_ref().map_or(f64::NAN, |scores| scores[item]);
        let mut record = vec![number(item).to_string()];
        record.extend(names.map(|names| names[item].clone()));
        record.push(format!("{score:?}"));
        record.push(selection.row_norms.as_ref().map_or_else(String::new, |norms| format!("{:?}", norms[item])));
        record.push(format!("{residual:?}"));
        writer.write_record(&record)?;
    }
    writer.flush()
}

/// Writes, for every item, the pick that stands for it, that pick's rank and the item's outlier score.
pub fn write_assignments(
    out: &mut dyn Write,
    selection: &arss::Selection,
    assignment: &arss::Assignment,
    number: &dyn Fn(usize) -> usize,
) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(["row", "exemplar", "rank", "outlier_score"])?;
    for (item, (&label, score)) in assignment.labels.iter().zip(&selection.residuals).enumerate() {
        let exemplar = number(selection.indices[label]).to_string();
        writer.write_record([number(item).to_string(), exemplar, (label + 1).to_string(), format!("{score:?}")])?;
    }
    writer.flush()
}
