//! What was counted in a column: what its fields are, and how they are written.

use crate::field::{self, DateOrder, Field};
use crate::written_number::written_number;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Numbers.
    Number,
    /// true and false.
    Truth,
    /// Dates and times, as seconds.
    Date,
    /// Text, or a mixture.
    Text,
    /// Digits with leading zeros: they name something.
    Code,
    /// Nothing at all.
    Empty,
    /// A list of numbers in each row.
    Vector,
    /// Lists, structures and whatever else is no single value.
    Nested,
}

/// Rows of a chunk that are looked at for how numbers are written.
const TELLING: usize = 1024;
/// Numbers that need a point after which no more are looked at: whether there is one is all that counts.
const ENOUGH: usize = 1;

/// What fields tell about how their column is written.
#[derive(Debug, Clone, Copy, Default)]
pub struct StyleEvidence {
    /// Texts, and those of them that are numbers with a decimal comma.
    pub texts: usize,
    pub comma: usize,
    /// Numbers that need a decimal point.
    pub point: usize,
    /// Dates that begin with the day.
    pub day_first: usize,
    /// Dates that begin with the month.
    pub month_first: usize,
    /// Dates that may begin with either.
    pub either: usize,
}

impl StyleEvidence {
    #[inline]
    fn add(&mut self, text: &[u8], field: Field, row: usize) {
        match field {
            Field::Number(value)
                if row < TELLING && self.point < ENOUGH && (value.fract() != 0.0 || text.contains(&b'.')) =>
            {
                self.point += usize::from(written_number(text.trim_ascii(), true).is_none());
            }
            Field::Text if row < TELLING => {
                let comma = text.contains(&b',') && written_number(text.trim_ascii(), true).is_some();
                self.texts += 1;
                self.comma += usize::from(comma);
            }
            Field::Date(_) => match field::local_date(text.trim_ascii(), false) {
                Some((_, DateOrder::DayFirst)) => self.day_first += 1,
                Some((_, DateOrder::MonthFirst)) => self.month_first += 1,
                Some((_, DateOrder::Either)) => self.either += 1,
                None => {}
            },
            _ => {}
        }
    }

    fn merge(&mut self, other: &StyleEvidence) {
        self.texts += other.texts;
        self.comma += other.comma;
        self.point += other.point;
        self.day_first += other.day_first;
        self.month_first += other.month_first;
        self.either += other.either;
    }
}

/// What was counted in a column.
#[derive(Debug, Clone, Default)]
pub struct KindCounts {
    /// Numbers.
    pub numbers: usize,
    /// Truth values.
    pub truths: usize,
    /// Dates.
    pub dates: usize,
    /// Lists of numbers.
    pub vectors: usize,
    /// Other text.
    pub texts: usize,
    /// Marks that stand for a missing value unless there are texts.
    pub markers: usize,
    /// Numbers with leading zeros.
    pub leading_zeros: usize,
    /// What the first rows tell about how numbers and dates are written.
    pub evidence: StyleEvidence,
    /// The first row with something that is no number.
    pub first_text: Option<usize>,
    /// True for lists and structures.
    pub nested: bool,
}

impl KindCounts {
    /// `count` values of a column that holds `kind`.
    pub fn of(kind: ColumnKind, count: usize) -> Self {
        let mut counts = KindCounts { nested: kind == ColumnKind::Nested, ..KindCounts::default() };
        match kind {
            ColumnKind::Number => counts.numbers = count,
            ColumnKind::Truth => counts.truths = count,
            ColumnKind::Date => counts.dates = count,
            ColumnKind::Vector => counts.vectors = count,
            ColumnKind::Text | ColumnKind::Code => counts.texts = count,
            ColumnKind::Empty | ColumnKind::Nested => {}
        }
        counts
    }

    /// Counts one field.
    #[inline]
    pub fn add(&mut self, field: Field, row: usize) {
        match field {
            // Not a number, and not a text either: it does not tell what the column holds.
            Field::Number(value) if value.is_nan() => return,
            Field::Number(_) => self.numbers += 1,
            Field::Truth(_) => self.truths += 1,
            Field::Date(_) => self.dates += 1,
            Field::Vector => self.vectors += 1,
            Field::Text => self.texts += 1,
            Field::Marker => {
                self.markers += 1;
                return;
            }
            Field::Missing => return,
        }
        if !matches!(field, Field::Number(_)) {
            self.first_text.get_or_insert(row);
        }
    }

    /// The same as [`KindCounts::add_text`] for a number.
    #[inline]
    pub fn add_number(&mut self, text: &[u8], value: f64, row: usize) {
        self.numbers += usize::from(!value.is_nan());
        if text.first() == Some(&b'0') && field::has_leading_zero(text) {
            self.leading_zeros += 1;
        }
        if row < TELLING {
            self.evidence.add(text, Field::Number(value), row);
        }
    }

    /// Counts one field and what its text tells.
    #[inline]
    pub fn add_text(&mut self, text: &[u8], field: Field, row: usize) {
        self.add(field, row);
        if text.first() == Some(&b'0') && matches!(field, Field::Number(_)) && field::has_leading_zero(text) {
            self.leading_zeros += 1;
        }
        self.evidence.add(text, field, row);
    }

    /// Adds what was counted in the rows behind, which begin at `start`.
    pub fn merge(&mut self, other: &KindCounts, start: usize) {
        self.numbers += other.numbers;
        self.truths += other.truths;
        self.dates += other.dates;
        self.texts += other.texts;
        self.vectors += other.vectors;
        self.nested |= other.nested;
        self.markers += other.markers;
        self.leading_zeros += other.leading_zeros;
        self.evidence.merge(&other.evidence);
        self.first_text = self.first_text.or(other.first_text.map(|row| row + start));
    }

    /// True if there are numbers, and nothing but texts besides.
    pub fn is_numbers_and_texts(&self) -> bool {
        self.numbers > 0 && self.truths + self.dates + self.vectors == 0 && !self.nested
    }

    /// True if at most one value in twenty is a text among numbers.
    pub fn is_nearly_numbers(&self) -> bool {
        let others = self.truths + self.dates + self.vectors;
        let plain = others == 0 && !self.nested && self.leading_zeros == 0;
        self.texts > 0 && plain && 19 * self.texts <= self.numbers
    }

    /// What the column holds.
    pub fn kind(&self) -> ColumnKind {
        let kinds = [
            (self.numbers, ColumnKind::Number),
            (self.truths, ColumnKind::Truth),
            (self.dates, ColumnKind::Date),
            (self.vectors, ColumnKind::Vector),
        ];
        let found: Vec<ColumnKind> =
            kinds.into_iter().filter_map(|(count, kind)| (count > 0).then_some(kind)).collect();
        match found.as_slice() {
            _ if self.nested => ColumnKind::Nested,
            _ if self.texts > 0 => ColumnKind::Text,
            [] => ColumnKind::Empty,
            [ColumnKind::Number] if self.leading_zeros > 0 => ColumnKind::Code,
            // Days and months at the same place: nobody knows which is which.
            [ColumnKind::Date] if self.evidence.day_first > 0 && self.evidence.month_first > 0 => ColumnKind::Text,
            [kind] => *kind,
            _ => ColumnKind::Text,
        }
    }
}
