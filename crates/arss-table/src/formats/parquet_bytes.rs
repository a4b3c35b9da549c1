//! The bytes of a Parquet file, as its reader takes them.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use crate::byte_source::{ByteReader, ByteSource};

/// The bytes, as the reader takes them; threads do not disturb each other.
#[derive(Debug, Clone)]
pub struct Shared(pub Arc<ByteSource>);

impl Length for Shared {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for Shared {
    type T = io::BufReader<ByteReader>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(io::BufReader::new(ByteReader { store: self.0.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let end = start.checked_add(length as u64).filter(|&end| end <= self.0.len());
        let Some(end) = end else { return Err(ParquetError::EOF("it is cut off".to_owned())) };
        Ok(Bytes::from(self.0.slice(start, end)?))
    }
}
