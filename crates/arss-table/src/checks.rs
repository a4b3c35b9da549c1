//! Whether what was read can be used, what is said about it, and missing values.

use std::path::Path;

use crate::chunks::{ChunkedTable, ColumnKind};
use crate::missing::{self, BadCell, MissingReport};
use crate::schema::{FeatureColumn, FeaturePlan, MOST_CATEGORIES, Role};
use crate::source::Source;
use crate::text::{cut, listed};
use crate::{Missing, Table, TableError};

/// Fails if no column is left to choose by, or a column that was asked for cannot be used.
pub fn plan(source: &Source, roles: &[Role], table: &ChunkedTable, plan: &FeaturePlan) -> Result<(), TableError> {
    let headings = &source.headings;
    let asked = |column: &usize| roles[*column] == Role::Feature(true);
    if let Some((column, kind)) = plan.ignored.iter().find(|(column, _)| asked(column)) {
        let name = cut(&headings[*column]);
        return Err(TableError::Input(match kind {
            ColumnKind::Empty => format!("column {name} holds no values"),
            ColumnKind::Nested => format!("column {name} holds lists or structures, which cannot be used as numbers"),
            _ => {
                let first = table.seen[*column].first_text.map(|row| example(source, row, *column));
                let first = first.map_or_else(String::new, |first| format!(" ({first})"));
                format!("column {name} holds text{first}; --encode onehot or ordinal turns it into numbers")
            }
        }));
    }
    if let Some(column) = too_many_categories(plan, table) {
        let count = table.dictionaries[column].names.len();
        let what = format!("column {} holds {count} different texts, too many for --encode onehot", headings[column]);
        return Err(TableError::Input(format!("{what}; use --encode ordinal, or leave it out")));
    }
    if !plan.used.is_empty() {
        return Ok(());
    }
    let used = |role: Role| matches!(role, Role::Feature(_));
    let apart: Vec<&str> = (0..roles.len()).filter(|&c| !used(roles[c])).map(|c| headings[c].as_str()).collect();
    if !apart.is_empty() && roles.iter().any(|role| matches!(role, Role::Weights | Role::Side)) {
        return Err(TableError::Input(format!("no numeric column is left to choose by besides {}", listed(&apart))));
    }
    let what = format!("no column is numeric among {}; --encode onehot or ordinal uses text", listed(headings));
    Err(TableError::in_file(&source.paths[0], what))
}

/// A column of text that one-hot encoding turns into too many.
fn too_many_categories(plan: &FeaturePlan, table: &ChunkedTable) -> Option<usize> {
    let too_many = |column: usize| table.dictionaries[column].names.len() > MOST_CATEGORIES;
    plan.used.iter().find_map(|used| match used {
        FeatureColumn::OneHot(column, _) if too_many(*column) => Some(*column),
        _ => None,
    })
}

/// Where a cell stands and what it holds.
fn example(source: &Source, row: usize, column: usize) -> String {
    let cells = source.cells(&[row]).unwrap_or_default();
    let content = cells.first().and_then(|cells| cells.get(column)).map(|cell| cut(cell)).unwrap_or_default();
    format!("{}, column {} holds {content}", source.place(row), cut(&source.headings[column]))
}

/// Notes about the columns that are not used, and about what was found out and may be wrong.
pub fn notes(source: &Source, table: &ChunkedTable, plan: &FeaturePlan) -> Vec<String> {
    let path = source.paths[0].display();
    let mut notes = Vec::new();
    if let Some(mut note) = plan.note(&source.headings) {
        for (column, _) in plan.ignored.iter().filter(|(_, kind)| *kind == ColumnKind::Text) {
            let seen = &table.seen[*column];
            if let Some(row) = seen.first_text.filter(|_| seen.numbers > seen.texts + seen.truths + seen.dates) {
                let name = cut(&source.headings[*column]);
                note = format!("{note}; {name} is mostly numbers, but {}", example(source, row, *column));
            }
        }
        notes.push(format!("{path}: {note}"));
    }
    notes.extend(source.files[0].notes().iter().map(|note| format!("{path}: {note}")));
    let counts = |used: &&FeatureColumn| match used {
        FeatureColumn::Number(column) => table.numbers[*column].counts_rows(),
        _ => false,
    };
    if let Some(used) = plan.used.iter().find(counts).filter(|_| plan.used.len() > 1) {
        let name = cut(&source.headings[used.column()]);
        notes.push(format!("{path}: column {name} only counts the rows; --id {name} leaves it out"));
    }
    notes
}

/// The table with missing values handled; fails if it then is empty or a value is not finite.
pub fn finished(mut table: Table, missing: Missing) -> Result<Table, TableError> {
    let path = table.source.paths[0].clone();
    let is_array = table.source.files[0].element_type().is_some();
    let handled = !is_array || missing != Missing::Error;
    if handled {
        let (matrix, report) = missing::handle(table.matrix, missing)?;
        table.matrix = matrix;
        match report {
            Ok(report) => {
                note_missing(&mut table, &report, &path);
                keep_rows(&mut table, report.kept);
            }
            Err((bad, count)) => return Err(unusable(&table, &bad, count, missing)),
        }
    }
    if table.matrix.shape().0 == 0 && table.kept.is_some() {
        return Err(TableError::in_file(&path, "every row has a missing value, so --missing drop leaves none"));
    }
    if let Some(column) = table.matrix.first_row_nan()?.filter(|_| !is_array) {
        // There was no value to fill the others in with.
        return Err(TableError::in_file(&path, format_args!("column {} holds no values", table.feature_names[column])));
    }
    // With `error` and `drop` every value has been looked at.
    let looked_at = handled && matches!(missing, Missing::Error | Missing::Drop);
    let (rows, columns) = table.matrix.shape();
    let wrong = if looked_at && rows > 0 && columns > 0 { None } else { table.matrix.check()? };
    match wrong {
        Some(error) => Err(TableError::in_file(&path, error)),
        None => Ok(table),
    }
}

fn note_missing(table: &mut Table, report: &MissingReport, path: &Path) {
    let rows = table.source.rows();
    if let Some(kept) = &report.kept {
        let dropped = rows - kept.len();
        table.notes.push(format!("{}: {dropped} of {rows} rows were dropped, values are missing", path.display()));
    }
    table.filled = report.filled;
    if report.filled > 0 {
        table.notes.push(format!("{}: {} missing values were filled in", path.display(), report.filled));
    }
}

/// Side columns lose the rows that the matrix lost.
fn keep_rows(table: &mut Table, kept: Option<Vec<usize>>) {
    let Some(kept) = kept else { return };
    if let Some(weights) = &mut table.side.weights {
        *weights = kept.iter().map(|&row| weights[row]).collect();
    }
    for codes in [&mut table.side.group, &mut table.side.label].into_iter().flatten() {
        codes.codes = kept.iter().map(|&row| codes.codes[row]).collect();
    }
    table.kept = Some(kept);
}

/// The first cells that cannot be used, in one line.
fn unusable(table: &Table, bad: &[BadCell], count: usize, missing: Missing) -> TableError {
    let source = &table.source;
    let place = |bad: &BadCell| format!("{}, column {}", source.place(bad.row), cut(&table.feature_names[bad.column]));
    let first = &bad[0];
    let cells = source.cells(&[first.row]).unwrap_or_default();
    let content = cells.first().and_then(|cells| cells.get(table.feature_columns[first.column])).map(|cell| cut(cell));
    let content = content.unwrap_or_default();
    let is_missing = first.value.is_nan() && !content.trim().eq_ignore_ascii_case("nan");
    let what = match content.trim() {
        "" => "is empty: a value is missing".to_owned(),
        _ if is_missing => format!("holds {content}: a value is missing"),
        _ => format!("holds {content}, which is not a finite number"),
    };
    let others: Vec<String> = bad[1..].iter().map(place).collect();
    let more = match (count, others.as_slice()) {
        (1, _) => String::new(),
        (_, others) => format!(" ({count} such cells, the next: {})", others.join(" and ")),
    };
    let advice = if missing == Missing::Error && first.value.is_nan() {
        "use --missing drop, mean or median, or fill it in"
    } else {
        "correct it, or leave out the row or the column"
    };
    TableError::in_file(&source.paths[0], format_args!("{} {what}{more}; {advice}", place(first)))
}
