//! Several files as one table: what they have to have in common.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::TableError;
use crate::cut;
use crate::source::Part;

/// Makes the files of one kind, and gives the names of their columns; fails if one does not fit the first.
pub fn unite(parts: &mut [Part], paths: &[PathBuf]) -> Result<Vec<String>, TableError> {
    unite_keys(parts);
    let Some((first, others)) = parts.split_first() else { return Ok(Vec::new()) };
    let headings = first.headings();
    for (part, path) in others.iter().zip(&paths[1..]) {
        check(part, path, (first, &paths[0], &headings))?;
    }
    Ok(headings)
}

fn check(part: &Part, path: &Path, (first, first_path, headings): (&Part, &Path, &[String])) -> Result<(), TableError> {
    if std::mem::discriminant(part) != std::mem::discriminant(first) {
        return Err(TableError::in_file(path, format_args!("is of another format than {}", first_path.display())));
    }
    let own = part.headings();
    let what = if own.len() != headings.len() {
        format!("has {} columns, {} there", own.len(), headings.len())
    } else if let Some((own, first)) = own.iter().zip(headings).find(|(own, first)| own != first) {
        format!("column {} is called {} there", cut(own), cut(first))
    } else if let Some(what) = part.schema().zip(first.schema()).and_then(|(own, first)| odd_type(own, first)) {
        what
    } else {
        return Ok(());
    };
    let what = format!("does not have the columns of {}: {what}", first_path.display());
    Err(TableError::in_file(path, what))
}

fn odd_type(own: &arrow_schema::Schema, first: &arrow_schema::Schema) -> Option<String> {
    let pairs = own.fields().iter().zip(first.fields());
    let (own, first) = pairs.into_iter().find(|(own, first)| own.data_type() != first.data_type())?;
    Some(format!("column {} is of type {}, {} there", cut(own.name()), own.data_type(), first.data_type()))
}

/// Files of JSON lines share all keys that any of them has.
fn unite_keys(parts: &mut [Part]) {
    let (mut all, mut known) = (Vec::new(), HashSet::new());
    for part in parts.iter() {
        if let Part::Lines(lines) = part {
            all.extend(lines.names.iter().filter(|name| known.insert(name.as_str())).cloned());
        }
    }
    for part in parts {
        if let Part::Lines(lines) = part {
            lines.names.clone_from(&all);
        }
    }
}
