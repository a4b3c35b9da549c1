//! Frames of a film: a folder of pictures in the order of their names, or a video file that ffmpeg takes apart.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use arss_table::TableError;

use crate::described::{Description, Numbers};
use crate::embeddings;
use crate::files::{self, Found};
use crate::kind::Kind;
use crate::media::Media;
use crate::open::{MediaOptions, Opened, finished, name_in, read_pictures};
use crate::pictures::features;
use crate::progress::Progress;

/// The endings of video files.
pub const EXTENSIONS: [&str; 9] = ["mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "ogv"];
/// Frames a second that are taken out of a video file.
const RATE: u32 = 2;
/// Pixels of their longer side.
const SIDE: u32 = 320;
/// A cut is a step between frames so many times as large as usual,
const CUT: f32 = 6.0;
/// and at least so large.
const LEAST_CUT: f32 = 0.25;

/// The frames of a folder or of a video file, in the order of time.
pub fn open(input: &Path, found: Found, options: &MediaOptions, progress: Progress<'_>) -> Result<Opened, TableError> {
    let (mut paths, mut frames, mut rate) = (found.pictures, None, None);
    if let [video, others @ ..] = found.videos.as_slice()
        && paths.is_empty()
    {
        if !others.is_empty() {
            let what = format!("holds {} video files; name one of them", others.len() + 1);
            return Err(TableError::in_file(input, what));
        }
        let folder = take_apart(video)?;
        paths = files::sort_out(&[folder.path().to_owned()])?.pictures;
        (frames, rate) = (Some(folder), Some(f64::from(RATE)));
    }
    if paths.is_empty() {
        return Err(TableError::in_file(input, "holds no frames: no pictures and no video file"));
    }
    files::sort(&mut paths);
    let folder = frames.as_ref().map_or(input, |folder: &tempfile::TempDir| folder.path());
    let names: Vec<String> = paths.iter().map(|path| name_in(folder, path)).collect();
    let times = rate.map_or_else(Vec::new, |rate: f64| (0..names.len()).map(|at| at as f64 / rate).collect());
    let unreadable = found.unreadable;
    let media = Media { kind: Kind::Frames, paths, names, unreadable, times, frames, ..Media::default() };
    let (mut media, read) = read_pictures(input, media, options, progress)?;
    media.shots = shots(&read.numbers).into_iter().map(|at| media.readable[at]).collect();
    let description = description(&media);
    let (numbers, note) = embeddings::of_pictures(read.numbers, &media, options, progress)?;
    let mut table = description.table(input, numbers.spread(&media.readable, media.names.len()))?;
    table.notes.extend(note);
    finished(table, media)
}

fn description(media: &Media) -> Description {
    let shot_of = |frame: usize| media.shots.partition_point(|&first| first <= frame).max(1);
    let rows = media.names.iter().enumerate().map(|(frame, name)| {
        let mut row = vec![name.clone(), frame.to_string(), shot_of(frame).to_string()];
        row.extend(media.times.get(frame).map(|&seconds| clock(seconds)));
        row
    });
    let rows = rows.collect();
    let mut headings = vec!["file", "frame", "shot"];
    headings.extend((!media.times.is_empty()).then_some("time"));
    Description { headings, number: "frame", rows }
}

/// Hours, minutes and seconds.
pub fn clock(seconds: f64) -> String {
    let whole = seconds as u64;
    format!("{}:{:02}:{:04.1}", whole / 3600, whole / 60 % 60, seconds - (whole / 60 * 60) as f64)
}

/// The first frame of each shot: where a frame differs from the last one far more than frames usually do.
fn shots(numbers: &Numbers) -> Vec<usize> {
    let rows: Vec<&[f32]> = numbers.values.data.chunks_exact(features::FEATURES).collect();
    let apart = |pair: &[&[f32]]| pair[0].iter().zip(pair[1]).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt();
    let steps: Vec<f32> = rows.windows(2).map(apart).collect();
    let mut sorted = steps.clone();
    sorted.sort_unstable_by(f32::total_cmp);
    let usual = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    let is_cut = |step: &f32| *step > LEAST_CUT && *step > CUT * usual;
    let cuts = steps.iter().enumerate().filter(|(_, step)| is_cut(step)).map(|(at, _)| at + 1);
    [0].into_iter().chain(cuts).collect()
}

/// Takes frames out of a video file with ffmpeg, into a folder that vanishes.
fn take_apart(video: &Path) -> Result<tempfile::TempDir, TableError> {
    let failed = |what: String| TableError::in_file(video, what);
    let folder = tempfile::tempdir().map_err(|error| failed(format!("needs a folder for its frames: {error}")))?;
    let output =
        Command::new("ffmpeg").args(words(video, folder.path())).stdin(Stdio::null()).output().map_err(|_| {
            failed("is a video file, which needs the program ffmpeg; or give a folder of its frames".to_owned())
        })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it failed").trim().to_owned();
        return Err(failed(format!("could not be taken apart: ffmpeg says {last}")));
    }
    Ok(folder)
}

/// The words after `ffmpeg`. They reach it as they are: no shell reads them, and a file is named so that it is no option.
fn words(video: &Path, folder: &Path) -> Vec<OsString> {
    let mut input = OsString::from("file:");
    input.push(video);
    let size = format!("fps={RATE},scale={SIDE}:{SIDE}:force_original_aspect_ratio=decrease");
    let mut all: Vec<OsString> =
        ["-nostdin", "-v", "error", "-protocol_whitelist", "file", "-i"].map(OsString::from).to_vec();
    all.push(input);
    all.extend(["-an", "-sn", "-dn", "-vf"].map(OsString::from));
    all.push(size.into());
    all.push(PathBuf::from(folder).join("frame%06d.png").into_os_string());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_clocks() {
        assert_eq!([0.0, 61.5, 3725.0].map(clock), ["0:00:00.0", "0:01:01.5", "1:02:05.0"]);
    }

    #[test]
    fn a_file_that_looks_like_an_option_is_none() {
        let words = words(Path::new("-f.mp4"), Path::new("to"));
        assert!(words.contains(&"file:-f.mp4".into()) && !words.contains(&"-f.mp4".into()));
    }

    #[test]
    fn a_cut_begins_a_shot() {
        let columns = features::FEATURES;
        let frame = |at: usize| {
            let value = if at < 10 { 0.0 } else { 0.1 } + at as f32 * 1e-4;
            vec![value; columns]
        };
        let data: Vec<f32> = (0..20).flat_map(frame).collect();
        let values = arss_table::DenseMatrix { data, rows: 20, columns, by_column: false };
        assert_eq!(shots(&Numbers { values, names: Vec::new() }), [0, 10]);
    }
}
