//! Refinement: picks that were chosen from a sample move towards the middle of the rows that they stand for.
//!
//! The picks become free centres. A few times, each centre moves to the weighted mean of the rows nearest to it, over a
//! part of the rows that grows with K. Then the row nearest to each centre is found among a larger part, all rows if there
//! are not many more. Centres that snap to rows in every round would stall.

use super::Constraints;
use super::coverage::Chosen;
use super::refine_steps::{CentreRows, Centres, MeansStep, NearestCentre};
use super::solver::{Plan, RowCache};
use crate::exec::{PointRows, RowBackend, Step};
use crate::{Error, Progress, RunOptions, Status};

/// Rows that the means are taken of: so many, or so many for each pick if that is more.
pub(crate) const ROWS: (usize, usize) = (65_536, 128);
/// The same of the rows among which the one nearest to each centre is looked for.
pub(crate) const SNAPPED: (usize, usize) = (524_288, 512);

/// So many rows, or so many for each of `k` picks if that is more.
pub(crate) fn wanted((least, each): (usize, usize), k: usize) -> usize {
    least.max(k.saturating_mul(each))
}

/// Refines the picks; the first `included` stay. Those that it stops at are the ones before.
pub(super) fn refine(
    rows: &mut dyn RowBackend,
    plan: &Plan,
    (origin, cache): (&[f64], &mut RowCache),
    chosen: &mut Chosen,
    (included, constraints): (usize, &mut Constraints),
    run: &mut RunOptions<'_>,
) -> Result<(), Error> {
    let (features, metric, k) = (rows.features(), rows.view().metric, chosen.picks.len());
    let groups = constraints.groups_of(rows, chosen.picks.clone())?;
    cache.add(rows, &chosen.picks)?;
    let mut values = Vec::new();
    cache.access(rows).read(&chosen.picks, &mut values);
    let items = rows.items() as f64;
    let share = |rows: (usize, usize)| wanted(rows, k) as f64 / items;
    let centres = |values: &[f64], share: f64| Centres {
        seed: plan.seed.wrapping_add(4),
        share,
        gate: plan.gate,
        weighting: plan.weighting,
        origin: origin.to_vec(),
        values: PointRows::new(values.to_vec(), features, metric),
    };
    for round in 0..plan.refine {
        let step = MeansStep { centres: centres(&values, share(ROWS)) };
        let sums = rows.pass(&Step::ExemplarsMeans(step))?.sums;
        let means = sums.chunks_exact(features + 1).zip(values.chunks_exact_mut(features));
        for (sum, value) in means.skip(included).filter(|(sum, _)| sum[features] > 0.0) {
            value.iter_mut().zip(sum).for_each(|(value, sum_of)| *value = sum_of / sum[features]);
        }
        if run.tell(&Progress::at_most("refine", round + 1, plan.refine)) {
            chosen.status = Status::Stopped;
            return Ok(());
        }
    }
    let closed_groups = if constraints.has_quotas() { Vec::new() } else { constraints.closed_groups() };
    let nearest = NearestCentre {
        centres: centres(&values, share(SNAPPED)),
        exclude: constraints.exclude.clone(),
        closed_groups,
        groups: constraints.has_quotas().then(|| groups.clone()),
    };
    let nearness = rows.pass(&Step::ExemplarsNearestCentre(nearest))?.maxima;
    let found = rows.pass(&Step::ExemplarsCentreRows(CentreRows { nearness }))?.rows.list;
    let mut refined: Vec<Option<usize>> = vec![None; k];
    // The rows come in the order of the table: of equally near ones the first is taken.
    for row in found {
        let slot = row.key as usize;
        if slot >= included && !chosen.picks[..included].contains(&row.index) {
            refined[slot] = Some(refined[slot].map_or(row.index, |other| other.min(row.index)));
        }
    }
    (0..included).for_each(|slot| refined[slot] = Some(chosen.picks[slot]));
    let Some(picks) = completed(&refined, &chosen.picks, constraints.has_quotas()) else { return Ok(()) };
    for (slot, &group) in groups.iter().enumerate().filter(|&(slot, _)| picks[slot] != chosen.picks[slot]) {
        constraints.exchange((chosen.picks[slot], group), (picks[slot], group));
    }
    chosen.picks = picks;
    Ok(())
}

/// One row for each slot: those found, else the old pick, else any old pick that is free. `None` if the last is needed
/// although `strict` forbids it.
fn completed(refined: &[Option<usize>], old: &[usize], strict: bool) -> Option<Vec<usize>> {
    let mut taken: std::collections::HashSet<usize> = refined.iter().flatten().copied().collect();
    let mut picks = Vec::with_capacity(old.len());
    for (found, &before) in refined.iter().zip(old) {
        let pick = match found {
            Some(found) => *found,
            None if taken.insert(before) => before,
            None if strict => return None,
            None => *old.iter().find(|&&free| taken.insert(free)).expect("there are as many old picks as slots"),
        };
        picks.push(pick);
    }
    Some(picks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_is_taken_twice() {
        assert_eq!(completed(&[Some(5), None, Some(1)], &[0, 1, 2], false), Some(vec![5, 0, 1]));
        assert_eq!(completed(&[Some(5), None, Some(1)], &[0, 1, 2], true), None);
        assert_eq!(completed(&[None, None], &[3, 4], true), Some(vec![3, 4]));
    }
}
