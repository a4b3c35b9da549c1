//! Which columns are chosen by: names, texts, truth values, dates, and what is set aside.

mod common;
mod tables;

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, RecordBatch, StringArray};
use common::{Folder, noise};
use parquet::basic::Compression;
use serde_json::json;

/// Thirty rows of many kinds.
fn kinds() -> Folder {
    let mut text = String::from("id,x,y,flag,day,kind,size\n");
    for (row, v) in noise(60).chunks(2).enumerate() {
        let (kind, size) = (["oak", "elm", "ash"][row % 3], ["s", "m"][row % 2]);
        text += &format!("p{row},{},{},{},2024-01-{:02},{kind},{size}\n", v[0], v[1], row % 4 == 0, row % 28 + 1);
    }
    Folder::with("t.csv", text)
}

fn used(folder: &Folder, flags: &str) -> serde_json::Value {
    folder.json(&format!("select t.csv -k 1 {flags}"))["columns"].clone()
}

#[test]
fn columns_are_named_or_left_out() {
    let folder = kinds();
    let categories = ["kind=ash", "kind=elm", "kind=oak", "size=m", "size=s"];
    let all: Vec<&str> = ["x", "y", "flag", "day"].into_iter().chain(categories).collect();
    assert_eq!(used(&folder, ""), json!(all));
    assert_eq!(used(&folder, "--encode none"), json!(["x", "y"]));
    assert_eq!(used(&folder, "--columns y"), json!(["y"]));
    assert_eq!(used(&folder, "--columns y,x"), json!(["x", "y"]));
    assert_eq!(used(&folder, "--exclude x"), json!(all[1..]));
    assert_eq!(used(&folder, "--columns x,y,flag --exclude y"), json!(["x", "flag"]), "by name means as asked");
    assert_eq!(used(&folder, "--encode none --booleans"), json!(["x", "y", "flag"]));
    assert_eq!(used(&folder, "--dates --columns day"), json!(["day"]));
    assert_eq!(used(&folder, "--encode none --dates --booleans"), json!(["x", "y", "flag", "day"]));
    let said = folder.run("select t.csv -k 3").ok().err;
    let words = "left out: id (identifier); categories: kind, size; dates: day; flags: flag";
    assert_eq!(said.matches(words).count(), 1, "{said}");
    let refuses = |flags: &str, words: &[&str]| folder.refuses(&format!("select t.csv -k 3 {flags}"), words);
    refuses("--columns x,z", &["no column z", "id, x, y, flag, day, kind, size"]);
    refuses("--exclude z", &["no column z"]);
    refuses("--id z", &["no column z"]);
    refuses("--label z", &["no column z"]);
    refuses("--as kind=number", &["column kind holds text", "column kind holds oak", "--as kind=category"]);
    refuses("--as kind=tree", &["kind=tree", "NAME=ROLE", "identifier"]);
    refuses("--encode none --exclude x,y", &["no column to choose by: id (text)", "--as NAME=ROLE"]);
    refuses("--columns x --label x", &["no column is left to choose by besides"]);
    refuses("--columns x,y --exclude y,x", &["every column that --columns names is left out by --exclude"]);
}

#[test]
fn texts_become_numbers_as_asked() {
    let folder = kinds();
    let onehot = used(&folder, "--encode onehot --exclude day");
    assert_eq!(onehot, json!(["x", "y", "flag", "kind=ash", "kind=elm", "kind=oak", "size=m", "size=s"]));
    assert_eq!(used(&folder, "--encode ordinal"), json!(["x", "y", "flag", "day", "kind", "size"]));
    assert_eq!(used(&folder, "--encode ordinal --exclude size"), json!(["x", "y", "flag", "day", "kind"]));
    assert_eq!(used(&folder, "--columns x,size"), json!(["x", "size=m", "size=s"]));
    assert_eq!(used(&folder, "--as kind=text,size=identifier,day=text,flag=constant"), json!(["x", "y"]));
    // A column without a repetition names the rows, unless it is asked for.
    let said = folder.run("select t.csv -k 3 --encode ordinal").ok().err;
    assert!(said.contains("left out: id (identifier)"), "{said}");
    assert_eq!(used(&folder, "--encode ordinal --columns id,x"), json!(["id", "x"]));
    // Ordinal is alphabetical, so it is the same as numbers in that order.
    let numbered = folder.read("t.csv").replace(",ash,", ",0,").replace(",elm,", ",1,").replace(",oak,", ",2,");
    folder.write("n.csv", numbered);
    let flags = "-k 4 --columns x,y,kind";
    let (text, number) = (format!("select t.csv {flags} --encode ordinal"), format!("select n.csv {flags}"));
    assert_eq!(folder.indices(&text), folder.indices(&number));
    // The chosen rows hold the text all the same.
    folder.run("select t.csv -k 1 --include 4 --encode onehot -o out.csv").ok();
    assert!(folder.read("out.csv").contains(",elm,s\n"), "{}", folder.read("out.csv"));
}

#[test]
fn text_that_comes_late_is_text() {
    let rows = |text: &str| {
        let mut table = String::from("x,late,kind\n");
        (0..1500).for_each(|row| table += &format!("{},{},{}\n", row * row % 977, row % 5, row % 3));
        table + text
    };
    let folder = Folder::with("t.csv", rows("7,five,0\n8,1,1\n"));
    let ran = folder.run("select t.csv -k 2 --json").ok();
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    // One text among so many numbers is a mistake.
    assert_eq!(found["columns"], json!(["x", "late", "kind"]));
    let words = "1 cell of late taken as missing, not numbers: row 1500 (from 0; line 1502), column late holds five";
    assert!(ran.err.contains(words), "{}", ran.err);
    // The same if it stands in the first rows.
    let early = folder.read("t.csv").replacen("0,0,0\n1,1,1\n", "0,five,0\n1,1,1\n", 1);
    folder.write("early.csv", early);
    assert_eq!(folder.json("select early.csv -k 1")["columns"], json!(["x", "late", "kind"]));
    // Several are not.
    let folder = Folder::with("t.csv", rows(&"7,five,0\n8,six,1\n".repeat(60)));
    let late = ["late=0", "late=1", "late=2", "late=3", "late=4", "late=five", "late=six"];
    let all: Vec<&str> = ["x"].into_iter().chain(late).chain(["kind"]).collect();
    assert_eq!(used(&folder, ""), json!(all));
    let ran = folder.run("select t.csv -k 2 --encode none").ok();
    let words = "late is mostly numbers, but row 1500 (from 0; line 1502), column late holds five";
    assert!(ran.err.contains("left out: late (text)") && ran.err.contains(words), "{}", ran.err);
    assert_eq!(used(&folder, "--encode ordinal"), json!(["x", "late", "kind"]));
    let onehot = used(&folder, "--encode onehot --exclude kind");
    assert_eq!(onehot, json!(all[..8]));
    // Who says that they are numbers means that the texts are none.
    let ran = folder.run("select t.csv -k 2 --as late=number --json").ok();
    assert!(ran.err.contains("120 cells of late taken as missing, not numbers: row 1500"), "{}", ran.err);
    // The same for truth values behind a thousand empty cells.
    let late = |cell: &str| {
        format!("x,t\n{}3,{cell}\n4,{cell}\n", (0..1200).map(|x| format!("{},\n", x * x % 977)).collect::<String>())
    };
    folder.write("t.csv", late("true"));
    assert_eq!(used(&folder, "--columns x,t --missing drop"), json!(["x", "t"]));
    folder.write("t.csv", late("2024-01-01"));
    assert_eq!(used(&folder, ""), json!(["x"]));
    assert!(folder.run("select t.csv -k 1").ok().err.contains("t (1200 of 1202 values are missing)"));
}

#[test]
fn too_many_texts() {
    let table = |different: usize| -> String {
        let rows = (0..3000).map(|row| format!("{},{},t{}\n", row % 37, row % 11, row % different));
        format!("x,y,word\n{}", rows.collect::<String>())
    };
    let folder = Folder::with("t.csv", table(1500));
    let said = folder.run("select t.csv -k 2 --encode onehot").ok().err;
    assert!(said.contains("left out: word (identifier)"), "{said}");
    folder.refuses("select t.csv -k 2 --columns x,word", &["column word holds 1500 different texts", "ordinal"]);
    assert_eq!(used(&folder, "--encode ordinal --columns x,word"), json!(["x", "word"]));
    // Repeated, so that they name nothing; still too many, and none of them is taken for missing.
    let rows: String = (0..6000).map(|row| format!("{},{},t{}\n", row % 37, row % 11, row / 3 % 1500)).collect();
    folder.write("many.csv", format!("x,y,word\n{rows}"));
    for encode in ["auto", "onehot", "ordinal"] {
        let ran = folder.run(&format!("select many.csv -k 2 --encode {encode}")).ok();
        assert!(ran.err.contains("left out: word (over 1000 different texts)"), "{}", ran.err);
        assert!(!ran.err.contains("missing"), "{}", ran.err);
    }
    folder.refuses("select many.csv -k 2 --as x=vector", &["column x holds no vectors"]);
    folder.write("t.csv", table(300));
    folder.refuses(
        "select t.csv -k 2 --encode onehot --memory 1M",
        &["x 3 values needs about", "--memory allows 1.0 MiB"],
    );
}

#[test]
fn what_stands_beside_is_not_chosen_by() {
    let folder = kinds();
    let plain = folder.indices("select t.csv -k 4 --columns x,y");
    let with = folder.json("select t.csv -k 4 --id id --label kind --encode ordinal --exclude size,flag,day");
    assert_eq!(common::numbers(&with["indices"]), plain);
    let ids: Vec<String> = plain.iter().map(|row| format!("p{row}")).collect();
    assert_eq!(with["ids"], json!(ids));
    // A number can be the name, the label, the group, too.
    for flags in ["--id y", "--label y", "--group y --quotas proportional", "--label y --group y", "--id y --label y"] {
        assert_eq!(used(&folder, &format!("--encode none {flags}")), json!(["x"]), "{flags}");
    }
    folder.refuses("select t.csv -k 2 --weights x --label x", &["column x cannot hold the weights and a label"]);
    let counted = Folder::with("t.csv", "n,x,y\n1,5,3\n2,1,9\n3,2,2\n4,2,7\n5,5,5\n");
    let said = counted.run("select t.csv -k 1").ok().err;
    assert!(said.contains("left out: n (counter)"), "{said}");
    assert!(!counted.run("select t.csv -k 1 --id n").ok().err.contains("left out"));
}

#[test]
fn names_that_are_odd() {
    let folder = Folder::with("t.csv", "a,a,,\"b\nc\",d e\n1,2,3,4,5\n6,9,8,7,1\n");
    assert_eq!(used(&folder, ""), json!(["a", "a", "b\nc", "d e"]), "a column without a name is an index");
    folder.refuses("select t.csv -k 1 --columns a", &["more than one column is called a"]);
    let ran =
        folder.run_args(&["select", "t.csv", "-k", "1", "--columns", "b\nc,d e", "--json", "-o", "out.parquet"]).ok();
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(found["columns"], json!(["b\nc", "d e"]));
    let (rows, _) = tables::read_parquet(&folder.path("out.parquet"));
    assert_eq!(
        rows.schema().fields().iter().map(|f| f.name().as_str()).collect::<Vec<_>>(),
        ["a", "a_2", "", "b\nc", "d e"]
    );
    folder.write("t.csv", ",,\n1,2,3\n4,5,9\n");
    folder.refuses("select t.csv -k 1", &["no column to choose by", "identifier"]);
    assert_eq!(folder.json("select t.csv -k 1 --header no")["n_samples"], 2);
    folder.write("t.csv", b"\xff,\xfe\n1,2\n3,5\n");
    assert_eq!(used(&folder, ""), json!(["ÿ", "þ"]));
}

#[test]
fn typed_files_follow_the_same_rules() {
    let rows = 0..30;
    let numbers = noise(30);
    let columns: [(&str, ArrayRef); 4] = [
        ("x", Arc::new(Float64Array::from(numbers.clone()))),
        ("flag", Arc::new(rows.clone().map(|row| Some(row % 4 == 0)).collect::<BooleanArray>())),
        ("day", Arc::new(Date32Array::from_iter_values(rows.clone().map(|row| row * row)))),
        ("kind", Arc::new(rows.map(|row| Some(["b", "a"][row as usize % 2])).collect::<StringArray>())),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let lines = (0..30).map(|row| {
        let day = ["2024-01-01", "2024-02-01T10:00:00Z"][row % 2];
        let kind = ["b", "a"][row % 2];
        format!("{{\"x\":{:?},\"flag\":{},\"day\":\"{day}\",\"kind\":\"{kind}\"}}\n", numbers[row], row % 4 == 0)
    });
    let folder = Folder::with("t.parquet", tables::parquet_bytes(&batch, Compression::SNAPPY, 8));
    folder.write("t.arrow", tables::arrow_bytes(&[batch]));
    folder.write("t.jsonl", lines.collect::<String>());
    for name in ["t.parquet", "t.arrow", "t.jsonl"] {
        let used = |flags: &str| folder.json(&format!("select {name} -k 2 {flags}"))["columns"].clone();
        assert_eq!(used("--encode none"), json!(["x"]), "{name}");
        assert_eq!(used("--encode none --booleans --dates"), json!(["x", "flag", "day"]), "{name}");
        assert_eq!(used(""), json!(["x", "flag", "day", "kind=a", "kind=b"]), "{name}");
        assert_eq!(used("--encode ordinal"), json!(["x", "flag", "day", "kind"]), "{name}");
        assert_eq!(used("--label kind --group flag"), json!(["x", "day"]), "{name}");
        folder.refuses(&format!("select {name} -k 2 --as kind=number"), &["column kind holds text"]);
        folder.refuses(&format!("select {name} -k 2 --weights kind"), &["column kind holds no numbers"]);
    }
    folder.refuses("select t.jsonl -k 2 --columns z", &["no column z; the table has"]);
}

#[test]
fn columns_are_scaled_as_asked() {
    let folder = Folder::with("t.csv", "x,y\n1,1000\n2,1010\n3,5000\n9,1020\n90,1030\n6,1040\n7,1050\n8,1060\n");
    for scale in ["none", "standard", "robust", "unit"] {
        assert_eq!(folder.indices(&format!("select t.csv -k 3 --scale {scale}")).len(), 3);
    }
    let same = folder.read("t.csv").replace(",1", ",1.").replace(",5", ",5.");
    folder.write("u.csv", same);
    for scale in ["standard", "robust", "unit"] {
        let picks = |file: &str| folder.indices(&format!("select {file} -k 3 --method kmedoids --scale {scale}"));
        assert_eq!(picks("t.csv"), picks("u.csv"), "{scale}: the unit of a column does not matter");
    }
    folder.write("c.csv", "x,y\n5,5\n5,5\n5,5\n");
    assert!(folder.run("select c.csv -k 1").ok().err.contains("every column is constant"));
}

#[test]
fn categories_in_other_letters_are_told_apart() {
    let mut text = b"x,city\n".to_vec();
    for row in 0..40 {
        text.extend(format!("{},K", row * row % 17).as_bytes());
        text.extend(if row % 3 == 0 { b"\xf6ln\n" } else { b"\xfcln\n" });
    }
    let folder = Folder::with("t.csv", text);
    let city = folder.json("select t.csv -k 4")["column_roles"][1].clone();
    assert_eq!((&city["role"], &city["used"]), (&"category".into(), &true.into()), "{city}");
}
