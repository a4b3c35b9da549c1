//! Chosen files in a folder of their own, and the sheet that shows them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use arss::Selection;
use arss_media::{Kind, Media, Tile};
use arss_table::Table;

use crate::args::media::MediaOutputArgs;
use crate::failure::Failure;
use crate::output_files::{self, Files};

/// Pictures side by side on a sheet, and frames on a film-strip.
const COLUMNS: usize = 6;
const FRAMES: usize = 10;

/// Fails if files are asked for that there cannot be.
pub fn check(args: &MediaOutputArgs, media: Option<&Media>) -> Result<(), Failure> {
    let Some(flag) = args.given() else { return Ok(()) };
    match media {
        None => Err(Failure::Input(format!("{flag} is about files: the input is a table"))),
        Some(media) if media.paths.is_empty() => {
            Err(Failure::Input(format!("{flag} is about files: the texts stand in one file")))
        }
        Some(media) if args.contact_sheet.is_some() && !matches!(media.kind, Kind::Images | Kind::Frames) => {
            Err(Failure::Input("--contact-sheet shows pictures, not texts".to_owned()))
        }
        Some(_) => Ok(()),
    }
}

/// The ranks of the picks in the order in which people look at them: frames in the order of time.
pub fn shown_order(media: Option<&Media>, selection: &Selection) -> Vec<usize> {
    let mut ranks: Vec<usize> = (0..selection.indices.len()).collect();
    if media.is_some_and(|media| media.kind == Kind::Frames) {
        ranks.sort_by_key(|&rank| selection.indices[rank]);
    }
    ranks
}

/// Adds copies and the sheet to the files that are written.
pub fn add(
    files: &mut Files,
    args: &MediaOutputArgs,
    (media, table): (&Media, &Table),
    selection: &Selection,
) -> Result<(), Failure> {
    let ranks = shown_order(Some(media), selection);
    let chosen: Vec<usize> = ranks.iter().map(|&rank| table.number(selection.indices[rank])).collect();
    let paths: Vec<PathBuf> = chosen.iter().map(|&number| media.paths[number].clone()).collect();
    if let Some(folder) = &args.copy_to {
        output_files::make_folder(folder)?;
        for (path, name) in paths.iter().zip(arss_media::copy_names(&paths)) {
            files.add(&folder.join(name), |out| std::io::copy(&mut File::open(path)?, out).map(|_| ()))?;
        }
    }
    if let Some(folder) = &args.link_to {
        make_links(folder, &paths)?;
    }
    if let Some(target) = &args.contact_sheet {
        let counts = stands_for(table, selection);
        let of_frames = media.kind == Kind::Frames;
        let tiles = ranks.iter().zip(&paths).zip(&chosen).map(|((&rank, path), &number)| Tile {
            path,
            number: if of_frames { number } else { rank + 1 },
            stands_for: counts.as_ref().map(|counts| counts[rank]),
        });
        let tiles: Vec<Tile<'_>> = tiles.collect();
        let columns = if of_frames { FRAMES } else { COLUMNS };
        files.add(target, |out| arss_media::write_sheet(out, &tiles, columns))?;
    }
    Ok(())
}

/// How many items each pick stands for, where that is known; outliers are not counted.
pub fn stands_for(table: &Table, selection: &Selection) -> Option<Vec<usize>> {
    let assignment = selection.assignment.as_ref()?;
    let gated = selection.report.set_aside().is_some();
    let mut counts = vec![0; selection.indices.len()];
    let rows = table.matrix.shape().0.min(assignment.labels.len());
    let counts_here = |item: &usize| !gated || selection.residuals[*item] <= 1.0;
    (0..rows).filter(counts_here).for_each(|item| counts[assignment.labels[item]] += 1);
    Some(counts)
}

fn make_links(folder: &Path, paths: &[PathBuf]) -> Result<(), Failure> {
    output_files::make_folder(folder)?;
    let mut made = Vec::new();
    for (path, name) in paths.iter().zip(arss_media::copy_names(paths)) {
        let link = folder.join(name);
        if let Err(error) = arss_media::link(path, &link) {
            // Either all of them are there, or none.
            made.iter().for_each(|link: &PathBuf| drop(fs::remove_file(link)));
            return Err(Failure::Run(format!("{}: cannot be made: {error}", link.display())));
        }
        made.push(link);
    }
    Ok(())
}
