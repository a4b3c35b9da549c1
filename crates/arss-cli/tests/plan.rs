//! `arss plan` and `--memory`: what a run would do and need.

mod common;
mod tables;

use common::limits::output_of;
use common::{Folder, noise, npy_f64, plots_csv};

#[test]
fn a_plan_tells_what_would_be_done_and_does_nothing() {
    let folder = Folder::with("t.csv", plots_csv());
    folder.write("old.csv", "old");
    let plan = folder.json("plan t.csv -k 5 -o old.csv --report page.html --force");
    assert_eq!(plan["method"], "exemplars");
    assert_eq!(plan["table"], serde_json::json!({ "rows": 30, "columns": 5, "exact": true }));
    assert_eq!(plan["used"], serde_json::json!(["height", "width", "depth"]));
    assert_eq!(plan["ignored"], serde_json::json!(["id", "remark"]));
    assert_eq!(plan["missing"], 0);
    assert_eq!(plan["read"]["bytes"], plots_csv().len());
    assert!(plan["memory"]["bytes"].as_u64().unwrap() > 1 << 20);
    assert!(plan["time"]["seconds"].as_f64().unwrap() > 0.0 && plan["time"]["timed"] == 30);
    assert_eq!((&plan["outputs"][0]["exists"], &plan["outputs"][1]["exists"]), (&true.into(), &false.into()));
    // What select would refuse is told behind the plan.
    let ran = folder.run("plan t.csv -k 5 -o old.csv --report page.html -q");
    assert_eq!((ran.code, ran.err.as_str()), (2, "error: old.csv: already exists; --force replaces it\n"));
    let text = ran.out;
    for words in [
        "read     t.csv, ",
        "table    30 rows, 5 columns\n",
        "used     3: height, width, depth\n",
        "ignored  2: id, remark\n",
        "missing  0 values\n",
        "memory   about ",
        "time     about ",
        "-o old.csv (exists, needs --force), --report page.html (new)\n",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    assert_eq!(folder.names(), ["old.csv", "t.csv"]);
    assert_eq!(folder.read("old.csv"), "old");
}

#[test]
fn every_method_has_a_plan() {
    let folder = Folder::with("t.npy", npy_f64(&noise(3000 * 6), 3000));
    for method in ["exemplars", "arss", "rrss", "ted", "kmeans", "kmedoids", "facility", "rrqr", "random"] {
        for flags in ["-k 5", "-k 1%"] {
            let plan = folder.json(&format!("plan t.npy --method {method} {flags}"));
            assert!(plan["time"]["seconds"].as_f64() >= plan["time"]["took"].as_f64(), "{method}: {plan}");
        }
    }
    assert!(folder.json("plan t.npy -k 2 --features")["time"]["timed"] == 6);
    assert!(folder.json("plan t.npy -k auto")["time"].is_object());
}

#[test]
fn what_select_refuses_a_plan_refuses() {
    let folder = Folder::with("t.csv", "a,b\n1,2\n3,\n");
    folder.refuses("plan t.csv -k 1 --missing error", &["row 1", "column b", "missing"]);
    folder.refuses("plan missing.csv -k 1", &["missing.csv: there is no such file"]);
    folder.refuses("plan t.csv -k 1 --alpha 1", &["--alpha is not used by method exemplars"]);
    folder.refuses("plan t.csv -k 1 -o t.csv", &["is the input"]);
}

#[test]
fn a_limit_on_memory_is_kept_before_anything_is_read() {
    let folder = Folder::with("t.npy", npy_f64(&noise(50_000 * 20), 50_000));
    let words = ["t.npy: arss on 50000 x 20 values needs about ", "but --memory allows 20.0 MiB"];
    folder.refuses("select t.npy -k 5 --method arss --memory 20M -o out.npy", &words);
    assert_eq!(folder.names(), ["t.npy"]);
    folder.run("select t.npy -k 5 --method random --memory 1GiB -q").ok();
    let ran = folder.run("plan t.npy -k 5 --memory 20M");
    assert!(ran.code == 2 && ran.out.contains("memory   about ") && ran.err.lines().count() == 1, "{ran:?}");
    folder.refuses("select t.npy -k 5 --memory much", &["much", "500M, 2G or 1.5GiB"]);

    // Far more than any machine has, and still nothing is read.
    let header = common::npy("<f8", false, "(100000000000, 20)", b"");
    let file = std::fs::File::create(folder.path("huge.npy")).unwrap();
    std::io::Write::write_all(&mut &file, &header).unwrap();
    if file.set_len(header.len() as u64 + 16_000_000_000_000).is_err() {
        println!("skipped: the file system has no files of 16 TB");
        return;
    }
    folder.refuses("select huge.npy -k 5", &["huge.npy: ", "100000000000 x 20 values", "--memory"]);
    // Text is estimated from its beginning.
    folder.write("long.csv", "a,b\n".to_owned() + &"1.25,2.5\n".repeat(2_000_000));
    folder
        .refuses("select long.csv -k 5 --memory 40M", &["long.csv: exemplars on about 2000", "x 2 values", "40.0 MiB"]);
}

/// What a run used at its peak, from the system's own account of it.
#[cfg(target_os = "linux")]
fn peak(folder: &Folder, line: &str) -> Option<u64> {
    let time = std::path::Path::new("/usr/bin/time");
    if !time.exists() {
        println!("skipped: there is no /usr/bin/time to measure with");
        return None;
    }
    let mut command = std::process::Command::new(time);
    command.args(["-f", "%M", common::ARSS]).args(line.split_whitespace()).current_dir(folder.0.path());
    let output = output_of(&mut command).unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    Some(text.lines().last().unwrap().parse::<u64>().unwrap() << 10)
}

#[test]
#[cfg(target_os = "linux")]
fn runs_use_about_what_the_plan_says() {
    let folder = Folder::with("t.npy", npy_f64(&noise(60_000 * 30), 60_000));
    for method in
        ["exemplars", "arss --iterations 3", "rrss --iterations 3", "ted", "kmeans", "facility", "rrqr", "random"]
    {
        let plan = folder.json(&format!("plan t.npy -k 20 --method {method}"))["memory"]["bytes"].as_u64().unwrap();
        let Some(used) = peak(&folder, &format!("select t.npy -k 20 -q --json --method {method}")) else { return };
        let ratio = plan as f64 / used as f64;
        assert!((0.8..1.6).contains(&ratio), "{method}: {plan} planned, {used} used");
    }
}

#[test]
fn a_plan_and_the_run_refuse_the_same() {
    let folder = Folder::with("small.csv", plots_csv());
    folder.write("wide.npy", npy_f64(&noise(40 * 300), 40));
    folder.write("tall.npy", npy_f64(&noise(3_000 * 8), 3_000));
    folder.write("big.npy", npy_f64(&noise(60_000 * 20), 60_000));
    folder.write("zero.npy", npy_f64(&[0.0; 40], 10));
    folder.write("gaps.csv", "a,b,g\n1,2,x\n3,,y\n5,6,x\n7,9,y\n");
    folder.write("old.csv", "old");
    std::fs::create_dir(folder.path("used")).unwrap();
    folder.write("used/thesis.txt", "precious");
    let limits = ["", "--memory 13M", "--memory 4G"];
    let counts = ["-k 1", "-k 40", "-k 41", "-k 0", "-k 10%", "-k auto"];
    let mut lines: Vec<String> = Vec::new();
    for method in ["exemplars", "arss", "rrss", "ted", "kmeans", "kmedoids", "facility", "rrqr", "random"] {
        for (table, limit) in
            ["small.csv", "wide.npy", "tall.npy"].iter().flat_map(|table| limits.map(|limit| (table, limit)))
        {
            lines.push(format!("{table} -k 5 --method {method} {limit}"));
        }
        for count in counts {
            lines.push(format!("wide.npy {count} --method {method}"));
        }
        for flags in [
            "--checkpoint kept",
            "--checkpoint used",
            "--scratch gone",
            "-o old.csv",
            "-o old.csv --force",
            "--features",
        ] {
            lines.push(format!("wide.npy -k 3 --method {method} {flags}"));
            lines.push(format!("tall.npy -k 3 --method {method} {flags}"));
        }
        lines.push(format!("zero.npy -k 3 --method {method}"));
        lines.push(format!("big.npy -k 3 --method {method} --memory 33M"));
    }
    for flags in [
        "big.npy -k 60001 --memory 33M",
        "big.npy -k 60001 --memory 33M --method ted",
        "small.csv -k 3 -o out.npy",
        "small.csv -k 3 -o small.csv --force",
        "small.csv -k 3 -o nowhere/out.csv",
        "small.csv -k 3 --include 1,2,3,4",
        "small.csv -k 3 --include 99",
        "small.csv -k 3 --include 1 --forbid 1",
        "small.csv -k 28 --forbid 0-5",
        "small.csv -k 3 --weights remark",
        "small.csv -k 3 --columns remark",
        "gaps.csv -k 2 --missing error",
        "gaps.csv -k 2 --group g --quotas x=0,y=0",
        "gaps.csv -k 3 --group g --quotas x=1,y=1",
        "gaps.csv -k 5",
        "missing.csv -k 2",
        "small.csv -k 3 --resume",
        "small.csv -k 3 --gamma 2",
        "small.csv -k 3 --assignments a.csv --method ted",
        "small.csv -k 3 -o x.csv --safe-csv",
        "small.csv -k 3 -o x.arrow --safe-csv",
    ] {
        lines.push(flags.to_owned());
    }
    let mut refused = 0;
    for line in &lines {
        let planned = folder.run(&format!("plan {line} -q"));
        assert!(!folder.path("kept").exists(), "{line}");
        let fast = if ["arss", "rrss"].iter().any(|name| line.contains(&format!("--method {name}"))) {
            "--iterations 2"
        } else {
            ""
        };
        let ran = folder.run(&format!("select {line} -q {fast}"));
        assert_eq!((planned.code, &planned.err), (ran.code, &ran.err), "{line}");
        refused += usize::from(ran.code != 0);
        // What the run wrote.
        ["x.csv", "old.csv"].iter().for_each(|name| drop(std::fs::remove_file(folder.path(name))));
        folder.write("old.csv", "old");
    }
    println!("{} lines, {refused} of which are refused", lines.len());
    assert!(refused > 60 && lines.len() - refused > 60, "{refused} of {}", lines.len());
}

/// Every method with every metric, on tables of every kind, and flags that some of them refuse.
#[test]
fn a_plan_and_the_run_refuse_the_same_metrics_and_flags() {
    let folder = tables::folder();
    let points = noise(30 * 3);
    let distance = |a: usize, b: usize| (0..3).map(|at| (points[a * 3 + at] - points[b * 3 + at]).abs()).sum::<f64>();
    let square: Vec<f64> = (0..900).map(|at| distance(at / 30, at % 30)).collect();
    folder.write("distances.npy", npy_f64(&square, 30));
    folder.write("points.npy", npy_f64(&points, 30));
    let entries = (0..160).map(|at| format!("{} {} {}\n", at / 4 + 1, at % 4 * 10 + 1, at % 7 + 1));
    let head = "%%MatrixMarket matrix coordinate real general\n40 40 160\n";
    folder.write("sparse.mtx", head.to_owned() + &entries.collect::<String>());
    let mut lines = Vec::new();
    for method in ["exemplars", "arss", "rrss", "ted", "kmeans", "kmedoids", "facility", "rrqr", "random"] {
        for metric in ["euclidean", "cosine", "manhattan", "precomputed"] {
            for table in ["distances.npy", "points.npy", "sparse.mtx"] {
                lines.push(format!("{table} --method {method} --metric {metric}"));
            }
        }
        for flags in ["--copy-to c", "--contact-sheet s.png", "--memory 13M --metric manhattan", "--nested", "--id id"]
        {
            lines.push(format!("points.npy --method {method} {flags}"));
        }
    }
    for (name, _) in tables::every_format() {
        for flags in ["", "--metric manhattan --method kmedoids", "--metric manhattan --method rrqr", "--group id"] {
            lines.push(format!("{name} {flags}"));
        }
    }
    let mut refused = 0;
    for line in &lines {
        let names = folder.names();
        let planned = folder.run(&format!("plan {line} -k 3 -q"));
        assert_eq!(folder.names(), names, "{line}");
        let ran = folder.run(&format!("select {line} -k 3 -q"));
        assert_eq!((planned.code, &planned.err), (ran.code, &ran.err), "{line}");
        refused += usize::from(ran.code != 0);
    }
    println!("{} lines, {refused} of which are refused", lines.len());
    assert!(refused > 40 && lines.len() - refused > 60, "{refused} of {}", lines.len());
}
