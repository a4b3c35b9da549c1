//! `select --result` and `arss report`: the same page later; and the same bytes every time.

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{Folder, noise, npy_f64, plots_csv};

const METHODS: [&str; 11] = [
    "exemplars",
    "arss",
    "arss --p 1",
    "rrss",
    "ted",
    "kmeans",
    "kmedoids",
    "facility",
    "rrqr",
    "random",
    "arss --kernel rbf --diverse",
];

#[test]
fn the_page_can_be_made_later_byte_for_byte() {
    let folder = Folder::with("t.csv", plots_csv());
    for method in METHODS {
        for flags in ["", "--features", "--scale none"] {
            let line = format!("select t.csv -k 2 -q --method {method} {flags} --force");
            folder.run(&format!("{line} --result r.json --report now.html")).ok();
            folder.run("report r.json -o later.html -q --force").ok();
            assert!(folder.bytes("now.html") == folder.bytes("later.html"), "{line}");
        }
    }
    folder.run("select t.csv -k 4 -q --include 3 --forbid 5 --force --result r.json --report now.html").ok();
    let ran = folder.run("report r.json -o later.html --force").ok();
    assert!(folder.bytes("now.html") == folder.bytes("later.html"));
    assert!(ran.err.contains("later.html: the page of r.json") && ran.out.is_empty(), "{ran:?}");
}

#[test]
fn a_page_nobody_asked_for_then_is_made_from_the_result_alone() {
    let folder = Folder::with("t.npy", npy_f64(&noise(6_000 * 4), 6_000));
    folder.run("select t.npy -k 7 -q --result r.json").ok();
    std::fs::create_dir(folder.path("moved")).unwrap();
    std::fs::rename(folder.path("t.npy"), folder.path("moved/other.npy")).unwrap();
    folder.refuses("report r.json -o page.html", &["t.npy: there is no such file", "--input"]);
    folder.run("report r.json -o page.html -q --input moved/other.npy").ok();
    let page = folder.read("page.html");
    assert!(page.contains("\"command\":\"arss select t.npy -k 7 -q --result r.json\""));
    assert!(page.contains("7 rows that stand for all of t.npy (6,000 rows, 4 columns to choose by)"));
}

#[test]
fn another_table_is_refused() {
    let folder = Folder::with("t.csv", plots_csv());
    let picks = folder.indices("select t.csv -k 3 -q --result r.json");
    let text = plots_csv();
    let (first, row) = (text.lines().nth(1).unwrap(), text.lines().nth(picks[0] + 1).unwrap());
    let digit = if first.contains('7') { '7' } else { '1' };
    for (changed, word) in [
        (text.replacen(first, &first.replace(digit, "3"), 1), "its values or names are others"),
        (text.replacen("height", "weight", 1), "its values or names are others"),
        (text.replacen(row, &row.replacen("plot", "plan", 1), 1), "its values or names are others"),
        (text.lines().take(20).map(|line| format!("{line}\n")).collect(), "it had 30 x 3 values, now 19 x 3"),
        (text.replacen("row 0", "row zero", 1), "bytes, now"),
    ] {
        folder.write("t.csv", &changed);
        folder.refuses("report r.json -o page.html", &["t.csv: is not the table that r.json was made from: ", word]);
        assert_eq!(folder.names(), ["r.json", "t.csv"]);
    }
    folder.write("t.csv", text);
    folder.run("report r.json -o page.html -q").ok();
}

#[test]
fn what_is_no_result_is_refused() {
    let folder = Folder::with("t.csv", plots_csv());
    folder.run("select t.csv -k 3 -q --result r.json").ok();
    let good = folder.read("r.json");
    let wrong = |name: &str, text: &str, words: &[&str]| {
        folder.write(name, text);
        folder.refuses(&format!("report {name} -o page.html"), words);
    };
    wrong("empty.json", "", &["empty.json: is no result of select --result"]);
    wrong("other.json", "{\"a\":1}", &["other.json: is no result"]);
    wrong("cut.json", &good[..good.len() / 2], &["cut.json: is no result"]);
    wrong("later.json", &good.replacen("\"arss_result\":2", "\"arss_result\":3", 1), &["it is of another version"]);
    wrong("words.json", &good.replacen("\"-k\"", "\"-j\"", 1), &["its command line is not understood"]);
    wrong("broken.json", &good.replacen("\"scores\":[", "\"scores\":[1.0,", 1), &["broken.json: is damaged"]);
    folder.refuses("report missing.json -o page.html", &["missing.json: there is no such file"]);
    folder.refuses("report r.json -o r.json", &["already exists"]);
    folder.refuses("report r.json -o t.csv --force", &["is what the page is made from"]);
    folder.refuses("report r.json", &["--output"]);
    let ran = folder.run("report r.json -o missing/page.html");
    assert!(ran.code == 1 && ran.err.contains("missing"), "{ran:?}");
}

/// The files of a folder and of the folders in it, by their names below `root`.
fn files_below(root: &Path, found: &mut BTreeMap<String, Vec<u8>>, within: &str) {
    for entry in std::fs::read_dir(root).unwrap().map(Result::unwrap) {
        let name = format!("{within}{}", entry.file_name().into_string().unwrap());
        match entry.path().is_dir() {
            true => files_below(&entry.path(), found, &format!("{name}/")),
            false => drop(found.insert(name, std::fs::read(entry.path()).unwrap())),
        }
    }
}

/// Runs a line in a folder of its own and gives all files that it wrote, and what it printed.
fn written(line: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = Folder::with("t.csv", plots_csv());
    let ran = folder.run(line).ok();
    let mut files = BTreeMap::from([("stdout".to_owned(), ran.out.into_bytes())]);
    files_below(&folder.path(""), &mut files, "");
    files
}

#[test]
fn the_same_command_twice_gives_the_same_bytes() {
    let outputs = "-o o.csv --scores s.csv --report p.html --result r.json --indices i.txt";
    for method in METHODS {
        let line = format!("select t.csv -k 4 --method {method} {outputs}");
        let (first, second) = (written(&line), written(&line));
        assert_eq!(first.len(), 7, "{line}");
        assert!(first == second, "{line}");
    }
    let demo = written("demo");
    assert!(demo == written("demo"));
    let count = |start: &str| demo.keys().filter(|name| name.starts_with(start)).count();
    assert_eq!((count("arss-demo/pictures/"), count("arss-demo/")), (150, 155));
}
