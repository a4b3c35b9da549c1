//! The header of a .npy file: magic, version, and a Python dictionary with three keys.
//!
//! Read by hand, so that no header, however broken, can make the reader allocate much or panic.

use std::io::Read;

/// Longest header that is read; numpy's own limit is 10,000.
const LONGEST: usize = 1 << 16;

/// What the header says.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// The element type.
    pub kind: ElementType,
    /// True if the values stand column by column.
    pub by_column: bool,
    /// The shape.
    pub shape: Vec<usize>,
}

/// The element types that are read; all little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementType {
    /// One byte, 0 or 1.
    Bool,
    /// Signed, so many bytes.
    Int(usize),
    /// Unsigned, so many bytes.
    Uint(usize),
    /// IEEE, so many bytes.
    Float(usize),
}

impl ElementType {
    /// Bytes per value.
    pub fn size(self) -> usize {
        match self {
            ElementType::Bool => 1,
            ElementType::Int(size) | ElementType::Uint(size) | ElementType::Float(size) => size,
        }
    }

    /// The type as numpy writes it.
    pub fn descr(self) -> String {
        let (letter, size) = match self {
            ElementType::Bool => ('b', 1),
            ElementType::Int(size) => ('i', size),
            ElementType::Uint(size) => ('u', size),
            ElementType::Float(size) => ('f', size),
        };
        format!("{}{letter}{size}", if size == 1 { '|' } else { '<' })
    }

    fn parse(descr: &str) -> Result<ElementType, String> {
        let refused = || format!("holds {} ({descr}), but only real numbers are read", kind_in_words(descr));
        let rest = descr.strip_prefix(['<', '>', '|', '=']).unwrap_or(descr);
        let mut characters = rest.chars();
        let letter = characters.next();
        let size: usize = characters.as_str().parse().map_err(|_| refused())?;
        let kind = match (letter, size) {
            (Some('b'), 1) => ElementType::Bool,
            (Some('i'), 1 | 2 | 4 | 8) => ElementType::Int(size),
            (Some('u'), 1 | 2 | 4 | 8) => ElementType::Uint(size),
            (Some('f'), 2 | 4 | 8) => ElementType::Float(size),
            _ => return Err(refused()),
        };
        if descr.starts_with('>') && size > 1 {
            return Err(format!(
                "is big-endian ({descr}); convert it with numpy: np.save(path, a.astype(a.dtype.newbyteorder('<')))"
            ));
        }
        Ok(kind)
    }
}

fn kind_in_words(descr: &str) -> &'static str {
    match descr.trim_start_matches(['<', '>', '|', '=']).chars().next() {
        Some('c') => "complex numbers",
        Some('S' | 'a' | 'U' | 'T') => "strings",
        Some('O') => "Python objects",
        Some('M' | 'm') => "dates or times",
        Some('V') => "raw bytes",
        Some('f') => "floats of an unusual size",
        _ => "values of an unknown type",
    }
}

/// Reads the header; `file` then stands at the first value.
pub fn read(file: &mut impl Read) -> Result<Header, String> {
    let truncated = |_| "the npy header is cut off".to_owned();
    let mut start = [0; 8];
    file.read_exact(&mut start).map_err(|_| "is not a npy file: it is too short".to_owned())?;
    let [magic @ .., version, _] = &start;
    if magic != b"\x93NUMPY" {
        return Err("is not a npy file: it does not begin with \\x93NUMPY".to_owned());
    }
    let length = match *version {
        1 => {
            let mut bytes = [0; 2];
            file.read_exact(&mut bytes).map_err(truncated)?;
            usize::from(u16::from_le_bytes(bytes))
        }
        2 | 3 => {
            let mut bytes = [0; 4];
            file.read_exact(&mut bytes).map_err(truncated)?;
            u32::from_le_bytes(bytes) as usize
        }
        version => return Err(format!("has npy version {version}, but only 1, 2 and 3 are known")),
    };
    if length > LONGEST {
        return Err(format!("the npy header claims {length} bytes: it is broken"));
    }
    let mut text = vec![0; length];
    file.read_exact(&mut text).map_err(truncated)?;
    parse(&String::from_utf8_lossy(&text))
}

/// The header's dictionary: `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }`.
fn parse(text: &str) -> Result<Header, String> {
    let broken = |key: &str| format!("the npy header is broken: no usable {key}");
    let descr = value_of(text, "descr").ok_or_else(|| broken("descr"))?;
    if descr.starts_with('[') || descr.starts_with('(') {
        return Err("holds records (a structured dtype), but only real numbers are read".to_owned());
    }
    let quoted = |quote: char| descr.strip_prefix(quote)?.split(quote).next();
    let kind = ElementType::parse(quoted('\'').or_else(|| quoted('"')).ok_or_else(|| broken("descr"))?)?;
    let order = value_of(text, "fortran_order").ok_or_else(|| broken("fortran_order"))?;
    let by_column = match (order.starts_with("True"), order.starts_with("False")) {
        (true, _) => true,
        (_, true) => false,
        _ => return Err(broken("fortran_order")),
    };
    let shape = value_of(text, "shape").and_then(tuple).ok_or_else(|| broken("shape"))?;
    Ok(Header { kind, by_column, shape })
}

/// What follows `'key':`.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let after = quoted.iter().find_map(|key| Some(text.split_once(key)?.1))?;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

/// The numbers in `(3, 2)`.
fn tuple(text: &str) -> Option<Vec<usize>> {
    let inside = text.strip_prefix('(')?.split_once(')')?.0;
    let parts = inside.split(',').map(|part| part.trim().trim_end_matches('L')).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok()).collect()
}

/// The bytes of a header for values that stand row by row.
pub fn bytes(kind: ElementType, shape: &[usize]) -> Vec<u8> {
    let shape = match shape {
        [only] => format!("({only},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': {shape}, }}", kind.descr());
    // Magic, version and length take 10 bytes; the whole is a multiple of 64 and ends with a line break.
    while (10 + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    [b"\x93NUMPY\x01\x00".as_slice(), &length.to_le_bytes(), text.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for kind in [ElementType::Bool, ElementType::Int(8), ElementType::Uint(1), ElementType::Float(4)] {
            let bytes = bytes(kind, &[31, 2]);
            assert_eq!(bytes.len() % 64, 0);
            assert_eq!(read(&mut &bytes[..]), Ok(Header { kind, by_column: false, shape: vec![31, 2] }));
        }
    }

    #[test]
    fn refuses_every_broken_header_without_panic() {
        let good = bytes(ElementType::Float(8), &[3, 2]);
        for end in 0..good.len() {
            assert!(read(&mut &good[..end]).is_err());
        }
        for at in 0..good.len() {
            for byte in [0, b'(', b'9', b'\'', 0xff] {
                let mut bad = good.clone();
                bad[at] = byte;
                let _ = read(&mut &bad[..]);
            }
        }
        assert!(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 2)}").is_err());
    }
}
