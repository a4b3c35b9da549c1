//! `arss select`: read, choose, write.

use std::ffi::OsString;
use std::path::Path;

use arss::{Count, Error, Method, Metric, Selection, Status};
use arss_media::{Kind, Media};
use arss_report::saved_result::{Input, Saved};
use arss_report::table_checksum::Checksum;
use arss_table::{
    Encode, ExtraColumns, ExtraValues, OutputFormat, Picks, Preparation, ReadOptions, Table, byte_size,
    checkpoint::{self, Claim},
    without_formula,
};

use crate::args::{ConstraintArgs, Order, SelectArgs, constraints, method};
use crate::commands::select_text;
use crate::failure::{Failure, Kept};
use crate::output_files::{self, Files, targets};
use crate::planning::memory_estimate;
use crate::planning::memory_plan::{self, MemoryPlan};
use crate::solve::{self, Disk, Job};
use crate::terminal::interrupt;
use crate::terminal::messages::Messages;
use crate::terminal::progress::{self, Show};
use crate::{indices, reading, selection_json};

/// Tables up to so many items are scored whole for the report; ARSS and RRSS take time with its square.
const SCORED_FOR_REPORT: usize = 5000;

/// Runs `arss select`; `words` is the command line it came from.
pub fn run(args: &SelectArgs, words: &[OsString]) -> Result<(), Failure> {
    let output_format = check_outputs(args)?;
    check_existing(args)?;
    let flags = &args.out.disk;
    let claim = checkpoint::run::claim(flags.checkpoint.as_deref(), flags.resume, args.out.force)?;
    let mut messages = Messages::new(args.quiet);
    let show = Show::new(args.quiet);
    interrupt::keep(args.out.keep_partial);
    let ready = Ready { claim, ..ready(args, &mut messages)? };
    output_files::media::check(&args.media, ready.media.as_deref())?;
    if let Some((target, format)) = args.output.as_deref().zip(output_format) {
        ready.table.check_target(target, format)?;
    }
    let (table, job) = (&ready.table, job(args, &ready));
    let selection = solve::run(&table.matrix, &job, &mut messages)?;
    let made = Made::new(args, words, &ready, &selection);
    progress::phase("write");
    output_files::commit(write_files(args, &made, output_format), table)?;
    let media = ready.media.as_deref();
    if let Some(media) = media {
        output_files::media::make_links(&args.media, (media, table), &selection, args.out.force)?;
    }
    if selection.report.status != Status::Stopped {
        checkpoint::run::done(ready.claim.as_ref())?;
    }
    drop(show);
    messages.add(select_text::summary(table, &job, &selection, media));
    if args.verbose {
        messages.add(select_text::details(table, &job, &selection));
    }
    messages.flush();
    if args.json {
        output_files::print(&selection_json::text(table, &job, &selection, (media, false)))?;
    } else if prints_picks(args) {
        output_files::print(&select_text::picks_sheet(table, &job, &selection, media).text())?;
    }
    match selection.report.status {
        Status::Stopped => Err(Failure::Interrupted(Kept::Partial)),
        _ if interrupt::asked() => Err(Failure::Interrupted(Kept::Everything)),
        _ => Ok(()),
    }
}

/// A table that can be chosen from, and how.
#[derive(Debug)]
pub struct Ready {
    /// The table, scaled.
    pub table: Table,
    /// The method, with what is demanded of it.
    pub method: Method,
    /// Of the table as it came, where a result is kept.
    pub checksum: Option<Checksum>,
    /// Where it is worked on.
    pub plan: MemoryPlan,
    /// How it became numbers, where a model is kept.
    pub preparation: Option<Preparation>,
    /// The folder of the checkpoint, where one is kept.
    pub claim: Option<Claim>,
    /// The files, if it is one of files.
    pub media: Option<Box<Media>>,
}

/// Reads the table as the flags ask for it.
pub fn ready(args: &SelectArgs, messages: &mut Messages) -> Result<Ready, Failure> {
    let method = checked_method(args)?;
    let mut plan = memory_plan::plan(args, &method)?;
    progress::phase("read");
    let options = ReadOptions { scratch: plan.scratch.clone(), ..read_options(args) };
    if let (Some(folder), Some(disk)) = (&plan.scratch, plan.disk) {
        let (folder, disk) = (folder.display(), byte_size::shown(disk));
        messages.add(format!("note: working from scratch files in {folder}, about {disk}"));
        messages.flush();
    }
    let how = (args.method.seed.unwrap_or_default(), args.method.no_gate);
    let (mut table, media) = reading::open(&args.input, &options, how, messages)?;
    if let Some(media) = &media {
        check_media(args)?;
        reading::drop_copies(&method, media, &mut table)?;
    }
    let mut method = constraints::apply(method, &args.method.constraints, &mut table)?;
    if let Some(media) = &media {
        method = reading::exclude_copies(method, media, &table);
        reading::check_count(args.k, &method, media, &table)?;
    } else if args.features {
        reading::check_columns(args.k, &table)?;
    } else {
        reading::check_rows(args.k, &args.input, &table)?;
    }
    let checksum = args.out.result.as_ref().map(|_| Checksum::of(&table));
    let how = (reading::scale(&args.input, media.as_deref()), args.input.metric);
    // Numbers of files are of one length by design: no hint about columns is for them.
    let mut unsaid = Messages::new(true);
    let said = if media.is_some() { &mut unsaid } else { messages };
    let preparation = solve::prepare(&mut table, how, args.out.model.is_some(), said)?;
    if table.matrix.is_on_disk() && memory_plan::fits_now(args, &method, (&table.matrix, &mut plan))? {
        table.matrix = table.matrix.into_memory()?;
    }
    Ok(Ready { table, method, checksum, plan, preparation, claim: None, media })
}

/// How the table is read.
pub fn read_options(args: &SelectArgs) -> ReadOptions {
    let demanded = &args.method.constraints;
    let mut options = args.input.options(demanded.weights.as_deref(), demanded.group.as_deref(), args.out.memory);
    if args.features && options.encode == Encode::Auto {
        // The 0/1 columns of a category are no columns that anybody could choose.
        (options.encode, options.booleans, options.dates) = (Encode::None, true, true);
    }
    options
}

/// The method, once it is sure that it can do what is asked.
pub fn checked_method(args: &SelectArgs) -> Result<Method, Failure> {
    check_axis(args)?;
    let method = method::build(&args.method)?;
    check_constraints(args, &method)?;
    Ok(method)
}

/// What the flags ask of the table.
pub fn job<'a>(args: &'a SelectArgs, ready: &'a Ready) -> Job<'a> {
    let all_scores = args.scores.is_some() || scored_for_report(args, &ready.table);
    let job = job_of(args, (&ready.method, &ready.plan));
    Job { all_scores, disk: Disk { claim: ready.claim.as_ref(), ..job.disk }, ..job }
}

/// What the flags ask of a table that was not read.
pub fn job_of<'a>(args: &'a SelectArgs, (method, plan): (&'a Method, &'a MemoryPlan)) -> Job<'a> {
    Job {
        method,
        count: args.k,
        features: args.features,
        threads: plan.threads,
        all_scores: false,
        keep_model: args.out.model.is_some(),
        metric: args.input.metric,
        outlook: if args.report.is_some() || args.out.result.is_some() { arss_report::AHEAD } else { 0 },
        disk: Disk {
            folder: plan.scratch.as_deref(),
            limit: memory_estimate::limit(args).unwrap_or(u64::MAX),
            flags: Some(&args.out.disk),
            claim: None,
        },
    }
}

/// The table as a result describes it.
pub fn described(ready: &Ready, picks: &[usize], features: bool) -> Input {
    let (rows, columns) = ready.table.matrix.shape();
    let shown: Vec<usize> = picks.iter().copied().filter(|&row| !features && row < rows).collect();
    let checksum = ready.checksum.map_or_else(String::new, |sum| sum.with_cells(&ready.table, &shown).text());
    Input { bytes: ready.table.source.bytes(), rows, columns, checksum }
}

/// Everything that is written.
struct Made<'a> {
    ready: &'a Ready,
    selection: &'a Selection,
    page: Option<String>,
    result: Option<String>,
}

impl<'a> Made<'a> {
    fn new(args: &SelectArgs, words: &[OsString], ready: &'a Ready, selection: &'a Selection) -> Self {
        progress::phase("report");
        let page = args.report.as_ref().map(|_| match &ready.media {
            Some(media) => super::media_page(words, &ready.table, media, selection),
            None => page(args, words, ready, selection),
        });
        let result = args.out.result.as_ref().map(|_| {
            let command = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            let input = described(ready, &selection.indices, args.features);
            Saved::new(command, input, selection).text()
        });
        Made { ready, selection, page, result }
    }
}

fn write_files(args: &SelectArgs, made: &Made<'_>, output_format: Option<OutputFormat>) -> Result<Files, Failure> {
    let (table, selection) = (&made.ready.table, made.selection);
    let mut files = Files::new(args.out.force);
    if let Some((target, format)) = args.output.as_deref().zip(output_format) {
        let (order, extra) = written(args, made.ready, selection);
        let picks = if args.features { Picks::Columns(&order) } else { Picks::Rows(&order) };
        files.add(target, |out| table.write(out, format, picks, &extra))?;
    }
    if let Some(target) = &args.out.indices {
        let numbers = table.numbers(&selection.indices, args.features);
        files.add(target, |out| indices::write(out, target, &numbers))?;
    }
    if let Some(target) = &args.scores {
        let plain = |name: &String| String::from_utf8_lossy(&without_formula(name.as_bytes())).into_owned();
        let names = || table.feature_names.iter();
        let names = args.features.then(|| names().map(|name| if args.safe_csv { plain(name) } else { name.clone() }));
        let names: Option<Vec<String>> = names.map(Iterator::collect);
        files.add(target, |out| {
            output_files::write_scores(out, selection, names.as_deref(), &|item| table.place_of(item, args.features))
        })?;
    }
    if let Some((target, assignment)) = args.assignments.as_deref().zip(selection.assignment.as_ref()) {
        files
            .add(target, |out| output_files::write_assignments(out, selection, assignment, &|row| table.number(row)))?;
    }
    for (target, text) in [(&args.report, &made.page), (&args.out.result, &made.result)] {
        if let Some((target, text)) = target.as_deref().zip(text.as_deref()) {
            files.add(target, |out| out.write_all(text.as_bytes()))?;
        }
    }
    if let Some((target, preparation)) = args.out.model.as_deref().zip(made.ready.preparation.as_ref()) {
        let model = solve::model_file(table, selection, preparation)?;
        files.add(target, |out| model.write(out))?;
    }
    if let Some(media) = made.ready.media.as_deref() {
        output_files::media::add(&mut files, &args.media, (media, table), selection)?;
    }
    Ok(files)
}

/// Fails on flags that have no meaning for files.
fn check_media(args: &SelectArgs) -> Result<(), Failure> {
    let given = [
        ("--model", args.out.model.is_some()),
        ("--result", args.out.result.is_some()),
        ("--checkpoint", args.out.disk.checkpoint.is_some()),
        ("--features", args.features),
    ];
    given.into_iter().find(|(_, given)| *given).map_or(Ok(()), |(flag, _)| Err(reading::no_model(flag)))
}

fn scored_for_report(args: &SelectArgs, table: &Table) -> bool {
    let (rows, columns) = table.matrix.shape();
    let asked = args.report.is_some() || args.out.result.is_some();
    asked && (if args.features { columns } else { rows }) <= SCORED_FOR_REPORT
}

/// The page about a choice.
pub fn page(args: &SelectArgs, words: &[OsString], ready: &Ready, selection: &Selection) -> String {
    super::page(words, &ready.table, &job(args, ready), selection, super::prepared(&args.input))
}

/// Fails on constraints that the method cannot meet: found out before the table is read.
fn check_constraints(args: &SelectArgs, method: &Method) -> Result<(), Failure> {
    if args.k == Count::Auto && !matches!(method, Method::Exemplars(_)) {
        return Err(Error::NoAuto { method: method.name() }.into());
    }
    if args.assignments.is_some() && !method.assigns() {
        let what = format!("--assignments is not known to method {}; use exemplars or facility", method.name());
        return Err(Failure::Input(what));
    }
    Ok(())
}

/// Fails on constraints on rows where columns are chosen.
fn check_axis(args: &SelectArgs) -> Result<(), Failure> {
    let ConstraintArgs { include, forbid, weights, group, quotas: _ } = &args.method.constraints;
    let of_rows = [("--include", include), ("--forbid", forbid), ("--weights", weights), ("--group", group)];
    let about_rows = [("--model", args.out.model.is_some()), ("--metric", args.input.metric != Metric::default())];
    if let Some((flag, _)) = about_rows.into_iter().find(|(_, given)| args.features && *given) {
        return Err(Failure::Input(format!("{flag} is about rows, but columns are chosen")));
    }
    match of_rows.into_iter().find(|(_, given)| given.is_some()) {
        Some((flag, _)) if args.features => {
            Err(Failure::Input(format!("{flag} is about rows, but columns are chosen")))
        }
        _ => Ok(()),
    }
}

/// The items as they come, best first, or in the order of the file.
pub fn in_order(items: &[usize], order: Order) -> Vec<usize> {
    let mut items = items.to_vec();
    if order == Order::File {
        items.sort_unstable();
    }
    items
}

/// The picks in the order in which they are written, and what is added to each.
fn written(args: &SelectArgs, ready: &Ready, selection: &Selection) -> (Vec<usize>, ExtraColumns) {
    let mut ranks: Vec<usize> = (0..selection.indices.len()).collect();
    let in_time = ready.media.as_ref().is_some_and(|media| media.kind == Kind::Frames);
    if args.order == Order::File || in_time {
        ranks.sort_by_key(|&rank| selection.indices[rank]);
    }
    let order = ranks.iter().map(|&rank| selection.indices[rank]).collect();
    if !args.add_scores || args.features {
        return (order, ExtraColumns::default());
    }
    let rank = ExtraValues::Int(ranks.iter().map(|&rank| rank as i64 + 1).collect());
    let score = ExtraValues::Float(ranks.iter().map(|&rank| selection.scores[rank]).collect());
    let mut columns = vec![("rank", rank), ("score", score)];
    // Rows that were set aside count neither here nor in the shares.
    if let Some(counts) = arss_media::page::stands_for(selection) {
        columns.push(("stands_for", ExtraValues::Int(ranks.iter().map(|&rank| counts[rank] as i64).collect())));
    }
    (order, ExtraColumns { columns })
}

/// The files that are asked for, with their flags.
pub fn targets(args: &SelectArgs) -> Vec<(&'static str, &Path)> {
    let all = [
        ("-o", &args.output),
        ("--indices", &args.out.indices),
        ("--scores", &args.scores),
        ("--assignments", &args.assignments),
        ("--report", &args.report),
        ("--result", &args.out.result),
        ("--model", &args.out.model),
        ("--contact-sheet", &args.media.contact_sheet),
    ];
    targets::asked(&all)
}

/// True if the picks are printed, as a table or as JSON.
pub fn prints_picks(args: &SelectArgs) -> bool {
    !targets::take_stdout(&targets(args))
}

/// The format of `-o`, once it is sure that all files can be written.
pub fn check_outputs(args: &SelectArgs) -> Result<Option<OutputFormat>, Failure> {
    let format = args.output.as_deref().map(|path| targets::format_of(path, args.format_out)).transpose()?;
    let [format] = targets::safe_formats([format], args.safe_csv)?;
    let all = targets(args);
    targets::check(&args.input.inputs, &all)?;
    targets::check_stdout(&all, args.json)?;
    output_files::media::check_places(&args.media, &args.input.inputs)?;
    Ok(format)
}

/// Fails if a file is there already and may not be replaced.
fn check_existing(args: &SelectArgs) -> Result<(), Failure> {
    targets::check_new(&targets(args), args.out.force)
}

/// Fails if the places that a run writes to are taken; changes nothing.
pub fn check_places(args: &SelectArgs) -> Result<(), Failure> {
    let flags = &args.out.disk;
    check_existing(args)?;
    Ok(checkpoint::run::check(flags.checkpoint.as_deref(), flags.resume, args.out.force)?)
}
