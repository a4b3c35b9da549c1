//! The models of the paper and what they share. The letters in the formulas are the paper's.

pub(crate) mod arss;
pub(crate) mod diverse;
pub(crate) mod kernel;
pub(crate) mod momentum;
pub(crate) mod newton;
pub(crate) mod row_sums;
pub(crate) mod rrss;
mod shrinkage;
mod simd_shrinkage;
pub(crate) mod ted;

pub use shrinkage::{RootSteps, Shrinkage};
