//! The table that a command works on: rows of files, or the files of a folder.

use arss::{Exemplars, Method};
use arss_media::{Media, Opened};
use arss_table::{Preparation, ReadOptions, Scale, Table};

use crate::args::input::InputArgs;
use crate::failure::Failure;
use crate::solve;
use crate::terminal::messages::Messages;
use crate::terminal::progress;

/// Reads the table and scales it.
pub fn read(args: &InputArgs, memory: Option<u64>, messages: &mut Messages) -> Result<Table, Failure> {
    Ok(read_and_keep(args, memory, false, messages)?.0)
}

/// The same, and how the table became numbers, if that is to be kept.
pub fn read_and_keep(
    args: &InputArgs,
    memory: Option<u64>,
    keep: bool,
    messages: &mut Messages,
) -> Result<(Table, Option<Preparation>), Failure> {
    let (mut table, media) = open(args, &args.options(None, None, memory), (0, false), messages)?;
    if keep && media.is_some() {
        return Err(no_model("--model"));
    }
    let kept = solve::prepare(&mut table, (scale(args, media.as_deref()), args.metric), keep, messages)?;
    Ok((table, kept))
}

/// What flags about new tables say where there is none.
pub fn no_model(flag: &str) -> Failure {
    Failure::Input(format!("{flag} is about tables; of pictures and texts, --report and --json keep the choice"))
}

/// Opens whatever the inputs are; `seed` is that of random numbers, and blank pictures may be kept.
pub fn open(
    args: &InputArgs,
    options: &ReadOptions,
    (seed, keep_blank): (u64, bool),
    messages: &mut Messages,
) -> Result<(Table, Option<Box<Media>>), Failure> {
    let how = args.media.options(seed, keep_blank);
    let progress = |done: usize, total: usize| progress::at("files", done, total);
    let (mut table, media) = match arss_media::open(&args.inputs, &how, options, &progress)? {
        Opened::Media(table, media) => (*table, Some(media)),
        Opened::Table(note) => {
            if args.media.embeddings.is_some() {
                let what = "--embeddings are of pictures or texts; a table of them is an input by itself";
                return Err(Failure::Input(what.to_owned()));
            }
            note.into_iter().for_each(|note| messages.add(note));
            (arss_table::open_with_progress(&args.inputs, options, &mut progress::reading)?, None)
        }
    };
    table.notes.drain(..).for_each(|message| messages.add(message));
    media.iter().flat_map(|media| media.notes()).for_each(|note| messages.add(note));
    Ok((table, media))
}

/// How columns are scaled: numbers of pictures and texts are on one scale already.
pub fn scale(args: &InputArgs, media: Option<&Media>) -> Scale {
    if media.is_some() { args.scale.unwrap_or(Scale::None) } else { args.scale() }
}

/// The method that chooses no copy: exemplars count them all the same, other methods do not see them.
pub fn without_copies(method: Method, media: &Media, table: &mut Table) -> Result<Method, Failure> {
    let copies = media.copies(table);
    Ok(match method {
        Method::Exemplars(settings) => {
            let wanted = |row: &usize| !settings.include.contains(row) && !settings.exclude.contains(row);
            let copies: Vec<usize> = copies.into_iter().filter(wanted).collect();
            Method::Exemplars(Exemplars { exclude: [settings.exclude.clone(), copies].concat(), ..settings })
        }
        other => {
            arss_media::drop_rows(table, &copies)?;
            other
        }
    })
}
