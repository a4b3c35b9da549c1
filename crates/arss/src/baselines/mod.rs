//! The usual alternatives, one file each.

mod facility;
mod kmeans;
pub(crate) mod kmedoids;
mod random;
mod rrqr;

pub use facility::FacilityLocation;
pub use kmeans::KMeans;
pub use kmedoids::KMedoids;
pub use random::Random;
pub use rrqr::Rrqr;

use crate::linalg::top_k;
use crate::selection::Clock;
use crate::{Report, Selection};

/// What a baseline found; [`finish`](Outcome::finish) turns it into a selection.
struct Outcome {
    method: &'static str,
    /// The chosen items, in any order.
    picks: Vec<usize>,
    /// One score per item; no unpicked item scores above a pick.
    scores: Vec<f64>,
    /// One residual per item.
    residuals: Vec<f64>,
    report: Report,
}

impl Outcome {
    /// Ranks the picks by score, ties by index, and closes the clock.
    fn finish(self, all_scores: bool, clock: Clock) -> Selection {
        let Outcome { method, picks: mut indices, scores, residuals, mut report } = self;
        indices.sort_unstable_by(|&a, &b| top_k::better(&scores, a, b));
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
            model: None,
            report,
        }
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
