//! Inputs that somebody truncates, extends, rewrites or replaces while they are read: every reader ends, with the
//! answer of one of the two files or with one line. Nothing hangs, nothing dies of a signal.
#![cfg(unix)]

mod common;
mod tables;

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use common::limits::limited;
use common::{ARSS, Folder, noise, npy_f64};
use parquet::basic::Compression;
use tables::{archive, arrow_bytes, bz2, gz, npz, number_cell, parquet_bytes, sheet_of, text_cell, utf_16, xz, zst};

/// No run of these takes longer than seconds.
const LIMIT: Duration = Duration::from_secs(60);
const LINE: &str = "--method random -k 4 -q --indices picks.txt --force";

/// Tables large enough that reading takes a while, in every format.
fn large_tables() -> Vec<(&'static str, Vec<u8>)> {
    let rows = 30_000;
    let values: Vec<f64> = noise(rows * 4).iter().map(|value| (value * 1e6).round() / 1e3).collect();
    let (mut csv, mut lines) = (String::from("id,a,b,c,d\n"), String::new());
    for (row, v) in values.chunks(4).enumerate() {
        csv += &format!("row-{row},{},{},{},{}\n", v[0], v[1], v[2], v[3]);
        lines += &format!("{{\"id\":\"row-{row}\",\"a\":{},\"b\":{},\"c\":{},\"d\":{}}}\n", v[0], v[1], v[2], v[3]);
    }
    let column =
        |at: usize| -> ArrayRef { Arc::new(values.chunks(4).map(|row| Some(row[at])).collect::<Float64Array>()) };
    let ids: ArrayRef = Arc::new((0..rows).map(|row| Some(format!("row-{row}"))).collect::<StringArray>());
    let batch =
        RecordBatch::try_from_iter([("id", ids), ("a", column(0)), ("b", column(1)), ("c", column(2))]).unwrap();
    let cells = |row: &[f64]| row.iter().map(|value| number_cell(*value)).collect::<Vec<_>>();
    let names = ["a", "b", "c", "d"].map(text_cell).to_vec();
    let sheet: Vec<Vec<String>> = std::iter::once(names).chain(values.chunks(4).take(6_000).map(cells)).collect();
    let array = format!("[\n{}\n]", lines.trim_end().replace('\n', ",\n"));
    let parts: Vec<RecordBatch> = (0..10).map(|part| batch.slice(part * rows / 10, rows / 10)).collect();
    vec![
        ("t.npy", npy_f64(&values, rows)),
        ("t.npz", npz(&[("values", npy_f64(&values, rows))])),
        ("t.parquet", parquet_bytes(&batch, Compression::SNAPPY, 5_000)),
        ("t.arrow", arrow_bytes(&parts)),
        ("t.arrows", tables::stream_bytes(&parts)),
        ("t.xlsx", sheet_of(&sheet)),
        ("t.json", array.into_bytes()),
        ("t.tsv", csv.replace(',', "\t").into_bytes()),
        ("quoted.csv", csv.replace("row-7", "\"row-7\"").into_bytes()),
        ("wide.csv", utf_16(&csv)),
        ("t.csv.gz", gz(&csv)),
        ("t.csv.zst", zst(&csv)),
        ("t.csv.bz2", bz2(&csv)),
        ("t.csv.xz", xz(&csv)),
        ("t.csv.zip", archive(&[("t.csv", csv.as_bytes())])),
        ("t.jsonl", lines.into_bytes()),
        ("t.csv", csv.into_bytes()),
    ]
}

/// What happens to a file.
#[derive(Debug, Clone, Copy)]
enum Change {
    Truncate,
    Empty,
    Extend,
    Rewrite,
    Replace,
}

impl Change {
    const ALL: [Change; 5] = [Change::Truncate, Change::Empty, Change::Extend, Change::Rewrite, Change::Replace];

    /// Changes the file; `place` is a number in [0, 1).
    fn make(self, folder: &Folder, name: &str, (whole, place): (&[u8], f64)) {
        let path = folder.path(name);
        let at = (whole.len() as f64 * place) as usize;
        let file = File::options().write(true).open(&path).unwrap();
        match self {
            Change::Truncate => file.set_len(at as u64).unwrap(),
            Change::Empty => file.set_len(0).unwrap(),
            Change::Extend => file.write_all_at(&whole[at..], whole.len() as u64).unwrap(),
            // The second half first, so that a reader sees a mixture.
            Change::Rewrite => {
                let turned: Vec<u8> = whole[at..].iter().chain(&whole[..at]).copied().collect();
                let half = turned.len() / 2;
                file.write_all_at(&turned[half..], half as u64).unwrap();
                file.write_all_at(&turned[..half], 0).unwrap();
            }
            Change::Replace => {
                folder.write("other", &whole[at..]);
                fs::rename(folder.path("other"), path).unwrap();
            }
        }
    }
}

fn start(folder: &Folder, line: &str) -> Child {
    let mut command = Command::new(ARSS);
    command.current_dir(folder.0.path()).args(line.split_whitespace()).env("XDG_CONFIG_HOME", "/nowhere");
    limited(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Waits for the end, which has to come within the limit; what was said.
fn ended(mut child: Child, what: &str) -> (ExitStatus, String) {
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if since.elapsed() > LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{what}: it did not end within {LIMIT:?}");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    (child.wait().unwrap(), text)
}

/// The rows that a run chose, or nothing if it failed.
fn answer(folder: &Folder, line: &str) -> Option<String> {
    let (status, _) = ended(start(folder, line), line);
    status.success().then(|| folder.read("picks.txt"))
}

#[test]
fn every_reader_ends_when_its_file_changes() {
    let folder = Folder::new();
    let mut random = noise(4_000).into_iter().map(|value| value + 0.5);
    let (mut runs, mut told) = (0, 0);
    for (name, whole) in large_tables() {
        let line = format!("select {name} {LINE}");
        folder.write(name, &whole);
        let began = Instant::now();
        let before = answer(&folder, &line);
        let took = began.elapsed();
        assert!(before.is_some(), "{name}");
        // Plain text was what hung: it is looked at more often.
        let rounds = if ["t.csv", "t.jsonl"].contains(&name) { 4 } else { 1 };
        for (round, change) in (0..rounds).flat_map(|round| Change::ALL.map(|change| (round, change))) {
            folder.write(name, &whole);
            let what = format!("{name}, {change:?}, round {round}");
            let child = start(&folder, &line);
            std::thread::sleep(took.mul_f64(random.next().unwrap()));
            change.make(&folder, name, (&whole, random.next().unwrap()));
            let (status, err) = ended(child, &what);
            runs += 1;
            assert!(!err.contains("panicked"), "{what}: {err}");
            if status.success() {
                // It came before the file was opened, or after everything was read.
                let found = Some(folder.read("picks.txt"));
                assert!(found == before || found == answer(&folder, &line), "{what}: {err}");
                continue;
            }
            told += 1;
            let one_line = err.starts_with("error: ") && err.lines().count() == 1;
            assert!(status.code() == Some(2) && one_line, "{what}: {status:?} {err}");
            assert!(err.contains(name), "{what}: {err}");
        }
    }
    println!("{runs} files were changed under a run, {told} of which said so");
    assert!(told * 5 >= runs, "{told} of {runs}: the changes came too late");
}

/// A pipe holds the run while it writes, after everything was read: the file is then changed, and its time set back.
#[test]
fn a_time_that_was_set_back_hides_nothing() {
    let text: String = noise(40_000).chunks(2).map(|v| format!("{:.6},{:.6}\n", v[0], v[1])).collect();
    let folder = Folder::with("t.csv", format!("a,b\n{text}"));
    for change in ["one digit", "another file of the same size", "nothing"] {
        let pipe = folder.path("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let child = start(&folder, "select t.csv -q --method random -k 3 -o out.csv --scores pipe");
        let mut reader = File::open(&pipe).unwrap();
        reader.read_exact(&mut [0; 8]).unwrap();
        let path = folder.path("t.csv");
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        match change {
            "one digit" => {
                let file = File::options().write(true).open(&path).unwrap();
                let digit = folder.bytes("t.csv").iter().skip(170_000).position(u8::is_ascii_digit).unwrap() + 170_000;
                let other = if folder.bytes("t.csv")[digit] == b'7' { b"8" } else { b"7" };
                file.write_all_at(other, digit as u64).unwrap();
                file.set_modified(time).unwrap();
            }
            "another file of the same size" => {
                folder.write("other", folder.bytes("t.csv"));
                File::options().write(true).open(folder.path("other")).unwrap().set_modified(time).unwrap();
                fs::rename(folder.path("other"), &path).unwrap();
            }
            _ => {}
        }
        let emptied = std::thread::spawn(move || reader.read_to_end(&mut Vec::new()).unwrap());
        let (status, err) = ended(child, change);
        emptied.join().unwrap();
        if change == "nothing" {
            assert!(status.success() && folder.path("out.csv").exists(), "{err}");
        } else {
            let told = "error: t.csv: changed while it was being read; run again when it is complete\n";
            assert_eq!((status.code(), err.as_str()), (Some(2), told), "{change}");
            assert!(!folder.path("out.csv").exists(), "{change}");
        }
        fs::remove_file(&pipe).unwrap();
    }
}

/// A reader that has only begun when the file shrinks: its size was known, its bytes are gone.
#[test]
fn a_file_that_is_shorter_than_it_was_said_to_be() {
    for name in ["t.csv", "t.jsonl"] {
        // Several segments of four megabytes, so that the first is read long before the last.
        let line = if name == "t.csv" { "1.25,2.5,3.75,text\n" } else { "{\"a\":1.25,\"b\":2.5,\"c\":\"text\"}\n" };
        let mut file = Vec::from(if name == "t.csv" { &b"a,b,c,d\n"[..] } else { b"" });
        while file.len() < 90 << 20 {
            file.extend(line.as_bytes().repeat(1000));
        }
        let folder = Folder::with(name, &file);
        let child = start(&folder, &format!("select {name} {LINE} --memory 4G"));
        std::thread::sleep(Duration::from_millis(150));
        let half = File::options().write(true).open(folder.path(name)).unwrap();
        half.set_len(file.len() as u64 / 3).unwrap();
        let (status, err) = ended(child, name);
        let told = format!("error: {name}: changed while it was being read; run again when it is complete\n");
        assert!((status.code() == Some(2) && err == told) || status.success(), "{name}: {status:?} {err}");
    }
}
