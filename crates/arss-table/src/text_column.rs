//! A column of texts in memory, taken for what a file with these texts would hold.

use crate::ReadOptions;
use crate::chunks::{ColumnChunk, ColumnValues, ReadAs};
use crate::column_kinds::{ColumnKind, KindCounts};
use crate::column_roles::ColumnRole;
use crate::field::Style;
use crate::schema::{self, Asked, Purpose};

/// How the numbers, dates and truth values of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenAs {
    /// Numbers, dates or flags.
    pub role: ColumnRole,
    /// 1.234,5 instead of 1,234.5.
    pub decimal_comma: bool,
    /// 13/02/2020 instead of 02/13/2020.
    pub day_first: bool,
}

/// Numbers that are written as texts; dates are seconds since 1970, truth values 0 and 1.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenNumbers {
    /// NaN where a value is missing, or is none of the kind.
    pub numbers: Vec<f64>,
    /// How many texts are none of the kind, and the first row that has one.
    pub others: Option<(usize, usize)>,
}

impl WrittenAs {
    /// What the texts of column `name` are, by the rules for files; `None` if they are texts rather than something written.
    ///
    /// ```
    /// use arss_table::{ColumnRole, WrittenAs};
    ///
    /// let price = WrittenAs::find("price", &["$1,200", "(300)", ""]).unwrap();
    /// assert_eq!(price.role, ColumnRole::Number);
    /// assert_eq!(price.read(&["$1,200", "(300)"]).numbers, [1200.0, -300.0]);
    /// assert_eq!(WrittenAs::find("zip", &["01234", "20095"]), None);
    /// ```
    pub fn find<T: AsRef<str>>(name: &str, texts: &[T]) -> Option<WrittenAs> {
        let plain = counted(texts, Style::default()).seen;
        let how = |seen: &KindCounts, comma: bool| {
            let options = ReadOptions::default();
            schema::one_read_as(name, Purpose::Feature(Asked::No), seen, comma, &options)
        };
        let ReadAs::Numbers(style) = how(&plain, false) else { return None };
        // What looks like a number with a decimal comma must look so everywhere.
        let seen = if style == Style::default() { plain } else { counted(texts, style).seen };
        let ReadAs::Numbers(style) = how(&seen, style.decimal_comma) else { return None };
        let role = match schema::kind_of(name, &seen) {
            ColumnKind::Number => ColumnRole::Number,
            ColumnKind::Date => ColumnRole::Date,
            ColumnKind::Truth => ColumnRole::Flag,
            _ => return None,
        };
        Some(WrittenAs { role, decimal_comma: style.decimal_comma, day_first: style.day_first })
    }

    /// The numbers of texts that are written so.
    pub fn read<T: AsRef<str>>(self, texts: &[T]) -> WrittenNumbers {
        let style = Style { decimal_comma: self.decimal_comma, day_first: self.day_first };
        let ColumnChunk { seen, values, .. } = counted(texts, style);
        let mut numbers = if let ColumnValues::Numbers(numbers) = values { numbers } else { Vec::new() };
        let others = self.others(&seen);
        if others == 0 {
            return WrittenNumbers { numbers, others: None };
        }
        // Numbers among dates, and the other way round, are none of the kind.
        let mut first = None;
        for (row, (text, number)) in texts.iter().zip(&mut numbers).enumerate() {
            if self.others(&counted(&[text.as_ref()], style).seen) > 0 {
                *number = f64::NAN;
                first.get_or_insert(row);
            }
        }
        WrittenNumbers { numbers, others: first.map(|first| (others, first)) }
    }

    /// How many values are none of the kind.
    fn others(self, seen: &KindCounts) -> usize {
        let own = match self.role {
            ColumnRole::Date => seen.dates,
            ColumnRole::Flag => seen.truths,
            _ => seen.numbers,
        };
        seen.numbers + seen.dates + seen.truths + seen.texts + seen.vectors - own
    }
}

/// The texts, read as numbers in this style.
fn counted<T: AsRef<str>>(texts: &[T], style: Style) -> ColumnChunk {
    let mut cells = ColumnChunk::with_room(ReadAs::Numbers(style), texts.len());
    texts.iter().enumerate().for_each(|(row, text)| cells.push(text.as_ref().as_bytes(), row));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_what_they_are_in_a_file() {
        let found = |name: &str, texts: &[&str]| WrittenAs::find(name, texts).map(|found| found.role);
        assert_eq!(found("a", &["1,234.5", "€ 12", "45 %"]), Some(ColumnRole::Number));
        assert_eq!(found("a", &["13/02/2020", "01/02/2020"]), Some(ColumnRole::Date));
        assert_eq!(found("a", &["TRUE", "false", "NA"]), Some(ColumnRole::Flag));
        assert_eq!(found("zip_code", &["20095", "10115"]), None);
        for texts in [&["01234", "10115"][..], &["red", "blue"], &["1", "two"], &["", "NA"], &["1", "2020-01-01"]] {
            assert_eq!(found("a", texts), None, "{texts:?}");
        }
    }

    #[test]
    fn the_style_of_a_column_is_kept() {
        let comma = WrittenAs::find("a", &["1,5", "1.234,25", "7"]).unwrap();
        assert!(comma.decimal_comma);
        assert_eq!(comma.read(&["1,5", "1.234,25", "7", "1,500"]).numbers, [1.5, 1234.25, 7.0, 1.5]);
        let days = WrittenAs::find("a", &["01/02/1970", "13/01/1970"]).unwrap();
        assert_eq!(days.read(&["02/01/1970"]).numbers, [86_400.0]);
        let mixed = comma.read(&["2,5", "x", "-", "2020-01-01"]);
        assert_eq!((mixed.numbers[0], mixed.others), (2.5, Some((2, 1))));
        assert!(mixed.numbers[1..].iter().all(|number| number.is_nan()));
        let nearly: Vec<String> = (0..40).map(|row| format!("{row}.5")).chain(["closed".to_owned()]).collect();
        assert_eq!(WrittenAs::find("a", &nearly).unwrap().read(&nearly).others, Some((1, 40)));
    }
}
