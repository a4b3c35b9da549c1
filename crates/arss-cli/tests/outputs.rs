//! Chosen rows in files: as they stood, or turned into another format; more columns; the order.

mod common;
mod tables;

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Int64Array,
    LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray, StructArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field};
use common::{Folder, noise, npy, npy_f64};
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use tables::{
    ROWS, arrow_bytes, batch, gz, lines, parquet_bytes, read_arrow, read_parquet, stream_bytes, taken, text,
    with_metadata, zst,
};

#[test]
fn csv_rows_are_the_bytes_that_were_there() {
    let plain = "id,x,y,n,remark";
    let row_of = |id: usize, text: &str, ending: &str, next: Option<usize>| {
        let start = text.find(&format!("r{id}")).unwrap();
        let end = next.map_or(text.len(), |next| text.find(&format!("r{next}")).unwrap());
        text[start..end].trim_end_matches(ending).to_owned()
    };
    for (name, mark, ending, bom) in [
        ("lf", ',', "\n", ""),
        ("crlf", ',', "\r\n", ""),
        ("semicolon", ';', "\r\n", ""),
        ("bom", ',', "\n", "\u{feff}"),
    ] {
        let content = format!("{bom}{}", text(mark, ending));
        let folder = Folder::with("t.csv", &content);
        let picks = folder.indices("select t.csv -k 6 --force -o out.csv --columns x,y,n");
        let header = plain.replace(',', &mark.to_string());
        let rows = picks.iter().map(|&row| row_of(row, &content, ending, (row + 1 < ROWS).then_some(row + 1)));
        let wanted: Vec<String> = std::iter::once(format!("{bom}{header}")).chain(rows).collect();
        assert_eq!(folder.read("out.csv"), wanted.join(ending) + ending, "{name}");
        // Packed, it is the same.
        folder.run("select t.csv -k 6 --force -o out.csv.gz --columns x,y,n").ok();
        folder.run("select t.csv -k 6 --force -o out.csv.zst --columns x,y,n").ok();
        assert_eq!(folder.bytes("out.csv.gz"), gz(folder.bytes("out.csv")), "{name}");
        assert_eq!(zstd::stream::decode_all(&folder.bytes("out.csv.zst")[..]).unwrap(), folder.bytes("out.csv"));
    }
}

#[test]
fn odd_csv_files_keep_their_ways() {
    // No header, odd spacing, useless zeros, quotes that are not needed, no line break at the end.
    let folder = Folder::with("t.csv", " 1.50,\"2\",+3\n4,5.,06\n\n-7e0, 8 ,9");
    for (row, wanted) in [" 1.50,\"2\",+3\n", "4,5.,06\n", "-7e0, 8 ,9\n"].iter().enumerate() {
        folder.run(&format!("select t.csv -k 1 --include {row} --force -o out.csv")).ok();
        assert_eq!(folder.read("out.csv"), *wanted);
    }
    // A lone carriage return ends lines, too; bytes that are no UTF-8 stay what they are.
    folder.write("mac.csv", b"a,b\xff\r1,\"x\xfe\ry\"\r2,z\r");
    folder.run("select mac.csv -k 1 --include 0 --force -o out.csv").ok();
    assert_eq!(folder.bytes("out.csv"), b"a,b\xff\r1,\"x\xfe\ry\"\r");
    // A carriage return before a line is no part of the file's format, but of the row.
    folder.write("stray.csv", "a,b\n\r1,22\n3,44\n");
    folder.run("select stray.csv -k 1 --include 0 --force -o out.csv").ok();
    assert_eq!(folder.read("out.csv"), "a,b\n1,22\n");
    // What a spreadsheet could take for a formula is left as it was.
    folder.write("formula.csv", "a,b\n1,=1+1\n2,\"@x\"\n");
    folder.run("select formula.csv -k 1 --include 0 --force -o out.csv").ok();
    assert_eq!(folder.read("out.csv"), "a,b\n1,=1+1\n");
}

#[test]
fn json_lines_are_the_bytes_that_were_there() {
    let lines = [
        "{\"x\": 1.50, \"s\": \"\\u00e9\", \"z\": [1, {\"a\": null}]}",
        "  {\"x\":2,\"x\":3}  ",
        "{ \"y\":7 , \"x\":-4e1 }",
        "{ \"x\" : 8, \"rank\": {}, \"score\": {\"of\": 1} }",
    ];
    let folder = Folder::with("t.jsonl", lines.join("\r\n") + "\n\n   \n{}");
    folder.run("select t.jsonl -k 4 --columns x --missing drop --order file --force -o out.jsonl").ok();
    assert_eq!(folder.read("out.jsonl"), lines.join("\n") + "\n");
    folder.run("select t.jsonl -k 4 --columns x --missing drop --order file --force -o out.jsonl --add-scores").ok();
    let text = folder.read("out.jsonl");
    for (line, was) in text.lines().zip(lines) {
        let start = was.trim_end().strip_suffix('}').unwrap();
        assert!(line.starts_with(start), "{line}");
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(
            object["arss_rank"].is_u64() && object["arss_score"].is_number() && object["stands_for"].is_u64(),
            "{line}"
        );
    }
    // An object without any key is a row without any value: there is nothing to choose it by.
    folder.write("one.jsonl", "{\"x\":1}\n{\"x\":2}\n{ }\n");
    folder.run("select one.jsonl -k 2 --missing mean --order file --force -o out.jsonl").ok();
    assert_eq!(folder.read("out.jsonl"), "{\"x\":1}\n{\"x\":2}\n");
}

/// Columns of many types, with metadata.
fn rich() -> RecordBatch {
    let rows = 0..ROWS;
    let values = noise(ROWS);
    let mut lists = ListBuilder::new(StringBuilder::new());
    for row in rows.clone() {
        (0..row % 3).for_each(|at| lists.values().append_value(format!("{row}.{at}")));
        lists.append(row % 5 != 0);
    }
    let whole: ArrayRef = Arc::new(rows.clone().map(|row| Some((1i64 << 60) + row as i64)).collect::<Int64Array>());
    let single: ArrayRef = Arc::new(values.iter().map(|value| Some(*value as f32)).collect::<Float32Array>());
    let texts = rows.clone().map(|row| (row % 4 != 0).then(|| format!("t{row}")));
    let words: DictionaryArray<Int32Type> =
        rows.clone().map(|row| (row % 7 != 0).then_some(["a", "b"][row % 2])).collect();
    let inner = (Arc::new(Field::new("whole", DataType::Int64, true)), whole.clone());
    let decimal = Decimal128Array::from_iter_values(rows.clone().map(|row| row as i128 * 101));
    let times = TimestampMicrosecondArray::from_iter_values(rows.clone().map(|row| row as i64 * 86_400_000_000));
    let columns: [(&str, ArrayRef); 12] = [
        ("whole", whole),
        ("single", single),
        ("text", Arc::new(texts.clone().collect::<StringArray>())),
        ("large", Arc::new(texts.clone().collect::<LargeStringArray>())),
        ("view", Arc::new(texts.collect::<StringViewArray>())),
        ("word", Arc::new(words)),
        ("truth", Arc::new(rows.clone().map(|row| Some(row % 2 == 0)).collect::<BooleanArray>())),
        ("date", Arc::new(Date32Array::from_iter_values(rows.map(|row| row as i32 * 30)))),
        ("time", Arc::new(times.with_timezone("+02:00"))),
        ("decimal", Arc::new(decimal.with_precision_and_scale(9, 2).unwrap())),
        ("list", Arc::new(lists.finish())),
        ("struct", Arc::new(StructArray::from(vec![inner]))),
    ];
    with_metadata(
        &RecordBatch::try_from_iter_with_nullable(columns.map(|(n, a)| (n, a, true))).unwrap(),
        &[("who", "me")],
    )
}

#[test]
fn parquet_keeps_everything() {
    let packings = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
        Compression::BROTLI(BrotliLevel::default()),
    ];
    let rich = rich();
    for packing in packings {
        let folder = Folder::with("t.parquet", parquet_bytes(&rich, packing, 7));
        let picks = folder.indices("select t.parquet -k 6 --force -o out.parquet --columns single,decimal");
        let (found, _) = read_parquet(&folder.path("out.parquet"));
        assert_eq!(found, taken(&rich, &picks), "{packing}");
        assert_eq!(found.schema().metadata()["who"], "me", "{packing}");
        let ran = folder.run("select t.parquet -k 2").ok();
        for word in ["text (identifier), large (identifier), view (identifier)", "flags: truth", "dates: date, time"] {
            assert!(ran.err.contains(word), "{packing}: {}", ran.err);
        }
    }
}

#[test]
fn arrow_keeps_everything() {
    let rich = rich();
    let empty: ArrayRef = Arc::new(NullArray::new(ROWS));
    let mut columns: Vec<(String, ArrayRef)> =
        rich.schema().fields().iter().map(|f| f.name().clone()).zip(rich.columns().iter().cloned()).collect();
    columns.push(("empty".to_owned(), empty));
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let rich = with_metadata(&RecordBatch::try_from_iter_with_nullable(columns).unwrap(), &[("who", "me")]);
    for bytes in [arrow_bytes(std::slice::from_ref(&rich)), stream_bytes(std::slice::from_ref(&rich))] {
        let folder = Folder::with("t.arrow", bytes);
        let picks = folder.indices("select t.arrow -k 6 --force -o out.feather --columns single,decimal");
        let found = read_arrow(&folder.path("out.feather"));
        assert_eq!(found, taken(&rich, &picks));
        assert_eq!(found.schema().metadata()["who"], "me");
        // And into Parquet and back.
        folder.run("select t.arrow -k 6 --force -o out.parquet --columns single,decimal").ok();
        assert_eq!(read_parquet(&folder.path("out.parquet")).0.column(10), taken(&rich, &picks).column(10));
    }
}

#[test]
fn formats_are_turned_into_each_other() {
    let folder = Folder::new();
    folder.write("t.csv", text(',', "\n"));
    folder.write("t.jsonl", lines());
    folder.write("t.parquet", parquet_bytes(&batch(), Compression::SNAPPY, 9));
    folder.write("t.arrow", arrow_bytes(&[batch()]));
    let wanted = taken(&batch(), &folder.indices("select t.csv -k 5 --columns x,y,n"));
    for from in ["csv", "jsonl", "parquet", "arrow"] {
        for to in ["parquet", "arrow", "csv", "tsv", "jsonl"] {
            folder.run(&format!("select t.{from} -k 5 --columns x,y,n --force -o {from}.{to}")).ok();
            // Read again, it is the same five rows.
            folder.run(&format!("select {from}.{to} -k 5 --columns x,y,n --order file --force -o back.parquet")).ok();
            let (found, _) = read_parquet(&folder.path("back.parquet"));
            for column in ["x", "y", "n", "id", "remark"] {
                let number = |batch: &RecordBatch| {
                    arrow_cast::cast(batch.column_by_name(column).unwrap(), &DataType::Utf8).unwrap()
                };
                let same = |batch: &RecordBatch| match batch.column_by_name(column).unwrap().data_type() {
                    DataType::Utf8 => number(batch),
                    _ => arrow_cast::cast(batch.column_by_name(column).unwrap(), &DataType::Float64).unwrap(),
                };
                assert_eq!(&same(&found), &same(&wanted), "{from} to {to}: {column}");
            }
        }
    }
}

#[test]
fn text_that_becomes_other_text_keeps_its_words() {
    let folder = Folder::with("t.tsv", "a\tb\tc\n1.50\t\"x, y\"\t1e2\n007\tz\t3\n");
    folder.run("select t.tsv -k 2 --order file --force -o out.csv").ok();
    assert_eq!(folder.read("out.csv"), "a,b,c\n1.50,\"x, y\",1e2\n007,z,3\n");
    folder.run("select t.tsv -k 2 --order file --force -o again.tsv").ok();
    assert_eq!(folder.bytes("again.tsv"), folder.bytes("t.tsv"));
    // Files that end their lines differently are written as the first one is.
    folder.write("a.csv", "x,y\r\n1.50,2\r\n");
    folder.write("b.csv", "x,y\n3.0,\"4\"\n");
    folder.run("select a.csv b.csv -k 2 --order file --force -o out.csv").ok();
    assert_eq!(folder.read("out.csv"), "x,y\r\n1.50,2\r\n3.0,4\r\n");
}

#[test]
fn large_whole_numbers_keep_their_digits() {
    let (large, huge) = (1i64 << 60, u64::MAX - 5001);
    let folder = Folder::with("t.csv", format!("x,large,huge\n1,{},{}\n2,{},5\n", large + 1, huge, large + 3));
    folder.run("select t.csv -k 2 --order file --force -o out.parquet").ok();
    let (found, _) = read_parquet(&folder.path("out.parquet"));
    assert_eq!(found.column(1).as_ref(), &Int64Array::from(vec![large + 1, large + 3]));
    assert_eq!(found.column(2).as_ref(), &arrow_array::UInt64Array::from(vec![huge, 5]));
    let bytes: Vec<u8> = [large + 1, 2, large + 3, 9].iter().flat_map(|value: &i64| value.to_le_bytes()).collect();
    folder.write("t.npy", npy("<i8", false, "(2, 2)", &bytes));
    for flags in ["", "--columns f1"] {
        folder.run(&format!("select t.npy -k 2 --order file --force -o out.arrow {flags}")).ok();
        let found = read_arrow(&folder.path("out.arrow"));
        assert_eq!(found.column(0).as_ref(), &Int64Array::from(vec![large + 1, large + 3]), "{flags}");
    }
    folder.run("select t.npy -k 2 --order file --force -o out.jsonl").ok();
    assert!(folder.read("out.jsonl").starts_with(&format!("{{\"f0\":{},", large + 1)), "{}", folder.read("out.jsonl"));
    // A column that is a label is read as text, but is one of numbers all the same.
    folder.write("l.csv", "x,kind\n1,0\n2,1\n4,0\n");
    folder.run("select l.csv -k 3 --label kind --order file --force -o out.parquet").ok();
    assert_eq!(read_parquet(&folder.path("out.parquet")).0.column(1).as_ref(), &Int64Array::from(vec![0, 1, 0]));
}

#[test]
fn arrays_stay_arrays() {
    let folder = Folder::new();
    let singles: Vec<u8> = (0..6).flat_map(|value: u8| (f32::from(value) * 0.1).to_le_bytes()).collect();
    folder.write("t.npy", npy("<f4", false, "(3, 2)", &singles));
    folder.write("d.npy", npy_f64(&[0.5, 9.0], 1));
    folder.run("select t.npy -k 3 --order file --force -o out.npy").ok();
    assert!(folder.bytes("out.npy").ends_with(&singles));
    folder.run("select t.npy -k 3 --order file --force -o out.parquet").ok();
    assert_eq!(read_parquet(&folder.path("out.parquet")).0.schema().field(0).data_type(), &DataType::Float32);
    // Arrays of several precisions make one of double precision.
    for out in ["out.npy", "out.parquet", "out.csv"] {
        folder.run(&format!("select t.npy d.npy -k 4 --order file --force -o {out}")).ok();
    }
    let (found, _) = read_parquet(&folder.path("out.parquet"));
    assert_eq!((found.num_rows(), found.schema().field(0).data_type()), (4, &DataType::Float64));
    assert!(folder.read("out.csv").ends_with("0.4,0.5\n0.5,9.0\n"), "{}", folder.read("out.csv"));
    folder.run("select t.npy -k 2 --add-scores --force -o out.npy").ok();
    assert_eq!(folder.json("select out.npy -k 1")["n_features"], 5);
}

#[test]
fn ranks_and_scores_are_added() {
    let folder = Folder::new();
    folder.write("t.csv", text(',', "\n"));
    folder.write("t.parquet", parquet_bytes(&batch(), Compression::SNAPPY, 9));
    let result = folder
        .json("select t.csv -k 4 --columns x,y,n --assignments a.csv --add-scores --force -o out.csv --order file");
    let picks = common::numbers(&result["indices"]);
    let stands_for = |rank: usize| {
        let text = folder.read("a.csv");
        text.lines().skip(1).filter(|line| line.split(',').nth(2) == Some(&rank.to_string())).count()
    };
    let text = folder.read("out.csv");
    assert!(text.starts_with("id,x,y,n,remark,rank,score,stands_for\n"), "{text}");
    let mut sorted = picks.clone();
    sorted.sort_unstable();
    for row in &sorted {
        let rank = picks.iter().position(|pick| pick == row).unwrap();
        let score = result["scores"][rank].as_f64().unwrap();
        let end = format!(",{},{score:?},{}\n", rank + 1, stands_for(rank + 1));
        let start = text.find(&format!("r{row},")).unwrap();
        let line =
            &text[start..start + text[start..].find(&end).unwrap_or_else(|| panic!("no {end} in {text}")) + end.len()];
        assert!(line.matches("\nr").count() == 0, "{line}");
    }
    let places: Vec<usize> = sorted.iter().map(|row| text.find(&format!("r{row},")).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    // Names that are taken get another one, however often.
    for _ in 0..3 {
        folder.run("select t.parquet -k 9 --columns x,y,n --add-scores --force -o next.parquet").ok();
        std::fs::rename(folder.path("next.parquet"), folder.path("t.parquet")).unwrap();
    }
    let (found, _) = read_parquet(&folder.path("t.parquet"));
    let names: Vec<String> = found.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(
        names[5..],
        [
            "rank",
            "score",
            "stands_for",
            "arss_rank",
            "arss_score",
            "arss_stands_for",
            "arss_arss_rank",
            "arss_arss_score",
            "arss_arss_stands_for"
        ]
    );
    assert_eq!(found.column(5).len(), 9);
    folder.refuses("select t.csv -k 1 --add-scores", &["--output"]);
}

#[test]
fn what_cannot_be_written_is_refused_at_once() {
    let folder = Folder::with("rich.parquet", parquet_bytes(&rich(), Compression::SNAPPY, 100));
    folder.write("t.csv", "x,s\n1,a\n2,b\n");
    let refuses = |line: &str, words: &[&str]| folder.refuses(&format!("select {line}"), words);
    refuses("rich.parquet -k 1 --force -o out.csv", &["out.csv: column list holds lists or structures", ".parquet"]);
    refuses("rich.parquet -k 1 --force -o out.npy", &["out.npy: column text holds text"]);
    refuses("t.csv -k 1 --force -o out.npy", &["out.npy: column s holds text"]);
    refuses("t.csv -k 1 --force -o out.npz", &["out.npz", "name it .npy"]);
    refuses("t.* -k 1 --force -o t.csv", &["t.csv", "is an input"]);
    refuses("t.csv -k 1 --order random", &["random", "rank, file"]);
    folder.run("select rich.parquet -k 2 --force -o out.jsonl").ok();
    assert_eq!(folder.read("out.jsonl").lines().count(), 2);
    assert_eq!(folder.names(), ["out.jsonl", "rich.parquet", "t.csv"]);
    folder.write("zst.csv.zst", zst("x,y\n1,2\n3,4\n"));
    assert_eq!(folder.indices("select zst.csv.zst -k 2").len(), 2);
}

#[test]
fn cells_that_look_like_formulas_are_marked_if_asked() {
    let text = "name,@value,x,y\n=1+1,a,-1.5,1\n\"+cmd|' /C calc'!A0\",b,+2,2\n-2+3,\"=a,\"\"b\"\"\",-3e4,3\nplain,@SUM(A1),4,4\n";
    let folder = Folder::with("t.csv", text);
    let line = "select t.csv -k 4 -q --order file --columns x,y --force";
    folder.run(&format!("{line} -o out.csv")).ok();
    assert_eq!(folder.read("out.csv"), text, "as they came, unless asked");
    folder.run(&format!("{line} -o out.csv --safe-csv")).ok();
    let safe = "name,'@value,x,y\n'=1+1,a,-1.5,1\n'+cmd|' /C calc'!A0,b,+2,2\n'-2+3,\"'=a,\"\"b\"\"\",-3e4,3\nplain,'@SUM(A1),4,4\n";
    assert_eq!(folder.read("out.csv"), safe);
    folder.run(&format!("{line} -o out.tsv --safe-csv")).ok();
    assert!(
        folder.read("out.tsv").starts_with("name\t'@value\tx\ty\n'=1+1\ta\t-1.5\t1\n"),
        "{}",
        folder.read("out.tsv")
    );
    // Other separators stay what they are, and files with types are no different.
    folder.write("semi.csv", text.replace(',', ";"));
    folder.run("select semi.csv -k 4 -q --order file --columns x,y --force -o out.csv --safe-csv").ok();
    assert!(folder.read("out.csv").contains("\n'=1+1;a;-1.5;1\n"), "{}", folder.read("out.csv"));
    folder.run(&format!("{line} -o t.parquet")).ok();
    folder.run("select t.parquet -k 4 -q --order file --columns x,y --force -o out.csv --safe-csv").ok();
    assert!(folder.read("out.csv").starts_with("name,'@value,x,y\n'=1+1,a,-1.5,1\n"), "{}", folder.read("out.csv"));
    folder.run("outliers t.csv --columns x,y -q --threshold 0 --order file --force -o out.csv --safe-csv").ok();
    assert!(folder.read("out.csv").contains("'=1+1,a") || folder.read("out.csv").lines().count() < 5);
    folder.write("columns.csv", "=a,+b,c\n1,2,3\n2,1,5\n4,4,1\n");
    folder.run("features columns.csv -k 2 -q -o out.csv --scores scores.csv --safe-csv --force").ok();
    assert!(folder.read("scores.csv").contains(",'=a,") && folder.read("scores.csv").contains(",c,"));
    assert!(!folder.read("out.csv").lines().next().unwrap().split(',').any(|name| name.starts_with(['=', '+'])));
    folder.refuses(
        "select t.csv -k 2 --columns x,y -o out.parquet --safe-csv",
        &["--safe-csv is about .csv and .tsv files"],
    );
    folder.refuses("select t.csv -k 2 --safe-csv", &["--output"]);
}
