//! Workbooks, new and old, told apart by their first bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arss_table::fuzzing::read_and_write("t.xlsx", bytes));
