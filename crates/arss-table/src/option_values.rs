//! What people write for the options of reading, for flags and for Python alike. The errors say what is taken.

use crate::{ByName, ColumnRole, Format, ReadOptions, TextEncoding};

/// The character between fields: itself, or the word `tab` or `space`.
///
/// # Errors
/// If it is none.
pub fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if !byte.is_ascii_alphanumeric() && !b"\"\r\n".contains(byte) => Ok(*byte),
        _ if ["tab", "\\t"].contains(&text) => Ok(b'\t'),
        _ if text == "space" => Ok(b' '),
        _ => Err("one character like , ; | or the words tab and space are taken".to_owned()),
    }
}

/// The character that begins lines which are no rows.
///
/// # Errors
/// If it is none.
pub fn comment(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii_punctuation() && *byte != b'"' => Ok(*byte),
        _ => Err("one character like # % or ; is taken".to_owned()),
    }
}

/// The encoding of a text.
///
/// # Errors
/// If its name is not known.
pub fn encoding(text: &str) -> Result<TextEncoding, String> {
    TextEncoding::named(text)
        .ok_or_else(|| "names like utf-8, utf-16, latin1, windows-1252 or gbk are taken".to_owned())
}

/// The decimal mark of numbers in text, a point or a comma.
///
/// # Errors
/// If it is neither.
pub fn decimal_mark(text: &str) -> Result<char, String> {
    match text {
        "." | "point" => Ok('.'),
        "," | "comma" => Ok(','),
        _ => Err("a point or a comma is taken".to_owned()),
    }
}

/// What a column is.
///
/// # Errors
/// If there is no such role.
pub fn role(name: &str) -> Result<ColumnRole, String> {
    let names: Vec<&str> = ColumnRole::all().into_iter().map(|(name, _, _)| name).collect();
    ColumnRole::by_name(name).ok_or_else(|| format!("the roles are {}", names.join(", ")))
}

impl ReadOptions {
    /// Sets the option that the command line calls `--name`.
    ///
    /// ```
    /// let mut options = arss_table::ReadOptions::default();
    /// options.set("sheet", "2020").unwrap();
    /// assert!(options.set("delimiter", "ab").is_err() && options.set("colour", "red").is_err());
    /// ```
    ///
    /// # Errors
    /// If there is no such option, or it does not take this.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "format" => {
                let names: Vec<&str> = Format::all().into_iter().map(|(name, _, _)| name).collect();
                let found = Format::by_name(value);
                self.format = Some(found.ok_or_else(|| format!("the formats are {}", names.join(", ")))?);
            }
            "delimiter" => self.delimiter = Some(delimiter(value)?),
            "header" => match value {
                "yes" => self.header = Some(true),
                "no" => self.header = Some(false),
                _ => return Err("yes or no is taken".to_owned()),
            },
            "encoding" => self.encoding = Some(encoding(value)?),
            "comment" => self.comment = Some(comment(value)?),
            "array" => self.array = Some(value.to_owned()),
            "sheet" => self.sheet = Some(value.to_owned()),
            "decimal" => self.decimal_comma = Some(decimal_mark(value)? == ','),
            _ => {
                let known =
                    "format, delimiter, header, encoding, comment, array, sheet, decimal, columns, exclude and as";
                return Err(format!("the options of reading are {known}"));
            }
        }
        Ok(())
    }
}
