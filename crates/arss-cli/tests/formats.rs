//! One table in every format: the same picks, from files, pipes, and several files at once.

mod common;
mod tables;

use common::{ARSS, Folder, Ran, npy_f64, numbers};
use parquet::basic::Compression;
use tables::{arrow_bytes, batch, every_format, gz, lines, npz, parquet_bytes, stream_bytes, text};

/// Arrays hold nothing but the columns that are used.
fn columns(name: &str) -> &'static str {
    if name.contains(".np") { "" } else { "--columns x,y,n" }
}

/// Runs with `input` on stdin.
fn run_piped(folder: &Folder, line: &str, input: &[u8]) -> Ran {
    let mut command = assert_cmd::Command::new(ARSS);
    let output =
        command.current_dir(folder.0.path()).args(line.split_whitespace()).write_stdin(input).output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn every_format_gives_the_same_picks() {
    let folder = tables::folder();
    let wanted = folder.json("select t.csv -k 5 --columns x,y,n");
    for (name, _) in every_format() {
        let found = folder.json(&format!("select {name} -k 5 {}", columns(name)));
        assert_eq!(found["indices"], wanted["indices"], "{name}");
        assert_eq!(found["scores"], wanted["scores"], "{name}");
        assert_eq!(found["n_samples"], 40, "{name}");
    }
}

#[test]
fn every_format_comes_through_a_pipe() {
    let folder = Folder::with("t.csv", text(',', "\n"));
    let wanted = folder.indices("select t.csv -k 4 --columns x,y,n");
    for (name, content) in every_format() {
        // What the name of a file would tell is found out or told.
        let format = if name.contains(".tsv") { "--format tsv" } else { "" };
        let line = format!("select - -k 4 {} {format} --json -q", columns(name));
        let ran = run_piped(&folder, &line, &content).ok();
        let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(numbers(&found["indices"]), wanted, "{name}");
        assert_eq!(ran.err, "", "{name}");
    }
    run_piped(&folder, "select - -k 1", b"").refused("nothing", &["-: the file is empty"]);
    run_piped(&folder, "select - -k 1", b"\x01\x02").refused("binary", &["-: unknown kind of file", "--format"]);
    let words = ["-: holds more than 100 B, which is the limit; save it to a file"];
    run_piped(&folder, "select - -k 1 --memory 100 --method random", &tables::npy()).refused("long", &words);
    run_piped(&folder, "select - - -k 1", b"a\n1\n").refused("twice", &["-: was given twice"]);
}

#[test]
fn several_files_are_one_table() {
    let folder = tables::folder();
    let wanted = folder.indices("select t.csv -k 5 --columns x,y,n");
    let csv = text(',', "\r\n");
    let cut = csv.match_indices("r25,").next().unwrap().0;
    let header = "id,x,y,n,remark\r\n";
    folder.write("part-a.csv", &csv[..cut]);
    folder.write("part-b.csv", format!("{header}{}", &csv[cut..]).replace("\r\n", "\n"));
    let lines = lines();
    let cut = lines.match_indices('\n').nth(9).unwrap().0 + 1;
    folder.write("part-a.jsonl", &lines[..cut]);
    folder.write("part-b.jsonl", &lines[cut..]);
    let (a, b) = (batch().slice(0, 11), batch().slice(11, 29));
    folder.write("part-a.parquet", parquet_bytes(&a, Compression::SNAPPY, 4));
    folder.write("part-b.parquet", parquet_bytes(&b, Compression::UNCOMPRESSED, 100));
    folder.write("part-a.arrow", arrow_bytes(std::slice::from_ref(&a)));
    folder.write("part-b.arrow", stream_bytes(&[b]));
    let rows = tables::numbers();
    folder.write("part-a.npy", npy_f64(&rows[..30].concat(), 30));
    folder.write("part-b.npy", npy_f64(&rows[30..].concat(), 10));
    for end in ["csv", "jsonl", "parquet", "arrow", "npy"] {
        let columns = columns(&format!(".{end}"));
        for files in [format!("part-a.{end} part-b.{end}"), format!("part-?.{end}"), format!("./pa*.{end}")] {
            assert_eq!(folder.indices(&format!("select {files} -k 5 {columns}")), wanted, "{files}");
        }
    }
    // The chosen rows come from both files, in the order of the picks.
    folder.run("select part-a.csv part-b.csv -k 5 --columns x,y,n -o out.jsonl").ok();
    let ids: Vec<String> = wanted.iter().map(|row| format!("r{row}")).collect();
    let found: Vec<String> = folder
        .read("out.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(found, ids);
    folder.write("gap.csv", format!("{header}r40,1,,3,\r\n"));
    folder.refuses("select part-a.csv gap.csv -k 2", &["row 0 (from 0; line 2) of gap.csv, column y is empty"]);
}

#[test]
fn files_that_do_not_belong_together() {
    let folder = Folder::with("a.csv", "x,y\n1,2\n3,4\n");
    folder.write("b.csv", "x,z\n1,2\n");
    folder.write("c.csv", "x,y,z\n1,2,3\n");
    folder.write("d.csv", "x\n1\n");
    folder.write("e.jsonl", "{\"x\":1,\"y\":2}\n");
    folder.write("a.npy", npy_f64(&[1.0, 2.0], 1));
    folder.write("b.npy", npy_f64(&[1.0, 2.0, 3.0], 1));
    let refuses = |files: &str, words: &[&str]| folder.refuses(&format!("select {files} -k 1"), words);
    refuses("a.csv b.csv", &["b.csv: does not have the columns of a.csv: column z is called y there"]);
    refuses("a.csv c.csv", &["c.csv", "has 3 columns, 2 there"]);
    refuses("a.csv d.csv", &["d.csv", "has 1 columns, 2 there"]);
    refuses("a.csv e.jsonl", &["e.jsonl: is of another format than a.csv"]);
    refuses("a.npy b.npy", &["b.npy", "has 3 columns, 2 there"]);
    refuses("a.csv a.csv", &["a.csv: was given twice"]);
    refuses("a.csv ./a.csv", &["./a.csv: was given twice"]);
    refuses("*.csv", &["b.csv: does not have the columns of a.csv"]);
    refuses("none*.csv", &["none*.csv: matches no file"]);
    refuses("a.csv none.csv", &["none.csv: there is no such file"]);
    let mixed = batch().project(&[1]).unwrap();
    let whole = batch().project(&[3]).unwrap();
    let renamed = arrow_array::RecordBatch::try_from_iter([("x", whole.column(0).clone())]).unwrap();
    folder.write("a.parquet", parquet_bytes(&mixed, Compression::SNAPPY, 100));
    folder.write("b.parquet", parquet_bytes(&renamed, Compression::SNAPPY, 100));
    refuses("a.parquet b.parquet", &["b.parquet", "column x is of type Int64, Float64 there"]);
    // Keys may be missing in some lines, so they may be missing in some files.
    folder.write("f.jsonl", "{\"x\":3,\"w\":4}\n{\"x\":9}\n");
    assert_eq!(folder.json("select e.jsonl f.jsonl -k 1 --columns x")["n_samples"], 3);
}

#[test]
fn what_the_name_does_not_tell_can_be_told() {
    let folder = Folder::with("t.dat", "1:2\n3:5\n9:1\n");
    folder.write("names", "1,2\n3,4\n5,9\n");
    folder.write("t.bin", parquet_bytes(&batch(), Compression::SNAPPY, 100));
    folder.write("odd.parquet", "x,y\n1,2\n3,4\n");
    let shape = |line: &str| {
        let found = folder.json(line);
        (found["n_samples"].as_u64().unwrap(), found["n_features"].as_u64().unwrap())
    };
    assert_eq!(shape("select t.dat -k 1 --delimiter :"), (3, 2));
    assert_eq!(shape("select names -k 1"), (3, 2));
    assert_eq!(shape("select names -k 1 --header no"), (3, 2));
    assert_eq!(shape("select names -k 1 --header yes"), (2, 2));
    assert_eq!(shape("select t.bin -k 1"), (40, 3));
    assert_eq!(shape("select odd.parquet -k 1 --format csv"), (2, 2));
    folder.refuses("select odd.parquet -k 1", &["odd.parquet: is no whole Parquet file"]);
    folder.refuses("select t.bin -k 1 --format arrow", &["t.bin: is no whole Arrow file"]);
    folder.refuses("select t.bin -k 1 --format tsv", &["t.bin", "NUL"]);
    folder.refuses("select t.dat -k 1 --delimiter ab", &["--delimiter", "one character"]);
    folder.write("array.json", " [ {\"x\": 1},\n {\"x\": 2} ]\n");
    folder.refuses("select array.json -k 1", &["array.json: is one JSON array", "jq"]);
    folder.write("old.feather", b"FEA1\0\0\0\0FEA1");
    folder.refuses("select old.feather -k 1", &["old.feather", "version 1"]);
}

#[test]
fn separators_and_headers_are_found_out() {
    let shape = |content: &str| {
        let folder = Folder::with("t.csv", content);
        let ran = folder.run("select t.csv -k 1 --json").ok();
        let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        (found["n_samples"].as_u64().unwrap(), found["n_features"].as_u64().unwrap(), ran.err)
    };
    let first = |content: &str| {
        let (rows, columns, _) = shape(content);
        (rows, columns)
    };
    assert_eq!(first("a;b\n1;2\n3;4\n"), (2, 2));
    assert_eq!(first("a|b\n1|2\n3|4\n"), (2, 2));
    assert_eq!(first("a\tb\n1\t2\n3\t4\n"), (2, 2));
    assert_eq!(first("a\n1\n2\n"), (2, 1));
    assert_eq!(first(",0,1\n0,5,6\n1,7,9\n"), (2, 3));
    assert_eq!(first("2024-01-02,5\n2024-01-03,7\n"), (2, 1), "dates are data");
    assert_eq!(first("true,5\nfalse,7\n"), (2, 1), "so are truth values");
    let (_, _, said) = shape("1,2\n3,4\n");
    assert!(said.contains("the first line holds numbers only") && said.contains("--header yes"), "{said}");
    let (rows, _, said) = shape("name,2020,2021\na,1,2\nb,3,5\n");
    assert!(rows == 2 && said.contains("text and numbers") && said.contains("--header no"), "{said}");
    let ragged = Folder::with("t.csv", "a;b\n1;2\n3\n4;5\n");
    ragged.refuses("select t.csv -k 1", &["line 3 has 1 fields, but the header has 2"]);
}

#[test]
fn archives_of_arrays() {
    let one = npy_f64(&[1.0, 2.0, 3.0, 9.0], 2);
    let folder = Folder::with("two.npz", npz(&[("a", one.clone()), ("b", tables::npy())]));
    folder.write("none.npz", npz(&[]));
    folder.write("one.npz", npz(&[("a", one)]));
    assert_eq!(folder.json("select two.npz -k 1 --array b")["n_samples"], 40);
    assert_eq!(folder.json("select one.npz -k 1")["n_samples"], 2);
    folder.refuses("select two.npz -k 1", &["two.npz: holds 2 arrays: a, b; choose one with --array NAME"]);
    folder.refuses("select two.npz -k 1 --array c", &["has no array c; it holds a, b"]);
    folder.refuses("select none.npz -k 1", &["none.npz: holds no array"]);
    folder.write("gz.npz", gz("x"));
    folder.refuses("select gz.npz -k 1", &["gz.npz: is no whole npz archive"]);
}
