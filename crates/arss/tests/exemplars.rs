//! Exemplars on planted data, under constraints, and at the edges. The pieces are compared with slow
//! references beside the code.

mod common;

use std::ops::ControlFlow;

use arss::{
    Count, Error, Exemplars, Groups, Method, Note, Progress, Quotas, RunOptions, Samples, Selection, Selector, Status,
};
use common::{Noise, cast, noise_table};

/// Rows in `groups` tight groups on a ring; the last `wild` rows are scattered far around.
fn planted(n: usize, l: usize, groups: usize, wild: usize, seed: u64) -> Vec<f64> {
    let mut noise = Noise::new(seed);
    let centres: Vec<f64> = (0..groups * l).map(|_| 3.0 * noise.normal()).collect();
    let mut table = Vec::with_capacity(n * l);
    for row in 0..n {
        for j in 0..l {
            let clean = centres[row % groups * l + j] + 0.5 * noise.normal();
            table.push(if row >= n - wild { 10.0 * noise.normal() } else { clean });
        }
    }
    table
}

fn select(settings: &Exemplars, table: &[f64], n: usize, k: usize) -> Selection {
    let found = settings.select(&Samples::new(table, n, table.len() / n).unwrap(), k).unwrap();
    let mut distinct = found.indices.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), k);
    assert!(found.residuals.iter().chain(&found.scores).all(|v| v.is_finite() && *v >= 0.0));
    found
}

fn gated(found: &Selection) -> usize {
    found.residuals.iter().filter(|&&score| score > 1.0).count()
}

/// The probability that a wild row scores above a clean one.
fn auroc(scores: &[f64], wild: usize) -> f64 {
    let (clean, wild) = scores.split_at(scores.len() - wild);
    let above =
        |w: &f64| clean.iter().map(|c| if w > c { 1.0 } else { f64::from(u8::from(w == c)) / 2.0 }).sum::<f64>();
    wild.iter().map(above).sum::<f64>() / (clean.len() * wild.len()) as f64
}

#[test]
fn planted_outliers_are_seen_and_avoided() {
    for (wild, seed) in [(20, 1), (100, 2), (300, 3), (380, 4)] {
        let table = planted(1000, 8, 6, wild, seed);
        let found = select(&Exemplars::default(), &table, 1000, 60);
        let bad = found.indices.iter().filter(|&&i| i >= 1000 - wild).count();
        assert_eq!(bad, 0, "{wild} wild rows");
        assert!(auroc(&found.residuals, wild) > 0.999, "{wild}: {}", auroc(&found.residuals, wild));
        let missed = found.residuals[1000 - wild..].iter().filter(|&&score| score <= 1.0).count();
        assert!(missed <= wild / 20 && gated(&found) <= wild + 50, "{wild}: {missed} missed, {} gated", gated(&found));
        let noted =
            |note: &Note| matches!(note, Note::Gated(aside) if (aside.rows, aside.items) == (gated(&found), 1000));
        assert!(found.report.notes.iter().any(noted));
        // Without the gate some are taken; the scores are the same.
        let open = select(&Exemplars { gate: false, ..Exemplars::default() }, &table, 1000, 60);
        assert_eq!(open.residuals, found.residuals);
        assert!(open.indices.iter().any(|&i| i >= 1000 - wild) && open.report.notes.is_empty());
    }
}

#[test]
fn the_gate_stays_open_on_clean_data() {
    for seed in 1..6 {
        let found = select(&Exemplars::default(), &planted(1000, 8, 6, 0, seed), 1000, 20);
        assert!(gated(&found) <= 20, "{}", gated(&found));
        let one_cluster = select(&Exemplars::default(), &noise_table(800, 5, seed), 800, 20);
        assert!(gated(&one_cluster) <= 40, "{}", gated(&one_cluster));
    }
}

/// A class that is spread wide, and small groups that keep company, are no outliers.
#[test]
fn groups_are_not_set_aside() {
    for seed in 0..4 {
        let mut noise = Noise::new(seed + 40);
        let mut table = Vec::new();
        for row in 0..800 {
            let (spread, shift) = match row % 20 {
                0 => (0.1, 9.0),    // a group of 40, far from the others
                1..8 => (1.6, 0.0), // a class spread wider
                _ => (0.8, 1.0),
            };
            table.extend((0..6).map(|_| shift + spread * noise.normal()));
        }
        let found = select(&Exemplars::default(), &table, 800, 12);
        let lost = |kind: fn(usize) -> bool| {
            let of = (0..800).filter(|row| kind(row % 20));
            of.filter(|&row| found.residuals[row] > 1.0).count()
        };
        assert_eq!(lost(|kind| kind == 0), 0, "the small group");
        assert!(lost(|kind| (1..8).contains(&kind)) <= 42, "{}", lost(|kind| (1..8).contains(&kind)));
        assert!(found.indices.iter().any(|row| row % 20 == 0), "the small group has its pick");
    }
}

/// Swaps lower the mean distance to the nearest pick, and refinement that of tables too large for them.
#[test]
fn swaps_and_refinement_pay() {
    for (n, nested, refined, most) in [(2000, true, 4, 0.995), (20_000, false, 0, 0.997)] {
        let table = planted(n, 4, 12, 0, 21);
        let samples = Samples::new(&table, n, 4).unwrap();
        let mean_distance = |settings: &Exemplars| {
            let found = settings.select(&samples, 30).unwrap();
            let row = |item: usize| &table[item * 4..item * 4 + 4];
            let labels = found.assignment.unwrap().labels;
            let distance = |(item, &label): (usize, &usize)| {
                row(item).iter().zip(row(found.indices[label])).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
            };
            labels.iter().enumerate().map(distance).sum::<f64>() / n as f64
        };
        let plain = mean_distance(&Exemplars { nested, refine: refined, ..Exemplars::default() });
        let better = mean_distance(&Exemplars::default());
        assert!(better < most * plain, "{n}: {better} {plain}");
    }
}

#[test]
fn every_group_gets_its_exemplar_and_the_shares_are_its_size() {
    let table = planted(600, 5, 6, 0, 8);
    let samples = Samples::new(&table, 600, 5).unwrap();
    let found = select(&Exemplars::default(), &table, 600, 6);
    let assigned = found.assignment.clone().unwrap();
    let astray = assigned.labels.iter().enumerate().filter(|&(item, &label)| found.indices[label] % 6 != item % 6);
    assert!(astray.count() <= 30); // two of the groups touch
    assert!((0..6).all(|group| found.indices.iter().any(|i| i % 6 == group)));
    assert!((assigned.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(assigned.shares.iter().all(|share| (share - 1.0 / 6.0).abs() < 0.03), "{:?}", assigned.shares);
    assert!(assigned.coverage.is_sorted() && (assigned.coverage[5] - found.report.objective).abs() < 1e-12);
    assert!(assigned.coverage[5] <= 1.0 && found.scores.is_sorted_by(|a, b| a >= b));
    let auto = Exemplars::default().select_auto(&samples, &mut RunOptions::default()).unwrap();
    assert!(auto.indices.len() >= 6 && auto.indices.len() < 200, "{}", auto.indices.len());
    let nested = Exemplars { nested: true, ..Exemplars::default() };
    let auto = nested.select_auto(&samples, &mut RunOptions::default()).unwrap();
    assert_eq!(auto.indices[..6], nested.select(&samples, 6).unwrap().indices[..]);
}

#[test]
fn weights_draw_the_picks() {
    let table = planted(600, 4, 3, 0, 9);
    let weights: Vec<f64> = (0..600).map(|i| if i % 3 == 2 { 1.0 } else { 0.0 }).collect();
    let settings = Exemplars { weights: Some(weights), ..Exemplars::default() };
    let found = select(&settings, &table, 600, 5);
    assert!(found.indices.iter().all(|i| i % 3 == 2), "{:?}", found.indices);
    let assigned = found.assignment.unwrap();
    assert!((assigned.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // Weight 2 is a row twice.
    let even = Exemplars { weights: Some(vec![2.0; 600]), ..Exemplars::default() };
    assert_eq!(select(&even, &table, 600, 9).indices, select(&Exemplars::default(), &table, 600, 9).indices);
}

#[test]
fn demands_are_met() {
    let table = planted(300, 4, 5, 20, 10);
    let plain = select(&Exemplars::default(), &table, 300, 12);
    let include = vec![299, 7, 290, 7];
    let exclude = plain.indices.clone();
    let settings = Exemplars { include, exclude: exclude.clone(), ..Exemplars::default() };
    let found = select(&settings, &table, 300, 12);
    assert_eq!(found.indices[..3], [299, 7, 290]); // even beyond the gate
    assert!(found.indices.iter().all(|i| !exclude.contains(i)));
    assert!(found.indices[3..].iter().all(|&i| i < 280));
    assert!(found.scores[3] > 0.0 && found.scores[3..].is_sorted_by(|a, b| a >= b));

    let of: Vec<usize> = (0..300).map(|i| i % 5 / 2).collect();
    let counts = |found: &Selection| [0, 1, 2].map(|g| found.indices.iter().filter(|&&i| of[i] == g).count());
    let groups = |quotas| Some(Groups { of: of.clone(), quotas });
    let given = Exemplars { groups: groups(Quotas::AtMost(vec![1, 20, 2])), ..Exemplars::default() };
    let found = counts(&select(&given, &table, 300, 20));
    assert!(found[0] <= 1 && found[2] <= 2 && found.iter().sum::<usize>() == 20, "{found:?}");
    let full = Exemplars { groups: groups(Quotas::AtMost(vec![5, 5, 10])), ..Exemplars::default() };
    assert_eq!(counts(&select(&full, &table, 300, 20)), [5, 5, 10]);
    let fair = Exemplars { groups: groups(Quotas::Proportional), ..Exemplars::default() };
    assert_eq!(counts(&select(&fair, &table, 300, 20)), [8, 8, 4]);
    assert_eq!(counts(&select(&fair, &table, 300, 300)), [120, 120, 60]);
}

#[test]
fn bad_demands_are_errors_with_their_values() {
    let table = noise_table(10, 2, 1);
    let samples = Samples::new(&table, 10, 2).unwrap();
    let error = |settings: Exemplars| settings.select(&samples, 4).unwrap_err();
    let base = Exemplars::default();
    let include = |include: &[usize]| Exemplars { include: include.to_vec(), ..Exemplars::default() };
    let exclude = |exclude: &[usize]| Exemplars { exclude: exclude.to_vec(), ..Exemplars::default() };
    assert_eq!(error(include(&[1, 10])), Error::NoSuchItem { list: "include", item: 10, items: 10 });
    assert_eq!(error(exclude(&[12])), Error::NoSuchItem { list: "exclude", item: 12, items: 10 });
    assert_eq!(error(Exemplars { include: vec![3], ..exclude(&[2, 3]) }), Error::Contradiction { item: 3 });
    assert_eq!(error(include(&[0, 1, 2, 3, 4])), Error::TooManyIncluded { included: 5, k: 4 });
    assert_eq!(error(exclude(&[0, 1, 2, 3, 4, 5, 6])), Error::TooFewAllowed { k: 4, allowed: 3 });
    let grouped = |of: Vec<usize>, quotas: &[usize]| Exemplars {
        groups: Some(Groups { of, quotas: Quotas::AtMost(quotas.to_vec()) }),
        ..Exemplars::default()
    };
    assert_eq!(error(grouped(vec![0; 9], &[4])), Error::GroupCount { found: 9, expected: 10 });
    assert_eq!(error(grouped(vec![2; 10], &[4, 4])), Error::BadGroup { item: 0, group: 2, groups: 2 });
    assert_eq!(error(grouped(vec![0; 10], &[3])), Error::TooFewAllowed { k: 4, allowed: 3 });
    let over = Exemplars { include: vec![0, 1], ..grouped([[0; 5], [1; 5]].concat(), &[1, 5]) };
    assert_eq!(error(over), Error::OverQuota { group: 0, included: 2, quota: 1 });
    let wild = Groups { of: vec![usize::MAX; 10], quotas: Quotas::Proportional };
    assert!(matches!(error(Exemplars { groups: Some(wild), ..base.clone() }), Error::BadGroup { .. }));
    let weights = |weights: Vec<f64>| error(Exemplars { weights: Some(weights), ..Exemplars::default() });
    assert_eq!(weights(vec![1.0; 9]), Error::WeightCount { found: 9, expected: 10 });
    assert_eq!(weights(vec![0.0; 10]), Error::BadWeight { index: 0, value: 0.0 });
    for bad in [
        Exemplars { landmarks: 0, ..base.clone() },
        Exemplars { ridge: f64::NAN, ..base.clone() },
        Exemplars { ridge: 0.0, ..base.clone() },
        Exemplars { stop: Some(1.0), ..base.clone() },
    ] {
        assert!(matches!(error(bad), Error::BadSetting { .. }));
    }
}

#[test]
fn duplicates_are_not_chosen_twice() {
    let distinct = noise_table(40, 3, 11);
    let table = distinct.repeat(10);
    let found = select(&Exemplars::default(), &table, 400, 40);
    assert_eq!(gated(&found), 0);
    let mut originals = found.indices.clone();
    originals.sort_unstable();
    assert_eq!(originals, (0..40).collect::<Vec<_>>(), "each once, and of equal rows the first");
    select(&Exemplars::default(), &table, 400, 60);
    select(&Exemplars::default(), &table, 400, 400);
}

#[test]
fn equal_rows_and_single_rows() {
    let equal = [1.5, -2.0, 0.5].repeat(50);
    let found = select(&Exemplars::default(), &equal, 50, 7);
    assert_eq!((gated(&found), found.indices), (0, (0..7).collect()));
    assert_eq!(select(&Exemplars::default(), &[3.0, 1.0], 1, 1).indices, [0]);
    select(&Exemplars::default(), &[3.0, 1.0, 2.0, 5.0], 2, 2);
}

#[test]
fn many_picks_few_columns_few_landmarks() {
    let table = planted(400, 2, 4, 30, 12);
    for landmarks in [1, 7, 399, 512] {
        select(&Exemplars { landmarks, ..Exemplars::default() }, &table, 400, 50); // K > L
        let settings = Exemplars { landmarks, nested: true, ..Exemplars::default() };
        let all = select(&settings, &table, 400, 400); // K = N
        assert_eq!(all.indices[..50], select(&settings, &table, 400, 50).indices);
    }
    // The strangers come last, the least strange first.
    let all = select(&Exemplars::default(), &table, 400, 400);
    let out = gated(&all);
    let late: Vec<f64> = all.indices[400 - out..].iter().map(|&i| all.residuals[i]).collect();
    assert!(out >= 12 && late.is_sorted() && late[0] > 1.0, "{out} {late:?}");
}

#[test]
fn units_and_element_types_do_not_matter() {
    let table = planted(500, 6, 5, 50, 13);
    let found = select(&Exemplars::default(), &table, 500, 30);
    for size in [1e150, 1e-150, 3e-9] {
        let scaled: Vec<f64> = table.iter().map(|x| x * size).collect();
        assert_eq!(select(&Exemplars::default(), &scaled, 500, 30).indices, found.indices, "{size}");
    }
    let short: Vec<f32> = cast(&table);
    let single = Exemplars::default().select(&Samples::new(&short, 500, 6).unwrap(), 30).unwrap();
    let shared = single.indices.iter().filter(|i| found.indices.contains(i)).count();
    assert!(shared >= 28 && single.indices.iter().all(|&i| i < 450), "{shared}");
    let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-3 * b.max(1.0);
    assert!(single.residuals.iter().zip(&found.residuals).all(near));
}

#[test]
fn bits_do_not_depend_on_threads() {
    // More rows than the reference and the pool hold.
    let table = planted(9000, 4, 9, 500, 14);
    let samples = Samples::new(&table, 9000, 4).unwrap();
    for method in [Method::Exemplars(Exemplars::default()), Method::Facility(arss::FacilityLocation::default())] {
        let run = |threads| {
            let mut run = RunOptions { threads, ..RunOptions::default() };
            let found = method.select(&samples, 30, &mut run).unwrap();
            (found.indices, found.scores, found.residuals, found.assignment)
        };
        let one = run(1);
        assert!(one == run(2) && one == run(8), "{}", method.name());
        let seeded = Exemplars { seed: 5, ..Exemplars::default() }.select(&samples, 30).unwrap();
        assert_ne!(seeded.indices, one.0);
    }
}

#[test]
fn facility_location_is_the_same_choice_without_the_gate() {
    let table = planted(300, 3, 4, 30, 15);
    let samples = Samples::new(&table, 300, 3).unwrap();
    let found = arss::FacilityLocation { seed: 2 }.select(&samples, 20).unwrap();
    let open = Exemplars { seed: 2, gate: false, nested: true, ..Exemplars::default() };
    let same = select(&open, &table, 300, 20);
    assert_eq!((&found.indices, &found.scores), (&same.indices, &same.scores));
    let distance =
        |a: usize, b: usize| (0..3).map(|j| (table[a * 3 + j] - table[b * 3 + j]).powi(2)).sum::<f64>().sqrt();
    for (item, &residual) in found.residuals.iter().enumerate() {
        let nearest = found.indices.iter().map(|&pick| distance(item, pick)).fold(f64::INFINITY, f64::min);
        assert!((residual - nearest).abs() < 1e-12);
    }
}

#[test]
fn a_number_a_share_or_as_many_as_pay() {
    let table = planted(200, 3, 4, 0, 16);
    let samples = Samples::new(&table, 200, 3).unwrap();
    let picks = |method: &Method, count| {
        method.select_count(&samples, count, &mut RunOptions::default()).map(|found| found.indices.len())
    };
    let method = Method::Exemplars(Exemplars::default());
    assert_eq!(picks(&method, Count::Exactly(5)), Ok(5));
    // .29 x 200 is a little less than 58 in floating point.
    assert_eq!(picks(&method, Count::Share(0.29)), Ok(58));
    assert_eq!(picks(&method, Count::Share(1e-9)), Ok(1));
    assert_eq!(picks(&method, Count::Share(1.0)), Ok(200));
    assert!(picks(&method, Count::Auto).unwrap() >= 4);
    for bad in [0.0, -0.5, 1.5, f64::NAN] {
        assert!(matches!(picks(&method, Count::Share(bad)), Err(Error::BadSetting { name: "k as a share", .. })));
    }
    let other = Method::Ted(arss::Ted::default());
    assert_eq!(picks(&other, Count::Share(0.05)), Ok(10));
    assert_eq!(picks(&other, Count::Auto), Err(Error::NoAuto { method: "ted" }));
}

#[test]
fn a_stop_at_any_time_gives_the_result_so_far() {
    // Several stretches of scoring, several batches of first gains.
    let table = planted(9000, 3, 5, 100, 17);
    let samples = Samples::new(&table, 9000, 3).unwrap();
    let settings = Exemplars { include: vec![8999, 4], exclude: vec![0], ..Exemplars::default() };
    let mut phases = Vec::new();
    let mut look = |progress: &Progress| {
        phases.push(progress.phase);
        ControlFlow::Continue(())
    };
    let whole = settings
        .select_with(&samples, 20, &mut RunOptions { progress: Some(&mut look), ..RunOptions::default() })
        .unwrap();
    assert!(phases.iter().filter(|&&phase| phase == "prepare").count() > 30 && phases.ends_with(&["solve"]));
    assert_eq!(whole.report.status, Status::Converged);
    for stop in [1, 2, 3, 10, phases.len() - 20, phases.len() - 10, phases.len()] {
        // Left to the rule the choice may be over sooner.
        for auto in [false, true].into_iter().filter(|auto| !auto || stop <= 10) {
            let mut calls = 0;
            let mut callback = |_: &Progress| {
                calls += 1;
                if calls == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut run = RunOptions { progress: Some(&mut callback), ..RunOptions::default() };
            let found = if auto {
                settings.select_auto(&samples, &mut run).unwrap()
            } else {
                settings.select_with(&samples, 20, &mut run).unwrap()
            };
            assert_eq!((calls, found.report.status), (stop, Status::Stopped), "{auto}");
            assert!(found.indices.len() == 20 || auto && found.indices.len() >= 2, "{stop}: {:?}", found.indices);
            assert_eq!((&found.indices[..2], found.indices.contains(&0)), (&[8999, 4][..], false));
            let assigned = found.assignment.unwrap();
            assert!(assigned.labels.len() == 9000 && (assigned.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert_eq!(found.residuals.len(), 9000);
        }
    }
}
