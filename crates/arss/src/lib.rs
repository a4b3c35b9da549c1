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
//! use arss::{Arss, Samples, Selector};
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

mod baselines;
mod block;
mod error;
pub mod estimate;
mod exec;
mod exemplars;
mod float;
mod forecast;
mod half_kind;
mod linalg;
mod magnitude;
mod method;
mod model;
mod models;
mod options;
mod parallel;
mod precomputed;
mod row_view;
mod run_check;
mod samples;
mod selection;
mod sparse_rows;

pub use baselines::{FacilityLocation, KMeans, KMedoids, Random, Rrqr};
pub use error::Error;
pub use exemplars::{Assignment, Exemplars, Groups, Outlook, Quotas};
pub use float::Float;
pub use half_kind::HalfKind;
pub use method::{Method, Selector};
pub use model::{Applied, Model};
pub use models::arss::{Arss, ArssReference, Penalty, UpdateA};
pub use models::kernel::{Kernel, Mapped};
pub use models::rrss::{Rrss, RrssReference, RrssSystem};
pub use models::ted::{Ted, TedReference};
pub use models::{RootSteps, Shrinkage};
pub use options::{Callback, Count, Gamma, Metric, Progress, Rank, RunOptions};
pub use samples::Samples;
pub use selection::{HistoryStep, Note, Report, Seconds, Selection, SetAside, Solution, Status};
pub use sparse_rows::SparseRows;

/// Tables whose rows are on several machines: a method works by passes over parts of the rows.
///
/// ```
/// use arss::distributed::{RemoteTable, RowState, RowsOf, merge, select, step_on};
/// use arss::{Count, Method, RunOptions, Samples, Ted};
///
/// let table: Vec<f64> = (0..60).map(|i| f64::from(i * i % 17)).collect();
/// let mut states = [RowState::default(), RowState::default()];
/// // Two parts of ten rows; on a cluster each would be on a machine of its own.
/// let mut pass = |request: &[u8]| {
///     let mut results = Vec::new();
///     for (part, state) in states.iter_mut().enumerate() {
///         let rows = RowsOf { data: &table[30 * part..30 * part + 30], shape: (10, 3), strides: (3, 1) };
///         results.push(step_on(request, &rows, 10 * part, state)?);
///     }
///     merge(&results[0], &results[1])
/// };
/// let method = Method::Ted(Ted::default());
/// let remote = RemoteTable { items: 20, features: 3, single: false };
/// let found = select(&method, remote, Count::Exactly(2), &mut pass, &mut RunOptions::default())?;
/// let here = method.select(&Samples::new(&table, 20, 3)?, 2, &mut RunOptions::default())?;
/// assert_eq!(found.indices, here.indices);
/// # Ok::<(), arss::Error>(())
/// ```
pub mod distributed {
    pub use crate::exec::distributed::{
        Pass, RemoteTable, RowState, RowsOf, StepRequest, access, check_method, columns, merge, select, step_on,
    };
    pub use crate::exec::{Access, RowAttributes};
}

/// Tables larger than memory: rows are read when they are needed, and their state is kept in a store.
///
/// ```
/// use std::sync::Mutex;
///
/// use arss::out_of_core::{RowSource, Store, Stream};
/// use arss::{Count, Method, RunOptions, Ted};
///
/// struct Numbers(Mutex<Vec<f64>>);
///
/// impl RowSource<f64> for Numbers {
///     fn items(&self) -> usize {
///         20
///     }
///     fn features(&self) -> usize {
///         3
///     }
///     fn read(&self, first: usize, rows: &mut [f64]) -> Result<(), String> {
///         rows.copy_from_slice(&self.0.lock().unwrap()[3 * first..][..rows.len()]);
///         Ok(())
///     }
/// }
///
/// impl Store<f64> for Numbers {
///     fn read(&self, at: usize, numbers: &mut [f64]) -> Result<(), String> {
///         numbers.copy_from_slice(&self.0.lock().unwrap()[at..][..numbers.len()]);
///         Ok(())
///     }
///     fn write(&self, at: usize, numbers: &[f64]) -> Result<(), String> {
///         self.0.lock().unwrap()[at..][..numbers.len()].copy_from_slice(numbers);
///         Ok(())
///     }
/// }
///
/// let rows = Numbers(Mutex::new((0..60).map(|i| f64::from(i * i % 17)).collect()));
/// let (values, numbers) = (Numbers(Mutex::new(vec![0.0; 60])), Numbers(Mutex::new(vec![0.0; 60])));
/// let stream = Stream { source: &rows, values: &values, numbers: &numbers, memory: 1 << 20 };
/// let found = stream.select(&Method::Ted(Ted::default()), Count::Exactly(2), &mut RunOptions::default())?;
/// assert_eq!(found.indices.len(), 2);
/// # Ok::<(), arss::Error>(())
/// ```
pub mod out_of_core {
    pub use crate::exec::out_of_core::{RowSource, Store, Stream, StreamOptions};
    pub use crate::exec::replay_log::ReplayLog;
    pub use crate::linalg::tsqr::r_factor;
}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples of the book's Rust page are tests, too.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/reference/rust.md")]
struct RustPage;
