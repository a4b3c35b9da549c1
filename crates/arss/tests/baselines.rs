//! The baselines against slow references, and at the edges.

use std::ops::ControlFlow;

use arss::{
    Error, Float, KMeans, KMedoids, Method, Note, Progress, Random, Rrqr, RunOptions, Samples, Selection, Selector,
    Status,
};

/// Pseudo-random values in [-1, 1): a fixed generator, independent of the library's.
fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Well separated groups of points; item i is in group i % groups.
fn groups(items: usize, features: usize, groups: usize, seed: u64) -> Vec<f64> {
    let centres = noise(groups * features, seed);
    let spread = noise(items * features, seed + 1);
    let centre = |at: usize| centres[at / features % groups * features + at % features];
    (0..items * features).map(|at| 50.0 * centre(at) + spread[at]).collect()
}

/// Whether there is one pick of each of the groups.
fn one_of_each(selection: &Selection, groups: usize) -> bool {
    (0..groups).all(|group| selection.indices.iter().filter(|&i| i % groups == group).count() == 1)
}

fn all_methods() -> Vec<Method> {
    vec![
        Method::KMeans(KMeans::default()),
        Method::KMedoids(KMedoids::default()),
        Method::KMedoids(KMedoids { exact_limit: 0, samples: 2, ..KMedoids::default() }),
        Method::Rrqr(Rrqr::default()),
        Method::Random(Random::default()),
    ]
}

fn select<T: Float>(method: &Method, table: &[T], items: usize, k: usize) -> Selection {
    let samples = Samples::new(table, items, table.len() / items).unwrap();
    method.select(&samples, k, &mut RunOptions { all_scores: true, ..RunOptions::default() }).unwrap()
}

/// Distance of each item to the nearest pick.
fn nearest_distances(table: &[f64], items: usize, picks: &[usize]) -> Vec<f64> {
    let rows: Vec<&[f64]> = table.chunks(table.len() / items).collect();
    let squared = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
    let nearest = |row: &&[f64]| picks.iter().map(|&pick| squared(row, rows[pick])).fold(f64::INFINITY, f64::min);
    rows.iter().map(nearest).map(f64::sqrt).collect()
}

/// What holds for every selection.
fn check(selection: &Selection, items: usize, k: usize) {
    let name = selection.method;
    let mut sorted = selection.indices.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), k, "{name}: distinct picks");
    assert!(sorted[k - 1] < items);
    assert!(selection.scores.windows(2).all(|pair| pair[0] >= pair[1]), "{name}: {:?}", selection.scores);
    let all = selection.all_scores.as_ref().unwrap();
    assert_eq!((all.len(), selection.residuals.len()), (items, items));
    assert!(selection.indices.iter().zip(&selection.scores).all(|(&i, &score)| all[i] == score));
    let last = selection.scores[k - 1];
    assert!(
        (0..items).all(|i| sorted.binary_search(&i).is_ok() || all[i] <= last),
        "{name}: an unpicked item is above"
    );
    assert!(selection.residuals.iter().chain(all).all(|value| value.is_finite() && *value >= 0.0), "{name}");
    assert!(name == "random" || selection.report.objective.is_finite());
    let stopped = selection.report.status == Status::Stopped;
    let covered = |&i: &usize| selection.residuals[i] == 0.0 || (name == "rrqr" && stopped);
    assert!(selection.indices.iter().all(covered), "{name}: a pick has a residual");
}

#[test]
fn awkward_tables() {
    let tables: [(&str, Vec<f64>, usize); 7] = [
        ("one value", vec![2.0], 1),
        ("one item", noise(5, 1), 1),
        ("one feature", noise(9, 2), 9),
        ("all equal", vec![3.5; 24], 8),
        ("two distinct rows", [1.0, 0.0, 0.0, 1.0].repeat(5), 10),
        ("zero rows", [vec![0.0; 12], noise(6, 3)].concat(), 9),
        ("wide", noise(4 * 300, 4), 4),
    ];
    for (name, table, items) in &tables {
        for method in all_methods() {
            for k in 1..=*items {
                println!("{name}, {method:?}, k = {k}");
                check(&select(&method, table, *items, k), *items, k);
            }
        }
    }
}

#[test]
fn neither_threads_nor_blocks_change_the_picks() {
    for (items, features) in [(700, 5), (300, 40)] {
        let table = noise(items * features, 11);
        let samples = Samples::new(&table, items, features).unwrap();
        for method in all_methods() {
            let run = |threads, block| {
                let mut run = RunOptions { threads, block, all_scores: true, ..RunOptions::default() };
                method.select(&samples, 12, &mut run).unwrap()
            };
            for block in [0, 50] {
                let one = run(1, block);
                for threads in [2, 8] {
                    let many = run(threads, block);
                    assert_eq!(one.indices, many.indices);
                    assert_eq!(one.all_scores, many.all_scores);
                    assert_eq!(one.residuals, many.residuals);
                    assert_eq!(one.report.objective.to_bits(), many.report.objective.to_bits());
                }
            }
            for block in [1, 7, 64, 5000] {
                assert_eq!(run(1, 0).indices, run(2, block).indices, "{method:?}, block {block}");
            }
        }
    }
}

#[test]
fn layouts_and_types_agree() {
    let (items, features) = (90, 6);
    let table = groups(items, features, 7, 5);
    let columns: Vec<f64> = (0..items * features).map(|at| table[at % items * features + at / items]).collect();
    let single: Vec<f32> = table.iter().map(|&x| x as f32).collect();
    for method in all_methods() {
        let k = if method.name() == "rrqr" { 5 } else { 7 };
        let plain = select(&method, &table, items, k);
        let view = Samples::new(&columns, features, items).unwrap().transposed();
        let turned = method.select(&view, k, &mut RunOptions::default()).unwrap();
        assert_eq!(plain.indices, turned.indices);
        assert_eq!(plain.residuals, turned.residuals);
        let short = select(&method, &single, items, k);
        assert_eq!(plain.indices, short.indices, "{method:?}");
        assert!(plain.residuals.iter().zip(&short.residuals).all(|(a, b)| (a - b).abs() < 1e-3));
    }
}

#[test]
fn the_scale_of_the_data_does_not_matter() {
    let (items, features) = (60, 4);
    let table = noise(items * features, 21);
    for method in all_methods() {
        let plain = select(&method, &table, items, 3);
        for exponent in [500, -500] {
            let factor = f64::from(exponent).exp2();
            let scaled: Vec<f64> = table.iter().map(|x| x * factor).collect();
            let extreme = select(&method, &scaled, items, 3);
            assert_eq!(plain.indices, extreme.indices, "{method:?}");
            let same = |a: f64, b: f64| (a * factor - b).abs() <= 1e-6 * b;
            assert!(plain.residuals.iter().zip(&extreme.residuals).all(|(&a, &b)| same(a, b)), "{method:?}");
        }
    }
}

#[test]
fn an_offset_does_not_spoil_single_precision() {
    let (items, features) = (200, 5);
    let table = groups(items, features, 8, 31);
    let shifted: Vec<f32> = table.iter().map(|&x| (x + 3e4) as f32).collect();
    for method in [Method::KMeans(KMeans::default()), Method::KMedoids(KMedoids::default())] {
        let selection = select(&method, &shifted, items, 8);
        assert!(one_of_each(&selection, 8), "{method:?}");
        assert_eq!(selection.scores, [25.0; 8]);
    }
}

#[test]
fn separated_groups_get_one_pick_each() {
    for (items, features, count) in [(120, 2, 5), (400, 10, 12), (64, 6, 16)] {
        let table = groups(items, features, count, 77);
        for method in &all_methods()[..3] {
            assert!(one_of_each(&select(method, &table, items, count), count), "{method:?}");
        }
    }
}

#[test]
fn residuals_are_distances_to_the_nearest_pick() {
    let (items, features) = (150, 9);
    let table = noise(items * features, 41);
    for method in all_methods().iter().filter(|method| method.name() != "rrqr") {
        for k in [1, 4, 149] {
            let selection = select(method, &table, items, k);
            let expected = nearest_distances(&table, items, &selection.indices);
            assert!(selection.residuals.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
            if method.name() == "kmedoids" {
                assert!((selection.report.objective - expected.iter().sum::<f64>()).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn seeds_change_the_choice_and_repeat_it() {
    let table = noise(500 * 3, 51);
    let picks = |seed| {
        [
            Method::Random(Random { seed }),
            Method::KMeans(KMeans { seed, ..KMeans::default() }),
            Method::KMedoids(KMedoids { seed, max_iterations: 1, ..KMedoids::default() }),
        ]
        .map(|method| select(&method, &table, 500, 9).indices)
    };
    assert_eq!(picks(1), picks(1));
    assert!(picks(1).iter().zip(picks(2)).all(|(a, b)| *a != b));
}

/// Least sum of distances over all sets of `k` items.
fn best_medoids(table: &[f64], items: usize, k: usize) -> f64 {
    let sets = (0u32..1 << items).filter(|set| set.count_ones() as usize == k);
    let cost = |set: u32| {
        let picks: Vec<usize> = (0..items).filter(|i| set >> i & 1 == 1).collect();
        nearest_distances(table, items, &picks).iter().sum::<f64>()
    };
    sets.map(cost).fold(f64::INFINITY, f64::min)
}

#[test]
fn kmedoids_is_near_the_best_of_all_sets() {
    let (mut optimal, mut runs) = (0, 0);
    for seed in 0..12 {
        for k in 1..=4 {
            let table = noise(11 * 2, seed);
            let best = best_medoids(&table, 11, k);
            let found = select(&Method::KMedoids(KMedoids { seed, ..KMedoids::default() }), &table, 11, k);
            let objective = found.report.objective;
            assert_eq!(found.report.status, Status::Converged);
            assert!(objective >= best - 1e-12);
            assert!(objective <= 1.35 * best, "seed {seed}, k {k}");
            assert!(k > 1 || objective <= best + 1e-12); // one medoid: always the best
            (optimal, runs) = (optimal + usize::from(objective <= best + 1e-9), runs + 1);
        }
    }
    assert!(optimal * 4 >= runs * 3, "{optimal} of {runs} optimal");
}

#[test]
fn no_single_swap_improves_the_medoids() {
    let (items, k) = (60, 5);
    let table = noise(items * 3, 61);
    let found = select(&Method::KMedoids(KMedoids::default()), &table, items, k);
    for slot in 0..k {
        for other in 0..items {
            let mut picks = found.indices.clone();
            picks[slot] = other;
            let cost: f64 = nearest_distances(&table, items, &picks).iter().sum();
            assert!(cost >= found.report.objective * (1.0 - 1e-9));
        }
    }
}

#[test]
fn kmedoids_beats_the_other_picks() {
    let (items, k) = (800, 20);
    let table = noise(items * 6, 71);
    let cost = |method| select(&method, &table, items, k).residuals.iter().sum::<f64>();
    let medoids = cost(Method::KMedoids(KMedoids::default()));
    assert!(medoids <= cost(Method::KMeans(KMeans::default())));
    assert!(medoids <= cost(Method::Random(Random::default())));
    let sampled = KMedoids { exact_limit: 100, ..KMedoids::default() };
    assert!(cost(Method::KMedoids(sampled)) <= 1.01 * medoids);
}

#[test]
fn large_tables_are_sampled() {
    let (items, k) = (7000, 6);
    let table = groups(items, 3, k, 81);
    let found = select(&Method::KMedoids(KMedoids::default()), &table, items, k);
    check(&found, items, k);
    assert_eq!(found.report.notes, [Note::Sampled { rows: 3000 }]);
    assert_eq!(found.report.history.len(), 5);
    let exact = KMedoids { exact_limit: items, ..KMedoids::default() };
    let exact = select(&Method::KMedoids(exact), &table, items, k);
    assert!(exact.report.notes.is_empty());
    assert!(exact.report.objective <= found.report.objective);
    assert!(found.report.objective <= 1.02 * exact.report.objective);
}

#[test]
fn pivots_are_those_of_faer() {
    for (items, features, k) in [(40, 12, 12), (12, 40, 12), (25, 25, 25), (500, 8, 8)] {
        for seed in 0..5 {
            let table = noise(items * features, 100 + seed);
            let qr = faer::MatRef::from_row_major_slice(&table, items, features).transpose().col_piv_qr();
            let expected = &qr.P().arrays().0[..k];
            let found = select(&Method::Rrqr(Rrqr::default()), &table, items, k);
            assert_eq!(found.indices, expected);
            assert!(found.report.notes.is_empty());
            for (step, score) in found.scores.iter().enumerate() {
                assert!((score - qr.R()[(step, step)].abs()).abs() < 1e-10);
            }
        }
    }
}

#[test]
fn rrqr_residuals_are_distances_from_the_span() {
    let (items, features, k) = (50, 10, 4);
    let table = noise(items * features, 201);
    let found = select(&Method::Rrqr(Rrqr::default()), &table, items, k);
    let columns = faer::Mat::from_fn(features, k, |j, pick| table[found.indices[pick] * features + j]);
    let q = columns.qr().compute_thin_Q();
    let mut objective = 0.0;
    for item in 0..items {
        let x = faer::Mat::from_fn(features, 1, |j, _| table[item * features + j]);
        let rest = (&x - &q * (q.transpose() * &x)).norm_l2();
        assert!((found.residuals[item] - rest).abs() < 1e-7, "{item}");
        objective += rest * rest;
    }
    assert!((found.report.objective - objective).abs() < 1e-9);
}

#[test]
fn rrqr_survives_cancellation() {
    // All items share a huge part; what differs is 1e-7 of it, 1e-14 of its square.
    let (items, features) = (30, 8);
    let table: Vec<f64> = noise(items * features, 211).iter().map(|x| 1.0 + 1e-7 * x).collect();
    let found = select(&Method::Rrqr(Rrqr::default()), &table, items, features);
    // From Gram-Schmidt in rational arithmetic; faer 0.24 takes 5 (1.1002e-7) for 0 (1.1108e-7) at the end.
    assert_eq!(found.indices, [16, 18, 23, 1, 12, 25, 2, 0]);
    assert!((found.scores[7] / 1.110800470117042e-7 - 1.0).abs() < 1e-6);
    assert!(found.report.notes.is_empty());
}

#[test]
fn rrqr_starts_a_new_layer_when_the_rank_is_used_up() {
    let (items, features, rank) = (40, 9, 3);
    let (left, right) = (noise(items * rank, 221), noise(rank * features, 222));
    let product = |i: usize, j: usize| (0..rank).map(|r| left[i * rank + r] * right[r * features + j]).sum::<f64>();
    let table: Vec<f64> = (0..items * features).map(|at| product(at / features, at % features)).collect();
    let single: Vec<f32> = table.iter().map(|&x| x as f32).collect();
    let method = Method::Rrqr(Rrqr::default());
    for k in [4, 11, 40] {
        let found = select(&method, &table, items, k);
        check(&found, items, k);
        assert_eq!(found.report.notes, [Note::Saturated { k, rank }]);
        assert!(found.residuals.iter().all(|&residual| residual == 0.0));
        assert_eq!(found.indices[..3], select(&method, &table, items, 3).indices);
        let found = select(&method, &single, items, k);
        check(&found, items, k);
        assert_eq!(found.report.notes, [Note::Saturated { k, rank }]);
    }
}

#[test]
fn rrqr_ranks_duplicates_and_zero_rows_last() {
    let table = [0.0, 0.0, 2.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let found = select(&Method::Rrqr(Rrqr::default()), &table, 5, 5);
    assert_eq!(found.indices, [1, 3, 2, 0, 4]);
    assert_eq!(found.report.notes, [Note::Saturated { k: 5, rank: 2 }]);
    let nothing = Rrqr::default().select(&Samples::new(&[0.0; 6], 3, 2).unwrap(), 1);
    assert_eq!(nothing, Err(Error::AllZero { rows: 3, columns: 2 }));
}

#[test]
fn a_stopped_run_still_has_k_picks() {
    let (items, k) = (300, 10);
    let table = noise(items * 16, 91);
    let samples = Samples::new(&table, items, 16).unwrap();
    for method in all_methods().iter().filter(|method| method.name() != "random") {
        for last in [1, 5, 9, 10, 11, 13] {
            let mut calls = 0;
            let mut stop = |_: &Progress| {
                calls += 1;
                if calls == last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut run = RunOptions { all_scores: true, progress: Some(&mut stop), ..RunOptions::default() };
            let selection = method.select(&samples, k, &mut run).unwrap();
            check(&selection, items, k);
            if method.name() != "rrqr" || last <= k {
                assert_eq!((selection.report.status, calls), (Status::Stopped, last), "{method:?}");
            }
        }
    }
}

#[test]
fn bad_settings_are_refused() {
    let samples = Samples::new(&[1.0, 2.0, 3.0], 3, 1).unwrap();
    for method in all_methods() {
        for k in [0, 4] {
            let refused = method.select(&samples, k, &mut RunOptions::default());
            assert_eq!(refused, Err(Error::BadK { k, items: 3 }));
        }
    }
    let name = |refused: Result<Selection, Error>| match refused {
        Err(Error::BadSetting { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(KMeans { tolerance: -1.0, ..KMeans::default() }.select(&samples, 1)), "tolerance");
    assert_eq!(name(KMeans { tolerance: f64::NAN, ..KMeans::default() }.select(&samples, 1)), "tolerance");
    assert_eq!(name(KMedoids { max_iterations: 0, ..KMedoids::default() }.select(&samples, 1)), "max_iterations");
    assert_eq!(name(KMedoids { samples: 0, ..KMedoids::default() }.select(&samples, 1)), "samples");
}
