//! Sparse files and tables of distances on the command line.

mod common;
mod tables;

use std::sync::Arc;

use arrow_array::builder::{Float32Builder, Int32Builder, ListBuilder};
use arrow_array::{Array, ArrayRef, Int64Array, ListArray, RecordBatch, StringArray, StructArray};
use arrow_schema::Field;
use common::{Folder, noise, npy, npy_f64};
use parquet::basic::Compression;
use tables::{arrow_bytes, parquet_bytes, read_parquet};

const ROWS: usize = 60;
const COLUMNS: usize = 900;

/// Rows of few words, those of each of three topics from its own third.
fn entries() -> Vec<(usize, usize, f64)> {
    let dice = noise(ROWS * 40);
    let mut found = Vec::new();
    for row in 0..ROWS {
        let mut own: Vec<usize> =
            (0..20).map(|at| row % 3 * 300 + ((dice[row * 40 + at] + 0.5) * 299.0) as usize).collect();
        own.sort_unstable();
        own.dedup();
        found.extend(own.iter().enumerate().map(|(at, &column)| (row, column, 1.0 + dice[row * 40 + 20 + at].abs())));
    }
    found
}

fn mtx(rows: usize, columns: usize, entries: &[(usize, usize, f64)]) -> String {
    let lines: Vec<String> = entries.iter().map(|(r, c, value)| format!("{} {} {value:?}", r + 1, c + 1)).collect();
    let head = format!("%%MatrixMarket matrix coordinate real general\n% words\n{rows} {columns} {}", lines.len());
    format!("{head}\n{}\n", lines.join("\n"))
}

fn dense(entries: &[(usize, usize, f64)]) -> Vec<f64> {
    let mut values = vec![0.0; ROWS * COLUMNS];
    entries.iter().for_each(|&(row, column, value)| values[row * COLUMNS + column] = value);
    values
}

#[test]
fn a_sparse_file_is_chosen_from_as_the_dense_one() {
    let entries = entries();
    let folder = Folder::with("t.mtx", mtx(ROWS, COLUMNS, &entries));
    folder.write("t.npy", npy_f64(&dense(&entries), ROWS));
    let scale = "--scale none";
    for flags in [
        "--method exemplars",
        "--method facility --metric cosine",
        "--method exemplars --metric manhattan",
        "--method kmedoids",
        "--method ted",
    ] {
        let sparse = folder.json(&format!("select t.mtx -k 6 -q {scale} {flags}"));
        let plain = folder.json(&format!("select t.npy -k 6 -q {scale} {flags}"));
        assert_eq!(sparse["indices"], plain["indices"], "{flags}");
        assert_eq!((&sparse["n_samples"], &sparse["n_features"]), (&plain["n_samples"], &plain["n_features"]));
    }
    let within = folder.json("select t.mtx -k 6 -q --memory 40M --scale none");
    assert_eq!(within["indices"], folder.json("select t.mtx -k 6 -q --scale none")["indices"]);
    let ran = folder.run("select t.mtx -k 3 --indices -").ok();
    assert!(ran.err.contains("note: the columns of a sparse table are not scaled"), "{ran:?}");
}

#[test]
fn the_chosen_rows_come_back_sparse() {
    let entries = entries();
    let folder = Folder::with("t.mtx", mtx(ROWS, COLUMNS, &entries));
    let picks = folder.indices("select t.mtx -k 4 --metric cosine -o out.mtx --scores scores.csv");
    let own: Vec<(usize, usize, f64)> = picks
        .iter()
        .enumerate()
        .flat_map(|(at, &pick)| entries.iter().filter(move |e| e.0 == pick).map(move |e| (at, e.1, e.2)))
        .collect();
    let wanted = mtx(4, COLUMNS, &own).replace("% words\n", "");
    assert_eq!(folder.read("out.mtx"), wanted);
    assert_eq!(folder.read("scores.csv").lines().count(), ROWS + 1);
    folder.run("select out.mtx -k 2 -q --indices -").ok();
    folder.run("select t.mtx -k 3 -q --metric cosine --model m.arss --indices -").ok();
    let applied = folder.json("apply m.arss t.mtx -q");
    assert_eq!(applied["n_samples"], ROWS);
}

/// The places and the values of each row; a row without an entry is an empty list.
fn lists(entries: &[(usize, usize, f64)]) -> (ListArray, ListArray) {
    let mut places = ListBuilder::new(Int32Builder::new());
    let mut values = ListBuilder::new(Float32Builder::new());
    for row in 0..ROWS {
        for (_, column, value) in entries.iter().filter(|entry| entry.0 == row) {
            places.values().append_value(*column as i32);
            values.values().append_value(*value as f32);
        }
        places.append(true);
        values.append(true);
    }
    (places.finish(), values.finish())
}

/// What Spark writes: one column of four fields.
fn as_fields(entries: &[(usize, usize, f64)], size: i64) -> ArrayRef {
    let (places, values) = lists(entries);
    let field = |name: &str, array: &dyn Array| Arc::new(Field::new(name, array.data_type().clone(), true));
    let size: ArrayRef = Arc::new(Int64Array::from(vec![size; ROWS]));
    Arc::new(StructArray::from(vec![
        (field("size", &size), size),
        (field("indices", &places), Arc::new(places) as ArrayRef),
        (field("values", &values), Arc::new(values) as ArrayRef),
    ]))
}

#[test]
fn lists_of_places_and_values_are_sparse_rows() {
    let entries: Vec<_> =
        entries().into_iter().map(|(row, column, value)| (row, column, f64::from(value as f32))).collect();
    let folder = Folder::with("t.mtx", mtx(ROWS, COLUMNS, &entries));
    let (places, values) = lists(&entries);
    let names: ArrayRef = Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("text {row}"))));
    let topics: ArrayRef = Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("topic {}", row % 3))));
    let two: Vec<(&str, ArrayRef)> = vec![
        ("name", names.clone()),
        ("tfidf_indices", Arc::new(places)),
        ("topic", topics.clone()),
        ("tfidf_values", Arc::new(values)),
    ];
    let one: Vec<(&str, ArrayRef)> =
        vec![("features", as_fields(&entries, COLUMNS as i64)), ("name", names), ("topic", topics)];
    let (two, one) = (RecordBatch::try_from_iter(two).unwrap(), RecordBatch::try_from_iter(one).unwrap());
    folder.write("two.parquet", parquet_bytes(&two, Compression::SNAPPY, 25));
    folder.write("one.parquet", parquet_bytes(&one, Compression::SNAPPY, 25));
    folder.write("two.arrow", arrow_bytes(&[two.slice(0, 40), two.slice(40, 20)]));
    folder.write("one.arrow", arrow_bytes(std::slice::from_ref(&one)));
    for flags in ["--method exemplars", "--method facility --metric cosine", "--method ted"] {
        let wanted = folder.indices(&format!("select t.mtx -k 6 -q --scale none {flags}"));
        for name in ["two.parquet", "one.parquet", "two.arrow", "one.arrow"] {
            let found = folder.json(&format!("select {name} -k 6 -q --scale none --label topic {flags}"));
            assert_eq!(common::numbers(&found["indices"]), wanted, "{name} {flags}");
            let least = entries.iter().map(|entry| entry.1 + 1).max().unwrap();
            assert!([least, COLUMNS].contains(&(found["n_features"].as_u64().unwrap() as usize)), "{name}");
        }
    }
    let ran = folder.run("select two.parquet -k 3 --label topic -o out.parquet --model m.arss --report page.html").ok();
    assert!(ran.err.contains("most of them zero), not by name"), "{ran:?}");
    assert_eq!(read_parquet(&folder.path("out.parquet")).0.num_columns(), 4);
    assert_eq!(folder.json("apply m.arss two.parquet -q")["n_samples"], ROWS);
    // What was asked for goes first.
    assert_eq!(folder.json("select two.parquet -k 3 -q --columns topic")["n_features"], 3);
}

#[test]
fn lists_that_do_not_fit_are_named_by_row() {
    let entries = entries();
    let of = |places: ListArray, values: ListArray| {
        let columns: Vec<(&str, ArrayRef)> = vec![("indices", Arc::new(places)), ("values", Arc::new(values))];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        Folder::with("t.parquet", parquet_bytes(&batch, Compression::SNAPPY, 25))
    };
    let (places, _) = lists(&entries);
    let (_, fewer) =
        lists(&entries.iter().copied().filter(|entry| entry.0 != 33 || entry.1 % 2 == 0).collect::<Vec<_>>());
    of(places, fewer).refuses("select t.parquet -k 2", &["row 33 (from 0)", "column values", "places"]);
    let twice: Vec<_> = entries.iter().copied().chain([entries[0]]).collect();
    let (places, values) = lists(&twice);
    of(places, values).refuses("select t.parquet -k 2", &["row 0", "comes twice"]);
    let wild: Vec<_> = entries.iter().map(|&(r, c, v)| (r, if r == 7 { usize::MAX } else { c }, v)).collect();
    let (places, values) = lists(&wild);
    of(places, values).refuses("select t.parquet -k 2", &["row 7 (from 0)", "place -1"]);
    let endless: Vec<_> = entries.iter().map(|&(r, c, v)| (r, if r == 7 { c + 2_000_000_000 } else { c }, v)).collect();
    let (places, values) = lists(&endless);
    of(places, values).refuses("select t.parquet -k 2 --memory 1G", &["takes", "limit"]);
    let batch = RecordBatch::try_from_iter([("vector", as_fields(&entries, 500))]).unwrap();
    let small = Folder::with("t.parquet", parquet_bytes(&batch, Compression::SNAPPY, 25));
    small.refuses("select t.parquet -k 2", &["column vector has the place", "but the size 500"]);
}

#[test]
fn other_ways_to_write_the_same_matrix() {
    let folder = Folder::new();
    folder.write("sym.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 4\n1 1 5\n2 1 3\n3 2 8\n3 3 1\n");
    folder.write("full.csv", "a,b,c\n5,3,0\n3,0,8\n0,8,1\n");
    let run = |name: &str| folder.json(&format!("select {name} -k 2 -q --method ted --scale none"));
    assert_eq!(run("sym.mtx")["indices"], run("full.csv")["indices"]);
    folder.write("pattern.mtx", "%%MatrixMarket matrix coordinate pattern general\n4 3 3\n1 1\n2 2\n4 3\n");
    assert_eq!(folder.json("select pattern.mtx -k 2 -q --method ted --scale none")["n_samples"], 4);
}

#[test]
fn broken_sparse_files_are_one_line() {
    let head = "%%MatrixMarket matrix coordinate real general\n";
    let cases: [(&str, &[&str]); 12] = [
        ("3 3 2\n1 1 1\n1 1 2\n", &["row 0, column 0", "comes twice"]),
        ("3 3 2\n1 1 1\n4 1 2\n", &["line 4", "row 4, column 1", "3 x 3"]),
        ("3 3 2\n1 1 1\n0 1 2\n", &["line 4", "row 0"]),
        ("3 3 9\n1 1 1\n", &["cut off", "9 entries"]),
        ("3 3 99999999999\n1 1 1\n", &["cut off"]),
        ("3 3 1\n1 1 1\n2 2 2\n", &["line 4", "after the 1 entries"]),
        ("3 3 1\n1 1 nan\n", &["line 3", "not a finite number"]),
        ("3 3 1\n1 1\n", &["line 3", "does not hold an entry"]),
        ("3 3 1\n1 1 1 1\n", &["line 3", "more than an entry"]),
        ("999999999999 3 1\n1 1 1\n", &["takes", "limit"]),
        ("3 9999999999 1\n1 1 1\n", &["columns"]),
        ("0 3 0\n", &["empty matrix"]),
    ];
    for (body, words) in cases {
        let folder = Folder::with("t.mtx", format!("{head}{body}"));
        folder.refuses("select t.mtx -k 1 --memory 1G", words);
    }
    let banners = [
        ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", "array"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "complex"),
        ("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "hermitian"),
        ("%%MatrixMarket vector coordinate real\n1 1 1\n", "no Matrix Market file"),
    ];
    for (text, word) in banners {
        Folder::with("t.mtx", text).refuses("select t.mtx -k 1", &[word]);
    }
}

#[test]
fn distances_are_chosen_by_as_the_rows_that_they_are_of() {
    let values = noise(50 * 4);
    let rows: Vec<&[f64]> = values.chunks(4).collect();
    let straight = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt();
    let along = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum::<f64>();
    let matrix = |of: &dyn Fn(&[f64], &[f64]) -> f64| -> Vec<f64> {
        rows.iter().flat_map(|a| rows.iter().map(move |b| of(a, b))).collect()
    };
    let folder = Folder::with("t.npy", npy_f64(&values, 50));
    folder.write("straight.npy", npy_f64(&matrix(&straight), 50));
    folder.write("along.npy", npy_f64(&matrix(&along), 50));
    for method in ["facility", "kmedoids"] {
        for (metric, table) in [("euclidean", "straight.npy"), ("manhattan", "along.npy")] {
            let by_rows =
                folder.indices(&format!("select t.npy -k 5 -q --method {method} --scale none --metric {metric}"));
            let given = folder.indices(&format!("select {table} -k 5 -q --method {method} --metric precomputed"));
            assert_eq!(by_rows, given, "{method} {metric}");
        }
    }
    folder.run("select along.npy -k 5 -q --metric precomputed --model m.arss --indices -").ok();
    assert_eq!(folder.json("apply m.arss along.npy -q")["n_samples"], 50);
    folder.run("outliers along.npy -q --metric precomputed").ok();
    folder.run("plan along.npy -k 5 --metric precomputed").ok();
    folder.refuses("select t.npy -k 5 --metric precomputed", &["as many columns as rows", "50 x 4"]);
    folder.refuses("select along.npy -k 5 --metric precomputed --scale robust", &["--scale", "distances"]);
    folder.refuses("select t.npy -k 5 --metric manhattan --method kmeans", &["kmeans", "manhattan"]);
    folder.refuses("compare t.npy -k 5 --metric manhattan", &["compare judges"]);
}

#[test]
fn a_graph_of_neighbours_is_chosen_by() {
    let values = noise(80);
    let place = |row: usize| (row % 4) as f64 * 9.0 + values[row];
    let mut graph = Vec::new();
    for row in 0..80 {
        let mut order: Vec<usize> = (0..80).filter(|&other| other != row).collect();
        order.sort_by(|&a, &b| (place(row) - place(a)).abs().total_cmp(&(place(row) - place(b)).abs()));
        graph.extend(order[..7].iter().map(|&other| (row, other, (place(row) - place(other)).abs())));
    }
    let folder = Folder::with("g.mtx", mtx(80, 80, &graph));
    for method in ["exemplars", "facility", "kmedoids"] {
        let picks = folder.indices(&format!("select g.mtx -k 8 -q --metric precomputed --method {method}"));
        let groups: std::collections::BTreeSet<usize> = picks.iter().map(|pick| pick % 4).collect();
        assert_eq!(groups.len(), 4, "{method}: {picks:?}");
    }
}

/// 1.5 is 0x3e00 in 16 bits, 1 is 0x3c00, ...: exponents and a fraction from noise.
fn half_bits(count: usize) -> Vec<u16> {
    noise(count).iter().map(|x| ((x * 2048.0) as i32 as u16 & 0x83ff) | 0x3800).collect()
}

#[test]
fn half_precision_is_read_where_it_lies() {
    let bits = half_bits(300 * 40);
    let data: Vec<u8> = bits.iter().flat_map(|bits| bits.to_le_bytes()).collect();
    let folder = Folder::with("half.npy", npy("<f2", false, "(300, 40)", &data));
    let wide = |bits: u16| {
        let size = (1.0 + f32::from(bits & 0x3ff) / 1024.0) * 2f32.powi(i32::from((bits >> 10) & 0x1f) - 15);
        if bits >> 15 == 1 { -size } else { size }
    };
    let single: Vec<u8> = bits.iter().flat_map(|&bits| wide(bits).to_le_bytes()).collect();
    folder.write("single.npy", npy("<f4", false, "(300, 40)", &single));
    for flags in ["", "--scale none", "--metric cosine", "--metric manhattan --scale none"] {
        let of = |name: &str, more: &str| {
            let found = folder.json(&format!("select {name}.npy -k 9 -q {flags} {more}"));
            (found["indices"].clone(), found["scores"].clone())
        };
        let inside = of("half", "");
        assert_eq!(inside, of("single", ""), "{flags}");
        assert_eq!(inside, of("half", "--checkpoint one"), "{flags}");
        assert_eq!(inside, of("single", "--checkpoint two"), "{flags}");
    }
    assert!(!folder.names().contains(&"one".to_owned()));
    folder.run("select half.npy -k 2 -q -o out.npy").ok();
    assert_eq!(folder.bytes("out.npy").len() % 64, 32, "two rows of 40 values of 2 bytes");
}
