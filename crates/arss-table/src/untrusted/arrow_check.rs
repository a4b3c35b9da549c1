//! Lengths in an Arrow file, looked at before they are believed: a broken one must not fill the memory.

use arrow_ipc::{CompressionType, Message, RecordBatch, root_as_footer, root_as_message};

use crate::byte_source::ByteSource;
use crate::untrusted::codec::Codec;
use crate::untrusted::limit::MemoryLimit;

/// What starts and ends a file, with padding and without.
const HEAD: u64 = 8;
/// The end of a file: four bytes of length, six of mark.
const TAIL: u64 = 10;
/// Bytes before a length that begin a message of today's format.
const CONTINUATION: [u8; 4] = [0xff; 4];

type Checked<T> = Result<T, String>;

/// The number of rows, if all that is announced is there and may be unpacked.
pub fn file(store: &ByteSource, limit: MemoryLimit) -> Checked<u64> {
    let length = store.len();
    let end = length.checked_sub(TAIL).filter(|&end| end >= HEAD).ok_or("it is cut off")?;
    let tail = slice(store, end, length)?;
    if !tail.ends_with(crate::formats::arrow::MAGIC) {
        return Err("its end is missing".to_owned());
    }
    let own = number(&tail)?;
    let start = end.checked_sub(own).filter(|_| own <= limit.bytes).ok_or("its end is broken")?;
    let bytes = slice(store, start, end)?;
    let footer = root_as_footer(&bytes).map_err(|_| "its end is broken")?;
    let blocks = footer.dictionaries().into_iter().flatten().chain(footer.recordBatches().into_iter().flatten());
    let mut found = Found::new(limit);
    let mut taken = 0u64;
    for block in blocks {
        let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        let [Ok(at), Ok(head), Ok(body)] = parts.map(u64::try_from) else { return Err("a block is broken".to_owned()) };
        // Blocks that lie over each other would be read several times.
        taken = taken.saturating_add(head).saturating_add(body);
        if taken > length || at.checked_add(head).and_then(|at| at.checked_add(body)).is_none_or(|end| end > length) {
            return Err("it is cut off".to_owned());
        }
        let bytes = slice(store, at, at + head)?;
        let skipped = if bytes.starts_with(&CONTINUATION) { 8 } else { 4 };
        let message = bytes.get(skipped..).ok_or("a block is broken")?;
        found.add(store, message, (at + head, body))?;
    }
    Ok(found.rows)
}

/// The same of a stream of messages.
pub fn stream(store: &ByteSource, limit: MemoryLimit) -> Checked<u64> {
    let (mut at, length) = (0, store.len());
    let mut found = Found::new(limit);
    while at + 4 <= length {
        let mut head = slice(store, at, at + 4)?;
        at += 4;
        if head == CONTINUATION {
            head = slice(store, at, at + 4)?;
            at += 4;
        }
        let own = number(&head)?;
        if own == 0 {
            break;
        }
        let bytes = slice(store, at, at + own)?;
        let message = root_as_message(&bytes).map_err(|_| "a message is broken")?;
        let body = u64::try_from(message.bodyLength()).map_err(|_| "a message is broken")?;
        at += own;
        let end = at.checked_add(body).filter(|&end| end <= length).ok_or("it is cut off")?;
        found.add(store, &bytes, (at, body))?;
        at = end;
    }
    Ok(found.rows)
}

/// The number in the first four bytes.
fn number(bytes: &[u8]) -> Checked<u64> {
    Ok(u64::from(u32::from_le_bytes(*bytes.first_chunk().ok_or("it is cut off")?)))
}

/// The bytes from `start` to `end`, if they are there.
fn slice(store: &ByteSource, start: u64, end: u64) -> Checked<Vec<u8>> {
    if end > store.len() {
        return Err("it is cut off".to_owned());
    }
    store.slice(start, end).map_err(|error| error.to_string())
}

/// What the messages announce.
struct Found {
    limit: MemoryLimit,
    rows: u64,
}

impl Found {
    fn new(limit: MemoryLimit) -> Self {
        Found { limit, rows: 0 }
    }

    /// Adds a message whose body begins at `at` and has `length` bytes.
    fn add(&mut self, store: &ByteSource, message: &[u8], (at, length): (u64, u64)) -> Checked<()> {
        let message = root_as_message(message).map_err(|_| "a message is broken")?;
        let Some((batch, is_rows)) = batch(&message) else { return Ok(()) };
        let rows = u64::try_from(batch.length()).map_err(|_| "a batch is broken")?;
        if is_rows {
            self.rows = self.rows.checked_add(rows).ok_or("a batch is broken")?;
        }
        let packing = batch.compression().map(|packing| packing.codec());
        let mut unpacked = 0u64;
        for buffer in batch.buffers().into_iter().flatten() {
            let parts = [buffer.offset(), buffer.length()].map(u64::try_from);
            let [Ok(from), Ok(size)] = parts else { return Err("a buffer is broken".to_owned()) };
            if from.checked_add(size).is_none_or(|end| end > length) {
                return Err("a buffer is broken".to_owned());
            }
            if packing.is_some() && size >= 8 {
                let head = slice(store, at + from, at + from + 8)?;
                let own = i64::from_le_bytes(*head.first_chunk().ok_or("it is cut off")?);
                // -1 stands for what is not packed after all.
                let Ok(own) = u64::try_from(own) else { continue };
                unpacked = unpacked.saturating_add(own);
                if packing == Some(CompressionType::LZ4_FRAME) && Codec::Lz4.may_exceed(size, self.limit) {
                    let packed = slice(store, at + from + 8, at + from + size)?;
                    if Codec::Lz4.holds_more(&packed, own) {
                        return Err("a buffer unpacks to more than it announces".to_owned());
                    }
                }
            }
        }
        if unpacked > self.limit.bytes {
            let most = crate::byte_size::shown(self.limit.bytes);
            return Err(format!("a batch unpacks to more than {most}, which is the limit; raise --memory"));
        }
        Ok(())
    }
}

/// The rows or the dictionary that a message holds; true for rows.
fn batch<'a>(message: &Message<'a>) -> Option<(RecordBatch<'a>, bool)> {
    match message.header_as_dictionary_batch() {
        Some(dictionary) => Some((dictionary.data()?, false)),
        None => Some((message.header_as_record_batch()?, true)),
    }
}
