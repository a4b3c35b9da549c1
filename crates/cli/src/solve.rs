//! One run of a method on a table.

use std::ops::ControlFlow;

use arss::{Count, Error, Float, Method, Run, Selection};

use crate::args_input::Scale;
use crate::failure::Failure;
use crate::interrupt::{self, Stage};
use crate::io::{Grid, Values};
use crate::messages::Messages;
use crate::progress::{self, Show};
use crate::scale;

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
}

/// Scales the values as asked.
pub fn prepare(values: &mut Values, how: Scale, messages: &mut Messages) {
    if how != Scale::None && !scale::columns(values, how) {
        messages.add("note: every column is constant, so the values were left unscaled".to_owned());
    }
}

/// Chooses; Ctrl-C meanwhile ends the process, or the choice where the ranking so far is to be kept.
pub fn run(values: &Values, job: &Job<'_>, messages: &mut Messages) -> Result<Selection, Failure> {
    let _show = Show::new(messages.quiet());
    interrupt::enter(Stage::Solving);
    progress::phase("prepare");
    let selection = match values {
        Values::F32(grid) => run_grid(grid, job, messages),
        Values::F64(grid) => run_grid(grid, job, messages),
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

fn run_grid<T: Float>(grid: &Grid<T>, job: &Job<'_>, messages: &mut Messages) -> Result<Selection, Error> {
    let samples = grid.samples()?;
    if samples.max_abs() == 0.0 {
        return Err(Error::AllZero { rows: grid.rows, columns: grid.columns });
    }
    let items = if job.features { samples.transposed() } else { samples };
    let mut callback = |state: &arss::Progress| {
        if interrupt::asked() {
            return ControlFlow::Break(());
        }
        // The solver is under way, so the input is good: held messages can be said.
        messages.flush();
        progress::at(state.phase, state.iteration, state.limit);
        ControlFlow::Continue(())
    };
    let mut run =
        Run { threads: job.threads, all_scores: job.all_scores, progress: Some(&mut callback), ..Run::default() };
    job.method.select_count(&items, job.count, &mut run)
}
