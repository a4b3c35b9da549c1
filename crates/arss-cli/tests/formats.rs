//! One table in every format: the same picks, from files, pipes, and several files at once.

mod common;
mod tables;

use common::limits::LIMIT;
use common::{ARSS, Folder, Ran, npy_f64, numbers};
use parquet::basic::Compression;
use tables::{
    archive, arrow_bytes, batch, bz2, every_format, gz, lines, npz, number_cell, parquet_bytes, stream_bytes, text,
    text_cell, utf_16, workbook, xz,
};

/// Arrays hold nothing but the columns that are used.
fn columns(name: &str) -> &'static str {
    if name.contains(".np") { "" } else { "--columns x,y,n" }
}

/// Runs with `input` on stdin.
fn run_piped(folder: &Folder, line: &str, input: &[u8]) -> Ran {
    let mut command = assert_cmd::Command::new(ARSS);
    command.timeout(LIMIT);
    let output =
        command.current_dir(folder.0.path()).args(line.split_whitespace()).write_stdin(input).output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_table_goes_through_a_pipe() {
    let folder = tables::folder();
    let wanted = folder.run("select t.csv -k 5 --columns x,y,n -o -").ok().out;
    assert!(wanted.starts_with("id,x,y,n,remark"), "{wanted}");
    for input in [folder.bytes("t.csv"), gz(folder.bytes("t.csv"))] {
        assert_eq!(run_piped(&folder, "select - -k 5 --columns x,y,n -o -", &input).ok().out, wanted);
    }
    let picks = run_piped(&folder, "select - -k 5 --columns x,y,n --indices -", &folder.bytes("t.csv")).ok().out;
    assert_eq!(picks.lines().count(), 5);
}

#[test]
fn every_format_gives_the_same_picks() {
    let folder = tables::folder();
    let wanted = folder.json("select t.csv -k 5 --columns x,y,n");
    for (name, _) in every_format() {
        let found = folder.json(&format!("select {name} -k 5 {}", columns(name)));
        assert_eq!(found["indices"], wanted["indices"], "{name}");
        assert_eq!(found["scores"], wanted["scores"], "{name}");
        assert_eq!(found["n_samples"], 40, "{name}");
    }
}

#[test]
fn every_format_comes_through_a_pipe() {
    let folder = Folder::with("t.csv", text(',', "\n"));
    let wanted = folder.indices("select t.csv -k 4 --columns x,y,n");
    for (name, content) in every_format() {
        // What the name of a file would tell is found out or told.
        let format = if name.contains(".tsv") { "--format tsv" } else { "" };
        let line = format!("select - -k 4 {} {format} --json -q", columns(name));
        let ran = run_piped(&folder, &line, &content).ok();
        let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(numbers(&found["indices"]), wanted, "{name}");
        assert_eq!(ran.err, "", "{name}");
    }
    run_piped(&folder, "select - -k 1", b"").refused("nothing", &["-: the file is empty"]);
    run_piped(&folder, "select - -k 1", b"\x01\x02").refused("binary", &["-: unknown kind of file", "--format"]);
    let words = ["-: random on 40 x 3 values needs about", "--memory allows 100 B"];
    run_piped(&folder, "select - -k 1 --memory 100 --method random", &tables::npy()).refused("long", &words);
    run_piped(&folder, "select - - -k 1", b"a\n1\n").refused("twice", &["-: was given twice"]);
}

#[test]
fn several_files_are_one_table() {
    let folder = tables::folder();
    let wanted = folder.indices("select t.csv -k 5 --columns x,y,n");
    let csv = text(',', "\r\n");
    let cut = csv.match_indices("r25,").next().unwrap().0;
    let header = "id,x,y,n,remark\r\n";
    folder.write("part-a.csv", &csv[..cut]);
    folder.write("part-b.csv", format!("{header}{}", &csv[cut..]).replace("\r\n", "\n"));
    let lines = lines();
    let cut = lines.match_indices('\n').nth(9).unwrap().0 + 1;
    folder.write("part-a.jsonl", &lines[..cut]);
    folder.write("part-b.jsonl", &lines[cut..]);
    let (a, b) = (batch().slice(0, 11), batch().slice(11, 29));
    folder.write("part-a.parquet", parquet_bytes(&a, Compression::SNAPPY, 4));
    folder.write("part-b.parquet", parquet_bytes(&b, Compression::UNCOMPRESSED, 100));
    folder.write("part-a.arrow", arrow_bytes(std::slice::from_ref(&a)));
    folder.write("part-b.arrow", stream_bytes(&[b]));
    let rows = tables::numbers();
    folder.write("part-a.npy", npy_f64(&rows[..30].concat(), 30));
    folder.write("part-b.npy", npy_f64(&rows[30..].concat(), 10));
    for end in ["csv", "jsonl", "parquet", "arrow", "npy"] {
        let columns = columns(&format!(".{end}"));
        for files in [format!("part-a.{end} part-b.{end}"), format!("part-?.{end}"), format!("./pa*.{end}")] {
            assert_eq!(folder.indices(&format!("select {files} -k 5 {columns}")), wanted, "{files}");
        }
    }
    // The chosen rows come from both files, in the order of the picks.
    folder.run("select part-a.csv part-b.csv -k 5 --columns x,y,n -o out.jsonl").ok();
    let ids: Vec<String> = wanted.iter().map(|row| format!("r{row}")).collect();
    let found: Vec<String> = folder
        .read("out.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(found, ids);
    folder.write("gap.csv", format!("{header}r40,1,,3,\r\n"));
    folder.refuses(
        "select part-a.csv gap.csv -k 2 --missing error",
        &["row 0 (from 0; line 2) of gap.csv, column y is empty"],
    );
}

#[test]
fn files_that_do_not_belong_together() {
    let folder = Folder::with("a.csv", "x,y\n1,2\n3,4\n");
    folder.write("b.csv", "x,z\n1,2\n");
    folder.write("c.csv", "x,y,z\n1,2,3\n");
    folder.write("d.csv", "x\n1\n");
    folder.write("e.jsonl", "{\"x\":1,\"y\":2}\n");
    folder.write("a.npy", npy_f64(&[1.0, 2.0], 1));
    folder.write("b.npy", npy_f64(&[1.0, 2.0, 3.0], 1));
    let refuses = |files: &str, words: &[&str]| folder.refuses(&format!("select {files} -k 1"), words);
    refuses("a.csv b.csv", &["b.csv: does not have the columns of a.csv: column z is called y there"]);
    refuses("a.csv c.csv", &["c.csv", "has 3 columns, 2 there"]);
    refuses("a.csv d.csv", &["d.csv", "has 1 columns, 2 there"]);
    refuses("a.csv e.jsonl", &["e.jsonl: is of another format than a.csv"]);
    refuses("a.npy b.npy", &["b.npy", "has 3 columns, 2 there"]);
    refuses("a.csv a.csv", &["a.csv: was given twice"]);
    refuses("a.csv ./a.csv", &["./a.csv: was given twice"]);
    refuses("*.csv", &["b.csv: does not have the columns of a.csv"]);
    refuses("none*.csv", &["none*.csv: matches no file"]);
    refuses("a.csv none.csv", &["none.csv: there is no such file"]);
    let mixed = batch().project(&[1]).unwrap();
    let whole = batch().project(&[3]).unwrap();
    let renamed = arrow_array::RecordBatch::try_from_iter([("x", whole.column(0).clone())]).unwrap();
    folder.write("a.parquet", parquet_bytes(&mixed, Compression::SNAPPY, 100));
    folder.write("b.parquet", parquet_bytes(&renamed, Compression::SNAPPY, 100));
    refuses("a.parquet b.parquet", &["b.parquet", "column x is of type Int64, Float64 there"]);
    // Keys may be missing in some lines, so they may be missing in some files.
    folder.write("f.jsonl", "{\"x\":3,\"w\":4}\n{\"x\":9}\n");
    assert_eq!(folder.json("select e.jsonl f.jsonl -k 1 --columns x")["n_samples"], 3);
}

#[test]
fn what_the_name_does_not_tell_can_be_told() {
    let folder = Folder::with("t.dat", "1:2\n3:5\n9:1\n");
    folder.write("names", "1,2\n3,4\n5,9\n");
    folder.write("t.bin", parquet_bytes(&batch(), Compression::SNAPPY, 100));
    folder.write("odd.parquet", "x,y\n1,2\n3,4\n");
    let shape = |line: &str| {
        let found = folder.json(line);
        (found["n_samples"].as_u64().unwrap(), found["n_features"].as_u64().unwrap())
    };
    assert_eq!(shape("select t.dat -k 1 --delimiter :"), (3, 2));
    assert_eq!(shape("select names -k 1"), (3, 2));
    assert_eq!(shape("select names -k 1 --header no"), (3, 2));
    assert_eq!(shape("select names -k 1 --header yes"), (2, 2));
    assert_eq!(shape("select t.bin -k 1"), (40, 3));
    assert_eq!(shape("select odd.parquet -k 1 --format csv"), (2, 2));
    folder.refuses("select odd.parquet -k 1", &["odd.parquet: is no whole Parquet file"]);
    folder.refuses("select t.bin -k 1 --format arrow", &["t.bin: is no whole Arrow file"]);
    folder.refuses("select t.bin -k 1 --format tsv", &["t.bin", "NUL"]);
    folder.refuses("select t.dat -k 1 --delimiter ab", &["--delimiter", "one character"]);
    folder.write("base.db", b"SQLite format 3\0\x10\0");
    folder.refuses("select base.db -k 1", &["base.db: is an SQLite database", "sqlite3 -header -csv"]);
    folder.write("old.feather", b"FEA1\0\0\0\0FEA1");
    folder.refuses("select old.feather -k 1", &["old.feather", "version 1"]);
}

#[test]
fn separators_and_headers_are_found_out() {
    let shape = |content: &str| {
        let folder = Folder::with("t.csv", content);
        let ran = folder.run("select t.csv -k 1 --json").ok();
        let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        (found["n_samples"].as_u64().unwrap(), found["n_features"].as_u64().unwrap(), ran.err)
    };
    let first = |content: &str| {
        let (rows, columns, _) = shape(content);
        (rows, columns)
    };
    assert_eq!(first("a;b\n1;2\n3;4\n"), (2, 2));
    assert_eq!(first("a|b\n1|2\n3|4\n"), (2, 2));
    assert_eq!(first("a\tb\n1\t2\n3\t4\n"), (2, 2));
    assert_eq!(first("a\n1\n2\n"), (2, 1));
    assert_eq!(first(",0,1\n0,5,6\n1,7,9\n"), (2, 2), "an index and two columns");
    assert_eq!(first("2024-01-02,5\n2024-01-03,7\n"), (2, 2), "dates are data");
    assert_eq!(first("true,5\nfalse,7\n"), (2, 2), "so are truth values");
    let (_, _, said) = shape("1,2\n3,4\n");
    assert!(said.contains("the first line holds numbers only") && said.contains("--header yes"), "{said}");
    let (rows, _, said) = shape("name,2020,2021\na,1,2\nb,3,5\n");
    assert!(rows == 2 && said.contains("text and numbers") && said.contains("--header no"), "{said}");
    // As R writes tables: rows have names, and that column has none.
    let (rows, columns, said) = shape("\"a\",\"b\"\n\"1\",5,6\n\"2\",7,9\n");
    assert!((rows, columns) == (2, 2) && said.contains("the first column is called rownames"), "{said}");
    let trailing = Folder::with("t.csv", "a,b\n1,2,\n3,4,\n");
    trailing.refuses("select t.csv -k 1", &["line 2 has 3 fields, but the header has 2"]);
    let named = Folder::with("t.txt", "a b\nx 5 6\ny 7 9\nz 7 8\n");
    named.run("select t.txt -k 1 --columns a,b -o out.csv").ok();
    assert!(named.read("out.csv").starts_with("rownames a b\n"), "{}", named.read("out.csv"));
    // A code among others is no number.
    let codes: String = (0..60).map(|row| format!("{row},0{row}.{}\n", row % 7)).collect();
    let coded = Folder::with("t.csv", format!("x,code\n{codes}90,A\n"));
    assert_eq!(coded.json("select t.csv -k 1 --as x=number")["n_features"], 1);
    let ragged = Folder::with("t.csv", "a;b\n1;2\n3\n4;5\n");
    ragged.refuses("select t.csv -k 1", &["line 3 has 1 field, but the header has 2"]);
}

#[test]
fn archives_of_arrays() {
    let one = npy_f64(&[1.0, 2.0, 3.0, 9.0], 2);
    let folder = Folder::with("two.npz", npz(&[("a", one.clone()), ("b", tables::npy())]));
    folder.write("none.npz", npz(&[]));
    folder.write("one.npz", npz(&[("a", one)]));
    assert_eq!(folder.json("select two.npz -k 1 --array b")["n_samples"], 40);
    assert_eq!(folder.json("select one.npz -k 1")["n_samples"], 2);
    folder.refuses("select two.npz -k 1", &["two.npz: holds 2 arrays: a, b; choose one with --array NAME"]);
    folder.refuses("select two.npz -k 1 --array c", &["has no array c; it holds a, b"]);
    folder.refuses("select none.npz -k 1", &["none.npz: holds no array"]);
    folder.write("gz.npz", gz("x"));
    folder.refuses("select gz.npz -k 1", &["gz.npz: is no whole npz archive"]);
}

/// The notes on stderr of a run that works.
fn said(folder: &Folder, line: &str) -> String {
    folder.run(&format!("{line} --json")).ok().err
}

#[test]
fn titles_above_a_sheet_are_left_out_and_texts_stay_as_they_are() {
    let cells = |cells: &[&str]| format!("<row>{}</row>", cells.concat());
    let header = cells(&[&text_cell("price"), &text_cell("width"), &text_cell("depth")]);
    let row = |at: usize| {
        let (price, width) = (format!("$1,{:03}.50", 37 * at * at % 997), number_cell((at * at % 17) as f64));
        cells(&[&text_cell(&price), &width, &number_cell((at * 7 % 11) as f64)])
    };
    let data: String = (0..12).map(row).collect();
    let titled = format!("{}<row/>{}{header}{data}", cells(&[&text_cell("Sales")]), cells(&[&text_cell("2026")]));
    let folder = Folder::with("t.xlsx", workbook(&[("data", &titled)]));
    folder.write("plain.xlsx", workbook(&[("data", &format!("{header}{data}"))]));
    let notes = said(&folder, "select t.xlsx -k 3 -o o.csv");
    assert!(notes.contains("t.xlsx: 2 rows of a title above the header left out"), "{notes}");
    let found = folder.json("select t.xlsx -k 3");
    assert_eq!(found["columns"], serde_json::json!(["price", "width", "depth"]));
    assert_eq!(found["indices"], folder.json("select plain.xlsx -k 3")["indices"]);
    let written = folder.read("o.csv");
    assert!(written.starts_with("price,width,depth\n") && written.contains("\"$1,"), "{written}");
    // The same above a csv file is refused with what to do.
    folder.write("title.csv", "Sales\n2026\na,b\n1,2\n3,4\n");
    folder.refuses("select title.csv -k 1", &["line 3 has 2 fields, but the header has 1", "tail -n +3 FILE"]);
}

#[test]
fn names_that_come_twice_differ_where_they_have_to() {
    let folder = Folder::with("t.csv", "x,x,y,y\n1,5,2,a\n2,9,1,b\n7,4,8,a\n3,3,3,b\n");
    let notes = said(&folder, "select t.csv -k 2 -o o.jsonl");
    assert!(notes.contains("more than one column is called x; where names have to differ, the next is x_2"), "{notes}");
    let line: serde_json::Value = serde_json::from_str(folder.read("o.jsonl").lines().next().unwrap()).unwrap();
    let mut names: Vec<&String> = line.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["x", "x_2", "y", "y_2"]);
    folder.run("select t.csv -k 2 -o o.csv").ok();
    assert!(folder.read("o.csv").starts_with("x,x,y,y\n"));
}

#[test]
fn missing_texts_are_missing_in_formats_with_types() {
    let rows: String =
        (0..30).map(|at| format!("{},{}\n", at * at % 23, if at % 3 == 0 { "" } else { "rain" })).collect();
    let folder = Folder::with("t.csv", format!("x,weather\n{rows}"));
    folder.run("select t.csv -k 30 -o o.parquet").ok();
    let (found, _) = tables::read_parquet(&folder.path("o.parquet"));
    assert_eq!(found.column(1).null_count(), 10);
}

#[test]
fn added_numbers_are_written_like_the_others() {
    let rows: String = (0..20).map(|at| format!("{},5;{},25\n", at * at % 23, at * 7 % 11)).collect();
    let folder = Folder::with("t.csv", format!("x;y\n{rows}"));
    folder.run("select t.csv -k 3 --add-scores -o o.csv").ok();
    let written = folder.read("o.csv");
    assert!(written.lines().skip(1).all(|line| !line.contains('.') && line.split(';').count() == 5), "{written}");
}

#[test]
fn sheets_of_workbooks() {
    let cells = |cells: &[&str]| format!("<row>{}</row>", cells.concat());
    let (id, x) = (text_cell("id"), text_cell("x"));
    let when = text_cell("when");
    let rows = [
        cells(&[&id, &x, &when, &text_cell("ok")]),
        cells(&[&text_cell("007"), &number_cell(1.5), "<c s=\"1\"><v>43831</v></c>", "<c t=\"b\"><v>1</v></c>"]),
        "<row/>".to_owned(),
        cells(&[
            &text_cell("08"),
            "<c t=\"e\"><v>#N/A</v></c>",
            "<c s=\"1\"><v>43832.5</v></c>",
            "<c t=\"b\"><v>0</v></c>",
        ]),
        cells(&[&text_cell("9"), "<c t=\"e\"><v>#REF!</v></c>", "<c/>", "<c/>"]),
        cells(&[&text_cell("10"), &number_cell(4.0), "<c/>", "<c/>"]),
    ];
    let other = format!("{}{}", cells(&[&text_cell("z")]), cells(&[&number_cell(3.0)]));
    let book = workbook(&[("empty", ""), ("data", &rows.concat()), ("more", &other)]);
    let folder = Folder::with("t.xlsx", book);
    let notes = said(&folder, "select t.xlsx -k 2 --columns x --missing drop --order file -o o.csv");
    assert!(notes.contains("sheet data of 3 was read (--sheet NAME reads another: empty, more)"), "{notes}");
    assert!(notes.contains("1 cell with an error such as #REF! taken as missing"), "{notes}");
    assert_eq!(folder.read("o.csv"), "id,x,when,ok\n007,1.5,2020-01-01,true\n10,4,,\n");
    let place = "row 1 (from 0; row 4 of sheet data), column x is empty";
    folder.refuses("select t.xlsx -k 1 --columns x --missing error", &[place]);
    // What a column holds stays what it is in a format with types.
    folder.run("select t.xlsx -k 2 --columns x --missing drop --order file -o o.parquet").ok();
    let (found, _) = tables::read_parquet(&folder.path("o.parquet"));
    let types: Vec<String> = found.schema().fields().iter().map(|field| field.data_type().to_string()).collect();
    assert_eq!(types, ["Utf8", "Float64", "Utf8", "Boolean"]);
    for sheet in ["more", "3"] {
        assert_eq!(folder.json(&format!("select t.xlsx -k 1 --sheet {sheet}"))["columns"], serde_json::json!(["z"]));
    }
    folder.refuses("select t.xlsx -k 1 --sheet none", &["has no sheet none; it holds empty, data, more"]);
    folder.refuses("select t.xlsx -k 1 --sheet 1", &["sheet empty is empty"]);
    folder.refuses("select t.xlsx -k 1 --sheet more -o o.xlsx", &["o.xlsx: Excel files are not written", ".csv"]);
    // A workbook of the older kind holds the same.
    for (name, bytes) in [
        ("a.xlsx", &include_bytes!("../../../fuzz/seeds/xlsx/t.xlsx")[..]),
        ("a.xls", include_bytes!("../../../fuzz/seeds/xlsx/t.xls")),
    ] {
        folder.write(name, bytes);
    }
    let picks = |name: &str| folder.indices(&format!("select {name} -k 3 --columns x,y,when,ok"));
    assert_eq!(picks("a.xls"), picks("a.xlsx"));
}

#[test]
fn letters_of_other_encodings() {
    let text = "stadt,x\nMünchen,1\nKöln,5\nUlm,9\n";
    let latin: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
    let folder = Folder::with("t.csv", &latin);
    let notes = said(&folder, "select t.csv -k 3 --order file -o o.csv");
    assert!(notes.contains("is no UTF-8 and was read as windows-1252"), "{notes}");
    assert_eq!(folder.bytes("o.csv"), latin);
    let notes = said(&folder, "select t.csv -k 3 --order file -o o.jsonl --id stadt --encoding latin1");
    assert!(folder.read("o.jsonl").contains("\"München\"") && !notes.contains("UTF-8"), "{notes}");
    let ids = |line: &str| folder.json(line)["ids"].to_string();
    assert!(ids("select t.csv -k 3 --id stadt").contains("Köln"));
    let used = &folder.json("select t.csv -k 1 --columns stadt,x")["columns"];
    assert!(used.to_string().contains("stadt=Köln"), "{used}");
    folder.write("wide.csv", utf_16(text));
    let notes = said(&folder, "select wide.csv -k 3 --order file -o w.csv");
    assert!(notes.contains("is UTF-16LE text; what is written is UTF-8"), "{notes}");
    assert_eq!(folder.read("w.csv"), text);
    folder.write("bare.csv", &utf_16("a,b\n1,2\n3,5\n")[2..]);
    assert_eq!(folder.json("select bare.csv -k 1")["n_samples"], 2);
    folder.write("plain.csv", text);
    // Rows of several encodings stand together as UTF-8.
    folder.run("select plain.csv t.csv -k 6 --order file -o both.csv").ok();
    assert_eq!(folder.read("both.csv"), format!("{text}{}", &text[text.find('\n').unwrap() + 1..]));
    folder.write("j.csv", b"n,x\n\x93\xfa\x96{,1\n\x8b\x9e,2\n");
    assert!(ids("select j.csv -k 2 --id n --encoding shift_jis").contains("日本"));
    folder.refuses("select t.csv -k 1 --encoding klingon", &["--encoding", "latin1"]);
}

#[test]
fn archives_of_text() {
    let csv = text(',', "\n");
    let folder = Folder::with("t.csv", &csv);
    for end in ["bz2", "xz"] {
        folder.run(&format!("select t.csv -k 4 -o o.csv.{end}")).ok();
        folder.run(&format!("select o.csv.{end} -k 4 --order file -o {end}.csv")).ok();
    }
    assert_eq!(folder.read("bz2.csv"), folder.read("xz.csv"));
    folder.refuses("select t.csv -k 1 -o o.csv.zip", &["zip archives are not written", ".csv.gz"]);
    let two: [(&str, &[u8]); 3] = [("a.csv", b"x\n1\n"), ("b.csv", b"x\n1\n"), ("__MACOSX/._a.csv", b"?")];
    folder.write("two.zip", archive(&two));
    folder.refuses("select two.zip -k 1", &["two.zip: holds 2 tables: a.csv, b.csv; unpack it"]);
    folder.write("none.zip", archive(&[("a.txt", b"1"), ("b.txt", b"2")]));
    folder.refuses("select none.zip -k 1", &["none.zip: holds no table, but a.txt, b.txt"]);
    folder.write("only.zip", archive(&[("data", b"x,y\n1,2\n3,5\n")]));
    assert_eq!(folder.json("select only.zip -k 1")["n_features"], 2);
    let bomb = vec![b'1'; 80 << 20];
    for (name, packed) in
        [("t.csv.xz", xz(&bomb)), ("t.csv.bz2", bz2(&bomb)), ("bomb.csv.zip", archive(&[("t.csv", &bomb)]))]
    {
        folder.write(name, packed);
        folder.refuses(
            &format!("select {name} -k 1 --memory 10M --method random"),
            &[name, "more than 200 times its size"],
        );
    }
}

#[test]
fn json_arrays_and_nested_keys() {
    let records = ["{\"a\": {\"b\": 1, \"c\": {\"d\": \"x\"}}, \"e\": 2}", "{\"a\": {\"b\": 5}, \"e\": 9}"];
    let folder = Folder::with("t.json", format!("[{}]", records.join(",\n")));
    folder.write("t.jsonl", records.join("\n"));
    for name in ["t.json", "t.jsonl"] {
        let found = folder.json(&format!("select {name} -k 2 --order file -o {name}.csv"));
        assert_eq!(found["columns"], serde_json::json!(["a.b", "e"]), "{name}");
        assert_eq!(folder.read(&format!("{name}.csv")), "a.b,a.c.d,e\n1,x,2\n5,,9\n");
    }
    folder.run("select t.json -k 2 --order file -o o.json --add-scores").ok();
    let found: serde_json::Value = serde_json::from_str(&folder.read("o.json")).unwrap();
    assert!(found[0]["a"]["c"]["d"] == "x" && found[1]["rank"].is_number(), "{found}");
    folder.run("features t.json -k 1 -o f.json").ok();
    let found: serde_json::Value = serde_json::from_str(&folder.read("f.json")).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 2);
    folder.run("select t.json.csv -k 2 --order file -o typed.json").ok();
    let found: serde_json::Value = serde_json::from_str(&folder.read("typed.json")).unwrap();
    assert_eq!(found[1]["e"], 9);
    let refuses = |content: &str, words: &[&str]| {
        folder.write("bad.json", content);
        folder.refuses("select bad.json -k 1", words);
    };
    refuses("[{\"a\":1},{\"a\":2}", &["bad.json", "cut off"]);
    refuses("[{\"a\":1},{\"a\":}]", &["record 1 (from 0), position 6 is not a JSON object"]);
    refuses("[{\"a\":1}]\n[{\"a\":2}]", &["behind the array"]);
    refuses("[]", &["is an empty array"]);
    refuses("{\"x\":{\"0\":1,\"1\":2}}", &["is one JSON object, not an array of records", "orient"]);
    folder.write("bad.json", "[{\"a\":1},{\"a\":null}]");
    folder.refuses("select bad.json -k 1 --missing error", &["row 1 (from 0), column a"]);
}

#[test]
fn comments_and_columns_of_spaces() {
    let folder = Folder::with("t.dat", "# made by hand\n# second\n\nx   y z\n1   2  3\n 4\t5   9\n");
    let notes = said(&folder, "select t.dat -k 2 --order file -o o.csv");
    assert!(notes.contains("the first 2 lines, comments, were passed over"), "{notes}");
    assert_eq!(folder.read("o.csv"), "x   y z\n1   2  3\n 4\t5   9\n");
    assert_eq!(folder.json("select t.dat -k 1")["columns"], serde_json::json!(["x", "y", "z"]));
    folder.write("named.txt", "# x y\n1 2\n3 5\n");
    assert_eq!(folder.json("select named.txt -k 1")["columns"], serde_json::json!(["x", "y"]));
    folder.write("within.csv", "% top\nx,y\n1,2\n% not a row\n3,4\n9,9\n");
    let found = folder.json("select within.csv -k 3 --order file --comment % -o w.csv");
    assert_eq!(found["n_samples"], 3);
    assert_eq!(folder.read("w.csv"), "x,y\n1,2\n3,4\n9,9\n");
    folder.write("uneven.txt", "x y\n1 2\n3\n4 5\n");
    folder.refuses("select uneven.txt -k 1 --delimiter space", &["line 3 has 1 field, but the header has 2"]);
    folder.refuses("select t.dat -k 1 --comment ab", &["--comment", "one character"]);
}

#[test]
fn folders_are_tables() {
    let folder = Folder::new();
    let write = |name: &str, content: &[u8]| {
        std::fs::create_dir_all(folder.path(name).parent().unwrap()).unwrap();
        folder.write(name, content);
    };
    write("d/year=2021/b.csv", b"x,y\n1.50,2\n3,4\n");
    write("d/year=2020/a.csv", b"x,y\n7,8\n9,1\n");
    write("d/_SUCCESS", b"");
    write("d/.hidden.csv", b"?");
    let found = folder.json("select d -k 4 --order file -o o.csv");
    assert_eq!(found["columns"], serde_json::json!(["x", "y", "year"]));
    assert_eq!(folder.read("o.csv"), "x,y,year\n7,8,2020\n9,1,2020\n1.50,2,2021\n3,4,2021\n");
    folder.run("select d/year=*/*.csv -k 4 --order file -o o.parquet").ok();
    let (rows, _) = tables::read_parquet(&folder.path("o.parquet"));
    assert_eq!(rows.schema().field(2).data_type().to_string(), "Int64");
    // Without such names the rows are copied as they stand.
    folder.run("select d/year=2021 -k 2 --order file -o p.csv").ok();
    assert_eq!(folder.read("p.csv"), "x,y\n1.50,2\n3,4\n");
    for (year, part) in [(2020, batch().slice(0, 15)), (2021, batch().slice(15, 25))] {
        write(&format!("p/year={year}/a.parquet"), &parquet_bytes(&part, Compression::SNAPPY, 4));
    }
    folder.write("t.csv", text(',', "\n"));
    let wanted = folder.indices("select t.csv -k 5 --columns x,y,n");
    assert_eq!(folder.indices("select p -k 5 --columns x,y,n -o q.parquet"), wanted);
    assert!(tables::read_parquet(&folder.path("q.parquet")).0.column_by_name("year").is_some());
    assert_eq!(folder.indices("select p -k 5 --columns x,y,n --memory 1G --scratch ."), wanted);
    // A data set as Hugging Face saves it.
    write("h/data-00000-of-00002.arrow", &stream_bytes(&[batch().slice(0, 9)]));
    write("h/data-00001-of-00002.arrow", &stream_bytes(&[batch().slice(9, 31)]));
    write("h/dataset_info.json", b"{}");
    write("h/state.json", b"{}");
    assert_eq!(folder.indices("select h -k 5 --columns x,y,n"), wanted);
    write("d/year=2020/c.parquet", &parquet_bytes(&batch(), Compression::SNAPPY, 9));
    folder.refuses(
        "select d -k 1",
        &["d: is a folder with tables of several formats: 2 of csv, 1 of parquet", "'d/**/*.csv'"],
    );
    assert_eq!(folder.json("select d/**/*.csv -k 1")["n_samples"], 4);
}
