//! What the map can be coloured by: the columns of the file, as levels from 0 to 254; 255 where there is no value.

use std::collections::HashMap;

use arss_table::Encoding;
use serde::Serialize;

use crate::packed;
use crate::shown_rows::ShownRows;
use crate::subject::Subject;

/// Most bytes of levels in the page.
const BYTES: usize = 3_000_000;
/// Cells that are read for columns that were not chosen by.
const CELLS: usize = 400_000;
/// Texts that get a colour of their own; the last one is all others.
const GROUPS: usize = 8;
/// A column of texts more of which are different is none to colour by.
const DIFFERENT: usize = 64;
/// No value.
const NONE: u8 = 255;

/// A column to colour by.
#[derive(Debug, Serialize)]
pub struct Colour {
    name: String,
    /// True if it was chosen by.
    used: bool,
    /// The texts of the levels, of a column of texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<String>,
    /// The smallest, the middle and the largest value, of a column of numbers. Colours go by rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    ends: Option<[String; 3]>,
    /// The level of each point.
    levels: String,
}

/// The columns that the points of a map can be coloured by, and a sentence if some cannot. `values` are the numbers of the
/// points in the columns `features`.
pub fn colours(
    subject: &Subject<'_>,
    items: &[usize],
    (features, values): (&[usize], &[f64]),
    shown: &ShownRows,
) -> (Vec<Colour>, String) {
    if subject.chose_columns {
        return (Vec::new(), String::new());
    }
    let headings = subject.headings();
    let most = (BYTES / items.len().max(1)).max(1);
    let mut found: Vec<Colour> = Vec::new();
    let width = features.len();
    let column = |at: usize| -> Vec<f64> { values.chunks_exact(width.max(1)).map(|row| row[at]).collect() };
    let mut ranked: Vec<(usize, Vec<u8>, Vec<usize>)> = Vec::new();
    for (at, &feature) in
        features.iter().enumerate().filter(|(_, feature)| subject.category(**feature).is_none()).take(most)
    {
        let (levels, order) = ranks(&column(at));
        ranked.push((feature, levels, order));
    }
    let ends =
        ranked.iter().flat_map(|(_, _, order)| ends_of(order.len()).map(|at| order.get(at).map(|&place| items[place])));
    subject.fetch(&ends.flatten().collect::<Vec<_>>());
    found
        .extend(ranked.into_iter().map(|(feature, levels, order)| numbers(subject, items, feature, (&levels, &order))));
    let in_memory = |item: &usize| shown.place(*item).is_some();
    let affordable = items.iter().all(in_memory) || items.len() * headings.len() <= CELLS;
    let used: Vec<usize> = features
        .iter()
        .filter(|&&f| subject.category(f).is_none())
        .map(|&f| subject.table.feature_columns[f])
        .collect();
    if affordable {
        subject.fetch(items);
        let others = (0..headings.len()).filter(|column| !used.contains(column));
        let mut texts: Vec<Vec<String>> = vec![Vec::new(); headings.len()];
        items.iter().for_each(|&item| {
            subject.cells(item).into_iter().zip(&mut texts).for_each(|(cell, column)| column.push(cell))
        });
        for column in others.take(most.saturating_sub(found.len())) {
            let is_used = subject.table.columns.get(column).is_some_and(|info| info.used);
            found.extend(of_texts(&headings[column], is_used, &texts[column]));
        }
    } else {
        found.extend(categories(subject, features, values));
        found.extend(label(subject, items));
    }
    let note = if found.len() < headings.len() {
        format!(
            "{} of {} columns can be coloured by: the others hold texts of too many kinds, or too much for one page.",
            found.len(),
            headings.len()
        )
    } else {
        String::new()
    };
    (found, note)
}

/// A column of numbers, by rank.
fn numbers(subject: &Subject<'_>, items: &[usize], feature: usize, (levels, order): (&[u8], &[usize])) -> Colour {
    let column = subject.table.feature_columns[feature];
    let cell = |at: usize| -> String {
        let own = |&&place: &&usize| !subject.table.is_filled_in(items[place], feature);
        // Not one that was filled in, if there is another near by.
        let near = order[at..].iter().chain(order[..at].iter().rev()).take(50).find(own).or(order.get(at));
        near.and_then(|&place| subject.cells(items[place]).into_iter().nth(column)).unwrap_or_default()
    };
    let ends = (subject.has_cell(feature) && !order.is_empty()).then(|| ends_of(order.len()).map(cell));
    Colour { name: subject.name_of(feature), used: true, groups: Vec::new(), ends, levels: packed::bytes(levels) }
}

/// The first, the middle and the last of so many.
fn ends_of(count: usize) -> [usize; 3] {
    let last = count.saturating_sub(1);
    [0, last / 2, last]
}

/// Levels from 0 to 254 by rank, equal values alike, and the places of the values in their order.
fn ranks(values: &[f64]) -> (Vec<u8>, Vec<usize>) {
    let mut order: Vec<usize> = (0..values.len()).filter(|&at| values[at].is_finite()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    let mut levels = vec![NONE; values.len()];
    let last = order.len().saturating_sub(1).max(1) as f64;
    let mut start = 0;
    for run in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let middle = start as f64 + (run.len() - 1) as f64 / 2.0;
        let level = (middle / last * 254.0).round() as u8;
        run.iter().for_each(|&at| levels[at] = level);
        start += run.len();
    }
    (levels, order)
}

/// A column as its cells say it: numbers by rank, few texts by text; none for others.
fn of_texts(name: &str, used: bool, texts: &[String]) -> Option<Colour> {
    let filled = || texts.iter().filter(|text| !text.trim().is_empty());
    let values: Vec<f64> = texts.iter().map(|text| text.trim().parse().unwrap_or(f64::NAN)).collect();
    let different: HashMap<&str, usize> = filled().fold(HashMap::new(), |mut counts, text| {
        *counts.entry(text.as_str()).or_default() += 1;
        counts
    });
    if different.len() > GROUPS
        && filled().count() > 0
        && values.iter().filter(|value| value.is_finite()).count() == filled().count()
    {
        let (levels, order) = ranks(&values);
        let ends = Some(ends_of(order.len()).map(|at| texts[order[at]].clone()));
        return Some(Colour { name: name.to_owned(), used, groups: Vec::new(), ends, levels: packed::bytes(&levels) });
    }
    if different.is_empty() || different.len() > DIFFERENT {
        return None;
    }
    let mut order: Vec<(&str, usize)> = different.into_iter().collect();
    order.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let names: Vec<&str> = order.iter().map(|(text, _)| *text).collect();
    Some(grouped(name, used, &names, texts.iter().map(|text| names.iter().position(|name| *name == text.as_str()))))
}

/// A column of texts: the places of each point's text among `names`, the commonest first.
fn grouped(name: &str, used: bool, names: &[&str], places: impl Iterator<Item = Option<usize>>) -> Colour {
    let several = names.len() > GROUPS;
    let most = if several { GROUPS - 1 } else { names.len() };
    let mut groups: Vec<String> = names[..most].iter().map(|text| text.chars().take(60).collect()).collect();
    if several {
        groups.push(format!("{} others", names.len() - most));
    }
    let levels: Vec<u8> = places.map(|place| place.map_or(NONE, |place| place.min(most) as u8)).collect();
    Colour { name: name.to_owned(), used, groups, ends: None, levels: packed::bytes(&levels) }
}

/// Columns of categories by their 0 and 1, where the file is not read again.
fn categories(subject: &Subject<'_>, features: &[usize], values: &[f64]) -> Vec<Colour> {
    let width = features.len();
    let headings = subject.headings();
    let places: Vec<usize> = (0..width).collect();
    let same = |&a: &usize, &b: &usize| {
        subject.category(features[a]).is_some() && subject.category(features[a]) == subject.category(features[b])
    };
    let mut found = Vec::new();
    for own in places.chunk_by(same).filter(|own| subject.category(features[own[0]]).is_some()) {
        let hot = |row: &[f64]| {
            own.iter().copied().max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a))).map(|at| at - own[0])
        };
        let of: Vec<Option<usize>> = values.chunks_exact(width).map(hot).collect();
        let mut counts: Vec<(usize, usize)> = own
            .iter()
            .map(|at| (of.iter().filter(|place| **place == Some(at - own[0])).count(), at - own[0]))
            .collect();
        counts.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let names: Vec<String> =
            counts.iter().map(|&(_, place)| name_of(&subject.table.encodings[features[own[0] + place]])).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let rank = |place: usize| counts.iter().position(|&(_, other)| other == place);
        let column = subject.table.feature_columns[features[own[0]]];
        found.push(grouped(&headings[column], true, &names, of.into_iter().map(|place| place.and_then(rank))));
    }
    found
}

fn name_of(encoding: &Encoding) -> String {
    match encoding {
        Encoding::Texts(texts) => texts.join(" or "),
        Encoding::Number | Encoding::Ranks(_) | Encoding::Element(_) => String::new(),
    }
}

/// The label, which is in memory.
fn label(subject: &Subject<'_>, items: &[usize]) -> Option<Colour> {
    let (labels, info) = (subject.table.side.label.as_ref()?, subject.more.label.as_deref()?);
    let texts: Vec<String> =
        items.iter().map(|&item| labels.names.get(labels.codes[item] as usize).cloned().unwrap_or_default()).collect();
    of_texts(info, false, &texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_equal_levels() {
        let (levels, order) = ranks(&[3.0, 1.0, f64::NAN, 3.0, 9.0]);
        assert_eq!((levels, order), (vec![127, 0, NONE, 127, 254], vec![1, 0, 3, 4]));
        assert_eq!(ranks(&[5.0]).0, [0]);
    }

    #[test]
    fn texts_and_numbers() {
        let column =
            |cells: &[&str]| of_texts("c", false, &cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>());
        let kinds = column(&["b", "a", "a", ""]).unwrap();
        assert_eq!(
            (kinds.groups, kinds.levels),
            (vec!["a".to_owned(), "b".to_owned()], packed::bytes(&[1, 0, 0, NONE]))
        );
        let many: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        let numbers = of_texts("n", false, &many).unwrap();
        assert_eq!(numbers.ends.unwrap(), ["0", "9", "19"]);
        let words: Vec<String> = (0..100).map(|number| format!("w{number}")).collect();
        assert!(of_texts("w", false, &words).is_none());
        let several: Vec<String> = (0..40).map(|number| format!("w{}", number % 20)).collect();
        assert_eq!(of_texts("w", false, &several).unwrap().groups[7], "13 others");
    }
}
