//! Walks every value and field, and escapes every text.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| ggufkit_testkit::fuzzing::fields(input));
