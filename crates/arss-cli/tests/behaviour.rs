//! What a run says and keeps: progress, JSON on stderr, colours, files that exist, the ranking so far.
#![cfg(unix)]

mod common;

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use common::limits::{limited, output_of, wait_for};
use common::{ARSS, Folder, noise, npy_f64, numbers, plots_csv};
use serde_json::Value;

/// A run that takes a few seconds.
const LONG: &str = "select t.npy -k 5 --method arss --preset paper --iterations 100000000";

fn large() -> Folder {
    Folder::with("t.npy", npy_f64(&noise(4_000 * 20), 4_000))
}

fn start(folder: &Folder, line: &str) -> Child {
    let mut command = Command::new(ARSS);
    command.current_dir(folder.0.path()).args(line.split_whitespace());
    limited(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Lets it run for a while, then sends a signal.
fn stop(mut child: Child, signal: &str, after: f64) -> Output {
    std::thread::sleep(Duration::from_secs_f64(after));
    assert!(child.try_wait().unwrap().is_none(), "it ended too early");
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    child.wait_with_output().unwrap()
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8(bytes.to_vec()).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn plain_lines_tell_the_phase_the_share_and_the_time_left() {
    let folder = large();
    let mut child = start(&folder, LONG);
    let (err, mut rest) = wait_for(&mut child, "solve: ");
    let told = err.last().unwrap();
    assert!(told.contains(" %, about ") && told.ends_with(" left"), "{err:?}");
    assert_eq!(stop(child, "-INT", 0.0).status.code(), Some(130));
    let mut more = String::new();
    rest.read_to_string(&mut more).unwrap();
    assert_eq!(more.lines().last().unwrap(), "interrupted: nothing was written");

    let quiet = stop(start(&folder, &format!("{LONG} -q")), "-TERM", 2.0);
    assert_eq!(quiet.status.code(), Some(130));
    assert_eq!(lines(&quiet.stderr), ["interrupted: nothing was written"]);
}

#[test]
fn machines_get_one_object_a_line() {
    let folder = large();
    let objects = |bytes: &[u8]| -> Vec<Value> {
        lines(bytes).iter().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
    };
    let ran = folder.run("select t.npy -k 3 --json --json-progress").ok();
    let told = objects(ran.err.as_bytes());
    assert_eq!((&told[0]["event"], &told[0]["command"]), (&"start".into(), &"select".into()));
    let phases: Vec<&str> =
        told.iter().filter(|o| o["event"] == "progress").filter_map(|o| o["phase"].as_str()).collect();
    assert!(["read", "prepare", "solve", "write"].iter().all(|phase| phases.contains(phase)), "{phases:?}");
    assert!(
        told.iter()
            .any(|o| o["event"] == "note"
                && o["text"].as_str().unwrap().starts_with("exemplars: 4000 rows by 20 columns"))
    );
    assert!(told.last().unwrap()["event"] == "done" && told.last().unwrap()["seconds"].is_f64());

    let ran = folder.run("select t.npy -k 0 --json-progress");
    let told = objects(ran.err.as_bytes());
    let error = told.last().unwrap();
    assert_eq!((ran.code, &error["event"], &error["code"]), (2, &"error".into(), &2.into()));
    assert!(error["text"].as_str().unwrap().starts_with("k is 0"), "{error}");
    let ran = folder.run("select --json-progress --nonsense");
    assert!(ran.code == 2 && objects(ran.err.as_bytes())[0]["event"] == "error", "{ran:?}");

    let told = objects(&stop(start(&folder, &format!("{LONG} --json-progress")), "-INT", 3.0).stderr);
    let solving: Vec<&Value> = told.iter().filter(|object| object["phase"] == "solve").collect();
    assert!(solving.len() >= 2, "{told:?}");
    let last = solving[solving.len() - 1];
    assert!(last["done"].as_u64().unwrap() > 0 && last["total"] == 100_000_000 && last["seconds"].is_f64(), "{last}");
    assert_eq!((&told.last().unwrap()["event"], &told.last().unwrap()["code"]), (&"error".into(), &130.into()));
    assert_eq!(folder.run("select t.npy -k 3 -q --json --json-progress").ok().err, "");
}

#[test]
fn the_ranking_so_far_can_be_kept() {
    let folder = large();
    let outputs = "-o out.npy --indices picks.txt --scores scores.csv --report page.html --result result.json";
    for signal in ["-INT", "-TERM"] {
        let line = format!("{LONG} --json --keep-partial --force {outputs}");
        let output = stop(start(&folder, &line), signal, 2.0);
        let err = lines(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{err:?}");
        assert!(
            err.iter().any(|line| line.starts_with("interrupted: stopping, the ranking so far is kept")),
            "{err:?}"
        );
        assert_eq!(err.last().unwrap(), "interrupted: the results are partial, the ranking so far");
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(result["status"], "interrupted");
        let picks: Vec<usize> = folder.read("picks.txt").lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!((picks.len(), &picks), (5, &numbers(&result["indices"])));
        assert_eq!(folder.read("scores.csv").lines().count(), 4001);
        assert!(folder.read("page.html").contains("interrupted after "));
    }
    assert_eq!(folder.names(), ["out.npy", "page.html", "picks.txt", "result.json", "scores.csv", "t.npy"]);
}

#[test]
fn a_file_that_exists_is_not_replaced_unasked() {
    let folder = Folder::with("t.csv", plots_csv());
    let flags = ["-o", "--indices", "--scores", "--assignments", "--report", "--result"];
    for flag in flags {
        folder.write("old.csv", "precious");
        // Found out before the table is read: there is none.
        folder.refuses(
            &format!("select missing.csv -k 3 {flag} old.csv"),
            &["old.csv: already exists; --force replaces it"],
        );
        folder.run(&format!("select t.csv -k 3 -q {flag} old.csv --force")).ok();
        assert_ne!(folder.read("old.csv"), "precious", "{flag}");
    }
    folder.run("select t.csv -k 3 -q --scores /dev/null").ok();
    // A device says nothing about a format: csv.
    folder.run("select t.csv -k 3 -q -o /dev/null").ok();
    let wanted = folder.run("select t.csv -k 3 -q -o -").ok().out;
    assert_eq!(folder.run("select t.csv -k 3 -q -o /dev/fd/1 --json").ok().out.split('{').next(), Some(&*wanted));
}

#[test]
fn indices_in_three_formats() {
    let folder = Folder::with("t.csv", plots_csv());
    let wanted = folder.indices("select t.csv -k 4 --indices a.txt");
    let text: String = wanted.iter().map(|row| format!("{row}\n")).collect();
    assert_eq!(folder.read("a.txt"), text);
    folder.run("select t.csv -k 4 -q --indices a.json").ok();
    assert_eq!(numbers(&serde_json::from_str(&folder.read("a.json")).unwrap()), wanted);
    folder.run("select t.csv -k 4 -q --indices a.npy").ok();
    let bytes = folder.bytes("a.npy");
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00") && bytes.len() == 128 + 32);
    assert!(String::from_utf8_lossy(&bytes[10..128]).contains("'descr': '<i8', 'fortran_order': False, 'shape': (4,)"));
    let found: Vec<usize> =
        bytes[128..].chunks(8).map(|b| i64::from_le_bytes(b.try_into().unwrap()) as usize).collect();
    assert_eq!(found, wanted);
}

#[test]
fn exit_codes_are_in_the_help() {
    let folder = Folder::new();
    for line in ["--help", "select --help", "plan --help", "report --help"] {
        let help = folder.run(line).ok().out;
        assert!(help.contains("0 done, 1 the run failed, 2 bad input or usage, 130 interrupted"), "{line}: {help}");
    }
}

/// Runs a line on a terminal, if there is a program that makes one.
fn on_terminal(folder: &Folder, line: &str, variables: &[(&str, &str)]) -> Option<String> {
    if !Path::new("/usr/bin/script").exists() {
        println!("skipped: there is no script(1) to make a terminal with");
        return None;
    }
    let mut command = Command::new("/usr/bin/script");
    command.args(["-qec", &format!("{ARSS} {line}"), "/dev/null"]).current_dir(folder.0.path()).env("TERM", "xterm");
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    let output = output_of(command.envs(variables.iter().copied())).unwrap();
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn colours_only_on_terminals_that_want_them() {
    let folder = Folder::with("t.csv", plots_csv());
    for line in ["--help", "select t.csv -k 99"] {
        let Some(text) = on_terminal(&folder, line, &[]) else { return };
        assert!(text.contains("\u{1b}["), "{line}: {text:?}");
        for refusal in [("NO_COLOR", "1"), ("CLICOLOR", "0")] {
            let text = on_terminal(&folder, line, &[refusal]).unwrap();
            assert!(!text.contains("\u{1b}[") && text.len() > 20, "{refusal:?} {line}: {text:?}");
        }
        let ran = folder.run(line);
        assert!(!ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'));
    }
}

#[test]
fn a_terminal_shows_a_bar() {
    let folder = large();
    // Long enough to be seen, and it ends by itself.
    let line = "select t.npy -k 5 --method arss --preset paper --iterations 3000";
    let Some(text) = on_terminal(&folder, line, &[("NO_COLOR", "1")]) else { return };
    assert!(text.contains("arss: 4000 rows by 20 columns"), "{text:?}");
    let drawn = text.contains("solve    [") && text.contains(" left");
    let seconds: f64 = text.rsplit(", ").next().unwrap().split(' ').next().unwrap().parse().unwrap_or(9.0);
    assert!(drawn || seconds < 2.0, "{seconds} s: {text:?}");
}
