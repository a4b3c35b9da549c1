//! What the landmarks say of each row, and which rows are set aside.
//!
//! With k(x, y) = exp(-|x - y|^2 / h2) over the landmarks J the variance of a row under a Gaussian process is v_n = 1 +
//! ridge - k_n' (K_JJ + ridge I)^-1 k_n, which is 1 + ridge minus the squared length of the mapped row. A landmark is
//! judged by the others: 1 / ((K_JJ + ridge I)^-1)_jj. v lies between the ridge (amid others) and 1 + ridge (alone).

use super::column_tails::sorted_columns;
use super::gate::{self, Decision, GateRule, RowMeasures, WIDE, Weighting};
use super::landmarks::Landmarks;
use super::score_steps::{JudgeStep, JudgedColumns, SampleMeasures, ScoreStep, SecondLook};
use super::solver::RowCache;
use crate::exec::{PointRows, RowAccess, RowBackend, Step, TopRow};
use crate::linalg::distances::Table;
use crate::linalg::rng::{generator, positions};
use crate::{Error, Kernel, Metric, Progress, RunOptions, SetAside};

/// Landmarks that a row is compared with, and the one that counts as far; fewer in small tables.
const NEIGHBOURS: usize = 30;
const FAR_RANK: usize = 32;
/// Rows that the gate is decided by; more are sampled.
const JUDGED: usize = 8192;
/// Values of a row that count as work, at most: of a row of distances few are looked at.
const MOST_VALUES: usize = 1 << 16;
/// Columns that a table of distances counts as: rarity and loneliness rank its rows alike.
const UNKNOWN_COLUMNS: usize = 256;
/// Rows by which it is told whether lonely rows lie elsewhere, and the most values of them.
pub(crate) const SHIFTED: (usize, usize) = (1024, 1 << 21);
/// Rows beyond the gate that a second look compares them with.
const FELLOWS: usize = 768;
/// So many fellows within the usual distance make a group, or this share of all rows beyond the gate if that is more.
const GROUP: (f64, f64) = (10.0, 0.02);

/// How far scoring came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    /// Rows that were scored: all, unless the callback stopped it.
    pub rows: usize,
    /// The width of the kernel.
    pub h2: f64,
    pub stopped: bool,
}

/// How rows are scored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scoring<'a> {
    pub kernel: Kernel,
    /// The columns that rows are judged by: all if not given. If the list is empty all score, but nothing is set aside.
    pub columns: Option<&'a [usize]>,
}

/// Scores the rows.
pub(super) fn score_rows(
    scoring: &Scoring<'_>,
    rows: &mut dyn RowBackend,
    origin: &[f64],
    run: &mut RunOptions<'_>,
) -> Result<(Scored, ScoreStep), Error> {
    let items = rows.items();
    let mut step = score_step(scoring, rows, origin)?;
    let (count, features, h2) = (step.landmarks.len(), step.origin.len(), step.h2);
    let stretch = rows.stretch((features.min(MOST_VALUES) + count) * count);
    for start in (0..items).step_by(stretch) {
        let end = (start + stretch).min(items);
        step.rows = (stretch < items).then_some((start, end));
        let scoring = Step::ExemplarsScore(step);
        rows.pass(&scoring)?;
        let Step::ExemplarsScore(again) = scoring else { unreachable!("the step was made above") };
        step = again;
        if run.tell(&Progress::count("prepare", end, items)) {
            return Ok((Scored { rows: end, h2, stopped: true }, step));
        }
    }
    Ok((Scored { rows: items, h2, stopped: false }, step))
}

/// The step that scores rows by the landmarks of a table.
fn score_step(scoring: &Scoring<'_>, rows: &mut dyn RowBackend, origin: &[f64]) -> Result<ScoreStep, Error> {
    let (kernel, items, metric) = (&scoring.kernel, rows.items(), rows.view().metric);
    let sample = Landmarks::draw(kernel, items);
    let cache = RowCache::fetch(rows, sample.landmarks.iter().chain(&sample.scale).copied().collect())?;
    let judged = JudgedColumns::new(scoring.columns);
    let origin = judged.copy(origin, origin.len());
    let features = origin.len();
    let seen = SeenColumns { rows: cache.access(rows), features: rows.features(), judged: &judged };
    let landmarks = Landmarks::new(kernel, &Table { rows: &seen, origin: &origin, metric }, &sample);
    let columns = if (features as f64) < WIDE && metric != Metric::Precomputed {
        let mut values = Vec::new();
        seen.read(&sample.scale, &mut values);
        sorted_columns(&values, features)
    } else {
        Vec::new()
    };
    Ok(ScoreStep {
        rows: None,
        new_rows: false,
        h2: landmarks.h2,
        similarity: landmarks.similarity,
        ridge: kernel.ridge,
        own_variances: landmarks.own_variances(),
        root: landmarks.root,
        values: landmarks.rows,
        neighbours: NEIGHBOURS.min((items / 8).max(1)),
        far: FAR_RANK.min((items / 4).max(1)),
        columns,
        landmarks: landmarks.items,
        origin,
        judged,
    })
}

/// Rows without the columns that they are not judged by.
struct SeenColumns<'a> {
    rows: &'a dyn RowAccess,
    features: usize,
    judged: &'a JudgedColumns,
}

impl RowAccess for SeenColumns<'_> {
    fn read(&self, items: &[usize], values: &mut Vec<f64>) {
        self.rows.read(items, values);
        *values = self.judged.copy(values, self.features);
    }

    fn read_entries(&self, item: usize, entries: &mut Vec<(usize, f64)>) -> bool {
        self.judged.is_all() && self.rows.read_entries(item, entries)
    }

    fn push_distances(&self, item: usize, others: &[usize], distances: &mut Vec<f64>) {
        self.rows.push_distances(item, others, distances);
    }
}

/// What came of judging the rows.
pub(super) struct Judged {
    pub set_aside: SetAside,
    pub weighting: Weighting,
    pub rule: GateRule,
    pub look: Option<SecondLook>,
}

/// Judges the rows that were scored.
pub(super) fn judge_rows(
    scoring: &Scoring<'_>,
    rows: &mut dyn RowBackend,
    origin: &[f64],
    scored: Scored,
) -> Result<Judged, Error> {
    let (kernel, items, features) = (&scoring.kernel, rows.items(), rows.features());
    let metric = rows.view().metric;
    let columns = if metric == Metric::Precomputed { UNKNOWN_COLUMNS } else { features };
    let drawn = positions(&mut generator(kernel.seed.wrapping_add(2)), scored.rows, JUDGED);
    let found = rows.pass(&Step::ExemplarsSample(SampleMeasures { positions: drawn }))?.rows.list;
    let sample: Vec<RowMeasures> = found.iter().map(SampleMeasures::read).collect();
    let Decision { rule, confidence, usual, mut weighting } =
        gate::decide(&sample, scoring.columns.map_or(columns, <[usize]>::len), kernel.ridge);
    if weighting.is_in_doubt() && metric != Metric::Precomputed {
        weighting = weighting.shifted_by(shift(scoring, rows, &found)?);
    }
    let seed = kernel.seed.wrapping_add(3);
    let step = JudgeStep { rule, interrupted: scored.rows < items, seed, sample: FELLOWS };
    let result = rows.pass(&Step::ExemplarsJudge(step))?;
    let (mut beyond, mut fellows) = (result.sums[0], result.rows.list);
    if fellows.is_empty() {
        return Ok(Judged { set_aside: SetAside::default(), weighting, rule, look: None });
    }
    fellows.sort_unstable_by_key(|row| row.index);
    let group = GROUP.0.max(GROUP.1 * beyond);
    let judged = JudgedColumns::new(scoring.columns);
    let indices: Vec<usize> = fellows.iter().map(|row| row.index).collect();
    let values = match metric {
        Metric::Precomputed => PointRows::of_items(indices.clone(), features),
        _ => {
            let values = fellows.iter().flat_map(|row| judged.copy(&row.values, features)).collect();
            PointRows::new(values, judged.count(features), metric)
        }
    };
    let look = SecondLook {
        new_rows: false,
        origin: judged.copy(origin, features),
        values,
        judged,
        usual: usual * scored.h2,
        least: group * fellows.len() as f64 / beyond,
        fellows: indices,
    };
    let look = Step::ExemplarsSecondLook(look);
    let [stay, accompanied] = rows.pass(&look)?.sums();
    let Step::ExemplarsSecondLook(look) = look else { unreachable!("the step was made above") };
    beyond -= stay;
    let set_aside = SetAside { rows: beyond as usize, items, confidence, company: accompanied / beyond.max(1.0) };
    if set_aside.is_group() {
        // Errors are scattered: of those that were set aside in eight sets with spoilt or noisy rows, 7 % at most have company.
        let rule = rule.opened();
        rows.pass(&Step::ExemplarsJudge(JudgeStep { rule, ..step }))?;
        return Ok(Judged { set_aside: SetAside::default(), weighting: Weighting::PLAIN, rule, look: None });
    }
    Ok(Judged { set_aside, weighting, rule, look: Some(look) })
}

/// By how much lonely rows lie elsewhere than the others, by some of the rows whose measures are given.
fn shift(scoring: &Scoring<'_>, rows: &mut dyn RowBackend, measured: &[TopRow]) -> Result<f64, Error> {
    let features = rows.features();
    let most = (SHIFTED.1 / features.max(1)).min(SHIFTED.0);
    let some: Vec<&TopRow> = measured.iter().step_by(measured.len().div_ceil(most.max(1)).max(1)).collect();
    if some.len() > most {
        return Ok(0.0);
    }
    let positions: Vec<usize> = some.iter().map(|row| row.index).collect();
    let cache = RowCache::fetch(rows, positions.clone())?;
    // Of a wide table these rows are most of the memory: they are held once.
    let mut values = Vec::with_capacity(positions.len() * features);
    cache.access(rows).read(&positions, &mut values);
    drop(cache);
    let judged = JudgedColumns::new(scoring.columns);
    let values = if judged.is_all() { values } else { judged.copy(&values, features) };
    let relative: Vec<f64> = some.iter().map(|row| SampleMeasures::read(row).relative).collect();
    Ok(gate::shift(&relative, &values))
}

#[cfg(test)]
mod tests {
    use faer::Mat;
    use faer::prelude::Solve;

    use super::*;
    use crate::Samples;
    use crate::exec::{InMemory, RowAttributes};
    use crate::exemplars::steps::{NEAR, VARIANCE};
    use crate::linalg::nearest::NearestTable;
    use crate::parallel::Partition;

    /// Scores by the textbook: for each row a dense solve with all landmarks but itself.
    fn dense(rows: &[&[f64]], landmarks: &[usize], h2: f64, ridge: f64) -> Vec<f64> {
        let squared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
        let kernel = |a: usize, b: usize| (-squared(rows[a], rows[b]) / h2).exp();
        let one = |n: usize| {
            let others: Vec<usize> = landmarks.iter().copied().filter(|&j| j != n).collect();
            let lift = |i: usize, j: usize| if i == j { ridge } else { 0.0 };
            let matrix = Mat::from_fn(others.len(), others.len(), |i, j| kernel(others[i], others[j]) + lift(i, j));
            let right = Mat::from_fn(others.len(), 1, |i, _| kernel(others[i], n));
            let solved = matrix.partial_piv_lu().solve(&right);
            1.0 + ridge - (0..others.len()).map(|i| right[(i, 0)] * solved[(i, 0)]).sum::<f64>()
        };
        (0..rows.len()).map(one).collect()
    }

    #[test]
    fn scores_are_the_dense_formula_with_each_landmark_left_out() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
        };
        let data: Vec<f64> = (0..150 * 3).map(|_| next() + 40.0).collect();
        let rows: Vec<&[f64]> = data.chunks(3).collect();
        for count in [20, 150, 500] {
            let samples = Samples::new(&data, 150, 3).unwrap();
            let table = NearestTable::new(&samples, &RunOptions::default()).unwrap();
            let kernel = Kernel { seed: 3, landmarks: count, ridge: 0.01 };
            let partition = Partition::new(&RunOptions::default(), 150, 3).unwrap();
            let mut backend = InMemory::new(&samples, &partition, RowAttributes::default());
            let scoring = Scoring { kernel, columns: None };
            let (scored, _) = score_rows(&scoring, &mut backend, &table.origin, &mut RunOptions::default()).unwrap();
            let sample = Landmarks::draw(&kernel, 150);
            let h2 = Landmarks::new(&kernel, &table.by_position(), &sample).h2;
            assert_eq!(scored, Scored { rows: 150, h2, stopped: false });
            let found = backend.column(VARIANCE).unwrap().unwrap();
            let near = backend.column(NEAR).unwrap().unwrap();
            let landmarks = sample.landmarks;
            for (item, &near) in near.iter().enumerate() {
                let others = landmarks.iter().filter(|&&other| other != item);
                let mut squared: Vec<f64> = others
                    .map(|&other| rows[item].iter().zip(rows[other]).map(|(a, b)| (a - b) * (a - b)).sum())
                    .collect();
                squared.sort_unstable_by(f64::total_cmp);
                assert!((near - squared[4] / h2).abs() < 1e-9, "{count}: {near} {}", squared[4] / h2);
            }
            let expected = dense(&rows, &landmarks, h2, 0.01);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-9, "{count}: {found} {expected}");
            }
        }
    }
}
