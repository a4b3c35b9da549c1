//! A replay log of passes in a folder, with the state of the rows: the files of `--checkpoint` and `--resume`.
//!
//! The folder is marked as a checkpoint, and locked by the run that works in it ([`Claim`]). There are three kinds of
//! files; each is written under another name, and renamed when it is on the disk. `checkpoint` says what the others must be:
//! its format, what the run is (data and settings), how long the log is and which state belongs to it. `passes` is the
//! log; it is only ever appended to. `values-N` and `numbers-N` are the state after pass N. A process that is killed
//! leaves at worst files that `checkpoint` does not name: they are removed at the next start.

mod claim;
mod manifest;
pub mod run;

use std::fs::{self, File};
use std::hash::Hasher;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use arss::out_of_core::ReplayLog;
pub use claim::Claim;
use manifest::{Entry, Manifest, NAME};
use twox_hash::XxHash64;

use crate::private_files;
use crate::scratch::{DiskFloat, ScratchFile};

/// The log.
const PASSES: &str = "passes";
/// What a file is called until it is whole.
const PART: &str = ".part";
/// Bytes that are copied at a time.
const PIECE: usize = 1 << 20;

/// A folder from which an interrupted run resumes.
///
/// ```
/// use arss::out_of_core::Stream;
/// use arss::{Count, Method, Rrss, RunOptions};
/// use arss_table::checkpoint::{Checkpoint, Claim};
/// use arss_table::DiskMatrix;
/// use arss_table::scratch::ScratchFile;
///
/// let folder = tempfile::tempdir()?;
/// let table: Vec<f64> = (0..600).map(|i| f64::from(i * i % 17)).collect();
/// let mut file = ScratchFile::new(folder.path())?;
/// file.append(&table)?;
/// let rows = DiskMatrix::in_scratch(file, 3);
/// let (values, numbers) = (ScratchFile::new(folder.path())?, ScratchFile::new(folder.path())?);
/// let stream = Stream { source: &rows, values: &values, numbers: &numbers, memory: 1 << 20 };
/// let identity = vec!["rows: 200".to_owned()];
/// let claim = Claim::on(&folder.path().join("run"))?;
/// let mut checkpoint = Checkpoint::start(&claim, identity, 5, (&values, &numbers))?;
/// let method = Method::Rrss(Rrss::default());
/// stream.select_with_log(&method, Count::Exactly(2), &mut checkpoint, &mut RunOptions::default())?;
/// checkpoint.remove()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Checkpoint<'a, T> {
    /// Where it is; nobody else works there.
    claim: &'a Claim,
    every: usize,
    values: &'a ScratchFile<T>,
    numbers: &'a ScratchFile<f64>,
    manifest: Manifest,
    /// Passes that are recalled: the sum of the request and the sums.
    known: std::vec::IntoIter<(u64, Vec<u8>)>,
    /// Passes since the state was last saved, as they are appended to the log.
    fresh: Vec<u8>,
    passes: usize,
    since: usize,
    /// Values and numbers changed since.
    dirty: (bool, bool),
    looked: bool,
    /// The state is no longer one to begin with.
    frozen: bool,
}

impl<'a, T: DiskFloat> Checkpoint<'a, T> {
    /// Starts a log in the folder of `claim`; files of an earlier run are removed.
    ///
    /// `identity` are lines that distinguish runs. The state is saved every `every` passes.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn start(
        claim: &'a Claim,
        identity: Vec<String>,
        every: usize,
        (values, numbers): (&'a ScratchFile<T>, &'a ScratchFile<f64>),
    ) -> io::Result<Self> {
        let folder = claim.folder();
        sweep(folder, |_| false)?;
        let manifest = Manifest { identity, ..Manifest::default() };
        let made = private_files::create(&folder.join(PASSES)).and_then(|_| private_files::sync_folder(folder));
        made.map_err(|error| at(folder, &error))?;
        manifest.write(folder)?;
        Ok(Self::new(claim, every, manifest, Vec::new(), (values, numbers)))
    }

    /// Resumes the run in the folder of `claim`: its state is read into the two scratch files. `None` if there is none.
    ///
    /// # Errors
    /// If the log is of another run (the first difference is named), is damaged, or cannot be read.
    pub fn resume(
        claim: &'a Claim,
        identity: &[String],
        every: usize,
        (values, numbers): (&'a ScratchFile<T>, &'a ScratchFile<f64>),
    ) -> io::Result<Option<Self>> {
        let folder = claim.folder();
        let Some(manifest) = Manifest::read(folder)? else { return Ok(None) };
        if let Some(difference) = manifest::difference(&manifest.identity, identity) {
            let what = format!("{}: the checkpoint is of another run: {difference}", folder.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        sweep(folder, |name| manifest.names(name))?;
        let known = diary(folder, &manifest.passes)?;
        restore(folder, manifest.values.as_ref(), values)?;
        restore(folder, manifest.numbers.as_ref(), numbers)?;
        // What was appended behind the end that counts is cut off.
        let file = File::options().write(true).open(folder.join(PASSES)).map_err(|error| at(folder, &error))?;
        file.set_len(manifest.passes.bytes).map_err(|error| at(folder, &error))?;
        Ok(Some(Self::new(claim, every, manifest, known, (values, numbers))))
    }

    fn new(
        claim: &'a Claim,
        every: usize,
        manifest: Manifest,
        known: Vec<(u64, Vec<u8>)>,
        (values, numbers): (&'a ScratchFile<T>, &'a ScratchFile<f64>),
    ) -> Self {
        Checkpoint {
            claim,
            every: every.max(1),
            values,
            numbers,
            manifest,
            passes: known.len(),
            known: known.into_iter(),
            fresh: Vec::new(),
            since: 0,
            dirty: (false, false),
            looked: false,
            frozen: false,
        }
    }

    /// Passes that need not be made again.
    pub fn recalled(&self) -> usize {
        self.known.len()
    }

    /// Removes the log: the run is complete. The folder goes with the claim, unless somebody else's files are there.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn remove(self) -> io::Result<()> {
        Self::clear(self.claim)
    }

    /// Removes the log in a folder.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub fn clear(claim: &Claim) -> io::Result<()> {
        // The file that names the others goes first: what is left without it is swept at the next start.
        remove_if_there(&claim.folder().join(NAME))?;
        sweep(claim.folder(), |_| false)
    }

    /// True if there is a log in `folder`.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(NAME).is_file()
    }

    /// Saves the state: first the files, then the one that names them.
    fn lay_down(&mut self) -> io::Result<()> {
        let folder = self.claim.folder();
        let passes = append(&folder.join(PASSES), &self.manifest.passes, &self.fresh)?;
        let mut next = Manifest { passes, ..self.manifest.clone() };
        if self.dirty.0 {
            next.values = Some(copy_of(folder, &format!("values-{}", self.passes), self.values)?);
        }
        if self.dirty.1 {
            next.numbers = Some(copy_of(folder, &format!("numbers-{}", self.passes), self.numbers)?);
        }
        next.write(folder)?;
        self.manifest = next;
        self.fresh.clear();
        (self.since, self.dirty) = (0, (false, false));
        let manifest = &self.manifest;
        sweep(folder, |name| manifest.names(name))
    }
}

impl<T: DiskFloat> ReplayLog for Checkpoint<'_, T> {
    fn recall(&mut self, request: &[u8]) -> Result<Option<Vec<u8>>, String> {
        match self.known.next() {
            None => Ok(None),
            Some((sum, sums)) if sum == checksum(request) => Ok(Some(sums)),
            Some(_) => Err(format!(
                "{}: the checkpoint was made by another version of arss, or on another kind of machine",
                self.claim.folder().display()
            )),
        }
    }

    fn record(&mut self, request: &[u8], sums: &[u8], changed: (bool, bool)) -> Result<(), String> {
        // After a resume, the state that was read could not be told from the saved one.
        self.frozen |= self.looked && (changed.0 || changed.1);
        if self.frozen {
            return Ok(());
        }
        self.fresh.extend_from_slice(&checksum(request).to_le_bytes());
        self.fresh.extend_from_slice(&(sums.len() as u64).to_le_bytes());
        self.fresh.extend_from_slice(sums);
        self.dirty = (self.dirty.0 || changed.0, self.dirty.1 || changed.1);
        self.passes += 1;
        self.since += 1;
        if self.since < self.every {
            return Ok(());
        }
        self.lay_down().map_err(|error| format!("the checkpoint cannot be written: {error}"))
    }

    fn state_read(&mut self) {
        self.looked = true;
    }
}

/// The checksum of `bytes`: detects damage, not forgery.
fn checksum(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
}

/// Appends to the log; returns its new entry in the manifest.
fn append(path: &Path, before: &Entry, fresh: &[u8]) -> io::Result<Entry> {
    let mut file = File::options().append(true).open(path).map_err(|error| at(path, &error))?;
    file.write_all(fresh).and_then(|()| file.sync_all()).map_err(|error| at(path, &error))?;
    // Each piece has its sum, and the sums have one.
    let sum = checksum(&[before.sum.to_le_bytes(), checksum(fresh).to_le_bytes()].concat());
    let mut pieces = before.pieces.clone();
    pieces.push(fresh.len() as u64);
    Ok(Entry { name: PASSES.to_owned(), bytes: before.bytes + fresh.len() as u64, sum, pieces })
}

/// The passes in the log.
fn diary(folder: &Path, entry: &Entry) -> io::Result<Vec<(u64, Vec<u8>)>> {
    let path = folder.join(PASSES);
    let mut file = File::open(&path).map_err(|error| at(&path, &error))?;
    let (mut known, mut sum) = (Vec::new(), 0u64);
    for &length in &entry.pieces {
        let mut piece = Vec::new();
        Read::by_ref(&mut file).take(length).read_to_end(&mut piece).map_err(|error| at(&path, &error))?;
        sum = checksum(&[sum.to_le_bytes(), checksum(&piece).to_le_bytes()].concat());
        let mut rest = piece.as_slice();
        while let Some((request, sums)) = next_pass(&mut rest) {
            known.push((request, sums));
        }
        if !rest.is_empty() {
            return Err(damaged(&path));
        }
    }
    if sum == entry.sum { Ok(known) } else { Err(damaged(&path)) }
}

fn next_pass(rest: &mut &[u8]) -> Option<(u64, Vec<u8>)> {
    let (request, behind) = rest.split_first_chunk::<8>()?;
    let (length, behind) = behind.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (sums, behind) = behind.split_at_checked(length)?;
    *rest = behind;
    Some((u64::from_le_bytes(*request), sums.to_vec()))
}

/// A copy of a scratch file.
fn copy_of<N: DiskFloat>(folder: &Path, name: &str, scratch: &ScratchFile<N>) -> io::Result<Entry> {
    let place = folder.join(name);
    let mut sum = XxHash64::default();
    let mut bytes = 0;
    write_whole(&place, |file| {
        let mut piece = vec![0; PIECE];
        loop {
            let found = scratch.read_bytes(bytes, &mut piece)?;
            if found == 0 {
                return Ok(());
            }
            let piece = piece.get(..found).unwrap_or(&piece);
            file.write_all(piece)?;
            sum.write(piece);
            bytes += found as u64;
        }
    })?;
    Ok(Entry { name: name.to_owned(), bytes, sum: sum.finish(), pieces: Vec::new() })
}

/// The copy, back in the scratch file.
fn restore<N: DiskFloat>(folder: &Path, entry: Option<&Entry>, scratch: &ScratchFile<N>) -> io::Result<()> {
    let Some(entry) = entry else { return Ok(()) };
    let path = folder.join(&entry.name);
    let mut file = File::open(&path).map_err(|error| at(&path, &error))?;
    let (mut sum, mut bytes, mut piece) = (XxHash64::default(), 0, Vec::with_capacity(PIECE));
    loop {
        piece.clear();
        Read::by_ref(&mut file).take(PIECE as u64).read_to_end(&mut piece).map_err(|error| at(&path, &error))?;
        if piece.is_empty() {
            break;
        }
        scratch.write_bytes(bytes, &piece)?;
        sum.write(&piece);
        bytes += piece.len() as u64;
    }
    if (bytes, sum.finish()) == (entry.bytes, entry.sum) { Ok(()) } else { Err(damaged(&path)) }
}

/// Writes a file beside its place, and renames it when it is on the disk.
pub(crate) fn write_whole(place: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut part = place.as_os_str().to_owned();
    part.push(PART);
    let part = PathBuf::from(part);
    // One that a killed run left is not written on: somebody may have it open.
    remove_if_there(&part)?;
    let mut file = private_files::create(&part).map_err(|error| at(&part, &error))?;
    write(&mut file).and_then(|()| file.sync_all()).map_err(|error| at(&part, &error))?;
    let folder = place.parent().unwrap_or(Path::new("."));
    fs::rename(&part, place).and_then(|()| private_files::sync_folder(folder)).map_err(|error| at(place, &error))
}

/// Removes our files that are not kept.
fn sweep(folder: &Path, kept: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder).map_err(|error| at(folder, &error))? {
        let name = entry.map_err(|error| at(folder, &error))?.file_name();
        let Some(name) = name.to_str() else { continue };
        if is_ours(name) && !kept(name) {
            remove_if_there(&folder.join(name))?;
        }
    }
    Ok(())
}

fn is_ours(name: &str) -> bool {
    let bare = name.strip_suffix(PART).unwrap_or(name);
    let numbered = |start: &str| bare.strip_prefix(start).is_some_and(|rest| rest.parse::<u64>().is_ok());
    bare == NAME || bare == PASSES || numbered("values-") || numbered("numbers-")
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path, &error)),
        _ => Ok(()),
    }
}

pub(crate) fn damaged(path: &Path) -> io::Error {
    let what = format!("{}: the checkpoint is damaged; start again without it", path.display());
    io::Error::new(io::ErrorKind::InvalidData, what)
}

pub(crate) fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
