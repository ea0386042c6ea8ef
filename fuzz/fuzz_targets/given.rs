//! Takes the input for a patch, a description, an array and a safetensors file, and holds what comes of it against what is
//! promised.

#![no_main]

#[path = "../../crates/edit/tests/given/mod.rs"]
#[allow(clippy::unwrap_used)]
mod judged;

libfuzzer_sys::fuzz_target!(|input: &[u8]| judged::given(input));
