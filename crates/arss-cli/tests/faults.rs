//! Things that go wrong at the worst moment: kills, full disks, folders nobody may write to, files that change.
#![cfg(unix)]

mod common;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use common::limits::{limited, output_of};
use common::{ARSS, Folder, noise, npy_f64, plots_csv};

fn spawn(folder: &Folder, line: &str) -> Child {
    let mut command = Command::new(ARSS);
    command.current_dir(folder.0.path()).args(line.split_whitespace());
    limited(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// The names of temporary files that were left.
fn left(folder: &Folder) -> Vec<String> {
    folder.names().into_iter().filter(|name| name.starts_with(".arss-")).collect()
}

const OUTPUTS: [&str; 5] = ["out.csv", "scores.csv", "assign.csv", "page.html", "result.json"];

/// A run with large outputs: half of its time goes into making and writing them.
fn writing_run(flags: &str) -> String {
    format!(
        "select t.csv -k 300 -q --landmarks 16 {flags} -o out.csv --scores scores.csv --assignments assign.csv \
         --report page.html --result result.json"
    )
}

fn writing_table() -> Folder {
    let mut text = String::from("a,b,remark\n");
    for v in noise(2 * 4000).chunks(2) {
        text += &format!("{},{},{}\n", v[0], v[1], "long ".repeat(80));
    }
    Folder::with("t.csv", text)
}

#[test]
fn a_killed_run_leaves_old_files_or_whole_ones() {
    let folder = writing_table();
    folder.run(&writing_run("--force")).ok();
    let whole: Vec<Vec<u8>> = OUTPUTS.iter().map(|name| folder.bytes(name)).collect();
    let (mut killed, mut temporary) = (0, 0);
    for round in 0..18 {
        for name in OUTPUTS {
            folder.write(name, "old");
        }
        let mut child = spawn(&folder, &writing_run("--force"));
        // In turn: when the first, second, ... file is begun, and when the files get their names.
        let begun = |folder: &Folder| left(folder).len() > round % 6;
        let named = |folder: &Folder| fs::metadata(folder.path(OUTPUTS[0])).is_ok_and(|data| data.len() > 3);
        while child.try_wait().unwrap().is_none() && !begun(&folder) && !named(&folder) {}
        std::thread::sleep(Duration::from_micros(97 * (round as u64 / 6)));
        killed += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        for (at, name) in OUTPUTS.iter().enumerate() {
            let found = folder.bytes(name);
            assert!(found == b"old" || found == whole[at], "round {round}: {name} has {} bytes", found.len());
        }
        temporary += left(&folder).len();
        left(&folder).iter().for_each(|name| fs::remove_file(folder.path(name)).unwrap());
    }
    println!("{killed} of 18 runs were killed; they left {temporary} temporary files");
    assert!(killed >= 9 && temporary >= 9, "{killed} killed, {temporary} files");
}

#[test]
fn killed_in_the_middle_of_each_file() {
    // A pipe that nobody empties holds the run exactly while it writes that file.
    let folder = writing_table();
    let flags = ["-o", "--indices", "--scores", "--assignments", "--report", "--result"];
    for (at, held) in flags.iter().enumerate() {
        let pipe = folder.path("pipe.csv");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let line: String = flags
            .iter()
            .enumerate()
            .map(
                |(other, flag)| {
                    if other == at { format!(" {held} pipe.csv") } else { format!(" {flag} new{other}.csv") }
                },
            )
            .collect();
        let mut child = spawn(&folder, &format!("select t.csv -k 3000 -q --method facility {line}"));
        let mut reader = File::open(&pipe).unwrap();
        let mut start = [0; 16];
        reader.read_exact(&mut start).unwrap();
        assert!(child.try_wait().unwrap().is_none() || *held == "--indices", "{held}: it ended too early");
        child.kill().unwrap();
        child.wait().unwrap();
        fs::remove_file(&pipe).unwrap();
        // Nothing has got its name yet, but for the short list of numbers that fits into the pipe.
        let named = folder.names().into_iter().filter(|name| name.starts_with("new")).count();
        assert!(named == 0 || *held == "--indices", "{held}: {:?}", folder.names());
        let stale = left(&folder);
        assert!(stale.len() <= 5, "{stale:?}");
        // Young ones are left alone: somebody may be writing them. Old ones go with the next run.
        folder.run("select t.csv -k 3 -q --method random --force -o next.csv").ok();
        assert_eq!(left(&folder), stale, "{held}");
        for name in &stale {
            let file = File::options().write(true).open(folder.path(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(120)).unwrap();
        }
        let used = folder.path(".arss-usedusedused.tmp");
        let file = File::create(&used).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(120)).unwrap();
        file.lock().unwrap();
        folder.run("select t.csv -k 3 -q --method random --force -o next.csv").ok();
        assert_eq!(left(&folder), [".arss-usedusedused.tmp"], "{held}");
        for name in folder.names().into_iter().filter(|name| name != "t.csv") {
            fs::remove_file(folder.path(&name)).unwrap();
        }
    }
}

#[test]
fn ctrl_c_while_a_file_is_written_ends_at_once_and_leaves_nothing() {
    for signal in ["-INT", "-TERM"] {
        let folder = writing_table();
        let pipe = folder.path("pipe.csv");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let line = "select t.csv -k 300 -q --landmarks 16 -o out.csv --scores pipe.csv --result r.json";
        let mut command = Command::new(ARSS);
        command.current_dir(folder.0.path()).args(line.split_whitespace()).stderr(Stdio::piped());
        let child = limited(command.stdout(Stdio::null()).spawn().unwrap());
        let mut reader = File::open(&pipe).unwrap();
        reader.read_exact(&mut [0; 16]).unwrap();
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "interrupted: nothing was written\n");
        assert_eq!(folder.names(), ["pipe.csv", "t.csv"]);
    }
}

#[test]
fn a_full_disk_is_told_and_nothing_is_left() {
    let folder = Folder::with("t.csv", plots_csv());
    let disk = folder.path("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&disk).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        println!("a small disk cannot be mounted here; a limit on file sizes has to do");
        return full_by_limit(&folder);
    }
    fs::write(disk.join("old.html"), "old").unwrap();
    for flags in ["--report disk/old.html --force", "-o disk/out.csv --report disk/page.html"] {
        let ran = folder.run(&format!("select t.csv -k 3 -q {flags}"));
        let mut names: Vec<_> = fs::read_dir(&disk).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        let old = fs::read_to_string(disk.join("old.html")).unwrap();
        if ran.code != 1 || names != ["old.html"] || old != "old" {
            Command::new("umount").arg(&disk).status().unwrap();
            panic!("{ran:?} {names:?}");
        }
        assert!(ran.err.contains("cannot be written: No space left on device"), "{ran:?}");
        assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    }
    assert!(Command::new("umount").arg(&disk).status().unwrap().success());
    full_by_limit(&folder);
}

/// No file may have more than so many kilobytes; the signal for it is ignored, so writing fails.
fn full_by_limit(folder: &Folder) {
    let script = format!("trap '' XFSZ; ulimit -f 64; exec {ARSS} select t.csv -k 3 -q -o out.csv --report page.html");
    let output = output_of(Command::new("bash").args(["-c", &script]).current_dir(folder.0.path()));
    let Ok(output) = output else {
        println!("skipped: there is no bash to set a limit with");
        return;
    };
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.starts_with("error: page.html: cannot be written: ") && err.lines().count() == 1, "{err}");
    assert!(!folder.path("out.csv").exists() && left(folder).is_empty());
}

#[test]
fn a_folder_that_may_not_be_written_to() {
    let folder = Folder::with("t.csv", plots_csv());
    let place = folder.path("locked");
    fs::create_dir(&place).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o555)).unwrap();
    if File::create(place.join("probe")).is_ok() {
        fs::remove_file(place.join("probe")).unwrap();
        println!("permissions do not bind this user; a system folder that is read-only has to do");
        let ran = folder.run("select t.csv -k 3 -q -o /proc/out.csv --scores scores.csv");
        assert!(ran.code == 1 && ran.err.starts_with("error: /proc/out.csv: cannot be written: "), "{ran:?}");
        assert_eq!(folder.names(), ["locked", "t.csv"]);
        return;
    }
    let ran = folder.run("select t.csv -k 3 -q -o out.csv --scores locked/scores.csv");
    assert_eq!((ran.code, ran.err.lines().count()), (1, 1), "{ran:?}");
    assert!(ran.err.contains("locked/scores.csv: cannot be written: Permission denied"), "{ran:?}");
    assert_eq!(folder.names(), ["locked", "t.csv"]);
}

#[test]
fn a_table_that_changes_while_it_is_read_is_refused() {
    // Large enough that reading takes a while; somebody keeps appending to it.
    let mut text = String::from("a,b\n");
    for v in noise(2 * 150_000).chunks(2) {
        text += &format!("{},{}\n", v[0], v[1]);
    }
    let folder = Folder::with("t.csv", text);
    let child = {
        let mut command = Command::new(ARSS);
        command.current_dir(folder.0.path()).args("select t.csv -k 3 -q -o out.csv --method random".split(' '));
        limited(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    };
    let mut file = File::options().append(true).open(folder.path("t.csv")).unwrap();
    let (mut child, mut appended) = (child, 0);
    while child.try_wait().unwrap().is_none() {
        file.write_all(b"1,2\n").unwrap();
        appended += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{appended} lines were appended: {err}");
    assert_eq!(err, "error: t.csv: changed while it was being read; run again when it is complete\n");
    assert_eq!(folder.names(), ["t.csv"]);
}

#[test]
fn a_file_that_appears_meanwhile_is_not_replaced() {
    let folder = Folder::with("t.npy", npy_f64(&noise(4_000 * 20), 4_000));
    let line = "select t.npy -k 5 -q --method arss --preset paper --iterations 100000000 --keep-partial -o out.npy";
    let mut command = Command::new(ARSS);
    command.current_dir(folder.0.path()).args(line.split(' ')).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = limited(command.spawn().unwrap());
    std::thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().unwrap().is_none());
    folder.write("out.npy", "of somebody else");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "error: out.npy: already exists; --force replaces it\n");
    assert_eq!(folder.read("out.npy"), "of somebody else");
    assert_eq!(folder.names(), ["out.npy", "t.npy"]);
}

#[test]
fn closed_streams_do_no_harm() {
    let folder = Folder::with("t.csv", plots_csv());
    let shell = |script: &str| {
        let output = output_of(Command::new("sh").args(["-c", script]).current_dir(folder.0.path())).unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        let (code, _, err) = shell(&format!("{ARSS} select t.csv -k 3 -o out.csv --force --json {closed}"));
        assert_eq!(code, Some(0), "{closed}: {err}");
        assert_eq!(folder.read("out.csv").lines().count(), 4, "{closed}");
        assert!(!err.contains("panicked") && folder.read("out.csv").starts_with("id,"), "{closed}: {err}");
    }
    for line in
        ["select t.csv -k 30 -q", "select t.csv -k 30 -q --json", "plan t.csv -k 3 -q", "--help", "select --help"]
    {
        let (code, out, err) = shell(&format!("({ARSS} {line}; echo $? >&2) | head -1"));
        assert_eq!((code, err.as_str(), out.lines().count()), (Some(0), "0\n", 1), "{line}");
    }
}
