//! Whether what was read can be used, what is said about it, and missing values.

use std::collections::HashSet;
use std::path::Path;

use crate::chunks::ChunkedTable;
use crate::column_kinds::ColumnKind;
use crate::dictionary::MOST_CATEGORIES;
use crate::feature_plan::{FeatureColumn, FeaturePlan};
use crate::missing::{self, BadCell, MissingReport};
use crate::schema::{Asked, Purpose};
use crate::source::Source;
use crate::text::{counted, cut, joined, listed, named};
use crate::{ColumnInfo, ColumnRole, Missing, Table, TableError};

/// Words of a text from which on it is worth choosing by them.
const SEVERAL: f64 = 2.0;

/// Fails if no column is left to choose by, or a column that was asked for cannot be used.
pub fn plan(source: &Source, roles: &[Purpose], table: &ChunkedTable, plan: &FeaturePlan) -> Result<(), TableError> {
    let headings = &source.headings;
    if let Some((column, kind)) = plan.refused.first() {
        let name = cut(&headings[*column]);
        return Err(TableError::Input(match kind {
            ColumnKind::Empty => format!("column {name} holds no values"),
            ColumnKind::Nested => format!("column {name} holds lists or structures, which cannot be used as numbers"),
            ColumnKind::Vector => format!("column {name} holds vectors, which are no single numbers"),
            ColumnKind::Number | ColumnKind::Truth | ColumnKind::Date | ColumnKind::Code => {
                format!("column {name} holds no vectors")
            }
            _ => {
                let first = table.seen[*column].first_text.map(|row| example(source, row, *column));
                let first = first.map_or_else(String::new, |first| format!(" ({first})"));
                format!("column {name} holds text{first}; --as {name}=category turns it into numbers")
            }
        }));
    }
    if let Some(column) = too_many_categories(plan, table) {
        let count = table.dictionaries[column].names.len();
        let what = format!("column {} holds {count} different texts, too many for categories", headings[column]);
        return Err(TableError::Input(format!("{what}; use --encode ordinal, or leave it out")));
    }
    let free = |(info, role): &(&ColumnInfo, &Purpose)| {
        info.used && info.role == ColumnRole::Vector && **role == Purpose::Feature(Asked::No)
    };
    let vectors: Vec<&str> = plan.columns.iter().zip(roles).filter(free).map(|(info, _)| info.name.as_str()).collect();
    if vectors.len() > 1 {
        let what = format!("the columns {} hold vectors; --columns tells which to choose by", listed(&vectors));
        return Err(TableError::in_file(source.first_path(), what));
    }
    if !plan.used.is_empty() {
        return Ok(());
    }
    let features = plan.columns.iter().zip(roles).filter(|(_, role)| matches!(role, Purpose::Feature(_)));
    let left: Vec<String> = features.map(|(info, _)| format!("{} ({})", named(&info.name), info.role.name())).collect();
    if left.is_empty() {
        let apart: Vec<&str> = headings.iter().map(String::as_str).collect();
        return Err(TableError::Input(format!("no column is left to choose by besides {}", listed(&apart))));
    }
    let words = column_of_words(roles, table, plan)
        .map_or_else(String::new, |name| format!("--text {name} chooses by the words of {name}, "));
    let what = joined(&left, left.len());
    let what = format!("no column to choose by: {what}; {words}--as NAME=ROLE tells what a column is");
    let what =
        mostly_numbers(source, roles, table, plan).into_iter().fold(what, |what, note| format!("{what}; {note}"));
    // Another sheet, another header: what was found out about the file may be the reason.
    let what = source.first_file().notes().iter().fold(what, |what, note| format!("{what}; {note}"));
    Err(TableError::in_file(source.first_path(), what))
}

/// The column that could be chosen by its words: most of its texts have several.
fn column_of_words<'a>(roles: &[Purpose], table: &ChunkedTable, plan: &'a FeaturePlan) -> Option<&'a str> {
    let words = |column: usize| {
        let texts = &table.dictionaries[column].names;
        let all: usize = texts.iter().map(|text| text.split_whitespace().count()).sum();
        all as f64 / texts.len().max(1) as f64
    };
    let columns = plan.columns.iter().enumerate().filter(|(column, _)| matches!(roles[*column], Purpose::Feature(_)));
    let of_texts = columns.filter(|(_, info)| matches!(info.role, ColumnRole::Text | ColumnRole::Identifier));
    let most = of_texts.map(|(column, info)| (words(column), info)).max_by(|a, b| a.0.total_cmp(&b.0));
    most.filter(|(words, _)| *words >= SEVERAL).map(|(_, info)| info.name.as_str())
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
    format!("{}, column {} holds {content}", source.place(row), named(&source.headings[column]))
}

/// What is said of columns that are left out although most of their values are numbers.
fn mostly_numbers(source: &Source, roles: &[Purpose], table: &ChunkedTable, plan: &FeaturePlan) -> Vec<String> {
    let mut found = Vec::new();
    for (column, info) in plan.columns.iter().enumerate().filter(|(_, info)| !info.used) {
        let seen = &table.seen[column];
        let mostly = seen.kind() == ColumnKind::Text && seen.numbers > seen.texts + seen.truths + seen.dates;
        if let Some(row) = seen.first_text.filter(|_| mostly && matches!(roles[column], Purpose::Feature(_))) {
            let (name, first) = (named(&info.name), example(source, row, column));
            let advice = if seen.is_numbers_and_texts() { " (--as NAME=number takes it as missing)" } else { "" };
            found.push(format!("{name} is mostly numbers, but {first}{advice}"));
        }
    }
    found
}

/// Notes about what became of the columns, and about what was found out and may be wrong.
pub fn notes(source: &Source, roles: &[Purpose], table: &ChunkedTable, plan: &FeaturePlan) -> Vec<String> {
    let path = source.first_path().display();
    let mut notes = Vec::new();
    if let Some(mut note) = plan.note(roles) {
        for mostly in mostly_numbers(source, roles, table, plan) {
            note = format!("{note}; {mostly}");
        }
        notes.push(format!("{path}: {note}"));
    }
    for (column, info) in
        plan.columns.iter().enumerate().filter(|(_, info)| info.used && info.role == ColumnRole::Number)
    {
        let seen = &table.seen[column];
        if let Some(row) = seen.first_text.filter(|_| seen.texts > 0) {
            let (count, first) = (seen.texts, example(source, row, column));
            let (cells, name) = (counted(count, "cell"), named(&info.name));
            let what = format!("{cells} of {name} taken as missing, not numbers");
            notes.push(format!("{path}: {what}: {first}"));
        }
    }
    let mut seen = HashSet::new();
    let again = source.headings.iter().find(|name| !name.trim().is_empty() && !seen.insert(name.as_str()));
    if let Some(name) = again.map(|name| named(name)) {
        let what = format!("more than one column is called {name}; where names have to differ, the next is {name}_2");
        notes.push(format!("{path}: {what}"));
    }
    notes.extend(source.first_file().notes().iter().map(|note| format!("{path}: {note}")));
    notes
}

/// The table with missing values handled; fails if it then is empty or a value is not finite.
pub fn finished(mut table: Table, missing: Missing) -> Result<Table, TableError> {
    if missing == Missing::Keep {
        return Ok(table);
    }
    let path = table.source.first_path().to_owned();
    let is_array = table.source.first_file().element_type().is_some();
    let handled = !is_array || missing != Missing::Error;
    if handled {
        let (matrix, report) = missing::handle(table.matrix, missing, &table.categories)?;
        table.matrix = matrix;
        match report {
            Ok(report) => {
                note_missing(&mut table, &report, missing, &path);
                keep_rows(&mut table, report.kept);
            }
            Err((bad, count)) => return Err(unusable(&table, &bad, count, missing)),
        }
    }
    if table.matrix.shape().0 == 0 && table.kept.is_some() {
        let what = match missing {
            Missing::Drop => "every row has a missing value, so --missing drop leaves none",
            Missing::Auto => "every row lacks most of its values; --missing median fills them in",
            _ => "no row holds a value",
        };
        return Err(TableError::in_file(&path, what));
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

fn note_missing(table: &mut Table, report: &MissingReport, missing: Missing, path: &Path) {
    let rows = table.source.rows();
    if let Some(kept) = &report.kept {
        let dropped = rows - kept.len();
        let path = path.display();
        table.notes.push(match (missing, report.costly) {
            (Missing::Auto, _) => {
                format!("{path}: left aside, mostly missing: {dropped} of {rows} rows")
            }
            (Missing::Mean | Missing::Median, _) => {
                format!("{path}: left aside, without any value: {dropped} of {rows} rows")
            }
            (_, None) => format!("{path}: dropped, with missing values: {dropped} of {rows} rows"),
            (_, Some((feature, more))) => {
                let name = cut(&table.source.headings[table.feature_columns[feature]]);
                let what = format!("dropped, with missing values: {dropped} of {rows} rows");
                let remain = if more == 1 { "row remains" } else { "rows remain" };
                format!("{path}: {what}; without {name} {more} more {remain} (--exclude {name})")
            }
        });
    }
    table.filled = report.filled;
    if report.filled > 0 {
        let with = if missing == Missing::Auto { " with the median or the commonest category" } else { "" };
        let values = counted(report.filled, "missing value");
        table.notes.push(format!("{}: {values} filled in{with}", path.display()));
    }
}

/// Side columns lose the rows that the matrix lost.
fn keep_rows(table: &mut Table, kept: Option<Vec<usize>>) {
    let Some(kept) = kept else { return };
    table.side.keep_rows(&kept);
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
    TableError::in_file(source.first_path(), format_args!("{} {what}{more}; {advice}", place(first)))
}
