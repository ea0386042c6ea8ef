//! Repairs the input under every policy: refused with reasons, or read to its end with the tensors' bytes kept.

#![no_main]

#[path = "../../crates/edit/tests/mended/mod.rs"]
mod mended;

libfuzzer_sys::fuzz_target!(|input: &[u8]| mended::mended(input));
