//! One JSON array of records, `[{"x": 1}, {"x": 2}]`: read as JSON lines, which it becomes on the way.

use std::io::{self, Read, Write};
use std::path::Path;

use arrow_array::RecordBatch;

use crate::TableError;
use crate::byte_source::ByteSource;
use crate::formats::file_format::{FileFormat, Progress, TableFile};
use crate::formats::jsonl::{JsonlFile, with_outer_keys};
use crate::formats::zoned_times;
use crate::read::ReadContext;
use crate::source::Source;
use crate::write::ExtraColumns;

/// Bytes that are read at a time.
const STEP: usize = 1 << 16;

/// Where in the array the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the array.
    Before,
    /// Between its elements, where one has to follow, unless the array is empty.
    Wanted { first: bool },
    /// Within an element.
    Within,
    /// Behind the array.
    Behind,
}

/// Reads the elements of an array, one on each line.
pub struct ArrayRecords<R> {
    inner: R,
    state: State,
    /// Brackets and braces that are open within the element.
    depth: usize,
    /// True within quotes, and behind a backslash there.
    quoted: bool,
    escaped: bool,
    lines: Vec<u8>,
    at: usize,
    ended: bool,
    /// True if more may stand behind the array.
    within: bool,
}

impl<R: Read> ArrayRecords<R> {
    /// The elements of the array that `inner` begins with; if it is `within` something, more may stand behind it.
    pub fn new(inner: R, within: bool) -> Self {
        let (state, lines) = (State::Before, Vec::new());
        ArrayRecords { inner, state, depth: 0, quoted: false, escaped: false, lines, at: 0, ended: false, within }
    }

    fn take(&mut self, byte: u8) -> Result<(), &'static str> {
        if self.quoted {
            self.quoted = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            // No text of JSON holds one as it is; a line must not end here.
            self.lines.push(if matches!(byte, b'\n' | b'\r') { 1 } else { byte });
            return Ok(());
        }
        match (self.state, byte) {
            (State::Behind, _) if self.within => {}
            (_, b' ' | b'\t' | b'\r' | b'\n') => {
                if self.state == State::Within {
                    self.lines.push(b' ');
                }
            }
            (State::Before, b'[') => self.state = State::Wanted { first: true },
            (State::Wanted { first: true }, b']') => self.state = State::Behind,
            (State::Wanted { .. }, b',' | b']') => return Err("the array has a comma too many"),
            (State::Within, b',') if self.depth == 0 => {
                self.lines.push(b'\n');
                self.state = State::Wanted { first: false };
            }
            (State::Within, b']') if self.depth == 0 => {
                self.lines.push(b'\n');
                self.state = State::Behind;
            }
            (State::Wanted { .. } | State::Within, _) => {
                self.state = State::Within;
                match byte {
                    b'[' | b'{' => self.depth += 1,
                    b']' | b'}' => {
                        self.depth = self.depth.checked_sub(1).ok_or("a brace is closed that was not opened")?
                    }
                    b'"' => self.quoted = true,
                    _ => {}
                }
                self.lines.push(byte);
            }
            (State::Before | State::Behind, _) => {
                return Err("something stands behind the array; JSON lines are .jsonl");
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for ArrayRecords<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut bytes = Vec::new();
        while self.at == self.lines.len() && !self.ended {
            self.lines.clear();
            self.at = 0;
            bytes.resize(STEP, 0);
            let found = self.inner.read(&mut bytes)?;
            bytes.iter().take(found).try_for_each(|byte| self.take(*byte)).map_err(io::Error::other)?;
            self.ended = found == 0 || (self.within && self.state == State::Behind);
            if self.ended && self.state != State::Behind {
                return Err(io::Error::other("the array is not closed; is the file cut off?"));
            }
        }
        let count = self.lines.get(self.at..).unwrap_or_default().read(buffer)?;
        self.at += count;
        Ok(count)
    }
}

/// Writes records as an array, each on a line of its own.
struct ArrayWriter {
    begun: bool,
}

impl ArrayWriter {
    /// Writes what stands before the next record.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let before: &[u8] = if std::mem::replace(&mut self.begun, true) { b",\n" } else { b"[\n" };
        out.write_all(before)
    }

    fn end(self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.begun { b"\n]\n" } else { b"[]\n" })
    }
}

/// JSON arrays of records.
#[derive(Debug)]
pub struct Json;

impl FileFormat for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn help(&self) -> &'static str {
        "One JSON array of objects, or an object that holds one"
    }

    fn reads_by(&self) -> &'static [&'static str] {
        &["encoding", "array"]
    }

    fn extensions(&self) -> &[&'static str] {
        &["json"]
    }

    fn other_extensions(&self) -> &[&'static str] {
        &["geojson"]
    }

    fn is_probed(&self) -> bool {
        false
    }

    fn open(
        &self,
        bytes: ByteSource,
        path: &Path,
        context: &ReadContext<'_>,
        progress: Progress<'_>,
    ) -> Result<Box<dyn TableFile>, TableError> {
        Ok(Box::new(JsonlFile::open(bytes, path, context, true, progress)?))
    }

    fn copy_rows(
        &self,
        source: &Source,
        out: &mut dyn Write,
        rows: &[usize],
        extra: &ExtraColumns,
    ) -> Option<io::Result<()>> {
        let files: Vec<&JsonlFile> = source.all_of()?;
        let names = extra.names(&with_outer_keys(&source.headings));
        let mut writer = ArrayWriter { begun: false };
        let written = rows.iter().enumerate().try_for_each(|(at, &row)| {
            let (file, own) = source.file_of(&files, row);
            let more: Vec<(&str, String)> = names.iter().map(String::as_str).zip(extra.texts(at)).collect();
            writer.begin(out)?;
            file.write_row(out, own, &more)
        });
        Some(written.and_then(|()| writer.end(out)))
    }

    fn copy_columns(&self, source: &Source, out: &mut dyn Write, columns: &[usize]) -> Option<io::Result<()>> {
        let files: Vec<&JsonlFile> = source.all_of()?;
        let mut writer = ArrayWriter { begun: false };
        let mut next = |out: &mut dyn Write, record: &str| {
            writer.begin(out)?;
            out.write_all(record.as_bytes())
        };
        let written = files.iter().try_for_each(|file| file.write_columns(out, columns, &mut next));
        Some(written.and_then(|()| writer.end(out)))
    }

    fn write_batch(&self, _: &Source, out: &mut dyn Write, batch: &RecordBatch) -> io::Result<()> {
        let builder = arrow_json::WriterBuilder::new().with_explicit_nulls(true);
        let mut writer = builder.build::<_, arrow_json::writer::JsonArray>(out);
        writer.write(&zoned_times::as_texts(batch)?).and_then(|()| writer.finish()).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Result<String, String> {
        let mut found = String::new();
        ArrayRecords::new(text.as_bytes(), false)
            .read_to_string(&mut found)
            .map(|_| found)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn elements_become_lines() {
        assert_eq!(lines("[]").unwrap(), "");
        assert_eq!(lines("[{\"a\":1},{\"a\":2}]").unwrap(), "{\"a\":1}\n{\"a\":2}\n");
        assert_eq!(lines(" [ {\"a\":\n[1,2]} ,\n3 ]\n").unwrap(), "{\"a\": [1,2]} \n3 \n");
        let quoted = "{\"a,]\\\"}\\\\\":\"[{\"}";
        assert_eq!(lines(&format!("[{quoted}]")).unwrap(), format!("{quoted}\n"));
        for (text, word) in [
            ("[", "cut off"),
            ("[{\"a\":1}", "cut off"),
            ("[{\"a\":1},]", "comma"),
            ("[,{}]", "comma"),
            ("[{}] {}", "behind"),
            ("[}]", "brace"),
        ] {
            assert!(lines(text).unwrap_err().contains(word), "{text}");
        }
        let mut found = String::new();
        ArrayRecords::new(&b"[{}, 1], \"b\": \"]}"[..], true).read_to_string(&mut found).unwrap();
        assert_eq!(found, "{}\n1\n");
    }
}
