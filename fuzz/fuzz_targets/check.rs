//! Judges the input as a file, weights and all, and holds the report against what is promised of every one.

#![no_main]

#[path = "../../crates/check/tests/judged/mod.rs"]
#[allow(dead_code)]
mod judged;

libfuzzer_sys::fuzz_target!(|input: &[u8]| judged::judged(input));
