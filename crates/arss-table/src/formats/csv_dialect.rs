//! How a text file is written: what separates its fields and lines, and whether the first line is a header.

use std::borrow::Cow;
use std::path::Path;

use crate::field::{self, Field, Style};
use crate::formats::extension_without_compression;

/// What may separate fields, likeliest first.
const SEPARATORS: [u8; 4] = [b',', b'\t', b';', b'|'];
/// What separates fields that stand in columns.
const SPACE: u8 = b' ';
/// Bytes that are looked at one by one for the end of a field.
const NEAR: usize = 16;
/// Records that are looked at to find the separator.
const LOOKED_AT: usize = 20;

/// How a text file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// What separates fields; a space stands for spaces and tabs, however many.
    pub delimiter: u8,
    /// What ends a line: `\n`, which may have a `\r` before it, or `\r` alone.
    pub ending: u8,
}

impl Dialect {
    /// The dialect of a file that starts with `start`; `whole` if that is all of it.
    pub fn of((start, whole): (&[u8], bool), path: &Path, told: Option<u8>) -> Dialect {
        let ending = if start.contains(&b'\n') || !start.contains(&b'\r') { b'\n' } else { b'\r' };
        let by_name =
            extension_without_compression(path).and_then(|name| (name == "tsv" || name == "tab").then_some(b'\t'));
        let told = told.or(by_name);
        Dialect { delimiter: told.unwrap_or_else(|| separator(start, whole, ending)), ending }
    }

    /// Where each whole record of `bytes` ends, behind its line break; `bytes` starts with a record.
    #[expect(clippy::indexing_slicing, reason = "memchr finds within the bytes, and `at` stands behind what was found")]
    pub fn ends(&self, bytes: &[u8]) -> Vec<usize> {
        if memchr::memchr(b'"', bytes).is_none() {
            return memchr::memchr_iter(self.ending, bytes).map(|at| at + 1).collect();
        }
        let mut ends = Vec::new();
        let mut at = 0;
        while let Some(found) = memchr::memchr2(b'"', self.ending, &bytes[at..]).map(|found| at + found) {
            if bytes[found] == self.ending {
                ends.push(found + 1);
                at = found + 1;
                continue;
            }
            // A quote opens a field only at its start; elsewhere it is a character like any other.
            let opens = found == 0 || self.separates(bytes[found - 1]) || matches!(bytes[found - 1], b'\n' | b'\r');
            at = if opens { closing(bytes, found + 1).unwrap_or(bytes.len()) } else { found + 1 };
        }
        ends
    }

    /// True for a byte that ends a field.
    #[inline]
    pub fn separates(&self, byte: u8) -> bool {
        byte == self.delimiter || (self.delimiter == SPACE && byte == b'\t')
    }

    /// Where the next separator stands.
    fn separator_in(&self, bytes: &[u8]) -> Option<usize> {
        if self.delimiter == SPACE {
            return memchr::memchr2(SPACE, b'\t', bytes);
        }
        memchr::memchr(self.delimiter, bytes)
    }

    /// How many bytes the separator at the start of `bytes` takes.
    fn separator_length(&self, bytes: &[u8]) -> usize {
        if self.delimiter == SPACE { bytes.iter().take_while(|byte| self.separates(**byte)).count() } else { 1 }
    }

    /// The record without what stands before its first and behind its last field.
    fn bare<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        let record = trim_breaks(record);
        if self.delimiter == SPACE { record.trim_ascii() } else { record }
    }

    /// True if the record ends within quotes.
    #[expect(
        clippy::indexing_slicing,
        reason = "`at` stands behind fields and separators that were found in the record"
    )]
    pub fn is_open(&self, record: &[u8]) -> bool {
        let record = self.bare(record);
        let mut at = 0;
        loop {
            let rest = &record[at..];
            let close = match rest.first() {
                Some(b'"') => match closing(rest, 1) {
                    Some(close) => close,
                    None => return true,
                },
                _ => 0,
            };
            match self.separator_in(&rest[close..]) {
                Some(found) => at += close + found + self.separator_length(&rest[close + found..]),
                None => return false,
            }
        }
    }

    /// The fields of one record, without quotes.
    pub fn fields(&self, record: &[u8]) -> Vec<Vec<u8>> {
        let mut fields = Vec::new();
        self.each_field(record, &mut |_, field| fields.push(field.to_vec()));
        fields
    }

    /// Calls `visit` with the position and the text of each field; gives their number.
    pub fn each_field(&self, record: &[u8], visit: &mut impl FnMut(usize, &[u8])) -> usize {
        self.each_start(record, &mut |at, rest| {
            let (field, length) = self.first_field(rest);
            visit(at, &field);
            length
        })
    }

    /// Calls `visit` with the position of each field and all that is left of the record from there on; it gives how many
    /// bytes of that are the field. Gives the number of fields.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "a field that `visit` finds is no longer than what is left, which begins with a separator then"
    )]
    pub fn each_start(&self, record: &[u8], visit: &mut impl FnMut(usize, &[u8]) -> usize) -> usize {
        let record = self.bare(record);
        let (mut at, mut count) = (0, 0);
        loop {
            at += visit(count, &record[at..]);
            count += 1;
            if at == record.len() {
                return count;
            }
            at += self.separator_length(&record[at..]);
        }
    }

    /// The first field of `rest` without quotes, and the bytes that it takes with them.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "every end was found in `rest`, or is its length")]
    pub fn first_field<'a>(&self, rest: &'a [u8]) -> (Cow<'a, [u8]>, usize) {
        if rest.first() == Some(&b'"') {
            let close = closing(rest, 1).unwrap_or(rest.len());
            let end = self.separator_in(&rest[close..]).map_or(rest.len(), |found| close + found);
            return (Cow::Owned(unquoted(&rest[..end], close)), end);
        }
        // Most fields are so short that a search of many bytes at once does not pay.
        let near = &rest[..rest.len().min(NEAR)];
        let end = match near.iter().position(|byte| self.separates(*byte)) {
            Some(found) => found,
            None => self.separator_in(&rest[near.len()..]).map_or(rest.len(), |found| near.len() + found),
        };
        (Cow::Borrowed(&rest[..end]), end)
    }

    /// True if no number goes on with what separates fields.
    pub fn ends_numbers(&self) -> bool {
        !self.delimiter.is_ascii_alphanumeric() && !matches!(self.delimiter, b'+' | b'-' | b'.')
    }
}

/// The position behind the quote that closes a field whose text begins at `at`.
fn closing(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(found) = memchr::memchr(b'"', bytes.get(at..)?) {
        at += found + 1;
        if bytes.get(at) != Some(&b'"') {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// The text of a quoted field whose closing quote stands before `close`; doubled quotes are one.
fn unquoted(field: &[u8], close: usize) -> Vec<u8> {
    let (quoted, behind) = field.split_at_checked(close).unwrap_or((field, &[]));
    let inner = quoted.strip_prefix(b"\"").unwrap_or(quoted);
    let inner = inner.strip_suffix(b"\"").unwrap_or(inner);
    let mut text = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().peekable();
    while let Some(&byte) = bytes.next() {
        text.push(byte);
        if byte == b'"' && bytes.peek() == Some(&&b'"') {
            bytes.next();
        }
    }
    text.extend_from_slice(behind);
    text
}

/// The record without line breaks at its ends.
#[expect(clippy::indexing_slicing, reason = "both ends were found in the record")]
pub fn trim_breaks(record: &[u8]) -> &[u8] {
    let is_break = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let start = record.iter().position(|byte| !is_break(byte)).unwrap_or(record.len());
    let end = record.iter().rposition(|byte| !is_break(byte)).map_or(start, |last| last + 1);
    &record[start..end]
}

/// The separator that cuts the first records into the most fields: the same number each, or else of most of them.
fn separator(start: &[u8], whole: bool, ending: u8) -> u8 {
    let counts = |delimiter: u8| -> Vec<usize> {
        let dialect = Dialect { delimiter, ending };
        let records = first_records(start, whole, dialect);
        records.iter().map(|record| dialect.each_field(record, &mut |_, _| ())).collect()
    };
    let counts = SEPARATORS.map(|delimiter| (counts(delimiter), delimiter));
    let best = |share: f64| {
        let agreed = counts.iter().rev().filter_map(|(counts, delimiter)| {
            let (&first, others) = counts.split_first()?;
            // R leaves the names of rows without a name of their own.
            let unnamed = first > 1 && !others.is_empty() && others.iter().all(|count| *count == first + 1);
            let first = if unnamed { first + 1 } else { first };
            let same = usize::from(unnamed) + counts.iter().filter(|count| **count == first).count();
            (same as f64 > share * counts.len() as f64).then_some((first, *delimiter))
        });
        agreed.max_by_key(|(count, _)| *count).filter(|(count, _)| *count > 1).map(|(_, delimiter)| delimiter)
    };
    let found = best(1.0 - f64::EPSILON).or_else(|| best(0.5));
    let spaced = found.is_none_or(|found| found == b'\t') && is_spaced(start, whole, ending, found.is_some());
    if spaced { SPACE } else { found.unwrap_or(b',') }
}

/// The first records that are not blank.
fn first_records(start: &[u8], whole: bool, dialect: Dialect) -> Vec<&[u8]> {
    let mut ends = dialect.ends(start);
    // What is cut off tells little, unless there is nothing else.
    if whole || ends.is_empty() {
        ends.push(start.len());
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let records = starts.zip(&ends).filter_map(|(from, &to)| start.get(from..to));
    records.filter(|record| !trim_breaks(record).is_empty()).take(LOOKED_AT).collect()
}

/// True if spaces cut all first records into as many fields, with numbers among them. Where tabs would do as well,
/// every record has to have gaps of several spaces.
fn is_spaced(start: &[u8], whole: bool, ending: u8, tabs: bool) -> bool {
    let dialect = Dialect { delimiter: SPACE, ending };
    let records = first_records(start, whole, dialect);
    let fields: Vec<Vec<Vec<u8>>> = records.iter().map(|record| dialect.fields(record)).collect();
    let is_number = |field: &Vec<u8>| matches!(field::read(field, Style::default()), Field::Number(_));
    let Some((first, others)) = fields.split_first() else { return false };
    // R leaves the names of rows without a name of their own.
    let unnamed = usize::from(others.first().is_some_and(|own| own.len() == first.len() + 1));
    let named = unnamed == 0 || !first.iter().any(is_number);
    let even = named && first.len() > 1 && others.iter().all(|own| own.len() == first.len() + unnamed);
    let numbers = others.iter().all(|own| own.iter().any(is_number));
    let gaps = || records.iter().all(|record| record.windows(3).any(|three| three == b"   "));
    even && numbers && !others.is_empty() && (!tabs || gaps())
}

/// True if a first line looks like names: some field is text, or all are numbered as pandas does.
pub fn is_header(fields: &[Vec<u8>]) -> bool {
    let kinds: Vec<Field> = fields.iter().map(|field| field::read(field, Style::default())).collect();
    let texts = kinds.contains(&Field::Text);
    let counted = |others: &[Field]| others.iter().enumerate().all(|(at, kind)| *kind == Field::Number(at as f64));
    let numbered = match (fields, kinds.as_slice()) {
        ([first, _, ..], [_, others @ ..]) => first.is_empty() && counted(others),
        _ => false,
    };
    let nothing = kinds.iter().all(|kind| *kind == Field::Missing);
    texts || numbered || nothing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(start: &str) -> Dialect {
        Dialect::of((start.as_bytes(), true), Path::new("t.csv"), None)
    }

    #[test]
    fn the_separator_is_found() {
        for (text, mark) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("a\tb\n\"x,y\"\t2\n", b'\t'),
            ("a|b|c\n1|2|3", b'|'),
            ("a\n1\n2\n", b','),
            ("a,b\n\"1;2;3\",2\n", b','),
            ("a;b\n1;2\n3\n4;5\n", b';'),
            ("weight; kg\n5\n6\n7\n", b','),
        ] {
            assert_eq!(dialect(text).delimiter, mark, "{text}");
        }
        assert_eq!(dialect("a,b\r1,2\r").ending, b'\r');
        let cut = Dialect::of((b"a;b;c\n1;2", false), Path::new("t.csv"), None);
        assert_eq!(cut.delimiter, b';');
    }

    #[test]
    fn spaces_separate_columns_of_numbers() {
        for text in ["a b c\n1   2  3\n", " 1  2\n10 20\n", "1   2   3\t\"a b\"\n4   5   6\t\"c d\"\n"] {
            assert_eq!(dialect(text).delimiter, b' ', "{text}");
        }
        for text in
            ["first last\nJohn Smith\n", "a\tb\nx y\t1\n", "2024-01-01 12:00\n2024-01-02 13:00\n", "the name\n5\n"]
        {
            assert_ne!(dialect(text).delimiter, b' ', "{text}");
        }
        let spaced = Dialect { delimiter: b' ', ending: b'\n' };
        assert_eq!(spaced.fields(b"  1 \t 2  \"a  b\" \n"), [&b"1"[..], b"2", b"a  b"]);
        assert_eq!(spaced.fields(b" "), [b""]);
        assert!(spaced.is_open(b"1 \"a b") && !spaced.is_open(b"1 \"a b\" "));
    }

    #[test]
    fn a_number_ends_only_where_no_number_goes_on() {
        let ends = |delimiter: u8| Dialect { delimiter, ending: b'\n' }.ends_numbers();
        assert!(b",;|\t ".iter().all(|&mark| ends(mark)) && !b"e-+.0".iter().any(|&mark| ends(mark)));
    }

    #[test]
    fn quotes_that_are_not_closed_are_found() {
        let dialect = dialect("a,b\n");
        for (record, open) in [
            ("a,\"b\"", false),
            ("a,\"b", true),
            ("a,\"b\"\"", true),
            ("5\" pipe,2", false),
            ("\"a\"b,\"c", true),
            ("\"", true),
            ("", false),
            ("\"a,b\",", false),
        ] {
            assert_eq!(dialect.is_open(record.as_bytes()), open, "{record}");
        }
    }

    #[test]
    fn records_and_fields_are_cut_where_the_csv_crate_cuts_them() {
        let texts = [
            "a,b\n1,2\n",
            "\"a\nb\",c\r\n\"x \"\"y\"\"\",\r\n,\n",
            "5\" pipe,2\nx,\"\"\n\"\",\"open\n3,4",
            "\"a\"b,c\n\"\"\"\",\"a\"\"\"\n",
            "\n\na\n\"\n\"\nb",
            "é,\"ü,\"\n",
        ];
        for text in texts {
            let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
            let wanted: Vec<Vec<Vec<u8>>> =
                reader.byte_records().map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect()).collect();
            let dialect = dialect(text);
            let (mut found, mut start) = (Vec::new(), 0);
            for end in dialect.ends(text.as_bytes()).into_iter().chain([text.len()]) {
                let record = &text.as_bytes()[start..end];
                if !trim_breaks(record).is_empty() {
                    found.push(dialect.fields(record));
                }
                start = end;
            }
            assert_eq!(found, wanted, "{text:?}");
        }
    }

    #[test]
    fn headers_are_told_from_numbers() {
        let header = |text: &str| is_header(&dialect(text).fields(text.as_bytes()));
        assert!(header("a,b") && header("id,2019,2020") && header(",0,1,2") && header(","));
        assert!(!header("1,2.5,-3") && !header("5") && !header("1,,3"));
    }
}
