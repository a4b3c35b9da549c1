//! Cases with known answers, made by an independent implementation of the published algorithms.

use arss::{Arss, Gamma, Penalty, RootSteps, Rrss, RunOptions, Samples, Selector, Shrinkage, Ted};
use serde_json::Value;

fn case(name: &str) -> Value {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn table(case: &Value) -> (Vec<f64>, usize, usize) {
    let rows: Vec<Vec<f64>> = case["samples"].as_array().unwrap().iter().map(numbers).collect();
    (rows.concat(), rows.len(), rows[0].len())
}

fn assert_close(name: &str, found: &[f64], expected: &[f64]) {
    assert_within(1e-9, name, found, expected);
}

fn assert_within(tolerance: f64, name: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(error <= tolerance * expected.abs(), "{name} {i}: {found} instead of {expected}");
    }
}

#[test]
fn arss_cases() {
    for name in
        ["arss_tall_p02_active", "arss_tall_p05", "arss_tall_p05_active", "arss_tall_p1_active", "arss_wide_p05"]
    {
        let case = case(name);
        let setting = |key: &str| case["settings"][key].as_f64().unwrap();
        let settings = Arss {
            p: setting("p"),
            gamma: Gamma::Absolute(setting("gamma")),
            penalty: Penalty::Growing { mu: setting("mu"), rho: setting("rho"), max: setting("mu_max") },
            max_iterations: setting("iterations") as usize,
            tolerance: 0.0,
            eps: setting("eps"),
            root: RootSteps::Fixed(setting("gst_steps") as u32),
            sparse_rows: None,
            ..Arss::default()
        };
        let (values, n, l) = table(&case);
        let mut run = RunOptions { all_scores: true, ..RunOptions::default() };
        let found = settings.select_with(&Samples::new(&values, n, l).unwrap(), 5, &mut run).unwrap();
        assert_close(name, &found.row_norms.unwrap(), &numbers(&case["expect"]["row_norms"]));
        assert_close(name, &found.all_scores.unwrap(), &numbers(&case["expect"]["row_sums"]));
        let objective = case["expect"]["objective"].as_f64().unwrap();
        // |X - XA|^p of entries that are zero up to rounding is itself rounding: 1e-16^p each.
        let noise = (n * l) as f64 * 1e-15f64.powf(setting("p"));
        assert!(
            (found.report.objective - objective).abs() <= 1e-9 * objective + noise,
            "{name}: {}",
            found.report.objective
        );
    }
}

#[test]
fn rrss_cases() {
    for name in ["rrss_tall", "rrss_wide"] {
        let case = case(name);
        let setting = |key: &str| case["settings"][key].as_f64().unwrap();
        let settings = Rrss {
            gamma: Gamma::Absolute(setting("gamma")),
            max_iterations: setting("iterations") as usize,
            tolerance: 0.0,
            eps: setting("eps"),
            ..Rrss::default()
        };
        let (values, n, l) = table(&case);
        let mut run = RunOptions { all_scores: true, ..RunOptions::default() };
        let found = settings.select_with(&Samples::new(&values, n, l).unwrap(), 5, &mut run).unwrap();
        let (norms, sums) = (found.row_norms.unwrap(), found.all_scores.unwrap());
        if name == "rrss_tall" {
            // The double-precision answer of this case is itself off by 2e-5: see exact_rrss.py.
            let exact = self::case("rrss_tall_exact");
            assert_close(name, &norms, &numbers(&exact["row_norms"]));
            assert_close(name, &sums, &numbers(&exact["row_sums"]));
        }
        let tolerance = if name == "rrss_tall" { 2e-5 } else { 1e-9 };
        assert_within(tolerance, name, &norms, &numbers(&case["expect"]["row_norms"]));
        assert_within(tolerance, name, &sums, &numbers(&case["expect"]["row_sums"]));
    }
}

#[test]
fn ted_case() {
    let case = case("ted");
    let (values, n, l) = table(&case);
    let k = case["settings"]["k"].as_u64().unwrap() as usize;
    let settings = Ted { alpha: case["settings"]["alpha"].as_f64().unwrap(), ..Ted::default() };
    let found = settings.select(&Samples::new(&values, n, l).unwrap(), k).unwrap();
    let expected: Vec<usize> = numbers(&case["expect"]["picks"]).iter().map(|&i| i as usize).collect();
    assert_eq!(found.indices, expected);
}

#[test]
fn gst_cases() {
    for case in case("gst")["cases"].as_array().unwrap() {
        let (p, lambda) = (case["p"].as_f64().unwrap(), case["lam"].as_f64().unwrap());
        let rule = Shrinkage::new(lambda, p, RootSteps::Exact);
        for (c, expected) in numbers(&case["c"]).iter().zip(numbers(&case["y"])) {
            assert!((rule.apply(*c) - expected).abs() <= 1e-9 * expected.abs(), "p {p} lambda {lambda} c {c}");
        }
    }
}
