//! Work on many rows at once, with an answer that does not depend on the number of threads.

mod partition;
mod reduction;

pub(crate) use partition::{Partition, block_rows, default_block, move_sums, sums_held};
