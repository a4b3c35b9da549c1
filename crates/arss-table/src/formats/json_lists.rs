//! One JSON object that holds the records in a list, as services answer: `{"count": 2, "results": [{"x": 1}, {"x": 2}]}`.

use std::io;
use std::path::Path;

use crate::TableError;
use crate::byte_source::{ByteSource, unreadable};
use crate::read::ReadContext;
use crate::text::listed;

/// Bytes that are read at a time.
const STEP: usize = 1 << 16;
/// Objects within each other in which lists are looked for, bytes of a key, and lists that are told apart.
const DEEPEST: usize = 8;
const LONGEST: usize = 256;
const MOST: usize = 64;

/// What is said of files without such a list.
pub const NO_OBJECT: &str = "is no JSON object with lists of records: --array NAME means nothing here";
const NO_LIST: &str = "is one JSON object, not an array of records (pandas writes one with orient=\"records\")";

/// A list of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordList {
    /// The keys that lead to it: `answer.results`.
    pub name: String,
    /// Where its bracket stands in the file.
    pub at: u64,
    /// Objects that it is in.
    depth: usize,
}

/// The list of records that is meant, if the text from byte `from` on is one object.
///
/// # Errors
/// If there are several of them, or none, or none of that name.
pub fn meant(
    store: &ByteSource,
    from: usize,
    path: &Path,
    context: &ReadContext<'_>,
) -> Result<Option<RecordList>, TableError> {
    let told = context.options.array.as_deref();
    let Some(found) = find(store, from as u64).map_err(|error| unreadable(path, &error))? else {
        return Ok(None);
    };
    let names: Vec<&str> = found.iter().map(|list| list.name.as_str()).collect();
    if let Some(told) = told {
        let known = if names.is_empty() { "it holds none".to_owned() } else { format!("it holds {}", listed(&names)) };
        let what = || TableError::in_file(path, format_args!("has no list of records {told}; {known}"));
        return found.iter().find(|list| list.name == told).cloned().map(Some).ok_or_else(what);
    }
    // Lists further inside describe the others rather than being the table.
    let least = found.iter().map(|list| list.depth).min();
    let outer: Vec<&RecordList> = found.iter().filter(|list| Some(list.depth) == least).collect();
    match outer.as_slice() {
        [] => Err(TableError::in_file(path, NO_LIST)),
        [only] => Ok(Some((*only).clone())),
        several => {
            let names: Vec<&str> = several.iter().map(|list| list.name.as_str()).collect();
            let what =
                format!("holds {} lists of records: {}; choose one with --array NAME", names.len(), listed(&names));
            Err(TableError::in_file(path, what))
        }
    }
}

/// All lists of records of the object that the text from byte `from` on is; `None` if it is not a single one.
fn find(store: &ByteSource, from: u64) -> io::Result<Option<Vec<RecordList>>> {
    let (mut scan, mut at, mut bytes) = (Scan::default(), from, vec![0; STEP]);
    loop {
        let count = store.read_at(&mut bytes, at)?;
        for (place, byte) in bytes.iter().take(count).enumerate() {
            if !scan.take(*byte, at + place as u64) {
                return Ok(None);
            }
        }
        at += count as u64;
        if count == 0 {
            // What is cut off is refused by whoever reads it.
            return Ok(scan.ended.then_some(scan.found));
        }
    }
}

/// What has been seen of an object.
#[derive(Debug, Default)]
struct Scan {
    /// The keys of the objects that are open, outermost first, and the text that was read last.
    keys: Vec<String>,
    last: Vec<u8>,
    /// Brackets and braces that are open in a list, or too far inside.
    inside: usize,
    quoted: bool,
    escaped: bool,
    /// The list that was opened just now, whose first element is not known yet.
    opened: Option<u64>,
    found: Vec<RecordList>,
    ended: bool,
}

impl Scan {
    /// Takes the next byte, which stands at `at`; false if this is no single object.
    fn take(&mut self, byte: u8, at: u64) -> bool {
        if self.quoted {
            self.quoted = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            if self.quoted && self.inside == 0 && self.last.len() < LONGEST {
                self.last.push(byte);
            }
            return true;
        }
        if byte.is_ascii_whitespace() {
            return true;
        }
        if self.ended {
            return false;
        }
        if let Some(bracket) = self.opened.take()
            && byte == b'{'
            && self.found.len() < MOST
        {
            self.found.push(RecordList { name: self.keys.join("."), at: bracket, depth: self.keys.len() });
        }
        match byte {
            b'"' => {
                self.quoted = true;
                if self.inside == 0 {
                    self.last.clear();
                }
            }
            b':' if self.inside == 0 => {
                let key = String::from_utf8_lossy(&self.last).into_owned();
                self.keys.last_mut().into_iter().for_each(|last| last.clone_from(&key));
            }
            b'{' if self.inside == 0 && self.keys.len() < DEEPEST => self.keys.push(String::new()),
            b'[' | b'{' => {
                self.opened = (byte == b'[' && self.inside == 0).then_some(at);
                self.inside += 1;
            }
            b']' | b'}' if self.inside > 0 => self.inside -= 1,
            b'}' => {
                self.keys.pop();
                self.ended = self.keys.is_empty();
            }
            _ => {}
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(text: &str) -> Vec<(String, u64)> {
        let mut scan = Scan::default();
        let whole = text.bytes().enumerate().all(|(at, byte)| scan.take(byte, at as u64));
        let found = if whole && scan.ended { scan.found } else { Vec::new() };
        found.into_iter().map(|list| (list.name, list.at)).collect()
    }

    #[test]
    fn lists_of_records_are_found() {
        let named = |name: &str, at: u64| vec![(name.to_owned(), at)];
        assert_eq!(lists(r#"{"n": 2, "results": [ {"x": [{"y": 1}]} ]}"#), named("results", 20));
        assert_eq!(lists(r#"{"a": {"b": [{}], "c": [1]}, "d": []}"#), named("a.b", 12));
        assert_eq!(lists(r#"{"]\"": "[{", "a":[{"}":"\\"}]}"#), named("a", 18));
        assert_eq!(lists(r#"{"a":[{}],"b":[{}]}"#).len(), 2);
        for text in ["{\"a\":[{}]}\n{\"a\":[{}]}", "{\"a\":[1]}", "{\"a\":[{}]", "{}", "{\"a\":[[{}]]}"] {
            assert_eq!(lists(text), [], "{text}");
        }
    }
}
