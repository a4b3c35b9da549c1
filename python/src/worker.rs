//! One selection on a thread of its own, while the Python thread keeps an eye on signals.
//!
//! The solver looks up once an iteration, which on large data can take many seconds. The thread
//! that called therefore only waits: it sees Ctrl-C at once and leaves the solver, which owns
//! what it works on, to notice the stop flag by itself.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use arss::{Count, Error, Float, Method, Metric, Progress, RunOptions, Selection};
use pyo3::prelude::*;

use crate::error::exception;
use crate::files::FileTable;
use crate::table::{Cells, Table};

/// How often signals are looked for.
const POLL: Duration = Duration::from_millis(50);
/// How long an interrupted solver may take to end before it is left behind.
const GRACE: Duration = Duration::from_millis(300);

/// What to choose from.
pub enum Source {
    /// A table in memory.
    Array(Table),
    /// A table in a file.
    File(FileTable),
}

/// What to choose from, and how.
pub struct Job {
    /// The table.
    pub table: Source,
    /// How many items.
    pub count: Count,
    /// The method.
    pub method: Method,
    /// Choose columns instead of rows.
    pub features: bool,
    /// Threads, at least 1: a pool of its own for every run, so that forked processes have one too.
    pub threads: usize,
    /// Score every item.
    pub all_scores: bool,
    /// How rows are compared.
    pub metric: Metric,
    /// Look so many picks further.
    pub outlook: usize,
}

/// What the solver tells. The end brings the job back, so that its arrays are let go of where
/// the interpreter lock is held.
enum Event {
    Progress(Progress),
    End(Box<(Result<Selection, Error>, Job)>),
}

/// The solver's side of the line.
struct Line {
    events: Sender<Event>,
    answers: Receiver<bool>,
    stop: Arc<AtomicBool>,
    /// Somebody wants to see the progress.
    told: bool,
}

/// Runs the job; `progress` is called on this thread.
pub fn run(py: Python<'_>, job: Job, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Selection> {
    let (events, mut inbox) = channel();
    let (replies, answers) = channel();
    let stop = Arc::new(AtomicBool::new(false));
    let line = Line { events, answers, stop: Arc::clone(&stop), told: progress.is_some() };
    let solver = thread::Builder::new().name("arss".into()).spawn(move || solve(job, line))?;
    let watched = loop {
        match wait(py, &mut inbox, POLL) {
            Ok(Event::End(end)) => return end.0.map_err(exception),
            Ok(Event::Progress(state)) => match ask(progress, &state) {
                // If nobody listens any more the end is on its way.
                Ok(stop) => drop(replies.send(stop)),
                Err(error) => break error,
            },
            Err(RecvTimeoutError::Timeout) => (),
            Err(RecvTimeoutError::Disconnected) => match solver.join() {
                Ok(()) => unreachable!("the solver ends with an event"),
                Err(panic) => std::panic::resume_unwind(panic),
            },
        }
        if let Err(error) = py.check_signals() {
            break error;
        }
    };
    stop.store(true, Ordering::Relaxed);
    drop(replies);
    while let Ok(Event::Progress(_)) = wait(py, &mut inbox, GRACE) {}
    Err(watched)
}

/// The next event, the interpreter lock released meanwhile.
fn wait(py: Python<'_>, inbox: &mut Receiver<Event>, limit: Duration) -> Result<Event, RecvTimeoutError> {
    py.detach(move || inbox.recv_timeout(limit))
}

/// True if the caller's function wants to stop.
pub fn ask(progress: Option<&Bound<'_, PyAny>>, state: &Progress) -> PyResult<bool> {
    let Some(function) = progress else { return Ok(false) };
    let Progress { phase, iteration, limit, objective, residual, gap, .. } = *state;
    function.call1((phase, iteration, limit, objective, residual, gap))?.is_truthy()
}

/// The solver's thread.
fn solve(job: Job, line: Line) {
    let result = match &job.table {
        Source::Array(Table::F32(cells)) => choose(cells, &job, &line),
        Source::Array(Table::F64(cells)) => choose(cells, &job, &line),
        Source::File(file) => with_run(&job, &line, |run| file.select(&job.method, job.count, run)),
    };
    if let Err(unsent) = line.events.send(Event::End(Box::new((result, job)))) {
        // The caller was interrupted and has gone: let go of the arrays, unless Python has gone too.
        let _ = Python::try_attach(|_| drop(unsent));
    }
}

fn choose<T: Float>(cells: &Cells<T>, job: &Job, line: &Line) -> Result<Selection, Error> {
    with_run(job, line, |run| {
        cells.view(|samples| {
            let items = if job.features { samples.transposed() } else { samples };
            job.method.select_count(&items, job.count, run)
        })
    })
}

/// Calls `work` with the threads and the callback of the job.
fn with_run<R>(job: &Job, line: &Line, work: impl FnOnce(&mut RunOptions<'_>) -> R) -> R {
    let mut callback = |state: &Progress| line.tell(state);
    work(&mut RunOptions {
        threads: job.threads,
        all_scores: job.all_scores,
        metric: job.metric,
        keep_model: !job.features,
        outlook: job.outlook,
        progress: Some(&mut callback),
        ..RunOptions::default()
    })
}

impl Line {
    fn tell(&self, state: &Progress) -> ControlFlow<()> {
        let stop = self.stop.load(Ordering::Relaxed)
            || (self.told
                // A caller that does not listen or answer has gone.
                && (self.events.send(Event::Progress(*state)).is_err() || self.answers.recv().unwrap_or(true)));
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
