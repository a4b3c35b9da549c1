//! `arss select`: read, choose, write.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use arss::{Count, Error, Method, Selection, Status};

use crate::args::{DemandArgs, SelectArgs};
use crate::checksum::Checksum;
use crate::failure::{Failure, Kept};
use crate::io::{self, Format, Picks, Table};
use crate::messages::Messages;
use crate::output::{self, Files};
use crate::progress::{self, Show};
use crate::report::{self, Subject};
use crate::result::{Input, Saved};
use crate::solve::{self, Job};
use crate::table::{Sheet, number};
use crate::{demands, indices, input, interrupt, json, method, need, remake};

/// Tables up to so many items are scored whole for the report; ARSS and RRSS take time with its square.
const SCORED_FOR_REPORT: usize = 5000;

/// Runs `arss select`; `words` is the command line it came from.
pub fn run(args: &SelectArgs, words: &[OsString]) -> Result<(), Failure> {
    let output_format = check_outputs(args)?;
    check_existing(args)?;
    let mut messages = Messages::new(args.quiet);
    let show = Show::new(args.quiet);
    interrupt::keep(args.manners.keep_partial);
    let ready = ready(args, &args.input, &mut messages)?;
    let (table, job) = (&ready.table, job(args, &ready));
    let selection = solve::run(&table.values, &job, &mut messages)?;
    let made = Made::new(args, words, &ready, &selection);
    progress::phase("write");
    write_files(args, &made, output_format)?;
    drop(show);
    messages.add(summary(table, &job, &selection));
    messages.flush();
    let text = if args.json {
        json::text(table, &job, &selection, false)
    } else {
        picks_sheet(table, &job, &selection).text()
    };
    output::print(&text)?;
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
}

/// Reads the table in the file `place` as the flags ask for it.
pub fn ready(args: &SelectArgs, place: &Path, messages: &mut Messages) -> Result<Ready, Failure> {
    let format = input_format(place)?;
    let method = checked_method(args)?;
    need::check(args, place, format, &method)?;
    let mut table = input::watched(&[place], || io::read(place, format))?;
    table.messages.drain(..).for_each(|message| messages.add(message));
    let method = demands::apply(method, &args.method.demands, &mut table)?;
    let checksum = args.manners.result.as_ref().map(|_| Checksum::of(&table));
    solve::prepare(&mut table.values, args.scale, messages);
    Ok(Ready { table, method, checksum })
}

/// The method, once it is sure that it can do what is asked.
pub fn checked_method(args: &SelectArgs) -> Result<Method, Failure> {
    let method = method::build(&args.method)?;
    check_demands(args, &method)?;
    Ok(method)
}

/// What the flags ask of the table.
pub fn job<'a>(args: &SelectArgs, ready: &'a Ready) -> Job<'a> {
    Job {
        method: &ready.method,
        count: args.k,
        features: args.features,
        threads: args.threads,
        all_scores: args.scores.is_some() || scored_for_report(args, &ready.table),
    }
}

/// The table as a result describes it.
pub fn described(place: &Path, ready: &Ready, picks: &[usize], features: bool) -> Input {
    let (rows, columns) = ready.table.values.shape();
    let shown: Vec<usize> = picks.iter().copied().filter(|&row| !features && row < rows).collect();
    let checksum = ready.checksum.map_or_else(String::new, |sum| sum.with_cells(&ready.table, &shown).text());
    Input { bytes: remake::bytes_of(place), rows, columns, checksum }
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
        let job = job(args, ready);
        let page = args.report.as_ref().map(|_| page(args, words, &ready.table, &job, selection));
        let result = args.manners.result.as_ref().map(|_| {
            let command = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            let input = described(&args.input, ready, &selection.indices, args.features);
            Saved::new(command, input, selection).text()
        });
        Made { ready, selection, page, result }
    }
}

fn write_files(args: &SelectArgs, made: &Made<'_>, output_format: Option<Format>) -> Result<(), Failure> {
    let (table, selection) = (&made.ready.table, made.selection);
    let mut files = Files::new(args.manners.force);
    if let Some((target, format)) = args.output.as_deref().zip(output_format) {
        files.add(target, |out| table.write(out, format, picks(&job(args, made.ready), selection)))?;
    }
    if let Some(target) = &args.manners.indices {
        files.add(target, |out| indices::write(out, target, &selection.indices))?;
    }
    if let Some(target) = &args.scores {
        let names = args.features.then(|| column_names(table));
        files.add(target, |out| output::write_scores(out, selection, names.as_deref()))?;
    }
    if let Some((target, assignment)) = args.assignments.as_deref().zip(selection.assignment.as_ref()) {
        files.add(target, |out| output::write_assignments(out, selection, assignment))?;
    }
    for (target, text) in [(&args.report, &made.page), (&args.manners.result, &made.result)] {
        if let Some((target, text)) = target.as_deref().zip(text.as_deref()) {
            files.add(target, |out| out.write_all(text.as_bytes()))?;
        }
    }
    files.commit()
}

fn scored_for_report(args: &SelectArgs, table: &Table) -> bool {
    let (rows, columns) = table.values.shape();
    let asked = args.report.is_some() || args.manners.result.is_some();
    asked && (if args.features { columns } else { rows }) <= SCORED_FOR_REPORT
}

/// The page about a choice.
pub fn page(args: &SelectArgs, words: &[OsString], table: &Table, job: &Job<'_>, selection: &Selection) -> String {
    // The folder is nobody's business; it is in the command line if it was typed.
    let input = args.input.file_name().unwrap_or(args.input.as_os_str()).to_string_lossy().into_owned();
    report::html(&Subject { table, job, selection, input, command: report::line(words) })
}

/// Fails on demands that the method or the axis cannot meet: found out before the table is read.
fn check_demands(args: &SelectArgs, method: &Method) -> Result<(), Failure> {
    if args.k == Count::Auto && !matches!(method, Method::Exemplars(_)) {
        return Err(Error::NoAuto { method: method.name() }.into());
    }
    if args.assignments.is_some() && !method.assigns() {
        let what = format!("--assignments is not known to method {}; use exemplars or facility", method.name());
        return Err(Failure::Input(what));
    }
    let DemandArgs { include, forbid, weights, group, quotas: _ } = &args.method.demands;
    let of_rows = [("--include", include), ("--forbid", forbid), ("--weights", weights), ("--group", group)];
    match of_rows.into_iter().find(|(_, given)| given.is_some()) {
        Some((flag, _)) if args.features => {
            Err(Failure::Input(format!("{flag} is about rows, but --features chooses columns")))
        }
        _ => Ok(()),
    }
}

/// What is written to `-o`.
pub fn picks<'a>(job: &Job<'_>, selection: &'a Selection) -> Picks<'a> {
    if job.features { Picks::Columns(&selection.indices) } else { Picks::Rows(&selection.indices) }
}

/// The format of the input.
pub fn input_format(input: &Path) -> Result<Format, Failure> {
    if input.is_dir() {
        return Err(Failure::in_file(input, "is a directory, not a file"));
    }
    Format::of(input).ok_or_else(|| Failure::in_file(input, "unknown kind of file; .csv and .npy are read"))
}

/// True if both are the same file.
pub fn same(a: &Path, b: &Path) -> bool {
    a == b || fs::canonicalize(a).ok().is_some_and(|a| fs::canonicalize(b).ok() == Some(a))
}

/// The files that are asked for, with their flags.
pub fn targets(args: &SelectArgs) -> Vec<(&'static str, &Path)> {
    let all = [
        ("-o", &args.output),
        ("--indices", &args.manners.indices),
        ("--scores", &args.scores),
        ("--assignments", &args.assignments),
        ("--report", &args.report),
        ("--result", &args.manners.result),
    ];
    all.into_iter().filter_map(|(flag, path)| Some((flag, path.as_deref()?))).collect()
}

/// The format of `-o`, once it is sure that all files can be written.
pub fn check_outputs(args: &SelectArgs) -> Result<Option<Format>, Failure> {
    let input = input_format(&args.input)?;
    let targets = targets(args);
    for (at, (flag, target)) in targets.iter().enumerate() {
        if same(target, &args.input) {
            return Err(Failure::in_file(target, "is the input; write to another file"));
        }
        if let Some((other, _)) = targets[..at].iter().find(|(_, other)| same(target, other)) {
            return Err(Failure::in_file(target, format_args!("was given to both {other} and {flag}")));
        }
    }
    let format = match &args.output {
        None => None,
        Some(target) => Some(output_format(target, input)?),
    };
    targets.iter().try_for_each(|(_, target)| output::check_target(target))?;
    Ok(format)
}

/// Fails if a file is there already and may not be replaced.
fn check_existing(args: &SelectArgs) -> Result<(), Failure> {
    targets(args).iter().try_for_each(|(_, target)| output::check_new(target, args.manners.force))
}

fn output_format(target: &Path, input: Format) -> Result<Format, Failure> {
    match (input, Format::of(target)) {
        (Format::Csv, Some(Format::Csv)) => Ok(Format::Csv),
        (Format::Npy, Some(format)) => Ok(format),
        (Format::Csv, _) => Err(Failure::in_file(target, "from a .csv input, -o writes .csv")),
        (Format::Npy, None) => Err(Failure::in_file(target, "from a .npy input, -o writes .npy or .csv")),
    }
}

/// The names of the columns that are chosen by.
pub fn column_names(table: &Table) -> Vec<String> {
    let columns = table.values.shape().1;
    (0..columns).map(|column| table.name(column).map_or_else(|| io::npy::heading(column), str::to_owned)).collect()
}

/// The picks for people: rank, number, score, the share it stands for where that is known, and what the item is.
fn picks_sheet(table: &Table, job: &Job<'_>, selection: &Selection) -> Sheet {
    let ranked = selection.indices.iter().zip(&selection.scores).enumerate();
    let shares = selection.assignment.as_ref().map(|assignment| assignment.shares.as_slice());
    let start = |rank: usize, item: usize, score: f64| {
        let cells = [(rank + 1).to_string(), item.to_string(), number(score)];
        cells.into_iter().chain(shares.map(|shares| format!("{:.4}", shares[rank])))
    };
    let heading = |item: &str| {
        ["rank", item, "score"]
            .into_iter()
            .chain(shares.map(|_| "share"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .into_iter()
    };
    if job.features {
        let names = column_names(table);
        let mut sheet = Sheet::new(heading("column").chain(["name".to_owned()]));
        ranked.for_each(|(rank, (&item, &score))| {
            sheet.add(start(rank, item, score).chain([names[item].clone()]));
        });
        return sheet;
    }
    let mut sheet = Sheet::new(heading("row").chain(table.headings()));
    ranked.for_each(|(rank, (&item, &score))| {
        sheet.add(start(rank, item, score).chain(table.cells(item)));
    });
    sheet
}

/// The run in one line.
pub fn summary(table: &Table, job: &Job<'_>, selection: &Selection) -> String {
    let (rows, columns) = table.values.shape();
    let report = &selection.report;
    let status = json::status(report.status).replace('_', " ");
    let mut line = format!("{}: {rows} x {columns}, ", job.method.name());
    line += &format!("{} {}, ", selection.indices.len(), if job.features { "columns" } else { "rows" });
    line += &format!("{status}, {} iterations", report.iterations);
    if report.objective.is_finite() {
        line += &format!(", objective {}", number(report.objective));
    }
    if let Some(gap) = report.gap {
        line += &format!(", gap {gap:.2e}");
    }
    let seconds = report.seconds;
    format!("{line}, {:.3} s", seconds.prepare + seconds.solve + seconds.score)
}
