//! What a run will need, before it starts: memory, scratch files, time.

pub mod memory_estimate;
pub mod memory_plan;
pub mod time_estimate;
