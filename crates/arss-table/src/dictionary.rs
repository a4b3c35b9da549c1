//! The distinct texts of a column.

use std::collections::HashMap;

use crate::field::Field;

/// The code of a missing category.
pub const NO_CODE: u32 = u32::MAX;
/// Texts of a category column that are told apart. A column with more names rows rather than kinds of rows.
pub const MOST_CATEGORIES: usize = 1000;

/// Texts that are found again without looking through all of them.
const LATELY: usize = 64;
/// Rows before it is worth it to remember texts: wide files have fewer in each of very many columns.
const WARM: usize = 512;

/// Distinct texts, numbered as they come.
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    /// The texts.
    pub names: Vec<String>,
    /// How many rows have each of them.
    pub counts: Vec<usize>,
    /// Rows up to the text that was one too many; none if there was no such text.
    pub full_after: Option<usize>,
    /// True if the order of the texts means something: those of no row count, too.
    pub ordered: bool,
    numbers: HashMap<String, u32>,
    /// Texts that were read lately, each at the place of its hash: the number, and what it was read as.
    lately: Vec<(u32, Field)>,
}

impl Dictionary {
    /// The number of a text that was read lately, and what it was read as; one row more has it.
    #[inline]
    pub fn remembered(&mut self, text: &[u8]) -> Option<(u32, Field)> {
        let &(code, field) = self.lately.get(place(text))?;
        let name = self.names.get(code as usize)?;
        if name.as_bytes() != text {
            return None;
        }
        self.counts[code as usize] += 1;
        Some((code, field))
    }

    /// The number that `code` gives a text of row `row` that was read as `field`, and `field`; [`NO_CODE`] if it is missing.
    pub fn remember(
        &mut self,
        text: &[u8],
        field: Field,
        row: usize,
        code: impl FnOnce(&mut Dictionary) -> u32,
    ) -> (u32, Field) {
        let is_missing = field == Field::Missing || matches!(field, Field::Number(value) if value.is_nan());
        if is_missing {
            return (NO_CODE, field);
        }
        let found = (code(self), field);
        if row >= WARM {
            self.lately.resize(LATELY, (NO_CODE, Field::Missing));
            self.lately[place(text)] = found;
        }
        found
    }

    /// The number of `name`, or [`NO_CODE`] if it would be one too many; `row` rows were seen before.
    pub fn limited_code(&mut self, name: &str, row: usize) -> u32 {
        self.limited_codes(name, 1, row)
    }

    /// The same for a text of `count` rows.
    pub fn limited_codes(&mut self, name: &str, count: usize, row: usize) -> u32 {
        if self.names.len() >= MOST_CATEGORIES && !self.numbers.contains_key(name) {
            self.full_after.get_or_insert(row);
            return NO_CODE;
        }
        self.codes(name, count)
    }

    /// The number of `name`.
    pub fn code(&mut self, name: &str) -> u32 {
        self.codes(name, 1)
    }

    /// The number of `name`, which `count` rows have.
    pub fn codes(&mut self, name: &str, count: usize) -> u32 {
        if let Some(&code) = self.numbers.get(name) {
            self.counts[code as usize] += count;
            return code;
        }
        self.counts.push(count);
        let code = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), code);
        code
    }
}

/// Where a text is remembered; another one may be, too.
fn place(text: &[u8]) -> usize {
    let four = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    let letters = match (text.last_chunk::<8>(), text.first_chunk::<4>(), text.last_chunk::<4>()) {
        (Some(last), _, _) => u64::from_le_bytes(*last),
        (None, Some(first), Some(last)) => four(first) | four(last) << 32,
        _ => text.iter().fold(0, |letters, byte| letters << 8 | u64::from(*byte)),
    };
    let mixed = letters ^ (text.len() as u64).rotate_left(57);
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_number_however_it_is_found() {
        let mut dictionary = Dictionary::default();
        let texts: Vec<String> = (0..5000).map(|row| format!("text {}", row * row % 97)).collect();
        let mut codes = Vec::new();
        for (row, text) in texts.iter().enumerate() {
            let found = dictionary.remembered(text.as_bytes());
            assert!(row > WARM || found.is_none());
            let (code, field) = found.unwrap_or_else(|| {
                dictionary.remember(text.as_bytes(), Field::Text, row, |dictionary| dictionary.limited_code(text, row))
            });
            assert_eq!(field, Field::Text);
            codes.push(code);
        }
        for (text, code) in texts.iter().zip(codes) {
            assert_eq!(dictionary.names[code as usize], *text);
        }
        for (name, count) in dictionary.names.iter().zip(&dictionary.counts) {
            assert_eq!(texts.iter().filter(|text| *text == name).count(), *count);
        }
    }
}
