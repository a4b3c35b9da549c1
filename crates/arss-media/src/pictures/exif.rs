//! Which way up a camera held a picture.

/// How a picture has to be turned, as cameras number it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Turn(u8);

const ORIENTATION: u16 = 0x0112;

impl Turn {
    /// What a camera noted; a picture without a note is upright.
    pub fn of_exif(exif: Option<&[u8]>) -> Self {
        Turn::numbered(exif.and_then(orientation).unwrap_or(1))
    }

    /// The turn that has this number, from 1.
    pub fn numbered(number: u16) -> Self {
        Turn(if (2..=8).contains(&number) { number as u8 - 1 } else { 0 })
    }

    /// True if nothing has to be done.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// True if rows become columns.
    pub fn swaps(self) -> bool {
        self.0 >= 4
    }

    /// Where the pixel at `x` and `y` of the upright picture, which has this size, comes from.
    pub fn source(self, (x, y): (usize, usize), (width, height): (usize, usize)) -> (usize, usize) {
        let (right, below) = (width - 1 - x, height - 1 - y);
        match self.0 {
            0 => (x, y),
            1 => (right, y),
            2 => (right, below),
            3 => (x, below),
            4 => (y, x),
            5 => (y, right),
            6 => (below, right),
            _ => (below, x),
        }
    }
}

/// The number in the notes of a camera, which are a little TIFF file.
fn orientation(exif: &[u8]) -> Option<u16> {
    let exif = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    let little = match exif.get(..4)? {
        [b'I', b'I', 42, 0] => true,
        [b'M', b'M', 0, 42] => false,
        _ => return None,
    };
    let two = |at: usize| -> Option<u16> {
        let bytes = exif.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    };
    let (first, second) = (usize::from(two(4)?), usize::from(two(6)?));
    let start = if little { second << 16 | first } else { first << 16 | second };
    let count = usize::from(two(start)?);
    let entry = (0..count).map(|entry| start + 2 + 12 * entry).find(|&at| two(at) == Some(ORIENTATION))?;
    two(entry + 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_either_byte_order_are_read() {
        let little = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0";
        let big = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0";
        assert_eq!((orientation(little), orientation(big)), (Some(6), Some(6)));
        for end in 0..big.len() - 3 {
            assert_eq!(Turn::of_exif(Some(&big[..end])), Turn::default());
        }
        assert_eq!(Turn::of_exif(Some(b"MM\0*\xff\xff\xff\xff")), Turn::default());
    }

    /// A quarter to the right: the first row becomes the last column.
    #[test]
    fn six_is_a_quarter_to_the_right() {
        let turn = Turn::numbered(6);
        assert!(turn.swaps() && !turn.is_none());
        // A picture of 3 x 2 becomes one of 2 x 3.
        assert_eq!(turn.source((1, 0), (2, 3)), (0, 0));
        assert_eq!(turn.source((0, 2), (2, 3)), (2, 1));
        for number in 1..=8 {
            let turn = Turn::numbered(number);
            let size = if turn.swaps() { (2, 3) } else { (3, 2) };
            let mut places: Vec<_> = (0..6).map(|at| turn.source((at % size.0, at / size.0), size)).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!((places.len(), places[5]), (6, (2, 1)), "{number}");
        }
    }
}
