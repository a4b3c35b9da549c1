//! Whether a workbook of the older kind takes more memory than it may. It is a little file system of its own, whose
//! chains of sectors may be rings, and the reader makes room for as many cells as the file claims to have.

use std::sync::Arc;

use crate::byte_source::ByteSource;
use crate::formats::sheet_cells::too_large;
use crate::untrusted::limit::MemoryLimit;

/// The first bytes of such a file.
pub const MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// No sector follows.
const END: u32 = 0xffff_fffe;
/// From here on, numbers of sectors have other meanings.
const NO_SECTOR: u32 = 0xffff_fffa;
/// Bytes in memory of a place for a cell: the cell itself, its formula, and where it stands.
const PLACE: u64 = 96;
/// Copies of the bytes, and texts that are longer in memory than in the file.
const COPIES: u64 = 10;
/// Streams that are shorter stand in sectors of 64 bytes.
const SHORT: u64 = 4096;

const BROKEN: &str = "is no whole Excel file";

/// Sectors and which one follows each.
struct Sectors<'a> {
    bytes: &'a [u8],
    size: usize,
    next: Vec<u32>,
}

impl Sectors<'_> {
    fn sector(&self, number: u32) -> Result<&[u8], String> {
        let start = (number as usize).checked_mul(self.size);
        let rest = start.and_then(|start| self.bytes.get(start..)).filter(|rest| !rest.is_empty());
        let rest = rest.ok_or_else(|| format!("{BROKEN}: sector {number} is not there"))?;
        // The last may be shorter.
        Ok(rest.get(..self.size).unwrap_or(rest))
    }

    /// The bytes of the chain from `number` on, `most` of them.
    fn chain(&self, mut number: u32, most: u64) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        while number != END && (bytes.len() as u64) < most {
            if bytes.len() > self.bytes.len() {
                return Err(format!("{BROKEN}: its sectors run in a circle"));
            }
            bytes.extend_from_slice(self.sector(number)?);
            let next = self.next.get(number as usize).copied();
            number = next.ok_or_else(|| format!("{BROKEN}: sector {number} has no successor"))?;
        }
        bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        Ok(bytes)
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn half(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).map_or(0, |two| u64::from(u16::from_le_bytes(two)))
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word))
}

/// Fails if reading the workbook would take too much memory, or never end.
pub fn check(store: &Arc<ByteSource>, limit: MemoryLimit) -> Result<(), String> {
    if store.len().saturating_mul(COPIES) > limit.bytes {
        return Err(too_large("the workbook takes", limit));
    }
    let bytes = store.slice(0, store.len()).map_err(|error| error.to_string())?;
    let stream = workbook(&bytes)?;
    let places = places(&stream)?;
    if places.saturating_mul(PLACE) > limit.bytes {
        return Err(too_large("the cells of its sheets take", limit));
    }
    Ok(())
}

/// The stream of records that the file holds under the name of Workbook.
fn workbook(file: &[u8]) -> Result<Vec<u8>, String> {
    let size = match half(file, 30) {
        9 => 512,
        12 => 4096,
        _ => return Err(format!("{BROKEN}: its sectors are of an unknown size")),
    };
    let bytes = file.get(size..).ok_or(BROKEN)?;
    let mut sectors = Sectors { bytes, size, next: Vec::new() };
    // Where the table of successors stands: first in the header, then in a chain of its own.
    let mut tables: Vec<u32> = words(file.get(76..512).ok_or(BROKEN)?).collect();
    let mut more = word(file, 68);
    let mut left = bytes.len() / size + 1;
    while more < NO_SECTOR {
        left = left.checked_sub(1).ok_or_else(|| format!("{BROKEN}: its sectors run in a circle"))?;
        tables.extend(words(sectors.sector(more)?));
        more = tables.pop().unwrap_or(END);
    }
    let mut next = Vec::new();
    for table in tables.into_iter().filter(|number| *number < 0xffff_fffc) {
        next.extend(words(sectors.sector(table)?));
        // A table that is named again and again would grow for ever.
        if next.len() * 4 > bytes.len() + size {
            return Err(format!("{BROKEN}: its sectors run in a circle"));
        }
    }
    sectors.next = next;
    let folder = sectors.chain(word(file, 48), u64::MAX)?;
    let entries: Vec<&[u8]> = folder.chunks_exact(128).collect();
    let length = |entry: &[u8]| {
        let high = if size == 512 { 0 } else { u64::from(word(entry, 124)) };
        high << 32 | u64::from(word(entry, 120))
    };
    let named = |name: &str| entries.iter().copied().find(|entry| is_called(entry, name));
    let root = *entries.first().ok_or(BROKEN)?;
    let (mut short, mut short_next) = (Vec::new(), Vec::new());
    if word(file, 64) > 0 {
        short = sectors.chain(word(root, 116), length(root))?;
        let table = sectors.chain(word(file, 60), u64::from(word(file, 64)) * size as u64)?;
        short_next = words(&table).collect();
    }
    if named("EncryptedPackage").is_some() {
        return Err("is protected by a password; save it without one".to_owned());
    }
    let entry = named("Workbook").or_else(|| named("Book")).ok_or("is no Excel file: it holds no workbook")?;
    if length(entry) < SHORT {
        let sectors = Sectors { bytes: &short, size: 64, next: short_next };
        return sectors.chain(word(entry, 116), length(entry));
    }
    sectors.chain(word(entry, 116), length(entry))
}

/// True if an entry of the folder has this name, in letters of either size.
fn is_called(entry: &[u8], name: &str) -> bool {
    let own = entry.as_chunks::<2>().0.iter().take(32).take_while(|letter| **letter != [0, 0]);
    let own: Vec<u8> = own.map(|&[low, high]| if high == 0 { low } else { b'?' }).collect();
    own.eq_ignore_ascii_case(name.as_bytes())
}

/// The records of a stream: their types and contents.
fn records(mut stream: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    std::iter::from_fn(move || {
        let length = half(stream, 2) as usize + 4;
        let (record, rest) = stream.split_at_checked(length)?;
        stream = rest;
        Some((half(record, 0), record.get(4..)?))
    })
}

/// How many cells the reader makes room for, in all sheets.
fn places(stream: &[u8]) -> Result<u64, String> {
    let sheets = records(stream).take_while(|(kind, _)| *kind != 0x0a).filter(|(kind, _)| *kind == 0x85);
    let mut places = 0;
    for (_, content) in sheets {
        let at = word(content, 0) as usize;
        let sheet = stream.get(at..).ok_or_else(|| format!("{BROKEN}: a sheet stands behind its end"))?;
        places += places_of_sheet(sheet);
    }
    Ok(places)
}

/// Rows from the first to the last as the reader counts them: where the last comes first, it counts round.
fn height(first: u32, last: u32) -> u64 {
    u64::from(last.wrapping_sub(first)) + 1
}

/// The larger of what a sheet says and the box around its cells.
fn places_of_sheet(sheet: &[u8]) -> u64 {
    let (mut said, mut rows, mut columns, mut depth) = (0, None, None, 0);
    let span = |span: &mut Option<(u64, u64)>, from: u64, to: u64| {
        let (low, high) = span.unwrap_or((from, to));
        *span = Some((low.min(from), high.max(to)));
    };
    for (kind, content) in records(sheet) {
        match kind {
            0x0809 => depth += 1,
            0x0a if depth <= 1 => break,
            0x0a => depth -= 1,
            0x0200 if content.len() == 10 => {
                said += height(half(content, 0) as u32, half(content, 2) as u32) * (half(content, 6) + 1);
            }
            0x0200 => said += height(word(content, 0), word(content, 4)) * (half(content, 10) + 1),
            0x0203 | 0x0204 | 0xd6 | 0x0205 | 0x027e | 0xfd | 0x06 => {
                span(&mut rows, half(content, 0), half(content, 0));
                span(&mut columns, half(content, 2), half(content, 2));
            }
            // Several numbers in a row.
            0xbd => {
                span(&mut rows, half(content, 0), half(content, 0));
                let last = half(content, 2) + (content.len() as u64).saturating_sub(6) / 6;
                span(&mut columns, half(content, 2), last);
            }
            _ => {}
        }
    }
    let width = |span: Option<(u64, u64)>| span.map_or(0, |(low, high)| high - low + 1);
    said.max(width(rows) * width(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, content: &[u8]) -> Vec<u8> {
        [&kind.to_le_bytes()[..], &(content.len() as u16).to_le_bytes(), content].concat()
    }

    #[test]
    fn room_for_cells_is_counted() {
        let number =
            |row: u16, column: u16| record(0x0203, &[&row.to_le_bytes()[..], &column.to_le_bytes(), &[0; 10]].concat());
        let sheet = [record(0x0809, &[0; 8]), number(2, 1), number(65535, 255), record(0x0a, &[])].concat();
        assert_eq!(places_of_sheet(&sheet), 65534 * 255);
        let said = [&1u32.to_le_bytes()[..], &u32::MAX.to_le_bytes(), &[0, 0, 9, 0, 0, 0]].concat();
        assert_eq!(places_of_sheet(&record(0x0200, &said)), (u64::from(u32::MAX)) * 10);
        // The last row before the first.
        let turned = [&0x0008_0000u32.to_le_bytes()[..], &13u32.to_le_bytes(), &[0, 0, 7, 0, 0, 0]].concat();
        assert!(places_of_sheet(&record(0x0200, &turned)) > 1 << 32);
        assert!(places_of_sheet(&record(0x0200, &[9, 0, 1, 0, 0, 0, 2, 0, 0, 0])) > 1 << 32);
        // Whatever stands behind the end of a sheet is not its own.
        assert_eq!(places_of_sheet(&[record(0x0a, &[]), number(1, 1)].concat()), 0);
        assert_eq!(records(&[1, 0, 9, 0, 5]).count(), 0);
    }

    #[test]
    fn rings_of_sectors_are_found() {
        let mut file = vec![0; 512 * 3];
        file[..8].copy_from_slice(MAGIC);
        file[30] = 9;
        file[48..52].copy_from_slice(&1u32.to_le_bytes());
        file[68..72].copy_from_slice(&END.to_le_bytes());
        file[76..512].fill(0xff);
        file[76..80].copy_from_slice(&0u32.to_le_bytes());
        // Sector 0 is the table: 1 follows on 1.
        file[512 + 4..512 + 8].copy_from_slice(&1u32.to_le_bytes());
        assert!(workbook(&file).unwrap_err().contains("circle"));
        file[512 + 4..512 + 8].copy_from_slice(&END.to_le_bytes());
        assert!(workbook(&file).unwrap_err().contains("no workbook"));
    }
}
