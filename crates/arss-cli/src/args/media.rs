//! Flags about pictures, texts and frames.

use std::path::PathBuf;

use arss_media::{Embeddings, Kind, MediaOptions};
use clap::Args;

use crate::args::by_name::by_name;

/// What the input is, if it is no table.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Pictures and texts")]
pub struct MediaArgs {
    /// What the input is [what is in the folder]
    #[arg(long, value_parser = by_name::<Kind>(), value_name = "NAME", conflicts_with_all = ["images", "text"])]
    pub kind: Option<Kind>,
    /// Choose by the pictures whose paths stand in this column of the table
    #[arg(long, value_name = "COLUMN", conflicts_with = "text")]
    pub images: Option<String>,
    /// Choose by the words of the texts in this column of the table
    #[arg(long, value_name = "COLUMN")]
    pub text: Option<String>,
    /// What to compare by: builtin, network (Python package only), or a file of numbers (.npy in the order of the
    /// names, or a table with a column of the names) [the network if it is there]
    #[arg(long, value_name = "FILE|NAME")]
    pub embeddings: Option<PathBuf>,
    /// Compute everything again, and keep nothing for the next run
    #[arg(long)]
    pub no_cache: bool,
}

impl MediaArgs {
    /// How they are read.
    pub fn options(&self, seed: u64, keep_blank: bool) -> MediaOptions {
        MediaOptions {
            kind: self.kind,
            images: self.images.clone(),
            text: self.text.clone(),
            embeddings: self.embeddings.as_deref().map(Embeddings::of_word).unwrap_or_default(),
            network: None,
            cache: !self.no_cache,
            keep_blank,
            seed,
        }
    }
}

/// What is written of pictures.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Pictures and texts")]
pub struct MediaOutputArgs {
    /// Copy the chosen files into this folder; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    pub copy_to: Option<PathBuf>,
    /// Put links to the chosen files into this folder; it is made if it is not there
    #[arg(long, value_name = "DIR", conflicts_with = "copy_to")]
    pub link_to: Option<PathBuf>,
    /// Write one picture that shows all chosen ones (.png); of frames, a film-strip
    #[arg(long, value_name = "FILE")]
    pub contact_sheet: Option<PathBuf>,
}

impl MediaOutputArgs {
    /// The first flag that was given.
    pub fn given(&self) -> Option<&'static str> {
        let all = [
            ("--copy-to", self.copy_to.is_some()),
            ("--link-to", self.link_to.is_some()),
            ("--contact-sheet", self.contact_sheet.is_some()),
        ];
        all.into_iter().find_map(|(flag, given)| given.then_some(flag))
    }
}
