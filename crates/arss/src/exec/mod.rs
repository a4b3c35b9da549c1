//! Passes over the rows: every step on a block of rows is defined once, wherever the rows are.
//!
//! All that a method computes for a row follows from the row, its state and some small matrices. A solver therefore asks
//! for passes ([`Step`]) and gets sums back ([`PassResult`]). A [`RowBackend`] runs the step on every block: on rows in
//! memory ([`InMemory`]), on rows that are read when needed (`out_of_core.rs`), or on other machines
//! (`distributed.rs`).

mod accumulator;
mod backend;
pub(crate) mod distributed;
mod in_memory;
pub(crate) mod out_of_core;
mod pass_result;
mod point_rows;
pub(crate) mod replay_log;
mod scratch_pool;
mod shared_steps;
mod step;
#[deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
pub(crate) mod wire;

pub use accumulator::RowAttributes;
pub(crate) use accumulator::{Accumulator, BlockState, BlockStep, RowBlock};
pub(crate) use backend::{RowAccess, RowBackend};
pub(crate) use in_memory::InMemory;
pub(crate) use pass_result::{OutputShape, PassResult, TopRow, TopRows};
pub(crate) use point_rows::PointRows;
use scratch_pool::ScratchPool;
pub(crate) use shared_steps::{AbsoluteSums, CheckFinite, FetchRows, InverseGram, LargestForm, LongestRow, RankRows};
pub use step::Access;
pub(crate) use step::{Needs, Request, Step, StepSpec};
pub(crate) use wire::{Matrix, damaged};
