//! What is said on stderr.

use std::io::Write;

/// Messages held back until it is sure that no error follows: an error is then the only line.
#[derive(Debug)]
pub struct Messages {
    quiet: bool,
    held: Vec<String>,
}

impl Messages {
    /// With `quiet` nothing but errors is ever said.
    pub fn new(quiet: bool) -> Self {
        Messages { quiet, held: Vec::new() }
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
        for message in self.held.drain(..).filter(|_| !self.quiet) {
            to_stderr(&message);
        }
    }
}

/// One line on stderr; control characters (a line break in a file name, say) are escaped.
pub fn to_stderr(message: &str) {
    let mut line = String::with_capacity(message.len() + 1);
    for character in message.chars() {
        if character.is_control() { line.extend(character.escape_default()) } else { line.push(character) }
    }
    line.push('\n');
    // If stderr is closed there is nowhere left to say so.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
