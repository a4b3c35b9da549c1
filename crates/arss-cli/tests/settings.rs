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
    let folder = folder("method = \"ted\"\nalpha = 0.5\nno-gate = false\n\n[select]\nk = 4\nscale = \"none\"\n");
    let ran = folder.run("select t.csv --json").ok();
    let told = "settings from arss.toml: alpha = 0.5, method = \"ted\", k = 4, scale = \"none\"\n";
    assert!(ran.err.starts_with(told), "{}", ran.err);
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
    assert!(ran.err.starts_with("settings from arss.toml: k = \"10%\", method = \"arss\"\n"), "{}", ran.err);
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
    let folder = folder("include = [3, 7]\nk = 5\n[plan]\nseed = 4\n");
    assert_eq!(folder.indices("select t.csv")[..2], [3, 7]);
    // Settings that another command knows do no harm.
    assert!(folder.run("demo").ok().err.starts_with("note: "), "{}", folder.run("demo").err);
    folder.write("mine.toml", "json-progress = true\nk = 2\n[plan]\nmemory = \"4G\"\n");
    assert!(folder.run("plan t.csv --config mine.toml").ok().out.contains("of 4.0 GiB"));
    let ran = folder.run("select t.csv --config mine.toml").ok();
    assert!(ran.err.lines().all(|line| line.starts_with('{')) && ran.err.contains("\"event\":\"done\""), "{}", ran.err);
    assert!(folder.run("--help").ok().out.contains("--config"));
}

#[test]
fn a_file_that_was_merely_found_lets_nobody_in() {
    // The attack: somebody's folder comes with a settings file that replaces a file of the user, without a word.
    let home = Folder::with("key", "precious");
    let key = home.path("key").display().to_string();
    let attack = folder(&format!("k = 3\nforce = true\nquiet = true\n[select]\nindices = '{key}'\n"));
    attack.refuses(
        "select t.csv",
        &["arss.toml, line 2: force = true is not taken", "--config arss.toml", "--no-config"],
    );
    assert_eq!(home.read("key"), "precious");
    // One by one: where to write, what to replace, how loud to be, what to resume, what to use of the machine.
    for setting in [
        "output = \"x.csv\"",
        "indices = \"x.txt\"",
        "scores = \"x.csv\"",
        "assignments = \"x.csv\"",
        "report = \"x.html\"",
        "result = \"x.json\"",
        "model = \"x.arss\"",
        "clean = \"x.csv\"",
        "clean-many = true",
        "dir = \"x\"",
        "input = \"x.csv\"",
        "force = true",
        "force = false",
        "quiet = true",
        "verbose = true",
        "json = true",
        "json-progress = true",
        "keep-partial = true",
        "scratch = \".\"",
        "checkpoint = \"x\"",
        "resume = true",
        "every = 3",
        "memory = \"4G\"",
        "threads = 100000",
        "format-out = \"csv\"",
        "add-scores = true",
        "order = \"file\"",
        "include = \"@/etc/passwd\"",
        "forbid = [\"@/etc/passwd\"]",
    ] {
        let folder = folder(&format!("k = 3\n{setting}\n"));
        folder.refuses(
            "select t.csv",
            &[&format!("arss.toml, line 2: {setting} is not taken from a file that was found")],
        );
        assert_eq!(folder.names(), ["arss.toml", "t.csv"]);
        folder.run("select t.csv -k 3 --no-config").ok();
    }
    // In the table of a command, even of another one.
    folder("k = 3\n[report]\nforce = true\n")
        .refuses("select t.csv", &["arss.toml, line 3: force = true is not taken"]);
    // Named, it may set everything, and says what.
    let ran = attack.run("select t.csv --config arss.toml").ok();
    assert!(ran.err.is_empty() && home.read("key") != "precious", "{ran:?}");
    attack.write("loud.toml", format!("k = 3\nforce = true\nindices = '{key}'\n"));
    let told = format!("settings from loud.toml: force = true, indices = {key:?}, k = 3\n");
    let ran = attack.run("select t.csv --config loud.toml").ok();
    assert!(ran.err.starts_with(&told) || key.len() > 58, "{told} {ran:?}");
}

#[test]
fn the_users_own_file_is_trusted_and_the_nearer_one_wins() {
    let folder = folder("k = 2\ngamma-ratio = 0.3\n");
    std::fs::create_dir_all(folder.path("home/arss")).unwrap();
    folder
        .write("home/arss/arss.toml", "k = 4\nmethod = \"arss\"\ngamma = 2.0\nindices = \"picks.txt\"\nforce = true\n");
    let home = folder.path("home");
    let own = home.join("arss/arss.toml").display().to_string();
    let ran = folder.run_with("select t.csv", &[("XDG_CONFIG_HOME", home.to_str().unwrap())]).ok();
    let told: Vec<&str> = ran.err.lines().filter(|line| line.starts_with("settings from")).collect();
    let wanted = [
        format!("settings from {own}: force = true, indices = \"picks.txt\", method = \"arss\""),
        "settings from arss.toml: gamma-ratio = 0.3, k = 2".to_owned(),
    ];
    assert_eq!(told, wanted);
    assert_eq!(folder.read("picks.txt").lines().count(), 2);
    // A relative folder would be one more file of the working folder: it is not looked at.
    let ran = folder.run_with("select t.csv --method arss", &[("XDG_CONFIG_HOME", "home")]).ok();
    assert_eq!(ran.err.matches("settings from").count(), 1, "{ran:?}");
    // In its own folder, the user's file is that, and nothing else.
    std::fs::copy(folder.path("t.csv"), folder.path("home/arss/t.csv")).unwrap();
    let line = "select t.csv";
    let ran = Folder::run_in(&home.join("arss"), line, &[("XDG_CONFIG_HOME", home.to_str().unwrap())]).ok();
    assert_eq!(ran.err.matches("settings from").count(), 1, "{ran:?}");
    assert_eq!(std::fs::read_to_string(home.join("arss/picks.txt")).unwrap().lines().count(), 4);
    // Without it, `.config` below the user's folder is looked at.
    if cfg!(target_os = "linux") {
        std::fs::create_dir_all(folder.path("user/.config/arss")).unwrap();
        folder.write("user/.config/arss/arss.toml", "seed = 5\n");
        folder.write("arss.toml", "k = 2\n");
        let user = folder.path("user");
        let ran = folder
            .run_with(
                "plan t.csv --no-gate --method exemplars",
                &[("XDG_CONFIG_HOME", ""), ("HOME", user.to_str().unwrap())],
            )
            .ok();
        assert!(ran.err.contains("arss.toml: seed = 5\n"), "{ran:?}");
    }
}

#[test]
#[cfg(unix)]
fn links_and_files_of_others_are_not_read() {
    use std::os::unix::fs::{chown, symlink};
    let folder = Folder::with("t.csv", plots_csv());
    folder.write("far.toml", "k = 3\n");
    symlink("far.toml", folder.path("arss.toml")).unwrap();
    folder.refuses("select t.csv", &["arss.toml: is a link, so it is not read", "--config arss.toml", "--no-config"]);
    folder.run("select t.csv --config arss.toml").ok();
    folder.run("select t.csv -k 3 --no-config").ok();
    std::fs::remove_file(folder.path("arss.toml")).unwrap();
    folder.write("arss.toml", "k = 3\n");
    if chown(folder.path("arss.toml"), Some(4321), None).is_err() {
        println!("skipped: only root can give files away");
        return;
    }
    folder.refuses("select t.csv", &["arss.toml: belongs to another user, so it is not read", "--config arss.toml"]);
    folder.run("select t.csv --config arss.toml").ok();
}

#[test]
#[cfg(unix)]
fn endless_settings_are_refused() {
    let folder = Folder::with("t.csv", plots_csv());
    for device in ["/dev/zero", "/dev/urandom"] {
        folder.refuses(
            &format!("select t.csv --config {device}"),
            &[device, "more than 1 MiB, so it is no settings file"],
        );
    }
    folder.write("arss.toml", "# long\n".repeat(200_000));
    folder.refuses("select t.csv -k 3", &["arss.toml: holds more than 1 MiB, so it is no settings file"]);
}

#[test]
fn a_page_shows_the_settings_as_flags() {
    let folder = folder("k = 3\nmethod = \"rrqr\"\n");
    folder.run("select t.csv -q --report page.html").ok();
    let page = folder.read("page.html");
    assert!(page.contains("\"command\":\"arss select --count=3 --method=rrqr t.csv -q --report page.html\""));
}
