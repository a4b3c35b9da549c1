//! How many: a number, a share, or auto.

use arss::Count;

/// The count that `text` means: `20`, `5%`, `0.05` or `auto`. Ranges are checked by the core.
pub fn parse(text: &str) -> Result<Count, String> {
    let share = |number: &str, unit: f64| number.trim().parse::<f64>().ok().map(|value| Count::Share(value / unit));
    let found = if text == "auto" {
        Some(Count::Auto)
    } else if let Some(number) = text.strip_suffix('%') {
        share(number, 100.0)
    } else if let Ok(number) = text.parse() {
        Some(Count::Exactly(number))
    } else {
        share(text, 1.0).filter(|count| matches!(count, Count::Share(value) if *value > 0.0 && *value < 1.0))
    };
    found.ok_or_else(|| "it must be a number of rows, a share (5% or 0.05), or auto".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_shares_and_auto() {
        assert_eq!(parse("20"), Ok(Count::Exactly(20)));
        assert_eq!(parse("5%"), Ok(Count::Share(0.05)));
        assert_eq!(parse("0.05"), Ok(Count::Share(0.05)));
        assert_eq!(parse("1e-3"), Ok(Count::Share(1e-3)));
        assert_eq!(parse("auto"), Ok(Count::Auto));
        for bad in ["", "%", "1.5", "-1", "nan", "many", "1.0"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
