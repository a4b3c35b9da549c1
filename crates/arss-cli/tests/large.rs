//! Tables that do not fit into memory, and runs that are broken off and taken up.
#![cfg(unix)]

mod common;
mod tables;

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::limits::limited;
use common::{ARSS, Folder, noise, npy_f64};

/// Rows around six centres, every fortieth of them far out.
fn rows(count: usize, columns: usize) -> Vec<f64> {
    let centre = |row: usize, column: usize| ((row % 6) * (3 * column + 1) % 7) as f64;
    let far = |row: usize| if row % 40 == 7 { 12.0 } else { 1.0 };
    let place = |at: usize| (at / columns, at % columns);
    let noise = noise(count * columns).into_iter().enumerate();
    noise.map(|(at, value)| far(place(at).0) * (centre(place(at).0, place(at).1) + value)).collect()
}

/// A table with text, whole numbers and, if asked, cells that are missing.
fn text(gaps: bool) -> String {
    let mut text = String::from("id,a,b,kind,c,count\n");
    for (row, v) in rows(700, 3).chunks(3).enumerate() {
        let b = if gaps && row % 23 == 5 { String::new() } else { v[1].to_string() };
        let c = if gaps && row % 31 == 8 { "NA".to_owned() } else { v[2].to_string() };
        text += &format!("r{row},{},{b},{},{c},{}\n", v[0], ["red", "green", "blue"][row * row % 3], row * 7 % 11);
    }
    text
}

const METHODS: [&str; 4] = [
    "--method exemplars --landmarks 64",
    "--method ted",
    "--method rrss --iterations 9",
    "--method arss --iterations 9",
];

/// What a run with these flags wrote: picks with all columns, indices, scores of all rows, assignments.
fn written(folder: &Folder, line: &str) -> Vec<Vec<u8>> {
    folder.run(&writing(line)).ok();
    let names = FILES.iter().filter(|name| folder.path(name).exists());
    let bytes = names.clone().map(|name| folder.bytes(name)).collect();
    names.for_each(|name| fs::remove_file(folder.path(name)).unwrap());
    bytes
}

const FILES: [&str; 4] = ["out.jsonl", "indices.txt", "scores.csv", "assign.csv"];

/// The line with flags for all these files.
fn writing(line: &str) -> String {
    let assignments = if line.contains("exemplars") { "--assignments assign.csv" } else { "" };
    format!("{line} -q -o out.jsonl --indices indices.txt --scores scores.csv {assignments}")
}

/// The same bytes from memory and from scratch files; a checkpoint asks for the latter whatever the size.
fn same_from_disk(folder: &Folder, line: &str) {
    let names = folder.names();
    let memory = written(folder, line);
    let disk = written(folder, &format!("{line} --checkpoint kept --every 7"));
    assert!(memory == disk, "{line}");
    assert_eq!(folder.names(), names, "{line}");
}

#[test]
fn every_format_gives_the_same_bytes_from_disk() {
    let folder = tables::folder();
    for (name, _) in tables::every_format() {
        same_from_disk(&folder, &format!("select {name} -k 5 {}", METHODS[0]));
    }
}

#[test]
fn every_method_and_option_gives_the_same_bytes_from_disk() {
    let folder = Folder::with("t.csv", text(false));
    folder.write("gaps.csv", text(true));
    folder.write("t.npy", npy_f64(&rows(500, 6), 500));
    for method in METHODS {
        same_from_disk(&folder, &format!("select t.npy -k 12 {method}"));
        for flags in ["", "--scale robust", "--scale unit", "--scale none", "--encode onehot --id id"] {
            same_from_disk(&folder, &format!("select t.csv -k 12 {method} {flags}"));
        }
    }
    for flags in ["", "--missing drop", "--missing mean", "--missing median", "--missing drop --encode ordinal --id id"]
    {
        same_from_disk(&folder, &format!("select gaps.csv -k 12 {} {flags}", METHODS[1]));
        same_from_disk(&folder, &format!("select gaps.csv t.csv -k 5% {} {flags}", METHODS[0]));
    }
    same_from_disk(&folder, &format!("select t.csv -k auto {} --include 3 --forbid 5-9", METHODS[0]));
    // Bad cells are named as they are where everything is in memory.
    let bad = |flags: &str| folder.run(&format!("select gaps.csv -k 3 -q --missing error {flags}"));
    let (memory, disk) = (bad(""), bad("--checkpoint kept"));
    assert_eq!((memory.code, &memory.err), (2, &disk.err));
    assert!(disk.err.contains("column c is empty") || disk.err.contains("column b is empty"), "{disk:?}");
}

#[test]
fn single_precision_stays_single() {
    let folder = Folder::new();
    let data: Vec<u8> = rows(400, 5).iter().flat_map(|value| (*value as f32).to_le_bytes()).collect();
    folder.write("t.npy", common::npy("<f4", false, "(400, 5)", &data));
    folder.write("turned.npy", common::npy("<f4", true, "(400, 5)", &data));
    for method in METHODS {
        same_from_disk(&folder, &format!("select t.npy -k 9 {method}"));
        same_from_disk(&folder, &format!("select turned.npy -k 9 {method}"));
    }
}

#[test]
fn the_page_and_a_result_of_a_table_on_disk() {
    let folder = Folder::with("t.csv", text(false));
    folder.run("select t.csv -k 9 -q --report a.html --result a.json").ok();
    folder.run("select t.csv -k 9 -q --checkpoint kept --report b.html --result b.json").ok();
    let (a, b) = (common::page_data(&folder.read("a.html")), common::page_data(&folder.read("b.html")));
    for part in ["map", "cards", "rows", "how_many"] {
        assert!(a[part].is_object() && a[part] == b[part], "{part}");
    }
    let checksum = |name: &str| serde_json::from_str::<serde_json::Value>(&folder.read(name)).unwrap()["input"].clone();
    assert_eq!(checksum("a.json"), checksum("b.json"));
}

/// Runs a line and gives its greatest resident memory in bytes, as the kernel counts it.
fn peak(folder: &Folder, line: &str) -> u64 {
    let mut child = spawn(folder, line);
    let (status, mut most) = (format!("/proc/{}/status", child.id()), 0);
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let kilobytes = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
        most = most.max(kilobytes.map_or(0, |number| number.trim().parse::<u64>().unwrap() << 10));
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(child.wait().unwrap().success(), "{line}");
    most
}

fn spawn(folder: &Folder, line: &str) -> Child {
    let mut command = Command::new(ARSS);
    command.current_dir(folder.0.path()).args(line.split_whitespace());
    limited(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn memory_stays_within_a_quarter_of_the_file() {
    let (count, columns, memory) = (660_000, 64, 80u64 << 20);
    let folder = Folder::new();
    folder.write("t.npy", npy_f64(&rows(count, columns), count));
    assert!(folder.bytes("t.npy").len() as u64 >= 4 * memory);
    for method in ["exemplars --landmarks 64", "ted", "rrss --iterations 2", "arss --iterations 2"] {
        let line = format!("select t.npy -k 5 -q --method {method} --indices i.txt --force");
        let most = peak(&folder, &format!("{line} --memory 80M"));
        assert!(most > 0 && most <= memory, "{method}: {most} bytes of {memory}");
        // The others are compared where tables are small.
        if method == "ted" {
            let found = folder.read("i.txt");
            folder.run(&line).ok();
            assert_eq!(found, folder.read("i.txt"), "{method}");
        }
    }
}

#[test]
fn killed_at_any_moment_and_taken_up() {
    let folder = Folder::new();
    folder.write("t.npy", npy_f64(&rows(20_000, 12), 20_000));
    fs::create_dir(folder.path("scratch")).unwrap();
    let wanted: Vec<Vec<Vec<u8>>> = METHODS.iter().map(|method| written(&folder, &run_of(method, ""))).collect();
    let mut moments = noise(20).into_iter().map(|value| value + 0.5);
    let (mut killed, mut went_on) = (0, 0);
    for round in 0..20 {
        let (method, wanted) = (METHODS[round % 4], &wanted[round % 4]);
        let flags = "--checkpoint kept --every 4 --scratch scratch";
        let started = Instant::now();
        written(&folder, &run_of(method, flags));
        let whole = started.elapsed();
        let mut child = spawn(&folder, &writing(&run_of(method, flags)));
        std::thread::sleep(whole.mul_f64(moments.next().unwrap()));
        killed += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        // Scratch files have no names, so nothing of them is left.
        assert_eq!(fs::read_dir(folder.path("scratch")).unwrap().count(), 0);
        FILES.iter().for_each(|name| drop(fs::remove_file(folder.path(name))));
        let known = fs::read_to_string(folder.path("kept/checkpoint")).unwrap_or_default();
        went_on += u32::from(known.contains("\npasses "));
        assert!(written(&folder, &run_of(method, &format!("{flags} --resume"))) == *wanted, "{method}, round {round}");
        assert!(!folder.path("kept").exists(), "{method}, round {round}");
    }
    assert!(killed >= 10, "{killed} of 20 runs were killed, {went_on} had come so far that there was a checkpoint");
    assert!(went_on >= 5, "{went_on} of 20 runs had come so far that there was a checkpoint");
    // Temporary files of a run that was killed while it wrote are removed by a run a minute later.
    let names: Vec<String> = folder.names().into_iter().filter(|name| !name.starts_with(".arss-")).collect();
    assert_eq!(names, ["scratch", "t.npy"]);
}

fn run_of(method: &str, flags: &str) -> String {
    let iterations = method.replace("--iterations 9", "--iterations 40");
    format!("select t.npy -k 60 {iterations} {flags}")
}

/// Breaks a run off so that a checkpoint is left.
fn broken_off(folder: &Folder, line: &str) {
    for _ in 0..50 {
        let mut child = spawn(folder, line);
        let there = || fs::read_to_string(folder.path("kept/checkpoint")).is_ok_and(|text| text.contains("\npasses "));
        while child.try_wait().unwrap().is_none() && !there() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if there() {
            return;
        }
    }
    panic!("no checkpoint was left in fifty runs");
}

#[test]
fn checkpoints_of_other_runs_are_refused() {
    let folder = Folder::new();
    let table = rows(20_000, 8);
    folder.write("t.npy", npy_f64(&table, 20_000));
    let run = "select t.npy -k 5 -q --method rrss --iterations 60 --checkpoint kept";
    broken_off(&folder, &format!("{run} --every 2"));
    folder.refuses(run, &["kept: holds the checkpoint of an earlier run", "--resume", "--force"]);
    let other = ["kept: the checkpoint is of another run: it has"];
    folder.refuses(&format!("{run} --resume --gamma-ratio 0.3"), &[other[0], "0.1", "0.3"]);
    folder.refuses(&format!("{run} --resume --scale none"), &[other[0], "values with the sum"]);
    folder.refuses(&run.replace("-k 5", "-k 6 --resume"), &[other[0], "Exactly(5)", "Exactly(6)"]);
    let mut changed = table.clone();
    changed[77] += 0.001;
    folder.write("t.npy", npy_f64(&changed, 20_000));
    folder.refuses(&format!("{run} --resume"), &[other[0], "values with the sum"]);
    folder.write("t.npy", npy_f64(&table[..8 * 19_999], 19_999));
    folder.refuses(&format!("{run} --resume"), &[other[0], "20000 rows", "19999 rows"]);
    folder.write("t.npy", npy_f64(&table, 20_000));
    let mut bytes = folder.bytes("kept/passes");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("kept/passes", bytes);
    folder.refuses(&format!("{run} --resume"), &["kept/passes: the checkpoint is damaged"]);
    // From the beginning, then.
    folder.run(&format!("{run} --force")).ok();
    assert!(!folder.path("kept").exists());
    let ran = folder.run(&run.replace(" -q", " --resume")).ok();
    assert!(ran.err.contains("kept: there is no checkpoint yet, so the run starts"), "{ran:?}");
}

#[test]
fn what_needs_memory_is_told_before_anything_is_read() {
    let folder = Folder::new();
    folder.write("t.npy", npy_f64(&rows(60_000, 20), 60_000));
    folder.write("t.csv", text(false));
    folder.refuses("select t.csv -k 2 --checkpoint kept --method kmeans", &["kmeans needs the whole table in memory"]);
    folder.refuses("select t.csv -k 2 --every 5", &["--checkpoint"]);
    folder.refuses("select t.csv -k 2 --every 0 --checkpoint kept", &["--every"]);
    folder.refuses("select t.csv -k 2 --resume", &["--checkpoint"]);
    folder.refuses("select t.csv -k 2 --scratch gone", &["gone: is no folder"]);
    folder.refuses("select t.csv -k 2 --checkpoint t.npy", &["t.npy: is a file, but a checkpoint needs a folder"]);
    // How large it is shows only when it is unpacked.
    folder.write("t.csv.gz", tables::gz(text(false)));
    folder.refuses("select t.csv.gz -k 2 --memory 10M -q", &["even with scratch files", "--memory allows 10.0 MiB"]);
    fs::remove_file(folder.path("t.csv.gz")).unwrap();
    let words = ["t.npy: kmeans on 60000 x 20 values needs about", "kmeans needs the whole table in memory"];
    folder.refuses("select t.npy -k 2 --memory 24M --method kmeans", &words);
    folder.refuses(
        "select t.npy -k 2 --memory 10M --method ted",
        &["even with scratch files", "--memory allows 10.0 MiB"],
    );
    assert_eq!(folder.names(), ["t.csv", "t.npy"]);
    let plan = folder.json("plan t.npy -k 2 --memory 32M --method rrss");
    assert_eq!(plan["disk"]["bytes"], 60_000 * (20 * 16 + 56));
    assert_eq!(plan["memory"]["limit"], 32 << 20);
    let ran = folder.run("select t.npy -k 2 --memory 32M --method rrss --iterations 3 --scratch .").ok();
    assert!(ran.err.contains("note: working from scratch files in ., about 21.5 MiB"), "{ran:?}");
}

#[test]
fn columns_of_a_table_on_disk() {
    let folder = Folder::new();
    folder.write("t.npy", npy_f64(&rows(60_000, 20), 60_000));
    for method in ["ted", "rrss"] {
        let line = format!("features t.npy -k 6 --method {method}");
        let (memory, disk) = (folder.json(&line), folder.json(&format!("{line} --memory 38M --checkpoint kept")));
        assert_eq!(memory["indices"], disk["indices"], "{method}");
        let scores = |found: &serde_json::Value| -> Vec<f64> {
            found["scores"].as_array().unwrap().iter().map(|score| score.as_f64().unwrap()).collect()
        };
        for (a, b) in scores(&memory).into_iter().zip(scores(&disk)) {
            assert!((a - b).abs() <= 1e-10 * a.abs().max(1.0), "{method}: {a} {b}");
        }
    }
    let words = ["columns are chosen by arss in memory only; use --method ted or rrss"];
    folder.refuses("features t.npy -k 6 --method arss --checkpoint kept", &words);
}

#[test]
fn a_full_disk_and_ctrl_c_leave_no_scratch() {
    let folder = Folder::new();
    let table = rows(60_000, 20);
    folder.write("t.npy", npy_f64(&table, 60_000));
    let text: String =
        table.chunks(20).fold("a,b,c\n".to_owned(), |text, row| text + &format!("{},{},{}\n", row[0], row[1], row[2]));
    folder.write("t.csv.gz", tables::gz(text));
    let disk = folder.path("disk");
    fs::create_dir(&disk).unwrap();

    // Ctrl-C while it works.
    let mut child = spawn(&folder, "select t.npy -k 9 --method rrss --tolerance 0 --checkpoint kept --scratch disk");
    std::thread::sleep(Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none());
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(fs::read_dir(&disk).unwrap().count(), 0);

    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(&disk).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        println!("a small disk cannot be mounted here");
        return;
    }
    let known = folder.run("select t.npy -k 9 --method ted --checkpoint kept --force --scratch disk");
    // How large the table is shows only when it is unpacked.
    let unknown = folder.run("select t.csv.gz -k 9 --method ted --memory 40M --scratch disk -q");
    let kept = folder.run("select t.npy -k 9 --method rrss --iterations 3 --checkpoint disk/kept");
    let left = fs::read_dir(&disk).unwrap().count();
    assert!(Command::new("umount").arg(&disk).status().unwrap().success());
    known.refused("a small disk", &["disk: scratch files need about", "2.0 MiB are free", "--scratch DIR"]);
    kept.refused("a small disk", &["disk/kept: the checkpoint needs about", "2.0 MiB are free", "--checkpoint DIR"]);
    assert_eq!(unknown.code, 1, "{unknown:?}");
    assert!(unknown.err.starts_with("error: ") && unknown.err.contains("No space left"), "{unknown:?}");
    assert_eq!((unknown.err.lines().count(), left), (1, 0), "{unknown:?}");
}
