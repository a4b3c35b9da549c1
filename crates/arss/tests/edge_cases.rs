//! Shapes, layouts and values at the edge, and what the caller may ask for.

mod common;

use std::ops::ControlFlow;

use arss::{
    Arss, Error, Exemplars, FacilityLocation, Gamma, KMeans, KMedoids, Method, Note, Penalty, Progress, Random, Rrqr,
    Rrss, RunOptions, Samples, Selector, Status, Ted,
};
use common::{cast, clusters, noise_table, relative_error};

fn methods() -> Vec<Method> {
    vec![
        Method::Exemplars(Exemplars::default()),
        Method::Facility(FacilityLocation::default()),
        Method::Arss(Arss::default()),
        Method::Arss(Arss { p: 1.0, ..Arss::default() }),
        Method::Arss(Arss::paper()),
        Method::Rrss(Rrss::default()),
        Method::Ted(Ted::default()),
        Method::KMeans(KMeans::default()),
        Method::KMedoids(KMedoids::default()),
        Method::Rrqr(Rrqr::default()),
        Method::Random(Random::default()),
    ]
}

/// Runs a method and checks what every result must satisfy.
fn picks(method: &Method, samples: &Samples<'_, f64>, k: usize) -> Vec<usize> {
    let mut run = RunOptions { all_scores: true, keep_solution: true, ..RunOptions::default() };
    let found = method.select(samples, k, &mut run).unwrap();
    let mut distinct = found.indices.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), k, "{}", method.name());
    assert!(distinct[k - 1] < samples.items());
    assert_eq!((found.scores.len(), found.residuals.len()), (k, samples.items()));
    assert!(found.scores.iter().chain(&found.residuals).all(|v| v.is_finite()), "{method:?}");
    assert!(found.scores.is_sorted_by(|a, b| a >= b), "{}: {:?}", method.name(), found.scores);
    let all = found.all_scores.unwrap();
    assert!(found.indices.iter().zip(&found.scores).all(|(&i, &score)| all[i] == score));
    assert!(found.row_norms.iter().flatten().all(|v| v.is_finite()));
    assert_eq!(found.method, method.name());
    found.indices
}

#[test]
fn small_and_degenerate_tables() {
    let tables: Vec<(&str, Vec<f64>, usize, usize)> = vec![
        ("one value", vec![3.0], 1, 1),
        ("one row", vec![3.0, 0.0, -1.0], 1, 3),
        ("one column", vec![3.0, 0.0, -1.0, 2.0], 4, 1),
        ("square", clusters(8, 8, 1), 8, 8),
        ("constant columns", [1.0, 5.0, 0.0, 2.0, 5.0, 0.0, -1.0, 5.0, 0.0, 4.0, 5.0, 0.0].to_vec(), 4, 3),
        ("equal rows", [1.0, 2.0].repeat(6), 6, 2),
        ("duplicate rows", [1.0, 2.0, 0.0, 1.0, 1.0, 2.0, 0.0, 1.0, 2.0, 0.0].to_vec(), 5, 2),
        ("some zero rows", [0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 3.0, -1.0, 0.5, 0.5].to_vec(), 5, 2),
        ("negative zero", [-0.0, 1.0, 1.0, -0.0].to_vec(), 2, 2),
    ];
    for (name, table, n, l) in &tables {
        for method in methods() {
            let samples = Samples::new(table, *n, *l).unwrap();
            for k in [1, *n] {
                println!("{name}: {} k = {k}", method.name());
                picks(&method, &samples, k);
                picks(&method, &samples.transposed(), k.min(*l));
            }
        }
    }
}

#[test]
fn huge_and_tiny_values_pick_the_same_rows() {
    let table = clusters(60, 5, 2);
    for method in methods() {
        let scale_free = match method {
            Method::Ted(_) => false,
            Method::Arss(settings) => settings.gamma != Gamma::Absolute(0.1),
            _ => true,
        };
        let expected = picks(&method, &Samples::new(&table, 60, 5).unwrap(), 4);
        for size in [498, -498, 990, -990].map(|power| 2f64.powi(power)) {
            let scaled: Vec<f64> = table.iter().map(|x| x * size).collect();
            let found = picks(&method, &Samples::new(&scaled, 60, 5).unwrap(), 4);
            assert!(!scale_free || found == expected, "{} at {size}: {found:?} {expected:?}", method.name());
        }
    }
}

#[test]
fn scaled_data_reports_in_its_own_units() {
    let table = clusters(80, 6, 3);
    let size = 2f64.powi(140);
    let scaled: Vec<f64> = table.iter().map(|x| x * size).collect();
    for p in [0.5, 1.0] {
        let settings = Arss { p, ..Arss::default() };
        let plain = settings.select(&Samples::new(&table, 80, 6).unwrap(), 5).unwrap();
        let large = settings.select(&Samples::new(&scaled, 80, 6).unwrap(), 5).unwrap();
        assert_eq!(plain.indices, large.indices);
        let unit = size.powf(p);
        assert!((large.report.objective / unit / plain.report.objective - 1.0).abs() < 1e-9);
        assert!((large.report.gamma.unwrap() / unit / plain.report.gamma.unwrap() - 1.0).abs() < 1e-9);
        let residuals: Vec<f64> = large.residuals.iter().map(|r| r / size).collect();
        assert!(relative_error(&residuals, &plain.residuals) < 1e-9);
    }
}

#[test]
fn any_layout_gives_the_same_answer() {
    let (n, l) = (50, 4);
    let table = clusters(n, l, 4);
    let columns: Vec<f64> = (0..l).flat_map(|j| (0..n).map(move |i| (i, j))).map(|(i, j)| table[i * l + j]).collect();
    // Every third row and every second column of a larger table.
    let mut sparse = vec![9.0; 3 * n * 2 * l];
    (0..n * l).for_each(|i| sparse[i / l * 3 * 2 * l + i % l * 2] = table[i]);
    let rows = Samples::new(&table, n, l).unwrap();
    let views = [
        rows,
        Samples::strided(&columns, n, l, 1, n).unwrap(),
        Samples::strided(&sparse, n, l, 6 * l, 2).unwrap(),
        rows.transposed().transposed(),
    ];
    for method in methods() {
        let found: Vec<_> = views.iter().map(|view| picks(&method, view, 6)).collect();
        assert!(found.iter().all(|other| other == &found[0]), "{} {found:?}", method.name());
        let features: Vec<_> = views.iter().map(|view| picks(&method, &view.transposed(), 2)).collect();
        assert!(features.iter().all(|other| other == &features[0]), "{} {features:?}", method.name());
    }
}

#[test]
fn features_are_the_items_of_the_transposed_table() {
    let (n, l) = (300, 7);
    let table = clusters(n, l, 5);
    let copied: Vec<f64> = (0..l).flat_map(|j| (0..n).map(move |i| (i, j))).map(|(i, j)| table[i * l + j]).collect();
    for method in methods() {
        let view = picks(&method, &Samples::new(&table, n, l).unwrap().transposed(), 3);
        assert_eq!(view, picks(&method, &Samples::new(&copied, l, n).unwrap(), 3), "{}", method.name());
    }
}

#[test]
fn single_precision_agrees_with_double() {
    let (n, l) = (600, 12);
    let table = clusters(n, l, 6);
    let short: Vec<f32> = cast(&table);
    let long: Vec<f64> = short.iter().map(|&x| f64::from(x)).collect();
    for method in methods() {
        let a = method.select(&Samples::new(&short, n, l).unwrap(), 12, &mut RunOptions::default()).unwrap();
        let b = method.select(&Samples::new(&long, n, l).unwrap(), 12, &mut RunOptions::default()).unwrap();
        let shared = a.indices.iter().filter(|i| b.indices.contains(i)).count();
        assert!(shared >= 11, "{}: {:?} {:?}", method.name(), a.indices, b.indices);
    }
}

#[test]
fn bits_do_not_depend_on_threads_and_picks_not_on_blocks() {
    let (n, l) = (3000, 9);
    let table = clusters(n, l, 7);
    let samples = Samples::new(&table, n, l).unwrap();
    for method in methods() {
        let run = |threads, block| {
            let mut run = RunOptions { threads, block, all_scores: true, ..RunOptions::default() };
            method.select(&samples, 25, &mut run).unwrap()
        };
        let one = run(1, 64);
        for threads in [2, 8] {
            let many = run(threads, 64);
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(one.indices, many.indices);
            assert_eq!(bits(one.all_scores.as_ref().unwrap()), bits(many.all_scores.as_ref().unwrap()));
            assert_eq!(bits(&one.residuals), bits(&many.residuals));
            assert_eq!(one.report.objective.to_bits(), many.report.objective.to_bits());
        }
        for block in [0, 1, 33, 5000] {
            assert_eq!(one.indices, run(2, block).indices, "{} block {block}", method.name());
        }
    }
}

#[test]
fn the_callback_sees_each_iteration_and_can_stop() {
    let (n, l) = (400, 8);
    let table = clusters(n, l, 8);
    let samples = Samples::new(&table, n, l).unwrap();
    for method in methods().into_iter().filter(|method| method.name() != "random") {
        let mut seen: Vec<Progress> = Vec::new();
        let mut watch = |progress: &Progress| {
            seen.push(*progress);
            if seen.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut run = RunOptions { progress: Some(&mut watch), ..RunOptions::default() };
        let found = method.select(&samples, 9, &mut run).unwrap();
        assert_eq!((found.report.status, found.indices.len()), (Status::Stopped, 9), "{}", method.name());
        if method.assigns() {
            // They prepare rows by the block.
            assert_eq!(seen[0].phase, "prepare", "{}", method.name());
        } else {
            assert_eq!((seen[0].iteration, seen[1].iteration), (1, 2), "{}", method.name());
        }
    }
}

#[test]
fn notes_tell_what_a_caller_should_know() {
    let table = clusters(50, 4, 9);
    let samples = Samples::new(&table, 50, 4).unwrap();
    let saturated = Note::Saturated { k: 6, rank: 4 };
    for method in [Method::Arss(Arss::default()), Method::Rrss(Rrss::default()), Method::Ted(Ted::default())] {
        assert!(method.select(&samples, 6, &mut RunOptions::default()).unwrap().report.notes.contains(&saturated));
        assert!(!method.select(&samples, 4, &mut RunOptions::default()).unwrap().report.notes.contains(&saturated));
    }
    // Two equal columns: the rank is three, not four.
    let twins: Vec<f64> = table.chunks_exact(4).flat_map(|row| [row[0], row[1], row[2], row[2]]).collect();
    let found = Arss::default().select(&Samples::new(&twins, 50, 4).unwrap(), 4).unwrap();
    assert!(found.report.notes.contains(&Note::Saturated { k: 4, rank: 3 }));
    // The authors' settings leave the loss without effect on such data.
    assert!(Arss::paper().select(&samples, 3).unwrap().report.notes.contains(&Note::LossNeverActed));
    assert!(!Arss::default().select(&samples, 3).unwrap().report.notes.contains(&Note::LossNeverActed));
}

#[test]
fn sparse_rows_score_zero_in_the_authors_preset() {
    // Far more features than items: every item represents itself, so every row of A is sparse.
    let table = noise_table(6, 60, 10);
    let samples = Samples::new(&table, 6, 60).unwrap();
    let mut run = RunOptions { all_scores: true, ..RunOptions::default() };
    let paper = Arss::paper().select_with(&samples, 2, &mut run).unwrap();
    assert!(paper.all_scores.unwrap().iter().all(|&score| score == 0.0));
    let plain = Arss { sparse_rows: None, ..Arss::paper() }.select_with(&samples, 2, &mut run).unwrap();
    assert!(plain.all_scores.unwrap().iter().all(|&score| score > 0.5));
}

/// Rows of zeros are rows that are alike to every method that looks at distances.
#[test]
fn rows_of_zeros_are_alike() {
    let (zeros, ones) = ([0.0; 40], [1.0; 40]);
    for method in methods().into_iter().filter(|method| !method.needs_lengths()) {
        for k in [1, 3, 20] {
            let select = |table: &[f64]| {
                let samples = Samples::new(table, 20, 2).unwrap();
                method.select(&samples, k, &mut RunOptions::default()).unwrap()
            };
            let (found, other) = (select(&zeros), select(&ones));
            assert_eq!((&found.indices, found.indices.len()), (&other.indices, k), "{}", method.name());
            assert!(found.scores.iter().chain(&found.residuals).all(|value| value.is_finite()), "{}", method.name());
        }
    }
}

#[test]
fn bad_input_is_an_error_with_its_values() {
    let good = [1.0, 2.0, 3.0, 4.0];
    let samples = Samples::new(&good, 2, 2).unwrap();
    assert!(matches!(Samples::new(&[1.0, f64::INFINITY], 1, 2), Err(Error::NotFinite { row: 0, column: 1, .. })));
    assert!(matches!(Samples::<f64>::new(&[], 0, 3), Err(Error::Empty { rows: 0, columns: 3 })));
    assert!(matches!(Samples::new(&good, 3, 2), Err(Error::Shape { needed: 6, found: 4, .. })));
    assert!(matches!(Samples::strided(&good, 2, 2, usize::MAX, 1), Err(Error::Shape { .. })));
    assert!(matches!(Samples::new(&good, usize::MAX, 2), Err(Error::Shape { .. })));
    for method in methods() {
        let select = |samples: &Samples<'_, f64>, k| method.select(samples, k, &mut RunOptions::default());
        assert_eq!(select(&samples, 0).unwrap_err(), Error::BadK { k: 0, items: 2 });
        assert_eq!(select(&samples, 3).unwrap_err(), Error::BadK { k: 3, items: 2 });
        let zeros = Samples::new(&[0.0; 6], 3, 2).unwrap();
        if method.needs_lengths() {
            assert_eq!(select(&zeros, 1).unwrap_err(), Error::AllZero { rows: 3, columns: 2 });
        }
    }
    let bad =
        |name: &str, error: Error| assert!(matches!(error, Error::BadSetting { name: n, .. } if n == name), "{error}");
    let arss = Arss::default();
    for p in [0.0, -1.0, 1.1, f64::NAN] {
        bad("p", Arss { p, ..arss }.select(&samples, 1).unwrap_err());
    }
    for gamma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        bad("gamma", Arss { gamma: Gamma::Absolute(gamma), ..arss }.select(&samples, 1).unwrap_err());
        bad("gamma ratio", Rrss { gamma: Gamma::Ratio(gamma), ..Rrss::default() }.select(&samples, 1).unwrap_err());
    }
    let growing = |mu, rho, max| Arss { penalty: Penalty::Growing { mu, rho, max }, ..arss }.select(&samples, 1);
    bad("rho", growing(1.0, 0.99, 2.0).unwrap_err());
    bad("mu", growing(0.0, 1.1, 2.0).unwrap_err());
    bad("mu max", growing(1.0, 1.1, 0.5).unwrap_err());
    bad("iterations", Arss { max_iterations: 0, ..arss }.select(&samples, 1).unwrap_err());
    bad("tolerance", Arss { tolerance: -1.0, ..arss }.select(&samples, 1).unwrap_err());
    bad("eps", Arss { eps: 0.0, ..arss }.select(&samples, 1).unwrap_err());
    bad("alpha", Ted { alpha: 0.0, ..Ted::default() }.select(&samples, 1).unwrap_err());
    let weights = |weights: &[f64]| Ted { weights: Some(weights.to_vec()), ..Ted::default() }.select(&samples, 1);
    assert_eq!(weights(&[1.0]).unwrap_err(), Error::WeightCount { found: 1, expected: 2 });
    assert_eq!(weights(&[1.0, -2.0]).unwrap_err(), Error::BadWeight { index: 1, value: -2.0 });
    assert_eq!(weights(&[0.0, 0.0]).unwrap_err(), Error::BadWeight { index: 0, value: 0.0 });
}
