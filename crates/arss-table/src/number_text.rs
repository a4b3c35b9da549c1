//! Short text for numbers.

/// A number with about five digits; `-` where there is none.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        "-".to_owned()
    } else if size == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e6).contains(&size) {
        format!("{value:.4e}")
    } else {
        let decimals = (4 - size.log10().floor() as i32).clamp(0, 7) as usize;
        format!("{value:.decimals$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 1.5, -12345.678, 1e-5, 1e150, 0.0123456, f64::NAN].map(number);
        assert_eq!(shown, ["0", "1.5000", "-12346", "1.0000e-5", "1.0000e150", "0.012346", "-"]);
    }
}
