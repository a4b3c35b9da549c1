//! The formats, by name and by what a file holds.

pub mod arrow;
pub mod arrow_columns;
pub mod csv;
pub mod csv_dialect;
pub mod jsonl;
pub mod npy;
pub mod npz;
pub mod parquet;
pub mod text_records;

use std::io::{self, Write};
use std::path::Path;

use crate::ByName;
use crate::TableError;
use crate::bare_extension;
use crate::byte_source::Compression;

/// What is read and written, in one line.
pub const KNOWN: &str = ".csv, .tsv, .parquet, .arrow, .feather, .jsonl, .npy and .npz (and .gz or .zst of text)";

/// The formats that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Separated fields.
    Csv,
    /// Fields separated by tabs.
    Tsv,
    /// Parquet.
    Parquet,
    /// Arrow IPC, Feather version 2.
    Arrow,
    /// One JSON object a line.
    Jsonl,
    /// An array saved by numpy.
    Npy,
    /// An archive of such arrays.
    Npz,
}

impl ByName for Format {
    const ALL: &'static [(&'static str, Self, &'static str)] = &[
        ("csv", Format::Csv, "Separated fields"),
        ("tsv", Format::Tsv, "Fields separated by tabs"),
        ("parquet", Format::Parquet, "Parquet"),
        ("arrow", Format::Arrow, "Arrow IPC, Feather version 2"),
        ("jsonl", Format::Jsonl, "One JSON object a line"),
        ("npy", Format::Npy, "An array saved by numpy"),
        ("npz", Format::Npz, "An archive of such arrays"),
    ];
}

impl Format {
    /// The format that the extension names, if it is known.
    pub fn of(path: &Path) -> Option<Format> {
        match bare_extension(path)?.as_str() {
            "csv" => Some(Format::Csv),
            "tsv" | "tab" => Some(Format::Tsv),
            "parquet" | "pq" => Some(Format::Parquet),
            "arrow" | "feather" | "ipc" | "arrows" => Some(Format::Arrow),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "npy" => Some(Format::Npy),
            "npz" => Some(Format::Npz),
            _ => None,
        }
    }

    /// The format of a file: as told, by its name, or by its first bytes.
    pub fn found(path: &Path, start: &[u8], told: Option<Format>) -> Result<Format, TableError> {
        told.or_else(|| Format::of(path)).or_else(|| Format::by_content(start)).ok_or_else(|| {
            TableError::in_file(
                path,
                format_args!("unknown kind of file; {KNOWN} are read (--format NAME tells which)"),
            )
        })
    }

    fn by_content(start: &[u8]) -> Option<Format> {
        let marks: [(&[u8], Format); 5] = [
            (b"PAR1", Format::Parquet),
            (arrow::MAGIC, Format::Arrow),
            (arrow::STREAM, Format::Arrow),
            (b"\x93NUMPY", Format::Npy),
            (b"PK\x03\x04", Format::Npz),
        ];
        if let Some((_, format)) = marks.iter().find(|(mark, _)| start.starts_with(mark)) {
            return Some(*format);
        }
        let text = start.trim_ascii_start();
        let is_text = !start.iter().any(|&byte| byte < b' ' && !matches!(byte, b'\t' | b'\r' | b'\n'));
        match text.first() {
            Some(b'{') if is_text => Some(Format::Jsonl),
            // Refused there with a hint.
            Some(b'[') if is_text && text[1..].trim_ascii_start().starts_with(b"{") => Some(Format::Jsonl),
            _ if is_text => Some(Format::Csv),
            _ => None,
        }
    }
}

/// A format to write, packed or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputFormat {
    /// The format.
    pub format: Format,
    packing: Compression,
}

impl OutputFormat {
    /// What the name of the file asks for.
    pub fn of(path: &Path) -> Result<OutputFormat, TableError> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let packing = match name.rsplit_once('.').map(|(_, last)| last) {
            Some("gz") => Compression::Gzip,
            Some("zst") => Compression::Zstd,
            _ => Compression::None,
        };
        match Format::of(path) {
            Some(Format::Npz) => Err(TableError::in_file(path, "archives of arrays are not written; name it .npy")),
            Some(format) => Ok(OutputFormat { format, packing }),
            None => {
                let what =
                    "the name does not tell the format; it can end in .csv, .tsv, .parquet, .arrow, .jsonl or .npy";
                Err(TableError::in_file(path, what))
            }
        }
    }

    /// Lets `write` write, and packs what it wrote.
    pub fn pack(
        self,
        out: &mut dyn Write,
        write: impl FnOnce(&mut dyn Write, Format) -> io::Result<()>,
    ) -> io::Result<()> {
        match self.packing {
            Compression::None => write(out, self.format),
            Compression::Gzip => {
                let mut packer = flate2::write::GzEncoder::new(out, flate2::Compression::default());
                write(&mut packer, self.format)?;
                packer.finish().map(drop)
            }
            Compression::Zstd => {
                let mut packer = zstd::stream::write::Encoder::new(out, 0)?;
                write(&mut packer, self.format)?;
                packer.finish().map(drop)
            }
        }
    }
}
