//! `--report`: one page, everything in it, and no cell of a table that could do harm there.

mod common;

use common::{Folder, map_rows, noise, numbers, page_data, plots_csv, poor_tables};
use serde_json::Value;

/// Cells that would do something if they were markup, a script or a formula.
const HOSTILE: [&str; 8] = [
    "<script>window.hacked=1</script>",
    "</script><img src=x onerror=hacked=1>",
    "=cmd|' /C calc'!A0",
    "\"quoted\" 'twice' & <b>bold</b>",
    "{data}{script}<!-- ]]>",
    "line\u{2028}separators\u{2029}and \u{202e}turned",
    "naïve ☃ 日本語 🦀",
    "javascript:alert(1)",
];

/// Rows around two places, one far out, and hostile text in cells and headings.
fn hostile_csv() -> String {
    let mut text = String::from("id,\"<img src=x onerror=hacked=1>\",x,y\n");
    for (row, v) in noise(240).chunks(2).enumerate() {
        let (far, quoted) = (if row % 2 == 0 { 9.0 } else { 0.0 }, HOSTILE[row % 8].replace('"', "\"\""));
        text += &format!("r{row},\"{quoted}\",{},{}\n", v[0] + far, v[1] - far);
    }
    text + "far,\"</script><script>hacked=1</script>\",500,500\n"
}

/// The cells of a row, if they are in the page.
fn cells(data: &Value, row: usize) -> Option<&Value> {
    let place = numbers(&data["rows"]["items"]).iter().position(|&item| item == row)?;
    Some(&data["rows"]["cells"][place])
}

#[test]
fn hostile_cells_are_data() {
    let folder = Folder::with("<b> & table.csv", hostile_csv());
    let ran = folder.run_args(&["select", "<b> & table.csv", "-k", "8", "--report", "page.html", "--json"]).ok();
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    let page = folder.read("page.html");
    assert!(page.len() < 2_500_000, "{} bytes", page.len());
    // Only the scripts of the page itself.
    assert_eq!(page.matches("<script").count(), 2);
    assert!(!page.contains("unsafe-inline") && page.contains("script-src 'sha256-"));
    assert!(!page.contains("<img src=x") && !page.contains("<b>"));
    let data = page_data(&page);
    assert_eq!(data["input"], "<b> & table.csv");
    assert_eq!(data["command"], "arss select '<b> & table.csv' -k 8 --report page.html --json");
    assert_eq!(data["headings"][1], "<img src=x onerror=hacked=1>");
    assert_eq!(map_rows(&data, None).len(), 121);
    for row in map_rows(&data, None) {
        let wanted = if row < 120 { HOSTILE[row % 8] } else { "</script><script>hacked=1</script>" };
        assert_eq!(cells(&data, row).unwrap()[1], wanted);
    }
    assert_eq!(map_rows(&data, Some(2)).len(), 8);
    assert!(map_rows(&data, Some(1)).contains(&120));
    let picks = data["cards"]["cards"].as_array().unwrap();
    let rows: Vec<usize> = picks.iter().map(|pick| pick["item"].as_u64().unwrap() as usize).collect();
    assert_eq!(rows, numbers(&result["indices"]));
    assert_eq!(data["strangest"]["rows"][0]["item"], 120);
}

#[test]
fn the_page_says_what_the_result_says() {
    let folder = Folder::with("plots.csv", plots_csv());
    let result = folder.json("select plots.csv -k 6 --report page.html");
    let data = page_data(&folder.read("page.html"));
    let summary: Vec<&str> = data["summary"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
    assert_eq!(summary.len(), 3);
    assert!(
        summary[0].starts_with("6 rows that stand for all of plots.csv (30 rows, 3 columns to choose by) "),
        "{summary:?}"
    );
    assert!(summary[1].starts_with(&format!("It chose rows {}, ", result["indices"][0])), "{summary:?}");
    assert_eq!(data["headings"], serde_json::json!(["id", "height", "width", "depth", "remark"]));
    for (at, pick) in data["cards"]["cards"].as_array().unwrap().iter().enumerate() {
        assert_eq!((&pick["score"], &pick["share"]), (&result["scores"][at], &result["shares"][at]));
        assert_eq!(data["how_many"]["coverage"][at][1], result["coverage"][at]);
        let near = numbers(&pick["near"]);
        assert!(near.len() == 3 && !near.contains(&(pick["at"].as_u64().unwrap() as usize)), "{near:?}");
        let row = pick["item"].as_u64().unwrap() as usize;
        assert_eq!(cells(&data, row).unwrap()[0], format!("plot-{row:02}"));
        assert!((0.0..1.0).contains(&pick["loss"].as_f64().unwrap()), "{pick}");
    }
    let stand_for = data["cards"]["cards"].as_array().unwrap().iter().map(|pick| pick["rows"].as_u64().unwrap());
    assert_eq!(stand_for.sum::<u64>() + result["outliers"].as_u64().unwrap(), 30);
    assert!(!data["how_many"]["ahead"].as_array().unwrap().is_empty());
    let counted =
        |chart: &Value| chart["bins"].as_array().unwrap().iter().map(|bin| bin["count"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(counted(&data["outliers"]["chart"]), 30);
    assert_eq!(data["outliers"]["chart"]["threshold"], 1.0);
}

#[test]
fn the_page_says_how_sure_it_is_of_what_was_set_aside() {
    let folder = Folder::with("t.csv", hostile_csv());
    let rows: String = noise(400).chunks(2).map(|row| format!("{},{}\n", row[0], row[1])).collect();
    folder.write("many.csv", format!("x,y\n{rows}90,-70\n-80,95\n"));
    let said = |table: &str| {
        let result = folder.json(&format!("select {table} -k 4 --report page.html --force"));
        let text = page_data(&folder.read("page.html"))["set_aside"].as_str().unwrap().to_owned();
        assert!(text.contains("--no-gate") && text.contains("gate=False"), "{text}");
        let sure = format!("Confidence {:.2} of 1: ", result["outlier_confidence"].as_f64().unwrap());
        assert!(text.contains(&sure), "{text}");
        (result, text)
    };
    let (result, many) = said("many.csv");
    assert!(many.starts_with(&format!("{} of 202 rows (", result["outliers"])), "{many}");
    let like = if result["outlier_company"].as_f64().unwrap() < 0.5 { "scattered errors" } else { "a group" };
    assert!(many.contains("they differ ") && many.contains(&format!("they look like {like}")), "{many}");
    let (result, text) = said("t.csv");
    assert_eq!(result["outliers"], 1);
    let told = folder.run("select t.csv -k 4").ok().err;
    assert!(told.contains("set aside as an outlier: 1 of 121 rows (confidence 1.00)"), "{told}");
    assert!(told.contains(", 1 left aside, 4 chosen: they cover ") && told.contains(" % of the rest"), "{told}");
    assert!(text.starts_with("One of 121 rows was ") && text.contains("it differs "), "{text}");

    // A page that is made later says the same, and one without the gate nothing.
    folder.run("select t.csv -k 4 --result saved.json").ok();
    folder.run("report saved.json -o later.html").ok();
    assert_eq!(page_data(&folder.read("later.html"))["set_aside"], text.as_str());
    folder.run("select t.csv -k 4 --no-gate --report open.html").ok();
    assert!(page_data(&folder.read("open.html"))["set_aside"].is_null());

    // `outliers` has a threshold instead of a gate.
    folder.run("outliers t.csv --report strange.html").ok();
    let strange = page_data(&folder.read("strange.html"))["set_aside"].as_str().unwrap().to_owned();
    assert!(strange.contains("--threshold") && !strange.contains("--no-gate"), "{strange}");
}

#[test]
fn neighbours_are_the_nearest_rows() {
    let folder = Folder::with("line.csv", "x\n0\n10\n11\n13\n30\n-4\n");
    folder.run("select line.csv -k 6 --scale none --report page.html").ok();
    let data = page_data(&folder.read("page.html"));
    let of_10 = data["cards"]["cards"].as_array().unwrap().iter().find(|pick| pick["item"] == 1).unwrap();
    let rows = numbers(&data["rows"]["items"]);
    assert_eq!(numbers(&of_10["near"]).iter().map(|&at| rows[at]).collect::<Vec<_>>(), [2, 3, 0]);
}

#[test]
fn every_method_has_a_page_and_leaves_out_what_it_does_not_know() {
    let folder = Folder::with("plots.csv", plots_csv());
    for method in ["exemplars", "arss", "arss --p 1", "rrss", "ted", "kmeans", "kmedoids", "facility", "rrqr", "random"]
    {
        for features in ["", "--features"] {
            let line = format!("select plots.csv -k 2 -q --method {method} {features} --force --report page.html");
            folder.run(&line).ok();
            let data = page_data(&folder.read("page.html"));
            assert_eq!(data["how_many"].is_null(), !["exemplars", "facility"].contains(&method), "{line}");
            let solver = ["arss", "rrss"].contains(&method.split(' ').next().unwrap());
            assert!(!solver || data["convergence"]["objective"].as_array().unwrap().len() > 1, "{line}");
            let certified = data["convergence"]["text"].as_str().is_some_and(|text| text.contains("Certificate: "));
            assert_eq!(certified, ["arss --p 1", "rrss"].contains(&method), "{line}");
            assert_eq!(data["outliers"]["chart"]["threshold"].is_null(), method != "exemplars", "{line}");
            assert_eq!(data["cards"]["cards"].as_array().unwrap().len(), 2, "{line}");
            assert_eq!(data["explained"].is_null(), features.is_empty(), "{line}");
        }
    }
}

#[test]
fn poor_tables_have_a_page() {
    let folder = poor_tables();
    for name in folder.names() {
        for scale in ["standard", "none"] {
            folder.run(&format!("select {name} -k 1 -q --scale {scale} --force --report page.html")).ok();
            let data = page_data(&folder.read("page.html"));
            let rows = map_rows(&data, None).len();
            assert!(rows as u64 == data["map"]["count"].as_u64().unwrap() && rows > 0, "{name} {scale}");
            assert!(
                data["map"]["frame"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .flat_map(|ends| ends.as_array().unwrap())
                    .all(Value::is_number)
            );
        }
    }
}

#[test]
fn a_large_table_is_drawn_in_part_and_the_page_stays_small() {
    let mut text = String::from("x,y,long,longer\n");
    let long = "<&>".repeat(13);
    for v in noise(20_000).chunks(2) {
        text += &format!("{},{},{long},{long}\n", v[0], v[1]);
    }
    let folder = Folder::with("large.csv", text);
    folder.run("select large.csv -k 700 -q --report page.html").ok();
    let page = folder.read("page.html");
    assert!(page.len() < 2_500_000, "{} bytes", page.len());
    let data = page_data(&page);
    assert_eq!(map_rows(&data, None).len(), 10_000);
    // Cells take most of the room: those of the picks come first.
    let shown = data["rows"]["items"].as_array().unwrap().len();
    assert!((500..10_000).contains(&shown), "{shown}");
    let text = data["cards"]["text"].as_str().unwrap();
    assert!(text.contains("The first 500 of 700."), "{text}");
}

#[test]
fn what_was_read_and_left_out_is_told() {
    let mut text = String::from("id,height,kind,empty,same\n");
    for (row, v) in noise(60).iter().enumerate() {
        let kind = ["oak", "ash", "elm"][row % 3];
        text += &format!("tree-{row},{},{kind},,7\n", if row == 5 { String::new() } else { v.to_string() });
    }
    let folder = Folder::with("trees.csv", text);
    folder.run("select trees.csv -k 3 -q --report page.html").ok();
    let data = page_data(&folder.read("page.html"));
    let told = |name: &str| {
        let all = data["reading"].as_array().unwrap();
        all.iter().find(|told| told[0] == name).map(|told| told[1].as_str().unwrap().to_owned()).unwrap()
    };
    assert_eq!(told("Read"), "60 rows and 5 columns of trees.csv.");
    assert_eq!(told("Chosen by"), "2 of 5 columns.");
    let out = told("Left out");
    assert!(
        out.starts_with("3 columns: id (a text of its own") && out.contains("same (the same in every row)"),
        "{out}"
    );
    assert_eq!(told("Encoded"), "1 column as categories (kind): 4 numbers in all.");
    assert!(
        told("Missing cells").starts_with("1 missing cell filled in with the column's median"),
        "{}",
        told("Missing cells")
    );
    assert!(told("Scaled").contains("(--scale robust)"), "{}", told("Scaled"));
    // All columns can be reached, those that were chosen by first.
    assert_eq!((data["headings"].as_array().unwrap().len(), numbers(&data["used"])), (5, vec![1, 2]));
}

#[test]
fn auto_says_why_it_stopped() {
    let folder = Folder::with("plots.csv", plots_csv());
    folder.run("select plots.csv -k auto -q --report page.html").ok();
    let data = page_data(&folder.read("page.html"));
    let reason = data["how_many"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("The rule stops before the first pick that adds less than 0.5 %"), "{reason}");
}

#[test]
fn chosen_columns_are_told_by_name_and_what_they_explain() {
    let mut text = String::from("first,copy,noise,other\n");
    for v in noise(200).chunks(2) {
        text += &format!("{},{},{},{}\n", v[0], 3.0 - 2.0 * v[0], v[1], v[0] * v[1]);
    }
    let folder = Folder::with("t.csv", text);
    folder.run("features t.csv -k 2 -q --report page.html").ok();
    let data = page_data(&folder.read("page.html"));
    let found = &data["explained"];
    let chosen: Vec<&str> = found["chosen"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(data["summary"][1].as_str().unwrap().starts_with(&format!("It chose columns {}", chosen.join(", "))));
    assert_eq!(found["copies"][0][0], "first");
    assert_eq!(found["copies"][0][1], "copy");
    assert!((found["copies"][0][2].as_f64().unwrap() + 1.0).abs() < 1e-9);
    for other in found["others"].as_array().unwrap() {
        let (together, by) = (other["together"].as_f64().unwrap(), other["by"].as_array().unwrap());
        assert!(by.iter().all(|share| share.as_f64().unwrap() <= together + 1e-9), "{other}");
    }
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    let folder = Folder::with("plots.csv", plots_csv());
    let page = |threads: usize| {
        folder.run(&format!("select plots.csv -k 5 -q --threads {threads} --force --report page.html")).ok();
        folder.read("page.html").replace(&format!("--threads {threads}"), "")
    };
    assert_eq!(page(1), page(1));
    assert_eq!(page(1), page(2));
}

#[test]
fn the_page_is_refused_where_it_would_harm() {
    let folder = Folder::with("plots.csv", plots_csv());
    folder.refuses("select plots.csv -k 2 --report plots.csv", &["is the input"]);
    folder.refuses("select plots.csv -k 2 -o a.csv --report a.csv", &["was given to both -o and --report"]);
    let ran = folder.run("select plots.csv -k 2 -o out.csv --report missing/page.html");
    assert!(ran.code == 1 && ran.err.contains("missing"), "{ran:?}");
    let ran = folder.run("select plots.csv -k 2 -q -o out.csv --report /dev/full");
    assert!(ran.code == 1 && ran.err.contains("/dev/full"), "{ran:?}");
    assert_eq!(folder.names(), ["plots.csv"]);
}
