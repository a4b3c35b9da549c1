//! Files of a run and other people: folders that are not ours, runs at the same time, eyes of other users, inputs that
//! never end or are also the output.
#![cfg(unix)]

mod common;

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::limits::{limited, output_of};
use common::{ARSS, Folder, LIMIT, Ran, noise, npy_f64, plots_csv};

/// A run that goes on until it is stopped.
const LONG: &str =
    "select t.npy -k 5 -q --method rrss --iterations 100000000 --tolerance 0 --checkpoint kept --every 2";

fn spawn(folder: &Folder, line: &str, stdin: Stdio) -> Child {
    let mut command = Command::new(ARSS);
    command.current_dir(folder.0.path()).args(line.split_whitespace()).env("XDG_CONFIG_HOME", "/nowhere");
    limited(command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Waits until `there` is true.
fn wait_for(what: &str, mut there: impl FnMut() -> bool) {
    let since = Instant::now();
    while !there() {
        assert!(since.elapsed() < LIMIT, "{what} did not happen within {LIMIT:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn ended(mut child: Child) -> Ran {
    wait_for("the end of a run", || child.try_wait().unwrap().is_some());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_checkpoint_deletes_nothing_of_others() {
    let folder = Folder::with("t.npy", npy_f64(&noise(4_000 * 5), 4_000));
    let line = "select t.npy -k 3 -q --method rrss --iterations 4 --checkpoint kept";
    fs::create_dir(folder.path("kept")).unwrap();
    for name in ["passes", "values-3", "numbers-12", "checkpoint", "thesis.txt"] {
        folder.write(&format!("kept/{name}"), "precious");
        for flags in ["", "--force", "--resume"] {
            let told = format!("kept: holds {name} and is no checkpoint of this program");
            folder.refuses(&format!("{line} {flags}"), &[&told, "empty or new"]);
            assert_eq!(folder.read(&format!("kept/{name}")), "precious");
        }
        fs::remove_file(folder.path(&format!("kept/{name}"))).unwrap();
    }
    folder.run(line).ok();
    assert_eq!(folder.names(), ["t.npy"]);
}

#[test]
fn two_runs_on_one_checkpoint() {
    let folder = Folder::with("t.npy", npy_f64(&noise(4_000 * 5), 4_000));
    let there = || fs::read_to_string(folder.path("kept/checkpoint")).is_ok_and(|text| text.contains("\npasses "));
    let mut first = spawn(&folder, LONG, Stdio::null());
    wait_for("a checkpoint", there);
    let before = folder.bytes("kept/checkpoint").len();
    for flags in ["", "--force", "--resume"] {
        folder.refuses(&format!("{LONG} {flags}"), &["kept: is the checkpoint of a run that is still going on"]);
    }
    let plan = folder.run("plan t.npy -k 5 -q --checkpoint kept");
    assert!(plan.code == 2 && plan.err.contains("kept: is the checkpoint of a run that is still going on"), "{plan:?}");
    assert!(first.try_wait().unwrap().is_none() && folder.bytes("kept/checkpoint").len() >= before);
    // The lock ends with its owner, however that ends: nothing has to be cleared away.
    first.kill().unwrap();
    first.wait().unwrap();
    folder.refuses(LONG, &["kept: holds the checkpoint of an earlier run; --resume goes on with it"]);
    // Whoever resumes it has the lock then.
    let mut second = spawn(&folder, &format!("{LONG} --resume"), Stdio::null());
    wait_for("the second run", || {
        folder.run("plan t.npy -k 5 -q --checkpoint kept --resume").err.contains("still going on")
    });
    assert!(second.try_wait().unwrap().is_none());
    second.kill().unwrap();
    second.wait().unwrap();
}

#[test]
fn nobody_else_can_read_what_a_run_works_with() {
    let folder = Folder::with("t.npy", npy_f64(&noise(4_000 * 5), 4_000));
    fs::create_dir(folder.path("scratch")).unwrap();
    let mut child = spawn(&folder, &format!("{LONG} --scratch scratch"), Stdio::null());
    wait_for("a state", || {
        fs::read_to_string(folder.path("kept/checkpoint")).is_ok_and(|text| text.contains("\nnumbers "))
    });
    assert_eq!(mode(&folder.path("kept")), 0o700);
    for entry in fs::read_dir(folder.path("kept")).unwrap() {
        // The state is replaced all the time.
        if let Ok(about) = entry.unwrap().metadata() {
            assert_eq!(about.permissions().mode() & 0o777, 0o600);
        }
    }
    if cfg!(target_os = "linux") {
        let place = fs::canonicalize(folder.path("scratch")).unwrap();
        let open = fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap().map(|entry| entry.unwrap().path());
        let scratch = open.filter(|fd| fs::read_link(fd).is_ok_and(|to| to.starts_with(&place)));
        let about: Vec<_> = scratch.map(|fd| fs::metadata(fd).unwrap()).collect();
        assert!(about.len() >= 3, "{about:?}");
        assert!(about.iter().all(|about| about.mode() & 0o777 == 0o600 && about.nlink() == 0), "{about:?}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read_dir(folder.path("scratch")).unwrap().count(), 0);
}

#[test]
fn outputs_are_private_until_they_are_whole() {
    let folder = Folder::with("t.csv", plots_csv());
    let made = |line: &str| {
        let script = format!("umask 027; exec {ARSS} {line}");
        let output = output_of(Command::new("sh").args(["-c", &script]).current_dir(folder.0.path())).unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    // A pipe that nobody empties holds the run while it writes the second file.
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = spawn(&folder, "select t.csv -k 3 -q -o out.csv --scores pipe", Stdio::null());
    // Files of a moment, which show what permissions an ordinary file gets, are empty.
    let is_partial = |name: &String| {
        name.starts_with(".arss-") && fs::metadata(folder.path(name)).is_ok_and(|about| about.len() > 0)
    };
    let partial = || folder.names().into_iter().find(is_partial);
    wait_for("a partial file", || partial().is_some());
    assert_eq!(mode(&folder.path(&partial().unwrap())), 0o600);
    child.kill().unwrap();
    child.wait().unwrap();
    let left = partial().unwrap();
    assert_eq!(left.len(), ".arss-.tmp".len() + 12, "{left}");
    fs::remove_file(folder.path(&left)).unwrap();
    // Whole, it is an ordinary file; one that is replaced keeps its permissions.
    made("select t.csv -k 3 -q -o out.csv --indices picks.txt");
    assert_eq!((mode(&folder.path("out.csv")), mode(&folder.path("picks.txt"))), (0o640, 0o640));
    fs::set_permissions(folder.path("out.csv"), fs::Permissions::from_mode(0o600)).unwrap();
    made("select t.csv -k 3 -q -o out.csv --indices picks.txt --force");
    assert_eq!((mode(&folder.path("out.csv")), mode(&folder.path("picks.txt"))), (0o600, 0o640));
}

/// The attack: a link in a folder where everybody may write, under the name that somebody else's run is going to replace.
#[test]
fn a_link_that_another_user_put_there_is_not_followed() {
    let folder = Folder::with("t.csv", plots_csv());
    folder.write("key", "precious");
    fs::create_dir(folder.path("shared")).unwrap();
    fs::set_permissions(folder.path("shared"), fs::Permissions::from_mode(0o1777)).unwrap();
    std::os::unix::fs::symlink(folder.path("key"), folder.path("shared/out.csv")).unwrap();
    if std::os::unix::fs::lchown(folder.path("shared/out.csv"), Some(4321), None).is_err() {
        println!("skipped: only root can give links away");
        return;
    }
    for line in [
        "select t.csv -k 3 -o shared/out.csv",
        "select t.csv -k 3 --scores shared/out.csv",
        "select t.csv -k 3 --model shared/out.csv",
        "outliers t.csv --clean shared/out.csv",
        "compare t.csv -k 3 --report shared/out.csv",
        "features t.csv -k 2 -o shared/out.csv",
        "plan t.csv -k 3 -o shared/out.csv",
    ] {
        let ran = folder.run(&format!("{line} --force -q"));
        assert!(
            ran.code != 0 && ran.err.contains("shared/out.csv: cannot be written: a link that another user"),
            "{ran:?}"
        );
        assert_eq!(folder.read("key"), "precious", "{line}");
    }
}

#[test]
fn temporary_files_of_other_programs_stay() {
    let folder = Folder::with("t.csv", plots_csv());
    let old = std::time::SystemTime::now() - Duration::from_secs(3600);
    let names = [".arss-notes.tmp", ".arss-backup-of-it.tmp", ".arss-.tmp", ".arss-abcdefghijk!.tmp"];
    for name in names.into_iter().chain([".arss-abcdefghij12.tmp"]) {
        folder.write(name, "precious");
        File::options().write(true).open(folder.path(name)).unwrap().set_modified(old).unwrap();
    }
    folder.run("select t.csv -k 3 -q -o out.csv").ok();
    names.iter().for_each(|name| assert_eq!(folder.read(name), "precious"));
    assert!(!folder.path(".arss-abcdefghij12.tmp").exists());
}

#[test]
fn standard_input_is_not_replaced_by_its_own_picks() {
    let folder = Folder::with("in.csv", plots_csv());
    fs::hard_link(folder.path("in.csv"), folder.path("same.csv")).unwrap();
    let from = |line: &str| ended(spawn(&folder, line, File::open(folder.path("in.csv")).unwrap().into()));
    for line in [
        "select - -k 3 -o in.csv --force",
        "select - -k 3 -o ./in.csv --force",
        "select - -k 3 -o same.csv --force",
        "select - -k 3 -o new.csv --scores in.csv --force",
        "select /dev/stdin -k 3 -o in.csv --force",
        "outliers - -o in.csv --force",
        "outliers - --clean in.csv --force",
        "compare - -k 3 --report in.csv --force",
    ] {
        from(line).refused(line, &["is the input; write to another file"]);
        assert_eq!(folder.read("in.csv"), plots_csv(), "{line}");
    }
    assert_eq!(from("select - -k 3 -q -o other.csv").code, 0);
    assert_eq!(folder.names(), ["in.csv", "other.csv", "same.csv"]);
}

#[test]
fn inputs_that_never_end_are_refused() {
    let folder = Folder::with("t.csv", plots_csv());
    for device in ["/dev/zero", "/dev/urandom"] {
        for line in
            ["select D -k 2 -q", "outliers D -q", "select D -k 2 -q --memory 60M", "select D -k 2 -q --scratch ."]
        {
            let line = line.replace('D', device);
            folder.refuses(&line, &[device, "unknown kind of file"]);
        }
        folder.refuses(&format!("select t.csv -k 2 -q --include @{device}"), &[device]);
        folder.refuses(&format!("apply {device} t.csv"), &[device, "is no model"]);
    }
    folder.refuses(
        "outliers /dev/zero -q --format csv --memory 30M",
        &["/dev/zero: holds more than 30.0 MiB", "--memory"],
    );
    // A pipe of lines that look good.
    let endless = |line: &str| {
        let mut child = spawn(&folder, line, Stdio::piped());
        let mut pipe = child.stdin.take().unwrap();
        let lines = "1.5,2.5\n".repeat(8192);
        let fed = std::thread::spawn(move || while pipe.write_all(lines.as_bytes()).is_ok() {});
        let ran = ended(child);
        fed.join().unwrap();
        ran
    };
    for line in ["outliers - -q --memory 30M", "compare - -k 2 -q --memory 30M"] {
        endless(line).refused(line, &["-: holds more than 30.0 MiB, which is the limit", "save it to a file"]);
    }
    // With scratch files, the disk is the limit.
    let disk = folder.path("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=40m", "tmpfs"]).arg(&disk).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        println!("a small disk cannot be mounted here");
        return;
    }
    let line = "select - -k 2 -q --method ted --memory 60M --scratch disk";
    let ran = endless(line);
    let left = fs::read_dir(&disk).unwrap().count();
    assert!(Command::new("umount").arg(&disk).status().unwrap().success());
    ran.refused(line, &["-: holds more than 36.0 MiB, which is all that disk has room for", "--scratch DIR"]);
    assert_eq!(left, 0);
}
