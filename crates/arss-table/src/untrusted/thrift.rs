//! A walk over Thrift's compact encoding, which Parquet describes itself in: just enough to see that every length
//! that is announced is there, before a reader believes it.

/// What a walk stands on.
#[derive(Debug)]
pub struct Walk<'a> {
    bytes: &'a [u8],
    /// The position.
    pub at: usize,
}

/// Structures within structures; real ones have a handful.
const DEEPEST: usize = 16;

/// The types of fields.
pub const TRUE: u8 = 1;
pub const FALSE: u8 = 2;
pub const BYTE: u8 = 3;
const DOUBLE: u8 = 7;
pub const BINARY: u8 = 8;
/// A list.
pub const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
/// A structure.
pub const STRUCT: u8 = 12;
const UUID: u8 = 13;

impl<'a> Walk<'a> {
    /// From the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Walk { bytes, at: 0 }
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn pass(&mut self, count: u64) -> Option<()> {
        let left = (self.bytes.len() - self.at) as u64;
        self.at += usize::try_from(count).ok().filter(|_| count <= left)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A whole number.
    pub fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The head of a list: the type and the number of its elements, each of which takes a byte at least.
    pub fn list(&mut self) -> Option<(u8, usize)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        let left = self.bytes.len() - self.at;
        let count = usize::try_from(count).ok().filter(|&count| count <= left)?;
        Some((head & 0x0f, count))
    }

    /// Calls `visit` with the number and the type of each field of a structure; it has to walk over the field.
    pub fn fields(&mut self, visit: &mut dyn FnMut(&mut Self, i64, u8) -> Option<()>) -> Option<()> {
        let mut number = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            number = if head >> 4 == 0 { self.integer()? } else { number + i64::from(head >> 4) };
            visit(self, number, head & 0x0f)?;
        }
    }

    /// Walks over a field of type `kind`.
    pub fn skip(&mut self, kind: u8) -> Option<()> {
        self.skip_value(kind, false, DEEPEST)
    }

    fn skip_value(&mut self, kind: u8, element: bool, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            // The type of a field is its value; elements have a byte each.
            TRUE | FALSE => self.pass(u64::from(element)),
            BYTE => self.pass(1),
            4..=6 => self.varint().map(drop),
            DOUBLE => self.pass(8),
            UUID => self.pass(16),
            BINARY => {
                let length = self.varint()?;
                self.pass(length)
            }
            LIST | SET => {
                let (kind, count) = self.list()?;
                (0..count).try_for_each(|_| self.skip_value(kind, true, depth))
            }
            MAP => {
                let count = self.varint()?;
                if count == 0 {
                    return Some(());
                }
                let kinds = self.byte()?;
                (0..count).try_for_each(|_| {
                    self.skip_value(kinds >> 4, true, depth)?;
                    self.skip_value(kinds & 0x0f, true, depth)
                })
            }
            STRUCT => self.fields(&mut |walk, _, kind| walk.skip_value(kind, false, depth)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_not_walked_over() {
        // Field 1 is -3, field 2 is "ab", field 20 a list of two structures.
        let good = [0x15, 0x05, 0x18, 2, b'a', b'b', 0x09, 40, 0x2c, 0, 0x11, 0, 0];
        let mut numbers = Vec::new();
        let mut walk = Walk::new(&good);
        let walked = walk.fields(&mut |walk, number, kind| {
            numbers.push(number);
            if number == 1 { walk.integer().filter(|&value| value == -3).map(drop) } else { walk.skip(kind) }
        });
        assert_eq!((walked, walk.at, numbers), (Some(()), good.len(), vec![1, 2, 20]));
        for end in 0..good.len() {
            assert_eq!(Walk::new(&good[..end]).skip(STRUCT), None, "{end}");
        }
        // A list of 2^31 structures, and 100 lists within lists.
        assert_eq!(Walk::new(&[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0]).skip(STRUCT), None);
        assert_eq!(Walk::new(&[[0x19].as_slice(), &[0x19; 100]].concat()).skip(STRUCT), None);
    }
}
