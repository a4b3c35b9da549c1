//! What columns without types are turned into where a format has them.

use crate::chunks::{ChunkedTable, ColumnKind, ReadAs};
use crate::field;
use crate::field::Field;
use crate::formats::npy;
use crate::number_stats::NumberStats;
use crate::source::{Part, Source};

/// What a column is turned into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputType {
    /// Whole numbers.
    Int,
    /// Whole numbers, too large for a sign.
    Uint,
    /// Numbers.
    Float,
    /// Numbers of single precision.
    Single,
    /// true and false.
    Truth,
    /// Text.
    Text,
}

/// The types of all columns; only what was read whole is trusted.
pub fn of(source: &Source, frame: &ChunkedTable, wants: &[ReadAs]) -> Vec<OutputType> {
    if let Some(kind) = of_arrays(source) {
        return vec![kind; wants.len()];
    }
    let of = |column: usize| match (wants[column], frame.seen[column].kind()) {
        (ReadAs::Numbers, ColumnKind::Number) => frame.numbers[column].kind(),
        (ReadAs::Codes, ColumnKind::Number) => {
            let mut numbers = NumberStats::default();
            frame.dictionaries[column].names.iter().for_each(|name| numbers.add(&[number(name)]));
            numbers.kind()
        }
        (ReadAs::Numbers | ReadAs::Codes, ColumnKind::Truth) => OutputType::Truth,
        _ => OutputType::Text,
    };
    (0..wants.len()).map(of).collect()
}

fn number(text: &str) -> f64 {
    match field::read(text.as_bytes()) {
        Field::Number(value) => value,
        _ => f64::NAN,
    }
}

/// The type that all arrays fit into; none if the files are no arrays.
pub fn of_arrays(source: &Source) -> Option<OutputType> {
    let kinds = source.parts.iter().map(|part| match part {
        Part::Array(array) => Some(match array.kind() {
            npy::ElementType::Float(4) => OutputType::Single,
            npy::ElementType::Float(_) => OutputType::Float,
            npy::ElementType::Bool => OutputType::Truth,
            npy::ElementType::Uint(8) => OutputType::Uint,
            npy::ElementType::Int(_) | npy::ElementType::Uint(_) => OutputType::Int,
        }),
        _ => None,
    });
    let kinds: Vec<OutputType> = kinds.collect::<Option<_>>()?;
    let first = *kinds.first()?;
    Some(if kinds.iter().all(|kind| *kind == first) { first } else { OutputType::Float })
}
