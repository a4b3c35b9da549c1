//! The kernel map and the diverse choice as settings of ARSS, RRSS and TED.

mod common;

use std::ops::ControlFlow;

use arss::{Arss, Error, Kernel, Method, Note, Progress, Rrss, RunOptions, Samples, Selection, Status, Ted};
use common::Noise;

/// Five groups around the origin, and `wild` rows far out.
fn planted(n: usize, wild: usize) -> Vec<f64> {
    let mut noise = Noise::new(3);
    let angle = |group: usize| group as f64 * std::f64::consts::TAU / 5.0;
    let mut table = Vec::new();
    for row in 0..n {
        let (sin, cos) = angle(row % 5).sin_cos();
        let size = if row >= n - wild { 60.0 + 40.0 * noise.next() } else { 4.0 };
        table.extend([cos * size + 0.3 * noise.normal(), sin * size + 0.3 * noise.normal()]);
    }
    table
}

fn methods(kernel: Option<Kernel>, diverse: bool) -> [Method; 3] {
    [
        Method::Arss(Arss { kernel, diverse, ..Arss::default() }),
        Method::Rrss(Rrss { kernel, diverse, ..Rrss::default() }),
        Method::Ted(Ted { kernel, ..Ted::default() }),
    ]
}

fn select(method: &Method, table: &[f64], k: usize, run: &mut RunOptions<'_>) -> Selection {
    let found = method.select(&Samples::new(table, table.len() / 2, 2).unwrap(), k, run).unwrap();
    let mut distinct = found.indices.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), k, "{}", method.name());
    found
}

#[test]
fn the_setting_is_the_map_by_hand() {
    let table = planted(300, 10);
    let samples = Samples::new(&table, 300, 2).unwrap();
    let kernel = Kernel { landmarks: 40, seed: 5, ..Kernel::default() };
    let mapped = kernel.map(&samples, &mut RunOptions::default()).unwrap();
    for (with, without) in methods(Some(kernel), false).iter().zip(&methods(None, false)) {
        let found = with.select(&samples, 12, &mut RunOptions::default()).unwrap();
        let by_hand = without.select(&mapped.samples().unwrap(), 12, &mut RunOptions::default()).unwrap();
        assert_eq!((&found.indices, &found.scores), (&by_hand.indices, &by_hand.scores), "{}", with.name());
        assert_ne!(found.indices, without.select(&samples, 12, &mut RunOptions::default()).unwrap().indices);
    }
}

#[test]
fn every_group_is_seen_through_the_kernel() {
    // Two columns hold two directions; through the kernel five groups are five directions.
    let table = planted(300, 0);
    let kernel = Kernel::default();
    for method in methods(Some(kernel), true) {
        let found = select(&method, &table, 10, &mut RunOptions::default());
        let groups = (0..5).filter(|group| found.indices.iter().any(|i| i % 5 == *group)).count();
        assert_eq!(groups, 5, "{}: {:?}", method.name(), found.indices);
        assert!(!found.report.notes.iter().any(|note| matches!(note, Note::Saturated { .. })), "{}", method.name());
    }
}

#[test]
fn a_diverse_choice_has_no_row_and_its_copy() {
    // Every row four times, a hair apart.
    let mut noise = Noise::new(9);
    let rows: Vec<f64> = planted(120, 0);
    let table: Vec<f64> = (0..4).flat_map(|_| rows.clone()).map(|x| x + 1e-4 * noise.next()).collect();
    for kernel in [None, Some(Kernel { landmarks: 100, ..Kernel::default() })] {
        for (plain, diverse) in methods(kernel, false).iter().zip(&methods(kernel, true)).take(2) {
            let copies = |found: &Selection| {
                let mut originals: Vec<usize> = found.indices.iter().map(|i| i % 120).collect();
                originals.sort_unstable();
                originals.dedup();
                20 - originals.len()
            };
            let (top, chosen) = (
                select(plain, &table, 20, &mut RunOptions::default()),
                select(diverse, &table, 20, &mut RunOptions::default()),
            );
            // Where the solver reaches a certificate it may choose one of several copies by itself.
            let least = if plain.name() == "rrss" { 1 } else { 10 };
            assert!(copies(&top) >= least, "{}: {}", plain.name(), copies(&top));
            assert_eq!(copies(&chosen), 0, "{}: {:?}", plain.name(), chosen.indices);
            assert_eq!(chosen.indices[0], top.indices[0]);
            let saturated = chosen.report.notes.iter().find(|note| matches!(note, Note::Saturated { .. }));
            assert!(kernel.is_some() || saturated == Some(&Note::Saturated { k: 20, rank: 2 }), "{saturated:?}");
            // Everything, copies too, if that is what is asked for; equal rows cannot be told apart.
            select(diverse, &table, 480, &mut RunOptions::default());
            select(diverse, &[1.5, 2.0].repeat(30), 7, &mut RunOptions::default());
        }
    }
}

#[test]
fn bits_do_not_depend_on_threads_and_a_stop_is_a_result() {
    let table = planted(3000, 30);
    let kernel = Some(Kernel { landmarks: 60, ..Kernel::default() });
    for method in methods(kernel, true) {
        let picks = |threads| {
            let found = select(&method, &table, 20, &mut RunOptions { threads, ..RunOptions::default() });
            (found.indices, found.scores, found.residuals)
        };
        assert!(picks(1) == picks(2) && picks(1) == picks(8), "{}", method.name());
        let mut stop = |_: &Progress| ControlFlow::Break(());
        let found = select(&method, &table, 20, &mut RunOptions { progress: Some(&mut stop), ..RunOptions::default() });
        assert_eq!(found.report.status, Status::Stopped, "{}", method.name());
    }
}

#[test]
fn bad_settings_are_named() {
    let samples = Samples::new(&[1.0, 2.0, 3.0], 3, 1).unwrap();
    for kernel in [Kernel { landmarks: 0, ..Kernel::default() }, Kernel { ridge: 0.0, ..Kernel::default() }] {
        assert!(matches!(kernel.map(&samples, &mut RunOptions::default()), Err(Error::BadSetting { .. })));
        for method in methods(Some(kernel), false) {
            assert!(matches!(method.select(&samples, 1, &mut RunOptions::default()), Err(Error::BadSetting { .. })));
        }
    }
}
