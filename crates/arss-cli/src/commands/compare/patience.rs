//! Whether a method takes too long to be compared: long ones are left out unless they are named.
//!
//! By the shape of the table alone. A clock would be nearer, but then two runs could differ in what they show.

use arss::Method;
use arss::estimate::{self, ProblemSize};

/// Seconds for a table of this shape, about, on two cores.
pub fn seconds(method: &Method, (rows, columns): (usize, usize), k: usize) -> f64 {
    let (items, features, k) = (rows as u64, columns as u64, k as u64);
    estimate::seconds(method, &ProblemSize { items, features, element: 8, k, threads: 2, by_column: true })
}

/// `150` as `2 minutes`, `9000` as `2.5 hours`.
pub fn words(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} seconds"),
        s if s < 5400.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} hours", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The default of `--patience`.
    const PATIENCE: f64 = 120.0;

    #[test]
    fn small_tables_run_all_and_huge_ones_do_not() {
        let all = Method::all();
        assert!(all.iter().all(|method| seconds(method, (50_000, 20), 50) < PATIENCE));
        let huge = |name| Method::from_name(name).is_some_and(|m| seconds(&m, (10_000_000, 100), 1000) > PATIENCE);
        assert!(huge("arss") && huge("kmeans") && huge("rrss"));
        assert!(all.iter().all(|method| seconds(method, (1, 1), 1) < 1.0));
    }

    #[test]
    fn times_in_words() {
        assert_eq!([12.0, 150.0, 9000.0, 1e6].map(words), ["12 seconds", "2 minutes", "2.5 hours", "12 days"]);
    }
}
