//! Text in records: where each of them stands in the file, and how they are read in parallel.

use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::dialect::{Dialect, trim_breaks};
use super::store::{Store, unreadable};
use crate::failure::Failure;

/// Bytes that are read at a time; more only if a record is longer.
const CHUNK: usize = 32 << 20;
/// Records a piece, the unit of work of a thread.
const PIECE: usize = 4096;
/// No record is longer; what looks like one has lost a quote.
const LONGEST: usize = 256 << 20;

/// What some programs write before UTF-8 text.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// A text file and where its records stand.
#[derive(Debug)]
pub struct Records {
    /// The bytes.
    pub store: Store,
    /// The file's name, for messages.
    pub path: PathBuf,
    /// How records end.
    pub dialect: Dialect,
    /// False if a line break always ends a record, whatever the quotes.
    pub quotes: bool,
    /// Where the first record stands.
    pub data: u64,
    /// Where each record starts, and where the last one ends.
    pub starts: Vec<u64>,
}

/// Records that one thread reads: the bytes, where the first one starts and where each ends.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    bytes: &'a [u8],
    from: usize,
    ends: &'a [usize],
    base: u64,
}

impl<'a> Part<'a> {
    /// Each record that is not blank, and where it starts in the file.
    pub fn records(self) -> impl Iterator<Item = (u64, &'a [u8])> {
        let starts = std::iter::once(self.from).chain(self.ends.iter().copied());
        let records = starts.zip(self.ends).map(move |(from, &end)| (self.base + from as u64, &self.bytes[from..end]));
        records.map(|(at, record)| (at, trim_breaks(record))).filter(|(_, record)| !record.is_empty())
    }
}

/// What a thread made of its records, and where they start.
pub type Read<T> = Result<(T, Vec<u64>), Failure>;

impl Records {
    /// The records of `store`, which start behind a byte order mark and blank lines.
    pub fn new(store: Store, path: &Path, dialect: Dialect, quotes: bool, data: u64) -> Self {
        Records { store, path: path.to_owned(), dialect, quotes, data, starts: Vec::new() }
    }

    /// The number of records, once they were read.
    pub fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The bytes from `at` on, and where the whole records in them end; the last record ends with the file.
    pub fn chunk(&self, at: u64) -> Result<(Vec<u8>, Vec<usize>), Failure> {
        let rest = self.store.len().saturating_sub(at);
        let mut size = CHUNK;
        loop {
            let length = rest.min(size as u64) as usize;
            let mut bytes = vec![0; length];
            let found = self.store.read_at(&mut bytes, at).map_err(|error| unreadable(&self.path, &error))?;
            bytes.truncate(found);
            check_text(&bytes, &self.path)?;
            let mut ends = self.ends(&bytes);
            if length as u64 == rest || found < length {
                let last = ends.last().copied().unwrap_or_default();
                if last < bytes.len() {
                    self.check_closed(&bytes[last..], at + last as u64)?;
                    ends.push(bytes.len());
                }
                return Ok((bytes, ends));
            }
            if !ends.is_empty() {
                return Ok((bytes, ends));
            }
            if size >= LONGEST {
                let what = format!("the record at line {} is longer than {LONGEST} bytes", self.line(at));
                return Err(Failure::in_file(&self.path, format_args!("{what}; is a quote missing?")));
            }
            size *= 2;
        }
    }

    /// Fails if the last record of the file ends within quotes: it may have swallowed many others.
    fn check_closed(&self, record: &[u8], at: u64) -> Result<(), Failure> {
        if !self.quotes || !self.dialect.is_open(record) {
            return Ok(());
        }
        let line = self.line(at);
        Err(Failure::in_file(
            &self.path,
            format_args!("line {line} has a quote that is never closed; is the file cut off?"),
        ))
    }

    fn ends(&self, bytes: &[u8]) -> Vec<usize> {
        if self.quotes {
            return self.dialect.ends(bytes);
        }
        memchr::memchr_iter(self.dialect.ending, bytes).map(|at| at + 1).collect()
    }

    /// The first records, `count` at most; true if these are all.
    pub fn first<T>(&self, count: usize, read: impl Fn(Part<'_>) -> Read<T>) -> Result<(T, bool), Failure> {
        let (bytes, ends) = self.chunk(self.data)?;
        let few = &ends[..ends.len().min(count)];
        let all = few.len() == ends.len() && self.data + bytes.len() as u64 >= self.store.len();
        Ok((read(Part { bytes: &bytes, from: 0, ends: few, base: self.data })?.0, all))
    }

    /// Reads all records, piece by piece, several at once; `take` gets the pieces in order. Gives where each record
    /// starts, and where the last one ends.
    pub fn read<T: Send>(
        &self,
        read: impl Fn(Part<'_>) -> Read<T> + Sync,
        mut take: impl FnMut(T) -> Result<(), Failure>,
        tell: &mut dyn FnMut(u64, u64),
    ) -> Result<Vec<u64>, Failure> {
        let (mut at, end) = (self.data, self.store.len());
        let mut starts = Vec::new();
        while at < end {
            tell(at, end);
            let (bytes, ends) = self.chunk(at)?;
            let Some(&last) = ends.last() else { break };
            let from = |number: usize| if number == 0 { 0 } else { ends[number * PIECE - 1] };
            let parts = ends.par_chunks(PIECE).enumerate();
            let done: Vec<Read<T>> = parts
                .map(|(number, part)| read(Part { bytes: &bytes, from: from(number), ends: part, base: at }))
                .collect();
            for piece in done {
                let (piece, own) = piece?;
                take(piece)?;
                starts.extend(own);
            }
            at += last as u64;
        }
        self.store.check_unchanged()?;
        starts.push(end);
        Ok(starts)
    }

    /// Record `row` without its line break.
    pub fn record(&self, row: usize) -> io::Result<Vec<u8>> {
        let bytes = self.store.slice(self.starts[row], self.starts[row + 1])?;
        let end = self.ends(&bytes).first().copied().unwrap_or(bytes.len());
        Ok(trim_breaks(&bytes[..end]).to_vec())
    }

    /// The line that byte `at` stands on, from 1.
    pub fn line(&self, at: u64) -> u64 {
        let (mut line, mut from) = (1, 0);
        let mut bytes = vec![0; CHUNK.min(usize::try_from(at).unwrap_or(CHUNK))];
        while from < at {
            let length = bytes.len().min(usize::try_from(at - from).unwrap_or(CHUNK));
            // A file that cannot be read any more has no better answer.
            let found = self.store.read_at(&mut bytes[..length], from).unwrap_or_default();
            if found == 0 {
                break;
            }
            line += memchr::memchr_iter(self.dialect.ending, &bytes[..found]).count() as u64;
            from += found as u64;
        }
        line
    }

    /// The row's place in words, for messages.
    pub fn place(&self, row: usize) -> String {
        format!("row {row} (from 0; line {})", self.line(self.starts[row]))
    }
}

/// Fails on bytes that no text file holds.
pub fn check_text(bytes: &[u8], path: &Path) -> Result<(), Failure> {
    match memchr::memchr(0, bytes) {
        Some(_) => Err(Failure::in_file(path, "holds NUL bytes, so it is not a text file; is it cut off or binary?")),
        None => Ok(()),
    }
}

/// Fails on the marks of UTF-16; gives where the text begins behind a byte order mark and blank lines.
pub fn text_start(start: &[u8], path: &Path) -> Result<usize, Failure> {
    if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
        return Err(Failure::in_file(path, "is UTF-16 text; save it as UTF-8"));
    }
    check_text(start, path)?;
    let bom = if start.starts_with(BOM) { BOM.len() } else { 0 };
    match start[bom..].iter().position(|byte| !matches!(byte, b'\r' | b'\n')) {
        Some(blank) => Ok(bom + blank),
        None => Err(Failure::in_file(path, "the file is empty")),
    }
}
