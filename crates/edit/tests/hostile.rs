//! Damaged and malicious files: repaired or refused, never made worse.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

mod mended;

use ggufkit_format::Endian;
use ggufkit_testkit::{controls, corpus, random};
use mended::mended;

/// Every how many bytes a control is cut or changed: all of them are the fuzzer's business.
const STEP: usize = 61;

#[test]
fn every_control_is_repaired_or_refused_at_any_length_and_with_any_byte_changed() {
    for (_, document) in controls::all() {
        let bytes = document.bytes();
        mended(&bytes);
        for len in (0..bytes.len()).step_by(STEP) {
            mended(&bytes[..len]);
        }
        for at in (3..bytes.len()).step_by(STEP) {
            let mut changed = bytes.clone();
            changed[at] ^= 0xff;
            mended(&changed);
        }
    }
}

#[test]
fn random_and_handed_documents_are_repaired_or_refused() {
    for seed in 0..20 {
        mended(&random::document(seed, Endian::Little).bytes());
    }
    for file in corpus::files(&corpus::data(env!("CARGO_MANIFEST_DIR")).join("regressions"), "") {
        mended(&file.bytes);
    }
    for file in
        corpus::shared_files("cases/files", "hostile files are repaired or refused").into_iter().flatten()
    {
        mended(&file.bytes);
    }
}
