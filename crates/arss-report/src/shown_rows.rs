//! The rows whose cells are in the page: picks, the strangest, their neighbours, and as many others as there is room for.

use std::collections::HashMap;

use serde::Serialize;

use crate::subject::Subject;

/// Bytes of cells in the page.
const BYTES: usize = 1_200_000;
/// Cells that are read from the file at most: a wide table shows fewer rows.
const CELLS: usize = 400_000;
/// Characters of a cell that are shown.
const LONG: usize = 1000;

/// Rows with their cells as they stood in the file.
#[derive(Debug, Serialize)]
pub struct ShownRows {
    /// The numbers of the rows in the file.
    items: Vec<usize>,
    cells: Vec<Vec<String>>,
    /// Cells that are longer than what is shown: place among the rows, column, and characters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut: Vec<[usize; 3]>,
    #[serde(skip)]
    places: HashMap<usize, usize>,
    #[serde(skip)]
    left: usize,
    #[serde(skip)]
    reads: usize,
}

impl ShownRows {
    /// No rows yet.
    pub fn new() -> Self {
        ShownRows {
            items: Vec::new(),
            cells: Vec::new(),
            cut: Vec::new(),
            places: HashMap::new(),
            left: BYTES,
            reads: CELLS,
        }
    }

    /// Adds those of the items that there is room for, in this order; the first of all always.
    pub fn add(&mut self, subject: &Subject<'_>, items: &[usize]) {
        let width = subject.headings().len().max(1);
        let mut wanted: Vec<usize> = items.iter().copied().filter(|item| !self.places.contains_key(item)).collect();
        wanted.truncate((self.reads / width).max(1));
        self.reads = self.reads.saturating_sub(wanted.len() * width);
        subject.fetch(&wanted);
        for item in wanted {
            let cells = subject.cells(item);
            let shown: Vec<String> = cells.iter().map(|cell| cut(cell)).collect();
            let size: usize = shown.iter().map(|cell| size_in_page(cell)).sum();
            if self.places.contains_key(&item) || (size > self.left && !self.items.is_empty()) {
                continue;
            }
            self.left = self.left.saturating_sub(size);
            let place = self.items.len();
            let long = cells.iter().enumerate().filter(|(_, cell)| cell.len() > LONG);
            let long = long.map(|(column, cell)| [place, column, cell.chars().count()]);
            self.cut.extend(long.filter(|[_, _, characters]| *characters > LONG));
            self.places.insert(item, place);
            self.items.push(subject.number(item));
            self.cells.push(shown);
        }
    }

    /// Where an item stands among the rows, if it does.
    pub fn place(&self, item: usize) -> Option<usize> {
        self.places.get(&item).copied()
    }
}

/// The cell, or its start if it is long.
fn cut(cell: &str) -> String {
    cell.char_indices().nth(LONG).map_or(cell, |(end, _)| &cell[..end]).to_owned()
}

/// Bytes of a cell at most: its quotes and comma, and six for what has to be escaped.
pub fn size_in_page(cell: &str) -> usize {
    let escaped = |c: char| c.is_control() || "<>&\"\\\u{2028}\u{2029}".contains(c);
    3 + cell.chars().map(|c| if escaped(c) { 6 } else { c.len_utf8() }).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_cell_is_no_less_than_what_is_written() {
        for cell in ["", "plain", "<script>&\"\\\u{2028}", "naïve ☃", "\u{1}\n\t", "\0"] {
            let written = crate::page::escaped(&serde_json::to_string(cell).unwrap()).len() + 1;
            assert!(size_in_page(cell) >= written, "{cell:?}");
        }
    }

    #[test]
    fn long_cells_are_cut_between_characters() {
        assert_eq!(cut(&"é".repeat(2000)).chars().count(), LONG);
        assert_eq!(cut("short"), "short");
    }
}
