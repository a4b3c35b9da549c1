//! Lines before the header of a text file that are neither names nor values.

use crate::field::{self, Field, Style};
use crate::formats::csv_dialect::{Dialect, trim_breaks};

/// The lines at the start of a file that begin with the mark of comments.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LeadingComments<'a> {
    /// Bytes that they take, with blank lines behind them.
    pub comments: usize,
    /// Where the last of them begins.
    pub last: usize,
    /// The last of them without its mark.
    pub names: Option<&'a [u8]>,
    /// How many there are.
    count: usize,
}

/// Finds the comments that `start` begins with. A file of nothing else has none.
pub fn leading(start: &[u8], mark: u8) -> LeadingComments<'_> {
    let mut found = LeadingComments::default();
    let mut at = 0;
    while let Some(rest) = start.get(at..).filter(|rest| rest.first() == Some(&mark)) {
        let Some((line, behind)) = memchr::memchr2(b'\n', b'\r', rest).and_then(|end| rest.split_at_checked(end))
        else {
            break;
        };
        let blank = behind.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        if blank == behind.len() {
            break;
        }
        let end = at + line.len();
        let bare = line.trim_ascii_start();
        let (_, names) = bare.split_at(bare.iter().take_while(|byte| **byte == mark).count());
        found = LeadingComments {
            comments: end + blank,
            last: at,
            names: Some(names.trim_ascii()),
            count: found.count + 1,
        };
        at = end + blank;
    }
    found
}

/// True if the last comment names the columns: it has as many fields as the line behind it, which is no header itself.
pub fn is_names(names: &[u8], rest: &[u8], dialect: Dialect) -> bool {
    let ends = dialect.ends(rest);
    let end = |line: usize| ends.get(line).copied().unwrap_or(rest.len());
    let line = |from: usize, to: usize| dialect.fields(trim_breaks(rest.get(from..to).unwrap_or_default()));
    let (values, next) = (line(0, end(0)), line(end(0), end(1)));
    let names = dialect.fields(names);
    let is_number = |field: &Vec<u8>| matches!(field::read(field, Style::default()), Field::Number(_));
    let all_text = values.iter().all(|field| field::read(field, Style::default()) == Field::Text);
    let is_header = all_text && next.iter().any(is_number);
    names.len() > 1 && names.len() == values.len() && !is_header && !names.iter().all(is_number)
}

impl LeadingComments<'_> {
    /// What is said about them; `named` if the last one names the columns.
    pub fn note(&self, named: bool) -> Option<String> {
        let count = self.count - usize::from(named);
        match (count, named) {
            (0, false) => None,
            (0, true) => Some("the first line, a comment, was read as names".to_owned()),
            (1, false) => Some("the first line, a comment, was passed over".to_owned()),
            (_, false) => Some(format!("the first {count} lines, comments, were passed over")),
            (_, true) => Some(format!("the first {count} lines, comments, were passed over, the next read as names")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_end_where_the_table_begins() {
        let text = b"# one\n## x,y\n\n1,2\n";
        let found = leading(text, b'#');
        assert_eq!((found.comments, found.last, found.names, found.count), (14, 6, Some(&b"x,y"[..]), 2));
        assert_eq!(leading(b"# all\n", b'#'), LeadingComments::default());
        assert_eq!(leading(b"x#y\n", b'#'), LeadingComments::default());
        assert_eq!(leading(b"% a\r\nx\r\n", b'%').comments, 5);
    }

    #[test]
    fn a_comment_names_columns_of_numbers() {
        let dialect = Dialect { delimiter: b',', ending: b'\n' };
        let is_names = |names: &str, rest: &str| is_names(names.as_bytes(), rest.as_bytes(), dialect);
        assert!(is_names("x,y", "1,2\n") && is_names("CHROM,POS", "chr1,100\n"));
        assert!(is_names("name,town", "Ann,Oslo\nBob,Bonn\n") && is_names("name,x", "Ann,NA\nBob,3\n"));
        assert!(!is_names("measured in Oslo, 2020", "x,y\n1,2\n") && !is_names("x", "1\n") && !is_names("x,y", "1\n"));
    }
}
