//! `arss select`: read, choose, write.

use std::ffi::OsString;

use arss::{Count, Error, Method, Selection};

use crate::args::{DemandArgs, Order, SelectArgs};
use crate::failure::Failure;
use crate::io::{self, Added, Extra, Picks, Table, Target};
use crate::messages::Messages;
use crate::output::{self, Files};
use crate::report::{self, More, Subject};
use crate::solve::{self, Job};
use crate::table::{Sheet, number};
use crate::{demands, json, method, targets};

/// Tables up to so many items are scored whole for the report; ARSS and RRSS take time with its square.
const SCORED_FOR_REPORT: usize = 5000;

/// Runs `arss select`; `words` is the command line it came from.
pub fn run(args: &SelectArgs, words: &[OsString]) -> Result<(), Failure> {
    let output_format = check_outputs(args)?;
    check_axis(args)?;
    let method = method::build(&args.method)?;
    check_demands(args, &method)?;
    let mut messages = Messages::new(args.quiet);
    let demanded = &args.method.demands;
    let reading = args.input.reading(demanded.weights.as_deref(), demanded.group.as_deref(), args.memory);
    let mut table = io::read(&reading, &mut |_, _| ())?;
    table.messages.drain(..).for_each(|message| messages.add(message));
    if let Some((target, format)) = args.output.as_deref().zip(output_format) {
        table.check_target(target, format)?;
    }
    let method = demands::apply(method, demanded, &mut table)?;
    solve::prepare(&mut table.values, args.input.scale, &mut messages);
    let job = Job {
        method: &method,
        count: args.k,
        features: args.features,
        threads: args.threads,
        all_scores: args.scores.is_some() || scored_for_report(args, &table),
    };
    let selection = solve::run(&table.values, &job, &mut messages)?;
    let page = args.report.as_deref().map(|target| (target, page(words, &table, &job, &selection)));

    let mut files = Files::default();
    if let Some((target, format)) = args.output.as_deref().zip(output_format) {
        let (order, extra) = written(args, &job, &selection);
        let picks = if job.features { Picks::Columns(&order) } else { Picks::Rows(&order) };
        files.add(target, |out| table.write(out, format, picks, &extra))?;
    }
    if let Some(target) = &args.scores {
        let names = args.features.then(|| table.names.clone());
        files.add(target, |out| output::write_scores(out, &selection, names.as_deref(), &|row| table.number(row)))?;
    }
    if let Some((target, assignment)) = args.assignments.as_deref().zip(selection.assignment.as_ref()) {
        files.add(target, |out| output::write_assignments(out, &selection, assignment, &|row| table.number(row)))?;
    }
    if let Some((target, page)) = page {
        files.add(target, |out| out.write_all(page.as_bytes()))?;
    }
    table.source.check_unchanged()?;
    files.commit()?;
    messages.add(summary(&table, &job, &selection));
    messages.flush();
    let text = if args.json {
        json::text(&table, &job, &selection, false)
    } else {
        picks_sheet(&table, &job, &selection).text()
    };
    output::print(&text)
}

fn scored_for_report(args: &SelectArgs, table: &Table) -> bool {
    let (rows, columns) = table.values.shape();
    args.report.is_some() && (if args.features { columns } else { rows }) <= SCORED_FOR_REPORT
}

fn page(words: &[OsString], table: &Table, job: &Job<'_>, selection: &Selection) -> String {
    let input = table.source.title();
    report::html(&Subject { table, job, selection, input, command: report::line(words), more: More::default() })
}

/// Fails on demands that the method cannot meet: found out before the table is read.
fn check_demands(args: &SelectArgs, method: &Method) -> Result<(), Failure> {
    if args.k == Count::Auto && !matches!(method, Method::Exemplars(_)) {
        return Err(Error::NoAuto { method: method.name() }.into());
    }
    if args.assignments.is_some() && !method.assigns() {
        let what = format!("--assignments is not known to method {}; use exemplars or facility", method.name());
        return Err(Failure::Input(what));
    }
    Ok(())
}

/// Fails on demands of rows where columns are chosen.
fn check_axis(args: &SelectArgs) -> Result<(), Failure> {
    let DemandArgs { include, forbid, weights, group, quotas: _ } = &args.method.demands;
    let of_rows = [("--include", include), ("--forbid", forbid), ("--weights", weights), ("--group", group)];
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
fn written(args: &SelectArgs, job: &Job<'_>, selection: &Selection) -> (Vec<usize>, Extra) {
    let mut ranks: Vec<usize> = (0..selection.indices.len()).collect();
    if args.order == Order::File {
        ranks.sort_by_key(|&rank| selection.indices[rank]);
    }
    let order = ranks.iter().map(|&rank| selection.indices[rank]).collect();
    if !args.add_scores || job.features {
        return (order, Extra::default());
    }
    let rank = Added::Int(ranks.iter().map(|&rank| rank as i64 + 1).collect());
    let score = Added::Float(ranks.iter().map(|&rank| selection.scores[rank]).collect());
    let mut columns = vec![("rank", rank), ("score", score)];
    if let Some(assignment) = &selection.assignment {
        let mut counts = vec![0; selection.indices.len()];
        assignment.labels.iter().for_each(|&label| counts[label] += 1);
        columns.push(("stands_for", Added::Int(ranks.iter().map(|&rank| counts[rank]).collect())));
    }
    (order, Extra { columns })
}

/// The format of `-o`, once it is sure that all files can be written.
fn check_outputs(args: &SelectArgs) -> Result<Option<Target>, Failure> {
    let format = args.output.as_deref().map(Target::of).transpose()?;
    let targets = [
        ("-o", &args.output),
        ("--scores", &args.scores),
        ("--assignments", &args.assignments),
        ("--report", &args.report),
    ];
    targets::check(&args.input.inputs, &targets)?;
    Ok(format)
}

/// The picks for people: rank, number, score, the share it stands for where that is known, and what the item is.
fn picks_sheet(table: &Table, job: &Job<'_>, selection: &Selection) -> Sheet {
    let ranked = selection.indices.iter().zip(&selection.scores).enumerate();
    let shares = selection.assignment.as_ref().map(|assignment| assignment.shares.as_slice());
    let start = |rank: usize, item: usize, score: f64| {
        let item = if job.features { item } else { table.number(item) };
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
        let names = &table.names;
        let mut sheet = Sheet::new(heading("column").chain(["name".to_owned()]));
        ranked.for_each(|(rank, (&item, &score))| {
            sheet.add(start(rank, item, score).chain([names[item].clone()]));
        });
        return sheet;
    }
    table.fetch(&selection.indices);
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
    let status = report.status.as_str().replace('_', " ");
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
