//! Several methods side by side, as the page shows them.

use serde::Serialize;

/// Several methods side by side.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// What was compared, in words.
    pub text: String,
    /// What each measure is called, and what it means.
    pub measures: Vec<[&'static str; 2]>,
    /// The methods, the best first.
    pub rows: Vec<Judged>,
    /// Methods that were left out, and why.
    pub left_out: Vec<String>,
}

/// One method.
#[derive(Debug, Serialize)]
pub struct Judged {
    /// Its name.
    pub method: &'static str,
    /// One value a measure, as it is shown; what there is none of is `-`.
    pub values: Vec<String>,
    /// Which of them are the best.
    pub best: Vec<bool>,
}
