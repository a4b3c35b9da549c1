//! The second act of `arss demo`: a folder of pictures, some of them spoilt.

use std::path::Path;

use arss::{Count, Exemplars, Method, Selection};
use arss_media::{Media, MediaOptions, Opened, Raster};
use arss_table::{ReadOptions, Table};

use crate::args::media::MediaOutputArgs;
use crate::commands::demo;
use crate::failure::Failure;
use crate::output_files::{self, Files, media};
use crate::reading;
use crate::solve::{self, Job};
use crate::terminal::messages::Messages;

const PICTURES: &[u8] = include_bytes!("../../data/fashion.png");
const NAMES: &str = include_str!("../../data/fashion.txt");
/// Pixels on a side of a picture, and pictures in a row of the bundled one.
const SIDE: usize = 28;
const ACROSS: usize = 15;
const K: usize = 12;
/// What the names of spoilt pictures hold.
const SPOILT: [&str; 3] = ["_noise_", "_shuffled_", "_dark_"];

/// Writes the pictures and the sheet of those that were chosen; what is to be printed about them.
pub fn run(directory: &Path) -> Result<String, Failure> {
    let folder = directory.join("pictures");
    output_files::make_folder(&folder)?;
    write_pictures(&folder)?;
    let options = MediaOptions { kind: Some(arss_media::Kind::Images), ..MediaOptions::default() };
    let opened = arss_media::open(&[folder], &options, &ReadOptions::default(), &|_, _| ())?;
    let Opened::Media(table, media) = opened else {
        return Err(Failure::Run("the bundled pictures are gone".to_owned()));
    };
    let method = Method::Exemplars(Exemplars::default());
    let method = reading::exclude_copies(method, &media, &table);
    let job = Job { count: Count::Exactly(K), ..demo::job(&method) };
    // What it would say is about this folder; the page below says it.
    let chosen = solve::run(&table.matrix, &job, &mut Messages::new(true))?;
    let sheet = MediaOutputArgs { contact_sheet: Some(directory.join("pictures.png")), ..MediaOutputArgs::default() };
    let mut files = Files::default();
    media::add(&mut files, &sheet, (media.as_ref(), table.as_ref()), &chosen)?;
    files.commit()?;
    Ok(text(&table, &media, &chosen, directory))
}

fn write_pictures(folder: &Path) -> Result<(), Failure> {
    let all = arss_media::decode(PICTURES).map_err(Failure::Run)?;
    let mut files = Files::default();
    for (at, name) in NAMES.lines().enumerate() {
        let picture = part(&all, (at % ACROSS * SIDE, at / ACROSS * SIDE));
        files.add(&folder.join(format!("{name}.png")), |out| arss_media::png(out, &picture))?;
    }
    files.commit()
}

fn part(all: &Raster, (left, top): (usize, usize)) -> Raster {
    let row = |y: usize| all.rgb[3 * ((top + y) * all.width + left)..][..3 * SIDE].iter().copied();
    Raster { width: SIDE, height: SIDE, rgb: (0..SIDE).flat_map(row).collect() }
}

fn text(table: &Table, media: &Media, chosen: &Selection, directory: &Path) -> String {
    let is_spoilt = |name: &&String| SPOILT.iter().any(|mark| name.contains(mark));
    let picks: Vec<&String> = chosen.indices.iter().map(|&row| &media.names[table.number(row)]).collect();
    let spoilt = media.names.iter().filter(is_spoilt).count();
    let aside = media.blank.len() + chosen.report.set_aside().map_or(0, |aside| aside.rows);
    let kinds = |name: &&String| name.split('_').next().unwrap_or_default().to_owned();
    let mut shown: Vec<String> = picks.iter().map(kinds).collect();
    shown.sort_unstable();
    shown.dedup();
    format!(
        "\nSecond act: {} pictures of clothes of ten kinds, {spoilt} of them noise, shuffled or nearly black.\n\
         The {K} that stand for them are of {} kinds ({}); {} of them spoilt, and {aside} pictures were left aside.\n\
         Written to {}: the folder pictures, and pictures.png to look at; arss select {} -k {K} does it again\n",
        media.names.len(),
        shown.len(),
        shown.join(", "),
        picks.iter().filter(|name| is_spoilt(name)).count(),
        directory.display(),
        directory.join("pictures").display(),
    )
}
