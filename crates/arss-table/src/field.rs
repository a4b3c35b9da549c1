//! The value of a text field: a number, a boolean, a date, missing, or text.

use chrono::NaiveDate;

use crate::vectors;
use crate::written_number::written_number;

/// Words that stand for a missing value wherever they are, besides nothing at all.
const MISSING: [&[u8]; 11] =
    [b"NA", b"N/A", b"n/a", b"NULL", b"null", b"<NA>", b"#N/A", b"#DIV/0!", b"#VALUE!", b"#REF!", b"#NUM!"];
/// Marks that stand for a missing value among numbers, dates or truth values; among texts they may be one of them.
const MARKERS: [&[u8]; 9] = [b"-", b"--", b"---", b".", b"..", b"?", b"*", b"None", b"none"];

/// How a column of text writes its numbers and dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// 1.234,5 instead of 1,234.5.
    pub decimal_comma: bool,
    /// 13/02/2020 instead of 02/13/2020.
    pub day_first: bool,
}

/// One field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Field {
    /// A number; `nan` and `inf` are numbers here.
    Number(f64),
    /// true or false.
    Truth(bool),
    /// Seconds since 1970.
    Date(f64),
    /// Nothing, or a word that says so.
    Missing,
    /// A mark that says so unless the column holds texts.
    Marker,
    /// A list of numbers.
    Vector,
    /// Anything else.
    Text,
}

/// Reads one field, without its quotes.
pub fn read(field: &[u8], style: Style) -> Field {
    let field = field.trim_ascii();
    let Some(&first) = field.first() else { return Field::Missing };
    // Numbers first: they are what tables are made of.
    if !style.decimal_comma
        && let Ok(value) = fast_float2::parse(field)
    {
        return Field::Number(value);
    }
    // No number is a date with the year first, which is told apart at once.
    let marked = first.is_ascii_digit() && matches!(field.get(4), Some(b'-' | b'/'));
    if marked && let Some(seconds) = date(field) {
        return Field::Date(seconds);
    }
    match first {
        b'N' | b'n' | b'<' | b'#' if MISSING.contains(&field) => return Field::Missing,
        b'[' if vectors::numbers(field, |_| ()) => return Field::Vector,
        b'T' | b't' if is_word(field, b"true") => return Field::Truth(true),
        b'F' | b'f' if is_word(field, b"false") => return Field::Truth(false),
        _ if MARKERS.contains(&field) => return Field::Marker,
        _ => {}
    }
    if let Some(value) = written_number(field, style.decimal_comma) {
        return Field::Number(value);
    }
    // A day, a year or a month.
    let may_be_date = first.is_ascii_digit() || b"jfmasond".contains(&first.to_ascii_lowercase());
    if may_be_date
        && let Some(seconds) = date(field).or_else(|| local_date(field, style.day_first).map(|found| found.0))
    {
        return Field::Date(seconds);
    }
    Field::Text
}

/// True for digits that begin with a zero which a number would lose: 00123, 01.2.
pub fn has_leading_zero(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    matches!(field, [b'0', b'0'..=b'9', ..]) && field.iter().all(is_part)
}

/// Which part of a date such as 13/02/2020 is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// The first: the second is no day, or dots separate them.
    DayFirst,
    /// The second: it is no month.
    MonthFirst,
    /// Both are possible.
    Either,
}

/// Seconds since 1970 of `13/02/2020`, `02/13/2020 12:30` or `13.02.2020`, and what tells the order.
pub fn local_date(field: &[u8], day_first: bool) -> Option<(f64, DateOrder)> {
    // A year comes first.
    if field.get(..3).is_some_and(|year| year.iter().all(u8::is_ascii_digit)) {
        return None;
    }
    let text = std::str::from_utf8(field).ok()?;
    let (day, rest) = text.split_at(text.find(' ').unwrap_or(text.len()));
    let mark = ['/', '.', '-'].into_iter().find(|mark| day.contains(*mark))?;
    let parts: Vec<&str> = day.split(mark).collect();
    let [first, second, year] = parts.as_slice() else { return None };
    // Years of two digits with other marks may be versions or codes.
    let good = year.len() == 4 || (year.len() == 2 && mark == '/');
    if !good || first.len() > 2 || second.len() > 2 {
        return None;
    }
    let (first, second, year) = (digits(first)?, digits(second)?, full_year(year)?);
    let order = match (first, second) {
        (13.., _) => DateOrder::DayFirst,
        (_, 13..) => DateOrder::MonthFirst,
        _ if mark == '.' => DateOrder::DayFirst,
        _ => DateOrder::Either,
    };
    let day_first = order == DateOrder::DayFirst || (order == DateOrder::Either && day_first);
    let (day, month) = if day_first { (first, second) } else { (second, first) };
    let day = NaiveDate::from_ymd_opt(year, month, day)?;
    let time = if rest.is_empty() { 0.0 } else { time(rest.trim_start())? };
    let days = day.signed_duration_since(NaiveDate::default()).num_days();
    Some((days as f64 * 86_400.0 + time, order))
}

/// `true`, `True` or `TRUE`.
fn is_word(field: &[u8], word: &[u8]) -> bool {
    field.eq_ignore_ascii_case(word)
}

/// Seconds since 1970 of `2024-05-01`, `2024/05/01`, `2024-05-01T12:30:00.5Z`, `2024-05-01 12:30+02:00`, and of dates that
/// name their month.
pub fn date(field: &[u8]) -> Option<f64> {
    if let Some(seconds) = plain_date(field) {
        return Some(seconds);
    }
    let text = std::str::from_utf8(field).ok()?;
    let Some(mark) = field.get(4).filter(|&&mark| mark == b'-' || mark == b'/') else { return named_month(text) };
    let mark = *mark as char;
    let (day, rest) = text.split_at_checked(10)?;
    let mut parts = day.split(mark).map(digits);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() {
        return None;
    }
    let day = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    let time = if rest.is_empty() { 0.0 } else { time(rest.strip_prefix(['T', ' '])?)? };
    // The default is 1970-01-01.
    let days = day.signed_duration_since(NaiveDate::default()).num_days();
    Some(days as f64 * 86_400.0 + time)
}

/// Seconds since 1970 of `2024-05-01` and `2024-05-01 12:30:00`, the commonest of all, without looking for their parts.
fn plain_date(field: &[u8]) -> Option<f64> {
    let pair = |tens: u8, ones: u8| match (tens, ones) {
        (b'0'..=b'9', b'0'..=b'9') => Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0')),
        _ => None,
    };
    let (date, rest) = field.split_first_chunk::<10>()?;
    let seconds = match *rest {
        [] => 0,
        [b'T' | b' ', h, hh, b':', m, mm, b':', s, ss] => {
            let (hour, minute, second) = (pair(h, hh)?, pair(m, mm)?, pair(s, ss)?);
            (hour < 24 && minute < 60 && second < 61).then_some(hour * 3600 + minute * 60 + second)?
        }
        _ => return None,
    };
    let [y, yy, yyy, yyyy, b'-', m, mm, b'-', d, dd] = *date else { return None };
    let year = i32::try_from(pair(y, yy)? * 100 + pair(yyy, yyyy)?).ok()?;
    let day = NaiveDate::from_ymd_opt(year, pair(m, mm)?, pair(d, dd)?)?;
    Some(day.signed_duration_since(NaiveDate::default()).num_days() as f64 * 86_400.0 + f64::from(seconds))
}

/// Seconds since 1970 of the date or time that `text` begins with, and its length, if it is written in the commonest way and
/// what is behind it ends the field.
#[inline]
pub fn leading_date(text: &[u8], ends: impl Fn(u8) -> bool) -> Option<(f64, usize)> {
    let is_end = |length: usize| text.len() == length || text.get(length).is_some_and(|&next| ends(next));
    let length = [10, 19].into_iter().find(|&length| is_end(length))?;
    plain_date(text.get(..length)?).map(|seconds| (seconds, length))
}

/// Seconds since 1970 of `23-Jul-03`, `23 July 2003`, `Jul 23, 2003`. Years of two digits lie between 1969 and 2068.
fn named_month(text: &str) -> Option<f64> {
    if !(8..=18).contains(&text.len()) || !text.ends_with(|last: char| last.is_ascii_digit()) {
        return None;
    }
    let mut parts = text.split(['-', ' ', '/', ',']).filter(|part| !part.is_empty());
    let (first, second, year) = (parts.next()?, parts.next()?, parts.next()?);
    let (day, month) = match month(second) {
        Some(month) => (digits(first)?, month),
        None => (digits(second)?, month(first)?),
    };
    let year = full_year(year)?;
    let day = NaiveDate::from_ymd_opt(year, month, day).filter(|_| parts.next().is_none())?;
    Some(day.signed_duration_since(NaiveDate::default()).num_days() as f64 * 86_400.0)
}

/// The year of two or four digits.
fn full_year(text: &str) -> Option<i32> {
    match (text.len(), i32::try_from(digits(text)?).ok()?) {
        (2, short @ 69..) => Some(1900 + short),
        (2, short) => Some(2000 + short),
        (4, year) => Some(year),
        _ => None,
    }
}

/// The month of an English name, or of its first three letters.
fn month(name: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let name = name.trim_end_matches('.');
    let is_named = |month: &str| {
        name.eq_ignore_ascii_case(month) || month.get(..3).is_some_and(|short| name.eq_ignore_ascii_case(short))
    };
    Some(MONTHS.iter().position(|month| is_named(month))? as u32 + 1)
}

/// A number of digits only.
fn digits(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Seconds of `12:30`, `12:30:05.25`, with `Z` or `+02:00` behind it.
fn time(text: &str) -> Option<f64> {
    let (clock, rest) = text.split_at(text.find(['Z', '+', '-']).unwrap_or(text.len()));
    let zone = if rest.is_empty() { 0.0 } else { zone(rest)? };
    let mut parts = clock.split(':');
    let (hour, minute) = (digits(parts.next()?)?, digits(parts.next()?)?);
    let second: f64 = parts.next().map_or(Some(0.0), |text| text.parse().ok())?;
    let good = hour < 24 && minute < 60 && (0.0..61.0).contains(&second) && parts.next().is_none();
    good.then(|| f64::from(hour * 3600 + minute * 60) + second - zone)
}

/// Seconds that a zone is ahead of UTC.
fn zone(text: &str) -> Option<f64> {
    if text == "Z" {
        return Some(0.0);
    }
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let bare: String = text.strip_prefix(['Z', '+', '-'])?.split(':').collect();
    let hours = digits(bare.get(..2)?)?;
    let minutes = bare.get(2..).filter(|rest| !rest.is_empty()).map_or(Some(0), digits)?;
    Some(sign * (f64::from(hours) * 3600.0 + f64::from(minutes) * 60.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_what_they_look_like() {
        let known = [
            ("1.5", Field::Number(1.5)),
            (" -2e3 ", Field::Number(-2000.0)),
            ("", Field::Missing),
            ("NA", Field::Missing),
            ("nothing", Field::Text),
            ("TRUE", Field::Truth(true)),
            ("false", Field::Truth(false)),
            ("trust", Field::Text),
            ("12:30", Field::Text),
            ("1,5", Field::Text),
            ("1,500", Field::Number(1500.0)),
            ("-", Field::Marker),
            ("?", Field::Marker),
            ("None", Field::Marker),
            ("#N/A", Field::Missing),
            ("1.2.3", Field::Text),
        ];
        for (text, field) in known {
            assert_eq!(read(text.as_bytes(), Style::default()), field, "{text}");
        }
        assert_eq!(read(b"\xff\xfe", Style::default()), Field::Text);
        let comma = Style { decimal_comma: true, ..Style::default() };
        for (text, field) in [
            ("1,5", Field::Number(1.5)),
            ("1.500", Field::Number(1500.0)),
            ("12", Field::Number(12.0)),
            ("1.5", Field::Text),
            ("", Field::Missing),
        ] {
            assert_eq!(read(text.as_bytes(), comma), field, "{text}");
        }
    }

    #[test]
    fn local_dates_tell_their_order_if_they_can() {
        let day = 86_400.0;
        let known = [
            ("13/02/1970", 43.0, DateOrder::DayFirst),
            ("02/13/1970", 43.0, DateOrder::MonthFirst),
            ("2/1/1970", 31.0, DateOrder::Either),
            ("01.02.1970", 31.0, DateOrder::DayFirst),
            ("1/2/1970 12:00", 1.5, DateOrder::Either),
            ("1/2/70", 1.0, DateOrder::Either),
            ("13/2/70", 43.0, DateOrder::DayFirst),
        ];
        for (text, days, order) in known {
            assert_eq!(local_date(text.as_bytes(), false), Some((days * day, order)), "{text}");
        }
        assert_eq!(local_date(b"2/1/1970", true), Some((day, DateOrder::Either)));
        for text in ["13/13/1970", "1.2.70", "1/2/7", "1/2/170", "32/01/1970", "1/2", "1/2/3/1970", "1.2.3.4"] {
            assert_eq!(local_date(text.as_bytes(), false), None, "{text}");
        }
    }

    #[test]
    fn leading_zeros_are_seen() {
        assert!(has_leading_zero(b"00123") && has_leading_zero(b"01") && has_leading_zero(b"01.13"));
        assert!(!["0", "0.5", "10", "-01", "", "0x1"].iter().any(|text| has_leading_zero(text.as_bytes())));
    }

    /// The quick way for plain dates and the way for all others agree; slashes go the latter.
    #[test]
    fn plain_dates_are_read_as_others() {
        let times = ["", " 00:00:00", "T23:59:59", " 12:30:60", " 12:30:61", " 24:00:00", " 1:30:00"];
        for day in ["1969-12-31", "1970-01-01", "2000-02-29", "2001-02-29", "2024-00-10", "2024-13-01", "0000-01-01"] {
            for time in times {
                let plain = format!("{day}{time}");
                let other = format!("{}{time}", day.replace('-', "/"));
                assert_eq!(date(plain.as_bytes()), date(other.as_bytes()), "{plain}");
            }
        }
        assert_eq!(read(b"2000-02-29", Style::default()), Field::Date(951_782_400.0));
        let leading = |text: &str| leading_date(text.as_bytes(), |byte| byte == b',');
        for text in ["2000-02-29", "2000-02-29,5", "2000-02-29,2001-01-01"] {
            assert_eq!(leading(text), Some((951_782_400.0, 10)), "{text}");
        }
        assert_eq!(leading("2000-02-29 00:00:01,x"), Some((951_782_401.0, 19)));
        for text in ["2000-02-29x", "2000-02-30", "", "5", "1234567890", "2000-02-29 00:00:01Z", "2000-02-29 1:00"] {
            assert_eq!(leading(text), None, "{text}");
        }
        assert_eq!(read(b"12/3/2000", Style::default()), read(b"2000-12-03", Style::default()));
        assert_eq!(read(b"1.5e-3", Style::default()), Field::Number(0.0015));
    }

    #[test]
    fn dates_are_seconds_since_1970() {
        let known = [
            ("1970-01-01", 0.0),
            ("1969-12-31", -86_400.0),
            ("2000-02-29", 951_782_400.0),
            ("2024/05/01", 1_714_521_600.0),
            ("2024-05-01T12:30:00.5Z", 1_714_566_600.5),
            ("2024-05-01 12:30+02:00", 1_714_559_400.0),
            ("0001-01-01", -62_135_596_800.0),
            ("23-Jul-03", 1_058_918_400.0),
            ("23 July 2003", 1_058_918_400.0),
            ("JUL 23, 2003", 1_058_918_400.0),
            ("1-jan-70", 0.0),
        ];
        for (text, seconds) in known {
            assert_eq!(date(text.as_bytes()), Some(seconds), "{text}");
        }
        for text in [
            "2023-02-29",
            "2024-13-01",
            "2024-05-01x",
            "2024-05-01T25:00",
            "2024-5-1",
            "20240501",
            "2024-05/01",
            "23-Foo-03",
            "31-Feb-2003",
            "May 2003",
            "Mar 5 6 2003",
            "Rev. 12, 2003x",
        ] {
            assert_eq!(date(text.as_bytes()), None, "{text}");
        }
    }
}
