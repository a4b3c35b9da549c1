//! Whether a workbook of the newer kind, a zip archive of XML, takes more memory than it may. The sizes that an archive
//! announces may be lies, and so may the number of texts.

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use zip::ZipArchive;

use crate::byte_source::{ByteReader, ByteSource};
use crate::formats::sheet_cells::too_large;
use crate::untrusted::limit::MemoryLimit;

/// A member unpacks to no more than so many times its size.
const RATIO: u64 = 1033;
/// Bytes in which the texts of a workbook say how many they are.
const HEAD: u64 = 1 << 16;
/// Bytes in memory of a text that is empty.
const TEXT: u64 = 24;

/// How much memory a byte of a member may take. The shortest text takes eight bytes of XML, the shortest style four.
fn weight(name: &str) -> u64 {
    let name = name.to_ascii_lowercase();
    if name.ends_with("sharedstrings.xml") {
        8
    } else if name.ends_with("styles.xml") {
        64
    } else {
        1
    }
}

/// Fails if reading the workbook would take too much memory.
pub fn check(store: &Arc<ByteSource>, limit: MemoryLimit) -> Result<(), String> {
    let broken = |error: &dyn std::fmt::Display| format!("is no whole Excel file: {error}");
    let reader = BufReader::new(ByteReader { store: store.clone(), at: 0 });
    let mut archive = ZipArchive::new(reader).map_err(|error| broken(&error))?;
    for at in 0..archive.len() {
        let mut member = archive.by_index(at).map_err(|error| broken(&error))?;
        let Ok(name) = member.name().map(|name| name.into_owned()) else { continue };
        if !name.to_ascii_lowercase().ends_with(".xml") {
            continue;
        }
        let weight = weight(&name);
        let most = limit.bytes / weight;
        if member.compressed_size().saturating_mul(RATIO) > most {
            let size = io::copy(&mut member.by_ref().take(most.saturating_add(1)), &mut io::sink());
            if size.map_err(|error| broken(&error))? > most {
                return Err(too_large(&format!("{name} takes"), limit));
            }
        }
        if weight == 8 {
            drop(member);
            let mut head = Vec::new();
            let member = archive.by_index(at).map_err(|error| broken(&error))?;
            member.take(HEAD).read_to_end(&mut head).map_err(|error| broken(&error))?;
            check_count(&head, limit)?;
        }
    }
    Ok(())
}

/// Fails if the texts are said to be more than fit.
fn check_count(head: &[u8], limit: MemoryLimit) -> Result<(), String> {
    const COUNT: &[u8] = b"uniqueCount";
    let Some(said) = memchr::memmem::find(head, COUNT).and_then(|at| head.get(at + COUNT.len()..)) else {
        // Behind so much of nothing it could say anything.
        let named = memchr::memmem::find(head, b"sst").is_some();
        return if named || head.len() < HEAD as usize {
            Ok(())
        } else {
            Err("holds texts without a number".to_owned())
        };
    };
    let digits: Vec<u8> = said.iter().copied().skip_while(|byte| b" =\"'\r\n\t".contains(byte)).collect();
    let digits = digits.split(|byte| !byte.is_ascii_digit()).next().unwrap_or_default();
    let count =
        digits.iter().fold(0, |count: u64, digit| count.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
    if count.saturating_mul(TEXT) > limit.bytes {
        return Err(too_large(&format!("{count} texts take"), limit));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_texts_is_found() {
        let limit = MemoryLimit { bytes: 1000, asked: true, disk: false };
        let said = |text: &str| check_count(text.as_bytes(), limit).is_ok();
        assert!(said("<sst count=\"9999\" uniqueCount=\"41\">") && said("<sst>") && said("<sst uniqueCount=\"x\">"));
        assert!(!said("<sst uniqueCount=\"42\">") && !said("<x:sst uniqueCount = '99999999999999999999999'>"));
        assert!(check_count(&vec![b' '; HEAD as usize], limit).is_err());
    }
}
