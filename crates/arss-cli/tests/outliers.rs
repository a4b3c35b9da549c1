//! `arss outliers`: the strangest rows, why, and the table without them.

mod common;
mod tables;

use common::{Folder, noise, npy_f64, numbers, page_data, plots_csv, poor_tables};
use serde_json::Value;

/// A hundred rows in two groups; rows 20, 40 and 60 are far out in one column each.
fn damaged() -> Vec<[f64; 3]> {
    let mut rows: Vec<[f64; 3]> = noise(300)
        .chunks(3)
        .enumerate()
        .map(|(row, v)| {
            let side = if row % 2 == 0 { 8.0 } else { 0.0 };
            [v[0] + side, v[1] - side, v[2]]
        })
        .collect();
    (rows[20][0], rows[40][1], rows[60][2]) = (90.0, -70.0, 50.0);
    rows
}

fn damaged_csv() -> String {
    let mut text = String::from("id,left,middle,right\n");
    for (row, v) in damaged().iter().enumerate() {
        text += &format!("r{row},{},{},{}\n", v[0], v[1], v[2]);
    }
    text
}

fn sorted(mut rows: Vec<usize>) -> Vec<usize> {
    rows.sort_unstable();
    rows
}

#[test]
fn an_absurd_row_is_found_in_small_tables() {
    for rows in [20, 30, 50, 80, 120] {
        for columns in [1, 2, 3, 5, 8] {
            let cells = noise(rows * columns);
            let heading: Vec<String> = (0..columns).map(|at| format!("c{at}")).collect();
            let wild = |column: usize| if column.is_multiple_of(2) { "700" } else { "-950" }.to_owned();
            let mut text = heading.join(",") + "\n";
            for row in 0..rows {
                let cell = |at: usize| if row == 3 { wild(at) } else { cells[row * columns + at].to_string() };
                text += &((0..columns).map(cell).collect::<Vec<_>>().join(",") + "\n");
            }
            let folder = Folder::with("t.csv", text);
            let found = folder.json("outliers t.csv");
            assert!(numbers(&found["indices"]).contains(&3), "{rows} x {columns}: {found}");
            assert!(numbers(&found["indices"]).len() <= 1 + rows / 10, "{rows} x {columns}: {found}");
        }
    }
}

#[test]
fn rows_that_nobody_judged_stay_in_the_clean_table() {
    let row = |at: usize| match at {
        7 | 9 => format!("r{at},,,\n"),
        5 => "r5,900,-800,700\n".to_owned(),
        _ => format!("r{at},{},{},{}\n", at % 7, at * 3 % 11, at * 5 % 13),
    };
    let folder = Folder::with("t.csv", format!("id,a,b,c\n{}", (0..60).map(row).collect::<String>()));
    let ran = folder.run("outliers t.csv -n 0 -o out.csv --clean clean.csv").ok();
    assert!(ran.err.contains("--clean has these 2, too"), "{}", ran.err);
    let (out, clean) = (folder.read("out.csv"), folder.read("clean.csv"));
    assert!(out.contains("r5,") && clean.contains("r7,,,\n") && clean.contains("r9,,,\n"));
    assert_eq!(out.lines().count() + clean.lines().count(), 62);
    // Who asks for it to be dropped gets it dropped.
    folder.run("outliers t.csv -n 0 --clean dropped.csv --missing drop").ok();
    assert!(!folder.read("dropped.csv").contains("r7,"));
}

#[test]
fn damaged_rows_are_found_and_named() {
    let folder = Folder::with("t.csv", damaged_csv());
    let result = folder.json("outliers t.csv -n 5");
    assert_eq!(
        (&result["n_samples"], &result["n_features"], &result["threshold"]),
        (&100.into(), &3.into(), &1.0.into())
    );
    assert_eq!(result["columns"], serde_json::json!(["left", "middle", "right"]));
    let rows = result["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    let found: Vec<usize> = rows.iter().take(3).map(|row| row["row"].as_u64().unwrap() as usize).collect();
    assert_eq!(sorted(found), [20, 40, 60]);
    for (row, column, sign) in [(20, "left", 1.0), (40, "middle", -1.0), (60, "right", 1.0)] {
        let found = rows.iter().find(|found| found["row"] == row).unwrap();
        assert_eq!(found["why"][0]["column"], column, "{found}");
        let difference = found["why"][0]["difference"].as_f64().unwrap();
        assert!(difference * sign > 10.0, "{found}");
        let exemplar = found["exemplar"].as_u64().unwrap();
        assert!(![20, 40, 60].contains(&exemplar), "{found}");
    }
    let scores: Vec<f64> = rows.iter().map(|row| row["outlier_score"].as_f64().unwrap()).collect();
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]) && scores[2] > 1.0, "{scores:?}");
    assert_eq!(result["outliers"], result["indices"].as_array().unwrap().len());
    // Three rows alone: clearly different, and no group.
    assert!((0.5..=1.0).contains(&result["outlier_confidence"].as_f64().unwrap()), "{result}");
    assert!((0.0..0.5).contains(&result["outlier_company"].as_f64().unwrap()), "{result}");
}

#[test]
fn the_table_for_people() {
    let folder = Folder::with("t.csv", damaged_csv());
    let ran = folder.run("outliers t.csv -n 4").ok();
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 5);
    assert!(lines[0].starts_with("row  outlier score  why") && lines[0].ends_with("right"), "{}", ran.out);
    let row_20 = lines.iter().find(|line| line.contains("r20")).unwrap();
    assert!(row_20.contains("left +") && row_20.contains("90"), "{}", ran.out);
    assert!(ran.err.contains("outliers: 100 x 3") && ran.err.contains("beyond 1 ("), "{}", ran.err);
    assert_eq!(folder.run("outliers t.csv").ok().out.lines().count(), 21);
    let quiet = folder.run("outliers t.csv -q --rows 1000").ok();
    assert_eq!((quiet.err.as_str(), quiet.out.lines().count()), ("", 101));
    assert_eq!(folder.run("outliers t.csv -n 0").ok().out.lines().count(), 1);
}

#[test]
fn strange_rows_and_the_rest_are_the_whole_table() {
    let folder = Folder::with("t.csv", damaged_csv());
    let result = folder.json("outliers t.csv -o strange.csv --clean clean.csv --scores scores.csv");
    let strange = numbers(&result["indices"]);
    let text = damaged_csv();
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = std::iter::once(lines[0]).chain(strange.iter().map(|row| lines[row + 1])).collect();
    assert_eq!(folder.read("strange.csv").lines().collect::<Vec<_>>(), wanted);
    let kept = (0..100).filter(|row| !strange.contains(row)).map(|row| lines[row + 1]);
    assert_eq!(
        folder.read("clean.csv").lines().collect::<Vec<_>>(),
        std::iter::once(lines[0]).chain(kept).collect::<Vec<_>>()
    );
    folder.run("outliers t.csv -o file.csv --order file").ok();
    let wanted: Vec<&str> =
        std::iter::once(lines[0]).chain(sorted(strange.clone()).iter().map(|row| lines[row + 1])).collect();
    assert_eq!(folder.read("file.csv").lines().collect::<Vec<_>>(), wanted);
    let scores = folder.read("scores.csv");
    assert_eq!((scores.lines().count(), scores.lines().next().unwrap()), (101, "row,outlier_score,exemplar"));
    let beyond = scores.lines().skip(1).filter(|line| line.split(',').nth(1).unwrap().parse::<f64>().unwrap() > 1.0);
    assert_eq!(beyond.count(), strange.len());
}

#[test]
fn the_threshold_decides() {
    let folder = Folder::with("t.csv", damaged_csv());
    let count = |threshold: &str| {
        let result = folder.json(&format!("outliers t.csv --threshold {threshold} -o s{threshold}.csv"));
        let rows = result["outliers"].as_u64().unwrap() as usize;
        assert_eq!(folder.read(&format!("s{threshold}.csv")).lines().count(), rows + 1);
        rows
    };
    let found = ["0", "0.5", "1", "2", "1e9"].map(count);
    assert!(found.windows(2).all(|pair| pair[0] >= pair[1]), "{found:?}");
    assert_eq!((found[0], found[4]), (100, 0));
    folder.run("outliers t.csv --threshold 1e9 --clean all.csv").ok();
    assert_eq!(folder.read("all.csv"), damaged_csv());
    folder.refuses("outliers t.csv --threshold 0 --clean none.csv", &["every row is beyond --threshold"]);
    for bad in ["-1", "nan", "inf", "much"] {
        folder.refuses(&format!("outliers t.csv --threshold {bad}"), &["--threshold", "not negative"]);
    }
    assert!(!folder.names().contains(&"none.csv".to_owned()));
}

#[test]
fn more_than_a_few_rows_are_thrown_away_only_on_demand() {
    let folder = Folder::with("t.csv", damaged_csv());
    // At this threshold some 16 to 99 of the 100 rows are beyond it.
    let many = folder.json("outliers t.csv --threshold 0.1")["outliers"].as_u64().unwrap();
    assert!((16..100).contains(&many), "{many}");
    let line = "outliers t.csv --threshold 0.1 --clean rest.csv";
    let said = format!("--clean would throw away {many} of 100 rows, more than 15 %");
    folder.refuses(line, &[&said, "--clean-many"]);
    assert_eq!(folder.names(), ["t.csv"]);
    folder.run(&format!("{line} --clean-many")).ok();
    assert_eq!(folder.read("rest.csv").lines().count() as u64, 1 + 100 - many);
    folder.run("outliers t.csv --clean few.csv").ok();
}

#[test]
fn the_page_knows_why_and_where_the_threshold_is() {
    let folder = Folder::with("t.csv", damaged_csv());
    folder.run("outliers t.csv -q --report page.html --threshold 2.5").ok();
    let data = page_data(&folder.read("page.html"));
    assert_eq!(data["outliers"]["chart"]["threshold"], 2.5);
    assert!(data["summary"][2].as_str().unwrap().contains("a score above 2.5"), "{}", data["summary"]);
    let strange = data["strangest"]["rows"].as_array().unwrap();
    let row_60 = strange.iter().find(|row| row["item"] == 60).unwrap();
    assert!(row_60["why"].as_str().unwrap().starts_with("right +"), "{row_60}");
    assert!(data["comparison"].is_null());
}

#[test]
fn arrays_and_settings() {
    let values: Vec<f64> = damaged().concat();
    let folder = Folder::with("t.npy", npy_f64(&values, 100));
    let result = folder.json("outliers t.npy --clean clean.npy --landmarks 64 --ridge 0.02 --seed 3");
    assert_eq!(result["rows"][0]["why"][0]["column"].as_str().map(|name| name.starts_with('f')), Some(true));
    let rows = 100 - result["outliers"].as_u64().unwrap() as usize;
    folder.json(&format!("select clean.npy -k {rows}"));
    folder.refuses(&format!("select clean.npy -k {}", rows + 1), &[&format!("{rows}")]);
    folder.refuses("outliers t.npy --ridge 0", &["ridge is 0"]);
    folder.refuses("outliers t.npy --landmarks 0", &["landmarks is 0"]);
}

#[test]
fn the_answer_is_the_same_for_any_number_of_threads() {
    let folder = Folder::with("t.csv", damaged_csv());
    let of = |threads: usize| {
        let mut result = folder.json(&format!("outliers t.csv --threads {threads}"));
        result["solve_seconds"] = Value::Null;
        result
    };
    assert_eq!(of(1), of(2));
}

#[test]
fn poor_tables_work() {
    let folder = poor_tables();
    for name in folder.names() {
        for scale in ["standard", "none"] {
            let result = folder.json(&format!("outliers {name} --scale {scale}"));
            let rows = result["rows"].as_array().unwrap();
            assert_eq!(rows.len() as u64, result["n_samples"].as_u64().unwrap(), "{name}");
            assert!(rows.iter().all(|row| row["outlier_score"].is_number()), "{name} {result}");
        }
    }
}

#[test]
fn files_are_not_lost() {
    let folder = Folder::with("t.csv", plots_csv());
    folder.write("there.csv", "mine\n");
    for flag in ["-o", "--clean", "--scores"] {
        folder.refuses(&format!("outliers t.csv {flag} there.csv"), &["there.csv", "already exists", "--force"]);
        folder.refuses(&format!("outliers t.csv {flag} t.csv --force"), &["is the input"]);
    }
    folder.refuses("outliers t.csv -o a.csv --clean a.csv", &["was given to both -o and --clean"]);
    folder.refuses("outliers t.csv --clean a.txt", &["does not tell the format"]);
    folder.refuses("outliers missing.csv", &["there is no such file"]);
    let ran = folder.run("outliers t.csv -o a.csv --scores missing/scores.csv");
    assert!(ran.code == 1 && ran.err.contains("missing"), "{ran:?}");
    let ran = folder.run("outliers t.csv -q -o a.csv --report /dev/full");
    assert!(ran.code == 1 && ran.err.contains("/dev/full"), "{ran:?}");
    assert_eq!((folder.read("there.csv").as_str(), folder.names().len()), ("mine\n", 2));
    folder.run("outliers t.csv -q --clean there.csv --force").ok();
    assert!(folder.read("there.csv").starts_with("id,height"));
}

#[test]
fn stdout_gets_the_file_alone() {
    let folder = Folder::with("t.csv", damaged_csv());
    folder.run("outliers t.csv -q --clean clean.csv -o strange.csv --scores scores.csv").ok();
    for (flag, file) in [("--clean", "clean.csv"), ("-o", "strange.csv"), ("--scores", "scores.csv")] {
        assert_eq!(folder.run(&format!("outliers t.csv -q {flag} -")).ok().out, folder.read(file), "{flag}");
        folder.refuses(&format!("outliers t.csv --json {flag} -"), &["--json prints to stdout, and so does -"]);
    }
}

#[test]
fn no_outliers_are_an_empty_file_of_every_format() {
    let folder = tables::folder();
    let numbers = ["t.npy", "t.npz"];
    for (name, _) in tables::every_format() {
        for format in ["csv", "tsv", "jsonl", "json", "parquet", "arrow", "npy", "csv.gz", "jsonl.zst"] {
            let out = format!("out.{format}");
            let ran = folder.run(&format!("outliers {name} --threshold 1e9 -q --force -o {out}"));
            if format == "npy" && !numbers.contains(&name) {
                assert!(ran.code == 2 && ran.err.contains(".npy holds numbers only"), "{name}: {ran:?}");
                continue;
            }
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name} to {format}");
            match format {
                "parquet" | "arrow" => {
                    let place = folder.path(&out);
                    let found =
                        if format == "parquet" { tables::read_parquet(&place).0 } else { tables::read_arrow(&place) };
                    assert_eq!(found.num_rows(), 0, "{name}");
                    let names: Vec<String> = found.schema().fields().iter().map(|field| field.name().clone()).collect();
                    let wanted: &[&str] =
                        if numbers.contains(&name) { &["f0", "f1", "f2"] } else { &["id", "x", "y", "n", "remark"] };
                    assert_eq!(names, wanted, "{name}");
                }
                "jsonl" => assert_eq!(folder.read(&out), "", "{name}"),
                "json" => assert_eq!(folder.read(&out).trim_end(), "[]", "{name}"),
                "npy" => {
                    let bytes = folder.bytes(&out);
                    let head = String::from_utf8_lossy(&bytes).into_owned();
                    assert!(bytes.len() == 128 && head.contains("'shape': (0, 3)"), "{name}: {head}");
                }
                "csv" => assert!(folder.bytes(&out).len() < 64, "{name}: {:?}", folder.bytes(&out)),
                _ => assert!(folder.path(&out).is_file(), "{name}"),
            }
        }
    }
}
