//! The bytes of an input: a file that is read at any position, or memory for what can be read only once.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::TableError;
use crate::file_state::{self, FileState};
use crate::formats::Format;
use crate::limited_copy::copy_limited;
use crate::private_files;
use crate::read::ReadContext;
use crate::scratch::numbers;
use crate::zip_member;

/// Bytes that tell the format of a file.
pub const START: usize = 64;
/// The first bytes of an SQLite database.
pub const SQLITE: &[u8] = b"SQLite format 3\0";
/// What stands for standard input among the paths.
pub const STDIN: &str = "-";

/// The bytes of an input.
#[derive(Debug)]
pub enum ByteSource {
    /// A regular file; its bytes stay where they are.
    File {
        /// The open file; none for one of very many, which is opened each time it is read.
        file: Option<File>,
        /// What it was when it was opened.
        opened: FileState,
        /// Its name.
        path: PathBuf,
    },
    /// Bytes of a pipe or an archive.
    Memory(Vec<u8>),
}

/// How an input is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
    /// bzip2.
    Bzip2,
    /// xz.
    Xz,
    /// A zip archive.
    Zip,
}

/// Bytes that tell how an input is packed.
const MARK: usize = 10;

impl Compression {
    /// By the first bytes.
    pub fn of(start: &[u8]) -> Compression {
        if start.starts_with(b"\x1f\x8b") {
            Compression::Gzip
        } else if start.starts_with(b"\x28\xb5\x2f\xfd") {
            Compression::Zstd
        } else if start.starts_with(b"BZh") && start.get(4..).is_some_and(|rest| rest.starts_with(b"1AY&SY")) {
            Compression::Bzip2
        } else if start.starts_with(b"\xfd7zXZ\0") {
            Compression::Xz
        } else if start.starts_with(zip_member::MAGIC) {
            Compression::Zip
        } else {
            Compression::None
        }
    }
}

impl ByteSource {
    /// Opens `path`, or takes standard input; archives and pipes are read whole, to memory or to a file in `scratch`.
    /// A file of a zip archive comes with its name.
    pub fn open(path: &Path, context: &ReadContext<'_>) -> Result<(ByteSource, Option<PathBuf>), TableError> {
        if path == Path::new(STDIN) {
            return ByteSource::taken(io::stdin().lock(), path, context);
        }
        let (file, opened) = open(path)?;
        if !opened.is_file() {
            return ByteSource::taken(file, path, context);
        }
        let opened = FileState::of(&file).map_err(|error| unreadable(path, &error))?;
        // A process may have a few hundred open files.
        let file = Some(file).filter(|_| !context.many);
        let store = ByteSource::File { file, opened, path: path.to_owned() };
        store.unpacked(path, context)
    }

    /// What comes out of a pipe, unpacked.
    pub fn taken(
        mut pipe: impl Read,
        path: &Path,
        context: &ReadContext<'_>,
    ) -> Result<(ByteSource, Option<PathBuf>), TableError> {
        let mut start = Vec::new();
        let read = pipe.by_ref().take(START as u64).read_to_end(&mut start);
        read.map_err(|error| unreadable(path, &error))?;
        // What is no table is told by its start: a pipe may be long, and a device has no end.
        if Compression::of(&start) == Compression::None && !start.starts_with(SQLITE) {
            Format::of_file(path, &start, context.options.format)?;
        }
        ByteSource::kept(io::Cursor::new(start).chain(pipe), path, context, None)?.unpacked(path, context)
    }

    fn unpacked(self, path: &Path, context: &ReadContext<'_>) -> Result<(ByteSource, Option<PathBuf>), TableError> {
        let packing = Compression::of(&self.start(MARK).map_err(|error| unreadable(path, &error))?);
        let store = match packing {
            Compression::None => self,
            Compression::Zip => return zip_member::unpacked(self, path, context),
            _ => unpacked(ByteReader { store: Arc::new(self), at: 0 }, packing, path, context)?,
        };
        Ok((store, None))
    }

    /// All bytes of a reader, in memory or in a file without a name in `scratch`. `packed` counts those of the archive
    /// they come from.
    pub fn kept(
        reader: impl Read,
        path: &Path,
        context: &ReadContext<'_>,
        packed: Option<&std::cell::Cell<u64>>,
    ) -> Result<ByteSource, TableError> {
        let advice = if packed.is_some() { "unpack it to a file" } else { "save it to a file" };
        ByteSource::kept_or(reader, path, context, (packed, advice))
    }

    /// The same; `advice` is what can be done if it is too much.
    pub fn kept_or(
        reader: impl Read,
        path: &Path,
        context: &ReadContext<'_>,
        (packed, advice): (Option<&std::cell::Cell<u64>>, &str),
    ) -> Result<ByteSource, TableError> {
        let Some(folder) = context.options.scratch.as_deref() else {
            let mut bytes = Vec::new();
            copy_limited(reader, &mut bytes, (context.limit, None), (path, packed, advice))?;
            return Ok(ByteSource::Memory(bytes));
        };
        let failed = |error: io::Error| TableError::Run(format!("{}: cannot be written: {error}", folder.display()));
        let mut file = private_files::nameless(folder).map_err(failed)?;
        // A full disk is everybody's trouble: a tenth of what is free stays free.
        let most = fs4::available_space(folder).map_or(u64::MAX, |free| free - free / 10);
        let copied = copy_limited(reader, &mut file, (context.limit, Some((folder, most))), (path, packed, advice));
        copied.map_err(|failure| match failure {
            TableError::Run(what) => failed(io::Error::other(what)),
            other => other,
        })?;
        let opened = FileState::of(&file).map_err(failed)?;
        Ok(ByteSource::File { file: Some(file), opened, path: path.to_owned() })
    }

    /// The number of bytes.
    pub fn len(&self) -> u64 {
        match self {
            ByteSource::File { opened, .. } => opened.len(),
            ByteSource::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// The first bytes, `count` at most.
    pub fn start(&self, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count.min(usize::try_from(self.len()).unwrap_or(count))];
        let found = self.read_at(&mut bytes, 0)?;
        bytes.truncate(found);
        Ok(bytes)
    }

    /// Fills `buffer` from position `at` as far as there are bytes; gives their number. What was added to a file since it
    /// was opened is not there; fails if something was taken away.
    pub fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        match self {
            ByteSource::Memory(bytes) => {
                let mut rest = bytes.get(usize::try_from(at).unwrap_or(usize::MAX)..).unwrap_or_default();
                rest.read(buffer)
            }
            ByteSource::File { file, opened, path } => {
                let rest = usize::try_from(opened.len().saturating_sub(at)).unwrap_or(usize::MAX);
                let wanted = rest.min(buffer.len());
                let (buffer, _) = buffer.split_at_mut(wanted);
                let found = match file {
                    Some(file) => numbers::read_at(file, at, buffer)?,
                    None => numbers::read_at(&File::open(path)?, at, buffer)?,
                };
                if found == wanted { Ok(found) } else { Err(shorter()) }
            }
        }
    }

    /// The bytes from `start` to `end`; fails if some are gone.
    pub fn slice(&self, start: u64, end: u64) -> io::Result<Vec<u8>> {
        let length = end.checked_sub(start).ok_or_else(shorter)?;
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        match self.read_at(&mut bytes, start)? {
            found if found == bytes.len() => Ok(bytes),
            _ => Err(shorter()),
        }
    }

    /// Fails if the file is not what it was when it was opened.
    pub fn check_unchanged(&self) -> Result<(), TableError> {
        let ByteSource::File { file, opened, path } = self else { return Ok(()) };
        let now = match file {
            Some(file) => FileState::of(file),
            None => File::open(path).and_then(|file| FileState::of(&file)),
        };
        let now = now.map_err(|error| unreadable(path, &error))?;
        if now == *opened { Ok(()) } else { Err(file_state::changed(path)) }
    }
}

/// Reads a store from a position on.
#[derive(Debug)]
pub struct ByteReader {
    /// The bytes.
    pub store: Arc<ByteSource>,
    /// The position.
    pub at: u64,
}

impl Read for ByteReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let found = self.store.read_at(buffer, self.at)?;
        self.at += found as u64;
        Ok(found)
    }
}

impl Seek for ByteReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.store.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

fn open(path: &Path) -> Result<(File, Metadata), TableError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => TableError::in_file(path, "there is no such file"),
        _ => TableError::in_file(path, format_args!("cannot be opened: {error}")),
    };
    if path.is_dir() {
        return Err(TableError::in_file(path, "is a directory, not a file"));
    }
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    Ok((file, metadata))
}

fn unpacked(
    packed: impl Read,
    packing: Compression,
    path: &Path,
    context: &ReadContext<'_>,
) -> Result<ByteSource, TableError> {
    let counted = std::rc::Rc::new(std::cell::Cell::new(0));
    let packed = Counted { inner: packed, count: counted.clone() };
    match packing {
        Compression::None | Compression::Zip => ByteSource::kept(packed, path, context, None),
        // Several archives one after the other are one.
        Compression::Gzip => {
            let reader = flate2::read::MultiGzDecoder::new(packed);
            ByteSource::kept(reader, path, context, Some(&counted))
        }
        Compression::Zstd => {
            let reader = zstd::stream::read::Decoder::new(packed).map_err(|error| unreadable(path, &error))?;
            ByteSource::kept(reader, path, context, Some(&counted))
        }
        Compression::Bzip2 => {
            let reader = bzip2::read::MultiBzDecoder::new(packed);
            ByteSource::kept(reader, path, context, Some(&counted))
        }
        Compression::Xz => {
            // What was unpacked last is kept for what repeats it: as much as the archive says, within the limit.
            let most = u32::try_from(context.limit.bytes >> 10).unwrap_or(u32::MAX - 1).min(u32::MAX - 1);
            let packed = io::BufReader::with_capacity(1 << 16, packed);
            let reader = lzma_rust2::XzReader::new_mem_limit(packed, true, most);
            ByteSource::kept(reader, path, context, Some(&counted)).map_err(|failure| {
                if !failure.to_string().contains("mem_limit") {
                    return failure;
                }
                let most = crate::byte_size::shown(context.limit.bytes);
                let what =
                    format!("takes more than {most} to unpack, which is the limit; unpack it, or raise --memory");
                TableError::in_file(path, what)
            })
        }
    }
}

/// Counts the bytes that pass.
struct Counted<R> {
    inner: R,
    count: std::rc::Rc<std::cell::Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let found = self.inner.read(buffer)?;
        self.count.set(self.count.get() + found as u64);
        Ok(found)
    }
}

fn shorter() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it became shorter while it was being read")
}

/// A file that is there but cannot be read.
pub fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> TableError {
    TableError::in_file(path, format_args!("cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::untrusted::limit::MemoryLimit;

    #[test]
    fn what_was_packed_is_unpacked_within_the_limit() {
        use std::io::Write;
        let text = b"a,b\n1,2\n".repeat(1000);
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(&text).unwrap();
        let gz = gz.finish().unwrap();
        let zst = zstd::stream::encode_all(&text[..], 1).unwrap();
        let options = crate::ReadOptions::default();
        let limit = |bytes| ReadContext {
            limit: MemoryLimit { bytes, asked: true, disk: false },
            ..ReadContext::new(&options)
        };
        let mut bz2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bz2.write_all(&text).unwrap();
        let bz2 = bz2.finish().unwrap();
        let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(0)).unwrap();
        xz.write_all(&text).unwrap();
        let xz = xz.finish().unwrap();
        let double = |packed: &Vec<u8>| [&packed[..], packed].concat();
        for packed in [double(&gz), double(&bz2), double(&xz), gz, zst, bz2, xz] {
            let (whole, member) = ByteSource::taken(&packed[..], Path::new("t"), &limit(1 << 20)).unwrap();
            assert_eq!(member, None);
            assert_eq!(whole.len() % text.len() as u64, 0);
            assert_eq!(whole.slice(4, 8).unwrap(), b"1,2\n");
            let refused = ByteSource::taken(&packed[..], Path::new("t"), &limit(100)).unwrap_err().to_string();
            assert!(refused.contains("limit") && refused.contains("100"), "{refused}");
        }
    }
}
