//! The page itself: a template, a style, scripts and the data, in one file that needs no network.

use crate::model::Report;
use crate::subject::Subject;

const TEMPLATE: &str = include_str!("../assets/report/page.html");

/// What stands where a marker is in the template. Each script is whole: none holds the end of a script element.
const PARTS: [(&str, &str); 7] = [
    ("{style}", include_str!("../assets/report/style.css")),
    ("{vega}", include_str!("../assets/vendor/vega.min.js")),
    ("{vega-lite}", include_str!("../assets/vendor/vega-lite.min.js")),
    ("{vega-embed}", include_str!("../assets/vendor/vega-embed.min.js")),
    ("{licences}", include_str!("../assets/vendor/LICENSES.txt")),
    ("{tables}", include_str!("../assets/report/tables.js")),
    ("{script}", include_str!("../assets/report/script.js")),
];

/// The page about `subject`.
pub fn html(subject: &Subject<'_>) -> String {
    // Numbers, strings and lists only: there is nothing that could fail.
    let data = serde_json::to_string(&Report::new(subject)).unwrap_or_default();
    fill(TEMPLATE, &escaped(&data))
}

/// Puts every part in its place, once: what was put in is never looked at again.
fn fill(template: &str, data: &str) -> String {
    let parts = || PARTS.iter().copied().chain([("{data}", data)]);
    let mut page = String::with_capacity(data.len() + (1 << 20));
    let mut rest = template;
    while let Some((at, marker, part)) = parts().filter_map(|(m, p)| Some((rest.find(m)?, m, p))).min() {
        page.push_str(&rest[..at]);
        page.push_str(part);
        rest = &rest[at + marker.len()..];
    }
    page + rest
}

/// JSON without any character that means something in HTML or ends a line in a script: in JSON these stand in
/// strings only, where they may be written as numbers.
pub fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => text += &format!("\\u{:04x}", character as u32),
            _ => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        let cell = "</script><img src=x onerror=alert(1)>&amp;<!--\u{2028}\u{2029}'\"\\";
        let json = serde_json::to_string(cell).unwrap();
        let text = escaped(&json);
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{text}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), cell);
    }

    #[test]
    fn every_marker_is_filled_once_and_data_is_not_looked_into() {
        let data = r#"{"cell":"{script}{style}{data}"}"#;
        let page = fill(TEMPLATE, data);
        assert_eq!(page.matches(data).count(), 1);
        for (marker, part) in PARTS {
            assert_eq!(TEMPLATE.matches(marker).count(), 1, "{marker}");
            assert!(page.contains(part), "{marker}");
        }
        assert_eq!(TEMPLATE.matches("{data}").count(), 1);
    }

    #[test]
    fn no_script_ends_early_or_asks_for_a_file() {
        for (marker, part) in PARTS {
            let small = part.to_ascii_lowercase();
            assert!(!small.contains("</script") && !small.contains("<!--") && !small.contains("</style"), "{marker}");
            assert!(!small.contains("sourcemappingurl"), "{marker}");
        }
    }
}
