//! One table of forty rows in every format, and files of Arrow and Parquet.
#![allow(dead_code)] // Each test file uses its own part.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::common::{Folder, noise, npy_f64};

/// Rows of the table.
pub const ROWS: usize = 40;

/// The columns x, y (halves, quarters and so on: the same in every format) and n.
pub fn numbers() -> Vec<[f64; 3]> {
    let round = |value: f64| (value * 4096.0).round() / 64.0;
    let all = noise(ROWS * 3);
    all.chunks(3).map(|row| [round(row[0]), round(row[1]) * 3.0, (row[2] * 50.0).round()]).collect()
}

/// A remark with commas, quotes and a line break in some rows.
pub fn remark(row: usize) -> String {
    match row % 3 {
        0 => format!("row {row}, \"quoted\""),
        1 => format!("two\nlines {row}"),
        _ => format!("é{row}"),
    }
}

/// As text with this separator and line break.
pub fn text(mark: char, ending: &str) -> String {
    let mut text = format!("id{mark}x{mark}y{mark}n{mark}remark{ending}");
    for (row, [x, y, n]) in numbers().into_iter().enumerate() {
        let remark = remark(row).replace('"', "\"\"");
        text += &format!("r{row}{mark}{x}{mark}{y}{mark}{n}{mark}\"{remark}\"{ending}");
    }
    text
}

/// As JSON lines.
pub fn lines() -> String {
    let line = |(row, [x, y, n]): (usize, [f64; 3])| {
        let remark = serde_json::Value::from(remark(row));
        format!("{{\"id\":\"r{row}\",\"x\":{x},\"y\":{y},\"n\":{n},\"remark\":{remark}}}\n")
    };
    numbers().into_iter().enumerate().map(line).collect()
}

/// As a batch.
pub fn batch() -> RecordBatch {
    let column =
        |at: usize| -> ArrayRef { Arc::new(numbers().iter().map(|row| Some(row[at])).collect::<Float64Array>()) };
    let whole: ArrayRef = Arc::new(numbers().iter().map(|row| Some(row[2] as i64)).collect::<Int64Array>());
    let texts =
        |of: fn(usize) -> String| -> ArrayRef { Arc::new((0..ROWS).map(|row| Some(of(row))).collect::<StringArray>()) };
    let columns = [
        ("id", texts(|row| format!("r{row}"))),
        ("x", column(0)),
        ("y", column(1)),
        ("n", whole),
        ("remark", texts(remark)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// x, y and n as an array.
pub fn npy() -> Vec<u8> {
    npy_f64(&numbers().concat(), ROWS)
}

/// An archive of arrays.
pub fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        archive.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// An archive of files.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A workbook of one sheet called data; the cells are given as XML without their places, which start in row 1.
pub fn sheet_of(rows: &[Vec<String>]) -> Vec<u8> {
    let rows: String = rows.iter().map(|cells| format!("<row>{}</row>", cells.concat())).collect();
    workbook(&[("data", &rows)])
}

/// A workbook of these sheets; style 1 is that of a date.
pub fn workbook(sheets: &[(&str, &str)]) -> Vec<u8> {
    const MAIN: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    const PACKAGE: &str = "xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"";
    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let relation = |id: &str, kind: &str, to: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{to}\"/>")
    };
    let relations = |all: &str| format!("<Relationships {PACKAGE}>{all}</Relationships>");
    let (mut names, mut places, mut files) = (String::new(), relation("s", "styles", "styles.xml"), Vec::new());
    for (at, (name, rows)) in sheets.iter().enumerate() {
        names += &format!("<sheet name=\"{name}\" sheetId=\"{}\" r:id=\"r{at}\"/>", at + 1);
        places += &relation(&format!("r{at}"), "worksheet", &format!("worksheets/sheet{at}.xml"));
        let sheet = format!("<worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>");
        files.push((format!("xl/worksheets/sheet{at}.xml"), sheet));
    }
    let styles = "<cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\" applyNumberFormat=\"1\"/></cellXfs>";
    let book = format!("<workbook {MAIN} xmlns:r=\"{OFFICE}\"><sheets>{names}</sheets></workbook>");
    files.push(("_rels/.rels".to_owned(), relations(&relation("b", "officeDocument", "xl/workbook.xml"))));
    files.push(("xl/workbook.xml".to_owned(), book));
    files.push(("xl/_rels/workbook.xml.rels".to_owned(), relations(&places)));
    files.push(("xl/styles.xml".to_owned(), format!("<styleSheet {MAIN}>{styles}</styleSheet>")));
    files.insert(0, ("[Content_Types].xml".to_owned(), "<Types/>".to_owned()));
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    archive(&files)
}

/// A cell of text.
pub fn text_cell(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>")
}

/// A cell that holds a number.
pub fn number_cell(value: f64) -> String {
    format!("<c><v>{value}</v></c>")
}

/// The table as cells.
fn sheet_rows() -> Vec<Vec<String>> {
    let names = ["id", "x", "y", "n", "remark"].map(text_cell).to_vec();
    let row = |(row, values): (usize, [f64; 3])| {
        let numbers = values.map(number_cell);
        [vec![text_cell(&format!("r{row}"))], numbers.to_vec(), vec![text_cell(&remark(row))]].concat()
    };
    std::iter::once(names).chain(numbers().into_iter().enumerate().map(row)).collect()
}

/// The table as one JSON array, over several lines.
pub fn json_array() -> String {
    let records: Vec<String> = lines().lines().map(|line| line.replacen(",\"x\"", ",\n  \"x\"", 1)).collect();
    format!("[\n{}\n]\n", records.join(",\n"))
}

/// Text as UTF-16 with a mark.
pub fn utf_16(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

pub fn bz2(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    packer.write_all(bytes.as_ref()).unwrap();
    packer.finish().unwrap()
}

pub fn xz(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut packer = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    packer.write_all(bytes.as_ref()).unwrap();
    packer.finish().unwrap()
}

pub fn gz(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes.as_ref()).unwrap();
    packer.finish().unwrap()
}

pub fn zst(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    zstd::stream::encode_all(bytes.as_ref(), 0).unwrap()
}

pub fn parquet_bytes(batch: &RecordBatch, packing: Compression, group: usize) -> Vec<u8> {
    let properties =
        WriterProperties::builder().set_compression(packing).set_max_row_group_row_count(Some(group)).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

pub fn arrow_bytes(batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut bytes, &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    bytes
}

pub fn stream_bytes(batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(&mut bytes, &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// The rows of a Parquet file as one batch, and what the file says about itself.
pub fn read_parquet(path: &Path) -> (RecordBatch, Option<Vec<parquet::file::metadata::KeyValue>>) {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let pairs = builder.metadata().file_metadata().key_value_metadata().cloned();
    let schema: SchemaRef = builder.schema().clone();
    let batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
    (arrow_select::concat::concat_batches(&schema, &batches).unwrap(), pairs)
}

pub fn read_arrow(path: &Path) -> RecordBatch {
    let reader = arrow_ipc::reader::FileReader::try_new(File::open(path).unwrap(), None).unwrap();
    let schema = reader.schema();
    arrow_select::concat::concat_batches(&schema, &reader.map(Result::unwrap).collect::<Vec<_>>()).unwrap()
}

/// These rows of a batch.
pub fn taken(batch: &RecordBatch, rows: &[usize]) -> RecordBatch {
    let rows = arrow_array::UInt64Array::from_iter_values(rows.iter().map(|&row| row as u64));
    arrow_select::take::take_record_batch(batch, &rows).unwrap()
}

/// The batch with these metadata.
pub fn with_metadata(batch: &RecordBatch, pairs: &[(&str, &str)]) -> RecordBatch {
    let metadata = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let schema = Schema::new_with_metadata(batch.schema().fields().clone(), metadata);
    RecordBatch::try_new(Arc::new(schema), batch.columns().to_vec()).unwrap()
}

/// Every format, by file name and content.
pub fn every_format() -> Vec<(&'static str, Vec<u8>)> {
    let comma = text(',', "\n");
    let parts = [batch().slice(0, 15), batch().slice(15, 25)];
    vec![
        ("t.csv", comma.clone().into_bytes()),
        ("crlf.csv", text(';', "\r\n").into_bytes()),
        ("mac.csv", text(',', "\r").replace('\n', "\r").into_bytes()),
        ("mark.csv", format!("\u{feff}{comma}").into_bytes()),
        ("t.tsv", text('\t', "\n").into_bytes()),
        ("t.txt", text('|', "\n").into_bytes()),
        ("nothing", comma.clone().into_bytes()),
        ("t.csv.gz", gz(&comma)),
        ("t.tsv.zst", zst(text('\t', "\n"))),
        ("two.csv.gz", [gz(&comma[..500]), gz(&comma[500..])].concat()),
        ("t.jsonl", lines().into_bytes()),
        ("t.ndjson.zst", zst(lines())),
        ("t.parquet", parquet_bytes(&batch(), Compression::SNAPPY, 7)),
        ("t.parquet.gz", gz(parquet_bytes(&batch(), Compression::UNCOMPRESSED, 100))),
        ("t.arrow", arrow_bytes(&parts)),
        ("t.feather", arrow_bytes(&[batch()])),
        ("t.arrows", stream_bytes(&parts)),
        ("t.npy", npy()),
        ("t.npz", npz(&[("values", npy())])),
        ("t.csv.bz2", bz2(&comma)),
        ("t.jsonl.xz", xz(lines())),
        ("t.csv.zip", archive(&[("t.csv", comma.as_bytes())])),
        ("t.zip", archive(&[("read.me", b"words"), ("in/t.tsv", text('\t', "\n").as_bytes())])),
        ("wide.csv", utf_16(&comma)),
        ("t.json", json_array().into_bytes()),
        ("t.xlsx", sheet_of(&sheet_rows())),
    ]
}

/// A folder with the table in every format.
pub fn folder() -> Folder {
    let folder = Folder::new();
    every_format().iter().for_each(|(name, content)| folder.write(name, content));
    folder
}
