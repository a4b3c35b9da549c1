//! One run of a method on a table.

use std::ops::ControlFlow;
use std::path::Path;

use arss::out_of_core::{RowSource, Stream, r_factor};
use arss::{Count, Error, Float, Method, Metric, RunOptions, Samples, Selection};
use arss_table::checkpoint::{self, Checkpoint, Claim};
use arss_table::scratch::{DiskFloat, ScratchFile};
use arss_table::{About, DiskMatrix, Matrix, ModelFile, Preparation, Scale, Table};

use crate::args::large_tables::DiskArgs;
use crate::failure::Failure;
use crate::planning::memory_estimate;
use crate::terminal::interrupt::{self, Stage};
use crate::terminal::messages::Messages;
use crate::terminal::progress::{self, Show};

/// What to choose, and how.
#[derive(Debug)]
pub struct Job<'a> {
    /// The method.
    pub method: &'a Method,
    /// How many.
    pub count: Count,
    /// Columns instead of rows.
    pub features: bool,
    /// Threads, 0 for all.
    pub threads: usize,
    /// Score every item.
    pub all_scores: bool,
    /// Keep what is learned.
    pub keep_model: bool,
    /// How rows are compared.
    pub metric: Metric,
    /// Look so many picks further, for the page.
    pub outlook: usize,
    /// Where a table that is in a file is worked on; not looked at otherwise.
    pub disk: Disk<'a>,
}

/// How a table that is in a file is worked on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk<'a> {
    /// The folder for scratch files.
    pub folder: Option<&'a Path>,
    /// Most memory of the run.
    pub limit: u64,
    /// The flags about checkpoints.
    pub flags: Option<&'a DiskArgs>,
    /// The folder of the checkpoint, if one is kept.
    pub claim: Option<&'a Claim>,
}

/// Brings the columns to one scale, and the rows to one length where only their directions count.
///
/// Returns how the table became numbers, if that is to be kept.
pub fn prepare(
    table: &mut Table,
    (how, metric): (Scale, Metric),
    keep: bool,
    messages: &mut Messages,
) -> Result<Option<Preparation>, Failure> {
    if metric == Metric::Euclidean
        && let Some(hint) = table.length_hint()
    {
        messages.add(format!("note: {hint}"));
    }
    if metric == Metric::Precomputed && how != Scale::None {
        return Err(Failure::Input("--scale is about columns, but --metric precomputed takes distances".to_owned()));
    }
    let mut kept = if keep { Some(Preparation::of(table)?) } else { None };
    let is_sparse = matches!(table.matrix, Matrix::Sparse(_));
    if is_sparse && how != Scale::None {
        messages.add("note: the columns of a sparse table are not scaled".to_owned());
    }
    if how != Scale::None && !is_sparse {
        let values = std::mem::replace(&mut table.matrix, Matrix::EMPTY);
        let (values, columns) = arss_table::scale(values, how, &table.categories)?;
        table.matrix = values;
        let constant = columns.is_none();
        kept = kept.map(|kept| kept.scaled(columns));
        if constant {
            messages.add("note: every column is constant: all rows are alike".to_owned());
        }
    }
    if metric == Metric::Cosine {
        let values = std::mem::replace(&mut table.matrix, Matrix::EMPTY);
        table.matrix = arss_table::unit_rows(values, table.kept.as_deref())?;
    }
    Ok(kept.map(|kept| Preparation { unit_rows: metric == Metric::Cosine && !is_sparse, ..kept }))
}

/// How rows that [`prepare`] has seen are compared: of length one, by the straight line.
pub fn metric_of_rows(metric: Metric) -> Metric {
    if metric == Metric::Cosine { Metric::Euclidean } else { metric }
}

/// What `--model` writes: what was learned, and how the table became numbers.
pub fn model_file(table: &Table, selection: &Selection, preparation: &Preparation) -> Result<ModelFile, Failure> {
    let model = selection.model.clone().ok_or_else(|| Failure::Run("nothing was learned".to_owned()))?;
    let about = About {
        arss: env!("CARGO_PKG_VERSION").to_owned(),
        method: selection.method.to_owned(),
        table: table.source.title(),
        rows: table.source.rows(),
        picks: table.numbers(&selection.indices, false),
        names: table.side.id.map(|_| selection.indices.iter().filter_map(|&row| table.id(row)).collect()),
        preparation: preparation.clone(),
    };
    Ok(ModelFile { about, model })
}

/// Fails if a run would be refused, before it is one.
pub fn check(values: &Matrix, job: &Job<'_>) -> Result<(), Failure> {
    let (rows, columns) = values.shape();
    if job.method.needs_lengths() && values.is_zero() {
        return Err(Error::AllZero { rows, columns }.into());
    }
    job.method.check_run(job.count, if job.features { columns } else { rows })?;
    let metric = metric_of_rows(job.metric);
    match values {
        Matrix::F32(matrix) => check_samples(matrix.samples()?, job, metric),
        Matrix::F64(matrix) => check_samples(matrix.samples()?, job, metric),
        Matrix::Sparse(matrix) => check_samples(matrix.samples()?, job, job.metric),
        Matrix::Disk32(_) | Matrix::Disk64(_) => Ok(job.method.check_metric(metric)?),
    }
}

fn check_samples<T: Float>(samples: Samples<'_, T>, job: &Job<'_>, metric: Metric) -> Result<(), Failure> {
    let items = if job.features { samples.transposed() } else { samples };
    Ok(job.method.check_samples(&items, metric)?)
}

/// Chooses; Ctrl-C meanwhile ends the process, or the choice where the ranking so far is to be kept.
pub fn run(values: &Matrix, job: &Job<'_>, messages: &mut Messages) -> Result<Selection, Failure> {
    let _show = Show::new(messages.quiet());
    interrupt::enter(Stage::Solving);
    progress::phase("prepare");
    let selection = match values {
        Matrix::F32(matrix) => run_samples(matrix.samples()?, job, messages),
        Matrix::F64(matrix) => run_samples(matrix.samples()?, job, messages),
        // Sparse rows are divided by their lengths where they are used.
        Matrix::Sparse(matrix) => with_run(job, messages, |run| {
            run.metric = job.metric;
            select_from(matrix.samples()?, job, run)
        }),
        Matrix::Disk32(matrix) => run_disk(matrix, job, messages),
        Matrix::Disk64(matrix) => run_disk(matrix, job, messages),
    };
    interrupt::check()?;
    interrupt::enter(Stage::Writing);
    let selection = selection?;
    for note in &selection.report.notes {
        messages.add(format!("note: {note}"));
    }
    messages.flush();
    Ok(selection)
}

fn run_samples<T: Float>(
    samples: Samples<'_, T>,
    job: &Job<'_>,
    messages: &mut Messages,
) -> Result<Selection, Failure> {
    with_run(job, messages, |run| select_from(samples, job, run))
}

fn select_from<T: Float>(
    samples: Samples<'_, T>,
    job: &Job<'_>,
    run: &mut RunOptions<'_>,
) -> Result<Selection, Failure> {
    if job.method.needs_lengths() && samples.max_abs() == 0.0 {
        return Err(Error::AllZero { rows: samples.items(), columns: samples.features() }.into());
    }
    let items = if job.features { samples.transposed() } else { samples };
    Ok(job.method.select_count(&items, job.count, run)?)
}

/// The same from a file.
fn run_disk<T: DiskFloat>(rows: &DiskMatrix<T>, job: &Job<'_>, messages: &mut Messages) -> Result<Selection, Failure> {
    let (items, features) = (rows.items(), rows.features());
    if job.features {
        // Methods that look at distances and angles alone choose the same columns from the small factor R.
        let r = r_factor(rows)?;
        if job.disk.flags.is_some_and(|flags| flags.checkpoint.is_some()) {
            messages.add("note: columns are chosen in one go, so there is nothing for --checkpoint to keep".to_owned());
        }
        let samples = Samples::new(&r, items.min(features), features)?.transposed();
        return with_run(job, messages, |run| Ok(job.method.select_count(&samples, job.count, run)?));
    }
    let folder = job.disk.folder.map_or_else(std::env::temp_dir, Path::to_owned);
    let failed = |error: std::io::Error| Failure::Run(error.to_string());
    let (values, numbers) = (ScratchFile::new(&folder).map_err(failed)?, ScratchFile::new(&folder).map_err(failed)?);
    let shape = (items as u64, features as u64);
    let size = memory_estimate::size_of(shape, size_of::<T>() as u64, job.count, job.threads);
    let memory = memory_estimate::for_blocks(job.disk.limit, job.method, &size) as usize;
    let stream = Stream { source: rows, values: &values, numbers: &numbers, memory };
    match checkpoint_of(rows, job, (&values, &numbers), messages)? {
        None => with_run(job, messages, |run| Ok(stream.select(job.method, job.count, run)?)),
        Some(mut log) => {
            with_run(job, messages, |run| Ok(stream.select_with_log(job.method, job.count, &mut log, run)?))
        }
    }
}

/// The checkpoint of the run, if one is asked for.
fn checkpoint_of<'a, T: DiskFloat>(
    rows: &DiskMatrix<T>,
    job: &Job<'a>,
    state: (&'a ScratchFile<T>, &'a ScratchFile<f64>),
    messages: &mut Messages,
) -> Result<Option<Checkpoint<'a, T>>, Failure> {
    let Some((flags, claim)) = job.disk.flags.zip(job.disk.claim) else { return Ok(None) };
    let options = checkpoint::run::Options {
        claim,
        every: flags.every,
        resume: flags.resume,
        method: job.method,
        count: job.count,
        all_scores: job.all_scores,
    };
    let (found, note) = checkpoint::run::open(rows, &options, state)?;
    note.into_iter().for_each(|note| messages.add(note));
    Ok(Some(found))
}

/// Calls `choose` with run options that report progress and stop on Ctrl-C.
fn with_run(
    job: &Job<'_>,
    messages: &mut Messages,
    choose: impl FnOnce(&mut RunOptions<'_>) -> Result<Selection, Failure>,
) -> Result<Selection, Failure> {
    let mut callback = |state: &arss::Progress| {
        if interrupt::asked() {
            return ControlFlow::Break(());
        }
        // The solver is under way, so the input is good: held messages can be said.
        messages.flush();
        progress::of_solver(state);
        ControlFlow::Continue(())
    };
    let mut run = RunOptions {
        threads: job.threads,
        all_scores: job.all_scores,
        keep_model: job.keep_model,
        metric: metric_of_rows(job.metric),
        outlook: job.outlook,
        progress: Some(&mut callback),
        ..RunOptions::default()
    };
    choose(&mut run)
}
