//! What a file was when it was opened, and whether it still is.

use std::fs::{File, Metadata};
use std::hash::Hasher;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use twox_hash::XxHash64;

use crate::TableError;
use crate::input_paths::InputFile;
use crate::scratch::numbers::read_at;

/// Bytes of a sample.
const SAMPLE: u64 = 4096;
/// Samples of a file: its head, its tail, and places between them.
const SAMPLES: u64 = 16;

/// What the file system says about a file. A time stamp can be set back, but setting it changes the time of the last
/// change of the entry, which nobody sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStamp {
    length: u64,
    modified: Option<SystemTime>,
    /// Device, number of the entry, and the time of its last change in seconds and nanoseconds.
    #[cfg(unix)]
    entry: (u64, u64, i64, i64),
}

impl FileStamp {
    /// The stamp of a file.
    pub fn of(about: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        FileStamp {
            length: about.len(),
            modified: about.modified().ok(),
            #[cfg(unix)]
            entry: (about.dev(), about.ino(), about.ctime(), about.ctime_nsec()),
        }
    }
}

/// The stamp of an open file, and a checksum of samples: clocks are coarser than writers are fast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    stamp: FileStamp,
    sum: u64,
}

impl FileState {
    /// The state of a file now.
    pub fn of(file: &File) -> io::Result<Self> {
        let about = file.metadata()?;
        Ok(FileState { stamp: FileStamp::of(&about), sum: sampled(file, about.len())? })
    }

    /// The number of bytes.
    pub fn len(&self) -> u64 {
        self.stamp.length
    }
}

/// A checksum of head, tail and some places between them; of everything, if that is not more.
fn sampled(file: &File, length: u64) -> io::Result<u64> {
    let (size, count) = if length <= SAMPLE * SAMPLES { (length, 1) } else { (SAMPLE, SAMPLES) };
    let mut bytes = vec![0; usize::try_from(size).unwrap_or_default()];
    let mut sum = XxHash64::default();
    for number in 0..count {
        // The last sample ends with the file.
        let at = (u128::from(length - size) * u128::from(number) / u128::from(count.max(2) - 1)) as u64;
        let found = read_at(file, at, &mut bytes)?;
        sum.write(bytes.get(..found).unwrap_or(&bytes));
    }
    Ok(sum.finish())
}

/// What the files of a table were before they were opened.
#[derive(Debug)]
pub struct Watch(Vec<(PathBuf, FileStamp)>);

impl Watch {
    /// Looks at all files; pipes and devices do not stay what they are.
    pub fn new(inputs: &[InputFile]) -> Self {
        let stamp = |input: &InputFile| Some((input.path.clone(), stamp_of(&input.path)?));
        Watch(inputs.iter().filter_map(stamp).collect())
    }

    /// Fails if a file is not what it was.
    pub fn check(&self) -> Result<(), TableError> {
        match self.0.iter().find(|(path, before)| stamp_of(path).as_ref() != Some(before)) {
            Some((path, _)) => Err(changed(path)),
            None => Ok(()),
        }
    }
}

fn stamp_of(path: &Path) -> Option<FileStamp> {
    std::fs::metadata(path).ok().filter(Metadata::is_file).map(|about| FileStamp::of(&about))
}

/// A file that is not what it was.
pub fn changed(path: &Path) -> TableError {
    TableError::in_file(path, "changed while it was being read; run again when it is complete")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn every_change_shows_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, vec![7; 300_000]).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let before = FileState::of(&file).unwrap();
        assert_eq!((FileState::of(&file).unwrap(), before.len()), (before.clone(), 300_000));
        let time = file.metadata().unwrap().modified().unwrap();
        // Head, tail, and a place that no sample holds: the entry's own time tells of the last.
        for at in [0, 299_999, 5_000] {
            let before = FileState::of(&file).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
            crate::scratch::numbers::write_at(&file, at, &[at as u8 + 1]).unwrap();
            file.set_modified(time).unwrap();
            let now = FileState::of(&file).unwrap();
            assert_eq!(now.stamp.modified, before.stamp.modified);
            assert!(now != before || !cfg!(unix), "{at}");
            assert_eq!(now.sum == before.sum, at == 5_000, "{at}");
        }
        let before = FileState::of(&file).unwrap();
        (&file).write_all(b"x").unwrap();
        file.set_len(300_001).unwrap();
        assert_ne!(FileState::of(&file).unwrap(), before);
        for length in [0, 1, SAMPLE * SAMPLES, SAMPLE * SAMPLES + 1] {
            file.set_len(length).unwrap();
            assert_eq!(FileState::of(&file).unwrap().len(), length);
        }
    }
}
