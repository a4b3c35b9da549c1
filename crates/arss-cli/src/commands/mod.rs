//! The commands, a file each.

use std::ffi::OsString;

use arss::Selection;
use arss_media::Media;
use arss_report::{More, Subject};
use arss_table::Table;

use crate::args::input::InputArgs;
use crate::solve::Job;

pub mod apply;
pub mod compare;
pub mod completions;
pub mod demo;
mod demo_pictures;
pub mod features;
pub mod man;
pub mod outliers;
pub mod plan;
pub mod report;
pub mod select;
pub mod select_text;

/// How the flags had the table prepared, as the page tells it.
fn prepared(args: &InputArgs) -> More {
    More {
        scale: args.scale(),
        metric: args.metric,
        missing: args.missing,
        label: args.label.clone(),
        ..More::default()
    }
}

/// The page about chosen pictures or texts.
fn media_page(words: &[OsString], table: &Table, media: &Media, selection: &Selection) -> String {
    arss_media::page::page(&arss_media::page::Subject { table, media, selection, command: &arss_report::line(words) })
}

/// The page about a choice; `words` is the command line that made it.
fn page(words: &[OsString], table: &Table, job: &Job<'_>, selection: &Selection, more: More) -> String {
    arss_report::html(&Subject {
        table,
        method: job.method,
        count: job.count,
        chose_columns: job.features,
        selection,
        input: table.source.title(),
        command: arss_report::line(words),
        more,
    })
}
