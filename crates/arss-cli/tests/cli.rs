//! `arss select` on good input: every flag, every output.

mod common;

use common::{Folder, numbers, plots_csv};

const METHODS: [&str; 9] = ["exemplars", "arss", "rrss", "ted", "kmeans", "kmedoids", "facility", "rrqr", "random"];

fn plots() -> Folder {
    Folder::with("plots.csv", plots_csv())
}

#[test]
fn json_has_every_field() {
    let folder = plots();
    for method in METHODS {
        let result = folder.json(&format!("select plots.csv -k 5 --method {method}"));
        assert_eq!(result["method"], method);
        assert_eq!((&result["n_samples"], &result["n_features"], &result["k"]), (&30.into(), &3.into(), &5.into()));
        let indices = numbers(&result["indices"]);
        let mut distinct = indices.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 5, "{method}: {indices:?}");
        assert!(indices.iter().all(|&row| row < 30));
        assert_eq!(result["scores"].as_array().unwrap().len(), 5);
        assert!(["converged", "iteration_limit"].contains(&result["status"].as_str().unwrap()));
        assert!(result["iterations"].is_u64() && result["solve_seconds"].is_f64());
        for field in ["objective", "gap", "gamma", "constraint_residual"] {
            assert!(result.get(field).is_some_and(|v| v.is_null() || v.is_number()), "{method}: {field}");
        }
        assert!(result["rows_scored"].is_u64() && result["seconds"]["solve"].is_f64() && result["notes"].is_array());
        assert_eq!(result["columns"], serde_json::json!(["height", "width", "depth"]));
        for field in ["outliers", "outlier_confidence", "outlier_company"] {
            assert_eq!(result.get(field).is_some(), method == "exemplars", "{method}: {field}");
        }
        let assigns = ["exemplars", "facility"].contains(&method);
        for field in ["shares", "coverage"] {
            let values = result.get(field).map(|values| values.as_array().unwrap().len());
            assert_eq!(values, assigns.then_some(5), "{method}: {field}");
        }
    }
    assert_eq!(folder.json("select plots.csv -k 5")["method"], "exemplars");
}

#[test]
fn every_flag_is_taken_by_its_methods() {
    let folder = plots();
    for flags in [
        "--method arss --preset paper",
        "--method arss --preset paper --p 0.7 --gamma 0.5 --rho 1.2",
        "--method arss --gamma 0.5 --p 0.5",
        "--method arss --gamma-ratio 0.2 --p 1",
        "--method arss --mu 0.001 --iterations 20",
        "--method arss --rho 1.2 --iterations 20",
        "--method arss --mu-max 1000 --iterations 20 --tolerance 0.01",
        "--method arss --gst-steps 2 --iterations 20",
        "--method arss --gst-steps 0 --eps 1e-12",
        "--method rrss --gamma 0.5 --iterations 9 --tolerance 0 --eps 1e-12",
        "--method rrss --gamma-ratio 0.2",
        "--method ted --alpha 0.5",
        "--method kmeans --seed 3 --iterations 9 --tolerance 0.01",
        "--method kmedoids --seed 3 --iterations 9",
        "--method random --seed 3",
        "--method facility --seed 3",
        "--method exemplars --seed 3",
        "--landmarks 9 --ridge 0.1 --no-gate",
        "--method arss --diverse",
        "--method arss --kernel rbf --diverse --preset paper",
        "--method rrss --kernel rbf --landmarks 9 --seed 3 --diverse",
        "--method ted --kernel rbf --seed 3",
        "--method rrqr",
        "--scale none",
        "--scale standard --threads 1",
    ] {
        assert_eq!(folder.indices(&format!("select plots.csv -k 4 {flags}")).len(), 4, "{flags}");
    }
}

#[test]
fn a_flag_the_method_does_not_use_is_refused() {
    let folder = plots();
    let refuses = |flags: &str, words: &[&str]| folder.refuses(&format!("select plots.csv -k 4 {flags}"), words);
    refuses("--method exemplars --preset paper", &["--preset is not used by method exemplars; it takes --seed"]);
    refuses("--alpha 1", &["--alpha is not used by method exemplars; it takes --seed, --landmarks, "]);
    refuses("--method arss --alpha 1", &["--alpha is not used by method arss; it takes --preset, --gamma, "]);
    refuses("--method arss --seed 1", &["--seed is a setting of the kernel: add --kernel rbf"]);
    refuses("--method ted --landmarks 9", &["--landmarks is a setting of the kernel"]);
    refuses("--method arss --kernel poly", &["poly", "rbf"]);
    refuses("--kernel rbf", &["--kernel is not used by method exemplars"]);
    refuses("--method ted --diverse", &["--diverse is not needed with method ted"]);
    refuses("--method kmeans --include 1", &["--include is not used by method kmeans"]);
    refuses("--method kmeans --assignments a.csv", &["--assignments", "kmeans", "exemplars or facility"]);
    refuses("--method ted --gamma 1", &["--gamma is not used by method ted; it takes --alpha"]);
    refuses("--method rrss --preset paper", &["--preset", "rrss", "--gamma-ratio"]);
    refuses("--method rrss --p 1", &["--p is", "rrss"]);
    refuses("--method kmeans --mu 1", &["--mu is", "kmeans", "--seed"]);
    refuses("--method kmedoids --tolerance 1", &["--tolerance", "kmedoids"]);
    refuses("--method random --iterations 1", &["--iterations", "random"]);
    refuses("--method rrqr --seed 1", &["--seed", "rrqr", "no settings"]);
    refuses("--gamma 1 --gamma-ratio 1", &["--gamma", "--gamma-ratio"]);
}

#[test]
fn the_table_ranks_the_json_indices() {
    let folder = plots();
    let indices = folder.indices("select plots.csv -k 6");
    let ran = folder.run("select plots.csv -k 6").ok();
    let mut lines = ran.out.lines();
    let heading: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(heading[..5], ["rank", "row", "score", "share", "id"]);
    for (rank, (line, row)) in lines.by_ref().zip(&indices).enumerate() {
        let cells: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(cells[0], (rank + 1).to_string());
        assert_eq!((cells[1], cells[4]), (row.to_string().as_str(), format!("plot-{row:02}").as_str()));
    }
    assert_eq!(ran.out.lines().count(), 7);
    assert!(ran.err.contains("left out: id (identifier), remark (identifier)"), "{}", ran.err);
    let said = "exemplars: 30 rows by 3 columns, 6 chosen: they cover ";
    assert!(ran.err.lines().any(|line| line.starts_with(said)), "{}", ran.err);
}

#[test]
fn quiet_says_nothing() {
    let ran = plots().run("select plots.csv -k 2 -q").ok();
    assert_eq!(ran.err, "");
    assert_eq!(ran.out.lines().count(), 3);
}

#[test]
fn chosen_rows_are_written_byte_for_byte() {
    for ending in ["\n", "\r\n"] {
        let text = plots_csv().replace('\n', ending);
        // The last line without its line break.
        let folder = Folder::with("plots.csv", text.trim_end());
        let indices = folder.indices("select plots.csv -k 30 -o chosen.csv");
        let lines: Vec<&str> = text.split_terminator(ending).collect();
        let wanted: String =
            std::iter::once(0).chain(indices.iter().map(|i| i + 1)).map(|i| format!("{}{ending}", lines[i])).collect();
        assert_eq!(folder.read("chosen.csv"), wanted);
        assert_eq!(folder.names(), ["chosen.csv", "plots.csv"]);
    }
}

#[test]
fn odd_but_good_csv_is_read() {
    let folder = Folder::new();
    // A byte order mark, blank lines, quoted numbers, spaces, a line break inside a field, latin-1 text.
    let text = b"\xef\xbb\xbfx,note,y\n\n 1 ,\"two\nlines\",\"2\"\n\n3,caf\xe9,4e0\n5,,.5\n";
    folder.write("odd.csv", text);
    let result = folder.json("select odd.csv -k 3 -o out.csv");
    assert_eq!(result["columns"], serde_json::json!(["x", "y"]));
    let records = [&b" 1 ,\"two\nlines\",\"2\"\n"[..], b"3,caf\xe9,4e0\n", b"5,,.5\n"];
    let mut wanted = b"\xef\xbb\xbfx,note,y\n".to_vec();
    numbers(&result["indices"]).iter().for_each(|&row| wanted.extend_from_slice(records[row]));
    assert_eq!(folder.bytes("out.csv"), wanted);
}

#[test]
fn a_mostly_numeric_column_is_ignored_with_its_first_bad_cell() {
    let folder = Folder::with("t.csv", "a,b\n1,1\n2,2\n3,x7\n4,4\n");
    let ran = folder.run("select t.csv -k 1").ok();
    assert!(ran.err.contains("b is mostly numbers, but row 2 (from 0; line 4), column b holds x7"), "{}", ran.err);
    let ran = Folder::with("t.csv", "1,2\n3,4\n5,6\n").run("select t.csv -k 1").ok();
    assert!(ran.err.contains("first line holds numbers only"), "{}", ran.err);
}

#[test]
fn scores_of_all_rows_agree_with_the_choice() {
    let folder = plots();
    for method in METHODS {
        let result = folder.json(&format!("select plots.csv -k 5 --method {method} --force --scores scores.csv"));
        let text = folder.read("scores.csv");
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("row,score,norm,residual"));
        let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), 30);
        for (at, row) in rows.iter().enumerate() {
            assert_eq!(row[0], at.to_string());
            assert!(row[2].is_empty() || row[2].parse::<f64>().unwrap() >= 0.0);
            assert!(row[3].parse::<f64>().unwrap() >= 0.0);
        }
        for (row, score) in numbers(&result["indices"]).iter().zip(result["scores"].as_array().unwrap()) {
            assert_eq!(rows[*row][1].parse::<f64>().unwrap(), score.as_f64().unwrap(), "{method}");
        }
    }
}

#[test]
fn columns_can_be_chosen() {
    let folder = plots();
    let result = folder.json("select plots.csv -k 2 --features -o columns.csv --scores scores.csv");
    assert_eq!((&result["axis"], &result["n_samples"]), (&"columns".into(), &30.into()));
    let headings = plots_csv();
    let names: Vec<&str> = headings.lines().next().unwrap().split(',').collect();
    let chosen: Vec<&str> = numbers(&result["indices"]).iter().map(|&column| names[column]).collect();
    assert_eq!(result["names"], serde_json::json!(chosen));
    let text = folder.read("columns.csv");
    assert_eq!(text.lines().next().unwrap(), chosen.join(","));
    assert_eq!(text.lines().count(), 31);
    let source = plots_csv();
    let first: Vec<&str> = source.lines().nth(1).unwrap().split(',').collect();
    let wanted: Vec<&str> = numbers(&result["indices"]).iter().map(|&column| first[column]).collect();
    assert_eq!(text.lines().nth(1).unwrap(), wanted.join(","));
    let scores = folder.read("scores.csv");
    assert!(scores.starts_with("column,name,score,norm,residual\n1,height,"), "{scores}");
    assert_eq!(scores.lines().count(), 4);
    let ran = folder.run("select plots.csv -k 3 --features").ok();
    assert!(["height", "width", "depth"].iter().all(|name| ran.out.contains(name)), "{}", ran.out);
    folder.refuses("select plots.csv -k 4 --features", &["k is 4", "3"]);
}

#[test]
fn threads_do_not_change_the_answer() {
    let folder = plots();
    for method in METHODS {
        let result = |threads: usize| {
            let mut json = folder.json(&format!("select plots.csv -k 5 --method {method} --threads {threads}"));
            let object = json.as_object_mut().unwrap();
            object.remove("seconds");
            object.remove("solve_seconds");
            json
        };
        assert_eq!(result(1), result(2), "{method}");
    }
}

#[test]
fn unusual_shapes_and_sizes_work() {
    let folder = Folder::new();
    folder.write("one_row.csv", "a,b\n1,2\n");
    folder.write("one_column.csv", "a\n1\n2\n4\n");
    folder.write("constant_column.csv", "a,b\n1,7\n2,7\n4,7\n");
    folder.write("equal_rows.csv", "a,b\n3,4\n3,4\n3,4\n");
    folder.write("duplicates.csv", "a,b\n1,2\n1,2\n3,5\n3,5\n");
    folder.write("square.csv", "a,b,c\n1,2,3\n4,5,7\n7,8,1\n");
    folder.write("tiny.csv", "a,b\n1e-150,2e-150\n-3e-150,1e-150\n2e-150,2e-150\n");
    folder.write("huge.csv", "a,b\n1e150,2e150\n-3e150,1e150\n2e150,2e150\n");
    let full: Vec<String> = folder.names();
    for name in &full {
        let rows = folder.read(name).lines().count() - 1;
        for method in METHODS {
            for scale in ["standard", "none"] {
                let line = format!("select {name} --method {method} --scale {scale} -q -k");
                let mut indices = folder.indices(&format!("{line} {rows}")); // beyond the rank, too
                indices.sort_unstable();
                assert_eq!(indices, (0..rows).collect::<Vec<_>>(), "{line}");
                assert_eq!(folder.indices(&format!("{line} 1")).len(), 1, "{line}");
            }
        }
    }
    for name in ["one_row.csv", "equal_rows.csv"] {
        let ran = folder.run(&format!("select {name} -k 1")).ok();
        assert!(ran.err.contains("note: every column is constant"), "{}", ran.err);
    }
}

#[test]
fn help_and_version_are_no_failure() {
    let folder = Folder::new();
    assert!(folder.run("--help").ok().out.contains("select"));
    assert!(folder.run("select --help").ok().out.contains("--gamma-ratio"));
    assert!(folder.run("--version").ok().out.starts_with("arss "));
}
