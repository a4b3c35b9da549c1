//! `arss plan`: what `select` would do, before it is done.

use std::path::Path;
use std::time::{Duration, Instant};

use arss::Method;
use arss::estimate::ProblemSize;
use arss_table::{OutputFormat, Table, TableShape, byte_size, counted};
use serde_json::{Value, json};

use crate::args::{PlanArgs, SelectArgs};
use crate::commands::select;
use crate::failure::Failure;
use crate::output_files;
use crate::planning::memory_estimate;
use crate::planning::memory_plan::{self, MemoryPlan};
use crate::planning::time_estimate;
use crate::solve;
use crate::terminal::messages::Messages;
use crate::terminal::progress::{self, Show, span};
use crate::terminal::text_table::TextTable;

/// Names in one line.
const NAMES: usize = 12;
/// The longest reason that is shown.
const WHY: usize = 60;

/// Runs `arss plan`. What the run would be refused for, the plan is refused for; the rest of it is printed first.
pub fn run(args: &PlanArgs) -> Result<(), Failure> {
    let args = &args.select;
    let format = select::check_outputs(args)?;
    let taken = select::check_places(args).err();
    let mut plan = Plan::new(args);
    let made = make(args, format, &mut plan);
    match (taken, made) {
        // Without a table there is no plan.
        (taken, Err(failure)) => Err(taken.unwrap_or(failure)),
        (taken, Ok(refused)) => {
            output_files::print(&if args.json { format!("{}\n", plan.object) } else { plan.text() + &plan.roles })?;
            taken.or(refused).map_or(Ok(()), Err)
        }
    }
}

/// Makes the plan; why the run would be refused, if it would.
fn make(args: &SelectArgs, format: Option<OutputFormat>, plan: &mut Plan) -> Result<Option<Failure>, Failure> {
    let method = select::checked_method(args)?;
    let mut messages = Messages::new(args.quiet);
    let show = Show::new(args.quiet);
    let (memory, mut refused) = match memory_plan::plan(args, &method) {
        Ok(memory) => (memory, None),
        Err(refused) => (MemoryPlan::new(args, None), Some(refused)),
    };
    let shape = arss_table::probe_shape(&args.input.inputs, &select::read_options(args));
    if let Some(shape) = &shape {
        let need = memory_estimate::of_run(shape, args, &method, &planned_size(shape, args, &memory));
        plan.add_memory(need, memory_estimate::limit(args), memory.scratch.is_some());
        plan.add_shape(args, shape);
    }
    if let (Some(folder), Some(disk)) = (&memory.scratch, memory.disk) {
        // The table is not read: that would take as long as a good part of the run.
        plan.add_disk(folder, disk);
        if let Some(shape) = shape {
            refused = plan.add_unread(args, &shape, (&method, &memory))?;
        }
    } else if refused.is_none() {
        let started = Instant::now();
        let ready = select::ready(args, &mut messages)?;
        let reading = started.elapsed();
        plan.add_table(&ready.table);
        let job = select::job(args, &ready);
        let target = args.output.as_deref().zip(format);
        let media = output_files::media::check(&args.media, ready.media.as_deref());
        let written = || target.map_or(Ok(()), |(target, format)| ready.table.check_target(target, format));
        let written = media.and_then(|()| written().map_err(Failure::from));
        refused = written.and_then(|()| solve::check(&ready.table.matrix, &job)).err();
        if refused.is_none() {
            progress::phase("time");
            // A part of the table may be what the table is not: all zero, for instance.
            if let Ok(Some(timed)) = time_estimate::time(&ready.table.matrix, &method, &job) {
                let cells = shape.map_or(0, |shape| memory_estimate::printed_cells(&shape, args, timed.picks));
                plan.add_time(&timed, reading + time_estimate::printing(cells), args.features);
            }
        }
    }
    drop(show);
    messages.flush();
    Ok(refused)
}

/// The size of what is chosen from, with the threads that there is memory for.
fn planned_size(shape: &TableShape, args: &SelectArgs, memory: &MemoryPlan) -> ProblemSize {
    let size = memory_estimate::problem_size(shape, args);
    ProblemSize { threads: memory.threads as u64, ..size }
}

/// The plan for people and for machines.
struct Plan {
    lines: Vec<(&'static str, String)>,
    object: Value,
    /// What each column is, as a table.
    roles: String,
}

impl Plan {
    fn new(args: &SelectArgs) -> Self {
        let method = &args.method.method;
        let name = method.name();
        let mut plan = Plan { lines: Vec::new(), object: json!({}), roles: String::new() };
        plan.add("method", name, json!(name));
        let outputs: Vec<(String, Value)> = select::targets(args)
            .into_iter()
            .map(|(flag, target)| {
                let there = target.is_file();
                let fate = match (there, args.out.force) {
                    (false, _) => "new",
                    (true, true) => "replaced",
                    (true, false) => "exists, needs --force",
                };
                let shown = target.display();
                (
                    format!("{flag} {shown} ({fate})"),
                    json!({ "flag": flag, "path": shown.to_string(), "exists": there }),
                )
            })
            .collect();
        let texts: Vec<&str> = outputs.iter().map(|(text, _)| text.as_str()).collect();
        let text = if texts.is_empty() { "none, the picks are printed".to_owned() } else { texts.join(", ") };
        let objects = outputs.iter().map(|(_, object)| object.clone()).collect();
        plan.add("outputs", &text, Value::Array(objects));
        plan
    }

    /// Adds a line, or replaces the one of that name.
    fn add(&mut self, name: &'static str, text: &str, value: Value) {
        self.object[name] = value;
        match self.lines.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => text.clone_into(known),
            None => self.lines.push((name, text.to_owned())),
        }
    }

    fn text(&self) -> String {
        let clean = |text: &str| text.replace(|c: char| c.is_control(), " ");
        self.lines.iter().map(|(name, text)| format!("{name:<8} {}\n", clean(text))).collect()
    }

    fn add_shape(&mut self, args: &SelectArgs, shape: &TableShape) {
        let paths: Vec<String> = args.input.inputs.iter().map(|path| path.display().to_string()).collect();
        let text = format!("{}, {}, all of it", listed(&paths), byte_size::shown(shape.bytes));
        let path = json!(paths.first());
        self.add("read", &text, json!({ "path": path, "paths": paths, "bytes": shape.bytes }));
        let about = if shape.exact { "" } else { "about " };
        let text = format!("{about}{} rows, {} columns, {} numeric", shape.rows, shape.columns, shape.used);
        let object = json!({ "rows": shape.rows, "columns": shape.columns, "exact": shape.exact });
        self.add("table", &text, object);
    }

    fn add_memory(&mut self, need: u64, limit: Option<u64>, from_disk: bool) {
        let of = limit.map_or_else(String::new, |limit| format!(" of {}", byte_size::shown(limit)));
        let text = match limit.filter(|_| from_disk) {
            Some(limit) => {
                format!("at most {}; all at once would be about {}", byte_size::shown(limit), byte_size::shown(need))
            }
            None => format!("about {}{of}", byte_size::shown(need)),
        };
        self.add("memory", &text, json!({ "bytes": need, "limit": limit }));
    }

    fn add_disk(&mut self, folder: &Path, disk: u64) {
        let text = format!("about {} of scratch files in {}", byte_size::shown(disk), folder.display());
        self.add("disk", &text, json!({ "bytes": disk, "path": folder.display().to_string() }));
    }

    /// What is known of a run from scratch files; why it would be refused, if it would.
    fn add_unread(
        &mut self,
        args: &SelectArgs,
        shape: &TableShape,
        (method, memory): (&Method, &MemoryPlan),
    ) -> Result<Option<Failure>, Failure> {
        let items = if args.features { shape.columns } else { shape.rows };
        if shape.exact
            && let Err(refused) = method.check_run(args.k, usize::try_from(items).unwrap_or(usize::MAX))
        {
            return Ok(Some(refused.into()));
        }
        let media = output_files::media::check(&args.media, None);
        let metric = method.check_metric(solve::metric_of_rows(args.input.metric)).map_err(Failure::from);
        if let Err(refused) = media.and(metric) {
            return Ok(Some(refused));
        }
        if let Some(folder) = memory.scratch.as_deref().filter(|_| !args.features) {
            progress::phase("time");
            let size = planned_size(shape, args, memory);
            let job = select::job_of(args, (method, memory));
            let text = if shape.in_chunks { shape.bytes } else { 0 };
            let timed = time_estimate::time_from_disk(&size, method, &job, (folder, text, memory.in_place))?;
            let cells = memory_estimate::printed_cells(shape, args, size.k);
            self.add_time(&timed, time_estimate::printing(cells), false);
        }
        Ok(None)
    }

    /// What is known once the table was read.
    fn add_table(&mut self, table: &Table) {
        let (rows, columns) = table.matrix.shape();
        let names = &table.feature_names;
        let headings = table.headings();
        let used = |heading: &String| table.feature_columns.iter().any(|&column| headings[column] == *heading);
        let ignored: Vec<String> = headings.iter().filter(|heading| !used(heading)).cloned().collect();
        let text = format!("{rows} rows, {} columns", headings.len());
        let object = json!({ "rows": rows, "columns": headings.len(), "exact": true });
        self.add("table", &text, object);
        self.add("used", &format!("{columns}: {}", listed(names)), json!(names));
        self.add("ignored", &format!("{}: {}", ignored.len(), listed(&ignored)), json!(ignored));
        let dropped = table.source.rows() - rows;
        let text = match (table.filled, dropped) {
            (0, 0) => "0 values".to_owned(),
            (0, dropped) => format!("{}, dropped", counted(dropped, "row")),
            (filled, _) => format!("{}, filled in", counted(filled, "value")),
        };
        self.add("missing", &text, json!(table.filled + dropped));
        if !table.columns.is_empty() {
            self.object["columns"] = json!(table.columns);
            let mut sheet = TextTable::new(["column", "role", "used", "why"].map(str::to_owned)).with_wide(3, WHY);
            for info in &table.columns {
                let used = if info.used { "yes" } else { "no" };
                sheet.add([info.name.clone(), info.role.name().to_owned(), used.to_owned(), info.why.clone()]);
            }
            self.roles = format!("\n{}", sheet.text());
        }
    }

    /// The time of the choice, and of what comes before and after it.
    fn add_time(&mut self, timed: &time_estimate::Timed, beside: Duration, features: bool) {
        let items = if features { "columns" } else { "rows" };
        let whole = timed.estimate.saturating_add(beside);
        let text = format!("about {} ({} {items} took {:.2} s)", span(whole), timed.items, timed.took.as_secs_f64());
        let object = json!({
            "seconds": whole.as_secs_f64(), "timed": timed.items, "took": timed.took.as_secs_f64(),
        });
        self.add("time", &text, object);
    }
}

fn listed(names: &[String]) -> String {
    let more = if names.len() > NAMES { ", ..." } else { "" };
    let text = names.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
    if names.is_empty() { "none".to_owned() } else { text + more }
}
