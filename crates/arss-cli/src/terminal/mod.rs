//! What appears on a terminal: progress, messages, small tables; and Ctrl-C, which comes from there.

pub mod colour;
pub mod interrupt;
pub mod messages;
pub mod progress;
pub mod text_table;
