//! `arss compare`: methods on one table, judged alike.

mod common;

use std::collections::HashMap;

use common::{Folder, noise, npy_f64, numbers, page_data, plots_csv, poor_tables};
use serde_json::Value;

const ALL: [&str; 9] = ["exemplars", "arss", "rrss", "ted", "kmeans", "kmedoids", "facility", "rrqr", "random"];

/// Four groups of thirty rows, a label a group, and six wild rows with labels of their own.
fn groups_csv() -> String {
    let mut text = String::from("x,y,z,kind\n");
    for (row, v) in noise(360).chunks(3).enumerate() {
        let (a, b) = ((row % 2) as f64 * 9.0, (row / 2 % 2) as f64 * 9.0);
        text += &format!("{},{},{},k{}\n", v[0] + a, v[1] + b, v[2], row % 4);
    }
    for (row, v) in noise(18).chunks(3).enumerate() {
        text += &format!("{},{},{},wild{row}\n", 900.0 * v[0], 900.0 * v[1], 900.0 * v[2]);
    }
    text
}

fn by_name(result: &Value) -> HashMap<String, Value> {
    let methods = result["methods"].as_array().unwrap();
    methods.iter().map(|method| (method["method"].as_str().unwrap().to_owned(), method.clone())).collect()
}

fn value(method: &Value, measure: &str) -> f64 {
    method[measure].as_f64().unwrap()
}

#[test]
fn every_method_is_judged() {
    let folder = Folder::with("t.csv", groups_csv());
    let result = folder.json("compare t.csv -k 4 --label kind");
    assert_eq!((&result["n_samples"], &result["n_features"], &result["k"]), (&126.into(), &3.into(), &4.into()));
    assert_eq!(
        (&result["judged"], &result["label"], &result["left_out"]),
        (&126.into(), &"kind".into(), &serde_json::json!([]))
    );
    let methods = by_name(&result);
    assert_eq!(methods.len(), ALL.len());
    assert!(ALL.iter().all(|name| methods.contains_key(*name)));
    let exemplars = &methods["exemplars"];
    // One pick a group: all of the others of that group are nearest to it.
    assert_eq!(value(exemplars, "outliers"), 0.0);
    assert!(value(exemplars, "distance") < 0.75 && value(exemplars, "accuracy") > 0.9, "{exemplars}");
    assert_eq!(value(&methods["random"], "distance"), 1.0);
    assert!(value(&methods["rrqr"], "outliers") >= 2.0, "{}", methods["rrqr"]);
    assert!(value(&methods["rrqr"], "reconstruction") <= value(exemplars, "reconstruction"));
    // Sorted by accuracy.
    let accuracies: Vec<f64> = result["methods"].as_array().unwrap().iter().map(|m| value(m, "accuracy")).collect();
    assert!(accuracies.windows(2).all(|pair| pair[0] >= pair[1]), "{accuracies:?}");
}

#[test]
fn the_measures_are_those_of_the_picks() {
    // On a line, without scaling: distances can be computed here.
    let folder = Folder::with("line.csv", "x\n0\n1\n2\n10\n11\n13\n");
    let values = [0.0, 1.0, 2.0, 10.0, 11.0, 13.0f64];
    let result = folder.json("compare line.csv -k 2 --scale none --methods kmedoids,exemplars,rrqr");
    assert_eq!(result["outliers"], 0);
    for method in by_name(&result).values() {
        let picks = numbers(&method["indices"]);
        let near = |x: &f64| picks.iter().map(|&pick| (values[pick] - x).abs()).fold(f64::INFINITY, f64::min);
        let wanted = values.iter().map(near).sum::<f64>() / 6.0;
        assert!((value(method, "mean_distance") - wanted).abs() < 1e-12, "{method}");
        assert_eq!((value(method, "reconstruction"), &method["accuracy"]), (0.0, &Value::Null));
    }
}

#[test]
fn a_label_is_never_chosen_by() {
    let folder = Folder::new();
    // The label is a number, and far larger than the others.
    let numeric = groups_csv().replace(",k", ",5000").replace(",wild", ",9000").replace("z,5000ind", "z,kind");
    folder.write("t.csv", numeric);
    folder.write(
        "without.csv",
        groups_csv().lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n").collect::<String>(),
    );
    let methods = "--methods exemplars,ted,random,kmeans";
    let with = by_name(&folder.json(&format!("compare t.csv -k 5 --label kind {methods}")));
    let without = by_name(&folder.json(&format!("compare without.csv -k 5 {methods}")));
    for (name, method) in &with {
        assert_eq!(method["indices"], without[name]["indices"], "{name}");
        assert_eq!(method["mean_distance"], without[name]["mean_distance"], "{name}");
        assert!(method["accuracy"].is_number() && without[name]["accuracy"].is_null());
    }
}

#[test]
fn the_table_marks_the_best() {
    let folder = Folder::with("t.csv", groups_csv());
    let ran = folder.run("compare t.csv -k 2").ok();
    let lines: Vec<Vec<&str>> = ran.out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["method", "seconds", "distance", "outliers", "reconstruction"]);
    assert_eq!(lines.len(), 10);
    for column in [2, 3, 4] {
        let number = |cell: &str| cell.trim_end_matches('*').parse::<f64>().unwrap();
        let best = lines[1..].iter().map(|line| number(line[column])).fold(f64::INFINITY, f64::min);
        for line in &lines[1..] {
            assert_eq!(line[column].ends_with('*'), number(line[column]) == best, "{}", ran.out);
        }
    }
    assert!(ran.err.contains("compare: 126 x 8, 9 methods"), "{}", ran.err);
    let ran = folder.run("compare t.csv -k 4 --label kind -q --methods random").ok();
    assert!(ran.out.lines().count() == 2 && ran.out.contains("accuracy") && ran.err.is_empty(), "{ran:?}");
}

#[test]
fn runs_repeat_but_for_the_seconds() {
    let folder = Folder::with("t.csv", groups_csv());
    let of = |flags: &str| {
        let mut result = folder.json(&format!("compare t.csv -k 3 --label kind {flags}"));
        result["methods"].as_array_mut().unwrap().iter_mut().for_each(|method| method["seconds"] = Value::Null);
        result
    };
    assert_eq!(of("--threads 1"), of("--threads 2"));
    assert_ne!(of("--seed 1"), of("--seed 2"));
    let page = |name: &str| {
        folder.run(&format!("compare t.csv -k 3 -q --label kind --report {name}")).ok();
        let mut data = page_data(&folder.read(name).replace(name, ""));
        let seconds = data["comparison"]["seconds"].take();
        assert_eq!(seconds.as_array().unwrap().len(), data["comparison"]["rows"].as_array().unwrap().len());
        data
    };
    assert_eq!(page("a.html"), page("b.html"));
}

#[test]
fn auto_and_shares() {
    let folder = Folder::with("t.csv", groups_csv());
    let k = folder.json("compare t.csv -k auto --methods exemplars,kmeans")["k"].as_u64().unwrap();
    assert_eq!(k as usize, folder.indices("select t.csv -k auto --method exemplars").len());
    assert_eq!(folder.json("compare t.csv -k 10% --methods random,ted")["k"], 12);
}

#[test]
fn the_page_has_the_table() {
    let folder = Folder::with("t.csv", groups_csv().replace("kind", "\"<img src=x onerror=hacked=1>\""));
    folder
        .run_args(&[
            "compare",
            "t.csv",
            "-k",
            "4",
            "--label",
            "<img src=x onerror=hacked=1>",
            "-q",
            "--report",
            "p.html",
        ])
        .ok();
    let page = folder.read("p.html");
    assert!(!page.contains("<img src=x"));
    let found = &page_data(&page)["comparison"];
    let rows = found["rows"].as_array().unwrap();
    assert_eq!((rows.len(), found["measures"].as_array().unwrap().len()), (9, 4));
    assert!(found["text"].as_str().unwrap().starts_with("Each method chose 4 rows"), "{found}");
    for row in rows {
        assert_eq!((row["values"].as_array().unwrap().len(), row["best"].as_array().unwrap().len()), (4, 4));
    }
    assert_eq!(rows[0]["best"][3], true, "the first is the most accurate");
    // What the methods share is counted anew from the rows they chose.
    for (at, row) in rows.iter().enumerate() {
        for (other_at, other) in rows.iter().enumerate() {
            let other = numbers(&other["indices"]);
            let common = numbers(&row["indices"]).iter().filter(|row| other.contains(row)).count();
            assert_eq!(found["overlap"][at][other_at], common as f64 / 4.0);
        }
    }
    let advice = found["advice"].as_array().unwrap();
    assert!(advice[0].as_str().unwrap().starts_with("Take "), "{advice:?}");
    assert!(advice[advice.len() - 1].as_str().unwrap().starts_with("Do not believe it "), "{advice:?}");
}

#[test]
fn what_takes_too_long_is_left_out_unless_named() {
    let folder = Folder::with("t.npy", npy_f64(&noise(300 * 5), 300));
    let left = |flags: &str| -> Vec<String> {
        let ran = folder.run(&format!("compare t.npy -k 2 --json {flags}")).ok();
        let result: Value = serde_json::from_str(&ran.out).unwrap();
        let left = result["left_out"].as_array().unwrap().iter();
        let left: Vec<String> = left.map(|one| one["method"].as_str().unwrap().to_owned()).collect();
        for name in &left {
            assert!(ran.err.contains(&format!("left out: {name}, it would take about")), "{}", ran.err);
            assert!(!by_name(&result).contains_key(name));
        }
        left
    };
    assert_eq!(left(""), [""; 0]);
    // The linear models take the longest by far; exemplars judge and random choices are the unit, so both run.
    assert_eq!(left("--patience 0.005"), ["arss", "rrss"]);
    let seven: Vec<&str> = ALL.into_iter().filter(|name| !["exemplars", "random"].contains(name)).collect();
    assert_eq!(left("--patience 0"), seven);
    assert_eq!(left("--patience 0 --methods arss,kmeans"), [""; 0]);
    folder.refuses("compare t.npy -k 2 --patience -1", &["--patience is -1"]);
    folder.run("compare t.npy -k 2 -q --patience 0 --report page.html").ok();
    let lines = page_data(&folder.read("page.html"))["comparison"]["left_out"].clone();
    assert_eq!(lines.as_array().unwrap().len(), 7);
    assert!(lines[0].as_str().unwrap().starts_with("Left out: arss, it would take about 0 seconds"), "{lines}");
}

#[test]
fn poor_tables_work() {
    let folder = poor_tables();
    for name in folder.names() {
        for scale in ["standard", "none"] {
            let result = folder.json(&format!("compare {name} -k 1 --scale {scale}"));
            let judged = result["methods"].as_array().unwrap();
            assert!(judged.len() == 9, "{name} {scale} {result}");
            assert!(judged.iter().all(|method| method["mean_distance"].is_number()), "{name} {scale} {result}");
        }
    }
    // Every row is chosen: there is nothing left to test.
    folder.write("t.csv", "a,l\n1,x\n2,y\n");
    let result = folder.json("compare t.csv -k 2 --label l");
    assert!(result["methods"].as_array().unwrap().iter().all(|method| method["accuracy"].is_null()));
    let ran = folder.run("compare t.csv -k 2 --label l").ok();
    assert!(ran.out.contains(" -"), "{}", ran.out);
}

#[test]
fn what_cannot_be_is_one_line() {
    let folder = Folder::with("plots.csv", plots_csv());
    folder.write("there.html", "mine");
    folder.write("label.csv", "x,y\n1,2\n3,4\n");
    folder.refuses("compare plots.csv -k 31", &["k is 31", "30"]);
    folder.refuses("compare plots.csv -k 0", &["k is 0"]);
    folder.refuses("compare plots.csv", &["-k"]);
    folder.refuses("compare plots.csv -k 2 --methods best", &["best", "--methods"]);
    folder.refuses("compare plots.csv -k 2 --methods exemplars,,ted", &["--methods"]);
    folder.refuses("compare plots.csv -k 2 --label kind", &["there is no column kind", "height"]);
    folder.refuses("compare plots.csv -k 2 --report plots.csv", &["is the input"]);
    folder.refuses("compare plots.csv -k 2 --report there.html", &["already exists", "--force"]);
    folder.refuses("compare missing.csv -k 2", &["there is no such file"]);
    folder.refuses("compare plots.txt -k 2", &["no such file"]);
    folder.write("only.csv", "x\n1\n2\n");
    folder.refuses("compare only.csv -k 1 --label x", &["no column is left to choose by"]);
    assert_eq!(folder.read("there.html"), "mine");
    folder.run("compare plots.csv -k 2 -q --methods random --report there.html --force").ok();
    assert!(folder.read("there.html").starts_with("<!DOCTYPE html>"));
}
