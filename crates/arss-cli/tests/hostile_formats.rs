//! Archives, workbooks, records and folders that are made to harm: one clear line, within `--memory`.
#![cfg(unix)]

mod common;
mod tables;

use common::{Folder, refuses_within, run_limited, run_within};
use tables::{archive, bz2, workbook, xz};

/// Address space of a run that may hold ten megabytes.
const SPACE: u64 = 800 << 20;

#[test]
fn archives_that_unpack_to_too_much() {
    let zeros = vec![b'0'; 16 << 20];
    let folder = Folder::with("t.csv.bz2", bz2(&zeros).repeat(8));
    folder.write("t.csv.xz", xz(&zeros).repeat(8));
    folder.write("t.csv.zip", archive(&[("t.csv", &zeros.repeat(8))]));
    for name in ["t.csv.bz2", "t.csv.xz", "t.csv.zip"] {
        assert!(folder.bytes(name).len() < 1 << 20, "{name}");
        // What would be unpacked to the disk is suspected, too; every method unpacks there if the memory is limited.
        let words = [name, "more than 200 times its size", "trap"];
        refuses_within(&folder, SPACE, &format!("select {name} -k 1 --memory 10M --method random"), &words);
        refuses_within(&folder, SPACE, &format!("select {name} -k 1 --memory 10M -q"), &words);
    }
    folder.write("nested.zip", archive(&[("inner.zip", &folder.bytes("t.csv.zip"))]));
    refuses_within(&folder, SPACE, "select nested.zip -k 1", &["nested.zip: holds another archive, inner.zip"]);
    folder.write("two.zip", archive(&[("a.csv", b"x\n1\n"), ("b.csv", b"x\n1\n")]));
    refuses_within(&folder, SPACE, "select two.zip -k 1", &["two.zip: holds 2 tables: a.csv, b.csv"]);
}

#[test]
fn archives_that_lie_about_their_sizes() {
    let text = tables::text(',', "\n");
    let honest = archive(&[("t.csv", text.as_bytes())]);
    let folder = Folder::with("t.csv.zip", &honest);
    let wanted = folder.run("select t.csv.zip -k 3 --method random -o -").ok().out;
    let entry = honest.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    // The size once it is unpacked, and the packed one, in the list at the end.
    for (at, size) in [(24, 3u32), (24, 0xffff_fff0), (20, 3), (20, 0x7fff_fff0)] {
        let mut bytes = honest.clone();
        bytes[entry + at..entry + at + 4].copy_from_slice(&size.to_le_bytes());
        folder.write("t.csv.zip", bytes);
        let ran = run_within(&folder, SPACE, "select t.csv.zip -k 3 --method random --threads 1 -o -");
        // The sizes do not matter where the content is whole; otherwise a line says that it is not.
        match ran.code {
            0 => assert_eq!(ran.out, wanted, "{at} {size}"),
            _ => ran.refused("a size that lies", &["t.csv.zip"]),
        }
    }
}

#[test]
fn workbooks_whose_parts_point_at_each_other() {
    let cells = "<row><c><v>1</v></c><c><v>5</v></c></row><row><c><v>4</v></c><c><v>2</v></c></row>";
    let folder = Folder::new();
    // Formulas that are each other, and a shared one that covers the whole sheet.
    let formulas = "<row r=\"1\"><c r=\"A1\"><f>B1</f><v>1</v></c><c r=\"B1\"><f>A1</f><v>2</v></c></row>\
                    <row r=\"2\"><c r=\"A2\"><f t=\"shared\" ref=\"A2:XFD1048576\" si=\"0\">A2</f><v>3</v></c>\
                    <c r=\"B2\"><f t=\"shared\" si=\"0\"/><v>4</v></c></row>";
    folder.write("formulas.xlsx", workbook(&[("data", formulas)]));
    folder.write(
        "merged.xlsx",
        workbook(&[(
            "data",
            &format!(
                "{cells}</sheetData><mergeCells><mergeCell \
                    ref=\"A1:XFD1048576\"/></mergeCells><sheetData>"
            ),
        )]),
    );
    for name in ["formulas.xlsx", "merged.xlsx"] {
        let ran = run_within(&folder, SPACE, &format!("select {name} -k 1 --memory 50M --json -q"));
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    // An entity that is made of others, tenfold each.
    let laugh = "<!DOCTYPE a [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
    let entity = format!("</sheetData>{laugh}<sheetData><row><c t=\"inlineStr\"><is><t>&b;</t></is></c></row>");
    folder.write("laugh.xlsx", workbook(&[("data", &entity)]));
    refuses_within(&folder, SPACE, "select laugh.xlsx -k 1", &["error: laugh.xlsx: "]);
    let rows = "<row><c><v>1</v></c><c><v>2</v></c></row>".repeat(1 << 19);
    folder.write("bomb.xlsx", workbook(&[("data", &rows)]));
    assert!(folder.bytes("bomb.xlsx").len() < 1 << 19);
    refuses_within(&folder, SPACE, "select bomb.xlsx -k 1 --memory 20M", &["bomb.xlsx", "more than 20.0 MiB"]);
}

#[test]
fn a_million_columns() {
    let folder = Folder::new();
    let joined = |cell: fn(usize) -> String| (0..1_000_000).map(cell).collect::<Vec<_>>().join(",");
    folder.write("t.csv", joined(|at| format!("c{at}")) + "\n" + &joined(|at| (at % 7).to_string()) + "\n");
    folder.write("t.jsonl", format!("{{{}}}\n", joined(|at| format!("\"k{at}\":1"))));
    folder.write("t.json", format!("[{{{}}}]", joined(|at| format!("\"k{at}\":1"))));
    for name in ["t.csv", "t.jsonl", "t.json"] {
        let words = [name, "1000000", "of memory, but the limit is 100 MiB; raise --memory"];
        refuses_within(&folder, SPACE, &format!("select {name} -k 1 --memory 100M"), &words);
    }
    let row = format!("<row>{}</row>", "<c><v>1</v></c>".repeat(20_000));
    folder.write("t.xlsx", workbook(&[("data", &row.repeat(2))]));
    refuses_within(&folder, SPACE, "select t.xlsx -k 1", &["t.xlsx", "20000 columns, and 16384 are the most"]);
}

#[test]
fn records_and_vectors_that_do_not_end() {
    let folder = Folder::with("open.json", "[".repeat(1_000_000));
    refuses_within(&folder, SPACE, "select open.json -k 1", &["open.json", "the array is not closed"]);
    let deep = format!("[{{\"x\":1,\"y\":{}1{}}},{{\"x\":2}}]", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    folder.write("deep.json", deep);
    let ran = run_within(&folder, SPACE, "select deep.json -k 1 --json -q");
    assert_eq!(ran.code, 0, "{ran:?}");
    folder.write("ragged.jsonl", "{\"v\":[1,2]}\n{\"v\":[1,2,3]}\n");
    let words = ["ragged.jsonl: row 1 (from 0; line 2), column v holds a vector of 3 numbers, but the first has 2"];
    refuses_within(&folder, SPACE, "select ragged.jsonl -k 1", &words);
}

#[test]
fn letters_and_comments_without_a_table() {
    let folder = Folder::with("bom.csv", b"\xff\xfe");
    refuses_within(&folder, SPACE, "select bom.csv -k 1", &["bom.csv: the file is empty"]);
    let half = [tables::utf_16("a,b\n1,2\n3,4\n"), vec![b'x']].concat();
    folder.write("half.csv", half);
    refuses_within(&folder, SPACE, "select half.csv -k 1", &["half.csv", "line 4 has 1 field"]);
    folder.write("comments.csv", "# a,b\n".repeat(100_000));
    refuses_within(&folder, SPACE, "select comments.csv -k 1", &["comments.csv"]);
}

#[test]
fn folders_that_lead_back_to_themselves() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("rows/a=1")).unwrap();
    folder.write("rows/a=1/t.csv", "x,y\n1,2\n3,5\n");
    std::os::unix::fs::symlink("..", folder.path("rows/a=2")).unwrap();
    refuses_within(&folder, SPACE, "select rows -k 1", &["is a link to a folder that is read already"]);
}

#[test]
fn three_thousand_files_with_few_open_at_a_time() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("many")).unwrap();
    let row = |row: usize| format!("{},{}.5\n", row * 7 % 101, row * row % 13);
    for file in 0..3000 {
        folder.write(&format!("many/{file:04}.csv"), format!("x,y\n{}{}", row(2 * file), row(2 * file + 1)));
    }
    let ran = run_limited(&folder, "-n 256", "select many -k 5 --method random --json -q");
    assert_eq!(ran.code, 0, "{ran:?}");
    folder.write("one.csv", "x,y\n".to_owned() + &(0..6000).map(row).collect::<String>());
    let picks = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["indices"].clone();
    assert_eq!(picks(&ran.out), picks(&folder.run("select one.csv -k 5 --method random --json -q").ok().out));
}
