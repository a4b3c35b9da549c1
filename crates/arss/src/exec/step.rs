//! What a pass asks of every block of rows: one variant per step, with named fields.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::accumulator::BlockStep;
use super::shared_steps::{AbsoluteSums, CheckFinite, FetchRows, InverseGram, LargestForm, LongestRow, RankRows};
use super::wire::{decode, encode};
use super::{OutputShape, PointRows};
use crate::exemplars::{graph_score as graph, refine_steps as refinement, score_steps as scoring, steps as exemplars};
use crate::models::arss::steps as arss;
use crate::models::row_sums::steps as ranking;
use crate::models::rrss::steps as rrss;
use crate::models::ted::steps as ted;
use crate::row_view::RowView;
use crate::{Error, Float};

/// What a step does with a part of the state of the rows.
///
/// ```
/// use arss::distributed::Access;
///
/// assert_ne!(Access::Read, Access::Change);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It does not look at it.
    None,
    /// It reads it.
    Read,
    /// It reads and changes it.
    Change,
}

/// What a step needs of the rows and of their state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Needs {
    /// The values of the rows. A step that works on the state alone spares reading them.
    pub rows: bool,
    /// Those that are not zero will do, where the table holds no others.
    pub entries: bool,
    /// One value per entry.
    pub values: Access,
    /// `width` numbers per row.
    pub numbers: Access,
    pub width: usize,
}

impl Needs {
    /// The rows and no state.
    pub const ROWS: Needs = Needs { rows: true, entries: false, values: Access::None, numbers: Access::None, width: 0 };
    /// Neither: what the step reads are the attributes of the rows.
    pub const ATTRIBUTES: Needs = Needs { rows: false, ..Needs::ROWS };

    /// Or those of their values that are not zero.
    pub const fn or_entries(self) -> Self {
        Needs { entries: true, ..self }
    }

    /// And the numbers of the state.
    pub const fn numbers(self, numbers: Access, width: usize) -> Self {
        Needs { numbers, width, ..self }
    }

    /// And the values of the state.
    pub const fn values(self, values: Access) -> Self {
        Needs { values, ..self }
    }
}

/// What is known of a step before it sees a row.
pub(crate) trait StepSpec {
    /// What it needs of the rows.
    fn needs(&self) -> Needs;
    /// What it returns, for rows of `features` values.
    fn output(&self, features: usize) -> OutputShape;
    /// `Ok` if its matrices and lists fit rows of `features` values. A step that came from elsewhere is checked once,
    /// and can then be run without a panic.
    fn check(&self, features: usize) -> Result<(), Error>;
    /// The rows that it compares with.
    fn points(&self) -> Option<&PointRows> {
        None
    }
    /// The columns that it looks at, where the table holds distances.
    fn columns(&self) -> &[usize] {
        self.points().map_or(&[], PointRows::columns)
    }
    /// The rows that it is restricted to.
    fn range(&self) -> Option<Range<usize>> {
        None
    }
}

/// A step over all rows. What each one computes is documented where it is defined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Step {
    CheckFinite(CheckFinite),
    LongestRow(LongestRow),
    LargestForm(LargestForm),
    InverseGram(InverseGram),
    RankRows(RankRows),
    AbsoluteSums(AbsoluteSums),
    FetchRows(FetchRows),
    ArssStart(arss::Start),
    ArssSigns(arss::Signs),
    ArssErrors(arss::Errors),
    ArssPlace(arss::Place),
    ArssMultiplier(arss::Multiplier),
    ArssWeights(arss::Weights),
    ArssFinish(arss::Finish),
    RrssStart(rrss::Start),
    RrssSolve(rrss::Solve),
    RrssWeights(rrss::Weights),
    RrssFinish(rrss::Finish),
    TedGram(ted::Gram),
    TedStart(ted::Start),
    TedTake(ted::Take),
    TedRemainder(ted::Remainder),
    TedBest(ted::Best),
    ExemplarsScore(scoring::ScoreStep),
    ExemplarsSample(scoring::SampleMeasures),
    ExemplarsJudge(scoring::JudgeStep),
    ExemplarsSecondLook(scoring::SecondLook),
    ExemplarsGroupCount(exemplars::GroupCount),
    ExemplarsGroupSizes(exemplars::GroupSizes),
    ExemplarsGate(exemplars::GateStep),
    ExemplarsCandidates(exemplars::Candidates),
    ExemplarsMeans(refinement::MeansStep),
    ExemplarsNearestCentre(refinement::NearestCentre),
    ExemplarsCentreRows(refinement::CentreRows),
    ExemplarsNearest(exemplars::NearestPick),
    ExemplarsSetMeasures(graph::SetMeasures),
    WeighTerms(ranking::WeighTerms),
    DrawTerms(ranking::DrawTerms),
    BoundSums(ranking::BoundSums),
}

impl Step {
    /// What is known of the step before it sees a row.
    pub fn spec(&self) -> &dyn StepSpec {
        match self {
            Step::CheckFinite(step) => step,
            Step::LongestRow(step) => step,
            Step::LargestForm(step) => step,
            Step::InverseGram(step) => step,
            Step::RankRows(step) => step,
            Step::AbsoluteSums(step) => step,
            Step::FetchRows(step) => step,
            Step::ArssStart(step) => step,
            Step::ArssSigns(step) => step,
            Step::ArssErrors(step) => step,
            Step::ArssPlace(step) => step,
            Step::ArssMultiplier(step) => step,
            Step::ArssWeights(step) => step,
            Step::ArssFinish(step) => step,
            Step::RrssStart(step) => step,
            Step::RrssSolve(step) => step,
            Step::RrssWeights(step) => step,
            Step::RrssFinish(step) => step,
            Step::TedGram(step) => step,
            Step::TedStart(step) => step,
            Step::TedTake(step) => step,
            Step::TedRemainder(step) => step,
            Step::TedBest(step) => step,
            Step::ExemplarsScore(step) => step,
            Step::ExemplarsSetMeasures(step) => step,
            Step::ExemplarsSample(step) => step,
            Step::ExemplarsJudge(step) => step,
            Step::ExemplarsSecondLook(step) => step,
            Step::ExemplarsMeans(step) => step,
            Step::ExemplarsNearestCentre(step) => step,
            Step::ExemplarsCentreRows(step) => step,
            Step::ExemplarsGroupCount(step) => step,
            Step::ExemplarsGroupSizes(step) => step,
            Step::ExemplarsGate(step) => step,
            Step::ExemplarsCandidates(step) => step,
            Step::ExemplarsNearest(step) => step,
            Step::WeighTerms(step) => step,
            Step::DrawTerms(step) => step,
            Step::BoundSums(step) => step,
        }
    }

    /// The step ready for rows of type `T`: its matrices are cast once per pass, not once per block.
    pub fn prepare<T: Float>(&self) -> Box<dyn BlockStep<T> + '_> {
        match self {
            Step::CheckFinite(step) => Box::new(*step),
            Step::LongestRow(step) => Box::new(*step),
            Step::LargestForm(step) => Box::new(step.cast::<T>()),
            Step::InverseGram(step) => Box::new(*step),
            Step::RankRows(step) => Box::new(*step),
            Step::AbsoluteSums(step) => Box::new(step.cast::<T>()),
            Step::FetchRows(step) => Box::new(step.clone()),
            Step::ArssStart(step) => Box::new(*step),
            Step::ArssSigns(step) => Box::new(*step),
            Step::ArssErrors(step) => Box::new(step.cast::<T>()),
            Step::ArssPlace(step) => Box::new(step.cast::<T>()),
            Step::ArssMultiplier(step) => Box::new(step.cast::<T>()),
            Step::ArssWeights(step) => Box::new(step.cast::<T>()),
            Step::ArssFinish(step) => Box::new(step.cast::<T>()),
            Step::RrssStart(step) => Box::new(*step),
            Step::RrssSolve(step) => Box::new(step.cast::<T>()),
            Step::RrssWeights(step) => Box::new(step.cast::<T>()),
            Step::RrssFinish(step) => Box::new(step.cast::<T>()),
            Step::TedGram(step) => Box::new(*step),
            Step::TedStart(step) => Box::new(step.clone()),
            Step::TedTake(step) => Box::new(step.clone()),
            Step::TedRemainder(step) => Box::new(*step),
            Step::TedBest(step) => Box::new(*step),
            Step::ExemplarsScore(step) => Box::new(step.ready::<T>()),
            Step::ExemplarsSetMeasures(step) => Box::new(step.clone()),
            Step::ExemplarsSample(step) => Box::new(step.clone()),
            Step::ExemplarsJudge(step) => Box::new(*step),
            Step::ExemplarsSecondLook(step) => Box::new(step.ready::<T>()),
            Step::ExemplarsMeans(step) => Box::new(step.ready::<T>()),
            Step::ExemplarsNearestCentre(step) => Box::new(step.ready::<T>()),
            Step::ExemplarsCentreRows(step) => Box::new(step.clone()),
            Step::ExemplarsGroupCount(step) => Box::new(*step),
            Step::ExemplarsGroupSizes(step) => Box::new(step.clone()),
            Step::ExemplarsGate(step) => Box::new(step.clone()),
            Step::ExemplarsCandidates(step) => Box::new(step.clone()),
            Step::ExemplarsNearest(step) => Box::new(step.ready::<T>()),
            Step::WeighTerms(step) => Box::new(step.cast::<T>()),
            Step::DrawTerms(step) => Box::new(step.cast::<T>()),
            Step::BoundSums(step) => Box::new(step.cast::<T>()),
        }
    }
}

/// A step, and how it sees the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Request {
    pub view: RowView,
    pub step: Step,
}

impl Request {
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        encode(self)
    }

    /// A request in some bytes. Whether it fits rows of some width is for [`StepSpec::check`] to say.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        decode(bytes)
    }
}
