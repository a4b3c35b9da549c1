//! Memory and time of a large run: 1,000,000 x 16 rows, no N x N anything.
//!
//! Prints the peak resident memory that the kernel saw and the time an iteration per row, for
//! growing N. Synthetic data; Linux only (reads `/proc/self/status`).

use std::time::Instant;

use arss::{Arss, Rrss, RunOptions, Samples, Selector, Ted};

#[path = "../tests/common/mod.rs"]
mod common;

/// Peak resident memory in MB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
}

fn main() {
    const FEATURES: usize = 16;
    println!("{:>10} {:>10} {:>10} {:>16} {:>14}", "N", "method", "seconds", "ns/row/iteration", "peak MB so far");
    for n in [62_500, 125_000, 250_000, 500_000, 1_000_000] {
        let table = common::clusters(n, FEATURES, 1);
        let samples = Samples::new(&table, n, FEATURES).unwrap();
        let line = |method: &str, iterations: usize, seconds: f64, solve: f64| {
            let each = solve / (n * iterations) as f64 * 1e9;
            println!("{n:>10} {method:>10} {seconds:>10.2} {each:>16.1} {:>14.0}", peak());
        };
        let clock = Instant::now();
        let found = Arss { max_iterations: 20, tolerance: 0.0, ..Arss::default() }.select(&samples, 100).unwrap();
        line("arss", 20, clock.elapsed().as_secs_f64(), found.report.seconds.solve);
        let clock = Instant::now();
        let found = Rrss { max_iterations: 20, tolerance: 0.0, ..Rrss::default() }.select(&samples, 100).unwrap();
        line("rrss", 20, clock.elapsed().as_secs_f64(), found.report.seconds.solve);
        let clock = Instant::now();
        let found = Ted::default().select_with(&samples, 100, &mut RunOptions::default()).unwrap();
        line("ted", 100, clock.elapsed().as_secs_f64(), found.report.seconds.solve);
    }
}
