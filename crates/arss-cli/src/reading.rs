//! The table that a command works on: rows of files, or the files of a folder.

use std::sync::OnceLock;

use arss::{Count, Method};
use arss_media::{Media, MediaOptions, Network, Opened};
use arss_table::{Missing, Preparation, ReadOptions, Scale, Table, counted};

use crate::args::input::InputArgs;
use crate::failure::Failure;
use crate::solve;
use crate::terminal::messages::Messages;
use crate::terminal::progress;

/// Columns that a message names at most.
const SHOWN: usize = 8;

/// What pictures are compared by unless it is told; whoever starts the process may have one.
static NETWORK: OnceLock<Network> = OnceLock::new();

/// Compares pictures by this network from now on; the first one counts.
pub fn set_network(network: Network) {
    let _ = NETWORK.set(network);
}

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
    let how = MediaOptions { network: NETWORK.get().cloned(), ..args.media.options(seed, keep_blank) };
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

/// Hides copies from methods that cannot count a row without choosing it.
pub fn drop_copies(method: &Method, media: &Media, table: &mut Table) -> Result<(), Failure> {
    match method {
        Method::Exemplars(_) => Ok(()),
        _ => Ok(table.drop_rows(&media.copies(table))?),
    }
}

/// Exemplars that count copies, but choose none of them.
pub fn exclude_copies(method: Method, media: &Media, table: &Table) -> Method {
    match method {
        Method::Exemplars(mut settings) => {
            let wanted = |row: &usize| !settings.include.contains(row) && !settings.exclude.contains(row);
            let copies: Vec<usize> = media.copies(table).into_iter().filter(wanted).collect();
            settings.exclude.extend(copies);
            Method::Exemplars(settings)
        }
        other => other,
    }
}

/// Fails if there are fewer rows than are to be chosen, and says which were left aside.
pub fn check_rows(count: Count, args: &InputArgs, table: &Table) -> Result<(), Failure> {
    let (rows, left) = (table.source.rows(), table.matrix.shape().0);
    let Count::Exactly(k) = count else { return Ok(()) };
    if k <= left {
        return Ok(());
    }
    let aside = counted(rows - left, "row");
    let why = match args.missing {
        _ if left == rows => format!("the table has {}", counted(rows, "row")),
        Missing::Auto => {
            format!(
                "of {rows} rows only {left} can be chosen: {aside} left aside, mostly missing (--missing median fills them in)"
            )
        }
        Missing::Drop => format!(
            "of {rows} rows only {left} can be chosen: {aside} dropped, with missing values (--missing auto fills most of them in)"
        ),
        _ => format!("of {rows} rows only {left} can be chosen: {aside} left aside, without any value"),
    };
    Err(Failure::in_file(&table.source.paths[0], format_args!("k is {k}, but {why}")))
}

/// Fails if there are fewer columns than are to be chosen, and says which were left out.
pub fn check_columns(count: Count, table: &Table) -> Result<(), Failure> {
    let columns = table.matrix.shape().1;
    let Count::Exactly(k) = count else { return Ok(()) };
    if k <= columns {
        return Ok(());
    }
    let left = table.columns.iter().filter(|info| !info.used).map(|info| {
        let name = if info.name.trim().is_empty() { "(no name)" } else { &info.name };
        format!("{name} ({})", info.role.name())
    });
    let left: Vec<String> = left.take(SHOWN).collect();
    let besides = if left.is_empty() { String::new() } else { format!("; left out: {}", left.join(", ")) };
    let what = format!("k is {k}, but {} can be chosen{besides}", counted(columns, "column"));
    Err(Failure::in_file(&table.source.paths[0], what))
}

/// Fails if there are fewer files than are to be chosen, once copies are left out.
pub fn check_count(count: Count, method: &Method, media: &Media, table: &Table) -> Result<(), Failure> {
    let (Count::Exactly(k), Method::Exemplars(settings)) = (count, method) else { return Ok(()) };
    let left = table.matrix.shape().0.saturating_sub(settings.exclude.len());
    if k <= left || media.duplicates.is_empty() {
        return Ok(());
    }
    let (all, noun) = (media.names.len(), media.kind.noun());
    Err(Failure::Input(format!(
        "k is {k}, but only {left} of {all} {noun}s can be chosen: the others are copies or blank"
    )))
}
