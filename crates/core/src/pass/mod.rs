//! Passes over the rows: one definition of every block step, whoever holds the rows.
//!
//! Every quantity of a row needs its own row, its own state and small matrices. A solver therefore asks
//! for passes ([`Request`]) and gets sums back ([`Sums`]); an [`Engine`] walks over the rows. The rows may
//! lie in memory ([`Memory`]), be read when they are needed (`streamed.rs`) or lie on other machines (`remote.rs`):
//! the step on a block ([`Visit`]) is the same code.

mod codec;
mod common;
pub(crate) mod journal;
mod memory;
mod partial;
pub(crate) mod remote;
mod request;
pub(crate) mod streamed;
mod sums;

pub(crate) use common::{Top, largest_form};
pub(crate) use memory::Memory;
pub(crate) use partial::{Access, Batch, Own, Partial, Visit};
pub(crate) use request::{Kind, Request};
pub(crate) use sums::{Record, Records, Sums};

use crate::{Error, Float};

/// Whoever holds the rows and their state, and can walk over them.
pub(crate) trait Engine {
    /// The number of rows.
    fn items(&self) -> usize;
    /// The values of a row.
    fn features(&self) -> usize;
    /// Walks over all rows and adds up what the steps on the blocks gathered.
    fn pass(&mut self, request: &Request) -> Result<Sums, Error>;
    /// One of the numbers kept for each row; `None` where they stay where the rows are.
    fn column(&mut self, at: usize) -> Result<Option<Vec<f64>>, Error>;
    /// The values kept for each row, row by row; `None` where they stay where the rows are.
    fn values(&mut self) -> Result<Option<Vec<f64>>, Error>;
}

/// The step that a request asks of every block.
pub(crate) fn step<T: Float>(request: &Request) -> Box<dyn Visit<T>> {
    use crate::{arss, exemplars, rrss, ted};
    match request.kind {
        Kind::Check => Box::new(common::Check),
        Kind::Longest => Box::new(common::Longest),
        Kind::LargestForm => Box::new(common::LargestForm::read(request)),
        Kind::InverseGram => Box::new(common::InverseGram::read(request)),
        Kind::Top | Kind::Least => Box::new(common::Top::read(request)),
        Kind::Absolute => Box::new(common::Absolute::read(request)),
        Kind::Fetch => Box::new(common::Fetch::read(request)),
        Kind::ArssStart => Box::new(arss::blocks::Start::read(request)),
        Kind::ArssSigns => Box::new(arss::blocks::Signs::read(request)),
        Kind::ArssMultiplier => Box::new(arss::blocks::Multiplier::read(request)),
        Kind::ArssWeights => Box::new(arss::blocks::Weights::read(request)),
        Kind::ArssFinish => Box::new(arss::blocks::Finish::read(request)),
        Kind::RrssStart => Box::new(rrss::blocks::Start::read(request)),
        Kind::RrssFit => Box::new(rrss::blocks::Solve::read(request)),
        Kind::RrssWeights => Box::new(rrss::blocks::Weights::read(request)),
        Kind::RrssFinish => Box::new(rrss::blocks::Finish::read(request)),
        Kind::TedGram => Box::new(ted::blocks::Gram::read(request)),
        Kind::TedStart => Box::new(ted::blocks::Start::read(request)),
        Kind::TedTake => Box::new(ted::blocks::Take::read(request)),
        Kind::TedLeft => Box::new(ted::blocks::Left),
        Kind::TedRest => Box::new(ted::blocks::Rest::read(request)),
        Kind::Strange => Box::new(exemplars::blocks::Strange::read(request)),
        Kind::Digits => Box::new(exemplars::blocks::Digits::read(request)),
        Kind::Gate => Box::new(exemplars::blocks::Gate::read(request)),
        Kind::Ranked => Box::new(exemplars::blocks::Ranked::read(request)),
        Kind::Nearest => Box::new(exemplars::blocks::Nearest::read(request)),
    }
}
