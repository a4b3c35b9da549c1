//! Models in files: what a run learned, with how its table became numbers.
//!
//! The layout, all numbers little-endian: the line `arss model 1`, the length of a JSON object (8 bytes), the object, the
//! length of the model (8 bytes), the model (postcard, see [`arss::Model`]), and a checksum of everything before (8 bytes).
//! Nothing in a file is run, and no length in it is trusted.

use std::io::{Read, Write};
use std::path::Path;

use arss::Model;
use serde::{Deserialize, Serialize};

use crate::checksum::Sum;
use crate::untrusted::limit::MemoryLimit;
use crate::{Preparation, TableError, byte_size};

/// The first line: what it is, and the version of the layout.
const HEAD: &[u8] = b"arss model 1\n";
/// A file may not be larger than this: some thousand picks of a million columns.
const LARGEST: u64 = 1 << 34;

/// A model with what is needed to use it on another table.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFile {
    /// About the run.
    pub about: About,
    /// What the run learned.
    pub model: Model,
}

/// What a model file says of the run, readable by people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The version of the program.
    pub arss: String,
    /// The method.
    pub method: String,
    /// The table that was chosen from.
    pub table: String,
    /// Its rows.
    pub rows: usize,
    /// The numbers in it of the rows that were chosen, best first.
    pub picks: Vec<usize>,
    /// What names them, if a column does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// How the table became numbers.
    pub preparation: Preparation,
}

impl About {
    /// From a JSON object.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// As a JSON object.
    pub fn to_json(&self) -> String {
        // Strings and numbers only: there is nothing that could fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl ModelFile {
    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let about = self.about.to_json().into_bytes();
        let model = self.model.to_bytes().map_err(std::io::Error::other)?;
        let mut bytes = HEAD.to_vec();
        for part in [about, model] {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
        bytes.extend(Sum::of(&bytes).value().to_le_bytes());
        out.write_all(&bytes)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is no model.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let cannot = |error: std::io::Error| TableError::in_file(path, format_args!("cannot be read: {error}"));
        let file = std::fs::File::open(path).map_err(cannot)?;
        // A pipe that never ends is not held either.
        let most = MemoryLimit::new(None, false).bytes.min(LARGEST);
        let too_large = || {
            let most = byte_size::shown(most);
            TableError::in_file(
                path,
                format_args!("is larger than {most}, which is the most that a model may take here"),
            )
        };
        if file.metadata().map_err(cannot)?.len() > most {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        // A device has no end and no size: what does not begin like a model is not read on.
        (&file).take(HEAD.len() as u64).read_to_end(&mut bytes).map_err(cannot)?;
        if bytes == HEAD {
            file.take(most).read_to_end(&mut bytes).map_err(cannot)?;
        }
        if bytes.len() as u64 > most {
            return Err(too_large());
        }
        ModelFile::from_bytes(&bytes).map_err(|reason| TableError::in_file(path, reason))
    }

    /// A model in some bytes: whatever they are, the outcome is a model or a reason in a few words.
    ///
    /// # Errors
    /// If the bytes are no model.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        if !bytes.starts_with(HEAD) {
            let other = bytes.starts_with(b"arss model ");
            let what = if other { "is a model of another version of arss" } else { "is no model of `arss --model`" };
            return Err(what.to_owned());
        }
        let damaged = || "is a damaged model".to_owned();
        let (bytes, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
        if Sum::of(bytes).value() != u64::from_le_bytes(*sum) {
            return Err(damaged());
        }
        let rest = bytes.strip_prefix(HEAD).ok_or_else(damaged)?;
        let (about, rest) = part(rest).ok_or_else(damaged)?;
        let (model, rest) = part(rest).ok_or_else(damaged)?;
        let about: About = serde_json::from_slice(about).map_err(|_| damaged())?;
        let model = Model::from_bytes(model).map_err(|_| damaged())?;
        let fits = about.preparation.columns.len() == model.features()
            && about.picks.len() == model.indices().len()
            && about.names.as_ref().is_none_or(|names| names.len() == about.picks.len());
        if rest.is_empty() && fits { Ok(ModelFile { about, model }) } else { Err(damaged()) }
    }
}

/// The next part of the bytes, and those behind it.
fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}
