//! The formats: a file here and a line in [`FORMATS`] each.

pub mod arrow;
pub mod arrow_columns;
pub mod comments;
pub mod csv;
pub mod csv_dialect;
pub mod delimited;
pub mod file_format;
pub mod json_array;
pub mod json_lists;
pub mod json_object;
pub mod jsonl;
pub mod mtx;
pub mod npy;
pub mod npy_values;
pub mod npz;
pub mod npz_sparse;
pub mod parquet;
pub mod parquet_bytes;
pub mod parquet_columns;
pub mod sheet;
pub mod sheet_cells;
pub mod sparse_file;
pub mod sparse_lists;
pub mod text_encoding;
pub mod text_records;
pub mod zoned_times;

use std::io::{self, Write};
use std::path::Path;

use file_format::FileFormat;

use crate::byte_source::Compression;
use crate::{ByName, ReadOptions, TableError};

/// All formats, in the order in which messages and the help list them.
static FORMATS: &[&dyn FileFormat] = &[
    &delimited::CSV,
    &delimited::TSV,
    &parquet::Parquet,
    &arrow::Arrow,
    &jsonl::Jsonl,
    &json_array::Json,
    &npy::Npy,
    &npz::Npz,
    &mtx::Mtx,
    &sheet::Sheet,
];

/// One of the known formats.
#[derive(Debug, Clone, Copy)]
pub struct Format(&'static dyn FileFormat);

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for Format {}

impl ByName for Format {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        all().map(|format| (format.0.name(), format, format.0.help())).collect()
    }
}

impl std::ops::Deref for Format {
    type Target = dyn FileFormat;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

fn all() -> impl Iterator<Item = Format> {
    FORMATS.iter().map(|format| Format(*format))
}

/// The extensions of the formats that are read, such as `.csv`.
pub fn read_extensions() -> Vec<String> {
    FORMATS.iter().flat_map(|format| format.extensions()).map(|name| format!(".{name}")).collect()
}

fn listed(words: &[String], last: &str) -> String {
    match words {
        [first @ .., end] if !first.is_empty() => format!("{} {last} {end}", first.join(", ")),
        _ => words.concat(),
    }
}

impl Format {
    /// The format that the extension names, if it is known.
    pub fn of_name(path: &Path) -> Option<Format> {
        let extension = extension_without_compression(path)?;
        let named =
            |format: &Format| format.extensions().iter().chain(format.other_extensions()).any(|own| *own == extension);
        all().find(named)
    }

    /// The format of a file: as told, by its name, or by its first bytes.
    pub fn of_file(path: &Path, start: &[u8], told: Option<Format>) -> Result<Format, TableError> {
        told.or_else(|| Format::of_name(path)).or_else(|| Format::of_content(start)).ok_or_else(|| {
            let known = listed(&read_extensions(), "and");
            let what = format!("unknown kind of file; {known} (and .gz, .zst, .bz2, .xz or .zip of text) are read");
            TableError::in_file(path, format_args!("{what} (--format NAME tells which)"))
        })
    }

    /// Fails if an option was told that means nothing in the file `path` of this format.
    pub fn check_options(self, path: &Path, options: &ReadOptions) -> Result<(), TableError> {
        let Some(name) = options.of_some_formats().into_iter().find(|name| !self.reads_by().contains(name)) else {
            return Ok(());
        };
        let takes = all().filter(|format| format.reads_by().contains(&name));
        let known: Vec<String> = takes.map(|format| format.0.name().to_owned()).collect();
        let what = format!("--{name} is for files of format {}, this one is {}", listed(&known, "or"), self.name());
        Err(TableError::in_file(path, what))
    }

    fn of_content(start: &[u8]) -> Option<Format> {
        let marked = |format: &Format| format.magic().iter().any(|mark| start.starts_with(mark));
        all().find(marked).or_else(|| all().find(|format| format.looks_like(start)))
    }
}

/// True if these first bytes of a file are text.
fn is_text(start: &[u8]) -> bool {
    !start.iter().any(|&byte| byte < b' ' && !matches!(byte, b'\t' | b'\r' | b'\n'))
}

/// The name of column `column` in files that have no names.
fn column_name(column: usize) -> String {
    format!("f{column}")
}

/// The extensions of compressions.
const PACKED: [(&str, Compression); 5] = [
    ("gz", Compression::Gzip),
    ("zst", Compression::Zstd),
    ("bz2", Compression::Bzip2),
    ("xz", Compression::Xz),
    ("zip", Compression::Zip),
];

/// The extension in lower case, without that of a compression.
pub fn extension_without_compression(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let bare = PACKED.iter().find_map(|(end, _)| name.strip_suffix(end)?.strip_suffix('.')).unwrap_or(&name);
    Some(bare.rsplit_once('.')?.1.to_owned())
}

/// The compression that the name of a file asks for.
fn output_compression(path: &Path) -> Compression {
    let last = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    let packed = PACKED.iter().find(|(end, _)| Some(*end) == last.as_deref());
    packed.map_or(Compression::None, |(_, compression)| *compression)
}

/// The format of a file that is written, compressed or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputFormat {
    /// The format.
    pub format: Format,
    compression: Compression,
}

impl OutputFormat {
    /// This format, compressed as the name of the file asks for.
    ///
    /// # Errors
    /// If the format is not written.
    pub fn told(format: Format, path: &Path) -> Result<OutputFormat, TableError> {
        match format.not_written() {
            Some(why) => Err(TableError::in_file(path, why)),
            None => Ok(OutputFormat { format, compression: output_compression(path) }),
        }
    }

    /// What the name of the file asks for.
    pub fn of(path: &Path) -> Result<OutputFormat, TableError> {
        let compression = output_compression(path);
        if compression == Compression::Zip {
            return Err(TableError::in_file(
                path,
                "zip archives are not written; name it .csv.gz, .csv.zst or .csv.xz",
            ));
        }
        let Some(format) = Format::of_name(path) else {
            let written = all().filter(|format| format.not_written().is_none());
            let names: Vec<String> =
                written.filter_map(|format| Some(format!(".{}", format.extensions().first()?))).collect();
            let what = format!("the name does not tell the format; it can end in {}", listed(&names, "or"));
            return Err(TableError::in_file(path, what));
        };
        match format.not_written() {
            Some(why) => Err(TableError::in_file(path, why)),
            None => Ok(OutputFormat { format, compression }),
        }
    }

    /// The same with cells that no spreadsheet takes for formulas; none if spreadsheets do not open such files.
    pub fn without_formulas(self) -> Option<OutputFormat> {
        Some(OutputFormat { format: Format(self.format.without_formulas()?), ..self })
    }

    /// Lets `write` write, and compresses what it wrote.
    pub fn compress(self, out: &mut dyn Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match self.compression {
            Compression::None | Compression::Zip => write(out),
            Compression::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::default());
                write(&mut encoder)?;
                encoder.finish().map(drop)
            }
            Compression::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(out, 0)?;
                write(&mut encoder)?;
                encoder.finish().map(drop)
            }
            Compression::Bzip2 => {
                let mut encoder = bzip2::write::BzEncoder::new(out, bzip2::Compression::default());
                write(&mut encoder)?;
                encoder.finish().map(drop)
            }
            Compression::Xz => {
                let mut encoder = lzma_rust2::XzWriter::new(out, lzma_rust2::XzOptions::with_preset(6))?;
                write(&mut encoder)?;
                encoder.finish().map(drop)
            }
        }
    }
}
