//! `arss compare`: several methods on one table, judged alike.

mod advice;
mod judge;
mod output;
mod patience;

use std::ffi::OsString;
use std::time::Instant;

use arss::{Count, Exemplars, Method, Metric, Random, Selection};
use arss_report::More;
use arss_table::numeric_view::NumericView;
use arss_table::{Categories, Table};
use judge::{Judge, Verdict};

use crate::args::compare::CompareArgs;
use crate::failure::Failure;
use crate::output_files::{self, Files, targets};
use crate::reading;
use crate::solve::{self, Disk, Job};
use crate::terminal::messages::Messages;
use crate::terminal::progress::Show;

/// Random choices that are averaged.
const DRAWS: u64 = 10;

/// One method, run and judged.
#[derive(Debug, Clone)]
struct Entry {
    name: &'static str,
    seconds: f64,
    verdict: Verdict,
    /// What was chosen (random: the first draw).
    indices: Vec<usize>,
    notes: Vec<String>,
}

/// All methods, and what they were judged on.
#[derive(Debug)]
struct Compared {
    /// The methods, the best first.
    entries: Vec<Entry>,
    /// Methods that did not run, and why.
    left_out: Vec<(&'static str, String)>,
    /// Mean distance of the ordinary rows to the nearest of as many random ones.
    random: f64,
    /// Rows that were judged.
    judged: usize,
    /// Rows that look like outliers.
    outliers: usize,
}

/// Runs `arss compare`; `words` is the command line it came from.
pub fn run(args: &CompareArgs, words: &[OsString]) -> Result<(), Failure> {
    let all = targets::asked(&[("--report", &args.report)]);
    targets::check(&args.read.inputs, &all)?;
    targets::check_new(&all, args.common.force)?;
    if args.patience.is_nan() || args.patience < 0.0 {
        return Err(Failure::Input(format!("--patience is {}, but it must not be negative", args.patience)));
    }
    if matches!(args.read.metric, Metric::Manhattan | Metric::Precomputed) {
        let what =
            "compare judges by straight lines or angles: use --metric euclidean or cosine, and select for others";
        return Err(Failure::Input(what.to_owned()));
    }
    let mut messages = Messages::new(args.common.quiet);
    let show = Show::new(args.common.quiet);
    // Its outlier scores judge all of them, so exemplars run in any case.
    let mut table = reading::read(&args.read, args.common.memory, &mut messages)?;
    reading::check_rows(args.k, &args.read, &table)?;
    let outlier_columns = table.outlier_columns();
    let exemplars = Method::Exemplars(Exemplars { seed: args.seed, outlier_columns, ..Exemplars::default() });
    let labels = table.side.label.take().map(Categories::texts);
    let job = job(&exemplars, args.k, args);
    let (selection, seconds) = timed(&table, &job)?;
    messages.flush();
    let judge = Judge::new(NumericView::new(&table.matrix)?, &selection.residuals, labels, selection.indices.len());
    let first = Entry::new(&selection, seconds, judge.judge(&selection.indices));
    let compared = compare(args, &table, &judge, first)?;

    let mut files = Files::new(args.common.force);
    if let Some(target) = &args.report {
        let more = More { comparison: Some(output::page(&compared, args, &table)), ..super::prepared(&args.read) };
        let page = super::page(words, &table, &job, &selection, more);
        files.add(target, |out| out.write_all(page.as_bytes()))?;
    }
    table.source.check_unchanged()?;
    files.commit()?;
    drop(show);
    for (name, reason) in &compared.left_out {
        messages.add(format!("left out: {name}, {reason}"));
    }
    messages.add(output::summary(&compared, &table));
    messages.flush();
    let text =
        if args.common.json { output::json(&compared, args, &table) } else { output::sheet(&compared, args).text() };
    output_files::print(&text)
}

/// Runs and judges the methods; the entry of exemplars is `first`.
fn compare(args: &CompareArgs, table: &Table, judge: &Judge<'_>, first: Entry) -> Result<Compared, Failure> {
    let yardstick = random(args, table, judge)?;
    let mut compared = Compared {
        entries: Vec::new(),
        left_out: Vec::new(),
        random: yardstick.verdict.distance,
        judged: judge.rows.len(),
        outliers: judge.outliers(),
    };
    for method in Method::all().into_iter().filter(|m| args.methods.is_empty() || args.methods.contains(m)) {
        match method {
            Method::Exemplars(_) => compared.entries.push(first.clone()),
            Method::Random(_) => compared.entries.push(yardstick.clone()),
            _ => compared.try_method(&method.with_seed(args.seed), args, table, judge)?,
        }
    }
    compared.entries.sort_by(|a, b| a.verdict.order(&b.verdict).then(a.name.cmp(b.name)));
    Ok(compared)
}

impl Compared {
    /// Runs and judges one method, or says why not.
    fn try_method(
        &mut self,
        method: &Method,
        args: &CompareArgs,
        table: &Table,
        judge: &Judge<'_>,
    ) -> Result<(), Failure> {
        let k = judge.k;
        let expected = patience::seconds(method, table.matrix.shape(), k);
        if args.methods.is_empty() && expected > args.patience {
            let reason =
                format!("it would take about {}; --methods {} runs it", patience::words(expected), method.name());
            self.left_out.push((method.name(), reason));
            return Ok(());
        }
        match timed(table, &job(method, Count::Exactly(k), args)) {
            Ok((selection, seconds)) => {
                self.entries.push(Entry::new(&selection, seconds, judge.judge(&selection.indices)));
            }
            Err(Failure::Input(reason)) => self.left_out.push((method.name(), reason)),
            Err(other) => return Err(other),
        }
        Ok(())
    }
}

impl Entry {
    fn new(selection: &Selection, seconds: f64, verdict: Verdict) -> Self {
        let notes = selection.report.notes.iter().map(ToString::to_string).collect();
        Entry { name: selection.method, seconds, verdict, indices: selection.indices.clone(), notes }
    }
}

/// Several random choices, averaged.
fn random(args: &CompareArgs, table: &Table, judge: &Judge<'_>) -> Result<Entry, Failure> {
    let mut draws = Vec::new();
    for draw in 0..DRAWS {
        let method = Method::Random(Random { seed: args.seed.wrapping_add(draw) });
        let (selection, seconds) = timed(table, &job(&method, Count::Exactly(judge.k), args))?;
        draws.push(Entry::new(&selection, seconds, judge.judge(&selection.indices)));
    }
    let verdicts: Vec<Verdict> = draws.iter().map(|draw| draw.verdict).collect();
    let seconds = draws.iter().map(|draw| draw.seconds).sum::<f64>() / DRAWS as f64;
    let notes = vec![format!("the mean of {DRAWS} draws")];
    Ok(Entry { seconds, verdict: Verdict::mean(&verdicts), notes, ..draws.swap_remove(0) })
}

fn job<'a>(method: &'a Method, count: Count, args: &CompareArgs) -> Job<'a> {
    Job {
        method,
        count,
        features: false,
        threads: args.common.threads,
        all_scores: false,
        keep_model: false,
        metric: Metric::default(),
        outlook: if args.report.is_some() { arss_report::AHEAD } else { 0 },
        disk: Disk::default(),
    }
}

/// A choice and the seconds it took.
fn timed(table: &Table, job: &Job<'_>) -> Result<(Selection, f64), Failure> {
    let start = Instant::now();
    // Notes are in the JSON object; on stderr they would not say which method they are about.
    let selection = solve::run(&table.matrix, job, &mut Messages::new(true))?;
    Ok((selection, start.elapsed().as_secs_f64()))
}
