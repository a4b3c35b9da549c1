//! Lengths in a Parquet file, looked at before they are believed: a broken one must not fill the memory.

use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use crate::byte_source::ByteSource;
use crate::untrusted::codec::Codec;
use crate::untrusted::limit::MemoryLimit;
use crate::untrusted::parquet_fields;
use crate::untrusted::thrift::{STRUCT, Walk};

/// The end of a file: four bytes of length, four of mark.
const TAIL: u64 = 8;
/// Bytes that a structure of the description takes in memory, at most.
const ELEMENT: u64 = 1 << 10;
/// Groups within groups; readers call themselves for each.
const DEEPEST: usize = 64;
/// Page headers are smaller.
const HEADER: u64 = 1 << 20;
/// Bytes of a page header that are looked at first.
const FIRST_LOOK: u64 = 1 << 10;

type Checked<T> = Result<T, String>;

fn broken() -> String {
    "its description is broken".to_owned()
}

/// Fails if the description of the file announces more than is there.
pub fn description(store: &ByteSource, limit: MemoryLimit) -> Checked<()> {
    let length = store.len();
    let tail = length.checked_sub(TAIL).and_then(|at| store.slice(at, length).ok());
    let tail = tail.filter(|tail| tail.ends_with(b"PAR1")).ok_or("its end is missing or is not that of Parquet")?;
    let own = u64::from(u32::from_le_bytes(*tail.first_chunk().ok_or_else(broken)?));
    let start = (length - TAIL).checked_sub(own).ok_or_else(broken)?;
    if own > limit.bytes {
        return Err(format!("its description takes {}", crate::byte_size::shown(own)));
    }
    let bytes = store.slice(start, length - TAIL).map_err(|error| error.to_string())?;
    let most = usize::try_from(limit.bytes / ELEMENT).unwrap_or(usize::MAX);
    let walked = Walk::new(&bytes).fields(&mut |walk, number, kind| match number {
        2 => schema(walk).filter(|&count| count <= most).map(drop),
        4 => {
            let (kind, count) = walk.list().filter(|(_, count)| *count <= most)?;
            (0..count).try_for_each(|_| walk.skip(kind))
        }
        _ => walk.skip(kind),
    });
    walked.and_then(|()| parquet_fields::walk(&mut Walk::new(&bytes), parquet_fields::FILE)).ok_or_else(broken)
}

/// Walks over the columns; their number, if they are not nested too deeply.
fn schema(walk: &mut Walk<'_>) -> Option<usize> {
    let (_, count) = walk.list().filter(|(kind, _)| *kind == STRUCT)?;
    // For each group that is open, how many children are still to come.
    let mut open: Vec<i64> = Vec::new();
    for _ in 0..count {
        let mut children = 0;
        walk.fields(&mut |walk, number, kind| match number {
            5 => walk.integer().map(|found| children = found),
            _ => walk.skip(kind),
        })?;
        while open.last() == Some(&0) {
            open.pop();
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        if children > 0 {
            open.push(children);
        }
        if open.len() > DEEPEST {
            return None;
        }
    }
    Some(count)
}

/// Fails if the row groups do not make up the table.
pub fn rows(metadata: &ParquetMetaData) -> Checked<usize> {
    let mut sum = 0i64;
    for group in metadata.row_groups() {
        let rows = group.num_rows();
        sum = sum.checked_add(rows).filter(|_| rows >= 0).ok_or_else(broken)?;
    }
    if sum != metadata.file_metadata().num_rows() {
        return Err(broken());
    }
    usize::try_from(sum).map_err(|_| broken())
}

/// Fails if a page of this column announces more than is there, or than may be unpacked.
pub fn pages(store: &ByteSource, column: &ColumnChunkMetaData, limit: MemoryLimit) -> Checked<()> {
    let first = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let (Ok(start), Ok(size)) = (u64::try_from(first), u64::try_from(column.compressed_size())) else {
        return Err(broken());
    };
    let end = start.checked_add(size).filter(|&end| end <= store.len()).ok_or("it is cut off")?;
    let (mut at, mut values) = (start, 0i64);
    while at < end {
        let page = Page::read(store, at, end).ok_or("a page is broken")?;
        if page.unpacked > limit.bytes {
            let most = crate::byte_size::shown(limit.bytes);
            return Err(format!("a page unpacks to more than {most}, which is the limit; raise --memory"));
        }
        if page.dictionary && page.values > page.unpacked {
            return Err("a dictionary is broken".to_owned());
        }
        page.check_archive(store, column.compression(), limit)?;
        values = values.saturating_add(if page.dictionary { 0 } else { page.values as i64 });
        at = page.end;
    }
    if values > column.num_values() {
        return Err("a column holds more values than are announced".to_owned());
    }
    Ok(())
}

/// What the header of a page says.
#[derive(Debug, Default)]
struct Page {
    unpacked: u64,
    packed: u64,
    values: u64,
    dictionary: bool,
    /// Bytes of levels that are never packed.
    levels: u64,
    data: u64,
    end: u64,
}

impl Page {
    /// The page at `at`, if it is whole and ends before `most`.
    fn read(store: &ByteSource, at: u64, most: u64) -> Option<Page> {
        // Most headers are short; those that hold statistics of long texts are not.
        [FIRST_LOOK, HEADER]
            .into_iter()
            .find_map(|look| Page::parse(&store.slice(at, most.min(at + look)).ok()?, at, most))
    }

    fn parse(bytes: &[u8], at: u64, most: u64) -> Option<Page> {
        parquet_fields::walk(&mut Walk::new(bytes), parquet_fields::PAGE)?;
        let mut page = Page::default();
        let mut walk = Walk::new(bytes);
        let size = |walk: &mut Walk<'_>| u64::try_from(walk.integer()?).ok();
        walk.fields(&mut |walk, number, kind| match (number, kind) {
            (2, 4..=6) => size(walk).map(|found| page.unpacked = found),
            (3, 4..=6) => size(walk).map(|found| page.packed = found),
            (5 | 7 | 8, STRUCT) => {
                let second = number == 8;
                page.dictionary |= number == 7;
                walk.fields(&mut |walk, number, kind| match (number, kind) {
                    (1, 4..=6) => size(walk).map(|found| page.values = page.values.max(found)),
                    (5 | 6, 4..=6) if second => size(walk).map(|found| page.levels = page.levels.saturating_add(found)),
                    _ => walk.skip(kind),
                })
            }
            _ => walk.skip(kind),
        })?;
        page.data = at + walk.at as u64;
        page.end = page.data.checked_add(page.packed).filter(|&end| end <= most)?;
        (page.levels <= page.packed).then_some(page)
    }

    /// Fails if the archive holds more than the page announces.
    fn check_archive(&self, store: &ByteSource, packing: Compression, limit: MemoryLimit) -> Checked<()> {
        let packer = match packing {
            Compression::GZIP(_) => Codec::Gzip,
            Compression::BROTLI(_) => Codec::Brotli,
            Compression::LZ4 => Codec::Lz4,
            _ => return Ok(()),
        };
        if !packer.may_exceed(self.packed, limit) {
            return Ok(());
        }
        let packed = store.slice(self.data + self.levels, self.end).map_err(|error| error.to_string())?;
        if packer.holds_more(&packed, self.unpacked) {
            return Err("a page unpacks to more than it announces".to_owned());
        }
        Ok(())
    }
}
