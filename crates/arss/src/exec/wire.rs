//! Steps and their results as bytes, for rows on other machines and for replay logs.
//!
//! The layout is [postcard](https://docs.rs/postcard)'s over serde, behind one byte for the version. Matrices travel as
//! plain little-endian numbers. Decoding trusts no length: whatever the bytes are, the outcome is a value or an error.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::any::Any;
use std::borrow::Cow;

use faer::Mat;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::ByteBuf;

use crate::{Error, Float};

/// The first byte of every message. A change of any step or result needs a new number.
const VERSION: u8 = 9;

/// The bytes of a message.
pub(crate) fn encode(message: &impl Serialize) -> Result<Vec<u8>, Error> {
    postcard::to_extend(message, vec![VERSION]).map_err(|_| damaged())
}

/// The message in some bytes.
pub(crate) fn decode<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, Error> {
    let (&version, rest) = bytes.split_first().ok_or_else(damaged)?;
    if version != VERSION {
        return Err(damaged());
    }
    match postcard::take_from_bytes(rest) {
        Ok((message, [])) => Ok(message),
        _ => Err(damaged()),
    }
}

pub(crate) fn damaged() -> Error {
    Error::Backend { reason: "a message of a pass is damaged, or from another version of arss".into() }
}

/// A dense matrix that can be encoded. It is sent as `f64` and cast to the type of the rows where it is used.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix<T = f64>(pub Mat<T>);

impl<T: Float> Matrix<T> {
    /// The matrix in another precision.
    pub fn cast<U: Float>(&self) -> Matrix<U> {
        Matrix(Mat::from_fn(self.0.nrows(), self.0.ncols(), |i, j| U::from_f64(self.0[(i, j)].to_f64())))
    }

    /// The same, without a copy where the precision is this one.
    pub fn in_type<U: Float>(&self) -> Cow<'_, Matrix<U>> {
        (self as &dyn Any).downcast_ref().map_or_else(|| Cow::Owned(self.cast()), Cow::Borrowed)
    }

    /// `Ok` if the matrix has this shape.
    pub fn check(&self, rows: usize, columns: usize) -> Result<(), Error> {
        if (self.0.nrows(), self.0.ncols()) == (rows, columns) { Ok(()) } else { Err(damaged()) }
    }
}

impl<T: Float> Serialize for Matrix<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self.0.col_iter().flat_map(|column| column.iter().map(|value| value.to_f64()));
        (self.0.nrows(), self.0.ncols(), to_bytes(values)).serialize(serializer)
    }
}

impl<'de, T: Float> Deserialize<'de> for Matrix<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (rows, columns, bytes) = <(usize, usize, ByteBuf)>::deserialize(deserializer)?;
        let values = from_bytes(&bytes, rows.checked_mul(columns)).ok_or_else(|| D::Error::custom("matrix"))?;
        // There are as many values as places.
        let value = |i: usize, j: usize| values.get(j * rows + i).copied().unwrap_or_default();
        Ok(Matrix(Mat::from_fn(rows, columns, |i, j| T::from_f64(value(i, j)))))
    }
}

/// A symmetric matrix, of which one half is encoded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Symmetric(pub Mat<f64>);

impl Serialize for Symmetric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let dim = self.0.ncols();
        let lower = (0..dim).flat_map(|j| self.0.col_as_slice(j).iter().skip(j).copied());
        (dim, to_bytes(lower)).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Symmetric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (dim, bytes) = <(usize, ByteBuf)>::deserialize(deserializer)?;
        let count = dim.checked_add(1).and_then(|next| dim.checked_mul(next)).map(|twice| twice / 2);
        let values = from_bytes(&bytes, count).ok_or_else(|| D::Error::custom("symmetric matrix"))?;
        let mut matrix = Mat::zeros(dim, dim);
        let mut values = values.into_iter();
        for j in 0..dim {
            for i in j..dim {
                let value = values.next().unwrap_or_default();
                (matrix[(i, j)], matrix[(j, i)]) = (value, value);
            }
        }
        Ok(Symmetric(matrix))
    }
}

fn to_bytes(values: impl Iterator<Item = f64>) -> ByteBuf {
    ByteBuf::from(values.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
}

/// The numbers in some bytes; `None` if there are not `count` of them.
fn from_bytes(bytes: &[u8], count: Option<usize>) -> Option<Vec<f64>> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    let whole = rest.is_empty() && Some(numbers.len()) == count;
    whole.then(|| numbers.iter().map(|number| f64::from_le_bytes(*number)).collect())
}
