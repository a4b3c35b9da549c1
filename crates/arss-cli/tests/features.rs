//! `arss features`: the columns that explain the others.

mod common;

use common::{Folder, npy_f64, plots_csv};

/// Six columns: the last three are the first three with a little noise, and one text column.
fn copies_csv() -> String {
    let mut text = String::from("a,b,c,name,copy_a,copy_b,copy_c\n");
    for (row, v) in common::noise(300).chunks(3).enumerate() {
        let small = |at: usize| v[at] + 1e-3 * v[(at + 1) % 3];
        text += &format!("{},{},{},row{row},{},{},{}\n", v[0], v[1], v[2], small(0), small(1), small(2));
    }
    text
}

#[test]
fn no_column_is_chosen_with_its_copy() {
    let folder = Folder::with("t.csv", copies_csv());
    let result = folder.json("features t.csv -k 3");
    assert_eq!((&result["method"], &result["axis"]), (&"ted".into(), &"columns".into()));
    let names: Vec<String> =
        result["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().replace("copy_", "")).collect();
    let mut once = names.clone();
    once.sort();
    assert_eq!(once, ["a", "b", "c"], "{names:?}");
}

#[test]
fn the_old_flag_is_the_same() {
    let folder = Folder::with("plots.csv", plots_csv());
    for flags in ["", "--method arss", "--scale none --method rrqr"] {
        let new = folder.json(&format!("features plots.csv -k 2 {flags}"));
        let old = folder.json(&format!("select --features plots.csv -k 2 {flags}"));
        for key in ["method", "axis", "indices", "names", "scores"] {
            assert_eq!(new[key], old[key], "{flags} {key}");
        }
    }
    assert_eq!(folder.json("select plots.csv -k 2")["method"], "exemplars");
}

#[test]
fn columns_are_written_by_rank_or_as_in_the_file() {
    let folder = Folder::with("plots.csv", plots_csv());
    let result =
        folder.json("features plots.csv -k 3 --scale standard -o rank.csv --scores scores.csv --report page.html");
    folder.run("features plots.csv -k 3 -o file.csv --order file").ok();
    let names: Vec<&str> = result["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let mut sorted = names.clone();
    sorted.sort_by_key(|name| ["height", "width", "depth"].iter().position(|known| known == name));
    assert_ne!(names, sorted, "the table should not be ranked in its own order");
    let header = |file: &str| folder.read(file).lines().next().unwrap().to_owned();
    assert_eq!((header("rank.csv"), header("file.csv")), (names.join(","), sorted.join(",")));
    let cells = |file: &str, name: &str| -> Vec<String> {
        let at = header(file).split(',').position(|found| found == name).unwrap();
        folder.read(file).lines().map(|line| line.split(',').nth(at).unwrap().to_owned()).collect()
    };
    let original = |name: &str| cells("plots.csv", name);
    for name in names {
        assert!(cells("rank.csv", name) == original(name) && cells("file.csv", name) == original(name), "{name}");
    }
    assert_eq!(folder.read("rank.csv").lines().count(), 31);
    assert!(folder.read("scores.csv").starts_with("column,name,score"));
    assert!(folder.read("page.html").contains("arss features plots.csv"));
}

#[test]
fn rows_can_be_in_the_order_of_the_file_too() {
    let folder = Folder::with("plots.csv", plots_csv());
    let mut rows = folder.indices("select plots.csv -k 7 -o file.csv --order file");
    rows.sort_unstable();
    let text = plots_csv();
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = std::iter::once(lines[0]).chain(rows.iter().map(|row| lines[row + 1])).collect();
    assert_eq!(folder.read("file.csv").lines().collect::<Vec<_>>(), wanted);
}

#[test]
fn arrays_have_columns_too() {
    let values: Vec<f64> = (0..40).map(|i| f64::from(i * i % 17) + f64::from(i)).collect();
    let folder = Folder::with("t.npy", npy_f64(&values, 10));
    let chosen = folder.indices("features t.npy -k 2 -o c.csv --order file");
    assert_eq!(chosen.len(), 2);
    let header = folder.read("c.csv").lines().next().unwrap().to_owned();
    let mut wanted = chosen;
    wanted.sort_unstable();
    assert_eq!(header, wanted.iter().map(|column| format!("f{column}")).collect::<Vec<_>>().join(","));
}

#[test]
fn what_cannot_be_is_one_line() {
    let folder = Folder::with("plots.csv", plots_csv());
    folder.refuses("features plots.csv -k 4", &["k is 4", "3"]);
    folder.refuses("features plots.csv", &["--count"]);
    folder.refuses("features plots.csv -k auto", &["ted cannot tell how many"]);
    folder.refuses("features plots.csv -k 1 --method best", &["best"]);
    folder.refuses("features plots.csv -k 1 --order up", &["up", "--order"]);
    folder.refuses("features plots.csv -k 1 --include 3", &["--include"]);
    folder.refuses("features plots.csv -k 1 -o plots.csv", &["is the input"]);
    folder.refuses("features missing.csv -k 1", &["there is no such file"]);
    assert_eq!(folder.names(), ["plots.csv"]);
}
