//! One record of a JSON file: an object whose values are single ones, objects of such, or lists, which are passed over.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::field::{self, Field, Style};

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
    /// Another list, or an object that is not taken apart.
    Nested,
}

impl Scalar {
    /// As a field of a text table would be read, where the style of the column does not matter.
    pub fn field(&self) -> Field {
        match self {
            Scalar::Null | Scalar::Nested => Field::Missing,
            Scalar::Truth(value) => Field::Truth(*value),
            Scalar::Number(value) => Field::Number(*value),
            Scalar::Vector(_) => Field::Vector,
            Scalar::Text(text) => field::read(text.as_bytes(), Style::default()),
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

/// Names of nested keys that are longer are not taken apart: a small file could hold very many of them.
const LONGEST: usize = 200;

/// The keys of an object and what they hold, in the order of the line; `{"a": {"b": 1}}` has the key `a.b`.
pub struct Object(pub Vec<(String, Scalar)>);

/// The name of key `key` within `name`; none if it is too long.
fn nested_name(name: &str, key: &str) -> Option<String> {
    (name.len() + key.len() < LONGEST).then(|| format!("{name}.{key}"))
}

/// Puts what a key holds into a list: one entry, or those of an object.
struct Entry<'a> {
    name: String,
    entries: &'a mut Vec<(String, Scalar)>,
}

impl Entry<'_> {
    fn put<E>(self, value: Scalar) -> Result<(), E> {
        self.entries.push((self.name, value));
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Entry<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Entry<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.put(Scalar::Truth(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.put(Scalar::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.put(Scalar::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.put(Scalar::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.put(Scalar::Text(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.put(Scalar::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let (mut numbers, mut only_numbers) = (Vec::new(), true);
        while let Some(item) = list.next_element::<ListItem>()? {
            match item {
                ListItem::Number(value) if only_numbers => numbers.push(value),
                ListItem::Number(_) => {}
                ListItem::Other => only_numbers = false,
            }
        }
        self.put(if only_numbers && !numbers.is_empty() { Scalar::Vector(numbers) } else { Scalar::Nested })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut keys, mut whole) = (0, true);
        while let Some(key) = map.next_key::<String>()? {
            keys += 1;
            match nested_name(&self.name, &key) {
                Some(name) => map.next_value_seed(Entry { name, entries: &mut *self.entries })?,
                None => {
                    map.next_value::<IgnoredAny>()?;
                    whole = false;
                }
            }
        }
        // An object of nothing is a value.
        if whole && keys > 0 { Ok(()) } else { self.put(Scalar::Nested) }
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object like {\"x\": 1}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        let mut entries = Vec::new();
        while let Some(name) = map.next_key()? {
            map.next_value_seed(Entry { name, entries: &mut entries })?;
        }
        Ok(Object(entries))
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

/// The same keys, with their values as they stand in the text.
pub fn raw_values(record: &[u8]) -> serde_json::Result<HashMap<String, &RawValue>> {
    let mut found = HashMap::new();
    let object: HashMap<String, &RawValue> = serde_json::from_slice(record)?;
    for (name, value) in object {
        add_raw(name, value, &mut found)?;
    }
    Ok(found)
}

fn add_raw<'a>(name: String, value: &'a RawValue, found: &mut HashMap<String, &'a RawValue>) -> serde_json::Result<()> {
    if !value.get().starts_with('{') {
        found.insert(name, value);
        return Ok(());
    }
    let object: HashMap<String, &RawValue> = serde_json::from_str(value.get())?;
    if object.is_empty() {
        found.insert(name, value);
        return Ok(());
    }
    for (key, inner) in object {
        match nested_name(&name, &key) {
            Some(nested) => add_raw(nested, inner, found)?,
            None => drop(found.insert(name.clone(), value)),
        }
    }
    Ok(())
}

/// An item of a list: a number (NaN for null), or anything else.
enum ListItem {
    Number(f64),
    Other,
}

struct ListItemVisitor;

impl<'de> Visitor<'de> for ListItemVisitor {
    type Value = ListItem;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_i64<E>(self, value: i64) -> Result<ListItem, E> {
        Ok(ListItem::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<ListItem, E> {
        Ok(ListItem::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<ListItem, E> {
        Ok(ListItem::Number(value))
    }

    fn visit_unit<E>(self) -> Result<ListItem, E> {
        Ok(ListItem::Number(f64::NAN))
    }

    fn visit_bool<E>(self, _: bool) -> Result<ListItem, E> {
        Ok(ListItem::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<ListItem, E> {
        Ok(ListItem::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ListItem, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(ListItem::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ListItem, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(ListItem::Other)
    }
}

impl<'de> Deserialize<'de> for ListItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListItemVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_objects_are_keys_with_points() {
        let text = br#"{"a":{"b":1,"c":{"d":"x"}},"e":[1,2],"f":null,"g":{}}"#;
        let Object(entries) = serde_json::from_slice(text).unwrap();
        let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a.b", "a.c.d", "e", "f", "g"]);
        assert_eq!(entries[2].1, Scalar::Vector(vec![1.0, 2.0]));
        let raw = raw_values(text).unwrap();
        assert_eq!((raw["a.c.d"].get(), raw["e"].get(), raw.len()), ("\"x\"", "[1,2]", 5));
        let long = format!(r#"{{"{}":{{"b":1}}}}"#, "k".repeat(LONGEST));
        let Object(entries) = serde_json::from_str(&long).unwrap();
        assert_eq!((entries.len(), &entries[0].1), (1, &Scalar::Nested));
        assert_eq!(raw_values(long.as_bytes()).unwrap().len(), 1);
    }
}
