//! How a selection runs: threads, progress, and what it returns besides the ranking.

use std::ops::ControlFlow;

/// What a callback is told, once an iteration.
///
/// ```
/// use arss::{Arss, Run, Samples};
/// use std::ops::ControlFlow;
///
/// let table: Vec<f64> = (0..60).map(|i| f64::from(i * i % 17)).collect();
/// let mut seen = 0;
/// let mut stop_after_three = |progress: &arss::Progress| {
///     seen = progress.iteration;
///     if progress.iteration == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// };
/// let mut run = Run { progress: Some(&mut stop_after_three), ..Run::default() };
/// let selection = Arss::default().select_with(&Samples::new(&table, 20, 3)?, 2, &mut run)?;
/// assert_eq!(selection.report.status, arss::Status::Stopped);
/// assert_eq!(selection.indices.len(), 2); // the result so far
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// What is being done: "prepare", "solve" or "score".
    pub phase: &'static str,
    /// Iterations (or picks, or blocks of rows) done in this phase.
    pub iteration: usize,
    /// The most there can be in this phase.
    pub limit: usize,
    /// The model's objective, where the phase has one.
    pub objective: f64,
    /// What the stopping rule compares with the tolerance; NaN where there is none.
    pub residual: f64,
    /// Relative duality gap; NaN where the model has none.
    pub gap: f64,
}

/// A callback: looks at the progress and may stop the run.
pub type Callback<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// How to run, and what to return besides the ranking.
///
/// ```
/// use arss::{Run, Samples, Ted};
///
/// let table = [3.0, 0.0, 0.0, 2.0, 1.0, 1.0];
/// let mut run = Run { threads: 1, all_scores: true, ..Run::default() };
/// let selection = Ted::default().select_with(&Samples::new(&table, 3, 2)?, 1, &mut run)?;
/// assert_eq!(selection.all_scores.unwrap().len(), 3);
/// # Ok::<(), arss::Error>(())
/// ```
#[derive(Default)]
pub struct Run<'a> {
    /// Threads to use; 0 (the default) takes the current rayon pool. The answer does not depend on it.
    pub threads: usize,
    /// Rows a block; 0 (the default) chooses by the number of columns.
    pub block: usize,
    /// Score every item, not only those that can reach the top K.
    pub all_scores: bool,
    /// Return the coefficients A in factored form.
    pub keep_solution: bool,
    /// Called once an iteration, on the calling thread.
    pub progress: Option<&'a mut Callback<'a>>,
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("threads", &self.threads)
            .field("block", &self.block)
            .field("all_scores", &self.all_scores)
            .field("keep_solution", &self.keep_solution)
            .finish_non_exhaustive()
    }
}

impl Run<'_> {
    /// Tells the callback; true if the run shall stop.
    pub(crate) fn tell(&mut self, progress: &Progress) -> bool {
        self.progress.as_mut().is_some_and(|callback| callback(progress).is_break())
    }
}

impl Progress {
    /// Progress of a phase that has no objective of its own.
    pub(crate) fn count(phase: &'static str, iteration: usize, limit: usize) -> Self {
        Progress { phase, iteration, limit, objective: f64::NAN, residual: f64::NAN, gap: f64::NAN }
    }
}
