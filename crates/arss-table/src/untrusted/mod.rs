//! Checks before a reader may believe a file.
//!
//! Descriptions of files are claims: a length in a few broken bytes can ask for more memory than there is. What is
//! claimed is compared here with what the file holds and with the memory that may be used, before a library reads it.

pub mod arrow_check;
pub mod catch_panic;
pub mod codec;
pub mod limit;
pub mod npy_header;
pub mod parquet_check;
pub mod parquet_fields;
pub mod thrift;
pub mod xls_check;
pub mod xlsx_check;
