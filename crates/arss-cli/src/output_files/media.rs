//! Chosen files in a folder of their own, and the sheet that shows them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use arss::Selection;
use arss_media::page::stands_for;
use arss_media::{Kind, Media, Tile};
use arss_table::Table;

use crate::args::media::MediaOutputArgs;
use crate::failure::Failure;
use crate::output_files::{self, Files};

/// Pictures side by side on a sheet, and frames on a film-strip.
const COLUMNS: usize = 6;
const FRAMES: usize = 10;

/// Fails if the places cannot be meant: found out before anything is read.
pub fn check_places(args: &MediaOutputArgs, inputs: &[PathBuf]) -> Result<(), Failure> {
    for folder in [&args.copy_to, &args.link_to].into_iter().flatten() {
        if inputs.iter().any(|input| arss_table::is_same(folder, input)) {
            return Err(Failure::in_file(folder, "is the input; name another folder"));
        }
    }
    match &args.contact_sheet {
        Some(sheet) if !is_png(sheet) => Err(Failure::in_file(sheet, "would hold a PNG picture; name it .png")),
        _ => Ok(()),
    }
}

fn is_png(path: &Path) -> bool {
    path == Path::new(output_files::STDOUT) || path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"))
}

/// Fails if files are asked for that there cannot be.
pub fn check(args: &MediaOutputArgs, media: Option<&Media>) -> Result<(), Failure> {
    let Some(flag) = args.given() else { return Ok(()) };
    match media {
        None => Err(Failure::Input(format!("{flag} is about files: the input is a table"))),
        Some(media) if media.paths.is_empty() => {
            Err(Failure::Input(format!("{flag} is about files: the texts stand in one file")))
        }
        Some(media) if args.contact_sheet.is_some() && !media.is_of_pictures() => {
            Err(Failure::Input("--contact-sheet shows pictures, not texts".to_owned()))
        }
        Some(media) if args.link_to.is_some() && media.frames.is_some() => {
            Err(Failure::Input("the frames of a video file do not last: --copy-to copies them".to_owned()))
        }
        Some(_) => Ok(()),
    }
}

/// Adds copies and the sheet to the files that are written.
pub fn add(
    files: &mut Files,
    args: &MediaOutputArgs,
    (media, table): (&Media, &Table),
    selection: &Selection,
) -> Result<(), Failure> {
    let ranks = media.shown_order(&selection.indices);
    let chosen: Vec<usize> = ranks.iter().map(|&rank| table.number(selection.indices[rank])).collect();
    if media.paths.is_empty() {
        return Ok(());
    }
    let paths: Vec<PathBuf> = chosen.iter().map(|&number| media.paths[number].clone()).collect();
    if let Some(folder) = &args.copy_to {
        output_files::make_folder(folder)?;
        for (path, name) in paths.iter().zip(arss_media::copy_names(&paths)) {
            files.add(&folder.join(name), |out| std::io::copy(&mut File::open(path)?, out).map(|_| ()))?;
        }
    }
    if let Some(target) = &args.contact_sheet {
        let counts = stands_for(selection);
        let of_frames = media.kind == Kind::Frames;
        let tiles = ranks.iter().zip(&paths).zip(&chosen).map(|((&rank, path), &number)| Tile {
            path,
            label: if of_frames { media.frame_label(number) } else { (rank + 1).to_string() },
            stands_for: counts.as_ref().map(|counts| counts[rank]),
        });
        let tiles: Vec<Tile<'_>> = tiles.collect();
        let columns = if of_frames { FRAMES } else { COLUMNS };
        files.add(target, |out| arss_media::write_sheet(out, &tiles, columns))?;
    }
    Ok(())
}

/// Makes links to the chosen files, either all or none; those that are there are replaced only with `force`.
pub fn make_links(
    args: &MediaOutputArgs,
    (media, table): (&Media, &Table),
    selection: &Selection,
    force: bool,
) -> Result<(), Failure> {
    let Some(folder) = &args.link_to else { return Ok(()) };
    output_files::make_folder(folder)?;
    let ranks = media.shown_order(&selection.indices);
    let path = |rank: usize| media.paths[table.number(selection.indices[rank])].clone();
    let paths: Vec<PathBuf> = ranks.into_iter().map(path).collect();
    let mut made = Vec::new();
    for (path, name) in paths.iter().zip(arss_media::copy_names(&paths)) {
        let link = folder.join(name);
        if force && link.is_symlink() {
            // What cannot be removed is in the way of the new one.
            let _ = fs::remove_file(&link);
        }
        if let Err(error) = arss_media::link(path, &link) {
            made.iter().for_each(|link: &PathBuf| drop(fs::remove_file(link)));
            if error.kind() == std::io::ErrorKind::AlreadyExists && !force {
                return Err(output_files::exists(&link));
            }
            return Err(Failure::Run(format!("{}: cannot be made: {error}", link.display())));
        }
        made.push(link);
    }
    Ok(())
}
