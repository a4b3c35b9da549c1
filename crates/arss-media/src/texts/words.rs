//! The words of a text in any language.

/// Longer runs of letters are no words but codes.
const LONGEST: usize = 40;

/// Calls `visit` with each word of a text, in lower case.
///
/// A word is a run of letters, digits and marks; an apostrophe between letters is part of it. Numbers are words if they have
/// at most four digits, such as years. Where words are not separated by spaces, as in Chinese, Japanese and Thai, each pair
/// of neighbouring letters is one.
pub fn each_word(text: &str, visit: &mut dyn FnMut(&str)) {
    let mut word = String::new();
    let mut letters = text.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(letter) = letters.next() {
        if is_unspaced(letter) {
            finish(&mut word, visit);
            if let Some(before) = before {
                let mut pair = String::from(before);
                pair.push(letter);
                visit(&pair);
            } else if !letters.peek().is_some_and(|next| is_unspaced(*next)) {
                visit(&letter.to_string());
            }
            before = Some(letter);
            continue;
        }
        before = None;
        let joins = matches!(letter, '\'' | '\u{2019}')
            && word.chars().next_back().is_some_and(char::is_alphabetic)
            && letters.peek().is_some_and(|next| next.is_alphabetic());
        if joins {
            word.push('\'');
        } else if letter.is_alphanumeric() || is_mark(letter) && !word.is_empty() {
            word.extend(letter.to_lowercase());
        } else {
            finish(&mut word, visit);
        }
    }
    finish(&mut word, visit);
}

fn finish(word: &mut String, visit: &mut dyn FnMut(&str)) {
    let is_number = word.chars().all(|letter| letter.is_numeric());
    let length = word.chars().count();
    if !word.is_empty() && length <= LONGEST && !(is_number && length > 4) {
        // "nation's" is about the nation.
        visit(word.strip_suffix("'s").unwrap_or(word));
    }
    word.clear();
}

/// Letters of scripts that do not put spaces between words.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}'
        | '\u{0E01}'..='\u{0E4E}' | '\u{0E81}'..='\u{0EDF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17D3}')
}

/// Signs that belong to the letter before them.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{0300}'..='\u{036F}' | '\u{0483}'..='\u{0489}' | '\u{0591}'..='\u{05C7}'
        | '\u{064B}'..='\u{0670}' | '\u{0900}'..='\u{0903}' | '\u{093A}'..='\u{094F}' | '\u{0980}'..='\u{0DFF}'
        | '\u{200C}'..='\u{200D}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        each_word(text, &mut |word| found.push(word.to_owned()));
        found
    }

    #[test]
    fn words_of_many_languages() {
        assert_eq!(words("The Nation's debt, 1862: it isn't 12345!"), ["the", "nation", "debt", "1862", "it", "isn't"]);
        assert_eq!(words("Größe ÉCOLE Москва"), ["größe", "école", "москва"]);
        assert_eq!(words("日本語 text 字"), ["日本", "本語", "text", "字"]);
        assert_eq!(words("हिन्दी भाषा"), ["हिन्दी", "भाषा"]);
        assert_eq!(words(" ... -- "), Vec::<String>::new());
        assert_eq!(words(&"x".repeat(100)), Vec::<String>::new());
    }
}
