//! Progress on stderr: a bar on a terminal, plain lines elsewhere, JSON for machines.
//!
//! Work puts what it has done on a board; a thread of its own shows the board. So a long step shows signs of life,
//! too, and the work never waits for a terminal.

use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::terminal::{colour, messages};

/// Runs shorter than this show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// The board is looked at this often.
const TICK: Duration = Duration::from_millis(100);
/// A rate is not told of a shorter time,
const KNOWN: Duration = Duration::from_millis(700);
/// The rate of work is that of so long.
const RECENT: Duration = Duration::from_secs(4);
/// Between two plain lines, and between two JSON objects of the same phase.
const LINES: Duration = Duration::from_secs(5);
const OBJECTS: Duration = Duration::from_secs(1);

/// How the board is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Bar,
    Lines,
    Json,
}

/// What is being done, and how far it is.
#[derive(Debug)]
struct Board {
    form: Form,
    started: Instant,
    phase: &'static str,
    phase_started: Instant,
    done: u64,
    /// The most there can be; 0 if it is not known.
    total: u64,
    /// How much there will be; none if it is not known.
    expected: Option<u64>,
    said: Option<Instant>,
    bar: Option<ProgressBar>,
    /// How far it was a while ago: work may get faster or slower on the way.
    earlier: Vec<(Instant, u64)>,
}

static BOARD: Mutex<Option<Board>> = Mutex::new(None);

fn board() -> MutexGuard<'static, Option<Board>> {
    BOARD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Progress is shown as long as this lives. Of several at a time the first counts.
#[derive(Debug)]
pub struct Show {
    first: bool,
}

impl Show {
    /// Starts to show, unless only errors are to be said.
    pub fn new(quiet: bool) -> Self {
        let mut board = board();
        if quiet || messages::quiet() || board.is_some() {
            return Show { first: false };
        }
        let form = match messages::json() {
            true => Form::Json,
            false if std::io::stderr().is_terminal() => Form::Bar,
            false => Form::Lines,
        };
        let now = Instant::now();
        let new = Board {
            form,
            started: now,
            phase: "start",
            phase_started: now,
            done: 0,
            total: 0,
            expected: None,
            said: None,
            bar: None,
            earlier: Vec::new(),
        };
        *board = Some(new);
        std::thread::spawn(watch);
        Show { first: true }
    }
}

impl Drop for Show {
    fn drop(&mut self) {
        if self.first {
            clear();
        }
    }
}

/// Stops showing.
pub fn clear() {
    if let Some(bar) = board().take().and_then(|board| board.bar) {
        bar.finish_and_clear();
    }
}

/// Says something else on stderr, with the bar out of the way.
pub fn suspended(say: impl FnOnce()) {
    let board = board();
    match board.as_ref().and_then(|board| board.bar.as_ref()) {
        Some(bar) => bar.suspend(say),
        None => say(),
    }
}

/// A phase begins whose end is not known.
pub fn phase(name: &'static str) {
    at(name, 0, 0);
}

/// Reading has come so far; no total says that it is done, and the table is being prepared.
pub fn reading(done: u64, total: u64) {
    if total == 0 {
        return phase("prepare");
    }
    let share = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    at("read", share(done), share(total));
}

/// `done` of `total` steps of a phase are done.
pub fn at(name: &'static str, done: usize, total: usize) {
    put(name, (done, total), (total > 0).then_some(total));
}

/// How far a solver is: it may need fewer steps than there can be.
pub fn of_solver(state: &arss::Progress) {
    put(state.phase, (state.iteration, state.limit), state.expected);
}

fn put(name: &'static str, (done, total): (usize, usize), expected: Option<usize>) {
    let mut board = board();
    let Some(board) = board.as_mut() else { return };
    let is_new = board.phase != name;
    // Steps of another size: how fast the others were tells nothing.
    if is_new || board.total != total as u64 || board.done > done as u64 {
        board.earlier = vec![(Instant::now(), done as u64)];
    }
    (board.done, board.total, board.expected) = (done as u64, total as u64, expected.map(|steps| steps as u64));
    if is_new {
        (board.phase, board.phase_started) = (name, Instant::now());
        if board.form == Form::Json {
            say(&board.object());
        }
    }
}

/// Shows the board until it is cleared.
fn watch() {
    loop {
        std::thread::sleep(TICK);
        let mut board = board();
        let Some(board) = board.as_mut() else { return };
        board.remember(Instant::now());
        if board.started.elapsed() > PATIENCE {
            board.show();
        }
    }
}

impl Board {
    /// Keeps how far it is, and forgets what is long ago.
    fn remember(&mut self, now: Instant) {
        self.earlier.push((now, self.done));
        let old = self.earlier.partition_point(|(then, _)| now.duration_since(*then) > RECENT);
        self.earlier.drain(..old.saturating_sub(1));
    }

    /// How long it may still take, at the rate of the last seconds; none if that would be noise, or nobody knows how much
    /// there is to do. What comes behind the last step is not told either.
    fn left(&self) -> Option<Duration> {
        let more = self.expected?.saturating_sub(self.done);
        let (then, before) = *self.earlier.first()?;
        let (elapsed, done) = (then.elapsed(), self.done.saturating_sub(before));
        // After a few bytes of a large file, an estimate would be noise.
        let early = self.phase == "read" && self.done * 50 < self.total;
        let is_known = done > 0 && more > 0 && elapsed >= KNOWN && !early;
        let left = is_known.then(|| elapsed.mul_f64(more as f64 / done as f64))?;
        // Where a step takes longer than all that was left before it, nobody knows what it does.
        (self.still() <= left.max(2 * TICK)).then_some(left)
    }

    /// How long nothing has moved.
    fn still(&self) -> Duration {
        let since = self.earlier.iter().find(|(_, done)| *done == self.done);
        since.map_or(Duration::ZERO, |(then, _)| then.elapsed())
    }

    fn show(&mut self) {
        let pause = if self.form == Form::Json { OBJECTS } else { LINES };
        let due = self.said.is_none_or(|said| said.elapsed() >= pause);
        match self.form {
            Form::Bar => self.draw(),
            Form::Lines if due => say(&format!("{}: {}", self.phase, self.words())),
            Form::Json if due => say(&self.object()),
            _ => return,
        }
        self.said = if due { Some(Instant::now()) } else { self.said };
    }

    fn draw(&mut self) {
        let words = self.words();
        let bar = self.bar.get_or_insert_with(new_bar);
        bar.set_length(self.expected.unwrap_or(self.total).max(1));
        bar.set_position(self.done);
        bar.set_prefix(self.phase);
        bar.set_message(words);
    }

    /// How far the phase is, and how long it may still take.
    fn words(&self) -> String {
        let elapsed = self.phase_started.elapsed();
        if self.total == 0 {
            return format!("{} so far", span(elapsed));
        }
        let left = match self.left() {
            Some(left) => format!("about {} left", span(left)),
            None => format!("{} so far", span(elapsed)),
        };
        // It stops when it is done, and nobody knows when that is.
        let Some(expected) = self.expected else {
            return format!("{} of at most {}, {left}", self.done, self.total);
        };
        let share = (self.done as f64 / expected.max(1) as f64).min(1.0);
        if self.phase == "files" {
            let rate = self.done as f64 / elapsed.as_secs_f64().max(1e-3);
            return format!("{} of {}, {rate:.0} a second, {left}", self.done, self.total);
        }
        format!("{:.0} %, {left}", 100.0 * share)
    }

    fn object(&self) -> String {
        let total = (self.total > 0).then_some(self.total);
        let rounded = |time: Duration| (time.as_secs_f64() * 1e3).round() / 1e3;
        let (seconds, left) = (rounded(self.started.elapsed()), self.left().map(rounded));
        let object = json!({
            "event": "progress", "phase": self.phase, "done": self.done, "total": total, "seconds": seconds, "left": left,
        });
        object.to_string()
    }
}

/// Writes one line; the caller holds the lock of the board.
fn say(line: &str) {
    use std::io::Write;
    // If stderr is closed there is nowhere left to say so.
    drop(std::io::stderr().write_all(format!("{line}\n").as_bytes()));
}

fn new_bar() -> ProgressBar {
    let bar = if colour::on_stderr() { "{bar:30.cyan}" } else { "{bar:30}" };
    let style = ProgressStyle::with_template(&format!("{{prefix:<8}} [{bar}] {{msg}}"));
    ProgressBar::new(1).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A time for people: `8 s`, `3 min 20 s`, `2 h 5 min`.
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs_f64().ceil() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_for_people() {
        let shown = [0.2, 59.0, 200.0, 7500.0].map(|seconds| span(Duration::from_secs_f64(seconds)));
        assert_eq!(shown, ["1 s", "59 s", "3 min 20 s", "2 h 5 min"]);
    }

    #[test]
    fn the_time_left_follows_from_the_last_seconds() {
        let now = Instant::now();
        let ago = |seconds: u64| now.checked_sub(Duration::from_secs(seconds));
        let (Some(before), Some(recently)) = (ago(30), ago(3)) else { return };
        let mut board = Board {
            form: Form::Lines,
            started: before,
            phase: "solve",
            phase_started: before,
            done: 25,
            total: 100,
            expected: Some(100),
            said: None,
            bar: None,
            // The first fifth was slow, the rest is not.
            earlier: vec![(recently, 20)],
        };
        assert!(board.words().starts_with("25 %, about 4"), "{}", board.words());
        board.remember(now);
        assert_eq!(board.earlier.len(), 2);
        board.remember(now.checked_add(2 * RECENT).unwrap());
        assert_eq!(board.earlier.first().map(|(_, done)| *done), Some(25));
        // A solver that has seen that it converges sooner, one that has not, and one that is about to end.
        board.earlier = vec![(recently, 20)];
        board.expected = Some(50);
        assert!(board.words().starts_with("50 %, about 1"), "{}", board.words());
        board.expected = None;
        assert!(board.words().starts_with("25 of at most 100, 3"), "{}", board.words());
        board.expected = Some(25);
        assert!(board.words().starts_with("100 %, 3"), "{}", board.words());
        board.expected = Some(100);
        board.earlier.clear();
        assert!(board.words().starts_with("25 %, 3"), "{}", board.words());
        board.total = 0;
        assert_eq!(board.words(), "31 s so far");
    }

    /// A run that told 0.05 s for a second and more: the last block of a file was read, and what came then was not.
    #[test]
    fn a_step_that_takes_longer_than_all_that_was_left_tells_nothing() {
        let now = Instant::now();
        let ago = |millis: u64| now.checked_sub(Duration::from_millis(millis));
        let (Some(start), Some(moved), Some(later)) = (ago(3000), ago(1500), ago(100)) else { return };
        let board = |earlier: Vec<(Instant, u64)>| Board {
            form: Form::Json,
            started: start,
            phase: "read",
            phase_started: start,
            done: 98,
            total: 100,
            expected: Some(100),
            said: None,
            bar: None,
            earlier,
        };
        assert_eq!(board(vec![(start, 0), (moved, 98), (later, 98)]).left(), None);
        let moving = board(vec![(start, 0), (moved, 49), (later, 98)]).left().unwrap();
        assert!((50..100).contains(&moving.as_millis()), "{moving:?}");
        // Long steps are no stop: three of them took three seconds, and ninety are left.
        let steps = Board { done: 10, ..board(vec![(start, 7), (moved, 10)]) }.left().unwrap();
        assert!((80..100).contains(&steps.as_secs()), "{steps:?}");
    }
}
