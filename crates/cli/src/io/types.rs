//! What columns without types are turned into where a format has them.

use super::fields::{self, Field};
use super::frame::{Frame, Kind, Want};
use super::npy;
use super::source::{Part, Source};

/// Whole numbers below this have a sign; those from here to twice as much do not.
const SIGNED: f64 = 9_223_372_036_854_775_808.0;

/// What a column is turned into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
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
pub fn of(source: &Source, frame: &Frame, wants: &[Want]) -> Vec<Type> {
    if let Some(kind) = of_arrays(source) {
        return vec![kind; wants.len()];
    }
    let of = |column: usize| match (wants[column], frame.seen[column].kind()) {
        (Want::Numbers, Kind::Number) => of_numbers(frame.numbers(column)),
        (Want::Codes, Kind::Number) => of_numbers(frame.dictionaries[column].names.iter().map(|name| number(name))),
        (Want::Numbers | Want::Codes, Kind::Truth) => Type::Truth,
        _ => Type::Text,
    };
    (0..wants.len()).map(of).collect()
}

fn number(text: &str) -> f64 {
    match fields::read(text.as_bytes()) {
        Field::Number(value) => value,
        _ => f64::NAN,
    }
}

fn of_numbers(numbers: impl Iterator<Item = f64>) -> Type {
    let (mut low, mut high) = (0.0f64, 0.0f64);
    for value in numbers.filter(|value| !value.is_nan()) {
        if value.fract() != 0.0 {
            return Type::Float;
        }
        (low, high) = (low.min(value), high.max(value));
    }
    match (low, high) {
        _ if low >= -SIGNED && high < SIGNED => Type::Int,
        _ if low >= 0.0 && high < 2.0 * SIGNED => Type::Uint,
        _ => Type::Float,
    }
}

/// The type that all arrays fit into; none if the files are no arrays.
pub fn of_arrays(source: &Source) -> Option<Type> {
    let kinds = source.parts.iter().map(|part| match part {
        Part::Array(array) => Some(match array.kind() {
            npy::Kind::Float(4) => Type::Single,
            npy::Kind::Float(_) => Type::Float,
            npy::Kind::Bool => Type::Truth,
            npy::Kind::Uint(8) => Type::Uint,
            npy::Kind::Int(_) | npy::Kind::Uint(_) => Type::Int,
        }),
        _ => None,
    });
    let kinds: Vec<Type> = kinds.collect::<Option<_>>()?;
    let first = *kinds.first()?;
    Some(if kinds.iter().all(|kind| *kind == first) { first } else { Type::Float })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_whole_as_long_as_they_fit() {
        let of = |numbers: &[f64]| of_numbers(numbers.iter().copied());
        assert_eq!(of(&[1.0, f64::NAN, -3.0]), Type::Int);
        assert_eq!(of(&[1.0, 0.5]), Type::Float);
        assert_eq!(of(&[1e18, -9.2e18]), Type::Int);
        assert_eq!(of(&[1e19, 0.0]), Type::Uint);
        assert_eq!(of(&[1e19, -1.0]), Type::Float);
        assert_eq!(of(&[1e20]), Type::Float);
        assert_eq!(of(&[f64::INFINITY]), Type::Float);
    }
}
