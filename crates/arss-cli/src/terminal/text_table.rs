//! Small tables on the terminal.

use std::collections::HashMap;
use std::io::IsTerminal;

/// Widest cell; longer ones are cut.
const CELL: usize = 18;
/// Widest line; columns beyond it are left out.
const LINE: usize = 100;
/// What stands for columns left out.
const MORE: &str = "...";
/// What follows the best number of a column.
pub const MARK: char = '*';

/// A table of text; columns of numbers are set to the right.
#[derive(Debug, Default)]
pub struct TextTable {
    rows: Vec<Vec<String>>,
    /// A column whose cells may be longer, and how long.
    wide: Option<(usize, usize)>,
    /// The widest line; none where no terminal is: whoever redirects the table wants all of it.
    line: Option<usize>,
}

/// The widest line: what COLUMNS says, or what fits on a terminal.
fn widest_line() -> Option<usize> {
    let told = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    told.or_else(|| std::io::stdout().is_terminal().then_some(LINE))
}

impl TextTable {
    /// A table with these headings.
    pub fn new(headings: impl IntoIterator<Item = String>) -> Self {
        TextTable::with_line(headings, widest_line())
    }

    fn with_line(headings: impl IntoIterator<Item = String>, line: Option<usize>) -> Self {
        let headings: Vec<String> = headings.into_iter().collect();
        let limit = if line.is_some() { CELL } else { usize::MAX - 1 };
        let cut: Vec<String> = headings.iter().map(|cell| clean(cell, limit)).collect();
        let mut times: HashMap<&str, usize> = HashMap::new();
        cut.iter().for_each(|name| *times.entry(name).or_default() += 1);
        // Long names often differ at their ends.
        let both = |(heading, name): (&String, &String)| {
            if times[name.as_str()] == 1 { name.clone() } else { clean_both_ends(heading, limit) }
        };
        let shown = headings.iter().zip(&cut).map(both).collect();
        TextTable { rows: vec![shown], wide: None, line }
    }

    /// The table whose column `column` may have cells of `length` characters.
    pub fn with_wide(self, column: usize, length: usize) -> Self {
        TextTable { wide: Some((column, length)), ..self }
    }

    /// Adds a line.
    pub fn add(&mut self, cells: impl IntoIterator<Item = String>) {
        let usual = if self.line.is_some() { CELL } else { usize::MAX - 1 };
        let limit = |column: usize| self.wide.filter(|wide| wide.0 == column).map_or(usual, |wide| wide.1.max(usual));
        let cells = cells.into_iter().enumerate().map(|(column, cell)| clean(&cell, limit(column)));
        self.rows.push(cells.collect());
    }

    /// The table as lines of text, as many columns as fit.
    pub fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let mut lines = vec![String::new(); self.rows.len()];
        let (widest, mut so_far) = (self.line.unwrap_or(usize::MAX), 0);
        for column in 0..columns {
            let width =
                self.rows.iter().map(|row| length(row.get(column).map(String::as_str))).max().unwrap_or_default();
            if column > 0 && so_far + 2 + width + if column + 1 < columns { 2 + MORE.len() } else { 0 } > widest {
                lines[0].push_str(&format!("  {MORE}"));
                break;
            }
            so_far += width + if column > 0 { 2 } else { 0 };
            let right = self.is_number(column);
            for (line, row) in lines.iter_mut().zip(&self.rows) {
                let cell = row.get(column).map_or("", String::as_str);
                let gap = if column > 0 { "  " } else { "" };
                // A cell may be wider than what a format string can pad to.
                let padding = " ".repeat(width - length(Some(cell)));
                let parts = if right { [gap, &padding, cell] } else { [gap, cell, &padding] };
                parts.iter().for_each(|part| line.push_str(part));
            }
        }
        lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    fn is_number(&self, column: usize) -> bool {
        let cells = || self.rows.iter().skip(1).filter_map(|row| row.get(column));
        // A mark may follow the number.
        let plain = |cell: &String| cell.trim_end_matches([' ', MARK]).to_owned();
        cells().next().is_some() && cells().map(plain).all(|cell| cell == "-" || cell.parse::<f64>().is_ok())
    }
}

fn length(cell: Option<&str>) -> usize {
    cell.map_or(0, |cell| cell.chars().count())
}

/// The cell on one line, without control characters, cut if it has more than `limit` characters.
fn clean(cell: &str, limit: usize) -> String {
    let mut text: String = cell.chars().map(|c| if c.is_control() { ' ' } else { c }).take(limit + 1).collect();
    if text.chars().count() > limit {
        text = text.chars().take(limit - MORE.len()).chain(MORE.chars()).collect();
    }
    text
}

/// As [`clean`], with the middle left out.
fn clean_both_ends(cell: &str, limit: usize) -> String {
    let length = cell.chars().count();
    if length <= limit {
        return clean(cell, limit);
    }
    let kept = limit - MORE.len();
    let (start, end) = (kept - kept / 2, kept / 2);
    let text: String = cell.chars().take(start).chain(MORE.chars()).chain(cell.chars().skip(length - end)).collect();
    clean(&text, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_column_may_be_wide_and_marked_numbers_stay_numbers() {
        let mut sheet = TextTable::new(["why", "size"].map(str::to_owned)).with_wide(0, 30);
        sheet.add(["a reason of thirty characters.", "10 "].map(str::to_owned));
        sheet.add(["short", "9*"].map(str::to_owned));
        let text = sheet.text();
        assert!(text.contains("a reason of thirty characters.   10\n"), "{text}");
        assert!(text.ends_with("    9*\n"), "{text}");
    }

    #[test]
    fn wide_tables_are_cut() {
        let mut sheet = TextTable::with_line((0..40).map(|column| format!("column{column}")), Some(LINE));
        sheet.add((0..40).map(|_| "a long cell with a\nline break".to_owned()));
        let text = sheet.text();
        assert_eq!(text.lines().count(), 2);
        assert!(text.lines().all(|line| line.chars().count() <= LINE));
        assert!(text.lines().next().is_some_and(|line| line.ends_with(MORE)));
    }

    #[test]
    fn redirected_tables_are_whole() {
        let mut sheet = TextTable::with_line((0..40).map(|column| format!("column{column}")), None);
        let long = "a cell that would be cut on a terminal";
        sheet.add((0..40).map(|_| long.to_owned()));
        let text = sheet.text();
        assert_eq!(text.matches(long).count(), 40);
        assert!(text.contains("column39"));
    }

    #[test]
    fn long_names_stay_apart() {
        let names = ["the_first_measurement_of_a", "the_first_measurement_of_b"].map(str::to_owned);
        let sheet = TextTable::with_line(names, Some(LINE));
        assert_eq!(sheet.rows[0], ["the_firs...nt_of_a", "the_firs...nt_of_b"]);
    }
}
