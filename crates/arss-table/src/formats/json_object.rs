//! One line of a JSON lines file: an object whose values are single ones, or lists and objects that are passed over.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::field::{self, Field};

/// What a key holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// null.
    Null,
    /// true or false.
    Truth(bool),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
    /// A list of numbers.
    Vector(Vec<f64>),
    /// Another list, or an object.
    Nested,
}

impl Scalar {
    /// As a field of a text table would be read; text is never a number here, but may be a date.
    pub fn field(&self) -> Field {
        match self {
            Scalar::Null | Scalar::Nested => Field::Missing,
            Scalar::Truth(value) => Field::Truth(*value),
            Scalar::Number(value) => Field::Number(*value),
            Scalar::Vector(_) => Field::Vector,
            Scalar::Text(text) => field::date(text.as_bytes()).map_or(Field::Text, Field::Date),
        }
    }

    /// The value as text; nothing where there is none.
    pub fn text(&self) -> String {
        match self {
            Scalar::Null | Scalar::Nested => String::new(),
            Scalar::Vector(numbers) => format!("{numbers:?}"),
            Scalar::Truth(value) => value.to_string(),
            Scalar::Number(value) => value.to_string(),
            Scalar::Text(text) => text.clone(),
        }
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar::Truth(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Scalar, E> {
        Ok(Scalar::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Scalar, A::Error> {
        let (mut numbers, mut only_numbers) = (Vec::new(), true);
        while let Some(item) = list.next_element::<Scalar>()? {
            match item {
                Scalar::Number(value) => numbers.push(value),
                Scalar::Null => numbers.push(f64::NAN),
                _ => only_numbers = false,
            }
        }
        Ok(if only_numbers && !numbers.is_empty() { Scalar::Vector(numbers) } else { Scalar::Nested })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Nested)
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

/// The keys of an object and what they hold, in the order of the line.
pub struct Object(pub Vec<(String, Scalar)>);

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object like {\"x\": 1}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Object(entries))
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}
