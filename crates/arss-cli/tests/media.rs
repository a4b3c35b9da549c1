//! Folders of pictures, frames and texts.

mod common;

use std::fs;
use std::path::Path;

use arss_media::{Raster, png};
use common::Folder;
use serde_json::Value;

/// A picture of stripes: `kind` is how wide and which way, `light` how light.
fn stripes(kind: usize, light: usize) -> Raster {
    let value = |at: usize| {
        let (x, y) = (at % 48, at / 48);
        let place = if kind.is_multiple_of(2) { x } else { y } / (2 + 3 * (kind / 2));
        [(if place.is_multiple_of(2) { 40 + light } else { 180 + light }) as u8; 3]
    };
    Raster { width: 48, height: 48, rgb: (0..48 * 48).flat_map(value).collect() }
}

fn write_picture(path: &Path, picture: &Raster) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    png(&mut fs::File::create(path).unwrap(), picture).unwrap();
}

/// Four kinds of stripes, ten pictures of each, in folders.
fn striped() -> Folder {
    let folder = Folder::new();
    for kind in 0..4 {
        for number in 0..10 {
            write_picture(&folder.path(&format!("photos/kind{kind}/p{number}.png")), &stripes(kind, 6 * number));
        }
    }
    folder
}

fn json(folder: &Folder, line: &str) -> Value {
    let ran = folder.run(line);
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn ids(result: &Value) -> Vec<String> {
    result["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_pick_of_each_kind() {
    let folder = striped();
    let ran = folder.run("select photos -k 4 --no-cache --contact-sheet sheet.png --copy-to chosen -o chosen.csv");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("40 pictures") && ran.err.contains("4 chosen"), "{}", ran.err);
    let result = json(&folder, "select photos -k 4 --no-cache --json -q");
    let mut kinds: Vec<String> = ids(&result).iter().map(|id| id[..5].to_owned()).collect();
    kinds.sort();
    assert_eq!(kinds, ["kind0", "kind1", "kind2", "kind3"]);
    let copies = fs::read_dir(folder.path("chosen")).unwrap().count();
    assert_eq!((copies, folder.read("chosen.csv").lines().count()), (4, 5));
    assert!(folder.read("chosen.csv").starts_with("file,width,height\n"));
    let sheet = arss_media::decode(&folder.bytes("sheet.png")).unwrap();
    assert_eq!((sheet.width, sheet.height), (4 * 176 + 16, 214));
    // The answer does not depend on the number of threads.
    let one = json(&folder, "select photos -k 4 --no-cache --json -q --threads 1");
    assert_eq!((&one["indices"], &one["scores"]), (&result["indices"], &result["scores"]));
}

#[test]
fn copies_count_and_are_not_chosen_twice() {
    let folder = striped();
    for number in 0..8 {
        fs::copy(folder.path("photos/kind1/p3.png"), folder.path(&format!("photos/kind1/copy{number}.png"))).unwrap();
    }
    write_picture(&folder.path("photos/kind1/nearly.png"), &stripes(1, 19).thumbnail(40));
    for method in ["exemplars", "kmeans", "kmedoids", "random"] {
        let result = json(&folder, &format!("select photos -k 20 --method {method} --no-cache --json -q"));
        let copies = result["media"]["duplicates"].as_array().unwrap();
        let exact = copies.iter().filter(|copy| copy["exact"] == true).count();
        assert_eq!(exact, 8, "{copies:?}");
        let chosen = ids(&result).iter().filter(|id| id.contains("copy") || id.as_str() == "kind1/p3.png").count();
        assert!(chosen <= 1, "{method}: {:?}", ids(&result));
    }
}

/// Pictures of all odd kinds are read or listed.
#[test]
fn odd_pictures_are_read_or_listed() {
    let folder = striped();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures");
    for entry in fs::read_dir(here).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path("photos").join(path.file_name().unwrap())).unwrap();
    }
    fs::copy(folder.path("photos/plain.bmp"), folder.path("photos/with 'quotes\" and <b>.bmp")).unwrap();
    let result = json(&folder, "select photos -k 6 --no-cache --json -q --copy-to chosen");
    let unreadable: Vec<&str> =
        result["media"]["unreadable"].as_array().unwrap().iter().map(|one| one["file"].as_str().unwrap()).collect();
    let names = |list: &[&str]| list.iter().filter(|name| unreadable.iter().any(|one| one.ends_with(*name))).count();
    assert_eq!(names(&["bomb.png", "empty.png", "text.png", "truncated.png"]), 4, "{unreadable:?}");
    let read = [
        "cmyk.jpg",
        "deep.png",
        "palette.gif",
        "animated.gif",
        "palette.png",
        "lossy.webp",
        "plain.tiff",
        "plain.bmp",
        "progressive.jpg",
        "turned.jpg",
        "really_png.jpg",
    ];
    assert_eq!(names(&read), 0, "{unreadable:?}");
    assert_eq!((&result["n_samples"], &result["media"]["files"]), (&Value::from(55), &Value::from(59)));
    let ran = folder.run("select photos -k 55 --no-cache");
    let said = "of 59 pictures can be chosen: the others are copies or blank";
    assert!(ran.code == 2 && ran.err.contains(said) && ran.err.lines().count() == 1, "{}", ran.err);
    // Turned by a quarter, as the camera says.
    let turned = folder.run("select photos/turned.jpg -k 1 --no-cache -o turned.csv -q");
    assert_eq!((turned.code, folder.read("turned.csv").as_str()), (0, "file,width,height\nphotos/turned.jpg,24,48\n"));
}

#[test]
fn folders_that_cannot_be_used_say_so_in_one_line() {
    let folder = Folder::new();
    folder.write("only.png", "no picture");
    let ran = folder.run("select only.png -k 1");
    assert!(ran.code == 2 && ran.err.contains("none of 1 file could be read (only.png: is no picture"), "{}", ran.err);
    fs::create_dir(folder.path("empty")).unwrap();
    folder.write("empty/notes.doc", "no table");
    let ran = folder.run("select empty -k 1");
    assert!(
        ran.code == 2 && ran.err.contains("empty: is a folder that holds no table, picture, text or video file"),
        "{}",
        ran.err
    );
    let mixed = Folder::new();
    write_picture(&mixed.path("d/a.png"), &stripes(0, 0));
    mixed.write("d/b.csv", "x,y\n1,2\n");
    let ran = mixed.run("select d -k 1");
    assert!(ran.code == 2 && ran.err.contains("--kind images or --kind table tells which are meant"), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1);
    assert_eq!(mixed.run("select d -k 1 --kind images --no-cache").code, 0);
    assert_eq!(mixed.run("select d -k 1 --kind table").code, 0);
    let ran = mixed.run("select d/b.csv -k 1 --contact-sheet x.png");
    assert!(ran.code == 2 && ran.err.contains("--contact-sheet is about files"), "{}", ran.err);
    for flag in ["--model m.bin", "--result r.json", "--features"] {
        let ran = mixed.run(&format!("select d -k 1 --kind images --no-cache {flag}"));
        assert!(ran.code == 2 && ran.err.lines().count() == 1, "{flag}: {}", ran.err);
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_and_loops_of_links() {
    use std::os::unix::ffi::OsStrExt;
    let folder = striped();
    let odd = folder.path("photos").join(std::ffi::OsStr::from_bytes(b"odd\xff.png"));
    write_picture(&odd, &stripes(0, 55));
    std::os::unix::fs::symlink(folder.path("photos"), folder.path("photos/kind0/loop")).unwrap();
    std::os::unix::fs::symlink("/nowhere", folder.path("photos/gone.png")).unwrap();
    // The last of 42 files, the first of which is gone.
    let ran = folder.run("select photos -k 5 --include 41 --no-cache --copy-to chosen --json -q");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((result["n_samples"].as_u64(), result["media"]["unreadable"].as_array().unwrap().len()), (Some(41), 1));
    let copied = fs::read_dir(folder.path("chosen"))
        .unwrap()
        .any(|entry| entry.unwrap().file_name().as_bytes().ends_with(b"odd\xff.png"));
    assert!(copied);
}

#[test]
fn a_second_run_takes_from_the_cache() {
    let folder = striped();
    let run = || {
        let out = assert_cmd::Command::new(common::ARSS)
            .current_dir(folder.0.path())
            .env("XDG_CACHE_HOME", folder.path("cache"))
            .args(["select", "photos", "-k", "4", "--json", "-q"])
            .timeout(std::time::Duration::from_secs(60))
            .output()
            .unwrap();
        let result: Value = serde_json::from_slice(&out.stdout).unwrap();
        (result["indices"].clone(), result["scores"].clone())
    };
    let first = run();
    let kept = folder.path("cache/arss/pictures.bin");
    let size = fs::metadata(&kept).unwrap().len();
    assert!(size > 40 * 1152, "{size}");
    assert_eq!(run(), first);
    // Found by content: nothing was added but, at most, where the files are.
    assert!(fs::metadata(&kept).unwrap().len() <= 2 * size);
    fs::write(&kept, vec![7; size as usize]).unwrap();
    assert_eq!(run(), first);
}

#[cfg(target_os = "linux")]
#[test]
fn a_home_that_cannot_be_written_is_no_hindrance() {
    let folder = striped();
    folder.write("plots.csv", common::plots_csv());
    // Not even the superuser makes a file there.
    let nowhere = [("HOME", "/proc"), ("XDG_CONFIG_HOME", ""), ("XDG_CACHE_HOME", ""), ("XDG_DATA_HOME", "")];
    for line in [
        "select photos -k 4 -o picks.csv --report page.html",
        "select plots.csv -k 4 -o plots-picks.csv --report plots.html --checkpoint state",
        "outliers plots.csv -o strange.csv",
    ] {
        let ran = folder.run_with(line, &nowhere).ok();
        assert!(!ran.err.contains("error"), "{line}: {}", ran.err);
        assert_eq!(ran.out, folder.run(&format!("{line} --force")).ok().out, "{line}");
    }
}

#[test]
fn frames_come_in_the_order_of_time() {
    let folder = Folder::new();
    for number in 0..30 {
        // A film of two shots, with numbers that are not of one length.
        write_picture(&folder.path(&format!("film/f{number}.png")), &stripes(number / 15 * 3, number % 15));
    }
    let ran = folder.run("select film --kind frames -k 4 --no-cache -o strip.csv --contact-sheet strip.png");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let frames: Vec<usize> =
        folder.read("strip.csv").lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect();
    assert!(frames.len() == 4 && frames.is_sorted(), "{frames:?}");
    assert!(ran.err.contains("2 shots in 30 frames"), "{}", ran.err);
    let lines: Vec<String> = folder.read("strip.csv").lines().map(str::to_owned).collect();
    assert!(lines[1].starts_with(&format!("f{}.png,{},1", frames[0], frames[0])), "{lines:?}");
}

/// Texts about two things.
const TEXTS: [&str; 8] = [
    "the cat sat on the mat with another cat",
    "a cat and a kitten purr on a mat",
    "kitten and cat purr all day",
    "purr said the kitten to the cat",
    "stocks fell as the market closed lower",
    "the market fell and stocks closed",
    "lower stocks and a falling market",
    "stocks rose before the market closed",
];

#[test]
fn texts_in_files_lines_and_columns() {
    let folder = Folder::new();
    fs::create_dir(folder.path("texts")).unwrap();
    for (number, text) in TEXTS.iter().enumerate() {
        folder.write(&format!("texts/t{number}.txt"), text);
    }
    // As an editor of Windows writes it.
    let wide: Vec<u8> = [0xFEFF].into_iter().chain(TEXTS[1].encode_utf16()).flat_map(u16::to_le_bytes).collect();
    folder.write("texts/t1.txt", wide);
    folder.write("lines.txt", TEXTS.join("\n"));
    let cells = TEXTS.iter().enumerate().map(|(number, text)| format!("{number},{text}\n")).collect::<String>();
    folder.write("table.csv", format!("id,body\n{cells}"));
    for line in ["texts", "lines.txt --kind lines", "table.csv --text body"] {
        let result = json(&folder, &format!("select {line} -k 2 --json -q"));
        let indices: Vec<u64> = result["indices"].as_array().unwrap().iter().map(|at| at.as_u64().unwrap()).collect();
        assert!((indices[0] < 4) != (indices[1] < 4), "{line}: {indices:?}");
        let terms = result["media"]["terms"].to_string();
        assert!(terms.contains("cat") && terms.contains("market"), "{line}: {terms}");
    }
    let ran = folder.run("select table.csv --text nothing -k 2");
    assert!(ran.code == 2 && ran.err.contains("there is no column nothing; the table has id, body"), "{}", ran.err);
    let ran = folder.run("select table.csv --text body -k 2 -o chosen.csv -q");
    assert!(ran.code == 0 && folder.read("chosen.csv").starts_with("id,body\n"), "{}", ran.err);
}

#[test]
fn own_numbers_are_used_by_name_and_by_order() {
    let folder = Folder::new();
    fs::create_dir(folder.path("texts")).unwrap();
    let mut rows = String::from("name,a,b\n");
    for (number, text) in TEXTS.iter().enumerate() {
        folder.write(&format!("texts/t{number}.txt"), text);
        // Other groups than the words have, in another order.
        rows += &format!("t{}.txt,{},{}\n", 7 - number, number % 2, 0.01 * number as f64);
    }
    folder.write("own.csv", rows);
    let result = json(&folder, "select texts -k 2 --embeddings own.csv --json -q");
    let indices: Vec<u64> = result["indices"].as_array().unwrap().iter().map(|at| at.as_u64().unwrap()).collect();
    assert_ne!(indices[0] % 2, indices[1] % 2, "{indices:?}");
    folder.write("few.csv", "a,b\n1,2\n3,4\n");
    let ran = folder.run("select texts -k 2 --embeddings few.csv");
    assert!(ran.code == 2 && ran.err.contains("has 2 rows for 8 files"), "{}", ran.err);
    let ran = folder.run("select few.csv -k 1 --embeddings own.csv");
    assert!(ran.code == 2 && ran.err.contains("--embeddings are of pictures or texts"), "{}", ran.err);
}

#[test]
fn a_column_of_paths() {
    let folder = striped();
    let mut rows = String::from("path,price\n");
    for kind in 0..4 {
        (0..10).for_each(|number| rows += &format!("photos/kind{kind}/p{number}.png,{number}\n"));
    }
    folder.write("table.csv", rows + "photos/none.png,3\n");
    let ran = folder.run("select table.csv --images path -k 4 --no-cache -o chosen.csv");
    assert!(ran.code == 0 && ran.err.contains("1 file could not be read (photos/none.png"), "{}", ran.err);
    let chosen = folder.read("chosen.csv");
    assert!((0..4).all(|kind| chosen.contains(&format!("kind{kind}/"))), "{chosen}");
}

#[cfg(unix)]
#[test]
fn links_that_are_there_are_replaced_only_with_force() {
    let folder = striped();
    let links =
        || fs::read_dir(folder.path("links")).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_symlink());
    assert_eq!(folder.run("select photos -k 4 --no-cache --link-to links").code, 0);
    assert_eq!(links().count(), 4);
    let ran = folder.run("select photos -k 4 --no-cache --link-to links");
    assert!(ran.code != 0 && ran.err.contains("already exists; --force replaces it"), "{}", ran.err);
    assert_eq!((folder.run("select photos -k 4 --no-cache --link-to links --force").code, links().count()), (0, 4));
}

/// A video file without ffmpeg is one clear line; ffmpeg is a program, and no shell sees the name.
#[cfg(unix)]
#[test]
fn video_files_need_a_program() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("; touch gone; .mp4", "no video");
    let run = |path: &str| {
        assert_cmd::Command::new(common::ARSS)
            .current_dir(folder.0.path())
            .env("PATH", path)
            .args(["select", "; touch gone; .mp4", "-k", "2", "--no-cache"])
            .timeout(std::time::Duration::from_secs(60))
            .output()
            .unwrap()
    };
    let out = run("/nonexistent");
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("needs the program ffmpeg"));
    // A program of that name that copies pictures to where it was told to put frames.
    let bin = folder.path("bin");
    for number in 0..6 {
        write_picture(&bin.join(format!("f{number}.png")), &stripes(number / 3 * 3, number));
    }
    let script = format!(
        "#!/bin/sh\nfor last; do :; done\nto=$(/usr/bin/dirname \"$last\")\n/bin/cp {}/*.png \"$to\"\n",
        bin.display()
    );
    fs::write(bin.join("ffmpeg"), script).unwrap();
    fs::set_permissions(bin.join("ffmpeg"), fs::Permissions::from_mode(0o755)).unwrap();
    let out = run(bin.to_str().unwrap());
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success() && text.contains("time") && text.contains("0:00:0"), "{text} {out:?}");
    assert!(!folder.path("gone").exists());
}
