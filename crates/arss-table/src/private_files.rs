//! Files that other users of the machine cannot read or swap, and names that outlive a power cut.

use std::fs::{self, DirBuilder, File, Metadata, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How temporary files beside outputs are called.
pub const PREFIX: &str = ".arss-";
/// How their names end.
pub const SUFFIX: &str = ".tmp";
/// Letters between them. Nobody else calls a file so.
pub const RANDOM: usize = 12;
/// Links that lead to links.
const LINKS: usize = 40;

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

/// Where an output goes. A link stays a link, and the file that it leads to is replaced: but not one that another user put
/// into a folder where everybody may write, as Linux has it for files that are opened (`protected_symlinks`).
///
/// # Errors
/// If there is such a link on the way.
pub fn place_of(target: &Path) -> io::Result<PathBuf> {
    let mut path = target.to_owned();
    for _ in 0..LINKS {
        if path.ancestors().any(is_planted) {
            let what = "a link that another user put there leads elsewhere, so it is not followed";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
        }
        let Ok(next) = fs::read_link(&path) else { break };
        path = folder_of(&path).join(next);
    }
    Ok(fs::canonicalize(target).unwrap_or_else(|_| target.to_owned()))
}

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// True for a link in a folder of everybody that belongs neither to this user nor to the owner of the folder.
#[cfg(unix)]
fn is_planted(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    const EVERYBODY: u32 = 0o1002;
    let Ok(link) = fs::symlink_metadata(path).and_then(|link| Ok((link, fs::metadata(folder_of(path))?))) else {
        return false;
    };
    let (link, folder) = link;
    let known = [folder.uid(), rustix::process::geteuid().as_raw()];
    link.is_symlink() && folder.mode() & EVERYBODY == EVERYBODY && !known.contains(&link.uid())
}

#[cfg(not(unix))]
fn is_planted(_: &Path) -> bool {
    false
}

/// Makes temporary files under names that nobody can guess; only their owner can read them.
pub fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM);
    builder
}

/// The permissions of the file that is replaced, or of an ordinary new one; none where a system has no such thing.
///
/// # Errors
/// If no file can be made there.
#[cfg(unix)]
pub fn permissions_at(place: &Path) -> io::Result<Option<Permissions>> {
    use std::os::unix::fs::PermissionsExt;
    let bits = |about: Metadata| Permissions::from_mode(about.permissions().mode() & 0o777);
    if let Ok(about) = fs::metadata(place) {
        return Ok(Some(bits(about)));
    }
    // What the system leaves of them is seen on an empty file: the process has one mask, and asking for it sets it.
    let probe = temporary().permissions(Permissions::from_mode(0o666)).tempfile_in(folder_of(place))?;
    probe.as_file().metadata().map(|about| Some(bits(about)))
}

/// The permissions of the file that is replaced, or of an ordinary new one; none where a system has no such thing.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn permissions_at(_: &Path) -> io::Result<Option<Permissions>> {
    Ok(None)
}

/// Writes a file whole or not at all: under another name first, and on the disk before it gets its own.
///
/// # Errors
/// If it cannot be written; then the old one is there still.
pub fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let place = place_of(target)?;
    if place.exists() && !place.is_file() {
        // A device or a pipe cannot be replaced.
        return fs::write(&place, bytes);
    }
    let folder = folder_of(&place);
    let mut file = temporary().tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Some(permissions) = permissions_at(&place)? {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(&place).map_err(|error| error.error)?;
    sync_folder(folder)
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, lchown, symlink};

    #[test]
    fn files_are_replaced_whole_and_keep_their_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("model"), folder.path().join("link"));
        replace(&file, b"old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert!(replace(&folder.path().join("none/model"), b"new").is_err());
    }

    #[test]
    fn links_that_others_put_there_are_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let (key, shared) = (home.path().join("key"), home.path().join("shared"));
        fs::write(&key, "precious").unwrap();
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, Permissions::from_mode(0o1777)).unwrap();
        let (link, own) = (shared.join("link"), home.path().join("own"));
        symlink(&key, &link).unwrap();
        symlink(&link, &own).unwrap();
        symlink(home.path(), shared.join("way")).unwrap();
        assert_eq!(place_of(&own).unwrap(), fs::canonicalize(&key).unwrap());
        if lchown(&link, Some(4321), None).and_then(|()| lchown(shared.join("way"), Some(4321), None)).is_err() {
            println!("skipped: only root can give links away");
            return;
        }
        for target in [&link, &own, &shared.join("way/key")] {
            let error = replace(target, b"new").unwrap_err().to_string();
            assert!(error.contains("another user"), "{error}");
            assert_eq!(fs::read(&key).unwrap(), b"precious");
        }
        // Where not everybody may write, whoever made a link was allowed to.
        fs::set_permissions(&shared, Permissions::from_mode(0o755)).unwrap();
        replace(&link, b"new").unwrap();
        assert_eq!(fs::read(&key).unwrap(), b"new");
    }
}
