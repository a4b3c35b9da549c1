//! The chosen files in a folder of their own.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The names that chosen files get, in order: their rank and their own name, so that no two are the same.
///
/// ```
/// use std::path::{Path, PathBuf};
///
/// let chosen = ["a/cat.png", "b/cat.png"].map(PathBuf::from);
/// let names = arss_media::copy_names(&chosen);
/// assert_eq!(names, [PathBuf::from("1_cat.png"), PathBuf::from("2_cat.png")]);
/// ```
pub fn copy_names(chosen: &[PathBuf]) -> Vec<PathBuf> {
    let digits = chosen.len().to_string().len();
    let name = |(at, path): (usize, &PathBuf)| {
        let mut name = OsString::from(format!("{:0digits$}_", at + 1));
        // The last part only: nothing is ever written outside of the folder.
        name.push(path.file_name().unwrap_or_default());
        PathBuf::from(name)
    };
    chosen.iter().enumerate().map(name).collect()
}

/// Makes `link` point to the file `path`; where links need rights, it is a second name of the same file.
///
/// # Errors
/// If it is there already, or cannot be made.
pub fn link(path: &Path, link: &Path) -> io::Result<()> {
    let path = std::fs::canonicalize(path)?;
    #[cfg(unix)]
    return std::os::unix::fs::symlink(path, link);
    #[cfg(not(unix))]
    std::fs::hard_link(path, link)
}
