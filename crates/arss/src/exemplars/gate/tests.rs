//! The gate on measures of made-up rows.

use super::weighting::LEAST;
use super::*;

const RIDGE: f64 = 0.01;

/// Normal quantiles, roughly: enough to shape a group.
fn group(count: usize, mean: f64, sd: f64) -> impl Iterator<Item = f64> {
    (0..count).map(move |i| {
        let u = (i as f64 + 0.5) / count as f64;
        mean + sd * (u / (1.0 - u)).ln() / 1.702
    })
}

/// Rows of which so much is left unexplained, as a logarithm, around rows like `around`.
fn rows(unexplained: impl Iterator<Item = f64>, around: f64) -> Vec<RowMeasures> {
    unexplained
        .map(|z| RowMeasures {
            variance: (z.exp() + RIDGE).min(1.0 + RIDGE),
            relative: z - 0.5 * around,
            near: z.exp(),
            far: 2.0 * z.exp(),
            tail: 1.0 + 0.1 * z,
        })
        .collect()
}

fn set_aside(rows: &[RowMeasures]) -> Vec<bool> {
    let rule = decide(rows, 5, RIDGE).rule;
    rows.iter().map(|row| rule.score(row) > 1.0).collect()
}

fn count(flags: &[bool]) -> usize {
    flags.iter().filter(|flag| **flag).count()
}

#[test]
fn the_upper_of_two_populations_is_set_aside() {
    for outliers in [30, 100, 300] {
        let usual = 1000 - outliers;
        let table = rows(group(usual, -4.0, 0.5).chain(group(outliers, -0.3, 0.1)), -4.0);
        let found = set_aside(&table);
        assert!(count(&found[..usual]) <= 2 && count(&found[usual..]) == outliers, "{outliers}");
        assert!(decide(&table, 5, RIDGE).confidence > 0.5, "{}", decide(&table, 5, RIDGE).confidence);
    }
}

#[test]
fn lonely_rows_among_lonely_rows_stay() {
    // A wide class: alone, but so are its neighbours.
    let wide = rows(group(300, -0.5, 0.2), -0.5).into_iter().map(|row| RowMeasures { relative: -2.0, ..row });
    let narrow = rows(group(700, -4.0, 0.5), -4.0).into_iter().map(|row| RowMeasures { relative: -2.0, ..row });
    let table: Vec<RowMeasures> = narrow.chain(wide).collect();
    assert_eq!(count(&set_aside(&table)), 0);
}

#[test]
fn one_population_is_left_alone() {
    for mean in [-9.0, -5.0, -3.0, -2.0] {
        let found = set_aside(&rows(group(1000, mean, 0.4), mean));
        assert!(count(&found) <= 10, "{mean}: {}", count(&found));
    }
    assert_eq!(count(&set_aside(&rows(group(3, -1.0, 2.0), -1.0))), 0);
    assert_eq!(count(&set_aside(&rows([-3.0; 40].into_iter(), -3.0))), 0);
    assert_eq!(count(&set_aside(&[])), 0);
}

#[test]
fn small_tables_rank_by_loneliness_what_they_do_not_set_aside() {
    let mut table = rows(group(225, -4.0, 0.5).chain(group(75, -1.5, 0.5)), -4.0);
    // Far from all others, and not at all lonely.
    table.push(RowMeasures { far: 1e6, ..table[10] });
    let rule = decide(&table, 5, RIDGE).rule;
    let scores: Vec<f64> = table.iter().map(|row| rule.score(row)).collect();
    assert!(scores.iter().filter(|&&score| score > 1.0).count() <= 45);
    assert!(scores[225..300].iter().all(|&score| score > scores[300]), "{scores:?}");
}

#[test]
fn small_tables_lose_few_rows() {
    for n in [8, 20, 50, 100, 200] {
        let table = rows(group(n * 3 / 4, -4.0, 0.5).chain(group(n / 4, -1.5, 0.5)), -4.0);
        let found = count(&set_aside(&table));
        assert!(found as f64 <= FEW * n as f64, "{found} of {n}");
    }
}

#[test]
fn a_row_out_there_is_set_aside_where_all_are_alone() {
    // Few rows of many columns: hardly anything is explained of any of them.
    let alone = |at: usize| RowMeasures {
        variance: 0.8 + 0.004 * (at % 40) as f64,
        relative: 0.1 * (at % 7) as f64,
        near: 0.5 + 0.01 * (at % 40) as f64,
        far: 1.0 + 0.02 * (at % 40) as f64,
        tail: 1.0,
    };
    let mut table: Vec<RowMeasures> = (0..60).map(alone).collect();
    assert_eq!(count(&set_aside(&table)), 0);
    table[3] = RowMeasures { variance: 1.0 + RIDGE, near: 30.0, far: 40.0, ..table[3] };
    let found = set_aside(&table);
    assert!(found[3] && count(&found) == 1);
}

#[test]
fn rows_count_less_by_the_odds_of_the_upper_population() {
    let weights = |table: &[RowMeasures]| -> Vec<f64> {
        let weighting = decide(table, 5, RIDGE).weighting;
        table.iter().map(|row| weighting.of(row.variance, row.relative)).collect()
    };
    // One population; a wide class of nearly half, clearly apart; one of more than half, which overlaps.
    let clean = rows(group(1000, -4.0, 0.5), -4.0);
    let wide = rows(group(530, -4.0, 0.5).chain(group(470, -1.5, 0.5)), -4.0);
    let wider = rows(group(350, -4.0, 0.7).chain(group(650, -2.1, 0.7)), -4.0);
    for table in [&clean, &wide] {
        assert!(weights(table).iter().all(|&weight| weight == 1.0));
    }
    // The odds do not matter there, but as two may be there a row counts as much as is explained of it.
    let explained = |(weight, row): (f64, &RowMeasures)| (weight / (1.0 - row.variance).max(LEAST) - 1.0).abs() < 1e-12;
    assert!(weights(&wider).into_iter().zip(&wider).all(explained));
    // Two that overlap: there is no valley and hardly a row is set aside, but the upper ones count less the lonelier they are.
    let mixed = rows(group(700, -4.0, 0.7).chain(group(300, -2.1, 0.7)), -4.0);
    assert!(count(&set_aside(&mixed)) <= 10);
    let found = weights(&mixed);
    assert!(found[50] > 0.95 && found[350] > 0.85 && found[850] < 0.5 && found[990] < 0.1, "{found:?}");
}

#[test]
fn lonely_rows_that_lie_elsewhere_count_in_full() {
    let mixed = rows(group(700, -4.0, 0.7).chain(group(300, -2.1, 0.7)), -4.0);
    let weighting = decide(&mixed, 5, RIDGE).weighting;
    assert!(weighting.is_in_doubt());
    let weights = |shift: f64| -> Vec<f64> {
        let shifted = weighting.shifted_by(shift);
        mixed.iter().map(|row| shifted.of(row.variance, row.relative)).collect()
    };
    assert!(weights(0.35).iter().all(|&weight| weight == 1.0));
    let plain: Vec<f64> = mixed.iter().map(|row| weighting.of(row.variance, row.relative)).collect();
    assert_eq!(weights(0.1), plain);
    let between = weights(0.26);
    assert!(between[990] > plain[990] && between[990] < 1.0);
    // What was seen clearly is set aside wherever it lies.
    let apart = rows(group(900, -4.0, 0.5).chain(group(100, -0.3, 0.1)), -4.0);
    assert!(!decide(&apart, 5, RIDGE).weighting.is_in_doubt());
}

#[test]
fn scores_do_not_saturate() {
    let mut table = rows(group(200, -4.0, 0.5), -4.0);
    for distance in [20.0, 1e3, 1e6, 1e12] {
        table.push(RowMeasures { variance: 1.0 + RIDGE, relative: 2.0, near: distance, far: distance, tail: 5.0 });
    }
    let rule = decide(&table, 5, RIDGE).rule;
    let scores: Vec<f64> = table[200..].iter().map(|row| rule.score(row)).collect();
    assert!(scores[0] > 1.0 && scores.is_sorted_by(|a, b| a < b), "{scores:?}");
}

#[test]
fn a_row_that_is_readmitted_has_a_score_below_1() {
    for rank in [-9.0, -1.0, 0.0, 2.0, 800.0] {
        let score = readmitted(set_aside_score(rank));
        assert!((score - kept_score(rank)).abs() < 1e-4 && score < 1.0, "{rank}: {score}");
    }
}
