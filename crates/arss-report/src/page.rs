//! The page itself: a template, a style, scripts and the data, in one file that needs no network.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::model::Report;
use crate::subject::Subject;

const TEMPLATE: &str = include_str!("../assets/report/page.html");
const STYLE: &str = include_str!("../assets/report/style.css");
/// The script, part by part: each file adds functions, the last one draws the page. None holds the end of an element.
const SCRIPTS: [&str; 10] = [
    include_str!("../assets/report/elements.js"),
    include_str!("../assets/report/data.js"),
    include_str!("../assets/report/tables.js"),
    include_str!("../assets/report/charts.js"),
    include_str!("../assets/report/map-drawing.js"),
    include_str!("../assets/report/map-controls.js"),
    include_str!("../assets/report/map.js"),
    include_str!("../assets/report/cards.js"),
    include_str!("../assets/report/sections.js"),
    include_str!("../assets/report/page.js"),
];

/// The page about `subject`.
pub fn html(subject: &Subject<'_>) -> String {
    // Numbers, strings and lists only: there is nothing that could fail.
    let data = serde_json::to_string(&Report::new(subject)).unwrap_or_default();
    fill(&escaped(&data))
}

/// Puts every part in its place, once: what was put in is never looked at again.
fn fill(data: &str) -> String {
    let script = script();
    let (script_hash, style_hash) = (hash(&script), hash(STYLE));
    let parts = [
        ("{script-hash}", script_hash.as_str()),
        ("{style-hash}", style_hash.as_str()),
        ("{style}", STYLE),
        ("{data}", data),
        ("{script}", script.as_str()),
    ];
    let mut page = String::with_capacity(data.len() + (1 << 17));
    let mut rest = TEMPLATE;
    while let Some((at, marker, part)) = parts.iter().filter_map(|(m, p)| Some((rest.find(m)?, m, p))).min() {
        page.push_str(&rest[..at]);
        page.push_str(part);
        rest = &rest[at + marker.len()..];
    }
    page + rest
}

/// The whole script, in a scope of its own.
fn script() -> String {
    format!("\"use strict\";\n(() => {{\n{}}})();\n", SCRIPTS.concat())
}

/// What the page's policy names an element by, so that no other script or style runs: its hash.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
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
        let data = r#"{"cell":"{script}{style}{data}{script-hash}"}"#;
        let page = fill(data);
        assert_eq!(page.matches(data).count(), 1);
        assert!(page.contains(&script()) && page.contains(STYLE));
        for marker in ["{script-hash}", "{style-hash}", "{style}", "{data}", "{script}"] {
            assert_eq!(TEMPLATE.matches(marker).count(), 1, "{marker}");
        }
    }

    #[test]
    fn the_policy_names_the_script_by_its_hash() {
        assert_eq!(hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
        let page = fill("{}");
        let policy = page.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
        assert!(policy.contains(&format!("script-src '{}'", hash(&script()))), "{policy}");
        assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{policy}");
    }

    #[test]
    fn no_script_ends_early_or_asks_for_a_file() {
        for part in SCRIPTS.into_iter().chain([STYLE]) {
            let small = part.to_ascii_lowercase();
            assert!(!small.contains("</script") && !small.contains("<!--") && !small.contains("</style"), "{part}");
            assert!(!small.contains("sourcemappingurl") && !small.contains("innerhtml"), "{part}");
        }
    }
}
