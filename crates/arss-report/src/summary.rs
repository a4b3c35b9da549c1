//! What was asked and found, in words.

use arss::{Count, Method, Note, SetAside, Status};
use arss_table::number_text::number;

use crate::subject::Subject;

/// Picks that are named in a sentence.
const NAMED: usize = 5;
/// From this confidence on rows differ clearly, from this visibly.
const CLEAR: f64 = 0.8;
const UNCLEAR: f64 = 0.5;

/// What was asked, what was found, and what is strange: a sentence each.
pub fn sentences(subject: &Subject<'_>) -> [String; 3] {
    [asked(subject), found(subject), strange(subject)]
}

fn asked(subject: &Subject<'_>) -> String {
    let count = match subject.count {
        Count::Exactly(k) => counted(k, subject.item()),
        Count::Share(share) => format!("{} of the {}s", percent(share), subject.item()),
        Count::Auto => format!("As many {}s as pay", subject.item()),
    };
    let rows = subject.table.matrix.shape().0;
    let mut columns = subject.table.feature_columns.clone();
    columns.dedup();
    format!(
        "{count} that stand for all of {} ({}, {}) were asked for; the method is {}.",
        subject.input,
        counted(rows, "row"),
        counted(columns.len(), "column") + " to choose by",
        subject.method.name()
    )
}

fn found(subject: &Subject<'_>) -> String {
    let selection = subject.selection;
    let (item, picks) = (subject.item(), &selection.indices);
    let named: Vec<String> = picks.iter().take(NAMED).map(|&pick| named(subject, pick)).collect();
    let more = if picks.len() > NAMED { ", ..." } else { "" };
    let plural = if picks.len() == 1 { "" } else { "s" };
    let mut text = format!("It chose {item}{plural} {}{more} ({} in all)", named.join(", "), picks.len());
    if let Some(assignment) = &selection.assignment {
        let least = assignment.shares.iter().copied().fold(1.0, f64::min);
        let most = assignment.shares.iter().copied().fold(0.0, f64::max);
        let covered = assignment.coverage.last().copied().unwrap_or_default();
        let each = if picks.len() == 1 {
            format!("it stands for {} of the {item}s", percent(most))
        } else {
            format!("each stands for {} to {} of the {item}s", percent(least), percent(most))
        };
        text += &format!("; {each}, and {item}s are {} similar to their exemplar on average", percent(covered));
    } else if let Some(certificate) = certificate(subject) {
        text += &format!("; {certificate}");
    } else {
        text += &format!("; {}", ending(subject));
    }
    text + "."
}

/// What people call an item: a row by its number in the file, a column by its name.
fn named(subject: &Subject<'_>, item: usize) -> String {
    if subject.chose_columns { subject.table.feature_names[item].clone() } else { subject.number(item).to_string() }
}

fn strange(subject: &Subject<'_>) -> String {
    let item = subject.item();
    let Some(scores) = subject.outlier_scores() else {
        return "There are no outlier scores to tell of.".to_owned();
    };
    let strangest = strangest(subject, 1)[0];
    let named = format!("{item} {} (outlier score {})", named(subject, strangest), number(scores[strangest]));
    let Some(threshold) = subject.threshold() else {
        return format!("The {item} that the choice explains least is {named}; this method knows no threshold.");
    };
    let count = (0..subject.items()).filter(|&at| subject.is_outlier(at)).count();
    if count == 0 {
        return format!("No {item} looks like an outlier, a score above {threshold}; the strangest is {named}.");
    }
    let gated = matches!(subject.method, Method::Exemplars(settings) if settings.gate);
    let fate = match (gated, threshold) {
        (true, 1.0) => "were set aside",
        (true, _) => "were set aside if it is above 1",
        _ => "could be chosen all the same (--no-gate)",
    };
    let share = percent(count as f64 / subject.items() as f64);
    let outliers = if count == 1 { "looks like an outlier" } else { "look like outliers" };
    let fate = if count == 1 { fate.replace("were", "was") } else { fate.to_owned() };
    format!(
        "{} ({share}) {outliers}, a score above {threshold}, and {fate}; the strangest is {named}.",
        counted(count, item)
    )
}

/// Which rows were set aside, how sure that is, what they look like, and how to keep them; none if all were kept.
pub fn set_aside(subject: &Subject<'_>) -> Option<String> {
    let aside = subject.selection.report.set_aside()?;
    let SetAside { rows, items, confidence, company } = aside;
    let item = subject.item();
    let clearly = match confidence {
        confidence if confidence >= CLEAR => "clearly",
        confidence if confidence >= UNCLEAR => "visibly",
        _ => "not clearly",
    };
    let like = if aside.looks_like_a_group() { "a group of their own" } else { "scattered errors" };
    let keep = match subject.more.threshold {
        // `arss outliers` has no gate to open.
        Some(_) => "with a larger --threshold",
        None => "by --no-gate on the command line, or gate=False in Python",
    };
    if rows == 1 {
        return Some(format!(
            "One of {} {item}s was neither chosen nor represented. Confidence {confidence:.2} of 1: it differs {clearly} \
             from the others. If it belongs to the table, keep it {keep}.",
            thousands(items),
        ));
    }
    Some(format!(
        "{} of {} {item}s ({}) were neither chosen nor represented. Confidence {confidence:.2} of 1: they differ {clearly} \
         from the others. {} of them have another one near by, so they look like {like}. If they belong to the \
         table, keep them {keep}.",
        thousands(rows),
        thousands(items),
        percent(rows as f64 / items as f64),
        percent(company),
    ))
}

/// The items with the largest outlier scores, the largest first.
pub fn strangest(subject: &Subject<'_>, count: usize) -> Vec<usize> {
    let scores = &subject.selection.residuals;
    let mut order: Vec<usize> = (0..scores.len()).filter(|&item| scores[item].is_finite()).collect();
    let by_score = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
    if count < order.len() {
        order.select_nth_unstable_by(count, by_score);
        order.truncate(count);
    }
    order.sort_by(by_score);
    order
}

/// How the solver ended.
pub fn ending(subject: &Subject<'_>) -> String {
    let report = &subject.selection.report;
    let steps = counted(report.iterations, "iteration");
    if report.status == Status::Stopped {
        return format!("interrupted after {steps}: this is the ranking so far");
    }
    format!("{} after {steps}", report.status.as_str().replace('_', " "))
}

/// How far the objective can be from the optimum, where the method knows.
pub fn certificate(subject: &Subject<'_>) -> Option<String> {
    let gap = subject.selection.report.gap?;
    let above = if gap < 1e-4 { format!("{gap:.1e} of its value") } else { format!("{:.2} %", gap * 100.0) };
    Some(format!("its objective is proved to be at most {above} above the best possible one"))
}

/// What else is to be known about the run: names and values.
pub fn facts(subject: &Subject<'_>) -> Vec<[String; 2]> {
    let report = &subject.selection.report;
    let (rows, columns) = subject.table.matrix.shape();
    let mut facts = vec![
        ["Version", concat!("arss ", env!("CARGO_PKG_VERSION"))].map(str::to_owned),
        ["Table".to_owned(), format!("{}: {} x {} numbers", subject.input, thousands(rows), thousands(columns))],
        ["Method".to_owned(), subject.method.name().to_owned()],
        ["End".to_owned(), ending(subject)],
    ];
    if let Some(names) = (0..columns).map(|column| subject.table.name(column)).collect::<Option<Vec<_>>>() {
        let shown: Vec<&str> = names.iter().copied().take(40).collect();
        let more = if names.len() > shown.len() { ", ..." } else { "" };
        facts.push(["Columns used".to_owned(), format!("{}{more}", shown.join(", "))]);
    }
    let values = [("Objective", Some(report.objective)), ("Duality gap", report.gap), ("Gamma", report.gamma)];
    for (name, value) in values {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            facts.push([name.to_owned(), number(value)]);
        }
    }
    // That rows were set aside has a paragraph of its own.
    let notes = report.notes.iter().filter(|note| !matches!(note, Note::Gated(_)));
    facts.extend(notes.map(|note| ["Note".to_owned(), note.to_string()]));
    facts
}

/// `1 row`, `1,060 rows`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// `1060` as `1,060`.
pub fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `.0312` as `3.12 points`: a difference of two shares.
pub fn points(difference: f64) -> String {
    format!("{:.2} points", difference * 100.0)
}

/// `.0312` as `3.1 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_words() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!((counted(1, "row"), counted(1060, "row")), ("1 row".to_owned(), "1,060 rows".to_owned()));
        assert_eq!(percent(0.0312), "3.1 %");
    }
}
