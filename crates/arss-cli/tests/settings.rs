//! `arss.toml`: flags that need not be typed.

mod common;

use common::{Folder, plots_csv};

fn folder(settings: &str) -> Folder {
    let folder = Folder::with("t.csv", plots_csv());
    folder.write("arss.toml", settings);
    folder
}

#[test]
fn settings_are_taken_and_flags_win() {
    let folder = folder("method = \"ted\"\nalpha = 0.5\nquiet = false\n\n[select]\nk = 4\nscale = \"none\"\n");
    let ran = folder.run("select t.csv --json").ok();
    assert!(ran.err.starts_with("settings from arss.toml: alpha, method, k, scale\n"), "{}", ran.err);
    assert_eq!(ran.err.matches("settings from").count(), 1);
    let taken = folder.indices("select t.csv");
    assert_eq!(taken, folder.indices("select t.csv --no-config --method ted --alpha .5 -k 4 --scale none"));
    let result = folder.json("select t.csv -k 2 --method=ted");
    assert_eq!((&result["k"], &result["method"]), (&2.into(), &"ted".into()));
    folder.refuses("select t.csv --no-config", &["--count"]);
    assert_eq!(folder.run("select t.csv -q").ok().err, "");
}

#[test]
fn another_file_can_be_named() {
    let folder = folder("k = 3\n");
    folder.write("other.toml", "k = 5\n");
    for line in ["select t.csv --config other.toml", "--config other.toml select t.csv"] {
        assert_eq!(folder.json(line)["k"], 5, "{line}");
    }
    folder.refuses("select t.csv --config missing.toml -k 2", &["missing.toml: cannot be read"]);
    folder.refuses("select t.csv --config other.toml --no-config -k 2", &["--config", "--no-config"]);
}

#[test]
fn what_excludes_a_setting_overrules_it() {
    let folder = folder("method = \"arss\"\ngamma = 2.0\nk = \"10%\"\n");
    let ran = folder.run("select t.csv --gamma-ratio 0.2").ok();
    assert!(ran.err.starts_with("settings from arss.toml: k, method\n"), "{}", ran.err);
    assert_eq!(folder.json("select t.csv")["k"], 3);
}

#[test]
fn mistakes_are_told_with_file_line_and_key() {
    for (settings, words) in [
        ("k = 3\n\ngama = 1\n", &["arss.toml, line 3: there is no setting gama"][..]),
        ("[select]\nk = 3\n[choose]\nk = 1\n", &["arss.toml, line 3: there is no command choose"]),
        ("[select]\n# why\ndirectory = \"x\"\n", &["arss.toml, line 3: arss select has no setting directory"]),
        ("k = 3\nno-gate = 1\n", &["arss.toml, line 2: no-gate must be true or false"]),
        ("k = true\n", &["arss.toml, line 1: k must be a number or a text"]),
        ("k = 3\nmethod = \"best\"\n", &["arss.toml, line 2: ", "best", "--method", "exemplars"]),
        ("ridge = \"much\"\nk = 3\n", &["arss.toml, line 1: ", "much", "--ridge"]),
        ("k = 3\nk = 4\n", &["arss.toml, line 2: ", "duplicate key"]),
        ("k = \n", &["arss.toml, line 1: "]),
        ("config = \"x.toml\"\nk = 3\n", &["line 1: there is no setting config"]),
        ("k = 3\nalpha = 1\n", &["--alpha is not used by method exemplars", "(alpha was set in arss.toml, line 2)"]),
    ] {
        folder(settings).refuses("select t.csv", words);
    }
    let folder = Folder::with("t.csv", plots_csv());
    folder.write("arss.toml", b"k = 3 # caf\xe9\n");
    folder.refuses("select t.csv", &["arss.toml: is not UTF-8 text"]);
}

#[test]
fn lists_and_other_commands() {
    let folder = folder("include = [3, 7]\nk = 5\n[plan]\nmemory = \"4G\"\n");
    assert_eq!(folder.indices("select t.csv")[..2], [3, 7]);
    // Settings that another command knows do no harm.
    assert!(folder.run("demo").ok().err.starts_with("note: "), "{}", folder.run("demo").err);
    assert!(folder.run("plan t.csv").ok().out.contains("of 4.0 GiB"));
    folder.write("arss.toml", "json-progress = true\nk = 2\n");
    let ran = folder.run("select t.csv").ok();
    assert!(ran.err.lines().all(|line| line.starts_with('{')) && ran.err.contains("\"event\":\"done\""), "{}", ran.err);
    assert!(folder.run("--help").ok().out.contains("--config"));
}

#[test]
fn a_page_shows_the_settings_as_flags() {
    let folder = folder("k = 3\nmethod = \"rrqr\"\n");
    folder.run("select t.csv -q --report page.html").ok();
    let page = folder.read("page.html");
    assert!(page.contains("\"command\":\"arss select --count=3 --method=rrqr t.csv -q --report page.html\""));
}
