//! `arss apply`: rows of another table are assigned and scored as those of the first were.

mod common;

use arss_table::ModelFile;
use common::{Folder, noise, npy_f64};

const ROWS: usize = 240;

/// Numbers, a category with rare texts, a flag, a date, some holes, and a row far out.
fn csv(order: &[usize]) -> String {
    let numbers = noise(ROWS * 3);
    let line = |&row: &usize| {
        let [x, y, z] = [0, 1, 2].map(|at| numbers[row * 3 + at]);
        let x = if row == 17 { 900.0 } else { x + f64::from(u8::from(row % 2 == 0)) * 3.0 };
        let y = if row % 9 == 4 { String::new() } else { format!("{y}") };
        let kind = match row {
            5 => "odd",
            6 => "strange",
            _ => ["red", "green", "blue"][row % 3],
        };
        let day = 1 + row * 7 % 28;
        format!("n{row},{x},{y},{kind},{},2024-03-{day:02},{z}\n", if z > 0.0 { "true" } else { "false" })
    };
    format!("name,x,y,kind,flag,day,z\n{}", order.iter().map(line).collect::<String>())
}

fn all() -> Vec<usize> {
    (0..ROWS).collect()
}

/// Row, exemplar and outlier score of each row by `apply`.
fn applied(folder: &Folder, table: &str) -> Vec<(String, usize, f64)> {
    let out = folder.run(&format!("apply m.arss {table} -o - --quiet")).ok().out;
    let mut reader = csv::Reader::from_reader(out.as_bytes());
    let head = reader.headers().unwrap().clone();
    let place = |name: &str| head.iter().position(|own| own == name).unwrap();
    let (name, exemplar, score) = (place("name"), place("exemplar"), place("outlier_score"));
    let row =
        |row: csv::StringRecord| (row[name].to_owned(), row[exemplar].parse().unwrap(), row[score].parse().unwrap());
    reader.records().map(|record| row(record.unwrap())).collect()
}

/// Row, outlier score and exemplar of each row of a csv file that `outliers` or `select` wrote.
fn column(text: &str, at: usize) -> Vec<f64> {
    text.lines().skip(1).map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

#[test]
fn the_rows_of_the_run_get_what_they_got_there() {
    let folder = Folder::with("t.csv", csv(&all()));
    for (at, flags) in
        ["", "--scale standard", "--scale none --encode none", "--encode ordinal", "--id name"].iter().enumerate()
    {
        folder
            .run(&format!(
                "select t.csv -k 9 {flags} --model m.arss --assignments a{at}.csv --scores s{at}.csv --force"
            ))
            .ok();
        let found = applied(&folder, "t.csv");
        let (scores, exemplars) =
            (column(&folder.read(&format!("s{at}.csv")), 3), column(&folder.read(&format!("a{at}.csv")), 1));
        assert_eq!(found.len(), ROWS);
        for (row, (name, exemplar, score)) in found.iter().enumerate() {
            assert_eq!(name, &format!("n{row}"));
            assert_eq!(*exemplar as f64, exemplars[row], "{flags}: row {row}");
            assert!(
                (score - scores[row]).abs() <= 1e-9 * (1.0 + score.abs()),
                "{flags}: row {row} {score} {}",
                scores[row]
            );
        }
        assert!(found[17].2 > 1.0 && found[18].2 <= 1.0, "{flags}");
    }
}

#[test]
fn columns_are_found_by_name_and_new_texts_are_rare_ones() {
    let folder = Folder::with("t.csv", csv(&all()));
    folder.run("select t.csv -k 9 --model m.arss").ok();
    let before = applied(&folder, "t.csv");
    // Other order of columns, a further one, a text that nobody has seen where a rare one stood, few rows.
    let mut text = String::from("z,further,day,flag,kind,y,x,name\n");
    for line in csv(&all()).lines().skip(1).skip(2).take(9) {
        let cells: Vec<&str> = line.split(',').collect();
        let kind = if cells[3] == "odd" { "never seen" } else { cells[3] };
        text += &format!("{},7,{},{},{kind},{},{},{}\n", cells[6], cells[5], cells[4], cells[2], cells[1], cells[0]);
    }
    folder.write("new.csv", text);
    let after = applied(&folder, "new.csv");
    for (old, new) in before[2..11].iter().zip(&after) {
        assert_eq!((&old.0, old.1), (&new.0, new.1));
        assert!((old.2 - new.2).abs() <= 1e-9 * (1.0 + old.2.abs()), "{old:?} {new:?}");
    }
    let told = folder.json("apply m.arss new.csv -n 3 --quiet");
    assert_eq!(told["n_samples"], 9);
    assert_eq!(told["rows"].as_array().unwrap().len(), 3);
    assert_eq!(told["model"]["method"], "exemplars");
    let ran = folder.run("apply m.arss new.csv -n 2").ok();
    assert!(ran.err.contains("apply: 9 rows assigned to 9 exemplars of t.csv"), "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 3, "{}", ran.out);
}

#[test]
fn what_is_filled_in_or_not_known_is_told() {
    let folder = Folder::with("t.csv", csv(&all()));
    folder.run("select t.csv -k 9 --model m.arss").ok();
    let clean = "name,x,y,kind,flag,day,z\na,1,2,red,true,2024-03-01,1\n";
    folder.write("later.csv", clean);
    let told = folder.run("apply m.arss later.csv").ok().err;
    assert!(!told.contains("filled in") && !told.contains("does not know"), "{told}");
    folder.write("later.csv", format!("{clean}b,,2,violet,true,2024-03-01,1\nc,,,,true,2024-03-02,1\n"));
    let told = folder.run("apply m.arss later.csv").ok().err;
    assert!(told.contains("later.csv: missing values filled in as the model does: x (2), y (1), kind (1)\n"), "{told}");
    assert!(
        told.contains("later.csv: 1 cell of kind with a text that the model does not know, such as violet\n"),
        "{told}"
    );
}

#[test]
fn arrays_and_directions() {
    let values: Vec<f64> =
        noise(200 * 6).into_iter().enumerate().map(|(at, v)| (v + 0.1) * (1 + at / 6) as f64).collect();
    let folder = Folder::with("t.npy", npy_f64(&values, 200));
    for method in ["exemplars", "kmedoids", "kmeans", "ted"] {
        folder.run(&format!("select t.npy -k 5 --metric cosine --method {method} --model m.arss --force")).ok();
        let picks = folder.indices(&format!("select t.npy -k 5 --metric cosine --method {method}"));
        let told = folder.json("apply m.arss t.npy -n 200 --quiet");
        for row in told["rows"].as_array().unwrap() {
            let (row, exemplar) = (row["row"].as_u64().unwrap() as usize, row["exemplar"].as_u64().unwrap() as usize);
            let cosine = |other: usize| {
                let (a, b) = (&values[row * 6..row * 6 + 6], &values[other * 6..other * 6 + 6]);
                let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
            };
            let best = picks.iter().map(|&pick| cosine(pick)).fold(-1.0, f64::max);
            assert!(cosine(exemplar) >= best - 1e-12, "{method}: {row} {exemplar}");
        }
        assert_eq!(told["outliers"].is_null(), method != "exemplars");
    }
}

#[test]
fn outliers_keep_models_too() {
    let folder = Folder::with("t.csv", csv(&all()));
    folder.run("outliers t.csv --model m.arss --scores s.csv").ok();
    let scores = column(&folder.read("s.csv"), 1);
    let found = applied(&folder, "t.csv");
    assert!(found.iter().zip(&scores).all(|(row, score)| (row.2 - score).abs() <= 1e-9 * (1.0 + score.abs())));
}

#[test]
fn bad_models_and_tables_get_one_line() {
    let folder = Folder::with("t.csv", csv(&all()));
    folder.run("select t.csv -k 3 --model m.arss").ok();
    folder.refuses("apply t.csv t.csv", &["t.csv: is no model"]);
    folder.refuses("apply none.arss t.csv", &["none.arss: cannot be read"]);
    folder.refuses("select t.csv -k 3 --model m.arss", &["m.arss: already exists"]);
    folder.refuses("apply m.arss t.csv -o m.arss --force", &["m.arss"]);
    folder.refuses("features t.csv -k 2 --model f.arss", &["--model is about rows"]);
    folder.refuses("features t.csv -k 2 --metric cosine", &["--metric is about rows"]);
    folder.write("less.csv", "name,x,y,kind,flag,z\na,1,2,red,true,3\n");
    folder.refuses("apply m.arss less.csv", &["there is no column day"]);
    folder.write("words.csv", "name,x,y,kind,flag,day,z\na,one,2,red,true,2024-01-01,3\n");
    folder.refuses("apply m.arss words.csv", &["column x holds text", "one"]);
    let good = folder.bytes("m.arss");
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 1;
    for (what, bytes) in [("flip", bad), ("cut", good[..good.len() - 9].to_vec()), ("head", good[..20].to_vec())] {
        folder.write(&format!("{what}.arss"), bytes);
        folder.refuses(&format!("apply {what}.arss t.csv"), &["is a damaged model"]);
    }
    folder.write("other.arss", "arss model 9\nxxxx");
    folder.refuses("apply other.arss t.csv", &["another version"]);
    folder.write("narrow.npy", npy_f64(&noise(30), 10));
    folder.write("wide.npy", npy_f64(&noise(40), 10));
    folder.run("select narrow.npy -k 2 --model n.arss").ok();
    folder.refuses("apply n.arss wide.npy", &["has 4 columns, but the model 3"]);
}

/// A model that somebody forged names one column again and again: 4 MB of it asked for 160 GB.
#[test]
fn a_forged_model_takes_no_more_memory_than_allowed() {
    let columns = 2_000;
    let names: Vec<String> = (0..columns).map(|at| format!("c{at}")).collect();
    let numbers = noise(9 * columns);
    let line = |row: &[f64]| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = numbers.chunks(columns).map(line).collect();
    let folder = Folder::with("wide.csv", format!("{}\n{}\n", names.join(","), rows.join("\n")));
    folder.run("select wide.csv -k 2 --method kmeans --model m.arss -q").ok();
    let mut model = ModelFile::open(&folder.path("m.arss")).unwrap();
    model.about.preparation.columns.iter_mut().for_each(|column| column.column = "a".to_owned());
    model.write(&mut std::fs::File::create(folder.path("forged.arss")).unwrap()).unwrap();
    folder.write("long.csv", "a\n".to_owned() + &"1.5\n".repeat(40_000));
    let told = ["long.csv: 40000 x 2000 values take 610 MiB of memory, but the limit is 200 MiB"];
    folder.refuses("apply forged.arss long.csv --memory 200M -o out.csv", &told);
    assert!(!folder.path("out.csv").exists());
}

/// A pipe that begins as a model does and never ends.
#[test]
#[cfg(target_os = "linux")]
fn an_endless_model_is_refused() {
    let folder = Folder::with("t.csv", csv(&all()));
    let endless =
        "(printf 'arss model 1\\n'; cat /dev/zero) | (ulimit -v 1000000; exec \"$0\" apply /dev/stdin t.csv -q)";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", endless, common::ARSS]).current_dir(folder.0.path()).env("XDG_CONFIG_HOME", "/nowhere");
    let output = common::limits::output_of(&mut command).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.starts_with("error: /dev/stdin: ") && err.lines().count() == 1, "{err}");
}
