//! Damaged and malicious files: repaired or refused, never made worse.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

mod common;
mod mended;

use std::collections::BTreeMap;

use ggufkit_check::{Family, File, Severity, Subject, check};
use ggufkit_format::{ByteStr, Dialect, Endian, Options, View};
use ggufkit_io::{HeadBuffer, diagnose};
use ggufkit_testkit::sources::Memory;
use ggufkit_testkit::{Builder, Tensor, controls, corpus, random};
use mended::{mended, mended_and};

/// How often each rule about where data lies says of a file what is more than a note.
fn judged(bytes: &[u8]) -> BTreeMap<&'static str, u64> {
    let source = Memory::new(bytes);
    let options = Options::new().with_size(Some(bytes.len() as u64));
    let mut buffer = HeadBuffer::new();
    let read = buffer.read(&source, options).unwrap();
    let diagnosis = diagnose(&source, options, &read, buffer.bytes()).unwrap();
    let file = File {
        label: ByteStr(b"model.gguf"),
        file_name: Some("model.gguf"),
        size: Some(bytes.len() as u64),
        view: read.index.as_ref().map(|index| View::new(index, buffer.bytes())),
        error: read.error.as_ref(),
        diagnosis: &diagnosis,
        source: Some(&source),
    };
    let report = check(&Subject::single(&file), &ggufkit_check::Options::default(), None);
    let kept = report.findings.iter().map(|finding| (finding.rule, finding.severity, 1));
    let more = report.left_out.iter().map(|count| (count.rule, count.severity, count.more));
    let mut all = BTreeMap::new();
    for (rule, severity, n) in kept.chain(more) {
        if severity > Severity::Note && matches!(rule.family, Family::Container | Family::Layout) {
            *all.entry(rule.name).or_insert(0) += n;
        }
    }
    all
}

/// No rule about the container or the layout says more of what was repaired than of the file before.
fn not_worse(bytes: &[u8], out: &[u8]) {
    let (before, after) = (judged(bytes), judged(out));
    for (rule, times) in after {
        assert!(times <= before.get(rule).copied().unwrap_or(0), "{rule}");
    }
}

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

/// What makes the head shorter or longer moves the data, and where it lies by then is mended in the same repair.
#[test]
fn heads_of_another_length_leave_no_data_astray() {
    for alignment in [1, 4, 7, 8, 16] {
        for text in [0, 9, 22] {
            let file = Builder::new().alignment(alignment).kv("name", format!("{}\0", "x".repeat(text)));
            let twice = file.clone().kv("a", "some text").kv("a", "some text");
            for file in [file.clone(), twice, file.kv("general.name\0", "é")] {
                for sizes in [[8, 8], [6, 8]] {
                    let of = |at: usize, name: &str| Tensor::f32(name, &[sizes[at]]);
                    mended_and(&file.clone().tensor(of(0, "a")).tensor(of(1, "b")).bytes(), &not_worse);
                }
            }
        }
    }
}

/// Tensors that say where they lie, in files that end in several ways: what padding is and what trails hangs on the
/// alignment, on the head's length and on whether there is anything to align.
#[test]
fn every_end_of_a_file_is_settled_by_one_repair() {
    let alignments = [None, Some(1), Some(8), Some(16), Some(24), Some(32), Some(64)];
    for alignment in alignments {
        for text in [0, 1, 3, 4, 7, 8, 13, 16, 20, 31] {
            let tensors: [&[(&str, u64)]; 4] =
                [&[], &[("a", 3)], &[("a", 3), ("b", 8)], &[("a", 3), ("b", 0)]];
            for tensors in tensors {
                let head = match alignment {
                    Some(alignment) => Builder::new().alignment(alignment),
                    None => Builder::new(),
                };
                let head = head.kv("pad", "x".repeat(text));
                let file =
                    tensors.iter().fold(head, |file, (name, len)| file.tensor(Tensor::f32(*name, &[*len])));
                for file in [file.clone(), file.clone().final_padding(false), file.head_padding(false)] {
                    for trailing in [&b""[..], b"x", &[0; 3], &[0; 70], &[7; 70]] {
                        mended_and(&file.clone().trailing(trailing).bytes(), &not_worse);
                    }
                }
            }
        }
    }
}

#[test]
fn dialects_samples_and_odd_files_are_settled_by_one_repair() {
    for (_, dialect) in Dialect::CANDIDATES {
        mended(&controls::common(*dialect).bytes());
        mended(&controls::common(*dialect).trailing(*b"trailing").bytes());
    }
    // Repair is asked often here, which large files take long for.
    for (_, bytes, _) in common::files().into_iter().filter(|(_, bytes, _)| bytes.len() <= 1 << 20) {
        mended(&bytes);
    }
}

#[test]
fn random_and_handed_documents_are_repaired_or_refused() {
    for seed in 0..20 {
        mended(&random::document(seed, Endian::Little).bytes());
    }
    for file in corpus::files(&corpus::workspace().join("fuzz/regressions/repair"), "") {
        mended(&file.bytes);
    }
    for file in
        corpus::shared_files("cases/files", "hostile files are repaired or refused").into_iter().flatten()
    {
        mended(&file.bytes);
    }
}
