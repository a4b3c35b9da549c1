//! The `console` examples of every page of the book, run as they stand there.
//!
//! In a `console` block a line that starts with `$ ` is run by the shell, in one folder for each page, which holds
//! forest.csv. What follows is what it prints (stderr first), and `[2]` its exit code if that is not 0. `...` stands for
//! anything: within a line, or, alone, for any number of lines.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::limits::output_of;
use common::{ARSS, Folder};

/// A command and the lines it should print.
#[derive(Debug)]
struct Example {
    command: String,
    wanted: Vec<String>,
}

fn examples(page: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match line.strip_prefix("$ ") {
            _ if line.starts_with("```") => inside = line == "```console",
            Some(command) if inside => found.push(Example { command: command.to_owned(), wanted: Vec::new() }),
            None if inside => found.last_mut().expect("a command comes first").wanted.push(line.to_owned()),
            _ => {}
        }
    }
    found
}

/// True if the line is what was wanted, `...` standing for anything.
fn line_fits(wanted: &str, found: &str) -> bool {
    let Some((start, rest)) = wanted.split_once("...") else { return wanted == found };
    let Some(found) = found.strip_prefix(start) else { return false };
    if rest.is_empty() {
        return true;
    }
    (0..=found.len()).filter(|&at| found.is_char_boundary(at)).any(|at| line_fits(rest, &found[at..]))
}

fn fits(wanted: &[String], found: &[String]) -> bool {
    match wanted.split_first() {
        None => found.is_empty(),
        Some((first, rest)) if first == "..." => (0..=found.len()).any(|skipped| fits(rest, &found[skipped..])),
        Some((first, rest)) => {
            found.split_first().is_some_and(|(line, others)| line_fits(first, line) && fits(rest, others))
        }
    }
}

fn run(folder: &Folder, command: &str) -> Vec<String> {
    let places = [Path::new(ARSS).parent().unwrap().to_owned()];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(places.into_iter().chain(std::env::split_paths(&path))).unwrap();
    let mut command_line = Command::new("sh");
    // Tables as on a terminal of this width.
    command_line.args(["-c", command]).current_dir(folder.0.path()).env("PATH", path).env("COLUMNS", "100");
    // Nobody's own settings take part.
    command_line.env("XDG_CONFIG_HOME", folder.path("no-settings"));
    let output = output_of(&mut command_line).unwrap();
    // Said only if the machine is busy.
    let progress = |line: &&str| line.ends_with(" so far") || line.ends_with(" left");
    let mut lines: Vec<String> = [output.stderr, output.stdout]
        .into_iter()
        .flat_map(|text| {
            let text = String::from_utf8(text).unwrap();
            text.lines().filter(|line| !progress(line)).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    let code = output.status.code().unwrap();
    lines.extend((code != 0).then(|| format!("[{code}]")));
    lines
}

/// Every page below the folder, in a fixed order.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let below = |path: PathBuf| if path.is_dir() { pages(&path) } else { vec![path] };
    entries.into_iter().flat_map(below).filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

#[test]
fn the_examples_print_what_the_pages_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let forest = std::fs::read(root.join("data/forest.csv")).unwrap();
    let mut commands = Vec::new();
    for page in pages(&root.join("../../docs")) {
        let folder = Folder::with("forest.csv", &forest);
        for example in examples(&std::fs::read_to_string(&page).unwrap()) {
            let found = run(&folder, &example.command);
            let fits = fits(&example.wanted, &found);
            assert!(fits, "{}\n$ {}\n{}", page.display(), example.command, found.join("\n"));
            commands.push(example.command);
        }
    }
    for command in ["select", "features", "outliers", "compare", "plan", "report", "demo", "completions", "man"] {
        let word = format!("arss {command}");
        assert!(commands.iter().any(|run| run.starts_with(&word)), "no example of {command}");
    }
}

#[test]
fn the_comparison_of_lines_can_fail() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(fits(&lines("a\n...\nd ... f"), &lines("a\nb\nc\nd e f")));
    assert!(fits(&lines("..."), &[]));
    for wanted in ["a", "a\nb\nc\nd e", "...\nd ... g", "b\n...", ""] {
        assert!(!fits(&lines(wanted), &lines("a\nb\nc\nd e f")), "{wanted}");
    }
}
