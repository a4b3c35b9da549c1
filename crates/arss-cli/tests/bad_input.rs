//! Bad input and bad usage: exit code 2 and one line on stderr that names the thing.

mod common;

use common::{Folder, npy, npy_f64, plots_csv};

fn refuses_csv(content: impl AsRef<[u8]>, words: &[&str]) {
    Folder::with("t.csv", content).refuses("select t.csv -k 1", words);
}

/// The same where missing values are not filled in.
fn refuses_missing(content: impl AsRef<[u8]>, words: &[&str]) {
    Folder::with("t.csv", content).refuses("select t.csv -k 1 --missing error", words);
}

fn refuses_npy(content: impl AsRef<[u8]>, words: &[&str]) {
    Folder::with("t.npy", content).refuses("select t.npy -k 1 --missing error", words);
}

#[test]
fn csv_without_usable_values() {
    refuses_missing("a,b\n1,2\n3,nan\n", &["t.csv", "row 1 ", "line 3", "column b", "nan"]);
    refuses_missing("a,b\n1,2\n-inf,4\n", &["row 1 ", "line 3", "column a", "-inf"]);
    refuses_missing("a,b\n1,2\n3,1e999\n", &["row 1 ", "column b", "1e999"]);
    refuses_missing("a,b\n\n1,2\n3,\n5,6\n", &["row 1 ", "line 4", "column b", "empty", "missing", "drop"]);
    refuses_missing("a,b\n1,NA\n3,4\n", &["row 0 ", "line 2", "column b", "NA", "missing"]);
    refuses_missing("a,b\r\n\"1\r\n\",2\r\n3,\r\n", &["row 1 ", "line 4", "column b"]);
}

#[test]
fn csv_without_a_table() {
    refuses_csv("", &["t.csv", "empty"]);
    refuses_csv("\n\r\n\n", &["t.csv", "empty"]);
    refuses_csv("a,b\n", &["t.csv", "header", "no data rows"]);
    refuses_csv("a,b\nx,y\nz,w\n", &["t.csv", "no column to choose by: a (identifier), b (identifier)"]);
    refuses_csv("a,b\n1,2\n3\n", &["line 3", "1 field,", "2"]);
    refuses_csv("a,b\r\n1,2\r\n3,4,5\r\n", &["line 3", "3 fields", "2"]);
    refuses_csv(b"a,b\n\xff,\xfe\n\xfd,\xfc\n", &["no column to choose by"]);
    refuses_csv(b"\xff\xfea\0,\0b\0\n\0", &["has a header, but no data rows"]);
}

#[test]
fn npy_that_cannot_be_read() {
    refuses_npy("", &["t.npy", "not a npy file"]);
    refuses_npy("a,b\n1,2\n3,4\n", &["t.npy", "not a npy file"]);
    let good = npy_f64(&[1.0, 2.0, 3.0, 4.0], 2);
    refuses_npy(&good[..40], &["t.npy", "header", "cut off"]);
    refuses_npy(&good[..good.len() - 1], &["t.npy", "2 x 2", "31 bytes"]);
    refuses_npy(npy("<f8", false, "(4000000000, 4000000000)", &[0; 8]), &["cut off"]);
    refuses_npy(npy("<f8", false, "(400000000000, 1)", &[0; 8]), &["cut off"]);
    refuses_npy(npy("<f8", false, "2, 2", &[0; 32]), &["header is broken", "shape"]);
    let mut version = good.clone();
    version[6] = 9;
    refuses_npy(version, &["version 9"]);
    let long = [b"\x93NUMPY\x02\x00".as_slice(), &u32::MAX.to_le_bytes(), b"{}"].concat();
    refuses_npy(long, &["4294967295", "broken"]);
}

#[test]
fn npy_of_the_wrong_shape_or_type() {
    refuses_npy(npy("<f8", false, "(4,)", &[0; 32]), &["t.npy", "shape (4,)", "2 dimensions"]);
    refuses_npy(npy("<f8", false, "()", &[0; 8]), &["shape ()"]);
    refuses_npy(npy("<f8", false, "(2, 2, 1)", &[0; 32]), &["shape (2, 2, 1)"]);
    refuses_npy(npy("<f8", false, "(0, 3)", &[]), &["0 rows", "3 columns"]);
    refuses_npy(npy(">f8", false, "(2, 2)", &[0; 32]), &["big-endian", "newbyteorder"]);
    refuses_npy(npy("<c16", false, "(1, 2)", &[0; 32]), &["complex", "<c16"]);
    refuses_npy(npy("<U3", false, "(2, 2)", &[0; 48]), &["strings", "<U3"]);
    refuses_npy(npy("|S3", false, "(2, 2)", &[0; 12]), &["strings"]);
    refuses_npy(npy("|O", false, "(2, 2)", &[0; 32]), &["objects"]);
    refuses_npy(npy("<M8[ns]", false, "(2, 2)", &[0; 32]), &["dates"]);
    refuses_npy(npy("<f16", false, "(1, 2)", &[0; 32]), &["<f16"]);
    refuses_npy(npy("[('a', '<f8'), ('b', '<f8')]", false, "(2,)", &[0; 32]), &["structured"]);
}

#[test]
fn npy_without_usable_values() {
    refuses_npy(npy_f64(&[1.0, 2.0, 3.0, f64::NAN], 2), &["t.npy", "row 1, column 1", "NaN"]);
    refuses_npy(npy_f64(&[1.0, f64::INFINITY, 3.0, 4.0], 2), &["row 0, column 1", "inf"]);
    let zeros = Folder::with("t.npy", npy_f64(&[0.0; 4], 2));
    zeros.refuses("select t.npy -k 1 --method ted", &["2 x 2", "zero"]);
    let by_column: Vec<u8> = [1.0, f64::NAN, 3.0, 4.0].iter().flat_map(|v: &f64| v.to_le_bytes()).collect();
    refuses_npy(npy("<f8", true, "(2, 2)", &by_column), &["row 1, column 0", "NaN"]);
}

#[test]
fn files_that_are_not_there_or_not_known() {
    let folder = Folder::with("t.bin", b"\x01\x02\x03\x04");
    folder.write("none", b"\x7fELF\x02\x01");
    folder.write("t.csv", "a\n1\n2\n");
    std::fs::create_dir(folder.path("dir.csv")).unwrap();
    folder.refuses("select t.bin -k 1", &["t.bin", "unknown kind of file", ".csv", ".npy", "--format"]);
    folder.refuses("select none -k 1", &["none", ".csv", ".npy"]);
    folder.refuses("select missing.csv -k 1", &["missing.csv", "no such file"]);
    folder.refuses("select missing.npy -k 1", &["missing.npy", "no such file"]);
    folder.refuses("select dir.csv -k 1", &["dir.csv", "a folder that holds no table"]);
    assert_eq!(folder.json("select . -k 1")["n_samples"], 2);
    folder.run_args(&["select", "two\nlines.csv", "-k", "1"]).refused("line break", &["two\\nlines.csv"]);
}

#[test]
fn usage() {
    let folder = Folder::with("t.csv", plots_csv());
    folder.refuses("select t.csv -k 0", &["k is 0"]);
    folder.refuses("select t.csv -k 31", &["k is 31", "30"]);
    folder.refuses("select t.csv -k -1", &["--count", "-1"]);
    folder.refuses("select t.csv -k 1.5", &["--count", "1.5", "a share (5% or 0.05), or auto"]);
    folder.refuses("select t.csv -k many", &["--count", "many"]);
    folder.refuses("select t.csv -k 0%", &["k as a share is 0"]);
    folder.refuses("select t.csv -k 101%", &["k as a share is 1.01"]);
    folder.refuses("select t.csv -k auto --method arss", &["method arss cannot tell how many"]);
    folder.refuses("select t.csv -k 1 -k 2", &["--count", "multiple times"]);
    folder.refuses("select t.csv", &["--count <K>"]);
    folder.refuses("select -k 1", &["INPUT"]);
    folder.refuses("select t.csv -k 1 --gama 1", &["--gama", "--gamma"]);
    folder.refuses(
        "select t.csv -k 1 --method best",
        &["best", "exemplars, arss, rrss, ted, kmeans, kmedoids, facility, rrqr, random"],
    );
    folder.refuses("select t.csv -k 1 --preset mine", &["mine", "paper"]);
    folder.refuses("select t.csv -k 1 --scale max", &["max", "none, standard"]);
    folder.refuses("select t.csv -k 1 --p x", &["--p", "x"]);
    folder.refuses("select t.csv t.csv -k 1", &["t.csv"]);
    folder.refuses("", &["command"]);
    folder.refuses("chose", &["chose"]);
}

#[test]
fn settings_out_of_range() {
    let folder = Folder::with("t.csv", plots_csv());
    for (flags, word) in [
        ("--method arss --p 0", "p is 0"),
        ("--method arss --p 1.5", "p is 1.5"),
        ("--method arss --p nan", "p is NaN"),
        ("--method arss --gamma 0", "gamma is 0"),
        ("--method arss --gamma -1", "gamma is -1"),
        ("--method arss --gamma inf", "gamma is inf"),
        ("--method arss --gamma-ratio 0", "gamma ratio is 0"),
        ("--method arss --mu 0", "mu"),
        ("--method arss --rho 0.9", "rho is 0.9"),
        ("--method arss --mu-max 1e-9", "mu"),
        ("--method arss --iterations 0", "iterations"),
        ("--method arss --tolerance -1", "tolerance is -1"),
        ("--method arss --eps 0", "eps is 0"),
        ("--method ted --alpha 0", "alpha is 0"),
        ("--landmarks 0", "landmarks is 0"),
        ("--ridge 2", "ridge is 2"),
        ("--method rrss --kernel rbf --landmarks 0", "landmarks is 0"),
        ("--method rrss --gamma 0", "gamma is 0"),
        ("--method kmeans --iterations 0", "iterations"),
        ("--method kmedoids --iterations 0", "iterations"),
    ] {
        folder.refuses(&format!("select t.csv -k 2 {flags}"), &[word]);
    }
}

#[test]
fn outputs_that_make_no_sense_are_refused_before_solving() {
    let folder = Folder::with("t.csv", plots_csv());
    folder.write("t.npy", npy_f64(&[1.0, 2.0, 3.0, 5.0], 2));
    folder.refuses("select t.csv -k 1 -o out.npy", &["out.npy", "column id holds text"]);
    folder.refuses("select t.csv -k 1 -o out", &["out", ".csv"]);
    folder.refuses("select t.npy -k 1 -o out.txt", &["out.txt", "does not tell the format", ".npy"]);
    folder.refuses("select t.csv -k 1 -o t.csv", &["t.csv", "input"]);
    folder.refuses("select t.csv -k 1 --scores ./t.csv", &["t.csv", "input"]);
    folder.refuses("select t.csv -k 1 -o x.csv --scores x.csv", &["x.csv", "both"]);
    folder.refuses("select t.csv -k 1 --scores x.csv --assignments x.csv", &["both --scores and --assignments"]);
    assert_eq!(folder.names(), ["t.csv", "t.npy"]);
}
