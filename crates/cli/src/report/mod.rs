//! The report: one self-contained page that shows what was chosen, and why.

mod command;
mod comparison;
mod data;
mod histogram;
mod map;
mod neighbours;
mod page;
mod projection;
mod sample;
mod subject;
mod summary;

pub use command::line;
pub use comparison::{Comparison, Judged};
pub use page::html;
pub use projection::median;
pub use sample::sample;
pub use subject::{More, Subject};
