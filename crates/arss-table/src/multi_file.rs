//! Several files as one table: what they must have in common.

use std::any::Any;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use arrow_schema::Schema;

use crate::TableError;
use crate::formats::file_format::TableFile;
use crate::partitioned::PartitionedFile;
use crate::text::cut;

type File = Box<dyn TableFile>;

/// The names of the columns that all files have; fails if one does not fit the first.
pub fn unite(files: &mut [File], paths: &[PathBuf]) -> Result<Vec<String>, TableError> {
    share_optional_columns(files);
    let Some((first, others)) = files.split_first() else { return Ok(Vec::new()) };
    let Some((first_path, other_paths)) = paths.split_first() else { return Ok(Vec::new()) };
    let headings = first.headings();
    for (file, path) in others.iter().zip(other_paths) {
        check(file, path, (first, first_path, &headings))?;
    }
    Ok(headings)
}

fn check(file: &File, path: &Path, (first, first_path, headings): (&File, &Path, &[String])) -> Result<(), TableError> {
    let kind = |file: &File| {
        let file = file.as_ref() as &dyn Any;
        file.downcast_ref::<PartitionedFile>().map_or(file.type_id(), PartitionedFile::inner_type)
    };
    if kind(file) != kind(first) {
        return Err(TableError::in_file(path, format_args!("is of another format than {}", first_path.display())));
    }
    let own = file.headings();
    let what = if own.len() != headings.len() {
        format!("has {} columns, {} there", own.len(), headings.len())
    } else if let Some((own, first)) = own.iter().zip(headings).find(|(own, first)| own != first) {
        format!("column {} is called {} there", cut(own), cut(first))
    } else if let Some(what) = file.schema().zip(first.schema()).and_then(|(own, first)| other_type(own, first)) {
        what
    } else {
        return Ok(());
    };
    let what = format!("does not have the columns of {}: {what}", first_path.display());
    Err(TableError::in_file(path, what))
}

fn other_type(own: &Schema, first: &Schema) -> Option<String> {
    let pairs = own.fields().iter().zip(first.fields());
    let (own, first) = pairs.into_iter().find(|(own, first)| own.data_type() != first.data_type())?;
    Some(format!("column {} is of type {}, {} there", cut(own.name()), own.data_type(), first.data_type()))
}

/// Files whose rows need not have all columns, such as JSON lines, share the columns of all files.
fn share_optional_columns(files: &mut [File]) {
    let (mut all, mut known) = (Vec::new(), HashSet::new());
    for names in files.iter_mut().filter_map(|file| file.optional_columns()) {
        all.extend(names.iter().filter(|name| known.insert((*name).clone())).cloned());
    }
    files.iter_mut().filter_map(|file| file.optional_columns()).for_each(|names| names.clone_from(&all));
}
