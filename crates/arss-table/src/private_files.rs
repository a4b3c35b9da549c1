//! Files that other users of the machine cannot read or swap, and names that outlive a power cut.

use std::fs::{DirBuilder, File, Metadata};
use std::io;
use std::path::Path;

/// A new file that only its owner can read and write.
///
/// # Errors
/// If it cannot be made, also because there is something of that name, be it a link.
pub fn create(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A new file without a name, which vanishes when it is closed; only its owner can read and write it.
///
/// # Errors
/// If it cannot be made there.
pub fn nameless(folder: &Path) -> io::Result<File> {
    let file = tempfile::tempfile_in(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Makes a folder that only its owner can enter, and the folders above it as they come. One that is there stays.
///
/// # Errors
/// If it cannot be made.
pub fn make_folder(path: &Path) -> io::Result<()> {
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        std::fs::create_dir_all(above)?;
    }
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Opens the file and nothing that it points to; a pipe does not wait for its other end.
///
/// # Errors
/// If it is a link, or cannot be opened.
pub fn open_itself(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.cast_signed());
    }
    options.open(path)
}

/// True if a file belongs neither to this user nor to the system. Windows does not tell.
pub fn is_foreign(about: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        ![0, rustix::process::geteuid().as_raw()].contains(&about.uid())
    }
    #[cfg(not(unix))]
    {
        let _ = about;
        false
    }
}

/// Waits until the names in a folder are on the disk.
///
/// # Errors
/// If the disk says that they are not. Systems that cannot wait for a folder are believed.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let cannot = [io::ErrorKind::InvalidInput, io::ErrorKind::Unsupported, io::ErrorKind::PermissionDenied];
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if !cannot.contains(&error.kind()) => Err(error),
        _ => Ok(()),
    }
}
