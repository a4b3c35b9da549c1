//! Text in records: where each of them stands in the file, and how they are read in parallel.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::TableError;
use crate::byte_source::{ByteSource, unreadable};
use crate::formats::csv_dialect::{Dialect, trim_breaks};
use crate::untrusted::limit::MemoryLimit;

/// Bytes that are read at a time; more only if a record is longer.
const CHUNK: usize = 16 << 20;
/// Bytes that are read to see how a file begins; more only if its first record is longer.
const FIRST: usize = 1 << 20;
/// Bytes that a thread reads on its own where no record is longer than a line.
const SEGMENT: u64 = 4 << 20;
/// Most segments that are read before their pieces are taken.
const SEGMENTS: u64 = 16;
/// Bytes behind a segment in which its last line must end.
const TAIL: u64 = 1 << 18;
/// Records a piece, the unit of work of a thread.
const PIECE: usize = 4096;
/// No record is longer; what looks like one has lost a quote.
const LONGEST: usize = 256 << 20;

/// By how much more records are expected than the first ones tell.
const MARGIN: f64 = 1.03;

/// Rows that tell what the columns of a file hold, before it is read whole.
pub const SAMPLE: usize = 1000;

/// What some programs write before UTF-8 text.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// A text file and where its records stand.
#[derive(Debug)]
pub struct Records {
    /// The bytes.
    pub store: ByteSource,
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
    /// Segments that are read before their pieces are taken.
    segments: u64,
}

/// Records that one thread reads: the bytes, where the first one starts and where each ends.
#[derive(Debug, Clone, Copy)]
pub struct RecordBlock<'a> {
    bytes: &'a [u8],
    from: usize,
    ends: &'a [usize],
    base: u64,
}

impl<'a> RecordBlock<'a> {
    /// The number of records, blank ones too.
    pub fn count(self) -> usize {
        self.ends.len()
    }

    /// Each record that is not blank, and where it starts in the file.
    #[expect(clippy::indexing_slicing, reason = "ends ascend from where the block starts to where its bytes end")]
    pub fn records(self) -> impl Iterator<Item = (u64, &'a [u8])> {
        let starts = std::iter::once(self.from).chain(self.ends.iter().copied());
        let records = starts.zip(self.ends).map(move |(from, &end)| (self.base + from as u64, &self.bytes[from..end]));
        records.map(|(at, record)| (at, trim_breaks(record))).filter(|(_, record)| !record.is_empty())
    }
}

/// What a thread made of its records, and where they start.
pub type Read<T> = Result<(T, Vec<u64>), TableError>;

impl Records {
    /// The records of `store`, which start behind a byte order mark and blank lines.
    pub fn new(store: ByteSource, path: &Path, dialect: Dialect, quotes: bool, data: u64) -> Self {
        Records { store, path: path.to_owned(), dialect, quotes, data, starts: Vec::new(), segments: SEGMENTS }
    }

    /// Reads fewer segments at once where memory is short: text and numbers of one take four times its size.
    pub fn work_within(&mut self, limit: MemoryLimit) {
        self.segments = (limit.bytes / 4 / (4 * SEGMENT)).clamp(1, SEGMENTS);
    }

    /// The number of records, once they were read.
    pub fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// About how many records there are, by the length of the first: rather too many than too few.
    pub fn expected(&self) -> Result<usize, TableError> {
        let rest = self.store.len().saturating_sub(self.data);
        let mut bytes = vec![0; rest.min(FIRST as u64) as usize];
        let found = self.store.read_at(&mut bytes, self.data).map_err(|error| unreadable(&self.path, &error))?;
        bytes.truncate(found);
        let lines = memchr::memchr_iter(self.dialect.ending, &bytes).count().max(1);
        Ok((lines as f64 * (rest as f64 / found.max(1) as f64) * MARGIN).ceil() as usize)
    }

    /// The bytes from `at` on, and where the whole records in them end; the last record ends with the file.
    pub fn chunk(&self, at: u64) -> Result<(Vec<u8>, Vec<usize>), TableError> {
        self.chunk_in(at, Vec::new(), FIRST)
    }

    /// The same, in memory that was used before: fresh pages cost as much as reading them.
    fn chunk_in(&self, at: u64, mut bytes: Vec<u8>, mut size: usize) -> Result<(Vec<u8>, Vec<usize>), TableError> {
        let rest = self.store.len().saturating_sub(at);
        loop {
            let length = rest.min(size as u64) as usize;
            bytes.resize(length, 0);
            let found = self.store.read_at(&mut bytes, at).map_err(|error| unreadable(&self.path, &error))?;
            bytes.truncate(found);
            check_text(&bytes, &self.path)?;
            if length as u64 == rest || found < length {
                let mut ends = self.ends(&bytes);
                let last = ends.last().copied().unwrap_or_default();
                if let Some(record) = bytes.get(last..).filter(|record| !record.is_empty()) {
                    self.check_closed(record, at + last as u64)?;
                    ends.push(bytes.len());
                }
                return Ok((bytes, ends));
            }
            let ends = self.ends(&bytes);
            if !ends.is_empty() {
                return Ok((bytes, ends));
            }
            if size >= LONGEST {
                let what = format!("the record at line {} is longer than {LONGEST} bytes", self.line(at));
                return Err(TableError::in_file(&self.path, format_args!("{what}; is a quote missing?")));
            }
            size *= 2;
        }
    }

    /// Fails if the last record of the file ends within quotes: it may have swallowed many others.
    fn check_closed(&self, record: &[u8], at: u64) -> Result<(), TableError> {
        if !self.quotes || !self.dialect.is_open(record) {
            return Ok(());
        }
        let line = self.line(at);
        Err(TableError::in_file(
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
    pub fn first<T>(&self, count: usize, read: impl Fn(RecordBlock<'_>) -> Read<T>) -> Result<(T, bool), TableError> {
        let (bytes, ends) = self.chunk(self.data)?;
        let few = ends.get(..count).unwrap_or(&ends);
        let all = few.len() == ends.len() && self.data + bytes.len() as u64 >= self.store.len();
        Ok((read(RecordBlock { bytes: &bytes, from: 0, ends: few, base: self.data })?.0, all))
    }

    /// Reads all records, piece by piece, several at once; `take` gets the pieces in order. Gives where each record
    /// starts, and where the last one ends.
    pub fn read<T: Send>(
        &self,
        read: impl Fn(RecordBlock<'_>) -> Read<T> + Sync,
        mut take: impl FnMut(T) -> Result<(), TableError>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Vec<u64>, TableError> {
        let end = self.store.len();
        let mut starts = Vec::new();
        let mut at = self.read_segments(&read, &mut take, (progress, &mut starts))?;
        let mut used = Vec::new();
        while at < end {
            progress(at, end);
            let (bytes, ends) = self.chunk_in(at, used, CHUNK)?;
            let Some(&last) = ends.last() else { break };
            // Where the piece before it ends.
            let from =
                |number: usize| (number * PIECE).checked_sub(1).and_then(|at| ends.get(at)).copied().unwrap_or(0);
            let parts = ends.par_chunks(PIECE).enumerate();
            let done: Vec<Read<T>> = parts
                .map(|(number, part)| read(RecordBlock { bytes: &bytes, from: from(number), ends: part, base: at }))
                .collect();
            for piece in done {
                let (piece, own) = piece?;
                take(piece)?;
                starts.extend(own);
            }
            at += last as u64;
            used = bytes;
        }
        self.store.check_unchanged()?;
        starts.push(end);
        Ok(starts)
    }

    /// Reads as long as every line break ends a record: threads then find the records of a segment on their own, which
    /// halves the time of a large file on two cores. Gives where that stopped.
    fn read_segments<T: Send>(
        &self,
        read: &(impl Fn(RecordBlock<'_>) -> Read<T> + Sync),
        take: &mut impl FnMut(T) -> Result<(), TableError>,
        (progress, starts): (&mut dyn FnMut(u64, u64), &mut Vec<u64>),
    ) -> Result<u64, TableError> {
        let (mut at, end) = (self.data, self.store.len());
        // Buffers are used again: fresh pages took a quarter of the processor's time.
        let used: Mutex<Vec<Vec<u8>>> = Mutex::default();
        let buffers = || used.lock().unwrap_or_else(PoisonError::into_inner);
        while at < end {
            progress(at, end);
            let segment = |number: u64| -> Result<Option<(T, Vec<u64>, u64)>, TableError> {
                let from = at + number * SEGMENT;
                let mut buffer = buffers().pop().unwrap_or_default();
                let Some((start, lines)) = self.segment(from, number == 0, &mut buffer)? else { return Ok(None) };
                let bytes = buffer.get(lines).unwrap_or_default();
                let ends = self.ends_with_last(bytes);
                let next = start + bytes.len() as u64;
                let (piece, own) = read(RecordBlock { bytes, from: 0, ends: &ends, base: start })?;
                buffers().push(buffer);
                Ok(Some((piece, own, next)))
            };
            let count = (end - at).div_ceil(SEGMENT).min(self.segments);
            let done: Vec<_> = (0..count).into_par_iter().map(segment).collect();
            if done.iter().any(|piece| matches!(piece, Ok(None))) {
                return Ok(at);
            }
            for (piece, own, next) in done.into_iter().filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()? {
                take(piece)?;
                starts.extend(own);
                at = next;
            }
        }
        Ok(at)
    }

    /// Reads the lines that start in the segment at `from`: where the first of them does in the file, and all in
    /// `bytes`; none if a record may be longer than a line. `first` says that a record starts at `from`.
    fn segment(
        &self,
        from: u64,
        first: bool,
        bytes: &mut Vec<u8>,
    ) -> Result<Option<(u64, std::ops::Range<usize>)>, TableError> {
        let end = self.store.len();
        let before = u64::from(!first);
        let last = (from + SEGMENT).min(end);
        bytes.resize(usize::try_from(last + TAIL.min(end - last) - from + before).unwrap_or_default(), 0);
        let found = self.store.read_at(bytes, from - before).map_err(|error| unreadable(&self.path, &error))?;
        bytes.truncate(found);
        let break_from = |at: usize| memchr::memchr(self.dialect.ending, bytes.get(at..)?).map(|found| at + found + 1);
        let start = if first { 0 } else { break_from(0).unwrap_or(bytes.len()) };
        let nominal = usize::try_from(last - from).unwrap_or_default() + before as usize;
        let stop = if last == end { Some(bytes.len()) } else { break_from(nominal - 1) };
        let Some(stop) = stop else { return Ok(None) };
        let lines = start..stop.max(start);
        // Both are looked for at once; where there are quotes, the text is checked later.
        let quote = if self.quotes { b'"' } else { 0 };
        let text = bytes.get(lines.clone()).unwrap_or_default();
        if let Some(found) = memchr::memchr2(0, quote, text).and_then(|at| text.get(at..=at)) {
            check_text(found, &self.path)?;
            return Ok(None);
        }
        Ok(Some((from - before + start as u64, lines)))
    }

    /// Where the records end; the last one may have no line break.
    fn ends_with_last(&self, bytes: &[u8]) -> Vec<usize> {
        let mut ends = self.ends(bytes);
        if ends.last() != Some(&bytes.len()) && !bytes.is_empty() {
            ends.push(bytes.len());
        }
        ends
    }

    /// Record `row` without its line break.
    pub fn record(&self, row: usize) -> io::Result<Vec<u8>> {
        let bytes = self.store.slice(self.start_of(row), self.start_of(row + 1))?;
        let end = self.ends(&bytes).first().copied().unwrap_or(bytes.len());
        Ok(trim_breaks(bytes.get(..end).unwrap_or(&bytes)).to_vec())
    }

    /// Where record `row` starts; the last one ends where the next would.
    #[expect(
        clippy::indexing_slicing,
        reason = "rows are numbered by those that were read, and there is a start more than rows"
    )]
    fn start_of(&self, row: usize) -> u64 {
        self.starts[row]
    }

    /// The line that byte `at` stands on, from 1.
    pub fn line(&self, at: u64) -> u64 {
        let (mut line, mut from) = (1, 0);
        let mut bytes = vec![0; CHUNK.min(usize::try_from(at).unwrap_or(CHUNK))];
        while from < at {
            bytes.truncate(usize::try_from(at - from).unwrap_or(CHUNK));
            // A file that cannot be read any more has no better answer.
            let found = self.store.read_at(&mut bytes, from).unwrap_or_default();
            if found == 0 {
                break;
            }
            bytes.truncate(found);
            line += memchr::memchr_iter(self.dialect.ending, &bytes).count() as u64;
            from += found as u64;
        }
        line
    }

    /// The row's place in words, for messages.
    pub fn place(&self, row: usize) -> String {
        format!("row {row} (from 0; line {})", self.line(self.start_of(row)))
    }
}

/// Fails on bytes that no text file holds.
pub fn check_text(bytes: &[u8], path: &Path) -> Result<(), TableError> {
    match memchr::memchr(0, bytes) {
        Some(_) => {
            Err(TableError::in_file(path, "holds NUL bytes, so it is not a text file; is it cut off or binary?"))
        }
        None => Ok(()),
    }
}

/// Gives where the text begins behind a byte order mark and blank lines.
pub fn text_start(start: &[u8], path: &Path) -> Result<usize, TableError> {
    check_text(start, path)?;
    let bom = if start.starts_with(BOM) { BOM.len() } else { 0 };
    match start.iter().skip(bom).position(|byte| !matches!(byte, b'\r' | b'\n')) {
        Some(blank) => Ok(bom + blank),
        None => Err(TableError::in_file(path, "the file is empty")),
    }
}
