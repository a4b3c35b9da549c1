//! `arss select` by exemplars: how many, which rows must be in, weights, groups, assignments.

mod common;

use common::{Folder, noise, npy_f64, numbers};

/// Sixty rows in three groups on a line; the last two are far out. `kind` is text, `weight` a number.
fn grouped() -> Folder {
    let values = noise(60);
    let mut text = String::from("id,x,y,kind,weight\n");
    for (row, v) in values.iter().enumerate() {
        let (x, kind) =
            if row >= 58 { (900.0 * row as f64, "far") } else { (row as f64 % 3.0 * 20.0, ["a", "b", "c"][row % 3]) };
        text += &format!("r{row},{},{},{kind},{}\n", x + v, x - v, if row % 3 == 1 { 1 } else { 0 });
    }
    Folder::with("t.csv", text)
}

fn count(folder: &Folder, flags: &str, keep: impl Fn(usize) -> bool) -> usize {
    folder.indices(&format!("select t.csv {flags}")).into_iter().filter(|&row| keep(row)).count()
}

#[test]
fn a_number_a_share_or_as_many_as_pay() {
    let folder = grouped();
    for (k, wanted) in [("6", 6), ("10%", 6), ("0.1", 6), ("1%", 1), ("100%", 60)] {
        let result = folder.json(&format!("select t.csv -k {k}"));
        assert_eq!((&result["k"], numbers(&result["indices"]).len()), (&wanted.into(), wanted), "{k}");
        assert_eq!(folder.indices(&format!("select t.csv -k {k} --method kmeans")).len(), wanted, "{k}");
    }
    let auto = folder.json("select t.csv -k auto");
    let found = numbers(&auto["indices"]).len();
    assert!((3..20).contains(&found) && auto["k"] == found, "{auto}");
}

#[test]
fn nested_picks_are_the_first_of_a_larger_choice() {
    let folder = grouped();
    let larger = folder.indices("select t.csv -k 20 --nested");
    for k in [1, 5, 12] {
        assert_eq!(folder.indices(&format!("select t.csv -k {k} --nested")), larger[..k]);
    }
}

#[test]
fn rows_that_must_and_must_not_be_in() {
    let folder = grouped();
    folder.write("rows.txt", "59\n\n 7, 9-10\n");
    assert_eq!(folder.indices("select t.csv -k 6 --include 59,7,9-10")[..4], [59, 7, 9, 10]);
    let listed = folder.indices("select t.csv -k 6 --include @rows.txt --forbid 11-57");
    assert_eq!(listed[..4], [59, 7, 9, 10]);
    assert!(listed.iter().all(|row| !(11..58).contains(row)), "{listed:?}");
    let refuses = |flags: &str, words: &[&str]| folder.refuses(&format!("select t.csv -k 3 {flags}"), words);
    refuses("--include 1,x", &["--include holds \"x\"", "0,7,20-29"]);
    refuses("--forbid -3", &["--forbid holds \"-3\""]);
    refuses("--include @none.txt", &["none.txt", "--include"]);
    refuses("--include 60", &["include names item 60", "60 items"]);
    refuses("--include 5 --forbid 5", &["item 5 is both included and excluded"]);
    refuses("--include 1-4", &["4 items must be included, but k is only 3"]);
    refuses("--forbid 0-58", &["leave only 1 items"]);
    refuses("--features --include 1", &["--include is about rows"]);
    folder.write("bad.txt", "1\ntwo\n");
    refuses("--include @bad.txt", &["--include holds \"two\" in line 2 of bad.txt"]);
}

#[test]
fn weights_are_a_column_that_is_not_chosen_by() {
    let folder = grouped();
    let result = folder.json("select t.csv -k 2 --encode none --weights weight");
    assert_eq!(result["columns"], serde_json::json!(["x", "y"]));
    assert_eq!(count(&folder, "-k 2 --weights weight", |row| row % 3 == 1), 2);
    assert_eq!(folder.json("select t.csv -k 2 --encode none --method ted --weights weight")["n_features"], 2);
    let refuses = |flags: &str, words: &[&str]| folder.refuses(&format!("select t.csv -k 2 {flags}"), words);
    refuses("--weights mass", &["no column mass", "id, x, y, kind, weight"]);
    refuses("--weights kind", &["column kind holds no numbers"]);
    refuses("--method arss --weights weight", &["--weights is not used by method arss"]);
    refuses("--weights x", &["sample weight", "not negative"]);
    // The same in a file without names: columns are f0, f1, ...
    let table: Vec<f64> = noise(90).chunks(3).flat_map(|row| [row[0], row[1], row[2] + 1.0]).collect();
    folder.write("t.npy", npy_f64(&table, 30));
    assert_eq!(folder.json("select t.npy -k 2 --weights f2")["n_features"], 2);
    folder.write("one.csv", "x\n1\n2\n");
    folder.refuses("select one.csv -k 1 --weights x", &["no column is left to choose by"]);
}

#[test]
fn groups_have_quotas() {
    let folder = grouped();
    for (flags, wanted) in [("", [4, 4, 4]), ("--quotas proportional", [4, 4, 4]), ("--quotas a=2,b=9,c=1", [2, 9, 1])]
    {
        let flags = format!("-k 12 --group kind --forbid 58,59 {flags}");
        let found = [0, 1, 2].map(|group| count(&folder, &flags, |row| row % 3 == group));
        assert_eq!(found, wanted, "{flags}");
    }
    assert!(count(&folder, "-k 12 --group kind --quotas b=1", |row| row % 3 == 1) <= 1);
    let refuses = |flags: &str, words: &[&str]| folder.refuses(&format!("select t.csv -k 12 {flags}"), words);
    refuses("--quotas a=1", &["--group"]);
    refuses("--group kind --quotas d=1", &["group \"d\"", "no row"]);
    refuses("--group kind --quotas a", &["--quotas holds \"a\""]);
    refuses("--group kind --quotas a=1,b=1,c=1,far=1", &["k is 12", "only 4"]);
}

#[test]
fn every_row_has_its_exemplar() {
    let folder = grouped();
    for method in ["exemplars", "facility"] {
        let result =
            folder.json(&format!("select t.csv -k 3 --method {method} --force --assignments a.csv --scores s.csv"));
        let indices = numbers(&result["indices"]);
        let text = folder.read("a.csv");
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("row,exemplar,rank,outlier_score"));
        let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), 60);
        for (at, row) in rows.iter().enumerate() {
            let rank: usize = row[2].parse().unwrap();
            assert_eq!((row[0], row[1]), (at.to_string().as_str(), indices[rank - 1].to_string().as_str()));
        }
        let shares: Vec<f64> = result["shares"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        if method == "exemplars" {
            assert_eq!(result["outliers"], 2);
            let sure = |field: &str| (0.0..=1.0).contains(&result[field].as_f64().unwrap());
            assert!(sure("outlier_confidence") && sure("outlier_company"), "{result}");
            let open = folder.json("select t.csv -k 3 --no-gate");
            assert_eq!(open["outliers"], 0);
            assert!(open["outlier_confidence"].is_null() && open["outlier_company"].is_null(), "{open}");
            assert!(rows[58..].iter().all(|row| row[3].parse::<f64>().unwrap() > 1.0));
            let ran = folder.run("select t.csv -k 3").ok();
            assert!(ran.err.contains("set aside as outliers: 2 of 60 rows"), "{}", ran.err);
        }
    }
}
