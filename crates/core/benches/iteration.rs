//! Seconds of one ARSS iteration, as JSON lines: the Rust side of `make bench-speed`.
//!
//! Arguments: triples `N,L,p` and flags such as `f32`, `threads=1` or `block=256`; least of three solves.

use arss::{Arss, Float, Gamma, Run, Samples};

#[path = "../tests/common/mod.rs"]
mod common;

/// Seconds an iteration, from the solve phase of runs of 4 and 16 iterations.
fn iteration<T: Float>(table: &[T], (n, l): (usize, usize), p: f64, threads: usize, block: usize) -> f64 {
    let samples = Samples::new(table, n, l).unwrap();
    let seconds = |iterations: usize| {
        let settings =
            Arss { p, gamma: Gamma::Ratio(0.1), max_iterations: iterations, tolerance: 0.0, ..Arss::default() };
        let mut run = Run { threads, block, ..Run::default() };
        settings.select_with(&samples, 1, &mut run).unwrap().report.seconds.solve
    };
    (0..3).map(|_| (seconds(16) - seconds(4)) / 12.0).fold(f64::INFINITY, f64::min)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let short = arguments.iter().any(|a| a == "f32");
    let threads = arguments.iter().find_map(|a| a.strip_prefix("threads=")).map_or(0, |t| t.parse().unwrap());
    let block = arguments.iter().find_map(|a| a.strip_prefix("block=")).map_or(0, |b| b.parse().unwrap());
    for triple in arguments.iter().filter(|a| a.contains(',')) {
        let parts: Vec<f64> = triple.split(',').map(|part| part.parse().unwrap()).collect();
        let (n, l, p) = (parts[0] as usize, parts[1] as usize, parts[2]);
        let table = common::noise_table(n, l, 1);
        let seconds = if short {
            iteration(&common::cast::<f32>(&table), (n, l), p, threads, block)
        } else {
            iteration(&table, (n, l), p, threads, block)
        };
        let kind = if short { "f32" } else { "f64" };
        println!(
            r#"{{"n":{n},"l":{l},"p":{p},"type":"{kind}","threads":{threads},"block":{block},"iteration_s":{seconds}}}"#
        );
    }
}
