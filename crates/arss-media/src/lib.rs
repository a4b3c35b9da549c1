//! Pictures, texts and video frames: from a folder of files to a table that can be chosen from.
//!
//! [`open`] looks at what the inputs are. Tables are left to `arss-table`. Everything else becomes a table of what is known
//! of each file (name, size, distinctive terms), whose rows are compared by numbers that were computed from the content.
//! [`Media`] says what was found besides: files that could not be read, copies, pictures that show nothing.

// What comes from outside ends in an error, never in a panic. An index that stays has its reason beside it.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]

mod cache;
mod copies;
#[expect(
    clippy::indexing_slicing,
    reason = "files are numbered by the lists of `Media`, which have one entry for each"
)]
mod described;
#[expect(
    clippy::indexing_slicing,
    reason = "files are numbered by the lists of `Media`, which have one entry for each"
)]
mod embeddings;
mod files;
mod kind;
#[expect(
    clippy::indexing_slicing,
    reason = "files are numbered by the lists of `Media`, which have one entry for each"
)]
mod media;
#[expect(
    clippy::indexing_slicing,
    reason = "files are numbered by the lists of `Media`, which have one entry for each"
)]
mod open;
#[expect(clippy::indexing_slicing, reason = "picks and places are numbered by the lists of the page")]
pub mod page;
mod pictures;
mod progress;
#[expect(clippy::indexing_slicing, reason = "tiles lie within the sheet, whose size is computed from theirs")]
mod sheet;
#[expect(clippy::indexing_slicing, reason = "terms and texts are numbered by the lists that the words were counted in")]
mod texts;
#[expect(
    clippy::indexing_slicing,
    reason = "files are numbered by the lists of `Media`, which have one entry for each"
)]
mod video;

pub use copies::{copy_names, link};
pub use embeddings::{Embeddings, Network};
pub use files::Unreadable;
pub use kind::Kind;
pub use media::{Duplicate, Media};
pub use open::{MediaOptions, Opened, open};
pub use pictures::decode::picture as decode;
pub use pictures::raster::Raster;
pub use progress::Progress;
pub use sheet::{Tile, pixels, png, thumbnail, write as write_sheet};
pub use texts::open_texts;
