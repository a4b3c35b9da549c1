//! About how long a method takes: long ones are left out unless they are named.
//!
//! By the shape of the table alone, with rates measured on two cores (100,000 x 20 with K = 100 and 3,000 x 300 with
//! K = 50; within a factor of four there). A clock would be nearer, but then two runs could differ in what they show.

use crate::args::MethodName;

/// Rows that facility location chooses from at most.
const POOL: f64 = 8192.0;
/// Rows that k-medoids searches in full, and fewest rows of its samples beyond.
const EXACT: usize = 5000;
const SAMPLE: f64 = 3000.0;
/// Seconds of a multiplication in large products, and in passes over the whole table.
const PRODUCT: f64 = 2.5e-10;
const PASS: f64 = 5e-9;
/// Seconds of the quadratic part of the linear models a value and row: most rows need no exact score.
const SCORES: f64 = 5e-12;

/// Seconds for a table of this shape, about.
pub fn seconds(method: MethodName, (rows, columns): (usize, usize), k: usize) -> f64 {
    let (n, l, k) = (rows as f64, columns as f64, k as f64);
    let (least, pool) = (n.min(l), n.min(POOL));
    match method {
        MethodName::Random => 0.0,
        MethodName::Exemplars => PRODUCT * n * 768.0 * (l + 384.0) + 4.0 * PRODUCT * pool * pool * l,
        MethodName::Facility => 4.0 * PRODUCT * pool * pool * l + 2.0 * PRODUCT * n * k * l,
        MethodName::Kmeans => PRODUCT * 40.0 * n * k * l,
        MethodName::Kmedoids if rows <= EXACT => PRODUCT * 8.0 * n * n * l,
        MethodName::Kmedoids => PRODUCT * 5.0 * (8.0 * (5.0 * k).max(SAMPLE).powi(2) * l + n * k * l),
        MethodName::Ted => PASS * n * l * (0.5 * k + 0.05 * least),
        MethodName::Rrqr => PASS * n * l * k,
        MethodName::Arss => n * l * (4e-6 + 6.5e-8 * least) + SCORES * n * n * l,
        MethodName::Rrss => n * l * (8e-6 + 3e-8 * least) + SCORES * n * n * l,
    }
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
    use clap::ValueEnum;

    /// The default of `--patience`.
    const PATIENCE: f64 = 120.0;

    #[test]
    fn small_tables_run_all_and_huge_ones_do_not() {
        let all = MethodName::value_variants();
        assert!(all.iter().all(|&method| seconds(method, (50_000, 20), 50) < PATIENCE));
        let huge = |method| seconds(method, (10_000_000, 100), 1000) > PATIENCE;
        assert!(huge(MethodName::Arss) && huge(MethodName::Kmeans) && huge(MethodName::Rrss));
        assert!(all.iter().all(|&method| seconds(method, (1, 1), 1) < 1.0));
    }

    #[test]
    fn times_in_words() {
        assert_eq!([12.0, 150.0, 9000.0, 1e6].map(words), ["12 seconds", "2 minutes", "2.5 hours", "12 days"]);
    }
}
