//! The types that columns without one get where a format needs them.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow_schema::{Field as ArrowField, Schema};

use crate::chunks::{ChunkedTable, ReadAs};
use crate::column_kinds::ColumnKind;
use crate::field::{self, Field, Style};
use crate::number_stats::NumberStats;
use crate::source::Source;

/// The type that a column gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputType {
    /// Whole numbers.
    Int,
    /// Whole numbers too large for a sign.
    Uint,
    /// Numbers.
    Float,
    /// Numbers with a decimal comma.
    DecimalComma {
        /// True if they are whole.
        whole: bool,
    },
    /// Numbers of single precision.
    Single,
    /// true and false.
    Truth,
    /// Text.
    Text,
}

/// The types of all columns; columns that were not read whole are text, unless the files know better.
pub fn of(source: &Source, table: &ChunkedTable, read_as: &[ReadAs]) -> Vec<OutputType> {
    if let Some(kind) = source.element_type() {
        return vec![kind; read_as.len()];
    }
    let of = |column: usize| match (read_as[column], table.seen[column].kind()) {
        (ReadAs::Numbers(style), ColumnKind::Number) if style.decimal_comma => {
            OutputType::DecimalComma { whole: table.numbers[column].is_whole() }
        }
        (ReadAs::Numbers(_), ColumnKind::Number) => table.numbers[column].kind(),
        (ReadAs::Codes, ColumnKind::Number) => {
            let mut numbers = NumberStats::default();
            let names = &table.dictionaries[column].names;
            names.iter().for_each(|name| numbers.add(&[number(name, Style::default()).unwrap_or(f64::NAN)]));
            numbers.kind()
        }
        (ReadAs::Numbers(_) | ReadAs::Codes, ColumnKind::Truth) => OutputType::Truth,
        (ReadAs::Nothing, _) => source.column_type(column),
        _ => OutputType::Text,
    };
    (0..read_as.len()).map(of).collect()
}

fn number(text: &str, style: Style) -> Option<f64> {
    match field::read(text.as_bytes(), style) {
        Field::Number(value) => Some(value),
        _ => None,
    }
}

fn truth(text: &str) -> Option<bool> {
    match field::read(text.as_bytes(), Style::default()) {
        Field::Truth(value) => Some(value),
        Field::Number(value) => Some(value != 0.0),
        _ => None,
    }
}

/// The names, the second `x` as `x_2`: formats with types tell columns apart by their names.
pub fn different(names: &[String]) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    // How often each name came, or the last number that was tried for it.
    let mut tried: HashMap<&str, usize> = HashMap::new();
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let number = tried.entry(name).or_insert(0);
        *number += 1;
        if *number == 1 {
            found.push(name.clone());
            continue;
        }
        while !taken.insert(format!("{name}_{number}")) {
            *number += 1;
        }
        found.push(format!("{name}_{number}"));
    }
    found
}

/// Rows of text as typed columns; what does not fit its type is missing.
pub fn typed_batch(headings: &[String], types: &[OutputType], rows: &[Vec<String>]) -> io::Result<RecordBatch> {
    let arrays: Vec<ArrayRef> = types.iter().enumerate().map(|(at, kind)| column(*kind, at, rows)).collect();
    let names = different(headings);
    let fields = names.iter().zip(&arrays).map(|(name, array)| ArrowField::new(name, array.data_type().clone(), true));
    RecordBatch::try_new(Arc::new(Schema::new(fields.collect::<Vec<_>>())), arrays).map_err(io::Error::other)
}

fn column(kind: OutputType, at: usize, rows: &[Vec<String>]) -> ArrayRef {
    let cells = rows.iter().map(move |row| row.get(at).map_or("", String::as_str));
    let point = |cell: &str| number(cell, Style::default());
    let comma = |cell: &str| number(cell, Style { decimal_comma: true, ..Style::default() });
    match kind {
        // Parsed as an integer first: large ones have more digits than a float holds.
        OutputType::Int => {
            let whole = |cell: &str| cell.trim().parse().ok().or_else(|| point(cell).map(|value| value as i64));
            Arc::new(cells.map(whole).collect::<Int64Array>())
        }
        OutputType::Uint => {
            let whole = |cell: &str| cell.trim().parse().ok().or_else(|| point(cell).map(|value| value as u64));
            Arc::new(cells.map(whole).collect::<UInt64Array>())
        }
        OutputType::Single => Arc::new(cells.map(|cell| cell.parse::<f32>().ok()).collect::<Float32Array>()),
        OutputType::Float => Arc::new(cells.map(point).collect::<Float64Array>()),
        OutputType::DecimalComma { whole: false } => Arc::new(cells.map(comma).collect::<Float64Array>()),
        OutputType::DecimalComma { whole: true } => {
            Arc::new(cells.map(|cell| comma(cell).map(|value| value as i64)).collect::<Int64Array>())
        }
        OutputType::Truth => Arc::new(cells.map(truth).collect::<BooleanArray>()),
        OutputType::Text => Arc::new(cells.map(|cell| (!cell.is_empty()).then_some(cell)).collect::<StringArray>()),
    }
}

#[cfg(test)]
mod tests {
    use super::different;

    #[test]
    fn names_that_come_again_get_a_number() {
        let names = ["x", "x", "y", "x_2", "x", ""].map(str::to_owned);
        assert_eq!(different(&names), ["x", "x_3", "y", "x_2", "x_4", ""]);
        assert_eq!(different(&["", ""].map(str::to_owned)), ["", "_2"]);
    }
}
