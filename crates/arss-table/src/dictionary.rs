//! The distinct texts of a column.

use std::collections::HashMap;

/// The code of a missing category.
pub const NO_CODE: u32 = u32::MAX;
/// Texts of a category column that are told apart. A column with more names rows rather than kinds of rows.
pub const MOST_CATEGORIES: usize = 1000;

/// Distinct texts, numbered as they come.
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    /// The texts.
    pub names: Vec<String>,
    /// How many rows have each of them.
    pub counts: Vec<usize>,
    /// Rows up to the text that was one too many; none if there was no such text.
    pub full_after: Option<usize>,
    numbers: HashMap<String, u32>,
}

impl Dictionary {
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
