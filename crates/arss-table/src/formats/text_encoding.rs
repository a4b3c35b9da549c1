//! In which letters a text file is written: UTF-8, UTF-16, or one of the older tables of letters.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::TableError;
use crate::byte_source::{ByteReader, ByteSource, unreadable};
use crate::read::ReadContext;

/// Bytes that tell the encoding.
const START: usize = 1 << 20;
/// Bytes that are converted at a time.
const STEP: usize = 1 << 16;
/// Bytes in which letters of UTF-16 without a mark are looked for.
const LETTERS: usize = 64;

/// How the letters of a text file are written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding(&'static Encoding);

impl TextEncoding {
    /// The encoding that people call `name`, such as `utf-16`, `latin1` or `cp1252`.
    pub fn named(name: &str) -> Option<TextEncoding> {
        let known = |label: String| Encoding::for_label_no_replacement(label.as_bytes()).map(TextEncoding);
        // Python says latin-1 and utf_8.
        known(name.replace('_', "-")).or_else(|| known(name.replace(['_', '-'], "")))
    }

    /// True if separators and digits are the bytes that they are in UTF-8, so that rows can be copied as they stand.
    fn keeps_bytes(self) -> bool {
        self.0 == UTF_8 || self.0.is_single_byte()
    }

    /// The text of some bytes.
    fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        self.0.decode_without_bom_handling(bytes).0
    }
}

/// The text of a field. Letters that are no UTF-8 where the start of the file was are those of Windows.
pub fn decoded(bytes: &[u8], encoding: Option<TextEncoding>) -> Cow<'_, str> {
    match (encoding, std::str::from_utf8(bytes)) {
        (Some(encoding), _) => encoding.decode(bytes),
        (None, Ok(text)) => Cow::Borrowed(text),
        (None, Err(_)) => TextEncoding(WINDOWS_1252).decode(bytes),
    }
}

/// A text file whose separators can be looked for.
#[derive(Debug)]
pub struct TextFile {
    /// The bytes, converted if need be.
    pub store: ByteSource,
    /// The encoding of the letters, unless it is UTF-8.
    pub encoding: Option<TextEncoding>,
    /// What is said about it.
    pub note: Option<String>,
}

/// The text of `store`. What is not written in single bytes is converted to UTF-8, to memory or to a scratch file; so is
/// everything else unless `keep` says that bytes may stay as they are.
pub fn text_of(store: ByteSource, path: &Path, context: &ReadContext<'_>, keep: bool) -> Result<TextFile, TableError> {
    let start = store.start(START).map_err(|error| unreadable(path, &error))?;
    let told = context.options.encoding;
    let found =
        told.or_else(|| utf_16(&start)).or_else(|| (keep && !is_utf_8(&start)).then_some(TextEncoding(WINDOWS_1252)));
    let Some(encoding) = found.filter(|encoding| encoding.0 != UTF_8) else {
        return Ok(TextFile { store, encoding: None, note: None });
    };
    let name = encoding.0.name();
    if keep && encoding.keeps_bytes() {
        let note = format!("is no UTF-8 and was read as {name} (--encoding NAME: as another)");
        return Ok(TextFile { store, encoding: Some(encoding), note: told.is_none().then_some(note) });
    }
    let note = format!("is {name} text; what is written is UTF-8");
    let inner = ByteReader { store: Arc::new(store), at: 0 };
    let reader =
        Converted { inner, decoder: encoding.0.new_decoder_with_bom_removal(), text: Vec::new(), at: 0, ended: false };
    Ok(TextFile {
        store: ByteSource::kept_or(reader, path, context, (None, "save it as UTF-8"))?,
        encoding: None,
        note: Some(note),
    })
}

/// True if reading a file that begins so converts all of it first.
pub fn is_converted(start: &[u8], told: Option<TextEncoding>) -> bool {
    told.or_else(|| utf_16(start)).is_some_and(|encoding| !encoding.keeps_bytes())
}

/// UTF-16, by its mark, or by every other byte being nothing.
pub fn utf_16(start: &[u8]) -> Option<TextEncoding> {
    if let Some((encoding, _)) = Encoding::for_bom(start) {
        return (encoding != UTF_8).then_some(TextEncoding(encoding));
    }
    let (pairs, _) = start.get(..LETTERS).unwrap_or(start).as_chunks::<2>();
    let is_letter = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    let little = pairs.iter().all(|&[low, high]| is_letter(low) && high == 0);
    let big = pairs.iter().all(|&[high, low]| is_letter(low) && high == 0);
    let encoding = if little { UTF_16LE } else { UTF_16BE };
    ((little || big) && pairs.len() > 1).then_some(TextEncoding(encoding))
}

/// True if the bytes are UTF-8, perhaps cut off within a letter.
fn is_utf_8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Reads text as UTF-8.
struct Converted<R> {
    inner: R,
    decoder: Decoder,
    /// What was converted, and how much of it was taken.
    text: Vec<u8>,
    at: usize,
    ended: bool,
}

impl<R: Read> Read for Converted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() && !self.ended {
            let mut bytes = vec![0; STEP];
            let found = self.inner.read(&mut bytes)?;
            self.ended = found == 0;
            let most = self.decoder.max_utf8_buffer_length(found).ok_or(io::ErrorKind::OutOfMemory)?;
            self.text.resize(most, 0);
            bytes.truncate(found);
            let (_, _, written, _) = self.decoder.decode_to_utf8(&bytes, &mut self.text, self.ended);
            self.text.truncate(written);
            self.at = 0;
        }
        let count = self.text.get(self.at..).unwrap_or_default().read(buffer)?;
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_found_out() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        assert_eq!(utf_16(&wide("a,b\n1,2\n")), Some(TextEncoding(UTF_16LE)));
        assert_eq!(utf_16(&wide("\u{feff}ä")), Some(TextEncoding(UTF_16LE)));
        assert_eq!(utf_16(b"\0a\0,"), Some(TextEncoding(UTF_16BE)));
        for other in [&b"a,b\n"[..], b"\xef\xbb\xbfa,b", b"a\0", b"", b"\x93NUMPY\x01\0v\0", b"\xff\xff\xff\xff"] {
            assert_eq!(utf_16(other), None, "{other:?}");
        }
        assert!(is_utf_8("ä".as_bytes()) && is_utf_8(b"a\xc3") && !is_utf_8(b"M\xfcnchen,1"));
        let named = |name: &str| TextEncoding::named(name).map(|encoding| encoding.0.name());
        assert_eq!(named("latin1"), Some("windows-1252"));
        assert_eq!((named("utf_16"), named("UTF-8"), named("klingon")), (Some("UTF-16LE"), Some("UTF-8"), None));
    }

    #[test]
    fn text_is_converted_across_the_ends_of_buffers() {
        let text: String = (0..100_000).map(|at| if at % 7 == 0 { '😀' } else { 'ä' }).collect();
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let mut reader =
            Converted { inner: &bytes[..], decoder: UTF_16BE.new_decoder(), text: Vec::new(), at: 0, ended: false };
        let mut found = String::new();
        reader.read_to_string(&mut found).unwrap();
        assert!(found == text);
    }
}
