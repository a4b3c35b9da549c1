//! Files that are broken, or made to harm: one clear line, no panic, bounded memory, nothing written.
#![cfg(unix)]

mod common;
mod tables;

use std::fs::File;
use std::io::Write;
use std::process::Command;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, NullArray, RecordBatch};
use common::{Folder, npy, refuses_within, run_within};
use parquet::basic::{BrotliLevel, Compression, GzipLevel};
use tables::{arrow_bytes, batch, gz, npz, parquet_bytes, stream_bytes, zst};

/// Bytes of address space that a run gets unless a test says otherwise.
const SPACE: u64 = 1500 << 20;

/// The file is refused in one line that names it; gives the line.
fn refused(name: &str, bytes: &[u8]) -> String {
    let folder = Folder::with(name, bytes);
    let ran = run_within(&folder, SPACE, &format!("select {name} -k 1 -o out.jsonl"));
    ran.refused(&format!("{} bytes of {name}", bytes.len()), &[name]);
    assert_eq!(folder.names(), [name]);
    ran.err
}

/// The run ends well or is refused, whatever the file holds.
fn survives(folder: &Folder, name: &str, what: &str) {
    let ran = run_within(folder, SPACE, &format!("select {name} -k 1 -o out.jsonl"));
    assert!([0, 1, 2].contains(&ran.code) && !ran.err.contains("panicked"), "{what}: {ran:?}");
    let errors = ran.err.lines().filter(|line| line.starts_with("error: ")).count();
    assert_eq!(errors, usize::from(ran.code != 0), "{what}: {ran:?}");
    if ran.code != 0 {
        assert_eq!(folder.names(), [name], "{what}");
    }
    let _ = std::fs::remove_file(folder.path("out.jsonl"));
}

/// Every cut of a file, a few dozen at most.
fn cuts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let step = bytes.len().div_ceil(40);
    let ends = bytes.len() - 12;
    (0..ends).step_by(step).chain(ends..bytes.len())
}

#[test]
fn files_that_are_cut_off() {
    let parquet = parquet_bytes(&batch(), Compression::SNAPPY, 15);
    for end in cuts(&parquet) {
        assert!(refused("t.parquet", &parquet[..end]).contains("is no whole Parquet file"));
    }
    let arrow = arrow_bytes(&[batch().slice(0, 9), batch()]);
    for end in cuts(&arrow) {
        assert!(refused("t.arrow", &arrow[..end]).contains("t.arrow: is no whole Arrow file"));
    }
    let packed = gz(tables::text(',', "\n"));
    for end in cuts(&packed).filter(|&end| end > 2) {
        assert!(refused("t.csv.gz", &packed[..end]).contains("cannot be read"), "{end}");
    }
    let packed = zst(tables::text(',', "\n"));
    for end in cuts(&packed).filter(|&end| end > 4) {
        assert!(refused("t.csv.zst", &packed[..end]).contains("cannot be read"), "{end}");
    }
    for (name, packed) in [("t.csv.bz2", tables::bz2(tables::text(',', "\n"))), ("t.csv.xz", tables::xz("a,b\n1,2\n"))]
    {
        for end in cuts(&packed).filter(|&end| end > 10) {
            assert!(refused(name, &packed[..end]).contains("cannot be read"), "{end} of {name}");
        }
    }
    let archive = tables::archive(&[("t.csv", tables::text(',', "\n").as_bytes())]);
    for end in cuts(&archive).filter(|&end| end > 4) {
        refused("t.zip", &archive[..end]);
    }
    let book = tables::sheet_of(&[vec![tables::text_cell("x")], vec![tables::number_cell(1.0)]]);
    for end in cuts(&book) {
        assert!(refused("t.xlsx", &book[..end]).contains("Excel file"), "{end}");
    }
    let archive = npz(&[("a", tables::npy())]);
    for end in cuts(&archive) {
        assert!(refused("t.npz", &archive[..end]).contains("is no whole npz archive"));
    }
    // A stream may end after any message; elsewhere it is cut off.
    let stream = stream_bytes(&[batch().slice(0, 9), batch()]);
    let folder = Folder::new();
    for end in cuts(&stream) {
        folder.write("t.arrows", &stream[..end]);
        survives(&folder, "t.arrows", &format!("{end} bytes"));
    }
}

#[test]
fn files_with_a_broken_byte() {
    let files = [
        ("t.parquet", parquet_bytes(&batch().slice(0, 6), Compression::UNCOMPRESSED, 3)),
        ("gz.parquet", parquet_bytes(&batch().slice(0, 6), Compression::GZIP(GzipLevel::default()), 100)),
        ("t.arrow", arrow_bytes(&[batch().slice(0, 6)])),
        ("t.arrows", stream_bytes(&[batch().slice(0, 6)])),
        ("t.npz", npz(&[("a", tables::npy())])),
        ("t.xlsx", tables::sheet_of(&[vec![tables::text_cell("x")], vec![tables::number_cell(1.0)]])),
        ("t.csv.xz", tables::xz(tables::text(',', "\n"))),
        ("t.csv.bz2", tables::bz2(tables::text(',', "\n"))),
        ("t.csv.zip", tables::archive(&[("t.csv", tables::text(',', "\n").as_bytes())])),
    ];
    for (name, bytes) in files {
        let folder = Folder::new();
        for at in (0..bytes.len()).step_by(bytes.len().div_ceil(90)) {
            let mut bad = bytes.clone();
            bad[at] = [0xff, 0x00, 0x7f, 0x80][at % 4];
            folder.write(name, &bad);
            survives(&folder, name, &format!("{name} with byte {at} changed"));
        }
    }
}

#[test]
fn files_of_nothing() {
    for name in ["t.csv", "t.tsv", "t.jsonl", "t.parquet", "t.arrow", "t.npy", "t.npz", "t.csv.gz", "t.csv.zst", "t"] {
        refused(name, b"");
    }
    let folder = Folder::new();
    std::fs::create_dir(folder.path("d.parquet")).unwrap();
    for name in ["d.parquet", "."] {
        folder.refuses(&format!("select {name} -k 1"), &["folder", "no table"]);
    }
    folder.refuses("select /dev/null -k 1", &["/dev/null", "empty"]);
    folder.refuses("select /dev/null -k 1 --format parquet", &["/dev/null", "Parquet"]);
    assert!(refused("t.csv.gz", &gz("")).contains("empty"));
}

#[test]
fn a_pipe_with_a_name_is_read() {
    let folder = Folder::new();
    assert!(Command::new("mkfifo").arg(folder.path("pipe.parquet")).status().unwrap().success());
    let path = folder.path("pipe.parquet");
    let writer = std::thread::spawn(move || {
        // What a run that ends early leaves unread is no failure of the pipe.
        let _ =
            File::options().write(true).open(path).unwrap().write_all(&parquet_bytes(&batch(), Compression::SNAPPY, 9));
    });
    assert_eq!(folder.indices("select pipe.parquet -k 3").len(), 3);
    writer.join().unwrap();
}

/// A file of ten gigabytes that takes no room, and begins with `start`.
fn sparse(folder: &Folder, name: &str, start: &[u8]) {
    let mut file = File::create(folder.path(name)).unwrap();
    file.write_all(start).unwrap();
    file.set_len(10 << 30).unwrap();
}

#[test]
fn ten_gigabytes_of_nothing() {
    let folder = Folder::new();
    for name in ["t.csv", "t.tsv", "t.jsonl", "t.npy", "t.npz", "t.parquet", "t.arrow", "t"] {
        sparse(&folder, name, b"");
        refuses_within(&folder, 800 << 20, &format!("select {name} -k 1"), &[name]);
    }
    sparse(&folder, "t.csv", tables::text(',', "\n").as_bytes());
    refuses_within(&folder, 800 << 20, "select t.csv -k 1", &["t.csv", "NUL"]);
    let rows = (10u64 << 30) / 80 - 2;
    sparse(&folder, "t.npy", &npy("<f8", false, &format!("({rows}, 10)"), &[]));
    refuses_within(
        &folder,
        800 << 20,
        "select t.npy -k 1 --memory 500M",
        &["t.npy", "even with scratch files", "500 MiB"],
    );
    sparse(&folder, "t.arrow", b"ARROW1\0\0");
    refuses_within(&folder, 800 << 20, "select t.arrow -k 1", &["t.arrow: is no whole Arrow file"]);
    sparse(&folder, "t.parquet", b"PAR1");
    refuses_within(&folder, 800 << 20, "select t.parquet -k 1", &["t.parquet: is no whole Parquet file"]);
}

#[test]
fn archives_that_are_traps() {
    // Archives one after the other are one: 80 times 16 MB of zeros, in little more than a megabyte.
    let zeros = vec![0; 16 << 20];
    let folder = Folder::with("t.csv.gz", gz(&zeros).repeat(80));
    folder.write("t.csv.zst", zst(&zeros).repeat(80));
    folder.write("twice.csv.gz", gz(gz(&zeros).repeat(80)));
    folder.write("t.npz", npz(&[("a", [npy("<f8", false, "(2097152, 1)", &[]), zeros.clone()].concat())]));
    for name in ["t.csv.gz", "t.csv.zst"] {
        assert!(folder.bytes(name).len() < 2 << 20);
        refuses_within(
            &folder,
            3 << 30,
            &format!("select {name} -k 1 -q"),
            &[name, "more than 200 times its size", "trap"],
        );
    }
    let words = ["t.npz: random on 2097152 x 1 values needs about", "--memory allows 10.0 MiB"];
    refuses_within(&folder, 500 << 20, "select t.npz -k 1 --memory 10M --method random", &words);
    // What would be unpacked to the disk is suspected, too; every method unpacks there if the memory is limited.
    for (name, method) in [("t.csv.gz", "random"), ("t.csv.zst", "random"), ("t.csv.gz", "exemplars")] {
        let words = [name, "more than 200 times its size", "trap"];
        refuses_within(&folder, 500 << 20, &format!("select {name} -k 1 --memory 10M -q --method {method}"), &words);
    }
    refuses_within(&folder, 500 << 20, "select twice.csv.gz -k 1 --memory 100M", &["twice.csv.gz"]);
}

#[test]
fn tables_that_are_larger_than_their_files() {
    let folder = Folder::new();
    let same: ArrayRef = Arc::new(Float64Array::from(vec![1.5; 3_000_000]));
    let same = RecordBatch::try_from_iter([("x", same)]).unwrap();
    for packing in
        [Compression::SNAPPY, Compression::GZIP(GzipLevel::default()), Compression::BROTLI(BrotliLevel::default())]
    {
        folder.write("t.parquet", parquet_bytes(&same, packing, 1 << 20));
        assert!(folder.bytes("t.parquet").len() < 100_000);
        refuses_within(&folder, 500 << 20, "select t.parquet -k 1 --memory 10M", &["3000000 x 1 values needs about"]);
    }
    let nothing: ArrayRef = Arc::new(NullArray::new(1 << 40));
    let nothing = RecordBatch::try_from_iter_with_nullable([("x", nothing, true)]).unwrap();
    folder.write("t.arrow", arrow_bytes(std::slice::from_ref(&nothing)));
    folder.write("t.arrows", stream_bytes(&[nothing]));
    for name in ["t.arrow", "t.arrows"] {
        refuses_within(&folder, 500 << 20, &format!("select {name} -k 1"), &["1099511627776 x 1 values take 8.0 TiB"]);
        let words = ["a batch of 1099511627776 x 1 values take 8.0 TiB"];
        refuses_within(&folder, 500 << 20, &format!("select {name} -k 1 --memory 10M"), &words);
    }
    // Short cells are longer as numbers.
    folder.write("t.csv", "a,b,c\n".to_owned() + &"1,2,3\n".repeat(100_000));
    refuses_within(&folder, 500 << 20, "select t.csv -k 1 --memory 1M", &["t.csv", "x 3 values", "1.0 MiB"]);
    // Every line has a key of its own.
    folder.write("t.jsonl", (0..20_000).map(|line| format!("{{\"k{line}\":1}}\n")).collect::<String>());
    refuses_within(&folder, 500 << 20, "select t.jsonl -k 1 --memory 50M --missing mean", &["x 20000 values take"]);
}

#[test]
fn descriptions_that_lie() {
    let parquet =
        |description: &[u8]| [b"PAR1", description, &(description.len() as u32).to_le_bytes(), b"PAR1"].concat();
    // Lists of 2^31 columns and of 2^31 row groups.
    for field in [0x29, 0x49] {
        assert!(refused("t.parquet", &parquet(&[field, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0])).contains("broken"));
    }
    // Groups within groups, a hundred thousand deep; each has a name and one child.
    let group = [0x48, 1, b'a', 0x15, 2, 0];
    let head = [0x15, 2, 0x19, 0xfc, 0xa0, 0x8d, 0x06];
    assert!(refused("t.parquet", &parquet(&[&head[..], &group.repeat(100_000), &[0]].concat())).contains("broken"));
    assert!(refused("t.parquet", &[b"PAR1".as_slice(), &u32::MAX.to_le_bytes(), b"PAR1"].concat()).contains("broken"));
    assert!(
        refused("t.arrow", &[b"ARROW1\0\0".as_slice(), &i32::MAX.to_le_bytes(), b"ARROW1"].concat()).contains("broken")
    );
    // The length of the first message, and then that of its body.
    let stream = stream_bytes(&[batch()]);
    let long = [&stream[..4], &i32::MAX.to_le_bytes(), &stream[8..]].concat();
    assert!(refused("t.arrows", &long).contains("cut off"));
    assert!(refused("t.npy", &npy("<f8", false, "(1152921504606846976, 0)", &[])).contains("0 columns"));
}

#[test]
fn wide_tables_work() {
    let names: Vec<String> = (0..100_000).map(|column| format!("column{column}")).collect();
    let row = |row: usize| (0..100_000).map(|column| ((row * column) % 7).to_string()).collect::<Vec<_>>();
    let line = |cells: &[String], mark: &str| cells.join(mark) + "\n";
    for (name, mark) in [("t.csv", ","), ("semicolon.csv", ";")] {
        let text: String = std::iter::once(line(&names, mark)).chain((0..5).map(|at| line(&row(at), mark))).collect();
        let folder = Folder::with(name, &text);
        let ran = run_within(&folder, SPACE, &format!("select {name} -k 2 -o out.csv"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(folder.read("out.csv").starts_with(&line(&names, mark)));
    }
    let folder = Folder::with("short.csv", line(&names, ",") + "1,2,3\n");
    folder.refuses("select short.csv -k 1", &["line 2 has 3 fields, but the header has 100000"]);
}

#[test]
fn text_that_is_no_text() {
    assert!(refused("t.csv", b"a,b\n1,\x002\n").contains("NUL"));
    assert!(refused("t.jsonl", b"{\"a\":1}\n\x00\n").contains("NUL"));
    assert!(refused("t.csv", b"a,b\n1,\"2\n3,4\n").contains("line 2 has a quote that is never closed"));
    assert!(refused("t.csv", b"a,\"b\n1,2\n3,4\n").contains("line 1 has a quote that is never closed"));
    assert!(refused("t.jsonl", b"{\"a\":1}\n{\"a\":\"\xff\"}\n").contains("line 2"));
    assert!(refused("t.jsonl", b"{\"a\":1}\n{\"a\":1e999}\n").contains("line 2"));
    assert!(refused("t.jsonl", b"{\"a\":1}\n{\"a\":1\n").contains("line 2"));
    assert!(refused("t.jsonl", b"{\"a\":1}\n[1]\n").contains("line 2"));
    let deep = format!("{{\"x\":1,\"z\":{}1{}}}\n{{\"x\":2}}\n", "[".repeat(100_000), "]".repeat(100_000));
    let folder = Folder::with("t.jsonl", &deep);
    let ran = run_within(&folder, SPACE, "select t.jsonl -k 2 --order file -o out.jsonl");
    assert_eq!((ran.code, folder.read("out.jsonl") == deep), (0, true), "{}", ran.err);
    assert!(refused("open.jsonl", "[{".repeat(50_000).as_bytes()).contains("open.jsonl"));
    assert!(refused("t.jsonl", format!("{{\"x\":{}", "[".repeat(100_000)).as_bytes()).contains("line 1"));
    let folder = Folder::with("t.csv", b"n\xffame,x\n\xfe,1\n\xfd,2\n");
    assert_eq!(folder.indices("select t.csv -k 1 -o out.csv").len(), 1);
    assert!(folder.bytes("out.csv").starts_with(b"n\xffame,x\n"));
}

#[test]
fn a_quote_that_swallows_the_file() {
    let folder = Folder::new();
    let mut file = File::create(folder.path("t.csv")).unwrap();
    file.write_all(b"a,b\n1,2\n3,\"").unwrap();
    let block = b"0123456,89\n".repeat(100_000);
    (0..260).for_each(|_| file.write_all(&block).unwrap());
    drop(file);
    let words = ["t.csv", "the record at line 3 is longer", "is a quote missing?"];
    refuses_within(&folder, SPACE, "select t.csv -k 1 -q", &words);
}

#[test]
fn workbooks_made_to_harm() {
    let folder = Folder::new();
    let rows = |cells: &str| format!("<row>{}</row><row><c><v>1</v></c></row>", cells);
    // Megabytes of spaces within a cell, and a cell at the far end of the sheet.
    let long = rows(&format!("<c t=\"inlineStr\"><is><t>x{}</t></is></c>", " ".repeat(60 << 20)));
    folder.write("long.xlsx", tables::workbook(&[("data", &long)]));
    assert!(folder.bytes("long.xlsx").len() < 1 << 20);
    refuses_within(
        &folder,
        500 << 20,
        "select long.xlsx -k 1 --memory 20M",
        &["long.xlsx: xl/worksheets/sheet0.xml takes"],
    );
    let far = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"1048576\"><c r=\"XFD1048576\"><v>2</v></c></row>";
    folder.write("far.xlsx", tables::workbook(&[("data", far)]));
    let ran = run_within(&folder, 500 << 20, "select far.xlsx -k 1 --missing mean --json -q");
    assert_eq!(ran.code, 0, "{ran:?}");
    refuses_within(&folder, 500 << 20, "select far.xlsx -k 1 --missing error", &["(from 0; row 1 of sheet data)"]);
    assert!(refused("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1").contains("Excel file"));
    assert!(refused("t.xlsx", b"x,y\n1,2\n").contains("is no Excel file"));
    assert!(refused("t.xlsx", &tables::archive(&[("a.txt", b"1")])).contains("Excel file"));
}
