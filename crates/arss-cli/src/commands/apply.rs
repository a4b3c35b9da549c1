//! `arss apply`: what a model says of the rows of another table.

use std::time::Instant;

use arss::{Applied, Metric, RunOptions};
use arss_table::number_text::number;
use arss_table::{ExtraColumns, ExtraValues, Matrix, ModelFile, OutputFormat, Picks, Table, counted};
use serde::Serialize;

use crate::args::apply::ApplyArgs;
use crate::failure::Failure;
use crate::output_files::{self, Files, targets};
use crate::terminal::interrupt::{self, Stage};
use crate::terminal::messages::Messages;
use crate::terminal::progress::{self, Show};
use crate::terminal::text_table::TextTable;

/// Runs `arss apply`.
pub fn run(args: &ApplyArgs) -> Result<(), Failure> {
    let targets = targets::asked(&[("-o", &args.output)]);
    let inputs: Vec<_> = args.inputs.iter().chain([&args.model]).cloned().collect();
    targets::check(&inputs, &targets)?;
    targets::check_new(&targets, args.common.force)?;
    targets::check_stdout(&targets, args.common.json)?;
    let format = args.output.as_deref().map(|path| targets::format_of(path, None)).transpose()?;
    let [format] = targets::safe_formats([format], args.safe_csv)?;
    let file = ModelFile::open(&args.model)?;
    let mut messages = Messages::new(args.common.quiet);
    let show = Show::new(args.common.quiet);
    let mut table = file.about.preparation.read(&args.inputs, &args.options(), &mut progress::reading)?;
    table.notes.drain(..).for_each(|note| messages.add(note));
    if file.model.metric() == Metric::Precomputed && table.is_from_sparse() {
        let what = "distances that a sparse file does not hold are not known; give those to all rows of the first table, as .npy";
        return Err(Failure::in_file(&args.inputs[0], what));
    }
    if let Some((target, format)) = args.output.as_deref().zip(format) {
        table.check_target(target, format)?;
    }
    interrupt::enter(Stage::Solving);
    let started = Instant::now();
    let Matrix::F64(matrix) = &table.matrix else { return Err(Failure::Run("the rows are not in memory".to_owned())) };
    let mut run = RunOptions { threads: args.common.threads, ..RunOptions::default() };
    let applied = file.model.apply(&matrix.samples()?, &mut run)?;
    interrupt::check()?;
    let found = Found { table: &table, file: &file, applied: &applied, seconds: started.elapsed().as_secs_f64() };
    found.write(args, format)?;
    drop(show);
    messages.add(found.summary());
    messages.flush();
    if args.common.json {
        return output_files::print(&found.json(args.rows));
    }
    if targets::take_stdout(&targets) { Ok(()) } else { output_files::print(&found.sheet(args.rows).text()) }
}

/// What the model says.
struct Found<'a> {
    table: &'a Table,
    file: &'a ModelFile,
    applied: &'a Applied,
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct Outcome<'a> {
    n_samples: usize,
    model: &'a arss_table::About,
    /// Rows whose outlier score is above 1; null if the method tells no outliers.
    outliers: Option<usize>,
    rows: Vec<Row<'a>>,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    row: usize,
    exemplar: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    exemplar_name: Option<&'a str>,
    distance: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    outlier_score: Option<f64>,
}

impl Found<'_> {
    /// The number in its own file of the exemplar of a row.
    fn exemplar(&self, row: usize) -> usize {
        self.file.about.picks[self.applied.labels[row]]
    }

    fn name(&self, row: usize) -> Option<&str> {
        self.file.about.names.as_ref().map(|names| names[self.applied.labels[row]].as_str())
    }

    fn score(&self, row: usize) -> Option<f64> {
        self.applied.outlier_scores.as_ref().map(|scores| scores[row])
    }

    /// Rows whose outlier score is above 1.
    fn outliers(&self) -> Option<usize> {
        self.applied.outlier_scores.as_ref().map(|scores| scores.iter().filter(|score| **score > 1.0).count())
    }

    /// The strangest rows first, or those farthest from their exemplar.
    fn order(&self) -> Vec<usize> {
        let keys = self.applied.outlier_scores.as_ref().unwrap_or(&self.applied.distances);
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|&a, &b| keys[b].total_cmp(&keys[a]).then(a.cmp(&b)));
        order
    }

    fn write(&self, args: &ApplyArgs, format: Option<OutputFormat>) -> Result<(), Failure> {
        let Some((target, format)) = args.output.as_deref().zip(format) else { return Ok(()) };
        let rows: Vec<usize> = (0..self.applied.labels.len()).collect();
        let exemplars = rows.iter().map(|&row| self.exemplar(row) as i64).collect();
        let mut columns = vec![
            ("exemplar", ExtraValues::Int(exemplars)),
            ("distance", ExtraValues::Float(self.applied.distances.clone())),
        ];
        columns.extend(self.applied.outlier_scores.clone().map(|scores| ("outlier_score", ExtraValues::Float(scores))));
        let mut files = Files::new(args.common.force);
        let extra = ExtraColumns { columns };
        let added = files.add(target, |out| self.table.write(out, format, Picks::Rows(&rows), &extra));
        output_files::commit(added.map(|()| files), self.table)
    }

    fn sheet(&self, rows: usize) -> TextTable {
        let mut head = vec!["row".to_owned(), "exemplar".to_owned(), "distance".to_owned()];
        head.extend(self.applied.outlier_scores.is_some().then(|| "outlier score".to_owned()));
        let mut sheet = TextTable::new(head.into_iter().chain(self.table.headings()));
        let order: Vec<usize> = self.order().into_iter().take(rows).collect();
        self.table.fetch(&order);
        for row in order {
            let exemplar = self.name(row).map_or_else(|| self.exemplar(row).to_string(), str::to_owned);
            let mut cells = vec![self.table.number(row).to_string(), exemplar, number(self.applied.distances[row])];
            cells.extend(self.score(row).map(number));
            sheet.add(cells.into_iter().chain(self.table.cells(row)));
        }
        sheet
    }

    fn json(&self, rows: usize) -> String {
        let row = |row: usize| Row {
            row: self.table.number(row),
            exemplar: self.exemplar(row),
            exemplar_name: self.name(row),
            distance: self.applied.distances[row],
            outlier_score: self.score(row),
        };
        let outcome = Outcome {
            n_samples: self.applied.labels.len(),
            model: &self.file.about,
            outliers: self.outliers(),
            rows: self.order().into_iter().take(rows).map(row).collect(),
        };
        // Strings and numbers only: there is nothing that could fail.
        serde_json::to_string(&outcome).unwrap_or_default() + "\n"
    }

    /// The run in one line.
    fn summary(&self) -> String {
        let rows = counted(self.applied.labels.len(), "row");
        let picks = counted(self.file.about.picks.len(), "exemplar");
        let outliers = self.outliers().map_or_else(String::new, |count| format!(", {count} beyond the gate"));
        format!("apply: {rows} assigned to {picks} of {}{outliers}, {:.2} s", self.file.about.table, self.seconds)
    }
}
