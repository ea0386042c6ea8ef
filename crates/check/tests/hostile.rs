//! Damaged and malicious files: judged to the end, said without harm, with nothing called clean that was not read.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "each test uses its part")]
mod judged;

use ggufkit_format::Endian;
use ggufkit_testkit::{controls, corpus, random};
use judged::judged;

/// Every how many bytes a control is cut or changed: all of them are the fuzzer's business.
const STEP: usize = 61;

#[test]
fn every_control_is_judged_at_any_length_and_with_any_byte_changed() {
    for (_, document) in controls::all() {
        let bytes = document.bytes();
        for len in (0..bytes.len()).step_by(STEP) {
            judged(&bytes[..len]);
        }
        for at in (3..bytes.len()).step_by(STEP) {
            let mut changed = bytes.clone();
            changed[at] ^= 0xff;
            judged(&changed);
        }
    }
}

#[test]
fn random_documents_are_judged() {
    for seed in 0..20 {
        for endian in [Endian::Little, Endian::Big] {
            judged(&random::document(seed, endian).bytes());
        }
    }
}

#[test]
fn handed_and_found_files_are_judged() {
    for file in corpus::files(&corpus::workspace().join("crates/format/tests/data"), "gguf") {
        judged(&file.bytes);
    }
    // What the fuzzer once found.
    for file in corpus::files(&corpus::data(env!("CARGO_MANIFEST_DIR")).join("regressions"), "") {
        judged(&file.bytes);
    }
    for file in corpus::shared_files("cases/files", "hostile files are judged").into_iter().flatten() {
        judged(&file.bytes);
    }
}
