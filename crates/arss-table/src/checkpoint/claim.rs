//! Whose folder it is: a run works in a checkpoint alone, and only in a folder that is one.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::checkpoint::manifest::NAME;
use crate::{TableError, private_files};

/// The file that makes a folder a checkpoint. Whoever holds its lock works there; the lock ends with the process.
const MARKER: &str = "arss-checkpoint";
/// What it holds, for people.
const TEXT: &[u8] = b"This folder is a checkpoint of arss. It holds nothing else, and goes when the run is done.\n";

/// A folder that this run alone works in. Without a checkpoint in it, it goes with the claim.
#[derive(Debug)]
pub struct Claim {
    folder: PathBuf,
    /// Held, not used.
    _lock: File,
}

impl Claim {
    /// Claims `folder`, which is made if needed.
    ///
    /// # Errors
    /// If it holds files that are no checkpoint, belongs to somebody else, is claimed by another run, or cannot be
    /// written to.
    pub fn on(folder: &Path) -> Result<Self, TableError> {
        loop {
            private_files::make_folder(folder).map_err(|error| unusable(folder, &error))?;
            check_folder(folder)?;
            let Some(marker) = marker_of(folder)? else { continue };
            lock(&marker, folder)?;
            // The run before may have ended, and taken its folder along, between the last two lines.
            if is_still(&marker, &folder.join(MARKER)) {
                let above = folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let kept = make_private(folder).and_then(|()| private_files::sync_folder(above));
                kept.map_err(|error| unusable(folder, &error))?;
                return Ok(Claim { folder: folder.to_owned(), _lock: marker });
            }
        }
    }

    /// Fails if the folder could not be claimed; changes nothing.
    ///
    /// # Errors
    /// As [`Claim::on`].
    pub fn check(folder: &Path) -> Result<(), TableError> {
        if !folder.exists() {
            return Ok(());
        }
        check_folder(folder)?;
        match File::open(folder.join(MARKER)) {
            Ok(marker) => lock(&marker, folder),
            Err(_) => Ok(()),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if !self.folder.join(NAME).exists() {
            // What cannot be removed is taken over by the next run.
            let _ = fs::remove_file(self.folder.join(MARKER));
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// Fails if the folder is not this user's, or holds files without being a checkpoint.
fn check_folder(folder: &Path) -> Result<(), TableError> {
    let about = fs::metadata(folder).map_err(|error| unusable(folder, &error))?;
    if !about.is_dir() {
        return Err(TableError::in_file(folder, "is a file, but a checkpoint needs a folder"));
    }
    if private_files::is_foreign(&about) {
        return Err(TableError::in_file(folder, "belongs to another user; name a folder of your own"));
    }
    let marker = folder.join(MARKER);
    match fs::symlink_metadata(&marker) {
        Ok(about) if about.is_file() && holds_text(&marker) => return Ok(()),
        Ok(_) => return Err(not_ours(folder, MARKER)),
        Err(_) => {}
    }
    let first = fs::read_dir(folder).map_err(|error| unusable(folder, &error))?.next();
    match first.transpose().map_err(|error| unusable(folder, &error))? {
        // Another run may be making it a checkpoint just now.
        Some(other) if !marker.exists() => Err(not_ours(folder, &other.file_name().to_string_lossy())),
        _ => Ok(()),
    }
}

fn not_ours(folder: &Path, name: &str) -> TableError {
    let what = format!("holds {name} and is no checkpoint of this program; name a folder that is empty or new");
    TableError::in_file(folder, what)
}

/// True if the marker is ours; one that was only just made is empty.
fn holds_text(marker: &Path) -> bool {
    let mut text = Vec::new();
    let read = File::open(marker).and_then(|file| file.take(TEXT.len() as u64 + 1).read_to_end(&mut text));
    read.is_ok() && (text.is_empty() || text == TEXT)
}

/// The marker, open; none if it vanished while it was looked for.
fn marker_of(folder: &Path) -> Result<Option<File>, TableError> {
    let path = folder.join(MARKER);
    let made = private_files::create(&path)
        .and_then(|mut marker| marker.write_all(TEXT).and_then(|()| marker.sync_all()).map(|()| marker));
    let found = match made {
        // A lock needs a file that is open for writing on some systems.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => File::options().read(true).write(true).open(&path),
        made => made,
    };
    match found {
        Ok(marker) => Ok(Some(marker)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unusable(folder, &error)),
    }
}

fn lock(marker: &File, folder: &Path) -> Result<(), TableError> {
    marker.try_lock().map_err(|error| match error {
        fs::TryLockError::WouldBlock => {
            TableError::in_file(folder, "is the checkpoint of a run that is still going on; name another folder")
        }
        fs::TryLockError::Error(error) => {
            let what = format!("cannot be locked against other runs: {error}; name a folder on another disk");
            TableError::in_file(folder, what)
        }
    })
}

/// True if the open file still has this name.
fn is_still(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let entry = |about: fs::Metadata| (about.dev(), about.ino());
        file.metadata().map(entry).ok().is_some_and(|own| fs::metadata(path).map(entry).ok() == Some(own))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

/// Nobody else can look into the folder, or change it for another one's files.
fn make_private(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        Ok(())
    }
}

fn unusable(folder: &Path, error: &io::Error) -> TableError {
    TableError::Run(format!("{}: the checkpoint cannot be written: {error}", folder.display()))
}
