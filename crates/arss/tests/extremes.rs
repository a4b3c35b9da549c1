//! Tables at the edge of what numbers can hold, in memory, out of core and in parts: no pick twice, no score that is no
//! number, and where nothing is left to gain an order that is stated.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use arss::out_of_core::Stream;
use arss::{
    Arss, Count, Error, Exemplars, FacilityLocation, KMeans, KMedoids, Kernel, Method, Note, Random, Rrqr, Rrss,
    RunOptions, Samples, Selection, Selector, Ted,
};

mod common;

use common::places::{Outside, Parts};

/// Sizes that all values of a table are multiplied by.
const SIZES: [f64; 7] = [1e-300, 1e-160, 1e-8, 1.0, 1e8, 1e160, 1e300];

fn methods() -> Vec<Method> {
    vec![
        Exemplars::default().method(),
        Exemplars { gate: false, nested: true, ..Exemplars::default() }.method(),
        Arss { max_iterations: 30, ..Arss::default() }.method(),
        Arss { diverse: true, max_iterations: 30, ..Arss::default() }.method(),
        Arss::paper().method(),
        Rrss { max_iterations: 30, ..Rrss::default() }.method(),
        Ted::default().method(),
        Ted { alpha: 1e-9, ..Ted::default() }.method(),
        Ted { kernel: Some(Kernel { landmarks: 9, ..Kernel::default() }), ..Ted::default() }.method(),
        KMeans::default().method(),
        KMedoids::default().method(),
        FacilityLocation::default().method(),
        Rrqr::default().method(),
        Random::default().method(),
    ]
}

/// Small tables of which some have copies, some a low rank, and some values of very different size.
fn tables() -> Vec<(&'static str, usize, usize, Vec<f64>)> {
    let plain = common::noise_table(80, 6, 1);
    let rank_two: Vec<f64> = (0..80 * 5)
        .map(|at| plain[at / 5 * 6] * (at % 5) as f64 + plain[at / 5 * 6 + 1] * (4 - at % 5) as f64)
        .collect();
    let copies: Vec<f64> = (0..60).flat_map(|row| plain[row % 7 * 6..][..6].to_vec()).collect();
    let mut one_wild = plain.clone();
    one_wild[40] *= 1e7;
    let columns: Vec<f64> = plain.iter().enumerate().map(|(at, x)| x * 1e-3f64.powi((at % 6) as i32)).collect();
    let mut zeros = vec![0.0; 240];
    zeros[100] = 1.0;
    vec![
        ("plain", 80, 6, plain.clone()),
        ("rank two", 80, 5, rank_two),
        ("copies", 60, 6, copies),
        ("one wild cell", 80, 6, one_wild),
        ("columns of all sizes", 80, 6, columns),
        ("zeros and a one", 40, 6, zeros),
        ("the same row", 30, 3, [1.5, -2.0, 0.25].repeat(30)),
        ("wide", 12, 20, common::noise_table(12, 20, 2)),
        ("one column", 25, 1, common::noise_table(25, 1, 3)),
    ]
}

fn streamed(table: &[f64], l: usize, method: &Method, k: usize) -> Result<Selection, Error> {
    let source = Outside(Mutex::new(table.to_vec()), l);
    let values = Outside(Mutex::new(vec![0.0; table.len()]), usize::MAX);
    let numbers = Outside(Mutex::new(vec![0.0; table.len() / l * 8]), usize::MAX);
    let stream = Stream { source: &source, values: &values, numbers: &numbers, memory: 1 << 14 };
    stream.select(method, Count::Exactly(k), &mut RunOptions::default())
}

/// What is wrong with a choice of `k` among `n` rows whose values are about so large.
fn wrong(found: &Selection, (n, size): (usize, f64), k: usize) -> Option<String> {
    let mut picks = found.indices.clone();
    picks.sort_unstable();
    picks.dedup();
    if picks.len() != k || found.indices.len() != k || picks.iter().any(|&pick| pick >= n) {
        return Some(format!("{} different picks of {k}: {:?}", picks.len(), found.indices));
    }
    // The gain of TED is a square: of values near the limit of numbers it is beyond it, and told as the largest number.
    let is_bad = |value: &&f64| !value.is_finite() || (**value == f64::MAX && (found.method != "ted" || size < 1e150));
    if let Some(bad) = found.scores.iter().find(is_bad) {
        return Some(format!("a score of {bad:e}: {:?}", found.scores));
    }
    found.residuals.iter().find(|value| !value.is_finite()).map(|bad| format!("a residual of {bad:e}"))
}

#[test]
fn picks_differ_and_scores_are_numbers_everywhere() {
    let mut found: Vec<String> = Vec::new();
    let mut runs = 0;
    for (name, n, l, plain) in tables() {
        for size in SIZES {
            let table: Vec<f64> = plain.iter().map(|value| value * size).collect();
            // Beyond the range there is an infinity, which is refused elsewhere.
            if table.iter().any(|value| !value.is_finite()) {
                continue;
            }
            for method in methods() {
                for k in [1, l.min(n), (l + 14).min(n), n] {
                    let mut check = |place: &str, choose: &dyn Fn() -> Result<Selection, Error>| {
                        runs += 1;
                        let problem = match catch_unwind(AssertUnwindSafe(choose)) {
                            Ok(Ok(chosen)) => wrong(&chosen, (n, size), k),
                            // Some methods need all of the table in memory.
                            Ok(Err(Error::InMemoryOnly { .. })) => None,
                            Ok(Err(error)) => Some(error.to_string()),
                            Err(_) => Some("a panic".to_owned()),
                        };
                        let what =
                            |problem| format!("{} of {name} times {size:e}, k {k}, {place}: {problem}", method.name());
                        found.extend(problem.map(what));
                    };
                    let samples = Samples::new(&table, n, l).unwrap();
                    check("in memory", &|| method.select(&samples, k, &mut RunOptions::default()));
                    check("out of core", &|| streamed(&table, l, &method, k));
                    check("in parts", &|| Parts::new(&table, l, &[0, 1, n / 2, n]).select(&method, k));
                }
            }
        }
    }
    println!("{runs} runs");
    assert!(found.is_empty(), "{} of {runs}:\n{}", found.len(), found[..found.len().min(40)].join("\n"));
}

/// The table of the report: 80 x 6 times 1e8, where seven of twenty picks were repeated.
#[test]
fn ted_stops_where_nothing_is_left_to_gain() {
    let table: Vec<f64> = common::noise_table(80, 6, 7).iter().map(|value| value * 1e8).collect();
    let samples = Samples::new(&table, 80, 6).unwrap();
    let found = Ted::default().select(&samples, 20).unwrap();
    assert_eq!(wrong(&found, (80, 1e8), 20), None);
    let gained = found.scores.iter().filter(|&&score| score > 0.0).count();
    assert_eq!(gained, 6, "as many as there are columns: {:?}", found.scores);
    // The rest are the first rows of the table that were not picked.
    let rest: Vec<usize> = (0..80).filter(|row| !found.indices[..gained].contains(row)).take(14).collect();
    assert_eq!(found.indices[gained..], rest);
    assert!(found.report.notes.contains(&Note::NothingToGain { gained: 6, k: 20 }), "{:?}", found.report.notes);
    // A table of usual size gains with every pick, however little, and there is no such note.
    let usual: Vec<f64> = table.iter().map(|value| value * 1e-8).collect();
    let found = Ted::default().select(&Samples::new(&usual, 80, 6).unwrap(), 20).unwrap();
    assert!(
        found.scores.iter().all(|&score| score > 0.0) && found.report.notes == [Note::Saturated { k: 20, rank: 6 }]
    );
}

#[test]
fn weights_of_any_size_are_only_weights() {
    let table = common::noise_table(40, 4, 3);
    let samples = Samples::new(&table, 40, 4).unwrap();
    let plain: Vec<f64> = (0..40).map(|row| 1.0 + f64::from(row % 5)).collect();
    let wanted = Ted { weights: Some(plain.clone()), ..Ted::default() }.select(&samples, 4).unwrap();
    for size in SIZES {
        let weights: Vec<f64> = plain.iter().map(|weight| weight * size).collect();
        for method in [
            Ted { weights: Some(weights.clone()), ..Ted::default() }.method(),
            Exemplars { weights: Some(weights.clone()), ..Exemplars::default() }.method(),
        ] {
            let found = method.select(&samples, 12, &mut RunOptions::default()).unwrap();
            assert_eq!(wrong(&found, (40, 1.0), 12), None, "{} with weights times {size:e}", method.name());
            if method.name() == "ted" {
                assert_eq!(found.indices[..4], wanted.indices, "weights times {size:e}");
            }
        }
    }
}
