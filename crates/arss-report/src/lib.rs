//! The report: one self-contained page that shows what was chosen, and why.

// What comes from outside ends in an error, never in a panic. Indices remain: they are bounded by what was checked before.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo)
)]

mod aside;
mod cards;
mod charts;
mod colours;
mod command_line;
mod comparison;
mod curve;
mod differences;
mod explained;
mod how_many;
mod measured;
mod model;
mod neighbours;
pub mod outlier_reasons;
mod packed;
mod page;
mod reading;
mod sample;
pub mod saved_result;
mod shown_rows;
mod subject;
mod summary;
pub mod table_checksum;

pub use charts::projection::median;
pub use command_line::line;
pub use comparison::{Comparison, Judged};
pub use how_many::AHEAD;
pub use page::html;
pub use sample::sample;
pub use subject::{More, Subject};
