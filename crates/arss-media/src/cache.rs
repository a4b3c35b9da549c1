//! What was computed of pictures before: a file in the user's cache folder.
//!
//! Entries are found by the content of a picture, and by the place, size and times of its file, so that a second run need
//! not even read the pictures. Whatever is wrong with the cache, pictures are simply decoded again.

use std::collections::HashMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use arss_table::checksum::Sum;
use arss_table::private_files;
use rayon::prelude::*;
use twox_hash::XxHash64;

use crate::pictures::features::{FEATURES, Features};

/// What a file begins with; its number changes with what the numbers mean.
const MARK: &[u8; 16] = b"arss pictures 4\n";
/// Two keys, the size, the hash, whether it is blank and how white it is; numbers; a checksum.
const ENTRY: usize = 56 + 4 * FEATURES + 8;
/// A larger file is begun anew.
const MOST_BYTES: u64 = 512 << 20;
/// So many entries are written at once.
const TOGETHER: usize = 4096;
/// A file that changed so recently may change again without a new time.
const RECENT: Duration = Duration::from_secs(3);

/// What is known of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The same for the same bytes.
    pub content: u128,
    /// Place, size and times of the file; 0 if they tell nothing.
    pub stamp: u128,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The numbers.
    pub features: Features,
}

/// The entries of earlier runs.
#[derive(Debug, Default)]
pub struct Cache {
    path: Option<PathBuf>,
    file: Option<Mutex<File>>,
    places: HashMap<u128, u64>,
}

/// What the bytes of a file are known by.
pub fn content_of(bytes: &[u8]) -> u128 {
    // Two sums of 64 bits: by chance, no two pictures of this world have both in common.
    let half = |seed: u64| u128::from(XxHash64::oneshot(seed, bytes));
    half(0) << 64 | half(1)
}

/// The real names of the folders that these files are in: to find them out for each file would take longer than to read it.
pub fn real_folders(paths: &[PathBuf]) -> HashMap<&Path, Option<PathBuf>> {
    let mut known = HashMap::new();
    for folder in paths.iter().map(|path| private_files::folder_of(path)) {
        known.entry(folder).or_insert_with(|| fs::canonicalize(folder).ok());
    }
    known
}

/// What a file is known by as long as nobody writes to it; 0 if it was written just now, or its place is not known.
pub fn stamp_of(place: Option<&Path>, data: &Metadata) -> u128 {
    let Ok(changed) = data.modified() else { return 0 };
    if SystemTime::now().duration_since(changed).unwrap_or_default() < RECENT {
        return 0;
    }
    let Some(place) = place else { return 0 };
    let time = changed.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let mut text = place.as_os_str().as_encoded_bytes().to_vec();
    text.extend([0].into_iter().chain(data.len().to_le_bytes()).chain(time.to_le_bytes()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // The time of the last change of any kind: it cannot be set back.
        text.extend(data.ino().to_le_bytes().into_iter().chain(data.ctime_nsec().to_le_bytes()));
        text.extend(data.ctime().to_le_bytes());
    }
    content_of(&text)
}

impl Cache {
    /// The cache of the user; an empty one that is not kept where there is no such folder.
    pub fn of_user() -> Self {
        folder().map(|folder| Cache::open(&folder)).unwrap_or_default()
    }

    /// The cache in a folder of its own.
    pub fn open(folder: &Path) -> Self {
        let mut cache = Cache { path: Some(folder.join("pictures.bin")), ..Cache::default() };
        // What is not there or not ours is not read.
        let _ = cache.load();
        cache
    }

    fn load(&mut self) -> io::Result<()> {
        let Some(path) = self.path.as_deref().filter(|path| is_own_file(path)) else { return Ok(()) };
        let mut reader = BufReader::with_capacity(1 << 20, File::open(path)?);
        let mut mark = [0; MARK.len()];
        reader.read_exact(&mut mark)?;
        if mark != *MARK {
            return Ok(());
        }
        let (mut entry, mut place) = ([0; ENTRY], MARK.len() as u64);
        while reader.read_exact(&mut entry).is_ok() {
            for key in [key_at(&entry, 0), key_at(&entry, 16)].into_iter().filter(|key| *key != 0) {
                self.places.insert(key, place);
            }
            place += ENTRY as u64;
        }
        self.file = Some(Mutex::new(reader.into_inner()));
        Ok(())
    }

    /// What is known under a key, either of the content or of the file.
    pub fn get(&self, key: u128) -> Option<Entry> {
        let place = *self.places.get(&key)?;
        let mut bytes = [0; ENTRY];
        {
            let mut file = self.file.as_ref()?.lock().ok()?;
            file.seek(SeekFrom::Start(place)).ok()?;
            file.read_exact(&mut bytes).ok()?;
        }
        Entry::from_bytes(&bytes).filter(|entry| key != 0 && (entry.content == key || entry.stamp == key))
    }

    /// Keeps new entries, each with its numbers. What cannot be kept is computed again next time.
    pub fn add(&self, entries: &[(&Entry, &[f32])]) {
        if let Some(path) = self.path.as_deref().filter(|_| !entries.is_empty()) {
            let _ = append(path, entries);
        }
    }
}

/// The folder of the user for such things.
fn folder() -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if cfg!(windows) {
        var("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        var("XDG_CACHE_HOME").or_else(|| Some(var("HOME")?.join("Library/Caches")))
    } else {
        var("XDG_CACHE_HOME").or_else(|| Some(var("HOME")?.join(".cache")))
    };
    Some(base?.join("arss"))
}

/// True for a plain file of this user in a folder of this user: others could put anything there.
fn is_own_file(path: &Path) -> bool {
    let own = |about: io::Result<Metadata>| about.is_ok_and(|about| !private_files::is_foreign(&about));
    let plain = fs::symlink_metadata(path).is_ok_and(|about| about.is_file());
    plain && own(fs::symlink_metadata(path)) && own(fs::metadata(private_files::folder_of(path)))
}

/// Adds entries at the end, while no other process does.
fn append(path: &Path, entries: &[(&Entry, &[f32])]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    private_files::make_folder(folder)?;
    if private_files::is_foreign(&fs::metadata(folder)?) || (fs::symlink_metadata(path).is_ok() && !is_own_file(path)) {
        return Err(io::Error::other("is a link, or of another user"));
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.lock()?;
    let mut mark = [0; MARK.len()];
    let is_ours = file.read_exact(&mut mark).is_ok() && mark == *MARK;
    let mut length = file.metadata()?.len();
    if !is_ours || length > MOST_BYTES {
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(MARK)?;
        length = MARK.len() as u64;
    }
    // A run that was killed may have left half an entry.
    let whole = length - (length - MARK.len() as u64) % ENTRY as u64;
    file.set_len(whole)?;
    file.seek(SeekFrom::Start(whole))?;
    for some in entries.chunks(TOGETHER) {
        let bytes: Vec<Vec<u8>> = some.par_iter().map(|(entry, values)| entry.to_bytes(values)).collect();
        file.write_all(&bytes.concat())?;
    }
    Ok(())
}

fn key_at(bytes: &[u8], at: usize) -> u128 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |key| u128::from_le_bytes(*key))
}

impl Entry {
    fn to_bytes(&self, values: &[f32]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(ENTRY);
        bytes.extend(self.content.to_le_bytes());
        bytes.extend(self.stamp.to_le_bytes());
        bytes.extend(self.width.to_le_bytes());
        bytes.extend(self.height.to_le_bytes());
        bytes.extend(self.features.hash.to_le_bytes());
        bytes.extend(u32::from(self.features.blank).to_le_bytes());
        bytes.extend(self.features.white.to_le_bytes());
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes.extend(Sum::of(&bytes).value().to_le_bytes());
        bytes
    }

    /// The entry, if it is what was written.
    fn from_bytes(bytes: &[u8; ENTRY]) -> Option<Self> {
        let word = |at: usize| -> Option<u64> { Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?)) };
        let half = |at: usize| -> Option<u32> { Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?)) };
        if Sum::of(bytes.get(..ENTRY - 8)?).value() != word(ENTRY - 8)? {
            return None;
        }
        let values: Vec<f32> = (0..FEATURES).filter_map(|at| Some(f32::from_bits(half(56 + 4 * at)?))).collect();
        Some(Entry {
            content: key_at(bytes, 0),
            stamp: key_at(bytes, 16),
            width: half(32)?,
            height: half(36)?,
            features: Features { values, hash: word(40)?, blank: half(48)? == 1, white: f32::from_bits(half(52)?) },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u32) -> Entry {
        let values = (0..FEATURES).map(|at| at as f32 + number as f32).collect();
        let features = Features { values, hash: 77, blank: number == 2, white: number as f32 / 8.0 };
        Entry { content: u128::from(number), stamp: 1000 + u128::from(number), width: number, height: 9, features }
    }

    fn add(cache: &Cache, numbers: &[u32]) {
        let entries: Vec<Entry> = numbers.iter().map(|&number| entry(number)).collect();
        cache.add(&entries.iter().map(|entry| (entry, entry.features.values.as_slice())).collect::<Vec<_>>());
    }

    #[test]
    fn entries_are_found_again_by_both_keys() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("arss");
        add(&Cache::open(&folder), &[1, 2]);
        add(&Cache::open(&folder), &[3]);
        let cache = Cache::open(&folder);
        for number in 1..4 {
            assert_eq!(cache.get(u128::from(number)), Some(entry(number)));
            assert_eq!(cache.get(1000 + u128::from(number)), Some(entry(number)));
        }
        assert_eq!((cache.get(4), cache.get(0)), (None, None));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&folder), mode(&folder.join("pictures.bin"))), (0o700, 0o600));
        }
    }

    #[test]
    fn a_damaged_cache_does_no_harm() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("pictures.bin");
        add(&Cache::open(home.path()), &[1, 2]);
        let mut bytes = fs::read(&path).unwrap();
        bytes[200] ^= 1;
        fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
        let cache = Cache::open(home.path());
        assert_eq!((cache.get(1), cache.get(2)), (None, None));
        add(&cache, &[3]);
        assert_eq!(Cache::open(home.path()).get(3), Some(entry(3)));
        fs::write(&path, "something else").unwrap();
        add(&Cache::open(home.path()), &[5]);
        assert_eq!(Cache::open(home.path()).get(5), Some(entry(5)));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_written_through() {
        let home = tempfile::tempdir().unwrap();
        let other = home.path().join("precious");
        fs::write(&other, "keep me").unwrap();
        std::os::unix::fs::symlink(&other, home.path().join("pictures.bin")).unwrap();
        add(&Cache::open(home.path()), &[1]);
        assert_eq!(fs::read_to_string(&other).unwrap(), "keep me");
    }

    /// Whoever can write there can say what a picture looks like.
    #[cfg(unix)]
    #[test]
    fn the_cache_of_another_user_is_not_used() {
        use std::os::unix::fs::chown;
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("pictures.bin");
        add(&Cache::open(home.path()), &[1]);
        for (foreign, mine) in [(path.as_path(), home.path()), (home.path(), path.as_path())] {
            if chown(foreign, Some(4321), None).and_then(|()| chown(mine, Some(0), None)).is_err() {
                println!("skipped: only root can give files away");
                return;
            }
            let before = fs::read(&path).unwrap();
            let cache = Cache::open(home.path());
            assert_eq!(cache.get(1), None);
            add(&cache, &[2]);
            assert_eq!(fs::read(&path).unwrap(), before);
        }
    }
}
