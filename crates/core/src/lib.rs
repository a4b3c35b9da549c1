//! Pick the K rows (or columns) that stand for a whole table, even when part of it is garbage.
//!
//! The models of "10,000+ Times Accelerated Robust Subset Selection" (Zhu et al., AAAI 2015)
//! and its rivals, solved exactly in time linear in the number of rows N. With X holding one
//! sample x_n a column (L features), A an N x N matrix of coefficients and a^n its rows:
//!
//! | type | model |
//! |---|---|
//! | [`Arss`] | min sum \|X - XA\|^p + gamma sum_n \|a^n\|_2, 0 < p <= 1 |
//! | [`Rrss`] | min sum_n \|x_n - X a_n\|_2 + gamma sum_n \|a^n\|_2 |
//! | [`Ted`] | min sum_n \|x_n - Q a_n\|^2 + alpha \|a_n\|^2, Q = K columns of X, greedily |
//! | [`KMeans`], [`KMedoids`], [`FacilityLocation`], [`Rrqr`], [`Random`] | the usual alternatives |
//! | [`Exemplars`] | what we recommend: outliers are set aside, the picks do not repeat each other |
//!
//! ```
//! use arss::{Arss, Samples};
//!
//! // Six samples in the plane; rows are samples.
//! let table = [1.0, 0.1, 0.9, 0.0, 1.1, -0.1, 0.0, 1.0, 0.1, 1.1, -0.1, 0.9];
//! let samples = Samples::new(&table, 6, 2)?;
//! let selection = Arss::default().select(&samples, 2)?;
//! assert_eq!(selection.indices.len(), 2);
//!
//! // Columns instead of rows: the same data, transposed without copying.
//! let features = Arss::default().select(&samples.transposed(), 1)?;
//! assert!(features.indices[0] < 2);
//! # Ok::<(), arss::Error>(())
//! ```
//!
//! The crate prints nothing, opens no file and keeps no global state. Data of type `f32` or
//! `f64` is borrowed, never copied whole; the answer does not depend on the number of threads.

mod arss;
mod baselines;
mod blocks;
mod curve;
mod data;
mod diverse;
mod error;
mod exemplars;
mod float;
mod kernel;
mod lanes;
mod linalg;
mod method;
mod pass;
mod rank;
mod reduce;
mod rows;
mod rrss;
mod run;
mod score;
mod selection;
mod settings;
mod shrink;
mod ted;
mod triangle;

pub use crate::arss::{Arss, ArssReference, Penalty, UpdateA};
pub use baselines::{FacilityLocation, KMeans, KMedoids, Random, Rrqr};
pub use data::Samples;
pub use error::Error;
pub use exemplars::{Assignment, Exemplars, Groups, Quotas};
pub use float::Float;
pub use kernel::{Kernel, Mapped};
pub use method::Method;
pub use rrss::{Rrss, RrssReference, RrssSystem};
pub use run::{Callback, Progress, Run};
pub use selection::{Note, Report, Seconds, Selection, Solution, Status, Step};
pub use settings::{Count, Gamma};
pub use shrink::{RootSteps, Shrinkage};
pub use ted::{Ted, TedReference};

/// Tables that are not in this process: every method that can do so works by passes over parts of the rows.
///
/// ```
/// use arss::elsewhere::{Elsewhere, RowState, RowsOf, merge, select, step_on};
/// use arss::{Count, Method, Run, Samples, Ted};
///
/// let table: Vec<f64> = (0..60).map(|i| f64::from(i * i % 17)).collect();
/// let mut states = [RowState::default(), RowState::default()];
/// // Two parts of ten rows; elsewhere each would be on a machine of its own.
/// let mut pass = |request: &[u8]| {
///     let mut sums = Vec::new();
///     for (part, state) in states.iter_mut().enumerate() {
///         let rows = RowsOf { data: &table[30 * part..30 * part + 30], shape: (10, 3), strides: (3, 1) };
///         sums.push(step_on(request, &rows, 10 * part, state)?);
///     }
///     merge(&sums[0], &sums[1])
/// };
/// let method = Method::Ted(Ted::default());
/// let here = Elsewhere { items: 20, features: 3, single: false };
/// let found = select(&method, here, Count::Exactly(2), &mut pass, &mut Run::default())?;
/// assert_eq!(found.indices, method.select(&Samples::new(&table, 20, 3)?, 2, &mut Run::default())?.indices);
/// # Ok::<(), arss::Error>(())
/// ```
pub mod elsewhere {
    pub use crate::pass::journal::Journal;
    pub use crate::pass::remote::{
        Access, Elsewhere, Pass, RowState, RowsOf, access, check_method, columns, merge, select, step_on,
    };
    pub use crate::pass::streamed::{Manner, RowSource, Store, Stream};
    pub use crate::triangle::triangle;
}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples of the book's Rust page are tests, too.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/reference/rust.md")]
struct RustPage;
