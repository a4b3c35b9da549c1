//! Ctrl-C and SIGTERM: end the process at once, except where something is to be kept or finished first.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use crate::failure::{Failure, INTERRUPTED, Kept};
use crate::output_files;
use crate::terminal::{messages, progress};

/// What the process is doing, as far as Ctrl-C is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Stage {
    /// Reading or printing: Ctrl-C ends the process.
    Free,
    /// Solving: if the ranking so far is to be kept, the first Ctrl-C asks the solver for it.
    Solving,
    /// Making files: if they are to be kept, the first Ctrl-C waits for them.
    Writing,
}

/// Time to print the final message before the process ends.
const SPEAKING: Duration = Duration::from_millis(700);

static STAGE: AtomicU8 = AtomicU8::new(Stage::Free as u8);
static ASKED: AtomicBool = AtomicBool::new(false);
static KEEP: AtomicBool = AtomicBool::new(false);

/// Starts listening.
pub fn install() -> Result<(), Failure> {
    listen().map_err(|error| Failure::Run(format!("could not listen for Ctrl-C: {error}")))
}

/// SIGINT and SIGTERM only: a run started with nohup must survive the closing of its terminal.
#[cfg(unix)]
fn listen() -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    std::thread::Builder::new().spawn(move || signals.forever().for_each(|_| asked_now()))?;
    Ok(())
}

#[cfg(not(unix))]
fn listen() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(asked_now)
}

fn asked_now() {
    let again = ASKED.swap(true, Ordering::SeqCst);
    let stage = STAGE.load(Ordering::SeqCst);
    if keeps() && !again && stage != Stage::Free as u8 {
        if !messages::quiet() {
            messages::note("interrupted: stopping, the ranking so far is kept; once more to end at once");
        }
        return;
    }
    // Nothing is being made a result of from here on.
    let kept = output_files::abandon();
    // A terminal or pipe that blocks must not keep the process alive.
    std::thread::spawn(|| {
        std::thread::sleep(SPEAKING);
        std::process::exit(INTERRUPTED.into());
    });
    progress::clear();
    messages::failure(&Failure::Interrupted(kept));
    std::process::exit(INTERRUPTED.into());
}

/// Says whether the ranking so far is to be kept.
pub fn keep(whether: bool) {
    KEEP.store(whether, Ordering::SeqCst);
}

/// True if the ranking so far is to be kept.
pub fn keeps() -> bool {
    KEEP.load(Ordering::SeqCst)
}

/// Says what is being done from now on.
pub fn enter(stage: Stage) {
    STAGE.store(stage as u8, Ordering::SeqCst);
}

/// True once Ctrl-C was pressed.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Fails once Ctrl-C was pressed, unless partial results are kept.
pub fn check() -> Result<(), Failure> {
    if asked() && !keeps() { Err(Failure::Interrupted(Kept::Nothing)) } else { Ok(()) }
}
