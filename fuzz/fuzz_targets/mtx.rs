//! Matrix Market files.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arss_table::fuzzing::read_and_write("t.mtx", bytes));
