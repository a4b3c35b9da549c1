//! The linear-time forms against the literal ones for growing N, as ratios from one run.
//!
//! `make bench` prints the table and writes the raw seconds as JSON lines to
//! `benchmarks/literal/results.jsonl`. Times are the least of three runs (literal forms that take
//! over a second run once). The data is synthetic: clusters in 16 dimensions, standardised.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use arss::{
    Arss, ArssReference, Gamma, RootSteps, Rrss, RrssReference, RrssSystem, RunOptions, Samples, Selector, Ted,
    TedReference,
};

#[path = "../tests/common/mod.rs"]
mod common;

const FEATURES: usize = 16;
/// A literal form is not run at larger N once it took this long.
const LIMIT: f64 = 20.0;

/// Least seconds of three runs, or of one that takes over a second.
fn seconds(mut work: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        work();
        least = least.min(start.elapsed().as_secs_f64());
        if least > 1.0 {
            break;
        }
    }
    least
}

/// One line of the comparison: fast and literal seconds at each N.
struct Contest<'a> {
    name: &'a str,
    fast: &'a dyn Fn(&Samples<'_, f64>),
    literal: &'a dyn Fn(&Samples<'_, f64>),
}

fn run(contest: &Contest<'_>, raw: &mut String) {
    println!(
        "\n{}\n{:>8} {:>12} {:>12} {:>10} {:>16}",
        contest.name, "N", "literal s", "ours s", "ratio", "ours ns/row"
    );
    let mut literal = 0.0;
    for n in [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 102_400, 409_600] {
        let table = common::clusters(n, FEATURES, 1);
        let samples = Samples::new(&table, n, FEATURES).unwrap();
        let fast = seconds(|| (contest.fast)(&samples));
        let too_slow = literal > LIMIT / 8.0;
        literal = if too_slow { f64::INFINITY } else { seconds(|| (contest.literal)(&samples)) };
        let shown = |value: f64| if value.is_finite() { format!("{value:.5}") } else { "-".to_owned() };
        let ratio = if too_slow { "-".to_owned() } else { format!("{:.1}", literal / fast) };
        println!("{n:>8} {:>12} {fast:>12.5} {ratio:>10} {:>16.0}", shown(literal), fast / n as f64 * 1e9);
        let literal = if too_slow { "null".to_owned() } else { literal.to_string() };
        writeln!(
            raw,
            r#"{{"contest":"{}","n":{n},"l":{FEATURES},"literal_s":{literal},"fast_s":{fast}}}"#,
            contest.name
        )
        .unwrap();
    }
}

fn main() {
    const ITERATIONS: usize = 10;
    let (gamma, eps) = (5.0, 1e-10);
    let arss = Arss { gamma: Gamma::Absolute(gamma), max_iterations: ITERATIONS, eps, ..Arss::paper() };
    let arss_literal =
        ArssReference { gamma, iterations: ITERATIONS, eps, root: RootSteps::Fixed(2), ..Default::default() };
    let rrss =
        Rrss { gamma: Gamma::Absolute(gamma), max_iterations: ITERATIONS, tolerance: 0.0, eps, ..Rrss::default() };
    let rrss_literal = |system| RrssReference { gamma, iterations: ITERATIONS, eps, system };
    let ted = TedReference { alpha: 0.1, exclude_picked: true };
    let k = 16;
    let fast_rrss = |samples: &Samples<'_, f64>| drop(black_box(rrss.select(samples, k)));
    let contests = [
        Contest {
            name: "ARSS, 10 iterations: Algorithm 2 with A in full / factored",
            fast: &|samples| drop(black_box(arss.select_with(samples, k, &mut RunOptions::default()))),
            literal: &|samples| drop(black_box(arss_literal.solve(samples))),
        },
        Contest {
            name: "RRSS, 10 iterations: Nie's N x N systems / one eigendecomposition",
            fast: &fast_rrss,
            literal: &|samples| drop(black_box(rrss_literal(RrssSystem::NByN).solve(samples))),
        },
        Contest {
            name: "RRSS, 10 iterations: the paper's L x L systems / one eigendecomposition",
            fast: &fast_rrss,
            literal: &|samples| drop(black_box(rrss_literal(RrssSystem::LByL).solve(samples))),
        },
        Contest {
            name: "TED, 16 picks: N x N kernel / L x L",
            fast: &|samples| drop(black_box(Ted::default().select(samples, k))),
            literal: &|samples| drop(black_box(ted.picks(samples, k, None))),
        },
    ];
    let mut raw = String::new();
    contests.iter().for_each(|contest| run(contest, &mut raw));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks/literal");
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(format!("{folder}/results.jsonl"), raw).unwrap();
}
