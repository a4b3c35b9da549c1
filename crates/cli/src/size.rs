//! Sizes in bytes, as people write them.

/// The units, from large to small.
const UNITS: [(&str, u64); 4] = [("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)];

/// `1.5 GB` and the like.
pub fn text(bytes: u64) -> String {
    match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) => format!("{:.1} {name}B", bytes as f64 / *unit as f64),
        None => format!("{bytes} bytes"),
    }
}

/// Reads `500M`, `1.5G`, `2GiB`, `1000000`.
pub fn parse(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is not a size: write 500M, 2G or a number of bytes");
    let upper = text.trim().to_ascii_uppercase();
    let digits = upper.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match upper[digits.len()..].trim_end_matches('B').trim_end_matches('I') {
        "" => 1,
        name => UNITS.iter().find(|(known, _)| *known == name).ok_or_else(wrong)?.1,
    };
    match digits.trim().parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok((number * unit as f64) as u64),
        _ => Err(wrong()),
    }
}

/// Bytes that a new process could use, where the system tells.
pub fn available() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let free = read("/proc/meminfo")?.lines().find_map(|line| {
        let rest = line.strip_prefix("MemAvailable:")?;
        Some(rest.trim().trim_end_matches(" kB").parse::<u64>().ok()? << 10)
    })?;
    let group = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok()).unwrap_or(u64::MAX);
    Some(free.min(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        let known =
            [("1000", 1000), ("1K", 1024), ("1.5G", 3 << 29), ("2GiB", 2 << 30), ("500mb", 500 << 20), ("0", 0)];
        assert!(known.iter().all(|(text, bytes)| parse(text).as_ref() == Ok(bytes)));
        assert!(["", "x", "1X", "-1", "1 2", "inf"].iter().all(|text| parse(text).is_err()));
        assert_eq!([12, 3 << 29].map(text), ["12 bytes", "1.5 GB"]);
    }
}
