//! What the tests of this room share.

#![allow(dead_code, reason = "each test file uses some of it")]

use ggufkit_edit::Document;
use ggufkit_format::{Dialect, Endian, Index, Options, View, parse};
use ggufkit_testkit::{Builder, Tensor, controls, corpus, random};

/// The index of a file.
pub(crate) fn parsed(bytes: &[u8], base: u64, dialect: Dialect) -> Index {
    let options = Options::new().with_base(base).with_dialect(dialect).with_size(Some(bytes.len() as u64));
    parse(&bytes[base as usize..], options).into_result().unwrap()
}

/// What a file becomes by some changes.
pub(crate) fn edited(
    bytes: &[u8],
    base: u64,
    dialect: Dialect,
    change: impl FnOnce(&mut Document<'_>),
) -> Vec<u8> {
    let index = parsed(bytes, base, dialect);
    let view = View::new(&index, &bytes[base as usize..]);
    let mut document = Document::of(view, bytes.len() as u64).unwrap();
    change(&mut document);
    let plan = document.plan().unwrap();
    plan.verify(bytes.len() as u64).unwrap();
    let out = plan.render(bytes).unwrap();
    assert_eq!(out.len() as u64, plan.len());
    out
}

/// Where the magic of a file is.
pub(crate) struct Place {
    pub(crate) base: u64,
}

/// Files in the standard layout, version 2 or 3: canonical ones, and ones that are odd in their data section.
pub(crate) fn files() -> Vec<(String, Vec<u8>, Place)> {
    let mut out = Vec::new();
    for (name, document) in controls::all() {
        let built = document.build();
        if document.layout() == Dialect::STANDARD && built.get_u64("header.version") > 1 {
            let base = built.base();
            out.push((name, built.into_bytes(), Place { base }));
        }
    }
    for seed in 0..20 {
        let endian = [Endian::Little, Endian::Big][seed as usize % 2];
        out.push((format!("random {seed}"), random::document(seed, endian).bytes(), Place { base: 0 }));
    }
    let two = || Builder::new().kv("k", 1_u8).tensor(Tensor::f32("t", &[3])).tensor(Tensor::f32("u", &[3]));
    let mut padding = two().build();
    let odd = vec![7; padding.get("padding").len()];
    padding.patch("padding", odd);
    let odd = [
        ("no final padding", two().final_padding(false).bytes()),
        ("no data", two().without_data().bytes()),
        ("trailing", two().trailing(*b"trailing").bytes()),
        ("gap", two().tensor(Tensor::f32("v", &[1]).offset(4096)).bytes()),
        ("overlap", two().tensor(Tensor::f32("v", &[8]).offset(4)).bytes()),
        ("padding that is not zero", padding.into_bytes()),
        ("unpadded head alone", Builder::new().kv("k", 1_u8).head_padding(false).bytes()),
        ("alignment 24", Builder::new().alignment(24).tensor(Tensor::f32("t", &[3])).bytes()),
    ];
    out.extend(odd.map(|(name, bytes)| (name.to_owned(), bytes, Place { base: 0 })));
    for (name, bytes) in shared().into_iter().chain(samples()) {
        out.push((name, bytes, Place { base: 0 }));
    }
    out
}

/// Models that others wrote.
pub(crate) fn shared() -> Vec<(String, Vec<u8>)> {
    let files = corpus::shared_files("corpus", "corpus of models").unwrap_or_default();
    files.into_iter().map(|file| (file.name, file.bytes)).collect()
}

/// The sample, and files that gguf-py wrote.
pub(crate) fn samples() -> Vec<(String, Vec<u8>)> {
    let folders = [corpus::workspace().join("samples"), corpus::workspace().join("crates/format/tests/data")];
    let files = folders.iter().flat_map(|folder| corpus::files(folder, "gguf"));
    files.map(|file| (file.name, file.bytes)).collect()
}
