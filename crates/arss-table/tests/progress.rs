//! How far reading is, as it is told: from the start on, in one direction, over all files together.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arss_table::{ReadOptions, open_with_progress};
use parquet::arrow::ArrowWriter;

/// What is told while these files are read: shares of the whole, and then that the rest is not known.
fn shares(paths: &[PathBuf]) -> Vec<f64> {
    let mut told = Vec::new();
    open_with_progress(paths, &ReadOptions::default(), &mut |done, total| told.push((done, total))).unwrap();
    assert_eq!(told.pop(), Some((0, 0)));
    let shares: Vec<f64> = told.iter().map(|(done, total)| *done as f64 / *total as f64).collect();
    assert!(shares.is_sorted() && shares[0] < 0.05 && shares[shares.len() - 1] <= 1.0, "{shares:?}");
    shares
}

#[test]
fn wide_parquet_files_are_told_by_their_columns() {
    let column = |at: usize| -> (String, ArrayRef) {
        (format!("x{at}"), Arc::new(Float64Array::from(vec![at as f64, 0.5, 3.0, 7.0 - at as f64])))
    };
    let batch = RecordBatch::try_from_iter((0..2000).map(column)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.parquet");
    let mut writer = ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    // A thread takes a few columns at a time.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let shares = pool.install(|| shares(&[path]));
    assert!(shares.len() > 10, "{shares:?}");
    assert!(shares.windows(2).all(|pair| pair[1] - pair[0] < 0.2), "{shares:?}");
}

#[test]
fn several_files_are_one_way() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..8).map(|file| folder.path().join(format!("{file}.csv"))).collect();
    for (file, path) in paths.iter().enumerate() {
        let rows: String = (0..200).map(|row| format!("{},{}.5\n", (row * file) % 17, row * row % 23)).collect();
        std::fs::write(path, format!("x,y\n{rows}")).unwrap();
    }
    let shares = shares(&paths);
    assert!(shares.len() >= 8 && shares.iter().any(|share| (0.4..0.6).contains(share)), "{shares:?}");
}
