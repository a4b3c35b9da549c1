//! What the tests of the binary share: a folder, files in it, and runs.
#![allow(dead_code)] // Each test file uses its own part.

pub mod limits;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub use limits::LIMIT;
use serde_json::Value;
use tempfile::TempDir;

/// The program under test.
pub const ARSS: &str = env!("CARGO_BIN_EXE_arss");

/// Runs with no more than `space` bytes of address space: an allocation beyond it would end the process.
pub fn run_within(folder: &Folder, space: u64, line: &str) -> Ran {
    run_limited(folder, &format!("-v {}", (space + reserved()) >> 10), line)
}

/// Address space that products of matrices reserve and hardly touch: twice the largest cache for each thread, which
/// is half a gigabyte on some servers.
fn reserved() -> u64 {
    let size = fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index3/size").unwrap_or_default();
    let cache = size.trim().trim_end_matches('K').parse::<u64>().map_or(0, |size| size << 10);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    // Threads of one pool may end after those of the next began.
    2 * cache * 4 * (threads + 1)
}

/// Runs under the limit that `ulimit` sets by these words.
pub fn run_limited(folder: &Folder, limit: &str, line: &str) -> Ran {
    let script = format!("ulimit {limit}; exec \"$0\" {line}");
    let output =
        limits::output_of(Command::new("sh").args(["-c", &script, ARSS]).current_dir(folder.0.path())).unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The run fails as bad input within `space`, and leaves nothing behind.
pub fn refuses_within(folder: &Folder, space: u64, line: &str, words: &[&str]) {
    let names = folder.names();
    run_within(folder, space, &format!("{line} -o out.jsonl --scores scores.csv")).refused(line, words);
    assert_eq!(folder.names(), names, "{line}");
}

/// A folder that vanishes with the test; commands run in it.
pub struct Folder(pub TempDir);

/// What a run said and how it ended.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    /// A folder with the file `name`.
    pub fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let folder = Folder::new();
        folder.write(name, content);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs the program with the words of `line`.
    pub fn run(&self, line: &str) -> Ran {
        self.run_args(&line.split_whitespace().collect::<Vec<_>>())
    }

    pub fn run_args(&self, args: &[&str]) -> Ran {
        Folder::run_args_in(self.0.path(), args, &[])
    }

    /// Runs the program with the words of `line` and these variables.
    pub fn run_with(&self, line: &str, variables: &[(&str, &str)]) -> Ran {
        Folder::run_in(self.0.path(), line, variables)
    }

    /// The same in another folder.
    pub fn run_in(folder: &Path, line: &str, variables: &[(&str, &str)]) -> Ran {
        Folder::run_args_in(folder, &line.split_whitespace().collect::<Vec<_>>(), variables)
    }

    fn run_args_in(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Ran {
        // Nobody's own settings take part, and nothing runs for ever.
        let Output { status, stdout, stderr } = assert_cmd::Command::new(ARSS)
            .current_dir(folder)
            .env_remove("COLUMNS")
            .env("XDG_CONFIG_HOME", folder.join("no-settings"))
            .envs(variables.iter().copied())
            .args(args)
            .timeout(LIMIT)
            .output()
            .unwrap();
        Ran {
            code: status.code().unwrap_or_else(|| panic!("{args:?} was killed, perhaps after {LIMIT:?}")),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
        }
    }

    /// Runs with `--json` and gives the object.
    pub fn json(&self, line: &str) -> Value {
        let ran = self.run(&format!("{line} --json")).ok();
        assert_eq!(ran.out.lines().count(), 1, "{ran:?}");
        serde_json::from_str(&ran.out).unwrap()
    }

    /// The chosen indices.
    pub fn indices(&self, line: &str) -> Vec<usize> {
        numbers(&self.json(line)["indices"])
    }

    /// Runs a line that has to fail as bad input: code 2, one line on stderr with all these words, nothing else.
    pub fn refuses(&self, line: &str, words: &[&str]) {
        self.run(line).refused(line, words);
    }
}

impl Ran {
    /// It worked.
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }

    /// It failed as bad input, in one line that has all these words.
    pub fn refused(&self, line: &str, words: &[&str]) {
        assert_eq!(self.code, 2, "{line}: {self:?}");
        // Progress is told only if the machine is busy.
        let progress = |line: &&str| line.ends_with(" so far") || line.ends_with(" left");
        let said: Vec<&str> = self.err.lines().filter(|line| !progress(line)).collect();
        assert_eq!(said.len(), 1, "{line}: {self:?}");
        assert!(said[0].starts_with("error: ") && self.out.is_empty(), "{line}: {self:?}");
        for word in words {
            assert!(self.err.contains(word), "{line}: no {word:?} in {self:?}");
        }
    }
}

pub fn numbers(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect()
}

/// Numbers that look random, the same at every run.
pub fn noise(count: usize) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

/// Thirty rows: a name, three numbers, a remark with commas and quotes.
pub fn plots_csv() -> String {
    let values = noise(90);
    let mut text = String::from("id,height,width,depth,remark\n");
    for (row, v) in values.chunks(3).enumerate() {
        text += &format!(
            "plot-{row:02},{:.6},{:.6},{:.6},\"row {row}, \"\"quoted\"\"\"\n",
            v[0],
            v[1] * 10.0,
            v[2] * 100.0
        );
    }
    text
}

/// A .npy file, version 1.
pub fn npy(descr: &str, by_column: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if by_column { "True" } else { "False" };
    let descr = if descr.starts_with('[') { descr.to_owned() } else { format!("'{descr}'") };
    let text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}");
    let text = format!("{text:<117}\n");
    [b"\x93NUMPY\x01\x00".as_slice(), &(text.len() as u16).to_le_bytes(), text.as_bytes(), data].concat()
}

pub fn npy_f64(values: &[f64], rows: usize) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    npy("<f8", false, &format!("({rows}, {})", values.len() / rows), &data)
}

/// A folder of tables with hardly anything in them, or too much.
pub fn poor_tables() -> Folder {
    let folder = Folder::new();
    folder.write("one_row.csv", "a,b\n1,2\n");
    folder.write("one_column.csv", "a\n1\n2\n4\n");
    folder.write("equal_rows.csv", "a,b\n3,4\n3,4\n3,4\n");
    folder.write("huge.csv", "a,b\n1e150,2e150\n-3e150,1e150\n2e150,2e150\n");
    folder
}

/// The rows on the map of a page: all, or those of a kind (0 others, 1 outliers, 2 picks).
#[allow(dead_code)] // not every test file looks at the map
pub fn map_rows(data: &Value, kind: Option<u8>) -> Vec<usize> {
    let bytes = |name: &str| STANDARD.decode(data["map"][name].as_str().unwrap()).unwrap();
    let numbers = bytes("numbers");
    let numbers = numbers.chunks_exact(4).map(|part| u32::from_le_bytes(part.try_into().unwrap()) as usize);
    let of_kind = numbers.zip(bytes("kinds")).filter(|(_, own)| kind.is_none_or(|kind| own & 3 == kind));
    of_kind.map(|(row, _)| row).collect()
}

/// The data of a report page, as its script reads it.
pub fn page_data(page: &str) -> Value {
    let start = page.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    let json = &page[start..start + page[start..].find("</script>").unwrap()];
    assert!(!json.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
    assert!(json.len() < 6_000_000, "{} bytes of data", json.len());
    serde_json::from_str(json).unwrap()
}
