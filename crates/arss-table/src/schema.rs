//! What each column is for, and what is read of it.

use crate::chunks::{ChunkedTable, ReadAs};
use crate::column_kinds::{ColumnKind, KindCounts};
use crate::column_roles::{self, ColumnRole};
use crate::field::Style;
use crate::text::listed;
use crate::{Encode, ReadOptions, TableError};

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Choosing by, if it is fit for it.
    Feature(Asked),
    /// How much rows count.
    Weights,
    /// Groups or labels: read, but not chosen by.
    Side,
    /// Nothing.
    Unused,
}

/// What was asked of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Nothing: what it holds tells.
    No,
    /// To choose by it.
    Use,
    /// To take it as this.
    As(ColumnRole),
}

impl Asked {
    /// True if the column was named.
    pub fn is_asked(self) -> bool {
        self != Asked::No
    }
}

/// The position of column `name`.
pub fn position(headings: &[String], name: &str) -> Result<usize, TableError> {
    let mut found = (0..headings.len()).filter(|&column| headings[column] == name);
    match (found.next(), found.next()) {
        (Some(column), None) => Ok(column),
        (Some(_), Some(_)) => Err(TableError::Input(format!("more than one column is called {name}"))),
        _ => Err(TableError::Input(format!("there is no column {name}; the table has {}", listed(headings)))),
    }
}

/// What each column is for, from the flags alone.
pub fn roles(headings: &[String], options: &ReadOptions) -> Result<Vec<Purpose>, TableError> {
    let mut roles = vec![Purpose::Feature(Asked::No); headings.len()];
    if let Some(names) = &options.columns {
        roles.fill(Purpose::Unused);
        for name in names {
            roles[position(headings, name)?] = Purpose::Feature(Asked::Use);
        }
    }
    for (name, role) in &options.roles {
        let column = position(headings, name)?;
        roles[column] = if role.is_feature() { Purpose::Feature(Asked::As(*role)) } else { Purpose::Unused };
    }
    let excluded = |name: &String| options.exclude.contains(name);
    let others = options.roles.iter().any(|(_, role)| role.is_feature());
    if !others && options.columns.as_ref().is_some_and(|names| !names.is_empty() && names.iter().all(excluded)) {
        return Err(TableError::Input("every column that --columns names is left out by --exclude".to_owned()));
    }
    for name in options.exclude.iter().chain(&options.id) {
        roles[position(headings, name)?] = Purpose::Unused;
    }
    for name in options.label.iter().chain(&options.group) {
        roles[position(headings, name)?] = Purpose::Side;
    }
    if let Some(name) = &options.weights {
        let column = position(headings, name)?;
        if roles[column] == Purpose::Side {
            let what = format!("column {name} cannot hold the weights and a label or group as well");
            return Err(TableError::Input(what));
        }
        roles[column] = Purpose::Weights;
    }
    Ok(roles)
}

/// What is read of each column, from what a sample of the rows holds.
pub fn read_as(headings: &[String], roles: &[Purpose], sample: &[KindCounts], options: &ReadOptions) -> Vec<ReadAs> {
    let comma = options.decimal_comma.unwrap_or_else(|| decimal_comma(sample));
    let of = |column: usize| one_read_as(&headings[column], roles[column], &sample[column], comma, options);
    let mut read_as: Vec<ReadAs> = (0..roles.len()).map(of).collect();
    // Vectors are used by themselves, unless columns were asked for.
    let is_free = |column: &usize| roles[*column] == Purpose::Feature(Asked::No);
    if (0..roles.len()).any(|column| is_free(&column) && read_as[column] == ReadAs::Vectors) {
        let others = (0..roles.len()).filter(|column| is_free(column) && read_as[*column] != ReadAs::Vectors);
        others.collect::<Vec<_>>().into_iter().for_each(|column| read_as[column] = ReadAs::Nothing);
    }
    read_as
}

/// True if numbers have a decimal comma: some are written so, and none needs a decimal point.
fn decimal_comma(sample: &[KindCounts]) -> bool {
    let texts = |seen: &&KindCounts| seen.evidence.comma > 0 && seen.evidence.comma == seen.evidence.texts;
    sample.iter().any(|seen| texts(&seen)) && sample.iter().all(|seen| seen.evidence.point == 0)
}

/// What is read of a column; `comma` says that numbers of the table have a decimal comma.
pub fn one_read_as(name: &str, role: Purpose, seen: &KindCounts, comma: bool, options: &ReadOptions) -> ReadAs {
    let evidence = &seen.evidence;
    // A column of its own mind: it has commas, and others have points.
    let own = evidence.comma > 0 && evidence.comma == evidence.texts && evidence.point == 0;
    let decimal_comma = options.decimal_comma.unwrap_or(comma || own);
    let style = Style { decimal_comma, day_first: evidence.day_first > 0 };
    let numbers = ReadAs::Numbers(style);
    let asked = match role {
        Purpose::Unused => return ReadAs::Nothing,
        Purpose::Side => return ReadAs::Codes,
        Purpose::Weights => return numbers,
        Purpose::Feature(asked) => asked,
    };
    let encodes = options.encode != Encode::None || asked.is_asked();
    let codes = match (asked, options.encode) {
        _ if !encodes => ReadAs::Nothing,
        (Asked::No, _) => ReadAs::Categories,
        _ => ReadAs::Codes,
    };
    match (asked, kind_of(name, seen)) {
        (Asked::As(ColumnRole::Category), _) => ReadAs::Codes,
        (Asked::As(ColumnRole::Number | ColumnRole::Date | ColumnRole::Flag), _) => numbers,
        (_, ColumnKind::Vector) => ReadAs::Vectors,
        (_, ColumnKind::Nested) => ReadAs::Nothing,
        (_, ColumnKind::Truth) if options.booleans || encodes => numbers,
        (_, ColumnKind::Date) if options.dates || encodes => numbers,
        (_, ColumnKind::Truth | ColumnKind::Date) => ReadAs::Nothing,
        (_, ColumnKind::Text) if decimal_comma && evidence.comma > 0 && evidence.comma == evidence.texts => numbers,
        (Asked::No, ColumnKind::Text | ColumnKind::Code) => codes,
        (_, ColumnKind::Text) => codes,
        // Asked for by name, digits are numbers.
        (_, ColumnKind::Code) => numbers,
        (Asked::No, ColumnKind::Number) if column_roles::is_code_name(name) => codes,
        (_, ColumnKind::Number | ColumnKind::Empty) => numbers,
    }
}

/// What a column holds; parts of dates are numbers, with leading zeros, too.
pub fn kind_of(name: &str, seen: &KindCounts) -> ColumnKind {
    match seen.kind() {
        ColumnKind::Code if column_roles::is_calendar_name(name) => ColumnKind::Number,
        // Nearly all are numbers: the others are taken as missing, and said.
        ColumnKind::Text if seen.is_nearly_numbers() => ColumnKind::Number,
        kind => kind,
    }
}

/// Columns that have to be read otherwise than a sample of their rows told, and how.
pub fn late(
    headings: &[String],
    roles: &[Purpose],
    read_as: &[ReadAs],
    table: &ChunkedTable,
    options: &ReadOptions,
) -> Vec<(usize, ReadAs)> {
    let late = |column: usize| {
        let known = |comma: bool| one_read_as(&headings[column], roles[column], &table.seen[column], comma, options);
        let style = match read_as[column] {
            ReadAs::Numbers(style) => style,
            // Texts came first, and hardly any behind them; or the type of the column said text, but numbers are written in it.
            ReadAs::Categories | ReadAs::Codes => {
                return Some((column, known(false))).filter(|(_, known)| matches!(known, ReadAs::Numbers(_)));
            }
            _ => return None,
        };
        let known = known(style.decimal_comma);
        let codes = matches!(known, ReadAs::Codes | ReadAs::Categories);
        let turned = matches!(known, ReadAs::Numbers(known) if known.day_first && !style.day_first);
        // Dates of either order so far: those that tell came late.
        let turned = turned && table.seen[column].evidence.month_first == 0;
        (codes || turned).then_some((column, known))
    };
    (0..roles.len()).filter_map(late).collect()
}
