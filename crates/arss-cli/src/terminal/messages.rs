//! What is said on stderr: lines for people, or one JSON object a line for machines.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::terminal::{colour, progress};

static JSON: AtomicBool = AtomicBool::new(false);
static QUIET: AtomicBool = AtomicBool::new(false);
/// What is to be said before anything else.
static FIRST: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Sets the format of messages. There is one stderr, so this holds for the whole process.
pub fn set_format(json: bool, quiet: bool) {
    JSON.store(json, Ordering::SeqCst);
    QUIET.store(quiet, Ordering::SeqCst);
}

/// True if messages are JSON objects.
pub fn json() -> bool {
    JSON.load(Ordering::SeqCst)
}

/// True if only errors are to be said.
pub fn quiet() -> bool {
    QUIET.load(Ordering::SeqCst)
}

/// Messages that the next [`Messages`] says first.
pub fn first_of(messages: Vec<String>) {
    firsts().extend(messages);
}

fn firsts() -> MutexGuard<'static, Vec<String>> {
    FIRST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Messages held back until it is sure that no error follows: an error is then the only line.
#[derive(Debug)]
pub struct Messages {
    quiet: bool,
    held: Vec<String>,
}

impl Messages {
    /// With `quiet` nothing but errors is ever said.
    pub fn new(quiet: bool) -> Self {
        Messages { quiet, held: std::mem::take(&mut *firsts()) }
    }

    /// True if only errors are to be said.
    pub fn quiet(&self) -> bool {
        self.quiet
    }

    /// Adds a message.
    pub fn add(&mut self, message: String) {
        self.held.push(message);
    }

    /// Says what was held back.
    pub fn flush(&mut self) {
        self.held.drain(..).filter(|_| !self.quiet).for_each(|message| note(&message));
    }
}

/// Something worth knowing.
pub fn note(text: &str) {
    if !json() {
        return to_stderr(text);
    }
    event(&json!({ "event": "note", "text": text.strip_prefix("note: ").unwrap_or(text) }));
}

/// Why the run ended without a result, or with a part of it.
pub fn failure(failure: &Failure) {
    let text = failure.to_string();
    if json() {
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        return event(&json!({ "event": "error", "text": text, "code": failure.code() }));
    }
    match text.strip_prefix("error: ") {
        Some(rest) if colour::on_stderr() => write_line(&format!("\x1b[1;31merror:\x1b[0m {}", clean(rest))),
        _ => to_stderr(&text),
    }
}

/// One JSON object as one line.
pub fn event(object: &Value) {
    write_line(&object.to_string());
}

/// One line on stderr; control characters (a line break in a file name, say) are escaped.
pub fn to_stderr(message: &str) {
    write_line(&clean(message));
}

fn clean(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    for character in message.chars() {
        if character.is_control() { line.extend(character.escape_default()) } else { line.push(character) }
    }
    line
}

fn write_line(line: &str) {
    // If stderr is closed there is nowhere left to say so.
    progress::suspended(|| drop(std::io::stderr().write_all(format!("{line}\n").as_bytes())));
}
