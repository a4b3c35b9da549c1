//! `arss outliers`: the strangest rows, why they are strange, and the table without them.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use arss::{Count, Exemplars, Method, Selection};
use arss_report::More;
use arss_report::outlier_reasons::Reasons;
use arss_table::number_text::number;
use arss_table::numeric_view::NumericView;
use arss_table::{ExtraColumns, Missing, OutputFormat, Picks, Preparation, Table};
use serde::Serialize;

use crate::args::outliers::{OutliersArgs, ScoreArgs};
use crate::commands::select;
use crate::failure::Failure;
use crate::output_files::{self, Files, targets};
use crate::reading;
use crate::selection_json::HowSure;
use crate::solve::{self, Disk, Job};
use crate::terminal::messages::Messages;
use crate::terminal::progress::Show;
use crate::terminal::text_table::TextTable;

/// The longest reason that is printed.
const WHY: usize = 44;

/// What was found.
struct Found<'a> {
    table: &'a Table,
    selection: &'a Selection,
    reasons: Reasons<'a>,
    /// All rows, the strangest first.
    order: Vec<usize>,
    /// The first so many of them are beyond the threshold.
    beyond: usize,
}

/// The share of the rows that --clean throws away without being asked twice.
const MOST_CLEANED: f64 = 0.15;

/// Runs `arss outliers`; `words` is the command line it came from.
pub fn run(args: &OutliersArgs, words: &[OsString]) -> Result<(), Failure> {
    let written = |target: &Option<PathBuf>| target.as_deref().map(|path| targets::format_of(path, None)).transpose();
    let formats = targets::safe_formats([written(&args.output)?, written(&args.clean)?], args.safe_csv)?;
    let all = [
        ("-o", &args.output),
        ("--clean", &args.clean),
        ("--scores", &args.scores),
        ("--report", &args.report),
        ("--model", &args.model),
    ];
    let all = targets::asked(&all);
    targets::check(&args.read.inputs, &all)?;
    targets::check_stdout(&all, args.common.json)?;
    targets::check_new(&all, args.common.force)?;
    let mut settings = settings(&args.score);
    settings.validate()?;
    let mut messages = Messages::new(args.common.quiet);
    let show = Show::new(args.common.quiet);
    let keep = args.model.is_some();
    let (table, preparation) = reading::read_and_keep(&args.read, args.common.memory, keep, &mut messages)?;
    for (target, format) in [&args.output, &args.clean].into_iter().zip(formats) {
        if let Some((target, format)) = target.as_deref().zip(format) {
            table.check_target(target, format)?;
        }
    }
    settings.outlier_columns = table.outlier_columns();
    let method = Method::Exemplars(settings);
    let job = Job {
        method: &method,
        count: Count::Auto,
        features: false,
        threads: args.common.threads,
        all_scores: false,
        keep_model: keep,
        metric: args.read.metric,
        outlook: if args.report.is_some() { arss_report::AHEAD } else { 0 },
        disk: Disk::default(),
    };
    // The final line reports the outliers, with the threshold of the flags.
    let selection = solve::run(&table.matrix, &job, &mut Messages::new(true))?;
    let found = Found::new(&table, &selection, args.threshold)?;
    if args.clean.is_some() {
        found.check_clean(args.clean_many)?;
    }
    let page = args.report.as_ref().map(|_| {
        let more = More { threshold: Some(args.threshold), ..super::prepared(&args.read) };
        super::page(words, &table, &job, &selection, more)
    });
    output_files::commit(write_files(args, &found, (formats, preparation.as_ref(), page)), &table)?;
    drop(show);
    messages.add(found.summary(args.threshold));
    let unjudged = table.source.rows() - table.matrix.shape().0;
    if args.clean.is_some() && unjudged > 0 && args.read.missing != Missing::Drop {
        messages.add(format!("note: rows that were left aside were not judged: --clean has these {unjudged}, too"));
    }
    messages.flush();
    if targets::take_stdout(&all) {
        return Ok(());
    }
    output_files::print(&if args.common.json { found.json(args) } else { found.sheet(args.rows).text() })
}

/// The formats of `-o` and `--clean`, how the table became numbers, and the page: each if it is asked for.
type Asked<'a> = ([Option<OutputFormat>; 2], Option<&'a Preparation>, Option<String>);

fn write_files(
    args: &OutliersArgs,
    found: &Found<'_>,
    (formats, preparation, page): Asked<'_>,
) -> Result<Files, Failure> {
    let table = found.table;
    let mut files = Files::new(args.common.force);
    if let Some((target, format)) = args.output.as_deref().zip(formats[0]) {
        let rows = select::in_order(&found.order[..found.beyond], args.order);
        files.add(target, |out| table.write(out, format, Picks::Rows(&rows), &ExtraColumns::default()))?;
    }
    if let Some((target, format)) = args.clean.as_deref().zip(formats[1]) {
        let rows = found.clean(args.read.missing);
        files.add(target, |out| table.write(out, format, Picks::Numbers(&rows), &ExtraColumns::default()))?;
    }
    if let Some(target) = &args.scores {
        files.add(target, |out| found.write_scores(out))?;
    }
    if let Some((target, preparation)) = args.model.as_deref().zip(preparation) {
        let model = solve::model_file(table, found.selection, preparation)?;
        files.add(target, |out| model.write(out))?;
    }
    if let Some((target, page)) = args.report.as_deref().zip(page) {
        files.add(target, |out| out.write_all(page.as_bytes()))?;
    }
    Ok(files)
}

fn settings(args: &ScoreArgs) -> Exemplars {
    let base = Exemplars::default();
    Exemplars {
        seed: args.seed,
        landmarks: args.landmarks.unwrap_or(base.landmarks),
        ridge: args.ridge.unwrap_or(base.ridge),
        ..base
    }
}

/// As many of the reasons as fit on the terminal; a first one that is too long is cut there.
fn fitting(why: &str) -> &str {
    let mut shown = why;
    while shown.chars().count() > WHY {
        let Some((first, _)) = shown.rsplit_once(", ") else { break };
        shown = first;
    }
    shown
}

/// The result as one JSON object.
#[derive(Debug, Serialize)]
struct Outcome<'a> {
    n_samples: usize,
    n_features: usize,
    threshold: f64,
    /// How many rows are beyond the threshold, and which, the strangest first.
    outliers: usize,
    indices: Vec<usize>,
    /// Of the rows above 1, whatever the threshold.
    #[serde(flatten)]
    how: HowSure,
    /// The strangest rows, beyond the threshold or not.
    rows: Vec<Strange<'a>>,
    /// The columns that the score was computed from.
    columns: &'a [String],
    solve_seconds: f64,
}

#[derive(Debug, Serialize)]
struct Strange<'a> {
    row: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    outlier_score: f64,
    exemplar: usize,
    why: Vec<Why<'a>>,
}

#[derive(Debug, Serialize)]
struct Why<'a> {
    column: &'a str,
    difference: f64,
}

impl<'a> Found<'a> {
    fn new(table: &'a Table, selection: &'a Selection, threshold: f64) -> Result<Self, Failure> {
        let scores = &selection.residuals;
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        let beyond = order.partition_point(|&row| scores[row] > threshold);
        let reasons = Reasons::new(NumericView::new(&table.matrix)?, table.outlier_columns(), selection);
        let reasons = reasons.ok_or_else(|| Failure::Run("there are no exemplars to compare with".to_owned()))?;
        Ok(Found { table, selection, reasons, order, beyond })
    }

    /// Fails if --clean would throw away everything, or more than `many` allows.
    fn check_clean(&self, many: bool) -> Result<(), Failure> {
        let (beyond, all) = (self.beyond, self.order.len());
        if beyond == all {
            let what = "every row is beyond --threshold, so nothing would be left for --clean; give a larger one";
            return Err(Failure::Input(what.to_owned()));
        }
        if !many && beyond as f64 > MOST_CLEANED * all as f64 {
            let what = format!(
                "--clean would throw away {beyond} of {all} rows, more than 15 %: look at them first; then give a larger \
                 --threshold, or --clean-many to do it"
            );
            return Err(Failure::Input(what));
        }
        Ok(())
    }

    /// The numbers in the file of the rows that stay, in its order. Rows that nobody judged stay, too, unless it was asked to
    /// drop them.
    fn clean(&self, missing: Missing) -> Vec<usize> {
        let table = self.table;
        if missing == Missing::Drop {
            let mut rows = table.numbers(&self.order[self.beyond..], false);
            rows.sort_unstable();
            return rows;
        }
        let mut stays = vec![true; table.source.rows()];
        self.order[..self.beyond].iter().for_each(|&row| stays[table.number(row)] = false);
        (0..stays.len()).filter(|&number| stays[number]).collect()
    }

    fn sheet(&self, rows: usize) -> TextTable {
        let start = ["row", "outlier score", "why"].map(str::to_owned);
        let mut sheet = TextTable::new(start.into_iter().chain(self.table.headings())).with_wide(2, WHY);
        self.table.fetch(&self.order[..rows.min(self.order.len())]);
        for &row in self.order.iter().take(rows) {
            let why = fitting(&self.reasons.text(row, self.table)).to_owned();
            let start = [self.table.number(row).to_string(), number(self.selection.residuals[row]), why];
            sheet.add(start.into_iter().chain(self.table.cells(row)));
        }
        sheet
    }

    fn json(&self, args: &OutliersArgs) -> String {
        let (n_samples, n_features) = self.table.matrix.shape();
        let names = &self.table.feature_names;
        let why = |row| {
            let reasons = self.reasons.of(row, self.table).into_iter();
            reasons.map(|reason| Why { column: &names[reason.column], difference: reason.difference }).collect()
        };
        let rows = self.order.iter().take(args.rows).map(|&row| Strange {
            row: self.table.number(row),
            id: self.table.id(row),
            outlier_score: self.selection.residuals[row],
            exemplar: self.table.number(self.reasons.exemplar(row)),
            why: why(row),
        });
        let result = Outcome {
            n_samples,
            n_features,
            threshold: args.threshold,
            outliers: self.beyond,
            indices: self.order[..self.beyond].iter().map(|&row| self.table.number(row)).collect(),
            how: HowSure::of(self.selection.report.set_aside()),
            rows: rows.collect(),
            columns: names,
            solve_seconds: self.seconds(),
        };
        // Strings and numbers only: there is nothing that could fail.
        serde_json::to_string(&result).unwrap_or_default() + "\n"
    }

    fn write_scores(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(["row", "outlier_score", "exemplar"])?;
        for (row, score) in self.selection.residuals.iter().enumerate() {
            let (row, exemplar) = (self.table.number(row), self.table.number(self.reasons.exemplar(row)));
            writer.write_record([row.to_string(), format!("{score:?}"), exemplar.to_string()])?;
        }
        writer.flush()
    }

    fn seconds(&self) -> f64 {
        let seconds = self.selection.report.seconds;
        seconds.prepare + seconds.solve + seconds.score
    }

    /// The run in one line.
    fn summary(&self, threshold: f64) -> String {
        let (rows, columns) = self.table.matrix.shape();
        let share = 100.0 * self.beyond as f64 / rows as f64;
        let are = if self.beyond == 1 { "row is" } else { "rows are" };
        format!(
            "outliers: {rows} x {columns}, {} {are} beyond {threshold} ({share:.1} %), {:.3} s",
            self.beyond,
            self.seconds()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_shown_whole() {
        let (one, two) = ("elevation_above_the_sea +12", "distance_to_the_water -8.1");
        assert_eq!(fitting(&format!("{one}, {two}")), one);
        assert_eq!(fitting("slope +3.1, height -2.0"), "slope +3.1, height -2.0");
        let long = "x".repeat(60);
        assert_eq!(fitting(&format!("{long}, {two}")), long);
        assert_eq!(fitting(""), "");
    }
}
