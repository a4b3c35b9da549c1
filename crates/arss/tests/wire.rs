//! Messages of passes from a hostile hand: any bytes give a value or an error, never a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arss::distributed::{RemoteTable, RowAttributes, RowState, RowsOf, StepRequest, merge, select, step_on};
use arss::{Arss, Count, Error, Exemplars, FacilityLocation, Gamma, Groups, Method, Quotas, Rrss, RunOptions, Ted};
use proptest::prelude::*;

mod common;

const ROWS: usize = 300;
const COLUMNS: usize = 4;

/// Every request of runs of every method, and a result of each: one of each size, which is one of each kind of step
/// or more.
fn messages() -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let table = common::clusters(ROWS, COLUMNS, 3);
    let groups: Vec<usize> = (0..ROWS).map(|row| row % 3).collect();
    let quotas = Quotas::AtMost(vec![2, 2, 2]);
    let methods = [
        Method::Arss(Arss { max_iterations: 3, gamma: Gamma::Ratio(0.3), ..Arss::default() }),
        Method::Rrss(Rrss { max_iterations: 3, ..Rrss::default() }),
        Method::Ted(Ted::default()),
        Method::Facility(FacilityLocation::default()),
        Method::Exemplars(Exemplars {
            landmarks: 30,
            groups: Some(Groups { of: Vec::new(), quotas }),
            include: vec![5],
            exclude: vec![9, 11],
            ..Exemplars::default()
        }),
        Method::Exemplars(Exemplars {
            groups: Some(Groups { of: Vec::new(), quotas: Quotas::Proportional }),
            exclude: (0..ROWS - 6).collect(),
            ..Exemplars::default()
        }),
    ];
    let (mut requests, mut results): (Vec<Vec<u8>>, Vec<Vec<u8>>) = Default::default();
    for method in methods {
        let mut state = RowState::default();
        let mut pass = |request: &[u8]| -> Result<Vec<u8>, Error> {
            let rows = RowsOf { data: &table, shape: (ROWS, COLUMNS), strides: (COLUMNS, 1) };
            let attributes = RowAttributes { groups: Some(&groups), ..RowAttributes::default() };
            let result = StepRequest::decode(request)?.apply(&rows, (0, attributes), &mut state)?;
            if requests.iter().all(|known| known.len() != request.len()) {
                requests.push(request.to_vec());
                results.push(result.clone());
            }
            Ok(result)
        };
        let remote = RemoteTable { items: ROWS, features: COLUMNS, single: false };
        select(&method, remote, Count::Exactly(4), &mut pass, &mut RunOptions::default()).unwrap();
    }
    // ARSS_SEEDS=fuzz/seeds/messages writes the seeds of the fuzz target anew.
    if let Some(folder) = std::env::var_os("ARSS_SEEDS").map(std::path::PathBuf::from) {
        for (at, message) in requests.iter().chain(&results).enumerate().filter(|(_, message)| message.len() < 4096) {
            std::fs::write(folder.join(format!("{at:02}")), message).unwrap();
        }
    }
    (requests, results)
}

/// Runs a request on rows of three shapes and both types, without and with a state that may not fit.
fn run_everywhere(request: &[u8]) {
    for (rows, columns) in [(20, COLUMNS), (7, COLUMNS), (5, 3)] {
        let wide = common::clusters(rows, columns, 1);
        let short = common::cast::<f32>(&wide);
        for numbers in [0, rows, 2 * rows, 3 * rows, 8 * rows] {
            let state = RowState { values: vec![0.5; wide.len()], numbers: vec![0.5; numbers] };
            let place = RowsOf { data: &wide, shape: (rows, columns), strides: (columns, 1) };
            let _ = step_on(request, &place, 3, &mut state.clone());
            let place = RowsOf { data: &short, shape: (rows, columns), strides: (columns, 1) };
            let _ = step_on(request, &place, usize::MAX - 2, &mut RowState::default());
        }
    }
}

/// One change of some bytes: a byte set, the end cut off, bytes put in, or a part doubled.
fn damage(bytes: &mut Vec<u8>, (kind, at, value): (u8, usize, u8)) {
    let at = at % (bytes.len() + 1);
    match kind % 4 {
        0 if at < bytes.len() => bytes[at] = value,
        1 => bytes.truncate(at),
        2 => bytes.insert(at, value),
        _ => {
            let tail = bytes[at..].to_vec();
            bytes.extend(tail);
        }
    }
}

#[test]
fn damaged_messages_are_errors_not_panics() {
    let (requests, results) = messages();
    assert!(requests.len() >= 20, "{} different requests", requests.len());
    let changes = prop::collection::vec((any::<u8>(), any::<usize>(), any::<u8>()), 1..6);
    // The head of a message holds its kind and its lengths: most damage goes there.
    let near_head = prop::collection::vec((any::<u8>(), 0..40usize, any::<u8>()), 1..4);
    let mut runner =
        proptest::test_runner::TestRunner::new(ProptestConfig { cases: 4000, ..ProptestConfig::default() });
    let strategy = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop_oneof![near_head, changes]);
    runner
        .run(&strategy, |(which, other, changes)| {
            let (mut request, mut result) = (which.get(&requests).clone(), which.get(&results).clone());
            for change in changes {
                damage(&mut request, change);
                damage(&mut result, change);
            }
            let other: &Vec<u8> = other.get(&results);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                run_everywhere(&request);
                let _ = merge(&result, other);
                let _ = merge(other, &result);
            }));
            prop_assert!(outcome.is_ok(), "request {request:?}");
            Ok(())
        })
        .unwrap();
}

/// What workers send back may be damaged, too: the run ends with an error or an answer, never with a panic.
#[test]
fn damaged_results_do_not_break_the_driver() {
    let table = common::clusters(ROWS, COLUMNS, 3);
    let methods = [
        Method::Arss(Arss { max_iterations: 3, ..Arss::default() }),
        Method::Rrss(Rrss { max_iterations: 3, ..Rrss::default() }),
        Method::Ted(Ted::default()),
        Method::Exemplars(Exemplars { landmarks: 20, ..Exemplars::default() }),
        Method::Facility(FacilityLocation::default()),
    ];
    let mut noise = common::Noise::new(11);
    let mut dice = |most: usize| ((noise.next() + 1.0) / 2.0 * most as f64) as usize % most.max(1);
    let mut attacks = 0;
    for method in methods {
        for _ in 0..500 {
            let (mut left, kinds) = (dice(14), [dice(256) as u8, dice(256) as u8]);
            let mut state = RowState::default();
            let mut pass = |request: &[u8]| -> Result<Vec<u8>, Error> {
                let rows = RowsOf { data: &table, shape: (ROWS, COLUMNS), strides: (COLUMNS, 1) };
                let attributes = RowAttributes::default();
                let mut result = StepRequest::decode(request)?.apply(&rows, (0, attributes), &mut state)?;
                if left == 0 {
                    attacks += 1;
                    let at = dice(result.len());
                    damage(&mut result, (if kinds[0] < 200 { 0 } else { kinds[0] }, at, kinds[1]));
                }
                left = left.wrapping_sub(1);
                Ok(result)
            };
            let remote = RemoteTable { items: ROWS, features: COLUMNS, single: false };
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let _ = select(&method, remote, Count::Exactly(4), &mut pass, &mut RunOptions::default());
            }));
            assert!(outcome.is_ok(), "{} at a result that was damaged", method.name());
        }
    }
    assert!(attacks > 1000, "{attacks} attacks");
}

/// Found by fuzzing: the last number of a request is how many numbers it keeps per row, and 20 bytes asked for gigabytes.
#[test]
fn a_message_cannot_ask_for_more_numbers_than_any_step_keeps() {
    let (data, mut wide) = (vec![1.0; 40], 0);
    for mut request in messages().0 {
        request.pop();
        request.extend([0xa5, 0x81, 0x8a, 0x33]);
        let Ok(request) = StepRequest::decode(&request) else { continue };
        let (rows, mut state) = (RowsOf { data: &data, shape: (10, 4), strides: (4, 1) }, RowState::default());
        wide += usize::from(request.apply(&rows, (0, RowAttributes::default()), &mut state).is_err());
        assert!(state.numbers.len() <= 64 * 10);
    }
    assert!(wide > 0, "no request was refused");
}

#[test]
fn every_cut_and_every_noise_is_an_error() {
    let (requests, results) = messages();
    let cuts = |message: &Vec<u8>| (0..message.len()).step_by(message.len().div_ceil(64));
    for result in &results {
        for end in cuts(result) {
            assert!(merge(&result[..end], result).is_err(), "cut at {end}");
        }
        assert!(merge(&[&result[..], &[0]].concat(), result).is_err());
    }
    for request in &requests {
        for end in cuts(request) {
            assert!(StepRequest::decode(&request[..end]).is_err(), "cut at {end}");
        }
        assert!(StepRequest::decode(&[&request[..], &[0]].concat()).is_err());
        let mut other_version = request.clone();
        other_version[0] = 1;
        assert!(StepRequest::decode(&other_version).is_err());
    }
}
