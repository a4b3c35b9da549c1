//! What a run learned, for rows that it has not seen.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use serde::{Deserialize, Serialize};

use crate::exec::wire::{decode, encode};
use crate::exec::{InMemory, PointRows, RowAccess, RowAttributes, RowBackend, Step, StepSpec};
use crate::exemplars::gate::GateRule;
use crate::exemplars::score_steps::{JudgeStep, ScoreStep, SecondLook};
use crate::exemplars::solver::RowCache;
use crate::exemplars::steps::{LABEL, NearestPick, SCORE};
use crate::linalg::distances::Table;
use crate::linalg::nearest;
use crate::parallel::Partition;
use crate::row_view::RowView;
use crate::{Error, Float, Metric, RunOptions, Samples, Selection};

/// What a run learned: the picks and, for exemplars, how outliers are told. It assigns and scores rows that the run has not
/// seen.
///
/// ```
/// use arss::{Exemplars, Model, RunOptions, Samples, Selector};
///
/// let table: Vec<f64> = (0..60).map(|i| f64::from(i % 2) * 9.0 + f64::from(i) * 0.01).collect();
/// let mut run = RunOptions { keep_model: true, ..RunOptions::default() };
/// let selection = Exemplars::default().select_with(&Samples::new(&table, 60, 1)?, 2, &mut run)?;
/// let model = Model::from_bytes(&selection.model.expect("it was asked for").to_bytes()?)?;
///
/// let seen = model.apply(&Samples::new(&[9.2, 0.3, 500.0], 3, 1)?, &mut RunOptions::default())?;
/// assert_ne!(seen.labels[0], seen.labels[1]);
/// let scores = seen.outlier_scores.expect("exemplars tell outliers");
/// assert!(scores[0] <= 1.0 && scores[1] <= 1.0 && scores[2] > 1.0);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    method: String,
    view: RowView,
    /// A point amid the rows, which is subtracted before products.
    origin: Vec<f64>,
    /// Positions of the picks in the table of the run, best first, and their rows as the run saw them.
    indices: Vec<usize>,
    picks: PointRows,
    outliers: Option<OutlierModel>,
}

/// How outliers are told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct OutlierModel {
    pub score: ScoreStep,
    pub rule: GateRule,
    /// Rows that were set aside; those that keep company with enough of them are none after all.
    pub look: Option<SecondLook>,
}

/// What a [`Model`] says of some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The nearest pick of each row, as a position among the picks.
    pub labels: Vec<usize>,
    /// The distance to it: on the sphere of length one, the straight line.
    pub distances: Vec<f64>,
    /// The outlier scores, above 1 for outliers, where the method tells them. A row that the run chose as a landmark is
    /// judged by the others, as in the run.
    pub outlier_scores: Option<Vec<f64>>,
}

impl Model {
    /// From a selection and the rows that it was made of, of `features` values.
    pub(crate) fn new(selection: &Selection, view: RowView, rows: &dyn RowAccess, features: usize) -> Self {
        let (method, indices) = (selection.method.to_owned(), selection.indices.clone());
        let origin = vec![0.0; features];
        let picks = PointRows::read(&Table { rows, origin: &origin, metric: view.metric }, &indices);
        Model { method, view, origin: picks.origin(), indices, picks, outliers: None }
    }

    /// From a selection and whoever holds the rows.
    pub(crate) fn of(rows: &mut dyn RowBackend, selection: &Selection) -> Result<Self, Error> {
        let cache = RowCache::fetch(rows, selection.indices.clone())?;
        Ok(Model::new(selection, rows.view(), cache.access(rows), rows.features()))
    }

    /// The model with what tells outliers.
    pub(crate) fn with_outliers(self, outliers: OutlierModel) -> Self {
        Model { outliers: Some(outliers), ..self }
    }

    /// The name of the method.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The number of columns.
    pub fn features(&self) -> usize {
        self.origin.len()
    }

    /// Positions of the picks in the table of the run, best first.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// The rows of the picks as the run saw them, one behind the other: of length one where only directions count, none where
    /// distances were given.
    pub fn rows(&self) -> Vec<f64> {
        let scale = self.view.distance_scale();
        self.picks.row_major().into_iter().map(|value| value / scale).collect()
    }

    /// How rows are compared.
    pub fn metric(&self) -> Metric {
        self.view.metric
    }

    /// The width of the similarity exp(-distance^2 / width) that exemplars are chosen by; `None` for other methods.
    pub fn width(&self) -> Option<f64> {
        let scale = self.view.distance_scale();
        self.outliers.as_ref().map(|outliers| outliers.score.h2 / scale / scale)
    }

    /// True if the model tells outliers.
    pub fn tells_outliers(&self) -> bool {
        self.outliers.is_some()
    }

    /// Assigns each row to its nearest pick and scores it.
    ///
    /// # Errors
    /// If the rows have another number of columns, or no direction where only directions count.
    pub fn apply<T: Float>(&self, samples: &Samples<'_, T>, run: &mut RunOptions<'_>) -> Result<Applied, Error> {
        T::apply_model(self, samples, run)
    }

    /// The model as bytes, for [`from_bytes`](Model::from_bytes).
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        encode(self)
    }

    /// The model in some bytes: whatever they are, the outcome is a model that can be applied, or an error.
    ///
    /// # Errors
    /// If the bytes are no model of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let no_model = || Error::Backend { reason: "this is no model, or one of another version of arss".into() };
        let model: Model = decode(bytes).map_err(|_| no_model())?;
        model.check().map_err(|_| no_model())?;
        Ok(model)
    }

    /// `Ok` if all parts fit each other.
    fn check(&self) -> Result<(), Error> {
        let features = self.features();
        self.nearest().check(features)?;
        self.picks.check(self.indices.len(), features)?;
        self.picks.check_metric(self.view.metric)?;
        if let Some(OutlierModel { score, look, .. }) = &self.outliers {
            score.check(features)?;
            score.values.check_metric(self.view.metric)?;
            if let Some(look) = look {
                look.check(features)?;
                look.values.check_metric(self.view.metric)?;
            }
        }
        Ok(())
    }

    pub(crate) fn run<T: Float>(&self, samples: &Samples<'_, T>, run: &mut RunOptions<'_>) -> Result<Applied, Error> {
        let (items, features) = (samples.items(), samples.features());
        if features != self.features() {
            return Err(Error::OtherColumns { found: features, expected: self.features() });
        }
        let samples = samples.seen_by(self.metric())?.with_scale(self.view.scale);
        let block = if run.block == 0 { nearest::short_block(features) } else { run.block };
        let options = RunOptions { threads: run.threads, block, ..RunOptions::default() };
        let partition = Partition::new(&options, items, features)?;
        self.run_backend(&mut InMemory::new(&samples, &partition, RowAttributes::default()))
    }

    fn run_backend(&self, rows: &mut dyn RowBackend) -> Result<Applied, Error> {
        let mut outlier_scores = None;
        if let Some(OutlierModel { score, rule, look }) = &self.outliers {
            rows.pass(&Step::ExemplarsScore(score.clone()))?;
            rows.pass(&Step::ExemplarsJudge(JudgeStep { rule: *rule, interrupted: false, seed: 0, sample: 1 }))?;
            if let Some(look) = look {
                rows.pass(&Step::ExemplarsSecondLook(look.clone()))?;
            }
            outlier_scores = rows.column(SCORE)?;
        }
        rows.pass(&Step::ExemplarsNearest(self.nearest()))?;
        let scale = self.view.distance_scale();
        let distances = rows.column(SCORE)?.unwrap_or_default().into_iter().map(|distance| distance / scale);
        let labels = rows.column(LABEL)?.unwrap_or_default().into_iter().map(|label| label as usize);
        Ok(Applied { labels: labels.collect(), distances: distances.collect(), outlier_scores })
    }

    fn nearest(&self) -> NearestPick {
        // No row to come stands at these positions.
        let picks = (0..self.indices.len()).map(|pick| usize::MAX - pick).collect();
        let values = self.picks.clone();
        NearestPick { gate: false, distances: true, origin: self.origin.clone(), picks, values }
    }
}
