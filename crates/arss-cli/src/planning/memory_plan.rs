//! Where a run works: in memory, or from scratch files if the table does not fit.

use std::path::{Path, PathBuf};

use arss::estimate::{self, ProblemSize};
use arss::{Error, Method, Metric};
use arss_table::checkpoint::Checkpoint;
use arss_table::{Matrix, Scale, TableShape, byte_size};

use crate::args::SelectArgs;
use crate::commands::select;
use crate::failure::Failure;
use crate::planning::memory_estimate;

/// What is known of a run before it reads anything.
#[derive(Debug)]
pub struct MemoryPlan {
    /// The folder for scratch files; none if everything is in memory.
    pub scratch: Option<PathBuf>,
    /// Bytes of scratch files, if the size of the table is known.
    pub disk: Option<u64>,
    /// Bytes of a value that is read again and again where it lies; none if the table is copied first.
    pub in_place: Option<u64>,
    /// Threads that there is memory for, at most those that were asked for.
    pub threads: usize,
}

impl MemoryPlan {
    /// Nothing is known but the flags.
    pub fn new(args: &SelectArgs, scratch: Option<PathBuf>) -> Self {
        MemoryPlan {
            scratch,
            disk: None,
            in_place: None,
            threads: memory_estimate::running_threads(args.threads) as usize,
        }
    }
}

/// The most threads, up to those of `size`, with which `need` is at most `limit`; the answer does not depend on them.
fn threads_for(size: &ProblemSize, limit: Option<u64>, need: impl Fn(&ProblemSize) -> u64) -> Option<u64> {
    let fits = |threads: &u64| limit.is_none_or(|limit| need(&ProblemSize { threads: *threads, ..*size }) <= limit);
    std::iter::successors(Some(size.threads.max(1)), |threads| (*threads > 1).then_some(threads / 2)).find(fits)
}

/// Finds out; fails if there is too little of everything.
pub fn plan(args: &SelectArgs, method: &Method) -> Result<MemoryPlan, Failure> {
    let flags = &args.out.disk;
    let folder = flags.scratch.clone().unwrap_or_else(std::env::temp_dir);
    if flags.scratch.is_some() && !folder.is_dir() {
        return Err(Failure::in_file(&folder, "is no folder, so it cannot hold scratch files"));
    }
    let checkpoint = flags.checkpoint.is_some();
    let Some(table) = arss_table::probe_shape(&args.input.inputs, &select::read_options(args)) else {
        // Compressed, from a pipe, or no table. If the flags limit memory, it is decompressed to the disk.
        let cared = args.out.memory.is_some() || flags.scratch.is_some() || checkpoint;
        return match can_stream(args, method, None) {
            Err(why) if checkpoint => Err(no_checkpoint(&why)),
            // What needs the whole table in memory is read to a file, too: only then is its size known.
            _ => Ok(MemoryPlan::new(args, cared.then_some(folder))),
        };
    };
    if table.rows == 0 || table.used == 0 {
        // Reading reports what is wrong.
        return Ok(MemoryPlan::new(args, None));
    }
    let size = memory_estimate::problem_size(&table, args);
    let limit = memory_estimate::limit(args);
    let fits = threads_for(&size, limit, |size| memory_estimate::of_run(&table, args, method, size));
    if let Some(threads) = fits.filter(|_| !checkpoint) {
        return Ok(MemoryPlan { threads: threads as usize, ..MemoryPlan::new(args, None) });
    }
    if let Err(why) = can_stream(args, method, Some(&size)) {
        let need = memory_estimate::of_run(&table, args, method, &ProblemSize { threads: 1, ..size });
        let refusal = || refused(args, method, &table, (need, &format!("; {why}")));
        return Err(if fits.is_some() { no_checkpoint(&why) } else { refusal() });
    }
    let threads = from_disk(args, method, &table)?;
    let state = if args.features { 0 } else { estimate::state_bytes(method, &rows_size(&table, args)) };
    // Scaled columns are a copy; rows are divided by their lengths when they are read.
    let in_place = table.in_place.filter(|_| args.input.scale() == Scale::None && !args.features);
    let copied = if in_place.is_some() { 0 } else { 8 };
    let disk = table.rows.saturating_mul(table.used).saturating_mul(copied).saturating_add(state);
    check_free(&folder, &folder, ("scratch files need", disk, "--scratch"))?;
    if let Some(kept) = flags.checkpoint.as_deref().filter(|_| !args.features) {
        // The next state is complete before the last one is removed; one of them is there if the run is resumed. The size
        // of the replay log depends on the number of passes.
        let goes_on = flags.resume && Checkpoint::<f64>::is_in(kept);
        let states = state.saturating_mul(if goes_on { 1 } else { 2 });
        let place = kept.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
        let (what, need) = if same_disk(&folder, place) {
            ("checkpoint and scratch files need", states.saturating_add(disk))
        } else {
            ("the checkpoint needs", states)
        };
        check_free(kept, place, (what, need, "--checkpoint"))?;
    }
    Ok(MemoryPlan { scratch: Some(folder), disk: Some(disk), in_place, threads })
}

/// The threads of a run with scratch files; fails if there is too little memory for one.
fn from_disk(args: &SelectArgs, method: &Method, table: &TableShape) -> Result<usize, Failure> {
    let (size, limit) = (rows_size(table, args), memory_estimate::limit(args));
    let least = |size: &ProblemSize| memory_estimate::least(table, args, method, size);
    let threads = threads_for(&size, limit, least).ok_or_else(|| {
        let need = least(&ProblemSize { threads: 1, ..size });
        refused(args, method, table, (need, " even with scratch files"))
    })?;
    Ok(threads as usize)
}

/// Where a table that was read to a file is worked on, once its size is known: true if in memory. The plan learns the threads
/// that there is memory for. Fails if there is too little for either.
pub fn fits_now(
    args: &SelectArgs,
    method: &Method,
    (values, plan): (&Matrix, &mut MemoryPlan),
) -> Result<bool, Failure> {
    let (rows, used) = values.shape();
    let (rows, used) = (rows as u64, used as u64);
    let table = TableShape { rows, used, element: values.element_bytes(), exact: true, ..TableShape::default() };
    let (size, limit) = (memory_estimate::problem_size(&table, args), memory_estimate::limit(args));
    let in_memory = threads_for(&size, limit, |size| memory_estimate::of_run(&table, args, method, size));
    if let Some(threads) = in_memory.filter(|_| args.out.disk.checkpoint.is_none()) {
        plan.threads = threads as usize;
        return Ok(true);
    }
    if let Err(why) = can_stream(args, method, Some(&size)) {
        let need = memory_estimate::of_run(&table, args, method, &ProblemSize { threads: 1, ..size });
        return Err(refused(args, method, &table, (need, &format!("; {why}"))));
    }
    plan.threads = from_disk(args, method, &table)?;
    Ok(false)
}

/// Why the run needs the whole table in memory, if it does.
fn can_stream(args: &SelectArgs, method: &Method, size: Option<&ProblemSize>) -> Result<(), String> {
    if args.input.metric == Metric::Precomputed {
        return Err("distances are chosen by in memory only".to_owned());
    }
    if args.features {
        return match method {
            // From disk columns are chosen by a rotation of the rows. The loss of arss and the gate of exemplars, which looks
            // at each value by itself, are others after it.
            Method::Arss(_) | Method::Exemplars(_) => {
                let name = method.name();
                Err(format!("columns are chosen by {name} in memory only; use --method ted or rrss"))
            }
            _ => Ok(()),
        };
    }
    let (items, features) = size.map_or((usize::MAX, 1), |size| (size.items as usize, size.features as usize));
    match arss::distributed::check_method(method, items, features) {
        Err(Error::InMemoryOnly { what, .. }) => Err(format!("{what} needs the whole table in memory")),
        _ => Ok(()),
    }
}

fn no_checkpoint(why: &str) -> Failure {
    Failure::Input(format!("--checkpoint cannot be used here: {why}"))
}

/// One line about too little memory.
fn refused(args: &SelectArgs, method: &Method, table: &TableShape, (need, more): (u64, &str)) -> Failure {
    let about = if table.exact { "" } else { "about " };
    let (rows, columns) = (table.rows, table.used);
    let limit = memory_estimate::limit(args).unwrap_or(u64::MAX);
    let allowed = match args.out.memory {
        Some(_) => format!("--memory allows {}", byte_size::shown(limit)),
        None => format!("{} are free; --memory SIZE overrules this", byte_size::shown(limit)),
    };
    let (name, need) = (method.name(), byte_size::shown(need));
    let what = if more.starts_with(';') {
        format!("{name} on {about}{rows} x {columns} values needs about {need} of memory, but {allowed}{more}")
    } else {
        format!("{name} on {about}{rows} x {columns} values needs about {need} of memory{more}, but {allowed}")
    };
    Failure::in_file(&args.input.inputs[0], what)
}

/// The size of the rows, also where columns are chosen: those are chosen from a small factor of the rows.
fn rows_size(table: &TableShape, args: &SelectArgs) -> ProblemSize {
    let shape = (table.rows.max(1), table.used.max(1));
    memory_estimate::size_of(shape, table.element, args.k, args.threads)
}

/// True if both folders are known to be on the same disk.
fn same_disk(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let disk = |folder: &Path| folder.metadata().map(|found| found.dev()).ok();
        disk(one).is_some_and(|found| disk(other) == Some(found))
    }
    #[cfg(not(unix))]
    {
        one == other
    }
}

/// Fails if the disk of `place` is too small for it; `folder` is what will be there.
fn check_free(folder: &Path, place: &Path, (what, need, flag): (&str, u64, &str)) -> Result<(), Failure> {
    // Where the system does not tell, writing will.
    match fs4::available_space(place) {
        Ok(free) if free < need => {
            let (need, free) = (byte_size::shown(need), byte_size::shown(free));
            let what = format!("{what} about {need}, but {free} are free; {flag} DIR names another place");
            Err(Failure::in_file(folder, what))
        }
        _ => Ok(()),
    }
}
