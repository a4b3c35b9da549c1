//! What somebody who tried the command line for the first time stumbled over.

mod common;
mod tables;

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use common::{Folder, noise};
use parquet::basic::Compression;
use serde_json::json;

/// What a run says on stderr.
fn said(folder: &Folder, words: &str) -> String {
    folder.run(words).ok().err
}

#[test]
fn a_list_of_records_within_an_object() {
    let records = "[{\"x\": 1, \"y\": 5}, {\"x\": 2, \"y\": 4},\n {\"x\": 9, \"y\": 0}]";
    let folder = Folder::with("t.json", format!("{{\"next\": null, \"results\": {records}, \"n\": 3}}\n"));
    let notes = said(&folder, "select t.json -k 3 --order file -o o.csv");
    assert!(notes.contains("t.json: is one JSON object; its rows are the list results"), "{notes}");
    assert_eq!(folder.read("o.csv"), "x,y\n1,5\n2,4\n9,0\n");
    // Written by programs for people, with other lists further inside, and of records that are nested themselves.
    let schema = "\"schema\": {\"fields\": [{\"name\": \"x\"}]}";
    folder.write("table.json", format!("{{\n  {schema},\n  \"data\": {records}\n}}"));
    assert_eq!(folder.json("select table.json -k 1")["columns"], json!(["x", "y"]));
    folder.write("deep.json", format!("{{\"answer\": {{\"rows\": {records}}}}}"));
    assert!(said(&folder, "select deep.json -k 1").contains("the list answer.rows"));
    folder.write("two.json", format!("{{\"a\": {records}, \"b\": [{{\"z\": 1}}, {{\"z\": 4}}]}}"));
    folder.refuses("select two.json -k 1", &["two.json: holds 2 lists of records: a, b; choose one with --array NAME"]);
    assert_eq!(folder.json("select two.json -k 1 --array b")["columns"], json!(["z"]));
    folder.refuses("select two.json -k 1 --array c", &["has no list of records c; it holds a, b"]);
    folder.write("plain.json", records);
    folder.refuses("select plain.json -k 1 --array a", &["plain.json: is no JSON object with lists of records"]);
    let place = |x: u8, y: u8| {
        format!("{{\"type\":\"Feature\",\"geometry\":{{\"coordinates\":[[{x},1]]}},\"properties\":{{\"n\":{y}}}}}")
    };
    let places = [place(1, 4), place(2, 9), place(3, 1)].join(",");
    folder.write("t.geojson", format!("{{\"type\":\"FeatureCollection\",\"features\":[{places}]}}"));
    assert_eq!(folder.json("select t.geojson -k 1")["columns"], json!(["properties.n"]));
    folder.write("cut.json", "{\"a\": [{\"x\": 1}");
    folder.refuses("select cut.json -k 1", &["cut.json", "not a JSON object"]);
    // Lines are lines, whatever is in them.
    folder.write("lines.json", "{\"x\": 1, \"l\": [{\"z\": 1}]}\n{\"x\": 3, \"l\": [{\"z\": 2}]}\n");
    assert_eq!(folder.json("select lines.json -k 2")["columns"], json!(["x"]));
}

#[test]
fn flags_of_other_formats_are_refused() {
    let folder = Folder::with("t.csv", "x,y\n1,2\n3,5\n");
    folder.write("t.jsonl", "{\"x\": 1}\n{\"x\": 2}\n");
    folder.refuses("select t.csv -k 1 --sheet 2", &["t.csv: --sheet is for files of format xlsx, this one is csv"]);
    folder.refuses("outliers t.csv --array a", &["--array is for files of format json or npz, this one is csv"]);
    folder.refuses("select t.jsonl -k 1 --delimiter ;", &["--delimiter is for files of format csv or tsv"]);
    folder.refuses("plan t.jsonl -k 1 --header no", &["--header is for files of format csv, tsv or xlsx"]);
    folder.refuses("select t.jsonl -k 1 --comment %", &["--comment is for files of format csv or tsv"]);
    let batch = RecordBatch::try_from_iter([("x", Arc::new(Float64Array::from(vec![1.0, 3.0])) as ArrayRef)]).unwrap();
    folder.write("t.parquet", tables::parquet_bytes(&batch, Compression::SNAPPY, 7));
    folder.refuses(
        "select t.parquet -k 1 --encoding latin1",
        &["--encoding is for files of format csv, tsv, jsonl or json"],
    );
}

/// Three sizes in their order, which is not that of the alphabet; one of them is in no row.
fn sizes(rows: usize, ordered: bool) -> RecordBatch {
    let keys: Int32Array = (0..rows as i32).map(|row| if row % 7 == 3 { 3 } else { row % 2 }).collect();
    let values = StringArray::from(vec!["small", "medium", "never", "large"]);
    let sizes = DictionaryArray::<Int32Type>::new(keys, Arc::new(values));
    #[allow(deprecated)]
    let field = Field::new_dict("size", sizes.data_type().clone(), true, 0, ordered);
    let schema = Schema::new(vec![field, Field::new("x", DataType::Float64, true)]);
    let x = Float64Array::from(noise(rows));
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(sizes), Arc::new(x)]).unwrap()
}

#[test]
fn ordered_categories_are_positions() {
    let folder = Folder::with("o.parquet", tables::parquet_bytes(&sizes(60, true), Compression::SNAPPY, 25));
    folder.write("o.arrow", tables::arrow_bytes(&[sizes(60, true)]));
    folder.write("plain.parquet", tables::parquet_bytes(&sizes(60, false), Compression::SNAPPY, 25));
    let found = folder.json("select o.arrow -k 5 --model m.arss");
    assert_eq!(found["columns"], json!(["size", "x"]));
    assert_eq!(found["column_roles"][0]["why"], "4 values in their order");
    folder.run("apply m.arss o.arrow").ok();
    let numbers: Vec<String> =
        (0..60).map(|row| if row % 7 == 3 { 3 } else { row % 2 }).map(|at| at.to_string()).collect();
    let rows = numbers.iter().zip(noise(60)).map(|(size, x)| format!("{size},{x}\n"));
    folder.write("n.csv", format!("size,x\n{}", rows.collect::<String>()));
    let picks = |name: &str| folder.json(&format!("select {name} -k 5"))["indices"].clone();
    assert_eq!(picks("o.arrow"), picks("n.csv"));
    assert_eq!(
        folder.json("select plain.parquet -k 5")["columns"],
        json!(["size=large", "size=medium", "size=small", "x"])
    );
    for flag in ["--encode onehot", "--as size=category"] {
        let onehot = folder.json(&format!("select o.arrow -k 5 {flag}"));
        assert_eq!(onehot["columns"], json!(["size=small", "size=medium", "size=large", "x"]));
    }
    // This writer of Parquet does not keep the order: to claim it would be worse than to have none.
    let columns = folder.json("select o.parquet -k 5")["columns"].clone();
    assert_eq!(columns, json!(["size=large", "size=medium", "size=small", "x"]));
}

#[test]
fn rows_that_were_left_aside_are_told_where_too_few_are_left() {
    let folder = Folder::with("t.csv", "a,b,c\n1,2,3\n4,,\n,,5\n6,7,1\n");
    let wanted = "t.csv: k is 3, but of 4 rows only 2 can be chosen: 2 rows left aside, mostly missing";
    folder.refuses("select t.csv -k 3", &[wanted, "--missing median"]);
    folder.refuses("compare t.csv -k 3", &[wanted]);
    folder.run("select t.csv -k 3 --missing median").ok();
    folder.refuses("select t.csv -k 3 --missing drop", &["2 rows dropped, with missing values", "--missing auto"]);
    folder.write("empty.csv", "a,b\n1,2\n,\n4,5\n");
    folder.refuses(
        "select empty.csv -k 3 --missing mean",
        &["only 2 can be chosen: 1 row left aside, without any value"],
    );
    folder.write("one.csv", "a,b,c,d\n1,2,3,4\n5,6,,\n,,7,8\n");
    folder.refuses("select one.csv -k 2", &["of 3 rows only 1 can be chosen: 2 rows left aside"]);
    folder.refuses("select t.csv -k 9 --missing median", &["t.csv: k is 9, but the table has 4 rows"]);
}

#[test]
fn columns_that_were_left_out_are_told_where_too_few_are_left() {
    let folder = Folder::with("t.csv", ",x,y\n0,5,2\n1,3,9\n2,4,4\n3,1,7\n4,8,8\n");
    folder
        .refuses("features t.csv -k 3", &["t.csv: k is 3, but 2 columns can be chosen; left out: (no name) (counter)"]);
    folder.run("features t.csv -k 2").ok();
}

#[test]
fn near_unique_texts_are_told_to_be_chosen_by_their_words() {
    let words = ["good", "bad", "tea", "coffee", "cold", "hot"];
    let text = |row: usize| format!("{} {} and {} {row}", words[row % 2], words[2 + row % 4], words[row * 5 % 6]);
    let rows = (0..30).map(|row| format!("{row},{}\n", text(row)));
    let folder = Folder::with("t.csv", format!("id,review\n{}", rows.collect::<String>()));
    let advice = "id (counter), review (identifier); --text review chooses by the words of review, --as NAME=ROLE";
    folder.refuses("select t.csv -k 3", &["t.csv: no column to choose by", advice]);
    folder.run("select t.csv -k 3 --text review").ok();
    let rows = (0..30).map(|row| format!("{row},name{}\n", row * 7));
    folder.write("names.csv", format!("id,name\n{}", rows.collect::<String>()));
    let refused = folder.run("select names.csv -k 3").err;
    assert!(!refused.contains("--text") && refused.contains("--as NAME=ROLE"), "{refused}");
}

#[test]
fn rows_that_are_alike_are_a_choice() {
    let folder = Folder::with("t.csv", "a,b\n0,0\n0,0\n0,0\n");
    let notes = said(&folder, "select t.csv -k 2 -o o.csv");
    assert!(notes.contains("note: every column is constant: all rows are alike"), "{notes}");
    assert_eq!(folder.read("o.csv"), "a,b\n0,0\n0,0\n");
    folder.run("outliers t.csv").ok();
    folder.run("plan t.csv -k 2").ok();
    for method in ["kmeans", "kmedoids", "facility", "random"] {
        folder.run(&format!("select t.csv -k 2 --method {method}")).ok();
    }
    for method in ["arss", "rrss", "ted", "rrqr"] {
        let words = format!("select t.csv -k 2 --method {method}");
        folder.refuses(&words, &["all 3 x 2 values are zero: there is nothing to choose by"]);
    }
}

#[test]
fn what_is_left_out_has_a_reason() {
    let rows = (0..20).map(|row| format!("{},{},2020-01-{:02}\n", row * row, row % 3 == 0, row % 9 + 1));
    let folder = Folder::with("t.csv", format!("x,paid,day\n{}", rows.collect::<String>()));
    let notes = said(&folder, "select t.csv -k 3 --encode none");
    assert!(notes.contains("left out: paid (true and false, not numbers), day (dates, not numbers)"), "{notes}");
}
