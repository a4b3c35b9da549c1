//! Cells of text files that a spreadsheet takes for formulas.

use std::borrow::Cow;

/// How formulas begin; spreadsheets take the wide forms of East Asian text for the plain ones, and skip blanks.
const STARTS: [&[u8]; 10] =
    [b"=", b"+", b"-", b"@", b"\t", b"\r", "＝".as_bytes(), "＋".as_bytes(), "－".as_bytes(), "＠".as_bytes()];

/// The cell, with an apostrophe in front if a spreadsheet would take it for a formula. Numbers stay what they are.
///
/// ```
/// use arss_table::without_formula;
///
/// assert_eq!(*without_formula(b"=1+1"), *b"'=1+1");
/// assert_eq!(*without_formula(b"-12.5"), *b"-12.5");
/// ```
pub fn without_formula(cell: &[u8]) -> Cow<'_, [u8]> {
    let begins = STARTS.iter().any(|start| cell.starts_with(start));
    if begins && !is_number(cell) { Cow::Owned([b"'", cell].concat()) } else { Cow::Borrowed(cell) }
}

/// True for a sign and digits, with marks between them and perhaps an exponent or a percent sign.
fn is_number(cell: &[u8]) -> bool {
    let text = String::from_utf8_lossy(cell);
    let text = text.trim_start_matches(['+', '-']);
    if cell.len() > text.len() + 1 {
        return false;
    }
    let text = text.trim_end().trim_end_matches('%');
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let all = |text: &str, marks: &[char]| text.chars().all(|c| c.is_ascii_digit() || marks.contains(&c));
    let any = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    ["inf", "infinity", "nan"].contains(&text.to_ascii_lowercase().as_str())
        || (any(digits) && all(digits, &['.', ',', '\'', '_', '\u{a0}']) && any(exponent) && all(exponent, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_marked_and_numbers_are_not() {
        let marked = [
            "=1",
            "+A1",
            "-A1",
            "@x",
            "=cmd|' /C calc'!A0",
            "-1+1",
            "--1",
            "+",
            "-",
            "\t=1",
            "\r=1",
            "＝1",
            "-1e",
            "-.e3",
        ];
        for cell in marked {
            assert_eq!(*without_formula(cell.as_bytes()), *format!("'{cell}").as_bytes(), "{cell}");
        }
        let kept =
            ["", "a=b", "1", "-1", "+2.50", "-1,5", "-1'000.25", "-3e-7", "+4E+10", "-5%", "-inf", " =1", "'=1", "1-2"];
        for cell in kept {
            assert_eq!(*without_formula(cell.as_bytes()), *cell.as_bytes(), "{cell}");
        }
    }
}
