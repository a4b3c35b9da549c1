//! Which columns are used, and for what.

use crate::chunks::{ChunkedTable, ColumnKind, ReadAs};
use crate::text::listed;
use crate::{Encode, ReadOptions, TableError};

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
    Side,
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

impl FeatureColumn {
    /// What the column makes of a number or of the number of a text.
    #[inline]
    pub fn encode(&self, value: f64) -> f64 {
        match self {
            _ if value.is_nan() => f64::NAN,
            FeatureColumn::Number(_) => value,
            FeatureColumn::OneHot(_, code) => f64::from(u8::from(value == f64::from(*code))),
            FeatureColumn::Ordinal(_, ranks) => f64::from(ranks[value as usize]),
        }
    }

    /// The name of the column; one-hot columns are called `heading=text`.
    pub fn name(&self, headings: &[String], table: &ChunkedTable) -> String {
        match self {
            FeatureColumn::OneHot(column, code) => {
                format!("{}={}", headings[*column], table.dictionaries[*column].names[*code as usize])
            }
            other => headings[other.column()].clone(),
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
pub fn roles(headings: &[String], options: &ReadOptions) -> Result<Vec<Role>, TableError> {
    let mut roles = vec![Role::Feature(false); headings.len()];
    if let Some(names) = &options.columns {
        roles.fill(Role::Unused);
        for name in names {
            roles[position(headings, name)?] = Role::Feature(true);
        }
    }
    for name in options.exclude.iter().chain(&options.id) {
        roles[position(headings, name)?] = Role::Unused;
    }
    for name in options.label.iter().chain(&options.group) {
        roles[position(headings, name)?] = Role::Side;
    }
    if let Some(name) = &options.weights {
        let column = position(headings, name)?;
        if roles[column] == Role::Side {
            let what = format!("column {name} cannot hold the weights and a label or group as well");
            return Err(TableError::Input(what));
        }
        roles[column] = Role::Weights;
    }
    Ok(roles)
}

/// What is read of each column, from what a sample of the rows holds.
pub fn read_as(roles: &[Role], sample: &ChunkedTable, options: &ReadOptions) -> Vec<ReadAs> {
    roles.iter().zip(&sample.seen).map(|(role, seen)| one_read_as(*role, seen.kind(), options)).collect()
}

/// What is read of a column that is for `role` and holds `kind`.
fn one_read_as(role: Role, kind: ColumnKind, options: &ReadOptions) -> ReadAs {
    match role {
        Role::Unused => ReadAs::Nothing,
        Role::Side => ReadAs::Codes,
        Role::Weights => ReadAs::Numbers,
        Role::Feature(asked) => match kind {
            ColumnKind::Nested => ReadAs::Nothing,
            ColumnKind::Truth if options.booleans || asked => ReadAs::Numbers,
            ColumnKind::Date if options.dates || asked => ReadAs::Numbers,
            ColumnKind::Text | ColumnKind::Truth if options.encode.is_some() => ReadAs::Codes,
            ColumnKind::Text | ColumnKind::Truth | ColumnKind::Date => ReadAs::Nothing,
            ColumnKind::Number | ColumnKind::Empty => ReadAs::Numbers,
        },
    }
}

/// Columns that were read as numbers and turned out to be text that is to be encoded.
pub fn late_texts(roles: &[Role], read_as: &[ReadAs], table: &ChunkedTable, options: &ReadOptions) -> Vec<usize> {
    let late = |&column: &usize| {
        let known = one_read_as(roles[column], table.seen[column].kind(), options);
        read_as[column] == ReadAs::Numbers && known == ReadAs::Codes
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
pub fn plan(roles: &[Role], read_as: &[ReadAs], table: &ChunkedTable, options: &ReadOptions) -> FeaturePlan {
    let mut plan = FeaturePlan::default();
    for (column, role) in roles.iter().enumerate() {
        let Role::Feature(asked) = *role else { continue };
        let kind = table.seen[column].kind();
        let is_number = match kind {
            ColumnKind::Number => true,
            ColumnKind::Truth => options.booleans || asked,
            ColumnKind::Date => options.dates || asked,
            _ => false,
        };
        match (read_as[column], options.encode) {
            (ReadAs::Numbers, _) if is_number => plan.used.push(FeatureColumn::Number(column)),
            (ReadAs::Codes, Some(encode)) if table.rows > 0 => encoded(&mut plan, table, (column, asked), encode),
            _ => plan.ignored.push((column, kind)),
        }
    }
    plan
}

fn encoded(plan: &mut FeaturePlan, table: &ChunkedTable, (column, asked): (usize, bool), encode: Encode) {
    let names = &table.dictionaries[column].names;
    let names_rows = names.len() > MOST_CATEGORIES || (names.len() == table.rows && table.rows >= NAMING);
    if names_rows && !asked {
        plan.naming.push(column);
        return;
    }
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_by(|&a, &b| names[a as usize].cmp(&names[b as usize]));
    match encode {
        Encode::Onehot => plan.used.extend(order.into_iter().map(|code| FeatureColumn::OneHot(column, code))),
        Encode::Ordinal => {
            let mut ranks = vec![0; order.len()];
            order.iter().enumerate().for_each(|(rank, &code)| ranks[code as usize] = rank as u32);
            plan.used.push(FeatureColumn::Ordinal(column, ranks));
        }
    }
}

impl FeaturePlan {
    /// What is said about the columns that are not used, in one line.
    pub fn note(&self, headings: &[String]) -> Option<String> {
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
