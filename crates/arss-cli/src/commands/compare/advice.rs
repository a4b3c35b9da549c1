//! Which method to take, and when not to believe it: sentences made from what was measured.

use arss_table::counted;

use super::{Compared, Entry};

/// Methods whose measure is within this share of the best are as good.
const AS_GOOD: f64 = 0.02;
/// Fewer rows or picks than these tell little.
const FEW_ROWS: usize = 200;
const FEW_PICKS: usize = 10;

/// Which method to take, and the reasons to doubt it.
pub fn advice(compared: &Compared, labelled: bool) -> Vec<String> {
    let mut told = Vec::new();
    // Picks that are outliers stand for nothing, however near the others are to them.
    let clean: Vec<&Entry> = compared.entries.iter().filter(|entry| entry.verdict.outliers == 0.0).collect();
    let pool = if clean.is_empty() { compared.entries.iter().collect() } else { clean };
    let Some(best) = best(&pool) else { return told };
    let near: Vec<&Entry> = pool.iter().copied().filter(|entry| is_as_good(entry, best)).collect();
    let by = "rows are nearest to its picks, and none of the picks looks like an outlier";
    let by = if pool.len() < compared.entries.len() || best.verdict.outliers == 0.0 {
        by
    } else {
        "rows are nearest to its picks"
    };
    told.push(format!("Take {}: {by}.", best.name));
    let others: Vec<&str> = near.iter().filter(|entry| entry.name != best.name).map(|entry| entry.name).collect();
    if !others.is_empty() {
        told.push(format!("As good within 2 %: {}.", others.join(", ")));
    }
    if labelled {
        told.extend(by_label(compared, best));
    }
    told.push(doubts(compared, labelled));
    told
}

/// The entry whose picks are nearest to the rows.
fn best<'a>(pool: &[&'a Entry]) -> Option<&'a Entry> {
    pool.iter().copied().min_by(|a, b| a.verdict.distance.total_cmp(&b.verdict.distance).then(a.name.cmp(b.name)))
}

fn is_as_good(entry: &Entry, best: &Entry) -> bool {
    entry.verdict.distance <= best.verdict.distance * (1.0 + AS_GOOD)
}

/// What the label says, if it says another thing.
fn by_label(compared: &Compared, best: &Entry) -> Option<String> {
    let accuracy = |entry: &Entry| entry.verdict.accuracy.unwrap_or_default();
    let top = compared.entries.iter().max_by(|a, b| accuracy(a).total_cmp(&accuracy(b)).then(b.name.cmp(a.name)))?;
    let (top_value, own) = (100.0 * accuracy(top), 100.0 * accuracy(best));
    Some(if top.name == best.name || top_value <= own {
        format!(
            "Its picks also tell the labels best: {own:.1} % of the other rows have the label of their nearest pick."
        )
    } else {
        format!(
            "If only the label matters, take {}: {top_value:.1} % of the other rows have the label of their nearest pick, \
             {own:.1} % with {}.",
            top.name, best.name
        )
    })
}

fn doubts(compared: &Compared, labelled: bool) -> String {
    let picks = compared.entries.first().map_or(0, |entry| entry.indices.len());
    let mut doubts = vec![
        "where other columns, another scale or another number of picks are meant: run it again with those".to_owned(),
        "where methods differ by less than two draws of random rows would".to_owned(),
    ];
    if compared.judged < FEW_ROWS {
        doubts.push(format!("here in particular, with {} only", counted(compared.judged, "row")));
    }
    if picks < FEW_PICKS {
        doubts.push(format!("with {} only, where one exchange changes every number", counted(picks, "pick")));
    }
    if compared.outliers > 0 {
        doubts
            .push(format!("if the {} that count as outliers are what you look for", counted(compared.outliers, "row")));
    }
    if labelled {
        doubts.push("for a label that depends on columns that were not chosen by".to_owned());
    }
    format!("Do not believe it {}.", doubts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::judge::Verdict;
    use super::*;

    fn entry(name: &'static str, distance: f64, outliers: f64, seconds: f64) -> Entry {
        let verdict = Verdict { distance, outliers, reconstruction: 0.0, accuracy: Some(1.0 - distance / 10.0) };
        Entry { name, seconds, verdict, indices: vec![0, 1], notes: Vec::new() }
    }

    #[test]
    fn methods_that_choose_outliers_are_not_recommended() {
        let entries = vec![entry("a", 1.0, 3.0, 0.1), entry("b", 1.2, 0.0, 0.5), entry("c", 1.21, 0.0, 0.1)];
        let compared = Compared { entries, left_out: Vec::new(), random: 2.0, judged: 50, outliers: 3 };
        let told = advice(&compared, true);
        assert!(told[0].starts_with("Take b:"), "{told:?}");
        assert_eq!(told[1], "As good within 2 %: c.");
        assert!(told[2].starts_with("If only the label matters, take a"), "{told:?}");
        assert!(told[3].contains("50 rows only") && told[3].contains("3 rows that count"), "{told:?}");
    }
}
