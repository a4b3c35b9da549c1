//! A choice that does not repeat itself: score times distance from what was picked already.

use crate::linalg::distances::Rows;
use crate::linalg::median::median_squared;
use crate::linalg::nearest::NearestTable;
use crate::linalg::rng::{generator, sample};
use crate::{Error, Float, Note, Progress, RunOptions, Samples, Selection, Status};

/// Items that are looked at: so many a pick, and at least so many.
const CANDIDATES: (usize, usize) = (10, 1000);
/// Candidates that the width is measured on.
const SCALE_ITEMS: usize = 512;
/// How much narrower than the median squared distance the similarity is, as in the choice of exemplars.
const SHARP: f64 = 3.0;

/// An item whose novelty 1 - exp(-3 d^2 / h2) is below this is a copy of a pick.
const COPY: f64 = 0.01;

/// How many of the best items by score are looked at for `k` picks.
pub(crate) fn candidates(k: usize, items: usize) -> usize {
    k.saturating_mul(CANDIDATES.0).max(CANDIDATES.1).min(items)
}

/// Keeps `k` of the ranked items of `selection`: each time the one with the largest
/// score (1 - exp(-3 d^2 / h2)), d being the distance to the nearest pick; on ties the better ranked.
/// Copies of picks come last, whatever their score: scores may differ by many orders of magnitude.
pub(crate) fn choose<T: Float>(
    samples: &Samples<'_, T>,
    mut selection: Selection,
    k: usize,
    run: &mut RunOptions<'_>,
) -> Result<Selection, Error> {
    let table = NearestTable::new(samples, run)?;
    let table = table.by_position();
    let some = sample(&mut generator(0), &selection.indices, SCALE_ITEMS);
    let rate = SHARP / median_squared(&table, &some, &some);
    let rows = Rows::<f64>::of(&table, &selection.indices);
    let mut novelty = vec![1.0f64; rows.len()];
    let mut open = vec![true; rows.len()];
    let (mut picks, mut squared) = (Vec::with_capacity(k), Vec::new());
    while picks.len() < k {
        let value = |at: usize| (novelty[at] >= COPY, selection.scores[at] * novelty[at]);
        let left = (0..rows.len()).filter(|&at| open[at]);
        let best = left.reduce(|best, at| if value(at) > value(best) { at } else { best }).expect("k <= candidates");
        open[best] = false;
        picks.push(best);
        if selection.report.status != Status::Stopped && run.tell(&Progress::count("score", picks.len(), k)) {
            selection.report.status = Status::Stopped;
        }
        rows.squared(0..rows.len(), &Rows::of(&table, &[selection.indices[best]]), &mut squared);
        for (novelty, squared) in novelty.iter_mut().zip(&squared) {
            *novelty = novelty.min(-(-rate * squared).exp_m1());
        }
    }
    selection.scores = picks.iter().map(|&at| selection.scores[at]).collect();
    selection.indices = picks.iter().map(|&at| selection.indices[at]).collect();
    // The note is about the items that were looked at.
    let notes = selection.report.notes.into_iter().filter_map(|note| match note {
        Note::Saturated { rank, .. } => (k > rank).then_some(Note::Saturated { k, rank }),
        other => Some(other),
    });
    selection.report.notes = notes.collect();
    Ok(selection)
}
