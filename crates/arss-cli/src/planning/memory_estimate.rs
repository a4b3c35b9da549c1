//! The memory that a run needs, from the shape of its table and the method.
//!
//! `docs/running.md` compares it with what runs did use.

use arss::{Count, Kernel, Method};
use arss_table::{TableShape, free_memory};

use crate::args::SelectArgs;

/// The program itself, its threads and their buffers.
const PROGRAM: u64 = 16 << 20;
/// What is read at a time.
const BUFFERS: u64 = 8 << 20;
/// Most items that exemplars and facility location choose from, and most that they cover.
const POOL: u64 = 8192;

/// No machine has so many bytes; below it no product in this file overflows.
const UNHEARD_OF: u64 = 1 << 50;

/// What the method works on.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub items: u64,
    pub features: u64,
    /// Bytes of a value.
    pub element: u64,
    /// Items to choose.
    pub k: u64,
}

impl Shape {
    /// The shape of what the flags choose from.
    pub fn new(table: &TableShape, count: Count, features: bool) -> Self {
        let (rows, columns) = (table.rows.max(1), table.used.max(1));
        let (items, features) = if features { (columns, rows) } else { (rows, columns) };
        let k = match count {
            Count::Exactly(k) => k as u64,
            Count::Share(share) => (share * items as f64).ceil() as u64,
            Count::Auto => 1000,
        };
        Shape { items, features, element: table.element, k: k.clamp(1, items) }
    }

    /// The shape of rows that are chosen from.
    pub fn of_rows((items, features): (usize, usize), element: usize, count: Count) -> Self {
        let table =
            TableShape { rows: items as u64, used: features as u64, element: element as u64, ..TableShape::default() };
        Shape::new(&table, count, false)
    }
}

/// Bytes of the whole run: the larger of reading and choosing.
pub fn of_run(table: &TableShape, method: &Method, shape: &Shape) -> u64 {
    // A description may claim more than can be counted.
    let values = table.rows.checked_mul(table.used).and_then(|count| count.checked_mul(table.element));
    let counted = table.rows.max(table.used) < UNHEARD_OF >> 8;
    let Some(values) = values.filter(|bytes| counted && *bytes < UNHEARD_OF) else { return u64::MAX };
    // What was read stands in pieces until the table is put together, and they become fewer as it grows.
    let pieces = if table.in_chunks { table.rows * table.used * 8 } else { 0 };
    let buffers = table.bytes.min(if table.in_chunks { 2 * BUFFERS } else { BUFFERS });
    PROGRAM + buffers + table.held + values + pieces.max(of_method(method, shape))
}

/// Bytes that a method needs besides the table.
pub fn of_method(method: &Method, shape: &Shape) -> u64 {
    let Shape { items, features, k, .. } = *shape;
    let own = match method {
        Method::Exemplars(settings) => choice(shape) + landmarks(settings.landmarks as u64, shape) + 64 * items,
        Method::Facility(_) => choice(shape) + 64 * items,
        Method::Arss(settings) => mapped(settings.kernel, shape, |shape| solver(shape, 5)),
        Method::Rrss(settings) => mapped(settings.kernel, shape, |shape| solver(shape, 6)),
        Method::Ted(settings) => mapped(settings.kernel, shape, |shape| {
            let small = shape.items.min(shape.features);
            5 * 8 * small * small + 64 * shape.items
        }),
        Method::KMeans(_) => 3 * 8 * k * features + 48 * items,
        Method::KMedoids(_) => 3 * 8 * k * features + 64 * items + kept_distances(items) + (8 << 20),
        Method::Rrqr(_) => 8 * features * k.min(features) + 64 * items,
        Method::Random(_) => 64 * items,
    };
    own + blocks(shape)
}

/// A block of rows for each thread: small, unless rows are very long.
fn blocks(shape: &Shape) -> u64 {
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let rows = ((1 << 22) / shape.features).clamp(64, 512).min(shape.items);
    threads * shape.element * rows * shape.features
}

/// The iterations of ARSS and RRSS: so many quarters of a table, sums of the smaller side squared, numbers an item.
fn solver(shape: &Shape, quarters: u64) -> u64 {
    let small = shape.items.min(shape.features);
    quarters * shape.element * shape.items * shape.features / 4 + 32 * 8 * small * small + 64 * shape.items
}

/// The rows seen through a kernel are another table, a column a landmark.
fn mapped(kernel: Option<Kernel>, shape: &Shape, method: impl Fn(&Shape) -> u64) -> u64 {
    let Some(kernel) = kernel else { return method(shape) };
    let count = (kernel.landmarks as u64).min(shape.items);
    let seen = Shape { features: count, ..*shape };
    seen.items * count * seen.element + landmarks(count, shape) + method(&seen)
}

fn landmarks(count: u64, shape: &Shape) -> u64 {
    let count = count.min(shape.items);
    4 * 8 * count * count + shape.element * count * shape.features
}

/// Rows to cover, rows that the width is measured on, rows to choose from, and the similarities of a batch.
fn choice(shape: &Shape) -> u64 {
    let reference = POOL.min(shape.items);
    let pool = POOL.max(4 * shape.k).min(shape.items);
    8 * (reference + shape.k + 2048.min(shape.items)) * shape.features + 40 * pool + 8 * 128 * reference
}

/// K-medoids keeps distances where they are few.
fn kept_distances(items: u64) -> u64 {
    let items = items.min(5000);
    if items * items <= 1 << 23 { 8 * items * items } else { 8 * 64 * items }
}

/// The most that a run may use.
pub fn limit(args: &SelectArgs) -> Option<u64> {
    args.out.memory.or_else(free_memory::bytes)
}

/// Bytes that a run with scratch files needs at least: buffers for reading, then what it holds and a few blocks of rows
/// for each thread.
pub fn least(table: &TableShape, method: &Method, shape: &Shape) -> u64 {
    PROGRAM + table.held + (2 * BUFFERS).max(held(method, shape) + 4 * blocks(shape))
}

/// Bytes for blocks of rows, of those that a run with scratch files may use.
pub fn for_blocks(limit: u64, method: &Method, shape: &Shape) -> u64 {
    // Where the records of a text begin; half of the rest is for what the threads add up and for the allocator.
    let fixed = PROGRAM + 8 * shape.items + held(method, shape);
    (limit.saturating_sub(fixed) / 2).clamp(4 * blocks(shape), MOST_BLOCKS)
}

/// More rows at a time make nothing faster.
const MOST_BLOCKS: u64 = 256 << 20;

/// Bytes that stay in memory where the rows do not: a few numbers a row for the result, small matrices, what
/// exemplars looks at.
fn held(method: &Method, shape: &Shape) -> u64 {
    let small = shape.items.min(shape.features);
    let own = match method {
        Method::Exemplars(settings) => 2 * choice(shape) + landmarks(settings.landmarks as u64, shape),
        _ => 32 * 8 * small * small,
    };
    own + 28 * shape.items
}
