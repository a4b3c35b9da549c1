//! Several methods side by side, as the page shows them.

use serde::Serialize;

/// Several methods side by side.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// What was compared, in words.
    pub text: String,
    /// Which method to take, and when not to believe it.
    pub advice: Vec<String>,
    /// What each measure is called, and what it means.
    pub measures: Vec<[&'static str; 2]>,
    /// The methods, the best first.
    pub rows: Vec<Judged>,
    /// The share of the picks of each method that each other one chose, too.
    pub overlap: Vec<Vec<f64>>,
    /// Seconds that each method took in this run: the only numbers of a page that differ from run to run.
    pub seconds: Vec<f64>,
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
    /// The numbers in the file of the rows it chose, best first.
    pub indices: Vec<usize>,
}
