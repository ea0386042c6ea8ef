//! Reads the input in every way there is.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| ggufkit_testkit::fuzzing::parse(input));
