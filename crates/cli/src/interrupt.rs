//! Ctrl-C: ends the process at once, except where something has to be finished first.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::failure::{Failure, INTERRUPTED};
use crate::messages;

/// What the process is doing, as far as Ctrl-C is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Stage {
    /// Reading or printing: Ctrl-C ends the process.
    Free,
    /// Solving: the first Ctrl-C asks the solver to stop, the second ends the process.
    Solving,
    /// Files are being written: Ctrl-C waits until they are whole.
    Writing,
}

static STAGE: AtomicU8 = AtomicU8::new(Stage::Free as u8);
static ASKED: AtomicBool = AtomicBool::new(false);

/// Starts listening for Ctrl-C.
pub fn install() -> Result<(), Failure> {
    let handler = || {
        let again = ASKED.swap(true, Ordering::SeqCst);
        let stage = STAGE.load(Ordering::SeqCst);
        if stage == Stage::Free as u8 || (stage == Stage::Solving as u8 && again) {
            messages::to_stderr(&Failure::Interrupted.to_string());
            std::process::exit(INTERRUPTED.into());
        }
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::Run(format!("could not listen for Ctrl-C: {error}")))
}

/// Says what is being done from now on.
pub fn enter(stage: Stage) {
    STAGE.store(stage as u8, Ordering::SeqCst);
}

/// True once Ctrl-C was pressed.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Fails once Ctrl-C was pressed.
pub fn check() -> Result<(), Failure> {
    if asked() { Err(Failure::Interrupted) } else { Ok(()) }
}
