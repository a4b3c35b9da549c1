//! A run that is broken off at any pass and taken up again ends as one that was not.

use std::fs;
use std::path::Path;

use arss::out_of_core::{ReplayLog, Stream};
use arss::{Arss, Count, Error, Exemplars, Method, Rrss, RunOptions, Selection, Ted};
use arss_table::DiskMatrix;
use arss_table::checkpoint::{Checkpoint, Claim};
use arss_table::scratch::ScratchFile;

const SHAPE: (usize, usize) = (700, 5);

/// Rows around a few centres, some of them far out.
fn table() -> Vec<f64> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1u32 << 31) - 0.5
    };
    let row = |i: usize, j: usize| ((i % 7) * (j + 2) % 5) as f64 * if i.is_multiple_of(50) { 9.0 } else { 1.0 };
    (0..SHAPE.0 * SHAPE.1).map(|at| row(at / SHAPE.1, at % SHAPE.1) + next()).collect()
}

fn methods() -> [Method; 5] {
    [
        Method::Arss(Arss { max_iterations: 12, ..Arss::default() }),
        Method::Arss(Arss { max_iterations: 12, ..Arss::paper() }),
        Method::Rrss(Rrss { max_iterations: 12, ..Rrss::default() }),
        Method::Ted(Ted::default()),
        Method::Exemplars(Exemplars { landmarks: 100, ..Exemplars::default() }),
    ]
}

/// A diary that is torn away at a pass.
struct Torn<'a, 'b> {
    inner: &'a mut Checkpoint<'b, f64>,
    left: usize,
}

impl ReplayLog for Torn<'_, '_> {
    fn recall(&mut self, request: &[u8]) -> Result<Option<Vec<u8>>, String> {
        self.inner.recall(request)
    }

    fn record(&mut self, request: &[u8], sums: &[u8], changed: (bool, bool)) -> Result<(), String> {
        if self.left == 0 {
            return Err("torn".into());
        }
        self.left -= 1;
        self.inner.record(request, sums, changed)
    }

    fn state_read(&mut self) {
        self.inner.state_read();
    }
}

fn identity(method: &Method) -> Vec<String> {
    format!("{method:#?}").lines().map(str::to_owned).collect()
}

/// Goes on with the run in `folder`, or begins it, for so many passes; the passes that were recalled.
fn go_on(folder: &Path, method: &Method, passes: usize) -> (usize, Result<Selection, Error>) {
    let place = folder.parent().unwrap();
    let mut file = ScratchFile::new(place).unwrap();
    file.append(&table()).unwrap();
    let rows = DiskMatrix::in_scratch(file, SHAPE.1);
    let (values, numbers) = (ScratchFile::new(place).unwrap(), ScratchFile::new(place).unwrap());
    let stream = Stream { source: &rows, values: &values, numbers: &numbers, memory: 1 << 16 };
    let state = (&values, &numbers);
    let claim = Claim::on(folder).unwrap();
    let resumed = Checkpoint::resume(&claim, &identity(method), 3, state).unwrap();
    let mut checkpoint = resumed.unwrap_or_else(|| Checkpoint::start(&claim, identity(method), 3, state).unwrap());
    let recalled = checkpoint.recalled();
    let mut torn = Torn { inner: &mut checkpoint, left: passes };
    let mut run = RunOptions { all_scores: true, ..RunOptions::default() };
    let found = stream.select_with_log(method, Count::Exactly(12), &mut torn, &mut run);
    if found.is_ok() {
        checkpoint.remove().unwrap();
    }
    (recalled, found)
}

/// Everything but how long it took.
fn parts(found: Selection) -> (Vec<usize>, [Vec<f64>; 3], usize) {
    let numbers = [found.scores, found.residuals, found.all_scores.unwrap()];
    (found.indices, numbers, found.report.iterations)
}

#[test]
fn broken_off_anywhere_and_taken_up() {
    for method in methods() {
        let home = tempfile::tempdir().unwrap();
        let whole = parts(go_on(&home.path().join("whole"), &method, usize::MAX).1.unwrap());
        assert!(!home.path().join("whole").exists(), "a run that is done leaves nothing");
        for passes in [1, 4, 9] {
            let folder = home.path().join(format!("run-{passes}"));
            let (mut breaks, mut known) = (0, 0);
            let found = loop {
                let (recalled, found) = go_on(&folder, &method, passes);
                assert!(recalled >= known, "{recalled} of {known} passes of {}", method.name());
                // It comes further every time, unless fewer passes are made than the diary is written after.
                if breaks > 0 && passes < 3 {
                    assert_eq!(found.unwrap_err().to_string(), "torn");
                    let (_, found) = go_on(&folder, &method, usize::MAX);
                    break found.unwrap();
                }
                match found {
                    Ok(found) => break found,
                    Err(error) => assert_eq!(error.to_string(), "torn"),
                }
                (breaks, known) = (breaks + 1, recalled);
            };
            assert!(breaks > 0, "{} has more than {passes} passes", method.name());
            assert!(parts(found) == whole, "{} broken off every {passes} passes", method.name());
            assert!(!folder.exists());
        }
    }
}

#[test]
fn another_run_and_damage_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let (folder, method) = (home.path().join("run"), &methods()[2]);
    go_on(&folder, method, 10).1.unwrap_err();
    let (values, numbers) = (ScratchFile::<f64>::new(home.path()).unwrap(), ScratchFile::new(home.path()).unwrap());
    let claim = Claim::on(&folder).unwrap();
    let resume = |method: &Method| {
        Checkpoint::resume(&claim, &identity(method), 3, (&values, &numbers)).map(|found| found.unwrap().recalled())
    };
    assert_eq!(resume(method).unwrap(), 9);
    let other = Method::Rrss(Rrss { max_iterations: 77, ..Rrss::default() });
    let refused = resume(&other).unwrap_err().to_string();
    assert!(
        refused.contains("is of another run: it has") && refused.contains("this run has max_iterations: 77"),
        "{refused}"
    );

    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    for name in names.filter(|name| name != "arss-checkpoint") {
        let path = folder.join(&name);
        let whole = fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 4;
        for bytes in [&damaged[..], &whole[..whole.len() - 1]] {
            fs::write(&path, bytes).unwrap();
            let refused = resume(method).unwrap_err().to_string();
            assert!(refused.contains("the checkpoint is damaged"), "{name:?}: {refused}");
        }
        fs::write(&path, &whole).unwrap();
    }
    // What a killed process left behind is removed, what is somebody else's is not.
    for name in ["values-999", "numbers-3.part", "mine.txt"] {
        fs::write(folder.join(name), "x").unwrap();
    }
    assert_eq!(resume(method).unwrap(), 9);
    assert!(!folder.join("values-999").exists() && !folder.join("numbers-3.part").exists());
    assert!(folder.join("mine.txt").exists());
}

#[test]
fn a_folder_that_is_no_checkpoint_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("mine");
    // Files of like names: the ones that used to be deleted.
    for name in ["passes", "values-3", "numbers-12", "checkpoint", "checkpoint.part", "arss-checkpoint", "notes.txt"] {
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(name), "precious").unwrap();
        for refused in [Claim::check(&folder).unwrap_err(), Claim::on(&folder).unwrap_err()] {
            let text = refused.to_string();
            assert!(text.contains(&format!("holds {name} and is no checkpoint of this program")), "{text}");
        }
        assert_eq!(fs::read(folder.join(name)).unwrap(), b"precious", "{name}");
        fs::remove_dir_all(&folder).unwrap();
    }
    // An empty one is taken, and goes with the claim.
    fs::create_dir(&folder).unwrap();
    Claim::check(&folder).unwrap();
    let claim = Claim::on(&folder).unwrap();
    for refused in [Claim::check(&folder).unwrap_err(), Claim::on(&folder).unwrap_err()] {
        assert!(refused.to_string().contains("of a run that is still going on"), "{refused}");
    }
    drop(claim);
    assert!(!folder.exists());
    Claim::check(&folder).unwrap();
    assert!(!folder.exists(), "a check changes nothing");
}

#[test]
#[cfg(unix)]
fn nobody_else_can_read_a_checkpoint() {
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    let home = tempfile::tempdir().unwrap();
    let (folder, method) = (home.path().join("run"), &methods()[2]);
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    go_on(&folder, method, 10).1.unwrap_err();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 4, "{files:?}");
    files.iter().for_each(|path| assert_eq!(mode(path), 0o600, "{path:?}"));
    // A part that somebody left as a link is not written through.
    let far = home.path().join("far");
    fs::write(&far, "precious").unwrap();
    symlink(&far, folder.join("checkpoint.part")).unwrap();
    go_on(&folder, method, usize::MAX).1.unwrap();
    assert_eq!(fs::read(&far).unwrap(), b"precious");
    // A folder of somebody else's could be changed at any time.
    fs::create_dir(&folder).unwrap();
    if chown(&folder, Some(4321), None).is_err() {
        println!("skipped: only root can give folders away");
        return;
    }
    assert!(Claim::on(&folder).unwrap_err().to_string().contains("belongs to another user"));
}
