//! Packed text: gzip, Zstandard, bzip2, xz and zip, told apart by their first bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arss_table::fuzzing::read_and_write("t.csv.gz", bytes));
