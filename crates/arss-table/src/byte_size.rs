//! Sizes of memory: `500M`, `2G`, `1.5GiB`.

/// Units by their letters; all mean powers of 1024.
const UNITS: [(&str, u32); 5] = [("", 0), ("k", 10), ("m", 20), ("g", 30), ("t", 40)];

/// The number of bytes that `text` means.
pub fn parse(text: &str) -> Result<u64, String> {
    let wrong = || "it must be a size like 500M, 2G or 1.5GiB".to_owned();
    let small = text.trim().to_ascii_lowercase();
    let digits = small.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(small.len());
    let (number, unit) = small.split_at(digits);
    let unit = unit.trim().trim_end_matches('b').trim_end_matches('i');
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let (_, shift) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
    let bytes = number * 2f64.powi(*shift as i32);
    if bytes >= 1.0 && bytes < 2f64.powi(63) { Ok(bytes as u64) } else { Err(wrong()) }
}

/// A size for people, with three digits.
pub fn shown(bytes: u64) -> String {
    let (mut value, mut name) = (bytes as f64, "B");
    for larger in ["KiB", "MiB", "GiB", "TiB"] {
        if value >= 1000.0 {
            (value, name) = (value / 1024.0, larger);
        }
    }
    let decimals = if name == "B" || value >= 99.95 { 0 } else { 1 };
    format!("{value:.decimals$} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_shown() {
        assert_eq!(parse("500M"), Ok(500 << 20));
        assert_eq!(parse("2GiB"), Ok(2 << 30));
        assert_eq!(parse("1.5g"), Ok(3 << 29));
        assert_eq!(parse("64 kB"), Ok(64 << 10));
        assert_eq!(parse("12345"), Ok(12345));
        for bad in ["", "G", "-1G", "0", "1X", "1e3", "nan", "999999999T", "1.2.3M"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert_eq!([0, 999, 1536, 500 << 20, 3 << 30].map(shown), ["0 B", "999 B", "1.5 KiB", "500 MiB", "3.0 GiB"]);
    }
}
