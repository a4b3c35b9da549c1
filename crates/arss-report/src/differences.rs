//! How items differ from the typical one: the columns that say most, in words.

use std::collections::{HashMap, HashSet};

use arss_table::Encoding;
use serde::Serialize;

use crate::measured::Measured;
use crate::subject::Subject;
use crate::summary::percent;

/// Columns that are named: the fewest if they differ at all, and the most.
const NAMED: (usize, usize) = (3, 5);
/// Usual deviations from which on a column is worth naming, and a value is above, well above, far above the typical one.
const WORTH: f64 = 0.5;
const CLEAR: f64 = 1.5;
const FAR: f64 = 3.0;

/// A column in which an item differs from the typical one.
#[derive(Debug, Serialize)]
pub struct Difference {
    /// The column of the file.
    column: usize,
    name: String,
    /// What the item has there, and what is typical, where a cell of the file says it.
    cell: Option<String>,
    typical: Option<String>,
    /// How far it is from the typical value, in usual deviations.
    z: f64,
    /// Where the middle 80 % of its group are, in the same unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<[f64; 2]>,
    words: String,
    /// The column among those to choose by; none for categories.
    #[serde(skip)]
    feature: Option<usize>,
}

/// A column that an item differs in, before it is put into words.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    feature: usize,
    z: f64,
    /// The share of the rows that have its category, and the feature of the commonest one.
    category: Option<(f64, usize)>,
}

/// The differences of some items.
#[derive(Debug, Default)]
pub struct Differences {
    /// One list an item, the largest difference first.
    pub found: Vec<Vec<Difference>>,
}

impl Differences {
    /// The differences of `items`; none where columns were chosen.
    pub fn new(subject: &Subject<'_>, measured: &Measured, items: &[usize]) -> Self {
        if subject.chose_columns {
            return Differences::default();
        }
        let categories = categories(subject, measured);
        let features: Vec<usize> = (0..measured.width).collect();
        let mut all: Vec<(usize, Vec<Candidate>)> = Vec::with_capacity(items.len());
        subject.visit(items, &features, |item, row| all.push((item, candidates(subject, measured, &categories, row))));
        for (item, found) in &mut all {
            // Asking whether a cell was filled in takes the whole row: only of the first ones.
            let own = |one: &Candidate| one.z != 0.0 && !subject.table.is_filled_in(*item, one.feature);
            let first: Vec<Candidate> = found.iter().copied().filter(own).take(NAMED.1).collect();
            let worth = first.iter().filter(|one| one.z.abs() >= WORTH).count();
            *found = first.into_iter().take(worth.max(NAMED.0)).collect();
        }
        let named: HashSet<usize> = all.iter().flat_map(|(_, found)| found.iter().map(|one| one.feature)).collect();
        let typical = typical_cells(subject, measured, named);
        let told = |(item, found): (usize, Vec<Candidate>)| {
            found.into_iter().map(|candidate| told(subject, &typical, item, candidate)).collect::<Vec<_>>()
        };
        Differences { found: all.into_iter().map(told).collect() }
    }

    /// Adds where the groups of the items are; `interval` tells it by the place of the item and the column.
    pub fn add_groups(&mut self, interval: impl Fn(usize, usize) -> Option<[f64; 2]>) {
        for (at, found) in self.found.iter_mut().enumerate() {
            found.iter_mut().for_each(|one| one.group = one.feature.and_then(|feature| interval(at, feature)));
        }
    }
}

/// The columns of a category, and how many ordinary rows have each.
#[derive(Debug)]
struct Category {
    features: Vec<usize>,
    counts: Vec<usize>,
}

impl Category {
    /// The feature that is on in a row.
    fn hot(&self, row: &[f64]) -> usize {
        let larger = |&&a: &&usize, &&b: &&usize| row[a].total_cmp(&row[b]).then(b.cmp(&a));
        self.features.iter().max_by(larger).copied().unwrap_or_default()
    }
}

fn categories(subject: &Subject<'_>, measured: &Measured) -> HashMap<usize, Category> {
    let mut found: HashMap<usize, Category> = HashMap::new();
    for feature in 0..measured.width {
        if let Some(column) = subject.category(feature) {
            let new = || Category { features: Vec::new(), counts: Vec::new() };
            found.entry(column).or_insert_with(new).features.push(feature);
        }
    }
    for category in found.values_mut() {
        category.counts = vec![0; category.features.len()];
        for (_, row) in measured.ordinary_rows() {
            let hot = category.hot(row);
            let place = category.features.iter().position(|&feature| feature == hot).unwrap_or_default();
            category.counts[place] += 1;
        }
    }
    found
}

/// Every column that a row differs in, the largest difference first.
fn candidates(
    subject: &Subject<'_>,
    measured: &Measured,
    categories: &HashMap<usize, Category>,
    row: &[f64],
) -> Vec<Candidate> {
    let numbers = (0..measured.width).filter(|&feature| subject.category(feature).is_none());
    let number = |feature: usize| Candidate { feature, z: measured.deviation(feature, row[feature]), category: None };
    let mut found: Vec<Candidate> = numbers.map(number).collect();
    found.extend(categories.values().filter_map(|category| candidate(category, row)));
    found.sort_by(|a, b| b.z.abs().total_cmp(&a.z.abs()).then(a.feature.cmp(&b.feature)));
    found
}

/// A category that is not the commonest: as strange as a flag that is on in as many rows.
fn candidate(category: &Category, row: &[f64]) -> Option<Candidate> {
    let all: usize = category.counts.iter().sum();
    let most = category.counts.iter().max()?;
    let common = category.features[category.counts.iter().position(|count| count == most)?];
    let mine = category.hot(row);
    let share = category.counts[category.features.iter().position(|&feature| feature == mine)?] as f64 / all as f64;
    let z = if mine == common { 0.0 } else { ((1.0 - share) / share.max(1.0 / (all + 1) as f64)).sqrt() };
    Some(Candidate { feature: mine, z, category: Some((share, common)) })
}

/// What is typical of these columns, as a cell of the file says it.
fn typical_cells(subject: &Subject<'_>, measured: &Measured, named: HashSet<usize>) -> HashMap<usize, String> {
    let is_number = |feature: &usize| subject.category(*feature).is_none() && subject.has_cell(*feature);
    let fits = |feature: usize| move |item: usize| !subject.table.is_filled_in(item, feature);
    let items = named.into_iter().filter(is_number);
    let items: Vec<(usize, usize)> =
        items.filter_map(|feature| Some((feature, measured.typical_item(feature, fits(feature))?))).collect();
    subject.fetch(&items.iter().map(|(_, item)| *item).collect::<Vec<_>>());
    let cell =
        |item: usize, feature: usize| subject.cells(item).into_iter().nth(subject.table.feature_columns[feature]);
    items.into_iter().filter_map(|(feature, item)| Some((feature, cell(item, feature)?))).collect()
}

fn told(subject: &Subject<'_>, typical: &HashMap<usize, String>, item: usize, candidate: Candidate) -> Difference {
    let Candidate { feature, z, category } = candidate;
    let table = subject.table;
    let column = table.feature_columns[feature];
    let cell = subject.has_cell(feature).then(|| subject.cells(item).into_iter().nth(column)).flatten();
    let (typical, words) = match category {
        Some((share, common)) => {
            (Some(text_of(&table.encodings[common])), format!("as {} of the rows", percent(share)))
        }
        None => (typical.get(&feature).cloned(), level(z).to_owned()),
    };
    let feature_number = category.is_none().then_some(feature);
    Difference { column, name: subject.name_of(feature), cell, typical, z, group: None, words, feature: feature_number }
}

/// The texts that a category stands for.
fn text_of(encoding: &Encoding) -> String {
    match encoding {
        Encoding::Texts(texts) if texts.len() > 3 => format!("one of {} rare ones", texts.len()),
        Encoding::Texts(texts) => texts.join(" or "),
        Encoding::Number | Encoding::Ranks(_) | Encoding::Element(_) => String::new(),
    }
}

/// A deviation in words.
fn level(z: f64) -> &'static str {
    match (z.abs(), z > 0.0) {
        (size, true) if size >= FAR => "far above",
        (size, false) if size >= FAR => "far below",
        (size, true) if size >= CLEAR => "well above",
        (size, false) if size >= CLEAR => "well below",
        (size, true) if size >= WORTH => "above",
        (size, false) if size >= WORTH => "below",
        _ => "about",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_in_words() {
        assert_eq!([0.1, 0.7, -2.0, 4.0].map(level), ["about", "above", "well below", "far above"]);
    }
}
