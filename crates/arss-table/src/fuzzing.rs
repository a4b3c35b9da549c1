//! What the fuzz targets call: one file of any bytes, read and written as a run would.

use std::fmt::Write;
use std::path::Path;

use arss::distributed::{RowAttributes, RowState, RowsOf, StepRequest, merge};
use arss::out_of_core::ReplayLog;
use arss::{Model, RunOptions, Samples};
use twox_hash::XxHash64;

use crate::checkpoint::{Checkpoint, Claim};
use crate::checksum::Sum;
use crate::scratch::ScratchFile;
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
    outcome_of_file(name, bytes);
}

/// As [`read_and_write`]; what came of it, in words: the errors, or the shape of the table.
pub fn outcome_of_file(name: &str, bytes: &[u8]) -> String {
    let mut outcome = String::new();
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
        let table = match table {
            Ok(table) => table,
            Err(error) => {
                outcome += &format!("{error}\n");
                continue;
            }
        };
        let _ = writeln!(outcome, "{} bytes, {} columns", table.matrix.element_bytes(), table.matrix.shape().1);
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
                let rows = table.write(&mut std::io::sink(), target, Picks::Rows(&picks), &extra);
                outcome += if rows.is_ok() { "written\n" } else { "not written\n" };
                let _ =
                    table.write(&mut std::io::sink(), target, Picks::Columns(&[columns - 1]), &ExtraColumns::default());
            }
        }
    }
    outcome
}

/// Decodes `bytes` as a message between machines and does what it asks; merges it with itself. What came of it.
pub fn outcome_of_message(bytes: &[u8]) -> String {
    let data: Vec<f64> = (0..40).map(|i| f64::from(i * i % 17) - 5.0).collect();
    let rows = RowsOf { data: &data, shape: (10, 4), strides: (4, 1) };
    let mut outcome = String::new();
    if let Ok(request) = StepRequest::decode(bytes) {
        let mut state = RowState { values: Vec::new(), numbers: Vec::new() };
        match request.apply(&rows, (0, RowAttributes::default()), &mut state) {
            Ok(result) => {
                assert!(merge(&result, &result).is_ok(), "a result of this program merges with itself");
                let _ = writeln!(outcome, "a result of 2^{} bytes", result.len().ilog2());
            }
            Err(error) => outcome += &format!("refused: {error}\n"),
        }
    }
    outcome + if merge(bytes, bytes).is_ok() { "merged" } else { "not merged" }
}

/// Resumes from a checkpoint: the manifest in front of the first zero byte of `bytes`, its sum mended, and the log behind
/// it. What came of it.
pub fn outcome_of_checkpoint(bytes: &[u8]) -> String {
    let (manifest, log) = match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[][..]),
    };
    let text = String::from_utf8_lossy(manifest);
    let body = text.strip_suffix('\n').and_then(|text| text.rsplit_once('\n')).map_or(&*text, |(body, _)| body);
    let body = format!("{body}\n");
    let whole = format!("{body}sum {:016x}\n", XxHash64::oneshot(0, body.as_bytes()));
    let identity: Vec<String> = body.lines().filter_map(|line| line.strip_prefix("is ")).map(str::to_owned).collect();
    let Ok(folder) = tempfile::tempdir() else { return String::new() };
    let place = folder.path().join("run");
    let Ok(claim) = Claim::on(&place) else { return String::new() };
    let written = std::fs::create_dir_all(&place)
        .and_then(|()| std::fs::write(place.join("checkpoint"), whole))
        .and_then(|()| std::fs::write(place.join("passes"), log))
        .and_then(|()| std::fs::write(place.join("numbers-3"), log));
    let scratch = (ScratchFile::<f64>::new(folder.path()), ScratchFile::<f64>::new(folder.path()));
    let ((Ok(values), Ok(numbers)), Ok(())) = (scratch, written) else { return String::new() };
    match Checkpoint::resume(&claim, &identity, 3, (&values, &numbers)) {
        Ok(Some(mut found)) => {
            let recalled = found.recalled();
            while let Ok(Some(_)) = found.recall(b"a request") {}
            format!("{} passes", recalled.min(9))
        }
        Ok(None) => "none".into(),
        Err(error) => error.to_string().replace(&place.display().to_string(), ""),
    }
}

/// Reads `bytes` as a model file whose checksum is right, and as the model in one, and applies what they hold to three
/// rows. Broken input is an error as always; anything else that goes wrong is a panic.
pub fn apply_model(bytes: &[u8]) {
    outcome_of_model(bytes);
}

/// As [`apply_model`]; what came of it.
pub fn outcome_of_model(bytes: &[u8]) -> String {
    let bare = Model::from_bytes(bytes);
    bare.iter().for_each(apply);
    let mut mended = bytes[..bytes.len().saturating_sub(8)].to_vec();
    mended.extend(Sum::of(&mended).value().to_le_bytes());
    let file = match ModelFile::from_bytes(&mended) {
        Ok(file) => file,
        Err(error) => return format!("{}, {error}", bare.is_ok()),
    };
    apply(&file.model);
    let mut written = Vec::new();
    assert!(file.write(&mut written).is_ok() && ModelFile::from_bytes(&written).is_ok());
    format!("a model of {} columns", file.model.features().min(9))
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
