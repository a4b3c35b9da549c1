//! What a column is, and whether it is chosen by: a number, a category, a name of rows, a row counter.

use crate::ByName;
use crate::column_kinds::{ColumnKind, KindCounts};
use crate::dictionary::{Dictionary, MOST_CATEGORIES};
use crate::number_stats::NumberStats;

/// Texts of a category column; more of them are not encoded without being asked for.
pub const FEW: usize = 64;
/// From this share of different texts on, they name the rows.
const NEARLY_UNIQUE: f64 = 0.9;
/// The same where only the first rows are known.
const ALL_BUT_UNIQUE: f64 = 0.97;
/// Fewer rows do not show that a column counts.
const COUNTED: usize = 5;
/// The least span of numbers that name subjects: a smaller one may be a count, or groups.
const SEVERAL: f64 = 9.0;
/// Fewer rows do not show that unique numbers name the rows.
const NAMED: usize = 20;
/// Digits from which on numbers of a fixed width may be codes: shorter ones may be years or measures. From the second on
/// they are.
const CODE_DIGITS: (usize, usize) = (5, 9);

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnRole {
    /// Numbers to reckon with.
    Number,
    /// Few texts, each of several rows.
    Category,
    /// Dates and times.
    Date,
    /// true and false.
    Flag,
    /// Texts, too many for categories.
    Text,
    /// Names of rows.
    Identifier,
    /// Counts the rows.
    Counter,
    /// The same in every row.
    Constant,
    /// A list of numbers in each row.
    Vector,
    /// Lists or structures that are no vectors.
    Nested,
    /// Nothing.
    Empty,
}

impl ByName for ColumnRole {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![
            ("number", ColumnRole::Number, "Chosen by, as a number"),
            ("category", ColumnRole::Category, "Chosen by, as a category"),
            ("date", ColumnRole::Date, "Chosen by, as a date"),
            ("flag", ColumnRole::Flag, "Chosen by, as true or false"),
            ("vector", ColumnRole::Vector, "Chosen by, as a list of numbers"),
            ("text", ColumnRole::Text, "Left out"),
            ("identifier", ColumnRole::Identifier, "Left out: it names the rows"),
            ("counter", ColumnRole::Counter, "Left out: it counts the rows"),
            ("constant", ColumnRole::Constant, "Left out: it is the same in every row"),
        ]
    }
}

impl ColumnRole {
    /// True for roles that are chosen by.
    pub fn is_feature(self) -> bool {
        matches!(
            self,
            ColumnRole::Number | ColumnRole::Category | ColumnRole::Date | ColumnRole::Flag | ColumnRole::Vector
        )
    }

    /// True for names of columns whose digits name something: zip codes, phone numbers.
    ///
    /// ```
    /// use arss_table::ColumnRole;
    /// assert!(ColumnRole::is_code_name("home.phone") && !ColumnRole::is_code_name("zipper"));
    /// ```
    pub fn is_code_name(name: &str) -> bool {
        is_code_name(name)
    }

    /// What a column of numbers is, and why; NaN where there is none.
    ///
    /// ```
    /// use arss_table::ColumnRole;
    /// assert_eq!(ColumnRole::of_numbers("x", &[1.0, 2.0, 3.0, 4.0, 5.0]).0, ColumnRole::Counter);
    /// ```
    pub fn of_numbers(name: &str, numbers: &[f64]) -> (Self, String) {
        let mut stats = NumberStats::default();
        stats.add(numbers);
        of_numbers(name, &stats, numbers.len())
    }

    /// What a column of texts is, and why; missing ones are left away.
    ///
    /// ```
    /// use arss_table::ColumnRole;
    /// assert_eq!(ColumnRole::of_texts("colour", &["red", "blue", "red", "blue"]).0, ColumnRole::Category);
    /// ```
    pub fn of_texts<T: AsRef<str>>(name: &str, texts: &[T]) -> (Self, String) {
        let mut dictionary = Dictionary::default();
        for (row, text) in texts.iter().enumerate() {
            dictionary.limited_code(text.as_ref(), row);
        }
        of_texts(name, &dictionary, &KindCounts::of(ColumnKind::Text, texts.len()))
    }

    /// The name of the role.
    pub fn name(self) -> &'static str {
        match self {
            ColumnRole::Nested => "nested",
            ColumnRole::Empty => "empty",
            known => ColumnRole::all().into_iter().find(|(_, role, _)| *role == known).map_or("", |(name, _, _)| name),
        }
    }
}

/// A column of the file: what it is, and what was made of it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ColumnInfo {
    /// Its name.
    pub name: String,
    /// What it is.
    pub role: ColumnRole,
    /// Whether it is chosen by.
    pub used: bool,
    /// Why it is not, or how it is.
    pub why: String,
}

/// What a column of numbers is.
pub fn of_numbers(name: &str, numbers: &NumberStats, rows: usize) -> (ColumnRole, String) {
    if numbers.is_constant() && rows > 1 {
        return (ColumnRole::Constant, "the same in every row".to_owned());
    }
    let likeness = name_likeness(name);
    if rows >= COUNTED && (numbers.counts_rows() || numbers.is_steady()) {
        return (ColumnRole::Counter, "counts the rows".to_owned());
    }
    if numbers.counts_in_parts() && !is_calendar_name(name) {
        return (ColumnRole::Counter, "counts the rows, and begins again".to_owned());
    }
    if likeness == NameLikeness::Index || (likeness == NameLikeness::Strong && numbers.is_whole()) {
        return (ColumnRole::Identifier, "named like an identifier".to_owned());
    }
    let (low, high) = numbers.range();
    if names_somebody(name) && numbers.is_whole() && high - low >= SEVERAL {
        return (ColumnRole::Identifier, "a number for each subject".to_owned());
    }
    let fixed = numbers
        .digits()
        .is_some_and(|digits| digits >= CODE_DIGITS.1 || (digits >= CODE_DIGITS.0 && numbers.is_even()));
    let fixed = fixed && !numbers.drifts() && !is_measure_name(name);
    let names_rows = match likeness {
        NameLikeness::Weak => true,
        // visits_no counts visits, order_no numbers orders.
        NameLikeness::Hint => numbers.is_dense() || numbers.rises() || fixed,
        _ => rows >= NAMED && (numbers.is_dense() || fixed),
    };
    let calendar = is_calendar(name, numbers);
    if numbers.is_unique() && names_rows && !calendar {
        return (ColumnRole::Identifier, "a whole number of its own for each row".to_owned());
    }
    (ColumnRole::Number, if calendar { "as a number".to_owned() } else { String::new() })
}

/// What a column of text is.
pub fn of_texts(name: &str, dictionary: &Dictionary, seen: &KindCounts) -> (ColumnRole, String) {
    let filled = seen.numbers + seen.truths + seen.dates + seen.texts + seen.markers;
    let (texts, rows) = match dictionary.full_after {
        Some(rows) => (MOST_CATEGORIES + 1, rows + 1),
        None => (dictionary.counts.iter().filter(|count| **count > 0).count(), filled),
    };
    if texts <= 1 && filled > 1 {
        return (ColumnRole::Constant, "the same in every row".to_owned());
    }
    // Whoever gave it an order knows better than what it looks like.
    if dictionary.ordered {
        return (ColumnRole::Category, format!("{} values in their order", dictionary.names.len()));
    }
    // Of a long column only the beginning is known, where texts have had less time to come again.
    let nearly = if dictionary.full_after.is_some() { ALL_BUT_UNIQUE } else { NEARLY_UNIQUE };
    if texts as f64 >= nearly * rows as f64 {
        return (ColumnRole::Identifier, "a text of its own for nearly each row".to_owned());
    }
    if matches!(name_likeness(name), NameLikeness::Index | NameLikeness::Strong) {
        return (ColumnRole::Identifier, "named like an identifier".to_owned());
    }
    if texts <= FEW && 2 * texts <= filled {
        return (ColumnRole::Category, format!("{texts} values"));
    }
    let count = if dictionary.full_after.is_some() { format!("over {MOST_CATEGORIES}") } else { texts.to_string() };
    (ColumnRole::Text, format!("{count} different texts"))
}

/// How much the name of a column looks like that of an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameLikeness {
    /// No name at all, `rownames` and the like: an index.
    Index,
    /// `id`, `customer_id`, `customerID`.
    Strong,
    /// `index`, `no`, `key`: only if the values are unique, too.
    Weak,
    /// `order_no`, `sort_key`: only if the values look like it, too.
    Hint,
    /// Anything else.
    None,
}

fn name_likeness(name: &str) -> NameLikeness {
    let name = name.trim();
    let lower = name.to_ascii_lowercase();
    let separated = |end: &str| lower.strip_suffix(end).is_some_and(|start| start.ends_with(['_', '.', ' ', '-']));
    let humped = name.strip_suffix("ID").or(name.strip_suffix("Id"));
    let humped = humped.is_some_and(|start| start.ends_with(|c: char| c.is_ascii_lowercase()));
    let index = ["rownames", "rowname", "row.names", "row_names", "rownum", "row_number"];
    if lower.is_empty() || lower.starts_with("unnamed:") || index.contains(&lower.as_str()) {
        return NameLikeness::Index;
    }
    if ["id", "uuid", "guid", "rowid"].contains(&lower.as_str()) {
        return NameLikeness::Strong;
    }
    if humped || separated("id") || separated("uuid") || lower.starts_with("id_") {
        return NameLikeness::Strong;
    }
    let weak = ["index", "idx", "no", "no.", "nr", "nr.", "key", "row", "obs", "case", "record", "seq", "#"];
    if weak.contains(&lower.as_str()) {
        return NameLikeness::Weak;
    }
    if separated("no") || separated("nr") || separated("key") { NameLikeness::Hint } else { NameLikeness::None }
}

/// True for names of whoever has several rows in a table of repeated measurements.
fn names_somebody(name: &str) -> bool {
    let names = ["subject", "subj", "individual", "participant", "respondent", "person", "patient"];
    names.contains(&name.trim().to_ascii_lowercase().as_str())
}

/// True for names of counts and amounts: of a fixed width or not, they are measured.
fn is_measure_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let words = || lower.split(|c: char| !c.is_ascii_alphanumeric());
    let measures = [
        "pop", "count", "amount", "price", "income", "salary", "salarie", "wage", "sale", "revenue", "cost", "value",
        "gdp", "area", "distance", "weight", "score", "sum", "mean", "avg", "birth", "death", "budget",
    ];
    let is_measure = |word: &str| {
        let stem = word.strip_suffix('s').unwrap_or(word);
        measures.contains(&stem)
            || measures.contains(&word)
            || ["population", "tot"].iter().any(|m| word.starts_with(m))
    };
    !words().any(|word| word == "code") && words().any(is_measure)
}

/// True for names of columns whose digits name something: zip codes, phone numbers.
pub fn is_code_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let codes = [
        "zip",
        "zipcode",
        "postcode",
        "postal",
        "plz",
        "phone",
        "telephone",
        "tel",
        "mobile",
        "fax",
        "fips",
        "ssn",
        "isbn",
        "ean",
        "iban",
    ];
    // ISO numbers of countries; `iso` by itself is the sensitivity of a film.
    let of_countries =
        words.contains(&"iso") && words.iter().any(|word| ["num", "numeric", "code", "n3"].contains(word));
    of_countries || words.iter().any(|word| codes.contains(word))
}

/// True for names of parts of a date or time, which are numbers with or without leading zeros.
pub fn is_calendar_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let parts = ["year", "yr", "month", "day", "week", "hour", "minute", "second", "quarter", "yday", "doy"];
    // The last word says what it is: birth_year, but neither second_floor nor months_since_inquiry.
    let last = lower.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    parts.contains(&last.trim_end_matches('s'))
}

fn is_calendar(name: &str, numbers: &NumberStats) -> bool {
    let (low, high) = numbers.range();
    numbers.is_days() || (is_calendar_name(name) && numbers.is_whole() && low >= 0.0 && high < 10_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{self, Style};

    fn number_role(name: &str, numbers: &[f64]) -> ColumnRole {
        let mut stats = NumberStats::default();
        stats.add(numbers);
        of_numbers(name, &stats, numbers.len()).0
    }

    fn text_role(name: &str, texts: &[&str]) -> ColumnRole {
        let (mut dictionary, mut seen) = (Dictionary::default(), KindCounts::default());
        for (row, text) in texts.iter().enumerate() {
            seen.add_text(text.as_bytes(), field::read(text.as_bytes(), Style::default()), row);
            dictionary.limited_code(text, row);
        }
        of_texts(name, &dictionary, &seen).0
    }

    #[test]
    fn numbers_count_name_or_measure() {
        let counting: Vec<f64> = (1..=30).map(f64::from).collect();
        assert_eq!(number_role("x", &counting), ColumnRole::Counter);
        let steps: Vec<f64> = (0..30).map(|row| 1871.0 + 0.25 * f64::from(row)).collect();
        assert_eq!(number_role("time", &steps), ColumnRole::Counter);
        let shuffled: Vec<f64> = (0..31).map(|row| f64::from(row * 7 % 31)).collect();
        assert_eq!(number_role("rank", &shuffled), ColumnRole::Identifier);
        let populations: Vec<f64> = (0..30).map(|row| f64::from(row * row * 997 + 13)).collect();
        assert_eq!(number_role("population", &populations), ColumnRole::Number);
        assert_eq!(number_role("no", &populations), ColumnRole::Identifier);
        assert_eq!(number_role("order_no", &populations), ColumnRole::Identifier);
        assert_eq!(number_role("cancer_no", &[61.0, 106.0, 21.0, 59.0, 13.0, 43.0]), ColumnRole::Number);
        let days: Vec<f64> = (0..24).map(|row| f64::from(19_580_105 + row * 7919 % 24 + 100 * (row % 12))).collect();
        assert_eq!(number_role("date", &days), ColumnRole::Number);
        let codes: Vec<f64> = (0..30).map(|row| f64::from(100_000 + (row * 7919) % 8999)).collect();
        assert_eq!(number_role("account", &codes), ColumnRole::Identifier);
        assert_eq!(number_role("PopulationK", &codes), ColumnRole::Number);
        assert_eq!(number_role("county_code", &codes), ColumnRole::Identifier);
        assert_eq!(number_role("area_code", &codes), ColumnRole::Identifier);
        assert_eq!(number_role("account", &codes[..10]), ColumnRole::Number);
        let births: Vec<f64> = (0..30).map(|row| f64::from(1_900_000 + (29 - row) * row * 100 + row)).collect();
        assert_eq!(number_role("boys", &births), ColumnRole::Number);
        let subjects: Vec<f64> = (0..60).map(|row| f64::from(308 + row / 5)).collect();
        assert_eq!(number_role("Subject", &subjects), ColumnRole::Identifier);
        assert_eq!(number_role("subjects", &subjects), ColumnRole::Number);
        // As few as these may be a count, or groups.
        assert_eq!(number_role("person", &[1.0, 2.0, 2.0, 1.0, 4.0, 3.0]), ColumnRole::Number);
        assert_eq!(number_role("customer_id", &[3.0, 3.0, 4.0, 9.0, 9.0, 4.0]), ColumnRole::Identifier);
        assert_eq!(number_role("rownames", &[1.1, 1.2, 2.1, 2.2, 3.1]), ColumnRole::Identifier);
        assert_eq!(number_role("humid", &[3.0, 3.0, 4.0, 9.0, 9.0, 4.0]), ColumnRole::Number);
        assert_eq!(number_role("k", &[2.0, 2.0, 2.0]), ColumnRole::Constant);
        let samples: Vec<f64> = [152, 68, 124].into_iter().flat_map(|count| (1..=count).map(f64::from)).collect();
        assert_eq!(number_role("Sample Number", &samples), ColumnRole::Counter);
        assert_eq!(number_role("yday", &samples), ColumnRole::Number);
        // Too few to tell.
        assert_eq!(number_role("x", &[1.0, 2.0]), ColumnRole::Number);
    }

    #[test]
    fn texts_are_categories_names_or_texts() {
        let kinds: Vec<&str> = (0..40).map(|row| ["fern", "moss", "oak"][row % 3]).collect();
        assert_eq!(text_role("kind", &kinds), ColumnRole::Category);
        assert_eq!(text_role("kind", &["moss"; 10]), ColumnRole::Constant);
        let names: Vec<String> = (0..3000).map(|row| format!("n{row}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(text_role("name", &names), ColumnRole::Identifier);
        assert_eq!(text_role("name", &names[..30]), ColumnRole::Identifier);
        let pairs: Vec<&str> = (0..3000).map(|row| names[row / 2]).collect();
        assert_eq!(text_role("word", &pairs), ColumnRole::Text);
        assert_eq!(text_role("word", &pairs[..300]), ColumnRole::Text);
    }

    #[test]
    fn names_tell_codes_and_calendars() {
        assert!(is_code_name("zip") && is_code_name("home.phone") && !is_code_name("zipper") && !is_code_name("price"));
        assert!(is_code_name("iso_num") && is_code_name("ISO code") && !is_code_name("iso") && !is_code_name("num"));
        assert!(is_calendar_name("Year") && is_calendar_name("birth_month") && !is_calendar_name("yearling"));
    }
}
