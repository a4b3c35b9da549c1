//! Where a run works: in memory, or from scratch files if the table does not fit.

use std::path::{Path, PathBuf};

use arss::{Error, Method};

use crate::args::SelectArgs;
use crate::failure::Failure;
use crate::io::Values;
use crate::need::{self, Shape};
use crate::survey::{self, Survey};
use crate::{select, size};

/// What is known of a run before it reads anything.
#[derive(Debug, Default)]
pub struct Room {
    /// The folder for scratch files; none if everything is in memory.
    pub scratch: Option<PathBuf>,
    /// Bytes of scratch files, if the size of the table is known.
    pub disk: Option<u64>,
}

/// Finds out; fails if there is too little of everything.
pub fn find(args: &SelectArgs, method: &Method) -> Result<Room, Failure> {
    let flags = &args.manners.disk;
    let folder = flags.scratch.clone().unwrap_or_else(std::env::temp_dir);
    if flags.scratch.is_some() && !folder.is_dir() {
        return Err(Failure::in_file(&folder, "is no folder, so it cannot hold scratch files"));
    }
    let checkpoint = flags.checkpoint.is_some();
    let Some(survey) = survey::look(&select::reading(args)) else {
        // Packed, from a pipe, or no table: where somebody cares about memory it is unpacked to the disk.
        let cared = args.manners.memory.is_some() || flags.scratch.is_some() || checkpoint;
        let can = can_stream(args, method, None);
        return match can {
            Err(why) if checkpoint => Err(no_checkpoint(&why)),
            Ok(()) if cared => Ok(Room { scratch: Some(folder), disk: None }),
            _ => Ok(Room::default()),
        };
    };
    if survey.rows == 0 || survey.used == 0 {
        // Reading tells what is wrong with it.
        return Ok(Room::default());
    }
    let shape = Shape::new(&survey, args.k, args.features);
    let limit = need::limit(args);
    let need = need::of_run(&survey, method, &shape);
    let fits = limit.is_none_or(|limit| need <= limit);
    if fits && !checkpoint {
        return Ok(Room::default());
    }
    match can_stream(args, method, Some(&shape)) {
        Err(why) if fits => return Err(no_checkpoint(&why)),
        Err(why) => return Err(refused(args, method, &survey, (need, &format!("; {why}")))),
        Ok(()) => {}
    }
    // Columns are chosen from a small triangle that the rows are made into.
    let least = need::least(&survey, method, &Shape::new(&survey, args.k, false));
    if limit.is_some_and(|limit| least > limit) {
        return Err(refused(args, method, &survey, (least, " even with scratch files")));
    }
    let state = state(&survey, method, args.features);
    let disk = survey.rows.saturating_mul(survey.used).saturating_mul(8).saturating_add(state);
    let free = free(&folder);
    check_free(&folder, free, ("scratch files need", disk, "--scratch"))?;
    if let Some(kept) = flags.checkpoint.as_deref().filter(|_| !args.features) {
        // The next state is whole before the last one is removed; one of them is there if the run goes on.
        let copies = if flags.resume { 1 } else { 2 };
        let place = kept.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
        let there = self::free(place);
        let shared = if same_disk(free, there) { disk } else { 0 };
        check_free(kept, there, ("the checkpoint needs", copies * state + shared, "--checkpoint"))?;
    }
    Ok(Room { scratch: Some(folder), disk: Some(disk) })
}

/// True if a table that was read to a file because its size was not known fits into memory after all; fails if it
/// cannot be worked on from the file, either.
pub fn fits_now(args: &SelectArgs, method: &Method, values: &Values) -> Result<bool, Failure> {
    let (rows, used) = values.shape();
    let (rows, used) = (rows as u64, used as u64);
    let survey = Survey { rows, used, element: values.element(), exact: true, ..Survey::default() };
    let Some(limit) = need::limit(args) else { return Ok(args.manners.disk.checkpoint.is_none()) };
    let need = need::of_run(&survey, method, &Shape::new(&survey, args.k, args.features));
    if need <= limit {
        return Ok(args.manners.disk.checkpoint.is_none());
    }
    let least = need::least(&survey, method, &Shape::new(&survey, args.k, false));
    if least > limit {
        return Err(refused(args, method, &survey, (least, " even with scratch files")));
    }
    Ok(false)
}

/// Why the run needs the whole table in memory, if it does.
fn can_stream(args: &SelectArgs, method: &Method, shape: Option<&Shape>) -> Result<(), String> {
    let demands = &args.method.demands;
    if args.features {
        return match method {
            Method::Arss(_) => Err("columns are chosen by arss in memory only; use --method ted or rrss".to_owned()),
            _ => Ok(()),
        };
    }
    if demands.weights.is_some() || demands.group.is_some() {
        return Err("--weights and --group need the whole table in memory".to_owned());
    }
    let (items, features) = shape.map_or((usize::MAX, 1), |shape| (shape.items as usize, shape.features as usize));
    match arss::elsewhere::check_method(method, items, features) {
        Err(Error::InMemoryOnly { what, .. }) => Err(format!("{what} needs the whole table in memory")),
        _ => Ok(()),
    }
}

fn no_checkpoint(why: &str) -> Failure {
    Failure::Input(format!("--checkpoint cannot be used here: {why}"))
}

/// One line about too little memory.
fn refused(args: &SelectArgs, method: &Method, survey: &Survey, (need, more): (u64, &str)) -> Failure {
    let about = if survey.exact { "" } else { "about " };
    let (rows, columns) = (survey.rows, survey.used);
    let limit = need::limit(args).unwrap_or(u64::MAX);
    let allowed = match args.manners.memory {
        Some(_) => format!("--memory allows {}", size::shown(limit)),
        None => format!("{} are free; --memory SIZE overrules this", size::shown(limit)),
    };
    let (name, need) = (method.name(), size::shown(need));
    let what = if more.starts_with(';') {
        format!("{name} on {about}{rows} x {columns} values needs about {need} of memory, but {allowed}{more}")
    } else {
        format!("{name} on {about}{rows} x {columns} values needs about {need} of memory{more}, but {allowed}")
    };
    Failure::in_file(&args.input.inputs[0], what)
}

/// Bytes that the method keeps of the rows.
fn state(survey: &Survey, method: &Method, features: bool) -> u64 {
    let kept = match method {
        Method::Arss(_) | Method::Rrss(_) if !features => survey.used.saturating_mul(survey.element),
        _ => 0,
    };
    survey.rows.saturating_mul(kept.saturating_add(64))
}

/// The size of a disk and what is free there. Where the system does not tell, writing will.
fn free(folder: &Path) -> Option<(u64, u64)> {
    let found = fs4::statvfs(folder).ok()?;
    Some((found.total_space(), found.available_space()))
}

/// True if both are the same disk, as far as one can see.
fn same_disk(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> bool {
    one.is_some() && one == other
}

/// Fails if the disk is too small for it.
fn check_free(folder: &Path, disk: Option<(u64, u64)>, (what, need, flag): (&str, u64, &str)) -> Result<(), Failure> {
    match disk {
        Some((_, free)) if free < need => {
            let (need, free) = (size::shown(need), size::shown(free));
            let what = format!("{what} about {need}, but {free} are free; {flag} DIR names another place");
            Err(Failure::in_file(folder, what))
        }
        _ => Ok(()),
    }
}
