//! Signals, pipes, files that cannot be written, and the demo.
#![cfg(unix)]

mod common;

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::limits::limited;
use common::{ARSS, Folder, noise, npy_f64, plots_csv};

fn start(folder: &Folder, line: &str) -> Child {
    let mut command = Command::new(ARSS);
    command.current_dir(folder.0.path()).args(line.split_whitespace());
    limited(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Sends SIGINT and waits for the end; the exit code and stderr.
fn interrupt(child: Child) -> (Option<i32>, String) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let since = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(since.elapsed() < Duration::from_secs(30));
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn ctrl_c_while_reading_ends_at_once() {
    let folder = Folder::new();
    assert!(Command::new("mkfifo").arg(folder.path("pipe.csv")).status().unwrap().success());
    let child = start(&folder, "select pipe.csv -k 1 -o out.csv");
    // Opening for writing waits for the reader, so the program is reading from here on.
    let mut pipe = std::fs::OpenOptions::new().write(true).open(folder.path("pipe.csv")).unwrap();
    pipe.write_all(b"a,b\n1,2\n").unwrap();
    let (code, err) = interrupt(child);
    assert_eq!((code, err.as_str()), (Some(130), "interrupted: nothing was written\n"));
    assert_eq!(folder.names(), ["pipe.csv"]);
}

#[test]
fn ctrl_c_while_solving_stops_the_run() {
    let folder = Folder::with("t.npy", npy_f64(&noise(20_000 * 50), 20_000));
    for method in ["arss --preset paper --iterations 100000000", "exemplars --landmarks 4000"] {
        let line = format!("select t.npy -k 5 --method {method} -o out.npy --scores scores.csv");
        let mut child = start(&folder, &line);
        std::thread::sleep(Duration::from_secs(1));
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        let (code, err) = interrupt(child);
        assert_eq!(code, Some(130), "{err}");
        assert!(err.ends_with("interrupted: nothing was written\n"), "{err}");
        assert_eq!(folder.names(), ["t.npy"]);
    }
}

#[test]
fn a_closed_pipe_is_quiet() {
    let folder = Folder::with("t.csv", plots_csv());
    for line in ["select t.csv -k 20 -q", "select t.csv -k 20 -q --json"] {
        let mut child = start(&folder, line);
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{line}");
    }
}

#[test]
fn files_that_cannot_be_written_leave_nothing_behind() {
    let folder = Folder::with("t.csv", plots_csv());
    std::fs::create_dir(folder.path("dir.csv")).unwrap();
    for (flags, word) in [
        ("-o missing/out.csv", "missing"),
        ("-o dir.csv", "directory"),
        ("--scores dir.csv", "directory"),
        ("-o out.csv --scores missing/s.csv", "missing"),
        ("-o out.csv --scores /dev/full", "/dev/full"),
    ] {
        let ran = folder.run(&format!("select t.csv -k 3 -q {flags}"));
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{flags}: {ran:?}");
        assert!(ran.err.starts_with("error: ") && ran.err.contains(word), "{flags}: {ran:?}");
        assert_eq!(ran.err.lines().count(), 1, "{flags}: {ran:?}");
        assert_eq!(folder.names(), ["dir.csv", "t.csv"], "{flags}");
    }
}

#[test]
fn files_are_replaced_whole() {
    let folder = Folder::with("t.csv", plots_csv());
    folder.write("out.csv", "old\n".repeat(10_000));
    std::os::unix::fs::symlink("out.csv", folder.path("link.csv")).unwrap();
    folder.refuses("select t.csv -k 3 -o link.csv", &["link.csv: already exists; --force replaces it"]);
    assert_eq!(folder.read("out.csv").lines().count(), 10_000);
    folder.run("select t.csv -k 3 -o link.csv --force").ok();
    assert_eq!(folder.read("out.csv").lines().count(), 4);
    assert!(folder.path("link.csv").is_symlink());
    assert_eq!(folder.names(), ["link.csv", "out.csv", "t.csv"]);
}

#[test]
fn no_progress_where_stderr_is_no_terminal() {
    let folder = Folder::with("t.csv", plots_csv());
    let ran = folder.run("select t.csv -k 3").ok();
    assert!(!ran.err.contains('\r') && !ran.err.contains('\u{1b}'), "{:?}", ran.err);
}

#[test]
fn the_demo_shows_and_writes_its_results() {
    let folder = Folder::new();
    let ran = folder.run("demo").ok();
    assert!(ran.out.contains("1060 forest plots") && ran.out.contains("60 of the plots are damaged"), "{}", ran.out);
    assert!(ran.out.contains("What was avoided") && ran.out.contains("arss-demo"), "{}", ran.out);
    assert_eq!(folder.names(), ["arss-demo"]);
    let chosen = folder.read("arss-demo/chosen.csv");
    let scores = folder.read("arss-demo/scores.csv");
    let result: serde_json::Value = serde_json::from_str(&folder.read("arss-demo/result.json")).unwrap();
    assert_eq!((chosen.lines().count(), scores.lines().count(), &result["k"]), (13, 1061, &12.into()));
    // What it prints is what it wrote: the picks in order, and the number of damaged ones.
    let ids: Vec<String> =
        common::numbers(&result["indices"]).iter().map(|row| format!("plot-{:04}", row + 1)).collect();
    let written: Vec<&str> = chosen.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(written, ids);
    let positions: Vec<usize> = ids.iter().map(|id| ran.out.find(id.as_str()).unwrap()).collect();
    assert!(positions.is_sorted());
    let damaged = chosen.lines().skip(1).filter(|line| !line.ends_with(',')).count();
    assert!(ran.out.contains(&format!("among the 12 chosen: {damaged} by exemplars")), "{}", ran.out);

    let page = folder.read("arss-demo/report.html");
    assert!(ran.out.contains("report.html") && page.contains("\"command\":\"arss demo\""), "{}", ran.out);

    folder.write("arss-demo/mine.txt", "kept");
    folder.run("demo").ok();
    assert_eq!(folder.read("arss-demo/mine.txt"), "kept");
    folder.run("demo other/place").ok();
    assert!(folder.path("other/place/chosen.csv").is_file());
    folder.write("file", "");
    let ran = folder.run("demo file");
    assert!(ran.code == 1 && ran.err.starts_with("error: file: "), "{ran:?}");
}
