//! Which columns are used, and for what.

use crate::TableError;
use crate::chunks::{ChunkedTable, ColumnKind, ReadAs};
use crate::{ColumnOptions, Encode, listed};

/// Text columns with more different texts name rows rather than kinds of rows.
pub const MOST_CATEGORIES: usize = 1000;
/// A text column of at least so many rows without a repetition names them.
const NAMING: usize = 20;

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Choosing by; true if it was asked for by name.
    Feature(bool),
    /// How much rows count.
    Weights,
    /// Groups or labels: read, but not chosen by.
    SideColumns,
    /// Nothing.
    Unused,
}

/// A column that is chosen by, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeatureColumn {
    /// Its numbers.
    Number(usize),
    /// 1 where it has this code, 0 elsewhere.
    OneHot(usize, u32),
    /// The rank of each code.
    Ordinal(usize, Vec<u32>),
}

impl FeatureColumn {
    /// The column of the file.
    pub fn column(&self) -> usize {
        match self {
            FeatureColumn::Number(column) | FeatureColumn::OneHot(column, _) | FeatureColumn::Ordinal(column, _) => {
                *column
            }
        }
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
pub fn roles(headings: &[String], choice: &ColumnOptions) -> Result<Vec<Role>, TableError> {
    let mut roles = vec![Role::Feature(false); headings.len()];
    if let Some(names) = &choice.columns {
        roles.fill(Role::Unused);
        for name in names {
            roles[position(headings, name)?] = Role::Feature(true);
        }
    }
    for name in choice.exclude.iter().chain(&choice.id) {
        roles[position(headings, name)?] = Role::Unused;
    }
    for name in choice.label.iter().chain(&choice.group) {
        roles[position(headings, name)?] = Role::SideColumns;
    }
    if let Some(name) = &choice.weights {
        let column = position(headings, name)?;
        if roles[column] == Role::SideColumns {
            let what = format!("column {name} cannot hold the weights and a label or group as well");
            return Err(TableError::Input(what));
        }
        roles[column] = Role::Weights;
    }
    Ok(roles)
}

/// What is read of each column, from what a sample of the rows holds.
pub fn wants(roles: &[Role], sample: &ChunkedTable, choice: &ColumnOptions) -> Vec<ReadAs> {
    roles.iter().zip(&sample.seen).map(|(role, seen)| want(*role, seen.kind(), choice)).collect()
}

/// What is read of a column that is for `role` and holds `kind`.
fn want(role: Role, kind: ColumnKind, choice: &ColumnOptions) -> ReadAs {
    match role {
        Role::Unused => ReadAs::Nothing,
        Role::SideColumns => ReadAs::Codes,
        Role::Weights => ReadAs::Numbers,
        Role::Feature(asked) => match kind {
            ColumnKind::Nested => ReadAs::Nothing,
            ColumnKind::Truth if choice.truths || asked => ReadAs::Numbers,
            ColumnKind::Date if choice.dates || asked => ReadAs::Numbers,
            ColumnKind::Text | ColumnKind::Truth if choice.encode.is_some() => ReadAs::Codes,
            ColumnKind::Text | ColumnKind::Truth | ColumnKind::Date => ReadAs::Nothing,
            ColumnKind::Number | ColumnKind::Empty => ReadAs::Numbers,
        },
    }
}

/// Columns that were read as numbers and turned out to be text that is to be encoded.
pub fn late_texts(roles: &[Role], wants: &[ReadAs], frame: &ChunkedTable, choice: &ColumnOptions) -> Vec<usize> {
    let late = |&column: &usize| {
        let known = want(roles[column], frame.seen[column].kind(), choice);
        wants[column] == ReadAs::Numbers && known == ReadAs::Codes
    };
    (0..roles.len()).filter(late).collect()
}

/// The columns to choose by and why others are not.
#[derive(Debug, Default)]
pub struct FeaturePlan {
    /// The columns to choose by.
    pub used: Vec<FeatureColumn>,
    /// Columns that are ignored, by what they hold.
    pub ignored: Vec<(usize, ColumnKind)>,
    /// Columns of text that name rows.
    pub naming: Vec<usize>,
}

/// Decides, once everything was read.
pub fn decide(roles: &[Role], wants: &[ReadAs], frame: &ChunkedTable, choice: &ColumnOptions) -> FeaturePlan {
    let mut decision = FeaturePlan::default();
    for (column, role) in roles.iter().enumerate() {
        let Role::Feature(asked) = *role else { continue };
        let kind = frame.seen[column].kind();
        let is_number = match kind {
            ColumnKind::Number => true,
            ColumnKind::Truth => choice.truths || asked,
            ColumnKind::Date => choice.dates || asked,
            _ => false,
        };
        match (wants[column], choice.encode) {
            (ReadAs::Numbers, _) if is_number => decision.used.push(FeatureColumn::Number(column)),
            (ReadAs::Codes, Some(encode)) if frame.rows > 0 => encoded(&mut decision, frame, (column, asked), encode),
            _ => decision.ignored.push((column, kind)),
        }
    }
    decision
}

fn encoded(decision: &mut FeaturePlan, frame: &ChunkedTable, (column, asked): (usize, bool), encode: Encode) {
    let names = &frame.dictionaries[column].names;
    let names_rows = names.len() > MOST_CATEGORIES || (names.len() == frame.rows && frame.rows >= NAMING);
    if names_rows && !asked {
        decision.naming.push(column);
        return;
    }
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_by(|&a, &b| names[a as usize].cmp(&names[b as usize]));
    match encode {
        Encode::Onehot => decision.used.extend(order.into_iter().map(|code| FeatureColumn::OneHot(column, code))),
        Encode::Ordinal => {
            let mut ranks = vec![0; order.len()];
            order.iter().enumerate().for_each(|(rank, &code)| ranks[code as usize] = rank as u32);
            decision.used.push(FeatureColumn::Ordinal(column, ranks));
        }
    }
}

impl FeaturePlan {
    /// What is said about the columns that are not used, in one line.
    pub fn message(&self, headings: &[String]) -> Option<String> {
        let of = |kinds: &[ColumnKind]| -> Vec<&str> {
            let columns = self.ignored.iter().filter(|(_, kind)| kinds.contains(kind));
            columns.map(|(column, _)| headings[*column].as_str()).collect()
        };
        let naming: Vec<&str> = self.naming.iter().map(|&column| headings[column].as_str()).collect();
        let groups = [
            ("not numeric", of(&[ColumnKind::Text, ColumnKind::Empty, ColumnKind::Nested]), ""),
            ("true or false", of(&[ColumnKind::Truth]), " (--booleans uses them)"),
            ("dates", of(&[ColumnKind::Date]), " (--dates uses them)"),
            ("texts that name rows", naming, ""),
        ];
        let parts: Vec<String> = groups
            .iter()
            .filter(|(_, names, _)| !names.is_empty())
            .map(|(what, names, hint)| format!("{what}: {}{hint}", listed(names)))
            .collect();
        (!parts.is_empty()).then(|| format!("ignored, {}", parts.join("; ")))
    }
}
