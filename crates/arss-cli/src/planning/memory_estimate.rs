//! The memory of a whole run: the program, what it reads, and what the method needs.

use arss::estimate::{self, ProblemSize};
use arss::{Count, Method};

use crate::args::SelectArgs;
use arss_table::TableShape;
use arss_table::free_memory;

/// The program itself, its threads and their buffers.
const PROGRAM: u64 = 16 << 20;
/// What is read at a time.
const BUFFERS: u64 = 8 << 20;
/// No machine has so many bytes; below it no product in this file overflows.
const UNHEARD_OF: u64 = 1 << 50;

/// The size of what the flags choose from.
pub fn problem_size(survey: &TableShape, args: &SelectArgs) -> ProblemSize {
    let (rows, columns) = (survey.rows.max(1), survey.used.max(1));
    let (items, features) = if args.features { (columns, rows) } else { (rows, columns) };
    size_of((items, features), survey.element, args.k, args.threads)
}

/// The size of rows that are chosen from, whatever the flags choose from.
pub fn size_of((items, features): (u64, u64), element: u64, count: Count, threads: usize) -> ProblemSize {
    ProblemSize { items, features, element, k: 1, threads: running_threads(threads) }.with_count(count)
}

/// Threads that run for a number given, 0 being all.
fn running_threads(threads: usize) -> u64 {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64),
        threads => threads as u64,
    }
}

/// Bytes of the whole run: the larger of reading and choosing.
pub fn of_run(survey: &TableShape, method: &Method, size: &ProblemSize) -> u64 {
    // A description may claim more than can be counted.
    let values = survey.rows.checked_mul(survey.used).and_then(|count| count.checked_mul(survey.element));
    let counted = survey.rows.max(survey.used) < UNHEARD_OF >> 8;
    let Some(values) = values.filter(|bytes| counted && *bytes < UNHEARD_OF) else { return u64::MAX };
    // What was read stands in pieces until the table is put together, and they become fewer as it grows.
    let pieces = if survey.in_pieces { survey.rows * survey.used * 8 } else { 0 };
    let buffers = survey.bytes.min(if survey.in_pieces { 2 * BUFFERS } else { BUFFERS });
    PROGRAM + buffers + survey.held + values + pieces.max(estimate::memory(method, size))
}

/// The most that a run may use.
pub fn limit(args: &SelectArgs) -> Option<u64> {
    args.out.memory.or_else(free_memory::bytes)
}

/// Bytes that a run with scratch files needs at least: buffers for reading, then what it holds and a few blocks of rows
/// for each thread.
pub fn least(survey: &TableShape, method: &Method, size: &ProblemSize) -> u64 {
    let choosing = estimate::memory_out_of_core(method, size) + 4 * estimate::block_memory(size);
    PROGRAM + survey.held + (2 * BUFFERS).max(choosing)
}

/// Bytes for blocks of rows, of those that a run with scratch files may use.
pub fn for_blocks(limit: u64, method: &Method, size: &ProblemSize) -> u64 {
    // Where the records of a text begin; half of the rest is for what the threads add up and for the allocator.
    let fixed = PROGRAM + 8 * size.items + estimate::memory_out_of_core(method, size);
    (limit.saturating_sub(fixed) / 2).clamp(4 * estimate::block_memory(size), MOST_BLOCKS)
}

/// More rows at a time make nothing faster.
const MOST_BLOCKS: u64 = 256 << 20;
