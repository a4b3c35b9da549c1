//! The command line as it would be typed again.

use std::ffi::OsString;

/// The words of a command line, quoted for a shell where they need it; the program is called by its own name,
/// wherever it was started from.
pub fn line(words: &[OsString]) -> String {
    let rest = words.iter().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("arss".to_owned()).chain(rest).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_more_into_them() {
        let words = ["/opt/bin/arss", "select", "my table.csv", "-k", "5%", "it's", "$(x)", ""].map(OsString::from);
        assert_eq!(line(&words), r"arss select 'my table.csv' -k 5% 'it'\''s' '$(x)' ''");
    }
}
