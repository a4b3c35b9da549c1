//! Model files, with a checksum that is mended so that damage gets behind it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arss_table::fuzzing::apply_model(bytes));
