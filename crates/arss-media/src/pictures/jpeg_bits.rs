//! The bits of a JPEG file: Huffman codes, the words in them, and the parts of a scan.

use memchr::memchr;

/// Bits that are looked up at once.
const WINDOW: u32 = 12;

/// A Huffman code.
#[derive(Debug, Clone)]
pub struct Code {
    /// For each window of bits, the length of the first word in it and what it means; length 0 for longer words.
    short: Box<[(u8, u8); 1 << WINDOW]>,
    /// The longer words: bits, length and meaning.
    long: Vec<(u16, u8, u8)>,
    /// For each window, what several words together do.
    skip: Box<[Skip; 1 << WINDOW]>,
}

/// What the words in a window do: so many bits, and so many places on. Behind the last word of a square that is [`ENDS`] and
/// more; where nothing can be told, it is the whole square.
#[derive(Debug, Clone, Copy, Default)]
struct Skip {
    bits: u8,
    places: u8,
}

/// More places than a square has.
const ENDS: u8 = 128;
/// Places of a square.
const SQUARE: u8 = 64;

impl Code {
    /// The code with so many words of 1 to 16 bits; words of `skipping` codes are followed by bits that are passed over.
    #[expect(
        clippy::indexing_slicing,
        reason = "a word is shorter than its length allows, so that it lies in the window"
    )]
    pub fn new(counts: &[u8], meanings: &[u8], skipping: bool) -> Option<Self> {
        let mut code = Code {
            short: Box::new([(0, 0); 1 << WINDOW]),
            long: Vec::new(),
            skip: Box::new([Skip::default(); 1 << WINDOW]),
        };
        let (mut word, mut next) = (0u32, meanings.iter());
        for (length, &count) in (1u32..).zip(counts) {
            for _ in 0..count {
                let meaning = *next.next()?;
                if word >= 1 << length {
                    return None;
                }
                if length <= WINDOW {
                    let first = (word << (WINDOW - length)) as usize;
                    code.short[first..first + (1 << (WINDOW - length))].fill((length as u8, meaning));
                } else {
                    code.long.push((word as u16, length as u8, meaning));
                }
                word += 1;
            }
            word <<= 1;
        }
        if skipping {
            for window in 0..1 << WINDOW {
                code.skip[window as usize] = code.skip_of(window);
            }
        }
        Some(code)
    }

    /// What the words do whose ends are all in the window. The bits behind the last one may lie outside: nobody looks.
    #[expect(clippy::indexing_slicing, reason = "there is an entry for each window of bits")]
    fn skip_of(&self, window: u32) -> Skip {
        let mut skip = Skip::default();
        while u32::from(skip.bits) < WINDOW && skip.places < ENDS {
            let rest = (window << skip.bits) & ((1 << WINDOW) - 1);
            let (length, meaning) = self.short[rest as usize];
            if length == 0 || u32::from(skip.bits + length) > WINDOW {
                break;
            }
            let (bits, places, ends) = step(length, meaning);
            let places = (skip.places + places).min(SQUARE);
            skip = Skip { bits: skip.bits + bits, places: if ends { ENDS + places } else { places } };
        }
        if skip.bits == 0 { Skip { bits: 0, places: SQUARE } } else { skip }
    }

    /// The first word of the bits, and its length.
    #[expect(clippy::indexing_slicing, reason = "there is an entry for each window of bits")]
    fn word(&self, bits: &Bits) -> Option<(u8, u8)> {
        let found = self.short[bits.window()];
        if found.0 > 0 {
            return Some(found);
        }
        let long = |(word, length, _): &&(u16, u8, u8)| bits.peek(u32::from(*length)) == u32::from(*word);
        self.long.iter().find(long).map(|&(_, length, meaning)| (length, meaning))
    }
}

/// What a word does: its bits and those behind it, the places it goes on, and whether the square ends.
fn step(length: u8, meaning: u8) -> (u8, u8, bool) {
    match meaning {
        0 => (length, 0, true),
        0xF0 => (length, 16, false),
        _ => (length + (meaning & 15), (meaning >> 4) + 1, false),
    }
}

/// The bits of a part, the first one on top.
#[derive(Debug)]
pub struct Bits {
    bytes: Vec<u8>,
    at: usize,
    word: u64,
    held: u32,
}

impl Bits {
    /// The bits of these bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Bits { bytes, at: 0, word: 0, held: 0 }
    }

    /// At least 56 bits are held afterwards.
    fn refill(&mut self) {
        let next = match self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            Some(bytes) => u64::from_be_bytes(*bytes),
            None => {
                let mut last = [0; 8];
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                last.iter_mut().zip(rest).for_each(|(byte, rest)| *byte = *rest);
                u64::from_be_bytes(last)
            }
        };
        self.word |= next >> self.held;
        self.at += ((63 - self.held) >> 3) as usize;
        self.held |= 56;
    }

    fn peek(&self, bits: u32) -> u32 {
        (self.word >> (64 - bits)) as u32
    }

    fn window(&self) -> usize {
        (self.word >> (64 - WINDOW)) as usize
    }

    fn take(&mut self, bits: u32) {
        self.word <<= bits;
        self.held -= bits;
    }

    /// The difference of a mean from the last one.
    pub fn difference(&mut self, code: &Code) -> Option<i32> {
        self.refill();
        let (length, size) = code.word(self)?;
        self.take(u32::from(length));
        match u32::from(size) {
            0 => Some(0),
            size @ 1..=15 => {
                let bits = self.peek(size) as i32;
                self.take(size);
                Some(if bits < 1 << (size - 1) { bits - (1 << size) + 1 } else { bits })
            }
            _ => None,
        }
    }

    /// Passes over the other 63 numbers of a square.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "there is an entry for each window of bits")]
    pub fn pass_over(&mut self, code: &Code) -> Option<()> {
        let mut place = 1;
        loop {
            if self.held < 32 {
                self.refill();
            }
            let skip = code.skip[self.window()];
            let next = place + u32::from(skip.places);
            if next < u32::from(SQUARE) {
                self.take(u32::from(skip.bits));
                place = next;
            } else if (ENDS.into()..(ENDS + SQUARE).into()).contains(&next) {
                self.take(u32::from(skip.bits));
                return Some(());
            } else {
                // At the last place the next word belongs to the next square, so that only one may be taken.
                let (length, meaning) = code.word(self)?;
                let (bits, places, ends) = step(length, meaning);
                self.take(u32::from(bits));
                place += u32::from(places);
                if ends || place == u32::from(SQUARE) {
                    return Some(());
                }
                if place > u32::from(SQUARE) {
                    return None;
                }
            }
        }
    }

    /// True if more bits were taken than there are.
    pub fn is_past_the_end(&self) -> bool {
        8 * self.at.saturating_sub(self.bytes.len()) > self.held as usize
    }
}

/// The parts of a scan between restarts, with the zeros behind each 0xFF taken out.
#[derive(Debug)]
pub struct Parts<'a> {
    bytes: &'a [u8],
    at: usize,
    done: bool,
}

impl<'a> Parts<'a> {
    /// The parts of a scan that begins with `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Parts { bytes, at: 0, done: false }
    }

    /// The next part; none behind the last one.
    pub fn part(&mut self) -> Option<Vec<u8>> {
        if self.done {
            return None;
        }
        let mut part = Vec::with_capacity(if self.at == 0 { self.bytes.len() } else { 0 });
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(found) = memchr(0xFF, rest) else {
                part.extend_from_slice(rest);
                self.done = true;
                break;
            };
            let next = rest.get(found + 1).copied().unwrap_or(0xD9);
            part.extend_from_slice(rest.get(..found + usize::from(next == 0)).unwrap_or(rest));
            self.at += found + 2;
            match next {
                0 => {}
                0xD0..=0xD7 => break,
                0xFF => self.at -= 1,
                _ => {
                    self.done = true;
                    break;
                }
            }
        }
        Some(part)
    }
}
