//! Help texts as they were agreed on, completions and manual pages.
//!
//! `ARSS_RENEW=1 cargo test -p arss-cli --test help` writes the texts anew; look at the difference before you commit it.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use common::limits::output_of;
use common::{ARSS, Folder};

/// All commands; the first is the program itself.
fn commands() -> Vec<String> {
    let help = help("");
    let listed = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = listed.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    std::iter::once(String::new()).chain(names.filter(|name| name != "help")).collect()
}

/// What `arss COMMAND --help` prints on a terminal of 100 columns.
fn help(command: &str) -> String {
    let mut words: Vec<&str> = command.split_whitespace().collect();
    words.push("--help");
    let output = output_of(Command::new(ARSS).args(words).env("COLUMNS", "100")).unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    // Lines that clap pads with spaces would be hard to keep in a file.
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn golden(command: &str) -> PathBuf {
    let name = if command.is_empty() { "arss".to_owned() } else { format!("arss-{command}") };
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"))
}

#[test]
fn help_texts_are_the_golden_ones() {
    let renew = std::env::var_os("ARSS_RENEW").is_some();
    let commands = commands();
    for command in &commands {
        let (found, file) = (help(command), golden(command));
        if renew {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &found).unwrap();
        }
        let wanted = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(found, wanted, "arss {command} --help; ARSS_RENEW=1 writes it anew");
    }
    let files = fs::read_dir(golden("").parent().unwrap()).unwrap().count();
    assert_eq!(files, commands.len(), "a golden text of a command that is not there");
}

#[test]
fn every_flag_is_explained_within_the_width() {
    for command in commands() {
        let text = help(&command);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{command}");
        assert!(!text.contains("TODO") && text.contains("Usage: arss"), "{command}");
    }
}

#[test]
fn completions_of_every_shell_know_the_commands() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.run(&format!("completions {shell}")).ok().out;
        for command in commands().iter().filter(|command| !command.is_empty()) {
            assert!(script.contains(command.as_str()), "{shell}: {command}");
        }
        assert!(script.contains("gamma-ratio") && script.contains("threshold"), "{shell}");
    }
    folder.refuses("completions tcsh", &["tcsh", "bash"]);
    folder.refuses("completions", &["SHELL"]);
}

#[test]
fn bash_completes_a_command() {
    let folder = Folder::new();
    folder.write("arss.bash", folder.run("completions bash").ok().out);
    let script =
        "source ./arss.bash && COMP_WORDS=(arss out) COMP_CWORD=1 && _arss arss out arss && echo ${COMPREPLY[@]}";
    let Ok(output) = output_of(Command::new("bash").args(["-c", script]).current_dir(folder.0.path())) else {
        return; // No bash here.
    };
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "outliers", "{output:?}");
}

#[test]
fn a_manual_page_for_each_command() {
    let folder = Folder::new();
    folder.run("man --dir pages").ok();
    let mut names: Vec<String> = fs::read_dir(folder.path("pages"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut wanted: Vec<String> = commands()
        .iter()
        .map(|command| if command.is_empty() { "arss.1".to_owned() } else { format!("arss-{command}.1") })
        .collect();
    wanted.sort();
    assert_eq!(names, wanted);
    for command in commands() {
        let printed = folder.run(&format!("man {command}")).ok().out;
        let name = if command.is_empty() { "arss.1".to_owned() } else { format!("arss-{command}.1") };
        assert_eq!(printed, folder.read(&format!("pages/{name}")), "{command}");
        assert!(printed.contains(".SH NAME") && printed.contains(".SH SYNOPSIS"), "{command}");
    }
    folder.refuses("man --dir pages", &["arss.1", "already exists", "--force"]);
    folder.run("man --dir pages --force").ok();
    folder.refuses("man guess", &["there is no command guess", "select"]);
    folder.refuses("man select --dir pages", &["--dir"]);
    let ran = folder.run("man --dir /dev/null/pages");
    assert!(ran.code == 1 && ran.err.contains("/dev/null/pages"), "{ran:?}");
}
