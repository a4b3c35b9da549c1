//! Processes with an end: whatever a test starts is killed if it is still there after some minutes.

use std::io::{self, BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Duration;

/// How long a process may live. Runs of the tests take seconds; a busy machine may be a hundred times slower.
pub const LIMIT: Duration = Duration::from_secs(600);

/// Kills the process after [`LIMIT`], unless it has ended by then.
pub fn limited(child: Child) -> Child {
    let id = child.id().to_string();
    std::thread::spawn(move || {
        std::thread::sleep(LIMIT);
        // Its number may be that of another process by now: only a child of these tests is killed.
        let parent = Command::new("ps").args(["-o", "ppid=", "-p", &id]).output();
        let ours = std::process::id().to_string();
        if parent.is_ok_and(|found| String::from_utf8_lossy(&found.stdout).trim() == ours) {
            println!("process {id} did not end within {LIMIT:?}");
            let _ = Command::new("kill").args(["-KILL", &id]).status();
        }
    });
    child
}

/// What a command says, which has nothing to read and may take no longer than [`LIMIT`].
pub fn output_of(command: &mut Command) -> io::Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    limited(command.spawn()?).wait_with_output()
}

/// Waits for a line on stderr that starts like this; all lines up to it, and where the others will come.
pub fn wait_for(child: &mut Child, start: &str) -> (Vec<String>, BufReader<ChildStderr>) {
    let mut reader = BufReader::new(child.stderr.take().unwrap());
    let mut lines: Vec<String> = Vec::new();
    while !lines.last().is_some_and(|line| line.starts_with(start)) {
        let mut line = String::new();
        assert!(reader.read_line(&mut line).unwrap() > 0, "it ended without {start:?}: {lines:?}");
        lines.push(line.trim_end().to_owned());
    }
    (lines, reader)
}
