//! Memory and work of each method, before it runs: the only place that knows them.
//!
//! The constants that decide both (rows that are looked at, landmarks, blocks) are those that the methods use. `make
//! bench-plan` compares the estimates with measured runs.

use crate::baselines::kmedoids;
use crate::exemplars::steps as exemplars;
use crate::exemplars::{candidates, gate, landmarks, medoids, outlier_score, refine};
use crate::linalg::rng::{generator, uniform};
use crate::models::row_sums::{BATCH, LINEAR};
use crate::models::{arss, newton, rrss, ted};
use crate::parallel::{block_rows, default_block, sums_held};
use crate::{Count, Float, Kernel, Method, Seconds, Selection};

/// The size of a selection problem.
///
/// ```
/// use arss::estimate::{ProblemSize, memory};
/// use arss::{Exemplars, Selector};
///
/// let size = ProblemSize { items: 1_000_000, features: 16, element: 8, k: 100, threads: 2, by_column: false };
/// let table = 1_000_000 * 16 * 8;
/// assert!(memory(&Exemplars::default().method(), &size) < 2 * table);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemSize {
    /// Items to choose from, at least 1.
    pub items: u64,
    /// Values of an item, at least 1.
    pub features: u64,
    /// Bytes of a value.
    pub element: u64,
    /// Items to choose.
    pub k: u64,
    /// Threads that will run.
    pub threads: u64,
    /// Whether the values of an item stand apart from each other: blocks of items are then copied to be worked on.
    pub by_column: bool,
}

impl ProblemSize {
    /// The size for a number of items that a count means; with [`Count::Auto`] the most there can be.
    #[must_use]
    pub fn with_count(self, count: Count) -> Self {
        let k = match count {
            Count::Exactly(k) => k as u64,
            Count::Share(share) => (share * self.items as f64).ceil() as u64,
            Count::Auto => crate::exemplars::AUTO_LIMIT as u64,
        };
        ProblemSize { k: k.clamp(1, self.items.max(1)), ..self }
    }

    /// Items and features of the smaller side.
    fn small(&self) -> u64 {
        self.items.min(self.features)
    }
}

/// Bytes that a method needs besides a table in memory. The bytes per item are measured (`make bench-plan`).
pub fn memory(method: &Method, size: &ProblemSize) -> u64 {
    let ProblemSize { items, features, k, .. } = *size;
    let own = match method {
        Method::Exemplars(settings) => {
            let scored = landmark_memory(settings.landmarks as u64, size) + tails(size) + shifted(size);
            coverage(size, !settings.nested) + scored + 52 * items + 4 * 8 * k * features
        }
        Method::Facility(_) => coverage(size, false) + 52 * items + (features << 13).min(3 << 20),
        Method::Arss(settings) => mapped(settings.kernel, size, |size| iterations_memory(size, 5) + 40 * size.items),
        Method::Rrss(settings) => mapped(settings.kernel, size, |size| {
            let quarters = if size.items < size.features { 5 } else { 6 };
            iterations_memory(size, quarters) + 64 * size.items
        }),
        Method::Ted(settings) => {
            // A wide table is turned, so that its rows become columns.
            let turned =
                |size: &ProblemSize| if size.items < size.features { 3 * 8 * size.items * size.features } else { 0 };
            let squares = if size.by_column { 8 } else { 4 };
            let own = |size: &ProblemSize| squares * 8 * size.small() * size.small() + 32 * size.items + turned(size);
            mapped(settings.kernel, size, own)
        }
        Method::KMeans(_) => 3 * 8 * k * features + 52 * items + packed(size),
        Method::KMedoids(settings) => {
            let searched = items.min(settings.exact_limit as u64);
            6 * 8 * k * features + 44 * items + kmedoids::kept_bytes(searched) + packed(size)
        }
        Method::Rrqr(_) => 8 * features * k.min(features) + 52 * items,
        Method::Random(_) => 36 * items + packed(size),
    };
    own + pass_memory(method, size)
}

/// Bytes that a pass holds: the sums of the threads and of those that wait for each other, and beside each of them blocks
/// of rows in several forms. The number of blocks is measured (`benchmarks/memory`).
fn pass_memory(method: &Method, size: &ProblemSize) -> u64 {
    let columns = |kernel: Option<Kernel>| match kernel {
        Some(kernel) => (kernel.landmarks as u64).min(size.items),
        None => size.features,
    };
    // So many squares of the columns, so many blocks (of copied ones, and of those that are where the table is), and numbers
    // for each row of a block besides.
    let (wide, squares, blocks, beside) = match method {
        Method::Arss(settings) => (columns(settings.kernel), 2, (10, 8), 0),
        Method::Rrss(settings) => (columns(settings.kernel), 2, (10, 8), 0),
        Method::Ted(settings) => (columns(settings.kernel), 1, (3, 1), 0),
        Method::Exemplars(settings) => (size.features, 0, (4, 4), 3 * settings.landmarks as u64 + 2 * size.k),
        Method::Facility(_) => (size.features, 0, (4, 3), 2 * size.k),
        Method::Rrqr(_) => (size.features, 0, (3, 0), 0),
        _ => (size.features, 0, (4, 1), 2 * size.k),
    };
    let blocks = if size.by_column { blocks.0 } else { blocks.1 };
    // Where there are fewer rows than columns, ARSS, RRSS and TED work on the square of the rows.
    let (items, features) = if squares > 0 { (size.items.max(wide), size.items.min(wide)) } else { (size.items, wide) };
    let (rows, width) = (items as usize, features as usize);
    let held = sums_held(rows, width, size.threads as usize) as u64;
    // Of the baselines copied blocks wait with the sums.
    let baseline = matches!(method, Method::KMeans(_) | Method::KMedoids(_) | Method::Rrqr(_) | Method::Random(_));
    let blocks_held = if baseline && size.by_column { held } else { held.min(size.threads) };
    let block = block_rows(rows, width) as u64 * (blocks * features + beside.min(2 * size.items));
    // Rows near their bound come back with the sums of ARSS and RRSS: twice as many before they are sorted.
    let near = if squares == 2 { 2 * newton::rows((rows, width)) as u64 * (features + 10) } else { 0 };
    8 * (held * (squares * features * features + near) + blocks_held * block) + size.threads * A_THREAD
}

/// Bytes of a block of rows and the picks, packed for their products by each thread. How much is packed at a time depends on
/// the caches of the machine.
fn packed(size: &ProblemSize) -> u64 {
    (8 * size.threads * size.features * (size.k + size.items.min(512))).min(10 << 20)
}

/// Bytes of a thread itself: its stack, and what its allocator keeps.
const A_THREAD: u64 = 1 << 18;

/// Bytes that stay in memory where the rows are read when needed, the blocks of rows apart: a few numbers per row for the
/// result, small matrices, the rows that exemplars looks at.
pub fn memory_out_of_core(method: &Method, size: &ProblemSize) -> u64 {
    let own = match method {
        Method::Exemplars(settings) => {
            let scored = landmark_memory(settings.landmarks as u64, size) + tails(size) + shifted(size);
            2 * coverage(size, !settings.nested) + scored + 52 * size.items
        }
        Method::Facility(_) => 2 * coverage(size, false) + 52 * size.items,
        _ => 8 * 8 * size.small() * size.small() + 36 * size.items,
    };
    own + pass_memory(method, size)
}

/// Bytes of one block of rows for each thread: little, unless rows are very long.
pub fn block_memory(size: &ProblemSize) -> u64 {
    let rows = (default_block(size.features as usize) as u64).min(size.items);
    size.threads.max(1) * size.element * rows * size.features
}

/// Bytes of state that a method keeps of the rows between two passes.
pub fn state_bytes(method: &Method, size: &ProblemSize) -> u64 {
    let (values, numbers) = match method {
        Method::Arss(_) => (size.features * size.element, arss::steps::WIDTH),
        Method::Rrss(_) => (size.features * size.element, rrss::steps::WIDTH),
        Method::Ted(_) => (0, ted::steps::WIDTH),
        _ => (0, exemplars::WIDTH),
    };
    size.items.saturating_mul(values.saturating_add(8 * numbers as u64))
}

/// The iterations of ARSS and RRSS: so many quarters of a table, and sums of the smaller side squared.
fn iterations_memory(size: &ProblemSize, quarters: u64) -> u64 {
    quarters * size.element * size.items * size.features / 4 + 30 * 8 * size.small() * size.small()
}

/// The rows after a kernel map are another table, with a column per landmark.
fn mapped(kernel: Option<Kernel>, size: &ProblemSize, method: impl Fn(&ProblemSize) -> u64) -> u64 {
    let Some(kernel) = kernel else { return method(size) };
    let count = (kernel.landmarks as u64).min(size.items);
    let seen = ProblemSize { features: count, ..*size };
    seen.items * count * seen.element + landmark_memory(count, size) + method(&seen)
}

/// The distances that the width is measured on, or later the similarities of the landmarks and the root of their inverse;
/// their rows.
fn landmark_memory(count: u64, size: &ProblemSize) -> u64 {
    let count = count.min(size.items);
    let measured = (landmarks::SCALE_ROWS as u64).min(size.items);
    8 * count * measured.max(2 * count) + size.element * count * size.features
}

/// A sample of each column and its copies, where the tails of columns count.
fn tails(size: &ProblemSize) -> u64 {
    let looked_at = if (size.features as f64) < gate::WIDE { size.features } else { 0 };
    4 * 8 * (landmarks::SCALE_ROWS as u64).min(size.items) * looked_at
}

/// The rows by which it is told whether lonely ones lie elsewhere.
fn shifted(size: &ProblemSize) -> u64 {
    let (rows, values) = outlier_score::SHIFTED;
    8 * (size.items.min(rows as u64) * size.features).min(values as u64)
}

/// Rows and columns.
fn shape(size: &ProblemSize) -> (usize, usize) {
    (size.items as usize, size.features as usize)
}

/// Rows to cover, rows that the width is measured on, rows to choose from, the similarities of a batch, distances that are
/// kept for swaps, and what each thread needs for products.
fn coverage(size: &ProblemSize, swaps: bool) -> u64 {
    let reference = candidates::sampled(shape(size), size.k as usize, swaps) as u64;
    let pool = reference;
    let scale = (candidates::SCALE_ROWS.1 as u64).min(size.items);
    let kept = medoids::kept_bytes(size.features as usize, pool as usize, reference as usize) as u64;
    // The lines of the picks are copied.
    let kept = if kept > 0 { kept + 8 * size.k * reference } else { 0 };
    8 * (reference + size.k + scale) * size.features + 40 * pool + 8 * 128 * reference + kept + (size.threads << 20)
}

/// What a run did, as far as its time depends on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Iterations of the iterative methods.
    pub iterations: f64,
    /// Rows whose score was summed exactly (ARSS, RRSS).
    pub rows_scored: f64,
}

impl Effort {
    /// What is usual for a method.
    pub fn usual(method: &Method) -> Self {
        let iterations = match method {
            Method::Arss(settings) => settings.max_iterations.min(250),
            Method::Rrss(settings) => settings.max_iterations.min(200),
            Method::KMeans(settings) => settings.max_iterations.min(40),
            Method::KMedoids(settings) => settings.max_iterations.min(8),
            _ => 1,
        };
        Effort { iterations: iterations as f64, rows_scored: BATCH as f64 }
    }

    /// What a run on `probe` did, taken to a problem with `items` items: as many iterations, and the same share of the
    /// rows scored unless one batch was enough, up to what the sampled ranking costs at most.
    pub fn of(probe: &Selection, probe_items: u64, items: u64) -> Self {
        let report = &probe.report;
        let scored = report.rows_scored as f64;
        let grows = if report.rows_scored > BATCH { items as f64 / probe_items as f64 } else { 1.0 };
        let most = (probe.indices.len() + LINEAR) as f64;
        Effort { iterations: report.iterations.max(1) as f64, rows_scored: (scored * grows).min(most.max(scored)) }
    }
}

/// Seconds of one multiplication in a large product, on one of two cores.
const PRODUCT: f64 = 2.5e-10;
/// An exponential takes as long as so many multiplications of a large product: with the search for those that matter, and
/// without.
const EXPONENTIAL: f64 = 200.0;
const EXPONENTIALS: f64 = 30.0;
/// The same for starting a pass on all threads and waiting for it.
const PASS: f64 = 1e5;
/// The same for what happens to each entry in an iteration of ARSS.
const ENTRY: f64 = 40.0;
/// The same for a number that is only read: passes of TED, pivoted QR and k-means++ wait for the memory.
const READ: f64 = 8.0;

/// Sweeps of swaps that are usual.
const SWEEPS: f64 = 4.0;

/// Multiplications in each phase of a run, about.
pub fn work(method: &Method, size: &ProblemSize, effort: Effort) -> Seconds {
    let [n, l, k] = [size.items, size.features, size.k].map(|count| count as f64);
    let (small, Effort { iterations, rows_scored }) = (n.min(l), effort);
    let reference = candidates::sampled(shape(size), size.k as usize, false) as f64;
    let pool = reference;
    // The first measurement of all candidates is vectorised. Then each pick measures a few dozen candidates anew.
    let choice = pool * reference * (l + EXPONENTIALS) + 32.0 * k * reference * (l + EXPONENTIAL) + k * PASS;
    let score = |landmarks: usize| {
        let count = n.min(landmarks as f64);
        n * count * (l + count + 20.0) + 10.0 * count.powi(3)
    };
    let (prepare, solve, last) = match method {
        Method::Exemplars(settings) => {
            let searched = candidates::sampled(shape(size), size.k as usize, true) as f64;
            let swaps = if settings.nested { 0.0 } else { SWEEPS * searched * searched * (l + READ) };
            let refined = if settings.nested || n <= searched { 0.0 } else { settings.refine as f64 };
            let looked_at = |rows| n.min(refine::wanted(rows, size.k as usize) as f64) * k * l;
            let means = refined * looked_at(refine::ROWS);
            let nearest = if refined > 0.0 { looked_at(refine::SNAPPED) } else { 0.0 };
            (score(settings.landmarks), choice + swaps + means + nearest, n * k * l)
        }
        Method::Facility(_) => (n * l, choice, n * k * l),
        Method::Arss(_) | Method::Rrss(_) => {
            let products = n * l * small + 10.0 * small.powi(3);
            let iteration = 2.0 * products + ENTRY * n * l + 2.0 * PASS;
            (3.0 * products + READ * n * l, iterations * iteration, 2.0 * n * l * small + rows_scored * n * l)
        }
        Method::Ted(_) => (2.0 * n * l * small + 10.0 * small.powi(3), k * (n * (2.0 * l + READ * l) + PASS), 0.0),
        Method::KMeans(_) => (k * n * l * READ, iterations * (n * k * l + PASS), n * k * l),
        Method::KMedoids(settings) if n <= settings.exact_limit as f64 => {
            (n * l, k * n * l * READ + iterations * n * n * (l + 4.0), n * k * l)
        }
        Method::KMedoids(settings) => {
            let sample = n.min(kmedoids::sample_rows(size.k as usize) as f64);
            (n * l, iterations * sample * sample * (l + 4.0) + settings.samples as f64 * n * k * l, 0.0)
        }
        Method::Rrqr(_) => (n * l, k * n * l * READ, n * l),
        Method::Random(_) => (n * l, n * READ, n * k * l),
    };
    Seconds { prepare, solve, score: last }
}

/// About how long a run takes on two cores, from its size alone.
pub fn seconds(method: &Method, size: &ProblemSize) -> f64 {
    let Seconds { prepare, solve, score } = work(method, size, Effort::usual(method));
    PRODUCT * (prepare + solve + score)
}

/// About how long a run takes on this machine, from a run of the same method on a smaller `probe`: each phase grows with
/// its own work. `effort` is what the run will do, as [`Effort::of`] finds it from the probe.
pub fn seconds_from(
    method: &Method,
    (size, effort): (&ProblemSize, Effort),
    (small, selection): (&ProblemSize, &Selection),
) -> f64 {
    let whole = work(method, size, effort);
    let part = work(method, small, Effort::of(selection, small.items, small.items));
    let took = selection.report.seconds;
    let grown = |took: f64, whole: f64, part: f64| took * (whole / part.max(1.0)).max(1.0);
    grown(took.prepare, whole.prepare, part.prepare)
        + grown(took.solve, whole.solve, part.solve)
        + grown(took.score, whole.score, part.score)
}

/// Random numbers of three groups, for timing a method where the table itself cannot be read.
///
/// ```
/// let table: Vec<f32> = arss::estimate::random_table(10, 3);
/// assert_eq!(table.len(), 30);
/// ```
pub fn random_table<T: Float>(items: usize, features: usize) -> Vec<T> {
    let mut generator = generator(0);
    let mut normal = || (0..12).map(|_| uniform(&mut generator)).sum::<f64>() - 6.0;
    (0..items * features).map(|at| T::from_f64(normal() + 3.0 * (at / features % 3) as f64)).collect()
}

/// Passes that read all rows, where they are not in memory.
pub fn row_passes(method: &Method, size: &ProblemSize, effort: Effort) -> f64 {
    let ranking = 2.0 * (effort.rows_scored / BATCH as f64).ceil();
    match method {
        Method::Arss(_) => 2.0 * effort.iterations + 5.0 + ranking,
        Method::Rrss(_) => 2.0 * effort.iterations + 6.0 + ranking,
        Method::Ted(_) => size.k as f64 + 4.0,
        Method::Exemplars(settings) => 8.0 + settings.refine as f64,
        _ => 6.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::{Matrix, Step};
    use crate::{Arss, Exemplars, Rrss, Selector, Ted};

    #[test]
    fn the_state_is_what_the_steps_keep() {
        let size = ProblemSize { items: 10, features: 3, element: 4, k: 2, threads: 1, by_column: true };
        let none = || Matrix(faer::Mat::new());
        let finish = arss::steps::Finish { mu: 1.0, gamma: 1.0, T: none(), S: none() };
        let steps = [
            (Arss::default().method(), Step::ArssFinish(finish), 3 * 4),
            (Rrss::default().method(), Step::RrssStart(rrss::steps::Start), 3 * 4),
            (Ted::default().method(), Step::TedRemainder(ted::steps::Remainder), 0),
        ];
        for (method, step, values) in steps {
            let width = step.spec().needs().width as u64;
            assert_eq!(state_bytes(&method, &size), 10 * (8 * width + values), "{}", method.name());
        }
    }

    #[test]
    fn a_probe_of_the_whole_takes_what_it_took() {
        let table: Vec<f64> = (0..3000).map(|i| f64::from(i * i % 101)).collect();
        let samples = crate::Samples::new(&table, 1000, 3).unwrap();
        let method = Exemplars::default().method();
        let size = ProblemSize { items: 1000, features: 3, element: 8, k: 5, threads: 1, by_column: false };
        let selection = Exemplars::default().select(&samples, 5).unwrap();
        let took = selection.report.seconds;
        let effort = |items| Effort::of(&selection, 1000, items);
        let estimate = seconds_from(&method, (&size, effort(1000)), (&size, &selection));
        assert!((estimate - took.prepare - took.solve - took.score).abs() < 1e-12);
        let larger = ProblemSize { items: 1_000_000, ..size };
        let slower = seconds_from(&method, (&larger, effort(1_000_000)), (&size, &selection));
        assert!(slower > 100.0 * took.prepare);
    }

    #[test]
    fn more_items_need_more() {
        for method in [Arss::default().method(), Exemplars::default().method(), Ted::default().method()] {
            let size = |items| ProblemSize { items, features: 20, element: 8, k: 10, threads: 2, by_column: true };
            assert!(memory(&method, &size(1_000_000)) > memory(&method, &size(1000)));
            assert!(seconds(&method, &size(1_000_000)) > seconds(&method, &size(1000)));
        }
    }
}
