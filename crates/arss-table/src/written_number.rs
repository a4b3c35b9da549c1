//! Numbers as people write them: 1,234.5 and 1.234,5, $ 12, 45 %, (300) and 12 345.

/// Longer texts are no numbers.
const LONGEST: usize = 40;
/// What stands before or behind an amount.
const CURRENCIES: [&str; 29] = [
    "$", "€", "£", "¥", "₹", "₩", "₽", "₺", "₪", "zł", "Kč", "kr", "R$", "US$", "USD", "EUR", "GBP", "CHF", "JPY",
    "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "CAD", "AUD", "BRL",
];
/// Spaces that separate groups of digits: plain, no-break, narrow no-break, thin.
const SPACES: [char; 4] = [' ', '\u{a0}', '\u{202f}', '\u{2009}'];

/// The number that a text without spaces around it stands for; a share of 100 for per cent.
pub fn written_number(field: &[u8], decimal_comma: bool) -> Option<f64> {
    if field.len() > LONGEST || !field.iter().any(u8::is_ascii_digit) {
        return None;
    }
    let mut text = std::str::from_utf8(field).ok()?;
    let mut sign = 1.0;
    if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        (text, sign) = (trimmed(inner), -1.0);
    }
    let mut unit = 1.0;
    if let Some(before) = text.strip_suffix('%') {
        (text, unit) = (trimmed(before), 0.01);
    }
    let signed = |text: &'_ str| text.starts_with(['-', '\u{2212}', '+']);
    let minus = |text: &str| if text.starts_with('+') { 1.0 } else { -1.0 };
    let mut is_signed = signed(text);
    if is_signed {
        sign *= minus(text);
        text = trimmed(behind_first(text));
    }
    let bare = without_currency(text);
    // The sign stands before the currency or behind it, once.
    if bare.len() < text.len() && !is_signed && signed(bare) {
        is_signed = true;
        sign *= minus(bare);
        text = trimmed(behind_first(bare));
    } else {
        text = bare;
    }
    // Accounting programs write the minus behind the digits.
    if let Some(before) = text.strip_suffix(['-', '\u{2212}']).filter(|_| !is_signed && sign > 0.0) {
        (text, sign) = (trimmed(before), -1.0);
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == ',') || (is_signed && signed(text)) {
        return None;
    }
    let plain = plain_digits(text, decimal_comma)?;
    fast_float2::parse::<f64, _>(plain.as_bytes()).ok().map(|value| sign * value * unit)
}

/// The text without its first letter.
fn behind_first(text: &str) -> &str {
    let mut letters = text.chars();
    letters.next();
    letters.as_str()
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| SPACES.contains(&c))
}

fn without_currency(text: &str) -> &str {
    let before = CURRENCIES.iter().find_map(|mark| text.strip_prefix(mark));
    let bare = before.or_else(|| CURRENCIES.iter().find_map(|mark| text.strip_suffix(mark)));
    bare.map_or(text, trimmed)
}

/// The digits without what separates their groups, with a point for the decimal mark.
fn plain_digits(text: &str, decimal_comma: bool) -> Option<String> {
    let (decimal, group) = if decimal_comma { (',', '.') } else { ('.', ',') };
    let (whole, behind) = match text.split_once(decimal) {
        Some((whole, behind)) => (whole, Some(behind)),
        None => (text, None),
    };
    let separator = whole.chars().find(|c| !c.is_ascii_digit());
    let mut plain = match separator {
        None => whole.to_owned(),
        // An exponent without decimals: 1e5 is left to the usual parser, which decimal commas do without.
        Some('e' | 'E') if behind.is_none() => return decimal_comma.then(|| text.to_owned()),
        Some(mark) if mark == group || mark == '\'' || SPACES.contains(&mark) => {
            let mut groups = whole.split(mark);
            let first = groups.next()?;
            let good = (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3);
            let digits: String = whole.split(mark).collect();
            (good && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)?
        }
        Some(_) => return None,
    };
    if let Some(behind) = behind {
        let digits = behind.split(['e', 'E']).next().unwrap_or_default();
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) || (plain.is_empty() && digits.is_empty()) {
            return None;
        }
        plain.push('.');
        plain.push_str(behind);
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        let known = [
            ("1,234.5", 1234.5),
            ("1,234,567", 1_234_567.0),
            ("12 345", 12_345.0),
            ("12\u{202f}345.5", 12_345.5),
            ("1'000", 1000.0),
            ("$1,200", 1200.0),
            ("-$5", -5.0),
            ("$-5", -5.0),
            ("€ 5.50", 5.5),
            ("5 EUR", 5.0),
            ("(300)", -300.0),
            ("($1,000.5)", -1000.5),
            ("50%", 0.5),
            ("50 %", 0.5),
            ("\u{2212}3", -3.0),
            ("39.5-", -39.5),
            ("1,000.00-", -1000.0),
            ("5.00- €", -5.0),
            ("250 kr", 250.0),
            ("R$ 12", 12.0),
        ];
        for (text, value) in known {
            assert_eq!(written_number(text.as_bytes(), false), Some(value), "{text}");
        }
        let known = [
            ("1,5", 1.5),
            ("1.234,5", 1234.5),
            ("1.234", 1234.0),
            ("-0,25", -0.25),
            (",5", 0.5),
            ("7", 7.0),
            ("1,5e3", 1500.0),
            ("2e3", 2000.0),
            ("45,5 %", 0.455),
        ];
        for (text, value) in known {
            assert_eq!(written_number(text.as_bytes(), true), Some(value), "{text}");
        }
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "1,5", "1,23,456", "1,2345", "12:30", "1.2.3", "--5", "+-5", "$", "%", "1-2", "-5-", "(5-)", "-", "5--",
            "5 apples", "(5", "1 2", "A5",
        ] {
            assert_eq!(written_number(text.as_bytes(), false), None, "{text}");
        }
        for text in ["1.5", "1,2,3", "1.23", "1.2345"] {
            assert_eq!(written_number(text.as_bytes(), true), None, "{text}");
        }
    }
}
