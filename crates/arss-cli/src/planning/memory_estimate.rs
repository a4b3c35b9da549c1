//! The memory of a whole run: the program, what it reads, and what the method needs.

use arss::estimate::{self, ProblemSize};
use arss::{Count, Method, Metric};
use arss_table::{TableShape, free_memory};

use crate::args::SelectArgs;
use crate::commands::select;

/// The program itself, its threads and their buffers.
const PROGRAM: u64 = 20 << 20;
/// What is read at a time.
const BUFFERS: u64 = 12 << 20;
/// Distances of a row that are copied at a time.
const LOOKED_UP: u64 = 64;
/// No machine has so many bytes; below it no product in this file overflows.
const UNHEARD_OF: u64 = 1 << 50;

/// The size of what the flags choose from.
pub fn problem_size(table: &TableShape, args: &SelectArgs) -> ProblemSize {
    let (rows, columns) = (table.rows.max(1), table.used.max(1));
    let (items, mut features) = if args.features { (columns, rows) } else { (rows, columns) };
    if args.input.metric == Metric::Precomputed {
        // The table is looked up where it lies; of a row, few distances are copied.
        features = features.min(LOOKED_UP);
    }
    let by_column = table.in_place.is_none() || args.features;
    ProblemSize { by_column, ..size_of((items, features), table.element, args.k, args.threads) }
}

/// The size of rows that are chosen from, whatever the flags choose from.
pub fn size_of((items, features): (u64, u64), element: u64, count: Count, threads: usize) -> ProblemSize {
    ProblemSize { items, features, element, k: 1, threads: running_threads(threads), by_column: true }.with_count(count)
}

/// Threads that run for a number given, 0 being all: more than the machine has would only take memory.
pub fn running_threads(threads: usize) -> u64 {
    let most = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    if threads == 0 { most as u64 } else { threads.min(most) as u64 }
}

/// Bytes of a cell of the picks while they are printed as a table.
const CELL: u64 = 128;

/// The cells of the picks, if they are printed as a table.
pub fn printed_cells(table: &TableShape, args: &SelectArgs, k: u64) -> u64 {
    // `--json` of a plan is about the plan, and JSON takes no less.
    let printed = select::prints_picks(args) && !args.features;
    if printed { k.saturating_mul(table.columns) } else { 0 }
}

/// What choosing takes, and printing after it: Exemplars has given most of it back by then.
fn with_printing(choosing: u64, table: &TableShape, args: &SelectArgs, (method, k): (&Method, u64)) -> u64 {
    let printed = CELL.saturating_mul(printed_cells(table, args, k));
    match method {
        Method::Exemplars(_) | Method::Facility(_) => choosing.max(printed),
        _ => choosing.saturating_add(printed),
    }
}

/// Bytes of the whole run: the larger of reading and choosing, and what is printed.
pub fn of_run(table: &TableShape, args: &SelectArgs, method: &Method, size: &ProblemSize) -> u64 {
    // A description may claim more than can be counted.
    let values = table.rows.checked_mul(table.used).and_then(|count| count.checked_mul(table.element));
    let counted = table.rows.max(table.used) < UNHEARD_OF >> 8;
    let Some(values) = values.filter(|bytes| counted && *bytes < UNHEARD_OF) else { return u64::MAX };
    // Where texts are encoded, the numbers that were read stand beside the table until it is put together.
    let pieces = if table.in_chunks { table.rows * table.used * 8 } else { 0 };
    let most = if table.in_chunks { 2 * BUFFERS } else { BUFFERS };
    // Of an array that stands in its file as it does in memory, half at most is on its way.
    let buffers = if table.in_place.is_some() { table.bytes / 2 } else { table.bytes }.min(most);
    // Reading is over before choosing begins.
    let choosing = with_printing(estimate::memory(method, size), table, args, (method, size.k));
    (PROGRAM + table.held + values).saturating_add((pieces + buffers).max(choosing))
}

/// The most that a run may use.
pub fn limit(args: &SelectArgs) -> Option<u64> {
    args.out.memory.or_else(free_memory::bytes)
}

/// Bytes that a run with scratch files needs at least: buffers for reading, then what it holds and a few blocks of rows
/// for each thread.
pub fn least(table: &TableShape, args: &SelectArgs, method: &Method, size: &ProblemSize) -> u64 {
    let choosing = estimate::memory_out_of_core(method, size) + 4 * estimate::block_memory(size);
    let choosing = with_printing(choosing, table, args, (method, size.k));
    let buffers = if table.in_chunks { 2 * BUFFERS } else { BUFFERS };
    (PROGRAM + table.held).saturating_add(buffers.max(choosing))
}

/// Bytes for blocks of rows, of those that a run with scratch files may use.
pub fn for_blocks(limit: u64, method: &Method, size: &ProblemSize) -> u64 {
    // Where the records of a text begin; half of the rest is for what the threads add up and for the allocator.
    let fixed = PROGRAM + 8 * size.items + estimate::memory_out_of_core(method, size);
    (limit.saturating_sub(fixed) / 2).clamp(4 * estimate::block_memory(size), MOST_BLOCKS)
}

/// More rows at a time make nothing faster.
const MOST_BLOCKS: u64 = 256 << 20;
