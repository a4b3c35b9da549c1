//! A card for each pick: what it is, what it stands for, how it differs from the typical row, what is near it.

use serde::Serialize;

use crate::charts::projection::{median, quantile};
use crate::differences::{Difference, Differences};
use crate::measured::{Measured, distance, interval};
use crate::neighbours;
use crate::shown_rows::ShownRows;
use crate::subject::Subject;
use crate::summary::thousands;

/// Picks that get a card.
pub const CARDS: usize = 500;

/// The cards.
#[derive(Debug, Serialize)]
pub struct Cards {
    text: String,
    cards: Vec<Card>,
}

/// One pick.
#[derive(Debug, Serialize)]
struct Card {
    rank: usize,
    item: usize,
    /// Its place among the rows whose cells are in the page.
    at: Option<usize>,
    score: f64,
    share: Option<f64>,
    /// Rows that it stands for, itself included and without those set aside.
    rows: Option<usize>,
    outlier: f64,
    /// How much smaller the coverage would be without it.
    loss: Option<f64>,
    /// Half and 95 % of its rows are nearer to it; 1 is how far a row is from the typical one on average.
    spread: Option<[f64; 2]>,
    differs: Vec<Difference>,
    /// The nearest rows: places among the rows whose cells are in the page.
    near: Vec<usize>,
}

impl Cards {
    /// The cards of `subject`; the rows they show are added to `shown`.
    pub fn new(subject: &Subject<'_>, measured: &Measured, shown: &mut ShownRows) -> Self {
        let picks = &subject.selection.indices[..subject.selection.indices.len().min(CARDS)];
        shown.add(subject, picks);
        let (near, searched) = neighbours::nearest(subject, picks);
        // The rows nearest to the first picks are shown first.
        (0..neighbours::NEIGHBOURS).for_each(|at| {
            let nth: Vec<usize> = near.iter().filter_map(|near| near.get(at).copied()).collect();
            shown.add(subject, &nth);
        });
        let groups = Groups::new(subject, measured, picks);
        let mut differences = Differences::new(subject, measured, picks);
        if let Some(groups) = &groups {
            differences.add_groups(|at, feature| groups.interval(at, feature, measured));
        }
        let mut differences = differences.found.into_iter();
        let cards = picks.iter().zip(near).enumerate();
        let cards = cards.map(|(at, (&item, near))| Card {
            rank: at + 1,
            item: subject.number(item),
            at: shown.place(item),
            score: subject.selection.scores[at],
            share: subject.selection.assignment.as_ref().map(|assignment| assignment.shares[at]),
            rows: groups.as_ref().map(|groups| groups.sizes[at]),
            outlier: subject.selection.residuals[item],
            loss: subject.outlook().map(|outlook| outlook.losses[at]),
            spread: groups.as_ref().and_then(|groups| groups.spread(at, measured)),
            differs: differences.next().unwrap_or_default(),
            near: near.into_iter().filter_map(|item| shown.place(item)).collect(),
        });
        let cards = cards.collect();
        Cards { text: text(subject, measured, (picks.len(), searched)), cards }
    }
}

fn text(subject: &Subject<'_>, measured: &Measured, (shown, searched): (usize, usize)) -> String {
    let (item, all) = (subject.item(), subject.selection.indices.len());
    let mut text = match subject.chose_columns {
        true => "Best first.".to_owned(),
        false => format!("Best first; {item}s are counted from 0."),
    };
    if subject.selection.assignment.is_some() {
        text += &format!(" Distances: 1 is how far an ordinary {item} is from the typical one on average.");
    }
    if shown < all {
        text += &format!(" The first {} of {}.", thousands(shown), thousands(all));
    }
    if searched < subject.items() {
        text += &format!(" Nearest {item}s are those among {} drawn at random.", thousands(searched));
    }
    if !measured.is_whole(subject) && !subject.chose_columns {
        text += &format!(
            " Typical values and spreads are those of {} {item}s drawn at random.",
            thousands(measured.items.len())
        );
    }
    text
}

/// Which measured items belong to which pick.
struct Groups {
    sizes: Vec<usize>,
    /// The measured ordinary items of each of the picks, by their places.
    members: Vec<Vec<usize>>,
    /// The values of the picks, one after the other.
    picks: Vec<f64>,
}

impl Groups {
    /// Of the first picks; none if the method does not say what they stand for.
    fn new(subject: &Subject<'_>, measured: &Measured, picks: &[usize]) -> Option<Self> {
        let labels = &subject.selection.assignment.as_ref()?.labels;
        let mut sizes = vec![0; subject.selection.indices.len()];
        let counted = labels.iter().enumerate().filter(|(item, _)| !subject.was_set_aside(*item));
        counted.for_each(|(_, &label)| sizes[label] += 1);
        let mut members = vec![Vec::new(); picks.len()];
        for (at, &item) in measured.items.iter().enumerate().filter(|(at, _)| measured.ordinary[*at]) {
            if let Some(members) = members.get_mut(labels[item]) {
                members.push(at);
            }
        }
        let features: Vec<usize> = (0..measured.width).collect();
        let mut values = Vec::new();
        subject.visit(picks, &features, |_, row| values.extend_from_slice(row));
        Some(Groups { sizes, members, picks: values })
    }

    fn pick(&self, at: usize, width: usize) -> &[f64] {
        self.picks.get(at * width..(at + 1) * width).unwrap_or_default()
    }

    /// Half and 95 % of the group are nearer than this.
    fn spread(&self, at: usize, measured: &Measured) -> Option<[f64; 2]> {
        let pick = self.pick(at, measured.width);
        let all: Vec<f64> = self.members[at].iter().map(|&row| distance(measured.row(row), pick)).collect();
        (!all.is_empty() && measured.reach > 0.0)
            .then(|| [median(all.clone()) / measured.reach, quantile(all, 0.95) / measured.reach])
    }

    /// The middle of the group in a column, in usual deviations from the typical value.
    fn interval(&self, at: usize, feature: usize, measured: &Measured) -> Option<[f64; 2]> {
        let values: Vec<f64> = self.members[at].iter().map(|&row| measured.row(row)[feature]).collect();
        (!values.is_empty()).then(|| interval(values, 0.8).map(|value| measured.deviation(feature, value)))
    }
}
