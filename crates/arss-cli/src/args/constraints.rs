//! What is demanded of the choice, from the words of the flags to the rows and columns of the table.

use std::path::Path;

use arss::{Exemplars, Groups, Method, Quotas, Ted};
use arss_table::{Categories, Table};

use crate::args::ConstraintArgs;
use crate::failure::Failure;

/// Bytes of a list of rows: a device in its place would have no end.
const LONGEST_LIST: u64 = 1 << 28;

/// The method with the constraints in it.
pub fn apply(method: Method, args: &ConstraintArgs, table: &mut Table) -> Result<Method, Failure> {
    let weights = table.side.weights.take();
    Ok(match method {
        Method::Exemplars(settings) => {
            let groups = table.side.group.as_ref().map(|codes| groups(codes, args)).transpose()?;
            let rows = |flag: &str, text: &Option<String>| -> Result<Vec<usize>, Failure> {
                let numbers = text.as_deref().map_or(Ok(Vec::new()), |text| rows(flag, text))?;
                numbers.into_iter().map(|number| kept(flag, number, table)).collect()
            };
            let (include, exclude) = (rows("--include", &args.include)?, rows("--forbid", &args.forbid)?);
            let outlier_columns = table.outlier_columns();
            Method::Exemplars(Exemplars { weights, groups, include, exclude, outlier_columns, ..settings })
        }
        Method::Ted(settings) => Method::Ted(Ted { weights, ..settings }),
        // Which flags a method takes was checked before.
        other => other,
    })
}

/// The row that has this number in the file.
fn kept(flag: &str, number: usize, table: &Table) -> Result<usize, Failure> {
    table.row_of(number).ok_or_else(|| {
        let what = if number < table.source.rows() { "was dropped: a value is missing" } else { "is not in the table" };
        Failure::Input(format!("{flag} names row {number}, which {what}"))
    })
}

/// Row positions: `0,7,20-29`, or `@file` with one or more a line.
fn rows(flag: &str, text: &str) -> Result<Vec<usize>, Failure> {
    let Some(path) = text.strip_prefix('@') else { return listed(text).map_err(|word| not_a_row(flag, "", &word)) };
    let bytes = arss_table::read_at_most(Path::new(path), LONGEST_LIST)
        .map_err(|error| Failure::Input(format!("{flag}: {error}")))?;
    let content = String::from_utf8(bytes)
        .map_err(|_| Failure::in_file(Path::new(path), format_args!("is no text, but {flag} needs numbers of rows")))?;
    let mut found = Vec::new();
    for (at, line) in content.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        found.extend(listed(line).map_err(|word| not_a_row(flag, &format!(" in line {} of {path}", at + 1), &word))?);
    }
    Ok(found)
}

fn not_a_row(flag: &str, place: &str, word: &str) -> Failure {
    Failure::Input(format!("{flag} holds {word:?}{place}: rows are numbers from 0 or ranges, like 0,7,20-29"))
}

/// Numbers and ranges with commas between them, or the word that is neither.
fn listed(text: &str) -> Result<Vec<usize>, String> {
    let mut found = Vec::new();
    for word in text.split(',').map(str::trim) {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        match (first.trim().parse::<usize>(), last.trim().parse::<usize>()) {
            // Further than any table; a longer range would only fill the memory.
            (Ok(first), Ok(last)) if first <= last && last - first <= u32::MAX as usize => found.extend(first..=last),
            _ => return Err(word.to_owned()),
        }
    }
    Ok(found)
}

/// Groups are numbered as they come; rows without one are a group of their own.
fn groups(codes: &Categories, args: &ConstraintArgs) -> Result<Groups, Failure> {
    let mut names: Vec<&str> = codes.names.iter().map(String::as_str).collect();
    let nameless = names.len();
    if codes.codes.contains(&Categories::MISSING) {
        names.push("");
    }
    let of =
        codes.codes.iter().map(|&code| if code == Categories::MISSING { nameless } else { code as usize }).collect();
    let quotas = match args.quotas.as_deref() {
        None | Some("proportional") => Quotas::Proportional,
        Some(text) => Quotas::AtMost(quotas(text, &names, codes.codes.len())?),
    };
    Ok(Groups { of, quotas })
}

/// One number per group; those that are not named have no limit.
fn quotas(text: &str, names: &[&str], rows: usize) -> Result<Vec<usize>, Failure> {
    let mut found = vec![rows; names.len()];
    for word in text.split(',').map(str::trim) {
        let pair = word.rsplit_once('=').and_then(|(name, number)| Some((name.trim(), number.trim().parse().ok()?)));
        let Some((name, number)) = pair else {
            return Err(Failure::Input(format!("--quotas holds {word:?}: it takes proportional, or NAME=3,OTHER=5")));
        };
        let Some(group) = names.iter().position(|known| *known == name) else {
            return Err(Failure::Input(format!("--quotas names group {name:?}, but no row is of it")));
        };
        found[group] = number;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_rows() {
        assert_eq!(listed("3"), Ok(vec![3]));
        assert_eq!(listed("0, 7,20-23"), Ok(vec![0, 7, 20, 21, 22, 23]));
        for (bad, word) in [("", ""), ("1,,2", ""), ("4-2", "4-2"), ("-1", "-1"), ("x", "x"), ("1.5", "1.5")] {
            assert_eq!(listed(bad), Err(word.to_owned()));
        }
    }

    #[test]
    fn quotas_by_name() {
        let names = ["a", "b=c", "d"];
        assert_eq!(quotas("a=1,b=c=0", &names, 9).unwrap(), [1, 0, 9]);
        assert!(
            quotas("a", &names, 9).is_err() && quotas("e=1", &names, 9).is_err() && quotas("a=-1", &names, 9).is_err()
        );
    }
}
