//! The cases of llama.cpp's `tests/test-gguf.cpp` that its reader accepts, and its round trips, on files of our own.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::{AlignmentSource, Endian, Indexer, Options, Outcome, Progress, parse};
use ggufkit_testkit::random::{Rng, document, key_values, tensors};
use ggufkit_testkit::reading::{account, assert_reads_back, in_pieces};
use ggufkit_testkit::{Builder, Tensor, controls};

fn reads_back(document: &Builder) -> Outcome {
    let file = document.build();
    let options = Options::new().with_base(file.base()).with_size(Some(file.size()));
    let outcome = parse(file.gguf(), options);
    assert_eq!(outcome.error, None);
    assert_reads_back(document, &file, outcome.index.as_ref().unwrap());
    outcome
}

/// HEADER_EMPTY: neither key-values nor tensors, padded to 32. Its 24 bytes are a whole head.
#[test]
fn header_empty() {
    let index = reads_back(&Builder::new()).index.unwrap();
    assert_eq!((index.header().version, index.header().kv_count, index.header().tensor_count), (3, 0, 0));
    assert_eq!((index.head_end(), index.data_start(), index.alignment()), (24, Some(32), 32));
    assert_eq!(index.alignment_source(), AlignmentSource::Default);
    // Readers differ on whether there is padding where there are no tensors; both files are read.
    reads_back(&Builder::new().head_padding(false));
}

/// KV_SUCCESS: about 100 random key-values, each compared.
#[test]
fn kv_success() {
    for seed in 0..20 {
        let index = reads_back(&key_values(&mut Rng::new(seed), Builder::new())).index.unwrap();
        assert!(index.kvs().len() > 90);
        assert_eq!(index.alignment(), 32);
    }
}

/// TENSORS_ZERO_DIM: two dimensions, the second 0, all offsets 0.
#[test]
fn tensors_zero_dim() {
    let document = (0..100).fold(Builder::new(), |document, i| {
        document.tensor(Tensor::f32(format!("my_tensor_{i}"), &[4, 0]).offset(0))
    });
    let index = reads_back(&document).index.unwrap();
    for tensor in index.tensors() {
        assert_eq!(index.data_span(tensor).map(|s| (Some(s.start), s.len)), Ok((index.data_start(), 0)));
    }
}

/// TENSORS_SUCCESS: valid records and no data after the padded head.
#[test]
fn tensors_success() {
    for seed in 0..5 {
        let document = tensors(&mut Rng::new(seed), Builder::new()).without_data();
        let index = reads_back(&document).index.unwrap();
        assert_eq!(index.data_start(), Some(document.build().size()));
    }
}

/// TENSORS_CUSTOM_ALIGN, DATA_CUSTOM_ALIGN: alignment 1, laid out accordingly, without and with data.
#[test]
fn custom_align() {
    for data in [true, false] {
        let document = tensors(&mut Rng::new(7), Builder::new().alignment(1));
        let document = if data { document } else { document.without_data() };
        let index = reads_back(&document).index.unwrap();
        assert_eq!((index.alignment(), index.alignment_source()), (1, AlignmentSource::Key(0)));
        assert_eq!(index.data_start(), Some(index.head_end()));
        assert_eq!(index.anomalies(), []);
    }
}

/// DATA_SUCCESS: each tensor's bytes, through its span, in both byte orders.
#[test]
fn data_success() {
    for (seed, endian) in [(1, Endian::Little), (2, Endian::Big), (3, Endian::Little)] {
        let document = document(seed, endian);
        let (file, index) = (document.build(), reads_back(&document).index.unwrap());
        for (tensor, read) in document.tensors().iter().zip(index.tensors()) {
            let span = index.data_span(read).unwrap();
            assert_eq!(span.slice(file.bytes(), 0), Some(&tensor.data[..]));
        }
    }
}

/// The round trips' ways of reading: whole, at offset 7 of a larger file, in pieces of 4096 bytes from a source that
/// declares more than there is.
#[test]
fn round_trips() {
    for seed in 100..110 {
        let document = document(seed, Endian::Little);
        let whole = reads_back(&document).index.unwrap();
        let inside = document.clone().prefix(*b"7 bytes").trailing(*b"more");
        let moved = reads_back(&inside).index.unwrap();
        // Padding counts from the magic, wherever that is.
        assert_eq!(moved.data_start(), whole.data_start().map(|at| at + 7));
        assert_eq!(moved.head().len, whole.head().len);

        let file = document.build();
        let declared = Options::new().with_size(Some(4 << 30));
        let mut indexer = Indexer::new(declared);
        let mut given = 4096.min(file.bytes().len());
        let mut from = 0;
        while let Progress::Need { at, .. } =
            indexer.advance(&file.bytes()[from..given], given < file.bytes().len())
        {
            from = usize::try_from(at).unwrap();
            given = (given.max(from) + 4096).min(file.bytes().len());
        }
        let pieces = indexer.finish();
        assert_eq!(pieces.error, None);
        assert_reads_back(&document, &file, &pieces.index.unwrap());
    }
}

/// Version 1, which upstream refuses (HEADER_BAD_VERSION_1), and everything else that a head can hold.
#[test]
fn every_control_reads_back() {
    for (name, document) in controls::all() {
        println!("{name}");
        let file = document.build();
        let options = Options::new()
            .with_base(file.base())
            .with_size(Some(file.size()))
            .with_dialect(document.layout());
        let outcome = parse(file.gguf(), options);
        assert_eq!(outcome.error, None, "{name}");
        assert_reads_back(&document, &file, outcome.index.as_ref().unwrap());
        // Jumping over text instead of judging it changes nothing about where things are.
        let jumped = parse(file.gguf(), options.with_text(false));
        assert_eq!(jumped.error, None, "{name}");
        assert_reads_back(&document, &file, jumped.index.as_ref().unwrap());
        let unknown = options.with_size(None);
        let pieces = in_pieces(file.gguf(), unknown, |_| 1);
        assert_eq!(account(&pieces), account(&outcome), "{name}");
    }
}
