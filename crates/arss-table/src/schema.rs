//! Which columns are used, and for what.

use crate::TableError;
use crate::chunks::{Frame, Kind, Want};
use crate::{Choice, Encode, listed};

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
    Aside,
    /// Nothing.
    Unused,
}

/// A column that is chosen by, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Used {
    /// Its numbers.
    Number(usize),
    /// 1 where it has this code, 0 elsewhere.
    OneHot(usize, u32),
    /// The rank of each code.
    Ordinal(usize, Vec<u32>),
}

impl Used {
    /// The column of the file.
    pub fn column(&self) -> usize {
        match self {
            Used::Number(column) | Used::OneHot(column, _) | Used::Ordinal(column, _) => *column,
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
pub fn roles(headings: &[String], choice: &Choice) -> Result<Vec<Role>, TableError> {
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
        roles[position(headings, name)?] = Role::Aside;
    }
    if let Some(name) = &choice.weights {
        let column = position(headings, name)?;
        if roles[column] == Role::Aside {
            let what = format!("column {name} cannot hold the weights and a label or group as well");
            return Err(TableError::Input(what));
        }
        roles[column] = Role::Weights;
    }
    Ok(roles)
}

/// What is read of each column, from what a sample of the rows holds.
pub fn wants(roles: &[Role], sample: &Frame, choice: &Choice) -> Vec<Want> {
    roles.iter().zip(&sample.seen).map(|(role, seen)| want(*role, seen.kind(), choice)).collect()
}

/// What is read of a column that is for `role` and holds `kind`.
fn want(role: Role, kind: Kind, choice: &Choice) -> Want {
    match role {
        Role::Unused => Want::Nothing,
        Role::Aside => Want::Codes,
        Role::Weights => Want::Numbers,
        Role::Feature(asked) => match kind {
            Kind::Nested => Want::Nothing,
            Kind::Truth if choice.truths || asked => Want::Numbers,
            Kind::Date if choice.dates || asked => Want::Numbers,
            Kind::Text | Kind::Truth if choice.encode.is_some() => Want::Codes,
            Kind::Text | Kind::Truth | Kind::Date => Want::Nothing,
            Kind::Number | Kind::Empty => Want::Numbers,
        },
    }
}

/// Columns that were read as numbers and turned out to be text that is to be encoded.
pub fn late_texts(roles: &[Role], wants: &[Want], frame: &Frame, choice: &Choice) -> Vec<usize> {
    let late = |&column: &usize| {
        let known = want(roles[column], frame.seen[column].kind(), choice);
        wants[column] == Want::Numbers && known == Want::Codes
    };
    (0..roles.len()).filter(late).collect()
}

/// The columns to choose by and why others are not.
#[derive(Debug, Default)]
pub struct Decision {
    /// The columns to choose by.
    pub used: Vec<Used>,
    /// Columns that are ignored, by what they hold.
    pub ignored: Vec<(usize, Kind)>,
    /// Columns of text that name rows.
    pub naming: Vec<usize>,
}

/// Decides, once everything was read.
pub fn decide(roles: &[Role], wants: &[Want], frame: &Frame, choice: &Choice) -> Decision {
    let mut decision = Decision::default();
    for (column, role) in roles.iter().enumerate() {
        let Role::Feature(asked) = *role else { continue };
        let kind = frame.seen[column].kind();
        let is_number = match kind {
            Kind::Number => true,
            Kind::Truth => choice.truths || asked,
            Kind::Date => choice.dates || asked,
            _ => false,
        };
        match (wants[column], choice.encode) {
            (Want::Numbers, _) if is_number => decision.used.push(Used::Number(column)),
            (Want::Codes, Some(encode)) if frame.rows > 0 => encoded(&mut decision, frame, (column, asked), encode),
            _ => decision.ignored.push((column, kind)),
        }
    }
    decision
}

fn encoded(decision: &mut Decision, frame: &Frame, (column, asked): (usize, bool), encode: Encode) {
    let names = &frame.dictionaries[column].names;
    let names_rows = names.len() > MOST_CATEGORIES || (names.len() == frame.rows && frame.rows >= NAMING);
    if names_rows && !asked {
        decision.naming.push(column);
        return;
    }
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_by(|&a, &b| names[a as usize].cmp(&names[b as usize]));
    match encode {
        Encode::Onehot => decision.used.extend(order.into_iter().map(|code| Used::OneHot(column, code))),
        Encode::Ordinal => {
            let mut ranks = vec![0; order.len()];
            order.iter().enumerate().for_each(|(rank, &code)| ranks[code as usize] = rank as u32);
            decision.used.push(Used::Ordinal(column, ranks));
        }
    }
}

impl Decision {
    /// What is said about the columns that are not used, in one line.
    pub fn message(&self, headings: &[String]) -> Option<String> {
        let of = |kinds: &[Kind]| -> Vec<&str> {
            let columns = self.ignored.iter().filter(|(_, kind)| kinds.contains(kind));
            columns.map(|(column, _)| headings[*column].as_str()).collect()
        };
        let naming: Vec<&str> = self.naming.iter().map(|&column| headings[column].as_str()).collect();
        let groups = [
            ("not numeric", of(&[Kind::Text, Kind::Empty, Kind::Nested]), ""),
            ("true or false", of(&[Kind::Truth]), " (--booleans uses them)"),
            ("dates", of(&[Kind::Date]), " (--dates uses them)"),
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
