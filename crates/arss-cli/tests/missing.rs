//! Missing values, each way; rows keep the numbers they have in the file.

mod common;
mod tables;

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use common::{Folder, noise, npy_f64, numbers};
use parquet::basic::Compression;

/// Rows of the table; every fifth lacks a value.
const ROWS: usize = 30;

fn lacks(row: usize) -> bool {
    row % 5 == 2
}

fn values() -> Vec<[Option<f64>; 2]> {
    let whole = |value: f64| (value * 1024.0).round() / 8.0;
    let all = noise(ROWS * 2);
    all.chunks(2).enumerate().map(|(row, v)| [(!lacks(row)).then_some(whole(v[0])), Some(whole(v[1]))]).collect()
}

fn csv(missing: &str) -> String {
    let cell = |value: Option<f64>| value.map_or(missing.to_owned(), |value| value.to_string());
    let rows = values()
        .into_iter()
        .enumerate()
        .map(|(row, [x, y])| format!("r{row},{},{},{},{}\n", cell(x), cell(y), ["a", "b"][row % 2], row % 3 + 1));
    format!("id,x,y,kind,weight\n{}", rows.collect::<String>())
}

/// The table in every format.
fn folder() -> Folder {
    let folder = Folder::with("t.csv", csv(""));
    for (at, word) in ["NA", "nan", "null", "?"].iter().enumerate() {
        folder.write(&format!("word{at}.csv"), csv(word));
    }
    let lines = values().into_iter().enumerate().map(|(row, [x, y])| match x {
        Some(x) => format!("{{\"id\":\"r{row}\",\"x\":{x},\"y\":{}}}\n", y.unwrap()),
        None if row % 2 == 0 => format!("{{\"id\":\"r{row}\",\"y\":{}}}\n", y.unwrap()),
        None => format!("{{\"id\":\"r{row}\",\"x\":null,\"y\":{}}}\n", y.unwrap()),
    });
    folder.write("t.jsonl", lines.collect::<String>());
    let column = |at: usize| -> ArrayRef { Arc::new(values().iter().map(|row| row[at]).collect::<Float64Array>()) };
    let batch = RecordBatch::try_from_iter([("x", column(0)), ("y", column(1))]).unwrap();
    folder.write("t.parquet", tables::parquet_bytes(&batch, Compression::SNAPPY, 7));
    folder.write("t.arrow", tables::arrow_bytes(&[batch.slice(0, 13), batch.slice(13, 17)]));
    let flat: Vec<f64> = values().iter().flat_map(|row| row.map(|value| value.unwrap_or(f64::NAN))).collect();
    folder.write("t.npy", npy_f64(&flat, ROWS));
    folder
}

const FILES: [&str; 9] =
    ["t.csv", "word0.csv", "word1.csv", "word2.csv", "word3.csv", "t.jsonl", "t.parquet", "t.arrow", "t.npy"];

fn columns(name: &str) -> &'static str {
    if name.ends_with("npy") { "" } else { "--columns x,y" }
}

#[test]
fn the_first_cells_are_named() {
    let folder = folder();
    for name in FILES {
        let words: &[&str] = match name {
            "t.csv" => &[
                "row 2 (from 0; line 4), column x is empty",
                "6 such cells",
                "row 7 (from 0; line 9)",
                "--missing drop",
            ],
            "word1.csv" => &["row 2 (from 0; line 4), column x holds nan", "6 such cells"],
            "t.npy" => &["row 2, column 0", "NaN"],
            "t.parquet" | "t.arrow" => {
                &["row 2 (from 0), column x is empty", "6 such cells", "row 7 (from 0), column x"]
            }
            "t.jsonl" => &["row 2 (from 0; line 3), column x is empty", "6 such cells"],
            _ => &["row 2 (from 0; line 4), column x holds", "a value is missing", "6 such cells"],
        };
        folder.refuses(&format!("select {name} -k 2 --missing error {}", columns(name)), words);
    }
}

#[test]
fn rows_are_dropped_and_keep_their_numbers() {
    let folder = folder();
    let wanted = folder.indices("select t.csv -k 9 --columns x,y --missing drop");
    assert!(wanted.iter().all(|&row| !lacks(row)), "{wanted:?}");
    assert!(wanted.iter().any(|&row| row > 24), "rows behind dropped ones count on: {wanted:?}");
    for name in FILES {
        let line = format!(
            "select {name} -k 9 {} --missing drop --scores s.csv --assignments a.csv --force --json",
            columns(name)
        );
        let ran = folder.run(&line).ok();
        let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(numbers(&found["indices"]), wanted, "{name}");
        assert_eq!(found["n_samples"], 24, "{name}");
        assert!(ran.err.contains("dropped, with missing values: 6 of 30 rows"), "{}", ran.err);
        let costly = if name.ends_with("npy") { "f0" } else { "x" };
        assert!(ran.err.contains(&format!("without {costly} 6 more rows remain")), "{}", ran.err);
        let kept: Vec<String> = (0..ROWS).filter(|&row| !lacks(row)).map(|row| row.to_string()).collect();
        for file in ["s.csv", "a.csv"] {
            let text = folder.read(file);
            let first: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
            assert_eq!(first, kept, "{name}: {file}");
        }
        let text = folder.read("a.csv");
        let exemplars = text.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse::<usize>().unwrap());
        assert!(exemplars.into_iter().all(|row| wanted.contains(&row)), "{name}");
    }
    // The rows that are written, shown and drawn are those with these numbers.
    folder.run("select t.csv -k 9 --columns x,y --missing drop -o out.csv --report page.html").ok();
    let ids: Vec<String> =
        folder.read("out.csv").lines().skip(1).map(|l| l.split(',').next().unwrap().to_owned()).collect();
    assert_eq!(ids, wanted.iter().map(|row| format!("r{row}")).collect::<Vec<_>>());
    let shown = folder.run("select t.csv -k 9 --columns x,y --missing drop --id id").ok().out;
    for row in &wanted {
        assert!(
            shown.lines().any(|line| line.contains(&format!(" {row} ")) && line.contains(&format!(" r{row} "))),
            "{shown}"
        );
    }
    let page = folder.read("page.html");
    for row in &wanted {
        assert!(page.contains(&format!("\"item\":{row},")), "no item {row} in the page");
    }
    assert!((0..ROWS).filter(|&row| lacks(row)).all(|row| !page.contains(&format!("\"item\":{row},"))));
    // The sentences name the rows of the file, too, and the page says how many were dropped, and why.
    let data = common::page_data(&page);
    let named: Vec<String> = wanted.iter().take(5).map(usize::to_string).collect();
    let found = data["summary"][1].as_str().unwrap();
    assert!(found.starts_with(&format!("It chose rows {}, ...", named.join(", "))), "{found}");
    let dropped = (0..ROWS).filter(|&row| lacks(row)).count();
    let missing = &data["reading"].as_array().unwrap().iter().find(|told| told[0] == "Missing cells").unwrap()[1];
    assert_eq!(missing.as_str().unwrap(), format!("{dropped} rows left out because a cell is missing."));
    let drawn = common::map_rows(&data, None);
    assert!(drawn.len() == ROWS - dropped && drawn.iter().all(|&row| !lacks(row)), "{drawn:?}");
}

#[test]
fn demands_name_rows_as_in_the_file() {
    let folder = folder();
    let picks = folder.indices("select t.csv -k 4 --missing drop --columns x,y --include 28,3 --forbid 0-1,29");
    assert_eq!(picks[..2], [28, 3]);
    assert!(picks.iter().all(|row| ![0, 1, 29].contains(row)), "{picks:?}");
    let refuses = |flags: &str, words: &[&str]| {
        folder.refuses(&format!("select t.csv -k 3 --columns x,y --missing drop {flags}"), words);
    };
    refuses("--include 7", &["--include names row 7, which was dropped: a value is missing"]);
    refuses("--forbid 30", &["--forbid names row 30, which is not in the table"]);
    // Columns that stand beside lose the same rows.
    let line = "select t.csv -k 6 --columns x,y --missing drop --group kind --quotas a=1 --weights weight --id id";
    let found = folder.json(line);
    let picks = numbers(&found["indices"]);
    assert_eq!(picks.iter().filter(|row| *row % 2 == 0).count(), 1, "{picks:?}");
    assert_eq!(found["ids"][0], format!("r{}", picks[0]));
}

#[test]
fn values_are_filled_in() {
    let folder = folder();
    for how in ["mean", "median"] {
        let line = |name: &str| format!("select {name} -k 5 {} --missing {how}", columns(name));
        let wanted = folder.indices(&line("t.csv"));
        for name in FILES {
            assert_eq!(folder.indices(&line(name)), wanted, "{name}");
            let said = folder.run(&line(name)).ok().err;
            assert!(said.contains("6 missing values filled in"), "{name}: {said}");
        }
    }
    // The same as if the value stood there; the file itself stays as it is.
    let there: Vec<f64> = values().iter().filter_map(|row| row[0]).collect();
    let mean = there.iter().sum::<f64>() / there.len() as f64;
    folder.write("filled.csv", csv(&mean.to_string()));
    let flags = "-k 5 --columns x,y";
    assert_eq!(
        folder.indices(&format!("select filled.csv {flags}")),
        folder.indices(&format!("select t.csv {flags} --missing mean"))
    );
    folder.run("select t.csv -k 1 --include 7 --columns x,y --missing mean -o out.csv").ok();
    assert!(folder.read("out.csv").contains("\nr7,,"), "{}", folder.read("out.csv"));
}

#[test]
fn texts_can_be_missing() {
    let folder = Folder::with("t.csv", "x,kind\n1,a\n2,\n3,b\n9,NaN\n5,a\n");
    folder.refuses(
        "select t.csv -k 1 --encode ordinal --columns x,kind --missing error",
        &["row 1 (from 0; line 3), column kind is empty", "2 such cells"],
    );
    assert_eq!(folder.json("select t.csv -k 1 --columns x,kind --missing drop")["n_samples"], 3);
    assert_eq!(folder.json("select t.csv -k 1 --columns x,kind --missing drop")["n_features"], 3);
    // As a group they are one of their own; as a label nothing.
    assert_eq!(folder.indices("select t.csv -k 3 --group kind --quotas a=1,b=1").len(), 3);
    assert_eq!(folder.indices("select t.csv -k 3 --label kind").len(), 3);
}

#[test]
fn nothing_is_left_or_nothing_was_there() {
    let folder = Folder::with("t.csv", "x,y\n1,\n,2\n");
    folder
        .refuses("select t.csv -k 1 --missing drop", &["every row has a missing value", "--missing drop leaves none"]);
    folder.write("e.csv", "x,empty\n1,\n2,NA\n4,\n");
    let said = folder.run("select e.csv -k 1").ok().err;
    assert!(said.contains("left out: empty (empty)"), "{said}");
    for how in ["auto", "error", "mean", "drop"] {
        folder
            .refuses(&format!("select e.csv -k 1 --columns empty --missing {how}"), &["column empty holds no values"]);
    }
    folder.write("inf.csv", "x\n1\n-inf\n2\n");
    for how in ["error", "drop", "mean", "median"] {
        folder.refuses(
            &format!("select inf.csv -k 1 --missing {how}"),
            &["row 1 ", "column x holds -inf", "not a finite"],
        );
    }
    folder.write("n.npy", npy_f64(&[f64::NAN, 1.0, f64::NAN, 2.0], 2));
    folder.refuses("select n.npy -k 1 --missing mean", &["n.npy", "NaN"]);
    let nothing: [(&str, ArrayRef); 1] = [("x", Arc::new(Int64Array::from(Vec::<i64>::new())))];
    let nothing = RecordBatch::try_from_iter(nothing).unwrap();
    folder.write("none.parquet", tables::parquet_bytes(&nothing, Compression::SNAPPY, 5));
    folder.write("none.arrow", tables::arrow_bytes(&[nothing]));
    folder.refuses("select none.parquet -k 1", &["none.parquet: has columns, but no rows"]);
    folder.refuses("select none.arrow -k 1", &["none.arrow: has columns, but no rows"]);
    folder.refuses("select t.csv -k 1 --missing maybe", &["maybe", "auto, error, drop, mean, median"]);
}

#[test]
fn by_default_the_table_is_used_as_it_is() {
    let folder = folder();
    for name in FILES {
        let ran = folder.run(&format!("select {name} -k 5 {}", columns(name))).ok();
        assert!(ran.err.contains("6 missing values filled in with the median"), "{name}: {}", ran.err);
    }
    // A row that lacks most of its values is never chosen; a column that does is left out.
    let rows = noise(40)
        .chunks(2)
        .enumerate()
        .map(|(row, v)| match row {
            3 => ",,\n".to_owned(),
            4 => format!("{},{},5\n", v[0], v[1]),
            _ => format!("{},{},\n", v[0], v[1]),
        })
        .collect::<String>();
    folder.write("gaps.csv", format!("x,y,rare\n{rows}"));
    let ran = folder.run("select gaps.csv -k 19 --json").ok();
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(found["columns"], serde_json::json!(["x", "y"]));
    assert!(!numbers(&found["indices"]).contains(&3));
    assert!(ran.err.contains("rare (19 of 20 values are missing)"), "{}", ran.err);
    assert!(ran.err.contains("left aside, mostly missing: 1 of 20 rows"), "{}", ran.err);
    folder.write("none.csv", "x,y\n,\nNA,\n");
    folder.refuses("select none.csv -k 1", &["no column to choose by: x (empty), y (empty)"]);
    // Marks are missing among numbers, and texts among texts.
    folder.write("marks.csv", "x,kind\n1.5,-\n-,a\n2,a\n7,-\n3,a\n");
    let found = folder.json("select marks.csv -k 1");
    assert_eq!(found["columns"], serde_json::json!(["x", "kind=-", "kind=a"]));
}

#[test]
fn a_row_without_any_value_is_never_filled_in() {
    let row = |at: usize| if at == 4 { ",\n".to_owned() } else { format!("{},{}\n", at * at % 13, at * 7 % 11) };
    let folder = Folder::with("t.csv", format!("x,y\n{}", (0..20).map(row).collect::<String>()));
    for how in ["auto", "mean", "median"] {
        let ran = folder.run(&format!("select t.csv -k 19 --missing {how} --json")).ok();
        let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert!(!numbers(&found["indices"]).contains(&4), "{how}");
        assert!(ran.err.contains("left aside") && ran.err.contains("1 of 20 rows"), "{how}: {}", ran.err);
    }
}
