//! From files to a table.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::TableError;
use crate::byte_source::ByteSource;
use crate::chunks::{ChunkedTable, ColumnKind, ReadAs};
use crate::disk_writer::DiskWriter;
use crate::missing;
use crate::missing::BadCell;
use crate::output_types;
use crate::output_types::OutputType;
use crate::schema;
use crate::schema::{FeatureColumn, FeaturePlan, Role};
use crate::source::{Part, Source};
use crate::{
    Categories, ColumnOptions, Matrix, Missing, ReadOptions, SideColumns, Table, cut, disk_matrix, encode, input_paths,
    listed, multi_file,
};

/// Reads the table, checked to be finite and not empty; `tell` hears how far the reading is.
pub fn read(reading: &ReadOptions<'_>, tell: &mut dyn FnMut(u64, u64)) -> Result<Table, TableError> {
    from_source(open(reading, tell)?, reading, tell)
}

/// Reads `bytes`, which may be packed, as the file `name`.
pub fn read_bytes(bytes: &[u8], name: &str, reading: &ReadOptions<'_>) -> Result<Table, TableError> {
    let path = PathBuf::from(name);
    let store = ByteSource::taken(bytes, &path, reading.limit, reading.scratch)?;
    let part = Part::of(store, &path, reading, &mut |_, _| ())?;
    let headings = part.headings();
    let source = Source { parts: vec![part], paths: vec![path], starts: vec![0], headings, types: Vec::new() };
    from_source(source, reading, &mut |_, _| ())
}

fn from_source(
    mut source: Source,
    reading: &ReadOptions<'_>,
    tell: &mut dyn FnMut(u64, u64),
) -> Result<Table, TableError> {
    if reading.scratch.is_none()
        && let Some(table) = whole_array(&mut source, reading, tell)?
    {
        return checked(table, reading);
    }
    let choice = &reading.choice;
    let roles = schema::roles(&source.headings, choice)?;
    let (mut frame, wants) = read_columns(&mut source, &roles, reading, tell)?;
    if source.rows() == 0 && wants.iter().any(|want| *want != ReadAs::Nothing) {
        return Err(TableError::in_file(&source.paths[0], "has columns, but no rows"));
    }
    let decision = schema::decide(&roles, &wants, &frame, choice);
    check_decision(&source, &roles, &frame, &decision)?;
    source.types = output_types::of(&source, &frame, &wants);
    let side = side(&frame, &source.headings, choice)?;
    let messages = messages(&source, &frame, &decision, reading);
    let names = decision.used.iter().map(|used| name(used, &source.headings, &frame)).collect();
    let origins = decision.used.iter().map(FeatureColumn::column).collect();
    // A text column may have become a thousand.
    let fits = reading.limit.check_values(frame.rows as u64, decision.used.len());
    fits.map_err(|what| TableError::in_file(&source.paths[0], what))?;
    let values = match frame.spill.take() {
        Some(spill) => disk_matrix::assemble(spill, &frame, &decision.used)?,
        None => encode::assemble(&mut frame, &decision.used),
    };
    let shown = RefCell::new(HashMap::new());
    checked(Table { values, source, messages, side, names, origins, kept: None, filled: 0, shown }, reading)
}

/// Opens all files; their columns must be the same.
fn open(reading: &ReadOptions<'_>, tell: &mut dyn FnMut(u64, u64)) -> Result<Source, TableError> {
    let paths = input_paths::expand(reading.inputs)?;
    let mut parts: Vec<Part> = paths.iter().map(|path| Part::open(path, reading, tell)).collect::<Result<_, _>>()?;
    let headings = multi_file::unite(&mut parts, &paths)?;
    Ok(Source { parts, paths, starts: vec![0], headings, types: Vec::new() })
}

/// A single array of which every column is used needs no detour.
fn whole_array(
    source: &mut Source,
    reading: &ReadOptions<'_>,
    tell: &mut dyn FnMut(u64, u64),
) -> Result<Option<Table>, TableError> {
    let [Part::Array(array)] = source.parts.as_slice() else { return Ok(None) };
    let roles = schema::roles(&source.headings, &reading.choice)?;
    if roles.iter().any(|role| !matches!(role, Role::Feature(_))) {
        return Ok(None);
    }
    let values = array.values(tell)?;
    let (rows, columns) = values.shape();
    let kind = output_types::of_arrays(source).unwrap_or(OutputType::Float);
    let source = Source {
        parts: std::mem::take(&mut source.parts),
        paths: std::mem::take(&mut source.paths),
        starts: vec![0, rows],
        headings: source.headings.clone(),
        types: vec![kind; columns],
    };
    Ok(Some(Table {
        values,
        names: source.headings.clone(),
        source,
        messages: Vec::new(),
        side: SideColumns::default(),
        origins: (0..columns).collect(),
        kept: None,
        filled: 0,
        shown: RefCell::new(HashMap::new()),
    }))
}

/// Reads what the flags and a sample of the rows ask for; again, if a column turns out to hold text to be encoded.
fn read_columns(
    source: &mut Source,
    roles: &[Role],
    reading: &ReadOptions<'_>,
    tell: &mut dyn FnMut(u64, u64),
) -> Result<(ChunkedTable, Vec<ReadAs>), TableError> {
    let choice = &reading.choice;
    let mut sample = ChunkedTable::new(roles.len());
    for part in &source.parts {
        sample.append(part.sample()?);
    }
    let mut wants = schema::wants(roles, &sample, choice);
    loop {
        let mut frame = ChunkedTable::new(roles.len());
        frame.single.fill(true);
        frame.spill = reading.scratch.map(|folder| DiskWriter::new(folder, roles, &wants)).transpose()?;
        let mut starts = vec![0];
        for part in &mut source.parts {
            part.read(&wants, &mut frame, tell)?;
            starts.push(frame.rows);
        }
        source.starts = starts;
        for (column, _) in wants.iter().enumerate().filter(|(_, want)| **want == ReadAs::Nothing) {
            frame.seen[column] = sample.seen[column].clone();
        }
        let late = schema::late_texts(roles, &wants, &frame, choice);
        if late.is_empty() {
            return Ok((frame, wants));
        }
        late.into_iter().for_each(|column| wants[column] = ReadAs::Codes);
    }
}

/// Fails if nothing is left to choose by, or a column that was asked for cannot be used.
fn check_decision(
    source: &Source,
    roles: &[Role],
    frame: &ChunkedTable,
    decision: &FeaturePlan,
) -> Result<(), TableError> {
    let headings = &source.headings;
    let asked = |column: &usize| roles[*column] == Role::Feature(true);
    if let Some((column, kind)) = decision.ignored.iter().find(|(column, _)| asked(column)) {
        let name = cut(&headings[*column]);
        return Err(TableError::Input(match kind {
            ColumnKind::Empty => format!("column {name} holds no values"),
            ColumnKind::Nested => format!("column {name} holds lists or structures, which cannot be used as numbers"),
            _ => {
                let first = frame.seen[*column].first_text.map(|row| example(source, row, *column));
                let first = first.map_or_else(String::new, |first| format!(" ({first})"));
                format!("column {name} holds text{first}; --encode onehot or ordinal turns it into numbers")
            }
        }));
    }
    if let Some(column) = crowded(decision, frame) {
        let count = frame.dictionaries[column].names.len();
        let what = format!("column {} holds {count} different texts, too many for --encode onehot", headings[column]);
        return Err(TableError::Input(format!("{what}; use --encode ordinal, or leave it out")));
    }
    if !decision.used.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = (0..headings.len()).map(|column| headings[column].as_str()).collect();
    let used = |role: Role| matches!(role, Role::Feature(_));
    let apart: Vec<&str> = (0..roles.len()).filter(|&c| !used(roles[c])).map(|c| headings[c].as_str()).collect();
    if !apart.is_empty() && roles.iter().any(|role| matches!(role, Role::Weights | Role::SideColumns)) {
        return Err(TableError::Input(format!("no numeric column is left to choose by besides {}", listed(&apart))));
    }
    let what = format!("no column is numeric among {}; --encode onehot or ordinal uses text", listed(&names));
    Err(TableError::in_file(&source.paths[0], what))
}

/// A column that became too many.
fn crowded(decision: &FeaturePlan, frame: &ChunkedTable) -> Option<usize> {
    let too_many = |column: usize| frame.dictionaries[column].names.len() > schema::MOST_CATEGORIES;
    decision.used.iter().find_map(|used| match used {
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

fn side(frame: &ChunkedTable, headings: &[String], choice: &ColumnOptions) -> Result<SideColumns, TableError> {
    let codes = |name: &Option<String>| -> Result<Option<Categories>, TableError> {
        let Some(name) = name else { return Ok(None) };
        let column = schema::position(headings, name)?;
        let names = frame.dictionaries[column].names.clone();
        Ok(Some(Categories { codes: frame.codes(column).collect(), names }))
    };
    let weights = match &choice.weights {
        None => None,
        Some(name) => {
            let column = schema::position(headings, name)?;
            if frame.seen[column].kind() != ColumnKind::Number {
                let what = format!("column {name} holds no numbers, so it cannot be used as weights");
                return Err(TableError::Input(what));
            }
            Some(frame.numbers_of(column).collect())
        }
    };
    let id = choice.id.as_deref().map(|name| schema::position(headings, name)).transpose()?;
    Ok(SideColumns { weights, group: codes(&choice.group)?, label: codes(&choice.label)?, id })
}

/// The name of a used column.
fn name(used: &FeatureColumn, headings: &[String], frame: &ChunkedTable) -> String {
    match used {
        FeatureColumn::OneHot(column, code) => {
            format!("{}={}", headings[*column], frame.dictionaries[*column].names[*code as usize])
        }
        other => headings[other.column()].clone(),
    }
}

/// What is said about the columns.
fn messages(source: &Source, frame: &ChunkedTable, decision: &FeaturePlan, reading: &ReadOptions<'_>) -> Vec<String> {
    let path = source.paths[0].display();
    let mut messages = Vec::new();
    if let Some(mut message) = decision.message(&source.headings) {
        for (column, _) in decision.ignored.iter().filter(|(_, kind)| *kind == ColumnKind::Text) {
            let seen = &frame.seen[*column];
            if let Some(row) = seen.first_text.filter(|_| seen.numbers > seen.texts + seen.truths + seen.dates) {
                let name = cut(&source.headings[*column]);
                message = format!("{message}; {name} is mostly numbers, but {}", example(source, row, *column));
            }
        }
        messages.push(format!("{path}: {message}"));
    }
    messages.extend(header_note(source, reading).map(|note| format!("{path}: {note}")));
    let counting = |used: &&FeatureColumn| match used {
        FeatureColumn::Number(column) => frame.numbers[*column].counts_rows(),
        _ => false,
    };
    if let Some(used) = decision.used.iter().find(counting).filter(|_| decision.used.len() > 1) {
        let name = cut(&source.headings[used.column()]);
        messages.push(format!("{path}: column {name} only counts the rows; --id {name} leaves it out"));
    }
    messages
}

/// What was found out about the first line of a text file, if it was not told and may be wrong.
fn header_note(source: &Source, reading: &ReadOptions<'_>) -> Option<&'static str> {
    let Part::Text(text) = &source.parts[0] else { return None };
    let numbers = text.names.iter().any(|name| name.parse().is_ok_and(|value: f64| value.is_finite()));
    match (reading.text.header, text.named()) {
        (None, false) => Some("the first line holds numbers only, so it was read as data (--header yes: as names)"),
        (None, true)
            if numbers && text.names.iter().any(|name| !name.trim().is_empty() && name.parse::<f64>().is_err()) =>
        {
            Some("the first line holds text and numbers and was read as names (--header no: as data)")
        }
        _ => None,
    }
}

/// Missing values are handled as asked; what is left must be a table.
fn checked(mut table: Table, reading: &ReadOptions<'_>) -> Result<Table, TableError> {
    let path = table.source.paths[0].clone();
    let named = !matches!(table.source.parts[0], Part::Array(_));
    let handled = named || reading.missing != Missing::Error;
    if handled {
        let (values, done) = missing::handle(table.values, reading.missing)?;
        table.values = values;
        match done {
            Ok(done) => {
                note(&mut table, &done, &path);
                keep(&mut table, done.kept);
            }
            Err((bad, count)) => return Err(unusable(&table, &bad, count, reading.missing)),
        }
    }
    if table.values.shape().0 == 0 && table.kept.is_some() {
        return Err(TableError::in_file(&path, "every row has a missing value, so --missing drop leaves none"));
    }
    empty_column(&table, &path)?;
    // Then every value has been looked at; a column without any cannot be filled in.
    let looked_at = handled && matches!(reading.missing, Missing::Error | Missing::Drop);
    let (rows, columns) = table.values.shape();
    let wrong = if looked_at && rows > 0 && columns > 0 { None } else { table.values.check()? };
    match wrong {
        Some(error) => Err(TableError::in_file(&path, error)),
        None => Ok(table),
    }
}

fn note(table: &mut Table, done: &missing::MissingReport, path: &Path) {
    let rows = table.source.rows();
    if let Some(kept) = &done.kept {
        let dropped = rows - kept.len();
        table.messages.push(format!("{}: {dropped} of {rows} rows were dropped, values are missing", path.display()));
    }
    table.filled = done.filled;
    if done.filled > 0 {
        table.messages.push(format!("{}: {} missing values were filled in", path.display(), done.filled));
    }
}

/// Columns that stand beside lose the same rows.
fn keep(table: &mut Table, kept: Option<Vec<usize>>) {
    let Some(kept) = kept else { return };
    if let Some(weights) = &mut table.side.weights {
        *weights = kept.iter().map(|&row| weights[row]).collect();
    }
    for codes in [&mut table.side.group, &mut table.side.label].into_iter().flatten() {
        codes.codes = kept.iter().map(|&row| codes.codes[row]).collect();
    }
    table.kept = Some(kept);
}

/// A column that had no value to fill in with.
fn empty_column(table: &Table, path: &Path) -> Result<(), TableError> {
    let (rows, columns) = table.values.shape();
    let first: Vec<f64> = match &table.values {
        _ if rows == 0 => Vec::new(),
        Matrix::F64(grid) => (0..columns).map(|column| grid.get(0, column)).collect(),
        Matrix::Disk64(rows) => rows.row(0)?,
        _ => Vec::new(),
    };
    match first.iter().position(|value| value.is_nan()) {
        Some(column) if !matches!(table.source.parts[0], Part::Array(_)) => {
            Err(TableError::in_file(path, format_args!("column {} holds no values", table.names[column])))
        }
        _ => Ok(()),
    }
}

/// The first cells that cannot be used, in one line.
fn unusable(table: &Table, bad: &[BadCell], count: usize, how: Missing) -> TableError {
    let source = &table.source;
    let place = |bad: &BadCell| format!("{}, column {}", source.place(bad.row), cut(&table.names[bad.column]));
    let first = &bad[0];
    let cells = source.cells(&[first.row]).unwrap_or_default();
    let content = cells.first().and_then(|cells| cells.get(table.origins[first.column])).map(|cell| cut(cell));
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
    let advice = if how == Missing::Error && first.value.is_nan() {
        "use --missing drop, mean or median, or fill it in"
    } else {
        "correct it, or leave out the row or the column"
    };
    TableError::in_file(&source.paths[0], format_args!("{} {what}{more}; {advice}", place(first)))
}
