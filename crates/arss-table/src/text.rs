//! Names and cells in messages.

/// Names in a message before it says "and so many more".
const NAMES_SHOWN: usize = 8;
/// Longest cell in a message.
const LONGEST: usize = 40;

/// The first names, and how many there are besides.
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let shown = names.len().min(NAMES_SHOWN);
    let more = if names.len() > shown { format!(" and {} more", names.len() - shown) } else { String::new() };
    let first: Vec<String> = names[..shown].iter().map(|name| cut(name.as_ref())).collect();
    format!("{}{more}", first.join(", "))
}

/// The text, cut if it is long.
pub fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}
