//! Progress on the terminal, and the way Ctrl-C reaches the solver.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::interrupt;
use crate::messages::Messages;

/// Runs shorter than this show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A progress line for one run.
pub struct Progress<'a> {
    messages: &'a mut Messages,
    started: Instant,
    visible: bool,
    bar: Option<ProgressBar>,
}

impl<'a> Progress<'a> {
    /// Shown on a terminal only, and not if only errors are to be said.
    pub fn new(messages: &'a mut Messages) -> Self {
        let visible = !messages.quiet() && std::io::stderr().is_terminal();
        Progress { messages, started: Instant::now(), visible, bar: None }
    }

    /// Shows where the solver is; stops it after Ctrl-C.
    pub fn tell(&mut self, progress: &arss::Progress) -> ControlFlow<()> {
        if interrupt::asked() {
            return ControlFlow::Break(());
        }
        // The solver is under way, so the input is good: held messages can be said.
        self.messages.flush();
        if self.visible && self.started.elapsed() > PATIENCE {
            let bar = self.bar.get_or_insert_with(|| new_bar(self.started.elapsed()));
            bar.set_length(progress.limit as u64);
            bar.set_position(progress.iteration as u64);
            bar.set_message(words(progress));
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(elapsed: Duration) -> ProgressBar {
    let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {msg}");
    ProgressBar::new(0).with_elapsed(elapsed).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The phase and how far its numbers are.
fn words(progress: &arss::Progress) -> String {
    let mut text = progress.phase.to_owned();
    for (name, value) in [("residual", progress.residual), ("gap", progress.gap)] {
        if value.is_finite() {
            text = format!("{text}, {name} {value:.2e}");
        }
    }
    text
}
