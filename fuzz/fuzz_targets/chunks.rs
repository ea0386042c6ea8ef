//! Reads the input in pieces, which the first eight bytes choose: any cut gives the same reading.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| ggufkit_testkit::fuzzing::chunks(input));
