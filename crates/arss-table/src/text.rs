//! Names and cells in messages.

/// Names in a message before it says "and so many more".
const NAMES_SHOWN: usize = 8;
/// Longest cell in a message.
const LONGEST: usize = 40;

/// The first names, cut if they are long, and how many there are besides.
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let shown: Vec<String> = names.iter().take(NAMES_SHOWN).map(|name| named(name.as_ref())).collect();
    joined(&shown, names.len())
}

/// The first of `count` parts, as they are, and how many there are besides.
pub fn joined(parts: &[String], count: usize) -> String {
    let shown = parts.len().min(NAMES_SHOWN);
    let more = if count > shown { format!(" and {} more", count - shown) } else { String::new() };
    format!("{}{more}", parts.get(..shown).unwrap_or(parts).join(", "))
}

/// `1 row`, `1060 rows`.
///
/// ```
/// assert_eq!(arss_table::counted(1, "row"), "1 row");
/// ```
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The name, cut if it is long; the column of row names that pandas and R write has none.
pub fn named(name: &str) -> String {
    if name.trim().is_empty() { "(no name)".to_owned() } else { cut(name) }
}

/// The text, cut if it is long.
pub fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}
