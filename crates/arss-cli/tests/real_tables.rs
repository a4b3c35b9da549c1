//! Tables as people have them: counters, names, decimal commas, dates, vectors. The picks are those of the plain numbers.

mod common;
mod tables;

use std::sync::Arc;

use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{ArrayRef, FixedSizeListArray, ListArray, RecordBatch, StringArray, TimestampMillisecondArray};
use common::{Folder, noise};
use parquet::basic::Compression;
use serde_json::{Value, json};

const ROWS: usize = 60;

fn values() -> Vec<[f64; 3]> {
    let whole = |value: f64| (value * 4096.0).round() / 4.0;
    noise(ROWS * 3).chunks(3).map(|v| [whole(v[0]), whole(v[1]), whole(v[2])]).collect()
}

/// The numbers alone.
fn plain() -> (Folder, Vec<usize>) {
    let rows = values().iter().map(|[x, y, z]| format!("{x},{y},{z}\n")).collect::<String>();
    let folder = Folder::with("plain.csv", format!("x,y,z\n{rows}"));
    let picks = folder.indices("select plain.csv -k 6");
    (folder, picks)
}

fn table(heading: &str, row: impl Fn(usize, &[f64; 3]) -> String) -> String {
    let rows: String = values().iter().enumerate().map(|(at, values)| row(at, values) + "\n").collect();
    format!("{heading}\n{rows}")
}

fn used(found: &Value) -> Vec<String> {
    let columns = found["column_roles"].as_array().unwrap().iter();
    columns.filter(|info| info["used"] == true).map(|info| info["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn counters_and_names_do_not_choose() {
    let (folder, wanted) = plain();
    type Row = fn(usize, &[f64; 3]) -> String;
    let ways: [(&str, &str, Row); 7] = [
        ("an index of pandas", ",x,y,z", |at, [x, y, z]| format!("{at},{x},{y},{z}")),
        ("row names of R", "rownames,x,y,z", |at, [x, y, z]| format!("{},{x},{y},{z}", at + 1)),
        ("row names that are names", "rownames,x,y,z", |at, [x, y, z]| format!("Row {at},{x},{y},{z}")),
        ("years in order", "x,year,y,z", |at, [x, y, z]| format!("{x},{},{y},{z}", 1900 + at)),
        ("an identifier", "customer_id,x,y,z", |at, [x, y, z]| format!("{},{x},{y},{z}", at * 7919 % 100_003)),
        ("numbers of a fixed width", "account,x,y,z", |at, [x, y, z]| {
            format!("{},{x},{y},{z}", 100_000 + at * 7919 % 89_989)
        }),
        ("a constant", "x,y,z,k", |_, [x, y, z]| format!("{x},{y},{z},7")),
    ];
    for (what, heading, row) in ways {
        folder.write("t.csv", table(heading, row));
        let found = folder.json("select t.csv -k 6");
        assert_eq!(used(&found), ["x", "y", "z"], "{what}");
        assert_eq!(common::numbers(&found["indices"]), wanted, "{what}");
    }
    // A population is unique, too, and stays.
    folder.write("t.csv", table("town,population", |at, [x, _, _]| format!("T{at},{}", (x.abs() * 977.0) as u64 + 13)));
    assert_eq!(used(&folder.json("select t.csv -k 3")), ["population"]);
    // As asked, a counter is a number.
    folder.write("t.csv", table("n,x", |at, [x, _, _]| format!("{at},{x}")));
    assert_eq!(used(&folder.json("select t.csv -k 3 --as n=number")), ["n", "x"]);
    assert_eq!(used(&folder.json("select t.csv -k 3 --columns n")), ["n"]);
}

#[test]
fn codes_are_no_numbers() {
    let (folder, _) = plain();
    folder.write("t.csv", table("x,zip", |at, [x, _, _]| format!("{x},{:05}", 501 + at % 4)));
    let found = folder.json("select t.csv -k 3 -o out.parquet");
    assert_eq!(found["columns"], json!(["x", "zip=00501", "zip=00502", "zip=00503", "zip=00504"]));
    let (rows, _) = tables::read_parquet(&folder.path("out.parquet"));
    assert_eq!(rows.schema().field(1).data_type(), &arrow_schema::DataType::Utf8, "leading zeros are kept");
    folder.write("t.csv", table("x,phone", |at, [x, _, _]| format!("{x},{}", 5_550_000 + at * at * 31 % 9973)));
    assert_eq!(folder.json("select t.csv -k 3")["columns"], json!(["x"]));
    folder.write("t.csv", table("x,month", |at, [x, _, _]| format!("{x},{:02}", at * 7 % 12 + 1)));
    let ran = folder.run("select t.csv -k 3").ok();
    assert!(ran.err.contains("as numbers: month"), "{}", ran.err);
}

#[test]
fn numbers_are_read_as_people_write_them() {
    let (folder, wanted) = plain();
    let comma = |value: f64| value.to_string().replace('.', ",");
    let german = |value: f64| {
        let text = format!("{:.2}", value.abs());
        let (whole, cents) = text.split_once('.').unwrap();
        let grouped = if whole.len() > 3 {
            format!("{}.{}", &whole[..whole.len() - 3], &whole[whole.len() - 3..])
        } else {
            whole.to_owned()
        };
        format!("{}{grouped},{cents}", if value < 0.0 { "-" } else { "" })
    };
    let dollars = |value: f64| {
        let text = format!("{:.2}", value.abs());
        let (whole, cents) = text.split_once('.').unwrap();
        let grouped = if whole.len() > 3 {
            format!("{},{}", &whole[..whole.len() - 3], &whole[whole.len() - 3..])
        } else {
            whole.to_owned()
        };
        if value < 0.0 { format!("\"(${grouped}.{cents})\"") } else { format!("\"${grouped}.{cents}\"") }
    };
    folder.write("t.csv", table("x;y;z", |_, [x, y, z]| format!("{};{};{}", comma(*x), comma(*y), comma(*z))));
    assert_eq!(folder.indices("select t.csv -k 6"), wanted, "decimal commas");
    folder.write("t.csv", table("x;y;z", |_, [x, y, z]| format!("{};{};{}", german(*x), german(*y), comma(*z))));
    assert_eq!(folder.indices("select t.csv -k 6"), wanted, "points between thousands");
    folder.write("t.csv", table("x,y,z", |_, [x, y, z]| format!("{},{y},{}", dollars(*x), dollars(*z))));
    assert_eq!(folder.indices("select t.csv -k 6"), wanted, "dollars");
    folder.write("t.csv", table("x,y,z", |_, [x, y, z]| format!("{} %,{y},{z}", x)));
    assert_eq!(folder.indices("select t.csv -k 6"), wanted, "per cent");
    // Written to a typed file, they are numbers.
    folder.write("t.csv", table("x;y;z", |_, [x, y, z]| format!("{};{};{}", comma(*x), comma(*y), comma(*z))));
    folder.run("select t.csv -k 6 -o out.parquet").ok();
    let (rows, _) = tables::read_parquet(&folder.path("out.parquet"));
    assert_eq!(rows.schema().field(0).data_type(), &arrow_schema::DataType::Float64);
    // Told, nothing is found out.
    folder.write("t.csv", table("x;y", |at, [x, _, _]| format!("{};1,{:03}", comma(*x), at * at % 997)));
    assert_eq!(used(&folder.json("select t.csv -k 2 --decimal ,")), ["x", "y"]);
    folder.refuses("select t.csv -k 2 --decimal ;", &["a point or a comma"]);
}

#[test]
fn dates_of_either_order() {
    let (folder, _) = plain();
    let day = |at: usize| (at * 7 % 28 + 1, at * 5 % 12 + 1);
    let iso = table("x,day", |at, [x, _, _]| format!("{x},2020-{:02}-{:02}", day(at).1, day(at).0));
    folder.write("t.csv", iso);
    let wanted = folder.indices("select t.csv -k 5");
    folder.write("t.csv", table("x,day", |at, [x, _, _]| format!("{x},{}/{}/2020", day(at).0, day(at).1)));
    assert_eq!(folder.indices("select t.csv -k 5"), wanted, "day first");
    folder.write("t.csv", table("x,day", |at, [x, _, _]| format!("{x},{}/{}/2020", day(at).1, day(at).0)));
    assert_eq!(folder.indices("select t.csv -k 5"), wanted, "month first");
    folder.write("t.csv", table("x,day", |at, [x, _, _]| format!("{x},{}/{}/2020", at % 12 + 1, at * 5 % 11 + 1)));
    let said = folder.run("select t.csv -k 5").ok().err;
    assert!(said.contains("day may be day/month or month/day"), "{said}");
    // What tells comes behind the sample.
    let late = |last: &str| {
        let rows: String =
            (0..1500).map(|at| format!("{},{}/{}/2020\n", at * at % 977, at % 12 + 1, at % 11 + 1)).collect();
        format!("x,day\n{rows}{last}")
    };
    folder.write("t.csv", late("3,25/01/2020\n"));
    assert!(!folder.run("select t.csv -k 5").ok().err.contains("may be"));
    folder.write("t.csv", late("3,25/01/2020\n3,01/25/2020\n"));
    assert_eq!(used(&folder.json("select t.csv -k 5")), ["x"], "nobody knows");
}

#[test]
fn categories_weigh_as_one_column() {
    let (folder, _) = plain();
    // One rare text among many is not far from everything.
    folder.write("t.csv", table("x,kind", |at, [x, _, _]| format!("{x},{}", if at == 7 { "rare" } else { "usual" })));
    let found = folder.json("select t.csv -k 5");
    assert_eq!(found["columns"], json!(["x", "kind=usual", "kind=rare"]));
    assert_eq!(found["outliers"], 0);
    let names: Vec<String> = (0..ROWS).map(|at| format!("t{}", at % 50)).collect();
    folder.write("t.csv", table("x,name", |at, [x, _, _]| format!("{x},{}", names[at])));
    assert_eq!(folder.json("select t.csv -k 5")["columns"], json!(["x"]), "near-unique text is no category");
}

#[test]
fn vectors_are_used_by_themselves() {
    let (folder, wanted) = plain();
    let label: ArrayRef = Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| ["a", "b"][row % 2])));
    let rows: Vec<Option<Vec<Option<f64>>>> = values().iter().map(|row| Some(row.map(Some).to_vec())).collect();
    let singles =
        rows.iter().map(|row| row.as_ref().map(|row| row.iter().map(|v| v.map(|v| v as f32)).collect::<Vec<_>>()));
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(rows.clone()));
    let fixed: ArrayRef = Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(singles, 3));
    for (what, vectors) in [("list", list), ("fixed", fixed)] {
        let batch = RecordBatch::try_from_iter([("label", label.clone()), ("embedding", vectors)]).unwrap();
        folder.write("t.parquet", tables::parquet_bytes(&batch, Compression::SNAPPY, 8));
        folder.write("t.arrow", tables::arrow_bytes(&[batch.slice(0, 13), batch.slice(13, ROWS - 13)]));
        for name in ["t.parquet", "t.arrow"] {
            let ran = folder.run(&format!("select {name} -k 6 --json")).ok();
            let found: Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(common::numbers(&found["indices"]), wanted, "{what} in {name}");
            assert!(ran.err.contains("chosen by the vectors of embedding (3 numbers), not by label"), "{}", ran.err);
            assert_eq!(folder.indices(&format!("select {name} -k 6 --columns embedding")), wanted);
            let both = folder.json(&format!("select {name} -k 6 --columns embedding,label"));
            assert_eq!(both["n_features"], 5, "{what} in {name}");
        }
    }
    let text = |[x, y, z]: &[f64; 3]| format!("[{x}, {y}, {z}]");
    folder.write(
        "t.jsonl",
        values().iter().map(|row| format!("{{\"label\":\"a\",\"v\":{}}}\n", text(row))).collect::<String>(),
    );
    assert_eq!(folder.indices("select t.jsonl -k 6"), wanted);
    folder.write("t.csv", table("label,v", |_, row| format!("a,\"{}\"", text(row))));
    assert_eq!(folder.indices("select t.csv -k 6"), wanted);
    folder.write("t.csv", table("label,v", |_, [x, y, z]| format!("a,[{x} {y}\t {z}]")));
    assert_eq!(folder.indices("select t.csv -k 6"), wanted, "as numpy prints them");
    // Ragged and missing ones are named.
    folder.write("r.jsonl", "{\"v\":[1,2]}\n{\"v\":[1,2,3]}\n");
    folder.refuses(
        "select r.jsonl -k 1",
        &["row 1 (from 0; line 2), column v holds a vector of 3 numbers, but the first has 2"],
    );
    folder.write("r.jsonl", "{\"v\":[1,2]}\n{\"v\":null}\n");
    folder.refuses("select r.jsonl -k 1", &["row 1 (from 0; line 2), column v holds no vector"]);
    folder.write("r.jsonl", "{\"v\":[1,2],\"w\":[2]}\n{\"v\":[3,1],\"w\":[5]}\n");
    folder.refuses("select r.jsonl -k 1", &["columns v, w hold vectors; --columns tells which"]);
    assert_eq!(folder.indices("select r.jsonl -k 1 --columns v").len(), 1);
    folder.refuses("select r.jsonl -k 1 --as v=number", &["column v holds vectors, which are no single numbers"]);
}

#[test]
fn results_go_to_pipes() {
    let (folder, wanted) = plain();
    let rows = folder.read("plain.csv");
    let rows: Vec<&str> = rows.lines().collect();
    let out = folder.run("select plain.csv --count 6 -o -").ok().out;
    let expected: Vec<&str> = [rows[0]].into_iter().chain(wanted.iter().map(|&row| rows[row + 1])).collect();
    assert_eq!(out.lines().collect::<Vec<_>>(), expected);
    let out = folder.run("select plain.csv -n 6 --indices -").ok().out;
    assert_eq!(out.lines().map(|line| line.parse::<usize>().unwrap()).collect::<Vec<_>>(), wanted);
    assert!(folder.run("select plain.csv -k 6 --scores -").ok().out.starts_with("row,score,norm,residual\n"));
    let out = folder.run("select plain.csv -k 6 -o - --format-out jsonl").ok().out;
    assert!(out.starts_with("{\"x\":"), "{out}");
    folder.refuses("select plain.csv -k 6 -o - --indices -", &["was given to both -o and --indices"]);
    folder.refuses("select plain.csv -k 6 -o - --json", &["--json prints to stdout"]);
    // A table that is not printed to a terminal is whole.
    folder.write(
        "wide.csv",
        table(&(0..30).map(|at| format!("a_rather_long_name_{at}")).collect::<Vec<_>>().join(","), |at, [x, _, _]| {
            (0..30)
                .map(|column| format!("{}", x * f64::from(column + 1) + (at % 7) as f64))
                .collect::<Vec<_>>()
                .join(",")
        }),
    );
    let out = folder.run("select wide.csv -k 3").ok().out;
    assert!(out.contains("a_rather_long_name_29"), "{out}");
}

#[test]
fn columns_are_counted_as_in_the_file() {
    let (folder, _) = plain();
    folder.write("t.csv", table("name,n,x,y", |at, [x, y, _]| format!("N{at},{at},{x},{y}")));
    let found = folder.json("features t.csv -k 1");
    let (place, name) = (&found["indices"][0], &found["names"][0]);
    assert!((place == 2 && name == "x") || (place == 3 && name == "y"), "{found}");
    let out = folder.run("features t.csv -k 2 --indices -").ok().out;
    let mut places: Vec<&str> = out.lines().collect();
    places.sort_unstable();
    assert_eq!(places, ["2", "3"]);
}

/// Amounts as accounting programs of several countries write them; also in the encoding of old Windows programs.
#[test]
fn amounts_of_several_countries_are_numbers() {
    let (folder, wanted) = plain();
    let german = |value: f64| {
        let (whole, parts) = (value.abs().trunc(), (value.abs().fract() * 100.0).round());
        let sign = if value < 0.0 { "-" } else { "" };
        let groups = if whole >= 1000.0 {
            format!("{:.0}.{:03.0}", (whole / 1000.0).floor(), whole % 1000.0)
        } else {
            format!("{whole:.0}")
        };
        (format!("{groups},{parts:02.0}"), sign)
    };
    let before = |value: &f64| {
        let (text, sign) = german(*value);
        format!("{sign}{text} €")
    };
    let behind = |value: &f64| {
        let (text, sign) = german(*value);
        format!("{text}{sign}")
    };
    let amounts =
        |text: &dyn Fn(&f64) -> String| table("x;y;z", |_, [x, y, z]| format!("{};{};{}", text(x), text(y), text(z)));
    folder.write("euro.csv", amounts(&before));
    // In Windows-1252 the sign of the euro is the byte 0x80.
    let bytes: Vec<u8> = amounts(&before).chars().map(|c| if c == '€' { 0x80 } else { c as u8 }).collect();
    folder.write("windows.csv", bytes);
    folder.write("behind.csv", amounts(&behind));
    for name in ["euro.csv", "windows.csv", "behind.csv"] {
        let found = folder.json(&format!("select {name} -k 6"));
        assert_eq!(used(&found), ["x", "y", "z"], "{name}");
        assert_eq!(common::numbers(&found["indices"]), wanted, "{name}");
    }
}

#[test]
fn times_of_a_named_zone_are_printed_and_written_in_it() {
    let start = 1_616_842_800_000; // 2021-03-27 12:00 in Berlin; summer time begins a day later.
    let times = TimestampMillisecondArray::from_iter_values((0..ROWS).map(|row| start + row as i64 * 3_600_000));
    let times: ArrayRef = Arc::new(times.with_timezone("Europe/Berlin"));
    let numbers: ArrayRef = Arc::new(arrow_array::Float64Array::from_iter_values(noise(ROWS)));
    let batch = RecordBatch::try_from_iter([("t", times), ("x", numbers)]).unwrap();
    let folder = Folder::with("t.parquet", tables::parquet_bytes(&batch, Compression::SNAPPY, 1000));
    let picks = folder.indices("select t.parquet -k 4");
    let wanted = |row: usize| match row {
        0..=13 => format!("2021-03-{:02}T{:02}:00:00+01:00", 27 + (12 + row) / 24, (12 + row) % 24),
        // There is no hour from 2 to 3.
        _ => format!("2021-03-{:02}T{:02}:00:00+02:00", 27 + (13 + row) / 24, (13 + row) % 24),
    };
    let printed = folder.run("select t.parquet -k 4").ok().out;
    let csv = folder.run("select t.parquet -k 4 -o -").ok().out;
    for format in ["jsonl", "json"] {
        let out = folder.run(&format!("select t.parquet -k 4 -o - --format-out {format}")).ok().out;
        assert!(picks.iter().all(|&row| out.contains(&wanted(row))), "{format}: {out}");
    }
    for (at, &row) in picks.iter().enumerate() {
        assert!(printed.contains(&wanted(row)), "{row}: {printed}");
        assert!(csv.lines().nth(at + 1).unwrap().starts_with(&format!("{},", wanted(row))), "{row}: {csv}");
    }
    folder.run("select t.parquet -k 4 -o back.parquet").ok();
    let (found, _) = tables::read_parquet(&folder.path("back.parquet"));
    assert_eq!(found, tables::taken(&batch, &picks));
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_the_way_out() {
    let cell = |text: &str| format!("<row>{}</row>", tables::text_cell(text));
    let number = |value: f64| format!("<row>{}</row>", tables::number_cell(value));
    let data = [cell("x"), number(1.0), number(2.5), number(0.5)].concat();
    let folder = Folder::with(
        "t.xlsx",
        tables::workbook(&[("info", &[cell("note"), cell("read me")].concat()), ("data", &data)]),
    );
    folder.refuses(
        "select t.xlsx -k 1",
        &["note (identifier)", "sheet info of 2 was read (--sheet NAME reads another: data)"],
    );
    assert_eq!(folder.indices("select t.xlsx -k 1 --sheet data").len(), 1);
    folder.write("counted.csv", "3,2,good,bad\n1,2,0.5,7,0,3\n4,1,2.5,8,1,5\n");
    folder.refuses("select counted.csv -k 1", &["line 2 has 6 fields", "tail -n +2"]);
    folder.write("index.csv", table(",x,y,z", |at, [x, y, z]| format!("{at},{x},{y},{z}")));
    assert!(folder.run("select index.csv -k 2").ok().err.contains("left out: (no name) (counter)"));
}
