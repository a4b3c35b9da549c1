//! `arss demo`: choose from a bundled table of forest plots, 60 of which are damaged, and from a folder of pictures.

use std::ffi::OsString;
use std::path::Path;

use arss::{Arss, Count, Exemplars, Method, Metric, Random, Selection};
use arss_report::More;
use arss_table::number_text::number;
use arss_table::{ExtraColumns, OutputFormat, Picks, ReadOptions, Scale, Table};

use crate::args::DemoArgs;
use crate::commands::{demo_pictures, select_text};
use crate::failure::Failure;
use crate::output_files::{self, Files};
use crate::selection_json;
use crate::solve::{self, Disk, Job};
use crate::terminal::messages::Messages;
use crate::terminal::text_table::TextTable;

const FOREST: &[u8] = include_bytes!("../../data/forest.csv");
const K: usize = 12;
const STRANGEST: usize = 8;
/// Random choices that the comparison averages over.
const DRAWS: u64 = 100;
/// Columns of the bundled table that are shown.
const SHOWN: [&str; 4] = ["elevation_m", "slope_deg", "cover_type", "damage"];

/// Runs `arss demo`; `words` is the command line it came from.
pub fn run(args: &DemoArgs, words: &[OsString]) -> Result<(), Failure> {
    output_files::make_folder(&args.directory)?;
    let mut messages = Messages::new(false);
    let options = ReadOptions { label: Some("cover_type".to_owned()), ..ReadOptions::default() };
    let mut table = arss_table::read_bytes(FOREST, "forest.csv", &options)?;
    solve::prepare(&mut table, (Scale::default(), Metric::default()), false, &mut messages)?;
    let default = Method::Exemplars(Exemplars::default());
    let job = job(&default);
    let chosen = solve::run(&table.matrix, &job, &mut messages)?;
    let rivals = rivals(&table)?;
    let more = More { label: options.label.clone(), ..More::default() };
    let shown = super::page(words, &table, &job, &chosen, more);
    write_files(&args.directory, &table, &job, &chosen, &shown)?;
    messages.add(select_text::summary(&table, &job, &chosen, None));
    messages.flush();
    let pictures = demo_pictures::run(&args.directory)?;
    output_files::print(&(page(&table, &chosen, &rivals, &args.directory) + &pictures))
}

/// How the demo chooses.
pub fn job(method: &Method) -> Job<'_> {
    Job {
        method,
        count: Count::Exactly(K),
        features: false,
        threads: 0,
        all_scores: true,
        keep_model: false,
        metric: Metric::default(),
        outlook: arss_report::AHEAD,
        disk: Disk::default(),
    }
}

/// The same choice by the authors' settings and at random.
struct Rivals {
    paper: Selection,
    random: Vec<Selection>,
}

fn rivals(table: &Table) -> Result<Rivals, Failure> {
    // Notes of these runs would not be about the result that is shown.
    let mut silent = Messages::new(true);
    let mut choose = |method: Method| solve::run(&table.matrix, &job(&method), &mut silent);
    let paper = choose(Method::Arss(Arss::paper()))?;
    let random = (0..DRAWS).map(|seed| choose(Method::Random(Random { seed }))).collect::<Result<_, _>>()?;
    Ok(Rivals { paper, random })
}

fn write_files(
    folder: &Path,
    table: &Table,
    job: &Job<'_>,
    selection: &Selection,
    report: &str,
) -> Result<(), Failure> {
    let result = selection_json::text(table, job, selection, (None, true));
    let mut files = Files::default();
    files.add(&folder.join("chosen.csv"), |out| {
        let target =
            OutputFormat::of(Path::new("chosen.csv")).map_err(|failure| std::io::Error::other(failure.to_string()))?;
        table.write(out, target, Picks::Rows(&selection.indices), &ExtraColumns::default())
    })?;
    files.add(&folder.join("scores.csv"), |out| output_files::write_scores(out, selection, None, &|row| row))?;
    files.add(&folder.join("result.json"), |out| out.write_all(result.as_bytes()))?;
    files.add(&folder.join("report.html"), |out| out.write_all(report.as_bytes()))?;
    files.commit()
}

/// Everything the demo prints, computed from the runs.
fn page(table: &Table, chosen: &Selection, rivals: &Rivals, folder: &Path) -> String {
    let (rows, columns) = table.matrix.shape();
    let damaged: Vec<bool> = (0..rows).map(|row| !field(table, row, "damage").is_empty()).collect();
    let total = damaged.iter().filter(|&&is| is).count();
    let count = |selection: &Selection| selection.indices.iter().filter(|&&row| damaged[row]).count();
    let at_random = rivals.random.iter().map(count).sum::<usize>() as f64 / DRAWS as f64;
    let mut strange: Vec<usize> = (0..rows).filter(|row| !chosen.indices.contains(row)).collect();
    strange.sort_by(|&a, &b| chosen.residuals[b].total_cmp(&chosen.residuals[a]));
    strange.truncate(STRANGEST);

    let picked = sheet(table, "score", &chosen.indices, &chosen.scores);
    let left: Vec<f64> = strange.iter().map(|&row| chosen.residuals[row]).collect();
    let avoided = sheet(table, "outlier score", &strange, &left);
    let strange_and_damaged = strange.iter().filter(|&&row| damaged[row]).count();
    [
        format!("{rows} forest plots, {columns} measurements each; {total} of the plots are damaged.\n"),
        format!("\nThe {K} plots that stand for the table, best first:\n\n{}", picked.text()),
        format!(
            "\nWhat was avoided: the {STRANGEST} strangest plots ({strange_and_damaged} of them damaged); above 1 is beyond \
             the gate:\n\n{}",
            avoided.text()
        ),
        format!(
            "\nDamaged plots among the {K} chosen: {} by exemplars, {} with --method arss --preset paper, \
             {at_random:.2} at random (mean of {DRAWS} draws).\n",
            count(chosen),
            count(&rivals.paper)
        ),
        format!(
            "Written to {}: chosen.csv, scores.csv, result.json, and report.html to look at in a browser\n",
            folder.display()
        ),
    ]
    .concat()
}

fn sheet(table: &Table, value_name: &str, rows: &[usize], values: &[f64]) -> TextTable {
    let mut sheet = TextTable::new(["rank", "id", value_name].into_iter().chain(SHOWN).map(str::to_owned));
    for (rank, (&row, &value)) in rows.iter().zip(values).enumerate() {
        let start = [(rank + 1).to_string(), field(table, row, "id"), number(value)];
        sheet.add(start.into_iter().chain(SHOWN.map(|name| field(table, row, name))));
    }
    sheet
}

/// A cell of the bundled table by the name of its column.
fn field(table: &Table, row: usize, name: &str) -> String {
    let column = table.headings().iter().position(|heading| heading == name);
    column.and_then(|column| table.cells(row).into_iter().nth(column)).unwrap_or_default()
}
