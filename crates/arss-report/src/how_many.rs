//! How many picks are enough: the coverage against their number, what more would add, and why the choice stopped.

use arss::{Count, Method};
use serde::Serialize;

use crate::curve::thinned;
use crate::subject::Subject;
use crate::summary::{percent, points, thousands};

/// Picks that the page looks ahead.
pub const AHEAD: usize = 10;
/// The share of the coverage that a pick has to add with `-k auto`, and the most picks, if the settings say nothing else.
const STOP: f64 = 0.005;
const MOST: usize = 1000;

/// The coverage against the number of picks.
#[derive(Debug, Serialize)]
pub struct HowMany {
    text: String,
    /// Why there are not more.
    reason: String,
    /// Number and coverage, up to the number that was chosen,
    coverage: Vec<[f64; 2]>,
    /// and beyond it.
    ahead: Vec<[f64; 2]>,
    /// Numbers in the file of the rows that would be next.
    next: Vec<usize>,
}

impl HowMany {
    /// What is known about the number of picks; none if the method has no coverage.
    pub fn new(subject: &Subject<'_>) -> Option<Self> {
        let assignment = subject.selection.assignment.as_ref()?;
        let coverage = &assignment.coverage;
        let (first, last) = (*coverage.first()?, *coverage.last()?);
        let count = coverage.len();
        let (mut sum, mut ahead) = (last, Vec::new());
        for (at, gain) in subject.outlook().map_or(&[][..], |outlook| outlook.gains.as_slice()).iter().enumerate() {
            sum += gain;
            ahead.push([(count + at + 1) as f64, sum]);
        }
        let item = subject.item();
        let mut text = format!(
            "Coverage is the mean similarity of a {item} to the nearest exemplar, from 0 to 1, each {item} counting what it \
             counted in the choice: {} with the first exemplar, {} with all {} (marked).",
            percent(first),
            percent(last),
            thousands(count)
        );
        if let Some([most, covered]) = ahead.last().copied() {
            let more = most as usize - count;
            let next = subject.outlook().and_then(|outlook| outlook.gains.first()).copied().unwrap_or_default();
            text += &format!(
                " One more would add {}, {more} more {} together, were they added to these (broken line). A choice of \
                 {} from the start may do a little better.",
                points(next),
                points(covered - last),
                thousands(most as usize)
            );
        } else if subject.outlook().is_some() {
            text += " No other row would add anything.";
        }
        let next = subject.outlook().map_or(&[][..], |outlook| outlook.next.as_slice());
        Some(HowMany {
            text,
            reason: reason(subject, coverage),
            coverage: thinned(coverage.iter().copied()),
            ahead,
            next: next.iter().map(|&item| subject.number(item)).collect(),
        })
    }
}

/// Why the choice has as many picks as it has.
fn reason(subject: &Subject<'_>, coverage: &[f64]) -> String {
    let count = coverage.len();
    let Method::Exemplars(settings) = subject.method else { return asked(subject.count, count) };
    if subject.count != Count::Auto {
        return asked(subject.count, count);
    }
    let stop = settings.stop.unwrap_or(STOP);
    let rule =
        format!("The rule stops before the first pick that adds less than {} of the coverage so far.", percent(stop));
    if count >= MOST.max(settings.include.len()) {
        return format!("{rule} It was not met: {} picks are the most that -k auto takes.", thousands(count));
    }
    let covered = coverage[count - 1];
    let before = if count > 1 { coverage[count - 2] } else { 0.0 };
    let mut text = rule;
    if count > 1 && before > 0.0 {
        text += &format!(" The last pick added {} of it", percent((covered - before) / before));
    }
    let next = subject.outlook().and_then(|outlook| outlook.gains.first()).map(|gain| gain / covered);
    match next {
        Some(next) if next < stop => text += &format!("; the next would add {}.", percent(next)),
        Some(next) => {
            text += &format!(
                "; one more would now add {}: the picks were exchanged for better ones after it had stopped.",
                percent(next)
            );
        }
        None => text += if count > 1 { "; nothing else would add anything." } else { " One pick covers all." },
    }
    text
}

fn asked(count: Count, found: usize) -> String {
    match count {
        Count::Exactly(_) => format!("{} were asked for (-k). -k auto takes as many as pay.", thousands(found)),
        Count::Share(share) => format!("{} of the rows were asked for (-k).", percent(share)),
        Count::Auto => String::new(),
    }
}
