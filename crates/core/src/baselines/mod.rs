//! The usual alternatives, one file each.

pub(crate) mod distance;
mod facility;
mod kmeans;
mod kmedoids;
pub(crate) mod random;
mod rrqr;
mod swap;

pub use facility::FacilityLocation;
pub use kmeans::KMeans;
pub use kmedoids::KMedoids;
pub use random::Random;
pub use rrqr::Rrqr;

use std::time::Instant;

use crate::{Report, Seconds, Selection, Status, rank};

/// What a baseline found; [`finish`](Outcome::finish) turns it into a selection.
struct Outcome {
    method: &'static str,
    /// The chosen items, in any order.
    picks: Vec<usize>,
    /// One score an item; no unpicked item scores above a pick.
    scores: Vec<f64>,
    /// One residual an item.
    residuals: Vec<f64>,
    report: Report,
}

impl Outcome {
    /// Ranks the picks by score, ties by index, and closes the clock.
    fn finish(self, all_scores: bool, clock: Clock) -> Selection {
        let Outcome { method, picks: mut indices, scores, residuals, mut report } = self;
        indices.sort_unstable_by(|&a, &b| rank::better(&scores, a, b));
        report.seconds = clock.seconds();
        Selection {
            method,
            scores: indices.iter().map(|&i| scores[i]).collect(),
            indices,
            all_scores: all_scores.then_some(scores),
            assignment: None,
            row_norms: None,
            residuals,
            solution: None,
            report,
        }
    }
}

/// A report with what every baseline knows; the rest is empty.
pub(crate) fn report(status: Status, iterations: usize, objective: f64, items: usize) -> Report {
    Report {
        status,
        iterations,
        objective,
        constraint_residual: None,
        gap: None,
        gamma: None,
        history: Vec::new(),
        seconds: Seconds::default(),
        rows_scored: items,
        notes: Vec::new(),
    }
}

/// Scores from cluster sizes: `sizes[c]` for `picks[c]`, 0 for the other items.
fn size_scores(items: usize, picks: &[usize], sizes: &[usize]) -> Vec<f64> {
    let mut scores = vec![0.0; items];
    for (&pick, &size) in picks.iter().zip(sizes) {
        scores[pick] = size as f64;
    }
    scores
}

/// The phases of a run, in order: prepare, solve, score.
pub(crate) struct Clock {
    start: Instant,
    prepared: Instant,
    solved: Instant,
}

impl Clock {
    pub fn start() -> Self {
        let now = Instant::now();
        Clock { start: now, prepared: now, solved: now }
    }

    pub fn prepared(&mut self) {
        self.prepared = Instant::now();
        self.solved = self.prepared;
    }

    pub fn solved(&mut self) {
        self.solved = Instant::now();
    }

    pub fn seconds(&self) -> Seconds {
        Seconds {
            prepare: (self.prepared - self.start).as_secs_f64(),
            solve: (self.solved - self.prepared).as_secs_f64(),
            score: self.solved.elapsed().as_secs_f64(),
        }
    }
}
