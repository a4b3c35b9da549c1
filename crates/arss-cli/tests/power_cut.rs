//! A power cut at any moment: what a run asks of the file system is recorded, and everything that was not on the disk
//! by then is thought away. A name may come to the disk at any time after it was given, or not before its folder is
//! waited for; bytes come when their file is waited for.
#![cfg(target_os = "linux")]

mod common;

use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::limits::output_of;
use common::{ARSS, Folder, noise, npy_f64, plots_csv};

/// One call that the program made.
#[derive(Debug, Clone)]
struct Call {
    what: String,
    handle: i64,
    number: i64,
    paths: [String; 2],
}

/// Runs a line and gives its calls; none where programs cannot be watched.
fn recorded(folder: &Folder, recorder: &Path, line: &str) -> Option<Vec<Call>> {
    let log = recorder.with_extension("log");
    let mut command = Command::new(recorder);
    command.arg(&log).arg(ARSS).args(line.split_whitespace()).current_dir(folder.0.path());
    command.stdin(Stdio::null()).env("XDG_CONFIG_HOME", "/nowhere");
    let output = output_of(&mut command).unwrap();
    if output.status.code() == Some(77) {
        println!("skipped: programs may not be watched here");
        return None;
    }
    assert!(output.status.success(), "{line}: {output:?}");
    let text = std::fs::read_to_string(log).unwrap();
    let call = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [what, handle, number, first, second] = fields[..] else { panic!("{line}") };
        let (handle, number) = (handle.parse().unwrap(), number.parse().unwrap());
        Call { what: what.to_owned(), handle, number, paths: [first.to_owned(), second.to_owned()] }
    };
    Some(text.lines().map(call).collect())
}

/// The program that records, if there is a compiler to make it with.
fn recorder(folder: &Folder) -> Option<PathBuf> {
    let place = folder.path("recorder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/power_cut/recorder.c");
    let made = Command::new("cc").arg("-O1").arg("-o").arg(&place).arg(source).output();
    if !made.is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no C compiler to make the recorder with");
        return None;
    }
    Some(place)
}

/// A file: bytes written, and bytes on the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Bytes {
    written: i64,
    synced: i64,
}

/// A disk, and what a power cut could leave of it.
#[derive(Debug, Default)]
struct Disk {
    files: Vec<Bytes>,
    /// What each open file is: one of the files, or a folder.
    open: HashMap<i64, Result<usize, String>>,
    /// All that each name may stand for after a power cut; the last is what it stands for now.
    names: BTreeMap<String, Vec<Option<usize>>>,
}

impl Disk {
    fn now(&self, name: &str) -> Option<usize> {
        self.names.get(name).and_then(|known| *known.last()?)
    }

    fn give(&mut self, name: &str, file: Option<usize>) {
        self.names.entry(name.to_owned()).or_insert_with(|| vec![None]).push(file);
    }

    /// Makes a call; paths are those below `home`.
    fn make(&mut self, call: &Call, home: &Path) {
        let path = |at: usize| {
            let path = home.join(&call.paths[at]);
            path.strip_prefix(home).ok().map(|path| path.display().to_string())
        };
        match (call.what.as_str(), self.open.get(&call.handle).cloned()) {
            ("open", _) => {
                self.open.remove(&call.handle);
                let Some(name) = path(0) else { return };
                // O_TMPFILE is the flag of files without names, O_CREAT of those with one; others are read.
                const CREATES: i64 = 0o100;
                const NAMELESS: i64 = 0o20_000_000;
                let opened = if call.number & NAMELESS != 0 || (call.number & CREATES != 0 && self.now(&name).is_none())
                {
                    self.files.push(Bytes::default());
                    Ok(self.files.len() - 1)
                } else {
                    self.now(&name).ok_or_else(|| name.clone())
                };
                if let (true, Ok(file)) = (call.number & NAMELESS == 0 && self.now(&name).is_none(), &opened) {
                    self.give(&name, Some(*file));
                }
                self.open.insert(call.handle, opened);
            }
            ("close", _) => drop(self.open.remove(&call.handle)),
            ("copy", Some(what)) => drop(self.open.insert(call.number, what)),
            ("write", Some(Ok(file))) => self.files[file].written += call.number,
            ("sync", Some(Ok(file))) => self.files[file].synced = self.files[file].written,
            ("sync", Some(Err(folder))) => {
                let inside = |name: &str| Path::new(name).parent() == Some(Path::new(folder.trim_matches(['.', '/'])));
                let kept = self.names.iter_mut().filter(|(name, _)| inside(name));
                kept.for_each(|(_, known)| *known = known.split_off(known.len() - 1));
            }
            ("rename", _) => {
                let (Some(from), Some(to)) = (path(0), path(1)) else { return };
                let file = self.now(&from);
                self.give(&from, None);
                self.give(&to, file);
            }
            ("link", _) => {
                let (Some(from), Some(to)) = (path(0), path(1)) else { return };
                self.give(&to, self.now(&from));
            }
            ("unlink", _) => {
                if let Some(name) = path(0) {
                    self.give(&name, None);
                }
            }
            _ => {}
        }
    }

    /// What a name may stand for after a power cut now.
    fn after_a_cut(&self, name: &str) -> Vec<Option<usize>> {
        self.names.get(name).cloned().unwrap_or_else(|| vec![None])
    }
}

/// Cuts the power after every call; `old` says that the targets were there before. Gives the number of cuts.
fn cut_anywhere(calls: &[Call], folder: &Folder, (targets, old): (&[&str], bool)) -> usize {
    let home = &std::fs::canonicalize(folder.0.path()).unwrap();
    let mut disk = Disk::default();
    if old {
        for (at, target) in targets.iter().enumerate() {
            // Complete, and on the disk.
            disk.files.push(Bytes { written: 3, synced: 3 });
            disk.names.insert((*target).to_owned(), vec![Some(at)]);
        }
    }
    let whole: Vec<i64> = targets.iter().map(|name| folder.bytes(name).len() as i64).collect();
    for (at, call) in calls.iter().enumerate() {
        disk.make(call, home);
        for (target, whole) in targets.iter().zip(&whole) {
            for file in disk.after_a_cut(target) {
                match file {
                    None => assert!(!old, "call {at}, {call:?}: {target} is gone"),
                    Some(file) if old && file < targets.len() => {}
                    Some(file) => {
                        assert_eq!(disk.files[file].synced, *whole, "call {at}, {call:?}: {target} is not whole");
                    }
                }
            }
        }
    }
    // When the run is over, everything is there to stay.
    for target in targets {
        let left = disk.after_a_cut(target);
        assert!(left.len() == 1 && left[0].is_some(), "{target}: {left:?}");
    }
    calls.len()
}

#[test]
fn outputs_are_old_or_whole_after_a_power_cut() {
    let tools = Folder::new();
    let Some(recorder) = recorder(&tools) else { return };
    let commands: [(&str, &[&str]); 4] = [
        (
            "select t.csv -k 3 -o out.csv --indices picks.txt --scores scores.csv --report page.html --result result.json \
             --model model.arss",
            &["out.csv", "picks.txt", "scores.csv", "page.html", "result.json", "model.arss"],
        ),
        (
            "outliers t.csv -o out.csv --scores scores.csv --report page.html --model model.arss",
            &["out.csv", "scores.csv", "page.html", "model.arss"],
        ),
        (
            "features t.csv -k 2 -o out.csv --scores scores.csv --report page.html",
            &["out.csv", "scores.csv", "page.html"],
        ),
        ("compare t.csv -k 3 --report page.html", &["page.html"]),
    ];
    let mut cuts = 0;
    for ((line, targets), old) in commands.into_iter().flat_map(|command| [(command, false), (command, true)]) {
        let folder = Folder::with("t.csv", plots_csv());
        if old {
            targets.iter().for_each(|name| folder.write(name, "old"));
        }
        let force = if old { "--force" } else { "" };
        let Some(calls) = recorded(&folder, &recorder, &format!("{line} -q {force}")) else { return };
        assert!(calls.iter().filter(|call| call.what == "rename").count() >= targets.len(), "{calls:?}");
        cuts += cut_anywhere(&calls, &folder, (targets, old));
        // The test sees it: without the waiting, something is lost.
        let fewer: Vec<Call> = calls.iter().filter(|call| call.what != "sync").cloned().collect();
        let lost = AssertUnwindSafe(|| cut_anywhere(&fewer, &folder, (targets, old)));
        assert!(std::panic::catch_unwind(lost).is_err());
    }
    println!("the power was cut {cuts} times");
}

#[test]
fn a_checkpoint_names_only_what_is_on_the_disk() {
    let tools = Folder::new();
    let Some(recorder) = recorder(&tools) else { return };
    let folder = Folder::with("t.npy", npy_f64(&noise(4_000 * 6), 4_000));
    let line = "select t.npy -k 5 -q --method rrss --iterations 9 --tolerance 0 --checkpoint kept --every 2";
    let Some(calls) = recorded(&folder, &recorder, line) else { return };
    let mut disk = Disk::default();
    let (mut saved, mut done) = (0, false);
    let home = std::fs::canonicalize(folder.0.path()).unwrap();
    for call in &calls {
        disk.make(call, &home);
        // The run is over: the file that names the others goes first.
        done |= call.what == "unlink" && call.paths[0].ends_with("kept/checkpoint");
        if done || disk.now("kept/checkpoint").is_none() {
            continue;
        }
        saved += usize::from(call.what == "rename" && call.paths[1].ends_with("kept/checkpoint"));
        for file in disk.after_a_cut("kept/checkpoint").into_iter().flatten() {
            let Bytes { written, synced } = disk.files[file];
            assert!(written == synced && written > 0, "{call:?}");
        }
        if call.what == "rename" && call.paths[1].ends_with("kept/checkpoint") {
            let others = disk.names.iter().filter(|(name, _)| name.starts_with("kept/") && !name.contains(".part"));
            for (name, known) in others.filter(|(name, _)| *name != "kept/checkpoint" && disk.now(name).is_some()) {
                assert_eq!(known.len(), 1, "{name} may be gone when the checkpoint names it");
                let bytes = known[0].map(|file| disk.files[file]).unwrap_or_default();
                assert_eq!(bytes.written, bytes.synced, "{name}");
            }
        }
    }
    assert!(saved >= 5 && done, "{saved} checkpoints");
}
