//! What the fields of a Parquet description have to be.
//!
//! The reader takes a known field for what it should be, whatever its type says. From a wrong one on it reads nonsense,
//! which may be a list of two thousand million elements of no length: a second for each, out of a few bytes.

use crate::untrusted::thrift::{BINARY, BYTE, FALSE, LIST, STRUCT, TRUE, Walk};

/// What a field has to be.
#[derive(Debug, Clone, Copy)]
pub enum Is {
    /// A whole number.
    Number,
    /// One byte.
    Byte,
    /// Bytes.
    Bytes,
    /// True or false.
    Truth,
    /// A list of these.
    List(&'static Is),
    /// A structure with these fields; others are passed over.
    Struct(Fields),
}

/// Numbers of fields, and what they have to be.
pub type Fields = &'static [(i64, Is)];

use Is::{Byte, Bytes, List, Number, Struct, Truth};

/// The description at the end of a file.
pub const FILE: Fields = &[
    (1, Number),
    (2, List(&Struct(COLUMN))),
    (3, Number),
    (4, List(&Struct(GROUP))),
    (5, List(&Struct(PAIR))),
    (6, Bytes),
    (7, List(&Struct(&[(1, EMPTY), (2, EMPTY)]))),
    (
        8,
        Struct(&[
            (1, Struct(&[(1, Bytes), (2, Bytes), (3, Truth)])),
            (2, Struct(&[(1, Bytes), (2, Bytes), (3, Truth)])),
        ]),
    ),
    (9, Bytes),
];
/// The header of a page.
pub const PAGE: Fields = &[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Number),
    (5, Struct(&[(1, Number), (2, Number), (3, Number), (4, Number), (5, STATISTICS)])),
    (6, EMPTY),
    (7, Struct(&[(1, Number), (2, Number), (3, Truth)])),
    (
        8,
        Struct(&[
            (1, Number),
            (2, Number),
            (3, Number),
            (4, Number),
            (5, Number),
            (6, Number),
            (7, Truth),
            (8, STATISTICS),
        ]),
    ),
];

const EMPTY: Is = Struct(&[]);
const NUMBERS: Is = List(&Number);
const PAIR: Fields = &[(1, Bytes), (2, Bytes)];
const COLUMN: Fields = &[
    (1, Number),
    (2, Number),
    (3, Number),
    (4, Bytes),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, Number),
    (9, Number),
    (10, Struct(LOGICAL)),
];
const UNIT: Is = Struct(&[(1, EMPTY), (2, EMPTY), (3, EMPTY)]);
const TIME: Is = Struct(&[(1, Truth), (2, UNIT)]);
const LOGICAL: Fields = &[
    (1, EMPTY),
    (2, EMPTY),
    (3, EMPTY),
    (4, EMPTY),
    (5, Struct(&[(1, Number), (2, Number)])),
    (6, EMPTY),
    (7, TIME),
    (8, TIME),
    (10, Struct(&[(1, Byte), (2, Truth)])),
    (11, EMPTY),
    (12, EMPTY),
    (13, EMPTY),
    (14, EMPTY),
    (15, EMPTY),
    (16, Struct(&[(1, Byte)])),
    (17, Struct(&[(1, Bytes)])),
    (18, Struct(&[(1, Bytes), (2, Number)])),
];
const SORTED: Is = List(&Struct(&[(1, Number), (2, Truth), (3, Truth)]));
const GROUP: Fields =
    &[(1, List(&Struct(CHUNK))), (2, Number), (3, Number), (4, SORTED), (5, Number), (6, Number), (7, Number)];
const CHUNK: Fields = &[
    (1, Bytes),
    (2, Number),
    (3, Struct(STORED)),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, Struct(&[(1, EMPTY), (2, Struct(&[(1, List(&Bytes)), (2, Bytes)]))])),
    (9, Bytes),
];
const STATISTICS: Is =
    Struct(&[(1, Bytes), (2, Bytes), (3, Number), (4, Number), (5, Bytes), (6, Bytes), (7, Truth), (8, Truth)]);
const STORED: Fields = &[
    (1, Number),
    (2, NUMBERS),
    (3, List(&Bytes)),
    (4, Number),
    (5, Number),
    (6, Number),
    (7, Number),
    (8, List(&Struct(PAIR))),
    (9, Number),
    (10, Number),
    (11, Number),
    (12, STATISTICS),
    (13, List(&Struct(&[(1, Number), (2, Number), (3, Number)]))),
    (14, Number),
    (15, Number),
    (16, Struct(&[(1, Number), (2, NUMBERS), (3, NUMBERS)])),
    (17, Struct(&[(1, EMPTY), (2, NUMBERS)])),
];

/// Walks over a structure; `None` if a known field is not what it has to be.
pub fn walk(walk: &mut Walk<'_>, fields: Fields) -> Option<()> {
    walk.fields(&mut |walk, number, kind| match fields.iter().find(|(known, _)| *known == number) {
        Some((_, is)) => is.walk(walk, kind),
        None => walk.skip(kind),
    })
}

impl Is {
    fn walk(self, over: &mut Walk<'_>, kind: u8) -> Option<()> {
        match self {
            Number => (4..=6).contains(&kind).then(|| over.integer())?.map(drop),
            Byte => (kind == BYTE).then(|| over.skip(kind))?,
            Bytes => (kind == BINARY).then(|| over.skip(kind))?,
            Truth => (kind == TRUE || kind == FALSE).then(|| over.skip(kind))?,
            Struct(fields) => (kind == STRUCT).then(|| walk(over, fields))?,
            List(elements) => {
                let (kind, count) = (kind == LIST).then(|| over.list())??;
                (0..count).try_for_each(|_| elements.walk(over, kind))
            }
        }
    }
}
