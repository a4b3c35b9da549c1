//! Seconds of one iteration (or pick), as JSON lines: the Rust side of `make bench-speed`.
//!
//! Arguments: shapes `N,L` and flags `method=arss|rrss|ted`, `p=0.5`, `f32`, `threads=1`, `block=256`.
//! The median over iterations 5 to 16 is what is printed, the least beside it.

use std::ops::ControlFlow;
use std::time::Instant;

use arss::{Arss, Float, Method, Progress, Rrss, RunOptions, Samples, Ted};

#[path = "../tests/common/mod.rs"]
mod common;

/// The first iterations are left out (caches and memory are cold), the last is the one asked for.
const ITERATIONS: std::ops::Range<usize> = 4..16;

/// Seconds of each iteration in [`ITERATIONS`], sorted, from the times between two calls of the callback.
fn iterations<T: Float>(
    table: &[T],
    (n, l): (usize, usize),
    method: &Method,
    threads: usize,
    block: usize,
) -> Vec<f64> {
    let samples = Samples::new(table, n, l).unwrap();
    let mut times = Vec::new();
    let mut note = |progress: &Progress| {
        if progress.phase == "solve" {
            times.push(Instant::now());
        }
        if times.len() >= ITERATIONS.end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut run = RunOptions { threads, block, progress: Some(&mut note), ..RunOptions::default() };
    method.select(&samples, ITERATIONS.end + 1, &mut run).unwrap();
    let between = times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64());
    let mut seconds: Vec<f64> = between.skip(ITERATIONS.start - 1).collect();
    seconds.sort_by(f64::total_cmp);
    seconds
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let value = |name: &str| arguments.iter().find_map(|a| a.strip_prefix(name)?.strip_prefix('='));
    let number = |name: &str, default: f64| value(name).map_or(default, |text| text.parse().unwrap());
    let short = arguments.iter().any(|a| a == "f32");
    let (threads, block, p) = (number("threads", 0.0) as usize, number("block", 0.0) as usize, number("p", 0.5));
    let name = value("method").unwrap_or("arss");
    let method = match name {
        "rrss" => Method::Rrss(Rrss { max_iterations: ITERATIONS.end, tolerance: 0.0, ..Rrss::default() }),
        "ted" => Method::Ted(Ted::default()),
        _ => Method::Arss(Arss { p, max_iterations: ITERATIONS.end, tolerance: 0.0, ..Arss::default() }),
    };
    for shape in arguments.iter().filter(|a| a.contains(',')) {
        let (n, l) = shape.split_once(',').map(|(n, l)| (n.parse().unwrap(), l.parse().unwrap())).unwrap();
        let table = common::clusters(n, l, 1);
        let seconds = if short {
            iterations(&common::cast::<f32>(&table), (n, l), &method, threads, block)
        } else {
            iterations(&table, (n, l), &method, threads, block)
        };
        let kind = if short { "f32" } else { "f64" };
        println!(
            r#"{{"method":"{name}","n":{n},"l":{l},"p":{p},"type":"{kind}","threads":{threads},"block":{block},"iteration_s":{:.3e},"least_s":{:.3e}}}"#,
            seconds[seconds.len() / 2],
            seconds[0]
        );
    }
}
