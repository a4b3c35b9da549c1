//! What the fuzz targets call: one file of any bytes, read and written as a run would.

use std::path::Path;

use arss::{Model, RunOptions, Samples};

use crate::checksum::Sum;
use crate::{
    DenseMatrix, Encode, ExtraColumns, ExtraValues, Matrix, Missing, ModelFile, OutputFormat, Picks, ReadOptions,
    Table, TableError,
};

/// Bytes that may be held.
const MEMORY: u64 = 64 << 20;
/// The most columns of a model that is tried on rows.
const MODEL_COLUMNS: usize = 1 << 14;
/// Names that ask for every format.
const TARGETS: [&str; 7] = ["o.csv", "o.tsv.gz", "o.jsonl", "o.parquet", "o.arrow", "o.npy", "o.mtx"];

/// What is read to a scratch file is what is read to memory, bit by bit.
fn assert_same(values: &Matrix, from_disk: Result<Table, TableError>) {
    let from_disk = from_disk.and_then(|table| table.matrix.into_memory());
    let bits = |values: &Matrix| -> Vec<u64> {
        match values {
            Matrix::F32(matrix) => rows(matrix).map(|value| u64::from(value.to_bits())).collect(),
            Matrix::F64(matrix) => rows(matrix).map(f64::to_bits).collect(),
            Matrix::Sparse(matrix) => matrix.values().iter().map(|value| value.to_bits()).collect(),
            Matrix::Disk32(_) | Matrix::Disk64(_) => Vec::new(),
        }
    };
    let there = from_disk.as_ref().map(|there| (there.shape(), there.element_bytes(), bits(there)));
    assert_eq!(there.ok(), Some((values.shape(), values.element_bytes(), bits(values))));
}

fn rows<T: arss::Float>(matrix: &DenseMatrix<T>) -> impl Iterator<Item = T> + '_ {
    (0..matrix.rows).flat_map(move |row| (0..matrix.columns).map(move |column| matrix.get(row, column)))
}

/// Reads `bytes` as the file `name` and writes its first and last row in every format. Broken input is an error as
/// always; anything else that goes wrong is a panic.
pub fn read_and_write(name: &str, bytes: &[u8]) {
    let folder = std::env::temp_dir();
    for (encode, missing) in
        [(Encode::Auto, Missing::Auto), (Encode::None, Missing::Drop), (Encode::Ordinal, Missing::Median)]
    {
        let asked = encode != Encode::None;
        let mut options = ReadOptions {
            encode,
            missing,
            booleans: asked,
            dates: asked,
            memory: Some(MEMORY),
            ..ReadOptions::default()
        };
        let table = crate::read_bytes(bytes, name, &options);

        options.scratch = Some(folder.clone());
        let from_disk = crate::read_bytes(bytes, name, &options);
        let Ok(table) = table else { continue };
        assert_same(&table.matrix, from_disk);
        let (rows, columns) = table.matrix.shape();
        let picks = [rows - 1, 0];
        assert_eq!(table.cells(0).len(), table.headings().len());
        let extra = ExtraColumns {
            columns: vec![("rank", ExtraValues::Int(vec![1, 2])), ("score", ExtraValues::Float(vec![0.5, 2.0]))],
        };
        for target in TARGETS {
            let path = Path::new(target);
            let Ok(target) = OutputFormat::of(path) else { panic!("{target} is not known") };
            if table.check_target(path, target).is_ok() {
                // Some types have no words in some formats: such a file cannot be written, which is no panic.
                let _ = table.write(&mut std::io::sink(), target, Picks::Rows(&picks), &extra);
                let _ =
                    table.write(&mut std::io::sink(), target, Picks::Columns(&[columns - 1]), &ExtraColumns::default());
            }
        }
    }
}

/// Reads `bytes` as a model file whose checksum is right, and as the model in one, and applies what they hold to three
/// rows. Broken input is an error as always; anything else that goes wrong is a panic.
pub fn apply_model(bytes: &[u8]) {
    if let Ok(model) = Model::from_bytes(bytes) {
        apply(&model);
    }
    let mut mended = bytes[..bytes.len().saturating_sub(8)].to_vec();
    mended.extend(Sum::of(&mended).value().to_le_bytes());
    let Ok(file) = ModelFile::from_bytes(&mended) else { return };
    apply(&file.model);
    let mut written = Vec::new();
    assert!(file.write(&mut written).is_ok() && ModelFile::from_bytes(&written).is_ok());
}

fn apply(model: &Model) {
    let features = model.features();
    if features == 0 || features > MODEL_COLUMNS {
        return;
    }
    let rows: Vec<f64> = (0..3 * features).map(|at| (at * at % 17) as f64 - 5.5).collect();
    if let Ok(samples) = Samples::new(&rows, 3, features)
        && let Ok(applied) = model.apply(&samples, &mut RunOptions::default())
    {
        assert!(applied.labels.iter().all(|&label| label < model.indices().len()));
    }
}
