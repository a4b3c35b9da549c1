//! .npy in and out.

mod common;

use common::{Folder, noise, npy, npy_f64, numbers};

const ROWS: usize = 20;
const COLUMNS: usize = 3;

fn transposed(values: &[f64]) -> Vec<f64> {
    (0..values.len()).map(|at| values[at % ROWS * COLUMNS + at / ROWS]).collect()
}

fn bytes(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn csv_and_both_orders_of_npy_give_the_same_answer() {
    let values = noise(ROWS * COLUMNS);
    let folder = Folder::with("rows.npy", npy_f64(&values, ROWS));
    folder.write("columns.npy", npy("<f8", true, "(20, 3)", &bytes(&transposed(&values))));
    let lines: Vec<String> = values.chunks(COLUMNS).map(|v| format!("{:?},{:?},{:?}", v[0], v[1], v[2])).collect();
    folder.write("t.csv", format!("a,b,c\n{}\n", lines.join("\n")));
    for flags in ["", "--features", "--scale none", "--method ted", "--method rrss", "--method kmeans"] {
        let run = |name: &str| {
            let result = folder.json(&format!("select {name} -k 3 {flags}"));
            (result["indices"].clone(), result["scores"].clone(), result["objective"].clone())
        };
        assert_eq!(run("rows.npy"), run("t.csv"), "{flags}");
        let (by_row, by_column) = (run("rows.npy"), run("columns.npy"));
        assert_eq!(by_row.0, by_column.0, "{flags}");
        let close = |a: &serde_json::Value, b: &serde_json::Value| match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
            (a, b) => a == b,
        };
        let pairs = by_row.1.as_array().unwrap().iter().zip(by_column.1.as_array().unwrap());
        assert!(pairs.into_iter().all(|(a, b)| close(a, b)), "{flags}: {by_row:?} {by_column:?}");
        for name in ["columns.npy", "rows.npy"] {
            folder.run(&format!("select {name} -k 3 {flags} --force -o {name}.out.npy")).ok();
        }
        assert_eq!(folder.bytes("columns.npy.out.npy"), folder.bytes("rows.npy.out.npy"), "{flags}");
    }
}

#[test]
fn the_chosen_rows_come_back_in_their_own_type() {
    let values: Vec<i16> = (0..60).map(|v| (v * v % 41) - 20).collect();
    let as_bytes = |kind: &str| -> Vec<u8> {
        values
            .iter()
            .flat_map(|&v| match kind {
                "|i1" => (v as i8).to_le_bytes().to_vec(),
                "<i2" => v.to_le_bytes().to_vec(),
                "<i4" => i32::from(v).to_le_bytes().to_vec(),
                "<i8" => i64::from(v).to_le_bytes().to_vec(),
                "|u1" => (v.unsigned_abs() as u8).to_le_bytes().to_vec(),
                "<u2" => v.unsigned_abs().to_le_bytes().to_vec(),
                "|b1" => vec![u8::from(v > 0)],
                "<f4" => f32::from(v).to_le_bytes().to_vec(),
                _ => f64::from(v).to_le_bytes().to_vec(),
            })
            .collect()
    };
    for kind in ["|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "|b1", "<f4", "<f8"] {
        let data = as_bytes(kind);
        let folder = Folder::with("t.npy", npy(kind, false, "(20, 3)", &data));
        let indices = folder.indices("select t.npy -k 5 --force -o out.npy");
        let out = folder.bytes("out.npy");
        let header = String::from_utf8_lossy(&out[10..]).into_owned();
        assert!(header.starts_with(&format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (5, 3), }}")));
        let row = data.len() / ROWS;
        let wanted: Vec<u8> = indices.iter().flat_map(|&i| data[i * row..(i + 1) * row].to_vec()).collect();
        assert_eq!(out[out.len() - wanted.len()..], wanted, "{kind}");
        assert_eq!((out.len() - wanted.len()) % 64, 0);
        // What was written can be read.
        assert_eq!(folder.indices("select out.npy -k 5").len(), 5);
        assert_eq!(folder.json("select t.npy -k 1")["n_features"], 3);
    }
}

#[test]
fn features_and_csv_from_npy() {
    let values = noise(ROWS * COLUMNS);
    let folder = Folder::with("t.npy", npy_f64(&values, ROWS));
    let chosen = folder.indices("select t.npy -k 2 --features -o columns.npy");
    let wanted: Vec<f64> = values.chunks(COLUMNS).flat_map(|v| [v[chosen[0]], v[chosen[1]]]).collect();
    let out = folder.bytes("columns.npy");
    assert_eq!(out[out.len() - ROWS * 16..], bytes(&wanted));

    let rows = folder.indices("select t.npy -k 4 -o rows.csv");
    let text = folder.read("rows.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("f0,f1,f2"));
    for (line, row) in lines.zip(rows) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(cells, values[row * COLUMNS..(row + 1) * COLUMNS]);
    }
    folder.indices("select rows.csv -k 4");
}

#[test]
fn single_precision_chooses_like_double() {
    let values: Vec<f64> = noise(ROWS * COLUMNS).iter().map(|&v| f64::from(v as f32)).collect();
    let folder = Folder::with("double.npy", npy_f64(&values, ROWS));
    let single: Vec<u8> = values.iter().flat_map(|&v| (v as f32).to_le_bytes()).collect();
    folder.write("single.npy", npy("<f4", false, "(20, 3)", &single));
    let line = |name: &str| format!("select {name} -k 4 --scale none");
    assert_eq!(folder.indices(&line("single.npy")), folder.indices(&line("double.npy")));
    let tiny: Vec<u8> = values.iter().flat_map(|&v| (v as f32 * 1e-30).to_le_bytes()).collect();
    folder.write("tiny.npy", npy("<f4", false, "(20, 3)", &tiny));
    assert_eq!(folder.indices("select tiny.npy -k 20").len(), 20);
}

#[test]
fn the_table_shows_the_values_of_the_file() {
    let folder = Folder::with("t.npy", npy("<i4", false, "(2, 1)", &[7, 0, 0, 0, 9, 0, 0, 0]));
    let ran = folder.run("select t.npy -k 2").ok();
    assert!(ran.out.lines().next().unwrap().ends_with("f0"), "{}", ran.out);
    assert!(ran.out.contains(" 7") && ran.out.contains(" 9"), "{}", ran.out);
    assert_eq!(numbers(&folder.json("select t.npy -k 2")["indices"]).len(), 2);
}
