//! What a choice would lose without each of its picks, and what more of them would add.

use serde::{Deserialize, Serialize};

use super::Constraints;
use super::candidates::CandidateSample;
use super::coverage::{Coverage, similarity};
use crate::linalg::distances::{Rows, Table};
use crate::{Error, RunOptions};

/// Reference rows that are compared with all picks at a time.
const BLOCK: usize = 256;

/// What a choice would lose without each of its picks, and what more of them would add, in the measure of
/// [`Assignment::coverage`](crate::Assignment::coverage).
///
/// ```
/// use arss::{Exemplars, RunOptions, Samples, Selector};
///
/// let samples = Samples::new(&[0.0, 0.1, 0.2, 7.0, 7.1, 7.2, 30.0, 30.1], 8, 1)?;
/// let method = Exemplars { gate: false, ..Exemplars::default() };
/// let mut run = RunOptions { outlook: 2, ..RunOptions::default() };
/// let outlook = method.select_with(&samples, 2, &mut run)?.assignment.unwrap().outlook.unwrap();
/// assert_eq!((outlook.losses.len(), outlook.gains.len()), (2, 2));
/// // A third pick finds the third group; a fourth finds nothing new.
/// assert!(outlook.gains[0] > 0.2 && outlook.gains[1] < 0.05);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Outlook {
    /// How much smaller the coverage would be without this pick, one number a pick.
    pub losses: Vec<f64>,
    /// What each of the next picks would add, were they added to those that there are, and which rows they would be.
    pub gains: Vec<f64>,
    /// The rows that would be chosen next.
    pub next: Vec<usize>,
}

/// Looks `run.outlook` picks ahead.
pub(crate) fn look_ahead(
    table: Table<'_>,
    sample: &CandidateSample,
    picks: &[usize],
    constraints: &Constraints,
    run: &RunOptions<'_>,
) -> Result<Outlook, Error> {
    let mut pool: Vec<(usize, usize)> = sample.pool.iter().copied().zip(sample.groups.iter().copied()).collect();
    pool.extend(picks.iter().filter(|pick| sample.pool.binary_search(pick).is_err()).map(|&pick| (pick, 0)));
    pool.sort_unstable();
    let (pool, groups) = pool.into_iter().unzip();
    let sample = CandidateSample { pool, groups, ..sample.clone() };
    let mut coverage = Coverage::new(table, &sample, run)?.without_kept();
    picks.iter().for_each(|&pick| coverage.take_item(pick));
    let mut outlook = Outlook { losses: losses(table, &coverage, picks), ..Outlook::default() };
    // Short, and over before anybody could stop it: progress does not go back to an earlier phase.
    coverage.measure(&mut RunOptions { threads: run.threads, ..RunOptions::default() })?;
    let mut highest = f64::INFINITY;
    while outlook.gains.len() < run.outlook {
        let Some((position, _)) = coverage.best(constraints) else { break };
        let (item, gain) = coverage.take_share(position);
        // Gains fall; rounding shall not make one rise.
        highest = gain.min(highest);
        outlook.next.push(item);
        outlook.gains.push(highest);
    }
    Ok(outlook)
}

/// What each pick adds to what the others cover.
fn losses(table: Table<'_>, coverage: &Coverage<'_>, picks: &[usize]) -> Vec<f64> {
    let others = Rows::<f64>::of(&table, picks);
    let (mut lost, mut squared) = (vec![0.0; picks.len()], Vec::new());
    let rows = coverage.weights.len();
    for start in (0..rows).step_by(BLOCK) {
        let range = start..(start + BLOCK).min(rows);
        coverage.reference.squared(range.clone(), &others, &mut squared);
        for (line, weight) in squared.chunks_exact(picks.len()).zip(&coverage.weights[range]) {
            let (mut first, mut second, mut nearest) = (f64::INFINITY, f64::INFINITY, 0);
            for (at, &distance) in line.iter().enumerate() {
                if distance < first {
                    (second, first, nearest) = (first, distance, at);
                } else if distance < second {
                    second = distance;
                }
            }
            lost[nearest] += weight * (similarity(coverage.rate, first) - similarity(coverage.rate, second));
        }
    }
    lost.iter().map(|lost| lost / coverage.total).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Exemplars, RunOptions, Samples, Selector};

    /// Groups of decreasing size on a line, and what there is to be known about them.
    fn line(sizes: &[usize]) -> Vec<f64> {
        let group = |(at, &size): (usize, &usize)| (0..size).map(move |row| 50.0 * at as f64 + row as f64 * 0.01);
        sizes.iter().enumerate().flat_map(group).collect()
    }

    #[test]
    fn the_loss_is_what_the_coverage_is_smaller_by_without_the_pick() {
        let data = line(&[30, 20, 10]);
        let samples = Samples::new(&data, 60, 1).unwrap();
        let method = Exemplars { gate: false, ..Exemplars::default() };
        let mut run = RunOptions { outlook: 3, ..RunOptions::default() };
        let assignment = method.select_with(&samples, 3, &mut run).unwrap().assignment.unwrap();
        let outlook = assignment.outlook.unwrap();
        let covered = assignment.coverage[2];
        // Groups far apart: what a pick covers nobody else does.
        for (loss, share) in outlook.losses.iter().zip(&assignment.shares) {
            assert!((loss - share * covered).abs() < 0.05, "{loss} {share}");
        }
        assert_eq!(outlook.next.len(), 3);
        assert!(outlook.gains.windows(2).all(|pair| pair[1] <= pair[0]), "{:?}", outlook.gains);
        assert!(method.select(&samples, 3).unwrap().assignment.unwrap().outlook.is_none());
    }

    #[test]
    fn the_next_pick_of_a_nested_choice_is_the_one_a_larger_choice_has() {
        let data: Vec<f64> = (0..300).map(|row| (f64::from(row) * 0.7).sin() * 3.0 + f64::from(row % 7)).collect();
        let samples = Samples::new(&data, 100, 3).unwrap();
        let method = Exemplars { gate: false, nested: true, ..Exemplars::default() };
        let mut run = RunOptions { outlook: 4, ..RunOptions::default() };
        let found = method.select_with(&samples, 6, &mut run).unwrap();
        let outlook = found.assignment.unwrap().outlook.unwrap();
        let larger = method.select(&samples, 10).unwrap();
        assert_eq!(outlook.next, larger.indices[6..]);
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        assert!(outlook.gains.iter().zip(&larger.scores[6..]).all(close));
    }
}
