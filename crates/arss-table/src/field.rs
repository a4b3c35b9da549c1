//! The value of a text field: a number, a boolean, a date, missing, or text.

use chrono::NaiveDate;

/// What stands for a missing value, besides nothing at all.
const MISSING: [&[u8]; 8] = [b"NA", b"N/A", b"n/a", b"NULL", b"null", b"None", b"?", b"#N/A"];

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
    /// Anything else.
    Text,
}

/// Reads one field, without its quotes.
pub fn read(field: &[u8]) -> Field {
    let field = field.trim_ascii();
    let Some(&first) = field.first() else { return Field::Missing };
    // Numbers first: they are what tables are made of.
    if let Ok(value) = fast_float2::parse(field) {
        return Field::Number(value);
    }
    match first {
        b'N' | b'n' | b'?' | b'#' if MISSING.contains(&field) => Field::Missing,
        b'T' | b't' if is_word(field, b"true") => Field::Truth(true),
        b'F' | b'f' if is_word(field, b"false") => Field::Truth(false),
        b'0'..=b'9' => date(field).map_or(Field::Text, Field::Date),
        _ => Field::Text,
    }
}

/// `true`, `True` or `TRUE`.
fn is_word(field: &[u8], word: &[u8]) -> bool {
    field.eq_ignore_ascii_case(word)
}

/// Seconds since 1970 of `2024-05-01`, `2024/05/01`, `2024-05-01T12:30:00.5Z`, `2024-05-01 12:30+02:00`.
pub fn date(field: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(field).ok()?;
    let mark = *field.get(4).filter(|&&mark| mark == b'-' || mark == b'/')? as char;
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

/// A number of digits only.
fn digits(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Seconds of `12:30`, `12:30:05.25`, with `Z` or `+02:00` behind it.
fn time(text: &str) -> Option<f64> {
    let (clock, zone) = match text.find(['Z', '+', '-']) {
        Some(at) => (&text[..at], zone(&text[at..])?),
        None => (text, 0.0),
    };
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
    let bare: String = text[1..].split(':').collect();
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
        ];
        for (text, field) in known {
            assert_eq!(read(text.as_bytes()), field, "{text}");
        }
        assert_eq!(read(b"\xff\xfe"), Field::Text);
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
        ];
        for (text, seconds) in known {
            assert_eq!(date(text.as_bytes()), Some(seconds), "{text}");
        }
        for text in
            ["2023-02-29", "2024-13-01", "2024-05-01x", "2024-05-01T25:00", "2024-5-1", "20240501", "2024-05/01"]
        {
            assert_eq!(date(text.as_bytes()), None, "{text}");
        }
    }
}
