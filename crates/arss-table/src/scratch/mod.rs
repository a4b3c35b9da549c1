//! Files behind [`arss::out_of_core::Stream`]: rows read when they are needed, and scratch files for their state.
//!
//! The library itself opens no file; this crate does, for the command line and the Python package.
//!
//! A scratch file has no name: it is unlinked as soon as it is made (on Unix), so it vanishes with the process,
//! however it ends. Nothing is mapped: blocks are read and written at their place.
//!
//! ```
//! use arss::out_of_core::Stream;
//! use arss::{Count, Method, RunOptions, Samples, Ted};
//! use arss_table::DiskMatrix;
//! use arss_table::scratch::ScratchFile;
//!
//! let table: Vec<f64> = (0..600).map(|i| f64::from(i * i % 17)).collect();
//! let mut file = ScratchFile::<f64>::new(&std::env::temp_dir())?;
//! file.append(&table)?; // any number of rows at a time
//! let rows = DiskMatrix::in_scratch(file, 3);
//! let (values, numbers) = (ScratchFile::new(&std::env::temp_dir())?, ScratchFile::new(&std::env::temp_dir())?);
//! let stream = Stream { source: &rows, values: &values, numbers: &numbers, memory: 1 << 20 };
//! let method = Method::Ted(Ted::default());
//! let found = stream.select(&method, Count::Exactly(2), &mut RunOptions::default())?;
//! let in_memory = method.select(&Samples::new(&table, 200, 3)?, 2, &mut RunOptions::default())?;
//! assert_eq!(found.indices, in_memory.indices);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod file;
pub(crate) mod numbers;

pub use file::ScratchFile;
pub use numbers::DiskFloat;
