//! The linear-time forms against the literal ones, over random shapes and settings.

mod common;

use arss::{
    Arss, ArssReference, Gamma, Penalty, RootSteps, Rrss, RrssReference, RrssSystem, RunOptions, Samples, Selector,
    Ted, TedReference, UpdateA,
};
use common::{noise_table, relative_error, row_sums_and_norms};
use proptest::prelude::*;

/// Shapes with N > L, N = L and N < L.
fn shapes() -> impl Strategy<Value = (usize, usize)> {
    prop_oneof![(2usize..40, 1usize..12), (1usize..12, 2usize..40), (1usize..14).prop_map(|n| (n, n))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arss((n, l) in shapes(), seed in 0u64..1000, p in prop::sample::select(vec![0.1, 0.3, 0.5, 2.0 / 3.0, 0.9, 1.0]),
            gamma in 0.05f64..20.0, mu in 1e-3f64..0.5, steps in 0u32..4, block in 0usize..9) {
        let table = noise_table(n, l, seed);
        let samples = Samples::new(&table, n, l).unwrap();
        let root = if steps == 0 { RootSteps::Exact } else { RootSteps::Fixed(steps) };
        let (rho, mu_max, iterations, eps) = (1.15, 50.0, 30, 1e-12);
        let fast = Arss {
            p, gamma: Gamma::Absolute(gamma), penalty: Penalty::Growing { mu, rho, max: mu_max },
            max_iterations: iterations, tolerance: 0.0, eps, root, sparse_rows: None,
            ..Arss::default()
        };
        let mut run = RunOptions { all_scores: true, block, ..RunOptions::default() };
        let found = fast.select_with(&samples, 1, &mut run).unwrap();
        for update in [UpdateA::NByN, UpdateA::LByL] {
            let literal = ArssReference { p, gamma, mu, rho, mu_max, iterations, eps, root, update: Some(update) };
            let (sums, norms) = row_sums_and_norms(&literal.solve(&samples), n);
            prop_assert!(relative_error(found.row_norms.as_ref().unwrap(), &norms) < 1e-8, "{update:?}");
            prop_assert!(relative_error(found.all_scores.as_ref().unwrap(), &sums) < 1e-8, "{update:?}");
        }
    }

    #[test]
    fn rrss((n, l) in shapes(), seed in 0u64..1000, gamma in 0.3f64..20.0, block in 0usize..9) {
        let table = noise_table(n, l, seed);
        let samples = Samples::new(&table, n, l).unwrap();
        let (iterations, eps) = (15, 1e-6); // as small as the N x N systems stand
        let fast = Rrss { gamma: Gamma::Absolute(gamma), max_iterations: iterations, tolerance: 0.0, eps, ..Rrss::default() };
        let mut run = RunOptions { all_scores: true, block, ..RunOptions::default() };
        let found = fast.select_with(&samples, 1, &mut run).unwrap();
        for system in [RrssSystem::NByN, RrssSystem::LByL] {
            let a = RrssReference { gamma, iterations, eps, system }.solve(&samples);
            let (sums, norms) = row_sums_and_norms(&a, n);
            prop_assert!(relative_error(found.row_norms.as_ref().unwrap(), &norms) < 1e-8, "{system:?}");
            prop_assert!(relative_error(found.all_scores.as_ref().unwrap(), &sums) < 1e-8, "{system:?}");
        }
    }

    #[test]
    fn ted((n, l) in shapes(), seed in 0u64..1000, alpha in 0.01f64..5.0, weighted: bool, block in 0usize..9) {
        let table = noise_table(n, l, seed);
        let samples = Samples::new(&table, n, l).unwrap();
        let weights = weighted.then(|| (0..n).map(|i| 0.2 + (i % 5) as f64).collect::<Vec<_>>());
        // Beyond the rank the gains are rounding.
        let k = n.min(l);
        let literal = TedReference { alpha, exclude_picked: true }.picks(&samples, k, weights.as_deref());
        let mut run = RunOptions { block, ..RunOptions::default() };
        let found = Ted { alpha, weights, ..Ted::default() }.select_with(&samples, k, &mut run).unwrap();
        prop_assert_eq!(found.indices, literal);
    }

    #[test]
    fn early_rejection_keeps_the_ranking(seed in 0u64..1000, k in 1usize..50, p in prop::sample::select(vec![0.5, 1.0])) {
        let table = common::clusters(700, 6, seed);
        let samples = Samples::new(&table, 700, 6).unwrap();
        let settings = Arss { p, max_iterations: 40, ..Arss::default() };
        let some = settings.select(&samples, k).unwrap();
        let all = settings.select_with(&samples, k, &mut RunOptions { all_scores: true, ..RunOptions::default() }).unwrap();
        prop_assert_eq!(some.indices, all.indices);
        prop_assert_eq!(all.report.rows_scored, 700);
    }
}

/// TED's objective is what a ridge regression on the picks leaves.
#[test]
fn ted_objective_is_the_ridge_regression() {
    use faer::prelude::*;
    let (n, l, k, alpha) = (40, 6, 4, 0.3);
    let table = noise_table(n, l, 5);
    let found = Ted { alpha, ..Ted::default() }.select(&Samples::new(&table, n, l).unwrap(), k).unwrap();
    let x = faer::Mat::from_fn(l, n, |j, i| table[i * l + j]);
    let q = faer::Mat::from_fn(l, k, |j, i| table[found.indices[i] * l + j]);
    let ridge = q.transpose() * &q + faer::Mat::<f64>::identity(k, k) * faer::Scale(alpha);
    let a = ridge.partial_piv_lu().solve(q.transpose() * &x);
    let objective = (&x - &q * &a).squared_norm_l2() + alpha * a.squared_norm_l2();
    assert!((found.report.objective / objective - 1.0).abs() < 1e-10);
}

/// The authors' code may pick a sample twice; ours never does.
#[test]
fn ted_without_exclusion_repeats_itself() {
    let table = noise_table(60, 5, 1);
    let samples = Samples::new(&table, 60, 5).unwrap();
    let distinct = |mut picks: Vec<usize>| {
        picks.sort_unstable();
        picks.dedup();
        picks.len()
    };
    assert!(distinct(TedReference { alpha: 0.1, exclude_picked: false }.picks(&samples, 30, None)) < 30);
    assert_eq!(distinct(Ted::default().select(&samples, 30).unwrap().indices), 30);
}

/// Real tables: columns of very different size, one constant, one nearly the mean of three others. Sums of squares do not tell
/// such columns apart any more.
#[test]
fn the_preset_on_columns_that_add_up() {
    let (n, l) = (250, 7);
    let mut table = common::clusters(n, l, 3);
    for row in table.chunks_exact_mut(l) {
        (row[0], row[1], row[2]) = (70.0 * row[0] + 100.0, 50.0 * row[1], 40.0 * row[2]);
        row[3] = ((row[0] + row[1] + row[2]) / 3.0 * 1e5).round() / 1e5;
        (row[4], row[5]) = (9.0, 0.02 * row[5]);
    }
    let samples = Samples::new(&table, n, l).unwrap();
    let mut run = RunOptions { all_scores: true, ..RunOptions::default() };
    let found = Arss { sparse_rows: None, ..Arss::paper() }.select_with(&samples, 20, &mut run).unwrap();
    let (p, gamma, mu, rho, mu_max, eps) = (0.5, 0.1, 1e-3, 1.1, 1e4, f64::EPSILON);
    let (iterations, root, update) = (100, RootSteps::Fixed(2), Some(UpdateA::LByL));
    let literal = ArssReference { p, gamma, mu, rho, mu_max, iterations, eps, root, update };
    let (sums, _) = row_sums_and_norms(&literal.solve(&samples), n);
    let error = relative_error(found.all_scores.as_ref().unwrap(), &sums);
    assert!(error < 1e-5, "{error}");
}
